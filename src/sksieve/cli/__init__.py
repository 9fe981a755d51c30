"""The command line: parse, call, print."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Entry point of ``sksieve`` and ``python -m sksieve``; the exit code.

    0 done, 1 the data or the method refused, 2 usage, 130 interrupted.
    """
    try:
        import rich  # noqa: F401  (typer imports it late)

        from ._app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.stderr.write(
            f"The command line needs {error.name}, which is not installed: "
            'pip install "scikit-sieve[cli]"\n'
        )
        return 1
    for stream in (sys.stdout, sys.stderr):  # a name the terminal cannot show must not end the run
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="sksieve")
    return 0
