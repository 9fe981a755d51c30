"""How far a selection depends on the sample: Nogueira's stability, its interval and its tests.

Source: S. Nogueira, K. Sechidis, G. Brown, On the Stability of Feature Selection Algorithms, JMLR
18(174), 2018.

=========  ==========  ==================================================================
paper      code        meaning
=========  ==========  ==================================================================
Z          Z           (M, d) 0/1, row i = the i-th subset
M, d       M, d        number of subsets, number of features
p_hat_f    p           (d,) share of the subsets that hold feature f
k_i, kbar  k, k_mean   (M,) subset sizes, and their mean
Phi(Z)     value       stability (Definition 4)
Phi_i      phi         (M,) what each subset contributes to the variance
v(Phi)     variance    of the estimate
=========  ==========  ==================================================================

Deviations
D1  The paper leaves Phi undefined (0/0) when every subset is empty or every one is full. They are
    all the same subset then, so 1 with variance 0 is returned.
D2  Subsets that are all equal have variance 0, and the statistics divide by zero. A difference is
    then infinitely significant (p = 0), no difference not at all (statistic 0).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Array
from ._columns import as_columns


class Stability(NamedTuple):
    """Stability of a selection and what is known about it.

    Attributes
    ----------
    value : float
        At most 1 (always the same subset); 0 is what random subsets give on average; not below
        ``-1 / (n_subsets - 1)``.
    lower, upper : float
        Confidence interval; not cut at 1.
    variance : float
        Of `value`.
    n_subsets : int
        Subsets it is computed from.
    frequencies : ndarray of shape (n_features,)
        Share of the subsets that hold each feature, in [0, 1].
    """

    value: float
    lower: float
    upper: float
    variance: float
    n_subsets: int
    frequencies: Array


class StabilityTest(NamedTuple):
    """Statistic, standard normal under the null hypothesis, and p-value."""

    statistic: float
    p_value: float


def stability(
    subsets: Sequence[ArrayLike] | ArrayLike, n_features: int, *, confidence: float = 0.95
) -> Stability:
    """Nogueira's stability of a feature selection, with its confidence interval.

    ``Phi = 1 - mean_f(s_f^2) / ((kbar/d) (1 - kbar/d))``, ``s_f^2 = M/(M-1) p_f (1 - p_f)``: one
    minus the variance of the choices over what random choices of as many features would show.

    Parameters
    ----------
    subsets : sequence of array-like of int, or boolean array of shape (M, n_features)
        What was selected in each of M >= 2 repeats (bootstrap samples, say). Sizes may differ.
    n_features : int
        Features there were to choose from.
    confidence : float in (0, 1), default=0.95
        Of the interval ``value +- z sqrt(variance)``, which is asymptotic in M.

    Returns
    -------
    Stability

    Raises
    ------
    ValueError
        If there are fewer than two subsets, or one of them has indices out of range or twice.

    Notes
    -----
    Definition 4 and Corollary 9 of the paper; O(M n_features). With subsets of one size it is
    Kuncheva's index. Bootstrap samples of one data set say how the selection varies around that
    data set; the interval does not cover what another data set would show.

    Examples
    --------
    >>> from sksieve.metrics import stability
    >>> stability([[0, 1], [1, 2], [0, 2]], n_features=3).value
    -0.5
    >>> stability([[0, 1], [0, 1], [0, 1]], n_features=3).value
    1.0
    """
    from scipy.stats import norm

    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1; got {confidence}.")
    Z = _indicator(subsets, n_features)
    M, d = Z.shape
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    q = k.mean() / d
    if q in (0.0, 1.0):
        return Stability(1.0, 1.0, 1.0, 0.0, M, p)  # D1
    value = 1 - M / (M - 1) * np.mean(p * (1 - p)) / (q * (1 - q))  # Definition 4
    phi = Z @ p / d - k * q / d + value / 2 * (2 * q * k / d - k / d - q + 1)
    phi /= q * (1 - q)
    variance = float(4 / M**2 * np.sum((phi - phi.mean()) ** 2))
    half = float(norm.ppf((1 + confidence) / 2)) * math.sqrt(variance)  # Corollary 9
    return Stability(float(value), float(value) - half, float(value) + half, variance, M, p)


def stability_test(first: Stability, second: Stability | float) -> StabilityTest:
    """Is a selection stabler than a given value, or do two selections differ in stability?

    Parameters
    ----------
    first : Stability
        Of the selection in question.
    second : Stability or float
        A number: the null hypothesis is that the true stability of the first is not larger
        (one-sided). A `Stability`: that both are equal (two-sided, Theorem 10 of the paper).

    Returns
    -------
    StabilityTest
        Positive statistic: the first is the stabler one.

    Notes
    -----
    Asymptotic in the number of subsets; the two selections must come from independent resamples.

    Examples
    --------
    >>> from sksieve.metrics import stability, stability_test
    >>> subsets = [[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 3]]
    >>> test = stability_test(stability(subsets, n_features=10), 0.0)
    >>> bool(test.p_value < 0.01)
    True
    """
    from scipy.stats import norm

    if isinstance(second, Stability):  # Theorem 10
        statistic = _standardized(first.value - second.value, first.variance + second.variance)
        return StabilityTest(statistic, float(2 * norm.sf(abs(statistic))))
    statistic = _standardized(first.value - second, first.variance)
    return StabilityTest(statistic, float(norm.sf(statistic)))


def _standardized(difference: float, variance: float) -> float:
    if variance == 0:  # D2
        return math.copysign(math.inf, difference) if difference else 0.0
    return difference / math.sqrt(variance)


def jaccard(subsets: Sequence[ArrayLike] | ArrayLike, n_features: int) -> float:
    """Mean Jaccard index ``|A & B| / |A | B|`` over all pairs of subsets.

    Easier to picture than `stability`, but not corrected for chance: large random subsets overlap.

    Parameters
    ----------
    subsets : sequence of array-like of int, or boolean array of shape (M, n_features)
        At least two.
    n_features : int
        Features there were to choose from.

    Returns
    -------
    float
        In [0, 1]; two empty subsets agree (1).

    Raises
    ------
    ValueError
        As `stability`.

    Notes
    -----
    O(M^2 n_features) time, O(M^2) memory.

    Examples
    --------
    >>> from sksieve.metrics import jaccard
    >>> jaccard([[0, 1], [1, 2]], n_features=5)
    0.3333333333333333
    """
    Z = _indicator(subsets, n_features)
    both = Z @ Z.T
    k = np.diagonal(both)
    either = k[:, None] + k - both
    index = np.divide(both, either, out=np.ones_like(both), where=either > 0)
    return float(index[np.triu_indices(len(Z), 1)].mean())


def _indicator(subsets: Any, n_features: int) -> Array:
    """Z: one row for each subset, 1 where it holds the feature."""
    given = list(subsets)
    if len(given) < 2:
        raise ValueError(f"subsets has {len(given)} subsets; stability needs at least two.")
    Z = np.zeros((len(given), n_features))
    for row, subset in zip(Z, given, strict=True):
        row[as_columns(subset, n_features)] = 1.0
    return Z
