"""Where the bytes come from: a file, perhaps a compressed one, or standard input."""

from __future__ import annotations

import bz2
import difflib
import gzip
import hashlib
import io
import lzma
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from .._memory import require_memory
from .._wording import listed
from ..exceptions import DataError

#: Endings that may be followed by one of a compressed file.
PACKED = (
    *(".csv", ".tsv", ".txt", ".data", ".dat", ".json", ".jsonl", ".mtx"),
    *(".edges", ".edgelist", ".graphml", ".gml"),
)


def _open_zip(path: Path) -> BinaryIO:
    """The only file in a zip archive."""
    archive = zipfile.ZipFile(path)
    return archive.open(_only_member(archive, path.name))  # type: ignore[return-value]


def _only_member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    members = [info for info in archive.infolist() if not info.filename.endswith("/")]
    if len(members) != 1:
        names = listed((info.filename for info in members), 3)
        raise DataError(
            f"{name} holds {len(members):,} files{f' ({names})' if members else ''}; a compressed "
            "table is an archive of one file: unpack it and name the one to read."
        )
    return members[0]


#: Ending -> what opens the compressed file.
COMPRESSIONS: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _open_zip,
}


#: Memory of a text table, and of a list of names, over the length of its text.
STDIN_FACTOR, LIST_FACTOR = 4.0, 100.0


@dataclass(frozen=True)
class Source:
    """A file that exists and is not empty, or the bytes of standard input.

    Parameters
    ----------
    name : str
        The name in messages.
    path : Path or None
        None for standard input.
    suffix : str
        Lower case, without that of a compressed file; ``.csv`` for standard input.
    content : bytes or None
        The bytes of standard input.
    packing : str
        Ending of a compressed file, a key of `COMPRESSIONS`; empty for others.
    """

    name: str
    path: Path | None
    suffix: str
    content: bytes | None = None
    packing: str = ""

    @property
    def file(self) -> Path:
        """The path, for readers of formats that are never read from standard input."""
        assert self.path is not None
        return self.path

    def head(self, n: int = 16) -> bytes:
        """The first `n` bytes as stored."""
        if self.path is None:
            return (self.content or b"")[:n]
        with self.path.open("rb") as file:
            return file.read(n)

    def stream(self) -> BinaryIO:
        """The bytes, unpacked. Reading a damaged compressed file raises what its library raises."""
        if self.path is None:
            return io.BytesIO(self.content or b"")
        if self.packing:
            return COMPRESSIONS[self.packing](self.path)
        return self.path.open("rb")

    def size(self) -> int:
        """Number of bytes as stored."""
        return len(self.content or b"") if self.path is None else self.path.stat().st_size

    def unpacked(self, factor: float) -> bytes:
        """All bytes, unpacked; refused where `factor` times their number exceeds the memory limit.

        Raises
        ------
        TooLargeError
        """
        self.require(factor * self.size())
        with self.stream() as stream:
            return bounded(stream, self.name, factor)

    def require(self, n_bytes: float) -> None:
        """Refuse to read what would take more than the memory limit.

        Raises
        ------
        TooLargeError
        """
        _require(n_bytes, self.name)

    def sha256(self) -> str:
        """Of the bytes as stored."""
        if self.path is None:
            return hashlib.sha256(self.content or b"").hexdigest()
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def bounded(stream: BinaryIO, name: str, factor: float = 1.0) -> bytes:
    """All bytes of a stream; refused as soon as `factor` times their number exceeds the limit.

    Raises
    ------
    TooLargeError
    """
    pieces, n = [], 0
    while piece := stream.read(1 << 20):
        n += len(piece)
        _require(factor * n, name)
        pieces.append(piece)
    return b"".join(pieces)


def read_list(path: Path) -> list[str]:
    """The lines of a text file in UTF-8 that are not blank, stripped.

    Raises
    ------
    DataError
        If it is no regular file, or not such a text, or has no lines but blank ones.
    """
    try:
        if not path.is_file():
            what = "there is no such file" if not path.exists() else "it is not a regular file"
            raise DataError(f"@{path}: cannot read names of columns: {what}.")
        with path.open("rb") as stream:
            text = bounded(stream, str(path), LIST_FACTOR).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file in UTF-8"
        raise DataError(f"@{path}: cannot read names of columns: {reason}.") from error
    lines = [line.strip() for line in text.split("\n")]
    if not any(lines):
        raise DataError(f"@{path}: cannot read names of columns: it has none.")
    return [line for line in lines if line]


def _require(n_bytes: float, name: str) -> None:
    require_memory(
        n_bytes, f"Reading {name}", "Split it, or convert it to Parquet or NPY elsewhere."
    )


def open_source(data: str) -> Source:
    """The source called `data`; ``-`` is standard input.

    Raises
    ------
    DataError
        If it does not exist, is not a file, cannot be read, or is empty.
    """
    if data == "-":
        return _standard_input()
    try:
        path = Path(data).expanduser()
    except RuntimeError as error:
        raise DataError(
            f"There is no file {data}: {Path(data).parts[0]} is not the home folder of a user here."
        ) from error
    _check_file(path, data)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in COMPRESSIONS:
        return Source(path.name, path, suffix)
    inner = suffixes[-2] if len(suffixes) > 1 else ""
    if suffix == ".zip" and inner not in PACKED:
        try:
            with zipfile.ZipFile(path) as archive:
                inner = PurePath(_only_member(archive, path.name).filename).suffix.lower()
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{path.name} cannot be unpacked: {error}.") from error
    return Source(path.name, path, inner or suffix, packing=suffix)


def _standard_input() -> Source:
    if sys.stdin.isatty():
        raise DataError(
            "'-' reads a CSV table from standard input, and nothing is piped in; "
            "for example: sksieve select - -k 5 < table.csv"
        )
    content = bounded(sys.stdin.buffer, "standard input", STDIN_FACTOR)
    if not content.strip():
        raise DataError("Standard input is empty; pipe a CSV table into it.")
    return Source("standard input", None, ".csv", content)


def _check_file(path: Path, data: str) -> None:
    if path.is_dir():
        raise DataError(f"{data} is a folder; name a file in it.")
    if not path.exists():
        raise DataError(f"There is no file {data}{_nearby(path)}")
    if not path.is_file():
        raise DataError(f"{data} is a device or a pipe; for text use: sksieve ... - < {data}")
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
