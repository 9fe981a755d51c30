"""Unsupervised feature selection: one file per method, one base class."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
