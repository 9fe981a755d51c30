"""Compile once what `select`, `cluster` and `communities` use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from sklearn.datasets import load_wine

from ..datasets import make_sbm
from ..evaluation._cost import Compilations
from ..kernels import _pair
from ._cluster import cluster
from ._communities import communities
from ._select import select


@dataclass(frozen=True)
class WarmupStep:
    """What one function needed.

    Attributes
    ----------
    name : str
        The function: ``select``, ``cluster`` or ``communities``.
    n_compiled : int
        Functions compiled; 0 where all were in the cache.
    seconds : float
        Time of compiling.
    """

    name: str
    n_compiled: int
    seconds: float


@dataclass(frozen=True)
class Warmup:
    """What was compiled, and where it is kept.

    Attributes
    ----------
    steps : tuple of WarmupStep
    seconds : float
        Time of the whole call.
    cache_folder : Path or None
        Where numba keeps the compiled functions; None where no folder can be written, so that each
        process compiles again.
    """

    steps: tuple[WarmupStep, ...]
    seconds: float
    cache_folder: Path | None


def warmup(*, callback: Callable[[WarmupStep], object] | None = None) -> Warmup:
    """Compile what the first call of `select`, `cluster` and `communities` would compile.

    Each runs once on a small table or graph. numba keeps the compiled functions on disk, so one
    call after the installation, and after each upgrade, is enough for all later processes.

    Parameters
    ----------
    callback : callable, optional
        Called with each `WarmupStep` once it is done.

    Returns
    -------
    Warmup

    Examples
    --------
    >>> import sksieve
    >>> done = sksieve.warmup()
    >>> [step.name for step in done.steps]
    ['select', 'cluster', 'communities']
    """
    started, steps = perf_counter(), []
    for step in _steps():
        steps.append(step)
        if callback is not None:
            callback(step)
    return Warmup(tuple(steps), perf_counter() - started, _cache_folder())


def _steps() -> Iterator[WarmupStep]:
    X = load_wine().data[:, :8]
    A, _ = make_sbm(60, 3, 0.5, 0.05, random_state=0)
    runs: dict[str, Callable[[], Any]] = {
        "select": lambda: (select(X), select(X, 3, "reconstruct")),
        "cluster": lambda: cluster(X),
        "communities": lambda: communities(A),
    }
    for name, run in runs.items():
        with Compilations() as compilations:
            run()
        yield WarmupStep(name, compilations.count, compilations.seconds)


def _cache_folder() -> Path | None:
    """The folder of one kernel's cache; those of all kernels are the same."""
    kernel = next(value for value in vars(_pair).values() if hasattr(value, "_cache"))
    path = kernel._cache.cache_path
    return None if path is None else Path(path)
