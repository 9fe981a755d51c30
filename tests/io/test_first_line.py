"""What the first line of a text table decides: the separator, and whether it holds names."""

import numpy as np
import pytest

from sksieve import config_context
from sksieve.exceptions import DataError, TooLargeError
from sksieve.io import read_graph, read_table
from sksieve.io.tables._text import looks_like_data


@pytest.mark.parametrize(("sep", "typed"), [(";", ";"), ("\t", "tab"), ("|", "|")])
def test_the_separator_of_the_first_line_is_used(tmp_path, sep, typed):
    path = tmp_path / "a.csv"
    path.write_text(f"a{sep}b\n1{sep}2\n3{sep}5\n")
    table = read_table(path)
    assert table.columns == ["a", "b"]
    assert table.to_frame().to_numpy().tolist() == [[1, 2], [3, 5]]
    assert table.notes[0].endswith(f'as in its first line (sep="{typed}").')
    assert not read_table(path, sep=sep).notes


def test_a_comma_wins(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;x,b\n1,2\n3,5\n")
    assert read_table(path).columns == ["a;x", "b"]
    assert not read_table(path).notes


@pytest.mark.parametrize("name", ["iris.data", "iris.csv", "iris.dat", "iris.txt"])
def test_a_first_line_of_numbers_is_data(tmp_path, name):
    path = tmp_path / name
    path.write_text("5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n")
    table = read_table(path)
    assert table.columns == ["x0", "x1", "x2", "x3", "x4"]
    assert table.shape == (2, 5)
    assert "was read as data" in table.notes[0]
    assert "add header=True" in table.notes[0]
    assert not read_table(path, header=False).notes
    assert read_table(path, header=True).columns[0] == "5.1"


def test_wide_tables_of_numbers(tmp_path):
    X = np.random.RandomState(0).randint(0, 9, (5, 600))
    path = tmp_path / "wide.csv"
    np.savetxt(path, X, delimiter=",", fmt="%d")
    assert read_table(path).shape == (5, 600)
    np.testing.assert_array_equal(read_table(path).data, X)


def test_numbers_that_rise_or_fall_are_names(tmp_path):
    assert not looks_like_data(["2019", "2020", "2021"])
    assert not looks_like_data(["sample", *map(str, np.arange(1100.5, 1085, -2.5))])
    assert looks_like_data(["1", "2", "2"])
    path = tmp_path / "years.csv"
    path.write_text("country,2019,2020,2021\nNL,1,2,3\nBE,2,3,5\n")
    table = read_table(path)
    assert table.columns == ["country", "2019", "2020", "2021"]
    assert "taken for the names" in table.notes[0]


def test_repeated_numbers_cannot_be_names(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1.5,2,2\n1,2,3\n4,5,7\n")
    assert read_table(path).shape == (3, 3)
    with pytest.raises(DataError, match="some of them twice"):
        read_table(path, header=True)


@pytest.mark.parametrize("sep", [",", ";"])
def test_names_in_another_encoding_are_refused_with_what_to_add(tmp_path, sep):
    path = tmp_path / "a.csv"
    path.write_bytes(f"Gr\xf6\xdfe{sep}b\n1{sep}2\n3{sep}5\n".encode("latin-1"))
    with pytest.raises(DataError, match=r'not UTF-8 text .*encoding="cp1252"'):
        read_table(path)
    assert read_table(path, encoding="cp1252").columns == ["Gr\xf6\xdfe", "b"]


@pytest.mark.parametrize("names", ["source,target", "node_1,node_2", "id1,id2", "start,end"])
def test_an_edge_list_may_name_its_ends(tmp_path, names):
    path = tmp_path / "edges.csv"
    path.write_text(f"{names}\nann,bob\nbob,cat\n")
    assert read_graph(path).names == ["ann", "bob", "cat"]


def test_the_memory_limit_of_a_block_of_code_holds_where_arrow_reads(tmp_path):
    """Arrow calls the stream in a thread of its own."""
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,x\n" * 2000)
    with config_context(memory_limit=20_000), pytest.raises(TooLargeError, match=r"a\.csv"):
        read_table(path)
    assert read_table(path).shape == (2000, 2)
