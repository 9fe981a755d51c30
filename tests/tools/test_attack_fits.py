"""The generator of hostile fits repeats itself, and its judge tells refusals from accidents."""

import os
import signal
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import attack_fits
from hostile_tables import GRAPHS, TABLES
from sksieve import GreedyCSS, SpectralGraph
from sksieve.catalogue import METHODS


def test_there_are_many_kinds():
    names = [kind.name for kind in TABLES + GRAPHS]
    assert len(names) == len(set(names))
    assert len(names) >= 140
    assert sum(kind.refused for kind in TABLES + GRAPHS) >= 35


def test_a_case_repeats_itself():
    for index in range(40):
        first, again = attack_fits.case(7, index), attack_fits.case(7, index)
        assert first[:3] == again[:3]
        assert repr(first[1].make(first[3])) == repr(again[1].make(again[3]))
    methods = {attack_fits.case(7, index)[0].class_name for index in range(300)}
    assert len(methods) >= 0.9 * len(METHODS)


def error_of(call):
    try:
        call()
    except Exception as error:
        return attack_fits.judged_error(error, {"n_clusters"})[0]
    raise AssertionError("no error")


def test_errors_are_refusals_only_when_raised_on_purpose():
    assert error_of(lambda: GreedyCSS(2).fit(np.zeros((4, 3)))) == "refusal"
    assert error_of(lambda: GreedyCSS(2).fit([["a", "b"]])) == "refusal"
    assert error_of(lambda: SpectralGraph(0).fit(np.eye(4))) == "refusal"
    assert error_of(lambda: np.linalg.cholesky(-np.eye(2))) == "foreign"
    assert error_of(lambda: np.zeros(2)[5]) == "foreign"
    assert error_of(lambda: np.zeros((2, 3)) @ np.zeros((2, 3))) == "foreign"


def test_warnings_of_others_are_foreign():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.float64(1) / np.float64(0)
    assert attack_fits.judged_warnings(caught)[0] == "foreign"
    assert attack_fits.judged_warnings([]) == ("right", "")


def test_wrong_answers_are_found():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 6))
    subset = GreedyCSS(2).fit(X)
    method = next(m for m in METHODS if m.class_name == "GreedyCSS")
    assert attack_fits.problems_of(method, subset, X) == []
    other = rng.standard_normal((30, 6))
    assert any("least squares" in p for p in attack_fits.problems_of(method, subset, other))
    clusters = SpectralGraph(2, random_state=0).fit(X)
    method = next(m for m in METHODS if m.class_name == "SpectralGraph")
    assert attack_fits.problems_of(method, clusters, X) == []
    clusters.labels_ = clusters.labels_ + 1
    clusters.embedding_ = np.full_like(clusters.embedding_, np.nan)
    assert len(attack_fits.problems_of(method, clusters, X)) == 2


@pytest.mark.parametrize("outcome", ["crash", "right"])
def test_a_worker_survives_a_crash(outcome, monkeypatch):
    def fit(seed, index):
        if outcome == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        return "right", ""

    monkeypatch.setattr(attack_fits, "fit", fit)
    worker = attack_fits.Worker(0, 60.0, 4.0)
    try:
        assert worker.run(3).outcome == outcome
        assert worker.run(4).outcome == outcome
    finally:
        worker.stop()


def judged(est, X, factor=1.0):
    fitted = SimpleNamespace(
        scale=est.scale,
        ranking_=est.ranking_,
        n_features_to_select_=est.n_features_to_select_,
        objective_=est.objective_ * factor,
    )
    return list(attack_fits._error_problems(fitted, X, est.error_path_[0]))


def test_columns_that_hardly_vary_are_judged_by_the_rule_of_the_package():
    """Their range is 100 units in the last place: data, and known to two digits."""
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 2, 12) + 1e-14 * rng.standard_normal((30, 12))
    est = GreedyCSS(3).fit(X)
    assert est.objective_ > 0.1 * est.error_path_[0]
    assert judged(est, X) == []
    assert len(judged(est, X, 2.0)) == 1
    X = rng.standard_normal((30, 12))
    assert judged(GreedyCSS(3).fit(X), X) == []
    assert len(judged(GreedyCSS(3).fit(X), X, 1 + 1e-4)) == 1
