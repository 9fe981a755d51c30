"""LSDCL: local sensitive dual concept learning.

Du, Fan & Zhou, "Local Sensitive Dual Concept Factorization for Unsupervised Feature Selection".
The paper has samples in columns; here X is n x d and samples are rows.

========== ===================== ===========================================================
paper      code                  meaning, shape
========== ===================== ===========================================================
X          X'                    data (the paper's X is d x n)
U S        T                     sample concepts' weights, n x r, columns on the simplex (D1)
V          V                     feature concepts' weights, d x r, V >= 0
X U S      C = X'T               sample concepts, d x r
X'V        Y = XV                feature concepts, n x r
A          A                     0/1 graph of nearest neighbours, n x n
delta^2    delta2                gamma * mean squared distance between rows of Y (D3)
lambda_1   lam1                  weight of the correntropy-induced metric
lambda_2   lam2                  weight of ||V||_{2,1}
========== ===================== ===========================================================

Deviations
----------
D1  The printed model (opt_usv) is scale-degenerate: only U S V' enters the fit and both penalties
    act on V alone, so V -> cV, S -> S/c sends them to zero, and the published updates do exactly
    that. Here the columns of T = U S lie on the simplex: each sample concept is a convex
    combination of samples. With r = k the factor S is redundant.
D2  The half-quadratic weights as printed lack constants: ``W_ij = exp(-e^2/delta^2)/delta^2`` (the
    paper drops 1/delta^2) and ``Q_ii = 1/(2 ||V_i||)`` (drops the 1/2).
D3  delta^2 recomputed in every iteration makes the objective a moving target. It is frozen after
    the start (``delta="frozen"``) or part of the objective (``delta="coupled"``).
D4  Default solver: block proximal gradient instead of multiplicative updates. It needs no sign
    split, locks no zeros, and forms neither an n x n nor a d x d array.
D5  Weights are dimensionless by default, see `LSDCL`.
D6  The two k-means of the start run on the samples' and features' coordinates in 2r + 10 leading
    singular directions: near enough the same clusters, the same ones for dense and sparse X, and
    cheap for many columns. Rows of V that belong to zero columns start (and stay) at zero.
D7  The multiplicative updates hold T = U S in one factor and bring its columns back to the simplex
    in every pass, V taking the inverse scale. That alone goes uphill near a minimum, for V grows:
    the penalties' share stands in the denominator of T's update, which makes the pass monotone.
    Signs are not split: X >= 0 is required.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._validation import Interval, StrOptions
from ..graphs import LocalCorrentropy, knn_graph
from ..prox import row_norms
from ..solvers import Stopping
from ._base import BaseSelector
from ._lsdcl_multiplicative import MultiplicativeConcepts
from ._lsdcl_problem import DualConcepts, State
from ._lsdcl_start import column_spread, largest_lam2, scaled_columns, start, unit_rows_on_average
from ._neighbors_within import neighbors_within

__all__ = ["LSDCL"]

Array = NDArray[Any]

SOLVERS: dict[str, Callable[..., DualConcepts]] = {
    "prox": DualConcepts,
    "mu": partial(MultiplicativeConcepts, rule="sqrt"),
    "mu_root": partial(MultiplicativeConcepts, rule="root"),
}


class LSDCL(BaseSelector):
    """Features that carry the concepts from which samples are rebuilt, near samples alike.

    Minimises ``||X' - (X'T)(XV)'||_F^2 + lam1 sum_ij A_ij (1 - exp(-||y_i - y_j||^2/delta^2))
    + lam2 ||V||_{2,1}`` with Y = XV, V >= 0 and the columns of T on the simplex; a feature's score
    is the length of its row of V, times its spread. Good where many columns share few additive
    parts (images, counts, spectra). At its defaults it is on a level with the Laplacian score and
    MCFS on average and below them on some expression data: compare before you trust it.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        Columns to keep; half of them when None.
    n_concepts : int, default=10
        Number r of concepts; fewer where there are fewer samples or columns (see ``V_``).
    lam1 : float >= 0, default=1.0
        Weight of the local term, dimensionless: the raw weight is ``lam1 ||X||_F^2 / sum(A)``.
    lam2 : float >= 0, default=1e-3
        Weight of the row sparsity, as a part of the smallest raw weight at which V = 0 from the
        start.
    gamma : float > 0, default=0.25
        Width of the correntropy, ``delta^2 = gamma * mean squared distance between rows of Y``.
    n_neighbors : int, default=5
        Neighbours in the graph A; one less than there are samples, with a warning, where there are
        no more.
    weights : {"relative", "raw"}, default="relative"
        Are `lam1` and `lam2` dimensionless, or the paper's?
    delta : {"frozen", "coupled"}, default="frozen"
        Is delta^2 fixed after the start, or a function of V inside the objective?
    scale : {"minmax", "standard", "none"}, default="minmax"
        What is done to each column first. Sparse X takes ``"minmax"`` (non-negative X) or
        ``"none"``.
    solver : {"prox", "mu", "mu_root"}, default="prox"
        ``"prox"``: proximal gradient, any sign. ``"mu"``: the paper's multiplicative updates with
        their constants; ``"mu_root"``: the same with the larger steps of the exact root. Both need
        X >= 0 after scaling, ``delta="frozen"``, and many more passes.
    scoring : {"weighted", "norm"}, default="weighted"
        ``||V_i||`` times the column's standard deviation, or the paper's ``||V_i||`` alone, which
        depends on the column's scale.
    max_iter : int, default=15
        Passes over the two blocks.
    tol : float or None, default=1e-4
        Stop when the relative change of the objective is at most this; None runs all passes.
    random_state : int, RandomState or None, default=None
        For the sketch of X and the two k-means of the start.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        See `BaseSelector`.
    V_ : ndarray of shape (n_features, r)
        Weights of the features in the feature concepts.
    T_ : ndarray of shape (n_samples, r)
        Weights of the samples in the sample concepts; columns sum to 1.
    sample_concepts_ : ndarray of shape (n_features, r)
        ``X'T``.
    feature_concepts_ : ndarray of shape (n_samples, r)
        ``XV``.
    objective_ : float
        At the end.
    delta2_ : float
        The width at the end.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.

    Notes
    -----
    Cost per pass O(nnz(X) r), memory that of X: no n x n array (unless it is smaller than X) and no
    d x d array. Start: two k-means. Nested ranking.

    Raises from `fit`: DataError where every column is constant or zero, where sparse X would have
    to be filled in, where a multiplicative solver meets negative values, and where no V >= 0 fits.

    References
    ----------
    Du, Fan & Zhou, "Local Sensitive Dual Concept Factorization for Unsupervised Feature Selection":
    model (opt_usv). The deviations are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sksieve import LSDCL
    >>> X = load_digits().data
    >>> sel = LSDCL(n_features_to_select=10, random_state=0).fit(X)
    >>> sel.transform(X).shape
    (1797, 10)
    >>> sel.history_[-1]["objective"] < sel.history_[0]["objective"]
    True
    """

    nested: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        "n_concepts": [Interval(Integral, 1, None, closed="left")],
        "lam1": [Interval(Real, 0, None, closed="left")],
        "lam2": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"relative", "raw"})],
        "delta": [StrOptions({"frozen", "coupled"})],
        "scale": [StrOptions({"minmax", "standard", "none"})],
        "solver": [StrOptions({"prox", "mu", "mu_root"})],
        "scoring": [StrOptions({"weighted", "norm"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_concepts: int = 10,
        lam1: float = 1.0,
        lam2: float = 1e-3,
        gamma: float = 0.25,
        n_neighbors: int = 5,
        weights: str = "relative",
        delta: str = "frozen",
        scale: str = "minmax",
        solver: str = "prox",
        scoring: str = "weighted",
        max_iter: int = 15,
        tol: float | None = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_concepts = n_concepts
        self.lam1 = lam1
        self.lam2 = lam2
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.delta = delta
        self.scale = scale
        self.solver = solver
        self.scoring = scoring
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        if self.delta == "coupled" and self.solver != "prox":
            raise ValueError('delta="coupled" needs solver="prox".')
        X = scaled_columns(X, self.scale)
        # Neighbours before the last scaling: rounding would break ties in its own way.
        A = knn_graph(X, neighbors_within(self.n_neighbors, X.shape[0]), weights="binary")
        X = unit_rows_on_average(X)
        problem, state = self._problem(X, A, rng)
        stopping = Stopping(max_iter=self.max_iter, tol=self.tol)
        run = self._run(problem.step, state, objective=problem.objective, stopping=stopping)
        self.T_, self.V_ = run.state.T, run.state.V
        self.sample_concepts_, self.feature_concepts_ = X.T @ self.T_, X @ self.V_
        self.objective_ = problem.objective(run.state)
        cim = problem.correntropy
        self.delta2_ = cim.delta2 if cim.delta2 else cim.width(self.feature_concepts_)
        norms = row_norms(self.V_)
        return norms * column_spread(X) if self.scoring == "weighted" else norms

    def _problem(self, X: Any, A: Any, rng: np.random.RandomState) -> tuple[DualConcepts, State]:
        """The problem with its raw weights, and where to start."""
        cim = LocalCorrentropy(A, gamma=self.gamma)
        problem = SOLVERS[self.solver](X, cim, lam1=0.0, lam2=0.0)
        state = start(problem, min(self.n_concepts, *X.shape), rng)
        if self.delta == "frozen":
            cim.delta2 = cim.width(X @ state.V)
        if self.weights == "relative":
            problem.lam1 = self.lam1 * problem.norm2 / float(A.sum())
            problem.lam2 = self.lam2 * largest_lam2(problem, state)
        else:
            problem.lam1, problem.lam2 = self.lam1, self.lam2
        return problem, state
