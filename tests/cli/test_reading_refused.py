"""Files that cannot be read as tables: one sentence each, exit code 1."""

from __future__ import annotations

import builtins
import gzip
import pickle
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_missing_file(refused, tmp_path):
    output = refused("select", tmp_path / "nothing.csv", "-k", 2)
    assert output == f"There is no file {tmp_path / 'nothing.csv'}."


def test_missing_file_names_its_neighbor(refused, csv):
    (csv.parent / "table.txt").write_text("not the one")
    output = refused("select", csv.with_name("tabel.csv"), "-k", 2)
    assert output.endswith(f"; did you mean {csv}?")


def test_missing_file_that_is_a_data_set(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = refused("select", "iris", "-k", 2)
    assert output == "There is no file iris; the data set of that name is dataset:iris."


def test_missing_folder(refused, tmp_path):
    output = refused("select", tmp_path / "no" / "x.csv", "-k", 2)
    assert output.endswith(f": the folder {tmp_path / 'no'} does not exist.")


def test_folder(refused, tmp_path):
    assert refused("select", tmp_path, "-k", 2) == f"{tmp_path} is a folder; name a file in it."


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.npz", "a.mat", "a.h5ad", "a.mtx"])
def test_empty_file(refused, tmp_path, name):
    path = write(tmp_path, name, b"")
    assert refused("select", path, "-k", 1) == f"{path} is empty (0 bytes)."


def test_empty_standard_input(refused):
    assert refused("select", "-", "-k", 1, stdin=b"") == (
        "Standard input is empty; pipe a CSV table into it."
    )


def test_only_blank_lines(refused, tmp_path):
    output = refused("select", write(tmp_path, "a.csv", "\n\n"), "-k", 1)
    assert output == "a.csv holds no table: not even a header line."


def test_header_only(refused, tmp_path):
    output = refused("select", write(tmp_path, "a.csv", "a,b,c\n"), "-k", 1)
    assert output == "a.csv has the names of 3 columns but no rows."


def test_one_row(refused, tmp_path):
    output = refused("select", write(tmp_path, "a.csv", "a,b\n1,2\n"), "-k", 1)
    assert output == "a.csv has one row; at least two are needed."


def test_unknown_ending(refused, tmp_path):
    output = refused("select", write(tmp_path, "a.xyz", "x"), "-k", 1)
    assert output.startswith("a.xyz: the ending .xyz is not one of .csv, .tsv, .txt,")


@pytest.mark.parametrize(
    ("text", "cells"), [("a,b\n1,2\n3\n", "1 cell"), ("a,b\n1,2\n3,4,5\n", "3 cells")]
)
def test_ragged(refused, tmp_path, text, cells):
    output = refused("select", write(tmp_path, "a.csv", text), "-k", 1)
    assert output.startswith(f"a.csv: line 3 has {cells} where 2 are expected")


def test_ragged_far_down_names_the_line(refused, tmp_path):
    path = write(tmp_path, "a.csv", "a,b\n" + "1,2\n" * 200_000 + "1,2,3\n")
    assert "line 200002 has 3 cells" in refused("select", path, "-k", 1)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("a,grün\n1,2\n3,4\n".encode("latin1"), "the names of the columns"),
        (("id,grün,\n,I,II\n" + "1,2,3.5\n" * 5).encode("latin1"), "the names of the columns"),
        ("a,b\n1,x\n3,é\n".encode("latin1"), "row 2 of column 'b'"),
    ],
)
def test_not_utf8(refused, tmp_path, content, where):
    message = refused("select", write(tmp_path, "a.csv", content), "-k", 1)
    assert message.startswith(f"a.csv is not UTF-8 text ({where}); say what it is, ")
    assert "with --encoding cp1252 (Windows)" in message


def test_utf16_without_a_mark_and_zero_bytes(refused, tmp_path):
    path = write(tmp_path, "a.csv", "a,b\n1,2\n3,4\n".encode("utf-16-le"))
    assert "add --encoding utf-16-le" in refused("select", path, "-k", 1)
    path = write(tmp_path, "a.csv", b"a,b\n1,\x00\n3,4\n")
    assert refused("select", path, "-k", 1) == "a.csv is not text: it has zero bytes."


