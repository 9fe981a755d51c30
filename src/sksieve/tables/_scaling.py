"""Scales of columns: what each name means, and which columns are constant.

=========== ================== ====================== =======================================
scale       subtracted         divided by             result
=========== ================== ====================== =======================================
standard    mean               standard deviation     mean 0, variance 1
correlation mean               length after that      mean 0, length 1: products = correlations
unit        --                 length                 length 1, not centered
minmax      smallest value     range                  from 0 to 1
none        --                 --                     unmodified
=========== ================== ====================== =======================================

The names mean the same in every class, function and command of the package. Column subset methods
do not distinguish ``standard`` from ``correlation``, which differ by one factor for all columns:
they offer ``standard``, and report errors with each column counting 1.

A column is constant where its range is at most `CONSTANT_RTOL` times its largest magnitude, which
is rounding. Constant columns become 0 under ``standard``, ``correlation`` and ``minmax``, zero
columns stay 0 under ``unit``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.sparsefuncs import inplace_column_scale, mean_variance_axis, min_max_axis

from .._array import as_float, floating
from .._typing import Array
from ..exceptions import DataError, warn_user
from ._centered import CenteredTable

#: The names, in the order of the table above.
SCALES = ("standard", "correlation", "unit", "minmax", "none")

#: Largest range of a constant column, as a part of its largest magnitude.
CONSTANT_RTOL = 64 * float(np.finfo(np.float64).eps)

#: A column whose spread is this many times the median one dominates the distances.
_DOMINANT = 100.0


class Scaled(NamedTuple):
    """A scaled table: ``(X - center) / divisor``.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n, d)
    center : ndarray of shape (d,)
        Zeros where nothing was subtracted.
    divisor : ndarray of shape (d,)
        1 where nothing was divided.
    """

    X: Any
    center: Array
    divisor: Array


def column_range(X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Smallest and largest value of each column.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        n >= 1.

    Returns
    -------
    low, high : ndarray of shape (d,)

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> column_range(sp.csr_array(np.array([[0.0, 3.0], [2.0, 3.0]])))
    (array([0., 3.]), array([2., 3.]))
    """
    if sp.issparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsr()
        low, high = min_max_axis(X, axis=0)
        return np.asarray(low), np.asarray(high)
    return np.min(X, axis=0), np.max(X, axis=0)


