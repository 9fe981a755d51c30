"""Statistics of tables of results: DataFrame in, DataFrame out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from .._optional import optional

if TYPE_CHECKING:
    import pandas as pd

Better = Literal["larger", "smaller"]

#: Pairs up to which the signed-rank test tries all signs where there are ties: 2^13 < 9999.
EXACT_PAIRS = 13


def summarize(frame: pd.DataFrame, score: str, by: list[str]) -> pd.DataFrame:
    """Mean and standard deviation (n - 1) of a score in each group.

    Parameters
    ----------
    frame : DataFrame
        As `results` gives it: the columns of `by`, `score` and ``status``.
    score : str
        Which score.
    by : list of str
        What makes a group.

    Returns
    -------
    DataFrame
        One row for each group: n, mean, std, status (``failed`` where one cell failed,
        ``unfinished`` where one is not done; then mean and std are NaN; so is the std of one
        score), and cause of a failure.

    Examples
    --------
    >>> import pandas as pd
    >>> df = pd.DataFrame({"method": ["a", "a", "b"], "acc": [0.5, 1.0, float("nan")],
    ...                    "status": ["ok", "ok", "failed"]})
    >>> summarize(df, "acc", ["method"])[["method", "mean", "status"]].values.tolist()
    [['a', 0.75, 'ok'], ['b', nan, 'failed']]
    """
    groups = frame.groupby(by, sort=True)
    table = groups[score].agg(n="size", mean="mean", std="std").reset_index()
    table["status"] = groups["status"].agg(_worst).to_numpy()
    if "cause" in frame:
        table["cause"] = groups["cause"].agg("max").to_numpy()
    else:
        table["cause"] = table["status"].where(table["status"] == "failed", "")
    table.loc[table["status"] != "ok", ["mean", "std"]] = float("nan")
    return table


def _worst(status: pd.Series) -> str:
    for word in ("failed", "unfinished"):
        if (status == word).any():
            return word
    return "ok"


def paired_p(a: np.ndarray, b: np.ndarray, *, test: Literal["t", "wilcoxon"] = "t") -> float:
    """p-value of a paired two-sided test that a and b do not differ.

    Parameters
    ----------
    a, b : ndarray of shape (n,)
        Scores of two methods, pair by pair.
    test : {"t", "wilcoxon"}
        Student's t-test on the differences, or Wilcoxon's signed-rank test.

    Returns
    -------
    float
        1 where all differences are zero; NaN for fewer than two pairs, which say nothing.

    Examples
    --------
    >>> import numpy as np
    >>> round(paired_p(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.9, 4.1])), 4)
    0.0033
    """
    from scipy import stats

    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if len(a) < 2:
        return float("nan")
    difference = a - b
    if not difference.any():
        return 1.0
    if test == "wilcoxon":
        is_tied = len(np.unique(np.abs(difference))) < len(a) or not difference.all()
        if is_tied and len(a) <= EXACT_PAIRS:
            return _signed_rank_p(difference)
        return float(stats.wilcoxon(a, b).pvalue)
    if np.ptp(difference) <= 1e-12 * np.abs(difference).max():
        return 0.0  # the same difference everywhere: no variance to divide by
    return float(stats.ttest_rel(a, b).pvalue)


def _signed_rank_p(difference: np.ndarray) -> float:
    """Over all signs, as `scipy.stats.wilcoxon` does where there are ties, but in one array."""
    from scipy import stats

    size = np.abs(difference)
    ranks = np.sign(difference) * (stats.rankdata(size) - np.count_nonzero(size == 0))
    test = stats.permutation_test(
        (ranks,),
        lambda signed, axis: np.maximum(signed, 0).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
    )
    return float(test.pvalue)


class Friedman(NamedTuple):
    """Do the methods differ over the data sets, and from which difference of ranks on?

    Attributes
    ----------
    statistic, p : float
        Friedman's chi square and its p-value; 0 and 1 where all methods are equal in every row.
    ranks : Series
        Mean rank of each method, 1 is best; best first.
    critical_difference : float
        Nemenyi's: mean ranks further apart differ at the level alpha.
    n_rows : int
        Rows (data sets) that all methods have.
    """

    statistic: float
    p: float
    ranks: pd.Series
    critical_difference: float
    n_rows: int


def friedman(wide: pd.DataFrame, *, better: Better = "larger", alpha: float = 0.05) -> Friedman:
    """Friedman's test over a table with a row for each data set and a column for each method.

    Parameters
    ----------
    wide : DataFrame
        Mean scores. Rows with NaN (a method failed) are left out; `n_rows` says what remains.
    better : {"larger", "smaller"}
        Which way a score is better.
    alpha : float
        Level of the critical difference.

    Raises
    ------
    ValueError
        For fewer than three methods or two complete rows.

    Notes
    -----
    Demsar, JMLR 7 (2006): ``CD = q_alpha sqrt(k (k + 1) / (6 N))``, q from the studentised range.

    Examples
    --------
    >>> import pandas as pd
    >>> wide = pd.DataFrame({"a": [.9, .8, .9], "b": [.8, .7, .7], "c": [.1, .2, .3]})
    >>> test = friedman(wide)
    >>> test.ranks.to_dict(), round(test.p, 4), round(test.critical_difference, 3)
    ({'a': 1.0, 'b': 2.0, 'c': 3.0}, 0.0498, 1.914)
    """
    from scipy import stats

    complete = wide.dropna()
    n, k = complete.shape
    if k < 3 or n < 2:
        raise ValueError(
            f"Friedman's test needs 3 methods and 2 complete rows; there are {k} and {n}."
        )
    ranks = complete.rank(axis=1, ascending=better == "smaller")
    if (complete.nunique(axis=1) == 1).all():  # nothing differs anywhere: 0 / 0
        statistic, p = 0.0, 1.0
    else:
        statistic, p = stats.friedmanchisquare(*(complete[name] for name in complete.columns))
    q = stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    return Friedman(
        float(statistic),
        float(p),
        ranks.mean().sort_values(kind="stable"),
        float(q * np.sqrt(k * (k + 1) / (6 * n))),
        n,
    )


def nemenyi(wide: pd.DataFrame) -> pd.DataFrame:
    """p-values of Nemenyi's test of all pairs of methods, after Friedman's test.

    Parameters
    ----------
    wide : DataFrame
        As for `friedman`.

    Raises
    ------
    ImportError
        Without scikit-posthocs (``pip install scikit-sieve[stats]``).
    """
    scikit_posthocs = optional("scikit_posthocs", "Nemenyi's test")
    complete = wide.dropna()
    p = scikit_posthocs.posthoc_nemenyi_friedman(complete.to_numpy())
    p.index = p.columns = complete.columns
    return p
