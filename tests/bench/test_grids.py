"""The grids that ship, and what a spec may say of data sets, methods and printed figures."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer

from sksieve import IterFS
from sksieve.bench import PROTOCOLS, parse_spec, read_spec
from sksieve.bench._references import StructureParts
from sksieve.exceptions import DataError

GRIDS = Path(__file__).parents[2] / "benchmarks" / "grids"
SHIPPED = sorted(GRIDS.rglob("*.toml"))
NAMES = [str(path.relative_to(GRIDS).with_suffix("")) for path in SHIPPED]


def spec(*methods, protocol="default", **more):
    return {"protocol": protocol, "datasets": ["iris"], "k": [1], "method": [*methods], **more}


def labels(*datasets, **more):
    return parse_spec(spec({"name": "kmeans"}, datasets=[*datasets], **more)).labels


@pytest.mark.parametrize("path", SHIPPED, ids=NAMES)
def test_every_cell_of_a_shipped_grid_is_asked_for_once(path):
    tasks = list(read_spec(path).tasks())
    wanted = {(task.cell, task.method, task.setting) for task in tasks}
    assert len(wanted) == len(tasks) > 0


def test_every_protocol_has_a_grid():
    used = {read_spec(path).protocol for path in SHIPPED}
    assert used == set(PROTOCOLS) - {"oracle"}


@pytest.mark.parametrize("path", [path for path in SHIPPED if "reproduction" in str(path)])
def test_a_reproduction_is_a_part_of_the_paper_s_grid(path):
    parent = re.sub("-large(st)?|-sizes|-seeds", "", path.name)
    small, whole = read_spec(path), read_spec(GRIDS / parent)
    assert small.protocol == whole.protocol
    assert small.labels <= whole.labels


def test_the_papers_weights_and_numbers_of_columns():
    def settings(name, method):
        methods = read_spec(GRIDS / f"{name}.toml").methods
        (entry,) = (e for e in methods if (e.label or e.name) == method)
        return sum(1 for _ in entry.settings()) - 1

    assert settings("blufs", "blufs") == 8**3
    assert settings("lsdcl", "lsdcl") == 11 * 11 * 7
    assert read_spec(GRIDS / "blufs.toml").k == tuple(range(10, 101, 10))
    assert read_spec(GRIDS / "lsdcl.toml").repeats == 20
    assert read_spec(GRIDS / "rpma-sbm.toml").draws >= 50


def test_the_quick_grid_needs_no_files_and_tunes_nothing():
    quick = read_spec(GRIDS / "quick.toml")
    assert {source.name for source in quick.datasets} <= {"iris", "wine", "breast_cancer"}
    assert quick.protocol == read_spec(GRIDS / "full.toml").protocol == "default"


def test_a_data_set_with_lists_stands_for_many():
    assert labels({"name": "iris", "classes": [2, 3]}) == {"iris[:2]", "iris[:3]"}
    assert labels({"name": "iris", "rows": [50, 100]}) == {"iris(rows=50)", "iris(rows=100)"}
    assert labels("iris", {"name": "wine", "classes": [2]}, classes=[3]) == {"iris[:3]", "wine[:2]"}


def test_each_random_graph_is_fitted_once_however_many_repetitions():
    sbm = {"name": "sbm", "n_nodes": 9, "n_blocks": 3, "p_in": 1.0, "p_out": 0.0}
    given = spec({"name": "bpma"}, protocol="rpma-sbm", datasets=[sbm], draws=2, repetitions=5)
    cells = [task.cell for task in parse_spec(given).tasks()]
    assert [(cell.data.draw, cell.repetition) for cell in cells] == [(0, 0), (1, 0)]


def test_scales_of_method_and_of_set_come_before_the_spec_s():
    given = spec(
        {"name": "lapscore"},
        {"name": "variance", "scale": "none"},
        datasets=["iris", {"name": "wine", "scale": "symmetric"}],
        scale="standard",
    )
    scales = [task.cell.data.scale for task in parse_spec(given).tasks()]
    assert scales == ["standard", "none", "symmetric", "none"]


def test_a_list_of_grids_is_tried_point_by_point_each_once():
    entry = {"name": "blufs", "grid": [{"alpha": [0.0, 2.0]}, {"alpha": [0.0]}, {"beta": [0.0]}]}
    tasks = parse_spec(spec(entry, protocol="oracle")).tasks()
    assert [t.setting for t in tasks] == ["", "alpha=0.0", "alpha=2.0", "beta=0.0"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"datasets": [{"rows": 3}]}, "tables that have a name"),
        ({"datasets": [{"name": "iris", "color": 1}]}, "iris has no option 'color'"),
        ({"datasets": [{"name": "sbm", "n_nodes": 9}]}, "sbm must say n_nodes, n_blocks"),
        ({"datasets": [{"name": "iris", "train": 9}]}, "'train' goes with a protocol of splits"),
        ({"protocol": "lsdcl-cv"}, "'train' goes with"),
        ({"datasets": ["graph_karate"]}, "graph_karate is a graph, and greedy does not"),
        ({"protocol": "srsg"}, "greedy chooses columns, which protocol 'srsg' does not measure"),
        ({"method": [{"name": "spectral"}], "protocol": "css"}, "spectral finds groups"),
        ({"method": [{"name": "all_columns"}], "protocol": "css"}, "has no score under"),
        ({"method": [{"name": "greedy"}] * 2}, "two methods are called 'greedy'"),
        ({"method": [{"name": "greedy", "scale": "log"}]}, "scale must be one of"),
        ({"method": [{"name": "greedy", "weight": 1}]}, "may have parameters, grid, label"),
        ({"draws": 0}, "draws must be whole numbers from 1"),
        ({"repeats": True}, "repeats must be a whole number; got True"),
        ({"k": [True]}, "k must be whole numbers from 1"),
        ({"k": [1, 2, 1]}, "k has a number twice"),
        ({"k": [5, 6]}, "no data set has as many columns as the smallest k"),
        ({"budget": float("inf")}, "budget must be seconds, more than 0, up to 1e9; got inf"),
        ({"datasets": ["iris", "wine", "iris"]}, "two data sets are called 'iris'"),
        ({"classes": [2, 2]}, r"two data sets are called 'iris\[:2\]'"),
        (
            {"datasets": [{"name": "iris", "scale": s} for s in ("unit", "none")]},
            "two data sets are called 'iris' in tables, which would mix their scores",
        ),
        ({"datasets": [{"name": "iris", "scale": ["unit", "none"]}]}, "scale must be one of"),
        ({"datasets": [{"name": "iris", "classes": 0}]}, "iris: classes must be whole numbers"),
        ({"datasets": [{"name": "iris", "rows": ["many"]}]}, "iris: rows must be whole numbers"),
        ({"datasets": [{"name": "iris", "rows": []}]}, r"rows must be .*; got \[\]"),
        ({"datasets": [{"name": "iris", "above": "mean"}]}, "above must be numbers"),
        ({"datasets": [{"name": "graph_karate", "component": 1}]}, "component must be 'largest'"),
        ({"datasets": [{"name": "graph_karate", "classes": 1}]}, "has no option 'classes'"),
        (
            {"datasets": ["graph_karate"], "classes": [1], "method": [{"name": "spectral"}]},
            "graph_karate is a graph, of which there are no first 'classes'",
        ),
        ({"catalogue": "all"}, "catalogue must be one of selectors, clusterers"),
        ({"method": [{"name": "greedy", "clusters": "eigengap"}]}, "takes no number of clusters"),
        ({"method": [{"name": "mcfs", "clusters": "two"}]}, "must be 'given' or 'eigengap'"),
        ({"method": [{"name": "greedy", "repetitions": 0}]}, "repetitions must be a whole number"),
        ({"score_budget": -1}, "score_budget must be seconds"),
        ({"max_rows": 0}, "max_rows must be whole numbers"),
        ({"method": ["greedy"]}, r"method must be tables, \[\[method\]\]; got 'greedy'"),
        ({"method": [{"k": 3}]}, r"\[\[method\]\] needs name and may have .*; got k"),
        (
            {"method": [{"name": "greedy", "parameters": {"gamma": 1}}]},
            "greedy has no parameter 'gamma'",
        ),
        ({"method": [{"name": 3}]}, "name, label, scale, clusters of .* must be texts"),
        ({"method": [{"name": "os:path"}]}, "'os:path' is not a class"),
        ({"method": [{"name": ":Class"}]}, "':Class' cannot be imported"),
        (
            {"method": [{"name": "lsdcl", "parameters": {"lam1": float("inf")}}]},
            "lsdcl: parameters and grid must be finite numbers",
        ),
    ],
)
def test_a_wrong_spec_is_refused_in_a_sentence(change, said):
    with pytest.raises(DataError, match=said):
        parse_spec({**spec({"name": "greedy"}), **change})


@pytest.mark.parametrize(
    "board",
    [
        "selection",
        "selection-minmax",
        "clustering",
        "large",
        "memory",
        "stability",
        "published",
        "held-out",
        "clustering-held-out",
    ],
)
def test_a_leaderboard_asks_for_all_that_its_results_have(board):
    with (GRIDS.parent / "results" / f"leaderboard_{board}.csv").open(newline="") as lines:
        methods = {row["method"] for row in csv.DictReader(lines)}
    asked = {task.method for task in read_spec(GRIDS / f"leaderboard-{board}.toml").tasks()}
    outside = {"FastCanPCA", "ScaledVariance"}  # added by `--method`, as the docs show
    # rows of version 0.1: the vote that ColumnChoice was, and ULAP, which ignored the number
    former = {"vote", "vote (c by eigengap)", "ulap (c by eigengap)"}
    assert methods <= asked | outside | former


def test_the_parts_of_the_structure_target_are_those_of_the_method():
    """The ablation's default is the structure target; every block and the ridge count."""
    X = load_breast_cancer().data

    def chosen(**parts):
        return StructureParts(9, random_state=0, **parts).fit(X).ranking_[:9].tolist()

    whole = IterFS(9, init="greedy", random_state=0).fit(X, target="structure")
    assert chosen() == whole.ranking_[:9].tolist()
    blocks = ["components", "graph", "whitened"]
    less = [{"blocks": " ".join(b for b in blocks if b != left)} for left in blocks]
    different = [chosen(**parts) for parts in (*less, {"ridge": 0.0})]
    assert all(columns != chosen() for columns in different)
