"""What methods with a row-sparse subspace share: its size, its weight, and warnings on both."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

from .._typing import AnyArray
from ..exceptions import warn_user
from ..linalg import LOW_RANK_SHARE, SignedGram
from ..tables import MixedTable, column_std, form_of_columns, translated

#: A row shorter than this counts as zero: there the reweighting has sent it to 0.
_NOTHING = 1e-3
#: Largest ratio of standard deviations that passes for one scale.
_ONE_SCALE = 10.0
#: Most dimensions of the subspace where the user did not say.
_MOST = 50
_MOST_WIDE = 10


def components_within(
    m: int | None, k: int, d: int, *, rank: int | None = None, n: int | None = None
) -> int:
    """Dimension of the subspace: `m`, or with a warning what X allows; for None k, at most 50.

    Parameters
    ----------
    m : int or None
        As asked for.
    k : int
        Columns to keep.
    d : int
        Columns that vary; of them a subspace of dimension d - 1 at most is to be chosen.
    rank : int, optional
        Dimension beyond which the subspace is any.
    n : int, optional
        Samples, where scatter is minimized: with fewer than d there is a null space without any,
        more of which changes nothing, and for None the dimension is at most 10.

    Examples
    --------
    >>> components_within(5, 20, 100), components_within(None, 20, 100)
    (5, 20)
    """
    most = max(1, d - 1) if rank is None else max(1, min(d - 1, rank))
    if m is None:
        return min(k, _MOST if n is None or n > d else _MOST_WIDE, most)
    if m <= most or d == 1:
        return min(m, d)
    warn_user(
        f"X has {d} columns that vary and principal components of which {most} can be "
        f"distinguished, so n_components={m} is too many; {most} is used."
        if rank is not None and rank < d - 1
        else f"X has {d} columns that vary, so there is no subspace of dimension {m} to choose; "
        f"n_components={most} is used.",
    )
    return most


def warn_if_coordinates(norms: AnyArray, cost: AnyArray, gamma: float, m: int, k: int) -> None:
    """Warn when W is m coordinate vectors and the columns were just picked by their own cost.

    Parameters
    ----------
    norms : ndarray of shape (d,)
        Of the rows of W.
    cost : ndarray of shape (d,)
        Of each column by itself.
    gamma : float
    m, k : int
        Dimension of the subspace; columns to keep.
    """
    kept = np.flatnonzero(norms > _NOTHING)
    if not len(kept) <= m < len(norms):
        return
    picked = cost[kept].max(initial=-np.inf) <= np.delete(cost, kept).min(initial=np.inf)
    if picked or k > m:
        warn_user(
            f"gamma={gamma:g} is so large that the method just picked n_components={m} columns; "
            "the order of the others is noise. Lower gamma.",
        )


def order_of_form(n: int, d: int) -> int:
    """Rows of the square matrix that methods with a quadratic form of the columns hold."""
    return n if n < LOW_RANK_SHARE * d else d


def sample_form(X: Any, M: Any) -> SignedGram:
    """``X'MX`` for a positive semidefinite M of the samples; no d x d matrix when d is large.

    Parameters
    ----------
    X : ndarray or CenteredTable of shape (n, d)
    M : csr_array of shape (n, n)
        A graph's Laplacian, say: of a sparse X, with ``M1 = 0``.
    """
    if len(X) >= LOW_RANK_SHARE * X.shape[1]:
        return SignedGram(None, A=form_of_columns(M, X))
    if not isinstance(X, np.ndarray):
        return SignedGram(MixedTable(M, translated(X)))
    values, vectors = eigh(M.toarray())
    root = np.sqrt(np.maximum(values, 0))
    return SignedGram((vectors * root).T @ X)


def starting_weights(A: SignedGram, m: int) -> AnyArray:
    """Weights that make the first m-dimensional subspace unique.

    All 1, as published, unless A is singular by m or more; then the diagonal of A over its mean.
    """
    d = A.n_columns
    if d - A.rank() < m:
        return np.ones(d)
    diagonal = A.diagonal()
    mean = float(diagonal.mean())
    return np.maximum(diagonal / mean, 1e-6) if mean > 0 else np.ones(d)


def warn_if_unscaled(Z: Any, method: str) -> None:
    """Warn when the columns are on very different scales: small ones would win for being small."""
    spread = column_std(Z)
    if spread.max() > _ONE_SCALE * spread.min():
        warn_user(
            f"The columns' standard deviations differ by a factor of "
            f"{spread.max() / spread.min():.0f}. {method} prefers columns of small variance, "
            'whatever they mean: use scale="standard".',
        )