@pytest.mark.parametrize(("sep", "typed"), [(";", "';'"), ("\t", "tab"), ("|", "'|'")])
def test_other_separator(refused, tmp_path, sep, typed):
    text = f"a{sep}b\n1{sep}2\n3{sep}5\n"
    output = refused("select", write(tmp_path, "a.csv", text), "-k", 1, "--sep", ",")
    assert output.endswith(f"add --sep {typed}.")


def test_separator_of_two_characters(refused, csv):
    assert "--sep takes one ASCII character" in refused("select", csv, "-k", 1, "--sep", "::")


def test_decimal_comma(refused, tmp_path):
    path = write(tmp_path, "a.csv", 'a,b\n"1,5",2\n2,3\n"2,5",4\n')
    output = refused("select", path, "-k", 1)
    assert output == (
        "a.csv: the numbers of column 'a' have a decimal comma ('1,5'). To continue: "
        f"sksieve select {path} -k 1 --decimal ,"
    )


def test_first_line_of_numbers_with_repeats(refused, tmp_path):
    path = write(tmp_path, "a.csv", "1.5,2,2\n1,2,3\n4,5,7\n")
    output = refused("select", path, "-k", 1, "--header")
    assert output.startswith(
        "The first line of a.csv holds numbers ('1.5', '2', '2'), some of them"
    )
    assert output.endswith("add --no-header.")


@pytest.mark.parametrize(
    "name",
    ["a.npz", "a.npy", "a.mat", "a.parquet", "a.feather", "a.mtx", "a.h5ad", "a.csv.gz"],
)
def test_damaged(refused, tmp_path, name):
    if name.endswith("h5ad"):
        pytest.importorskip("anndata")
    path = write(tmp_path, name, b"this is not what the ending says it is " * 20)
    output = refused("select", path, "-k", 1)
    assert output.startswith(f"{name} cannot be read as ")
    assert "it is damaged or of another format" in output


