"""The pages of the leaderboards say what their committed results say."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import leaderboard_pages as pages
from sksieve.bench import USES, read_summary, standings, write_summary
from sksieve.catalogue import METHODS

SETS = ["iris", "wine", "sonar(max_columns=20)", "zoo", "heart", "glass", "ecoli", "digits"]
SELECTORS = {"random columns": 0.0, "greedy": 0.1, "mcfs (c by eigengap)": -0.1, "exact": 0.05}
SCORES = [name for names in USES.values() for name in names]
COST = {"seconds": 0.1, "cpu": 0.2, "memory": 1e6, "environment": "numpy 2"}


def selection_frame() -> pd.DataFrame:
    """Greedy above random columns everywhere, mcfs below, exact mostly over its budget."""
    rng = np.random.RandomState(0)
    rows = []
    for dataset in SETS:
        level = rng.uniform(0.4, 0.6)
        for method, gain in [*SELECTORS.items(), ("all_columns", 0.3)]:
            for k in (2, 5):
                over = method == "exact" and (k == 5 or dataset in {"iris", "wine"})
                score = np.nan if over else level + gain * rng.uniform(0.8, 1.2)
                rows.append({
                    "dataset": dataset, "method": method, "k": k, "repetition": 0,
                    "status": "failed" if over else "ok", "cause": "over budget" if over else "",
                    "version": "1", **COST,
                    **dict.fromkeys(SCORES, score),
                    "redundancy": 0.5,
                })  # fmt: skip
    return pd.DataFrame(rows)


def clustering_frame() -> pd.DataFrame:
    rows = [
        {"dataset": dataset, "method": method, "k": 0, "repetition": 0, "status": "ok",
         "cause": "", "version": "1", **COST, "acc": level + 0.01 * i, "nmi": level,
         "ari": level, "modularity": 0.3}
        for i, dataset in enumerate([*SETS, "graph_karate", "graph_football"])
        for method, level in (("kmeans", 0.5), ("spectral", 0.6), ("louvain", 0.55))
        if method != ("kmeans" if dataset.startswith("graph_") else "louvain")
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_summary(selection_frame(), folder / "leaderboard_selection.csv")
    write_summary(clustering_frame(), folder / "leaderboard_clustering.csv")
    minmax = selection_frame()
    minmax = minmax[minmax["dataset"].isin(SETS[:4])]
    write_summary(minmax, folder / "leaderboard_selection-minmax.csv")
    large = selection_frame()
    large.loc[large["method"] == "greedy", SCORES] -= 0.4  # below all others
    large["dataset"] = large["dataset"].replace(SETS[2], "sonar(max_columns=40)")
    large = large[large["dataset"].isin([*SETS[:2], "sonar(max_columns=40)"])]
    write_summary(large, folder / "leaderboard_large.csv")
    stable = selection_frame().drop(columns=[*SCORES, "redundancy"])
    stable["stability"] = np.where(stable["status"] == "ok", stable["k"] / 10, np.nan)
    write_summary(stable, folder / "leaderboard_stability.csv")
    memory = large.drop(columns=SCORES).assign(knn_acc=0.5)
    memory["memory"] = np.where(memory["k"] == 2, 1e6, 3e6)
    write_summary(memory, folder / "leaderboard_memory.csv")
    old = folder / "leaderboard" / "methods" / "gone.md"
    old.parent.mkdir(parents=True)
    old.write_text("# Gone")
    names = pages.write(folder, pictures=False, results=folder)
    return folder / "leaderboard", names


def cells(text: str, name: str) -> list[str]:
    """The cells of the row of a method or data set in the first table that has it."""
    line = next(line for line in text.splitlines() if line.startswith(f"| [{name}]"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_page_of_a_use_has_the_numbers_of_the_standings(site):
    folder, _ = site
    made = standings(selection_frame(), USES["neighbors"], baseline="random columns",
                     apart=["all_columns"]).table.set_index("method")  # fmt: skip
    text = (folder / "neighbors.md").read_text()
    row = cells(text, "greedy")
    assert row[1] == f"{100 * made.loc['greedy', 'mean']:.1f}"
    assert row[2] == f"{100 * made.loc['greedy', 'gain']:+.1f}"
    assert row[4:6] == ["8", "0"]
    assert row[6] == f"{made.loc['greedy', 'p_baseline']:.3f}".removeprefix("0")
    assert row[-1] == "above random"
    assert cells(text, "mcfs (c by eigengap)")[-1] == "**below random**"
    assert cells(text, "exact")[-2:] == ["62", "not ranked"]
    assert "**Below random columns** by the test: `mcfs (c by eigengap)`." in text
    assert "* Not ranked: `all_columns`, `exact`." in text


def test_the_first_page_says_what_was_run_and_what_was_not(site):
    text = (site[0] / "index.md").read_text()
    assert "8 of 32 data sets of the plan; at most 400 rows and 200 columns" in text
    assert "`ALLAML`" in text.partition("**Not run yet**")[2].partition("\n")[0]
    assert "columns scaled to [0, 1] (4 data sets)" in text
    assert cells(text, "greedy")[1].endswith("\\*")
    assert not re.search(r"[^:`]\{\w+\}(?!`)", text), "a field of a sentence was not filled in"


def test_ranks_of_the_same_sets_at_two_sizes_stand_side_by_side(site):
    text = (site[0] / "size.md").read_text()
    assert "on 3 data sets that the limits of the other pages cut" in text
    assert "at most 400 rows and 200 columns, here 2000 and 4000, with 60 s" in text
    assert cells(text, "greedy")[1:] == ["1.0", "3.0", "+2.0"]
    assert cells(text, "random columns")[1:] == ["2.0", "1.0", "-1.0"]
    above, below = text.split("On the larger parts:")[1].splitlines()[2:4]
    assert "`greedy`" in below
    assert "`greedy`" not in above
    cost = cells(text.partition("## Cost on the larger parts")[2], "exact")
    assert cost[1:3] == ["0.200", "0.200"]
    assert cost[3:5] == ["2", "3"]
    assert cost[6:] == ["83", "0"]
    assert "(3 data sets, 3 methods)" in (site[0] / "index.md").read_text()
    assert "`greedy` falls most (+2.0)" in (site[0] / "index.md").read_text()


def test_stability_tells_how_much_is_missing(site):
    text = (site[0] / "stability.md").read_text()
    assert "on 5 random samples of 80 %" in text
    assert cells(text, "greedy")[1] == "0.35"
    assert cells(text, "greedy")[-1] == "0"
    assert [cells(text, "exact")[i] for i in (1, -1)] == ["0.20", "62"]


def test_each_method_and_data_set_has_a_page(site):
    folder, names = site
    assert {"greedy", "mcfs-c-by-eigengap", "spectral", "random-columns"} <= set(names)
    assert not (folder / "methods" / "gone.md").exists()
    exact = (folder / "methods" / "exact.md").read_text()
    assert "../../methods/exact.md" in exact
    assert cells(exact, "iris")[-1] == "over budget at k = 2, 5"
    assert cells(exact, "zoo")[-1] == "over budget at k = 5"
    assert cells(exact, "iris")[1] == "- (+0.0)"
    sonar = (folder / "datasets" / "sonar.md").read_text()
    assert "by a fixed seed: max columns=20." in sonar
    assert cells(sonar, "exact")[-1] == "no score at k = 5"
    assert cells(sonar, "kmeans")[1] == "52.0"
    for page in folder.rglob("*.md"):
        for link in re.findall(r"\]\(([\w./-]+\.md)", page.read_text()):
            target = (page.parent / link).resolve()
            if folder in target.parents:
                assert target.exists(), f"{page.name}: {link}"


def test_clusterers_of_tables_and_of_graphs_stand_apart(site):
    text = (site[0] / "clusterers.md").read_text()
    tables, graphs = text.split("## On graphs")
    assert "8 data sets." in tables
    assert cells(tables, "spectral")[-1] == "above kmeans"
    assert "| [kmeans]" not in graphs.partition("## Modularity")[0]


def test_a_second_run_writes_nothing_anew(site):
    folder, _ = site
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")}
    pages.write(folder.parent, pictures=False, results=folder.parent)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.md")} == before


def test_the_committed_results_are_of_the_committed_specs(tmp_path):
    for name in ("selection", "clustering"):
        board = pages.load(name)
        assert set(board.datasets) <= set(board.spec.labels)
        assert set(board.spec.rules.shows) <= set(board.frame)
        assert (pages.RESULTS / board.file).stat().st_size < 5e6
        shutil.copy(pages.RESULTS / board.file, tmp_path)
    assert read_summary(tmp_path / "leaderboard_selection.csv")["environment"].nunique() >= 1


def test_the_page_on_choosing_has_the_numbers_of_the_leaderboard():
    tables = [pages.of_use(pages.load("selection").frame, use) for use in (*USES, pages.EVERY)]
    text = (Path(__file__).parents[2] / "docs" / "choosing.md").read_text(encoding="utf-8")
    ranked = tables[-1].table["rank"].notna().sum()
    head = "| | groups | later supervised use | neighbors | reconstruction | all | mean rank of"
    (displayed,) = re.findall(rf"{re.escape(head)} {ranked} \|\n\|[-|]+\n((?:\|.*\n)+)", text)
    names = {method.load().__name__: method.name for method in METHODS} | {"vote": "vote"}
    expected = []
    for line in displayed.splitlines():
        name = re.findall(r"`(\w+)`", line)[0]
        rows = [t.table.set_index("method").loc[names[name]] for t in tables]
        marks = ["\\*" if row["verdict"] in ("above", "below") else "" for row in rows]
        gains = [f"{100 * row['gain']:+.1f}{mark}" for row, mark in zip(rows, marks, strict=True)]
        expected.append(f"| `{name}` | {' | '.join(gains)} | {rows[-1]['rank']:.1f} |")
    assert displayed.splitlines() == expected
    assert len(expected) > 10


def test_what_follows_for_the_choice_is_what_the_leaderboard_says():
    selection = pages.load("selection")
    page = (Path(__file__).parents[2] / "docs" / "choosing.md").read_text(encoding="utf-8")
    text = " ".join(page.split())
    tables = {use: pages.of_use(selection.frame, use) for use in (*USES, pages.EVERY)}

    def tied(use):
        names = {
            name.removesuffix(" (c by eigengap)") for name in pages._tied_with_best(tables[use])
        }
        return names, len(pages._tied_with_best(tables[use]))

    assert tied(pages.EVERY)[0] == {"vote", "choice", "aligned"}
    assert tied("reconstruction")[0] == {"local_search", "choice", "vote"}
    assert tied("neighbors")[0] == {"vote"}
    names, n_tied = tied("clusters")
    n_ranked = tables["clusters"].table["rank"].notna().sum()
    assert (
        f"`AlignedColumns` is significantly better than {n_ranked - n_tied} of the "
        f"{n_ranked - 1} others" in text
    )
    assert {"aligned", "blufs", "choice"} <= names
    assert pages._below(tables[pages.EVERY].table)[1] == ["leverage"]
    costs = pages._costs(selection.frame)
    medians = [
        f"{costs.loc[m, 'median']:.2g}".removeprefix("0") for m in ("choice", "vote", "aligned")
    ]
    assert f"(medians {medians[0]}, {medians[1]} and {medians[2]} s" in text
    missing = tables[pages.EVERY].table.set_index("method").loc["exact", "missing"]
    assert f"{100 * missing:.0f} % of its fits are over the budget" in text
    tau = re.findall(
        r"tau = ([.\d]+);", pages._sentence_of_scales(tables, pages.load("selection-minmax"))
    )
    assert f"by tau = {tau[0].removeprefix('0')}." in text
