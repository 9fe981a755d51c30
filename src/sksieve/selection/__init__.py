"""Unsupervised feature selection: one file per method, one base class."""

from ._base import BaseSelector
from .columns import (
    POCSS,
    ApproxSVDCSS,
    BaseColumnSubset,
    GreedyCSS,
    IteratedLocalSearchCSS,
    IterFS,
    LeverageScoreCSS,
    RandomCSS,
    TwoStageCSS,
    WeightedAStarCSS,
)

__all__ = [
    "POCSS",
    "ApproxSVDCSS",
    "BaseColumnSubset",
    "BaseSelector",
    "GreedyCSS",
    "IterFS",
    "IteratedLocalSearchCSS",
    "LeverageScoreCSS",
    "RandomCSS",
    "TwoStageCSS",
    "WeightedAStarCSS",
]
