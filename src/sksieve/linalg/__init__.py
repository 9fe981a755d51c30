"""Linear algebra: leading subspaces, orthonormal columns."""

from ._cayley import cayley
from ._eig import (
    block_rayleigh_ritz,
    count_positive,
    eigenpairs_between,
    fix_signs,
    leading_eigenpairs,
    leading_eigenvalues,
)
from ._krylov import leading_ritz_pairs
from ._qr import orthonormalize
from ._woodbury import LOW_RANK_SHARE, RidgeSolver, SignedGram, ridge_coefficients

__all__ = [
    "LOW_RANK_SHARE",
    "RidgeSolver",
    "SignedGram",
    "block_rayleigh_ritz",
    "cayley",
    "count_positive",
    "eigenpairs_between",
    "fix_signs",
    "leading_eigenpairs",
    "leading_eigenvalues",
    "leading_ritz_pairs",
    "orthonormalize",
    "ridge_coefficients",
]
