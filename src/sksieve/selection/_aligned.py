"""Aligned columns: those whose products reproduce three kernels of the whole table.

Kernel alignment with redundancy paid for exactly, searched by forward selection and exchanges.
Rows of X (n x d) are samples, z_j the standardized columns.

====== ============ =======================================================================
here   code         meaning, shape
====== ============ =======================================================================
K_1    --           ``ZZ'``: linear
K_2    gaussian     ``exp(-||z_i - z_l||^2 / (b median))``, centered
K_3    --           ``UU'``, U the leading eigenvectors of the neighbor graph but the first
a_j    a            relevance: ``z_j'K_t z_j`` over its mean, summed over the three kernels
C_jl   products     redundancy: ``(z_j'z_l)^2``
A, B   A, B         sum of a_j, and of C_jl, over the chosen columns S
h      h            ``h_j = sum_(l in S) C_jl``, (d,)
====== ============ =======================================================================

Related: the RV coefficient (Robert & Escoufier, Applied Statistics 25, 1976), SPFS (Zhao, Wang, Liu
& Ye, TKDE 25, 2013) and BAHSIC (Song, Smola, Gretton, Bedo & Borgwardt, JMLR 13, 2012), which
maximize A under other penalties for redundancy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._array import as_float, floating, row_blocks
from .._memory import require_memory
from .._ranking import position_scores
from .._typing import Array, Indices
from .._validation import Interval, StrOptions, common
from ..exceptions import DataError
from ..graphs import graph_eigenpairs, knn_graph
from ..tables import (
    centered_columns,
    columns_of,
    constant_columns,
    moments,
    refuse_magnitude,
    rows_of,
    rows_product,
    varying_columns,
)
from ._base import BaseSelector

#: Rows on which the relevance is measured.
MAX_ROWS = 2000
#: Columns of a table with more rows than columns of which all products are formed.
MAX_PRODUCTS = 2000
#: Eigenvectors of the neighbor graph, without a number of clusters.
EIGENVECTORS = 20
NEIGHBORS = 7
#: Bandwidth of the Gaussian kernel, in medians of the squared distances, with a number of clusters.
NARROW = 0.3
SWEEPS = 2
#: An exchange has to raise the objective by this part.
_GAIN_RTOL = 1e-9


class AlignedColumns(BaseSelector):
    """Columns whose products align with the kernels of the whole table; good for several uses.

    Maximizes ``A(S) / sqrt(B(S))``, the alignment of ``sum_(j in S) z_j z_j'`` with the sum of a
    linear, a Gaussian and a neighbor-graph kernel of all columns: ``A = sum_S a_j`` is what the
    columns carry about the kernels, ``B = sum_(j,l in S) (z_j'z_l)^2`` what they repeat. Forward
    selection, then at most two sweeps of exchanges, each of which raises the objective.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_clusters : int or None, default=None
        Number of groups, if known; None and not 8, as the default kernels need none. With it the
        Gaussian kernel is narrower and the graph kernel has ``n_clusters - 1`` eigenvectors, at
        least one.
    scale : {"standard", "counts"}, default="standard"
        ``"standard"``: mean 0 and variance 1. ``"counts"``: ``log(1 + x)`` and mean 0, for counts
        such as words or molecules, where columns of small variance carry little.
    random_state : int, RandomState or None, default=None
        For the 2000 rows on which `relevance_` is measured where there are more.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        Positions, from 1 for the best column to 0: the chosen columns in the order of forward
        selection among them, then the others by the objective with each of them added, then
        constant columns.
    relevance_ : ndarray of shape (n_features,)
        a; 3 on average over the columns that vary.
    objective_path_ : ndarray
        ``A / sqrt(B)`` after forward selection and after every exchange; never falls.

    Notes
    -----
    Cost O(m^2 d + m^2 log m) for the relevance on m = min(n, 2000) rows, with two m x m arrays and
    m rows dense. Then, of dense tables with more rows than columns and at most 2000 of these, one
    pass over blocks of rows, O(n d^2), without a copy of X; of others O(n d) for each of k columns
    and each exchange (O(nnz) for sparse X).

    References
    ----------
    Robert & Escoufier, "A unifying tool for linear multivariate statistical methods: the
    RV-coefficient", Applied Statistics 25, 1976.
    Zhao, Wang, Liu & Ye, "On similarity preserving feature selection", TKDE 25, 2013.
    Song, Smola, Gretton, Bedo & Borgwardt, "Feature selection via dependence maximization", JMLR
    13, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import AlignedColumns
    >>> X = load_wine(as_frame=True).data
    >>> AlignedColumns(3).fit(X).get_feature_names_out()
    array(['flavanoids', 'color_intensity', 'proline'], dtype=object)
    """

    nested: ClassVar[bool] = False
    ranks_only: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("random_state"),
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "scale": [StrOptions({"standard", "counts"})],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_clusters: int | None = None,
        scale: str = "standard",
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.scale = scale
        self.random_state = random_state

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z = _columns(X, self.scale)
        n = X.shape[0]
        rows = np.arange(n) if n <= MAX_ROWS else np.sort(rng.permutation(n)[:MAX_ROWS])
        require_memory(
            8.0 * len(rows) * (2 * len(rows) + 3 * X.shape[1]),
            f"The relevance of {X.shape[1]} columns",
            "Drop columns first, by variance for instance.",
        )
        a = relevance(Z.rows(rows), self.n_clusters)
        self.relevance_ = np.zeros(X.shape[1])
        self.relevance_[Z.varies] = a
        search = _Search(Z, a)
        k = min(self.n_features_to_select_, len(a))
        search.forward(k)
        self.objective_path_ = np.array(search.exchange())
        order = Z.varies[np.concatenate([search.order(), search.others()])]
        ranking = np.concatenate([order, np.setdiff1d(np.arange(X.shape[1]), order)])
        return position_scores(ranking)


class _Columns(ABC):
    """Columns that vary, centered and scaled, without a copy of the table where that can be.

    Attributes
    ----------
    varies : ndarray of shape (p,)
        Which columns of the table.
    norms : ndarray of shape (p,)
        Squared lengths.
    """

    varies: Indices
    norms: Array

    @abstractmethod
    def rows(self, which: Indices) -> Array:
        """Rows of the table, dense, and centered among themselves."""

    @abstractmethod
    def redundancy(self, j: int) -> Array:
        """``(z_j'z_l)^2`` for every column l."""


class _ByProducts(_Columns):
    """Of a long dense table: all products from one pass over blocks of its rows."""

    def __init__(self, X: Array, varies: Indices, scale: str) -> None:
        self._X, self.varies, self._counts = X, varies, scale == "counts"
        total = moments(self._taken(rows) for rows in row_blocks(X)).take(varies)
        n = total.n_samples
        inside = total.sums / n
        products = total.products - n * np.outer(inside, inside)
        self._center, self._divisor = total.shift + inside, np.ones(len(varies))
        if scale == "standard":
            self._divisor = np.sqrt(np.diagonal(products) / n)
        products /= np.outer(self._divisor, self._divisor)
        self.norms = np.diagonal(products).copy()
        self._products = np.square(products, out=products)

    def _taken(self, rows: Array) -> Array:
        return np.log1p(as_float(rows)) if self._counts else rows

    def rows(self, which: Indices) -> Array:
        part = self._taken(self._X[np.ix_(which, self.varies)])
        part = (part - self._center) / self._divisor
        return part - part.mean(axis=0)

    def redundancy(self, j: int) -> Array:
        row: Array = self._products[j]
        return row


class _ByColumns(_Columns):
    """Of a wide or a sparse table: centered and scaled in memory, a sparse one not filled in."""

    def __init__(self, X: Any, varies: Indices, scale: str) -> None:
        X = X[:, varies]
        if scale == "counts":
            X = X.log1p() if sp.issparse(X) else np.log1p(X)
        if sp.issparse(X):
            Z = (varying_columns(X, scale) if scale == "standard" else centered_columns(X))[0]
            self.norms = Z.norms2()
        else:
            Z = X - X.mean(axis=0)
            if scale == "standard":
                Z /= np.sqrt(np.mean(Z**2, axis=0))
            self.norms = np.sum(Z**2, axis=0)
        self._Z, self.varies = Z, varies

    def rows(self, which: Indices) -> Array:
        part: Array = rows_of(self._Z, which)
        return part - part.mean(axis=0)

    def redundancy(self, j: int) -> Array:
        return rows_product(columns_of(self._Z, [j])[:, 0], self._Z) ** 2


def _columns(X: Any, scale: str) -> _Columns:
    X = floating(X)
    refuse_magnitude(max(float(X.max()), -float(X.min())), X.shape[0] * X.shape[1])
    if scale == "counts" and X.min() < 0:
        raise DataError(
            'scale="counts" needs values >= 0; X has negative ones. Use scale="standard".'
        )
    varies = np.flatnonzero(~constant_columns(X))
    if not len(varies):
        raise DataError("Every column of X is constant; there is nothing to choose from.")
    if not sp.issparse(X) and X.shape[1] <= min(X.shape[0], MAX_PRODUCTS):
        return _ByProducts(X, varies, scale)
    return _ByColumns(as_float(X), varies, scale)


def relevance(Z: Array, n_clusters: int | None = None) -> Array:
    """``a_j``: how much each column carries of the three kernels, each of mean 1.

    Parameters
    ----------
    Z : ndarray of shape (m, p)
        Centered rows.
    n_clusters : int, optional

    Returns
    -------
    ndarray of shape (p,)
    """
    K = Z @ Z.T
    linear = np.einsum("ij,ij->j", Z, K @ Z)
    D = np.diagonal(K)[:, None] + np.diagonal(K) - 2 * K
    np.maximum(D, 0.0, out=D)
    np.fill_diagonal(D, 0.0)
    median = float(np.median(D)) or float(D[D > 0].mean() if (D > 0).any() else 1.0)
    gaussian = np.exp(D / (-median * (1.0 if n_clusters is None else NARROW)), out=D)
    gaussian -= gaussian.mean(axis=0)
    gaussian -= gaussian.mean(axis=1)[:, None]
    kernel = np.einsum("ij,ij->j", Z, gaussian @ Z)
    parts = [linear, kernel, _graph_relevance(Z, n_clusters)]
    means = [float(part.mean()) for part in parts]
    return sum((part / mean for part, mean in zip(parts, means) if mean > 0), np.zeros(Z.shape[1]))


def _graph_relevance(Z: Array, n_clusters: int | None) -> Array:
    m = len(Z)
    count = min(EIGENVECTORS, max(2, m // 5)) if n_clusters is None else n_clusters - 1
    count = min(max(count, 1), m - 1)
    A = knn_graph(Z, min(NEIGHBORS, m - 1))
    U = graph_eigenpairs(A, count + 1).vectors[:, 1:]
    U = U - U.mean(axis=0)
    length = np.linalg.norm(U, axis=0)
    U = U[:, length > 1e-8] / length[length > 1e-8]
    return np.sum((U.T @ Z) ** 2, axis=0)


class _State(NamedTuple):
    """Sums over the chosen columns: A, B and h."""

    A: float
    B: float
    h: Array


class _Search:
    """Forward selection and exchanges for ``A(S) / sqrt(B(S))``."""

    def __init__(self, Z: _Columns, a: Array) -> None:
        self._Z, self._a = Z, a
        self._diagonal = Z.norms**2
        self._products: dict[int, Array] = {}
        self.chosen: list[int] = []
        self._state = _State(0.0, 0.0, np.zeros(len(a)))

    @property
    def objective(self) -> float:
        return self._state.A / float(np.sqrt(self._state.B))

    def forward(self, k: int) -> None:
        """Add, k times, the column with which the objective is largest."""
        for _ in range(k):
            value = self._with_each(self._state)
            value[self.chosen] = -np.inf
            j = int(np.argmax(value))
            self._products[j] = self._Z.redundancy(j)
            self.chosen.append(j)
            self._state = self._added(self._state, j)

    def exchange(self) -> list[float]:
        """Exchange columns while the objective rises; its value at the start and after each."""
        values = [self.objective]
        for _ in range(SWEEPS):
            n_before = len(values)
            for i, j in enumerate(self.chosen):
                rest = self._removed(self._state, j)
                value = self._with_each(rest)
                taken = [c for c in self.chosen if c != j]
                value[taken] = -np.inf
                best = int(np.argmax(value))
                if value[best] > value[j] * (1 + _GAIN_RTOL):
                    del self._products[j]
                    self._products[best] = self._Z.redundancy(best)
                    self.chosen[i] = best
                    self._state = self._added(rest, best)
                    values.append(self.objective)
            if len(values) == n_before:
                break
        return values

    def order(self) -> Indices:
        """The chosen columns in the order in which forward selection would add them."""
        left, order = list(self.chosen), []
        state = _State(0.0, 0.0, np.zeros(len(self._a)))
        while left:
            j = left.pop(int(np.argmax(self._with_each(state)[left])))
            order.append(j)
            state = self._added(state, j)
        return np.array(order, dtype=np.intp)

    def others(self) -> Indices:
        """The other columns, by the objective with each of them added."""
        value = self._with_each(self._state)
        value[self.chosen] = -np.inf
        return np.argsort(-value, kind="stable")[: len(value) - len(self.chosen)]

    def _with_each(self, state: _State) -> Array:
        """The objective with each column added."""
        B = state.B + 2 * state.h + self._diagonal
        return (state.A + self._a) / np.sqrt(np.maximum(B, np.finfo(float).tiny))

    def _added(self, state: _State, j: int) -> _State:
        B = state.B + 2 * state.h[j] + self._diagonal[j]
        return _State(state.A + self._a[j], B, state.h + self._products[j])

    def _removed(self, state: _State, j: int) -> _State:
        h = state.h - self._products[j]
        return _State(state.A - self._a[j], state.B - 2 * h[j] - self._diagonal[j], h)
