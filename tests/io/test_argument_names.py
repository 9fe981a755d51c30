"""Messages of the readers name arguments of Python; those of the command line name options."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import sksieve.io
from sksieve._wording import messages_name_options
from sksieve.exceptions import DataError
from sksieve.io import read_graph, read_table

OPTION = re.compile(r"(?<![\w-])--[a-z]")
CELLS = "a;b\n1;2\n2;3\n3;1\n"

#: Reader, name of the file, its content, arguments, what Python names, what the command line names.
CASES = [
    (read_table, "a.csv", "a,b\n1,2\n", {"sep": "ab"}, "sep takes", "--sep takes"),
    (read_table, "a.csv", CELLS, {"sep": ","}, 'add sep=";"', "add --sep ';'"),
    (read_table, "a.csv", "a,b\n1\n", {}, "say with sep", "say with --sep"),
    (read_table, "a.csv", "1,1\n1,2\n", {"header": True}, "header=False", "--no-header"),
    (read_table, "a.csv", "a\n1\n", {"encoding": "x"}, 'encoding="x"', "--encoding x"),
    (read_table, "a.csv", b"a,b\n\xe9,2\n", {}, 'encoding="cp1252"', "--encoding cp1252"),
    (read_table, "a.npy", "1", {"sep": ";"}, "sep does not apply", "--sep does not apply"),
    (read_table, "a.npy", "1", {"header": False}, "header=False does", "--no-header does"),
    (read_table, "a.foo", "1", {}, "standard input (-)", "standard input (-)"),
    (read_graph, "a.csv", "a,b,c,d\n1,2,3,4\n", {}, "with source, target", "with --source, --t"),
    (read_graph, "a.csv", "u,v\nx,y\n", {"source": "u"}, "Give both source", "Give both --source"),
    (read_graph, "a.csv", "u,v\nx,y\n", {"weight": "w"}, 'weight="w": a', "--weight w: a"),
    (read_graph, "a.csv", "a,b\nx,y\nx,z\ny,z\n", {}, "header=True or", "--header or --no-header"),
    (read_graph, "a.csv", "u,v\nx,y\nx,y\n", {}, "with duplicates", "with --duplicates"),
    (read_graph, "a.csv", "u,v,w\nx,y,1\ny,x,2\n", {}, "with symmetrize", "with --symmetrize"),
    (read_graph, "a.npy", "1", {"sep": ";"}, "sep does not apply", "--sep does not apply"),
]


@pytest.mark.parametrize(("read", "name", "content", "given", "in_python", "typed"), CASES)
def test_errors(tmp_path, read, name, content, given, in_python, typed):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as refused:
        read(path, **given)
    assert in_python in str(refused.value)
    assert not OPTION.search(str(refused.value))
    with messages_name_options(), pytest.raises(DataError) as refused:
        read(path, **given)
    assert typed in str(refused.value)


def test_several_arrays(tmp_path):
    np.savez(tmp_path / "a.npz", p=np.eye(3), q=np.eye(3))
    with pytest.raises(DataError, match='for example name="p"'):
        read_table(tmp_path / "a.npz")


def test_notes(tmp_path):
    (tmp_path / "a.csv").write_text(CELLS)
    table, graph = read_table(tmp_path / "a.csv"), read_graph(tmp_path / "a.csv")
    assert (
        graph.notes
        == table.notes
        == ("The cells of a.csv are separated by ';', as in its first line (sep=\";\").",)
    )
    assert graph.names == ["1", "2", "3"]  # a and b name the columns
    with messages_name_options():
        assert "(--sep ';')" in read_graph(tmp_path / "a.csv").notes[0]
    (tmp_path / "b.csv").write_text("u,v\nx,y\ny,x\ny,z\n")
    graph = read_graph(tmp_path / "b.csv", symmetrize="sum")
    assert graph.notes == ('Directed edges made undirected: symmetrize="sum".',)
    (tmp_path / "c.csv").write_text("u,v\nx,y\ny,z\np,q\n")
    assert "(largest)" in read_graph(tmp_path / "c.csv", largest=True).notes[0]


def test_no_message_of_the_package_io_names_an_option():
    """Options are written by `_wording.argument` alone."""
    for file in sorted(Path(sksieve.io.__file__).parent.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docstrings = {
            ast.get_docstring(n, clean=False)
            for n in ast.walk(tree)
            if isinstance(n, ast.Module | ast.FunctionDef | ast.ClassDef)
        }
        texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
        named = [t for t in texts if isinstance(t, str) and OPTION.search(t)]
        assert not [t for t in named if t not in docstrings], file
