"""Judging without labels: compare methods, choose k, stability of a choice, a partition's worth."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
