"""``sksieve cluster``: parse, call `sksieve.cluster`, print."""

from __future__ import annotations

from ..io import write_table
from ..io._write import FRAMES
from ..workflows import ClusterPlan, OneLump
from ._data import check_targets, continuing, read_numeric, report_fields
from ._options import ClusterOptions
from ._print import print_answer, shows_progress


def run(options: ClusterOptions) -> None:
    """Find groups of samples and report them."""
    plan = ClusterPlan(**options.arguments, progress=shows_progress())
    check_targets(options, tuple(FRAMES))
    numeric = read_numeric(options)
    with continuing(options):
        groups = plan.run(numeric)
    if isinstance(groups, OneLump):
        written = [p for p in (options.output, options.report, options.adjacency) if p]
        if written:
            groups.notes.append(f"Not written: {', '.join(map(str, written))}.")
        print_answer(options, groups)
        return
    if options.output is not None:
        write_table(options.output, groups.rows())
    if options.adjacency is not None:
        groups.write_image(options.adjacency)
    method = groups.choice.method
    if options.report is not None:
        loading = report_fields(numeric, options, method, groups.scale)["loading"]
        command = options.command_line(method=method.name)
        groups.report(options.report, command=command, loading=loading)
    print_answer(options, groups, options.following("labels.csv"))
