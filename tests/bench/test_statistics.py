"""Statistics and tables of results, against scipy, published tables and small cases by hand."""

from __future__ import annotations

import re
from io import StringIO
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sksieve.bench import (
    PROTOCOLS,
    csv_text,
    friedman,
    nemenyi,
    paired_p,
    result_table,
    significance,
    statistics_csv,
    summarize,
)


@pytest.fixture
def rng():
    return np.random.RandomState(0)


def frame(scores, *, setting="", dataset="iris", k=2):
    """One row for each (method, repetition of the fit)."""
    return pd.DataFrame(
        [
            {
                "dataset": dataset,
                "method": method,
                "setting": setting,
                "k": k,
                "repetition": i,
                "repeat": 0,
                "reason": "",
                "acc": value,
                "status": "ok" if np.isfinite(value) else "failed",
            }
            for method, values in scores.items()
            for i, value in enumerate(values)
        ]
    )


def test_paired_tests_are_scipys(rng):
    a, b = rng.randn(20), rng.randn(20) + 0.3
    assert paired_p(a, b) == stats.ttest_rel(a, b).pvalue
    assert paired_p(a, b, test="wilcoxon") == stats.wilcoxon(a, b).pvalue


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_paired_tests_of_no_difference_and_of_one_pair(rng, test):
    a = rng.randn(5)
    assert paired_p(a, a, test=test) == 1.0
    assert np.isnan(paired_p(a[:1], a[:1] + 1, test=test))


def test_the_same_difference_everywhere_is_a_difference():
    a = np.array([0.1, 0.2, 0.7])
    assert paired_p(a, a + 0.1) == 0.0


@pytest.mark.parametrize(("k", "q"), [(3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_difference_has_demsars_quantiles(rng, k, q):
    wide = pd.DataFrame(rng.rand(14, k), columns=list("abcdefghij")[:k])
    test = friedman(wide)
    assert test.critical_difference == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * 14)), abs=1e-3)
    assert test.statistic == stats.friedmanchisquare(*wide.to_numpy().T).statistic


def test_friedman_ranks_the_smallest_first_for_errors_and_leaves_out_failed_rows():
    wide = pd.DataFrame({"a": [1, 2, 3.0], "b": [2, 3, np.nan], "c": [3, 4, 1.0]})
    test = friedman(wide, better="smaller")
    assert test.n_rows == 2
    assert test.ranks.to_dict() == {"a": 1.0, "b": 2.0, "c": 3.0}
    with pytest.raises(ValueError, match="needs 3 methods and 2 complete rows"):
        friedman(wide[["a", "b"]])


def test_methods_that_are_equal_everywhere_do_not_differ():
    wide = pd.DataFrame({name: [0.5, 0.7] for name in "abc"})
    test = friedman(wide)
    assert (test.statistic, test.p) == (0.0, 1.0)
    assert test.ranks.tolist() == [2.0, 2.0, 2.0]


def test_nemenyi_agrees_with_the_critical_difference(rng):
    pytest.importorskip("scikit_posthocs")
    wide = pd.DataFrame(rng.rand(12, 4) + np.array([0, 0.2, 0.4, 0.9]), columns=list("abcd"))
    test, p = friedman(wide), nemenyi(wide)
    for a in wide:
        for b in wide:
            apart = abs(test.ranks[a] - test.ranks[b])
            assert (p.loc[a, b] < 0.05) == (apart > test.critical_difference)


def test_one_failed_cell_makes_the_group_failed():
    table = summarize(frame({"a": [0.5, np.nan], "b": [0.2, 0.4]}), "acc", ["method"])
    assert table["status"].tolist() == ["failed", "ok"]
    assert np.isnan(table["mean"][0])
    assert table["mean"][1] == pytest.approx(0.3)
    assert table["std"][1] == pytest.approx(np.std([0.2, 0.4], ddof=1))


