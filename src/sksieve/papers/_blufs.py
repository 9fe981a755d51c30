"""BLUFS by the paper's steps, and in variants; deviations stand in `selection._blufs`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .._typing import Array, Indices
from .._validation import Options, StrOptions
from ..graphs import graph_eigenpairs, knn_graph, neighbors_within
from ..prox import project_l20, row_norms
from ..selection._base import rank_by
from ..selection._blufs import BLUFS
from ..selection._blufs_problem import BiLevel, State
from ..selection._blufs_scores import ordered_scores
from ..selection._lapscore import laplacian_scores
from ..selection._standardized import Standardized, whitened
from ._blufs_blocks import PenaltyBiLevel, ProximalBiLevel, UnconstrainedBiLevel

_REFINED_ON = 100

_MODELS: dict[tuple[str, str], type[BiLevel]] = {
    ("joint", "support"): BiLevel,
    ("pam", "support"): ProximalBiLevel,
    ("pam", "final"): UnconstrainedBiLevel,
    ("penalty", "support"): PenaltyBiLevel,
}


class BLUFSVariants(BLUFS):
    """`BLUFS` by the paper's steps, with other graphs, starts and paths, for comparison.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        As for `BLUFS`, and so are all parameters that are not listed here.
    solver : {"joint", "pam", "penalty"}, default="joint"
        ``"joint"``: W and Y together by block Rayleigh-Ritz steps; ``"pam"``: the paper's three
        blocks with proximal terms (slower, and ends higher), Y by one polar factor; ``"penalty"``:
        the same with Y by the paper's Algorithm 2: Y is orthonormal to a tolerance.
    constraint : {"support", "final"}, default="support"
        Sparse rows throughout, or one threshold after the loop (what the updates (28) to (30)
        amount to, as they do not use the constraint): with ``solver="pam"`` only.
    graph : {"knn", "pca_whitened"}, default="knn"
        Neighbors by distance between standardized rows, or between their leading principal
        components, each of unit variance: for images in which illumination dominates.
    path : {"refit", "forward"}, default="refit"
        Search the support for this number of columns, or keep the nested order of the forward
        selection: then the columns for a smaller number are among these.
    refine : bool, default=False
        Make the sample graph again on the 100 columns the forward selection prefers.
    n_init : {"auto", 1, 2}, default="auto"
        Starts: forward selection, and (2) the Laplacian score; the lower objective wins. Two where
        there are fewer than 50 columns.

    Raises
    ------
    ValueError
        If the parameters do not go together.

    References
    ----------
    Liu, Ju, Xiu & Liu, "Bi-Level Unsupervised Feature Selection": steps (22) to (30), Algorithms 1
    and 2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.papers import BLUFSVariants
    >>> X = load_wine().data
    >>> BLUFSVariants(3, n_clusters=3, solver="pam").fit(X).get_support(indices=True)
    array([ 6,  9, 12])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BLUFS._parameter_constraints,
        "graph": [StrOptions({"knn", "pca_whitened"})],
        "solver": [StrOptions({"joint", "pam", "penalty"})],
        "constraint": [StrOptions({"support", "final"})],
        "path": [StrOptions({"refit", "forward"})],
        "refine": ["boolean"],
        "n_init": [StrOptions({"auto"}), Options(Integral, {1, 2})],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_clusters: int = 8,
        alpha: float = 1.0,
        beta: float = 1.0,
        lam: float = 1.0,
        n_neighbors: int = 5,
        graph: str = "knn",
        solver: str = "joint",
        constraint: str = "support",
        path: str = "refit",
        refine: bool = False,
        n_init: int | str = "auto",
        max_iter: int = 50,
        tol: float | None = 1e-4,
    ) -> None:
        super().__init__(
            n_features_to_select,
            n_clusters=n_clusters,
            alpha=alpha,
            beta=beta,
            lam=lam,
            n_neighbors=n_neighbors,
            max_iter=max_iter,
            tol=tol,
        )
        self.graph = graph
        self.solver = solver
        self.constraint = constraint
        self.path = path
        self.refine = refine
        self.n_init = n_init

    def _check(self, n: int) -> None:
        super()._check(n)
        if (self.solver, self.constraint) not in _MODELS:
            raise ValueError('constraint="final" goes with solver="pam" only.')
        if self.path == "forward" and self.constraint == "final":
            raise ValueError('path="forward" keeps the support; constraint="final" has none.')

    def _embed(self, X: Standardized) -> tuple[sp.csr_array, Array]:
        A, Y = super()._embed(X)
        if self.refine and X.shape[1] > _REFINED_ON:
            chosen, _ = X.forward(Y, self.lam_raw_, _REFINED_ON)
            few = X.take(np.sort(chosen))
            k = neighbors_within(self.n_neighbors, X.shape[0])
            A = knn_graph(few, self._nearest(few, k), weights="heat")
            Y = graph_eigenpairs(A, self.n_clusters).vectors
        return A, Y

    def _rows(self, X: Standardized) -> Array:
        return super()._rows(X) if self.graph == "knn" else whitened(X)

    @property
    def _model(self) -> Callable[..., BiLevel]:
        return partial(_MODELS[self.solver, self.constraint], fixed=self.path == "forward")

    def _further_supports(self, X: Standardized, A: sp.csr_array, s: int) -> list[Indices]:
        if self.path == "forward" or self.n_init == 1:
            return []
        if self.n_init == 2:
            return [rank_by(laplacian_scores(A, X.rows))[:s]]
        return super()._further_supports(X, A, s)

    def _keep_answer(self, problem: BiLevel, state: State, A: sp.csr_array) -> None:
        super()._keep_answer(problem, state, A)
        if self.constraint == "final":
            W = project_l20(self.coef_.T, self.n_features_to_select_)
            self.coef_ = W.T
            self.objective_ = problem.objective(state._replace(W=W, Y=self.embedding_))

    def _scores(self, problem: BiLevel, state: State, order: Indices, gain: Array) -> Array:
        if self.constraint == "final":
            return row_norms(state.W)
        if self.path == "forward":
            return ordered_scores(order, gain)
        return super()._scores(problem, state, order, gain)
