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
A          A                     0/1 graph of nearest neighbors, n x n
delta^2    delta2                gamma * mean squared distance between rows of Y (D3)
lambda_1   lam1                  weight of the correntropy-induced metric
lambda_2   lam2                  weight of ||V||_{2,1}
========== ===================== ===========================================================

Deviations
----------
D1  The printed model (14) is scale-degenerate: only U S V' enters the fit and ||V||_{2,1} acts
    on V alone, so V -> cV, S -> S/c sends it to zero, and the published updates do exactly that.
    (The correntropy with its moving delta^2 is scale-free; with a fixed one it vanishes as well.)
    Here the columns of T = U S lie on the simplex: each sample concept is a convex combination of
    samples. With r = k the factor S is redundant.
D2  The half-quadratic weights as printed lack constants: ``W_ij = exp(-e^2/delta^2)/delta^2`` (the
    paper drops 1/delta^2) and ``Q_ii = 1/(2 ||V_i||)`` (drops the 1/2).
D3  delta^2 recomputed in every iteration makes the objective a moving target. It is frozen after
    the start, or part of the objective (``delta="coupled"`` of `sksieve.papers.LSDCLVariants`, as
    all parameters named below).
D4  Solver: block proximal gradient instead of multiplicative updates. It needs no sign
    split, locks no zeros, and forms neither an n x n nor a d x d array.
D5  Weights are dimensionless, see `LSDCL`; ``units="paper"`` takes the paper's.
D6  The two k-means of the start run on the samples' and features' coordinates in 2r + 10 leading
    singular directions: near enough the same clusters, the same ones for dense and sparse X, and
    cheap for many columns. Rows of V that belong to zero columns start (and stay) at zero.
D7  The multiplicative updates bring the columns of T back to the simplex in every pass, V taking
    the inverse scale. That alone goes uphill near a minimum, for V grows: the penalties' share
    stands in the denominator of T's update, which makes the pass monotone.
D8  For mixed signs the multiplicative updates split X, not its Gram matrices: a looser bound and
    shorter steps, but no n x n and no d x d array, and no limit on the table.
D9  S is a factor of its own only where asked for (``n_sample_concepts``); its columns lie on the
    simplex too.
