"""Shares that chosen columns explain: the same in terminal, JSON and page."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from sksieve import GreedyCSS, MixedColumns, TwoStageCSS
from sksieve._wording import percent
from sksieve.evaluation import _summary, selection_summary
from sksieve.metrics import error_ratio, reconstruction_error

from ..report.pages import low_rank, payload


@pytest.mark.parametrize("scale", ["unit", "standard", "none"])
@pytest.mark.parametrize("method", [GreedyCSS, TwoStageCSS])
def test_column_subset_methods(scale, method):
    X = low_rank() + 1.0
    summary = selection_summary(method(3, scale=scale).fit(X))
    error = reconstruction_error(X, summary.chosen, scale=scale)
    assert summary.error == pytest.approx(error, rel=1e-9)
    assert summary.explained == pytest.approx(summary.adds.sum(), rel=1e-9)
    assert summary.together[-1] == summary.explained
    assert summary.scale == scale
    assert [point.k for point in summary.path][-1] == 3


@pytest.mark.parametrize("written", [0, 5000])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scaling", [None, 3.0])
def test_other_selectors_are_judged_on_the_standardized_table(
    sparse, scaling, written, monkeypatch
):
    """The same numbers as a column subset method on that table, however the data were scaled."""
    monkeypatch.setattr(_summary, "WRITTEN", written)
    values = np.maximum(low_rank() + 0.5, 0.0)
    theirs = selection_summary(GreedyCSS(3, scale="standard").fit(values))
    est = SimpleNamespace(ranking_=theirs.chosen, n_features_to_select_=3)
    given = values if scaling is None else scaling * values
    ours = selection_summary(est, sp.csr_array(given) if sparse else given)
    assert ours.path == ()
    assert ours.scale == "standard"
    for name in ("explained", "ratio", "best_possible"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-7)
    np.testing.assert_allclose(ours.adds, theirs.adds, rtol=1e-9)
    np.testing.assert_allclose(ours.unique, theirs.unique, rtol=1e-7)


def test_variables_that_take_several_columns():
    rng = np.random.RandomState(0)
    kind = np.eye(3)[rng.randint(3, size=60)]
    X, groups = np.column_stack([rng.randn(60), kind, rng.randn(60)]), ["a", "k", "k", "k", "b"]
    variables = selection_summary(MixedColumns(2, groups=groups).fit(X), X).variables
    assert variables.sizes == [groups.count(name) for name in variables.names]
    assert len(variables.names) == 2
    assert 0 < variables.random < variables.adds.sum() < 1
    plain = selection_summary(MixedColumns(2).fit(X), X).variables
    assert plain.sizes == [1, 1]
    assert selection_summary(GreedyCSS(2).fit(X), X).variables is None


def test_the_best_possible_is_that_of_the_singular_values():
    X = low_rank()
    summary = selection_summary(GreedyCSS(4, scale="standard").fit(X))
    s2 = np.linalg.svd(StandardScaler().fit_transform(X), compute_uv=False) ** 2
    assert summary.best_possible == pytest.approx(s2[:4].sum() / s2.sum(), rel=1e-9)
    assert summary.ratio == pytest.approx(
        error_ratio(X, summary.chosen, scale="standard"), rel=1e-9
    )


@pytest.mark.parametrize("written", [0, 5000])
@pytest.mark.parametrize("shape", [(40, 25), (25, 40)])
def test_the_bound_is_computed_when_it_is_read(shape, written, monkeypatch):
    monkeypatch.setattr(_summary, "WRITTEN", written)
    X = np.random.default_rng(0).standard_normal(shape)
    est = SimpleNamespace(ranking_=np.arange(shape[1]), n_features_to_select_=6)
    summary = selection_summary(est, X)
    assert "least" not in vars(summary)
    assert summary.ratio == pytest.approx(error_ratio(X, np.arange(6)), rel=1e-9)
    assert summary.least == vars(summary)["least"]
    est.n_features_to_select_ = min(shape) if shape[0] > shape[1] else 24  # the rank
    whole = selection_summary(est, X)
    assert whole.least == 0.0
    assert (whole.ratio, whole.best_possible) == (1.0, 1.0)


def test_a_method_without_inner_products_needs_the_table():
    est = SimpleNamespace(ranking_=np.arange(4), n_features_to_select_=2)
    with pytest.raises(ValueError, match="X must be given"):
        selection_summary(est)


@pytest.mark.parametrize(
    ("method", "scale"),
    [
        ("local_search", "auto"),
        ("greedy", "unit"),
        ("greedy", "minmax"),
        ("two_stage", "none"),
        ("variance", "auto"),
        ("variance", "minmax"),
        ("lapscore", "standard"),
        ("mcfs", "none"),
        ("random", "auto"),
    ],
)
def test_terminal_json_and_page_show_the_same_numbers(tmp_path, method, scale):
    """One table with columns of very different variance, on which two accounts differ."""
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from sksieve.cli._app import app

    X = low_rank() * np.geomspace(1, 1e4, 12) + 3.0
    np.savez(tmp_path / "a.npz", X=X)
    words = ["select", str(tmp_path / "a.npz"), "-k", "4", "--method", method, "--scale", scale]
    page = tmp_path / "a.html"
    terminal = CliRunner().invoke(app, [*words, "--report", str(page)])
    assert terminal.exit_code == 0, terminal.output
    document = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    html = page.read_text("utf-8").replace("\N{NARROW NO-BREAK SPACE}", " ")
    shares = {name: percent(share) for name, share in document["explained"].items()}
    sentence = (
        f"4 of 12 columns explain {shares['chosen']} of the table on rows not used (PCA with 4 "
        f"components {shares['components']}, 4 random columns {shares['random']})."
    )
    assert sentence in terminal.stdout
    assert f'<p class="headline">{sentence}</p>' in html
    together = [percent(column["explained"]) for column in document["chosen"]]
    data = payload(html)
    step = data["steps"][data["start"]]
    assert step["text"].replace("\N{NARROW NO-BREAK SPACE}", " ") == sentence
    assert [text.replace("\N{NARROW NO-BREAK SPACE}", " ") for text in step["sums"]] == together
