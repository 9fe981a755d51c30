"""Terminal, JSON, page and Python give one answer, whose numbers do not contradict each other."""

from __future__ import annotations

import inspect
import itertools
import json
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from typer.testing import CliRunner

import sksieve
from sksieve._wording import percent
from sksieve.cli import _options
from sksieve.cli._app import app
from sksieve.workflows._proof import _proof
from sksieve.workflows._tables import Preparing

from .answers import contradictions, generated

#: Options that say what to read and write, or how to print; the functions take tables and paths.
OUTSIDE = {
    *("data", "graph", "context", "debug", "json", "report", "output", "image_shape", "details"),
    *("adjacency", "name", "sep", "decimal", "header", "missing", "encoding"),
    *("source", "target", "weight", "symmetrize", "duplicates", "largest"),
}
#: Options whose argument has another name.
RENAMED = {
    "clusters": "n_clusters",
    "param": "params",
    "time": "time_limit",
    "seed": "random_state",
}


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        (_options.SelectOptions, sksieve.select),
        (_options.ClusterOptions, sksieve.cluster),
        (_options.CommunityOptions, sksieve.communities),
        (_options.CompareOptions, sksieve.compare),
    ],
)
def test_every_option_is_an_argument_with_the_same_default(kind, function):
    parameters = inspect.signature(function).parameters
    preparing = set(Preparing.__annotations__) if "preparing" in parameters else set()
    reading = set(inspect.signature(sksieve.io.read_table).parameters)
    options = {field.name: field.default for field in fields(kind)}
    for name, default in options.items():
        argument = RENAMED.get(name, name)
        if name in OUTSIDE | preparing | reading:
            continue
        assert argument in parameters, name
        if argument != "params" and isinstance(default, str | int | float | type(None)):
            default = getattr(default, "value", default)
            assert parameters[argument].default == default, name


def table(seed: int) -> pd.DataFrame:
    """A generated table: some factors, noise, a constant or a repeated column."""
    rng = np.random.default_rng(seed)
    n, d, r = rng.integers(12, 90), rng.integers(3, 14), rng.integers(1, 4)
    X = rng.normal(size=(n, r)) @ rng.normal(size=(r, d)) + rng.normal(size=(n, d))
    X *= rng.uniform(0.01, 100, d)
    if seed % 3 == 0:
        X[:, 0] = 4.0
    if seed % 3 == 1:
        X[:, 1] = -2 * X[:, 0]
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(d)])


@pytest.mark.parametrize("seed", range(12))
def test_one_answer_in_all_forms(tmp_path, seed):
    """Numbers, text with missing values, each use, a number, a share and a suggested number."""
    frame, words = generated(seed)
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    wrong = contradictions(path, words, tmp_path)
    assert not wrong
    if words[1].isdecimal():
        assert wrong is not None, "a number always has an answer"


def test_the_answer_prints_as_the_terminal_does(tmp_path):
    path = tmp_path / "t.csv"
    table(5).to_csv(path, index=False)
    text = CliRunner().invoke(app, ["select", str(path), "-k", "2", "--method", "greedy"]).stdout
    answer = str(sksieve.select(path, 2, method="greedy"))
    same = answer.replace("help(sksieve.GreedyCSS)", "sksieve methods greedy")
    assert text.splitlines()[:-1] == same.splitlines()


def test_groups_agree(tmp_path):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 3)) + 6 * i for i in range(3)])
    path = tmp_path / "t.csv"
    pd.DataFrame(X, columns=list("abc")).to_csv(path, index=False)
    document = json.loads(
        CliRunner().invoke(app, ["cluster", str(path), "-c", "3", "--json"]).stdout
    )
    answer = sksieve.cluster(path, 3)
    assert document["labels"] == answer.labels.tolist() == answer.frame["cluster"].tolist()
    assert document["quality"]["modularity"] == pytest.approx(answer.partition.modularity)
    assert f"(modularity {answer.partition.modularity:.3f})" in str(answer)


def test_arguments_that_exclude_each_other_are_named_as_in_python():
    with pytest.raises(sksieve.exceptions.ArgumentError, match=r"^use chooses the method"):
        sksieve.select(table(0), 2, "groups", method="greedy")
    with pytest.raises(sksieve.exceptions.DataError, match=r"^k=99 asks for more than the"):
        sksieve.select(table(0), 99)


def test_stability_is_the_same_everywhere(tmp_path):
    frame = table(4)
    path, page = tmp_path / "t.csv", tmp_path / "page.html"
    frame.to_csv(path, index=False)
    words = ["select", str(path), "-k", "2", "--stability"]
    text = CliRunner().invoke(app, [*words, "--report", str(page)]).stdout
    document = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    answer = sksieve.select(path, 2, stability=True)
    again = answer.stability
    assert again.names == answer.columns
    assert document["stability"]["counts"] == list(again.counts)
    assert [entry["chosen_again"] for entry in document["chosen"]] == list(again.counts)
    assert answer.frame["chosen_again"].tolist() == list(again.counts)
    assert f"Stability: {again.sentence}" in text.splitlines()
    assert f"{again.counts[1]} of 20" in text
    assert "Chosen again on half of the rows" in page.read_text(encoding="utf-8")
    assert sksieve.select(path, 2).stability is None


