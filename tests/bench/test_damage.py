"""A store that is damaged, foreign, read-only or out of space: which file, and what to do."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from sksieve.bench import Store, progress, read_spec, results, run_spec
from sksieve.cli._app import app
from sksieve.exceptions import DataError

SPEC = """
protocol = "css"
datasets = ["iris", "wine"]
k = [1, 2, 3]
[[method]]
name = "greedy"
[[method]]
name = "variance"
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(SPEC)
    with Store(tmp_path / "store") as store:
        run_spec(read_spec(path), store)
    return path


def call(path, *words):
    """Exit code and output of each command that opens the store."""
    store = ["--store", str(path.parent / "store")]
    spec = [] if words[0] == "retry" else [str(path)]
    done = CliRunner().invoke(app, ["bench", words[0], *spec, *words[1:], *store])
    assert "Traceback" not in done.output
    return done.exit_code, " ".join(done.output.split())


def commands(path):
    page = ["report", "-o", str(path.with_name("page.html"))]
    return [["run"], ["status"], ["table"], ["retry"], page]


def refused(path, *parts):
    for words in commands(path):
        code, displayed = call(path, *words)
        assert code == 1, (words, displayed)
        assert "store.sqlite" in displayed
        assert "defect" not in displayed
        for part in parts:
            assert part in displayed, (words, displayed)


def file_of(path):
    return path.parent / "store" / "store.sqlite"


def test_a_store_that_is_cut_is_called_damaged(path):
    whole = file_of(path).read_bytes()
    for size in (50, 4096 + 17, len(whole) // 2):
        file_of(path).write_bytes(whole[:size])
        refused(path, "Move it away")


def test_pages_that_are_overwritten_are_called_damage(path):
    whole = bytearray(file_of(path).read_bytes())
    whole[4096:] = os.urandom(len(whole) - 4096)
    file_of(path).write_bytes(whole)
    refused(path, "it is damaged. Move it away and run the spec again")


@pytest.mark.parametrize(
    "statement",
    ["PRAGMA user_version = 1", "PRAGMA user_version = 0", "PRAGMA user_version = 99"],
)
def test_a_store_of_another_layout_is_refused(path, statement):
    db = sqlite3.connect(file_of(path))
    db.execute(statement)
    db.close()
    refused(path, "is not a store of results, or one of another version", "another path")


def test_a_database_with_other_tables_is_refused_and_not_touched(path):
    file_of(path).unlink()
    db = sqlite3.connect(file_of(path))
    db.execute("CREATE TABLE songs (title TEXT)")
    db.close()
    before = file_of(path).read_bytes()
    refused(path, "is not a store of results")
    assert file_of(path).read_bytes() == before


def test_a_missing_column_is_no_defect_of_the_package(path):
    db = sqlite3.connect(file_of(path))
    db.execute("ALTER TABLE fits DROP COLUMN reason")
    db.close()
    code, displayed = call(path, "table")
    assert (code, "its tables are not those of a store of results" in displayed) == (1, True)


def test_a_full_disk_is_called_so_and_finished_cells_are_kept(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(f"repetitions = 150\n{SPEC.replace('greedy', 'random')}")
    spec = read_spec(path)
    with Store(tmp_path / "store") as store:
        (pages,) = store._db.execute("PRAGMA page_count").fetchone()
        store._db.execute(f"PRAGMA max_page_count = {pages + 3}")
        with pytest.raises(DataError, match=r"store\.sqlite: there is no space left on its disk"):
            run_spec(spec, store)
    with Store(tmp_path / "store") as store:
        assert run_spec(spec, store).failed == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
def test_a_limit_on_the_size_of_files_is_called_so_and_finished_cells_are_kept(path):
    path.write_text(f"repetitions = 60\n{SPEC.replace('greedy', 'random')}")
    limit = file_of(path).stat().st_size
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "from sksieve.cli import main; sys.exit(main())"
    )
    words = ["bench", "run", str(path), "--store", str(path.parent / "store")]
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "limit on the size of files (ulimit -f)" in done.stderr
    assert "Move it away" not in done.stderr
    with Store(path.parent / "store") as store:
        assert run_spec(read_spec(path), store).failed == 0


def test_a_store_that_cannot_be_written_is_called_so(path):
    with Store(path.parent / "store") as store:
        store._db.execute("PRAGMA query_only = 1")
        with pytest.raises(DataError, match=r"it cannot be written\. Make the file and its folder"):
            store.forget_failures()
        store._db.execute("PRAGMA query_only = 0")


def test_a_store_is_read_without_writing(path):
    before = file_of(path).read_bytes()
    with Store(path.parent / "store", read_only=True) as store:
        assert set(results(read_spec(path), store)["status"]) == {"ok"}
        with pytest.raises(DataError, match="it cannot be written"):
            store.forget_failures()
    assert file_of(path).read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_in_a_folder_without_permission_to_write_is_read(path):
    folder = path.parent / "store"
    folder.chmod(0o500)
    try:
        for words in (["status"], ["table"]):
            assert call(path, *words)[0] == 0
        code, displayed = call(path, "run")
        assert (code, "cannot be written" in displayed or "cannot be opened" in displayed) == (
            1,
            True,
        )
    finally:
        folder.chmod(0o700)


def test_a_store_that_would_be_inside_a_file_is_refused(path):
    (path.parent / "file").write_text("")
    for place in (path.parent / "file", path.parent / "file" / "below"):
        with pytest.raises(DataError, match="cannot hold results"):
            Store(place)


@pytest.mark.parametrize(
    "values", ["no json", '{"error_ratio": 1.2', "[1.2]", '{"error_ratio": "1.2"}', "null"]
)
def test_a_score_that_cannot_be_read_is_not_done_and_is_computed_again(path, values):
    spec = read_spec(path)
    with Store(path.parent / "store") as store:
        expected = results(spec, store)
        n = progress(spec, store).total
        store._db.execute('UPDATE scores SET "values" = ? WHERE k = 2', (values,))
        assert progress(spec, store).done == 0
    assert f"0 of {n} cells done" in call(path, "status")[1]
    code, displayed = call(path, "table")
    assert (code, displayed.count("unfinished")) == (0, 4)
    assert f"{n} of {n} cells done, 0 of them failed" in call(path, "run")[1]
    with Store(path.parent / "store") as store:
        assert results(spec, store).equals(expected)


@pytest.mark.parametrize("change", ["answer = x'00'", "answer = x'934E554D5059'", "history = '{'"])
def test_a_fit_that_cannot_be_read_is_fitted_again_when_it_is_needed(path, change):
    spec = read_spec(path)
    with Store(path.parent / "store") as store:
        costs = ["seconds", "cpu", "memory"]
        expected = results(spec, store).drop(columns=costs)
        store._db.execute(f"UPDATE fits SET {change}")
        with pytest.raises(DataError, match=r"cannot be read .* with rescore=True fits it"):
            store.fit(next(spec.tasks()).cell)
    code, _ = call(path, "run", "--rescore")
    assert code == 0
    with Store(path.parent / "store") as store:
        assert results(spec, store).drop(columns=costs).equals(expected)
