"""``sksieve compare``: parse, call `sksieve.compare`, print."""

from __future__ import annotations

from ..exceptions import DataError
from ..io import write_table
from ..workflows import ComparisonPlan
from ._data import check_targets, read_numeric, report_fields
from ._options import CompareOptions
from ._print import print_answer, shows_progress


def run(options: CompareOptions) -> None:
    """Fit each method and report what its columns are worth."""
    plan = ComparisonPlan(
        k=options.k,
        methods=options.methods,
        time_limit=options.seconds,
        random_state=options.seed,
        progress=shows_progress(),
    )
    check_targets(options, (".csv",))
    numeric = read_numeric(options)
    table = plan.run(numeric)
    if options.output is not None:
        records = [record | {"columns": "; ".join(record["columns"])} for record in table.records()]
        write_table(options.output, {name: [r[name] for r in records] for name in records[0]})
    if options.report is not None:
        loading = report_fields(numeric, options, None, "none")["loading"]  # it scales by itself
        table.report(options.report, command=options.command_line(), loading=loading)
    print_answer(options, table)
    if all(row.refused for row in table.rows):
        raise DataError(
            f"No method gave a result for {numeric.table.name}; the reasons are listed above."
        )
