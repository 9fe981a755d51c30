"""What is found again on half of the rows: chosen columns, and groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from .._typing import Indices
from .._validation import check_random_state
from .._wording import counted, listed
from ._reconstruction import correlations
from ._redundancy import THRESHOLD

#: Share of the halves from which on a column counts as chosen again, and below which it is named.
USUAL, RARE = 0.75, 0.5
#: Adjusted Rand index below which two clusterings agree poorly (Steinley, Psychological Methods 9,
#: 2004).
POOR = 0.65


@dataclass(frozen=True)
class HalfSamples:
    """The choice repeated on random halves of the rows.

    Parameters
    ----------
    n_subsets : int
        Halves.
    names : sequence of str
        Chosen columns or variables, in order.
    counts : sequence of int
        In how many halves each of them, or a stand-in, was chosen.
    stand_ins : sequence of str
        The column most often chosen in its place (absolute correlation of 0.9 or more); empty where
        there is none.
    sentence : str
        What this means, for readers.
    """

    n_subsets: int
    names: Sequence[str]
    counts: Sequence[int]
    stand_ins: Sequence[str]
    sentence: str


def half_samples(
    X: Any,
    chosen: Indices,
    names: Sequence[str],
    choose: Callable[[Indices], Indices],
    *,
    noun: str = "column",
    n_subsets: int = 20,
    random_state: Any = 0,
) -> HalfSamples:
    """Repeat a choice of columns on random halves of the rows.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        The table, for the correlations by which a column stands in for another.
    chosen : ndarray of shape (k,)
        The chosen columns, in order.
    names : sequence of str
        Of all columns.
    choose : callable
        Chooses columns from some rows: ``choose(rows)`` gives their indices.
    noun : str, default="column"
        What is chosen, for the sentence.
    n_subsets : int, default=20
        Halves.
    random_state : int, RandomState or None, default=0
        Draws the halves.

    Returns
    -------
    HalfSamples

    Notes
    -----
    `n_subsets` choices, each on half of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import GreedyCSS
    >>> from sksieve.evaluation import half_samples
    >>> X = load_wine(as_frame=True).data
    >>> A, fit = X.to_numpy(), GreedyCSS(3, scale="standard").fit
    >>> again = half_samples(A, fit(A).ranking_[:3], X.columns, lambda r: fit(A[r]).ranking_[:3])
    >>> again.names[0], again.counts[0], again.n_subsets
    ('flavanoids', 20, 20)
    """
    chosen = np.asarray(chosen, dtype=np.intp)
    near = np.abs(correlations(X, chosen)[0]) >= THRESHOLD
    counts = np.zeros(len(chosen), dtype=np.intp)
    others: list[Counter[int]] = [Counter() for _ in chosen]
    for rows in _halves(X.shape[0], n_subsets, random_state):
        again = np.asarray(choose(rows), dtype=np.intp)
        itself = np.isin(chosen, again)
        counts += itself | near[:, again].any(axis=1)
        for i in np.flatnonzero(~itself):
            others[i].update(int(j) for j in again if near[i, j])
    labels = [str(names[j]) for j in chosen]
    stand_ins = [str(names[one.most_common(1)[0][0]]) if one else "" for one in others]
    sentence = _sentence(labels, counts.tolist(), n_subsets, noun)
    return HalfSamples(n_subsets, labels, counts.tolist(), stand_ins, sentence)


def _halves(n: int, n_subsets: int, random_state: Any) -> Iterator[Indices]:
    rng = check_random_state(random_state)
    for _ in range(n_subsets):
        yield np.sort(rng.permutation(n)[: n // 2])


def _sentence(names: list[str], counts: list[int], n: int, noun: str) -> str:
    usual = sum(times >= USUAL * n for times in counts)
    text = (
        f"On {n} random halves of the rows, {usual:,} of {counted(len(names), noun)} "
        f"{'is' if usual == 1 else 'are'} chosen again, or a stand-in, at least "
        f"{int(np.ceil(USUAL * n))} times."
    )
    rare = [name for name, times in zip(names, counts) if times < RARE * n]
    if not rare:
        return text
    return (
        f"{text} Less than half of the time: {listed(rare)}. Other {noun}s serve nearly as well "
        "there, or the table has too few rows to tell."
    )


@dataclass(frozen=True)
class HalfGroups:
    """Groups found again on random halves of the rows.

    Parameters
    ----------
    n_subsets : int
        Halves.
    mean, lowest : float
        Adjusted Rand index of the groups of a half and those of all rows, on the rows of the half:
        1 where they are the same, 0 on average where they have nothing in common.
    sentence : str
        What this means, for readers.
    """

    n_subsets: int
    mean: float
    lowest: float
    sentence: str


def half_groups(
    labels: Any,
    group: Callable[[Indices], Any],
    *,
    n_subsets: int = 20,
    random_state: Any = 0,
) -> HalfGroups:
    """Repeat a clustering on random halves of the rows.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Group of each row.
    group : callable
        Finds groups of some rows: ``group(rows)`` gives a label for each.
    n_subsets : int, default=20
        Halves.
    random_state : int, RandomState or None, default=0
        Draws the halves.

    Returns
    -------
    HalfGroups

    Notes
    -----
    `n_subsets` clusterings, each of half of the rows.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.evaluation import half_groups
    >>> X, est = load_iris().data, KMeans(2, n_init=10, random_state=0)
    >>> again = half_groups(est.fit(X).labels_, lambda rows: est.fit(X[rows]).labels_)
    >>> round(again.mean, 1)
    1.0
    """
    labels = np.asarray(labels)
    values = [
        float(adjusted_rand_score(labels[rows], group(rows)))
        for rows in _halves(len(labels), n_subsets, random_state)
    ]
    mean, lowest = float(np.mean(values)), min(values)
    sentence = (
        f"On {n_subsets} random halves of the rows, the groups agree with these at an adjusted "
        f"Rand index of {mean:.2f} on average, {lowest:.2f} at least (1 the same, 0 chance)."
    )
    if mean < POOR:
        sentence += (
            " That is low: the table has too few rows for these groups, or no sharp borders "
            "between them."
        )
    return HalfGroups(n_subsets, mean, lowest, sentence)
