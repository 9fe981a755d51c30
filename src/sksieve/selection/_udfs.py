"""UDFS: columns that keep what tells neighbors apart.

Yang, Shen, Ma, Huang & Zhou, "l2,1-norm regularized discriminative feature selection for
unsupervised learning", IJCAI 2011, and the authors' programs (LocalDisAna.m, fs_unsup_udfs.m). The
paper has samples in columns; here X is n x d and samples are rows.

========= =============== ==================================================================
paper     code            meaning, shape
========= =============== ==================================================================
X         X'              data (the paper's X is d x n)
X~_i      Z               rows of the clique of i (itself and its k nearest), centered
H_{k+1}   --              ``I - 11'/(k+1)``
lambda    lam             ridge of the local total scatter
B_i       B               ``(Z Z' + lam I)^-1``
S_i       clique          selects the clique
M         M               ``sum_i S_i H B_i H S_i'``, n x n, positive semidefinite, sparse
W         W               projection, d x m, ``W'W = I``
gamma     g               weight of ``||W||_{2,1}``
D         row_weights     diagonal of the reweighting
========= =============== ==================================================================

Deviations
----------
D1  The authors' program has a second branch for d <= k + 1, in which lambda plays 1/lambda. Here
    lambda is the paper's for every d.
D2  The program stops after 20 iterations, without a test; here the objective is watched.
D3  Where X'MX is singular by m or more (d > n always), D = I makes the first W any basis of its
    null space, so the published answer is whatever LAPACK returns. A ridge cannot help: added to
    X'MX it adds m times itself to the objective for every W with ``W'W = I``. There the iteration
    starts with ``D_ii`` proportional to ``(X'MX)_ii``, what column i costs by itself.
D4  gamma is in units of the mean of the diagonal of X'MX.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .._typing import Array
from .._validation import POSITIVE_WEIGHT, Interval, common
from ..graphs import (
    Neighbors,
    NeighborSearch,
    as_neighbors,
    difference_products,
)
from ..prox import row_norms
from ..solvers import ReweightedSubspace
from ..tables import translated, varying_columns
from ._base import SCALES, BaseSelector, expand_rows, expand_scores
from ._row_sparse import (
    components_within,
    order_of_form,
    sample_form,
    starting_weights,
    warn_if_coordinates,
    warn_if_unscaled,
)


class UDFS(NeighborSearch, BaseSelector):
    """Columns of a row-sparse projection with small scatter inside neighborhoods.

    Minimizes ``tr(W'X'MXW) + gamma ||W||_{2,1}``, ``W'W = I``. Good for finding what tells near
    samples apart least, that is columns smooth on neighborhoods; it does not avoid duplicates.
    Minimized scatter favors columns of small variance, and a constant one costs nothing at all:
    columns are standardized first and constant ones left out (``scale="none"`` on columns of many
    scales warns). For large gamma it just picks the `n_components` columns of least cost. With more
    columns than samples the model has many solutions; the start decides, see D3 in the file.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_components : int or None, default=None
        Columns of W; the paper takes the number of clusters. As many as columns are kept when None,
        at most 50, 10 where X has no more samples than columns: then the scores depend on that
        number.
    n_neighbors : int, default=5
        Neighbors k in each clique of k + 1 samples.
    lam : float > 0, default=1000.0
        Ridge of the local scatter.
    gamma : float > 0, default=0.1
        Weight of the row sparsity, in units of the mean diagonal of X'MX (the paper's is this times
        that mean).
    scale
        See `BaseSelector`.
    max_iter : int, default=30
        Reweightings.
    tol
        See `LoopSupport`.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``||w_i||``; -1 for constant columns. Scores that are nearly 0 are in no particular order.
    components_ : ndarray of shape (n_components, n_features)
        W'; zero columns for constant columns of X.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost O(n^2 d + n k^2 (k + d)) for M, then O(n d^2) once and O(d^3) a reweighting; with n below
    d/2 O(n^2 d + n^3) a reweighting and no d x d matrix. CSR is scaled in the products and not
    filled in. The objective never rises. Nested only when `n_components` is given.

    References
    ----------
    Yang, Shen, Ma, Huang & Zhou, "l2,1-norm regularized discriminative feature selection for
    unsupervised learning", IJCAI 2011. The deviations are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import UDFS
    >>> wine = load_wine(as_frame=True).data
    >>> len(UDFS(4, n_components=3).fit(wine).get_feature_names_out())
    4
    """

    nested: ClassVar[bool] = False
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_neighbors", "max_iter", "tol"),
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "lam": POSITIVE_WEIGHT,
        "gamma": POSITIVE_WEIGHT,
        "scale": SCALES,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_components: int | None = None,
        n_neighbors: int = 5,
        lam: float = 1000.0,
        gamma: float = 0.1,
        scale: str = "standard",
        max_iter: int = 30,
        tol: float | None = 1e-4,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.lam = lam
        self.gamma = gamma
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return max(4.0 * stored, stored + 5.0 * order_of_form(n, d) ** 2)

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale)
        warn_if_unscaled(Z, "UDFS")
        rows = translated(Z)
        M = local_discriminant(rows, self._nearest(rows), self.lam)
        A = sample_form(Z, M)
        n, d = Z.shape
        m = components_within(self.n_components, self.n_features_to_select_, d, n=n)
        g = self.gamma * float(A.diagonal().mean())
        problem = ReweightedSubspace(A, g, m)
        run = self._run(problem, problem.start(q=starting_weights(A, m)))
        W = run.state.W
        k = self.n_features_to_select_
        warn_if_coordinates(row_norms(W), A.diagonal(), self.gamma, m, k)
        self.components_ = expand_rows(W, varies).T
        return expand_scores(row_norms(W), varies)


def local_discriminant(X: Any, neighbors: int | Neighbors, lam: float) -> sp.csr_array:
    """``M = sum_i S_i H (Z_i Z_i' + lam I)^-1 H S_i'`` over the cliques of k + 1 samples.

    Examples
    --------
    >>> import numpy as np
    >>> local_discriminant(np.array([[0.0], [2.0]]), 1, 2.0).toarray()
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    near = as_neighbors(X, neighbors).indices
    n, k = near.shape
    clique = np.column_stack([np.arange(n), near])
    values = np.empty((n, k + 1, k + 1))
    for part, products in difference_products(X, near):
        C = np.zeros((len(products), k + 1, k + 1))
        C[:, 1:, 1:] = products  # of the differences to sample i
        C -= C.mean(axis=1, keepdims=True)
        C -= C.mean(axis=2, keepdims=True)  # Z Z'
        spread, U = np.linalg.eigh(C)  # lam may be lost in Z Z'
        B = (U / (np.maximum(spread, 0.0) + lam)[:, None, :]) @ U.transpose(0, 2, 1)
        B -= B.mean(axis=1, keepdims=True)  # H B
        values[part] = B - B.mean(axis=2, keepdims=True)  # H B H
    at = np.broadcast_to(clique[:, :, None], values.shape)
    rows, columns = at.ravel(), at.transpose(0, 2, 1).ravel()
    return sp.csr_array(sp.coo_array((values.ravel(), (rows, columns)), shape=(n, n)))
