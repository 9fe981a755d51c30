"""The harness of ``sksieve bench``: specs and cells, a store, a runner, statistics and tables."""

from ._cells import Cell, Data, Item
from ._protocols import PROTOCOLS, Protocol
from ._results import results, rows_of_score
from ._runner import Progress, Replaced, forget_scores, progress, replaced, run_spec
from ._significance import Significance, significance, statistics_csv
from ._spec import Spec
from ._standings import USES, Standings, holm, standings
from ._statistics import Friedman, friedman, nemenyi, paired_p, summarize
from ._store import Fit, Outcome, Score, Store
from ._summary import merge_summaries, read_summary, summary, write_summary
from ._tables import ResultTable, csv_text, result_table
from ._toml import parse_spec, read_spec

__all__ = [
    "PROTOCOLS",
    "USES",
    "Cell",
    "Data",
    "Fit",
    "Friedman",
    "Item",
    "Outcome",
    "Progress",
    "Protocol",
    "Replaced",
    "ResultTable",
    "Score",
    "Significance",
    "Spec",
    "Standings",
    "Store",
    "csv_text",
    "forget_scores",
    "friedman",
    "holm",
    "merge_summaries",
    "nemenyi",
    "paired_p",
    "parse_spec",
    "progress",
    "read_spec",
    "read_summary",
    "replaced",
    "result_table",
    "results",
    "rows_of_score",
    "run_spec",
    "significance",
    "standings",
    "statistics_csv",
    "summarize",
    "summary",
    "write_summary",
]
