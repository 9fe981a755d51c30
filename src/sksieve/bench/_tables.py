"""Tables as the papers print them: mean and deviation, the best and its ties marked."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ._markup import escape_latex, escape_markdown, latex, markdown
from ._protocols import Protocol
from ._results import INDEX, rows_of_score
from ._statistics import Better, paired_p, summarize

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("csv", "md", "tex")

#: Scores of which less is better.
SMALLER = ("clock", "cpu", "error_ratio", "memory", "projector", "redundancy", "seconds")

#: Beside the best, methods whose difference from it has at least this p-value are marked.
TIE = 0.05

Test = Literal["t", "wilcoxon"]
TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon's signed-rank test"}

#: How numbers with a mark are written: text before and after.
Forms = dict[str, tuple[str, str]]
MARKDOWN: Forms = {"best": ("**", "**"), "tie": ("*", "*"), "": ("", "")}
LATEX: Forms = {"best": (r"\textbf{", "}"), "tie": (r"\underline{", "}"), "": ("", "")}


@dataclass(frozen=True)
class ResultTable:
    """A row for each data set (and k), a column for each method.

    Attributes
    ----------
    score : str
        Which score it shows.
    title : str
        What it shows, and under which protocol.
    mean, std : DataFrame
        Over all scores of a cell of the table; NaN where a fit failed or is not done.
    status : DataFrame
        ``ok``, ``failed``, ``unfinished``, or empty where the spec has no such cell.
    causes : DataFrame
        Of a failure: ``over budget``, ``refused`` or ``failed``; else empty.
    marks : DataFrame
        ``best``, ``tie`` (not different from the best: p >= 0.05), or empty.
    p : DataFrame
        p-value of a paired test against the best of the row. Pairs are the repetitions of the fit
        (or random graphs, or splits); scores of one repetition are averaged first, since repeated
        k-means runs on one fit are not independent. NaN for the best itself and where there are
        fewer than two pairs.
    pairs : DataFrame
        Number of pairs of each p-value; 0 where there is none.
    unit : str
        What a pair is, in words.
    test : {"t", "wilcoxon"}
        Which test: Student's on the differences, or Wilcoxon's signed-rank test.
    better : {"larger", "smaller"}
        Which way the score is better.
    digits : int
        Decimals in text.
    """

    score: str
    title: str
    mean: pd.DataFrame
    std: pd.DataFrame
    status: pd.DataFrame
    causes: pd.DataFrame
    marks: pd.DataFrame
    p: pd.DataFrame
    pairs: pd.DataFrame
    unit: str
    test: Test = "t"
    better: Better = "larger"
    digits: int = 4

    def text(self, form: str) -> str:
        """The table as ``csv``, ``md`` or ``tex``.

        Raises
        ------
        ValueError
            For another format.
        """
        check_format(form)
        if form == "csv":
            return csv_text([self])
        return self._markdown() if form == "md" else self._latex()

    def long(self) -> pd.DataFrame:
        """One line for each row and method: score, row, method, numbers in full, mark, status."""
        import pandas as pd

        parts = {"mean": self.mean, "std": self.std, "p": self.p, "pairs": self.pairs}
        parts |= {"mark": self.marks, "status": self.status, "cause": self.causes}
        long = pd.DataFrame({name: part.stack(future_stack=True) for name, part in parts.items()})
        long = long[long["status"] != ""].reset_index().rename(columns={"column": "method"})
        long.insert(0, "score", self.score)
        return long

    @property
    def note(self) -> str:
        """What the marks mean and what their test pairs, in a sentence."""
        least, most = self._numbers_of_pairs()
        if most < 2:
            return "No test: a single fit of each method gives no pairs."
        count = f"{most}" if least == most else f"{least} to {most}"
        return (
            f"Test: {TESTS[self.test]} against the best of the row over {count} {self.unit}; "
            f"repeated scores of one fit are averaged first. A tie has p >= {TIE}."
        )

    def _numbers_of_pairs(self) -> tuple[int, int]:
        counts = self.pairs.to_numpy(int)
        counts = counts[counts > 0]
        return (int(counts.min()), int(counts.max())) if counts.size else (0, 0)

    def _markdown(self) -> str:
        levels = self.mean.index.nlevels
        heads = [escape_markdown(head) for head in self._heads()]
        rows = [
            [*map(escape_markdown, row[:levels]), *row[levels:]]
            for row in self._cells(MARKDOWN, " ± ")
        ]
        legend = f"**best** of the row, *tie*. {self.note}"
        return (
            "\n".join([escape_markdown(self.title), "", *markdown(heads, rows), "", legend]) + "\n"
        )

    def _latex(self) -> str:
        levels = self.mean.index.nlevels
        heads = [escape_latex(head) for head in self._heads()]
        rows = [
            [*map(escape_latex, row[:levels]), *row[levels:]]
            for row in self._cells(LATEX, r" $\pm$ ")
        ]
        form = "l" * levels + "r" * len(self.mean.columns)
        return latex(f"{self.title}. {self.note}", heads, rows, form)

    def _heads(self) -> list[str]:
        return [*map(str, self.mean.index.names), *map(str, self.mean.columns)]

    def _cells(self, forms: Forms, between: str) -> list[list[str]]:
        rows = []
        for i, index in enumerate(self.mean.index):
            names = index if isinstance(index, tuple) else (index,)
            cells = [self._cell(i, j, forms, between) for j in range(self.mean.shape[1])]
            rows.append([*map(str, names), *cells])
        return rows

    def _cell(self, i: int, j: int, forms: Forms, between: str) -> str:
        status = self.status.iat[i, j]
        if status != "ok":
            return str(self.causes.iat[i, j] or status) or "-"
        before, after = forms[str(self.marks.iat[i, j])]
        return f"{before}{self.number(i, j, between)}{after}"

    def number(self, i: int, j: int, between: str = " ± ") -> str:
        """Mean and deviation in row i, column j; the mean alone where there is one score."""
        mean, std = (part.to_numpy(float)[i, j] for part in (self.mean, self.std))
        text = f"{mean:.{self.digits}f}"
        return text if np.isnan(std) else f"{text}{between}{std:.{self.digits}f}"


def check_format(form: str) -> None:
    """Refuse a format that is not one of `FORMATS`."""
    if form not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {form!r}.")


def csv_text(tables: Sequence[ResultTable]) -> str:
    """Several tables as one CSV: a line for each score, row and method."""
    import pandas as pd

    buffer = io.StringIO()
    long = pd.concat([table.long() for table in tables], ignore_index=True)
    long.to_csv(buffer, index=False, lineterminator="\n")
    return buffer.getvalue()


def result_table(
    frame: pd.DataFrame,
    rules: Protocol,
    *,
    score: str | None = None,
    average: bool = False,
    name: str = "",
    test: Test = "t",
) -> ResultTable:
    """The table of a spec's results.

    Parameters
    ----------
    frame : DataFrame
        From `results`.
    rules : Protocol
        How the results came about; a tuned one shows, for each method with a grid, its defaults
        and the best point of the grid by true labels, side by side.
    score : str, optional
        Which score; the protocol's own by default.
    average : bool, default=False
        Mean and deviation over all k, in place of a row for each k.
    name : str
        Name of the spec, for the title.
    test : {"t", "wilcoxon"}, default="t"
        Paired test that decides on ties with the best.

    Raises
    ------
    ValueError
        If there is no such score or test.
    """
    score = score or rules.score
    if test not in TESTS:
        raise ValueError(f"test must be one of {', '.join(TESTS)}; got {test!r}.")
    if score not in frame.columns:
        indexed = frame.columns.difference([*INDEX, "status", "reason", "cause"])
        raise ValueError(
            f"there is no score {score!r} in these results; known: {', '.join(indexed)}."
        )
    sign: Better = "smaller" if score in SMALLER else "larger"
    tuned = "; (oracle): best of the grid BY TRUE LABELS" if (frame["setting"] != "").any() else ""
    frame = _beside_oracle(rows_of_score(frame, score), score, sign)
    rows = ["dataset"] if average or rules.best_k else list(rules.rows)
    if rules.best_k and not average:
        frame = _at_best_k(frame, score, sign)
    long = summarize(frame, score, [*rows, "column"])
    wide = {c: long.pivot(index=rows, columns="column", values=c) for c in ("mean", "std")}
    status = long.pivot(index=rows, columns="column", values="status").fillna("")
    causes = long.pivot(index=rows, columns="column", values="cause").fillna("")
    p, pairs = _against_best(frame, wide["mean"], rows, score, sign, test)
    averaged = ", mean over all k" if average and "k" in rules.rows else ""
    title = f"{name}: {score}, protocol {rules.name} ({rules.title}{tuned}){averaged}"
    return ResultTable(
        *(score, title.removeprefix(": "), wide["mean"], wide["std"], status, causes),
        *(_marks(wide["mean"], p, sign), p, pairs),
        unit="random draws of the data" if rules.draws > 1 else "repetitions of the fit",
        test=test,
        better=sign,
    )


def _beside_oracle(frame: pd.DataFrame, score: str, sign: str) -> pd.DataFrame:
    """Rows of the defaults, and once more those of the best setting of each method and data set.

    Methods without a grid keep their plain name.
    """
    import pandas as pd

    default = frame[frame["setting"] == ""]
    tuned = frame.loc[frame["setting"] != "", "method"].unique()
    honest = default["method"].where(
        ~default["method"].isin(tuned), default["method"] + " (default)"
    )
    parts = [default.assign(column=honest)]
    groups = frame[frame["method"].isin(tuned)].groupby(["dataset", "method"], sort=True)
    for (_, method), group in groups:
        chosen = _best(group, "setting", score, sign)
        parts.append(chosen.assign(column=f"{method} (oracle)"))
    return pd.concat(parts, ignore_index=True)


def _at_best_k(frame: pd.DataFrame, score: str, sign: str) -> pd.DataFrame:
    """Of each data set and column the rows with the best number of columns, BY TRUE LABELS."""
    import pandas as pd

    groups = frame.groupby(["dataset", "column"], sort=True)
    return pd.concat([_best(group, "k", score, sign) for _, group in groups], ignore_index=True)


def _best(group: pd.DataFrame, by: str, score: str, sign: str) -> pd.DataFrame:
    """The rows with the value of `by` that has the best mean.

    Where each of them failed at some k, they are compared at the k at which none did.
    """
    means = summarize(group, score, [by])
    if (means["status"] == "unfinished").any():
        return group.assign(status="unfinished")
    if means["mean"].isna().all():
        lost = group.loc[group["status"] == "failed", "k"]
        means = summarize(group[~group["k"].isin(lost)], score, [by])
    if means["mean"].isna().all():
        return group.assign(status="failed")
    order = means["mean"] if sign == "larger" else -means["mean"]
    return group[group[by] == means[by].to_numpy()[int(np.nanargmax(order))]]


def _against_best(
    frame: pd.DataFrame, mean: pd.DataFrame, rows: list[str], score: str, sign: str, test: Test
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """p-values of the others against the best of each row, and numbers of pairs."""
    p, n_pairs = mean * float("nan"), (mean * 0).fillna(0).astype(int)
    ok = frame[frame["status"] == "ok"]
    for i, (_, means) in enumerate(mean.iterrows()):
        means = means.dropna()
        if means.empty:
            continue
        names = mean.index.to_frame().iloc[i]
        here = np.logical_and.reduce([ok[row] == names[row] for row in rows])
        units = _units(ok[here & ok["column"].isin(means.index)], score)
        best = means.idxmax() if sign == "larger" else means.idxmin()
        for name in means.index.drop([best]):
            both = units[[best, name]].dropna().to_numpy()
            if len(both) > 1:
                j = list(mean.columns).index(name)
                p.iloc[i, j] = paired_p(both[:, 0], both[:, 1], test=test)
                n_pairs.iloc[i, j] = len(both)
    return p, n_pairs


def _marks(mean: pd.DataFrame, p: pd.DataFrame, sign: str) -> pd.DataFrame:
    import pandas as pd

    marks = np.where(p.to_numpy(float) >= TIE, "tie", "").astype(object)
    values = mean.to_numpy(float) * (1 if sign == "larger" else -1)
    for i in np.flatnonzero(np.isfinite(values).any(axis=1)):
        marks[i, values[i] == np.nanmax(values[i])] = "tie"
        marks[i, np.nanargmax(values[i])] = "best"
    return pd.DataFrame(marks, index=mean.index, columns=mean.columns)


def _units(group: pd.DataFrame, score: str) -> pd.DataFrame:
    """Mean score of each repetition, a column for each method.

    A method without a seed has one fit, which is paired with every repetition of the others.
    """
    wide = group.groupby(["repetition", "column"])[score].mean().unstack("column")
    for name in wide.columns[wide.notna().sum() == 1]:
        wide[name] = wide[name].dropna().iloc[0]
    return wide
