"""One self-contained HTML page from a result: no network, works from a mail attachment."""

from ._page import write_selection_report
from ._result import SelectionResult, SelectionStability

__all__ = ["SelectionResult", "SelectionStability", "write_selection_report"]
