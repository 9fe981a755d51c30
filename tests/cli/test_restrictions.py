"""``--candidates``, ``--keep``, ``--cost`` and ``--solver``: what may be chosen, and messages."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sksieve

from .conftest import NAMES


@pytest.fixture
def document(invoke, csv):
    """The JSON document of ``sksieve select`` on the small table, and what is on stderr."""

    def run(*words):
        result = invoke("select", csv, "--drop", "group", "--json", *words)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout), result.stderr

    return run


def _chosen(document):
    return [entry["name"] for entry in document["chosen"]]


def test_candidates_and_kept_columns(document, values):
    words = ("-k", 2, "--candidates", "p*,dose", "--keep", "age", "--method", "iterfs")
    est = sksieve.IterFS(2, candidates=[2, 3, 4], keep=[0], random_state=0).fit(values)
    result, _ = document(*words)
    assert sorted(_chosen(result)) == sorted(NAMES[j] for j in est.ranking_[:2])
    assert "age" in _chosen(result)
    assert "height" not in _chosen(result)
    assert result["train"]["error"] == pytest.approx(est.objective_)
    assert sorted(est.candidates_) == [0, 2, 3, 4]


def test_names_from_a_file(document, tmp_path):
    panel = tmp_path / "panel.txt"
    panel.write_text("dose\n\n p2 \np1\n")
    by_file, _ = document("-k", 2, "--candidates", f"@{panel}")
    by_name, _ = document("-k", 2, "--candidates", "dose,p1,p2")
    assert _chosen(by_file) == _chosen(by_name)
    assert set(_chosen(by_file)) <= {"dose", "p1", "p2"}
    assert by_file["method"]["name"] == "local_search"
    assert by_file["method"]["reason"] == "auto: takes --candidates"
    used, _ = document("-k", 2, "--columns", f"@{panel}")
    assert used["columns"] == ["dose", "p1", "p2"]


def test_columns_within_a_budget(invoke, document, csv, values, tmp_path):
    cost = [5.0, 4.0, 1.0, 2.0, 2.5]
    path = tmp_path / "cost.csv"
    lines = [f"{name},{one}" for name, one in zip([*NAMES, "gone"], [*cost, 1.0])]
    path.write_text("\n".join(["column,cost", *lines]) + "\n")
    words = ("-k", 3, "--method", "greedy", "--cost", path, "--budget", 5)
    est = sksieve.GreedyCSS(3, budget=5.0).fit(values, cost=cost)
    result, stderr = document(*words)
    chosen = est.ranking_[: est.n_features_to_select_]
    assert _chosen(result) == [NAMES[j] for j in chosen]
    assert [entry["cost"] for entry in result["chosen"]] == [cost[j] for j in chosen]
    assert "Costs of columns that are not used: 'gone'." in stderr
    displayed = invoke("select", csv, "--drop", "group", *words).stdout
    assert f"Cost: {np.take(cost, chosen).sum():g} of 5." in displayed


def test_the_factored_solver(document, values):
    result, _ = document("-k", 2, "--solver", "factored", "--method", "iterfs")
    est = sksieve.IterFS(2, solver="factored", random_state=0).fit(values)
    assert _chosen(result) == [NAMES[j] for j in est.ranking_[:2]]
    assert result["method"]["parameters"]["solver"] == "factored"


def test_a_suggested_number_is_made_possible(document):
    result, _ = document("--keep", "age,height,p1,p2")
    assert set(_chosen(result)) >= {"age", "height", "p1", "p2"}
    result, _ = document("--candidates", "dose")
    assert _chosen(result) == ["dose"]


def test_a_column_asked_for_by_name_is_not_left_out(invoke, tmp_path):
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    rows = (f"{i},{i % 2},{rng.normal():.3f},{rng.normal():.3f}\n" for i in range(20))
    path.write_text("i,class,a,b\n" + "".join(rows))
    for words in (("--keep", "i,class"), ("--candidates", "i,class")):
        result = invoke("select", path, "-k", 2, "--json", *words)
        assert set(_chosen(json.loads(result.stdout))) == {"i", "class"}


CASES = {
    ("--candidates", "agee,dose"): (
        "--candidates 'agee': what is used of table.csv has no such column; did you mean 'age'?"
    ),
    ("--keep", "x*"): (
        "--keep 'x*': what is used of table.csv has no such column; it has 'age', 'height', "
        "'dose', 'p1', 'p2'."
    ),
    ("--keep", "age,dose,p1"): ("--keep names 3 columns, more than -k 2; raise -k, or keep fewer."),
    ("--candidates", "age"): (
        "--candidates names 1 column, fewer than -k 2; lower -k, or name more."
    ),
    ("--candidates", "@none.txt"): (
        "@none.txt: cannot read names of columns: there is no such file."
    ),
}


@pytest.mark.parametrize("words", list(CASES))
def test_columns_that_do_not_fit(refused, csv, words):
    message = CASES[words]
    assert refused("select", csv, "--drop", "group", "-k", 2, *words) == message


USAGE = {
    ("--cost", "c.csv"): "--cost and --budget belong together",
    ("--budget", "3"): "--cost and --budget belong together",
    ("--cost", "c.csv", "--budget", "-1"): "--budget -1: give a number above 0.",
    ("--method", "leverage", "--cost", "c.csv", "--budget", "3"): (
        "--cost: the method leverage does not take it; methods that do: greedy, "
    ),
    ("--method", "lapscore", "--keep", "age"): "--keep: the method lapscore does not take it",
    ("--for", "groups", "--keep", "age"): "--keep is for column subset methods",
    ("--method", "greedy", "--param", "solver=gram"): "--param solver: use --solver instead.",
}


@pytest.mark.parametrize("words", list(USAGE))
def test_options_that_contradict_each_other(refused, csv, words):
    message = refused("select", csv, "--drop", "group", "-k", 2, *words, code=2)
    assert message.startswith(USAGE[words])


def test_costs_that_cannot_be_used(refused, csv, tmp_path):
    path = tmp_path / "c.csv"
    words = ("select", csv, "--drop", "group", "-k", 2, "--cost", path, "--budget", 3)
    path.write_text("column,cost\nage,1\nheight,2\n")
    assert refused(*words) == f"{path}: no cost for 'dose', 'p1', 'p2'."
    path.write_text("column,cost\n" + "".join(f"{name},-1\n" for name in NAMES))
    assert "is not a number of 0 or more" in refused(*words)
    path.write_text("column\n" + "".join(f"{name}\n" for name in NAMES))
    assert "give a table of two columns" in refused(*words)
    path.write_text("column,cost\n" + "".join(f"{name},9\n" for name in NAMES))
    assert "No column costs as little as budget=3" in refused(*words)
