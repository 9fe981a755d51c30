"""The page of a comparison, and the page that puts papers' figures beside ours."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sksieve.cli._app import app
from sksieve.evaluation import (
    Store,
    parse_spec,
    read_papers,
    read_spec,
    reproduced,
    reproduction_page,
    result_table,
    results,
    run_spec,
)
from sksieve.exceptions import DataError

from ..report.pages import Page

ROOT = Path(__file__).parents[2]
OWN = "tests.evaluation.own_methods:"

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
[[printed]]
table = "Table 1"
dataset = "iris"
method = "lsdcl"
acc = 0.9
nmi = 0.8
[[printed]]
table = "Table 1"
dataset = "wine"
method = "lsdcl"
k = 2
acc = 0.7
nmi = 0.6
"""

PAPER = """
title = "A paper"
reference = "Somebody"
left_out = "Nothing else."
[[table]]
name = "Best of all"
printed = "Table 1"
what = "k-means"
why = "Because"
protocol = "oracle"
methods = ["lsdcl"]
scores = ["acc", "nmi"]
unit = 100
digits = 1
brackets = true
floors = ["random_rank", "all_columns", "Raises", "nobody"]
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ran")
    (folder / "tiny.toml").write_text(SPEC)
    (folder / "papers").mkdir()
    (folder / "papers" / "a.toml").write_text(PAPER)
    spec = read_spec(folder / "tiny.toml")
    with Store(folder / "store") as store:
        run_spec(spec, store)
        return folder, spec, results(spec, store)


def call(*words):
    done = CliRunner().invoke(app, ["bench", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_page_holds_tables_figures_statistics_and_failures(ran):
    folder, spec, frame = ran
    target = folder / "page.html"
    said = call("report", folder / "tiny.toml", "--store", folder / "store", "-o", target)
    html = target.read_text("utf-8")
    page = Page(html)  # refuses what is not balanced
    total = sum(1 for _ in spec.tasks())
    assert f"{total} of {total} cells" in said
    assert f"All {total} cells are done; 2 of them failed" in html
    assert page.headings == [
        "Please note",
        "Results",
        "Statistics",
        "Figures",
        "What failed, and why",
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
    assert "<script" not in html


def test_the_page_is_the_same_for_the_same_results(ran):
    folder = ran[0]
    pages = []
    for name in ("one.html", "two.html"):
        call("report", folder / "tiny.toml", "--store", folder / "store", "-o", folder / name)
        html = (folder / name).read_text("utf-8")
        pages.append(re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", html))
    assert pages[0] == pages[1]


def test_a_reproduction_is_what_labels_choose_the_defaults_and_the_floors(ran):
    folder, spec, frame = ran
    papers = read_papers(folder / "papers")
    found = reproduced(papers, [(spec, frame)])
    value = found.set_index(["dataset", "role", "score"])["value"]
    mine = frame[(frame["method"] == "lsdcl") & (frame["dataset"] == "iris")]
    means = mine.groupby("setting")["acc"].mean()
    assert value["iris", "printed", "acc"] == 0.9
    assert value["iris", "default", "acc"] == pytest.approx(means[""])
    assert value["iris", "oracle", "acc"] == pytest.approx(means.max())
    best = found.set_index(["dataset", "role", "score"])["best"]
    assert best["iris", "default", "acc"] == pytest.approx(
        mine[mine["setting"] == ""].groupby("k")["acc"].mean().max()
    )
    wine = frame[(frame["dataset"] == "wine") & (frame["method"] == "random_rank")]
    at_two = wine[wine["k"] == 2]
    assert value["wine", "random_rank", "nmi"] == pytest.approx(at_two["nmi"].mean())
    status = found.set_index(["dataset", "role", "score"])["status"]
    assert status["iris", "Raises", "acc"] == "failed"
    assert status["iris", "nobody", "acc"] == "not run"


def test_what_is_quoted_twice_is_shown_as_it_is_quoted_first(ran):
    folder, spec, frame = ran
    (folder / "other.toml").write_text(SPEC.replace("acc = 0.9", "acc = 0.25"))
    papers, other = read_papers(folder / "papers"), read_spec(folder / "other.toml")
    for quoting, expected in (([], 0.9), ([other], 0.25)):
        found = reproduced(papers, [(spec, frame)], quoting=quoting)
        value = found.set_index(["dataset", "role", "score"])["value"]
        assert value["iris", "printed", "acc"] == expected
        assert value["iris", "printed", "nmi"] == 0.8


def test_each_k_has_its_own_oracle_and_unfinished_points_are_told(ran):
    folder, spec, frame = ran
    text = PAPER.replace("brackets = true", 'oracle = "each k"')
    (folder / "each").mkdir(exist_ok=True)
    (folder / "each" / "a.toml").write_text(text)
    papers = read_papers(folder / "each")
    part = frame.copy()
    lost = (part["setting"] == "lam1=0.1, lam2=0.001") & (part["repeat"] == 1)
    assert lost.any()
    part.loc[lost, "status"] = "unfinished"
    found = reproduced(papers, [(spec, part)])
    mine = frame[(frame["method"] == "lsdcl") & (frame["dataset"] == "iris")]
    mine = mine[mine["setting"] != "lam1=0.1, lam2=0.001"]
    expected = mine.groupby(["setting", "k"])["acc"].mean().unstack("k").max().mean()
    row = found.set_index(["dataset", "role", "score"]).loc[("iris", "oracle", "acc")]
    assert row["value"] == pytest.approx(expected)
    assert row["tried"] == "4 of 5"
    assert "[4 of 5 settings]" in reproduction_page(papers, found)


@pytest.mark.parametrize(("lost", "said"), [("failed", "failed"), ("unfinished", "not run")])
def test_a_grid_without_a_usable_point_says_why(ran, lost, said):
    folder, spec, frame = ran
    part = frame.copy()
    part.loc[(part["method"] == "lsdcl") & (part["repeat"] == 1), "status"] = lost
    found = reproduced(read_papers(folder / "papers"), [(spec, part)])
    mine = found[found["role"].isin(["oracle", "default"])]
    assert set(mine["status"]) == {said}
    assert mine["value"].isna().all()


def test_of_figures_of_which_less_is_better_the_least_is_chosen_where_most_is_done(ran):
    folder, spec, frame = ran
    (folder / "less").mkdir(exist_ok=True)
    text = PAPER.replace('scores = ["acc", "nmi"]', 'scores = ["error_ratio"]')
    (folder / "less" / "a.toml").write_text(text)
    part = frame.assign(error_ratio=frame["acc"])
    undone = part.assign(status="unfinished")
    found = reproduced(read_papers(folder / "less"), [(spec, undone), (spec, part)])
    row = found.set_index(["dataset", "role"]).loc[("iris", "oracle")]
    mine = part[(part["method"] == "lsdcl") & (part["dataset"] == "iris")]
    means = mine.groupby(["setting", "k"])["error_ratio"].mean().unstack("k")
    least = means.loc[means.mean(axis=1).idxmin()]
    assert means.mean(axis=1).nunique() > 1
    assert row["value"] == pytest.approx(least.mean())
    assert row["best"] == pytest.approx(least.min())
    (folder / "less" / "a.toml").write_text(text.replace("brackets = true", 'oracle = "each k"'))
    found = reproduced(read_papers(folder / "less"), [(spec, part)])
    row = found.set_index(["dataset", "role"]).loc[("iris", "oracle")]
    assert row["value"] == pytest.approx(means.min(axis=0).mean())
    assert row["best"] == pytest.approx(means.min(axis=None))


def test_brackets_that_would_say_the_same_are_left_out(ran):
    folder = ran[0]
    papers = read_papers(folder / "papers")
    names = ["A paper", "Best of all", "iris", "lsdcl"]
    heads = ["paper", "table", "dataset", "method", "role", "score", "value", "best", "tried"]
    roles = ["printed", "oracle", "default", "random_rank", "all_columns", "Raises", "nobody"]
    rows = [
        [*names, role, score, 0.5, 0.5 + 1e-16 + 0.1 * (role == "default"), ""]
        for role in roles
        for score in ("acc", "nmi")
    ]
    page = reproduction_page(papers, pd.DataFrame(rows, columns=heads).assign(status="ok"))
    assert page.count("50.0/50.0") == len(roles)
    assert page.count("(60.0/60.0)") == 1
    assert "(50.0" not in page


def test_the_command_writes_page_and_figures_that_belong_together(ran):
    folder = ran[0]
    words = ["reproduction", folder / "tiny.toml", "--papers", folder / "papers"]
    words += ["--store", folder / "store", "-o", folder / "r.md", "--figures", folder / "r.csv"]
    call(*words)
    page = (folder / "r.md").read_text("utf-8")
    assert page == reproduction_page(read_papers(folder / "papers"), pd.read_csv(folder / "r.csv"))
    heads = "| data set | paper | ours (oracle) | ours (default) | random | all columns |"
    assert heads in page
    row = next(line for line in page.splitlines() if line.startswith("| iris |"))
    assert "| 90.0/80.0 |" in row
    assert "| failed | not run |" in row
    assert re.search(r"\| \d+\.\d/\d+\.\d \(\d+\.\d/\d+\.\d\) \|", row)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("protocol = ", "protocols = "), "no entry 'protocols'"),
        (('protocol = "oracle"', 'protocol = "best"'), "no protocol 'best'"),
        (('title = "A paper"', ""), "the entry 'title' is missing"),
        (("brackets = true", 'oracle = "luck"'), "oracle must be one of"),
        (("unit = 100", "unit ="), "a.toml"),
    ],
)
def test_a_wrong_paper_is_refused_in_a_sentence(tmp_path, change, said):
    (tmp_path / "a.toml").write_text(PAPER.replace(*change))
    with pytest.raises(DataError, match=said):
        read_papers(tmp_path)


def test_a_folder_without_papers_is_refused(tmp_path):
    with pytest.raises(DataError, match="no papers here"):
        read_papers(tmp_path)


def test_every_figure_that_the_grids_quote_is_shown_on_the_page():
    papers = read_papers(ROOT / "benchmarks" / "papers")
    specs = [read_spec(path) for path in sorted((ROOT / "benchmarks/grids").glob("*.toml"))]
    empty = pd.DataFrame(columns=["dataset", "method", "setting", "k", "status"])
    found = reproduced(papers, [(spec, empty) for spec in specs])
    shown = set(zip(found["dataset"], found["method"], found["score"]))
    quoted = {
        (printed.dataset, printed.method, score)
        for spec in specs
        for printed in spec.printed
        for score, _ in printed.figures
    }
    assert quoted
    assert quoted <= shown
    assert set(found.loc[found["role"] != "printed", "status"]) == {"not run"}


def test_the_committed_page_was_made_of_the_committed_figures():
    papers = read_papers(ROOT / "benchmarks" / "papers")
    figures = pd.read_csv(ROOT / "benchmarks" / "results" / "reproduction.csv")
    page = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
    assert page == reproduction_page(papers, figures)
    assert "do not edit" in page
    quoted = figures[figures["role"] == "printed"].set_index(["paper", "dataset", "method"])
    specs = [read_spec(path) for path in sorted((ROOT / "benchmarks/grids").rglob("*.toml"))]
    printed = {
        (p.dataset, p.method, score, value)
        for spec in specs
        for p in spec.printed
        for score, value in p.figures
    }
    for (_, dataset, method), row in quoted.iterrows():
        assert any(
            q[:3] == (dataset, method, row["score"]) and np.isclose(q[3], row["value"])
            for q in printed
        )


def test_statistics_are_printed_below_a_table(ran):
    folder = ran[0]
    words = ["table", folder / "tiny.toml", "--store", folder / "store", "--score", "acc"]
    said = call(*words, "--average", "--statistics", "--test", "wilcoxon")
    assert "Wilcoxon's signed-rank test, p >= 0.05" in said
    for part in ("Friedman chi2", "Nemenyi's test of all pairs", "| paired t | Wilcoxon |"):
        assert part in said
    for form in ("csv", "tex"):
        assert "mean rank" in call(*words, "--average", "--statistics", "--format", form)


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
