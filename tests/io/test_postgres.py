"""Tables of a PostgreSQL server, which is started here where it is installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("typer")

import psycopg
from typer.testing import CliRunner

from sksieve.cli._app import app
from sksieve.exceptions import DataError, TooLargeError
from sksieve.io import numeric_table, read_table

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
SECRET = "s3cr:t/@"
IN_ADDRESS = "s3cr%3At%2F%40"

pytestmark = pytest.mark.skipif(not PROGRAMS, reason="needs the server of PostgreSQL")


def _unprivileged() -> dict[str, str]:
    """For `subprocess`: the server refuses to run as root."""
    import pwd  # not on Windows

    if os.getuid():
        return {}
    try:
        return {"user": pwd.getpwnam("postgres").pw_name}
    except KeyError:
        pytest.skip("root, and there is no user postgres")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """``host:port`` of a server with a table and a user who needs a password."""
    as_user = _unprivileged()
    folder = Path(subprocess.check_output(["mktemp", "-d"], text=True, **as_user).strip())
    programs = PROGRAMS[-1].parent
    (secret := tmp_path_factory.mktemp("postgres") / "secret").write_text(SECRET)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/", **as_user}
    try:
        create = [programs / "initdb", "-D", folder / "data", "-U", "owner", "-A", "scram-sha-256"]
        with secret.open() as password:
            subprocess.run(
                [*create, "--pwfile=/dev/stdin", "--no-sync", "-E", "UTF8"],
                stdin=password, check=True, timeout=60, **quiet,
            )  # fmt: skip
        options = f"-h 127.0.0.1 -p {port} -k {folder} -F"
        start = [programs / "pg_ctl", "-D", folder / "data", "-w", "-t", "30", "-o", options]
        subprocess.run([*start, "start"], check=True, timeout=60, **quiet)
        yield f"127.0.0.1:{port}"
        subprocess.run([*start, "-m", "immediate", "stop"], check=True, timeout=60, **quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def database(server):
    """The address of a database with two tables."""
    address = f"postgresql://owner:{IN_ADDRESS}@{server}/postgres"
    with psycopg.connect(address) as connection:
        connection.execute(
            "create table people as select i as age, (i * 0.5)::numeric as height, i % 7 = 0 as "
            "member, 'p' || i as name, case when i % 5 = 0 then -200 else i * i end as income, "
            "date '2026-01-01' + i as day, jsonb_build_object('i', i) as extra "
            "from generate_series(1, 30) as i"
        )
        connection.execute('create schema "my Schema"')
        connection.execute('create table "my Schema"."odd ""one" as select 1 as a, 2.5 as b')
    return address


def test_a_table_of_a_server(database):
    table = read_table(f"{database}::people", missing=["-200"])
    assert (table.name, table.hashed) == ("postgres::people", "rows")
    assert [str(one) for one in table.data.schema.types] == [
        "int64", "double", "bool", "string", "int64", "date32[day]", "string",
    ]  # fmt: skip
    assert table.data.column("height").to_pylist()[:2] == [0.5, 1.0]
    assert table.data.column("income").to_pylist()[3:6] == [16, None, 36]
    assert table.data.column("extra").to_pylist()[0] == '{"i": 1}'
    assert numeric_table(table, numeric_only=True, impute="median").X.shape == (30, 3)
    assert table.sha256 == read_table(f"{database}::people").sha256
    assert read_table(f"{database}::select 1 as a -- one").data.to_pydict() == {"a": [1]}
    odd = read_table(f'{database}::my Schema.odd "one')
    assert odd.data.to_pydict() == {"a": [1], "b": [2.5]}


def test_a_query(database):
    query = "select age::float as years, income from people where age > 10 order by age desc"
    table = read_table(f"{database}::{query}; \n")
    assert table.name == "postgres::query"
    assert table.data.column("years").to_pylist() == [float(i) for i in range(30, 10, -1)]


@pytest.mark.parametrize(
    "query",
    [
        "select 1) as q; commit; drop table people; select * from (select 1",
        "with gone as (delete from people returning *) select * from gone",
        "select nextval('counter'), pg_advisory_lock(1) from nothing",
    ],
)
def test_nothing_is_written(database, query):
    with pytest.raises(DataError, match="cannot be read: "):
        read_table(f"{database}::{query}")
    assert read_table(f"{database}::people").shape == (30, 7)


def test_what_is_refused(database, server):
    with pytest.raises(DataError, match=r"several tables: 'people', 'my Schema.odd"):
        read_table(database)
    with pytest.raises(DataError, match="has no table 'peple'; did you mean 'people'"):
        read_table(f"{database}::peple")
    with pytest.raises(DataError, match="sep does not apply to"):
        read_table(f"{database}::people", sep=",")
    with pytest.raises(DataError, match=f'{server}/none cannot be read: .*"none" does not exist'):
        read_table(f"{database.replace('/postgres', '/none')}::people")


def test_a_table_that_is_too_large(database, monkeypatch):
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "10 kB")
    with pytest.raises(TooLargeError, match="people, of 30 x 7"):
        read_table(f"{database}::people")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://owner:{wrong}@{server}/postgres::people",
        "postgresql://{server}/postgres?user=owner&password={wrong}::people",
        "postgresql://owner:{wrong}@127.0.0.1:1/postgres::people",
        "postgresql://owner:{wrong}%zz@{server}/postgres::people",
        "postgresql://owner:{wrong}/rest@{server}/postgres::people",
    ],
)
def test_no_password_is_shown(server, address):
    """Not in the refusal, nor in the line that the command line prints."""
    data = address.format(server=server, wrong="wrongsecret")
    with pytest.raises(DataError) as refusal:
        read_table(data)
    result = CliRunner().invoke(app, ["select", data, "-k", "2"])
    assert result.exit_code == 1
    assert "postgresql://" in result.output
    for text in (str(refusal.value), result.output):
        assert "wrongsecret" not in text


def test_the_document_of_a_selection(database, tmp_path):
    words = [f"{database}::people", "-k", "2", "--columns", "age,height,income", "--json"]
    report = tmp_path / "a.html"
    result = CliRunner().invoke(app, ["select", *words, "--report", str(report)])
    assert result.exit_code == 0, result.output
    assert '"sha256_of": "rows"' in result.output
    assert "postgresql://127.0.0.1" in result.output
    for text in (result.output, report.read_text("utf-8")):
        assert "s3cr" not in text
