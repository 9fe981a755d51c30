"""Tables as the papers print them: mean and deviation, the best and its ties marked."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ._markup import latex, markdown, tex
from ._protocols import Protocol
from ._results import INDEX
from ._statistics import Better, paired_p, summarise

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "ResultTable", "result_table"]

FORMATS = ("csv", "md", "tex")

#: Figures of which less is better.
SMALLER = ("clock", "error_ratio", "projector", "seconds")

#: Beside the best, methods whose difference from it has at least this p-value are marked.
TIE = 0.05

Test = Literal["t", "wilcoxon"]
TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon's signed-rank test"}


@dataclass(frozen=True)
class ResultTable:
    """A row for each data set (and k), a column for each method.

    Attributes
    ----------
    title : str
        What it shows, and under which protocol.
    mean, std : DataFrame
        NaN where a cell failed or is not done.
    status : DataFrame
        ``ok``, ``failed``, ``unfinished``, or empty where the spec has no such cell.
    marks : DataFrame
        ``best``, ``tie`` (not different from the best: p >= 0.05), or empty.
    p : DataFrame
        p-value of a paired test against the best of the row, over k, repeats and repetitions; NaN
        for the best itself and where there are fewer than two pairs.
    test : {"t", "wilcoxon"}
        Which test: Student's on the differences, or Wilcoxon's signed-rank test.
    better : {"larger", "smaller"}
        Which way the figures are better.
    digits : int
        Decimals in text.
    """

    title: str
    mean: pd.DataFrame
    std: pd.DataFrame
    status: pd.DataFrame
    marks: pd.DataFrame
    p: pd.DataFrame
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
        if form not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {form!r}.")
        return {"csv": self._csv, "md": self._markdown, "tex": self._latex}[form]()

    def _csv(self) -> str:
        """One line for each row and method, figures in full."""
        import pandas as pd

        names = ("mean", "std", "status", "marks", "p")
        long = pd.DataFrame({name: getattr(self, name).stack(future_stack=True) for name in names})
        long = long[long["status"] != ""]
        buffer = io.StringIO()
        long.reset_index().to_csv(buffer, index=False, lineterminator="\n")
        return buffer.getvalue()

    def _markdown(self) -> str:
        rows = self._said({"best": "**{}**", "tie": "*{}*", "": "{}"}, " ± ")
        lines = markdown(self._heads(), rows)
        legend = f"**best**, *not different from the best ({TESTS[self.test]}, p >= {TIE})*"
        return "\n".join([self.title, "", *lines, "", legend]) + "\n"

    def _latex(self) -> str:
        levels = self.mean.index.nlevels
        forms = {"best": r"\textbf{{{}}}", "tie": r"\underline{{{}}}", "": "{}"}
        rows = [[*map(tex, row[:levels]), *row[levels:]] for row in self._said(forms, r" $\pm$ ")]
        form = "l" * levels + "r" * len(self.mean.columns)
        return latex(self.title, [tex(head) for head in self._heads()], rows, form)

    def _heads(self) -> list[str]:
        return [*map(str, self.mean.index.names), *self.mean.columns]

    def _said(self, forms: dict[str, str], between: str) -> list[list[str]]:
        rows = []
        for i, index in enumerate(self.mean.index):
            names = index if isinstance(index, tuple) else (index,)
            cells = [self._cell(i, j, forms, between) for j in range(self.mean.shape[1])]
            rows.append([*map(str, names), *cells])
        return rows

    def _cell(self, i: int, j: int, forms: dict[str, str], between: str) -> str:
        status = self.status.iat[i, j]
        if status != "ok":
            return str(status) or "-"
        return forms[str(self.marks.iat[i, j])].format(self.figure(i, j, between))

    def figure(self, i: int, j: int, between: str = " ± ") -> str:
        """Mean and deviation in row i, column j; the mean alone where there is one score."""
        mean, std = (part.to_numpy(float)[i, j] for part in (self.mean, self.std))
        said = f"{mean:.{self.digits}f}"
        return said if np.isnan(std) else f"{said}{between}{std:.{self.digits}f}"


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
        Which figure; the protocol's own by default.
    average : bool, default=False
        Mean and deviation over all k, in place of a row for each k.
    name : str
        Of the spec.
    test : {"t", "wilcoxon"}, default="t"
        Paired test by which ties with the best are told.

    Raises
    ------
    ValueError
        If there is no such score or test.
    """
    score = score or rules.score
    if test not in TESTS:
        raise ValueError(f"test must be one of {', '.join(TESTS)}; got {test!r}.")
    if score not in frame.columns:
        known = frame.columns.difference([*INDEX, "status", "reason"])
        raise ValueError(
            f"there is no score {score!r} in these results; known: {', '.join(known)}."
        )
    sign: Better = "smaller" if score in SMALLER else "larger"
    tuned = "; (oracle): best of the grid BY TRUE LABELS" if (frame["setting"] != "").any() else ""
    frame = _beside_oracle(frame, score, sign)
    rows = ["dataset"] if average or rules.best_k else list(rules.rows)
    if rules.best_k and not average:
        frame = _at_best_k(frame, score, sign)
    long = summarise(frame, score, [*rows, "column"])
    wide = {c: long.pivot(index=rows, columns="column", values=c) for c in ("mean", "std")}
    status = long.pivot(index=rows, columns="column", values="status").fillna("")
    p = _against_best(frame, wide["mean"], rows, score, sign, test)
    averaged = ", mean over all k" if average and "k" in rules.rows else ""
    title = f"{name}: {score}, protocol {rules.name} ({rules.title}{tuned}){averaged}"
    title, marks = title.removeprefix(": "), _marks(wide["mean"], p, sign)
    return ResultTable(title, wide["mean"], wide["std"], status, marks, p, test, sign)


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
    means = summarise(group, score, [by])
    if (means["status"] == "unfinished").any():
        return group.assign(status="unfinished")
    if means["mean"].isna().all():
        lost = group.loc[group["status"] == "failed", "k"]
        means = summarise(group[~group["k"].isin(lost)], score, [by])
    if means["mean"].isna().all():
        return group.assign(status="failed")
    order = means["mean"] if sign == "larger" else -means["mean"]
    return group[group[by] == means[by].to_numpy()[int(np.nanargmax(order))]]


