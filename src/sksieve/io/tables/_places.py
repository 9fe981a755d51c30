"""Tables that are not one file here: of a database, in many files, at an address."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from ..._optional import optional
from ..._wording import did_you_mean, listed
from ...exceptions import DataError
from .._source import bounded
from ._records import arrow_column
from ._table import ReadOptions, Table, require_shape

#: Between a database and a table in it.
TABLE = "::"
#: Address of a file that is fetched: its protocol.
ADDRESS = re.compile(r"(https?|s3|gs|gcs|az|abfs|ftp|sftp)://", re.IGNORECASE)
SQLITE = (".sqlite", ".sqlite3", ".db", ".db3")
DUCKDB = (".duckdb", ".ddb")
DATABASES = (*SQLITE, *DUCKDB)
CELL_BYTES, OBJECT_BYTES = 32.0, 120.0
BATCH_ROWS = 65_536
FETCHED_FACTOR = 2.0


def is_place(data: str) -> bool:
    """Whether `data` names a table that `read_place` reads.

    Examples
    --------
    >>> [is_place(one) for one in ("a.sqlite::t", "x/*.parquet", "https://a.org/t.csv", "t.csv")]
    [True, True, True, False]
    """
    if Path(data).exists() and Path(data).suffix.lower() not in DATABASES:
        return False
    return bool(
        ADDRESS.match(data)
        or Path(data.partition(TABLE)[0]).suffix.lower() in DATABASES
        or set("*?[") & set(data)
    )


def public(data: str) -> str:
    """The name of a place without user, password and query.

    Examples
    --------
    >>> public("https://ann:secret@example.org/t.csv?token=1")
    'https://example.org/t.csv'
    """
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
    if not set("*?[") & set(data.partition(TABLE)[0]):
        return _of_database(data)
    return _of_files(data)


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
    """Turn what a library of remote files or databases raises into a sentence without secrets."""
    try:
        yield
    except (DataError, MemoryError):
        raise
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise DataError(
            f"Reading {public(data)} needs {package or 'another package of fsspec'}: pip install "
            "'scikit-sieve[remote]'."
        ) from None
    except Exception as error:
        status = getattr(error, "status", "")
        what = type(error).__name__ if not status else f"status {status}"
        raise DataError(f"{public(data)} cannot be read ({what}).") from None


# Databases ----------------------------------------------------------------------------------------


def _of_database(data: str) -> Table:
    address, _, name = data.partition(TABLE)
    path = Path(address).expanduser()
    if not path.is_file():
        raise DataError(f"There is no file {address}.")
    with _refusing(data):
        read = _of_duckdb if path.suffix.lower() in DUCKDB else _of_sqlite
        table, columns = read(path, name)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Table(f"{path.name}{TABLE}{table}", columns, columns.column_names, digest, array=table)


def _of_sqlite(path: Path, name: str) -> tuple[str, Any]:
    """The name of a table of SQLite, and the table."""
    import sqlite3

    pa = optional("pyarrow", "A table")
    address = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        query = "select name from sqlite_master where type in ('table', 'view') order by name"
        tables = [row[0] for row in connection.execute(query) if not row[0].startswith("sqlite_")]
        table = _table_named(path.name, name, tables)
        quoted = table.replace('"', '""')
        cursor = connection.execute(f'select * from "{quoted}"')
        names = [column[0] for column in cursor.description]
        rows: list[Any] = []
        while batch := cursor.fetchmany(BATCH_ROWS):
            rows += batch
            require_shape(table, len(rows), len(names), OBJECT_BYTES * len(rows) * len(names))
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    return table, pa.table([arrow_column(column, path.name) for column in cells], names=names)


def _of_duckdb(path: Path, name: str) -> tuple[str, Any]:
    """The name of a table of DuckDB, and the table."""
    duckdb, pa = optional("duckdb", f"Reading {path.name}"), optional("pyarrow", "A table")
    settings = {"autoinstall_known_extensions": False, "enable_external_access": False}
    with duckdb.connect(str(path), read_only=True, config=settings) as connection:
        query = "select table_name from information_schema.tables order by table_name"
        tables = [row[0] for row in connection.execute(query).fetchall()]
        table = _table_named(path.name, name, tables)
        quoted = table.replace('"', '""')
        relation = connection.sql(f'select * from "{quoted}"')
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
        reader, n_bytes, n_rows, batches = read(BATCH_ROWS), 0, 0, []
        for batch in reader:
            n_bytes, n_rows = n_bytes + batch.nbytes, n_rows + batch.num_rows
            cells = CELL_BYTES * n_rows * batch.num_columns
            require_shape(table, n_rows, batch.num_columns, 2.0 * n_bytes + cells)
            batches.append(batch)
        return table, pa.Table.from_batches(batches, reader.schema)


def _table_named(address: str, name: str, tables: list[str]) -> str:
    if not tables:
        raise DataError(f"{address} has no tables.")
    if not name and len(tables) == 1:
        return tables[0]
    if not name:
        raise DataError(
            f"{address} has several tables: {listed(tables)}; name one: "
            f"{address}{TABLE}{tables[0]}."
        )
    if name not in tables:
        near = did_you_mean(name, tables, quoted=True) or f"it has {listed(tables)}."
        raise DataError(f"{address} has no table {name!r}; {near}")
    return name


# Many files ---------------------------------------------------------------------------------------


def _of_files(data: str) -> Table:
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
        table = read_with(str(path), ReadOptions())
        total += table.shape[0]
        require_shape(data, total, table.shape[1], CELL_BYTES * total * table.shape[1])
        if tables and list(table.columns) != list(tables[0].column_names):
            raise DataError(f"{path.name} has other columns than {paths[0].name}.")
        tables.append(table.data)
        digest.update(table.sha256.encode())
    whole = pa.concat_tables(tables, promote_options="permissive")
    return Table(data, whole, whole.column_names, digest.hexdigest())
