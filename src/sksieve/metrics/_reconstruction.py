"""How well chosen columns reconstruct a table, computed from the table itself.

Column subset selection works from ``A'A``. The numbers here come from orthogonal factorizations of
A instead, share no code with it, and so are the independent check of what it reports. A is first
brought to its triangular factor, block of rows by block of rows: an orthogonal factor changes
neither ``||A - S S^+ A||_F`` nor the singular values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import qr, svdvals

from .._array import BLOCK_BYTES, dense
from .._memory import require_memory
from .._typing import Array
from .._validation import check_table
from ..tables import constant_columns
from ._columns import as_columns, unit_columns

Scale = Literal["standard", "unit", "none"]


def reconstruction_error(X: Any, columns: ArrayLike, *, scale: Scale = "standard") -> float:
    """Squared error of the best linear reconstruction of a table from some of its columns.

    ``||A - S S^+ A||_F^2``, A being X after `scale` and S the chosen columns of A.

    Parameters
    ----------
    X : {array-like, CSR} of shape (n_samples, n_features)
        Samples are rows.
    columns : array-like of int of shape (k,), or of bool of shape (n_features,)
        Which columns; dependent ones are allowed, repeated ones are not.
    scale : {"standard", "unit", "none"}, default="standard"
        As in the column subset methods: centered and of length 1, of length 1 without centering,
        or unmodified. Constant columns become zero when centered.

    Returns
    -------
    float
        At least 0; in units of X squared when `scale` is "none", else of "columns".

    Raises
    ------
    ValueError
        If X has NaN or infinite values, or `columns` are not distinct columns of X.

    Notes
    -----
    Householder QR of A in blocks of rows, then pivoted QR of S: O(n_samples n_features^2), one
    block and two n_features x n_features arrays of memory (all of A, dense, where it has fewer rows
    than columns).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.metrics import reconstruction_error
    >>> X = np.array([[3.0, 0.0, 3.0], [0.0, 1.0, 1.0]])
    >>> round(reconstruction_error(X, [0], scale="none"), 12)
    2.0
    """
    X = check_table(X)
    return _residual(_compact(X, scale), as_columns(columns, X.shape[1]))


def error_ratio(X: Any, columns: ArrayLike, *, scale: Scale = "standard") -> float:
    """Reconstruction error of k columns over that of the best rank-k approximation.

    ``||A - S S^+ A||_F^2 / ||A - A_k||_F^2 >= 1``

    Parameters
    ----------
    X : {array-like, CSR} of shape (n_samples, n_features)
        Samples are rows.
    columns : array-like of int of shape (k,), or of bool of shape (n_features,)
        Which columns.
    scale : {"standard", "unit", "none"}, default="standard"
        See `reconstruction_error`.

    Returns
    -------
    float
        At least 1 up to rounding. Where k reaches the numerical rank of A the bound is zero: then
        1.0 if the columns reconstruct A to rounding too, else infinite.

    Raises
    ------
    ValueError
        If X has NaN or infinite values, or `columns` are not distinct columns of X.

    Notes
    -----
    Cost as `reconstruction_error`, and the singular values of the triangular factor.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.metrics import error_ratio
    >>> round(error_ratio(load_wine().data, [6, 9, 3], scale="standard"), 3)
    1.296
    """
    X = check_table(X)
    S = as_columns(columns, X.shape[1])
    R = _compact(X, scale)
    sigma = svdvals(R)
    floor = max(X.shape) * np.finfo(np.float64).eps * (sigma[0] if len(sigma) else 0.0)
    error, bound = _residual(R, S), float(np.sum(sigma[len(S) :] ** 2))
    if sigma[len(S) :].max(initial=0.0) > floor:
        return error / bound
    return 1.0 if error <= X.shape[1] * floor**2 else float("inf")


def _residual(A: Array, S: NDArray[np.intp]) -> float:
    if not len(S):
        return float(np.sum(A**2))
    Q, T, _ = qr(unit_columns(A[:, S]), mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diagonal(T)) > max(A.shape) * np.finfo(np.float64).eps))
    Q = Q[:, :rank]
    return float(np.sum((A - Q @ (Q.T @ A)) ** 2))  # POCSS Definition 1


def _compact(X: Any, scale: Scale) -> Array:
    """A matrix with A's inner products between columns and at most n_features rows."""
    if scale not in ("standard", "unit", "none"):
        raise ValueError(f"scale must be 'standard', 'unit' or 'none'; got {scale!r}.")
    n, d = X.shape
    rows = n if n <= d else max(2 * d, BLOCK_BYTES // (8 * d))
    require_memory(
        3 * 8 * min(n, rows + d) * d,
        f"The error of {d} columns on {n} rows",
        "Keep fewer columns, by their variance for instance.",
    )
    center = _means(X) if scale == "standard" else np.zeros(d)
    R = np.empty((0, d))
    for block in _dense_blocks(X, rows):
        R = np.concatenate([R, block - center])
        if len(R) > d:
            R = np.asarray(np.linalg.qr(R, mode="r"))
    if scale == "none":
        return R
    if scale == "standard":
        R[:, constant_columns(X)] = 0.0
    return unit_columns(R)


def _means(X: Any) -> Array:
    return np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()


def _dense_blocks(X: Any, rows: int) -> Iterator[Array]:
    for start in range(0, X.shape[0], rows):
        block = X[start : start + rows]
        yield dense(block).astype(np.float64)