def test_a_failure_is_said_before_what_is_not_done():
    rows = frame({"a": [0.5, 0.6, 0.7], "b": [0.5, 0.6, 0.7]})
    rows["status"] = ["unfinished", "failed", "ok", "ok", "unfinished", "ok"]
    assert summarize(rows, "acc", ["method"])["status"].tolist() == ["failed", "unfinished"]


def test_best_and_ties_are_marked():
    scores = {
        "best": [0.90, 0.80, 0.91, 0.82],
        "tie": [0.80, 0.90, 0.80, 0.91],
        "worse": [0.10, 0.20, 0.10, 0.21],
    }
    made = result_table(frame(scores), PROTOCOLS["default"], name="t")
    assert made.marks.iloc[0].to_dict() == {"best": "best", "tie": "tie", "worse": ""}
    assert made.text("md").splitlines()[4] == (
        "| iris | 2 | **0.8575 ± 0.0556** | *0.8525 ± 0.0608* | 0.1525 ± 0.0608 |"
    )
    assert r"\textbf{0.8575 $\pm$ 0.0556} & \underline{0.8525" in made.text("tex")
    csv = pd.read_csv(StringIO(made.text("csv"))).set_index("method")
    row = csv.loc["best", ["score", "dataset", "k", "mark", "status", "pairs"]]
    assert row.tolist() == ["acc", "iris", 2, "best", "ok", 0]
    assert csv.loc["best", "mean"] == pytest.approx(0.8575)
    assert csv.loc["tie", "pairs"] == 4
    assert "paired t-test against the best of the row over 4 repetitions" in made.text("md")
    assert "nothing tuned with labels" in made.text("md").splitlines()[0]
    with pytest.raises(ValueError, match="md"):
        made.text("html")
    with pytest.raises(ValueError, match="no score 'purity' in these results; known: acc"):
        result_table(frame(scores), PROTOCOLS["default"], score="purity")


def repeated(scores, repetition):
    """As `frame`, of several k-means runs on one fit."""
    rows = frame(scores)
    return rows.assign(repeat=rows["repetition"], repetition=repetition)


def test_repeated_runs_on_one_fit_are_no_pairs(rng):
    scores = {"a": 0.7 + 0.01 * rng.rand(50), "b": 0.5 + 0.01 * rng.rand(50)}
    made = result_table(repeated(scores, 0), PROTOCOLS["default"])
    assert made.p.isna().all(axis=None)
    assert (made.pairs == 0).all(axis=None)
    assert made.marks.iloc[0].to_dict() == {"a": "best", "b": ""}
    assert "No test: a single fit of each method gives no pairs." in made.text("md")
    several_k = pd.concat([repeated(scores, 0), repeated(scores, 0).assign(k=3)])
    made = result_table(several_k, PROTOCOLS["default"], average=True)
    assert made.p.isna().all(axis=None), "neither are several k of one fit"


def test_pairs_are_repetitions_of_the_fit_and_a_fit_without_a_seed_is_paired_with_each():
    runs = ([0.1, 0.2], [0.3, 0.1], [0.2, 0.2])
    often = [repeated({"often": run}, i) for i, run in enumerate(runs)]
    made = result_table(
        pd.concat([repeated({"once": [0.5, 0.6]}, 0), *often]), PROTOCOLS["default"]
    )
    p = stats.ttest_rel([0.55] * 3, np.mean(runs, axis=1)).pvalue
    assert made.marks.iloc[0].to_dict() == {"often": "", "once": "best"}
    assert made.p["often"].tolist() == pytest.approx([p])
    assert made.pairs["often"].tolist() == [3]


