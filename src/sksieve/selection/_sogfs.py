"""SOGFS and ULAP: a graph of adaptive neighbors and a row-sparse projection, learnt together.

Nie, Zhu & Li, "Unsupervised feature selection with structured graph optimization", AAAI 2016, and
the authors' program; Chen, Yuan, Wang, Nie, Chang & Huang, "Local adaptive projection framework for
feature selection of labeled and unlabeled data", IEEE TNNLS 29, 2018. Rows of X (n x d) are
samples.

======= ============ =====================================================================
paper   code         meaning, shape
======= ============ =====================================================================
S       S            neighbors' weights, rows on the simplex, n x n
L_S     laplacian    Laplacian of ``(S + S')/2``
W       W            projection, d x m, ``W'W = I``
F       F            n x c, ``F'F = I``: the c smallest eigenvectors of L_S
alpha   alpha        weight of ``||S||^2``
lambda  lam          weight of ``2 tr(F'L_S F)``, raised until S has c components
gamma   gamma        weight of ``2 ||W||_{2,1}``
======= ============ =====================================================================

Deviations
----------
D1  A row of S is the exact minimizer over rows with at most k nonzeros: the k nearest in
    ``||W'x_i - W'x_j||^2 + lambda ||f_i - f_j||^2`` are projected on the simplex. The program
    takes its candidates in the original space for five loops, then by the first term alone, so
    that its objective may rise. (Without a bound S is no graph of neighbors: alpha comes from the
    unprojected distances, and makes rows nearly uniform.) Ties go by original distance.
D2  W is warm-started and gets two reweightings a loop, above 400 columns by a step of inverse
    iteration each; the program restarts from weights 1 each time.
D3  The number of components of S is counted on the graph, not read off eigenvalues below 1e-11.
D4  The weight of the penalty is 2 gamma in the objective, as the program's W-step has it.
D5  With more columns than samples the W-step is ill-posed; see D3 of UDFS for the start used.
D6  Of ULAP only the abstract is available: "S is computed from the projected distance with the
    learned W and W is computed with the learned S". Here it is SOGFS without F and lambda.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._typing import Array
from .._validation import POSITIVE_WEIGHT, Interval, common
from ..graphs import (
    NeighborSearch,
    components,
    distances_on,
    laplacian,
    laplacian_eigenvectors,
    neighbors_within,
)
from ..prox import row_norms
from ..solvers import ReweightedSubspace, SubspaceState, smoothed_l2p
from ..tables import form_diagonal, translated, varying_columns
from ._adaptive_rows import first_rows, nearest_rows
from ._base import SCALES, BaseSelector, expand_rows, expand_scores
from ._row_sparse import (
    components_within,
    order_of_form,
    sample_form,
    starting_weights,
    warn_if_coordinates,
    warn_if_unscaled,
)


class SOGFS(NeighborSearch, BaseSelector):
    """Columns of a projection in which samples are close to their adaptive neighbors.

    Minimizes ``sum_ij (||W'x_i - W'x_j||^2 s_ij + alpha s_ij^2) + 2 lambda tr(F'L_S F) + 2 gamma
    ||W||_{2,1}``; lambda is raised until S has `n_clusters` components. Good where samples form
    that many groups. Columns are centered and scaled to length 1 first: minimized scatter prefers
    small ones (``scale="none"`` on columns of many scales warns). As X'L_S X then has a
    diagonal below about 1, gamma >= 1 just picks `n_components` columns (a DataWarning says so);
    useful are 1e-3 to 1e-1.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_components : int or None, default=None
        Columns of W (the paper suggests about a third of the columns). As many as columns are kept
        when None, at most 50, 10 where X has no more samples than columns: then the scores depend
        on that number.
    n_clusters : int, default=5
        Components wanted; never more than there are samples. 5 and not 8, as for `MCFS`.
    n_neighbors : int, default=5
        Nonzeros in a row of S.
    gamma : float > 0, default=0.03
        Weight of the row sparsity.
    scale : {"standard", "correlation", "unit", "minmax", "none"}, default="correlation"
        What is done to each column first. "correlation" and not "standard": X'X is then the
        correlation matrix, and gamma does not depend on the number of samples.
    max_iter : int, default=20
        Passes over S, W and F.
    tol : float or None, default=1e-5
        Stop when the relative change of the objective is at most this; None runs all. A pass that
        changes lambda does not count. 1e-5 and not 1e-4: the value its published results here were
        computed with.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``||w_i||^2``; -1 for constant columns. Scores that are nearly 0 are in no particular order.
    components_ : ndarray of shape (n_components, n_features)
        W'; zero columns for constant columns of X.
    affinity_ : csr_array of shape (n_samples, n_samples)
        S; rows sum to 1.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`; the objective jumps where lambda changes.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost per pass O(n^2 d) for neighbors, O(n d^2 + d^3) for W (with n below d/2 O(n^2 d + n^3))
    and sparse eigenvectors for F. CSR is centered in the products and not
    filled in. Nested only when `n_components` is given.

    References
    ----------
    Nie, Zhu & Li, "Unsupervised feature selection with structured graph optimization", AAAI 2016.
    The deviations are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import SOGFS
    >>> iris = load_iris(as_frame=True).data
    >>> SOGFS(2, n_components=2, n_clusters=3, gamma=0.01).fit(iris).get_feature_names_out().shape
    (2,)
    """

    nested: ClassVar[bool] = False
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_clusters", "n_neighbors", "max_iter", "tol"),
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "gamma": POSITIVE_WEIGHT,
        "scale": SCALES,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_components: int | None = None,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        gamma: float = 0.03,
        scale: str = "correlation",
        max_iter: int = 20,
        tol: float | None = 1e-5,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_components = n_components
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return max(4.0 * stored, stored + 4.0 * order_of_form(n, d) ** 2)

    def _n_parts(self, n: int) -> int:
        """Components wanted of S, 0 for any number."""
        return min(self.n_clusters, n)

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale)
        warn_if_unscaled(Z, type(self).__name__)
        k = neighbors_within(self.n_neighbors, len(Z))
        n, d = Z.shape
        m = components_within(self.n_components, self.n_features_to_select_, d, n=n)
        c = self._n_parts(n)
        problem = StructuredGraph(Z, m, k, c, self.gamma, self._search_rule(translated(Z)))
        run = self._run(problem, problem.start())
        self.affinity_ = run.state.S
        W = run.state.W
        cost = form_diagonal(laplacian(run.state.S), Z)
        warn_if_coordinates(row_norms(W), cost, self.gamma, m, self.n_features_to_select_)
        self.components_ = expand_rows(W, varies).T
        return expand_scores(row_norms(W) ** 2, varies)


class ULAP(SOGFS):
    """Local adaptive projection: `SOGFS` without a wanted number of clusters.

    S need not have `n_clusters` components, and lambda is not there. The objective never rises.
    Only the abstract of the paper was available: this is one possible version of it.

    Parameters
    ----------
    n_features_to_select, n_components, n_neighbors, gamma, scale, max_iter, tol
        See `SOGFS`.

    Attributes
    ----------
    scores_, ranking_, components_, affinity_, neighbors_exact_
        See `SOGFS`.
    history_, objective_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.

    References
    ----------
    Chen, Yuan, Wang, Nie, Chang & Huang, "Local adaptive projection framework for feature selection
    of labeled and unlabeled data", IEEE TNNLS 29, 2018 (abstract).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import ULAP
    >>> iris = load_iris(as_frame=True).data
    >>> ULAP(2, n_components=2, gamma=0.01).fit(iris).get_feature_names_out().shape
    (2,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: values
        for name, values in SOGFS._parameter_constraints.items()
        if name != "n_clusters"
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_components: int | None = None,
        n_neighbors: int = 5,
        gamma: float = 0.03,
        scale: str = "correlation",
        max_iter: int = 20,
        tol: float | None = 1e-5,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def _n_parts(self, n: int) -> int:
        return 0


class State(NamedTuple):
    """``S`` (n x n, CSR), ``W`` (d x m), ``XW``, ``F`` (n x c), and the weight ``lam``.

    ``value`` is the objective where the last pass ended.
    """

    S: sp.csr_array
    W: Array
    XW: Array
    F: Array
    lam: float
    value: float


class StructuredGraph:
    """The model above; ``c = 0`` leaves out F and lambda."""

    not_descending: ClassVar[dict[str, str]] = {
        "step": "lambda, a weight in the objective, changes until S has c components"
    }

    def __init__(self, X: Any, m: int, k: int, c: int, gamma: float, how: Any = "exact") -> None:
        self.X = X
        self.m = m
        self.k = k
        self.c = c
        self.gamma = gamma
        self.n_reweightings = 2
        self.how = how
        self.S, self.alpha = first_rows(translated(X), k, how)

    def start(self, rng: object = None) -> State:
        A = sample_form(self.X, laplacian(self.S))
        W = ReweightedSubspace(A, self.gamma, self.m).start(q=starting_weights(A, self.m)).W
        state = State(self.S, W, self.X @ W, np.zeros((len(self.X), 0)), self.alpha, np.nan)
        state = self.update_F(state)
        return state._replace(value=self.objective(state))

    def objective(self, s: State) -> float:
        """Twice the traces, as ``sum_ij s_ij ||z_i - z_j||^2 = 2 tr(Z'LZ)``."""
        close = distances_on(s.S, self._embedded(s))
        value = float(s.S.multiply(close).sum()) + self.alpha * float((s.S.data**2).sum())
        return value + 2 * self.gamma * smoothed_l2p(s.W)

    def change(self, old: State, new: State) -> float:
        """Relative change of the objective or of lambda, whichever is larger."""
        moved = abs(new.value - old.value) / abs(old.value) if old.value else 0.0
        return max(moved, abs(new.lam - old.lam) / old.lam)

    def _embedded(self, s: State) -> Array:
        return np.hstack([s.XW, np.sqrt(s.lam) * s.F])

    def update_S(self, s: State) -> State:
        """Rows of at most k nonzeros, exactly (D1)."""
        Z, X = self._embedded(s), translated(self.X)
        return s._replace(S=nearest_rows(Z, X, self.k, self.alpha, self.how))

    def update_W(self, s: State) -> State:
        A = sample_form(self.X, laplacian(s.S))
        problem = ReweightedSubspace(A, self.gamma, self.m, exact=False)
        inner = SubspaceState(s.W)
        for _ in range(self.n_reweightings):
            inner = problem.step(inner)
        return s._replace(W=inner.W, XW=self.X @ inner.W)

    def update_F(self, s: State) -> State:
        """The c smallest eigenvectors of L_S, component by component."""
        if not self.c:
            return s
        return s._replace(F=laplacian_eigenvectors(s.S, self.c))

    def step(self, s: State) -> State:
        """S, W, F; then lambda doubled while there are too few components, halved if too many."""
        new = self.update_W(self.update_S(s))
        if self.c:
            n_components = int(components(new.S + new.S.T).max()) + 1
            if n_components > self.c:
                new = new._replace(lam=new.lam / 2)
            else:
                new = self.update_F(new)
                new = new._replace(lam=2 * new.lam) if n_components < self.c else new
        return new._replace(value=self.objective(new))
