"""Do the methods of a table differ over its rows? Friedman, Nemenyi, paired tests."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._markup import escape_latex, escape_markdown, latex, markdown
from ._statistics import Friedman, friedman, nemenyi, paired_p
from ._tables import ResultTable, check_format

if TYPE_CHECKING:
    import pandas as pd

P_NOTE = "p-values; pairs are the rows (data sets), so few rows decide little"


@dataclass(frozen=True)
class Significance:
    """Tests over the rows of a table.

    Attributes
    ----------
    friedman : Friedman
        Do the methods differ at all? With mean ranks and Nemenyi's critical difference.
    nemenyi : DataFrame
        p-values of all pairs, best mean rank first.
    against_best : DataFrame
        For each method but the one of best mean rank: mean difference from it, and p-values of the
        paired t-test and of Wilcoxon's signed-rank test over the rows (not corrected for their
        number).
    """

    friedman: Friedman
    nemenyi: pd.DataFrame
    against_best: pd.DataFrame

    def frames(self) -> dict[str, pd.DataFrame]:
        """The tests as tables, each under its title."""
        test, best = self.friedman, self.friedman.ranks.index[0]
        ranks = test.ranks.rename("mean rank").rename_axis("method").reset_index()
        title = (
            f"Mean ranks over {test.n_rows} rows, 1 is best; Friedman chi2 = {test.statistic:.4g}, "
            f"p = {test.p:.3g}; critical difference {test.critical_difference:.3f}"
        )
        return {
            title: ranks,
            f"Nemenyi's test of all pairs: {P_NOTE}": self.nemenyi.rename_axis(
                "method"
            ).reset_index(),
            f"Paired tests against {best} (best mean rank), not corrected: {P_NOTE}": (
                self.against_best.rename_axis("method").reset_index()
            ),
        }

    def long(self) -> pd.DataFrame:
        """One line for each number: method, against, quantity, value."""
        import pandas as pd

        test = self.friedman
        whole = {
            "Friedman chi2": test.statistic,
            "Friedman p": test.p,
            "critical difference": test.critical_difference,
            "rows": test.n_rows,
        }
        lines: list[tuple[str, str, str, float]] = [("", "", *item) for item in whole.items()]
        lines += [(str(name), "", "mean rank", rank) for name, rank in test.ranks.items()]
        for a in self.nemenyi.index:
            for b in self.nemenyi.columns:
                if a != b:
                    lines.append((str(a), str(b), "Nemenyi p", self.nemenyi.loc[a, b]))
        best = str(test.ranks.index[0])
        for name, row in self.against_best.iterrows():
            lines += [
                (str(name), best, quantity, row[head]) for head, quantity in QUANTITIES.items()
            ]
        return pd.DataFrame(lines, columns=["method", "against", "quantity", "value"])

    def text(self, form: str) -> str:
        """The tests as ``csv``, ``md`` or ``tex``.

        Raises
        ------
        ValueError
            For another format.
        """
        check_format(form)
        if form == "csv":
            return _csv(self.long())
        parts = [_written(title, frame, form) for title, frame in self.frames().items()]
        return "\n".join(parts)


#: Columns of `Significance.against_best`, by the names they have in a CSV.
QUANTITIES = {
    "mean difference": "mean difference",
    "paired t": "paired t p",
    "Wilcoxon": "Wilcoxon p",
}


def statistics_csv(tables: Sequence[ResultTable], tests: Sequence[Significance]) -> str:
    """Tables of results and the tests over their rows as one CSV.

    Parameters
    ----------
    tables : sequence of ResultTable
        One for each score.
    tests : sequence of Significance
        Of each table, in the same order.

    Returns
    -------
    str
        One line for each number: score, row of the table (empty for a test over all rows), method,
        against (the method it is compared with), quantity, value, and mark and status of a mean.
    """
    import pandas as pd

    parts = []
    for table, test in zip(tables, tests, strict=True):
        cells = table.long()
        names = [name for name in cells.columns if name in table.mean.index.names]
        values = ("mean", "std", "p", "pairs")
        long = cells.melt([*names, "method", "mark", "status", "cause"], list(values), "quantity")
        long["against"] = ""
        is_p = long["quantity"].isin(["p", "pairs"])
        best = cells[cells["mark"] == "best"].set_index(names)["method"]
        rows = pd.MultiIndex.from_frame(long.loc[is_p, names]) if len(names) > 1 else None
        keys = rows if rows is not None else long.loc[is_p, names[0]]
        long.loc[is_p, "against"] = best.reindex(keys).to_numpy()
        long.loc[long["quantity"] != "mean", ["mark", "status", "cause"]] = ""
        long = long[long["value"].notna() | (long["quantity"] == "mean")]
        part = pd.concat([long, test.long()], ignore_index=True)
        part.insert(0, "score", table.score)
        heads = [
            "score",
            *names,
            "method",
            "against",
            "quantity",
            "value",
            "mark",
            "status",
            "cause",
        ]
        parts.append(part[heads])
    return _csv(pd.concat(parts, ignore_index=True))


def _csv(frame: pd.DataFrame) -> str:
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False, lineterminator="\n")
    return buffer.getvalue()


def _written(title: str, frame: pd.DataFrame, form: str) -> str:
    cells = [
        [f"{value:.4g}" if isinstance(value, float) else str(value) for value in row]
        for row in frame.itertuples(index=False)
    ]
    heads = [str(name) for name in frame.columns]
    if form == "md":
        rows = [list(map(escape_markdown, row)) for row in cells]
        lines = markdown(list(map(escape_markdown, heads)), rows)
        return "\n".join([escape_markdown(title), "", *lines]) + "\n"
    rows = [list(map(escape_latex, row)) for row in cells]
    form = "l" + "r" * (len(heads) - 1)
    return latex(title, list(map(escape_latex, heads)), rows, form)


def significance(table: ResultTable, *, alpha: float = 0.05) -> Significance:
    """Tests over the rows of a table of results.

    Parameters
    ----------
    table : ResultTable
        From `result_table`. Methods that have no row are left out, then rows that lack a method.
    alpha : float, default=0.05
        Level of the critical difference.

    Raises
    ------
    ValueError
        For fewer than three methods or two complete rows.
    ImportError
        Without scikit-posthocs.
    """
    import pandas as pd

    wide = table.mean.dropna(axis="columns", how="all")
    test = friedman(wide, better=table.better, alpha=alpha)
    order = list(test.ranks.index)
    complete = wide.dropna()[order]
    p = nemenyi(complete)
    best, rows = complete[order[0]].to_numpy(), []
    for name in order[1:]:
        other = complete[name].to_numpy()
        tests = (paired_p(best, other), paired_p(best, other, test="wilcoxon"))
        rows.append((name, float((other - best).mean()), *tests))
    heads = ["method", "mean difference", "paired t", "Wilcoxon"]
    return Significance(test, p, pd.DataFrame(rows, columns=heads).set_index("method"))
