"""Column subset selection: keep the columns from which the others are reconstructed best."""

from ._approx_svd import ApproxSVDCSS
from ._astar import WeightedAStarCSS
from ._base import BaseColumnSubset
from ._exact import ExactCSS
from ._greedy import GreedyCSS
from ._iterfs import IterFS
from ._leverage import LeverageScoreCSS
from ._local_search import IteratedLocalSearchCSS
from ._pocss import POCSS
from ._problem import GramProblem
from ._random import RandomCSS
from ._two_stage import TwoStageCSS

__all__ = [
    "POCSS",
    "ApproxSVDCSS",
    "BaseColumnSubset",
    "ExactCSS",
    "GramProblem",
    "GreedyCSS",
    "IterFS",
    "IteratedLocalSearchCSS",
    "LeverageScoreCSS",
    "RandomCSS",
    "TwoStageCSS",
    "WeightedAStarCSS",
]
