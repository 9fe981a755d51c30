"""The request of a fit: which columns may be chosen, and what is to be explained."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._memory import require_memory
from .._typing import Array, Indices
from .._validation import columns_named
from ..exceptions import DataError
from ..tables import refuse_magnitude


class Request(NamedTuple):
    """Checked parameters, columns as indices of the table."""

    candidates: Indices | None
    keep: Indices
    weight: Array | None
    cost: Array | None
    budget: float


def request(
    n: int,
    k: int,
    *,
    names: Any,
    candidates: Any,
    keep: Any,
    column_weight: Any,
    cost: Any,
    budget: float | None,
) -> Request:
    """Check what is asked for a table of n columns of which k are chosen.

    Raises
    ------
    ValueError
        With what contradicts what.
    """
    allowed = None if candidates is None else columns_named(candidates, "candidates", n, names)
    kept = np.empty(0, np.intp) if keep is None else columns_named(keep, "keep", n, names)
    if len(kept) > k:
        raise ValueError(
            f"keep names {len(kept)} columns, more than n_features_to_select={k}. Ask for at least "
            f"{len(kept)} columns, or keep fewer."
        )
    if allowed is not None:
        allowed = np.union1d(allowed, kept)
        if len(allowed) < k:
            raise ValueError(
                f"candidates (with keep) names {len(allowed)} columns, fewer than "
                f"n_features_to_select={k}. Name more columns, or ask for fewer."
            )
    weight = None if column_weight is None else _nonnegative(column_weight, "column_weight", n)
    if weight is not None and not weight.any():
        raise ValueError("column_weight is 0 for every column; give at least one a weight above 0.")
    if (cost is None) != (budget is None):
        raise ValueError(
            "cost (at fit) and budget (a parameter) belong together: the chosen columns may cost "
            "at most the budget in all. Give both or neither."
        )
    prices = None if cost is None else _nonnegative(cost, "cost", n)
    limit = np.inf if budget is None else float(budget)
    if prices is not None and prices[kept].sum() > limit:
        raise ValueError(
            f"The columns of keep cost {prices[kept].sum():g}, more than budget={limit:g}."
        )
    return Request(allowed, kept, weight, prices, limit)


def _nonnegative(values: Any, what: str, n: int) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n,):
        raise ValueError(
            f"{what} must have one number for each of the {n} columns of X, not shape "
            f"{array.shape}."
        )
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError(f"{what} must be finite and not negative.")
    return array


def target_table(target: Any, m: int, *, scale: str) -> Array:
    """A target as a dense table with the rows of X.

    Parameters
    ----------
    target : array-like or sparse array of shape (m, p) or (m,)
    m : int
        Rows of X.
    scale : str
        Of the columns of X. Under ``"standard"`` the means are subtracted from the target too.

    Raises
    ------
    DataError
        If it has other rows than X, values that are not finite, or a magnitude whose products
        overflow or underflow.
    TooLargeError
        If it is sparse and too large as a dense table.
    """
    if sp.issparse(target):
        require_memory(
            8.0 * target.shape[0] * target.shape[1],
            "The target as a dense table",
            "Reduce it first, for instance to its leading principal components.",
        )
        target = target.toarray()
    T = np.asarray(target, dtype=np.float64)
    T = T[:, None] if T.ndim == 1 else T
    if T.ndim != 2 or T.shape[0] != m:
        raise DataError(
            f"target has {T.shape[0] if T.ndim else 0} rows, X has {m}: they must be the same "
            "samples in the same order."
        )
    if not np.isfinite(T).all():
        raise DataError("target has NaN or infinite values; remove or impute them.")
    largest = max(T.max(initial=0.0), -T.min(initial=0.0))
    # under "none" its products with X are squared, elsewhere X is of length 1
    refuse_magnitude(largest, T.size, degree=4 if scale == "none" else 2, name="target")
    return T - T.mean(axis=0) if scale == "standard" else T
