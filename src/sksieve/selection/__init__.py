"""Unsupervised feature selection: one file per method, one base class."""

from ._base import BaseSelector
from ._blufs import BLUFS
from ._lapscore import LaplacianScore
from ._mcfs import MCFS
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
    "BLUFS",
    "MCFS",
    "POCSS",
    "ApproxSVDCSS",
    "BaseColumnSubset",
    "BaseSelector",
    "GreedyCSS",
    "IterFS",
    "IteratedLocalSearchCSS",
    "LaplacianScore",
    "LeverageScoreCSS",
    "RandomCSS",
    "TwoStageCSS",
    "WeightedAStarCSS",
]
