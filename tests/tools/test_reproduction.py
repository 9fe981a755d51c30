"""The page that puts every printed number of the papers beside ours."""

from __future__ import annotations

import csv
import importlib.util
import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from sksieve.bench import PROTOCOLS, Store, parse_spec, run_spec
from sksieve.exceptions import DataError

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "benchmarks" / "papers"


def _tool():
    spec = importlib.util.spec_from_file_location("reproduction", ROOT / "tools/reproduction.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["reproduction"] = module
    spec.loader.exec_module(module)
    return module


tool = _tool()
ALL = tool.read_papers()


def printed(name):
    with (PAPERS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("paper", ALL, ids=lambda paper: paper.title)
def test_every_printed_cell_is_shown_or_listed_with_a_reason(paper):
    cells = tool.cells(paper)
    rows = [row for table in paper.tables for row in printed(table.csv)]
    assert len(cells) == len(rows) > 0
    for cell, row in zip(cells, rows, strict=True):
        assert cell.printed == row["value"]
        assert (cell.dataset, cell.setting) == (row["dataset"], row["setting"])
        assert cell.status in ("shown", "not run", "failed", "not available", "derived")
        assert bool(cell.reason) == (cell.status in ("not available", "derived"))
        assert math.isfinite(cell.ours) == (cell.status == "shown")


def test_every_table_file_belongs_to_a_table():
    used = [table.csv for paper in ALL for table in paper.tables]
    assert sorted(used) == sorted(path.name for path in PAPERS.glob("*_table_*.csv"))


@pytest.mark.parametrize("paper", ALL, ids=lambda paper: paper.title)
def test_the_committed_page_has_every_digit_as_printed(paper):
    text = (tool.PAGES / paper.file).read_text(encoding="utf-8")
    for table in paper.tables:
        part = text.partition(f"\n## {table.name}\n")[2].partition("\n## ")[0]
        rows = printed(table.csv)
        assert part.count("**") >= 2 * len(rows)
        for value in {row["value"] for row in rows}:
            assert part.count(f"**{value}**") == sum(row["value"] == value for row in rows)


def test_the_committed_pages_are_up_to_date():
    pages = tool.pages(ALL)
    assert {path.name for path in tool.PAGES.glob("*.md")} == set(pages)
    for name, text in pages.items():
        assert (tool.PAGES / name).read_text(encoding="utf-8") == text, name


def test_every_paper_has_a_summary_of_at_most_ten_sentences_and_the_index_repeats_it():
    index = tool.pages(ALL)["index.md"]
    for paper in ALL:
        assert 3 <= len(paper.summary) <= 10, paper.title
        assert all(f"\n* {sentence}\n" in index for sentence in paper.summary)


def write_paper(folder, **table):
    given = {"name": "Table 1", "csv": "t.csv", "what": "ACC", "runs": ["own"], **table}
    lines = [f"{key} = {json.dumps(value)}" for key, value in given.items()]
    text = 'title = "P"\nreference = "R"\nsummary = ["S"]\n'
    text += '[datasets]\nIris = "iris"\n[methods]\nLS = "lapscore"\n'
    text += 'Other = "mcfs"\n[unavailable]\nGone = "it is lost"\n[[table]]\n' + "\n".join(lines)
    text += '\nscores = { acc = "acc" }\nunit = 100\nderived = { Average = "a mean" }\n'
    (folder / "p.toml").write_text(text, encoding="utf-8")
    heads = "paper,table,dataset,setting,method,metric,value,std,note\n"
    rows = [
        "P,1,Iris,k=2,LS,acc,61.70,4.12,",
        "P,1,Iris,k=2,Other,acc,50.0,,DOUBTFUL: so it is printed",
        "P,1,Gone,k=2,LS,acc,10.00,,",
        "P,1,Average,,LS,acc,35.85,,",
    ]
    (folder / "t.csv").write_text(heads + "\n".join(rows) + "\n", encoding="utf-8")
    return tool.read_papers(folder)


SPEC = {
    "protocol": "oracle",
    "datasets": ["iris"],
    "k": [1, 2],
    "repeats": 3,
    "method": [{"name": "lapscore", "grid": {"n_neighbors": [3, 9]}}],
}


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    spec = parse_spec(SPEC)
    with Store(folder / "store") as store:
        run_spec(spec, store)
        return tool.summarize(spec, store)


def test_a_summary_has_means_over_fits_for_each_reading(summary):
    acc = summary[(summary["role"] == "default") & (summary["score"] == "acc")].set_index("k")
    assert set(acc.index) == {"mean", "best", "1", "2"}
    assert acc.loc["mean", "value"] == pytest.approx(acc.loc[["1", "2"], "value"].mean())
    assert acc.loc["best", "value"] == acc.loc[["1", "2"], "value"].max()
    tuned = summary[(summary["role"] == "tuned") & (summary["k"] == "mean")].set_index("score")
    assert tuned.loc["acc", "tried"] == "3 of 3"
    assert tuned.loc["acc", "value"] >= acc.loc["mean", "value"]


def test_cells_and_page_of_a_small_paper(tmp_path, summary):
    (paper,) = write_paper(tmp_path, k="{k}", also="best")
    paper.tables[0].beside["own column"] = "lapscore"
    summary.to_csv(tmp_path / "own.csv", index=False)
    cells = tool.cells(paper, tmp_path, tmp_path)
    assert [cell.status for cell in cells] == ["shown", "not run", "not available", "derived"]
    wanted = summary.set_index(["role", "k", "score"]).loc[("default", "2", "acc"), "value"]
    assert cells[0].ours == pytest.approx(100 * wanted)
    page = tool.pages([paper], tmp_path, tmp_path)["p.md"]
    assert f"**61.70** ± 4.12 (2)<br>{100 * wanted:.2f}" in page
    assert "**50.0*** (2)" not in page
    assert "| | LS | Other | own column |" in page
    row = next(line for line in page.splitlines() if line.startswith("| Iris"))
    assert row.split("|")[4].strip().startswith(f"{100 * wanted:.2f}")
    assert "**50.0** (2)*<br>not run" in page
    assert "n/a: Gone: it is lost." in page
    assert "Marked *, as the printed number is doubtful: so it is printed." in page


def test_the_time_of_the_setting_that_labels_choose_is_not_shown(tmp_path, summary):
    summary.to_csv(tmp_path / "own.csv", index=False)
    for score, is_tuned in (("acc", True), ("cpu", False)):
        (paper,) = write_paper(tmp_path)
        paper.tables[0].scores["acc"] = score
        cell = tool.cells(paper, tmp_path, tmp_path)[0]
        assert (cell.status, math.isfinite(cell.tuned)) == ("shown", is_tuned)


def write_tested(folder, missing=""):
    """A paper with p-values and an average, and a run with three methods on two data sets."""
    methods = {"all_columns": (0.9, 0.9, 0.9), "a": (0.2, 0.4, 0.6), "b": (0.1, 0.4, 0.4)}
    rows = [
        (dataset, method, "default", k, "acc", value + shift, "", 1, "", "ok")
        for dataset, shift in (("iris", 0.0), ("wine", 0.1))
        for method, of_sizes in methods.items()
        for k, value in zip(("5", "10", "15", "mean"), (*of_sizes, sum(of_sizes) / 3))
        if (dataset, method) != ("wine", missing)
    ]
    pd.DataFrame(rows, columns=tool.HEADS).to_csv(folder / "own.csv", index=False)
    names = {"All": "all_columns", "A": "a", "B": "b"}
    scores = {"scores": {"acc": "acc"}, "average": "Mean", "tests": {"p": "acc"}}
    table = tool.PaperTable("Table 1", "t.csv", "ACC", ["own"], **scores)
    paper = tool.Paper("P", "R", ["S"], (table,), {"Iris": "iris", "Wine": "wine"}, names)
    lines = ["dataset,setting,method,metric,value,std,note"]
    lines += [f"{d},,{m},acc,.50,," for d in ("Iris", "Mean", "Wine") for m in names]
    lines += [f"{d},,{m},p,.05,," for d in paper.datasets for m in "AB"]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    of_cells = tool.cells(paper, folder, folder)
    return paper, {(c.dataset, c.method, c.metric): c for c in of_cells}


def test_averages_and_p_values_are_computed_from_the_cells_of_ours(tmp_path):
    paper, cells = write_tested(tmp_path)
    assert {cell.status for cell in cells.values()} == {"shown"}
    assert cells["Mean", "A", "acc"].ours == pytest.approx(0.45)
    assert cells["Mean", "B", "acc"].ours == pytest.approx(0.35)
    # differences .1, 0, .2: t = sqrt(3) of two degrees, 1 - t / sqrt(t^2 + 2)
    assert cells["Wine", "B", "p"].ours == pytest.approx(1 - math.sqrt(3 / 5))
    assert cells["Wine", "A", "p"].ours == 1
    index = tool.pages([paper], tmp_path, tmp_path)["index.md"]
    assert "| P | 13 | 13 | 0 | 0 | 0 | 0 |" in index
    assert "2 of 2 data sets are shown; the one with the most cells is Iris, 5 of 10." in index


def test_neither_average_nor_p_value_without_all_of_their_cells(tmp_path):
    _, cells = write_tested(tmp_path, missing="b")
    without = {names for names, cell in cells.items() if cell.status == "not run"}
    wine = {("Wine", "B", "acc"), ("Wine", "A", "p"), ("Wine", "B", "p")}
    assert without == {("Mean", "B", "acc"), *wine}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = 1", "the entry 'reference' is missing"),
        ('title = "P"\ncolor = 1', "no entry 'color'"),
        ("title =", "Invalid value"),
    ],
)
def test_a_wrong_paper_is_refused_in_a_sentence(tmp_path, text, message):
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        tool.read_papers(tmp_path)


