"""The Laplacian score: columns that change little between neighbors.

He, Cai & Niyogi, "Laplacian score for feature selection", NIPS 2005, with Cai's graph. Rows of X
(n x d) are samples.

====== ============= ==================================================================
paper  code          meaning, shape
====== ============= ==================================================================
S      A             neighbor graph, n x n
D, L   degree, L     degrees; ``L = D - A``
f~_r   F             column r minus its mean weighted by D
L_r    1 - score     ``f~_r'L f~_r / f~_r'D f~_r``, in [0, 2]; small is good
t      2 sigma^2     bandwidth of the heat kernel
====== ============= ==================================================================

Deviations
----------
D1  Scores are ``1 - L_r``, as in the authors' program: larger is better.
D2  A constant column is 0/0. The authors' program gives it L_r = 1, ahead of every column with
    L_r > 1; here it gets a score below the worst there can be, and is last.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import BLOCK_BYTES, as_float, dense
from .._typing import Array
from .._validation import common
from ..graphs import (
    NeighborGraph,
    SampleGraph,
    degrees,
    laplacian,
)
from ..tables import constant_columns, form_diagonal, refuse_extremes, warn_of_scales
from ._base import BaseSelector

#: Score of a constant column: below 1 - L_r >= -1 of all others.
CONSTANT = -2.0
#: Share of its sum of squares that a column's variance is, where sums of both are accurate enough.
_CLEAR = 1e-2


class LaplacianScore(SampleGraph, BaseSelector):
    """Rank columns by how little they change between neighboring samples.

    ``L_r = sum_ij A_ij (f_ri - f_rj)^2 / (2 Var_D(f_r))`` on a graph of nearest neighbors; the
    score is ``1 - L_r``. Expects columns on one scale (standardized, say): each score is free of
    its column's scale, but the graph is made from all of them. Blind to redundancy: duplicates get
    the same score and are chosen together. Warns where one column's spread is 100 times that of the
    median column.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_neighbors, graph
        See `SampleGraph`.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``1 - L_r``, at most 1, larger is better; constant columns get -2 and are last.
    affinity_
        See `SampleGraph`.
    neighbors_exact_
        See `NeighborSearch`.

    Raises
    ------
    DataError
        If the bandwidth of `graph` is so small that every weight of the graph is 0.

    Notes
    -----
    Cost O(n^2 d) for the graph and O(n k d) for the scores; no loop. Sparse X stays sparse.

    References
    ----------
    He, Cai & Niyogi, "Laplacian score for feature selection", NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import LaplacianScore
    >>> iris = load_iris(as_frame=True).data
    >>> LaplacianScore(n_features_to_select=2).fit(iris).get_feature_names_out()
    array(['petal length (cm)', 'petal width (cm)'], dtype=object)
    """

    nested: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_neighbors"),
        "graph": SampleGraph._graph_constraint,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_neighbors: int = 5,
        graph: NeighborGraph | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.graph = graph

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        X = as_float(X)
        refuse_extremes(X)
        warn_of_scales(X)
        self.affinity_ = self._sample_graph(X)
        return laplacian_scores(self.affinity_, X)


def laplacian_scores(A: sp.csr_array, X: Any) -> Array:
    """``1 - L_r`` of every column of X on the graph A; `CONSTANT` for constant columns.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> A = sp.csr_array(np.array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]))
    >>> X = np.array([[1.0, 1, 5], [1, 2, 5], [3, 1, 5], [3, 2, 5]])
    >>> laplacian_scores(A, X)
    array([ 1., -1., -2.])
    """
    L, degree = laplacian(A), degrees(A)
    scores = np.empty(X.shape[1])
    filled = np.arange(X.shape[1])
    if sp.issparse(X):
        scores, clear = _scores_of_sparse(sp.csr_array(X), L, degree)
        filled = np.flatnonzero(~clear)
        X = sp.csc_array(X)
    step = max(1, BLOCK_BYTES // (8 * X.shape[0]))
    for first in range(0, len(filled), step):
        columns = filled[first : first + step]
        F = X[:, columns]
        scores[columns] = _scores_of(dense(F), L, degree)
    return scores


def _scores_of(F: Array, L: sp.csr_array, degree: Array) -> Array:
    varies = ~constant_columns(F)
    F = F - degree @ F / degree.sum()
    spread = degree @ F**2
    varies &= spread > 0  # a column may vary in samples without neighbors only
    rough = np.einsum("ij,ij->j", F, L @ F)
    return np.where(varies, 1 - rough / np.where(varies, spread, 1), CONSTANT)


def _scores_of_sparse(
    S: sp.csr_array, L: sp.csr_array, degree: Array
) -> tuple[Array, NDArray[np.bool_]]:
    """Scores from columns that are not centered, and for which columns this is as accurate."""
    d = S.shape[1]
    weight = np.repeat(degree, np.diff(S.indptr))
    sums = np.bincount(S.indices, weight * S.data, minlength=d)
    squares = np.bincount(S.indices, weight * S.data**2, minlength=d)
    spread = squares - sums**2 / degree.sum()
    varies = ~constant_columns(S) & (spread > 0)
    clear = (spread >= _CLEAR * squares) & (np.bincount(S.indices, minlength=d) <= len(degree) / 4)
    scores = 1 - form_diagonal(L, S) / np.where(varies, spread, 1)
    return np.where(varies, scores, CONSTANT), clear
