"""Warnings and errors of scikit-sieve.

Errors are `ValueError` and `TypeError`, as scikit-learn users expect; the subclasses here exist
where a caller may want to tell one refusal from another.
"""

import sys
import warnings
from types import FrameType
from typing import Any

__all__ = [
    "ArgumentError",
    "DataError",
    "DataWarning",
    "MissingDataError",
    "MissingPackageError",
    "RankDeficiencyWarning",
    "TooLargeError",
    "warn_user",
]

_NOT_THE_USER = ("sklearn", "sksieve")


class ArgumentError(ValueError):
    """An argument asks for something that does not exist, whatever the data."""


class DataError(ValueError):
    """The data cannot be used as they are; the message says what to change.

    Parameters
    ----------
    *args : str
        The message.
    remedy : tuple of (str, value), default=()
        Arguments with which the question has an answer, as ``("drop", "date")``; a name may occur
        more than once. Commands print the command line that has them.
    """

    def __init__(self, *args: str, remedy: tuple[tuple[str, Any], ...] = ()) -> None:
        """An error with its remedy."""
        super().__init__(*args)
        self.remedy = remedy


class MissingDataError(DataError):
    """The files of a data set of the catalogue are not there; the message says how to get them."""


class MissingPackageError(DataError, ImportError):
    """An optional package is not installed; the message has the line that installs it."""


class TooLargeError(DataError):
    """The method would need more memory than is reasonable; the message gives the size."""


class DataWarning(UserWarning):
    """The data contradict what the method expects; the answer may be poor."""


class RankDeficiencyWarning(DataWarning):
    """Fewer columns than were asked for already reconstruct all the others."""


def warn_user(message: str, category: type[Warning] = DataWarning) -> None:
    """Warn at the line that asked: the nearest outside this package and scikit-learn's wrappers.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_user("Three columns are constant.")
    >>> caught[0].category.__name__
    'DataWarning'
    """
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USER:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
