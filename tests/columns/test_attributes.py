"""Every solver with every target: what a fit reports, recomputed from the data; and its report."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from sksieve.columns import Factored, GreedyCSS, IterFS
from sksieve.evaluation import selection_summary
from sksieve.report import selection_report

M, N, K = 60, 24, 4
RIDGE = 0.5


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(M, 6)) @ rng.normal(size=(6, N)) + 0.5 * rng.normal(size=(M, N))
    X[:, 5] = 2.0
    return X + 3.0


def target_of(name, X):
    rng = np.random.default_rng(4)
    return {
        "table": {},
        "weighted table": {"column_weight": rng.uniform(0, 2, N)},
        "other": {"target": X[:, :3] @ rng.normal(size=(3, 2)) + rng.normal(size=(M, 2))},
        "structure": {"target": "structure"},
        "kernel": {"target": "kernel"},
    }[name]


def scaled(X, scale):
    A = X - X.mean(axis=0) if scale == "standard" else X
    length = np.linalg.norm(A, axis=0)
    length[length < 1e-9] = np.inf
    return A / length if scale != "none" else A


def error(A, S, keywords, ridge, scale):
    """``f(S)`` from the data: what the columns S leave of the target."""
    T = keywords.get("target", A)
    if T is not A and scale == "standard":
        T = T - T.mean(axis=0)
    if "column_weight" in keywords:
        T = A * np.sqrt(keywords["column_weight"])
    if not len(S):
        return (T**2).sum()
    B = A[:, S]
    rows = B.T @ T
    return (T**2).sum() - (rows * np.linalg.solve(B.T @ B + ridge * np.eye(len(S)), rows)).sum()


@pytest.mark.parametrize("ridge", [0.0, RIDGE])
@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize("name", ["table", "weighted table", "other", "structure", "kernel"])
@pytest.mark.parametrize("solver", ["gram", "factored"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_what_a_fit_reports(table, form, solver, name, scale, ridge):
    if name == "structure" and scale != "standard":
        pytest.skip("refused")
    keywords = target_of(name, table)
    est = GreedyCSS(K, solver=solver, scale=scale, ridge=ridge, candidates=np.arange(1, N))
    est.fit(form(table), **keywords)
    assert est.solver_ == solver
    assert est.target_ == name
    A, S = scaled(table, scale), est.ranking_[:K]
    assert 0 not in S
    assert sorted(est.path_) == list(range(1, K + 1))
    assert sorted(est.path_[K]) == sorted(S)
    assert sorted(est.ranking_) == list(range(N))
    if not isinstance(keywords.get("target"), str):
        tau = error(A, [], keywords, ridge, scale)
        assert est.error_path_[0] == pytest.approx(tau)
        for size, subset in est.path_.items():
            expected = error(A, subset, keywords, ridge, scale)
            assert est.error_path_[size] == pytest.approx(expected, abs=1e-9 * tau)
            assert est.svd_error_path_[size] <= est.error_path_[size] + 1e-9 * tau
    assert est.objective_ == est.error_path_[K]
    assert est.error_ratio_ >= 1
    G = A.T @ A
    coef = np.linalg.solve(G[np.ix_(S, S)] + ridge * np.eye(K), G[S])
    left = ((A - A[:, S] @ coef) ** 2).sum(axis=0)
    norm2 = np.diag(G)
    varies = norm2 > 0
    explained = 1 - left[varies] / norm2[varies]
    np.testing.assert_allclose(est.explained_by_[varies], explained, atol=1e-7)
    again = table[:, S] @ est.coef_.T + est.intercept_
    length = np.linalg.norm(table - table.mean(axis=0), axis=0) if scale == "standard" else 1.0
    offset = table.mean(axis=0) if scale == "standard" else 0.0
    np.testing.assert_allclose(again, A[:, S] @ coef * length + offset, atol=1e-6)


@pytest.mark.parametrize("name", ["table", "weighted table", "other", "structure"])
@pytest.mark.parametrize("solver", ["gram", "factored"])
def test_the_report_of_every_solver_and_target(table, solver, name):
    """Shares are of the table: of its own path where that was the target, else standardized."""
    est = IterFS(K, solver=solver, init="greedy", random_state=0)
    est.fit(table, **target_of(name, table))
    summary = selection_summary(est, table)
    A, S = scaled(table, "standard"), est.ranking_[:K]
    Q = np.linalg.qr(A[:, S])[0]
    share = (Q.T @ A) ** 2
    assert summary.explained == pytest.approx(share.sum() / (A**2).sum())
    assert summary.adds.sum() == pytest.approx(summary.explained)
    assert bool(summary.path) == (name == "table")
    page = selection_report(est, table).html
    assert f"{100 * summary.explained:.1f}" in page


def test_the_report_of_a_bound_that_is_not_known(monkeypatch):
    monkeypatch.setattr("sksieve.columns._factored.SVD_RTOL", 0.0)
    monkeypatch.setattr("sksieve.columns._factored.SVD_PASSES", 1)
    table = np.random.default_rng(0).normal(size=(150, 120))
    est = GreedyCSS(K, solver=Factored(20))
    with pytest.warns(ConvergenceWarning, match="error_ratio_ is NaN"):
        est.fit(table)
    summary = selection_summary(est, table)
    assert np.isnan(summary.best_possible)
    page = selection_report(est, table).html
    (sentence,) = re.findall("<p>(On the rows of the fit itself.*?)</p>", page)
    assert "PCA" not in sentence
    assert "nan" not in sentence
    assert "nan" not in re.sub(
        r"<[^>]*>", "", selection_report(est, table).html.split("<script")[0]
    )
