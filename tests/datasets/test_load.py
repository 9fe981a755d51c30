"""Data sets by name: found, read, described; refused with a sentence."""

from __future__ import annotations

import dataclasses
import io
import os
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.utils import Bunch

from sksieve.datasets import catalogue, data_folder, find, largest_component, load, verify
from sksieve.exceptions import DataError

WITH_SKLEARN = ["breast_cancer", "digits", "iris", "wine"]
NAMES = [record.name for record in catalogue()]  # whatever the folder has


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SKSIEVE_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_what_the_catalogue_says(name, real_data):
    data, record = real_data(name), find(name)
    assert verify(name), "not the recorded checksum"
    if record.kind == "graph":
        A = data.adjacency
        assert A.shape == (record.n_samples, record.n_samples)
        assert A.nnz == 2 * record.n_edges
        assert (abs(A - A.T)).nnz == 0
        assert set(A.data) == {1.0}
        assert not A.diagonal().any()
        assert (0 if data.features is None else data.features.shape[1]) == record.n_features
        assert len(data.node_names) == record.n_samples
    else:
        assert data.X.shape == (record.n_samples, record.n_features)
        assert data.X.dtype.kind == "f"
        assert sp.issparse(data.X) == (record.kind == "sparse")
        values = data.X.data if sp.issparse(data.X) else data.X
        assert np.isnan(values).sum() == record.n_missing
        assert not np.isinf(values).any()
        assert len(data.feature_names) == record.n_features
        assert len(set(data.feature_names)) == record.n_features
    assert len(data.class_names) == record.n_classes
    if record.n_classes:
        assert tuple(np.bincount(data.y).tolist()) == record.class_sizes
        assert len(record.class_sizes) == record.n_classes
    else:
        assert data.y is None
    assert (data.name, data.source) == (record.name, record.origin)
    assert (f"{record.n_missing} values are missing" in data.description) == (record.n_missing > 0)


def test_what_only_some_sets_have(real_data):
    assert real_data("USPS49").X.dtype == np.float32
    assert real_data("COIL100").angle.max() == 355
    housing = real_data("housing")
    np.testing.assert_array_equal(housing.y, housing.target > 21.2)
    cells = real_data("pbmc68k_reduced_counts")
    assert len(cells.louvain) == len(cells.y) == 700
    assert cells.X.min() >= 0
    # scikit-learn rounds the smoothness errors to four digits; nothing else differs
    np.testing.assert_allclose(real_data("breast").X, load_breast_cancer().data, atol=1e-3)


def test_the_largest_component_of_polblogs_is_the_usual_benchmark(real_data):
    whole = real_data("graph_polblogs")
    before = whole.adjacency.copy()
    part = largest_component(whole)
    assert part.adjacency.shape == (1222, 1222)
    assert part.adjacency.sum(axis=0).min() > 0
    np.testing.assert_array_equal(part.y, whole.y[part.nodes])
    assert (before != whole.adjacency).nnz == 0
    assert "nodes" not in whole


def test_largest_component_takes_names_and_features_along():
    A = sp.csr_array((np.ones(4), ([1, 2, 2, 3], [2, 1, 3, 2])), shape=(5, 5))
    graph = Bunch(adjacency=A, y=np.arange(5), node_names=np.array(list("abcde")), features=None)
    part = largest_component(graph)
    assert part.nodes.tolist() == part.y.tolist() == [1, 2, 3]
    assert "".join(part.node_names) == "bcd"
    assert part.features is None
    assert part.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("name", WITH_SKLEARN)
def test_scikit_learns_sets_need_no_files(name, folder):
    data, record = load(name.upper()), find(name)
    assert record.available
    assert record.path is None
    assert data.X.shape == (record.n_samples, record.n_features)
    assert data.X.dtype == np.float64
    assert tuple(np.bincount(data.y).tolist()) == record.class_sizes
    assert len(data.class_names) == record.n_classes


def test_missing_file_says_what_to_do_in_one_sentence(folder):
    with pytest.raises(DataError) as refusal:
        load("coil20")
    message = str(refusal.value)
    assert all(word in message for word in ("COIL20.npz", "SKSIEVE_DATA", str(folder)))
    assert message.count(". ") == 0
    assert not find("COIL20").available


def test_both_files_of_a_two_file_set_are_needed(folder):
    (folder / "pbmc68k_reduced_counts.npz").write_bytes(b"")
    assert not find("pbmc68k_reduced_counts").available
    with pytest.raises(DataError, match=r"pbmc68k_reduced_labels\.npz"):
        load("pbmc68k_reduced_counts")


def test_a_wrong_variable_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("SKSIEVE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"SKSIEVE_DATA is set to .* not a folder"):
        catalogue()


@pytest.mark.parametrize(
    ("platform", "variable", "folder"),
    [
        ("linux", "XDG_CACHE_HOME", "{home}/.cache"),
        ("darwin", None, "{home}/Library/Caches"),
        ("win32", "LOCALAPPDATA", "{home}/AppData/Local"),
    ],
)
def test_without_the_variable_it_is_the_users_cache(
    monkeypatch, tmp_path, platform, variable, folder
):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("SKSIEVE_DATA")
    if variable:
        monkeypatch.delenv(variable, raising=False)
    assert data_folder() == Path(folder.format(home=tmp_path)) / "scikit-sieve"
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
        assert data_folder() == tmp_path / "elsewhere" / "scikit-sieve"
    assert not find("sonar").available


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("dartbord1", "did you mean Dartboard1?"),
        ("karate", "did you mean graph_karate?"),
        ("COIL", "COIL20"),
        ("nothing like it", "catalogue() lists"),
        ("", "catalogue() lists"),
    ],
)
def test_unknown_names_get_a_suggestion(name, hint):
    with pytest.raises(DataError, match=re.escape(hint)):
        load(name)


@pytest.mark.parametrize("name", ["coil20", "COIL20", " Coil20 ", "COIL20.npz"])
def test_case_does_not_matter(name):
    assert find(name).name == "COIL20"


def test_integers_become_float64_and_missing_names_are_made_up(folder):
    X = np.array([[0, 255], [3, 4]], dtype=np.uint8)
    np.savez(folder / "Yale.npz", X=X, y=np.array([1, 0], dtype=np.int16))
    data = load("Yale")
    assert data.X.dtype == np.float64
    np.testing.assert_array_equal(data.X, X)
    assert data.feature_names.tolist() == ["x0", "x1"]
    assert data.y.dtype == np.intp
    assert not verify("Yale")


class _Trap:
    """Unpickling it leaves a trace."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_nothing_is_unpickled(folder):
    trap = np.empty(1, dtype=object)
    trap[0] = _Trap(folder / "sprung")
    np.savez(folder / "sonar.npz", X=trap)
    with pytest.raises(DataError, match="cannot be read as an npz file of plain arrays"):
        load("sonar")
    assert not (folder / "sprung").exists()


def _npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 cut short", b"not a zip file", _npy(np.eye(2))]
)
def test_damaged_files_are_refused(folder, content):
    (folder / "zoo.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"zoo\.npz cannot be read"):
        load("zoo")


def test_a_file_without_the_needed_array_is_refused(folder):
    np.savez(folder / "zoo.npz", Z=np.eye(2))
    with pytest.raises(DataError, match="has no array 'X'; it has Z"):
        load("zoo")


def test_records_are_frozen_and_names_unique():
    records = catalogue()
    assert len({record.name.lower() for record in records}) == len(records)
    assert {record.kind for record in records} == {"table", "graph", "sparse"}
    with pytest.raises(dataclasses.FrozenInstanceError):
        records[0].name = "other"
