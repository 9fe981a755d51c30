"""MCFS: columns with which sparse regression reconstructs the leading eigenvectors of a graph.

Cai, Zhang & He, "Unsupervised feature selection for multi-cluster data", KDD 2010. Rows of X
(n x d) are samples.

======== ============ ===================================================================
paper    code         meaning, shape
======== ============ ===================================================================
W        A            neighbor graph, n x n
Y        Y            flat embedding, n x K: ``L y = lambda D y``, the smallest nonzero
a_k      a            coefficients of column k of Y, m of them nonzero
K        n_clusters   number of eigenvectors
d        m            nonzeros per regression, = n_features_to_select
======== ============ ===================================================================

Deviations
----------
D1  Neighbor graphs are often disconnected. Eigenvalue 1 of ``D^-1/2 A D^-1/2`` is then multiple
    and the authors' program takes whatever basis LAPACK returns. Here its eigenvectors are the
    indicators of the components; that of the largest is left out, as the constant vector is in a
    connected graph (with it the others span the same space).
D2  Constant columns take no part and are last. (In the authors' program, where neither X nor Y is
    centered, they serve as an intercept and may be chosen.)
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from .._array import as_float, dense
from .._typing import Array
from .._validation import common
from ..exceptions import DataError
from ..graphs import (
    NeighborGraph,
    SampleGraph,
    degrees,
    graph_eigenpairs,
)
from ..kernels._lars import lasso_knot
from ..tables import refuse_extremes, warn_of_scales
from ._base import BaseSelector
from ._lapscore import CONSTANT, laplacian_scores

_RIDGE = 1e-3


class MCFS(SampleGraph, BaseSelector):
    """Columns that reconstruct the embedding of a neighbor graph by sparse regression.

    For each of `n_clusters` eigenvectors y of the graph: ``min_a ||y - Xa||^2 + 1e-3 ||a||^2`` with
    `n_features_to_select` nonzeros, on the path of the lasso; the score of a column is its largest
    coefficient (each a scaled to unit length). Expects columns on one scale, about [0, 1] or
    standardized: coefficients are compared between columns, and the graph is made from all. Warns
    where one column's spread is 100 times that of the median column.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        Columns to keep; half of them when None. Also the number of nonzeros in each regression, so
        the scores depend on it.
    n_clusters : int, default=5
        Number of eigenvectors; the paper advises the number of clusters. 5 and not 8, as in the
        authors' program.
    n_neighbors, graph
        See `SampleGraph`.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        Larger is better; 0 where no regression uses the column, negative for constant columns.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Y.
    coef_ : ndarray of shape (n_clusters, n_features)
        The coefficients a, one row per eigenvector, before scaling.
    affinity_
        See `SampleGraph`.
    neighbors_exact_
        See `NeighborSearch`.

    Raises
    ------
    DataError
        If every column is constant, or the bandwidth of `graph` so small that every weight of the
        graph is 0.

    Notes
    -----
    Cost O(n^2 d) for the graph, O(n d^2) and d^2 memory for the Gram matrix, and
    O(q (d m^2 + m^3)) for the q = `n_clusters` paths to m nonzeros. Sparse X stays sparse.
    Not nested: fit once for each number of columns.

    References
    ----------
    Cai, Zhang & He, "Unsupervised feature selection for multi-cluster data", KDD 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import MCFS
    >>> iris = load_iris(as_frame=True).data
    >>> MCFS(n_features_to_select=2, n_clusters=3).fit(iris).get_feature_names_out()
    array(['petal length (cm)', 'petal width (cm)'], dtype=object)
    """

    nested: ClassVar[bool] = False
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_neighbors", "n_clusters"),
        "graph": SampleGraph._graph_constraint,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        graph: NeighborGraph | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.graph = graph

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 2.5 * d * d + 4.0 * stored

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        X = as_float(X)
        n, d = X.shape
        _refuse(n, self.n_clusters)
        refuse_extremes(X)
        warn_of_scales(X)
        A = self.affinity_ = self._sample_graph(X)
        Y = self.embedding_ = flat_embedding(A, self.n_clusters)
        varies = laplacian_scores(A, X) > CONSTANT
        if not varies.any():
            raise DataError("Every column of X is constant; there is nothing to choose from.")
        self.coef_ = np.zeros((Y.shape[1], d))
        self.coef_[:, varies] = _regressions(X[:, varies], Y, self.n_features_to_select_).T
        size = np.linalg.norm(self.coef_, axis=1, keepdims=True)
        scores = np.abs(self.coef_ / np.where(size > 0, size, 1)).max(axis=0)
        return np.where(varies, scores, -1.0)


def _refuse(n: int, q: int) -> None:
    if q >= n:
        raise ValueError(
            f"n_clusters={q} eigenvectors after the first need more than n_samples={n} samples."
        )


def flat_embedding(A: sp.csr_array, q: int) -> Array:
    """``D^-1/2 v`` for the leading eigenvectors v of ``D^-1/2 A D^-1/2``, without the first.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> A = sp.csr_array(np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]))
    >>> flat_embedding(A, 1).round(3).ravel()
    array([0.   , 0.   , 0.707, 0.707])
    """
    degree = degrees(A)
    root = np.divide(1, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
    return root[:, None] * graph_eigenpairs(A, q + 1).vectors[:, 1:]


def _regressions(X: Any, Y: Array, m: int) -> Array:
    """The coefficients of every column of Y, of shape (d, q)."""
    G = X.T @ X
    G = dense(G)
    G[np.diag_indices_from(G)] += _RIDGE
    R = np.asarray(X.T @ Y)
    unit = np.sqrt(np.mean(np.diagonal(G)))  # the path stops early where numbers are far from 1
    G /= unit**2
    R = R / unit
    a = np.column_stack([lars_knot(G, r, min(m, len(r)), X.shape[0]) for r in R.T])
    return a / unit


def lars_knot(G: Array, r: Array, m: int, n: int) -> Array:
    """The first knot with `m` nonzeros on the lasso path of ``a'Ga - 2 a'r``.

    Of duplicates, which enter together, there may be more. Where fewer than m ever enter, the end
    of the path: correlations of float32's rounding, for n samples.

    Examples
    --------
    >>> import numpy as np
    >>> lars_knot(np.eye(3), np.array([3.0, 1.0, 2.0]), 2, 1)
    array([2., 0., 1.])
    """
    if not r.any():
        return np.zeros_like(r)
    size_of_r = float(np.exp2(np.floor(np.log2(np.abs(r).max()))))  # a power of 2: exact
    r = r / size_of_r  # the path is as large as r, and stops early where that is far from 1
    least = float(np.finfo(np.float32).eps) * n
    return lasso_knot(np.ascontiguousarray(G), r, m, least) * size_of_r
