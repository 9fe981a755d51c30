"""Quality measures: pure functions of labels, chosen columns and tables."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
