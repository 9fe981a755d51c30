"""Regularized projection matrix approximation: sparse, positive or bounded.

Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
detection". The symbols are in `_rpma_problem`, the deviations there, in `_rpma_penalties` and in
`_rpma_solvers`; those of the estimator:

D1. The weights are dimensionless unless ``units="paper"``: with m the mean off-diagonal entry of A,
    lam counts in units of m (Huber) or of ``m n/K`` (positive, bounded), delta, alpha and beta in
    units of ``K/n``, the entry of the projector of K equal clusters. The answer then does not
    change when A is multiplied by a number.
D2. Many starts in place of the paper's one; see `_rpma_search`. The paper advises to keep the
    better of curvilinear search and ADMM; from one point both end in the same minimum here.
D3. Huber's weight is 0.6 where none is given, one for all tables, chosen by the classes of eight
    tables (docs/communities.md), of which we infer that six are the paper's. The
    paper shows the optimum over lam and delta for each table: chosen by true labels, we infer.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from .._validation import Interval, StrOptions, check_is_fitted
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
from ._rpma_search import Search, lowest_first
from ._rpma_solvers import SOLVERS

__all__ = ["BPMA", "PPMA", "RPMA", "SPMA"]

CERTIFIED = 300

#: Products for the eigenvectors of an affinity in tiles, which are a start and no more.
TILE_STEPS = 40

#: Weight and parameters that serve most data, dimensionless.
SPARSE = (0.6, 0.02)
POSITIVE = (32.0,)
BOUNDED = (8.0, 0.0, 1.0)

#: Parameters of each named penalty.
_PARAMETERS = {"sparse": ("delta",), "positive": (), "bounded": ("alpha", "beta")}


def matrix_of(A: Any, name: str) -> Any:
    """What is approximated: A, or A with its degrees (raised by their mean) divided out."""
    if name == "affinity":
        return A
    d = degrees(A)
    tau = d.mean() if name == "regularized" else 0.0
    if isinstance(A, GaussianTiles):
        return A.scaled(1 / np.sqrt(d + tau))
    return normalized_adjacency(A, tau)


class RPMA(FeatureAffinity):
    """Clusters from a projection matrix near the affinity, its entries penalized.

    ``min_{U'U = I} ||A - X||_F^2 + lam sum_ij g(X_ij), X = UU'``; then k-means on the rows of U. Of
    a perfect partition X is block diagonal with entries 1/(cluster size) and 0; the penalty draws X
    toward such a matrix, which the leading eigenvectors alone (lam = 0) need not be.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters K, 1 to n_samples; at least 2 for a precomputed graph.
    penalty : {"sparse", "positive", "bounded"}, Penalty or None, default=None
        ``"sparse"``: Huber's function, quadratic up to delta and linear beyond; ``"positive"``:
        squares of the entries below 0; ``"bounded"``: squared distance to [alpha, beta], for
        clusters of similar size; or an object such as ``sksieve.clustering.Huber(1e-4)``, with its
        own parameters. None: ``"sparse"``, or the penalty of the preset (`SPMA`, `PPMA`, `BPMA`).
    lam : float >= 0 or None, default=None
        Weight, in the unit that `units` says. None: 0.6, 32 or 8 for the three penalties; for the
        sparse one of a graph 0.75 to 1 is better. The 0.6 was chosen with the true labels of eight
        tables, most of them the paper's.
    delta : float > 0 or None, default=None
        For ``"sparse"``, in units of K/n. None: 0.02.
    alpha : float or None, default=None
        For ``"bounded"``, in units of K/n; less than beta. None: 0.
    beta : float or None, default=None
        For ``"bounded"``, in units of K/n, the entry of K equal clusters. None: 1; 2 to 3 where
        sizes differ.
    units : {"relative", "paper"}, default="relative"
        ``"relative"``: lam counts in units of the mean affinity m (sparse) or of ``m n/K``, and the
        answer does not depend on the scale of A; ``"paper"``: all weights are plain numbers.
    solver : {"lbfgs", "curvilinear", "perturbed", "projection", "admm"}, default="lbfgs"
        L-BFGS on the Grassmann manifold, Algorithms 1, 2 and 3 of the paper, or alternating
        directions (n x n memory). All end in the same minima; L-BFGS is the fastest. Every step
        lowers F, except with ``"admm"``.
    starts : {"both", "path", "spectral"}, default="both"
        Where to begin: the leading eigenvectors, a path of penalties from them, or both.
    n_partitions : int or None, default=None
        Further starts from k-means partitions. None: 0 up to 5 clusters, else 6. With any, all
        starts take 16 iterations, and only the lowest go on.
    n_rounds : int, default=3
        Most rounds of k-means on an answer and a new descent from its indicators: the first from
        the four lowest starts, the second from two, the others from the best.
    affinity : {"gaussian", "gaussian_tiles", "knn", "precomputed"}, default="gaussian"
        ``"gaussian"``: ``exp(-||x_i - x_j||^2 / s)``, s the mean squared distance (n x n memory);
        ``"gaussian_tiles"``: the same, its entries worked out anew in every product (n memory);
        ``"knn"``: graph of nearest neighbors, better on images; ``"precomputed"``: X is A.
    n_neighbors : int, default=10
        For ``"knn"``.
    matrix : {"affinity", "normalized", "regularized"}, default="affinity"
        What is approximated: A, ``D^-1/2 A D^-1/2``, or the same with the mean degree added to D
        (for sparse graphs).
    unit_rows : bool, default=False
        Scale the rows of U to unit length before k-means: for graphs with uneven degrees.
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
    U_ : ndarray of shape (n_kept, n_clusters)
        Orthonormal columns; the projector is ``U_ @ U_.T``. n_kept is n_samples unless vertices of
        components too small to be clusters were set aside.
    F_ : float
        The objective.
    kkt_ : float
        Relative stationarity ``||H|| / ||grad||``.
    gap_ : float
        How much lower the global minimum can be; up to 300 samples, worked out when asked for.
    lam_, penalty_
        Weight and penalty in the paper's units.
    starts_ : list of dict
        ``start``, ``F`` and ``n_iter`` of every rough descent, lowest first. They run in single
        precision; F is worked out in that of the data.
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`; of ``"gaussian_tiles"``, affinity_ is a
        `sksieve.graphs.GaussianTiles`.
    history_, n_iter_, converged_, stop_reason_
        Of the last descent, from the best of the rough ones.
    neighbors_exact_ : bool
        Whether the neighbors are exact, or found by an approximate search.

    Notes
    -----
    Cost O(n^2 K) a gradient; memory O(n K) beside A, which may be CSR, and beside A in single
    precision.

    References
    ----------
    Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
    detection". The deviations are listed at the top of the files.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import RPMA
    >>> from sksieve.metrics import clustering_accuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> est = RPMA(n_clusters=3, penalty="bounded", random_state=0).fit(X)
    >>> round(clustering_accuracy(y, est.labels_), 3), est.converged_
    (0.927, True)
    """

    _keep_loops = True

    #: The penalty where none is given.
    _preset: ClassVar[str] = "sparse"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureAffinity._parameter_constraints,
        "affinity": [StrOptions({"gaussian", "gaussian_tiles", "knn", "precomputed"})],
        "lam": [Interval(Real, 0, None, closed="left"), None],
        "penalty": [StrOptions({"sparse", "positive", "bounded"}), Penalty, None],
        "delta": [Interval(Real, 0, None, closed="neither"), None],
        "alpha": [Interval(Real, None, None, closed="neither"), None],
        "beta": [Interval(Real, None, None, closed="right"), None],
        "units": [StrOptions({"relative", "paper"})],
        "solver": [StrOptions(set(SOLVERS))],
        "starts": [StrOptions({"path", "spectral", "both"})],
        "n_partitions": [Interval(Integral, 0, None, closed="left"), None],
        "n_rounds": [Interval(Integral, 0, None, closed="left")],
        "matrix": [StrOptions({"affinity", "normalized", "regularized"})],
        "unit_rows": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        penalty: str | Penalty | None = None,
        lam: float | None = None,
        delta: float | None = None,
        alpha: float | None = None,
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
        self.penalty = penalty
        self.lam = lam
        self.delta = delta
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

    _when_too_large: ClassVar[str] = (
        "Use affinity='knn' or affinity='gaussian_tiles' with solver='lbfgs', which need no n x n "
        "array."
    )

    def _bytes_per_pair(self, itemsize: int) -> float:
        if self.solver == "admm":
            return 8 * 8
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
            return self._eigenvectors(A, rng)
        return super()._embed(A, X, rng)

    def _model(self, typical: float) -> tuple[float, Penalty]:
        """Default dimensionless weight, and the penalty, its parameters in units of `typical`."""
        penalty = self._preset if self.penalty is None else self.penalty
        own = _PARAMETERS[penalty] if isinstance(penalty, str) else ()
        label = repr(penalty) if isinstance(penalty, str) else type(penalty).__name__
        for name in ("delta", "alpha", "beta"):
            if getattr(self, name) is not None and name not in own:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} is not a parameter of penalty={label}; "
                    f"leave it out, or choose the penalty it belongs to."
                )
        if not isinstance(penalty, str):
            return SPARSE[0], penalty
        return self._named_model(penalty, typical)

    def _named_model(self, penalty: str, typical: float) -> tuple[float, Penalty]:
        needed = {"sparse": "delta", "bounded": "beta"}.get(penalty)
        if self.units == "paper" and needed and getattr(self, needed) is None:
            raise ValueError(f"units='paper' needs {needed} as a number; got {needed}=None.")
        if penalty == "sparse":
            delta = SPARSE[1] if self.delta is None else float(self.delta)
            return SPARSE[0], Huber(delta * typical)
        if penalty == "positive":
            return POSITIVE[0], Positive()
        alpha = BOUNDED[1] if self.alpha is None else float(self.alpha)
        beta = BOUNDED[2] if self.beta is None else float(self.beta)
        bounds = Bounded(alpha, beta)  # refused, if so, as they were given
        return BOUNDED[0], Bounded(bounds.alpha * typical, bounds.beta * typical)

    def _problem(self, A: Any) -> ProjectionProblem:
        """The problem on the matrix A, its weights in the paper's units."""
        n, K = A.shape[0], min(self.n_clusters_, A.shape[0])
        if self.units == "paper":
            if self.lam is None:
                raise ValueError("units='paper' needs lam as a number; got lam=None.")
            return projection_problem(A, K, self._model(1.0)[1], float(self.lam))
        m, typical = mean_off_diagonal(A), K / n
        if not m > 0:
            raise DataError(
                f"The mean of the affinity off its diagonal is {m:g}; weights can be relative to "
                f"it only where it is positive. Give units='paper' and lam as a plain number."
            )
        lam, penalty = self._model(typical)
        lam = lam if self.lam is None else float(self.lam)
        return projection_problem(A, K, penalty, lam * penalty.unit(m, typical))

    def _eigenvectors(self, A: Any, rng: np.random.RandomState) -> NDArray[Any]:
        M = matrix_of(A, self.matrix)
        problem = self._problem(M)
        rough = problem.in_single_precision()
        search = Search(rough, SOLVERS[self.solver], rng, callbacks=self._stops_anywhere())
        optima = search.run(
            self._spectral(M, A, problem.K, rng).astype(rough.A.dtype, copy=False),
            self.starts,
            self._partitions(problem.K),
            self.n_rounds,
        )
        optima = lowest_first(optima, problem)
        self.starts_ = [{"start": f.name, "F": f.F, "n_iter": f.n_iter} for f in optima]
        solver = SOLVERS[self.solver](problem, int(rng.randint(2**31 - 1)))
        run = self._run(solver, solver.start(optima[0].U))
        self.U_ = run.state.U.astype(M.dtype, copy=False)
        self.F_, self.kkt_ = problem.F(self.U_), problem.kkt(self.U_)
        self.lam_, self.penalty_ = problem.lam, problem.penalty
        self._fitted_matrix = M
        return normalize(self.U_) if self.unit_rows else self.U_

    def _spectral(self, M: Any, A: Any, K: int, rng: np.random.RandomState) -> NDArray[Any]:
        """Leading eigenvectors of M, component by component; of an affinity in tiles, in blocks."""
        if not isinstance(M, GaussianTiles):
            return component_eigenpairs(M, K, volume=degrees(A)).vectors  # (1)
        start = orthonormalize(rng.standard_normal((M.shape[0], K)))
        vectors = block_rayleigh_ritz(lambda V: M @ V, start, max_steps=TILE_STEPS, tol=1e-5)[1]
        return fix_signs(vectors).astype(M.dtype)

    def _partitions(self, K: int) -> int:
        if self.n_partitions is not None:
            return self.n_partitions
        return 0 if K <= 5 else 6

    @property
    def gap_(self) -> float:
        """How much lower than `F_` the global minimum can be: `F_` minus a convex lower bound.

        The bound is that of the problem with the projectors replaced by their convex hull, the
        Fantope. For up to 300 samples (n^3 a step, a few seconds).
        """
        check_is_fitted(self)
        if len(self.U_) > CERTIFIED:
            raise AttributeError(
                f"gap_ is worked out for up to {CERTIFIED} samples; there are {len(self.U_)}."
            )
        problem = projection_problem(
            self._fitted_matrix, self.U_.shape[1], self.penalty_, self.lam_
        )
        return self.F_ - fantope_bound(problem, self.U_)


class SPMA(RPMA):
    """Clusters from a sparse projection matrix: `RPMA` with ``penalty="sparse"``.

    Parameters and attributes are those of `RPMA`.

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


class PPMA(RPMA):
    """Clusters from a nearly nonnegative projection matrix: `RPMA` with ``penalty="positive"``.

    Parameters and attributes are those of `RPMA`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import PPMA
    >>> X, y = load_iris(return_X_y=True)
    >>> est = PPMA(n_clusters=3, random_state=0).fit(X)
    >>> est.U_.shape, est.converged_
    ((150, 3), True)
    """

    _preset: ClassVar[str] = "positive"


class BPMA(RPMA):
    """Clusters of similar size from a bounded projection matrix: `RPMA`, ``penalty="bounded"``.

    Parameters and attributes are those of `RPMA`.

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

    _preset: ClassVar[str] = "bounded"
