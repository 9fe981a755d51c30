"""From an exception to one sentence and an exit code."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from ._options import UsageError
from ._output import refuse

__all__ = ["INTERRUPTED", "REFUSED", "USAGE", "guarded"]

REFUSED = 1
USAGE = 2
INTERRUPTED = 130


@contextmanager
def guarded(debug: bool) -> Iterator[None]:
    """Say what went wrong in one sentence; the traceback only with --debug.

    Raises
    ------
    typer.Exit
        With code 1 when the data or the method refused, 2 when the command line asks for what does
        not exist, 130 after Ctrl-C.
    """
    try:
        yield
    except (typer.Exit, BrokenPipeError):  # typer ends quietly when nobody reads on
        raise
    except KeyboardInterrupt:
        refuse("Interrupted: there is no answer.")
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if _interrupted(error):
            refuse("Interrupted: there is no answer.")
            raise typer.Exit(INTERRUPTED) from None
        if debug:
            traceback.print_exc()
        refuse(_sentence(error))
        raise typer.Exit(USAGE if isinstance(error, UsageError) else REFUSED) from error


def _interrupted(error: BaseException | None) -> bool:
    """Ctrl-C inside compiled code comes out as a SystemError that it is the cause of."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _sentence(error: Exception) -> str:
    """One line; an error that is no refusal of the data or the method is called a defect."""
    if isinstance(error, MemoryError):
        return f"There is not enough memory for this ({str(error) or 'no figure given'})."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    text = " ".join(str(error).split())
    if isinstance(error, ValueError | ImportError) and text:
        return text
    return (
        f"{type(error).__name__}: {text or 'no message'}. This is a defect of scikit-sieve: please "
        "report it with what --debug prints."
    )
