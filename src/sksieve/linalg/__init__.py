"""Linear algebra: streamed second moments, leading subspaces."""

from ._eig import leading_eigenpairs
from ._gram import Moments, empty_moments, gram, merge_moments, moments, square

__all__ = [
    "Moments",
    "empty_moments",
    "gram",
    "leading_eigenpairs",
    "merge_moments",
    "moments",
    "square",
]
