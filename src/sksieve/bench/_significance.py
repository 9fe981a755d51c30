"""Do the methods of a table differ over its rows? Friedman, Nemenyi, paired tests."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._markup import latex, markdown, tex
from ._statistics import Friedman, friedman, nemenyi, paired_p
from ._tables import FORMATS, ResultTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Significance", "significance"]

P_NOTE = "p-values; rows are the units, so few rows decide little"


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
        said = (
            f"Mean ranks over {test.n_rows} rows, 1 is best; Friedman chi2 = {test.statistic:.4g}, "
            f"p = {test.p:.3g}; critical difference {test.critical_difference:.3f}"
        )
        return {
            said: ranks,
            f"Nemenyi's test of all pairs: {P_NOTE}": self.nemenyi.rename_axis(
                "method"
            ).reset_index(),
            f"Paired tests against {best} (best mean rank), not corrected: {P_NOTE}": (
                self.against_best.rename_axis("method").reset_index()
            ),
        }

    def text(self, form: str) -> str:
        """The tests as ``csv``, ``md`` or ``tex``.

        Raises
        ------
        ValueError
            For another format.
        """
        if form not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {form!r}.")
        parts = [_written(title, frame, form) for title, frame in self.frames().items()]
        return "\n".join(parts)


def _written(title: str, frame: pd.DataFrame, form: str) -> str:
    if form == "csv":
        buffer = io.StringIO()
        frame.to_csv(buffer, index=False, lineterminator="\n")
        return buffer.getvalue()
    cells = [
        [f"{value:.4g}" if isinstance(value, float) else str(value) for value in row]
        for row in frame.itertuples(index=False)
    ]
    heads = [str(name) for name in frame.columns]
    if form == "md":
        return "\n".join([title, "", *markdown(heads, cells)]) + "\n"
    rows = [[tex(cell) for cell in row] for row in cells]
    return latex(title, [tex(head) for head in heads], rows, "l" + "r" * (len(heads) - 1))


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
        mine = complete[name].to_numpy()
        tests = (paired_p(best, mine), paired_p(best, mine, test="wilcoxon"))
        rows.append((name, float((mine - best).mean()), *tests))
    heads = ["method", "mean difference", "paired t", "Wilcoxon"]
    return Significance(test, p, pd.DataFrame(rows, columns=heads).set_index("method"))
