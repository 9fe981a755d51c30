"""Which columns several methods chose, and how many they have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """Choices of several methods side by side.

    Parameters
    ----------
    columns : list of int
        Every column some method chose: those of most votes first, then by mean place.
    votes : list of int
        Methods that chose each of them.
    places : list of list of (int or None)
        For each column its place, from 1, in the order of each method; None where not chosen.
    shared : list of list of float
        Of row i, for each method j < i the share of the columns of method i that j also chose.
    expected : float
        Mean share for choices of the same sizes at random; NaN for fewer than two methods.
    """

    columns: list[int]
    votes: list[int]
    places: list[list[int | None]]
    shared: list[list[float]]
    expected: float

    @property
    def n_by_all(self) -> int:
        """Columns that every method chose."""
        return sum(votes == len(self.shared) for votes in self.votes)

    @property
    def mean_shared(self) -> float:
        """Mean share over all pairs of methods; NaN for fewer than two."""
        pairs = [share for row in self.shared for share in row]
        return sum(pairs) / len(pairs) if pairs else float("nan")


def agreement(choices: Sequence[Sequence[int]], n_features: int) -> Agreement:
    """Compare the columns that several methods chose.

    Parameters
    ----------
    choices : sequence of sequence of int
        Columns of each method, in its order; at least one column each.
    n_features : int
        Columns of the table.

    Returns
    -------
    Agreement

    Examples
    --------
    >>> from sksieve.evaluation._agreement import agreement
    >>> common = agreement([[3, 1], [1, 2]], 6)
    >>> common.columns, common.votes, common.places[0], common.shared
    ([1, 3, 2], [2, 1, 1], [2, 1], [[], [0.5]])
    """
    places = [{j: i for i, j in enumerate(chosen, start=1)} for chosen in choices]
    votes = Counter(j for chosen in choices for j in chosen)
    mean_place = {j: sum(p[j] for p in places if j in p) / votes[j] for j in votes}
    order = sorted(votes, key=lambda j: (-votes[j], mean_place[j], j))
    sets = [set(chosen) for chosen in choices]
    shared = [[len(one & other) / len(one) for other in sets[:i]] for i, one in enumerate(sets)]
    others = [len(other) for i in range(len(sets)) for other in sets[:i]]
    expected = sum(others) / len(others) / n_features if others else float("nan")
    return Agreement(
        order,
        [votes[j] for j in order],
        [[p.get(j) for p in places] for j in order],
        shared,
        expected,
    )
