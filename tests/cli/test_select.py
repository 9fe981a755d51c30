"""``sksieve select``: the answer, and how it is told."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import MinMaxScaler

import sksieve
from sksieve._wording import percent
from sksieve.cli._options import parse_seconds
from sksieve.metrics import HeldOut
from sksieve.suggest import suggest_n_columns

from .conftest import NAMES, parsed


def greedy(invoke, csv, *words) -> Any:
    return invoke("select", csv, "--drop", "group", "--method", "greedy", *words)


def test_what_a_person_reads(invoke, csv, values):
    est = sksieve.GreedyCSS(n_features_to_select=2, scale="standard").fit(values)
    result = greedy(invoke, csv, "-k", 2)
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    judge = HeldOut(values)
    shares = judge.path(est.ranking_[:2])
    assert lines[:3] == [
        "table.csv: 30 rows, 5 columns.",
        f"2 of 5 columns explain {percent(shares[1])} of the table on rows not used (PCA with 2 "
        f"components {percent(judge.components(2)[1])}, 2 random columns "
        f"{percent(judge.random(2)[1])}).",
        "",
    ]
    assert lines[3].split() == ["#", "column", "so", "far", "adds"]
    for k, line in enumerate(lines[4:6]):
        rank, name, so_far, _, adds, _ = line.split()
        assert (rank, name) == (str(k + 1), NAMES[est.ranking_[k]])
        assert float(so_far) == pytest.approx(100 * shares[k], abs=0.051)
        assert float(adds) == pytest.approx(100 * (shares[k] - (shares[0] if k else 0)), abs=0.051)
    assert lines[7].startswith("How chosen: ")
    assert lines[7].endswith("(greedy, as requested; more: sksieve methods greedy).")
    assert lines[8] == "Next: --report page.html shows what explains each dropped column."
    assert len(lines) == 9
    details = greedy(invoke, csv, "-k", 2, "--details").stdout.splitlines()
    assert details[:8] == lines[:8]
    assert (
        details[9]
        == "Data: table.csv, 30 rows x 5 columns, each column centered and scaled to variance 1"
    )
    train = 1 - est.error_path_[2] / est.error_path_[0]
    assert details[10].startswith(f"On the rows of the fit: {percent(train)} explained (PCA ")
    assert details[10].endswith(f"error ratio {est.error_ratio_:.3f}).")
    assert not re.search(r"\x1b|[^\x00-\x7f]", result.stdout)
    assert not any(line != line.rstrip() for line in lines)


def test_names_do_not_move_the_cursor(invoke, tmp_path, values):
    names = np.array(["a\tb", "c\nd", "\x1b[31mred", "Grö\u2028ße", "e"])
    np.savez(tmp_path / "a.npz", X=values, feature_names=names)
    result = invoke("select", tmp_path / "a.npz", "-k", 5, "--method", "variance")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 12
    displayed = set(result.stdout.split())
    assert {"a\\tb", "c\\nd", "\\x1b[31mred", "Grö\\u2028ße", "e"} <= displayed


def test_auto_takes_the_structure_target(invoke, csv, values):
    words = ("select", csv, "-k", 2, "--drop", "group")
    document = json.loads(invoke(*words, "--json").stdout)
    choice = sksieve.ColumnChoice(2, random_state=0).fit(values)
    assert document["method"]["name"] == choice.method_
    assert [c["indices"][0] for c in document["chosen"]] == choice.estimator_.ranking_[:2].tolist()
    assert document["choice"]["use"] == "any"
    for entry, record in zip(document["choice"]["candidates"], choice.compared_, strict=True):
        assert (entry["method"], entry["columns"]) == (record["method"], record["columns"])
        assert entry["explained"] == pytest.approx(record["explained"])
    lines = invoke(*words, "--details").stdout.splitlines()
    assert (
        "How chosen: columns that carry the groups and the variance (structure target; more: "
        "sksieve methods iterfs). Another use: --for reconstruct." in lines
    )
    start = next(i for i, line in enumerate(lines) if line.startswith("candidate "))
    displayed = [line.split()[0] for line in lines[start + 1 : start + 3]]
    assert displayed == [record["method"] for record in choice.compared_]


@pytest.mark.parametrize("use", ["reconstruct", "groups", "neighbors"])
def test_what_the_columns_are_for(invoke, csv, values, use):
    words = ("select", csv, "-k", 2, "--drop", "group", "--for", use, "--json")
    document = json.loads(invoke(*words).stdout)
    choice = sksieve.ColumnChoice(2, use=use, random_state=0).fit(values)
    assert document["method"]["name"] == choice.method_
    assert [c["indices"][0] for c in document["chosen"]] == choice.estimator_.ranking_[:2].tolist()


def test_a_number_of_groups_needs_a_method_that_uses_it(invoke, refused, csv):
    words = ("select", csv, "-k", 2, "--drop", "group", "-c", 3)
    assert "-c 3: choice needs no number of groups; methods that do: " in refused(*words, code=2)
    blufs = json.loads(invoke(*words, "--method", "blufs", "--json").stdout)
    assert blufs["method"]["parameters"]["n_clusters"] == 3


def test_the_number_of_columns_is_suggested(invoke, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 12)) + 0.5 * rng.normal(size=(200, 12))
    np.save(tmp_path / "a.npy", X)
    suggestion = suggest_n_columns(X, random_state=0)
    result = invoke("select", tmp_path / "a.npy", "--method", "greedy")
    assert result.exit_code == 0, result.stderr
    low, high = suggestion.interval
    between = f" ({low} to {high})" if low < high else ""
    assert f"How many: {suggestion.n}{between}: " in result.stdout
    document = json.loads(invoke("select", tmp_path / "a.npy", "--json").stdout)
    assert (document["k"], document["requested"]) == (suggestion.n, "auto")
    assert document["suggestion"]["kind"] == suggestion.kind
    share = invoke("select", tmp_path / "a.npy", "-k", "95%", "--method", "greedy")
    k = suggestion.enough(0.95)
    start = f"How many: {k}: the fewest that carry 95.0 % of what all columns have in common"
    assert start in share.stdout
    assert f"\n{k} of 12 columns explain" in share.stdout


def test_a_table_without_structure_suggests_no_number(refused, tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(100, 6)))
    message = refused("select", tmp_path / "a.npy")
    assert "Choose a number (-k N). To continue: sksieve select " in message
    assert message.endswith("a.npy -k 3")
    np.save(tmp_path / "b.npy", np.eye(5)[:, :3])
    few = refused("select", tmp_path / "b.npy")
    assert few.startswith("b.npy: give a number of columns (-k N).")


@pytest.mark.parametrize("text", ["ten", "0%", "100%", "1.5", "%"])
def test_what_is_no_number_of_columns(refused, csv, text):
    message = refused("select", csv, "-k", text, code=2)
    assert message == f"-k {text}: use a number, auto, or a share such as 90%."


def test_a_purpose_and_a_method_exclude_each_other(refused, csv):
    words = ("select", csv, "-k", 2, "--method", "greedy", "--for", "groups")
    assert refused(*words, code=2).startswith("--for chooses the method")


def test_time_limit(invoke, csv):
    words = ("select", csv, "-k", 2, "--drop", "group", "--time", "50ms")
    document = json.loads(invoke(*words, "--json").stdout)
    assert document["method"]["parameters"]["time_budget"] == 0.05
    assert document["fit"]["stop_reason"] == "time_budget"
    assert "stopped by the time limit)." in invoke(*words, "--details").stdout


def test_the_quicker_method_is_named_where_pocss_is_asked_for(invoke, csv):
    words = ("select", csv, "-k", 2, "--drop", "group", "--details", "--param", "max_iter=500")
    lines = invoke(*words, "--method", "pocss").stdout.splitlines()
    (line,) = [line for line in lines if line.startswith("Time: ")]
    assert line.endswith("Usually quicker, with about the same error: --method local_search.")


def test_the_next_command_runs(invoke, csv, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    more: list[str] = []
    for name in ("page.html", "chosen.csv"):
        result = greedy(invoke, csv, "-k", 2, *more)
        more += shlex.split(result.stdout.splitlines()[-1])[1:3]
        assert more[-1] == name
        assert greedy(invoke, csv, "-k", 2, *more).exit_code == 0
        assert (tmp_path / name).exists()


@pytest.mark.parametrize("scale", ["unit", "standard", "none"])
def test_scales_of_column_subset_methods(invoke, csv, values, scale):
    document = json.loads(greedy(invoke, csv, "-k", 3, "--scale", scale, "--json").stdout)
    est = sksieve.GreedyCSS(n_features_to_select=3, scale=scale).fit(values)
    assert [c["indices"][0] for c in document["chosen"]] == est.ranking_[:3].tolist()
    assert document["train"]["error"] == pytest.approx(est.objective_, rel=1e-9)
    assert document["train"]["ratio"] == pytest.approx(est.error_ratio_, rel=1e-9)


def test_minmax(invoke, csv, values):
    document = json.loads(greedy(invoke, csv, "-k", 3, "--scale", "minmax", "--json").stdout)
    X = MinMaxScaler().fit_transform(values)
    est = sksieve.GreedyCSS(n_features_to_select=3, scale="none").fit(X)
    assert [c["indices"][0] for c in document["chosen"]] == est.ranking_[:3].tolist()
    assert document["train"]["total"] == pytest.approx(np.sum(X**2))


def test_the_document(invoke, csv, values):
    words = ("-k", 2, "--json", "--seed", 5, "--method", "two_stage")
    result = invoke("select", csv, "--label-column", "group", *words)
    document = json.loads(result.stdout)
    assert list(document) == [
        "schema", "versions", "data", "method", "k", "requested", "suggestion", "choice",
        "explained", "chosen", "proof", "stability", "variables", "train",
        "ranking", "columns", "fit", "notes", "command",
    ]  # fmt: skip
    assert document["schema"] == "sksieve.select/2"
    assert document["versions"]["scikit-sieve"] == sksieve.__version__
    assert document["versions"]["numpy"] == np.__version__
    assert document["data"] == {
        "name": "table.csv",
        "sha256": hashlib.sha256(csv.read_bytes()).hexdigest(),
        "sha256_of": "file",
        "n_samples": 30,
        "n_features": 5,
        "sparse": False,
        "label_column": "group",
    }
    assert document["method"]["name"] == "two_stage"
    assert document["method"]["class"] == "TwoStageCSS"
    assert document["method"]["parameters"]["n_features_to_select"] == 2
    assert document["method"]["seed"] == 5
    assert sorted(document["ranking"]) == list(range(5))
    shares = [column["explained"] for column in document["chosen"]]
    assert shares[-1] == document["explained"]["chosen"]
    for point in document["train"]["path"]:
        A = (values - values.mean(axis=0)) / values.std(axis=0) / np.sqrt(30)
        S = A[:, point["columns"]]
        error = np.sum((A - S @ np.linalg.lstsq(S, A)[0]) ** 2)
        assert point["error"] == pytest.approx(error, rel=1e-9)
        bound = np.sum(np.linalg.svd(A)[1][point["k"] :] ** 2)
        assert point["best_possible"] == pytest.approx(bound, rel=1e-9)
    repeated = invoke(*shlex.split(document["command"])[1:], "--json")
    again = json.loads(repeated.stdout)
    again["fit"] = document["fit"]
    assert again == document


def test_notes_are_in_the_document_and_on_stderr(invoke, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1,2,9\n2,,9\n4,5,9\n")
    result = invoke(
        "select", path, "-k", 1, "--impute", "mean", "--method", "greedy", "--json"
    )  # fmt: skip
    notes = json.loads(result.stdout)["notes"]
    assert [f"Note: {note}" for note in notes] == result.stderr.splitlines()
    assert notes[0] == "1 column with one value only: 'c'; it carries no information."
    assert notes[1].startswith("1 missing value in 1 column replaced by the column's mean")


def test_numbers_that_are_not_finite_are_null():
    from sksieve.cli._print import dumps

    given = {"a": float("nan"), "b": [np.inf, np.float64(2.0)], "c": np.arange(2), "d": int}
    assert json.loads(dumps(given)) == {"a": None, "b": [None, 2.0], "c": [0, 1], "d": repr(int)}


def test_fewer_columns_than_asked_is_said(invoke, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1,2,3\n2,4,1\n5,10,2\n")
    result = invoke("select", path, "-k", 3, "--method", "greedy")
    assert result.exit_code == 0
    assert "X has numerical rank 2" in result.stderr
    assert "2 of 3 columns explain " in result.stdout


def test_row_numbers_are_left_out_unless_asked_for(invoke, tmp_path):
    path = tmp_path / "a.csv"
    rng = np.random.default_rng(0)
    rows = [f"{i},{u},{1990 + i},{i * i}\n" for i, u in enumerate(rng.normal(size=12))]
    path.write_text(",a,year,b\n" + "".join(rows))
    words = ("select", path, "-k", 1, "--method", "greedy", "--json")
    result = invoke(*words)
    assert "1 column without a name: called 'unnamed_0'." in result.stderr
    left_out = "Left out 'unnamed_0': it numbers the rows (--include unnamed_0)."
    assert left_out in result.stderr
    text = invoke(*words[:-1])
    assert text.stdout.startswith(f"a.csv: 12 rows, 3 columns. {left_out}\n1 of 3 columns")
    assert "Left out" not in text.stderr
    assert json.loads(result.stdout)["columns"] == ["a", "year", "b"]
    for words_of_use in (("--include", "unnamed_0"), ("--columns", "unnamed_0,a,year,b")):
        kept = invoke(*words, *words_of_use)
        assert json.loads(kept.stdout)["columns"][0] == "unnamed_0"
        assert "Left out" not in kept.stderr
    path.write_text("i,a,b\n" + "".join(f"{9 - i},{u},{u * u}\n" for i, u in enumerate(range(10))))
    shuffled = json.loads(invoke(*words).stdout)
    assert "i" not in shuffled["columns"]


@pytest.mark.parametrize("sparse", [False, True])
def test_constant_columns_draw_a_remark(invoke, tmp_path, values, sparse):
    """Also where values are missing; of a sparse table its zeros count."""
    values[:, 1], values[:, 3] = 7.0, -7.0
    values[3, 1], values[4, 3], values[5, 0] = np.nan, np.nan, np.nan
    X = sp.csr_array(np.where(np.arange(5) == 4, 0.0, values)) if sparse else values
    path = tmp_path / ("a.npz" if sparse else "a.npy")
    sp.save_npz(path, X) if sparse else np.save(path, X)
    message = invoke("select", path, "-k", 1, "--impute", "mean").stderr
    names = "3 columns with one value only: 'x1', 'x3', 'x4';"
    assert (names if sparse else "2 columns with one value only: 'x1', 'x3';") in message


@pytest.mark.parametrize("name", ["Class", "target", "LABEL"])
def test_label_columns_are_left_out_unless_asked_for(invoke, tmp_path, name):
    path = tmp_path / "a.csv"
    path.write_text(f"a,b,{name}\n1,2,0\n3,1,1\n2,2,0\n")
    words = ("select", path, "-k", 1, "--method", "greedy", "--json")
    result = invoke(*words)
    assert result.stderr == (
        f"Note: Left out '{name}': its name suggests labels (--include {name}).\n"
    )
    assert json.loads(result.stdout)["columns"] == ["a", "b"]
    assert invoke(*words, "--label-column", name).stderr == ""
    assert json.loads(invoke(*words, "--include", name).stdout)["columns"] == ["a", "b", name]


def test_a_coordinate_called_y_is_no_label(invoke, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,2\n3,1\n2,2\n")
    words = ("select", path, "-k", 1, "--method", "greedy", "--json")
    assert json.loads(invoke(*words).stdout)["columns"] == ["x", "y"]


MESSY = "n,b,c,d,when,e\n" + "".join(
    f"{i * i},{'' if i == 3 else i % 5},{('blue', 'red', 'green')[i % 3]},"
    f"{'?' if i == 7 else i % 3 + i},"
    f"2024-01-{i + 1:02},{'inf' if i == 2 else i % 4}\n"
    for i in range(12)
)


def test_all_obstacles_in_one_message_and_a_command_that_goes_on(invoke, tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text(MESSY)
    result = invoke("select", path, "-k", 2)
    assert result.exit_code == 1
    first, *obstacles, last = result.stderr.splitlines()
    assert first == "Error: messy.csv cannot be used yet:"
    assert [text.split(";")[0].strip() for text in obstacles] == [
        "column 'd' is numeric except for 1 cell of 12, the first in row 8: '?'",
        "1 column of 6 does not hold numbers: 'c' (for example 'blue')",
        "1 column holds dates: 'when'",
        "1 infinite value in 1 column: 'e'",
        "1 missing value in 1 column: 'b' 1",
    ]
    command = shlex.split(last.removeprefix("To continue: "))
    assert command[0] == "sksieve"
    again = invoke(*command[1:])
    assert again.exit_code == 0, again.stderr
    assert "1 text column ('c') became 3 0/1 columns (--encode onehot)." in again.stderr
    assert "2 missing values in 2 columns replaced by the column's median" in again.stderr


def test_rows_and_columns_with_missing_values_can_be_left_out(invoke, tmp_path):
    path, target = tmp_path / "a.csv", tmp_path / "o.csv"
    rows = [
        f"{i * i},{'' if i < 4 else i % 5},{'' if i == 9 else 3 * i % 7},l{i}\n" for i in range(12)
    ]
    path.write_text("a,b,c,class\n" + "".join(rows))
    words = ("select", path, "-k", 1, "--method", "greedy", "--label-column", "class")
    words = (*words, "-o", target)
    result = invoke(*words, "--drop-missing", "rows", "--json")
    assert "5 of 12 rows left out (--drop-missing rows)." in result.stderr
    document = json.loads(result.stdout)
    assert document["data"]["n_samples"] == 7
    chosen = document["chosen"][0]
    assert chosen["missing"] == pytest.approx({"a": 0, "b": 4 / 12, "c": 1 / 12}[chosen["name"]])
    lines = target.read_text().splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == [f"l{i}" for i in (4, 5, 6, 7, 8, 10, 11)]
    share = invoke(*words, "--drop-missing", "columns:0.1", "--impute", "knn")
    left_out = (
        "Left out 'b': values missing in more than 10.0 % of the rows (--drop-missing columns)."
    )
    assert left_out in share.stdout.splitlines()[0]
    assert "replaced by the mean of the 5 nearest rows: 'c' 1 (--impute knn)." in share.stderr
    both = json.loads(invoke(*words, "--drop-missing", "columns", "--json").stdout)
    assert both["columns"] == ["a"]


@pytest.mark.parametrize("text", ["cells", "rows:0.5", "columns:1", "columns:x", "columns:-1"])
def test_what_is_no_drop_missing(refused, csv, text):
    words = ("select", csv, "-k", 1, "--drop", "group", "--drop-missing", text)
    assert "use rows, columns, or columns:SHARE" in refused(*words, code=2)


def test_the_share_of_missing_values_stands_beside_the_column(invoke, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,\n2,4\n9,5\n4,1\n")
    lines = invoke("select", path, "-k", 2, "--impute", "mean").stdout.splitlines()
    assert lines[3].split() == ["#", "column", "so", "far", "adds", "missing"]
    shares = {line.split()[1]: line.split()[-2] for line in lines[4:6]}
    assert shares == {"a": "0", "b": "25.0"}


def test_a_first_line_of_numbers_draws_a_remark(invoke, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("400,500,600.5\n1,2,4\n3,1,2\n")
    result = invoke("select", path, "-k", 1, "--method", "greedy")
    assert "The first line of a.csv holds numbers ('400', '500', '600.5')" in result.stderr
    assert "3 columns" in result.stdout


def test_arrays_beside_the_table_are_named(invoke, tmp_path, values):
    np.savez(tmp_path / "a.npz", fea=values, gnd=np.arange(30), cut=np.arange(29))
    words = ("select", tmp_path / "a.npz", "-k", 1, "--method", "greedy")
    message = invoke(*words).stderr
    assert "The table is the array 'fea'" in message
    assert "Not used: 'gnd' (one value per row" in message
    message = invoke(*words, "--label-column", "gnd").stderr
    assert "Not used" not in message


def test_columns_and_drop(invoke, csv):
    words = ("-k", 1, "--json", "--columns", "p*,age", "--drop", "p2,dose")
    document = json.loads(greedy(invoke, csv, *words).stdout)
    assert document["columns"] == ["age", "p1"]


def test_a_label_column_of_numbers_is_not_chosen(invoke, csv):
    words = ("--label-column", "dose", "-k", 4, "--json")
    document = json.loads(greedy(invoke, csv, *words).stdout)
    assert "dose" not in document["columns"]


def test_parameters_reach_the_estimator(invoke, csv):
    words = ("select", csv, "-k", 2, "--drop", "group", "--method", "astar", "--json")
    result = invoke(*words, "--param", "epsilon=0", "--param", "v=h", "--time", "1.5m")
    parameters = json.loads(result.stdout)["method"]["parameters"]
    assert (parameters["epsilon"], parameters["v"], parameters["time_budget"]) == (0, "h", 90.0)


def test_the_report(invoke, csv, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "sksieve.report.report_page", lambda result, path: seen.append((result, path))
    )
    target = csv.parent / "r.html"
    words = ("-k", 2, "--scale", "minmax", "--report", target)
    assert greedy(invoke, csv, *words).exit_code == 0
    [(result, path)] = seen
    assert path == target
    assert result.method == "greedy"
    assert result.feature_names == NAMES
    assert result.command == (
        f"sksieve select {shlex.quote(str(csv))} -k 2 --method greedy --scale minmax --drop group"
        f" --report {shlex.quote(str(target))}"
    )
    assert result.data_sha256 == hashlib.sha256(csv.read_bytes()).hexdigest()
    assert (result.n_samples, result.n_features) == (30, 5)
    assert result.scale == "minmax"
    assert result.X.min() == 0.0
    assert result.X.max() == 1.0
    assert result.seed is None
    space: dict[str, Any] = {}
    exec(result.loading, space)
    assert space["X"].columns.tolist() == NAMES


def test_the_report_is_a_page(invoke, csv):
    target = csv.parent / "r.html"
    assert greedy(invoke, csv, "-k", 2, "--report", target).exit_code == 0
    page = target.read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "sksieve select" in page


@pytest.mark.parametrize("k", [3, 17])
def test_shipped_data_sets(invoke, k):
    result = invoke("select", "dataset:digits", "-k", k, "--method", "greedy", "--json")
    document = json.loads(result.stdout)
    from sksieve.datasets import load

    X = load("digits").X
    assert document["data"]["sha256"] == hashlib.sha256(X.tobytes()).hexdigest()
    assert document["data"]["sha256_of"] == "array"
    est = sksieve.GreedyCSS(n_features_to_select=k, scale="standard").fit(X)
    assert document["train"]["ratio"] == pytest.approx(est.error_ratio_)
    assert any(note.startswith("3 columns with one value only") for note in document["notes"])


def test_labels_of_data_sets(invoke, tmp_path):
    out = tmp_path / "o.csv"
    words = ("select", "dataset:iris", "-k", 2, "--method", "greedy", "-o", out)
    assert "Not used: 'y'" in invoke(*words).stderr
    assert invoke(*words, "--label-column", "y").stderr == ""
    header, *rows = out.read_text().splitlines()
    assert header.endswith(",y")
    assert [row.rsplit(",", 1)[1] for row in rows] == ["0"] * 50 + ["1"] * 50 + ["2"] * 50


def test_real_tables(invoke, real_data, tmp_path):
    X = real_data("sonar").X
    document = json.loads(
        invoke("select", "dataset:sonar", "-k", 5, "--method", "greedy", "--json").stdout
    )
    est = sksieve.GreedyCSS(n_features_to_select=5, scale="standard").fit(X)
    assert document["ranking"] == est.ranking_.tolist()
    result = invoke("select", "dataset:communities", "-k", 5, "--method", "greedy")
    assert result.exit_code == 1
    assert "44,592 missing values in 41 columns" in result.stderr


COMMANDS = [
    "select 'my file.csv' -k 3 --method pocss --scale unit --seed 4 --param tol=None --time 90s "
    "--label-column y --columns 'p*' --drop id --include 'a,b' --candidates @c.txt --keep p1 "
    "--cost c.csv --budget 4.5 --solver gram --name A --sep ';' --decimal , "
    "--missing '?' --missing -9 --no-header --encode onehot --impute mean --drop-missing rows "
    "-o x.csv --report r.html --image-shape 2x3",
    "select a.csv -k 3",
    "compare a.csv -k 3 --methods greedy,random --time 1.5 --numeric-only",
    "cluster a.csv -c 3 --against-labels --label-column y --adjacency a.png",
    "communities g.csv -c 2 --no-header --source a --symmetrize max --largest",
    "communities g.csv -c 2 --header",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_repeats_what_was_typed(command):
    options = parsed(*shlex.split(command))
    again = parsed(*shlex.split(options.command_line())[1:])
    assert {n: v for n, v in vars(again).items() if n != "context"} == {
        n: v for n, v in vars(options).items() if n != "context"
    }
    assert sorted(shlex.split(options.command_line())) == sorted(["sksieve", *shlex.split(command)])


def test_the_command_takes_changes_and_more_words():
    options = parsed("select", "a.csv", "-k", 3, "--json")
    assert options.command_line() == "sksieve select a.csv -k 3"
    assert options.command_line("-o", "b c.csv", method="pocss") == (
        "sksieve select a.csv -k 3 --method pocss -o 'b c.csv'"
    )


@pytest.mark.parametrize("text", ["0.001ms", "30s", "1.5", "300h", "100.1234567s", "0.1ms", "1m"])
def test_times_can_be_typed_again(text):
    words = shlex.split(parsed("select", "a.csv", "-k", 3, "--time", text).command_line())
    assert parse_seconds(words[words.index("--time") + 1]) == parse_seconds(text)


def test_a_method_that_finds_the_number_itself(invoke, refused, csv):
    words = ("select", csv, "--drop", "group", "--method", "correlated")
    assert "-k 2: correlated finds the number itself" in refused(*words, "-k", 2, code=2)
    document = json.loads(invoke(*words, "--param", "threshold=0.9", "--json").stdout)
    assert document["method"]["name"] == "correlated"
    assert 1 <= len(document["chosen"]) <= 5


def test_a_text_column_counts_as_one_variable(invoke, refused, tmp_path):
    rng = np.random.RandomState(0)
    kind = rng.choice(list("abcd"), 60)
    lines = [f"{one},{x:.3f},{2 * x + y:.3f}" for one, x, y in zip(kind, *rng.randn(2, 60))]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["kind,x,y", *lines]))
    words = ("select", path, "--encode", "onehot")
    result = invoke(*words, "-k", 2)
    assert "How chosen: whole variables; a text column counts as one (" in result.stdout
    assert "2 of 3 variables explain" in result.stdout
    document = json.loads(invoke(*words, "-k", 2, "--json").stdout)
    assert document["variables"] in (["kind", "y"], ["y", "kind"])
    names = {document["columns"][j] for entry in document["chosen"] for j in entry["indices"]}
    assert names == {"kind=a", "kind=b", "kind=c", "kind=d", "y"}
    assert "How many: 1, a guess: a further variable explains little" in invoke(*words).stdout
    share = invoke(*words, "-k", "60%")
    assert "How many: 2: the fewest that explain 60.0 % of the table on rows not" in share.stdout
    assert "Choose a number (-k N)." in refused(*words, "-k", "auto", "--drop", "y")
    other = invoke(*words, "-k", 2, "--method", "greedy")
    assert "--method mixed keeps those of a text column together" in other.stderr
    assert "more than the 3 variables" in refused(*words, "-k", 4)
