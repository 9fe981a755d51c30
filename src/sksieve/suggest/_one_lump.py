"""Whether a table is one lump: a test against copies whose columns have one mode.

A copy is a Gaussian copula with the correlation of the table; its margins are smoothed until they
have one mode.

Silverman, "Using kernel density estimates to investigate multimodality", JRSS B 43, 1981.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigvalsh
from scipy.linalg.lapack import dpotrf
from scipy.special import ndtri
from scipy.stats import rankdata

from .._array import as_float, dense
from .._typing import AnyArray, Array
from .._validation import check_random_state, check_table
from ..exceptions import DataError
from ..graphs import components, nearest_neighbors, normalized_adjacency
from ..tables import constant_columns, refuse_extremes, scale_columns

#: Rows and principal components of the test.
MAX_ROWS, COMPONENTS = 400, 20
#: Neighbors of the graph whose eigenvalue is the statistic.
NEIGHBORS = 7
#: One-lump copies.
COPIES = 99
#: Points at which a density is evaluated.
_GRID = 256


def one_lump_p_value(
    X: Any, *, n_copies: int = COPIES, random_state: int | np.random.RandomState | None = None
) -> float:
    """Test whether the rows are one lump, of any shape a Gaussian copula can have.

    The statistic is the second eigenvalue of the normalized adjacency of the graph of 7 neighbors
    (1 where the graph is disconnected). It is compared with copies of the table that have one mode
    in every column: a Gaussian copula with the correlation of the normal scores, and margins drawn
    from the kernel density estimate at Silverman's critical bandwidth for one mode.

    Parameters
    ----------
    X : {array-like, sparse} of shape (n_samples, n_features)
        Samples are rows; at least 20. Columns are standardized; beyond 20 columns the leading 20
        principal components are used. At most 400 random rows.
    n_copies : int, default=99
        One-lump copies; the smallest p-value is ``1 / (n_copies + 1)``.
    random_state : int, RandomState or None, default=None
        For the rows and the copies.

    Returns
    -------
    float
        p-value; small where there is more than one lump.

    Raises
    ------
    DataError
        As `suggest_n_clusters`.

    Notes
    -----
    Cost O(n_copies m^3) for m = min(n, 400) rows. Columns with heavy tails (lognormal, exponential)
    are often rejected although they have one mode: the critical bandwidth changes their shape.

    References
    ----------
    Silverman, "Using kernel density estimates to investigate multimodality", JRSS B 43, 1981.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.suggest import one_lump_p_value
    >>> X = np.random.RandomState(0).standard_normal((200, 3))
    >>> one_lump_p_value(X, random_state=0) > 0.05
    True
    >>> X[:100] += 5
    >>> one_lump_p_value(X, random_state=0)
    0.01
    """
    if n_copies < 1:
        raise DataError(f"n_copies must be at least 1; got {n_copies}.")
    rng = check_random_state(random_state)
    return lump_test(standardized_rows(X, MAX_ROWS, rng), rng, n_copies)


def standardized_rows(X: Any, max_rows: int, rng: np.random.RandomState) -> Array:
    """At most `max_rows` random rows, standardized, without constant columns."""
    part = some_rows(X, max_rows, rng)
    constant = constant_columns(part)
    if constant.all():
        raise DataError("Every column of X is constant; there are no groups to count.")
    return scale_columns(as_float(part[:, ~constant]), "standard").X


def some_rows(X: Any, max_rows: int, rng: np.random.RandomState) -> Array:
    """At most `max_rows` random rows of a checked table, dense."""
    X = check_table(X)
    refuse_extremes(X)
    n = X.shape[0]
    if n < 20:
        raise DataError(f"X has {n} rows; at least 20 are needed to count groups.")
    rows = np.arange(n) if n <= max_rows else np.sort(rng.permutation(n)[:max_rows])
    return dense(X[rows])


def leading_coordinates(Z: Array, most: int) -> Array:
    """Coordinates in the leading principal components; Z itself where it has fewer columns."""
    if Z.shape[1] <= most:
        return Z
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    return U[:, :most] * s[:most]


def lump_test(Z: Array, rng: np.random.RandomState, n_copies: int = COPIES) -> float:
    """The p-value of `one_lump_p_value` for standardized rows."""
    if len(Z) > MAX_ROWS:
        Z = Z[np.sort(rng.permutation(len(Z))[:MAX_ROWS])]
        Z = Z[:, ~constant_columns(Z)]  # rare values, of a 0/1 column say, may lie in other rows
        if not Z.shape[1]:
            return 1.0  # equal rows are one lump
    Z = leading_coordinates(Z, COMPONENTS)
    statistic = _second_eigenvalue(_graph(Z))
    copy = _OneLump(Z)
    exceeded = sum(_reaches(_graph(copy.draw(rng)), statistic) for _ in range(n_copies))
    return (exceeded + 1) / (n_copies + 1)


def _graph(Z: Array) -> AnyArray:
    """Whether rows are neighbors in the graph whose connection is tested, n x n: they are few."""
    n = len(Z)
    indices, _ = nearest_neighbors(Z, min(NEIGHBORS, n - 1))
    A = np.zeros((n, n), dtype=bool)
    A[np.arange(n)[:, None], indices] = True
    return A | A.T


def _second_eigenvalue(A: AnyArray) -> float:
    """Of the normalized adjacency; 1 where the graph is disconnected."""
    if components(A).max() > 0:
        return 1.0
    n = A.shape[0]
    N = normalized_adjacency(A.astype(float))
    return float(eigvalsh(N, subset_by_index=[n - 2, n - 2])[0])


def _reaches(A: AnyArray, value: float) -> bool:
    """Whether the second eigenvalue is at least `value`.

    It is less where ``value I - N + u u'`` is positive definite, u the eigenvector of N at 1: a
    Cholesky factorization takes a third of the time of an eigenvalue.
    """
    if components(A).max() > 0:
        return True
    if value >= 1:
        return False
    if value <= 0:
        return _second_eigenvalue(A) >= value
    u = np.sqrt(A.sum(axis=1))
    u /= np.linalg.norm(u)
    M = np.outer(u, u) - normalized_adjacency(A.astype(float))
    M.flat[:: len(M) + 1] += value
    return bool(dpotrf(M.T, overwrite_a=True)[1] > 0)


class _OneLump:
    """Tables with the dependence of Z, and margins that have one mode."""

    def __init__(self, Z: Array) -> None:
        self.Z = Z
        scores = ndtri((rankdata(Z, axis=0) - 0.5) / len(Z))
        correlation = np.atleast_2d(np.corrcoef(scores, rowvar=False))
        values, vectors = np.linalg.eigh(correlation)
        self._root = vectors * np.sqrt(np.maximum(values, 0.0))
        self._bandwidths = np.array([critical_bandwidth(z) for z in Z.T])

    def draw(self, rng: np.random.RandomState) -> Array:
        n, d = self.Z.shape
        center, spread = self.Z.mean(axis=0), self.Z.std(axis=0)
        margins = np.take_along_axis(self.Z, rng.randint(n, size=(n, d)), 0) - center
        margins += self._bandwidths * rng.standard_normal((n, d))
        margins /= np.sqrt(1 + (self._bandwidths / spread) ** 2)
        margins = np.sort(margins + center, axis=0)
        order = np.argsort(rng.standard_normal((n, d)) @ self._root.T, axis=0)
        copy = np.empty_like(margins)
        np.put_along_axis(copy, order, margins, 0)
        return copy


def critical_bandwidth(x: Array) -> float:
    """Smallest bandwidth at which the Gaussian kernel density estimate of x has one mode.

    Examples
    --------
    Two points have one mode from half their distance on:

    >>> import numpy as np
    >>> round(critical_bandwidth(np.array([-1.0, 1.0])), 2)
    1.0
    """
    low, high = 0.0, float(np.ptp(x))
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        if _has_one_mode(x, middle):
            high = middle
        else:
            low = middle
    return high


def _has_one_mode(x: Array, bandwidth: float) -> bool:
    grid = np.linspace(x.min(), x.max(), _GRID)
    density = np.exp(-0.5 * ((grid[:, None] - x) / bandwidth) ** 2).sum(axis=1)
    step = np.sign(np.diff(density))
    step = step[step != 0]
    return not (step[:-1] < step[1:]).any()  # never rises after it has fallen
