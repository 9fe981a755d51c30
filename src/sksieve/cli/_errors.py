"""What a command line asks for that does not exist, and how arguments are spelled as options."""

from __future__ import annotations

from ..exceptions import ArgumentError

#: Arguments of the library whose option is not called like them.
OPTION_NAMES = {
    "k": "-k",
    "n_clusters": "-c",
    "use": "--for",
    "params": "--param",
    "time_limit": "--time",
    "random_state": "--seed",
}


class UsageError(ArgumentError):
    """The command line asks for something that does not exist; exit code 2."""