def _against_best(
    frame: pd.DataFrame, mean: pd.DataFrame, rows: list[str], score: str, sign: str, test: Test
) -> pd.DataFrame:
    p = mean * float("nan")
    ok = frame[frame["status"] == "ok"]
    for i, (_, means) in enumerate(mean.iterrows()):
        means = means.dropna()
        if means.empty:
            continue
        names = mean.index.to_frame().iloc[i]
        here = np.logical_and.reduce([ok[row] == names[row] for row in rows])
        pairs = _pairs(ok[here & ok["column"].isin(means.index)], score)
        best = means.idxmax() if sign == "larger" else means.idxmin()
        for name in means.index.drop([best]):
            both = pairs[[best, name]].dropna().to_numpy()
            p.iloc[i, list(mean.columns).index(name)] = paired_p(both[:, 0], both[:, 1], test=test)
    return p


def _marks(mean: pd.DataFrame, p: pd.DataFrame, sign: str) -> pd.DataFrame:
    import pandas as pd

    marks = np.where(p.to_numpy(float) >= TIE, "tie", "").astype(object)
    values = mean.to_numpy(float) * (1 if sign == "larger" else -1)
    for i in np.flatnonzero(np.isfinite(values).any(axis=1)):
        marks[i, values[i] == np.nanmax(values[i])] = "tie"
        marks[i, np.nanargmax(values[i])] = "best"
    return pd.DataFrame(marks, index=mean.index, columns=mean.columns)


def _pairs(group: pd.DataFrame, score: str) -> pd.DataFrame:
    """A column of scores for each method, pair by pair.

    A method without a seed has one fit: its scores stand beside every repetition of the others.
    """
    wide = group.pivot_table(
        index=["k", "repeat", "repetition"], columns="column", values=score, aggfunc="mean"
    )
    once = group.groupby("column")["repetition"].nunique() == 1
    for name in wide.columns[once[wide.columns].to_numpy()]:
        wide[name] = wide.groupby(level=["k", "repeat"])[name].transform("first")
    return wide
