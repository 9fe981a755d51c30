"""Tables of SQLite, DuckDB and PostgreSQL; a database is opened for reading only."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

from ..._optional import optional
from ..._wording import did_you_mean, listed
from ...exceptions import DataError
from ._codes import without_codes
from ._records import arrow_column
from ._table import Table, require_shape

#: Between a database and a table in it, or a query.
TABLE = "::"
SQLITE = (".sqlite", ".sqlite3", ".db", ".db3")
DUCKDB = (".duckdb", ".ddb")
DATABASES = (*SQLITE, *DUCKDB)
#: Address of a PostgreSQL server.
SERVER = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
QUERY = re.compile(r"\s*(select|with)\s", re.IGNORECASE)
CELL_BYTES, OBJECT_BYTES = 32.0, 120.0
BATCH_ROWS = 65_536
#: Seconds to wait for a server whose address has no `connect_timeout`.
CONNECT_TIMEOUT = 10
#: What the current user may read: tables, views, partitioned and foreign tables.
POSTGRES_TABLES = """
select nspname, relname, nspname = current_schema() as is_current
from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where relkind in ('r', 'v', 'm', 'f', 'p') and nspname !~ '^pg_' and nspname <> 'information_schema'
and has_schema_privilege(relnamespace, 'usage') and has_table_privilege(pg_class.oid, 'select')
order by is_current desc, nspname, relname
"""
#: Values that Arrow holds; others of a server (JSON, UUID, arrays) are read as text.
PLAIN = (str, bool, int, float, date, time, timedelta)


def split_database(data: str) -> tuple[str, str]:
    """The address of a database, and the table or query after it; empty without one.

    Examples
    --------
    >>> split_database("a.sqlite::people")
    ('a.sqlite', 'people')
    >>> split_database("postgresql://[::1]/db::select a::float from t")
    ('postgresql://[::1]/db', 'select a::float from t')
    """
    server = SERVER.match(data)
    begin = data.find("/", server.end()) if server else 0
    at = data.find(TABLE, max(begin, 0))
    return (data, "") if at < 0 else (data[:at], data[at + len(TABLE) :])


def is_database(data: str) -> bool:
    """Whether `data` names a database by its address or ending."""
    address = split_database(data)[0]
    return bool(SERVER.match(address)) or Path(address).suffix.lower() in DATABASES


def public_server(data: str) -> str:
    """The name of a table of a server, without user, password and parameters.

    Examples
    --------
    >>> public_server("postgresql://ann:secret@db.org:5432/db?password=secret::people")
    'postgresql://db.org:5432/db::people'
    """
    address, name = split_database(data)
    scheme, _, rest = address.partition("://")
    place = re.split(r"[?#]", rest.rpartition("@")[2])[0]
    return f"{scheme}://{place}{TABLE if name else ''}{name}"


def read_database(data: str, missing: Sequence[str]) -> Table:
    """Read a table, or the rows of a query, of a database.

    Parameters
    ----------
    data : str
        Its address, and after ``::`` the name of a table or a query.
    missing : sequence of str
        Texts of cells that stand for a missing value.
    """
    address, name = split_database(data)
    if SERVER.match(address):
        return _of_postgres(address, name, missing)
    path = Path(address).expanduser()
    if not path.is_file():
        raise DataError(f"There is no file {address}.")
    with _refusing(address):
        if path.suffix.lower() in DUCKDB:
            table, columns = _of_duckdb(path, name)
        else:
            table, columns = _of_sqlite(path, name, missing)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    name = f"{path.name}{TABLE}{table}"
    read = Table(name, columns, columns.column_names, digest, array=table)
    return without_codes(read, missing) if missing else read


@contextmanager
def _refusing(address: str, secret: str = "") -> Iterator[None]:
    """Turn the error of a database's library into a sentence without `secret`."""
    try:
        yield
    except (DataError, MemoryError, ImportError):
        raise
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = lines[0].rstrip(".")
        if secret:
            reason = reason.replace(secret, "***")
        raise DataError(f"{address} cannot be read: {reason}.") from None


def _of_sqlite(path: Path, name: str, missing: Sequence[str]) -> tuple[str, Any]:
    """The name of a table of SQLite, and the table."""
    import sqlite3

    address = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        listing = "select name from sqlite_master where type in ('table', 'view') order by name"
        tables = [row[0] for row in connection.execute(listing) if not row[0].startswith("sqlite_")]
        table, query = _query(path.name, name, {one: _quoted(one) for one in tables})
        cursor = connection.execute(query)
        return table, _arrow_table(path.name, table, cursor, missing)[0]


