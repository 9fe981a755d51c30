"""Connected components, and what to do with those too small to be clusters."""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.utils.extmath import row_norms

from .._array import BLOCK_BYTES, check_sparse, dense
from .._typing import Indices
from ._laplacian import degrees


def number_by_first(labels: NDArray[Any]) -> Indices:
    """The same partition with labels 0, 1, ... in the order in which they first occur.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import number_by_first
    >>> number_by_first(np.array([7, 7, 2, 9, 2]))
    array([0, 0, 1, 2, 1])
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.ravel()]


def components(A: Any) -> Indices:
    """Label of the connected component of every vertex, numbered by first occurrence.

    Parameters
    ----------
    A : ndarray or CSR of shape (n, n)
        Symmetric; entries that are not 0 are edges, of any sign.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import components
    >>> components(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]]))
    array([0, 1, 0])
    """
    check_sparse(A, "A")
    if not sp.issparse(A):
        return _dense_components(np.asarray(A))
    return number_by_first(connected_components(sp.csr_array(A), directed=False)[1])


def _dense_components(A: NDArray[Any]) -> Indices:
    """By breadth-first search: each row is read once, in blocks."""
    n = len(A)
    label = np.full(n, -1, dtype=np.intp)
    step = max(1, BLOCK_BYTES // max(1, n))
    count = 0
    while (label < 0).any():
        new = np.array([int((label < 0).argmax())])
        label[new] = count
        while len(new):
            reached = np.zeros(n, dtype=bool)
            for first in range(0, len(new), step):
                reached |= (A[new[first : first + step]] != 0).any(axis=0)
            new = np.flatnonzero(reached & (label < 0))
            label[new] = count
        count += 1
    return label


def large_components(A: Any, labels: Indices, n_groups: int, share: float) -> NDArray[np.bool_]:
    """Vertices of the components of a graph that are worth dividing into groups.

    These are the `n_groups` components of largest volume (sum of degrees; ties to the smaller
    vertex) that have an edge, without those of fewer than ``share n / n_groups`` vertices. Smaller
    ones stay too, largest first, where these have fewer than `n_groups` vertices.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.zeros((4, 4))
    >>> A[0, 1] = A[1, 0] = 1
    >>> large_components(A, np.array([0, 0, 1, 2]), 1, 0.25)
    array([ True,  True, False, False])
    """
    size, volume = np.bincount(labels), np.bincount(labels, degrees(A))
    kept: list[int] = []
    for c in np.argsort(-volume, kind="stable")[:n_groups]:
        is_large = size[c] * n_groups >= share * len(labels)
        if volume[c] > 0 and (is_large or size[kept].sum() < n_groups):
            kept.append(int(c))
    return np.isin(labels, kept)


def representatives_by_similarity(X: Any, labels: Indices, n_groups: int, rho: float) -> Indices:
    """Representative vertex whose label each vertex inherits, after small components joined.

    While there are more than `n_groups` groups, or one has fewer than ``rho n / n_groups`` vertices
    or is a single vertex, the smallest joins the group of the outside sample nearest to one of its
    own: a component that small is an artifact of the graph, not a cluster.
    The largest component of a group stays; a component that joined stands, as a whole, with the
    vertex it is nearest to.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        The samples, in the space where the graph was made.
    labels : ndarray of shape (n,)
        Component of each vertex, 0, 1, ... by first occurrence.
    n_groups : int
    rho : float
        In [0, 1].

    Returns
    -------
    representative : ndarray of shape (n,)
        ``representative[i] == i`` for the vertices of the components that stay.

    Notes
    -----
    Cost O(m n d), m the number of vertices in components that join; memory a block of rows. Ties:
    the component with the smaller first vertex, the sample with the smaller index.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [8.0], [7.0], [3.0]])
    >>> representatives_by_similarity(X, np.array([0, 0, 0, 1, 1, 1, 2]), 2, 0.25)
    array([0, 1, 2, 3, 4, 5, 2])
    """
    check_sparse(X)
    X = X if sp.issparse(X) else X - X.mean(axis=0)  # distances are unchanged, rounding is not
    groups = _Groups(labels)
    least = max(rho * len(labels) / n_groups, 2)
    links: list[Link] = []
    ready: dict[int, Link] = {}
    n_left = groups.count
    while n_left > 1:
        root, size = groups.smallest()
        if n_left <= n_groups and size >= least:
            break
        if not ready:
            ready = _first_links(X, labels, n_groups, least)
        link = ready.get(root) if groups.is_single(root) else None
        if link is None:
            link = _nearest_outside(X, np.flatnonzero(groups.of_vertices() == root), groups)
        links.append(link)
        groups.merge(labels[link.inner], labels[link.outer])
        n_left -= 1
    return _stand_with(labels, links)


class Link(NamedTuple):
    """A sample of a component that joins, and the outside sample nearest to it."""

    inner: int
    outer: int


class _Groups:
    """Disjoint sets of components, the smallest at hand."""

    def __init__(self, labels: Indices) -> None:
        self.labels = labels
        self.size = np.bincount(labels)
        self.count = len(self.size)
        self.root = np.arange(self.count)
        self.heap = [(int(size), root) for root, size in enumerate(self.size)]
        heapq.heapify(self.heap)

    def of_vertices(self) -> Indices:
        return self.root[self.labels]

    def is_single(self, root: int) -> bool:
        return int(np.count_nonzero(self.root == root)) == 1

    def smallest(self) -> tuple[int, int]:
        while self.root[self.heap[0][1]] != self.heap[0][1] or (
            self.size[self.heap[0][1]] != self.heap[0][0]
        ):
            heapq.heappop(self.heap)
        size, root = self.heap[0]
        return root, size

    def merge(self, a: int, b: int) -> None:
        low, high = sorted((int(self.root[a]), int(self.root[b])))
        self.root[self.root == high] = low
        self.size[low] += self.size[high]
        heapq.heappush(self.heap, (int(self.size[low]), low))


def _first_links(X: Any, labels: Indices, n_groups: int, least: float) -> dict[int, Link]:
    """The nearest outside sample of every component that may have to join."""
    size = np.bincount(labels)
    falling = np.sort(size)[::-1]
    bound = max(least, falling[n_groups - 1] + 1 if len(size) > n_groups else 0)
    inner = np.flatnonzero((size < bound)[labels])
    return _nearest_by_group(X, inner, labels)


def _nearest_outside(X: Any, inner: Indices, groups: _Groups) -> Link:
    (link,) = _nearest_by_group(X, inner, groups.of_vertices()).values()
    return link


def _nearest_by_group(X: Any, inner: Indices, group: Indices) -> dict[int, Link]:
    """For each group among the vertices `inner`, the nearest pair (inner, outside its group)."""
    norms = row_norms(X, squared=True)
    nearest = np.empty(len(inner), dtype=np.intp)
    distance = np.empty(len(inner))
    step = max(1, BLOCK_BYTES // (8 * X.shape[0]))
    for first in range(0, len(inner), step):
        rows = inner[first : first + step]
        products = X[rows] @ X.T
        products = dense(products)
        squared = norms[rows, None] + norms - 2 * products
        squared[group[rows][:, None] == group] = np.inf
        at = squared.argmin(axis=1)
        nearest[first : first + step] = at
        distance[first : first + step] = squared[np.arange(len(rows)), at]
    links: dict[int, Link] = {}
    for i in np.lexsort((inner, distance)):
        links.setdefault(int(group[inner[i]]), Link(int(inner[i]), int(nearest[i])))
    return links


def _stand_with(labels: Indices, links: list[Link]) -> Indices:
    """Follow the links outwards from the largest component of each group."""
    representative = np.arange(len(labels))
    size = np.bincount(labels)
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(size)[:-1])
    links_of: dict[int, list[Link]] = {c: [] for c in range(len(size))}
    for link in links:
        links_of[labels[link.inner]].append(link)
        links_of[labels[link.outer]].append(Link(link.outer, link.inner))
    seen = np.zeros(len(size), dtype=bool)
    for start in np.argsort(-size, kind="stable"):
        waiting = [] if seen[start] else [int(start)]
        seen[start] = True
        while waiting:
            for own, other in links_of[waiting.pop()]:
                c = labels[other]
                if not seen[c]:
                    seen[c] = True
                    representative[members[c]] = representative[own]
                    waiting.append(int(c))
    return representative
