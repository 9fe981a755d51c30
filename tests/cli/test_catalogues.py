"""``sksieve methods`` and ``sksieve datasets``."""

from __future__ import annotations

import inspect
import json

import pytest

from sksieve.catalogue import PURPOSES, SCALINGS, get_method, list_methods
from sksieve.datasets import catalogue, load, sources
from sksieve.exceptions import MissingDataError


def test_methods_by_purpose(invoke):
    result = invoke("methods")
    assert result.exit_code == 0
    blocks = result.stdout.split("\n\n")
    assert "kept so that other methods can be compared" in blocks[-1]
    seen = []
    for block in blocks[:-1]:
        title, head, *lines = block.splitlines()
        [purpose] = [p for p, words in PURPOSES.items() if words.lower() == title.lower()]
        assert head.split() == ["method", "what", "it", "does", "paper"]
        names = [line.split()[0] for line in lines]
        assert sorted(names) == sorted(m.name for m in list_methods(purpose=purpose))
        roles = [get_method(name).role for name in names]
        assert roles == sorted(roles, reverse=True), "the recommended ones come first"
        for name, line in zip(names, lines, strict=True):
            method = get_method(name)
            assert method.title in line
            assert method.paper in line
            compared = method.role == "comparison" and purpose != "baseline"
            assert (line.split()[1] == "*") == compared
        seen += names
    assert sorted(seen) == sorted(method.name for method in list_methods())


def test_methods_as_json(invoke):
    entries = json.loads(invoke("methods", "--json").stdout)
    assert [entry["name"] for entry in entries] == [method.name for method in list_methods()]
    assert set(entries[0]) == {
        "name", "class", "kind", "title", "paper", "cost", "nested",
        "scaling", "purpose", "role", "sparse",
    }  # fmt: skip


@pytest.mark.parametrize("method", list_methods(), ids=lambda m: m.name)
def test_one_method(invoke, method):
    result = invoke("methods", method.name)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"{method.name}: {method.title}\n")
    for text in (method.class_name, method.paper, method.cost, SCALINGS[method.scaling]):
        assert text in result.stdout
    first = inspect.getdoc(method.load()).splitlines()[0]
    assert first in result.stdout
    nested = "yes: one fit serves every k" if method.nested else "no: each k needs its own fit"
    assert (f"nested    {nested}\n" in result.stdout) == (method.kind != "clusterer")
    assert "Parameters\n" not in result.stdout
    entry = json.loads(invoke("methods", method.name, "--json").stdout)
    assert list(entry["defaults"]) == list(method.defaults())
    assert entry["description"].startswith(first)


def test_spelling_of_methods(invoke):
    assert invoke("methods", "Two-Stage").stdout == invoke("methods", "two_stage").stdout
    assert get_method("two-stage").name == "two_stage"


def test_unknown_method(refused):
    message = refused("methods", "leverages", code=2)
    assert message == "There is no method 'leverages'; did you mean leverage?"


def test_datasets(invoke):
    result = invoke("datasets")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for record, line in zip(catalogue(), lines[1:], strict=False):
        assert line.split()[0] == record.name
        assert f"{record.n_samples:,}" in line
        assert line.split()[3] == (f"{record.n_features:,}" if record.n_features else "-")
        state = "to fetch" if record.name in sources() else "no"
        assert f" {'yes' if record.available else state} " in line
    assert "sksieve select dataset:NAME" in lines[-1]


def test_data_sets_that_are_not_here(invoke, tmp_path, monkeypatch):
    monkeypatch.setenv("SKSIEVE_DATA", str(tmp_path))
    message = invoke("datasets").stdout.splitlines()
    missing = [record.name for record in catalogue() if not record.available]
    unknown = sum(name not in sources() for name in missing)
    assert len(missing) > unknown > 5
    assert message[-3:-1] == [
        f"To download one into {tmp_path}: sksieve datasets NAME --fetch",
        f"{unknown} have no public file known here; if you have them, put them into a folder and "
        "set SKSIEVE_DATA to it.",
    ]
    place = f"not available (looked in {tmp_path})"
    assert f"{place}; sksieve datasets sonar --fetch" in invoke("datasets", "sonar").stdout
    assert f"{place}; set SKSIEVE_DATA" in invoke("datasets", "MSTAR").stdout
    result = invoke("select", "dataset:sonar", "-k", 2, "--method", "greedy")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: The data set 'sonar'")
    assert "download it with sksieve datasets sonar --fetch, or put" in result.stderr
    result = invoke("select", "dataset:COIL100", "-k", 2)
    assert "download" not in result.stderr, "no public file is known"
    with pytest.raises(MissingDataError, match=r"with sksieve.datasets.fetch\('sonar'\)"):
        load("sonar")
    assert "(checked; license: CC BY 4.0 (UCI))" in invoke("datasets", "sonar").stdout


def test_a_download(invoke, refused, tmp_path, monkeypatch):
    pytest.importorskip("networkx")
    monkeypatch.setenv("SKSIEVE_DATA", str(tmp_path))
    message = invoke("datasets", "graph_karate", "--fetch").stdout
    assert message == f"graph_karate is in {tmp_path / 'graph_karate.npz'}.\n"
    assert "name the data set" in refused("datasets", "--fetch", code=2)


def test_datasets_as_json(invoke):
    entries = json.loads(invoke("datasets", "--json").stdout)
    assert [entry["name"] for entry in entries] == [record.name for record in catalogue()]
    entry = json.loads(invoke("datasets", "IRIS", "--json").stdout)
    assert (entry["name"], entry["n_samples"], entry["available"]) == ("iris", 150, True)


def test_one_data_set(invoke):
    message = invoke("datasets", "wine").stdout
    assert "178 rows x 13 columns" in message
    assert "ships with scikit-learn" in message


def test_unknown_data_set(refused):
    assert refused("datasets", "wien") == "There is no data set 'wien'; did you mean wine?"


def test_clusterers_and_graphs_are_spoken_of_as_such(invoke):
    message = invoke("methods", "srsg").stdout
    assert "serves every k" not in message
    assert "nested" in invoke("methods", "blufs").stdout
    assert "34 vertices, 78 edges" in invoke("datasets", "graph_karate").stdout
    assert "sksieve communities dataset:NAME" in invoke("datasets").stdout
