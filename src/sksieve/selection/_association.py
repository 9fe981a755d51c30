"""Association between columns of a table with gaps, or with text columns as codes.

Between two numbers it is their correlation, between two text columns Cramer's V, between a number
and a text column the correlation ratio: the root of the share of the number's variance that lies
between the values of the text. Gaps are left out pair by pair.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import rankdata

from .._typing import Array
from ..tables import constant_columns

Flags = NDArray[np.bool_]

#: Pairs with fewer common rows count as not associated: two points are always on a line.
FEWEST_ROWS = 3


def associations(X: Array, is_text: Flags, *, ranks: bool = False) -> Array:
    """Association of every pair of columns over the rows in which neither has a gap.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        NaN for gaps; text as codes.
    is_text : ndarray of bool of shape (d,)
    ranks : bool, default=False
        Correlations of the ranks among the common rows.

    Returns
    -------
    ndarray of shape (d, d)
        0 where a column is constant on the common rows, or there are fewer than three of them.

    Notes
    -----
    Columns with gaps in the same rows are treated together: cost O(n d^2) in matrix products for
    few patterns of gaps, and a product for each pair of patterns.
    """
    gaps = np.isnan(X)
    patterns, of = np.unique(gaps, axis=1, return_inverse=True)
    members = [np.flatnonzero(of.ravel() == p) for p in range(patterns.shape[1])]
    R = np.zeros((X.shape[1], X.shape[1]))
    for p, first in enumerate(members):
        for q, second in enumerate(members[p:], start=p):
            rows = np.flatnonzero(~(patterns[:, p] | patterns[:, q]))
            A, B = X[np.ix_(rows, first)], X[np.ix_(rows, second)]
            part = _between(A, B, is_text[first], is_text[second], ranks)
            R[np.ix_(first, second)] = part
            R[np.ix_(second, first)] = part.T
    return R


def associations_with(
    X: Array, is_text: Flags, y: Array, y_is_text: bool, *, ranks: bool = False
) -> Array:
    """Association of each column with `y`, which has no gaps; see `associations`."""
    gaps = np.isnan(X)
    patterns, of = np.unique(gaps, axis=1, return_inverse=True)
    r = np.zeros(X.shape[1])
    for p in range(patterns.shape[1]):
        J = np.flatnonzero(of.ravel() == p)
        rows = np.flatnonzero(~patterns[:, p])
        flag = np.array([y_is_text])
        r[J] = _between(X[np.ix_(rows, J)], y[rows, None], is_text[J], flag, ranks)[:, 0]
    return r


def _between(A: Array, B: Array, a_is_text: Flags, b_is_text: Flags, ranks: bool) -> Array:
    """Associations of the columns of A with those of B, neither with gaps."""
    R = np.zeros((A.shape[1], B.shape[1]))
    if len(A) < FEWEST_ROWS:
        return R
    a, b = np.flatnonzero(~a_is_text), np.flatnonzero(~b_is_text)
    U, V = _unit(A[:, a], ranks), _unit(B[:, b], ranks)
    R[np.ix_(a, b)] = np.clip(U.T @ V, -1, 1)
    a_text = {i: _indicators(A[:, i]) for i in np.flatnonzero(a_is_text)}
    b_text = {j: _indicators(B[:, j]) for j in np.flatnonzero(b_is_text)}
    for i, H in a_text.items():
        R[i, b] = _ratio(H, V)
        for j, K in b_text.items():
            R[i, j] = _cramer(H, K)
    for j, K in b_text.items():
        R[a, j] = _ratio(K, U)
    return R


def _unit(X: Array, ranks: bool) -> Array:
    """Centered columns of length 1; constant ones become 0."""
    if not X.shape[1]:
        return X
    varies = ~constant_columns(X)
    Z = rankdata(X, axis=0) if ranks else X
    Z = np.where(varies, Z - Z.mean(axis=0), 0.0)
    largest = np.abs(Z).max(axis=0)
    Z /= np.where(largest > 0, largest, 1)  # columns may be far apart in magnitude
    Z -= Z.mean(axis=0)
    length = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    return Z / np.where(length > 0, length, 1)


def _indicators(codes: Array) -> sp.csr_array:
    """One row for each value: the samples that have it."""
    values, at = np.unique(codes, return_inverse=True)
    n = len(codes)
    return sp.csr_array((np.ones(n), (at.ravel(), np.arange(n))), shape=(len(values), n))


def _ratio(H: sp.csr_array, Z: Array) -> Array:
    """Correlation ratio of each centered column of length 1 with a text column."""
    counts = np.diff(H.indptr)
    return np.minimum(np.sqrt(np.sum((H @ Z) ** 2 / counts[:, None], axis=0)), 1.0)


def _cramer(H: sp.csr_array, K: sp.csr_array) -> float:
    """Cramer's V of two text columns."""
    smaller = min(H.shape[0], K.shape[0]) - 1
    if smaller == 0:
        return 0.0
    common = sp.coo_array(H @ K.T)
    rows, columns = common.coords
    expected = np.diff(H.indptr)[rows] * np.diff(K.indptr)[columns]
    chi2_per_row = np.sum(common.data**2 / expected) - 1
    return float(np.sqrt(np.clip(chi2_per_row / smaller, 0, 1)))
