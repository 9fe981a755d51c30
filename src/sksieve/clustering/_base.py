"""What every graph clusterer shares: affinity, embedding, labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import estimator_html_repr

from .._array import in_one_part, is_symmetric, n_nonzero
from .._memory import require_memory
from .._validation import (
    Interval,
    StrOptions,
    adjacency_of,
    check_random_state,
    common,
    fit_context,
    is_graph,
    validate_data,
)
from ..exceptions import DataError, warn_user
from ..graphs import (
    bethe_hessian_count,
    components,
    large_components,
    number_by_first,
    representatives_by_similarity,
    spectral_embedding,
    without_loops,
)
from ..metrics import modularity
from ..solvers import LoopSupport
from ..solvers._callbacks import with_callbacks
from ..solvers._k_means import k_means
from ..suggest import suggest_n_clusters
from ..tables import refuse_extremes

#: n x n arrays that hold a dense precomputed affinity: a copy and two workspaces of its check.
_GIVEN = 3
#: n x n_clusters arrays: eigenvectors, embedding, workspace.
_EMBEDDINGS = 3
#: A square table with fewer rows is not suspected to be a graph.
SMALLEST_GRAPH = 3
#: Groups that a notebook lists.
SHOWN = 50
#: A component is small with fewer vertices than this share of ``n / n_clusters``.
SMALL = 0.25


class BaseGraphClusterer(ClusterMixin, LoopSupport, BaseEstimator, ABC):
    """Base class of the clusterers that go from an affinity to an embedding to labels.

    A subclass gives ``_affinity(X, rng)``. The rest is here: a precomputed affinity, connected
    components too small to be clusters, the spectral step (Ng, Jordan & Weiss) and k-means. A
    method with eigenvectors of its own overrides ``_eigenvectors(A, rng)``; one that compares
    samples in another space than that of X (unit rows, say) overrides ``_prepare(X)``.

    A graph of networkx or igraph is clustered as with ``affinity="precomputed"``, and in the
    classes for communities a symmetric sparse matrix too.

    With ``n_clusters="auto"`` the number is that of `suggest_n_clusters` for a table, with a
    warning where the table looks like one lump, and that of `sksieve.graphs.bethe_hessian_count`
    for a precomputed graph.

    Attributes
    ----------
    affinity_ : csr_array of shape (n_samples, n_samples)
        The graph, symmetric.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Coordinates that k-means groups; 0 for vertices of a graph that are set apart.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, 0, 1, ... in the order in which they first occur. Components of a
        graph that are set apart (without an edge, small, or beyond the n_clusters largest) have
        further labels, one each.
    n_clusters_ : int
        Number of clusters asked for, or found with ``n_clusters="auto"``; without the components
        that are set apart.
    n_components_ : int
        Connected components of `affinity_`.
    n_features_in_ : int
        Columns of X.
    """

    #: Does the diagonal of the affinity belong to what the method fits?
    _keep_loops: ClassVar[bool] = False

    #: Is the method meant for graphs, so that a symmetric matrix is hardly a table?
    _for_graphs: ClassVar[bool] = False

    #: Which classes take a graph, where this one makes its own from a table; "" if it takes one.
    _instead_for_graphs: ClassVar[str] = ""

    #: What to do where n x n arrays do not fit in memory.
    _when_too_large: ClassVar[str] = "Fit a sample of the rows."

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **common("n_init", "random_state"),
        "n_clusters": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    }

    n_clusters: int | str
    affinity: str
    n_init: int
    random_state: Any

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the groups.

        Parameters
        ----------
        X : {array-like, CSR, AnnData} of shape (n_samples, n_features)
            Samples are rows. Or an undirected graph of networkx or igraph; with
            ``affinity="precomputed"`` the symmetric affinity or adjacency matrix, of shape
            (n_samples, n_samples).
        y : None
            Ignored; there for pipelines.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If X has NaN or infinite values, has sparse indices outside its shape, or is so large or
            small throughout that squares of its entries leave the range of its numbers; if it has
            fewer than two rows or fewer than n_clusters, or is no affinity (not square, not
            symmetric beyond rounding, negative) where one is given, or if n_clusters is 1 there; if
            n_clusters is "auto" and the graph shows one community, or X has fewer than 20 rows; if
            X is a graph and the method needs a table; if X is a dense symmetric matrix, which may
            be a table or a graph, and the method is one for communities.
        TooLargeError
            If the arrays of the method would need more than the memory limit.
        """
        is_given = is_graph(X)
        X = in_one_part(
            validate_data(
                self,
                self._adjacency(X) if is_given else X,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_min_samples=2,
            )
        )
        is_given = is_given or self.affinity == "precomputed" or self._looks_like_a_graph(X)
        self.n_clusters_ = self._number(X, is_given)
        if self.n_clusters_ > X.shape[0]:
            raise ValueError(
                f"n_clusters={self.n_clusters_} is more than the n_samples={X.shape[0]} rows of X; "
                f"ask for {X.shape[0]} or fewer."
            )
        self._require_memory(X, is_given)
        refuse_extremes(X)
        rng = check_random_state(self.random_state)
        samples = None if is_given else self._prepare(X)
        A = self._given(X) if samples is None else self._affinity(samples, rng)
        self.affinity_ = _in_rows(A) if isinstance(A, np.ndarray) else A
        self.n_components_ = self._n_components(A)
        self.labels_ = number_by_first(self._groups(A, samples, rng))
        return self

    def _adjacency(self, graph: Any) -> Any:
        if self._instead_for_graphs:
            raise DataError(
                f"X is a graph and {type(self).__name__} needs a table. Use "
                f"{self._instead_for_graphs}."
            )
        return adjacency_of(graph)

    def _looks_like_a_graph(self, X: Any) -> bool:
        """Whether a symmetric matrix is taken as a graph; refuses or reports a doubtful one."""
        if X.shape[0] < SMALLEST_GRAPH or not is_symmetric(X):
            return False
        if self._for_graphs and sp.issparse(X):
            return True
        text = f"X is a symmetric matrix ({X.shape[0]:,} x {X.shape[1]:,})"
        if self._for_graphs:
            raise DataError(
                f"{text} and affinity={self.affinity!r} would use its rows as samples of a table. "
                "If it is a graph or an affinity, use affinity='precomputed'. If it is a table, "
                "use SpectralGraph."
            )
        advice = self._instead_for_graphs or "affinity='precomputed'"
        warn_user(
            f"{text} and its rows are used as samples of a table. If it is a graph or an affinity, "
            f"use {advice}."
        )
        return False

    @property
    def predict(self) -> Any:
        """Not available: labels of new samples are not defined by the method."""
        raise AttributeError(
            f"{type(self).__name__} has no predict: its groups are those of a graph of the samples "
            "it was fitted to. Fit again with the new samples, or train a classifier on labels_."
        )

    def _html_repr(self) -> str:
        """scikit-learn's diagram for notebooks and, once fitted, the groups."""
        text = estimator_html_repr(self)
        if not hasattr(self, "labels_"):
            return text
        sizes = np.bincount(self.labels_)
        listed = ", ".join(f"{size:,}" for size in sizes[:SHOWN])
        more = f" and {len(sizes) - SHOWN:,} more" if len(sizes) > SHOWN else ""
        return f"{text}<p>Groups ({len(sizes):,}), by size: {listed}{more}.{self._summary()}</p>"

    def _summary(self) -> str:
        A = self.affinity_
        if not sp.issparse(A):
            return ""
        return f" Modularity in the graph: {modularity(A, self.labels_):.3f}."

    def _number(self, X: Any, is_given: bool) -> int:
        """The number of clusters, found from X where it is ``"auto"``."""
        return self._number_of(X, is_given, None)

    def _number_of(self, X: Any, is_given: bool, groups: Any) -> int:
        if not isinstance(self.n_clusters, str):
            return int(self.n_clusters)
        if is_given:
            count = bethe_hessian_count(X)
            if count < 2:
                raise DataError(
                    "n_clusters='auto': the edges show one community only. Give a number to divide "
                    "the graph anyway."
                )
            return count
        suggestion = suggest_n_clusters(X, groups=groups, random_state=self.random_state)
        number = suggestion.evidence["candidates"][0]
        if suggestion.kind == "none":
            warn_user(f"{suggestion.sentence} {number} are used.")
        return number

    def _require_memory(self, X: Any, is_given: bool) -> None:
        """Refuse what does not fit, from the number of samples and clusters."""
        n = X.shape[0]
        name = f"{type(self).__name__}(affinity={self.affinity!r})"
        if is_given and not sp.issparse(X):
            advice = "Give the affinity as a sparse matrix."
            require_memory(_GIVEN * X.itemsize * n * n, f"{name} on {n} samples", advice)
        per_pair = self._bytes_per_pair(X.dtype.itemsize)
        require_memory(per_pair * n * n, f"{name} on {n} samples", self._when_too_large)
        require_memory(
            _EMBEDDINGS * 8 * n * self.n_clusters_,
            f"{name} with {self.n_clusters_} clusters of {n} samples",
            "Lower n_clusters.",
        )

    def _bytes_per_pair(self, itemsize: int) -> float:
        """Peak memory for each pair of samples; 0 for methods without n x n arrays.

        Parameters
        ----------
        itemsize : int
            Bytes of an entry of X.
        """
        return 0.0

    @abstractmethod
    def _affinity(self, X: Any, rng: np.random.RandomState) -> Any:
        """The symmetric graph of the samples, CSR where it is sparse."""

    def _prepare(self, X: Any) -> Any:
        """The samples in the space where they are compared."""
        return X

    def _n_components(self, A: Any) -> int:
        return int(components(A).max()) + 1

    def _groups(self, A: Any, X: Any, rng: np.random.RandomState) -> Any:
        """Labels, in any numbering, by an embedding; X is None for a precomputed affinity."""
        if X is not None:
            self.embedding_ = self._embed(A, X, rng)
            return self._group(self.embedding_, X, rng)
        label = components(A)
        stays = self._staying(without_loops(A), label)
        inner = A if stays.all() else A[stays][:, stays]
        vectors = self._eigenvectors(
            inner if self._keep_loops else without_loops(inner), rng, is_given=True
        )
        self.embedding_ = np.zeros((len(stays), vectors.shape[1]), dtype=vectors.dtype)
        self.embedding_[stays] = vectors
        labels = self.n_clusters_ + label
        labels[stays] = self._group(vectors, None, rng)
        return labels

    def _staying(self, A: Any, label: NDArray[np.intp]) -> NDArray[np.bool_]:
        """The vertices of a graph that are divided; the components of the others are set apart."""
        if self.n_clusters_ == len(label):
            return np.ones(len(label), dtype=bool)  # every sample its own cluster
        stays = large_components(A, label, self.n_clusters_, SMALL)
        n_apart = int(np.count_nonzero(~stays))
        if n_apart:
            n_components = len(np.unique(label[~stays]))
            warn_user(
                f"{n_apart} vertices of the affinity lie in {n_components} components without an "
                f"edge, with few vertices or beyond the n_clusters={self.n_clusters_} largest; "
                "each of these components is a group of its own."
            )
        return stays

    def _embed(self, A: Any, X: Any, rng: np.random.RandomState) -> NDArray[Any]:
        """A point per sample of a table.

        The leading eigenvectors are those of the components that stay; a sample of another one gets
        the point of the sample it stands with.
        """
        host = self._hosts(without_loops(A), X)
        A = A if self._keep_loops else without_loops(A)
        kept = np.flatnonzero(host == np.arange(len(host)))
        row = np.zeros(len(host), dtype=np.intp)
        row[kept] = np.arange(len(kept))
        inner = A if len(kept) == len(host) else A[kept][:, kept]
        return self._eigenvectors(inner, rng, is_given=False)[row[host]]

    def _eigenvectors(self, A: Any, rng: np.random.RandomState, *, is_given: bool) -> NDArray[Any]:
        """The embedding of the vertices of the components that stay.

        `is_given` says whether A is the user's affinity, not one made from a table.
        """
        return spectral_embedding(A, min(self.n_clusters_, A.shape[0]))

    def _hosts(self, A: Any, X: Any) -> NDArray[np.intp]:
        label = components(A)
        if self.n_clusters_ == len(label):
            return np.arange(len(label))  # every sample its own cluster
        return representatives_by_similarity(X, label, self.n_clusters_, SMALL)

    def _group(self, embedding: NDArray[Any], X: Any, rng: np.random.RandomState) -> Any:
        """Labels, in any numbering; X is None for a precomputed affinity."""
        k = min(self.n_clusters_, len(embedding))
        return k_means(embedding, k, self.n_init, rng).labels_

    def _given(self, A: Any) -> Any:
        """The precomputed affinity, checked, exactly symmetric."""
        if self.n_clusters_ == 1:
            raise ValueError(
                "n_clusters=1 puts every vertex of the graph into one cluster: nothing is left to "
                "find; ask for 2 or more."
            )
        if A.shape[0] != A.shape[1]:
            raise ValueError(
                f"affinity='precomputed' needs a square matrix of n_samples x n_samples; X has "
                f"shape {A.shape}."
            )
        A = sp.csr_array(A) if sp.issparse(A) else A
        size = abs(A).max()
        if abs(A - A.T).max() > np.sqrt(np.finfo(A.dtype).eps) * size:
            raise ValueError(
                "affinity='precomputed' needs a symmetric matrix and X is not; (X + X.T) / 2 is."
            )
        if A.min() < 0:
            raise ValueError(
                f"affinity='precomputed' needs weights >= 0; the smallest one of X is {A.min():g}."
            )
        if n_nonzero(A) == np.count_nonzero(A.diagonal()):
            raise DataError(
                "affinity='precomputed' was given a graph without any edge between two vertices."
            )
        return (A + A.T) * 0.5

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags


def _in_rows(A: NDArray[Any]) -> sp.csr_array:
    """A dense matrix as CSR: 4 bytes an entry more where none is 0."""
    n = len(A)
    counts = np.count_nonzero(A, axis=1)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    if indptr[-1] == n * n:
        columns = np.tile(np.arange(n, dtype=np.int32), n)
        return sp.csr_array((A.ravel(), columns, indptr), shape=(n, n))
    columns = np.empty(indptr[-1], dtype=np.int32)
    for row, first, last in zip(A, indptr, indptr[1:]):
        columns[first:last] = np.flatnonzero(row)
    return sp.csr_array((A[A != 0], columns, indptr), shape=(n, n))
