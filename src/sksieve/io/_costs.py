"""What columns cost, from a table of names and costs."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._wording import listed
from ..exceptions import DataError
from .tables import read_table


def read_costs(
    path: str | os.PathLike[str], columns: Sequence[str]
) -> tuple[NDArray[np.float64], list[str]]:
    """Read the cost of each column, for ``fit(X, cost=...)`` of a column subset class.

    Parameters
    ----------
    path : str or path-like
        A table of two columns, names and costs; the first line is a heading.
    columns : sequence of str
        Names of the columns of X, in their order.

    Returns
    -------
    cost : ndarray of shape (len(columns),)
    unused : list of str
        Names in the table that are not among `columns`.

    Raises
    ------
    DataError
        If the table has another shape, or a column has no cost, or one that is infinite or
        below 0.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sksieve.io import read_costs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "costs.csv"
    ...     n = path.write_text("name,price\\nage,0.5\\nblood test,20\\n")
    ...     read_costs(path, ["age"])
    (array([0.5]), ['blood test'])
    """
    listing = read_table(path).to_frame()
    if listing.shape[1] != 2 or listing.dtypes.iloc[1].kind not in "iuf":
        raise DataError(
            f"{path}: give a table of two columns, the names of columns and their costs; the first "
            "line is read as a heading."
        )
    costs = dict(zip(listing.iloc[:, 0].astype(str), listing.iloc[:, 1].astype(float)))
    missing = [name for name in columns if name not in costs]
    if missing:
        raise DataError(f"{path}: no cost for {listed(missing)}.")
    cost = np.array([costs[name] for name in columns])
    wrong = [name for name, value in zip(columns, cost) if not 0 <= value < np.inf]
    if wrong:
        raise DataError(f"{path}: the cost of {listed(wrong)} is not a number of 0 or more.")
    used = set(columns)
    return cost, [name for name in costs if name not in used]
