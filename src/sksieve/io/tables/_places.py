"""Tables that are not one file here: in many files, at an address, of a database."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from ..._optional import optional
from ..._wording import listed
from ...exceptions import DataError, MissingPackageError
from .._source import bounded
from ._databases import SERVER, is_database, public_server, read_database
from ._table import ReadOptions, Table, require_shape

#: Address of a file that is fetched: its protocol.
ADDRESS = re.compile(r"(https?|s3|gs|gcs|az|abfs|ftp|sftp)://", re.IGNORECASE)
CELL_BYTES = 32.0
FETCHED_FACTOR = 2.0
#: What the extra installs beside fsspec: for http, and for s3.
REMOTE = ("aiohttp", "s3fs")


def is_place(data: str) -> bool:
    """Whether `data` names a table that `read_place` reads.

    Examples
    --------
    >>> [is_place(one) for one in ("a.sqlite::t", "x/*.parquet", "https://a.org/t.csv", "t.csv")]
    [True, True, True, False]
    """
    if ADDRESS.match(data) or is_database(data):
        return True
    return bool(set("*?[") & set(data)) and not Path(data).exists()


def public(data: str) -> str:
    """The name of a place without user, password and query.

    Examples
    --------
    >>> public("https://ann:secret@example.org/t.csv?token=1")
    'https://example.org/t.csv'
    """
    if SERVER.match(data):
        return public_server(data)
    if not ADDRESS.match(data):
        return data
    parts = urlsplit(data)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def read_place(data: str, options: ReadOptions) -> Table:
    """Read a table of a database, of files that match a pattern, or at an address."""
    if ADDRESS.match(data):
        return _fetched(data, options)
    options.require_only(("missing",), public(data))
    if is_database(data):
        return read_database(data, options.missing)
    return _of_files(data, options.missing)


# Files at an address ------------------------------------------------------------------------------


def _fetched(data: str, options: ReadOptions) -> Table:
    from . import read_with

    name = PurePosixPath(urlsplit(data).path).name or "table"
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(_content(data))
        table = read_with(str(path), options)
        if table.text is not None:  # reads the file again, which is gone by then
            columns = [table.text(i) for i in range(table.shape[1])]
            table = replace(table, text=columns.__getitem__)
    return replace(table, name=name)


def _content(data: str) -> bytes:
    fsspec = optional("fsspec", f"Reading {public(data)}")
    with _refusing(data), fsspec.open(data, "rb") as stream:
        content = bounded(stream, public(data), FETCHED_FACTOR)
    if not content:
        raise DataError(f"{public(data)} is empty (0 bytes).")
    return content


@contextmanager
def _refusing(data: str) -> Iterator[None]:
    """Turn what a library of remote files raises into a sentence without secrets."""
    try:
        yield
    except (DataError, MemoryError):
        raise
    except ImportError as error:
        missing = error.__cause__ if isinstance(error.__cause__, ImportError) else error
        package = (missing.name or "fsspec").partition(".")[0]
        line = "'scikit-sieve[remote]'" if package in REMOTE else package
        raise MissingPackageError(
            f"Reading {public(data)} needs {package}: pip install {line}."
        ) from None
    except Exception as error:
        status = getattr(error, "status", "")
        what = type(error).__name__ if not status else f"status {status}"
        raise DataError(f"{public(data)} cannot be read ({what}).") from None


# Many files ---------------------------------------------------------------------------------------


def _of_files(data: str, missing: tuple[str, ...]) -> Table:
    """The rows of all Parquet or Feather files that match a pattern, by their names' order."""
    from . import read_with

    pa = optional("pyarrow", "A table")
    folder = Path(data[: re.search(r"[*?[]", data).start()]).parent  # type: ignore[union-attr]
    pattern = str(Path(data).relative_to(folder))
    paths = sorted(path for path in folder.glob(pattern) if path.is_file())
    if not paths:
        raise DataError(f"No file matches {data}.")
    wrong = [path.name for path in paths if path.suffix.lower() not in (".parquet", ".feather")]
    if wrong:
        raise DataError(
            f"{data} matches {listed(wrong)}: tables in several files are read from .parquet or "
            ".feather."
        )
    tables: list[Any] = []
    total, digest = 0, hashlib.sha256()
    for path in paths:
        table = read_with(str(path), ReadOptions(missing=missing))
        total += table.shape[0]
        require_shape(data, total, table.shape[1], CELL_BYTES * total * table.shape[1])
        if tables and list(table.columns) != list(tables[0].column_names):
            raise DataError(f"{path.name} has other columns than {paths[0].name}.")
        tables.append(table.data)
        digest.update(table.sha256.encode())
    whole = pa.concat_tables(tables, promote_options="permissive")
    return Table(data, whole, whole.column_names, digest.hexdigest())
