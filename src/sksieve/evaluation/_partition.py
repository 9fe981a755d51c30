"""What a partition is worth without labels: how its graph and its table look on either side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import silhouette_samples
from sklearn.utils import check_random_state

from .._array import n_nonzero
from .._typing import Array
from .._wording import counted, percent
from ..graphs import components
from ..metrics import group_weights

#: Rows that silhouettes are worked out for, at most.
SAMPLED = 3000


@dataclass(frozen=True, eq=False)
class Partition:
    """A partition of the vertices of a graph into groups 0, 1, ..., K - 1.

    Parameters
    ----------
    sizes : ndarray of shape (K,)
        Vertices of each group.
    weights : ndarray of shape (K, K)
        Weight between every two groups; inside a group every edge counts twice.
    n_edges : int
        Edges, each once, loops left out.
    component_sizes : ndarray of shape (c,)
        Vertices of each connected component, largest first.
    n_isolated : int
        Vertices without an edge.
    silhouettes : ndarray of shape (K,) or None
        Mean silhouette of each group, NaN where none of its rows was looked at; None where there
        is no table.
    silhouette : float or None
        Mean silhouette of all rows looked at.
    n_sampled : int
        Rows that were looked at for the silhouettes.
    """

    sizes: NDArray[np.intp]
    weights: Array
    n_edges: int
    component_sizes: NDArray[np.intp]
    n_isolated: int
    silhouettes: Array | None = None
    silhouette: float | None = None
    n_sampled: int = 0

    @property
    def inside(self) -> Array:
        """Share of each group's weight that stays inside, NaN for a group without an edge."""
        volume = self.weights.sum(axis=1)
        return np.diagonal(self.weights) / np.where(volume > 0, volume, np.nan)

    @property
    def joined(self) -> NDArray[np.intp]:
        """Groups with an edge; all groups of a graph that has none."""
        joined = np.flatnonzero(~np.isnan(self.inside))
        return joined if len(joined) else np.arange(len(self.sizes))

    @property
    def share_inside(self) -> float:
        """Share of all weight that is inside groups."""
        return float(np.trace(self.weights) / self.weights.sum())

    @property
    def share_expected(self) -> float:
        """The same for random edges between vertices of these degrees."""
        return float(np.sum((self.weights.sum(axis=1) / self.weights.sum()) ** 2))

    @property
    def modularity(self) -> float:
        """`share_inside` less `share_expected`."""
        return self.share_inside - self.share_expected

    @property
    def densities(self) -> Array:
        """Mean weight of a pair of vertices, from every group to every group; NaN for no pair."""
        pairs = np.outer(self.sizes, self.sizes) - np.diag(self.sizes)
        return self.weights / np.where(pairs > 0, pairs, np.nan)

    @property
    def densities_outside(self) -> Array:
        """Mean weight of a pair of which one vertex is in the group; NaN for no pair."""
        pairs = self.sizes * (self.sizes.sum() - self.sizes)
        weight = self.weights.sum(axis=1) - np.diagonal(self.weights)
        return weight / np.where(pairs > 0, pairs, np.nan)

    @property
    def density_within(self) -> float:
        """Mean weight of a pair of vertices of the same group; NaN where there is no such pair."""
        pairs = float(np.sum(self.sizes * (self.sizes - 1)))
        return float(np.trace(self.weights)) / pairs if pairs else float("nan")

    @property
    def density_between(self) -> float:
        """Mean weight of a pair of vertices of different groups."""
        n = int(self.sizes.sum())
        pairs = float(n * n - np.sum(self.sizes**2))
        across = float(self.weights.sum() - np.trace(self.weights))
        return across / pairs if pairs else float("nan")

    @property
    def graph_summary(self) -> str:
        """The graph in one line: vertices, edges, components, isolated vertices."""
        n = int(self.component_sizes.sum())
        complete = self.n_edges == n * (n - 1) // 2
        edges = "every pair joined" if complete else counted(self.n_edges, "edge")
        text = f"{counted(n, 'vertex', 'vertices')}, {edges}"
        sizes = self.component_sizes[self.component_sizes > 1]
        if len(sizes) == 1 and not self.n_isolated:
            return f"{text}, connected"
        text += f", {counted(len(sizes), 'connected component')}"
        first = "; ".join(f"{size:,}" for size in sizes[:5])
        more = f" and {len(sizes) - 5:,} smaller" if len(sizes) > 5 else ""
        text += f" ({first} vertices{more})" if len(sizes) > 1 else f" of {first}"
        return text + (f", {self.n_isolated:,} isolated" if self.n_isolated else "")

    def records(self) -> list[dict[str, Any]]:
        """Size, share inside, density and mean silhouette of each group, as for a DataFrame."""
        densities = np.diagonal(self.densities)
        return [
            {
                "group": k,
                "size": int(self.sizes[k]),
                "inside": self.inside[k],
                "density": densities[k],
                "silhouette": None if self.silhouettes is None else self.silhouettes[k],
            }
            for k in range(len(self.sizes))
        ]

    def warnings(self, n_clusters: int) -> list[str]:
        """Sentences where fewer groups were found than requested, or the graph supports none."""
        warnings = []
        if len(self.sizes) < n_clusters:
            warnings.append(
                f"{counted(len(self.sizes), 'group')} found of the {n_clusters} requested: the "
                "method cannot separate more points."
            )
        if self.modularity <= 0:
            warnings.append(
                f"The groups hold no more of the graph's weight ({percent(self.share_inside)}) "
                f"than expected at random ({percent(self.share_expected)}): the graph does not "
                "support these groups."
            )
        return warnings


