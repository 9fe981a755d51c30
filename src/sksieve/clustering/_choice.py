"""Spectral clustering, k-means or Ward's tree: the groups that the neighbor graph supports best."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, ward
from scipy.spatial.distance import pdist
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.validation import check_is_fitted

from .._array import in_one_part
from .._typing import Array, Indices
from .._validation import common, validate_data
from ..graphs import (
    NeighborSearch,
    gower_columns,
    gower_coordinates,
    gower_graph,
    knn_graph,
    neighbors_within,
    number_by_first,
)
from ..metrics import modularity
from ..solvers._k_means import k_means
from ._base import BaseGraphClusterer

#: Rows up to which Ward's tree, which holds all distances, is a candidate.
WARD_ROWS = 5000
#: Rows up to which principal coordinates of Gower's distances are computed, and their number.
COORDINATE_ROWS, COORDINATES = 2000, 50
#: Starts of k-means on the eigenvectors, and on the table.
N_INIT, N_INIT_TABLE = 20, 10


class ClusterChoice(NeighborSearch, BaseGraphClusterer):
    """Find groups by spectral clustering, k-means or Ward's tree, judged by the neighbor graph.

    The three divide the table into the same number of groups. The labels with the largest
    modularity in the graph of nearest neighbors are kept; ties go to spectral clustering. Columns
    should have comparable units: standardize them first.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of groups; "auto" and not 8: it suggests one (`suggest_n_clusters`).
    n_neighbors : int, default=7
        Neighbors of each sample in the graph, itself not counted; less than n_samples. 7 and
        not 5, as in the graph of `suggest_n_clusters`.
    groups : array-like of shape (n_features,) or None, default=None
        For mixed tables: variable of each column, of text coded as 0/1 columns several
        (`sksieve.io.numeric_table` has them as ``groups``). Rows are then compared by Gower's
        distance, in which every variable weighs the same; units and scaling do not matter.
    random_state : int, RandomState or None, default=None
        For k-means.

    Attributes
    ----------
    method_ : {"spectral", "k_means", "ward"}
        What gave the labels.
    modularities_ : dict of str -> float
        Modularity of each candidate's groups in `affinity_`. Ward's tree is left out beyond 5000
        rows and for sparse tables; with `groups` k-means and Ward's tree, which then use the
        principal coordinates of the distances, beyond 2000 rows.
    cluster_centers_ : ndarray of shape (n_groups, n_features) or None
        Where k-means gave the labels its centers, where Ward's tree did the means of the groups, in
        the order of the labels. None where spectral clustering did, and with `groups`.
    embedding_, affinity_, labels_, n_clusters_, n_components_
        See `BaseGraphClusterer`; this is the embedding of spectral clustering.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost that of `SpectralGraph`, O(n d c) a step of k-means, and O(n^2 d) time and O(n^2) memory
    for Ward's tree.

    References
    ----------
    Ng, Jordan & Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001; Ward,
    "Hierarchical grouping to optimize an objective function", JASA 58, 1963; Gower, "A general
    coefficient of similarity and some of its properties", Biometrics 27, 1971.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sksieve import ClusterChoice
    >>> X = StandardScaler().fit_transform(load_wine().data)
    >>> est = ClusterChoice(3, random_state=0).fit(X)
    >>> est.method_, {name: round(value, 3) for name, value in est.modularities_.items()}
    ('spectral', {'spectral': 0.592, 'k_means': 0.587, 'ward': 0.582})
    """

    affinity = "knn"
    n_init = N_INIT
    _instead_for_graphs: ClassVar[str] = "SpectralCommunities or SpectralGraph"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseGraphClusterer._parameter_constraints,
        **common("n_neighbors"),
        "groups": ["array-like", None],
    }

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        n_neighbors: int = 7,
        groups: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.groups = groups
        self.random_state = random_state

    def _number(self, X: Any, is_given: bool) -> int:
        return self._number_of(X, is_given, self.groups)

    def _prepare(self, X: Any) -> Any:
        return X if self.groups is None else gower_columns(X, self.groups)

    def _affinity(self, X: Any, rng: np.random.RandomState) -> Any:
        if self.groups is None:
            return knn_graph(X, self._nearest(X))
        self.neighbors_exact_ = True
        return gower_graph(X, neighbors_within(self.n_neighbors, X.shape[0]))

    def _group(self, embedding: NDArray[Any], X: Any, rng: np.random.RandomState) -> Any:
        labels = {"spectral": super()._group(embedding, X, rng)}
        centers: dict[str, Array] = {}
        if self.groups is not None:
            X = gower_coordinates(X, COORDINATES) if len(X) <= COORDINATE_ROWS else None
        if X is not None:
            fitted = k_means(X, self.n_clusters_, N_INIT_TABLE, rng)
            labels["k_means"], centers["k_means"] = _numbered(
                fitted.labels_, fitted.cluster_centers_
            )
            if not sp.issparse(X) and len(X) <= WARD_ROWS:
                parts = fcluster(ward(pdist(X)), self.n_clusters_, "maxclust") - 1
                means = np.array([X[parts == part].mean(axis=0) for part in range(parts.max() + 1)])
                labels["ward"], centers["ward"] = _numbered(parts, means)
        self.modularities_ = {name: modularity(self.affinity_, y) for name, y in labels.items()}
        self.method_ = max(self.modularities_, key=lambda name: round(self.modularities_[name], 12))
        self.cluster_centers_ = centers.get(self.method_) if self.groups is None else None
        return labels[self.method_]

    @property
    def predict(self) -> Any:
        """Groups of new samples: ``predict(X)``, available where `cluster_centers_` are.

        Each sample gets the group of the nearest center. For the rows of the fit these are
        `labels_` where k-means gave them; where Ward's tree did, rows between two groups
        may differ.

        Parameters
        ----------
        X : {array-like, CSR} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)

        Raises
        ------
        AttributeError
            If spectral clustering gave the labels, or with `groups`: there are no centers.
        """
        check_is_fitted(self)
        if self.groups is not None:
            raise AttributeError(
                "ClusterChoice with groups has no predict: it places the rows by their distances "
                "to each other. Fit again with the new samples."
            )
        if self.cluster_centers_ is None:
            raise AttributeError(
                "ClusterChoice has no predict here: spectral clustering gave the labels "
                "(method_='spectral'), and its groups are those of a graph of the samples it was "
                "fitted to. Fit again with the new samples, or train a classifier on labels_."
            )
        return self._nearest_center

    def _nearest_center(self, X: Any) -> Indices:
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return np.asarray(pairwise_distances_argmin(in_one_part(X), self.cluster_centers_))


def _numbered(labels: Indices, centers: Array) -> tuple[Indices, Array]:
    """Labels numbered as they first occur, and the centers of those that do, in that order."""
    numbered = number_by_first(labels)
    _, first = np.unique(numbered, return_index=True)
    return numbered, centers[labels[first]]
