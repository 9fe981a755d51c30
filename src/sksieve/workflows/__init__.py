"""The front door: from a table or a graph to an answer, as one function each."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
