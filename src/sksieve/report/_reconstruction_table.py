"""The table of dropped columns: its first rows for the page, all of it for the script."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..evaluation._reconstruction import Reconstruction
from ._text import percent, rounded, signed

#: Chosen and dropped columns that are on the page before the script shows more.
FIRST_ROWS, FIRST_DROPPED = 50, 15
#: Dropped columns in the page's table, at most.
MOST_ROWS = 20_000


def reconstruction_view(
    reconstruction: Reconstruction, names: list[str], *, follows: bool = False
) -> dict[str, Any]:
    """The first rows, and how many columns are explained well, partly and poorly.

    Parameters
    ----------
    reconstruction : Reconstruction
    names : list of str
        Of all columns.
    follows : bool, default=False
        Does the table move with a slider?
    """
    rows = []
    for j, r2, sources, weights in list(zip(*_columns_of(reconstruction)))[:FIRST_DROPPED]:
        parts = [(signed(w), names[s]) for s, w in zip(sources, weights) if s >= 0]
        known = not np.isnan(r2)
        rows.append(
            {
                "name": names[j],
                "r2": percent(float(r2)) if known else None,
                "bar": round(100 * float(r2), 1) if known else 0,
                "by": parts,
            }
        )
    return {
        "rows": rows,
        "total": len(reconstruction.columns),
        "well": reconstruction.n_well,
        "partly": reconstruction.n_partly,
        "poorly": reconstruction.n_poorly,
        "constant": reconstruction.n_constant,
        "follows": follows,
        "limit": MOST_ROWS if len(reconstruction.columns) > MOST_ROWS else None,
    }


def table_payload(reconstruction: Reconstruction) -> dict[str, Any]:
    """Columns, R2 and the named sources with their weights, flat to keep the page small."""
    columns, r2, sources, weights = (part[:MOST_ROWS] for part in _columns_of(reconstruction))
    return {
        "columns": columns.tolist(),
        "r2": [None if np.isnan(v) else round(float(v), 4) for v in r2],
        "by": [
            [v for s, w in zip(some, of) if s >= 0 for v in (int(s), rounded(float(w), 3))]
            for some, of in zip(sources, weights)
        ],
    }


def _columns_of(reconstruction: Reconstruction) -> tuple[Any, Any, Any, Any]:
    return reconstruction.columns, reconstruction.r2, reconstruction.sources, reconstruction.weights