def partition(A: Any, labels: ArrayLike, X: Any = None) -> Partition:
    """What there is to say about a partition without labels.

    Parameters
    ----------
    A : ndarray or CSR of shape (n, n)
        Symmetric weights >= 0 with at least one edge; the diagonal is left out.
    labels : array-like of shape (n,)
        Groups 0, 1, ..., K - 1, none of them empty.
    X : ndarray or CSR of shape (n, d), optional
        The table that the graph is of, for the silhouettes.

    Returns
    -------
    Partition

    Notes
    -----
    Cost O(edges), and O(m^2 d) for the silhouettes, m at most 3000 rows, drawn with a fixed seed.
    Silhouettes are of Euclidean distances: they do not see groups that are curved, or that lie on
    subspaces through each other.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.evaluation import partition
    >>> A = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    >>> groups = partition(A, [0, 0, 1, 1])
    >>> groups.share_inside, groups.share_expected, groups.modularity
    (1.0, 0.5, 0.5)
    >>> groups.sizes, groups.component_sizes, groups.n_isolated
    (array([2, 2]), array([2, 2]), 0)
    """
    labels = np.asarray(labels)
    weights = group_weights(A, labels)
    n_edges, parts = _edges(A)
    n_isolated = int(np.count_nonzero(parts == 1))
    sizes = np.bincount(labels)
    if X is None or not 1 < len(sizes) < len(labels):
        return Partition(sizes, weights, n_edges, parts, n_isolated)
    rows = np.arange(len(labels))
    if len(rows) > SAMPLED:
        rows = np.sort(check_random_state(0).permutation(len(rows))[:SAMPLED])
    seen = labels[rows]
    if not 1 < len(np.unique(seen)) < len(seen):
        return Partition(sizes, weights, n_edges, parts, n_isolated)
    each = silhouette_samples(X[rows], seen)
    counts = np.bincount(seen, minlength=len(sizes))
    means = np.bincount(seen, each, len(sizes)) / np.where(counts, counts, np.nan)
    return Partition(
        sizes, weights, n_edges, parts, n_isolated, means, float(each.mean()), len(rows)
    )


def _edges(A: Any) -> tuple[int, NDArray[np.intp]]:
    """Number of edges, and the sizes of the components, largest first."""
    if not (sp.issparse(A) or isinstance(A, np.ndarray)):  # not written out: every pair is joined
        n = A.shape[0]
        return n * (n - 1) // 2, np.array([n])
    entries = n_nonzero(A)
    n_edges = (entries - int(np.count_nonzero(A.diagonal()))) // 2
    return n_edges, np.sort(np.bincount(components(A)))[::-1]


def inside_shares(A: Any, labels: ArrayLike) -> tuple[Array, NDArray[np.intp]]:
    """Of every vertex: the share of its weight inside its group, and the group with most of it.

    Parameters
    ----------
    A : ndarray or CSR of shape (n, n)
        Symmetric weights >= 0; the diagonal is left out.
    labels : array-like of shape (n,)
        Groups 0, 1, ..., K - 1.

    Returns
    -------
    share : ndarray of shape (n,)
        NaN for a vertex without an edge.
    strongest : ndarray of shape (n,)
        The group to which most of the vertex's weight goes (its own among equals); its own for a
        vertex without an edge.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.evaluation import inside_shares
    >>> inside_shares(np.array([[0, 3, 1], [3, 0, 0], [1, 0, 0]]), [0, 0, 1])
    (array([0.75, 1.  , 0.  ]), array([0, 0, 0]))
    """
    labels = np.asarray(labels)
    n, rows = len(labels), np.arange(len(labels))
    Z = np.zeros((n, int(labels.max()) + 1))
    Z[rows, labels] = 1.0
    S = np.array(A @ Z, dtype=np.float64)
    S[rows, labels] -= A.diagonal()
    own, total = S[rows, labels], S.sum(axis=1)
    strongest = np.where(own >= S.max(axis=1), labels, S.argmax(axis=1))
    return own / np.where(total > 0, total, np.nan), strongest
