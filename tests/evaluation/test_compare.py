"""Methods compared without labels: the figures are those of the metrics, refusals are kept."""

import signal
from time import perf_counter

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from sksieve import SPCAFS, UDFS, VarianceRank
from sksieve.catalogue import get_method
from sksieve.evaluation import _compare, comparisons, explained
from sksieve.evaluation._compare import TimeLimit
from sksieve.exceptions import DataWarning
from sksieve.metrics import neighborhood_preservation, redundancy

X = load_wine().data
NAMES = ["random", "greedy", "udfs", "spcafs"]


def by_name(found):
    return {row.method: row for row in found}


def test_figures_are_those_of_the_metrics_on_the_standardized_table():
    Z = StandardScaler().fit_transform(X)
    for row in comparisons(X, 4, NAMES):
        S = list(row.columns)
        assert len(S) == 4
        assert row.explained == pytest.approx(explained(X, S))
        assert row.preservation == pytest.approx(neighborhood_preservation(Z, S))
        assert row.redundancy == pytest.approx(redundancy(Z, S))
        assert row.seconds >= 0


def test_best_reconstruction_comes_first():
    shares = [row.explained for row in comparisons(X, 4, NAMES)]
    assert shares == sorted(shares, reverse=True)


def test_methods_of_large_variance_get_the_raw_table():
    found = by_name(comparisons(X, 4, ["udfs", "spcafs"]))
    assert get_method("spcafs").scaling == "raw"
    assert get_method("udfs").scaling != "raw"
    with pytest.warns(DataWarning, match=r"One column holds 99.8 %|gamma=0.1 is so large"):
        ranking = SPCAFS(4).fit(X).ranking_
    assert list(found["spcafs"].columns) == list(ranking[:4])
    Z = StandardScaler().fit_transform(X)
    assert list(found["udfs"].columns) == list(UDFS(4).fit(Z).ranking_[:4])
    assert not any("not standardized" in text for text in found["spcafs"].warnings)


def test_a_refusal_is_kept_and_comes_last():
    found = comparisons(X, 5, ["mcfs", "greedy"])  # 5 is no trouble
    assert not any(row.refused for row in found)
    few = X[:4]
    found = comparisons(few, 3, ["mcfs", "variance"])
    assert found[-1].method == "mcfs"
    assert "n_clusters" in found[-1].refused
    assert found[-1].columns == ()


def test_same_seed_same_answer():
    a, b = (comparisons(X, 3, ["random_rank", "rne"], random_state=1) for _ in range(2))
    assert [row.columns for row in a] == [row.columns for row in b]


def test_clusterers_and_unknown_names_are_refused():
    with pytest.raises(ValueError, match="chooses no columns"):
        comparisons(X, 3, ["srsg"])
    with pytest.raises(ValueError, match="no method"):
        comparisons(X, 3, ["udsf"])


def test_neighborhoods_on_a_sample_of_rows():
    whole, part = (comparisons(X, 4, ["greedy"], max_rows=n)[0] for n in (1000, 60))
    assert whole.columns == part.columns
    assert whole.preservation != part.preservation
    assert abs(whole.preservation - part.preservation) < 0.2
    Z, rows = StandardScaler().fit_transform(X), np.random.RandomState(0).permutation(len(X))[:60]
    expected = neighborhood_preservation(Z[np.sort(rows)], whole.columns)
    assert part.preservation == pytest.approx(expected)


def test_a_failure_is_kept_with_its_kind(monkeypatch):
    def fails(self, X, rng):
        raise MemoryError("no room\nfor it")

    monkeypatch.setattr(UDFS, "_fit", fails)
    found = comparisons(X, 3, ["udfs", "variance"])
    assert [row.method for row in found] == ["variance", "udfs"]
    assert found[-1].refused == "MemoryError: no room for it"


def test_watched_and_limited():
    seen = []

    def watch(name):
        return [lambda record, state: seen.append((name, record["n_iter"]))]

    comparisons(X, 3, ["ndfs", "variance"], watch=watch)
    assert seen[0] == ("ndfs", 1)
    assert {name for name, _ in seen} == {"ndfs"}
    limited = comparisons(X, 3, ["ndfs"], time_limit=1e-9)[0]
    assert any("time limit" in text for text in limited.warnings)
    assert len(limited.columns) == 3


def test_stability_of_the_choice_where_it_is_asked_for():
    assert all(row.stability is None for row in comparisons(X, 3, ["greedy"]))
    for row in comparisons(X, 3, ["greedy", "variance"], n_bootstrap=4):
        assert row.stability.lower <= row.stability.value <= row.stability.upper


def test_compiling_is_no_part_of_the_time(monkeypatch):
    import time

    import numba

    fit = UDFS._fit

    def compiles(self, X, rng):
        @numba.njit
        def kernel(x):
            return x + 1.0

        kernel(1.0)
        took.append(time.perf_counter())
        return fit(self, X, rng)

    took = []
    monkeypatch.setattr(UDFS, "_fit", compiles)
    started = time.perf_counter()
    (row,) = comparisons(X, 3, ["udfs"])
    whole = time.perf_counter() - started
    assert row.seconds < whole / 2
    assert took


def test_a_method_without_a_loop_keeps_to_the_time_limit(monkeypatch):
    X = np.random.RandomState(0).standard_normal((40, 6))

    def slow(self, X, rng):
        end = perf_counter() + 20
        while perf_counter() < end:
            sum(range(1000))
        return np.ones(X.shape[1])

    monkeypatch.setattr(VarianceRank, "_fit", slow)
    monkeypatch.setattr(TimeLimit, "grace", 0.1)
    monkeypatch.setattr(_compare, "warm_up", lambda est, X: None)
    before = signal.getsignal(signal.SIGALRM)
    started = perf_counter()
    found = comparisons(X, 2, ["variance", "greedy"], time_limit=0.1)
    assert perf_counter() - started < 15
    assert [row.method for row in found] == ["greedy", "variance"]
    assert found[1].refused == "no result after the time limit of 0.1 s."
    assert signal.getsignal(signal.SIGALRM) == before
