"""What methods with a row-sparse subspace share: its size, its weight, and warnings on both."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ..exceptions import DataWarning
from ..linalg import LOW_RANK_SHARE, SignedGram

__all__ = ["components_within", "sample_form", "starting_weights", "warn_if_coordinates"]

#: A row shorter than this is none: there the reweighting has sent it to 0.
_NOTHING = 1e-3


def components_within(m: int, d: int) -> int:
    """`m`, or d - 1 with a warning where d columns have no m-dimensional subspace to choose.

    Examples
    --------
    >>> components_within(5, 100)
    5
    """
    if m < d or d == 1:
        return min(m, d)
    warnings.warn(
        f"X has {d} columns that vary, so there is no subspace of dimension {m} to choose; "
        f"n_components={d - 1} is used.",
        DataWarning,
        stacklevel=6,
    )
    return d - 1


def warn_if_coordinates(norms: NDArray[Any], m: int, gamma: float) -> None:
    """Warn when W is m coordinate vectors: gamma so large that the columns were just picked."""
    if m < len(norms) and np.count_nonzero(norms > _NOTHING) <= m:
        warnings.warn(
            f"gamma={gamma:g} is so large that the method just picked n_components={m} columns; "
            f"the order of the others is noise. Lower gamma, or ask for at most {m} columns.",
            DataWarning,
            stacklevel=6,
        )


def sample_form(X: NDArray[Any], M: Any) -> SignedGram:
    """``X'MX`` for a positive semidefinite M of the samples; no d x d matrix when d is large.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    M : csr_array of shape (n, n)
        A graph's Laplacian, say.
    """
    if len(X) >= LOW_RANK_SHARE * X.shape[1]:
        A = X.T @ (M @ X)
        return SignedGram(None, A=(A + A.T) / 2)
    values, vectors = eigh(M.toarray())
    root = np.sqrt(np.maximum(values, 0))
    return SignedGram((vectors * root).T @ X)


def starting_weights(A: SignedGram, m: int) -> NDArray[Any]:
    """Weights that make the first m-dimensional subspace unique.

    All 1, as published, unless A is singular by m or more; then the diagonal of A over its mean.
    """
    d = A.n_columns
    if d - A.rank() < m:
        return np.ones(d)
    diagonal = A.diagonal()
    mean = float(diagonal.mean())
    return np.maximum(diagonal / mean, 1e-6) if mean > 0 else np.ones(d)
