"""The one place that decides whether a computation may take the memory it needs."""

from __future__ import annotations

from math import ceil

from .config import memory_limit
from .exceptions import TooLargeError


def require_memory(n_bytes: float, purpose: str, advice: str) -> None:
    """Refuse a computation that would need more memory than the limit, before any is taken.

    Parameters
    ----------
    n_bytes : float
        Estimated peak, in bytes.
    purpose : str
        What needs it, as the start of a sentence: ``"SDP1 on 100000 samples"``.
    advice : str
        What the user can do instead, as a sentence.

    Raises
    ------
    TooLargeError
        If `n_bytes` is above the setting ``memory_limit``.

    Examples
    --------
    >>> from sksieve import config_context
    >>> with config_context(memory_limit="4 GB"):
    ...     require_memory(8e10, "SDP1 on 100000 samples", "Fit a sample of the rows.")
    Traceback (most recent call last):
        ...
    sksieve.exceptions.TooLargeError: SDP1 on 100000 samples would need about 80 GB of memory, \
more than the limit of 4 GB. Fit a sample of the rows. The limit can be raised: \
sksieve.set_config(memory_limit="80 GB") or the environment variable SKSIEVE_MEMORY_LIMIT.
    """
    limit = memory_limit()
    if n_bytes > limit:
        needed = _size(n_bytes)
        raise TooLargeError(
            f"{purpose} would need about {needed} of memory, more than the limit of "
            f"{_size(limit)}. {advice} The limit can be raised: "
            f'sksieve.set_config(memory_limit="{needed}") or the environment variable '
            "SKSIEVE_MEMORY_LIMIT."
        )


def _size(n_bytes: float) -> str:
    """A number of bytes with two digits, rounded up, as `sksieve.set_config` takes it."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            number = n_bytes / size * (1 - 1e-12)
            return (
                f"{ceil(number)} {unit}" if number >= 10 else f"{ceil(10 * number) / 10:g} {unit}"
            )
    return f"{ceil(n_bytes)} B"