def _of_duckdb(path: Path, name: str) -> tuple[str, Any]:
    """The name of a table of DuckDB, and the table."""
    duckdb, pa = optional("duckdb", f"Reading {path.name}"), optional("pyarrow", "A table")
    settings = {"autoinstall_known_extensions": False, "enable_external_access": False}
    with duckdb.connect(str(path), read_only=True, config=settings) as connection:
        listing = "select table_name from information_schema.tables order by table_name"
        tables = {row[0]: _quoted(row[0]) for row in connection.execute(listing).fetchall()}
        table, query = _query(path.name, name, tables)
        relation = connection.sql(query)
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
        reader, n_bytes, n_rows, batches = read(BATCH_ROWS), 0, 0, []
        for batch in reader:
            n_bytes, n_rows = n_bytes + batch.nbytes, n_rows + batch.num_rows
            cells = CELL_BYTES * n_rows * batch.num_columns
            require_shape(table, n_rows, batch.num_columns, 2.0 * n_bytes + cells)
            batches.append(batch)
        return table, pa.Table.from_batches(batches, reader.schema)


def _of_postgres(address: str, name: str, missing: Sequence[str]) -> Table:
    """A table of a server; the hash is that of its rows in their order."""
    server = public_server(address)
    psycopg = optional("psycopg", f"Reading {server}")
    try:
        given = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error:  # whose message may quote the password
        raise DataError(
            f"{server} is not an address of a PostgreSQL server: write it as "
            "postgresql://user@host:port/database::table, with reserved characters in percent "
            "encoding."
        ) from None
    settings = {"connect_timeout": CONNECT_TIMEOUT, "application_name": "sksieve"} | given
    with (
        _refusing(server, str(given.get("password", ""))),
        psycopg.connect(**settings) as connection,
    ):
        connection.read_only = True
        connection.adapters.register_loader("numeric", psycopg.types.numeric.FloatLoader)
        for kind in ("json", "jsonb"):
            connection.adapters.register_loader(kind, psycopg.types.string.TextLoader)
        tables = {
            relation if is_current else f"{schema}.{relation}": ".".join(
                map(_quoted, (schema, relation))
            )
            for schema, relation, is_current in connection.execute(POSTGRES_TABLES)
        }
        table, query = _query(server, name, tables)
        with connection.cursor("sksieve") as cursor:
            cursor.execute(query)
            columns, digest = _arrow_table(server, table, cursor, missing)
        database = connection.info.dbname
    return Table(
        f"{database}{TABLE}{table}", columns, columns.column_names, digest, "rows", array=table
    )


def _arrow_table(database: str, table: str, cursor: Any, missing: Sequence[str]) -> tuple[Any, str]:
    """All rows of a cursor of Python's database interface, and the hash of their values."""
    pa = optional("pyarrow", "A table")
    names = [column[0] for column in cursor.description]
    rows: list[Any] = []
    digest = hashlib.sha256(repr(names).encode())
    while batch := cursor.fetchmany(BATCH_ROWS):
        digest.update(repr([tuple(row) for row in batch]).encode())
        rows += batch
        require_shape(table, len(rows), len(names), OBJECT_BYTES * len(rows) * len(names))
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    arrays = [arrow_column(_plain(column), database, missing) for column in cells]
    return pa.table(arrays, names=names), digest.hexdigest()


def _plain(cells: Sequence[Any]) -> Sequence[Any]:
    """The cells, as text where one is of no type that Arrow's columns hold here."""
    if all(cell is None or isinstance(cell, PLAIN) for cell in cells):
        return cells
    return [None if cell is None else str(cell) for cell in cells]


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def _query(address: str, name: str, tables: dict[str, str]) -> tuple[str, str]:
    """The name of a table and the query of its rows; `tables` has each name as SQL writes it.

    A query that is given stands in brackets, so that it can be one that reads only.
    """
    if QUERY.match(name) and name not in tables:
        return "query", f"select * from (\n{name.strip().rstrip(';')}\n) as query"
    table = _table_named(address, name, list(tables))
    return table, f"select * from {tables[table]}"


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
