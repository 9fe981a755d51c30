"""Settings of the package: how neighbors are searched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_SETTINGS: ContextVar[dict[str, Any] | None] = ContextVar("sksieve_settings", default=None)
_DEFAULTS: dict[str, Any] = {"neighbor_search": "auto"}


def get_config() -> dict[str, Any]:
    """The settings in force."""
    return {**_DEFAULTS, **(_SETTINGS.get() or {})}


def set_config(**settings: Any) -> None:
    """Set settings until they are set again."""
    _SETTINGS.set({**get_config(), **settings})


@contextmanager
def config_context(**settings: Any) -> Iterator[None]:
    """Set settings for a block."""
    token = _SETTINGS.set({**get_config(), **settings})
    try:
        yield
    finally:
        _SETTINGS.reset(token)
