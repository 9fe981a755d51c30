"""Tables of databases, of several files and at addresses."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from sksieve.exceptions import DataError, TooLargeError
from sksieve.io import numeric_table, read_table
from sksieve.io.tables._places import public

TEXT = "name,age,height\n" + "".join(f"p{i},{20 + i * i % 17},{1.5 + i / 100}\n" for i in range(30))


@pytest.fixture
def frame(tmp_path):
    (tmp_path / "a.csv").write_text(TEXT)
    return read_table(tmp_path / "a.csv").to_frame()


def same(table, frame):
    numeric, plain = (
        numeric_table(table, numeric_only=True),
        numeric_table(frame, numeric_only=True),
    )
    np.testing.assert_array_equal(numeric.X, plain.X)
    assert numeric.columns == plain.columns
    assert list(table.columns) == list(frame.columns)


def test_a_table_of_sqlite(tmp_path, frame):
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        frame.to_sql("people", connection, index=False)
        frame[["age"]].to_sql('odd "name', connection, index=False)
    before = path.read_bytes()
    same(read_table(f"{path}::people"), frame)
    assert read_table(f"{path}::people").name == "a.sqlite::people"
    assert list(read_table(f'{path}::odd "name').columns) == ["age"]
    with pytest.raises(DataError, match=r"several tables: 'odd .*, 'people'; name one: a.sqlite::"):
        read_table(path)
    with pytest.raises(DataError, match="has no table 'peple'; did you mean 'people'"):
        read_table(f"{path}::peple")
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir() if "sqlite" in one.name] == ["a.sqlite"]


def test_a_table_of_sqlite_keeps_to_the_limit(tmp_path, frame, monkeypatch):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        frame.to_sql("people", connection, index=False)
    same(read_table(path), frame)
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "5 kB")
    with pytest.raises(TooLargeError, match="people, of 30 x 3"):
        read_table(path)


def test_a_table_of_duckdb(tmp_path, frame):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("f", frame)
        connection.execute("create table people as select * from f")
    before = path.read_bytes()
    same(read_table(f"{path}::people"), frame)
    same(read_table(path), frame)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["a.sqlite", "a.duckdb::t"])
def test_databases_that_are_none(tmp_path, name):
    pytest.importorskip("duckdb")
    with pytest.raises(DataError, match="There is no file"):
        read_table(tmp_path / name)
    (tmp_path / name.partition(":")[0]).write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match="cannot be read"):
        read_table(tmp_path / name)


@pytest.mark.parametrize(
    ("ending", "write"), [("parquet", parquet.write_table), ("feather", feather.write_feather)]
)
def test_the_rows_of_several_files(tmp_path, frame, ending, write):
    for i in range(3):
        part = pa.Table.from_pandas(frame[10 * i : 10 * i + 10], preserve_index=False)
        write(part, tmp_path / f"part{i}.{ending}")
    same(read_table(tmp_path / f"part*.{ending}"), frame)
    write(pa.table({"x": [1.0]}), tmp_path / f"part3.{ending}")
    with pytest.raises(DataError, match=f"part3.{ending} has other columns than part0"):
        read_table(tmp_path / f"part*.{ending}")
    with pytest.raises(DataError, match="No file matches"):
        read_table(tmp_path / f"none*.{ending}")
    with pytest.raises(DataError, match=r"several files are read from \.parquet"):
        read_table(tmp_path / "a*.csv")


def test_a_file_whose_name_has_a_star(tmp_path):
    (tmp_path / "a[1].csv").write_text("a,b\n1,2\n2,5\n")
    assert read_table(tmp_path / "a[1].csv").shape == (2, 2)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture
def server(tmp_path):
    here = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=here.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{here.server_port}"
    here.shutdown()
    here.server_close()


def test_a_file_at_an_address(tmp_path, frame, server):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    table = read_table(f"http://{server}/a.csv?token=secret")
    same(table, frame)
    local = read_table(tmp_path / "a.csv")
    assert (table.name, table.sha256) == ("a.csv", local.sha256)
    assert table.text(0).to_pylist() == local.text(0).to_pylist()
    numeric = numeric_table(table, label_column="name")
    assert numeric.labels.values.to_pylist()[:2] == ["p0", "p1"]


def test_secrets_are_not_shown(tmp_path, server, monkeypatch):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    (tmp_path / "a.csv").write_text(TEXT)
    with pytest.raises(DataError) as caught:
        read_table(f"http://ann:secret@{server}/none.csv?token=secret")
    assert "secret" not in str(caught.value)
    assert f"http://{server}/none.csv cannot be read" in str(caught.value)
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "100 B")
    with pytest.raises(TooLargeError, match="Reading http") as caught:
        read_table(f"http://{server}/a.csv?token=secret")
    assert "secret" not in str(caught.value)


def test_public_names():
    assert public("s3://key:secret@bucket/a.parquet") == "s3://bucket/a.parquet"
    assert public("data/a.csv") == "data/a.csv"


@pytest.mark.parametrize(
    ("package", "data", "extra"),
    [("fsspec", "https://example.org/a.csv", "remote"), ("duckdb", "a.duckdb::t", "sql")],
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, package, data, extra):
    import sys

    (tmp_path / "a.duckdb").write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        ImportError, match=rf"needs {package}: pip install 'scikit-sieve\[{extra}\]'"
    ):
        read_table(data)


FACTBOOK = Path(__file__).parents[3] / "shared" / "dirty" / "factbook.db"


@pytest.mark.skipif(not FACTBOOK.is_file(), reason="the dirty files are not there")
def test_the_factbook():
    assert read_table(f"{FACTBOOK}::facts").shape == (261, 13)
