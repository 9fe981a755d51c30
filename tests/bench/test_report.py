"""The page of a comparison."""

from __future__ import annotations

import io
import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from sksieve.bench import (
    Store,
    parse_spec,
    read_spec,
    result_table,
    results,
    run_spec,
)
from sksieve.cli._app import app

from ..report.pages import Page

OWN = "tests.bench.own_methods:"

SPEC = f"""
protocol = "oracle"
datasets = ["iris", "wine"]
scale = "standard"
k = [1, 2]
repeats = 3
[[method]]
name = "all_columns"
[[method]]
name = "random_rank"
[[method]]
name = "lapscore"
[[method]]
name = "{OWN}Raises"
[[method]]
name = "lsdcl"
[method.grid]
lam1 = [0.1, 1.0]
lam2 = [1e-4, 1e-3]
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ran")
    (folder / "tiny.toml").write_text(SPEC)
    spec = read_spec(folder / "tiny.toml")
    with Store(folder / "store") as store:
        run_spec(spec, store)
        return folder, spec, results(spec, store)


def call(*words):
    done = CliRunner().invoke(app, ["bench", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


def built(folder, target):
    """What the command says, and the page without the date."""
    message = call("report", folder / "tiny.toml", "--store", folder / "store", "-o", target)
    return message, re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", target.read_text("utf-8"))


@pytest.fixture(scope="module")
def first(ran):
    return built(ran[0], ran[0] / "page.html")


def test_the_page_holds_tables_figures_statistics_and_failures(ran, first):
    _, spec, frame = ran
    message, html = first
    page = Page(html)  # refuses what is not balanced
    total = sum(1 for _ in spec.tasks())
    assert f"{total} of {total} cells" in message
    assert f"All {total} cells are done; 2 of them failed" in html
    assert page.headings == [
        "Please note",
        "Results",
        "Statistics",
        "Figures",
        "What failed and why",
        "How to repeat",
    ]
    made = result_table(frame, spec.rules, score="acc", average=True)
    for value in made.mean.stack().dropna():
        assert f"{value:.4f}" in html
    assert "lsdcl (default)" in html
    assert "lsdcl (oracle)" in html
    assert "TRUE LABELS" in html
    assert "RuntimeError: no answer today" in html
    assert "Friedman" in html
    images = [a["src"] for tag, a in page.tags if tag == "img"]
    assert len(images) >= 6
    for title in ("acc against k", "spread of acc", "lsdcl, lam1 and lam2"):
        assert f"wine: {title}" in html
    assert all(src.startswith("data:image/svg+xml;base64,") for src in images)
    alone = re.sub(r"data:[^\"']*", "", html)
    assert not re.findall(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//", alone)
    assert html.count("<script") == 1


def test_the_page_is_the_same_for_the_same_results(ran, first, tmp_path):
    assert built(ran[0], tmp_path / "again.html")[1] == first[1]


def test_statistics_are_printed_below_a_table(ran):
    folder = ran[0]
    words = ["table", folder / "tiny.toml", "--store", folder / "store", "--score", "acc"]
    message = call(*words, "--average", "--statistics", "--test", "wilcoxon")
    assert "No test: a single fit of each method gives no pairs." in message
    for part in ("Friedman chi2", "Nemenyi's test of all pairs", "| paired t | Wilcoxon |"):
        assert part in message
    assert "mean rank" in call(*words, "--average", "--statistics", "--format", "tex")


def test_the_csv_of_all_scores_is_one_table_that_names_them(ran):
    folder = ran[0]
    words = ["table", folder / "tiny.toml", "--store", folder / "store", "--format", "csv"]
    for more in ([], ["--statistics", "--average"]):
        table = pd.read_csv(io.StringIO(call(*words, *more)))
        assert set(table["score"]) == {"acc", "nmi"}
        assert len(set(table["method"].dropna())) >= 5
    assert {"mean rank", "Nemenyi p", "mean", "std"} <= set(table["quantity"])


def test_specs_with_one_k_and_no_classes_have_a_page_too(tmp_path):
    spec = 'protocol = "css"\ndatasets = ["iris"]\nk = [2]\n[[method]]\nname = "greedy"\n'
    (tmp_path / "s.toml").write_text(spec)
    with Store(tmp_path / "store") as store:
        run_spec(parse_spec({"protocol": "css", "datasets": ["iris"], "k": [2],
                             "method": [{"name": "greedy"}]}), store)  # fmt: skip
    call("report", tmp_path / "s.toml", "--store", tmp_path / "store", "-o", tmp_path / "p.html")
    html = (tmp_path / "p.html").read_text("utf-8")
    assert "Nothing." in html
    assert "needs 3 methods and 2 complete rows" in html
