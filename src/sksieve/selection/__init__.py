"""Unsupervised feature selection: one file per method, one base class."""

from ._base import BaseSelector
from .columns import (
    ApproxSVDCSS,
    BaseColumnSubset,
    GreedyCSS,
    LeverageScoreCSS,
    RandomCSS,
    TwoStageCSS,
    WeightedAStarCSS,
)

__all__ = [
    "ApproxSVDCSS",
    "BaseColumnSubset",
    "BaseSelector",
    "GreedyCSS",
    "LeverageScoreCSS",
    "RandomCSS",
    "TwoStageCSS",
    "WeightedAStarCSS",
]
