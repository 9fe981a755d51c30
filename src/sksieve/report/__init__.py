"""One self-contained HTML page from a result: no network, works from a mail attachment."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
