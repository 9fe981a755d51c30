"""The fixtures of the command line, for tests that read files through it."""

from ..cli.conftest import csv, invoke, refused, values

__all__ = ["csv", "invoke", "refused", "values"]
