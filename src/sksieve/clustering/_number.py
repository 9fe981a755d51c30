"""How many groups a table has, and whether it has any: agreement of clusterings, one-lump test.

The number is that at which spectral clustering, k-means and Ward's tree agree and the neighbor
graph supports the groups best. "Any" is decided by a test against copies of the table that are one
lump: a Gaussian copula whose margins are smoothed until they have one mode.

Silverman, "Using kernel density estimates to investigate multimodality", JRSS B 43, 1981.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree, ward
from scipy.linalg import eigvalsh
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from .._array import as_float
from .._validation import check_random_state, check_table
from ..exceptions import DataError
from ..graphs import (
    components,
    gower_columns,
    gower_coordinates,
    graph_eigenpairs,
    knn_graph,
    normalized_adjacency,
)
from ..metrics import modularity
from ..tables import constant_columns, refuse_extremes, scale_columns

__all__ = ["GroupCount", "one_lump_p_value", "suggest_n_clusters"]

Array = NDArray[np.float64]
Labels = NDArray[np.intp]

#: Numbers of groups that are tried.
NUMBERS = (*range(2, 21), 22, 25, 28, 32, 36, 40, 45, 50)
#: Rows used for the number, and for the test.
MAX_ROWS, TEST_ROWS = 1500, 400
#: Principal components k-means sees, and those the test sees.
COMPONENTS, TEST_COMPONENTS = 50, 20
#: A number is reasonable where the agreement is this part of the largest.
REASONABLE = 0.9
#: Neighbors of the graph that is embedded, and of the one that judges.
NEIGHBORS, JUDGING_NEIGHBORS = 7, 15
#: One-lump copies, and the level of the test.
COPIES, LEVEL = 99, 0.05
#: Points at which a density is evaluated.
_GRID = 256


@dataclass(frozen=True)
class GroupCount:
    """How many groups, and whether there are any.

    Attributes
    ----------
    n_clusters : int
        Suggested number; a guess that is often off by a factor of two.
    p_value : float
        Of the test that the table is one lump.
    has_groups : bool
        ``p_value <= 0.05``. It means more than one lump, not that the groups are known classes.
    reasonable : tuple of int
        The other numbers at which the clusterings agree nearly as well.
    agreement : dict of int -> float
        Mean adjusted Rand index of the three clusterings, for each number tried.
    modularity : dict of int -> float
        Largest modularity of the three in the graph of 15 neighbors.
    sentence : str
        The same in words.
    """

    n_clusters: int
    p_value: float
    has_groups: bool
    reasonable: tuple[int, ...]
    agreement: dict[int, float] = field(repr=False)
    modularity: dict[int, float] = field(repr=False)
    sentence: str = field(repr=False)


def suggest_n_clusters(
    X: Any, *, groups: Any = None, random_state: int | np.random.RandomState | None = None
) -> GroupCount:
    """Suggest a number of groups of samples, from the table alone, and test whether there are any.

    Spectral clustering of the graph of 7 neighbors, k-means on 50 principal components and Ward's
    tree divide the standardized rows into c groups, for c from 2 to 50 and at most a quarter of the
    rows. Among the numbers at which the three agree (adjusted Rand index within 90 % of the best)
    the one with the largest modularity in the graph of 15 neighbors is suggested.

    Parameters
    ----------
    X : {array-like, sparse} of shape (n_samples, n_features)
        Samples are rows; at least 20. No missing values. A sparse table is made dense for at most
        1500 rows.
    groups : array-like of shape (n_features,), optional
        For mixed tables: variable of each column (`ClusterChoice`). Rows are then compared by
        Gower's distance, through its principal coordinates.
    random_state : int, RandomState or None, default=None
        For the rows, k-means and the copies of the test.

    Returns
    -------
    GroupCount

    Raises
    ------
    DataError
        If X has fewer than 20 rows, no column that varies, or values whose squares overflow.
    ValueError
        If X has missing or infinite values.

    Notes
    -----
    On 35 labeled tables the number is within a factor of two of the number of classes on 71 %, and
    equal to it on 26 %. The test calls 0 of 24 Gaussian clouds and 30 of the 35 tables more than
    one lump; but also 8 of 8 tables of 10 lognormal columns, which are one lump
    (``benchmarks/how_many_groups.py``).

    Cost O(m^2 d + m^2 log m) for m = min(n, 1500) rows, a few seconds.

    References
    ----------
    Silverman, "Using kernel density estimates to investigate multimodality", JRSS B 43, 1981.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sksieve.clustering import suggest_n_clusters
    >>> X, _ = make_blobs(200, centers=4, n_features=5, random_state=3)
    >>> suggest_n_clusters(X, random_state=0)
    GroupCount(n_clusters=4, p_value=0.01, has_groups=True, reasonable=())
    """
    rng = check_random_state(random_state)
    Z = _standardized_rows(X, MAX_ROWS, rng) if groups is None else _gower_rows(X, groups, rng)
    agreement, support = _agreement(Z, rng)
    best = max(agreement.values())
    near = [c for c, value in agreement.items() if value >= REASONABLE * best]
    number = max(near, key=lambda c: support[c])
    p_value = _test(Z, rng)
    reasonable = tuple(c for c in near if c != number)
    return GroupCount(
        n_clusters=number,
        p_value=p_value,
        has_groups=p_value <= LEVEL,
        reasonable=reasonable,
        agreement=agreement,
        modularity=support,
        sentence=_sentence(number, reasonable, p_value),
    )


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
    >>> from sksieve.clustering import one_lump_p_value
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
    return _test(_standardized_rows(X, TEST_ROWS, rng), rng, n_copies)


def _gower_rows(X: Any, groups: Any, rng: np.random.RandomState) -> Array:
    """Principal coordinates of the rows of a mixed table."""
    part = _some_rows(X, MAX_ROWS, rng)
    if constant_columns(part).all():
        raise DataError("Every column of X is constant; there are no groups to count.")
    return gower_coordinates(gower_columns(part, groups), COMPONENTS)


def _standardized_rows(X: Any, max_rows: int, rng: np.random.RandomState) -> Array:
    part = _some_rows(X, max_rows, rng)
    constant = constant_columns(part)
    if constant.all():
        raise DataError("Every column of X is constant; there are no groups to count.")
    return scale_columns(as_float(part[:, ~constant]), "standard").X


def _some_rows(X: Any, max_rows: int, rng: np.random.RandomState) -> Array:
    X = check_table(X)
    refuse_extremes(X)
    n = X.shape[0]
    if n < 20:
        raise DataError(f"X has {n} rows; at least 20 are needed to count groups.")
    rows = np.arange(n) if n <= max_rows else np.sort(rng.permutation(n)[:max_rows])
    return X[rows].toarray() if sp.issparse(X) else X[rows]


def _agreement(Z: Array, rng: np.random.RandomState) -> tuple[dict[int, float], dict[int, float]]:
    """Mean agreement of three clusterings, and their largest modularity, for each number."""
    numbers = [c for c in NUMBERS if c <= len(Z) // 4]
    vectors = graph_eigenpairs(knn_graph(Z, NEIGHBORS), numbers[-1]).vectors
    judge = knn_graph(Z, JUDGING_NEIGHBORS)
    principal = _principal(Z, COMPONENTS)
    tree = cut_tree(ward(principal if Z.shape[1] > len(Z) else Z), numbers)
    agreement, support = {}, {}
    for i, c in enumerate(numbers):
        partitions = [
            k_means(normalize(vectors[:, :c]), c, 3, rng),
            k_means(principal, c, 2, rng),
            tree[:, i],
        ]
        pairs = [adjusted_rand_score(a, b) for a, b in combinations(partitions, 2)]
        agreement[c] = float(np.mean(pairs))
        support[c] = max(modularity(judge, labels) for labels in partitions)
    return agreement, support


def k_means(Z: Any, c: int, n_init: int, rng: np.random.RandomState) -> Labels:
    """Labels of k-means; fewer groups than asked for where fewer rows are distinct."""
    if sp.issparse(Z) and max(Z.nnz, *Z.shape) <= np.iinfo(np.int32).max:
        indices, indptr = Z.indices.astype(np.int32), Z.indptr.astype(np.int32)
        Z = sp.csr_array((Z.data, indices, indptr), shape=Z.shape)  # all that scikit-learn takes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than groups
        return KMeans(c, n_init=n_init, random_state=rng).fit_predict(Z)


def _principal(Z: Array, most: int) -> Array:
    """Coordinates in the leading principal components; Z itself where it has fewer columns."""
    if Z.shape[1] <= most:
        return Z
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    return U[:, :most] * s[:most]


def _test(Z: Array, rng: np.random.RandomState, n_copies: int = COPIES) -> float:
    if len(Z) > TEST_ROWS:
        Z = Z[np.sort(rng.permutation(len(Z))[:TEST_ROWS])]
        Z = Z[:, ~constant_columns(Z)]  # rare values, of a 0/1 column say, may lie in other rows
        if not Z.shape[1]:
            return 1.0  # equal rows are one lump
    Z = _principal(Z, TEST_COMPONENTS)
    statistic = _second_eigenvalue(Z)
    copy = _OneLump(Z)
    exceeded = sum(_second_eigenvalue(copy.draw(rng)) >= statistic for _ in range(n_copies))
    return (exceeded + 1) / (n_copies + 1)


def _second_eigenvalue(Z: Array) -> float:
    """Of the normalized adjacency of the neighbor graph; 1 where it is disconnected."""
    A = knn_graph(Z, min(NEIGHBORS, len(Z) - 1))
    if components(A).max() > 0:
        return 1.0
    n = len(Z)
    return float(eigvalsh(normalized_adjacency(A).toarray(), subset_by_index=[n - 2, n - 2])[0])


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
        order = np.argsort(np.argsort(rng.standard_normal((n, d)) @ self._root.T, axis=0), axis=0)
        return np.take_along_axis(margins, order, 0)


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


def _sentence(number: int, reasonable: tuple[int, ...], p_value: float) -> str:
    if p_value > LEVEL:
        return (
            f"No groups found: the table looks like one lump (p = {p_value:.2g}). Give a number of "
            "groups to divide it anyway."
        )
    other = f" Also reasonable: {', '.join(map(str, reasonable))}." if reasonable else ""
    return (
        f"More than one lump (p = {p_value:.2g}); {number} groups are a guess, often off by a "
        f"factor of two.{other}"
    )
