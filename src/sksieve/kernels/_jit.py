"""The one wrapper of numba's `njit`: kernels keep their compiled code where a folder allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from ..exceptions import warn_user

_warned = False


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit``; without ``cache`` where numba finds no folder it can write to.

    An installation that belongs to another user, read by one without a home, has none: the first
    fit of every process then compiles, which one warning says. So does a full disk.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            kernel = numba.njit(**options)(function)
        except RuntimeError as error:
            if not options.get("cache") or "no locator available" not in str(error):
                raise
        else:
            if options.get("cache"):
                _warning(kernel._cache)
            return kernel
        _warn_once(
            "No folder can be written to in which compiled code is kept, so every process compiles "
            "again. Set the environment variable NUMBA_CACHE_DIR to a folder of yours."
        )
        return numba.njit(**(options | {"cache": False}))(function)

    return decorate


def _warning(cache: Any) -> None:
    """Let a cache warn where numba would raise: a full disk does not end a fit."""
    save = cache.save_overload

    def save_or_warn(signature: Any, code: Any) -> None:
        try:
            save(signature, code)
        except OSError as error:
            _warn_once(
                f"Compiled code cannot be written to {cache.cache_path} ({error.strerror}), so "
                "every process compiles again. Free some space, or set the environment variable "
                "NUMBA_CACHE_DIR to another folder."
            )

    cache.save_overload = save_or_warn


def _warn_once(message: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        warn_user(message)
