"""``sksieve communities``: parse, call `sksieve.communities`, print."""

from __future__ import annotations

from ..io import read_graph, write_table
from ..io._write import FRAMES
from ..workflows import CommunityPlan
from ._data import check_targets, continuing, graph_lines
from ._options import CommunityOptions
from ._print import print_answer, shows_progress


def run(options: CommunityOptions) -> None:
    """Find communities and report them."""
    plan = CommunityPlan(**options.arguments, progress=shows_progress())
    check_targets(options, tuple(FRAMES))
    with continuing(options):
        groups = plan.run(read_graph(options.data, **options.reading))
    if options.output is not None:
        write_table(options.output, groups.rows())
    if options.adjacency is not None:
        groups.write_image(options.adjacency)
    if options.report is not None:
        command = options.command_line(method=groups.choice.method.name)
        groups.report(options.report, command=command, loading=graph_lines(options))
    print_answer(options, groups, options.following("labels.csv"))
