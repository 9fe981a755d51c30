"""The command line: parse, call, print."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


class Stopped(BaseException):
    """A signal that ends the program; no handler of ordinary errors catches it."""

    @property
    def number(self) -> int:
        """The signal."""
        return int(self.args[0])


#: What is said after a signal; the exit code is 128 and its number.
SAID = {
    signal.SIGINT: "Interrupted; there is no result.",
    signal.SIGTERM: "Stopped by SIGTERM; there is no result.",
}

#: CPU seconds after which a signal comes again if its exception was ignored.
AGAIN = 1.0


def main() -> int:
    """Entry point of ``sksieve`` and ``python -m sksieve``; the exit code.

    0 done, 1 the data or the method refused, 2 usage, 130 interrupted, 143 stopped by SIGTERM.
    """
    try:
        for number in SAID:
            signal.signal(number, _stop)
        return _run()
    except (Stopped, KeyboardInterrupt) as stop:
        _ignore_signals()
        number = getattr(stop, "number", signal.SIGINT)
        sys.stderr.write(_sentence(number))
        return 128 + number
    finally:
        _ignore_signals()  # the answer is complete


def _stop(number: int, frame: FrameType | None) -> None:
    """End the program: at once inside an import, which may swallow or replace an exception.

    Python ignores an exception in ``__del__`` or in a callback from C. Where the program runs on,
    the signal comes again.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            if (files := sys.modules.get("sksieve._replace")) is not None:
                files.remove_unfinished()
            os.write(2, _sentence(number).encode())
            os._exit(128 + number)
        frame = frame.f_back
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, lambda _, frame: _stop(number, frame))
        signal.setitimer(signal.ITIMER_PROF, AGAIN)
        sys.unraisablehook = lambda _: None
    raise Stopped(number)


def _sentence(number: int) -> str:
    return f"Error: {SAID[signal.Signals(number)]}\n"


def _ignore_signals() -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, 0)
    for number in SAID:
        signal.signal(number, signal.SIG_IGN)


def _run() -> int:
    """Import the commands and run the one that was typed."""
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
    try:
        app(prog_name="sksieve")
    except SystemExit as stop:
        return _flushed(stop.code)
    except OSError as error:  # of --help and --version; commands have a guard
        return _unwritten(error)
    return _flushed(0)


def _flushed(code: int | str | None) -> int:
    """The exit code, or 1 if the rest of the output cannot be written (a full disk)."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (the reader has closed the pipe)
        return 1
    except OSError as error:
        if not code:  # else the same was said where it happened
            return _unwritten(error)
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (what is left cannot be written)
    return code if isinstance(code, int) else int(code is not None)


def _unwritten(error: OSError) -> int:
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (what is left cannot be written)
    sys.stderr.write(f"Error: the output cannot be written: {error.strerror or error}.\n")
    return 1
