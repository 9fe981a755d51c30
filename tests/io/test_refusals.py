"""Files and tables that are refused: each with what is wrong, as a caller of Python sees it."""

from __future__ import annotations

import io
import sqlite3
import sys
import zipfile

import numpy as np
import pytest
import scipy.io

from sksieve.exceptions import DataError
from sksieve.io import numeric_table, read_graph, read_table, write_table

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

GML = 'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] node [ id 2 label "c" ] %s ]'
EDGES = np.array([[0, 1], [1, 2]])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"edges": np.zeros((2, 3))},
            r"one row of two vertices each; the array has shape \(2, 3\)",
        ),
        ({"edges": np.array([["a", "b"]])}, "pairs of vertex numbers, not <U1"),
        ({"edges": EDGES, "weights": np.ones(3)}, "3 weights for 2 edges"),
        ({"edges": EDGES, "n_nodes": np.array([3, 4])}, "'n_nodes' is not one whole number"),
        ({"adjacency": np.zeros((0, 0))}, "has no vertices: its matrix is 0 x 0"),
    ],
)
def test_arrays_that_are_no_graph(tmp_path, arrays, message):
    np.savez(tmp_path / "g.npz", **arrays)
    with pytest.raises(DataError, match=message):
        read_graph(tmp_path / "g.npz")


def test_names_that_do_not_fit_are_not_used(tmp_path):
    np.savez(tmp_path / "g.npz", edges=EDGES, names=np.array(["a", "b", "c"]))
    assert list(read_graph(tmp_path / "g.npz").names) == ["a", "b", "c"]
    np.savez(tmp_path / "g.npz", edges=EDGES, names=np.array(["a", "b"]))
    assert list(read_graph(tmp_path / "g.npz").names) == ["0", "1", "2"]
    np.savez(tmp_path / "g.npz", A=np.ones((2, 2)) - np.eye(2), names=np.array(["a", "b"]))
    assert list(read_graph(tmp_path / "g.npz").names) == ["a", "b"]


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        (
            "edge [ source 0 target 1 w 2 ]",
            {"weight": "v"},
            'weight="v": the edges of .* no such attribute',
        ),
        ('edge [ source 0 target 1 weight "x" ]', {}, "which is no number"),
        (
            "edge [ source 0 target 1 weight 1 ] edge [ source 1 target 2 ]",
            {"weight": "weight"},
            "the edge 'b' - 'c' has no weight; give it one",
        ),
    ],
)
def test_weights_of_gml_that_cannot_be_used(tmp_path, edges, options, message):
    pytest.importorskip("networkx")
    (tmp_path / "g.gml").write_text(GML % edges)
    with pytest.raises(DataError, match=message):
        read_graph(tmp_path / "g.gml", **options)


def test_a_graph_without_vertices(tmp_path):
    pytest.importorskip("networkx")
    (tmp_path / "g.gml").write_text("graph [ ]")
    with pytest.raises(DataError, match="has no vertices"):
        read_graph(tmp_path / "g.gml")


def test_an_edge_list_whose_vertices_are_floats_or_categories(tmp_path):
    frame = pd.DataFrame({"from": [0.0, 1.0], "to": [1.0, 2.0]})
    frame.to_parquet(tmp_path / "g.parquet")
    assert list(read_graph(tmp_path / "g.parquet").names) == ["0", "1", "2"]
    frame.astype(str).astype("category").to_parquet(tmp_path / "g.parquet")
    assert list(read_graph(tmp_path / "g.parquet").names) == ["0.0", "1.0", "2.0"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.zip", b"PK\x03\x04 no archive", "a.zip cannot be unpacked"),
        ("a.jsonl", b'{"x": 1}\n{"x": \n', "line 2 is not JSON"),
        ("a.mat", b"\0\0\0\0" + b"\1\0\0\0" * 3, "it is cut off"),
    ],
)
def test_damaged_files(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_table(tmp_path / name)


def test_arrays_that_are_no_table(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.ones((3, 2)), b=np.ones((3, 2)))
    with pytest.raises(DataError, match=r"has several arrays that could be the table: 'a' .*, 'b'"):
        read_table(tmp_path / "a.npz")
    for values, what in ((1j * np.eye(2), "complex numbers"), (np.full((2, 2), "x"), "text, not")):
        np.save(tmp_path / "a.npy", values)
        with pytest.raises(DataError, match=f"holds {what}"):
            read_table(tmp_path / "a.npy")


def test_an_archive_of_two_files(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", "x\n1\n")
        archive.writestr("b.csv", "x\n2\n")
    with pytest.raises(DataError, match=r"holds 2 files.*a compressed table is an archive of one"):
        read_table(tmp_path / "a.zip")


@pytest.mark.parametrize("kept", [-1, 40, 10])
def test_a_file_of_matlab_4_that_is_cut_off(tmp_path, kept):
    scipy.io.savemat(tmp_path / "a.mat", {"X": np.arange(6.0).reshape(2, 3)}, format="4")
    assert read_table(tmp_path / "a.mat").shape == (2, 3)
    content = (tmp_path / "a.mat").read_bytes()
    (tmp_path / "a.mat").write_bytes(content[:kept])
    with pytest.raises(DataError, match="it is cut off"):
        read_table(tmp_path / "a.mat")


def test_a_database_without_tables(tmp_path):
    sqlite3.connect(tmp_path / "a.sqlite").execute("PRAGMA user_version = 1").connection.close()
    with pytest.raises(DataError, match="has no tables"):
        read_table(f"{tmp_path / 'a.sqlite'}::t")


def test_standard_input_that_is_a_terminal(monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    with pytest.raises(DataError, match="nothing is piped in"):
        read_table("-")


def test_an_ending_that_cannot_be_written(tmp_path):
    with pytest.raises(DataError, match=r"the ending \.xyz is not one of \.csv, \.tsv"):
        write_table(tmp_path / "a.xyz", {"x": [1]})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("columns", "leaves no column; allow a share: columns:0.3"),
        ("rows", "leaves 1 row of 3; leave out columns with many missing values first"),
    ],
)
def test_leaving_out_what_is_missing_leaves_too_little(how, message):
    table = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [np.nan, 2.0, 4.0]})
    with pytest.raises(DataError, match=message):
        numeric_table(table, drop_missing=how)


def test_a_column_name_that_occurs_twice():
    table = pd.DataFrame([[1, 2], [3, 5]], columns=["a", "a"])
    with pytest.raises(DataError, match="1 column name occurs more than once: 'a'"):
        numeric_table(table)
