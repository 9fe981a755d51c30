"""A changed file or method is another cell; the version of a method is that of its code."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import sksieve
from sksieve.bench import Store, parse_spec, read_spec, replaced, results, run_spec
from sksieve.bench import _methods as methods
from sksieve.bench._data import table
from sksieve.bench._version import method_version, source_version
from sksieve.catalogue import METHODS, get_method
from sksieve.cli._app import app
from sksieve.exceptions import DataError

PACKAGE = Path(sksieve.__file__).parent
SPEC = """
protocol = "css"
datasets = ["iris", "glass"]
k = [2]
[[method]]
name = "greedy"
[[method]]
name = "variance"
"""


def write_glass(folder, rng):
    X = rng.rand(30, 9)
    np.savez(folder / "glass.npz", X=X, y=np.repeat([0, 1, 2], 10))


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    write_glass(folder, np.random.RandomState(0))
    monkeypatch.setenv("SKSIEVE_DATA", str(folder))
    return folder


def call(*words):
    done = CliRunner().invoke(app, ["bench", *map(str, words)])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_a_changed_file_gives_new_scores_and_is_reported(tmp_path, data):
    path, store = tmp_path / "s.toml", tmp_path / "store"
    path.write_text(SPEC)
    call("run", path, "--store", store)
    with Store(store) as kept:
        before = results(read_spec(path), kept)
        assert replaced(read_spec(path), kept) == []
    write_glass(data, np.random.RandomState(1))
    displayed = call("status", path, "--store", store)
    assert "2 of 4 cells done" in displayed
    assert (
        "The data set glass changed since results of this spec were computed: 2 cells" in displayed
    )
    assert "iris" not in displayed
    assert "The data set glass changed" in call("run", path, "--store", store)
    with Store(store) as kept:
        after = results(read_spec(path), kept)
    same = before["dataset"] == "iris"
    assert after[same]["error_ratio"].equals(before[same]["error_ratio"])
    assert not np.isclose(after[~same]["error_ratio"], before[~same]["error_ratio"]).any()
    assert "changed since" not in call("status", path, "--store", store)


def test_the_same_content_under_another_date_is_the_same_cell(data):
    spec = parse_spec({"protocol": "css", "datasets": ["glass"], "k": [2],
                       "method": [{"name": "greedy"}]})  # fmt: skip
    (before,) = spec.tasks()
    os.utime(data / "glass.npz", (1, 1))
    (after,) = spec.tasks()
    assert after.cell.key == before.cell.key


def test_a_file_that_changes_during_the_run_is_no_result_of_the_old_one(data, tmp_path):
    spec = parse_spec({"protocol": "css", "datasets": ["glass"], "k": [2],
                       "method": [{"name": "greedy"}]})  # fmt: skip
    (task,) = spec.tasks()
    write_glass(data, np.random.RandomState(2))
    table.cache_clear()
    with pytest.raises(DataError, match="glass changed after this run began"):
        table(task.cell.data)


METHOD = """
import numpy as np
from sklearn.base import BaseEstimator

class Own(BaseEstimator):
    nested = True

    def __init__(self, n_features_to_select=1):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y=None):
        self.ranking_ = np.arange(X.shape[1]){order}
        return self
"""


def test_a_changed_method_is_fitted_anew_and_reported(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "own_for_a_test.py"
    content = {"protocol": "css", "datasets": ["iris"], "k": [2],
               "method": [{"name": "own_for_a_test:Own"}]}  # fmt: skip
    with Store(tmp_path / "store") as store:
        ratios = []
        for order in ("", "[::-1]"):
            module.write_text(METHOD.format(order=order))
            importlib.invalidate_caches()
            sys.modules.pop("own_for_a_test", None)
            methods.candidate.cache_clear()
            method_version.cache_clear()
            spec = parse_spec(content)
            changes = replaced(spec, store)
            run_spec(spec, store)
            ratios += results(spec, store)["error_ratio"].tolist()
        assert [(c.kind, c.name, c.n_cells) for c in changes] == [
            ("method", "own_for_a_test:Own", 1)
        ]
    methods.candidate.cache_clear()
    assert ratios[0] != ratios[1]


def copied(tmp_path):
    target = tmp_path / "sksieve"
    shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def test_the_version_follows_the_code_that_a_method_uses_and_no_other(tmp_path):
    module = get_method("greedy").load().__module__
    root = copied(tmp_path)
    before = source_version(module, root)
    assert before == source_version(module)

    def changed(name, text):
        other = tmp_path / f"copy{len(list(tmp_path.iterdir()))}" / "sksieve"
        shutil.copytree(root, other)
        with (other / name).open("a") as file:
            file.write(text)
        return source_version(module, other) != before

    assert changed(f"{module.replace('.', '/')}.py".removeprefix("sksieve/"), "\nx = 1\n")
    assert changed("linalg/_qr.py", "\nx = 1\n"), "a module that it imports through a package"
    assert not changed("linalg/_qr.py", "\n\n# a remark\n"), "comments are no code"
    assert not changed("selection/_lapscore.py", "\nx = 1\n"), "another method"
    assert not changed("linalg/__init__.py", "\nx = 1\n"), "the package, not the module"


def test_docstrings_do_not_count_and_texts_do(tmp_path):
    def version(source):
        (tmp_path / "a").mkdir(exist_ok=True)
        (tmp_path / "a" / "__init__.py").write_text("")
        (tmp_path / "a" / "m.py").write_text(source)
        from sksieve.bench import _version

        _version._module.cache_clear()
        _version._reached.cache_clear()
        return source_version("a.m", tmp_path / "a")

    plain = version('"""One."""\n\ndef f():\n    """Two."""\n    return 1\n')
    assert version('"""Another.\n\nLonger."""\ndef f():\n    """Too."""\n    return 1\n') == plain
    assert version('"""One."""\n\ndef f():\n    """Two."""\n    return 2\n') != plain
    text = 'x = """\n# not a comment\n"""\n'
    assert version(text) != version(text.replace("not a", "no"))


def test_every_method_of_the_catalogue_has_a_version_of_its_modules():
    versions = {}
    for method in METHODS:
        estimator = method.load()
        versions.setdefault(method_version(estimator), set()).add(estimator.__module__)
    assert all(len(modules) == 1 for modules in versions.values())
