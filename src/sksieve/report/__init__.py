"""One self-contained HTML page from a result: no network, works from a mail attachment."""

from ._page import write_selection_report
from ._result import SelectionResult

__all__ = ["SelectionResult", "write_selection_report"]
