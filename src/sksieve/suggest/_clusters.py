"""How many clusters a table has, by agreement of clusterings, and whether it has any.

The number is that at which spectral clustering, k-means and Ward's tree agree and the neighbor
graph supports the groups best. "Any" is decided by the test of `_one_lump`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, ward
from sklearn import config_context
from sklearn.preprocessing import normalize

from .._typing import Array, Indices
from .._validation import check_random_state
from ..exceptions import DataError
from ..graphs import gower_columns, gower_coordinates, graph_eigenpairs, knn_graph
from ..metrics import modularity
from ..solvers._k_means import k_means
from ..tables import constant_columns
from ._one_lump import leading_coordinates, lump_test, some_rows, standardized_rows
from ._suggestion import Suggestion

#: Numbers of groups that are tried.
NUMBERS = (*range(2, 21), 22, 25, 28, 32, 36, 40, 45, 50)
#: Rows used.
MAX_ROWS = 1500
#: Principal components k-means sees.
COMPONENTS = 50
#: A number is reasonable where the agreement is this part of the largest.
REASONABLE = 0.9
#: Neighbors of the graph that is embedded, and of the one that judges.
NEIGHBORS, JUDGING_NEIGHBORS = 7, 15
#: Other reasonable numbers that are named one by one.
MOST_NAMED = 3
#: Level of the test.
LEVEL = 0.05


def suggest_n_clusters(
    X: Any, *, groups: Any = None, random_state: int | np.random.RandomState | None = None
) -> Suggestion:
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
    Suggestion
        ``"guess"``, or ``"none"`` where the table looks like one lump (``p_value > 0.05``). More
        than one lump does not mean that the groups are known classes. Evidence:

        * ``p_value`` of the test that the table is one lump (`one_lump_p_value`);
        * ``candidates``: the numbers at which the clusterings agree well, the best one first; the
          interval is their range;
        * ``agreement``: mean adjusted Rand index of the three clusterings, for each number tried;
        * ``modularity``: largest modularity of the three in the graph of 15 neighbors.

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
    >>> from sksieve.suggest import suggest_n_clusters
    >>> X, _ = make_blobs(200, centers=4, n_features=5, random_state=3)
    >>> suggest_n_clusters(X, random_state=0)
    Suggestion(kind='guess', n=4, interval=(4, 4))
    """
    rng = check_random_state(random_state)
    Z = standardized_rows(X, MAX_ROWS, rng) if groups is None else _gower_rows(X, groups, rng)
    agreement, support = _agreement(Z, rng)
    best = max(agreement.values())
    near = [c for c, value in agreement.items() if value >= REASONABLE * best]
    number = max(near, key=lambda c: support[c])
    others = [c for c in near if c != number]
    p_value = lump_test(Z, rng)
    has_groups = p_value <= LEVEL
    return Suggestion(
        kind="guess" if has_groups else "none",
        n=number if has_groups else None,
        interval=(min(near), max(near)) if has_groups else None,
        sentence=_sentence(number, others, p_value),
        evidence={
            "p_value": p_value,
            "candidates": (number, *others),
            "agreement": agreement,
            "modularity": support,
        },
    )


def _gower_rows(X: Any, groups: Any, rng: np.random.RandomState) -> Array:
    """Principal coordinates of the rows of a mixed table."""
    part = some_rows(X, MAX_ROWS, rng)
    if constant_columns(part).all():
        raise DataError("Every column of X is constant; there are no groups to count.")
    return gower_coordinates(gower_columns(part, groups), COMPONENTS)


def _agreement(Z: Array, rng: np.random.RandomState) -> tuple[dict[int, float], dict[int, float]]:
    """Mean agreement of three clusterings, and their largest modularity, for each number."""
    numbers = [c for c in NUMBERS if c <= len(Z) // 4]
    vectors = graph_eigenpairs(knn_graph(Z, NEIGHBORS), numbers[-1]).vectors
    judge = knn_graph(Z, JUDGING_NEIGHBORS)
    principal = leading_coordinates(Z, COMPONENTS)
    cuts = _cuts(ward(principal if Z.shape[1] > len(Z) else Z), numbers)
    agreement, support = {}, {}
    for c in numbers:
        with config_context(assume_finite=True, skip_parameter_validation=True):
            partitions = [
                k_means(normalize(vectors[:, :c]), c, 3, rng).labels_,
                k_means(principal, c, 2, rng).labels_,
                cuts[c],
            ]
        pairs = [_adjusted_rand(a, b) for a, b in combinations(partitions, 2)]
        agreement[c] = float(np.mean(pairs))
        support[c] = max(modularity(judge, labels) for labels in partitions)
    return agreement, support


def _cuts(tree: Array, numbers: list[int]) -> dict[int, Indices]:
    """Groups of a tree cut into each of some numbers, ascending.

    Those of `scipy.cluster.hierarchy.cut_tree`, also where heights are equal, with other labels: it
    goes through all merges from the leaves, here only the last ones are undone.
    """
    n = len(tree) + 1
    children, sizes = tree[:, :2].astype(int), np.append(np.ones(n, int), tree[:, 3].astype(int))
    starts = np.zeros(2 * n - 1, dtype=int)  # of each node among the leaves
    nodes = [2 * n - 2]
    for node in nodes:  # the list grows, level by level
        if node >= n:
            left, right = children[node - n]
            starts[left], starts[right] = starts[node], starts[node] + sizes[left]
            nodes += [right, left]
    merges = sorted((node for node in nodes if node >= n), key=lambda node: -tree[node - n, 2])
    leaves, labels, cuts = leaves_list(tree), np.zeros(n, dtype=int), {}
    for c, node in enumerate(merges[: numbers[-1] - 1], start=2):
        right = children[node - n, 1]
        labels[leaves[starts[right] : starts[right] + sizes[right]]] = c - 1
        cuts[c] = labels.copy()
    return cuts


def _adjusted_rand(a: Indices, b: Indices) -> float:
    """`sklearn.metrics.adjusted_rand_score` of labels 0, 1, ..., which need no checks."""
    width = int(b.max()) + 1
    table = np.bincount(a * width + b, minlength=(int(a.max()) + 1) * width).reshape(-1, width)
    n, squares = len(a), int((table**2).sum())
    of_a, of_b = (int((table.sum(axis=axis) ** 2).sum()) for axis in (1, 0))
    in_a, in_b = of_a - squares, of_b - squares  # pairs together in one of them only
    together, apart = squares - n, n * n - of_a - of_b + squares
    if in_a == in_b == 0:
        return 1.0
    least = (together + in_a) * (in_a + apart) + (together + in_b) * (in_b + apart)
    return 2.0 * (together * apart - in_a * in_b) / least


def _sentence(number: int, others: list[int], p_value: float) -> str:
    if p_value > LEVEL:
        return (
            f"No groups found: the table looks like one lump (p = {p_value:.2g}). Give a number of "
            "groups to divide it anyway."
        )
    guess = f"More than one lump (p = {p_value:.2g}); {number} groups are a guess"
    if len(others) > MOST_NAMED:
        return (
            f"{guess}: the table has no clear number, and {len(others)} others from {min(others)} "
            f"to {max(others)} are as reasonable."
        )
    other = f" Also reasonable: {', '.join(map(str, others))}." if others else ""
    return f"{guess}, often off by a factor of two.{other}"
