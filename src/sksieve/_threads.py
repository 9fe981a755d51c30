"""Threads of one call: a map over pieces of work that compiled loops and products do.

There are as many as OpenMP and the linear algebra library may use, which ``OMP_NUM_THREADS``,
threadpoolctl and joblib's workers limit, and no more than the process has processors. Pieces do not
depend on their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

Piece = TypeVar("Piece")
Result = TypeVar("Result")


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def n_threads() -> int:
    """How many threads one call may use.

    Examples
    --------
    >>> from threadpoolctl import threadpool_limits
    >>> with threadpool_limits(1):
    ...     n_threads()
    1
    """
    return max(1, min([cpu_count(), *(one["num_threads"] for one in _libraries().info())]))


def map_threads(function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    """The function of each piece, in their order; products in it use one thread each.

    Examples
    --------
    >>> map_threads(abs, [-1, 2])
    [1, 2]
    """
    threads = min(n_threads(), len(pieces))
    if threads < 2:
        return [function(piece) for piece in pieces]
    with one_thread(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, pieces))


def one_thread() -> AbstractContextManager[Any]:
    """Products of small matrices on one thread: to share them out takes longer than to do them.

    Examples
    --------
    >>> with one_thread():
    ...     n_threads()
    1
    """
    return _libraries().limit(limits=1, user_api="blas")
