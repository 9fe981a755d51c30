"""Several methods on one table, without labels."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from .._wording import argument, counted, duration, percent
from ..catalogue import list_methods
from ..evaluation import Comparison
from ..evaluation._compare import by_error, comparisons, not_fitted
from ..evaluation._cost import Meter
from ..exceptions import ArgumentError, DataError
from ..io import NumericTable
from ..io._messages import package
from ..tables import constant_columns
from ._fitting import Interrupt, Progress
from ._methods import Choice, choose, find_method, list_command
from ._select import check_number
from ._tables import Preparing, as_numeric, size_of
from ._text import Blocks, Grid, Printed, as_json

if TYPE_CHECKING:
    import pandas as pd

    from ..report import Page

SCHEMA = "sksieve.compare/2"
RECOMMENDED, BASELINE = "recommended", "random"


def compare(
    X: Any,
    k: int,
    methods: str = RECOMMENDED,
    *,
    time_limit: float | None = None,
    random_state: int = 0,
    progress: bool = False,
    **preparing: Unpack[Preparing],
) -> ComparisonTable:
    """Compare selection methods on one table, without labels: what ``sksieve compare`` does.

    Parameters
    ----------
    X : path, DataFrame, array, sparse matrix, AnnData, Table or NumericTable
        Samples are rows; as for `select`.
    k : int
        Columns that each method chooses, with its defaults.
    methods : str, default="recommended"
        Names in the catalogue, separated by commas; ``"recommended"``: those, and random columns.
    time_limit : float, optional
        Seconds for each method.
    random_state : int, default=0
        Seed of the random numbers.
    progress : bool, default=False
        Show a progress bar.
    **preparing
        Arguments of `sksieve.io.numeric_table`, as for `select`.

    Returns
    -------
    ComparisonTable

    Raises
    ------
    ArgumentError
        If `k` is below 1 or a method is unknown.
    DataError
        If the table cannot be used.

    Examples
    --------
    >>> import sksieve
    >>> from sklearn.datasets import load_wine
    >>> table = sksieve.compare(load_wine(as_frame=True).data, 2, "local_search,variance")
    >>> table.frame[["method", "explained"]].round(2)
             method  explained
    0  local_search       0.45
    1      variance       0.27
    """
    plan = ComparisonPlan(
        k=k, methods=methods, time_limit=time_limit, random_state=random_state, progress=progress
    )
    return plan.run(as_numeric(X, preparing))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ComparisonTable(Printed):
    """Methods and what their columns are worth; made by `sksieve.compare`.

    Attributes
    ----------
    rows : list of Comparison
        The best explained share first; methods that refused the table come last.
    frame : DataFrame
        A row for each method.
    notes : list of str
    """

    plan: ComparisonPlan
    numeric: NumericTable
    rows: list[Comparison]
    notes: list[str] = field(default_factory=list)

    fitted = None

    def records(self) -> list[dict[str, Any]]:
        """One entry for each method; what is not a number is None."""
        return [self._record(row) for row in self.rows]

    def _record(self, row: Comparison) -> dict[str, Any]:
        record: dict[str, Any] = {"method": row.method}
        for name in ("explained", "preservation", "redundancy", "seconds"):
            value = getattr(row, name)
            record[name] = value if math.isfinite(value) else None
        record["refused"] = row.refused or None
        record["columns"] = [self.numeric.columns[j] for j in row.columns]
        return record

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each method."""
        return package("pandas", "cli").DataFrame(self.records())

    def blocks(self, *, details: bool = False) -> Blocks:
        """What is printed, line by line."""
        k = self.plan.k
        rows = [
            (
                row.method,
                percent(row.explained),
                percent(row.preservation),
                f"{row.redundancy:.3f}",
                duration(row.seconds),
            )
            for row in self.rows
            if not row.refused
        ]
        refused = [f"{row.method}: {row.refused}" for row in self.rows if row.refused]
        once = (
            "; random is one draw, not a mean"
            if BASELINE in {row.method for row in self.rows}
            else ""
        )
        heads = ("method", ">explained", ">neighbors kept", ">redundancy", ">time")
        return [
            f"Data: {self.numeric.table.name}, {size_of(self.numeric.X)}; {counted(k, 'column')} "
            "chosen",
            f"Explained: share of the standardized table on rows not used{once}. No "
            "labels are used.",
            "",
            Grid(heads, rows),
            *(["", "Without a result:", *refused] if refused else ()),
        ]

    def document(self) -> dict[str, Any]:
        """The answer as JSON can hold it."""
        m, n = self.numeric.X.shape
        return as_json(
            {
                "schema": SCHEMA,
                "data": {"name": self.numeric.table.name, "n_samples": m, "n_features": n},
                "methods": self.records(),
                "notes": self.notes,
            }
        )

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        command: str = "",
        loading: str = "X = ...  # your table",
    ) -> Page:
        """The comparison as one HTML page; see `Selection.report`."""
        from ..report import ComparisonResult, report_page

        result = ComparisonResult(
            rows=self.rows,
            feature_names=self.numeric.columns,
            k=self.plan.k,
            data_name=self.numeric.table.name,
            data_sha256=self.numeric.table.sha256,
            n_samples=self.numeric.X.shape[0],
            command=command,
            seed=self.plan.random_state,
            time_limit=self.plan.time_limit,
            notes=tuple(self.notes),
            loading=loading,
        )
        return report_page(result, path)


