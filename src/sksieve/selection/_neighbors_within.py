"""As many neighbours as there can be, said aloud."""

from __future__ import annotations

import warnings

from ..exceptions import DataWarning

__all__ = ["neighbors_within"]


def neighbors_within(k: int, n: int) -> int:
    """`k`, or n - 1 with a warning where n samples have no k others.

    Examples
    --------
    >>> neighbors_within(5, 100)
    5
    """
    if k < n:
        return k
    warnings.warn(
        f"X has {n} samples, so no {k} neighbours for each; n_neighbors={n - 1} is used.",
        DataWarning,
        stacklevel=6,
    )
    return n - 1