def test_no_paper_is_refused(tmp_path):
    with pytest.raises(DataError, match="no papers here"):
        tool.read_papers(tmp_path)


def test_heads_of_a_summary(summary):
    assert list(summary.columns) == tool.HEADS
    assert isinstance(summary, pd.DataFrame)


def test_one_number_from_two_runs_is_refused(tmp_path, summary):
    (paper,) = write_paper(tmp_path, runs=["own", "other"])
    for run in ("own", "other"):
        summary.to_csv(tmp_path / f"{run}.csv", index=False)
    with pytest.raises(DataError, match="another run has iris, lapscore"):
        tool.cells(paper, tmp_path, tmp_path)


def test_a_split_is_tuned_on_its_training_part_for_each_draw_and_k():
    frame = pd.DataFrame(
        {
            "setting": ["a", "b", "a", "b"],
            "repetition": [0, 0, 1, 1],
            "k": [5, 5, 5, 5],
            "train_acc": [0.9, 0.8, 0.3, 0.4],
            "acc": [0.1, 0.9, 0.8, 0.2],
        }
    )
    rules = PROTOCOLS["lsdcl-cv"]
    assert list(tool._tuned(frame, rules).sort_values("repetition")["acc"]) == [0.1, 0.2]
    assert set(tool._tuned(frame, PROTOCOLS["lsdcl"])["setting"]) == {"b"}


