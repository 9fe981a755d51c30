"""Warnings and errors of scikit-sieve.

Errors are `ValueError` and `TypeError`, as scikit-learn users expect; the subclasses here exist
where a caller may want to tell one refusal from another.
"""

__all__ = ["DataError", "DataWarning", "RankDeficiencyWarning", "TooLargeError"]


class DataError(ValueError):
    """The data cannot be used as they are; the message says what to change."""


class TooLargeError(DataError):
    """The method would need more memory than is reasonable; the message gives the figure."""


class DataWarning(UserWarning):
    """The data contradict what the method expects; the answer may be poor."""


class RankDeficiencyWarning(DataWarning):
    """Fewer columns than were asked for already rebuild all the others."""