def test_an_oracle_stands_beside_the_defaults_and_says_so():
    parts = [
        frame({"m": [0.5, 0.6]}),
        frame({"m": [0.7, 0.9]}, setting="alpha=1"),
        frame({"m": [np.nan, 1.0]}, setting="alpha=2"),
    ]
    made = result_table(pd.concat(parts), PROTOCOLS["oracle"])
    assert made.mean.iloc[0].round(12).to_dict() == {"m (default)": 0.55, "m (oracle)": 0.8}
    assert "BY TRUE LABELS" in made.title
    best_is_default = pd.concat([parts[0], frame({"m": [0.1, 0.2]}, setting="alpha=3")])
    made = result_table(best_is_default, PROTOCOLS["oracle"], average=True)
    assert made.mean.iloc[0].nunique() == 1
    assert "BY TRUE LABELS" in made.title
    assert made.title.endswith("mean over all k")


@pytest.mark.parametrize("average", [False, True])
def test_an_oracle_is_one_point_of_the_grid_where_each_of_them_fails_at_some_k(average):
    lost = [np.nan, np.nan]
    parts = [
        frame({"m": figures}, setting=setting, k=k)
        for setting, one, two in (("", 0.5, 0.4), ("alpha=1", 0.9, 0.7), ("alpha=2", 0.6, 0.8))
        for k, figures in ((1, [one, one]), (2, [two, two]), (3, lost))
    ]
    made = result_table(pd.concat(parts), PROTOCOLS["oracle"], average=average)
    name = "m (oracle)"
    if average:
        assert made.status[name].tolist() == ["failed"]
        assert np.isnan(made.mean[name]).all()
    else:
        np.testing.assert_allclose(made.mean[name], [0.9, 0.7, np.nan])
        assert made.status[name].tolist() == ["ok", "ok", "failed"]
    nowhere = [frame({"m": [0.5, np.nan]}, setting=s, k=k) for s in ("", "a=1") for k in (1, 2)]
    made = result_table(pd.concat(nowhere), PROTOCOLS["oracle"], average=average)
    assert set(made.status[name]) == {"failed"}
    assert made.mean[name].isna().all()


def test_of_errors_the_smallest_are_best_and_the_others_are_tested_against_them(rng):
    scores = {name: 1 + more + rng.rand(8) for name, more in (("a", 0.3), ("b", 0.0), ("c", 2.0))}
    rows = pd.concat(
        [frame(scores), frame({"c": scores["b"] - 0.1}, setting="x=1")], ignore_index=True
    )
    made = result_table(rows.rename(columns={"acc": "error_ratio"}), PROTOCOLS["css"])
    assert made.marks.iloc[0]["c (oracle)"] == "best"
    assert np.isnan(made.p.iloc[0]["c (oracle)"])
    best = scores["b"] - 0.1
    for column, own in (("a", "a"), ("c (default)", "c")):
        expected = stats.ttest_rel(best, scores[own]).pvalue
        assert made.p.iloc[0][column] == pytest.approx(expected)
    assert made.marks.iloc[0]["c (default)"] == ""


def test_the_csv_has_no_line_for_a_cell_that_no_one_asked_for():
    rows = pd.concat([frame({"a": [0.5, 0.6], "b": [0.1, 0.2]}), frame({"a": [0.3]}, k=3)])
    made = result_table(rows, PROTOCOLS["default"])
    csv = pd.read_csv(StringIO(made.text("csv")))
    assert csv[["k", "method"]].to_numpy().tolist() == [[2, "a"], [2, "b"], [3, "a"]]
    assert made.text("md").splitlines()[5] == "| iris | 3 | **0.3000** | - |"


def test_names_are_written_so_that_they_are_read_as_they_stand():
    scores = {"l2_1 & 50%": [0.5, 0.6], "a|b": [0.1, 0.2]}
    made = result_table(frame(scores, dataset="w_1"), PROTOCOLS["default"])
    assert made.text("md").splitlines()[2:5] == [
        r"| dataset | k | a\|b | l2_1 & 50% |",
        "| --- | --- | --- | --- |",
        "| w_1 | 2 | 0.1500 ± 0.0707 | **0.5500 ± 0.0707** |",
    ]
    assert made.text("tex").splitlines()[1:6] == [
        r"\begin{tabular}{llrr}",
        r"\hline",
        r"dataset & k & a\textbar{}b & l2\_1 \& 50\% \\",
        r"\hline",
        r"w\_1 & 2 & 0.1500 $\pm$ 0.0707 & \textbf{0.5500 $\pm$ 0.0707} \\",
    ]


