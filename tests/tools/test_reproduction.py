"""The page that puts the papers' printed numbers beside ours."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sksieve.bench import Store, read_spec, results, run_spec
from sksieve.exceptions import DataError

ROOT = Path(__file__).parents[2]
OWN = "tests.bench.own_methods:"


def _tool():
    place = ROOT / "tools" / "reproduction.py"
    spec = importlib.util.spec_from_file_location("reproduction", place)
    module = importlib.util.module_from_spec(spec)
    sys.modules["reproduction"] = module
    spec.loader.exec_module(module)
    return module


tool = _tool()
read_papers, reproduced = tool.read_papers, tool.reproduced
reproduction_page = tool.reproduction_page

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
    words = [folder / "tiny.toml", "--papers", folder / "papers", "--store", folder / "store"]
    words += ["-o", folder / "r.md", "--figures", folder / "r.csv"]
    assert tool.main([str(word) for word in words]) == 0
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


def test_the_command_without_a_store_says_so_in_a_sentence(tmp_path, capsys):
    (tmp_path / "tiny.toml").write_text(SPEC)
    words = [str(tmp_path / "tiny.toml"), "--store", str(tmp_path / "nowhere")]
    assert tool.main([*words, "-o", str(tmp_path / "r.md")]) == 1
    assert "nowhere: there is no store here" in capsys.readouterr().err
    assert not (tmp_path / "r.md").exists()