D10 The simpler models of the paper (``variant``) hold T on the simplex too, for the same reason:
    m1 ``X ~ T V'`` with ``lam1 tr(T'LT)``; m2 dual concepts with ``lam1 tr(T'LT)``; m3 ``X ~ T V'``
    with the correntropy of XV.
D11 A score is ``||V_i||`` times the column's standard deviation; ``scoring="norm"`` is the paper's
    ``||V_i||``, which depends on the column's scale.
D12 ``solver="literal"`` is Algorithm 1 of the paper without the deviations above, except that U and
    V start as in D6, with 0.2 added to the indicators: multiplication never leaves a zero.
D13 10 concepts by default, whatever the table; the paper has as many as there are classes, which
    are not known without labels.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .._typing import AnyArray
from .._validation import POSITIVE_WEIGHT, WEIGHT, Interval, StrOptions, common
from ..graphs import (
    LocalCorrentropy,
    NeighborSearch,
    knn_graph,
)
from ..prox import row_norms
from ..tables import refuse_extremes
from ._base import BaseSelector
from ._lsdcl_problem import DualConcepts
from ._lsdcl_start import (
    column_spread,
    largest_lam2,
    scaled_columns,
    start,
    unit_rows_on_average,
)


class LSDCL(NeighborSearch, BaseSelector):
    """Features that carry the concepts from which samples are reconstructed, near samples alike.

    Minimizes ``||X' - (X'T)(XV)'||_F^2 + lam1 sum_ij A_ij (1 - exp(-||y_i - y_j||^2/delta^2))
    + lam2 ||V||_{2,1}`` with Y = XV, V >= 0 and the columns of T on the simplex; a feature's score
    is the length of its row of V, times its spread. Good where many columns share few additive
    parts (images, counts, spectra). On some tables of measurements and some expression data random
    columns do as well: compare before you trust it.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_concepts : int, default=10
        Number r of concepts; fewer where there are fewer samples or columns (see ``components_``).
    lam1 : float >= 0, default=1.0
        Weight of the local term, dimensionless: the raw weight is ``lam1 ||X||_F^2 / sum(A)``. At
        1 the concepts are nearly alike on images; 0.1 and less separate them, and choose worse
        columns on some.
    lam2 : float >= 0, default=1e-3
        Weight of the row sparsity, as a part of the smallest raw weight at which V = 0 from the
        start.
    gamma : float > 0, default=0.05
        Bandwidth of the correntropy, ``delta^2 = gamma * mean squared distance between rows of Y``.
        The default, like that of `max_iter`, was chosen with true labels: by the mean clustering
        accuracy over eleven sets, most of them the paper's.
    n_neighbors : int, default=5
        Neighbors in the graph A; one less than there are samples, with a warning, where there are
        no more.
    scale : {"minmax", "standard", "none"}, default="minmax"
        What is done to each column first. "minmax" and not "standard", for columns that are not
        negative. Sparse X takes ``"minmax"`` (non-negative X) or ``"none"``.
    max_iter : int, default=8
        Passes over the blocks. More of them fit better and choose no better columns (see `gamma`).
    tol : float or None, default=1e-4
        Stop when the relative change of the objective is at most this; None runs all passes.
    random_state : int, RandomState or None, default=None
        For the sketch of X and the two k-means of the start.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        See `BaseSelector`.
    components_ : ndarray of shape (r, n_features)
        V', weights of the features in the feature concepts.
    T_ : ndarray of shape (n_samples, r)
        Weights of the samples in the sample concepts; columns sum to 1.
    sample_concepts_ : ndarray of shape (n_features, r)
        ``X'T``, X scaled to ``||X||_F^2 = n``.
    feature_concepts_ : ndarray of shape (n_samples, r)
        ``XV``.
    objective_ : float
        At the end.
    delta2_ : float
        The squared bandwidth of the correntropy.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.
    neighbors_exact_
        See `NeighborSearch`.

    Notes
    -----
    Cost per pass O(nnz(X) r), memory that of X: no n x n array (unless it is smaller than X) and no
    d x d array. Start: two k-means. Nested ranking.

    Raises from `fit`: DataError where every column is constant or zero, where sparse X would have
    to be filled in, and where no V >= 0 fits. A column of zeros scores 0; with fewer than 6 samples
    there are fewer neighbors, with a warning.

    References
    ----------
    Du, Fan & Zhou, "Local Sensitive Dual Concept Factorization for Unsupervised Feature Selection":
    model (14). The deviations are listed at the top of the file; `sksieve.papers.LSDCLVariants` has
    the paper's other models and updates.

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
        **common("n_neighbors", "max_iter", "tol", "random_state"),
        "n_concepts": [Interval(Integral, 1, None, closed="left")],
        "lam1": WEIGHT,
        "lam2": WEIGHT,
        "gamma": POSITIVE_WEIGHT,
        "scale": [StrOptions({"minmax", "standard", "none"})],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_concepts: int = 10,
        lam1: float = 1.0,
        lam2: float = 1e-3,
        gamma: float = 0.05,
        n_neighbors: int = 5,
        scale: str = "minmax",
        max_iter: int = 8,
        tol: float | None = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_concepts = n_concepts
        self.lam1 = lam1
        self.lam2 = lam2
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return 3.0 * stored + (n * n if 2 * n < d and stored == n * d else 0)

    def _fit(self, X: Any, rng: np.random.RandomState) -> AnyArray:
        X = scaled_columns(X, self.scale)
        refuse_extremes(X)
        # Neighbors before the last scaling: rounding would break ties in its own way.
        A = knn_graph(X, self._nearest(X), weights="binary")  # (9)
        X = unit_rows_on_average(X)
        problem, solver, state = self._model(X, A, rng)
        run = self._run(solver, state)
        self._keep_answer(problem, run.state)
        self.objective_ = solver.objective(run.state)
        return self._scores_of(X)

    def _model(self, X: Any, A: Any, rng: np.random.RandomState) -> tuple[DualConcepts, Any, Any]:
        """The model with its raw weights, what does a pass over its blocks, and where to start."""
        cim = LocalCorrentropy(A, gamma=self.gamma)
        problem = DualConcepts(X, cim, lam1=0.0, lam2=0.0)  # the fit alone: for the start
        state = start(problem, min(self.n_concepts, *X.shape), rng)
        lam1 = self.lam1 * problem.norm2 / float(A.sum())
        lam2 = self.lam2 * largest_lam2(problem, state)
        problem = problem.with_penalties(lam1, lam2, cim.frozen(X @ state.V))
        return problem, problem, state

    def _keep_answer(self, problem: DualConcepts, state: Any) -> None:
        """The fitted attributes."""
        self.T_, self.components_ = state.T, state.V.T
        self.sample_concepts_ = problem.X.T @ state.T
        self.feature_concepts_ = problem.X @ state.V
        cim = problem.correntropy
        if cim is not None:
            self.delta2_ = cim.delta2 if cim.delta2 else cim.bandwidth2(self.feature_concepts_)

    def _scores_of(self, X: Any) -> AnyArray:
        """The lengths of the rows of V, times the columns' spread."""
        return row_norms(self.components_.T) * column_spread(X)
