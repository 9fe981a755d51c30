"""Settings that hold for every computation: resources, and whether progress is shown.

A setting has, in this order, the value of the innermost `config_context` of the running thread,
of `set_config`, of the environment, or the default. Memory is refused by `sksieve._memory` alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from math import inf
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, ParamSpec, TypedDict, TypeVar, Unpack, cast

__all__ = [
    "Settings",
    "carrying_config",
    "config_context",
    "get_config",
    "memory_limit",
    "set_config",
]

P = ParamSpec("P")
R = TypeVar("R")

#: Share of the memory of the machine, or of its control group, that one computation may take.
SHARE = 0.5
#: Bytes taken for the machine's memory where the system does not report it.
UNREPORTED = 8e9
#: Control groups of version 1 report a number near 2^63 where there is no limit.
UNLIMITED = 2**60
UNITS = {
    "": 1.0, "b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
    "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30, "tib": 2.0**40,
}  # fmt: skip
SIZE = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


class Settings(TypedDict, total=False):
    """The settings by name; see `set_config`."""

    memory_limit: float | str | None
    neighbor_search: Any
    progress: bool


class _Setting(NamedTuple):
    default: Any
    check: Callable[[Any], Any]


def _bytes(value: Any) -> float | None:
    """A size in bytes: a positive number, or text such as ``"4 GB"``; None as it is."""
    if value is None:
        return None
    if isinstance(value, str):
        match = SIZE.fullmatch(value)
        if match and match[2].lower() in UNITS:
            return _bytes(float(match[1]) * UNITS[match[2].lower()])
    elif isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < inf:
        return float(value)
    raise ValueError(
        f"memory_limit={value!r}: give a number of bytes above 0, a size such as '4 GB', or None "
        "for half of the memory there is."
    )


def _search(value: Any) -> Any:
    if value in ("auto", "exact", "approximate") if isinstance(value, str) else _transforms(value):
        return value
    raise ValueError(
        f"neighbor_search={value!r}: use 'auto', 'exact', 'approximate', or a transformer such as "
        "KNeighborsTransformer."
    )


def _transforms(value: Any) -> bool:
    return hasattr(value, "fit_transform") and not isinstance(value, type)


def _switch(value: Any) -> bool:
    words = {"1": True, "true": True, "0": False, "false": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise ValueError(f"progress={value!r}: use True or False.")


_SETTINGS = {
    "memory_limit": _Setting(None, _bytes),
    "neighbor_search": _Setting("auto", _search),
    "progress": _Setting(False, _switch),
}
#: What `set_config` has set, for all threads.
_process: dict[str, Any] = {}
#: What the contexts around the running code have set.
_context: ContextVar[dict[str, Any] | None] = ContextVar("sksieve_config", default=None)


def set_config(**settings: Unpack[Settings]) -> None:
    """Set what holds for every computation of this process, in all threads.

    Parameters
    ----------
    memory_limit : float, str or None
        The most that one computation, or a table read from a file, may take: in bytes, or as
        ``"4 GB"``. None, the default, is what the environment says, or half of what the machine,
        or the control group of its container, has. What would need more is refused before it is
        begun.
    neighbor_search : {"auto", "exact", "approximate"} or transformer
        How nearest neighbors are found. ``"auto"``, the default, compares all pairs of rows where
        that takes up to about 1e11 products, and searches approximately above. A transformer such
        as scikit-learn's ``KNeighborsTransformer`` finds them itself; see
        `sksieve.graphs.find_neighbors`.
    progress : bool
        Whether a fit shows its iterations on a terminal or in a notebook. Default False.

    Raises
    ------
    TypeError
        If there is no setting of that name.
    ValueError
        If a value is none of those above.

    See Also
    --------
    config_context : The same for one block of code.

    Notes
    -----
    The environment variables SKSIEVE_MEMORY_LIMIT, SKSIEVE_NEIGHBOR_SEARCH and SKSIEVE_PROGRESS
    give values where this function has not; worker processes of other libraries see these too.

    Examples
    --------
    >>> import sksieve
    >>> sksieve.set_config(memory_limit="4 GB")
    >>> sksieve.get_config()["memory_limit"]
    4000000000.0
    >>> sksieve.set_config(memory_limit=None)
    """
    _process.update(_checked(settings))


def get_config() -> Settings:
    """The settings that hold here.

    Returns
    -------
    dict
        Of every setting of `set_config` its value; sizes in bytes.

    Examples
    --------
    >>> import sksieve
    >>> sorted(sksieve.get_config())
    ['memory_limit', 'neighbor_search', 'progress']
    """
    values = {name: setting.default for name, setting in _SETTINGS.items()}
    given = {**_process, **(_context.get() or {})}
    given = {name: value for name, value in given.items() if value is not None}
    return cast(Settings, {**values, **_from_environment(), **given})


@contextmanager
def config_context(**settings: Unpack[Settings]) -> Iterator[None]:
    """Settings for a block of code, in this thread alone.

    Parameters
    ----------
    **settings
        As for `set_config`.

    Examples
    --------
    >>> import sksieve
    >>> with sksieve.config_context(neighbor_search="exact"):
    ...     sksieve.get_config()["neighbor_search"]
    'exact'
    """
    token = _context.set({**(_context.get() or {}), **_checked(settings)})
    try:
        yield
    finally:
        _context.reset(token)


def carrying_config(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, to be called in another thread or process with the settings that hold here.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with config_context(memory_limit=100), ThreadPoolExecutor(1) as pool:
    ...     pool.submit(carrying_config(memory_limit)).result(), pool.submit(len, "").result()
    (100.0, 0)
    """
    settings = get_config()

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with config_context(**settings):
            return function(*args, **kwargs)

    return call


def memory_limit() -> float:
    """The most that one computation may take, in bytes.

    Examples
    --------
    >>> with config_context(memory_limit="2 GiB"):
    ...     memory_limit()
    2147483648.0
    """
    limit: Any = get_config()["memory_limit"]
    return SHARE * available_memory() if limit is None else float(limit)


@cache
def available_memory(root: str = "/") -> float:
    """Bytes of memory of the machine, or of the control group of this process where that is less.

    Parameters
    ----------
    root : str
        Where the file systems ``proc`` and ``sys`` are mounted.
    """
    return min([_physical_memory(), *_group_limits(Path(root))])


def _checked(settings: Any) -> dict[str, Any]:
    unknown = [name for name in settings if name not in _SETTINGS]
    if unknown:
        raise TypeError(f"There is no setting {unknown[0]!r}; there are {', '.join(_SETTINGS)}.")
    return {name: _SETTINGS[name].check(value) for name, value in settings.items()}


def _from_environment() -> dict[str, Any]:
    values = {}
    for name, setting in _SETTINGS.items():
        variable = f"SKSIEVE_{name.upper()}"
        if text := os.environ.get(variable):
            try:
                values[name] = setting.check(text)
            except ValueError as error:
                raise ValueError(f"The environment variable {variable}: {error}") from error
    return values


def _physical_memory() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not reported: Windows
        return UNREPORTED


def _group_limits(root: Path) -> Iterator[float]:
    """Limits of the control groups of this process: version 2, and version 1 for memory."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if not controllers:
            base, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            base, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        path = PurePosixPath(group.lstrip("/"))
        for folder in (path, *path.parents):  # a group has at most what those around it have
            limit = _text(base / folder / name).strip()
            if limit.isdecimal() and 0 < int(limit) < UNLIMITED:
                yield float(limit)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""
