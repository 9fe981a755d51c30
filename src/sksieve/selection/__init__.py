"""Unsupervised feature selection: one file per method, one base class."""

from ._base import BaseSelector
from .columns import BaseColumnSubset, GreedyCSS

__all__ = ["BaseColumnSubset", "BaseSelector", "GreedyCSS"]
