"""``sksieve cluster``: the groups, and how they are told."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import typer
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import sksieve
from sksieve.catalogue import get_method, list_methods
from sksieve.cli._guard import guarded
from sksieve.evaluation import partition
from sksieve.metrics import clustering_accuracy, modularity, nmi
from sksieve.workflows._fitting import Interrupt


@pytest.fixture
def wine(tmp_path) -> Path:
    frame = load_wine(as_frame=True).frame
    frame["target"] = frame["target"].map({0: "barolo", 1: "grignolino", 2: "barbera"})
    path = tmp_path / "wine.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def blobs(tmp_path) -> tuple[Path, np.ndarray, np.ndarray]:
    """Three groups of twelve rows on three lines through zero."""
    rng = np.random.default_rng(0)
    y = np.arange(36) % 3
    X = np.eye(3, 5)[y] * rng.uniform(1, 2, (36, 1)) + 0.05 * rng.normal(size=(36, 5))
    path = tmp_path / "blobs.csv"
    pd.DataFrame(X, columns=list("abcde")).to_csv(path, index=False)
    return path, pd.read_csv(path).to_numpy(), y


def scaled(frame_path: Path) -> np.ndarray:
    return StandardScaler().fit_transform(pd.read_csv(frame_path).drop(columns="target"))


def test_what_a_person_reads(invoke, wine):
    X = scaled(wine)
    est = sksieve.SpectralGraph(n_clusters=3, random_state=0).fit(X)
    found = partition(est.affinity_, est.labels_, X)
    result = invoke("cluster", wine, "-c", 3, "--label-column", "target")
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Method: spectral (auto: largest modularity of spectral 0.")
    assert lines[1] == (
        "Data: wine.csv, 178 rows x 13 columns, each column centered and scaled to variance 1"
    )
    assert lines[2] == f"Graph: 178 vertices, {found.n_edges} edges, connected"
    assert lines[4].split() == ["cluster", "size", "share", "inside", "silhouette"]
    for k, line in enumerate(lines[5:8]):
        group, size, _, _, inside, _, silhouette = line.split()
        assert (int(group), int(size)) == (k, found.sizes[k])
        assert float(inside) == pytest.approx(100 * found.inside[k], abs=0.051)
        assert float(silhouette) == pytest.approx(found.silhouettes[k], abs=0.0051)
    assert f"modularity {modularity(est.affinity_, est.labels_):.3f}" in lines[9]
    assert f"Silhouette: {found.silhouette:.2f} on average" in lines[10]
    assert "accuracy" not in result.stdout
    assert not re.search(r"\x1b|[^\x00-\x7f]", result.stdout)


def test_labels_are_looked_at_only_if_asked_for(invoke, wine):
    words = ("cluster", wine, "-c", 3, "--label-column", "target", "--json")
    without = json.loads(invoke(*words).stdout)
    assert without["against"] is None
    document = json.loads(invoke(*words, "--against-labels").stdout)
    assert document["labels"] == without["labels"]
    y = pd.read_csv(wine)["target"]
    assert document["against"] == {
        "label_column": "target",
        "accuracy": clustering_accuracy(y, document["labels"]),
        "nmi": nmi(y, document["labels"]),
        "n_labels": 3,
        "n_used": 178,
    }
    text = invoke(*words[:-1], "--against-labels").stdout
    assert f"accuracy {document['against']['accuracy']:.3f}" in text
    assert "not used for the clustering" in text


def test_missing_labels_do_not_count(invoke, wine):
    frame = pd.read_csv(wine)
    frame.loc[:99, "target"] = None
    frame.to_csv(wine, index=False)
    words = ("cluster", wine, "-c", 3, "--label-column", "target", "--against-labels")
    document = json.loads(invoke(*words, "--json").stdout)
    kept = frame["target"].notna().to_numpy()
    labels = np.array(document["labels"])[kept]
    assert document["against"]["n_used"] == 78
    assert document["against"]["accuracy"] == clustering_accuracy(frame["target"][kept], labels)
    assert "of the 78 labeled" in invoke(*words).stdout


@pytest.mark.parametrize("name", [m.name for m in list_methods("clusterer")])
def test_every_method(invoke, blobs, name):
    path, _, y = blobs
    defaults = get_method(name).defaults()
    words = ("cluster", path, "--method", name, "--json")
    if "n_clusters" in defaults:
        words += ("-c", 3)
    if "n_neighbors" in defaults:
        words += ("--param", "n_neighbors=5")
    if "affinity" in defaults:
        words += ("--param", "affinity=knn")
    if "resolution" in defaults:
        words += ("--param", "resolution=0.3")
    result = invoke(*words)
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["method"]["name"] == name
    assert document["n_groups"] == 3
    assert document["method"]["parameters"].get("n_clusters", 3) == 3
    codes = name in ("l1graph", "srsg", "lr_l1")
    assert document["data"]["scale"] == ("none" if codes else "standard")
    assert clustering_accuracy(y, document["labels"]) >= 0.9


def test_the_document(invoke, blobs):
    path, X, _ = blobs
    document = json.loads(invoke("cluster", path, "-c", 3, "--method", "l1graph", "--json").stdout)
    assert list(document) == [
        "schema", "versions", "data", "method", "n_groups", "groups", "graph", "quality",
        "against", "suggestion", "fit", "notes", "labels", "choice", "stability", "command",
    ]  # fmt: skip
    assert document["schema"] == "sksieve.cluster/1"
    est = sksieve.L1Graph(n_clusters=3, random_state=0).fit(X)
    found = partition(est.affinity_, est.labels_, X)
    assert document["labels"] == est.labels_.tolist()
    assert document["data"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert document["quality"]["modularity"] == pytest.approx(found.modularity)
    assert document["quality"]["silhouette"] == pytest.approx(found.silhouette)
    assert document["graph"]["components"] == found.component_sizes.tolist()
    assert [g["size"] for g in document["groups"]] == found.sizes.tolist()
    assert [g["inside"] for g in document["groups"]] == pytest.approx(found.inside.tolist())
    again = json.loads(invoke(*shlex.split(document["command"])[1:], "--json").stdout)
    assert again["labels"] == document["labels"]


def test_seed_and_parameters_reach_the_method(invoke, blobs):
    words = ("cluster", blobs[0], "-c", 2, "--seed", 7, "--param", "n_neighbors=3", "--json")
    parameters = json.loads(invoke(*words).stdout)["method"]["parameters"]
    assert (parameters["random_state"], parameters["n_neighbors"]) == (7, 3)


def test_scales(invoke, blobs):
    path, X, _ = blobs
    words = ("cluster", path, "-c", 3, "--scale", "none", "--json")
    document = json.loads(invoke(*words).stdout)
    est = sksieve.SpectralGraph(3, random_state=0).fit(X)
    assert document["labels"] == est.labels_.tolist()
    assert "--scale none" in document["command"]
    assert document["quality"]["modularity"] == pytest.approx(
        modularity(est.affinity_, est.labels_)
    )


def test_sparse_tables_are_left_as_they_are(invoke, tmp_path):
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(0.6, (40, 12)) + 3 * np.eye(2, 12)[np.arange(40) % 2])
    sp.save_npz(tmp_path / "counts.npz", X)
    result = invoke("cluster", tmp_path / "counts.npz", "-c", 2)
    assert result.exit_code == 0, result.stderr
    assert "40 rows x 12 columns, sparse, columns unchanged" in result.stdout


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".feather"])
def test_labels_are_written(invoke, wine, tmp_path, suffix):
    target = tmp_path / f"labels{suffix}"
    words = ("cluster", wine, "-c", 3, "--label-column", "target", "-o", target)
    result = invoke(*words)
    assert result.exit_code == 0, result.stderr
    reader = {
        ".csv": pd.read_csv, ".tsv": lambda path: pd.read_csv(path, sep="\t"),
        ".parquet": pd.read_parquet, ".feather": pd.read_feather,
    }[suffix]  # fmt: skip
    frame = reader(target)
    assert list(frame.columns) == ["row", "cluster", "target"]
    assert frame["row"].tolist() == list(range(178))
    assert frame["target"].tolist() == pd.read_csv(wine)["target"].tolist()
    assert frame["cluster"].tolist() == json.loads(invoke(*words, "--json").stdout)["labels"]
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_report_and_image(invoke, wine, tmp_path):
    from PIL import Image

    page, image = tmp_path / "r.html", tmp_path / "a.png"
    words = ("cluster", wine, "-c", 3, "--label-column", "target", "--against-labels")
    result = invoke(*words, "--report", page, "--adjacency", image)
    assert result.exit_code == 0, result.stderr
    html = page.read_text("utf-8")
    assert "178 samples in 3 clusters" in html
    assert "Columns that separate the clusters" in html
    assert "flavanoids" in html
    with Image.open(image) as picture:
        assert picture.size == (960, 810)
        assert len(np.unique(np.asarray(picture.convert("L")))) > 10


def test_the_python_in_the_report_repeats_the_labels(invoke, wine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("cluster", "wine.csv", "-c", 3, "--label-column", "target", "--report", "r.html")
    document = json.loads(invoke(*words, "--json").stdout)
    html = Path("r.html").read_text("utf-8")
    code = html.split("<h3>Python</h3>")[1].split("<code>")[1].split("</code>")[0]
    names: dict = {}
    exec(unescape(code), names)
    assert names["labels"].tolist() == document["labels"]


def test_the_next_command_runs(invoke, wine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["cluster", wine, "-c", 3, "--label-column", "target"]
    for name in ("page.html", "labels.csv"):
        words += shlex.split(invoke(*words).stdout.splitlines()[-1])[1:3]
        assert words[-1] == name
    assert invoke(*words).stdout.splitlines()[-1] == "Next: sksieve methods lists the methods."
    assert (tmp_path / "labels.csv").exists()
    assert (tmp_path / "page.html").exists()


def test_graphs_that_fall_apart_are_told(invoke, tmp_path):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 100])
    np.save(tmp_path / "two.npy", X)
    text = invoke("cluster", tmp_path / "two.npy", "-c", 2).stdout
    assert "2 connected components (20; 20 vertices)" in text
    assert " 100 %  " in text


@pytest.mark.parametrize("method", ["auto", "l1graph", "smce", "spma"])
def test_equal_rows_make_no_groups(refused, tmp_path, method):
    path = tmp_path / "twice.npy"
    words = ("cluster", path, "-c", 3, "--method", method)
    np.save(path, np.repeat([[0.0, 1.0], [5.0, 2.0]], 10, axis=0))
    assert refused(*words) == (
        "-c 3 asks for more groups than the 2 different rows of twice.npy; use 2 or fewer."
    )
    np.save(path, np.repeat([[0.0, 1.0], [-0.0, 1.0], [5.0, 2.0]], 10, axis=0))
    assert "the 2 different rows of twice.npy" in refused(*words)
    np.save(path, np.ones((8, 2)))
    assert refused(*words) == "All rows of twice.npy are equal; there are no groups to find."


def test_equal_rows_of_sparse_tables(refused, tmp_path):
    """Zeros that are stored are zeros."""
    X = sp.csr_array(([1.0, 0.0, 2.0, 1.0, 2.0], [0, 1, 2, 0, 2], [0, 3, 5]))
    assert X.nnz == 5
    sp.save_npz(tmp_path / "a.npz", X)
    assert "All rows of a.npz are equal" in refused("cluster", tmp_path / "a.npz", "-c", 2)


def test_tables_of_a_few_rows(invoke, tmp_path):
    np.save(tmp_path / "few.npy", np.array([[0.0, 1.0], [0.1, 1.1], [5.0, 3.0], [5.1, 3.3]]))
    result = invoke("cluster", tmp_path / "few.npy", "-c", 2)
    assert result.stderr.splitlines() == [
        "Note: The groups hold no more of the graph's weight (50.0 %) than expected at random "
        "(62.5 %): the graph does not support these groups.",
        "Note: n_neighbors=7 is more than the 3 other samples each sample of X has; "
        "n_neighbors=3 is used.",
    ]
    assert "every pair joined" in result.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("-c", 1), 2, "-c 1: find at least two groups; one is everything."),
        (
            ("-c", 2, "--method", "pocss"),
            2,
            "pocss chooses columns and finds no groups; sksieve methods",
        ),
        (("-c", 2, "--method", "spmaa"), 2, "There is no method 'spmaa'; did you mean spma"),
        (("-c", 2, "--param", "n_clusters=4"), 2, "--param n_clusters: use -c instead."),
        (("-c", 2, "--param", "affinity=precomputed"), 2, "a graph goes to sksieve communities"),
        (("-c", 2, "--param", "lam=4"), 2, "cluster_choice has no such parameter"),
        (("-c", 2, "--against-labels"), 2, "name the labels with --label-column"),
        (("-c", 37), 1, "-c 37 asks for more groups than the 36 rows of blobs.csv; use 36 or"),
        (("-c", 2, "-o", "x.npy"), 1, "the ending .npy is not one of .csv, .tsv"),
        (("-c", 2, "--adjacency", "x.gif"), 1, "the ending .gif is not one of .png"),
        (("-c", 2, "--report", "no/x.html"), 1, "the folder no does not exist"),
        (("-c", 2, "--drop", "*"), 1, "no column is left"),
    ],
)
def test_refusals(refused, blobs, words, code, said):
    assert said in refused("cluster", blobs[0], *words, code=code)


def test_tables_are_refused_as_everywhere(refused, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,x\n2,y\n3,z\n")
    assert "1 column of 2 does not hold numbers: 'b'" in refused("cluster", path, "-c", 2)
    path.write_text("a,b\n1,\n2,4\n3,5\n")
    assert "1 missing value in 1 column: 'b'" in refused("cluster", path, "-c", 2)
    path.write_text("a,b\n")
    assert "no rows" in refused("cluster", path, "-c", 2)
    assert "There is no file" in refused("cluster", tmp_path / "no.csv", "-c", 2)


def test_an_affinity_that_is_not_written_out(invoke, blobs, tmp_path):
    words = ("cluster", blobs[0], "-c", 3, "--method", "bpma", "--json")
    words += ("--report", tmp_path / "r.html", "--adjacency", tmp_path / "a.png", "--param")
    tiles = invoke(*words, "affinity=gaussian_tiles")
    if "must be a str among" in tiles.stderr:
        pytest.skip("this version has no such affinity")
    document = json.loads(tiles.stdout)
    dense = json.loads(invoke(*words, "affinity=gaussian").stdout)
    assert document["graph"] == dense["graph"]
    assert document["quality"]["modularity"] == pytest.approx(
        dense["quality"]["modularity"], abs=1e-6
    )


def test_ctrl_c_keeps_the_best_answer(invoke, blobs, monkeypatch):
    def pressed(self):
        self.requested = True
        return self

    monkeypatch.setattr(Interrupt, "__enter__", pressed)
    monkeypatch.setattr(Interrupt, "__exit__", lambda self, *exception: None)
    words = ("cluster", blobs[0], "-c", 3, "--method", "sdp2")
    result = invoke(*words)
    assert result.exit_code == 0
    assert result.stderr.startswith("Interrupted: best result after 1 iteration (")
    assert re.search(r"\(1 iteration in (under )?\d+ ms, stopped by Ctrl-C\)\.", result.stdout)
    assert json.loads(invoke(*words, "--json").stdout)["fit"]["interrupted"] is True


def test_ctrl_c_inside_compiled_code(capsys):
    error = SystemError("returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    with pytest.raises(typer.Exit) as stop, guarded(False):
        raise error
    assert stop.value.exit_code == 130
    assert capsys.readouterr().err == "Error: Interrupted; there is no result.\n"


def test_the_number_of_clusters_is_suggested(invoke, wine):
    from sksieve.suggest import suggest_n_clusters

    words = ("cluster", wine, "--label-column", "target")
    suggestion = suggest_n_clusters(pd.read_csv(wine).drop(columns="target"), random_state=0)
    result = invoke(*words)
    assert result.exit_code == 0, result.stderr
    assert f"Number: {suggestion.sentence}" in result.stdout.splitlines()
    document = json.loads(invoke(*words, "--json").stdout)
    assert document["n_groups"] == len(document["groups"]) == suggestion.n
    assert document["suggestion"]["p_value"] == suggestion.evidence["p_value"]
    assert "-c" not in document["command"].split()


def test_no_groups_is_a_result(invoke, tmp_path):
    np.save(tmp_path / "cloud.npy", np.random.default_rng(0).normal(size=(150, 3)))
    result = invoke("cluster", tmp_path / "cloud.npy", "-o", tmp_path / "labels.csv")
    assert result.exit_code == 0
    assert re.fullmatch(
        r"No groups found: the table looks like one lump \(p = [\d.]+\)\. With -c it is divided "
        r"anyway\.\n",
        result.stdout,
    )
    assert "labels.csv" in result.stderr
    assert not (tmp_path / "labels.csv").exists()
    document = json.loads(invoke("cluster", tmp_path / "cloud.npy", "--json").stdout)
    assert (document["schema"], document["n_groups"]) == ("sksieve.cluster/1", 1)
    assert invoke("cluster", tmp_path / "cloud.npy", "-c", 2).exit_code == 0


def test_mixed_tables_are_compared_by_gower(invoke, tmp_path):
    rng = np.random.RandomState(0)
    color = np.repeat(["red", "blue"], 30)
    lines = [f"{one},{x:.3f},{y:.3f}" for one, x, y in zip(color, *rng.randn(2, 60))]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["color,x,y", *lines]))
    result = invoke("cluster", path, "-c", 2, "--encode", "onehot")
    assert "Rows are compared by Gower's distance" in result.stderr
    assert "variables, compared by Gower's distance" in result.stdout
    assert "may decide the groups" not in result.stderr
    assert "The groups follow the column 'color': its values tell the group of" in result.stderr
    assert "--numeric-only" in result.stderr
    document = json.loads(invoke("cluster", path, "-c", 2, "--encode", "onehot", "--json").stdout)
    assert document["labels"] == [0] * 30 + [1] * 30
    assert document["method"]["parameters"]["groups"] == ["color", "x", "y"]
    plain = invoke("cluster", path, "-c", 2, "--numeric-only")
    assert "Gower" not in plain.stderr


def test_a_table_too_small_to_count_groups_is_named(refused, tmp_path):
    path = tmp_path / "tiny.csv"
    path.write_text("a,b\n1,2\n2,4\n3,7\n")
    message = refused("cluster", path)
    assert message.startswith("tiny.csv: give a number of groups (-c N). X has 3 rows")
