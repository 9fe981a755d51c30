"""The three models of regularised projection matrix approximation: sparse, positive, bounded.

Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
detection": SPMA, PPMA and BPMA. They differ in the penalty; see `RPMA` and the files beside it.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from .._validation import Interval
from ._rpma import BOUNDED, POSITIVE, SPARSE, BaseProjection
from ._rpma_penalties import Bounded, Huber, Penalty, Positive

__all__ = ["BPMA", "PPMA", "SPMA"]


class SPMA(BaseProjection):
    """Clusters from a sparse projection matrix: Huber's function of its entries is penalised.

    ``min_{U'U = I} ||A - X||_F^2 + lam sum_ij h(X_ij), X = UU'``, h quadratic up to delta and
    linear beyond; then k-means on the rows of U.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters K, 1 to n_samples; at least 2 for a precomputed graph.
    lam : float >= 0 or None, default=None
        Weight, in units of the mean affinity. None: 0.6; 0.75 to 1 for graphs.
    delta : float > 0 or None, default=None
        Where Huber's function becomes linear, in units of K/n. None: 0.02.
    units : {"relative", "paper"}, default="relative"
        Of lam and delta; ``"paper"``: plain numbers.
    solver : {"lbfgs", "curvilinear", "perturbed", "projection", "admm"}, default="lbfgs"
        See `RPMA`.
    starts : {"both", "path", "spectral"}, default="both"
        Where to begin: the leading eigenvectors, a path of penalties from them, or both.
    n_partitions : int or None, default=None
        Further starts from k-means partitions. None: 0 up to 5 clusters, else 6.
    n_rounds : int, default=3
        Most rounds of k-means on the best answer and a new descent from its indicators.
    affinity : {"gaussian", "gaussian_tiles", "knn", "precomputed"}, default="gaussian"
        See `RPMA`; ``"precomputed"``: X is the affinity or adjacency.
    n_neighbors : int, default=10
        For ``"knn"``.
    matrix : {"affinity", "normalized", "regularized"}, default="affinity"
        What is approximated; see `RPMA`.
    unit_rows : bool, default=False
        Scale the rows of U to unit length before k-means.
    max_iter : int, default=1000
        Bound on the iterations of the last descent.
    tol : float or None, default=1e-06
        Stop when ``||H|| / ||grad||`` is at most this.
    rho : float, default=0.25
        In [0, 1]. Components smaller than ``rho n / n_clusters`` join their nearest.
    n_init : int, default=20
        Starts of the k-means that gives the labels.
    random_state : int, RandomState or None, default=None
        For k-means, partitions and perturbations.

    Attributes
    ----------
    U_, F_, kkt_, gap_, lam_, penalty_, starts_
        See `RPMA`.
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`.
    history_, n_iter_, converged_, stop_reason_
        Of the last descent, from the best of the rough ones.

    Notes
    -----
    Cost O(n^2 K) a gradient; memory O(n K) beside A, which may be CSR.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection". The deviations are listed at the top of `RPMA`'s files.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import SPMA
    >>> from sksieve.metrics import clustering_accuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> est = SPMA(n_clusters=3, random_state=0).fit(X)
    >>> round(clustering_accuracy(y, est.labels_), 3), est.converged_
    (0.887, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseProjection._parameter_constraints,
        "delta": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        lam: float | None = None,
        delta: float | None = None,
        units: str = "relative",
        solver: str = "lbfgs",
        starts: str = "both",
        n_partitions: int | None = None,
        n_rounds: int = 3,
        affinity: str = "gaussian",
        n_neighbors: int = 10,
        matrix: str = "affinity",
        unit_rows: bool = False,
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        rho: float = 0.25,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.delta = delta
        self.units = units
        self.solver = solver
        self.starts = starts
        self.n_partitions = n_partitions
        self.n_rounds = n_rounds
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.matrix = matrix
        self.unit_rows = unit_rows
        self.max_iter = max_iter
        self.tol = tol
        self.rho = rho
        self.n_init = n_init
        self.random_state = random_state

    def _model(self, typical: float) -> tuple[float, Penalty]:
        if self.delta is None and self.units == "paper":
            raise ValueError("units='paper' needs delta as a number; got delta=None.")
        delta = SPARSE[1] if self.delta is None else float(self.delta)
        return SPARSE[0], Huber(delta * typical)


class PPMA(BaseProjection):
    """Clusters from a nearly nonnegative projection matrix.

    ``min_{U'U = I} ||A - X||_F^2 + lam sum_ij min(X_ij, 0)^2, X = UU'``; then k-means on the
    rows of U.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters K, 1 to n_samples; at least 2 for a precomputed graph.
    lam : float >= 0 or None, default=None
        Weight, in units of ``m n/K``, m the mean affinity. None: 32.
    units : {"relative", "paper"}, default="relative"
        Of lam; ``"paper"``: plain numbers.
    solver : {"lbfgs", "curvilinear", "perturbed", "projection", "admm"}, default="lbfgs"
        See `RPMA`.
    starts : {"both", "path", "spectral"}, default="both"
        Where to begin: the leading eigenvectors, a path of penalties from them, or both.
    n_partitions : int or None, default=None
        Further starts from k-means partitions. None: 0 up to 5 clusters, else 6.
    n_rounds : int, default=3
        Most rounds of k-means on the best answer and a new descent from its indicators.
    affinity : {"gaussian", "gaussian_tiles", "knn", "precomputed"}, default="gaussian"
        See `RPMA`; ``"precomputed"``: X is the affinity or adjacency.
    n_neighbors : int, default=10
        For ``"knn"``.
    matrix : {"affinity", "normalized", "regularized"}, default="affinity"
        What is approximated; see `RPMA`.
    unit_rows : bool, default=False
        Scale the rows of U to unit length before k-means.
    max_iter : int, default=1000
        Bound on the iterations of the last descent.
    tol : float or None, default=1e-06
        Stop when ``||H|| / ||grad||`` is at most this.
    rho : float, default=0.25
        In [0, 1]. Components smaller than ``rho n / n_clusters`` join their nearest.
    n_init : int, default=20
        Starts of the k-means that gives the labels.
    random_state : int, RandomState or None, default=None
        For k-means, partitions and perturbations.

    Attributes
    ----------
    U_, F_, kkt_, gap_, lam_, penalty_, starts_
        See `RPMA`.
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`.
    history_, n_iter_, converged_, stop_reason_
        Of the last descent, from the best of the rough ones.

    Notes
    -----
    Cost O(n^2 K) a gradient; memory O(n K) beside A, which may be CSR.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection". The deviations are listed at the top of `RPMA`'s files.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import PPMA
    >>> X, y = load_iris(return_X_y=True)
    >>> est = PPMA(n_clusters=3, random_state=0).fit(X)
    >>> est.U_.shape, est.converged_
    ((150, 3), True)
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        lam: float | None = None,
        units: str = "relative",
        solver: str = "lbfgs",
        starts: str = "both",
        n_partitions: int | None = None,
        n_rounds: int = 3,
        affinity: str = "gaussian",
        n_neighbors: int = 10,
        matrix: str = "affinity",
        unit_rows: bool = False,
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        rho: float = 0.25,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.units = units
        self.solver = solver
        self.starts = starts
        self.n_partitions = n_partitions
        self.n_rounds = n_rounds
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.matrix = matrix
        self.unit_rows = unit_rows
        self.max_iter = max_iter
        self.tol = tol
        self.rho = rho
        self.n_init = n_init
        self.random_state = random_state

    def _model(self, typical: float) -> tuple[float, Penalty]:
        return POSITIVE[0], Positive()


class BPMA(BaseProjection):
    """Clusters from a projection matrix whose entries nearly lie in [alpha, beta].

    ``min_{U'U = I} ||A - X||_F^2 + lam sum_ij dist(X_ij, [alpha, beta])^2, X = UU'``; then
    k-means on the rows of U. For clusters of about the same size.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters K, 1 to n_samples; at least 2 for a precomputed graph.
    lam : float >= 0 or None, default=None
        Weight, in units of ``m n/K``, m the mean affinity. None: 8.
    alpha : float, default=0.0
        Lower bound, in units of K/n; less than beta.
    beta : float or None, default=None
        Upper bound, in units of K/n, the entry of K equal clusters. None: 1; 2 to 3 where the sizes
        differ.
    units : {"relative", "paper"}, default="relative"
        Of lam, alpha and beta; ``"paper"``: plain numbers.
    solver : {"lbfgs", "curvilinear", "perturbed", "projection", "admm"}, default="lbfgs"
        See `RPMA`.
    starts : {"both", "path", "spectral"}, default="both"
        Where to begin: the leading eigenvectors, a path of penalties from them, or both.
    n_partitions : int or None, default=None
        Further starts from k-means partitions. None: 0 up to 5 clusters, else 6.
    n_rounds : int, default=3
        Most rounds of k-means on the best answer and a new descent from its indicators.
    affinity : {"gaussian", "gaussian_tiles", "knn", "precomputed"}, default="gaussian"
        See `RPMA`; ``"precomputed"``: X is the affinity or adjacency.
    n_neighbors : int, default=10
        For ``"knn"``.
    matrix : {"affinity", "normalized", "regularized"}, default="affinity"
        What is approximated; see `RPMA`.
    unit_rows : bool, default=False
        Scale the rows of U to unit length before k-means.
    max_iter : int, default=1000
        Bound on the iterations of the last descent.
    tol : float or None, default=1e-06
        Stop when ``||H|| / ||grad||`` is at most this.
    rho : float, default=0.25
        In [0, 1]. Components smaller than ``rho n / n_clusters`` join their nearest.
    n_init : int, default=20
        Starts of the k-means that gives the labels.
    random_state : int, RandomState or None, default=None
        For k-means, partitions and perturbations.

    Attributes
    ----------
    U_, F_, kkt_, gap_, lam_, penalty_, starts_
        See `RPMA`.
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`.
    history_, n_iter_, converged_, stop_reason_
        Of the last descent, from the best of the rough ones.

    Notes
    -----
    Cost O(n^2 K) a gradient; memory O(n K) beside A, which may be CSR.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection". The deviations are listed at the top of `RPMA`'s files.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import BPMA
    >>> from sksieve.metrics import clustering_accuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> est = BPMA(n_clusters=3, random_state=0).fit(X)
    >>> round(clustering_accuracy(y, est.labels_), 3), est.converged_
    (0.927, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseProjection._parameter_constraints,
        "alpha": [Interval(Real, None, None, closed="neither")],
        "beta": [Interval(Real, None, None, closed="right"), None],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        lam: float | None = None,
        alpha: float = 0.0,
        beta: float | None = None,
        units: str = "relative",
        solver: str = "lbfgs",
        starts: str = "both",
        n_partitions: int | None = None,
        n_rounds: int = 3,
        affinity: str = "gaussian",
        n_neighbors: int = 10,
        matrix: str = "affinity",
        unit_rows: bool = False,
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        rho: float = 0.25,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.alpha = alpha
        self.beta = beta
        self.units = units
        self.solver = solver
        self.starts = starts
        self.n_partitions = n_partitions
        self.n_rounds = n_rounds
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.matrix = matrix
        self.unit_rows = unit_rows
        self.max_iter = max_iter
        self.tol = tol
        self.rho = rho
        self.n_init = n_init
        self.random_state = random_state

    def _model(self, typical: float) -> tuple[float, Penalty]:
        if self.beta is None and self.units == "paper":
            raise ValueError("units='paper' needs beta as a number; got beta=None.")
        beta = BOUNDED[2] if self.beta is None else float(self.beta)
        bounds = Bounded(float(self.alpha), beta)  # refused, if so, as they were given
        return BOUNDED[0], Bounded(bounds.alpha * typical, bounds.beta * typical)
