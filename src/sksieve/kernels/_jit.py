"""The one wrapper of numba's `njit`: kernels keep their compiled code where a folder allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from ..exceptions import warn_user

_told = False


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit``; without ``cache`` where numba finds no folder it can write to.

    An installation that belongs to another user, read by one without a home, has none: the first
    fit of every process then compiles, which one warning says.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError as error:
            if not options.get("cache") or "no locator available" not in str(error):
                raise
        _tell_once()
        return numba.njit(**(options | {"cache": False}))(function)

    return decorate


def _tell_once() -> None:
    global _told
    if not _told:
        _told = True
        warn_user(
            "No folder can be written to in which compiled code is kept, so every process compiles "
            "again. Set the environment variable NUMBA_CACHE_DIR to a folder of yours."
        )