def test_stability_tells_a_column_of_structure_from_one_of_noise():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(80, 1))
    X = np.hstack([factor + 0.05 * rng.normal(size=(80, 4)), rng.normal(size=(80, 8))])
    again = sksieve.select(X, 2, "reconstruct", stability=True).stability
    assert again.names[0] in {"x0", "x1", "x2", "x3"}
    assert again.counts[0] == 20
    assert again.stand_ins[0] in {"x0", "x1", "x2", "x3"} - {again.names[0]}
    assert again.counts[1] < 10
    assert again.names[1] in again.sentence


def test_stability_of_variables():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 90)
    frame = pd.DataFrame({"a": level + 0.1 * rng.normal(size=90), "noise": rng.normal(size=90)})
    frame["level"] = np.array(["low", "middle", "high"])[level]
    answer = sksieve.select(frame, 1, encode="onehot", stability=True)
    assert answer.stability.names == answer.columns == ["level"]
    assert answer.stability.counts == [20]
    assert "variable" in answer.stability.sentence


def test_stability_of_groups(tmp_path):
    rng = np.random.default_rng(0)
    X = np.repeat(np.eye(3) * 20, 40, axis=0) + rng.normal(size=(120, 3))
    path, page = tmp_path / "t.csv", tmp_path / "page.html"
    pd.DataFrame(X, columns=list("abc")).to_csv(path, index=False)
    words = ["cluster", str(path), "-c", "3", "--stability"]
    text = CliRunner().invoke(app, [*words, "--report", str(page)]).stdout
    document = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    again = sksieve.cluster(path, 3, stability=True).stability
    assert again.mean == document["stability"]["mean"] == 1.0
    assert f"Stability: {again.sentence}" in text.splitlines()
    assert "adjusted Rand index of 1.00" in page.read_text(encoding="utf-8")
    noise = sksieve.cluster(rng.normal(size=(60, 8)), 5, stability=True).stability
    assert noise.lowest <= noise.mean < 0.65
    assert "That is low" in noise.sentence


def test_stability_of_a_method_that_refuses_halves():
    X = np.random.default_rng(0).normal(size=(14, 3))
    with pytest.raises(sksieve.exceptions.DataError, match=r"stability: .* a half of 7 rows"):
        sksieve.cluster(X, 9, method="spectral", stability=True)


def least_error(X, k):
    """The smallest error of k columns, by going through all of them, as a share."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    errors = [
        np.sum((Z - Z[:, S] @ np.linalg.lstsq(Z[:, S], Z)[0]) ** 2)
        for S in map(list, itertools.combinations(range(X.shape[1]), k))
    ]
    return min(errors) / np.sum(Z**2)


def test_what_is_proved_of_a_small_table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 8)) + rng.normal(size=(50, 8))
    path, page = tmp_path / "t.csv", tmp_path / "page.html"
    pd.DataFrame(X, columns=list("abcdefgh")).to_csv(path, index=False)
    words = ["select", str(path), "-k", "3", "--for", "reconstruct"]
    text = CliRunner().invoke(app, [*words, "--report", str(page)]).stdout
    sentence = "No other 3 columns have a smaller error on these rows (proved)."
    assert f"Proof: {sentence}" in text.splitlines()
    assert f"Proof: {sentence}" in page.read_text(encoding="utf-8")
    document = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert document["proof"]["is_best"] is True
    assert document["proof"]["sentence"] == sentence
    least = least_error(X, 3)
    assert document["proof"]["bound"] == pytest.approx(1 - least)
    assert 1 - document["train"]["explained"] == pytest.approx(least)
    assert sksieve.select(path, 3).proof is None
    assert sksieve.select(path, 8, "reconstruct").proof is None, "all columns: nothing to prove"


def test_what_is_said_where_other_columns_are_better_or_nothing_is_proved():
    X = np.random.default_rng(1).normal(size=(30, 6))
    answer = sksieve.select(X, 2, "reconstruct")
    exact = sksieve.ExactCSS(2).fit(X)
    worse = replace(answer.train, error=1.1 * answer.train.error)
    proved = _proof(exact, worse, answer.numeric)
    assert proved.is_best is False
    assert proved.bound == pytest.approx(1 - least_error(X, 2))
    assert all(repr(answer.numeric.columns[j]) in proved.sentence for j in exact.ranking_[:2])
    X = np.random.default_rng(1).normal(size=(40, 30))
    answer = sksieve.select(X, 8, "reconstruct")
    with pytest.warns(ConvergenceWarning, match="Not proven"):
        exact = sksieve.ExactCSS(8, max_iter=1).fit(X)
    unknown = _proof(exact, answer.train, answer.numeric)
    assert unknown.is_best is None
    assert answer.train.explained < unknown.bound < 1
    assert unknown.bound == pytest.approx(1 - exact.lower_bound_ / answer.train.total)
    assert f"more than {percent(unknown.bound)}" in unknown.sentence
