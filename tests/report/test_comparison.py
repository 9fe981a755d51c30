"""The report of a label-free comparison: what it says, and that it says only that."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sksieve.evaluation import comparisons
from sksieve.evaluation._compare import Comparison, not_fitted
from sksieve.metrics import Stability
from sksieve.report import ComparisonResult
from sksieve.report._comparison import comparison_view

from .pages import NASTY, Page, page_of


def row(method: str, columns: tuple[int, ...], explained: float = 0.75, **other: Any) -> Comparison:
    return Comparison(method, columns, 0.5, explained, 0.5, 0.125, "", ())._replace(**other)


def result_of(*rows: Comparison, d: int = 6, **other: Any) -> ComparisonResult:
    given: dict[str, Any] = {"k": 2, "data_name": "table.csv", "data_sha256": "", "n_samples": 9}
    names = [f"c{j}" for j in range(d)]
    return ComparisonResult(**{"rows": rows, "feature_names": names, **given, **other})


def test_columns_that_most_methods_chose_come_first():
    view = comparison_view(
        result_of(row("a", (3, 1)), row("b", (4, 3)), row("c", (1, 3)), row("d", (5, 3)))
    )
    rows = view["choices"]["rows"]
    assert [(r["name"], r["votes"]) for r in rows] == [("c3", 4), ("c1", 2), ("c4", 1), ("c5", 1)]
    assert [c["at"] for c in rows[0]["cells"]] == [1, 2, 2, 2]
    assert [c["at"] for c in rows[1]["cells"]] == [2, None, 1, None]
    shares = {c["at"]: c["share"] for r in rows for c in r["cells"]}
    assert shares[1] > shares[2] > shares[None] == 0
    assert view["choices"]["summary"] == (
        "4 columns of 6 are chosen by some method, 1 is chosen by every one."
    )


def test_of_columns_chosen_as_often_the_one_of_better_places_comes_first():
    choices = comparison_view(result_of(row("a", (5, 1)), row("b", (1, 5)), row("c", (5, 1))))
    assert [r["name"] for r in choices["choices"]["rows"]] == ["c5", "c1"]
    message = comparison_view(result_of(row("a", (0, 1)), row("b", (0, 2))))["choices"]["summary"]
    assert message.endswith("1 is chosen by every one.")


def test_figures_stand_where_they_belong():
    view = comparison_view(result_of(row("a", (0, 1)), row("b", (2, 3))))
    assert dict(view["facts"])["Time"] == "1.0\N{NARROW NO-BREAK SPACE}s"
    quality = {
        k: str(v).replace("\N{NARROW NO-BREAK SPACE}", " ") for k, v in view["quality"][0].items()
    }
    assert quality == {
        "method": "a",
        "explained": "75.0 %",
        "explained_bar": "75.0",
        "kept": "50.0 %",
        "kept_bar": "50.0",
        "redundancy": "0.12",
        "seconds": "500 ms",
        "stability": "",
    }


def test_agreement_is_the_share_of_columns_in_common():
    view = comparison_view(result_of(row("a", (3, 1)), row("b", (1, 3)), row("c", (0, 1))))
    cells = [[cell["r"] for cell in r["cells"]] for r in view["agreement"]["rows"]]
    assert cells == [[1.0], [1.0, 1.0], [0.5, 0.5, 1.0]]
    message = view["agreement"]["summary"].replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert message == (
        "Two methods share 66.7 % of their columns on average; random choices as large share "
        "33.3 %."
    )
    fewer = comparison_view(result_of(row("a", (0,)), row("b", (0, 1, 2)), k=3))["agreement"]
    assert [cell["r"] for cell in fewer["rows"][1]["cells"]] == [0.333, 1.0]
    assert "share 16.7" in fewer["summary"]
    assert comparison_view(result_of(row("a", (0, 1))))["agreement"] is None


def test_the_headline_names_the_best_and_ties_are_not_beaten():
    two = [row("worse", (0, 1), 0.5), row("best", (2, 3), 0.75)]
    message = comparison_view(result_of(*two))["headline"].replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert message == (
        "2 columns of 6, chosen by best, explain 75.0 % of the table on rows not used; none of the "
        "2 methods explains more."
    )
    one = comparison_view(result_of(row("a", (0,)), k=1))["headline"]
    assert one.startswith("1 column of 6, chosen by a, explains 75.0")
    none = result_of(not_fitted("mcfs", "too few."))
    assert comparison_view(none)["headline"].startswith("No method gave a result")
    assert comparison_view(none)["choices"] is None


def test_only_the_first_columns_are_listed():
    view = comparison_view(result_of(row("a", tuple(range(100))), d=200, k=100))
    assert len(view["choices"]["rows"]) == 60
    assert view["choices"]["limited"] == "The 60 that most methods choose."


def test_refusals_and_notes_are_told_and_names_are_escaped(tmp_path):
    result = result_of(
        row("a", (0, 11)),
        row("b", (1, 2)),
        not_fitted("mcfs", "X has <2> samples."),
        feature_names=NASTY,
        data_name="<b>.csv",
        notes=("<i>a note</i>",),
    )
    html = page_of(result, tmp_path)
    page = Page(html)
    assert page.headings == [
        "Please note",
        "Quality of the chosen columns",
        "Which columns they choose",
        "How much they agree",
        "Without a result",
        "How to repeat",
    ]
    assert "<b>" not in html.replace("<b>1</b>", "").replace("<b>2</b>", "")
    assert "X has &lt;2&gt; samples." in html
    assert "&lt;i&gt;a note&lt;/i&gt;" in html
    assert not re.search(r"https?://(?!www\.w3\.org)", html)
    assert html.count("<script") == 1


def test_stability_is_a_column_only_where_it_was_asked_for(tmp_path):
    steady = Stability(0.75, 0.5, 1.0, 0.01, 5, np.zeros(6))
    with_it = page_of(result_of(row("a", (0, 1), stability=steady), row("b", (2, 3))), tmp_path)
    assert '<td class="num">0.75</td>' in with_it
    assert ">Stability</th>" in with_it
    assert ">Stability</th>" not in page_of(result_of(row("a", (0, 1))), tmp_path)


def test_the_python_lines_give_the_same_figures(tmp_path, capsys):
    X = np.random.RandomState(0).rand(30, 6)
    np.save(tmp_path / "t.npy", X)
    found = comparisons(X, 2, ["greedy", "random"], random_state=3)
    result = result_of(*found, data_name=str(tmp_path / "t.npy"), seed=3, time_limit=60.0)
    python = comparison_view(result)["repeat"]["python"]
    assert "time_limit=60" in python
    namespace = {}
    exec(python, namespace)
    table = namespace["table"]
    assert capsys.readouterr().out == f"{table}\n"
    expected = [
        (
            r.method,
            pytest.approx(r.explained, rel=1e-12),
            r.preservation,
            [f"x{j}" for j in r.columns],
        )
        for r in found
    ]
    heads = ["method", "explained", "preservation", "columns"]
    assert list(table.frame[heads].itertuples(index=False, name=None)) == expected


@pytest.mark.parametrize("n", [1, 13, 25])
def test_pages_of_few_and_of_many_methods_are_whole(tmp_path, n):
    rows = [row(f"m{i}", (i % 6, (i + 1) % 6)) for i in range(n)]
    page = Page(page_of(result_of(*rows), tmp_path))
    assert ("How much they agree" in page.headings) == (n > 1)
