"""Compact results, their merge, and the sums over data sets behind the leaderboards."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from typer.testing import CliRunner

import sksieve
from sksieve.bench import (
    Store,
    holm,
    merge_summaries,
    parse_spec,
    read_spec,
    read_summary,
    results,
    run_spec,
    standings,
    summary,
    write_summary,
)
from sksieve.cli._app import app
from sksieve.exceptions import DataError

OWN = "tests.bench.own_methods:"

CONTENT = {
    "protocol": "leaderboard",
    "datasets": ["iris", "wine"],
    "scale": "standard",
    "k": [2, 3],
    "repeats": 2,
    "method": [
        {"name": "random_rank", "label": "random columns", "repetitions": 3},
        {"name": "greedy"},
        {"name": f"{OWN}Raises"},
    ],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    with Store(folder) as kept:
        run_spec(parse_spec(CONTENT), kept)
        yield kept


def frame_of(values: dict[str, list[float]], *, k: int = 2) -> pd.DataFrame:
    """A summary of one score: a number for each method and data set, NaN for a failure."""
    rows = [
        {"dataset": f"set{i}", "method": name, "k": k, "repetition": 0, "acc": x,
         "status": "ok" if x == x else "failed"}
        for name, column in values.items()
        for i, x in enumerate(column)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_a_summary_has_a_row_for_each_fit_and_k_with_means_over_repeats(store):
    spec = parse_spec(CONTENT)
    frame, whole = summary(spec, store), results(spec, store)
    assert len(frame) == 2 * 2 * (3 + 1 + 1)
    row = frame.query("dataset == 'wine' and method == 'greedy' and k == 3").iloc[0]
    runs = whole.query("dataset == 'wine' and method == 'greedy' and k == 3")
    assert row["acc"] == pytest.approx(runs["acc"].mean())
    assert runs["acc"].notna().sum() == 2
    assert row["neighbors_kept"] == pytest.approx(runs["neighbors_kept"].max())
    assert row["cpu"] == pytest.approx(runs["cpu"].iloc[0])
    assert (row["status"], row["cause"]) == ("ok", "")
    assert row["version"] == next(t for t in spec.tasks() if t.method == "greedy").cell.version
    assert f", scikit-sieve {sksieve.__version__}, numpy " in row["environment"]
    failed = frame[frame["method"] == "Raises"]
    assert set(failed["status"]) == {"failed"}
    assert failed["acc"].isna().all()
    assert set(frame.query("method == 'random columns'")["repetition"]) == {0, 1, 2}


def test_a_data_set_that_is_not_done_is_left_out_whole(store):
    content = {**CONTENT, "method": [*CONTENT["method"], {"name": "mcfs"}]}
    more = {**CONTENT, "datasets": ["iris"], "method": [{"name": "mcfs"}]}
    assert summary(parse_spec(content), store).empty
    run_spec(parse_spec(more), store)
    assert set(summary(parse_spec(content), store)["dataset"]) == {"iris"}


def test_a_summary_survives_its_file(store, tmp_path):
    frame = summary(parse_spec(CONTENT), store)
    write_summary(frame, tmp_path / "board.csv")
    again = read_summary(tmp_path / "board.csv")
    pd.testing.assert_frame_equal(again, frame, rtol=1e-4, check_dtype=False)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"other\.csv: .* the column 'dataset' is missing"):
        read_summary(tmp_path / "other.csv")


def test_merged_summaries_are_those_of_one_run(store):
    frame = summary(parse_spec(CONTENT), store)
    ours, rest = frame[frame["method"] == "greedy"], frame[frame["method"] != "greedy"]
    pd.testing.assert_frame_equal(merge_summaries([rest, ours]), frame)
    for frames in ([frame, frame[:0]], [frame[:0], frame]):
        pd.testing.assert_frame_equal(merge_summaries(frames), frame)
    assert merge_summaries([frame[:0], frame[:0]]).empty
    newer = ours.assign(acc=0.5)
    joined = merge_summaries([frame, newer])
    assert len(joined) == len(frame)
    assert set(joined.loc[joined["method"] == "greedy", "acc"]) == {0.5}
    other = newer[newer["dataset"] == "wine"].assign(version="2")
    with pytest.raises(DataError, match="greedy has rows of 2 versions"):
        merge_summaries([frame, other])
    with pytest.raises(DataError, match="summaries of different boards"):
        merge_summaries([frame, ours.drop(columns="acc")])
    with pytest.raises(DataError, match="no summary"):
        merge_summaries([])


def test_a_method_of_ones_own_is_two_commands(store, tmp_path):
    spec = tmp_path / "s.toml"
    spec.write_text(
        'protocol = "leaderboard"\ndatasets = ["iris", "wine"]\nscale = "standard"\nk = [2, 3]\n'
        'repeats = 2\ncatalogue = "selectors"\n[[method]]\nname = "random_rank"\n'
    )
    write_summary(summary(parse_spec(CONTENT), store), tmp_path / "board.csv")
    words = [spec, "--store", tmp_path / "mine", "--method", f"{OWN}Nested", "--only"]
    assert [e.column for e in read_spec(spec, methods=[f"{OWN}Nested"], only=True).methods] == [
        "Nested"
    ]

    def call(*words):
        done = CliRunner().invoke(app, ["bench", *map(str, words)])
        return done.exit_code, done.output

    assert call("run", *words) == (0, "2 of 2 cells done, 0 of them failed\n")
    code, displayed = call("summary", *words, "-o", tmp_path / "mine.csv")
    assert (code, displayed.startswith("4 results of 2 of 2 data sets in ")) == (0, True), displayed
    board = tmp_path / "board.csv"
    code, displayed = call("merge", board, tmp_path / "mine.csv", "-o", board)
    assert (code, displayed.startswith("4 methods on 2 data sets in ")) == (0, True), displayed
    assert set(read_summary(board)["method"]) == {"random columns", "greedy", "Raises", "Nested"}
    code, displayed = call("summary", spec, "--store", tmp_path / "mine", "-o", tmp_path / "no.csv")
    assert (code, "no data set of" in " ".join(displayed.split())) == (1, True), displayed
    assert not (tmp_path / "no.csv").exists()
    code, displayed = call("run", spec, "--only")
    assert (code, "--only leaves no method" in displayed) == (1, True)


def test_holm_agrees_with_statsmodels():
    p = np.random.RandomState(0).uniform(0, 0.2, 20)
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_sums_are_over_data_sets_and_not_over_sizes_or_repetitions():
    rng = np.random.RandomState(0)
    one = frame_of({"random": rng.rand(12), "a": rng.rand(12) + 0.3, "b": rng.rand(12)})
    more = pd.concat([one.assign(repetition=r, k=k) for r in range(3) for k in (2, 5)])
    for frame in (one, more):
        made = standings(frame, ["acc"], baseline="random")
        row = made.table.set_index("method").loc["a"]
        gains = made.values["a"] - made.values["random"]
        assert row["gain"] == pytest.approx(gains.mean())
        interval = stats.t.interval(0.95, 11, gains.mean(), stats.sem(gains))
        assert (row["low"], row["high"]) == pytest.approx(interval)
        assert row["wins"] == (gains > 0).sum()
        assert row["losses"] == (gains < 0).sum()
        raw = [stats.wilcoxon(made.values[m], made.values["random"]).pvalue for m in ("a", "b")]
        assert row["p_baseline"] == pytest.approx(multipletests(raw, method="holm")[1][0])
        assert row["rank"] == pytest.approx(made.values.rank(axis=1, ascending=False)["a"].mean())
        assert made.friedman.n_rows == 12
        verdicts = made.table.set_index("method")["verdict"].to_dict()
        assert verdicts == {"a": "above", "random": "baseline", "b": "not distinguished"}


def test_a_method_worse_than_the_baseline_everywhere_is_below_it():
    x = np.linspace(0.3, 0.6, 12)
    table = standings(
        frame_of({"random": x, "bad": x - 0.1, "same": x}), ["acc"], baseline="random"
    )
    verdicts = dict(zip(table.table["method"], table.table["verdict"]))
    assert verdicts == {"random": "baseline", "bad": "below", "same": "not distinguished"}


def test_a_failure_counts_as_the_baseline_and_too_many_are_not_ranked():
    nan = float("nan")
    frame = frame_of({
        "random": [0.4, 0.5, 0.6, 0.5], "some": [0.9, nan, 0.9, 0.9], "most": [nan, nan, nan, 0.9],
        "good": [0.5, 0.6, 0.7, 0.6],
    })  # fmt: skip
    made = standings(frame, ["acc"], baseline="random")
    assert made.values["some"].tolist() == [0.9, 0.5, 0.9, 0.9]
    assert made.own["some"].isna().tolist() == [False, True, False, False]
    table = made.table.set_index("method")
    assert table.loc["some", "missing"] == 0.25
    assert (table.loc["some", "wins"], table.loc["some", "losses"]) == (3, 0)
    assert table.loc["most", "verdict"] == "not ranked"
    assert np.isnan(table.loc["most", ["rank", "p_baseline", "p_best"]].astype(float)).all()
    assert "most" not in made.friedman.ranks
    smallest = standings(frame, ["acc"], baseline="random", fill="")
    assert smallest.values["some"].tolist() == [0.9, 0.5, 0.9, 0.9]
    assert smallest.values["most"].tolist() == [0.4, 0.5, 0.6, 0.9]


def test_a_method_that_was_not_run_on_all_data_sets_is_not_ranked():
    frame = frame_of({"random": [0.4, 0.5, 0.6], "a": [0.5, 0.6, 0.7], "part": [0.9, 0.9, 0.9]})
    frame = frame[(frame["method"] != "part") | (frame["dataset"] == "set0")]
    table = standings(frame, ["acc"], baseline="random").table.set_index("method")
    assert table.loc["part", "verdict"] == "not ranked"
    assert np.isnan(table.loc["part", "gain"])
    assert table.loc["a", "rank"] == 1


def test_a_reference_gets_a_mean_and_no_rank():
    frame = frame_of({"random": [0.4, 0.5, 0.6], "a": [0.5, 0.6, 0.7], "all": [0.9, 0.9, 0.9]})
    table = standings(frame, ["acc"], baseline="random", apart=["all"]).table.set_index("method")
    assert table.loc["all", "mean"] == pytest.approx(0.9)
    assert table.loc["all", "verdict"] == "not ranked"
    with pytest.raises(DataError, match="no method 'chance'"):
        standings(frame, ["acc"], baseline="chance")
