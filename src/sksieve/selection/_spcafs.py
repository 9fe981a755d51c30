"""SPCAFS: principal components with few rows.

Li, Nie, Bian, Wu & Li, "Sparse PCA via l2,p-norm regularization for unsupervised feature
selection", IEEE TPAMI 45, 2023, and the authors' program. Rows of X (n x d) are samples.

======= ============ =====================================================================
paper   code         meaning, shape
======= ============ =====================================================================
S_t     M            scatter ``Xc'Xc`` of the centered data, not divided by n, d x d
W       W            projection, d x m, ``W'W = I``
gamma   g            weight of ``||W||_{2,p}^p``
p       p            0 < p <= 1
Q       row_weights  diagonal of the reweighting
======= ============ =====================================================================

Deviations
----------
D1  The authors' program logs, and stops by, the objective with p = 1 whatever p is; here it is that
    of the p in use, smoothed as in the update: ``sum_i (||w_i||^2 + eps)^(p/2)``.
D2  gamma is compared with n times a variance, so no grid of it fits two data sets. By default it is
    in units of the largest eigenvalue of S_t.
D3  Stopping is relative to the objective; the program's 1e-6 is absolute.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from .._typing import Array
from .._validation import POSITIVE_WEIGHT, Interval, common
from ..exceptions import warn_user
from ..linalg import SignedGram
from ..prox import row_norms
from ..solvers import ReweightedSubspace
from ..tables import centered_columns, column_norms2
from ._base import BaseSelector, expand_rows, expand_scores
from ._row_sparse import components_within, order_of_form, warn_if_coordinates

#: Columns of one unit rarely differ by this factor in variance from the median.
_OTHER_UNIT = 100.0


class SPCAFS(BaseSelector):
    """Columns that carry the principal components: ``-tr(W'S_tW) + gamma ||W||_{2,p}^p``.

    A maximum-variance method: it finds few columns that span most of the variance, where all are in
    one unit (pixels, intensities, counts). Expects raw columns; it centers them. On standardized
    ones the variance says nothing and the answer is nearly arbitrary, on columns of different units
    it is that of the largest unit (a DataWarning says so). Well-posed also for more columns than
    samples. For large gamma it just picks the `n_components` columns of largest variance.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_components : int or None, default=None
        Dimension m of the subspace; the authors' relatives take the number of clusters. As many as
        columns are kept when None, at most 50: then the scores depend on that number.
    gamma : float > 0, default=0.1
        Weight of the row sparsity, in units of the largest eigenvalue of S_t (the paper's is this
        times that eigenvalue).
    p : float, default=1.0
        In (0, 1]; smaller is sparser.
    max_iter : int, default=50
        Reweightings.
    tol
        See `LoopSupport`.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        ``||w_i||^2``; -1 for constant columns. Scores that are nearly 0 are in no particular order.
    components_ : ndarray of shape (n_components, n_features)
        W'; zero columns for constant columns of X.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`.

    Notes
    -----
    Cost O(n d^2) once and O(d^3) a reweighting; with n below d/2 O(n^2 d + n^3) a reweighting and
    no d x d matrix. CSR is centered in the products and not filled in. The objective never rises.
    Nested only when `n_components` is given.

    References
    ----------
    Li, Nie, Bian, Wu & Li, "Sparse PCA via l2,p-norm regularization for unsupervised feature
    selection", IEEE TPAMI 45, 2023. The deviations are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import SPCAFS
    >>> iris = load_iris(as_frame=True).data
    >>> SPCAFS(2, n_components=2).fit(iris).get_feature_names_out()
    array(['sepal length (cm)', 'petal length (cm)'], dtype=object)
    """

    nested: ClassVar[bool] = False
    _accept_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("max_iter", "tol"),
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "gamma": POSITIVE_WEIGHT,
        "p": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_components: int | None = None,
        gamma: float = 0.1,
        p: float = 1.0,
        max_iter: int = 50,
        tol: float | None = 1e-4,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_components = n_components
        self.gamma = gamma
        self.p = p
        self.max_iter = max_iter
        self.tol = tol

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return max(3.0 * stored, stored + 4.0 * order_of_form(n, d) ** 2)

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Xc, varies = centered_columns(X, degree=4)
        warn_about_units(Xc, "SPCAFS")
        M = SignedGram(Xc, sign=-1)
        k = self.n_features_to_select_
        m = components_within(self.n_components, k, M.n_columns, rank=M.rank())
        g = self.gamma * M.norm
        problem = ReweightedSubspace(M, g, m, p=self.p)
        run = self._run(problem, problem.start())
        W = run.state.W
        warn_if_coordinates(row_norms(W), -M.diagonal(), self.gamma, m, k)
        self.components_ = expand_rows(W, varies).T
        return expand_scores(row_norms(W) ** 2, varies)


def warn_about_units(Xc: Any, method: str) -> None:
    """Warn when the variances of centered columns are no ground for a maximum-variance method.

    All the same: the columns were standardized. One larger than all others together, and by far
    larger than is usual: they are in different units.
    """
    variance = column_norms2(Xc)
    most = float(variance.max())
    if len(variance) > 1 and np.ptp(variance) <= 1e-6 * most:
        message = (
            f"All columns of X have the same variance. {method} looks for columns of large "
            "variance: give it the columns as they were measured, not standardized."
        )
    elif most > variance.sum() / 2 and most > _OTHER_UNIT * np.median(variance):
        message = (
            f"One column holds {100 * most / variance.sum():.3g} % of the variance of X, so the "
            f"columns seem to be in different units. {method} looks for large variance: bring "
            "them to one unit, or use a method that standardizes them."
        )
    else:
        return
    warn_user(message)
