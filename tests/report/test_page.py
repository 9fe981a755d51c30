"""The report as a page: valid, self-contained, safe, accessible; sections only where data are."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.evaluation._half_samples import HalfSamples
from sksieve.metrics import HeldOut
from sksieve.report import SelectionResult
from sksieve.report._text import shortened

from .pages import NASTY, Page, greedy_result, low_rank, page_of, payload, result_for

COUNTS = (20, 18, 3, 0)
HISTORY = [
    {"n_iter": i + 1, "objective": 5 + 10 / (i + 1), "change": 0.1, "seconds": 0.01 * (i + 1)}
    for i in range(900)
]


class Scored:
    """A selector that offers scores and a ranking, nothing else."""

    def __init__(self, scores: np.ndarray, k: int) -> None:
        self.scores_ = scores
        self.ranking_ = np.argsort(-scores, kind="stable")
        self.n_features_to_select_ = k

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return "Scored()"


@pytest.fixture
def full(tmp_path: Path) -> str:
    """A report with every section."""
    X = low_rank()
    X[:, 3] = 1.5
    result = greedy_result(
        X,
        names=NASTY,
        X=X,
        notes=("Column <i>x</i> is constant.",),
        stability=HalfSamples(20, NASTY[:4], COUNTS, ["", "&amp;", NASTY[1], ""], "3 <b>are</b>"),
    )
    result.estimator.history_ = HISTORY
    result.estimator.stop_reason_ = "time_budget"
    return page_of(result, tmp_path)


def test_tags_are_balanced_and_ids_unique(full: str) -> None:
    page = Page(full)
    assert full.startswith("<!DOCTYPE html>")
    assert set(page.ids.values()) == {1}
    assert ("html", {"lang": "en"}) in page.tags


def test_references_lead_somewhere(full: str) -> None:
    page = Page(full)
    wanted = page.having("for") + page.having("aria-labelledby") + page.having("aria-controls")
    assert {"slider", "search"} <= set(wanted)
    assert [name for name in wanted if name not in page.ids] == []


def test_nothing_is_loaded_from_anywhere(full: str) -> None:
    page = Page(full)
    assert not re.search(r"https?:|//cdn|url\(|@import|<iframe|<img", full)
    assert page.having("src") == []
    assert page.having("href") == ["data:,", "#notes"]
    policy = next(a["content"] for t, a in page.tags if "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_policy_allows_this_script_and_no_other(full: str) -> None:
    script = full[full.rindex("<script>") + len("<script>") : full.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in full
    assert "on" not in {name[:2] for _, attrs in Page(full).tags for name in attrs}


def test_column_names_are_text(full: str) -> None:
    page = Page(full)
    scripts = [tag for tag, _ in page.tags if tag == "script"]
    assert len(scripts) == 3, "the data, those of the correlations, the script"
    assert "<script>alert(1)" not in full
    assert "<i>x</i>" not in full
    displayed = payload(full)["names"]
    replaced = {"a\x00b": "a\N{REPLACEMENT CHARACTER}b", "": "(no name)"}
    replaced["\ud800"] = "\N{REPLACEMENT CHARACTER}"
    assert displayed == [replaced.get(name, name) for name in NASTY]
    assert set(page.names) <= {*displayed, *map(shortened, displayed), "table.csv"}


def test_every_section_is_there(full: str) -> None:
    assert Page(full).headings == [
        "Share explained",
        "Chosen columns",
        "Please note",
        "Chosen again on half of the rows",
        "The rows in all columns and in the chosen ones",
        "Dropped columns and what explains them",
        "Correlations of chosen and dropped columns",
        "Redundancy of the chosen columns",
        "Convergence",
        "How to repeat",
    ]


def test_stability_names_stand_ins(full: str) -> None:
    section = full[full.index("stability-title") :].split("</section>")[0]
    assert [f"{n} of 20" in section for n in COUNTS] == [True] * 4
    assert "<bdi>&amp;amp;</bdi>" in section
    assert "3 &lt;b&gt;are&lt;/b&gt;" in section


def test_tables_and_charts_can_be_heard(full: str) -> None:
    page = Page(full)
    assert all(a.get("scope") in ("col", "row") for t, a in page.tags if t == "th")
    images = [a for _, a in page.tags if a.get("role") == "img"]
    assert len(images) == 5
    assert all(len(a["aria-label"] or "") > 60 for a in images)
    slider = next(a for t, a in page.tags if a.get("id") == "slider")
    assert slider["type"] == "range"
    assert next(a for _, a in page.tags if a.get("id") == "slider-says")["aria-live"] == "polite"
    regions = [a for _, a in page.tags if "scroll" in (a.get("class") or "").split()]
    assert regions
    assert all(a.get("tabindex") == "0" and a.get("role") == "group" for a in regions)


def test_headline_is_the_share_on_rows_not_used(tmp_path: Path) -> None:
    X = low_rank()
    result = greedy_result(X, scale="unit")
    html = page_of(result, tmp_path).replace("\N{NARROW NO-BREAK SPACE}", " ")
    judge = HeldOut(X)
    kept = judge.explained(result.estimator.ranking_[:4])
    components, random = judge.components(4)[-1], judge.random(4)[-1]
    assert (
        f"4 of 12 columns explain {100 * kept:.1f} % of the table on rows not used (PCA with 4 "
        f"components {100 * components:.1f} %, 4 random columns {100 * random:.1f} %)." in html
    )
    train = result.train
    assert f"columns explain {100 * train.explained:.1f} % of the squared norm" in html
    given = greedy_result(X, headline="As <i>reported</i>.", number=("4: why.",), proof="Proved.")
    html = page_of(given, tmp_path)
    assert '<p class="headline">As &lt;i&gt;reported&lt;/i&gt;.</p>' in html
    assert "<p>4: why.</p>" in html
    assert "<p>Proved.</p>" in html


def test_slider_has_every_size_of_the_path(tmp_path: Path) -> None:
    X = low_rank()
    result = greedy_result(X)
    data = payload(page_of(result, tmp_path))
    assert [step["k"] for step in data["steps"]] == list(range(1, 13))
    assert data["start"] == 3
    for step in data["steps"]:
        if step["k"] <= 4:
            assert step["columns"] == result.estimator.path_[step["k"]].tolist()
        assert step["columns"][:4] == result.estimator.path_[4].tolist()[: step["k"]]
        assert len(step["adds"]) == len(step["bars"]) == len(step["sums"]) == step["k"]
        assert len(step["reconstruction"]["columns"]) == 12 - step["k"]
        assert "explain" in step["text"]


def test_sections_without_data_are_left_out(tmp_path: Path) -> None:
    X = low_rank()
    page = Page(page_of(greedy_result(X, k=1), tmp_path))
    assert "Convergence" not in page.headings
    assert "Stability" not in page.headings
    assert "Redundancy of the chosen columns" not in page.headings
    constant = np.outer(np.arange(8.0), np.ones(3))  # one column explains the others
    assert "slider" not in Page(page_of(greedy_result(constant, k=1), tmp_path)).ids
    assert "Correlations of chosen and dropped columns" in page.headings
    everything = page_of(greedy_result(X, k=12), tmp_path)
    assert "Dropped columns and what explains them" not in Page(everything).headings


def test_any_selector_has_curve_slider_and_bars(tmp_path: Path) -> None:
    X = low_rank()
    est = Scored(np.linspace(0.1, 2.3, 12)[::-1].copy(), 3)
    html = page_of(result_for(est, X, command="", scale="none"), tmp_path)
    page = Page(html)
    assert page.headings == [
        "Share explained",
        "Chosen columns",
        "The rows in all columns and in the chosen ones",
        "Dropped columns and what explains them",
        "Correlations of chosen and dropped columns",
        "Redundancy of the chosen columns",
        "Scores",
        "How to repeat",
    ]
    assert "Command" not in page.texts["h3"]
    assert "slider" in page.ids
    steps = payload(html)["steps"]
    assert [step["columns"] for step in steps] == [list(range(k)) for k in range(1, 13)]


@pytest.mark.parametrize("scores", [None, np.r_[np.inf, np.linspace(1, 0, 11)]])
def test_scores_that_cannot_be_drawn(tmp_path: Path, scores: np.ndarray | None) -> None:
    X = low_rank()
    est = Scored(np.arange(12.0) if scores is None else scores, 2)
    if scores is None:
        del est.scores_
    assert "Scores" not in Page(page_of(result_for(est, X), tmp_path)).headings


def test_correlations_of_chosen_and_dropped_columns(tmp_path: Path) -> None:
    X = low_rank()
    html = page_of(greedy_result(X), tmp_path)
    start = html.index(">", html.index('id="cross-data"')) + 1
    cross = json.loads(html[start : html.index("</script>", start)])
    chosen = [int(name[1:]) for name in cross["chosen"]]
    dropped = [int(name[1:]) for name in cross["dropped"]]
    assert sorted(chosen + dropped) == list(range(12))
    expected = 100 * np.corrcoef(X.T)[np.ix_(chosen, dropped)]
    np.testing.assert_allclose(cross["r"], expected, atol=0.51)
    section = html[html.index('id="cross-map"') :].split("<script")[0]
    assert section.count("<i class=") == len(chosen) * len(dropped)


def test_compile_time_is_separate(tmp_path: Path) -> None:
    X = low_rank()
    html = page_of(greedy_result(X, compiling=2.5), tmp_path)
    assert "<dt>Time</dt><dd>250\u202fms</dd>" in html
    assert "<dt>Compiling, once</dt><dd>2.5\u202fs</dd>" in html
    assert "Compiling" not in page_of(greedy_result(X), tmp_path)


def test_how_to_repeat(full: str) -> None:
    text = re.sub(r"<[^>]+>", "", full)
    assert "sksieve select table.csv -k 4 --report table.html" in text
    assert "0123456789abcdef" * 4 in text
    assert "GreedyCSS(n_features_to_select=4)" in text
    for package in ("scikit-sieve", "numpy", "scipy", "scikit-learn", "numba", "python"):
        assert f'<th scope="row">{package}</th>' in full
    assert "stopped by its time limit" in text


def test_date_and_seed(tmp_path: Path) -> None:
    X = low_rank()
    result = greedy_result(X, created=datetime(2024, 2, 29, 12, 30, tzinfo=UTC), seed=7)
    html = page_of(result, tmp_path)
    assert "<td>2024-02-29 12:30 UTC</td>" in html
    assert '<th scope="row">Seed</th><td>7</td>' in html


def test_wide_tables_stay_small(tmp_path: Path) -> None:
    X = low_rank(n=40, d=1500)
    html = page_of(greedy_result(X, k=20), tmp_path)
    assert len(html) < 350_000
    data = payload(html)
    assert [s["reconstruction"] is None for s in data["steps"]] == [True] * 19 + [False]
    assert len(data["steps"][-1]["reconstruction"]["columns"]) == 1480
    assert "does not follow the slider" in html
    assert html.count("<tr>") < 80 + 20


def test_columns_that_a_chosen_one_represents(tmp_path: Path) -> None:
    X = low_rank()
    title = "Dropped columns that a chosen one represents"
    assert title not in page_of(greedy_result(X, X=X), tmp_path)
    noise = np.random.default_rng(0).normal(size=(60, 30))
    X = np.column_stack([X, X[:, [0]] + 0.01 * noise[:, :14], X[:, [1]] + 0.01 * noise[:, 14:]])
    html = page_of(greedy_result(X, X=X), tmp_path)
    assert title in Page(html).headings
    section = html[html.index('id="represented"') :].split("</section>")[0]
    assert "dropped columns have an absolute correlation of 0.9 or more" in section
    assert re.findall(r"and (\d+) more", section)  # of a dozen listed
    assert section.count("+1.00") >= 24


def test_csr_gives_the_same_page(tmp_path: Path) -> None:
    X = low_rank()
    dense, csr = (page_of(greedy_result(X, X=of), tmp_path) for of in (X, sp.csr_array(X)))
    heat = re.compile(r'<div class="heat.*?</div>', re.S)
    assert heat.search(dense)[0] == heat.search(csr)[0]
    assert payload(dense) == payload(csr)


def test_one_name_for_each_column() -> None:
    X = low_rank()
    with pytest.raises(ValueError, match="feature_names has 2 names"):
        greedy_result(X, names=["a", "b"])


def test_result_does_not_print_the_table() -> None:
    X = low_rank()
    assert "X=" not in repr(greedy_result(X, X=X))
    assert isinstance(greedy_result(X), SelectionResult)
