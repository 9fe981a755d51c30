"""Shares that chosen columns explain: the same in terminal, JSON and page."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from sksieve import GreedyCSS, MixedColumns, TwoStageCSS
from sksieve._wording import percent
from sksieve.evaluation import selection_summary
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


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scaling", [None, 3.0])
def test_other_selectors_are_judged_on_the_standardized_table(sparse, scaling):
    """The same numbers as a column subset method on that table, however the data were scaled."""
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
    np.testing.assert_allclose(ours.random_path, theirs.random_path[:3], rtol=1e-9)


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


def test_the_random_baseline_lies_below_the_best_possible():
    X = low_rank()
    summary = selection_summary(GreedyCSS(4, scale="standard").fit(X))
    assert summary.random == summary.random_path[3]
    assert 0 < summary.random < summary.explained < summary.best_possible
    assert np.all(np.diff(summary.random_path) >= 0)
    # a random order explains what least squares says
    shares = []
    A = StandardScaler().fit_transform(X)
    rng = np.random.RandomState(0)
    for _ in range(10):
        S = A[:, rng.permutation(X.shape[1])[:4]]
        residual = A - S @ np.linalg.lstsq(S, A)[0]
        shares.append(1 - np.sum(residual**2) / np.sum(A**2))
    assert summary.random == pytest.approx(np.mean(shares), rel=1e-9)


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
    error = document["error"]
    explained = percent(error["explained"])
    lost = [percent(1 - error[name]) for name in ("explained", "best_possible", "random")]
    kind = "the variance" if error["scale"] == "standard" else "the squared norm"
    sentence = (
        f"4 columns of 12 explain {explained} of {kind} and lose {lost[0]}. "
        f"{'PCA' if kind == 'the variance' else 'The SVD'} with 4 components would lose {lost[1]}, "
        f"4 random columns {lost[2]} (mean of 10 draws)."
    )
    assert sentence in terminal.stdout
    headline = re.search(r'<p class="headline">(.*?)</p>', html, re.S)[1]
    assert headline.startswith(sentence)
    together = [percent(column["explained"]) for column in document["chosen"]]
    step = payload(html)["steps"][payload(html)["start"]]
    assert [text.replace("\N{NARROW NO-BREAK SPACE}", " ") for text in step["sums"]] == together
    rows = [line for line in terminal.stdout.splitlines() if re.match(r"\s*\d+\s+x\d+\s", line)]
    assert [line.split()[1] for line in rows] == [column["name"] for column in document["chosen"]]
    for line, column in zip(rows, document["chosen"], strict=True):
        displayed = re.findall(r"(\S+ %)", line)
        assert displayed == [percent(column[name]) for name in ("adds", "explained", "unique")]
