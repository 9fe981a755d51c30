"""Where the bytes come from: a file, or standard input."""

from __future__ import annotations

import difflib
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

from ..exceptions import DataError

__all__ = ["COMPRESSED", "Source", "open_source"]

#: Suffixes that may be followed by .gz.
COMPRESSED = (".csv", ".tsv", ".mtx")


@dataclass(frozen=True)
class Source:
    """A file that is there and not empty, or the bytes of standard input.

    Parameters
    ----------
    name : str
        How messages call it.
    path : Path or None
        None for standard input.
    suffix : str
        Lower case, without ``.gz``; ``.csv`` for standard input.
    content : bytes or None
        The bytes of standard input.
    """

    name: str
    path: Path | None
    suffix: str
    content: bytes | None = None

    @property
    def file(self) -> Path:
        """The path, for readers of formats that are never read from standard input."""
        assert self.path is not None
        return self.path

    def head(self, n: int = 16) -> bytes:
        """The first `n` bytes."""
        if self.path is None:
            return (self.content or b"")[:n]
        with self.path.open("rb") as file:
            return file.read(n)

    def sha256(self) -> str:
        if self.path is None:
            return hashlib.sha256(self.content or b"").hexdigest()
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def open_source(data: str) -> Source:
    """The source called `data`; ``-`` is standard input.

    Raises
    ------
    DataError
        If it is not there, not a file, not readable, or empty.
    """
    if data == "-":
        return _standard_input()
    path = Path(data).expanduser()
    _check_file(path, data)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".gz" and len(suffixes) > 1 and suffixes[-2] in COMPRESSED:
        suffix = suffixes[-2]
    return Source(path.name, path, suffix)


def _standard_input() -> Source:
    if sys.stdin.isatty():
        raise DataError(
            "'-' reads a CSV table from standard input, and nothing is piped in; "
            "for example: sksieve select - -k 5 < table.csv"
        )
    content = sys.stdin.buffer.read()
    if not content.strip():
        raise DataError("Standard input is empty; pipe a CSV table into it.")
    return Source("standard input", None, ".csv", content)


def _check_file(path: Path, data: str) -> None:
    if path.is_dir():
        raise DataError(f"{data} is a folder; name a file in it.")
    if not path.exists():
        raise DataError(f"There is no file {data}{_nearby(path)}")
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise DataError(f"{data} cannot be opened: {error.strerror}.") from error
    if empty:
        raise DataError(f"{data} is empty (0 bytes).")


def _nearby(path: Path) -> str:
    """The end of "There is no file ...": what may have been meant."""
    from ..datasets import catalogue

    folder = path.parent
    if not folder.is_dir():
        return f": the folder {folder} does not exist."
    entries = sorted(folder.iterdir(), key=lambda entry: entry.suffix == path.suffix)
    stems = {entry.name.partition(".")[0]: entry for entry in entries if entry.is_file()}
    near = difflib.get_close_matches(path.name.partition(".")[0], stems, n=2, cutoff=0.75)
    if near:
        return f"; did you mean {' or '.join(str(stems[stem]) for stem in near)}?"
    if any(record.name.lower() == path.name.lower() for record in catalogue()):
        return f"; the data set of that name is dataset:{path.name}."
    return "."
