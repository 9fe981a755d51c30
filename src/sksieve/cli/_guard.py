"""From an exception to one sentence and an exit code."""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from .._wording import messages_name_options
from ..exceptions import ArgumentError, DataError
from . import Stopped
from ._errors import OPTION_NAMES
from ._print import refuse

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
        with messages_name_options(OPTION_NAMES):
            yield
    except (typer.Exit, BrokenPipeError):  # typer ends quietly when nobody reads on
        raise
    except KeyboardInterrupt:
        refuse("Interrupted; there is no result.")
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if (stop := _signal_behind(error)) is not None:
            raise stop from None
        if _interrupted(error):
            refuse("Interrupted; there is no result.")
            raise typer.Exit(INTERRUPTED) from None
        if debug:
            traceback.print_exc()
        refuse(_sentence(error))
        raise typer.Exit(USAGE if isinstance(error, ArgumentError) else REFUSED) from error


def _signal_behind(error: BaseException | None) -> Stopped | None:
    """The signal that an error is the consequence of, in compiled code for instance."""
    while error is not None:
        if isinstance(error, Stopped):
            return error
        error = error.__cause__ or error.__context__
    return None


def _interrupted(error: BaseException | None) -> bool:
    """Ctrl-C inside compiled code comes out as a SystemError that it is the cause of."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _sentence(error: Exception) -> str:
    """One sentence; what neither the data, the user nor the machine can cause is a defect."""
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        detail = f" ({text})" if text else ""
        return f"There is not enough memory for this{detail}; use fewer rows or columns."
    if isinstance(error, OSError):
        return _machine(error, text)
    sqlite3 = sys.modules.get("sqlite3")
    if sqlite3 is not None and isinstance(error, sqlite3.Error):
        return (
            f"The store of results cannot be used ({text}). Check that the disk is not full and "
            "the file is writable; if it is damaged, restore a copy or name another folder with "
            "--store."
        )
    if isinstance(error, DataError):
        return str(error).strip()
    if isinstance(error, ValueError | ImportError) and text:
        return text
    if isinstance(error, RuntimeError) and "home directory" in text:
        return f"{text} Write the path without ~."
    return (
        f"{type(error).__name__}: {text or 'no message'}. This is a defect of scikit-sieve: please "
        "report it with the output of --debug."
    )


#: What to do about what the machine refuses.
ADVICE = {
    errno.ENOSPC: "free some space, or write to another disk",
    errno.EDQUOT: "free some space, or write to another disk",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f)",
    errno.EACCES: "choose a file or folder with the needed permission",
    errno.EPERM: "choose a file or folder with the needed permission",
    errno.EROFS: "write to another folder",
}


def _machine(error: OSError, text: str) -> str:
    """A refusal of the file system: which file, what happened, what to do."""
    code = error.errno
    if code is None and "No space left on device" in text:  # Arrow passes on the text only
        code = errno.ENOSPC
    what = error.strerror or text or type(error).__name__
    where = f"{error.filename}: " if error.filename and str(error.filename) not in what else ""
    advice = f"; {ADVICE[code]}" if code in ADVICE else ""
    return f"{where}{what.rstrip('.')}{advice}."
