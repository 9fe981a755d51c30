"""The leaderboards: what they measure, on small tables; and tables of one's own as data sets."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from sksieve.bench import Data, Store, parse_spec, read_spec, result_table, results, run_spec
from sksieve.bench._data import table
from sksieve.catalogue import METHODS
from sksieve.cli._app import app
from sksieve.exceptions import DataError
from sksieve.metrics import neighborhood_preservation, redundancy, stability

GRIDS = Path(__file__).parents[2] / "benchmarks" / "grids"
OWN = "tests.bench.own_methods:"


def run(folder, **content):
    spec = parse_spec(content)
    with Store(folder / "store") as store:
        run_spec(spec, store)
        return spec, results(spec, store)


@pytest.mark.parametrize("board", ["selection", "selection-minmax", "stability", "clustering"])
def test_a_board_has_every_method_of_the_catalogue(board):
    spec = read_spec(GRIDS / f"leaderboard-{board}.toml")
    size = "n_clusters" if board == "clustering" else "n_features_to_select"
    part = [m for m in METHODS if (m.kind == "clusterer") == (board == "clustering")]
    expected = {m.name for m in part if size in m.load()().get_params()}
    assert expected <= {entry.name for entry in spec.methods}
    assert len(expected) > 10
    scales = {entry.name: entry.scale for entry in spec.methods}
    for method in part:
        if method.name in expected:
            is_raw = method.scaling in ("raw", "directions")
            assert scales[method.name] == ("none" if is_raw else None)
    assert len(spec.datasets) >= 30
    assert spec.budget == 3


def test_a_spec_takes_from_another_what_it_does_not_say_itself(tmp_path):
    (tmp_path / "a.toml").write_text(
        'protocol = "leaderboard"\ndatasets = ["wine"]\nk = [2]\n[[method]]\nname = "greedy"\n'
    )
    (tmp_path / "b.toml").write_text(
        'extends = "a.toml"\nprotocol = "stability"\nsample = 0.5\nmax_rows = 100\ndraws = 2\n'
    )
    spec = read_spec(tmp_path / "b.toml")
    assert (spec.name, spec.protocol, spec.draws, spec.k) == ("b", "stability", 2, (2,))
    assert spec.labels == {"wine(max_rows=100, sample=0.5)"}
    assert [table(task.cell.data).fitted.shape for task in spec.tasks()] == [(50, 13)] * 2
    (tmp_path / "c.toml").write_text('extends = "d.toml"\n')
    with pytest.raises(DataError, match=r"extends must be the name of another spec .* 'd\.toml'"):
        read_spec(tmp_path / "c.toml")


def test_a_method_of_the_command_line_comes_as_the_catalogue_has_it():
    path = GRIDS / "leaderboard-selection.toml"
    whole = read_spec(path).methods
    some = read_spec(path, methods=["fspca", "ndfs"], only=True).methods
    assert [(e.name, e.scale, e.clusters) for e in some] == [
        ("fspca", "none", "given"),
        ("ndfs", None, "given"),
        ("ndfs", None, "eigengap"),
    ]
    assert all(entry in whole for entry in some)
    also = read_spec(path, methods=["fspca"]).methods
    assert len(also) == len(whole)
    assert all(entry in whole for entry in also)


def test_the_second_scale_scores_the_same_fits():
    one, two = (
        {task.cell.key for task in read_spec(GRIDS / f"leaderboard-{name}.toml").tasks()}
        for name in ("selection", "selection-minmax")
    )
    assert one == two


def test_what_the_board_of_selections_measures(tmp_path):
    spec, frame = run(
        tmp_path,
        protocol="leaderboard",
        datasets=["iris", "wine"],
        scale="standard",
        k=[2, 3],
        repeats=2,
        method=[
            {"name": "all_columns"},
            {"name": "random_rank", "label": "random columns", "repetitions": 3},
            {"name": "variance", "scale": "none"},
            {"name": "greedy"},
            {"name": "mcfs", "clusters": "eigengap"},
        ],
    )
    assert set(frame["status"]) == {"ok"}
    assert "mcfs (c by eigengap)" in set(frame["method"])
    assert frame[frame["method"] == "random columns"]["repetition"].nunique() == 3
    for score in spec.rules.shows:
        made = result_table(frame, spec.rules, score=score)
        assert made.mean.notna().all(axis=None), score
        if score != "redundancy":
            assert (made.mean <= 1 + 1e-12).all(axis=None)
    Z = StandardScaler().fit_transform(load_wine().data)
    row = frame[
        (frame["dataset"] == "wine")
        & (frame["method"] == "variance")
        & (frame["k"] == 2)
        & (frame["scoring"] == "label-free@standard")
    ]
    chosen = np.argsort(-load_wine().data.var(axis=0), kind="stable")[:2]
    assert row["neighbors_kept"].tolist() == [pytest.approx(neighborhood_preservation(Z, chosen))]
    assert row["redundancy"].tolist() == [pytest.approx(redundancy(Z, chosen))]
    whole = frame[(frame["method"] == "all_columns") & (frame["k"] == 2)]
    assert whole["neighbors_kept"].max() == 1
    assert whole["reconstruction"].max() > 0.9
    for cost in ("seconds", "cpu", "memory"):
        made = result_table(frame, spec.rules, score=cost)
        assert made.better == "smaller"
        assert made.mean["greedy"].notna().all()


def test_reconstruction_is_of_rows_that_the_regression_did_not_see():
    from sksieve.bench._scores import _reconstruction

    rng = np.random.RandomState(0)
    X = rng.randn(40, 30)
    order = rng.permutation(40)
    assert _reconstruction(X, np.arange(15), order) < 0.6, "noise cannot be predicted"
    basis = rng.randn(40, 2)
    X = basis @ rng.randn(2, 30)
    assert _reconstruction(X, np.arange(4), order) > 0.95
    assert _reconstruction(np.ones((10, 3)), np.arange(2), np.arange(10)) == 0.0


def test_stability_is_that_of_the_choices_on_the_samples(tmp_path):
    content = {
        "protocol": "stability",
        "datasets": [{"name": "wine", "sample": 0.8}],
        "scale": "standard",
        "k": [2, 13],
        "draws": 4,
        "method": [{"name": "greedy"}, {"name": "random_rank"}],
    }
    spec, frame = run(tmp_path, **content)
    frame = frame.set_index(["method", "k"])
    choices = []
    for draw in range(4):
        data = next(t.cell.data for t in spec.tasks() if t.cell.data.draw == draw)
        X = table(data).fitted
        assert X.shape == (round(0.8 * 178), 13)
        from sksieve import GreedyCSS

        choices.append(GreedyCSS(13).fit(X).ranking_[:2])
    expected = stability(choices, 13)
    row = frame.loc[("greedy", 2)]
    assert row["stability"] == pytest.approx(expected.value)
    assert row["stability_low"] == pytest.approx(expected.lower)
    assert frame.loc[("greedy", 13), "reason"] == "all columns were chosen"
    with pytest.raises(DataError, match="'sample' goes with a protocol of samples"):
        parse_spec({**content, "protocol": "default"})


def test_the_board_of_clusterers_mixes_tables_and_graphs(tmp_path):
    pytest.importorskip("networkx")
    planted = {"name": "sbm", "n_nodes": 60, "n_blocks": 2, "p_in": 0.5, "p_out": 0.03}
    _, frame = run(
        tmp_path,
        protocol="leaderboard-clustering",
        datasets=["iris", planted],
        scale="standard",
        repetitions=2,
        method=[
            {"name": "kmeans"},
            {"name": "sklearn.cluster:HDBSCAN", "parameters": {"copy": True}},
            {"name": "networkx_label_propagation"},
            {"name": "spectral"},
        ],
    )
    pairs = set(zip(frame["dataset"].str.partition("(")[0], frame["method"]))
    assert ("sbm", "kmeans") not in pairs
    assert ("iris", "networkx_label_propagation") not in pairs
    assert {("iris", "HDBSCAN"), ("sbm", "networkx_label_propagation")} <= pairs
    done = frame[frame["status"] == "ok"]
    assert len(done) == len(frame), frame["reason"].tolist()
    assert done["modularity"].between(-0.5, 1).all()
    propagated = done[done["method"] == "networkx_label_propagation"]
    assert (propagated["modularity"] > 0.3).all()
    assert done[done["method"] == "spectral"]["n_groups"].isin([2, 3]).all()


def test_large_sets_are_subsampled_by_a_fixed_seed_and_say_so():
    spec = parse_spec({
        "protocol": "leaderboard", "datasets": ["wine", "iris"], "k": [2], "max_rows": 160,
        "max_columns": 5, "method": [{"name": "greedy"}],
    })  # fmt: skip
    assert spec.labels == {"wine(max_columns=5, max_rows=160)", "iris"}
    data = next(t.cell.data for t in spec.tasks() if t.cell.data.name == "wine")
    X, again = table(data).X, table(Data("wine", options=data.options)).X
    assert X.shape == again.shape == (160, 5)
    whole = load_wine()
    rows = [np.flatnonzero((whole.data[:, :] == row).all(1)) for row in whole.data[:1]]
    assert rows
    assert all((whole.data == x).any(axis=0).any() for x in again[:, 0])
    assert set(table(data).y) == {0, 1, 2}


def write_people(folder):
    frame = pd.DataFrame(load_iris().data, columns=["a", "b", "c", "d"])
    frame["species"] = load_iris(as_frame=True).target.map({0: "x", 1: "y", 2: "z"})
    frame.to_csv(folder / "people.csv", index=False)
    return frame


SPEC = """
protocol = "default"
datasets = [{ path = "data/people.csv", label = "species" }, "iris"]
scale = "standard"
k = [2]
repeats = 2
[[method]]
name = "greedy"
[[method]]
name = "kmeans"
"""


def call(*words):
    done = CliRunner().invoke(app, ["bench", *map(str, words)])
    return done.exit_code, done.output


def test_a_path_of_a_table_is_a_data_set(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    write_people(tmp_path / "data")
    (tmp_path / "s.toml").write_text(SPEC)
    monkeypatch.chdir("/")
    spec = read_spec(tmp_path / "s.toml")
    assert spec.labels == {"data/people.csv", "iris"}
    with Store(tmp_path / "store") as store:
        run_spec(spec, store)
        frame = results(spec, store)
    assert set(frame["status"]) == {"ok"}
    greedy = frame[frame["method"] == "greedy"]
    mean = greedy.groupby("dataset")["acc"].mean()
    assert mean["data/people.csv"] == pytest.approx(mean["iris"], abs=0.05), "the same table"
    task = next(t for t in spec.tasks() if t.cell.data.path)
    assert "path" not in task.cell.text, "a moved file is the same cell"
    assert table(task.cell.data).y.tolist() == load_iris().target.tolist()


def test_tables_and_methods_of_the_command_line(tmp_path):
    write_people(tmp_path)
    (tmp_path / "s.toml").write_text(SPEC.replace("data/people.csv", "people.csv"))
    words = [tmp_path / "s.toml", "--store", tmp_path / "store", "--data", tmp_path / "people.csv"]
    words += ["--label-column", "species", "--method", f"{OWN}Nested"]
    code, displayed = call("run", *words)
    assert code == 0, displayed
    assert "3 of 3 cells done, 0 of them failed" in displayed
    code, displayed = call("table", *words, "--format", "csv", "--score", "acc")
    cells = pd.read_csv(io.StringIO(displayed))
    assert set(cells["dataset"]) == {"people.csv"}
    assert set(cells["method"]) == {"greedy", "kmeans", "Nested"}
    page = tmp_path / "p.html"
    code, displayed = call("report", *words, "-o", page)
    assert code == 0, displayed
    for words_of_command in ("--label-column species", f"--method {OWN}Nested"):
        assert words_of_command in page.read_text()
    code, displayed = call("run", tmp_path / "s.toml", "--label-column", "species")
    assert (code, "--label-column is of the tables of --data" in displayed) == (1, True)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('"nowhere.csv"', r"there is no file .*nowhere\.csv"),
        ('{ path = "people.csv" }', "the columns species are not numbers"),
        ('{ path = "people.csv", label = "genus" }', "has no column 'genus' for labels"),
        ('{ path = "people.csv", label = 3 }', "label must be the name of a column"),
        ('{ path = "holes.csv" }', "1 values are missing"),
        ("{ path = 3 }", "tables that have a name or a path"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_a_sentence(tmp_path, entry, message):
    write_people(tmp_path)
    (tmp_path / "holes.csv").write_text("a,b\n1,\n2,3\n")
    (tmp_path / "s.toml").write_text(
        f'protocol = "css"\nk = [1]\ndatasets = [{entry}]\n[[method]]\nname = "greedy"\n'
    )
    with pytest.raises(DataError, match=message):
        list(read_spec(tmp_path / "s.toml").tasks())


def test_a_table_without_labels_is_judged_where_no_labels_are_needed(tmp_path):
    np.save(tmp_path / "t.npy", np.random.RandomState(0).rand(40, 6))
    _, frame = run(
        tmp_path,
        protocol="leaderboard",
        datasets=[str(tmp_path / "t.npy")],
        k=[2],
        method=[{"name": "greedy"}],
    )
    assert set(frame["scoring"]) == {"label-free@standard"}
    assert set(frame["status"]) == {"ok"}
