"""How many columns to keep, how many clusters, how many communities, from the data."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
