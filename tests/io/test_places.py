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


def test_a_query_of_a_database(tmp_path, frame):
    """Nothing but a query that reads; codes of missing values in any column."""
    duckdb = pytest.importorskip("duckdb")
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        frame.to_sql("people", connection, index=False)
        connection.execute("create table mixed as select 1 as a union all select '?'")
        connection.commit()
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.register("f", frame)
        connection.execute("create table people as select * from f")
    for name in ("a.sqlite", "a.duckdb"):
        before = (tmp_path / name).read_bytes()
        query = (
            f"{tmp_path / name}::select age, height from people where age > 30 order by age, name;"
        )
        table = read_table(query, missing=["35"])
        expected = frame.loc[frame.age > 30].sort_values(["age", "name"])
        assert table.name == f"{name}::query"
        assert table.data.column("height").to_pylist() == expected.height.tolist()
        assert table.data.column("age").null_count == (expected.age == 35).sum() > 0
        with pytest.raises(DataError, match=f"{name} cannot be read: "):
            read_table(f"{tmp_path / name}::select 1); drop table people; select (1")
        with pytest.raises(DataError, match="decimal does not apply to"):
            read_table(f"{tmp_path / name}::people", decimal=",")
        assert (tmp_path / name).read_bytes() == before
    mixed = read_table(f"{tmp_path / 'a.sqlite'}::mixed", missing=["?"])
    assert mixed.data.to_pydict() == {"a": [1, None]}


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


class Bucket(Quiet):
    """One file of the S3 protocol; it knows a caller by the name of the key only."""

    def do_GET(self):
        path = Path(self.directory) / self.path.partition("?")[0].rpartition("/")[2]
        known = "Credential=AKIDEXAMPLE/" in self.headers.get("Authorization", "")
        self.server.seen.append(self.path)
        if not (known and path.is_file()):
            self.send_response(404 if known else 403)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = path.read_bytes()
        first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        piece = content[int(first) : int(last) + 1 if last else None]
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Content-Length", str(len(piece)))
        self.send_header("Content-Range", f"bytes {first}-{len(piece) - 1}/{len(content)}")
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Mon, 05 Jan 2026 00:00:00 GMT")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(piece)

    do_HEAD = do_GET


def test_a_file_of_s3(tmp_path, frame, monkeypatch):
    pytest.importorskip("s3fs")
    here = ThreadingHTTPServer(("127.0.0.1", 0), partial(Bucket, directory=str(tmp_path)))
    here.seen = []
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{here.server_port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "topsecret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    threading.Thread(target=here.serve_forever, daemon=True).start()
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "a.parquet")
    try:
        for name in ("a.csv", "a.parquet"):
            table = read_table(f"s3://bucket/{name}")
            same(table, frame)
            assert (table.name, table.sha256) == (name, read_table(tmp_path / name).sha256)
        assert "/bucket/a.csv" in {path.partition("?")[0] for path in here.seen}
        with pytest.raises(DataError, match=r"s3://bucket/none\.csv cannot be read") as refusal:
            read_table("s3://AKIDEXAMPLE:topsecret@bucket/none.csv")
        assert "topsecret" not in str(refusal.value)
        assert "AKID" not in str(refusal.value)
    finally:
        here.shutdown()
        here.server_close()


def test_a_protocol_whose_package_is_missing(monkeypatch):
    registry = pytest.importorskip("fsspec.registry")
    import sys

    for protocol in ("s3", "sftp"):
        monkeypatch.delitem(registry._registry, protocol, raising=False)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.setitem(sys.modules, "paramiko", None)
    with pytest.raises(ImportError, match=r"needs s3fs: pip install 'scikit-sieve\[remote\]'"):
        read_table("s3://bucket/a.csv")
    with pytest.raises(ImportError, match=r"needs paramiko: pip install paramiko\."):
        read_table("sftp://ann:secret@127.0.0.1/a.csv")


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
