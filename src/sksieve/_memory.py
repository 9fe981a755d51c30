"""The one place that decides whether a computation may take the memory it needs."""

from __future__ import annotations

from .exceptions import TooLargeError

__all__ = ["LIMIT_BYTES", "require_memory"]

#: The most that one computation may hold at a time, in bytes.
LIMIT_BYTES = 4e9


def require_memory(
    n_bytes: float, purpose: str, advice: str, *, limit: float | None = None
) -> None:
    """Refuse a computation that would need more memory than the limit, before any is taken.

    Parameters
    ----------
    n_bytes : float
        Estimated peak, in bytes.
    purpose : str
        What needs it, as the start of a sentence: ``"SDP1 on 100000 samples"``.
    advice : str
        What the user can do instead, as a sentence.
    limit : float, optional
        In bytes; default `LIMIT_BYTES`.

    Raises
    ------
    TooLargeError
        If `n_bytes` is above the limit.

    Examples
    --------
    >>> require_memory(8e10, "SDP1 on 100000 samples", "Fit a sample of the rows.")
    Traceback (most recent call last):
        ...
    sksieve.exceptions.TooLargeError: SDP1 on 100000 samples would need about 80 GB of memory, \
more than the limit of 4 GB. Fit a sample of the rows.
    """
    limit = LIMIT_BYTES if limit is None else limit
    if n_bytes > limit:
        raise TooLargeError(
            f"{purpose} would need about {_gigabytes(n_bytes)} of memory, more than the limit of "
            f"{_gigabytes(limit)}. {advice}"
        )


def _gigabytes(n_bytes: float) -> str:
    number = n_bytes / 1e9
    return f"{number:.0f} GB" if number >= 10 else f"{number:.2g} GB"
