"""Identifiers are strings: nothing is made a number that the file does not need as one."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pyarrow")

from sksieve.io import read_graph, read_table


def test_vertices_with_leading_zeros_are_distinct(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n007,8\n7,9\n1E5,100000\n1.0,1\n")
    graph = read_graph(path)
    assert sorted(graph.names) == sorted(["007", "8", "7", "9", "1E5", "100000", "1.0", "1"])
    assert graph.A.nnz == 8


def test_a_vertex_may_be_called_na(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\nNA,FR\nNA,nan\nnull,None\n")
    assert set(read_graph(path).names) == {"NA", "FR", "nan", "null", "None"}


def test_whole_numbers_stay_in_their_order(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("10 9\n9 1\n1 10\n")
    assert read_graph(path).names == ["1", "9", "10"]


def test_labels_are_copied_as_written(invoke, tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "out.csv"
    path.write_text("a,b,zip\n1,5,01234\n2,3,1E5\n3,9,00\n4,1,1.50\n")
    words = ("-k", 1, "--method", "greedy", "--label-column", "zip", "-o", out)
    assert invoke("select", path, *words).exit_code == 0
    assert [line.split(",")[1] for line in out.read_text().splitlines()] == [
        "zip", "01234", "1E5", "00", "1.50",
    ]  # fmt: skip
    out = tmp_path / "labels.csv"
    words = ("-c", 2, "--label-column", "zip", "-o", out)
    assert invoke("cluster", path, *words).exit_code == 0
    assert [line.split(",")[2] for line in out.read_text().splitlines()][1:] == [
        "01234", "1E5", "00", "1.50",
    ]  # fmt: skip


def test_chosen_columns_are_copied_as_written(invoke, tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "out.csv"
    path.write_text("a,code\n1.50,01234\n2e1,02139\n-3,90210\n")
    assert invoke("select", path, "-k", 2, "--method", "greedy", "-o", out).exit_code == 0
    rows = {tuple(sorted(line.split(","))) for line in out.read_text().splitlines()[1:]}
    assert rows == {("01234", "1.50"), ("02139", "2e1"), ("-3", "90210")}


def test_missing_labels_are_not_compared(invoke, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,y\n0,0,u\n0,1,u\n9,9,v\n9,8,NA\n0,2,\n")
    result = invoke(
        "cluster", path, "-c", 2, "--label-column", "y", "--against-labels", "--json"
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["against"]["n_used"] == 3


def test_columns_as_written(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('id,x\n"007, junior",1\n NA,2\n,3\n')
    assert read_table(path).text(0).to_pylist() == ["007, junior", " NA", ""]
