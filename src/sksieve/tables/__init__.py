"""Tables, dense, sparse or read in blocks: centered and scaled columns, and their products."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
