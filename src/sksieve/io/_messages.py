"""How missing packages and damaged files are worded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from ..exceptions import DataError


def package(name: str, extra: str) -> ModuleType:
    """Import an optional package, or say how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        raise DataError(
            f"Reading this needs the package {error.name}: pip install 'scikit-sieve[{extra}]'"
        ) from error


@contextmanager
def damaged(name: str, kind: str) -> Iterator[None]:
    """Turn whatever a format's parser raises into one sentence.

    The parsers of other projects raise nearly anything on a damaged file (struct.error, zlib.error,
    KeyError, TypeError among them), hence the wide net; the cause stays chained for ``--debug``.
    """
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise DataError(
            f"{name} cannot be read as {kind}; it is damaged or of another format ({reason})."
        ) from error
