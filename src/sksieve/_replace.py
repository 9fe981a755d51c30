"""The one way in which files are written: whole, or not at all."""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

#: Names of files that are being written.
PART = re.compile(r"\.sksieve-[0-9a-f]{16}\.part")
#: Seconds without a change after which such a file is taken as left behind by a killed process.
STALE = 3600.0
#: New files of this process that have not replaced another yet.
_unfinished: set[Path] = set()


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once everything is written.

    The data go to a file with a random name in the same folder, which is created exclusively and
    without following links, synchronized to the disk and then renamed. If anything fails, `path`
    stays as it was and the new file is removed. A symbolic link at `path` is replaced, not
    followed. The permissions are those of any new file (the umask decides). New files of killed
    processes in the same folder, unchanged for an hour, are removed.

    Parameters
    ----------
    path : str or path-like
        The file to write. Its folder must exist.

    Yields
    ------
    file : binary file object

    Raises
    ------
    OSError
        If the file cannot be written; ``filename`` is `path`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sksieve.io import replacing
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "numbers.txt"
    ...     with replacing(path) as file:
    ...         n = file.write(b"1 2 3")
    ...     path.read_text(), len(list(Path(folder).iterdir()))
    ('1 2 3', 1)
    """
    target = Path(path)
    _remove_stale(target.parent)
    part = target.with_name(f".sksieve-{secrets.token_hex(8)}.part")
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    _unfinished.add(part)
    try:
        with os.fdopen(os.open(part, flags, 0o666), "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
        _sync_folder(target.parent)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(part)):
            raise OSError(error.errno, error.strerror, str(target)) from error
        raise
    finally:
        _unfinished.discard(part)


def remove_unfinished() -> None:
    """Remove the new files of this process, which is about to end without its ``finally``."""
    for part in _unfinished:
        with suppress(OSError):
            part.unlink()


def _remove_stale(folder: Path) -> None:
    """Remove what killed processes left in a folder, where that is allowed."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if PART.fullmatch(entry.name) is None:
                continue
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode) and status.st_mtime < time.time() - STALE:
                    os.unlink(entry.path)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, where folders can be synchronized."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # some file systems refuse it
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