def test_a_history_is_one_fit_the_one_for_the_most_columns(tmp_path):
    method = {"name": "blufs", "grid": {"alpha": [0.1]}}
    spec = parse_spec({**SPEC, "datasets": ["wine"], "k": [2, 5], "method": [method]})
    with Store(tmp_path / "store") as store:
        run_spec(spec, store)
        drawn = tool.histories(spec, store, ["blufs"])
        (cell,) = (
            task.cell for task in spec.tasks()
            if not task.setting and dict(task.cell.parameters)["n_features_to_select"] == 5
        )  # fmt: skip
        assert list(drawn["objective"]) == [r["objective"] for r in store.fit(cell).history]
    assert list(drawn["n_iter"]) == list(range(1, len(drawn) + 1))


def test_rows_of_an_earlier_run_stay_until_the_new_one_is_done():
    def rows(*given):
        frame = pd.DataFrame(given, columns=["dataset", "method", "value", "status"])
        return frame.reindex(columns=tool.HEADS)

    new = rows(("iris", "a", 1.0, "ok"), ("iris", "b", None, "not run"))
    old = rows(("iris", "a", 5.0, "ok"), ("iris", "b", 6.0, "ok"), ("wine", "b", 7.0, "ok"))
    both = tool.merged(new, old)
    assert dict(zip(both["method"], both["value"])) == {"a": 1.0, "b": 6.0}
    assert len(both) == 2


