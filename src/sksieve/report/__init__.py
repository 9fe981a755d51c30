"""One self-contained HTML page from a result: no network, works from a mail attachment."""

from ._bench import BenchFigure, BenchPage, BenchTable, write_bench_report
from ._cluster_page import write_clustering_report
from ._cluster_result import ClusteringResult
from ._comparison import ComparisonResult, write_comparison_report
from ._page import write_selection_report
from ._pictures import ImageShape
from ._result import SelectionResult
from ._summary import PathPoint, SelectionSummary, selection_summary

__all__ = [
    "BenchFigure",
    "BenchPage",
    "BenchTable",
    "ClusteringResult",
    "ComparisonResult",
    "ImageShape",
    "PathPoint",
    "SelectionResult",
    "SelectionSummary",
    "selection_summary",
    "write_bench_report",
    "write_clustering_report",
    "write_comparison_report",
    "write_selection_report",
]