def is_constant(low: NDArray[Any], high: NDArray[Any]) -> NDArray[np.bool_]:
    """Which columns count as constant, given their smallest and largest values.

    Parameters
    ----------
    low, high : ndarray of shape (d,)

    Returns
    -------
    constant : ndarray of bool of shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> is_constant(np.array([0.3, 1.0]), np.array([0.1 + 0.2, 1.0 + 1e-9]))
    array([ True, False])
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    # halves, because the range of the largest numbers overflows
    return high / 2 - low / 2 <= CONSTANT_RTOL / 2 * np.maximum(np.abs(low), np.abs(high))


def constant_columns(X: Any) -> NDArray[np.bool_]:
    """Which columns of X are constant; see `is_constant`. O(n d), O(nnz) for sparse X.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)

    Returns
    -------
    constant : ndarray of bool of shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> constant_columns(np.array([[1.0, 5.0], [3.0, 5.0]]))
    array([False,  True])
    """
    return is_constant(*column_range(X))


def scale_columns(X: Any, scale: str) -> Scaled:
    """Bring the columns of a table to one scale.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        Finite; not modified. float32 stays float32.
    scale : {"standard", "correlation", "unit", "minmax", "none"}
        See the module.

    Returns
    -------
    Scaled

    Raises
    ------
    DataError
        If X is sparse and the scale would fill it in.

    Examples
    --------
    >>> import numpy as np
    >>> scale_columns(np.array([[1.0, 5.0], [3.0, 5.0]]), "standard").X
    array([[-1.,  0.],
           [ 1.,  0.]])
    >>> scale_columns(np.array([[3.0], [4.0]]), "unit").X
    array([[0.6],
           [0.8]])
    """
    X = floating(X)
    d = X.shape[1]
    center, divisor = np.zeros(d), np.ones(d)
    if scale == "none":
        return Scaled(X, center, divisor)
    low, high = (bound.astype(np.float64) for bound in column_range(X))
    if sp.issparse(X):
        return _sparse_scaled(X, scale, low, high)
    constant = is_constant(low, high)
    if scale == "minmax":
        center, divisor = low, np.where(constant, 1.0, high - low)
    elif scale != "unit":
        center = X.mean(axis=0, dtype=np.float64)
    Z = X - center
    if scale != "unit":
        Z[:, constant] = 0.0
    if scale != "minmax":
        divisor = _lengths(Z)
    if scale == "standard":
        divisor = np.where(constant, 1.0, divisor / np.sqrt(len(Z)))
    return Scaled((Z / divisor).astype(X.dtype, copy=False), center, divisor)


def unit_variance(X: Any, varies: NDArray[np.bool_]) -> Any:
    """Columns of variance 1, the others 0; a sparse table is not centered.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        Finite.
    varies : ndarray of bool of shape (d,)
        Columns that are not constant.

    Returns
    -------
    ndarray or csr_array of shape (n, d)

    Examples
    --------
    >>> import numpy as np
    >>> unit_variance(np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([True, False]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    if sp.issparse(X):
        X = X.astype(np.float64)
        variance = np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2
    else:
        X = X - mean
        variance = np.einsum("ij,ij->j", X, X) / len(X)
    inverse = np.divide(
        1, np.sqrt(np.maximum(variance, 0)), out=np.zeros_like(mean), where=varies & (variance > 0)
    )
    return sp.csr_array(X.multiply(inverse)) if sp.issparse(X) else X * inverse


def varying_columns(X: Any, scale: str, degree: int = 2) -> tuple[Any, NDArray[np.bool_]]:
    """The columns that are not constant, scaled, and their mask.

    Parameters
    ----------
    X : array-like or CSR of shape (n, d)
        Finite.
    scale : {"standard", "correlation", "unit", "minmax", "none"}
        See the module.
    degree : int
        How many entries the method multiplies with each other: what is refused under ``"none"``,
        see `refuse_magnitude`.

    Returns
    -------
    Z : ndarray, or for sparse X CenteredTable, of shape (n, n_varying)
    varies : ndarray of bool of shape (d,)

    Raises
    ------
    DataError
        If no column varies, or products of X's entries overflow or underflow.

    Examples
    --------
    >>> import numpy as np
    >>> varying_columns(np.array([[1.0, 5.0], [3.0, 5.0]]), "standard")
    (array([[-1.],
           [ 1.]]), array([ True, False]))
    """
    X, varies = _varying(X, degree if scale == "none" else 2)
    if sp.issparse(X):
        return _centered_scaled(X, scale), varies
    return np.ascontiguousarray(scale_columns(X, scale).X), varies


def centered_columns(X: Any, degree: int = 2) -> tuple[Any, NDArray[np.bool_]]:
    """The columns that are not constant, minus their means, and their mask.

    Parameters
    ----------
    X : array-like or CSR of shape (n, d)
        Finite.
    degree : int
        See `varying_columns`.

    Returns
    -------
    Z : ndarray, or for sparse X CenteredTable, of shape (n, n_varying)
    varies : ndarray of bool of shape (d,)

    Raises
    ------
    DataError
        As `varying_columns`.

    Examples
    --------
    >>> import numpy as np
    >>> centered_columns(np.array([[1.0, 5.0], [3.0, 5.0]]))
    (array([[-1.],
           [ 1.]]), array([ True, False]))
    """
    X, varies = _varying(X, degree)
    if sp.issparse(X):
        return CenteredTable(X, np.asarray(X.mean(axis=0)).ravel()), varies
    return np.ascontiguousarray(X - X.mean(axis=0)), varies


def _varying(X: Any, degree: int) -> tuple[Array, NDArray[np.bool_]]:
    X = as_float(X)
    refuse_extremes(X, degree)
    varies = ~constant_columns(X)
    if not varies.any():
        raise DataError("Every column of X is constant; there is nothing to choose from.")
    return X[:, varies], varies


def _centered_scaled(X: Any, scale: str) -> CenteredTable:
    """Sparse columns on a scale, centered where it says so without filling them in."""
    if scale not in ("standard", "correlation"):
        Z = sp.csr_array(scale_columns(X, scale).X)
        return CenteredTable(Z, np.zeros(Z.shape[1]))
    mean, variance = mean_variance_axis(X, axis=0)
    divisor = _nonzero(np.sqrt(variance * (1 if scale == "standard" else X.shape[0])))
    Z = sp.csr_array(X, copy=True)
    inplace_column_scale(Z, 1 / divisor)
    return CenteredTable(Z, mean / divisor)


def _sparse_scaled(X: Any, scale: str, low: Array, high: Array) -> Scaled:
    if scale not in ("unit", "minmax"):
        raise DataError(
            f'scale="{scale}" would fill in sparse X; use "unit", "minmax" or "none", or give X as '
            "a dense array."
        )
    A = sp.csr_array(X, copy=True)
    center = np.zeros(X.shape[1])
    if scale == "minmax":
        if (low < 0).any():
            raise DataError(
                'scale="minmax" keeps sparse X sparse only where X >= 0; use scale="none".'
            )
        center = low  # above 0 only in columns that store every entry
        A.data -= low[A.indices].astype(A.dtype)
        A.data[is_constant(low, high)[A.indices]] = 0.0
        A.eliminate_zeros()
        divisor = np.where(is_constant(low, high), 1.0, high - low)
    else:
        size = _nonzero(np.maximum(high, -low))
        B = A.astype(np.float64)
        inplace_column_scale(B, 1 / size)
        squares = np.bincount(B.indices, B.data**2, minlength=X.shape[1])
        divisor = _nonzero(size * np.sqrt(squares))
    inplace_column_scale(A, (1 / divisor).astype(A.dtype))
    return Scaled(A, center, divisor)


def _lengths(Z: Array) -> Array:
    """Norms of columns that may be far apart in magnitude; 1 for zero columns."""
    size = _nonzero(np.abs(Z).max(axis=0))
    return _nonzero(size * np.linalg.norm(Z / size, axis=0))


def _nonzero(divisor: Array) -> Array:
    return np.where(divisor > 0, divisor, 1.0)


def refuse_extremes(X: Any, degree: int = 2) -> None:
    """Refuse numbers that cannot be squared, summed and compared in the precision of X.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        Finite floats.
    degree : int
        How many entries are multiplied with each other, see `refuse_magnitude`.

    Raises
    ------
    DataError
        If the largest entry of X is not 0 and its square overflows or underflows (about 1e-150 to
        1e150 in double precision, 1e-16 to 1e16 in single).

    Notes
    -----
    Cost O(n d).

    Examples
    --------
    >>> import numpy as np
    >>> refuse_extremes(np.array([[1e100, 0.0], [1e-300, 2.0]]))
    """
    size = max(float(X.max()), -float(X.min()))
    refuse_magnitude(size, X.shape[0] * X.shape[1], X.dtype, degree)


def refuse_magnitude(
    size: float, n_entries: int, dtype: Any = np.float64, degree: int = 2, name: str = "X"
) -> None:
    """`refuse_extremes` for a table of `n_entries` whose largest magnitude is `size`.

    Parameters
    ----------
    size : float
    n_entries : int
    dtype : dtype
        Of the computation.
    degree : int
        2 where sums of products of two entries are formed, 4 where these are multiplied again.
    name : str
        What the message calls the table.

    Raises
    ------
    DataError
        If that power of `size` overflows or underflows.
    """
    number = np.finfo(dtype)
    least = 1024 * float(number.tiny) ** (1 / degree)  # powers of a thousandth do not underflow
    most = float(number.max) ** (1 / degree) / n_entries**0.5
    if size and not least <= size <= most:
        what = "squares" if degree == 2 else f"products of {degree}"
        raise DataError(
            f"The largest entry of {name} is {size:g} in magnitude; {what} of such numbers "
            f"overflow or underflow in {np.dtype(dtype)}. Multiply {name} by a constant (its "
            f"largest entry is best near 1){'' if degree == 2 else ', or scale its columns'}."
        )


def warn_of_scales(X: Any) -> None:
    """Warn where the largest standard deviation of a column is 100 times the median one.

    Constant columns do not count. O(n d).

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)

    Warns
    -----
    UserWarning
        Names the column.
    """
    varies = ~constant_columns(X)
    variance = mean_variance_axis(X, axis=0)[1] if sp.issparse(X) else np.var(X, axis=0)
    spread = np.sqrt(variance[varies])
    if len(spread) < 2 or spread.max() <= _DOMINANT * np.median(spread):
        return
    j = int(np.flatnonzero(varies)[np.argmax(spread)])
    warn_user(
        f"Column {j} of X has {spread.max() / np.median(spread):.0f} times the spread of the median"
        " column, so it alone decides which samples are neighbors. Scale the columns first, with "
        "StandardScaler for instance.",
    )
