"""As many neighbours as there can be, said aloud."""

from __future__ import annotations

from ..exceptions import warn_user

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
    warn_user(
        f"X has {n} samples, so no {k} neighbours for each; n_neighbors={n - 1} is used.",
    )
    return n - 1
