"""The ``assert`` of this package: also checked under ``python -O``."""

from __future__ import annotations


def require(condition: bool, message: str) -> None:
    """Raise `AssertionError` with `message` unless `condition` is true."""
    if not condition:
        raise AssertionError(message)
