"""Column subset selection: keep the columns from which the others are rebuilt best."""

from ._base import BaseColumnSubset
from ._greedy import GreedyCSS
from ._problem import GramProblem

__all__ = ["BaseColumnSubset", "GramProblem", "GreedyCSS"]