HOSTILE = "\\input{/etc/passwd}\n`x` <script>alert(1)</script> **b** [a](http://b) |$x^2$~{"


def test_hostile_names_are_no_markup(rng):
    names = (HOSTILE, "plain", "third")
    parts = [
        frame({name: rng.rand(3) for name in names}, dataset=f"{HOSTILE}{i}") for i in range(3)
    ]
    made = result_table(pd.concat(parts), PROTOCOLS["default"], name=HOSTILE)
    texts = [made.text("tex"), significance(made).text("tex")]
    for text in texts:
        for line in filter(None, text.splitlines()):
            assert line.startswith(("%", "\\begin", "\\hline", "\\end")) or line.endswith(r"\\")
            if not line.startswith("%"):  # a comment ends with its line
                assert r"\input" not in line
                assert not re.search(r"(?<!\\)[#~^]|(?<!\\)\$(?!\\pm)(?<!pm\$)", line)
    assert r"\textbackslash{}input\{/etc/passwd\} `x` \textless{}script" in texts[0]
    for text in (made.text("md"), significance(made).text("md")):
        assert "<" not in text
        assert r"\`x\`" in text
        assert r"\*\*b\*\*" in text
        assert r"[a\](http" in text
        tables = [line for line in text.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in tables}) <= 3


def test_one_csv_holds_every_score_and_every_test_by_name(rng):
    pytest.importorskip("scikit_posthocs")
    parts = [
        frame({name: rng.rand(3) for name in "abc"}, dataset=f"d{i}").assign(nmi=rng.rand(9))
        for i in range(4)
    ]
    tables = [result_table(pd.concat(parts), PROTOCOLS["default"], score=s) for s in ("acc", "nmi")]
    cells = pd.read_csv(StringIO(csv_text(tables)))
    assert cells["score"].value_counts().to_dict() == {"acc": 12, "nmi": 12}
    heads = ["score", "dataset", "k", "method", "mean", "std", "p", "pairs"]
    assert list(cells) == [*heads, "mark", "status", "cause"]
    tests = [significance(table) for table in tables]
    long = pd.read_csv(StringIO(statistics_csv(tables, tests)), keep_default_na=False)
    heads = ["score", "dataset", "k", "method", "against", "quantity", "value"]
    assert list(long) == [*heads, "mark", "status", "cause"]
    assert set(long["score"]) == {"acc", "nmi"}
    value = long[long["value"] != ""].set_index(["score", "quantity", "method", "against"])
    value = value["value"].astype(float).sort_index()
    assert value["nmi", "Friedman p", "", ""].item() == pytest.approx(tests[1].friedman.p)
    ranks = tests[0].friedman.ranks
    assert value["acc", "mean rank", "a", ""].item() == pytest.approx(ranks["a"])
    assert value["acc", "Nemenyi p", "a", "b"].item() == pytest.approx(
        tests[0].nemenyi.loc["a", "b"]
    )
    row = tests[0].against_best.iloc[0]
    assert value["acc", "Wilcoxon p", row.name, ranks.index[0]].item() == pytest.approx(
        row["Wilcoxon"]
    )
    mean = long[(long["quantity"] == "mean") & (long["score"] == "acc")]
    assert mean["value"].astype(float).tolist() == pytest.approx(
        cells[cells["score"] == "acc"]["mean"].tolist()
    )
    p = long[(long["quantity"] == "p") & (long["score"] == "acc") & (long["dataset"] == "d1")]
    best = mean[(mean["dataset"] == "d1") & (mean["mark"] == "best")]["method"].item()
    assert set(p["against"]) == {best}
    assert best not in set(p["method"])