@pytest.mark.parametrize("name", ["a.npz", "a.mat", "a.parquet", "a.feather"])
def test_truncated(refused, tmp_path, values, name):
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    whole = tmp_path / name
    frame = pa.table({f"x{i}": values[:, i] for i in range(5)})
    {
        "a.npz": lambda: np.savez(whole, X=values),
        "a.mat": lambda: scipy.io.savemat(whole, {"X": values}),
        "a.parquet": lambda: pyarrow.parquet.write_table(frame, whole),
        "a.feather": lambda: pyarrow.feather.write_feather(frame, whole),
    }[name]()
    write(tmp_path, name, whole.read_bytes()[: whole.stat().st_size // 2])
    assert "it is damaged or of another format" in refused("select", whole, "-k", 1)


class Bomb:
    """Leaves a file behind when unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return builtins.open, (str(self.trace), "w")


@pytest.mark.parametrize("name", ["a.npz", "a.npy", "pickle.npy", "pickle.npz"])
def test_pickles_are_never_read(refused, tmp_path, name):
    trace, path = tmp_path / "trace", tmp_path / name
    content = np.array([[Bomb(trace), 1.0], [2.0, 3.0]], dtype=object)
    if name.startswith("pickle"):
        path.write_bytes(pickle.dumps(content))
    elif name == "a.npz":
        np.savez(path, X=content)
    else:
        np.save(path, content, allow_pickle=True)
    output = refused("select", path, "-k", 1)
    assert "pickled Python objects" in output
    assert "never read" in output
    assert not trace.exists()


def test_pickled_names_are_left_out_and_said(invoke, tmp_path, values):
    np.savez(tmp_path / "a.npz", X=values, feature_names=np.array(list("abcde"), dtype=object))
    result = invoke("select", tmp_path / "a.npz", "-k", 5, "--method", "greedy")
    assert result.exit_code == 0
    assert "Not read: 'feature_names' of a.npz" in result.stderr
    assert "x0" in result.stdout


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.zeros(4), "a.npy has 1 dimension, shape (4); a table has two"),
        (np.zeros((2, 3, 4)), "a.npy has 3 dimensions, shape (2 x 3 x 4)"),
        (np.zeros((3, 3), dtype=complex), "a.npy holds complex numbers"),
        (np.array([["a", "b"], ["c", "d"]]), "a.npy holds text, not numbers"),
        (np.zeros((3, 2), dtype="M8[s]"), "a.npy holds dates, not numbers"),
        (np.zeros(3, dtype=[("u", float), ("v", int)]), "a.npy holds records with the fields 'u'"),
        (np.zeros((0, 3)), "a.npy has the names of 3 columns but no rows."),
        (np.zeros((3, 0)), "a.npy has no columns."),
    ],
)
def test_arrays_that_are_no_tables(refused, tmp_path, X, said):
    np.save(tmp_path / "a.npy", X)
    assert refused("select", tmp_path / "a.npy", "-k", 1).startswith(said)


def test_several_arrays(refused, tmp_path, values):
    np.savez(tmp_path / "a.npz", train=values, test=values[:9])
    output = refused("select", tmp_path / "a.npz", "-k", 1)
    assert "'train' (30 x 5), 'test' (9 x 5)" in output
    assert output.endswith("--name train.")
    output = refused("select", tmp_path / "a.npz", "-k", 1, "--name", "tets")
    assert output == "a.npz has no array 'tets'; it has 'train' (30 x 5), 'test' (9 x 5)."


def test_no_array_with_two_dimensions(refused, tmp_path):
    np.savez(tmp_path / "a.npz", u=np.zeros(3), v=np.zeros((3, 1)))
    output = refused("select", tmp_path / "a.npz", "-k", 1)
    assert output == "a.npz has no array with two dimensions; it has 'u' (3), 'v' (3 x 1)."


def test_complex_matrices(refused, tmp_path):
    scipy.io.mmwrite(tmp_path / "a.mtx", np.ones((3, 2)) + 1j)
    assert "a.mtx holds complex numbers" in refused("select", tmp_path / "a.mtx", "-k", 1)
    pair = np.zeros((2, 3), dtype=[("real", float), ("imag", float)])
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["X"] = pair
    assert "a.mat holds complex numbers" in refused("select", tmp_path / "a.mat", "-k", 1)


def test_mat_of_structs(refused, tmp_path):
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file.create_group("model")["w"] = np.zeros((2, 2))
    assert "structs are not opened" in refused("select", tmp_path / "a.mat", "-k", 1)


def test_layers_of_h5ad(refused, tmp_path, values):
    anndata = pytest.importorskip("anndata")
    anndata.AnnData(values, layers={"counts": values}).write_h5ad(tmp_path / "a.h5ad")
    output = refused("select", tmp_path / "a.h5ad", "-k", 1, "--name", "raw")
    assert output == "a.h5ad has no layer 'raw'; it has 'counts' beside X."


def test_data_sets(refused):
    output = refused("select", "dataset:irs", "-k", 1)
    assert output == "There is no data set 'irs'; did you mean iris?"
    output = refused("select", "dataset:graph_karate", "-k", 1)
    assert output.startswith("The data set 'graph_karate' is a graph")


def test_options_of_other_formats(refused, csv, tmp_path, values):
    np.save(tmp_path / "a.npy", values)
    assert refused("select", csv, "-k", 1, "--name", "X") == (
        "--name does not apply to table.csv; leave it out."
    )
    output = refused("select", tmp_path / "a.npy", "-k", 1, "--no-header")
    assert output == "--no-header does not apply to a.npy; leave it out."


def test_missing_packages_are_named(refused, csv, monkeypatch):
    from sksieve.io import _messages

    def gone(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])

    monkeypatch.setattr(_messages, "import_module", gone)
    output = refused("select", csv, "-k", 1)
    assert output == "Reading this needs the package pyarrow: pip install 'scikit-sieve[cli]'"


def test_gzip_that_ends_early(refused, tmp_path):
    content = gzip.compress(b"a,b\n" + b"1.25,2.5\n" * 50_000)
    path = write(tmp_path, "a.csv.gz", content[: len(content) // 2])
    output = refused("select", path, "-k", 1)
    assert output.startswith("a.csv.gz")
