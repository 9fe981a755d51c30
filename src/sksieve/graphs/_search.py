"""How neighbors are searched: exactly, approximately in large tables, or by an object."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from .._array import check_sparse, dense, floating, n_stored
from .._threads import one_thread
from .._wording import percent
from ..config import get_config
from ..exceptions import DataError, warn_user
from ._descent import descend, descend_from
from ._neighbors import distance_of_kth, nearest_among, nearest_neighbors, neighbors_within

#: Up to so many products of entries the search of ``"auto"`` is exact.
EXACT_WORK = 1e11

_COMPONENTS = 50
#: Wider tables are searched in their principal components.
_WIDE = 100
#: Up to so many columns their covariance is decomposed: half of the time of Lanczos steps with X.
_COVARIANCE = 2000
#: Rows whose neighbors are searched exactly too, and the share of them that is enough.
_CHECKED = 100
_ENOUGH = 0.9


class Neighbors(NamedTuple):
    """The k nearest other rows of every row, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n, k)
    distances : ndarray of shape (n, k)
        Squared.
    exact : bool
        Whether these are the nearest, or nearly all of them.
    """

    indices: NDArray[np.int64]
    distances: NDArray[Any]
    exact: bool


def find_neighbors(X: Any, k: int, how: Any = None) -> Neighbors:
    """The k nearest other rows of every row of X.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Samples are rows; finite.
    k : int
        ``1 <= k <= n - 1``.
    how : {"auto", "exact", "approximate"}, transformer or None, default=None
        None: the setting ``neighbor_search`` of `sksieve.set_config`. ``"exact"``:
        `nearest_neighbors`. ``"approximate"``: nearest-neighbor descent, first in 50 principal
        components where X is sparse or has more than 100 columns, then in all columns where these
        show less than 90 % of the neighbors of 100 rows; its candidates are then compared by their
        distances in X. ``"auto"``: approximate where
        ``n^2 d`` (for CSR, n times the stored entries) is above 1e11. A transformer such as
        scikit-learn's ``KNeighborsTransformer``: a clone of it is fitted with ``n_neighbors=k`` and
        ``mode="distance"``, where it has these parameters; its neighbors are compared by their
        distances in X too.

    Returns
    -------
    Neighbors

    Raises
    ------
    ValueError
        If k is not between 1 and n - 1.
    DataError
        If a transformer gives a matrix of another shape, or too few neighbors.

    Notes
    -----
    Deterministic: the approximate search has a seed of its own and runs on one thread.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import find_neighbors
    >>> neighbors = find_neighbors(np.array([[0.0], [1.0], [3.0]]), 1)
    >>> neighbors.indices.ravel(), neighbors.exact
    (array([1, 0, 1]), True)
    """
    check_sparse(X)
    X = floating(X)
    how = search_rule(X, how)
    if isinstance(how, str) and how == "exact":
        return Neighbors(*nearest_neighbors(X, k), True)
    if not 1 <= k < X.shape[0]:
        raise ValueError(
            f"n_neighbors={k} must be at least 1 and less than the number of samples, {X.shape[0]}."
        )
    if isinstance(how, str):
        return _approximate(X, k)
    return Neighbors(*nearest_among(X, _by_transformer(X, k, how), k), is_exact(how))


def as_neighbors(X: Any, k: int | Neighbors) -> Neighbors:
    """Neighbors of an earlier search as they are; of a number, the k nearest by an exact one."""
    return k if isinstance(k, Neighbors) else find_neighbors(X, k, "exact")


class NeighborSearch:
    """Gives an estimator with the parameter `n_neighbors` the search for neighbors.

    Attributes
    ----------
    neighbors_exact_ : bool
        Whether the neighbors are exact, or found by an approximate search.
    """

    n_neighbors: Any  # int; None where a graph of the class needs none

    def _nearest(self, X: Any, k: int | None = None) -> Neighbors:
        """The `k` nearest rows of each row, by default `n_neighbors` or as many as there are."""
        k = neighbors_within(self.n_neighbors, X.shape[0]) if k is None else k
        return find_neighbors(X, k, self._search_rule(X))

    def _search_rule(self, X: Any) -> Any:
        """The setting ``neighbor_search``, ``"auto"`` decided for X."""
        how = search_rule(X, None)
        self.neighbors_exact_ = is_exact(how)
        return how


def is_exact(how: Any) -> bool:
    """Whether a rule other than ``"auto"`` finds the nearest neighbors exactly."""
    from sklearn.neighbors import KNeighborsTransformer

    if not isinstance(how, KNeighborsTransformer):
        return isinstance(how, str) and how == "exact"
    euclidean = how.metric in ("euclidean", "l2") or (how.metric == "minkowski" and how.p == 2)
    return bool(euclidean)


def search_rule(X: Any, how: Any) -> Any:
    """`how`, None replaced by the setting, ``"auto"`` decided by the size of X."""
    how = get_config()["neighbor_search"] if how is None else how
    if not isinstance(how, str) or how != "auto":
        return how
    work = float(X.shape[0]) * n_stored(X)
    return "exact" if work <= EXACT_WORK else "approximate"


def _approximate(X: Any, k: int) -> Neighbors:
    """By descent, in principal components where X is wide.

    The neighbors of some rows are searched exactly: where the components show too few of them, as
    of word counts, a descent in all columns adds candidates.
    """
    n, d = X.shape
    is_wide = d > (_COMPONENTS if sp.issparse(X) else _WIDE)
    m = min(n - 1, max(k + 5, 15))
    if is_wide:
        candidates = descend(_components(X), min(n - 1, max(2 * k, 30)))
    else:
        candidates = descend(dense(X), m)
    indices, distances = nearest_among(X, candidates, k)
    share = _share_of_nearest(X, distances)
    if is_wide and share < _ENOUGH:
        indices, distances = nearest_among(X, descend_from(X, candidates, m), k)
        share = _share_of_nearest(X, distances)
    if share < _ENOUGH:
        warn_user(
            f"The approximate search finds {percent(share)} of the {k} nearest neighbors (of "
            f"{min(n, _CHECKED)} samples). sksieve.set_config(neighbor_search='exact') finds all, "
            "in a time that grows with the square of the number of samples."
        )
    return Neighbors(indices, distances, False)


def _components(X: Any) -> NDArray[Any]:
    from sklearn.decomposition import PCA

    of_sparse = "covariance_eigh" if X.shape[1] <= _COVARIANCE else "arpack"
    solver = of_sparse if sp.issparse(X) else "randomized"
    size = min(_COMPONENTS, X.shape[0] - 1)
    with one_thread():  # the same components with any number of threads
        return np.asarray(PCA(size, svd_solver=solver, random_state=0).fit_transform(X))


def _share_of_nearest(X: Any, distances: NDArray[Any]) -> float:
    """The share of the neighbors of some random rows that are among the nearest, or as near."""
    n, k = distances.shape
    rows = np.random.RandomState(0).permutation(n)[:_CHECKED]
    limit = distance_of_kth(X, rows, k).astype(distances.dtype)
    return float((distances[rows] <= limit[:, None]).mean())


def _n_others(candidates: NDArray[np.int64]) -> NDArray[np.intp]:
    """How many candidates of each row are other rows; -1 is none."""
    own = np.arange(len(candidates))[:, None]
    return np.count_nonzero((candidates >= 0) & (candidates != own), axis=1)


def _by_transformer(X: Any, k: int, transformer: Any) -> NDArray[np.int64]:
    """The neighbors that a transformer finds, filled up by -1."""
    n, name = X.shape[0], type(transformer).__name__
    search = clone(transformer)
    params = {"n_neighbors": k, "mode": "distance"}
    search.set_params(**{p: v for p, v in params.items() if p in search.get_params()})
    graph = search.fit_transform(X)
    if not sp.issparse(graph) or graph.shape != (n, n):
        raise DataError(
            f"neighbor_search={name} must give a sparse matrix of n_samples x n_samples, "
            f"{n} x {n}; it gave {type(graph).__name__} of shape {getattr(graph, 'shape', ())}."
        )
    check_sparse(graph, f"The matrix of neighbor_search={name}")
    graph = sp.csr_array(graph)
    sizes = np.diff(graph.indptr)
    candidates = np.full((n, int(sizes.max(initial=0))), -1, dtype=np.int64)
    candidates[np.arange(candidates.shape[1]) < sizes[:, None]] = graph.indices
    others = _n_others(candidates)
    if others.min() < k:
        raise DataError(
            f"neighbor_search={name} gives {others.min()} neighbors of sample {others.argmin()}, "
            f"where n_neighbors={k} are needed."
        )
    return candidates
