"""Linear algebra: streamed second moments, leading subspaces, orthonormal columns."""

from ._cayley import cayley
from ._eig import (
    block_rayleigh_ritz,
    eigenpairs_between,
    fix_signs,
    leading_eigenpairs,
    leading_eigenvalues,
)
from ._gram import Moments, empty_moments, gram, moments, square
from ._qr import orthonormalize
from ._woodbury import LOW_RANK_SHARE, RidgeSolver, SignedGram, ridge_coefficients

__all__ = [
    "LOW_RANK_SHARE",
    "Moments",
    "RidgeSolver",
    "SignedGram",
    "block_rayleigh_ritz",
    "cayley",
    "eigenpairs_between",
    "empty_moments",
    "fix_signs",
    "gram",
    "leading_eigenpairs",
    "leading_eigenvalues",
    "moments",
    "orthonormalize",
    "ridge_coefficients",
    "square",
]
