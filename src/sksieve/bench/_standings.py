"""Where methods stand over data sets: against random columns, and against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import DataError
from ._statistics import Friedman, friedman, paired_p

if TYPE_CHECKING:
    import pandas as pd

#: What columns are chosen for -> the scores of the leaderboard that measure it, larger is better.
USES: dict[str, tuple[str, ...]] = {
    "clusters": ("acc", "nmi", "ari", "spectral_nmi"),
    "later supervised use": ("knn_acc", "logistic_acc"),
    "neighbors": ("neighbors_kept",),
    "reconstruction": ("reconstruction",),
}

#: Level of all tests.
ALPHA = 0.05

#: A method without a score of its own in more than this part of its cells is not ranked.
MOST_MISSING = 0.5


@dataclass(frozen=True)
class Standings:
    """How the methods of a board compare, over data sets.

    Attributes
    ----------
    table : DataFrame
        One row for each method, best mean rank first; methods that are not ranked last. Columns:

        - method;
        - mean: mean score over the data sets;
        - gain, low, high: mean difference from the baseline and its 95 % confidence interval
          (Student's t over data sets); NaN without a baseline;
        - wins, losses: data sets on which the method is better, or worse, than the baseline;
        - p_baseline: Wilcoxon's signed-rank test against the baseline, corrected by Holm;
        - rank: mean rank over data sets, 1 is best; NaN for methods that are not ranked;
        - p_best: Wilcoxon's test against the method of best mean rank, corrected by Holm;
        - missing: share of cells without a score of its own;
        - verdict: ``above``, ``below`` (the corrected test decides), ``not distinguished``,
          ``baseline``, or ``not ranked``.
    values : DataFrame
        A row for each data set, a column for each method: the score that enters the sums.
    own : DataFrame
        The same without replacement: NaN where the method failed at some k.
    friedman : Friedman or None
        Test over the ranked methods; None for fewer than three methods or two data sets.
    baseline : str
        Name of the baseline; empty where there is none.
    """

    table: pd.DataFrame
    values: pd.DataFrame
    own: pd.DataFrame
    friedman: Friedman | None
    baseline: str


def holm(p: ArrayLike) -> np.ndarray:
    """p-values corrected for their number by Holm's step-down procedure; NaN stay.

    Examples
    --------
    >>> holm([0.01, 0.04, float("nan"), 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    values = np.asarray(p, dtype=float)
    corrected, finite = values.copy(), np.flatnonzero(~np.isnan(values))
    order = finite[np.argsort(values[finite], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(factors * values[order]), 1.0)
    return corrected


def standings(
    frame: pd.DataFrame,
    scores: Sequence[str],
    *,
    baseline: str = "",
    fill: str | None = None,
    apart: Sequence[str] = (),
) -> Standings:
    """Compare the methods of a board over its data sets.

    Parameters
    ----------
    frame : DataFrame
        From `summary`.
    scores : sequence of str
        Scores of which larger is better; the mean of all counts.
    baseline : str
        The method the others are compared with (random columns). Its repetitions are averaged.
    fill : str, optional
        The method whose score is taken where another has none, because it failed or went over its
        budget: that is what remains without an answer of the method. The baseline by default;
        without one, or for ``""``, the smallest score of the data set and k is taken.
    apart : sequence of str
        Methods that get a mean but no rank (all columns).

    Returns
    -------
    Standings
        Units of all tests are data sets: repetitions, repeats and sizes k of a data set are
        averaged first.

    Raises
    ------
    DataError
        If `baseline` or `fill` is not in the frame.

    Notes
    -----
    A method is not ranked if it lacks a score in more than half of its cells, or was not run on
    all data sets of the board.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(d, m, 2, 0, x) for d, a, r in [("s", .9, .5), ("t", .8, .4), ("u", .7, .6)]
    ...         for m, x in [("a", a), ("random", r)]]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "method", "k", "repetition", "acc"])
    >>> table = standings(frame, ["acc"], baseline="random").table
    >>> table[["method", "wins", "losses"]].values.tolist()
    [['a', 3, 0], ['random', 0, 0]]
    """
    import pandas as pd

    cells = _cells(frame, scores)
    fill = baseline if fill is None else fill
    for name in {baseline, fill} - {""}:
        if name not in cells.columns:
            raise DataError(f"there is no method {name!r} to compare with.")
    rest = cells[fill] if fill else cells.min(axis="columns")
    cells, rest = cells[rest.notna()], rest[rest.notna()]
    filled = cells.apply(lambda column: column.fillna(rest))
    values = filled.groupby("dataset").mean()
    own = values.where(cells.notna().groupby("dataset").all())
    missing = cells.isna().mean()
    sets = frame.groupby("method")["dataset"].nunique()
    whole = sets[list(values.columns)] >= len(values)
    ranked = [m for m in values if whole[m] and missing[m] <= MOST_MISSING and m not in apart]
    test = friedman(values[ranked]) if len(ranked) >= 3 and len(values) >= 2 else None
    ranks = values[ranked].rank(axis="columns", ascending=False).mean()
    rows = [_row(values, own, str(m), baseline) for m in values]
    table = pd.DataFrame(rows).set_index("method")
    table["rank"] = ranks
    table["missing"] = missing
    table.loc[~whole, ["mean", "gain", "low", "high", "p_baseline"]] = float("nan")
    table["p_best"] = _against_best(values, ranks)
    tested = [m for m in ranked if m != baseline]
    table["p_baseline"] = table["p_baseline"].where(table.index.isin(tested))
    for name in ("p_baseline", "p_best"):
        table[name] = holm(table[name].to_numpy())
    verdicts = {m: _verdict(table.loc[m], m == baseline) for m in table.index}
    table["verdict"] = pd.Series(verdicts)
    order = ["mean", "gain", "low", "high", "wins", "losses", "p_baseline", "rank", "p_best"]
    table = table.sort_values(["rank", "mean"], ascending=[True, False], kind="stable")
    table = table.reset_index()[["method", *order, "missing", "verdict"]]
    return Standings(table, values, own, test, baseline)


def _cells(frame: pd.DataFrame, scores: Sequence[str]) -> pd.DataFrame:
    """A row for each data set and k, a column for each method; NaN where a score is missing."""
    rows = frame.assign(value=frame[list(scores)].mean(axis="columns", skipna=False))
    if "status" in rows:
        rows["value"] = rows["value"].where(rows["status"] == "ok")
    groups = rows.groupby(["dataset", "k", "method"])["value"]
    return groups.mean().where(groups.count() == groups.size()).unstack("method")


def _row(values: pd.DataFrame, own: pd.DataFrame, method: str, baseline: str) -> dict[str, object]:
    from scipy import stats

    row: dict[str, object] = {"method": method, "mean": values[method].mean()}
    row |= dict.fromkeys(("gain", "low", "high", "p_baseline"), float("nan"))
    row |= {"wins": 0, "losses": 0}
    if not baseline:
        return row
    gains = (values[method] - values[baseline]).to_numpy()
    row |= {"gain": gains.mean(), "wins": int((gains > 0).sum()), "losses": int((gains < 0).sum())}
    if len(gains) > 1 and method != baseline:
        half = stats.t.ppf(1 - ALPHA / 2, len(gains) - 1) * stats.sem(gains)
        p = paired_p(values[method].to_numpy(), values[baseline].to_numpy(), test="wilcoxon")
        row |= {"low": gains.mean() - half, "high": gains.mean() + half, "p_baseline": p}
    return row


def _against_best(values: pd.DataFrame, ranks: pd.Series) -> pd.Series:
    """Uncorrected p-values of Wilcoxon's test against the method of best mean rank."""
    import pandas as pd

    p = pd.Series(float("nan"), index=values.columns)
    if len(ranks) and len(values) > 1:
        best = ranks.idxmin()
        for name in ranks.index[ranks.index != best]:
            x, y = values[best].to_numpy(), values[name].to_numpy()
            p[name] = paired_p(x, y, test="wilcoxon")
    return p


def _verdict(row: Mapping[str, float], is_baseline: bool) -> str:
    if is_baseline:
        return "baseline"
    if np.isnan(row["rank"]):
        return "not ranked"
    if row["p_baseline"] < ALPHA:
        return "above" if row["gain"] > 0 else "below"
    return "not distinguished"
