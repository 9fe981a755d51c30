"""Optional packages: each names the extra that installs it, and the extras have them."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from sksieve._optional import EXTRAS, optional
from sksieve.exceptions import MissingPackageError

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
EXTRAS_OF_PROJECT = PROJECT["project"]["optional-dependencies"]


@pytest.mark.parametrize(("package", "extra"), sorted(EXTRAS.items()))
def test_the_extra_of_a_package_installs_it(package, extra):
    names = [line.split(">=")[0].split("[")[0] for line in EXTRAS_OF_PROJECT[extra]]
    assert package.replace("_", "-") in names
    (everything,) = EXTRAS_OF_PROJECT["all"]
    assert extra in everything.partition("[")[2].strip("]").split(",")


@pytest.mark.parametrize("name", ["matplotlib", "matplotlib.pyplot"])
def test_a_missing_package_names_its_extra(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError) as refusal:
        optional(name, "A plot")
    assert str(refusal.value) == "A plot needs matplotlib: pip install 'scikit-sieve[plot]'."
    assert isinstance(refusal.value, ImportError)
    assert isinstance(refusal.value, ValueError)


def test_an_error_inside_a_package_is_not_hidden(monkeypatch, tmp_path):
    (tmp_path / "duckdb.py").write_text("import there_is_no_such_module")
    monkeypatch.delitem(sys.modules, "duckdb", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="there_is_no_such_module"):
        optional("duckdb", "A database")


def test_a_plot_without_matplotlib(monkeypatch):
    from sksieve import GreedyCSS
    from sksieve.plotting import plot_error_path

    est = GreedyCSS(2).fit(np.random.RandomState(0).rand(20, 4))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError, match=r"scikit-sieve\[plot\]"):
        plot_error_path(est)