def test_equal_means_are_ties_where_one_score_each_leaves_nothing_to_test():
    rows = pd.concat([frame({"a": [1.0]}), frame({"b": [1.0]}), frame({"c": [0.9]})])
    made = result_table(rows, PROTOCOLS["default"])
    assert made.marks.iloc[0].to_dict() == {"a": "best", "b": "tie", "c": ""}
    assert [made.number(0, j) for j in range(3)] == ["1.0000", "1.0000", "0.9000"]


def test_p_values_against_the_best_are_told_by_the_test_asked_for(rng):
    scores = {name: rng.rand(8) + more for name, more in (("a", 0.0), ("b", 0.1), ("c", 0.8))}
    for test, expected in (("t", stats.ttest_rel), ("wilcoxon", stats.wilcoxon)):
        made = result_table(frame(scores), PROTOCOLS["default"], test=test)
        p = made.p.iloc[0]
        assert np.isnan(p["c"])
        for name in "ab":
            assert p[name] == pytest.approx(expected(scores["c"], scores[name]).pvalue)
        assert f",{p['a']}" in made.text("csv")
    assert "Wilcoxon's signed-rank test against the best" in made.text("md")
    with pytest.raises(ValueError, match="test must be one of t, wilcoxon"):
        result_table(frame(scores), PROTOCOLS["default"], test="sign")


def test_significance_is_friedman_nemenyi_and_paired_tests_over_the_rows(rng):
    pytest.importorskip("scikit_posthocs")
    names = {"a": 0.3, "b": 0.1, "c": 0.0, "lost": np.nan}
    parts = [
        frame({name: rng.rand(3) + more for name, more in names.items()}, dataset=f"d{i}")
        for i in range(9)
    ]
    parts[4].loc[parts[4]["method"] == "b", ["acc", "status"]] = [np.nan, "failed"]
    made = result_table(pd.concat(parts), PROTOCOLS["default"])
    found = significance(made)
    wide = made.mean[["a", "b", "c"]].dropna()
    assert len(wide) == 8
    test = friedman(wide)
    assert found.friedman.n_rows == 8
    pd.testing.assert_series_equal(found.friedman.ranks, test.ranks)
    order = list(test.ranks.index)
    pd.testing.assert_frame_equal(found.nemenyi, nemenyi(wide[order]))
    best, other = wide[order[0]], wide[order[2]]
    row = found.against_best.loc[order[2]]
    assert row["mean difference"] == pytest.approx((other - best).mean())
    assert row["paired t"] == pytest.approx(stats.ttest_rel(best, other).pvalue)
    assert row["Wilcoxon"] == pytest.approx(stats.wilcoxon(best, other).pvalue)
    assert f"critical difference {test.critical_difference:.3f}" in found.text("md")
    with pytest.raises(ValueError, match="md"):
        found.text("html")
    with pytest.raises(ValueError, match="needs 3 methods and 2 complete rows"):
        significance(result_table(parts[0], PROTOCOLS["default"]))


@pytest.mark.parametrize("n", [2, 6, 11])
def test_signed_ranks_with_ties_and_zeros_over_all_signs(n):
    rng = np.random.default_rng(n)
    d = rng.integers(-3, 4, n) / 8
    d[0] = 0.25
    size = np.abs(d[d != 0])
    ranks = (size[:, None] > size).sum(1) + ((size[:, None] == size).sum(1) + 1) / 2
    sums = [ranks[list(signs)].sum() for signs in product([True, False], repeat=len(size))]
    ours = ranks[d[d != 0] > 0].sum()
    expected = 2 * min(np.mean(np.array(sums) <= ours), np.mean(np.array(sums) >= ours))
    p = paired_p(d, np.zeros(n), test="wilcoxon")
    assert p == pytest.approx(min(expected, 1.0), abs=1e-12)