@dataclass(frozen=True, kw_only=True)
class ComparisonPlan:
    """The arguments of `compare`, checked before any table is read."""

    k: int
    methods: str = RECOMMENDED
    time_limit: float | None = None
    random_state: int = 0
    progress: bool = False

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ArgumentError(f"{argument('k', self.k)}: choose at least one column.")
        self.names  # noqa: B018 (refuses unknown methods)

    @property
    def names(self) -> list[str]:
        """Names of methods, each once; ``recommended`` stands for those and the baseline."""
        if self.methods == RECOMMENDED:
            methods = [m for m in list_methods() if m.kind != "clusterer" and m.role == RECOMMENDED]
            apart = (BASELINE, "correlated", "mixed")  # own number of columns; whole variables
            return [*(m.name for m in methods if m.name not in apart), BASELINE]
        words = [word.strip() for word in self.methods.split(",") if word.strip()]
        if not words:
            raise ArgumentError(
                f"{argument('methods')}: name at least one method; {list_command()} lists them."
            )
        auto = Choice(find_method("local_search"), "")
        chosen = [choose(word, ("columns", "selector"), auto).method for word in words]
        return list(dict.fromkeys(method.name for method in chosen))

    def run(self, numeric: NumericTable) -> ComparisonTable:
        """Fit each method; after Ctrl-C those not yet fitted have no result."""
        check_number(self.k, numeric)
        name = numeric.table.name
        if constant_columns(numeric.X).all():
            raise DataError(f"Every column of {name} is constant; there is nothing to choose from.")
        names, rows = self.names, []
        with Interrupt(True) as interrupt:
            for i, method in enumerate(names):
                if interrupt.requested:
                    rows.append(not_fitted(method, "not fitted: stopped by Ctrl-C."))
                    continue
                title = f"Fitting {method} ({i + 1} of {len(names)})"
                bar = Progress(title, shown=self.progress, seconds=self.time_limit)
                with bar, Meter(on_compile=bar.report_compilation):
                    rows += comparisons(
                        numeric.X,
                        self.k,
                        [method],
                        random_state=self.random_state,
                        time_limit=self.time_limit,
                        watch=lambda _, bar=bar: (bar, interrupt),  # type: ignore[misc]
                    )
        rows = sorted(rows, key=by_error)
        notes = [
            *numeric.notes,
            *(f"{row.method}: {text}" for row in rows for text in row.warnings),
        ]
        return ComparisonTable(plan=self, numeric=numeric, rows=rows, notes=notes)
