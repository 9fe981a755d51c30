"""Comparing methods: specs and cells, a store that survives, a runner, statistics, tables."""

from ._cells import Cell, Data, Item
from ._compare import Comparison, compare
from ._grid import Printed, Spec
from ._papers import Paper, PaperTable, read_papers
from ._partition import Partition, inside_shares, partition
from ._protocols import PROTOCOLS, Protocol
from ._reproduction import reproduced, reproduction_page
from ._results import results
from ._runner import Progress, fitted_with, forget_scores, progress, run_spec
from ._significance import Significance, significance
from ._spec_file import parse_spec, read_spec
from ._stability import stability
from ._statistics import Friedman, friedman, nemenyi, paired_p, summarise
from ._store import Fit, Outcome, Score, Store
from ._suggest import Suggestion, suggest_k
from ._tables import ResultTable, result_table

__all__ = [
    "PROTOCOLS",
    "Cell",
    "Comparison",
    "Data",
    "Fit",
    "Friedman",
    "Item",
    "Outcome",
    "Paper",
    "PaperTable",
    "Partition",
    "Printed",
    "Progress",
    "Protocol",
    "ResultTable",
    "Score",
    "Significance",
    "Spec",
    "Store",
    "Suggestion",
    "compare",
    "fitted_with",
    "forget_scores",
    "friedman",
    "inside_shares",
    "nemenyi",
    "paired_p",
    "parse_spec",
    "partition",
    "progress",
    "read_papers",
    "read_spec",
    "reproduced",
    "reproduction_page",
    "result_table",
    "results",
    "run_spec",
    "significance",
    "stability",
    "suggest_k",
    "summarise",
]
