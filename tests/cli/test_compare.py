"""``sksieve compare``: a sorted table, JSON, CSV, and refusals."""

import csv
import json
import signal

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine


@pytest.fixture
def table(tmp_path):
    wine = load_wine(as_frame=True)
    path = tmp_path / "wine.csv"
    wine.data.to_csv(path, index=False)
    return path


def test_table_is_sorted_best_first(invoke, table):
    result = invoke("compare", table, "-k", 4, "--methods", "random_rank,greedy,udfs")
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    at = next(i for i, words in enumerate(lines) if words[:1] == ["method"])
    body = [words for words in lines[at + 1 :] if words]
    assert {words[0] for words in body} == {"random_rank", "greedy", "udfs"}
    shares = [float(words[1]) for words in body]
    assert shares == sorted(shares, reverse=True)
    assert body[0][0] == "greedy"
    assert "random is one draw" not in result.stdout
    result = invoke("compare", table, "-k", 4, "--methods", "random,greedy")
    assert "rows not used; random is one draw, not a mean. No labels" in result.stdout


def test_json_and_csv_say_the_same(invoke, table, tmp_path):
    target = tmp_path / "out.csv"
    words = ("compare", table, "-k", 3, "--methods", "greedy, ndfs ,greedy")
    result = invoke(*words, "--json", "-o", target)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["schema"] == "sksieve.compare/2"
    assert found["data"]["n_features"] == 13
    assert sorted(row["method"] for row in found["methods"]) == ["greedy", "ndfs"]
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, record in zip(rows, found["methods"], strict=True):
        assert row["method"] == record["method"]
        assert float(row["explained"]) == pytest.approx(record["explained"])
        assert len(record["columns"]) == 3
        assert row["columns"] == "; ".join(record["columns"])


def test_a_method_that_refuses_does_not_stop_the_others(invoke, tmp_path):
    path = tmp_path / "few.csv"
    np.savetxt(path, np.random.RandomState(0).rand(5, 4), delimiter=",", header="a,b,c,d")
    result = invoke("compare", path, "-k", 2, "--methods", "mcfs,variance")
    assert result.exit_code == 0, result.output
    table, below = result.stdout.split("Without a result:")
    assert "mcfs: n_clusters=5 eigenvectors" in below
    assert "variance" in table


def test_a_table_that_no_method_takes(invoke, tmp_path):
    path = tmp_path / "few.csv"
    np.savetxt(path, np.random.RandomState(0).rand(5, 4), delimiter=",", header="a,b,c,d")
    for extra in ((), ("--json",)):
        result = invoke("compare", path, "-k", 2, "--methods", "mcfs", *extra)
        assert result.exit_code == 1
        assert "mcfs" in result.stdout
        assert result.stderr == (
            "Error: No method gave a result for few.csv; the reasons are listed above.\n"
        )


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_a_table_without_variation(refused, tmp_path, suffix):
    path, X = tmp_path / f"same.{suffix}", np.ones((20, 3))
    np.save(path, X) if suffix == "npy" else sp.save_npz(path, sp.csr_array(X))
    text = refused("compare", path, "-k", 1, "--methods", "lapscore")
    assert text == f"Every column of same.{suffix} is constant; there is nothing to choose from."


def test_time_limit_ends_those_that_iterate(invoke, table):
    result = invoke("compare", table, "-k", 4, "--methods", "l1ufs,variance", "--time", "0.1ms")
    assert result.exit_code == 0, result.output
    assert "l1ufs: Stopped after 1 iteration by the time limit" in result.stderr
    assert "variance:" not in result.stderr
    assert {"l1ufs", "variance"} <= set(result.stdout.split())


def test_ctrl_c_shows_what_there_is(invoke, table, monkeypatch):
    """The method under way is judged by what it has; those after it are named."""
    from sksieve.selection._l1ufs import RobustSelfRepresentation as Problem

    step = Problem.step

    def step_and_press(self, s):
        signal.raise_signal(signal.SIGINT)
        return step(self, s)

    monkeypatch.setattr(Problem, "step", step_and_press)
    result = invoke("compare", table, "-k", 4, "--methods", "variance,l1ufs,udfs")
    assert result.exit_code == 0, result.output
    displayed, below = result.stdout.split("Without a result:")
    assert {"l1ufs", "variance"} <= set(displayed.split())
    assert below.strip() == "udfs: not fitted: stopped by Ctrl-C."


def test_refusals(refused, table):
    assert "udsf" in refused("compare", table, "-k", 2, "--methods", "udsf", code=2)
    assert "chooses no columns" in refused("compare", table, "-k", 2, "--methods", "srsg", code=2)
    assert "at least one column" in refused("compare", table, "-k", 0, "--methods", "udfs", code=2)
    assert "at least one method" in refused("compare", table, "-k", 2, "--methods", ", ", code=2)
    message = refused("compare", table, "-k", 2, "--methods", "udfs", "-o", "x.pdf")
    assert ".csv" in message


def test_the_report_says_what_the_table_says_and_how_to_repeat_it(invoke, table, tmp_path):
    target = tmp_path / "page.html"
    words = ("compare", table, "-k", 3, "--methods", "greedy,random", "--drop", "ash", "--seed", 4)
    result = invoke(*words, "--time", "30s", "--report", target)
    assert result.exit_code == 0, result.output
    page = target.read_text("utf-8").replace("\N{NARROW NO-BREAK SPACE}", " ")
    displayed = [line.split() for line in result.stdout.splitlines() if line.startswith("greedy")]
    assert f'<span class="value">{displayed[0][1]} %</span>' in page
    command = (
        f"sksieve compare {table} -k 3 --methods greedy,random --seed 4 --time 30s --drop ash "
        f"--report {target}"
    )
    assert command in page
    assert "random_state=4, time_limit=30)" in page


def test_remarks_stand_in_the_report(invoke, tmp_path):
    X = np.random.RandomState(0).rand(30, 5)
    np.savez(tmp_path / "t.npz", X=X, y=np.arange(30))
    words = ("compare", tmp_path / "t.npz", "-k", 2, "--methods", "greedy")
    result = invoke(*words, "--report", tmp_path / "page.html")
    assert "Not used: 'y'" in result.stderr
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<li>Not used: &#39;y&#39;" in page


def test_a_report_tells_why_there_is_no_answer(invoke, tmp_path):
    path, target = tmp_path / "few.csv", tmp_path / "page.html"
    np.savetxt(path, np.random.RandomState(0).rand(5, 4), delimiter=",", header="a,b,c,d")
    result = invoke("compare", path, "-k", 2, "--methods", "mcfs", "--report", target)
    assert result.exit_code == 1
    page = target.read_text("utf-8")
    assert "No method gave a result" in page
    assert "n_clusters=5 eigenvectors" in page


def test_a_report_that_cannot_be_written_is_refused_before_any_fit(refused, table, tmp_path):
    text = refused(
        "compare", table, "-k", 2, "--methods", "greedy", "--report", tmp_path / "page.pdf"
    )
    assert "--report" in text
    assert ".html" in text