def test_a_figure_is_drawn_from_its_numbers_or_the_page_says_why_not(tmp_path, summary):
    (paper,) = write_paper(tmp_path)
    summary.to_csv(tmp_path / "own.csv", index=False)
    figures = [
        tool.PaperFigure("Figure 1", "Accuracy", "sizes", ["own"]),
        tool.PaperFigure("Figure 2", "Neighbors", "settings", ["own"], parameters=["n_neighbors"]),
        tool.PaperFigure("Figure 5", "By labels", "sizes", ["own"], role="tuned"),
        tool.PaperFigure("Figure 3", "Lost", without="it is lost"),
        tool.PaperFigure("Figure 4", "Later", "history", ["own"]),
    ]
    paper = replace(paper, figures=tuple(figures))
    tool.draw([paper], tmp_path / "pictures", tmp_path)
    assert {path.name for path in (tmp_path / "pictures").iterdir()} == {
        "p_figure_1_acc.svg",
        "p_figure_2_acc.svg",
        "p_figure_5_acc.svg",
    }
    for figure, role in ((figures[0], "default"), (figures[2], "tuned")):
        drawn = tool._numbers(figure, tmp_path)
        assert set(drawn["role"]) == {role}
        assert list(drawn["k"]) == ["1", "2"]
    assert set(tool._numbers(figures[1], tmp_path)["n_neighbors"]) == {"3", "9"}
    with_default = replace(figures[1], defaults={"n_neighbors": 5})
    assert set(tool._numbers(with_default, tmp_path)["n_neighbors"]) == {"3", 5, "9"}
    page = tool.pages([paper], tmp_path, tmp_path)["p.md"]
    assert "(../img/reproduction/p_figure_1_acc.svg)" in page
    assert "Figure 3: Lost. Not drawn: it is lost." in page
    assert "Figure 4: Later. Not drawn: not run yet." in page


def test_noise_over_a_parameter_does_not_fill_the_picture(tmp_path):
    rows = [
        (dataset, "a", role, "mean", "acc", value, "", 1, "", "ok")
        for dataset in ("iris", "wine")
        for role, value in (("alpha=0.1", 0.5), ("alpha=10.0", 0.501))
    ]
    pd.DataFrame(rows, columns=tool.HEADS).to_csv(tmp_path / "own.csv", index=False)
    figure = tool.PaperFigure("Figure 1", "ACC", "settings", ["own"], parameters=["alpha"])
    drawn = tool._draw_settings(replace(figure, datasets=["wine", "iris"]), tmp_path)
    panels = [ax for ax in drawn.axes if ax.get_title()]
    assert [ax.get_title() for ax in panels] == ["wine", "iris"]
    for ax in panels:
        low, high = ax.get_ylim()
        assert (high - low, (low + high) / 2) == pytest.approx((0.1, 0.5005))


@pytest.mark.parametrize("paper", ALL, ids=[paper.title for paper in ALL])
def test_every_picture_of_the_page_is_there(paper):
    for figure in paper.figures:
        drawn = (ROOT / "docs" / "img" / "reproduction" / figure.file(paper)).exists()
        assert drawn != bool(tool.why_not_drawn(figure)), figure.name


def test_histories_of_an_earlier_run_stay_where_a_later_one_has_none():
    rows = [("iris", "blufs", 1, 2.0), ("wine", "blufs", 1, 3.0)]
    earlier = pd.DataFrame(rows, columns=["dataset", "method", "n_iter", "objective"])
    later = pd.DataFrame([("wine", "blufs", 1, 5.0)], columns=earlier.columns)
    joined = tool.followed(earlier, later)
    assert dict(zip(joined["dataset"], joined["objective"])) == {"iris": 2.0, "wine": 5.0}
