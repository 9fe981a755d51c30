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
from sksieve.bench import USES, paired_p, read_summary, standings, write_summary

SETS = ["iris", "wine", "sonar(max_columns=20)", "zoo", "heart", "glass", "ecoli", "digits"]
SELECTORS = {"random columns": 0.0, "greedy": 0.1, "mcfs (c by eigengap)": -0.1, "exact": 0.05}
SCORES = [name for names in USES.values() for name in names]
COST = {"seconds": 0.1, "cpu": 0.2, "memory": 1e6, "environment": "scikit-sieve 0.1.0, numpy 2"}


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
    held = selection_frame()
    held["dataset"] = held["dataset"].replace(dict(zip(SETS[:4], ["ORL", "UMIST", "USPS", "musk"])))
    held = held[~held["dataset"].isin(SETS)]
    held.loc[held["method"] == "greedy", SCORES] -= 0.4
    write_summary(held, folder / "leaderboard_held-out.csv")
    published = selection_frame()
    published = published[published["method"] == "mcfs (c by eigengap)"]
    write_summary(
        published.assign(method="greedy (published)"), folder / "leaderboard_published.csv"
    )
    shutil.copy(pages.RESULTS / "structure_target.csv", folder)
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
    assert text.count("Made with scikit-sieve 0.1.0.") == 2
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


def test_what_follows_for_the_choice_is_what_the_leaderboard_says():
    selection = pages.load("selection")
    tables = {use: pages.of_use(selection.frame, use) for use in (*USES, pages.EVERY)}

    def tied(use):
        return {
            name.removesuffix(" (c by eigengap)") for name in pages._tied_with_best(tables[use])
        }

    assert tied(pages.EVERY) == {
        *("choice", "aligned", "pocss", "mixed", "local_search", "blufs"),
    }
    assert tied("reconstruction") == {"local_search"}
    assert tied("neighbors") == {
        *("choice", "pocss", "aligned", "local_search", "mixed", "approx_svd", "greedy", "iterfs"),
    }
    assert {"aligned", "blufs", "choice"} <= tied("clusters")
    assert pages._below(tables[pages.EVERY].table)[1] == ["leverage"]


def test_a_family_counts_once_and_a_negative_reconstruction_is_zero():
    frame = selection_frame()
    faces = {"iris": "ORL", "wine": "UMIST(max_columns=20)", "zoo": "YaleB[:10]"}
    frame["dataset"] = frame["dataset"].replace(faces)
    ranking = pages.of_use(frame, "neighbors")
    values = ranking.values.groupby(pages.family).mean()
    assert len(values) == len(SETS) - 2  # three faces are one family
    p = pages.family_tests(ranking)
    exact = paired_p(
        values["greedy"].to_numpy(), values["random columns"].to_numpy(), test="wilcoxon"
    )
    assert p["greedy"] == pytest.approx(exact * len(p))  # the smaller of two: Holm's first step
    frame.loc[frame["method"] == "greedy", "reconstruction"] = -16.6
    table = pages.of_use(frame, "reconstruction").table.set_index("method")
    assert table.loc["greedy", "mean"] == 0.0


def test_the_structure_target_is_compared_on_tables_it_was_not_developed_on(site):
    text = (site[0] / "held-out.md").read_text()
    frame = pd.read_csv(pages.RESULTS / "structure_target.csv")
    frame["score"] = frame[["nmi", "nn1", "logistic"]].mean(axis=1)
    values = frame.pivot(index="dataset", columns="method", values="score")
    gain = values["structure_greedy_start"] - values["aligned"]
    row = next(line for line in text.splitlines() if line.startswith("| aligned columns |"))
    counts = f"| {(gain > 0).sum()} - {(gain < 0).sum()} | {gain.mean():+.2f} |"
    assert counts in row
    assert f"{gain.idxmin()} ({gain.min():+.1f})" in row


def test_ranks_on_tables_no_default_was_developed_on_stand_beside(site):
    text = (site[0] / "held-out.md").read_text().partition("### All uses")[2]
    assert cells(text, "greedy")[1:3] == ["1.0", "3.0"]
    assert "4 of 13 data sets of the plan" in (site[0] / "held-out.md").read_text()


def test_published_settings_stand_beside_the_defaults(site):
    text = (site[0] / "published.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith("| neighbors |"))
    default, published = row.split("|")[2].split("/")
    assert float(default) > 0 > float(published)


def test_rows_that_another_version_made_are_named():
    board = pages.load("large")
    board.frame["environment"] = "Python 3, scikit-sieve 1.0.0, numpy 2"
    choice = board.frame["method"] == "choice"
    assert pages._sentence_of_versions(board) == "Made with scikit-sieve 1.0.0."
    board.frame.loc[choice, "environment"] = "Python 3, scikit-sieve 1.1.0, numpy 2"
    text = "Made with scikit-sieve 1.0.0; choice with 1.1.0."
    assert pages._sentence_of_versions(board) == text
