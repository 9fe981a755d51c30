"""Regularized projection matrix approximation: sparse, positive or bounded.

Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
detection". The symbols are in `_rpma_problem`, the deviations there, in `_rpma_penalties` and in
`sksieve.papers`; those of the estimator:

D1. The weights are dimensionless: with m the mean off-diagonal entry of A, lam counts in units of m
    (Huber) or of ``m n/K`` (positive, bounded), delta, alpha and beta in units of ``K/n``, the
    entry of the projector of K equal clusters. The answer then does not change when A is multiplied
    by a number. `sksieve.papers.PlainSPMA` and its like take the paper's numbers.
D2. Many starts in place of the paper's one; see `_rpma_search`. The paper advises to keep the
    better of curvilinear search and ADMM; from one point both end in the same minimum here.
D3. Huber's weight is 0.6 where none is given, one for all tables, chosen by the classes of eight
    tables (docs/communities.md), of which we infer that six are the paper's. The
    paper shows the optimum over lam and delta for each table: chosen by true labels, we infer.
D4. Of a graph (a given affinity where fewer than a fifth of the pairs have an edge)
    ``D_tau^-1/2 A D_tau^-1/2`` is approximated, D_tau the degrees raised by their mean, and the
    rows of U are scaled to unit length: as uneven degrees need.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from .._array import n_nonzero
from .._validation import (
    BOUND,
    POSITIVE_WEIGHT,
    WEIGHT,
    Options,
    StrOptions,
    check_is_fitted,
    common,
)
from ..exceptions import DataError
from ..graphs import GaussianTiles, component_eigenpairs, degrees, normalized_adjacency
from ..linalg import block_rayleigh_ritz, fix_signs, orthonormalize
from ._feature_affinity import FeatureAffinity
from ._rpma_penalties import Bounded, Huber, Penalty, Positive
from ._rpma_problem import (
    ProjectionProblem,
    fantope_bound,
    mean_off_diagonal,
    projection_problem,
)
from ._rpma_search import Search, Solver, Starts, lbfgs, lowest_first

CERTIFIED = 300

#: Products for the eigenvectors of an affinity in tiles, which are a start and no more.
TILE_STEPS = 40


def is_sparse_graph(A: Any) -> bool:
    """Whether fewer than a fifth of the pairs of vertices have an edge."""
    n = A.shape[0]
    entries = n_nonzero(A)
    return bool(5 * (entries - np.count_nonzero(A.diagonal())) < n * (n - 1))


def regularized(A: Any) -> Any:
    """A with its degrees, raised by their mean, divided out."""
    d = degrees(A)
    return normalized_adjacency(A, d.mean())


class BaseProjection(FeatureAffinity):
    """Base class of the projection matrix approximations; a subclass gives `_model`.

    Parameters
    ----------
    n_clusters
        See `FeatureAffinity`.
    starts : Starts or None, default=None
        Where the descents begin; None: ``Starts()``.
    affinity : {"gaussian", "gaussian_tiles", "knn", "precomputed"}, default="gaussian"
        ``"gaussian"``: ``exp(-||x_i - x_j||^2 / s)``, s the mean squared distance (n x n memory);
        ``"gaussian_tiles"``: the same, its entries computed anew in every product (n memory);
        ``"knn"``: graph of nearest neighbors, better on images; ``"precomputed"``: X is A. Where X
        has edges between fewer than a fifth of the pairs, it is treated as a graph with uneven
        degrees: these, raised by their mean, are divided out and the rows of U are scaled to unit
        length.
    n_neighbors
        See `FeatureAffinity`.
    max_iter : int, default=1000
        Bound on the iterations of the last descent.
    tol : float or None, default=1e-06
        Stop when ``||H|| / ||grad||`` is at most this; 1e-06 and not 1e-4: of the gradient, not of
        the objective.
    n_init
        See `FeatureAffinity`.
    random_state : int, RandomState or None, default=None
        For k-means, partitions and perturbations.

    Attributes
    ----------
    U_ : ndarray of shape (n_kept, n_clusters)
        Orthonormal columns; the projector is ``U_ @ U_.T``. n_kept is n_samples unless vertices of
        components too small to be clusters were set aside.
    objective_ : float
        The objective at `U_`.
    kkt_ : float
        Relative stationarity ``||H|| / ||grad||``.
    gap_ : float
        How much lower the global minimum can be; up to 300 samples, computed when asked for.
    lam_ : float
        Weight in the paper's units.
    penalty_ : dict of str -> float
        Parameters of the penalty in the paper's units.
    starts_ : list of dict
        ``start``, ``objective`` and ``n_iter`` of every rough descent, lowest first. They run in
        single precision; the objective is computed in that of the data.
    affinity_, embedding_, labels_, n_clusters_, n_components_
        See `BaseGraphClusterer`; for ``"gaussian_tiles"`` a
        `sksieve.graphs.GaussianTiles`.
    history_, n_iter_, converged_, stop_reason_
        See `LoopSupport`; of the last descent, from the best of the rough ones.
    neighbors_exact_
        See `NeighborSearch`.
    """

    _keep_loops = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureAffinity._parameter_constraints,
        **common("max_iter", "tol"),
        "affinity": [StrOptions({"gaussian", "gaussian_tiles", "knn", "precomputed"})],
        "lam": WEIGHT,
        "starts": [Starts, None],
    }

    lam: float | None
    starts: Starts | None
    max_iter: int
    tol: float | None

    _when_too_large: ClassVar[str] = (
        "Use affinity='knn' or affinity='gaussian_tiles', which need no n x n array."
    )

    @abstractmethod
    def _model(self) -> Penalty:
        """The penalty, its parameters in units of K/n."""

    def _solver(self, problem: ProjectionProblem, seed: int) -> Solver:
        """The solver of a descent."""
        return lbfgs(problem, seed)

    def _bytes_per_pair(self, itemsize: int) -> float:
        return 3 * itemsize if self.affinity == "gaussian" else 0

    def _affinity(self, X: Any, rng: np.random.RandomState) -> Any:
        if self.affinity != "gaussian_tiles":
            return super()._affinity(X, rng)
        if sp.issparse(X):
            raise ValueError(
                "affinity='gaussian_tiles' needs dense samples; give X.toarray(), or take "
                "affinity='knn'."
            )
        return GaussianTiles(X)

    def _n_components(self, A: Any) -> int:
        return 1 if isinstance(A, GaussianTiles) else super()._n_components(A)

    def _embed(self, A: Any, X: Any, rng: np.random.RandomState) -> NDArray[Any]:
        if isinstance(A, GaussianTiles):  # every pair is joined
            return self._eigenvectors(A, rng, is_given=False)
        return super()._embed(A, X, rng)

    def _regularizes(self, A: Any) -> bool:
        """Whether degrees are divided out of a given affinity."""
        return is_sparse_graph(A)

    def _problem(self, A: Any, is_graph: bool) -> ProjectionProblem:
        """The problem on the matrix A, its weights as plain numbers."""
        n, K = A.shape[0], min(self.n_clusters_, A.shape[0])
        m, typical = mean_off_diagonal(A), K / n
        if not m > 0:
            raise DataError(
                f"The mean of the affinity off its diagonal is {m:g}; weights can be relative to "
                f"it only where it is positive."
            )
        model = self._model()
        model.check()
        penalty = model.scaled(typical)
        lam = model.default_weight(is_graph) if self.lam is None else float(self.lam)
        return projection_problem(A, K, penalty, lam * penalty.unit(m, typical))

    def _eigenvectors(self, A: Any, rng: np.random.RandomState, *, is_given: bool) -> NDArray[Any]:
        is_graph = is_given and self._regularizes(A)
        M = regularized(A) if is_graph else A
        problem = self._problem(M, is_graph)
        rough = problem.in_single_precision()
        search = Search(rough, self._solver, rng, callbacks=self._stops_anywhere())
        spectral = self._spectral(M, A, problem.K, rng).astype(rough.A.dtype, copy=False)
        optima = lowest_first(search.run(spectral, self.starts or Starts()), problem)
        self.starts_ = [{"start": f.name, "objective": f.F, "n_iter": f.n_iter} for f in optima]
        solver = self._solver(problem, int(rng.randint(2**31 - 1)))
        run = self._run(solver, solver.start(optima[0].U))
        self.U_ = run.state.U.astype(M.dtype, copy=False)
        self.objective_, self.kkt_ = problem.F(self.U_), problem.kkt(self.U_)
        self.lam_ = problem.lam
        self.penalty_ = problem.penalty.get_params()
        self._fitted_problem, self._is_regularized = problem, is_graph
        return normalize(self.U_) if is_graph else self.U_

    def _spectral(self, M: Any, A: Any, K: int, rng: np.random.RandomState) -> NDArray[Any]:
        """Leading eigenvectors of M, component by component; of an affinity in tiles, in blocks."""
        if not isinstance(M, GaussianTiles):
            return component_eigenpairs(M, K, volume=degrees(A)).vectors  # (1)
        start = orthonormalize(rng.standard_normal((M.shape[0], K)))
        vectors = block_rayleigh_ritz(lambda V: M @ V, start, max_steps=TILE_STEPS, tol=1e-5)[1]
        return fix_signs(vectors).astype(M.dtype)

    @property
    def gap_(self) -> float:
        """How much lower than `objective_` the global minimum can be: it minus a convex bound.

        The bound is that of the problem with the projectors replaced by their convex hull, the
        Fantope. For up to 300 samples (n^3 a step, a few seconds).
        """
        check_is_fitted(self)
        if len(self.U_) > CERTIFIED:
            raise AttributeError(
                f"gap_ is computed for up to {CERTIFIED} samples; there are {len(self.U_)}."
            )
        return self.objective_ - fantope_bound(self._fitted_problem, self.U_)


class RPMA(BaseProjection):
    """Clusters from a projection matrix near the affinity, its entries penalized.

    ``min_{U'U = I} ||A - X||_F^2 + lam sum_ij g(X_ij), X = UU'``; then k-means on the rows of U. Of
    a perfect partition X is block diagonal with entries 1/(cluster size) and 0; the penalty draws X
    toward such a matrix, which the leading eigenvectors alone (lam = 0) need not be.

    Parameters
    ----------
    n_clusters
        See `BaseProjection`.
    penalty : Penalty or None, default=None
        The function g: `sksieve.clustering.Huber` (quadratic up to delta and linear beyond:
        sparse), `Positive` (squares of the entries below 0), `Bounded` (squared distance to
        [alpha, beta], for clusters of similar size), or one of your own. Its parameters count in
        units of K/n. None: ``Huber()``.
    lam : float >= 0 or None, default=None
        Weight, in units of the mean affinity m (Huber) or of ``m n/K``; the answer does not depend
        on the scale of A. None: 0.6 for Huber (0.75 for a graph), 32 for Positive, 8 for Bounded.
        The 0.6 was chosen with the true labels of eight tables, most of them the paper's.
    starts, affinity, n_neighbors, max_iter, tol, n_init, random_state
        See `BaseProjection`.

    Attributes
    ----------
    U_, objective_, kkt_, gap_, lam_, penalty_, starts_, affinity_, embedding_, labels_, n_clusters_
        See `BaseProjection`.
    n_components_, history_, n_iter_, converged_, stop_reason_, neighbors_exact_
        See `BaseProjection`.

    Notes
    -----
    By L-BFGS on the Grassmann manifold; every step lowers the objective. Cost O(n^2 K) a gradient;
    memory O(n K) beside A, which may be CSR, and beside A in single precision.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection". The deviations are listed at the top of the files.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import RPMA
    >>> from sksieve.clustering import Bounded
    >>> from sksieve.metrics import clustering_accuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> est = RPMA(n_clusters=3, penalty=Bounded(), random_state=0).fit(X)
    >>> round(clustering_accuracy(y, est.labels_), 3), est.converged_
    (0.927, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseProjection._parameter_constraints,
        "penalty": [Penalty, None],
        "lam": [*BaseProjection._parameter_constraints["lam"], None],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        penalty: Penalty | None = None,
        lam: float | None = None,
        starts: Starts | None = None,
        affinity: str = "gaussian",
        n_neighbors: int | None = None,
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.penalty = penalty
        self.lam = lam
        self.starts = starts
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def _model(self) -> Penalty:
        return self.penalty or Huber()


class SPMA(BaseProjection):
    """Clusters from a sparse projection matrix: `RPMA` with the penalty `Huber`.

    Parameters
    ----------
    n_clusters
        See `BaseProjection`.
    lam : float >= 0 or None, default=None
        Weight, in units of the mean affinity. None: 0.6, for a graph 0.75.
    delta : float > 0, default=0.02
        Where the penalty turns from quadratic to linear, in units of K/n.
    starts, affinity, n_neighbors, max_iter, tol, n_init, random_state
        See `BaseProjection`.

    Attributes
    ----------
    U_, objective_, kkt_, gap_, lam_, penalty_, starts_, affinity_, embedding_, labels_, n_clusters_
        See `BaseProjection`.
    n_components_, history_, n_iter_, converged_, stop_reason_, neighbors_exact_
        See `BaseProjection`.

    Notes
    -----
    Cost O(n^2 n_clusters) a gradient and memory as for `RPMA`.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection". The deviations are listed at the top of the files.

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
        "lam": [*BaseProjection._parameter_constraints["lam"], None],
        "delta": POSITIVE_WEIGHT,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        lam: float | None = None,
        delta: float = 0.02,
        starts: Starts | None = None,
        affinity: str = "gaussian",
        n_neighbors: int | None = None,
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.delta = delta
        self.starts = starts
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def _model(self) -> Penalty:
        return Huber(self.delta)


class PPMA(BaseProjection):
    """Clusters from a nearly nonnegative projection matrix: `RPMA`, penalty `Positive`.

    Parameters
    ----------
    n_clusters
        See `BaseProjection`.
    lam : float >= 0, default=32.0
        Weight, in units of ``m n/K``, m the mean affinity.
    starts, affinity, n_neighbors, max_iter, tol, n_init, random_state
        See `BaseProjection`.

    Attributes
    ----------
    U_, objective_, kkt_, gap_, lam_, penalty_, starts_, affinity_, embedding_, labels_, n_clusters_
        See `BaseProjection`.
    n_components_, history_, n_iter_, converged_, stop_reason_, neighbors_exact_
        See `BaseProjection`.

    Notes
    -----
    Cost O(n^2 n_clusters) a gradient and memory as for `RPMA`.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection". The deviations are listed at the top of the files.

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
        lam: float = 32.0,
        starts: Starts | None = None,
        affinity: str = "gaussian",
        n_neighbors: int | None = None,
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.starts = starts
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def _model(self) -> Penalty:
        return Positive()


class BPMA(BaseProjection):
    """Clusters of similar size from a bounded projection matrix: `RPMA`, penalty `Bounded`.

    Parameters
    ----------
    n_clusters
        See `BaseProjection`.
    lam : float >= 0, default=8.0
        Weight, in units of ``m n/K``, m the mean affinity.
    alpha : float, default=0.0
        Lower bound of the entries, in units of K/n; less than beta.
    beta : float, default=1.0
        Upper bound, in units of K/n, the entry of K equal clusters; 2 to 3 where sizes differ.
    starts, affinity, n_neighbors, max_iter, tol, n_init, random_state
        See `BaseProjection`.

    Attributes
    ----------
    U_, objective_, kkt_, gap_, lam_, penalty_, starts_, affinity_, embedding_, labels_, n_clusters_
        See `BaseProjection`.
    n_components_, history_, n_iter_, converged_, stop_reason_, neighbors_exact_
        See `BaseProjection`.

    Notes
    -----
    Cost O(n^2 n_clusters) a gradient and memory as for `RPMA`.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection". The deviations are listed at the top of the files.

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
        "alpha": [Options(Real, {-np.inf}), *BOUND],
        "beta": [Options(Real, {np.inf}), *BOUND],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        lam: float = 8.0,
        alpha: float = 0.0,
        beta: float = 1.0,
        starts: Starts | None = None,
        affinity: str = "gaussian",
        n_neighbors: int | None = None,
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.alpha = alpha
        self.beta = beta
        self.starts = starts
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def _model(self) -> Penalty:
        return Bounded(self.alpha, self.beta)
