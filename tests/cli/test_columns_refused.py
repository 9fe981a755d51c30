"""Columns that cannot be chosen from, and options that cannot be met: one sentence each."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from sksieve.io._write import FRAMES


@pytest.fixture
def table(tmp_path):
    def write(text: str) -> Path:
        path = tmp_path / "t.csv"
        path.write_text(text)
        return path

    return write


def test_text_columns(refused, table):
    path = table("a,b,c\n1,red,Rome\n2,blue,Oslo\n")
    output = refused("select", path, "-k", 1)
    assert output.startswith(
        "t.csv: 2 columns of 3 do not hold numbers: 'b', 'c' (for example 'red')"
    )
    for option in ("--label-column b", "--encode onehot"):
        assert option in output
    assert output.endswith(f"To continue: sksieve select {path} -k 1 --encode onehot")


def test_many_text_columns_are_counted(refused, table):
    names = [f"t{i}" for i in range(9)]
    rows = ["x," * 8 + "x", "y," * 8 + "y"]
    output = refused("select", table("\n".join([",".join(names), *rows]) + "\n"), "-k", 1)
    assert "'t0', 't1', 't2', 't3', 't4' and 4 more" in output


def test_dates_are_no_numbers(refused, table):
    output = refused("select", table("a,day\n1,2024-01-01\n2,2024-01-02\n"), "-k", 1)
    assert "1 column holds dates: 'day'; leave it out, or turn dates into days" in output


def test_stray_cells(refused, table):
    path = table("a,b\n1,2\n2,?\n3,?\n4,1\n5,2\n6,9\n")
    output = refused("select", path, "-k", 1)
    assert output.startswith(
        "t.csv: column 'b' is numeric except for 2 cells of 6, the first in row 2: '?'; "
        "correct the cells, or read them as missing values."
    )
    assert output.endswith("-k 1 --missing '?' --impute median")
    different = refused("select", table("a,b\n1,2\n2,4 kg\n3,x\n4,1\n5,2\n6,9\n"), "-k", 1)
    assert "the first in row 2: '4 kg'; correct the cells" in different
    assert different.endswith("--drop b")


def test_stray_cells_are_not_encoded(refused, table):
    path = table("a,b\n1,2\n2,?\n3,4\n4,1\n")
    assert "numeric except for 1 cell of 4" in refused(
        "select", path, "-k", 1, "--encode", "onehot"
    )


def test_too_many_categories(refused, table):
    path = table("a,id\n" + "".join(f"{i * i},n{i}\n" for i in range(200)))
    output = refused("select", path, "-k", 1, "--encode", "onehot")
    assert "column 'id' has 200 different values" in output


def test_missing_values(refused, table):
    path = table("a,b,c\n1,,NA\n2,4,nan\n3,,5\n4,1,2\n")
    output = refused("select", path, "-k", 1)
    assert output.startswith("t.csv: 4 missing values in 2 columns: 'b' 2, 'c' 2; fill them in (")
    assert output.endswith(f"To continue: sksieve select {path} -k 1 --impute median")


@pytest.mark.parametrize("extra", [(), ("--impute", "mean")])
def test_columns_without_any_value(refused, table, extra):
    output = refused("select", table("a,b\n1,\n2,\n3,\n"), "-k", 1, *extra)
    assert output.startswith("t.csv: 1 column without any value: 'b'. To continue: ")
    assert output.endswith("--drop b")


def test_infinite_values(refused, table):
    output = refused("select", table("a,b\n1,inf\n2,-inf\n3,1\n"), "-k", 1)
    assert output.startswith("t.csv: 2 infinite values in 1 column: 'b'; correct the values")


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("command", "option", "method"),
    [("select", "-k", "local_search"), ("select", "-k", "lapscore"), ("cluster", "-c", "spectral")],
)
@pytest.mark.parametrize(("factor", "said"), [(1e200, "e+200"), (1e-200, "e-200")])
def test_values_that_cannot_be_squared(
    refused, tmp_path, values, *, command, option, method, factor, said, sparse
):
    X = values * [1.0, 1.0, factor, 1.0, factor]
    if sparse:
        sp.save_npz(tmp_path / "a.npz", sp.csr_array(X))
    else:
        np.savez(tmp_path / "a.npz", X=X)
    message = refused(command, tmp_path / "a.npz", option, 2, "--method", method)
    assert message.startswith("a.npz: 2 columns whose largest magnitude is ")
    assert said in message
    assert "cannot be squared: 'x2', 'x4'; use another unit" in message


def test_zeros_may_stand_beside_large_values(invoke, tmp_path, values):
    np.save(tmp_path / "a.npy", np.where(values > 0, 1e140 * values, 0.0))
    assert invoke("select", tmp_path / "a.npy", "-k", 2).exit_code == 0


def test_missing_and_infinite_values_of_sparse_tables(refused, tmp_path):
    X = sp.csr_array(np.array([[0.0, np.nan, 1.0], [2.0, 0.0, 0.0], [0.0, np.nan, 3.0]]))
    sp.save_npz(tmp_path / "a.npz", X)
    output = refused("select", tmp_path / "a.npz", "-k", 1)
    assert output.startswith("a.npz: 2 missing values in 1 column: 'x1'")
    X.data[np.isnan(X.data)] = np.inf
    sp.save_npz(tmp_path / "a.npz", X)
    assert "2 infinite values in 1 column: 'x1'" in refused("select", tmp_path / "a.npz", "-k", 1)


def test_repeated_names(invoke, table):
    result = invoke("select", table("a,b,a,b,c\n1,2,3,4,5\n1,3,2,5,4\n"), "-k", 1)
    assert result.exit_code == 0
    assert "2 column names occur more than once; the later ones are numbered" in result.stderr


def test_encoding_that_repeats_a_name(refused, table):
    path = table("c=y,c\n1,x\n2,y\n4,x\n")
    output = refused("select", path, "-k", 1, "--encode", "onehot")
    assert "would make a second column called 'c=y'" in output


def test_more_columns_than_there_are(refused, csv):
    output = refused("select", csv, "-k", 6, "--label-column", "group")
    assert output == (
        "-k 6 asks for more than the 5 columns there are to choose from in table.csv; "
        "use 5 or fewer."
    )


@pytest.mark.parametrize("k", [0, -3])
def test_no_columns_asked_for(refused, csv, k):
    output = refused("select", csv, "-k", k, code=2)
    assert output == f"-k {k}: choose at least one column."


def test_label_column_not_there(refused, csv):
    output = refused("select", csv, "-k", 2, "--label-column", "Group")
    assert output == "table.csv has no label column 'Group'; did you mean 'group'?"
    output = refused("select", csv, "-k", 2, "--label-column", "zzz")
    assert output.endswith("; it has 'age', 'height', 'dose', 'p1', 'p2' and 1 more.")


@pytest.mark.parametrize("option", ["--drop", "--columns"])
def test_columns_not_there(refused, csv, option):
    output = refused("select", csv, "-k", 2, option, "hieght")
    assert output == f"{option} 'hieght': table.csv has no such column; did you mean 'height'?"
    assert "no such column" in refused("select", csv, "-k", 2, option, "q*")


def test_no_column_left(refused, csv):
    assert "no column is left" in refused("select", csv, "-k", 1, "--drop", "*")


def test_unknown_method(refused, csv):
    output = refused("select", csv, "-k", 1, "--method", "greedyy", code=2)
    assert output == "There is no method 'greedyy'; did you mean greedy?"
    output = refused("select", csv, "-k", 1, "--method", "qqqqqq", code=2)
    assert output.endswith("sksieve methods lists them.")


def test_method_that_chooses_no_columns(refused, csv, monkeypatch):
    from sksieve import catalogue

    spectral = catalogue.get_method("spectral")
    grouping = dataclasses.replace(spectral, name="groups", class_name="Groups")
    monkeypatch.setattr(catalogue, "METHODS", (*catalogue.METHODS, grouping))
    output = refused("select", csv, "-k", 1, "--method", "groups", code=2)
    assert output.startswith("groups finds groups of samples and chooses no columns")


@pytest.mark.parametrize("text", ["soon", "0s", "-1s", "3x", "1 2s", ""])
def test_length_of_time(refused, csv, text):
    output = refused("select", csv, "-k", 1, f"--time={text}", code=2)
    assert "give a length of time such as 30s, 2m or 500ms." in output


def test_time_limit_of_a_method_without_a_loop(refused, csv, monkeypatch):
    import time

    import sksieve

    monkeypatch.setattr(sksieve.GreedyCSS, "fit", lambda self, X: time.sleep(30))
    words = ("select", csv, "-k", 1, "--drop", "group", "--method", "greedy", "--time", "50ms")
    output = refused(*words)
    assert output.startswith("GreedyCSS had no result after 0.05 s (--time); give it more time")
    assert "local_search" in output


def test_parameters(refused, csv):
    words = ("select", csv, "-k", 1, "--drop", "group", "--method", "astar", "--param")
    assert "give NAME=VALUE" in refused(*words, "epsilon", code=2)
    assert "did you mean epsilon?" in refused(*words, "epsilno=1", code=2)
    assert refused(*words, "scale=unit", code=2) == "--param scale: use --scale instead."
    assert refused(*words, "time_budget=3", code=2).endswith("use --time instead.")
    assert "'epsilon' parameter" in refused(*words, "epsilon=-1")


def test_constant_table(refused, table):
    path = table("a,b\n1,2\n1,2\n1,2\n")
    result = refused("select", path, "-k", 1, "--method", "greedy")
    assert "zero after centering (constant)" in result


@pytest.mark.parametrize("scale", ["auto", "none", "unit", "minmax"])
@pytest.mark.parametrize("method", ["lapscore", "variance", "blufs"])
def test_zero_table(refused, invoke, tmp_path, method, scale):
    np.save(tmp_path / "a.npy", np.zeros((12, 3)))
    words = ("select", tmp_path / "a.npy", "-k", 1, "--method", method, "--scale", scale)
    assert refused(*words).startswith("Every column of a.npy is zero")
    sp.save_npz(tmp_path / "a.npz", sp.csr_array((12, 3)))
    assert refused("select", tmp_path / "a.npz", "-k", 1, "--method", method)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no/a.csv", "does not exist."),
        ("a.xls", "the ending .xls is not one of .csv, .tsv"),
        ("table.csv", "would overwrite the table it is read from."),
    ],
)
def test_output_is_checked_before_the_work(refused, csv, target, said):
    words = ("select", csv, "-k", 1, "--drop", "group", "-o", csv.parent / target)
    assert said in refused(*words)


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="needs root")
def test_a_folder_that_cannot_be_written_is_refused_before_the_fit(tmp_path):
    """As another user, whom the system refuses; the table is not even read."""
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    if (
        not shutil.which("setpriv")
        or subprocess.run((*nobody, sys.executable, "-c", "")).returncode
    ):
        pytest.skip("needs setpriv, and a Python that others may run")
    for part in (tmp_path, *tmp_path.parents[:-2]):
        part.chmod(0o755)
    (tmp_path / "table.csv").write_text("no table")
    out = tmp_path / "out.csv"
    words = (sys.executable, "-m", "sksieve", "select", tmp_path / "table.csv", "-k", "1")
    done = subprocess.run(
        (*nobody, *words, "-o", out),
        env=os.environ | {"HOME": str(tmp_path / "none"), "COLUMNS": "500"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert f"Error: --output {out} cannot be written: no permission." in done.stderr


def test_targets_without_permission(refused, csv, monkeypatch):
    monkeypatch.setattr("sksieve.cli._data.os.access", lambda path, mode: path != csv.parent)
    words = ("select", csv, "-k", 1, "--drop", "group", "-o", csv.parent / "a.csv")
    assert refused(*words) == f"--output {csv.parent / 'a.csv'} cannot be written: no permission."


def test_an_output_that_breaks_off_leaves_what_was_there(refused, csv, monkeypatch):
    def broken(file, frame):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(FRAMES, ".csv", broken)
    target = csv.with_name("chosen.csv")
    target.write_text("before")
    words = ("select", csv, "-k", 1, "--drop", "group", "-o", target)
    assert refused(*words).startswith(f"{target}: No space left on device; free some space")
    assert target.read_text() == "before"
    assert sorted(path.name for path in csv.parent.iterdir()) == ["chosen.csv", "table.csv"]


def test_report_is_checked_before_the_work(refused, csv):
    words = ("select", csv, "-k", 1, "--drop", "group", "--report")
    assert "is not one of .html, .htm." in refused(*words, csv.parent / "r.pdf")
    (csv.parent / "r.html").mkdir()
    assert "is a folder" in refused(*words, csv.parent / "r.html")


def test_sparse_tables(refused, tmp_path):
    rng = np.random.default_rng(0)
    scipy.io.mmwrite(tmp_path / "s.mtx", sp.random_array((20, 6), density=0.4, random_state=rng))
    words = ("select", tmp_path / "s.mtx", "-k", 2, "--method", "greedy")
    output = refused(*words, "--scale", "minmax")
    assert output.startswith("--scale minmax would fill in the zeros of a sparse table")
    output = refused(*words[:-1], "rne")
    start = "The method rne needs a dense table and this one is sparse; methods that take sparse "
    assert output.startswith(f"{start}tables: greedy, ")


def test_debug_shows_the_traceback(invoke, csv):
    result = invoke("select", csv, "-k", 1, "--drop", "nothing", "--debug")
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr
    assert "DataError" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: --drop 'nothing'")


def test_a_defect_is_called_one(invoke, csv, monkeypatch):
    from sksieve.cli import select

    def broken(*_: object, **__: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(select, "read_numeric", broken)
    result = invoke("select", csv, "-k", 1, "--method", "greedy")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: KeyError: 'x'. This is a defect of scikit-sieve")


@pytest.mark.parametrize(
    "words", [("select",), ("select", "t.csv", "-c", "two"), ("compare", "t.csv"), ("selct",)]
)
def test_usage(invoke, words):
    result = invoke(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage: sksieve" in result.stderr
