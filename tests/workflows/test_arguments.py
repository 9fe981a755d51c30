"""What `select`, `cluster`, `communities` and `compare` take and refuse in Python."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sksieve
from sksieve.exceptions import ArgumentError, DataError
from sksieve.io import numeric_table, read_graph

pd = pytest.importorskip("pandas")

NAMES = ["a", "b", "c", "d"]
EDGES = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]


def frame():
    X = np.random.default_rng(0).normal(size=(40, 4))
    X[:, 3] = X[:, 0] + X[:, 1] + 0.1 * X[:, 3]
    return pd.DataFrame(X, columns=NAMES)


def two_triangles():
    A = np.zeros((6, 6))
    A[tuple(np.transpose(EDGES))] = 1
    return A + A.T


def greedy(X, k=2, **given):
    return sksieve.select(X, k, method="greedy", **given)


def test_every_form_of_a_table_gives_one_answer(tmp_path):
    X = frame()
    X.to_csv(tmp_path / "t.csv", index=False)
    expected = greedy(X).indices
    for form in (X.to_numpy(), X.to_numpy().tolist(), tmp_path / "t.csv", numeric_table(X)):
        np.testing.assert_array_equal(greedy(form).indices, expected)
    assert greedy(X.to_numpy()).columns == [f"x{j}" for j in expected]


def test_an_anndata_object_is_a_table():
    anndata = pytest.importorskip("anndata")
    X = frame()
    for matrix in (X.to_numpy(), sp.csr_array(X.to_numpy())):
        table = anndata.AnnData(matrix, var=pd.DataFrame(index=NAMES))
        chosen = greedy(table, scale="unit")
        assert chosen.columns == greedy(X, scale="unit").columns


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cost": {"a": 1.0, "b": 2.0}, "budget": 3}, "cost has no entry for 'c', 'd'"),
        ({"cost": [1.0, 2.0], "budget": 3}, r"cost has the shape \(2,\); give a number for each"),
        ({"scale": "wide"}, 'scale="wide": use auto, standard, unit, minmax or none'),
        ({"k": 0}, "k=0"),
        ({"k": True}, "k=True"),
    ],
)
def test_arguments_that_are_refused(given, message):
    with pytest.raises((ArgumentError, DataError), match=message):
        sksieve.select(frame(), **{"k": 2, "method": "greedy"} | given)


def test_costs_by_name_in_order_and_from_a_file(tmp_path):
    cost = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 9.0, "e": 1.0}
    (tmp_path / "costs.csv").write_text(
        "name,cost\n" + "".join(f"{name},{price}\n" for name, price in cost.items())
    )
    answers = [
        greedy(frame(), cost=form, budget=3)
        for form in (cost, [1.0, 1.0, 1.0, 9.0], tmp_path / "costs.csv")
    ]
    for one in answers:
        assert "d" not in one.columns
        assert one.columns == answers[0].columns
        assert one.frame["cost"].tolist() == [1.0, 1.0]
    assert [any("'e'" in note for note in one.notes) for one in answers] == [True, False, True]


def test_the_chosen_columns_of_every_form_of_a_table():
    table = frame().rename(columns={"a": "<a>"})
    result = greedy(table, 2)
    chosen = table[result.columns]
    pd.testing.assert_frame_equal(result.transform(), chosen, check_dtype=False)
    pd.testing.assert_frame_equal(result.transform(table), chosen)
    np.testing.assert_array_equal(result.transform(table.to_numpy()), chosen)
    page = greedy(table, 4)._repr_html_()
    assert page.count("<tr>") == 5
    assert "<td>&lt;a&gt;</td>" in page


def test_recommended_methods_are_compared_with_random_columns():
    methods = {row.method for row in sksieve.compare(frame(), 2).rows}
    assert methods > {"choice", "local_search", "random"}


def test_a_prepared_table_is_not_prepared_again():
    with pytest.raises(ArgumentError, match="drop: the table is prepared already"):
        greedy(numeric_table(frame()), drop="a")


def test_an_array_that_is_no_table():
    with pytest.raises(DataError, match="X has 3 dimensions; a table has rows and columns"):
        greedy(np.zeros((3, 4, 2)))


def test_every_form_of_a_graph_gives_one_answer(tmp_path):
    networkx = pytest.importorskip("networkx")
    A = two_triangles()
    (tmp_path / "g.csv").write_text("from,to\n" + "".join(f"n{u},n{v}\n" for u, v in EDGES))
    named = networkx.relabel_nodes(networkx.Graph(EDGES), {i: f"n{i}" for i in range(6)})
    path = tmp_path / "g.csv"
    for form in (A, sp.csr_array(A), path, read_graph(path), named):
        found = sksieve.communities(form, 2)
        labels = dict(zip(found.frame.iloc[:, 0].astype(str), found.labels))
        halves = [{labels[name] for name in labels if name[-1] in part} for part in ("012", "345")]
        assert [len(half) for half in halves] == [1, 1]
        assert halves[0] != halves[1]


@pytest.mark.parametrize(
    ("A", "message"),
    [
        (np.ones((2, 3)), r"graph has the shape \(2, 3\); an adjacency matrix is square"),
        (np.triu(np.ones((3, 3)), 1), "graph must be symmetric with weights of at least 0"),
        (-two_triangles(), "graph must be symmetric with weights of at least 0"),
    ],
)
def test_matrices_that_are_no_graph(A, message):
    with pytest.raises(DataError, match=message):
        sksieve.communities(A, 2)


def test_far_rows_are_the_reason_where_columns_explain_more_than_components():
    X = np.random.default_rng(0).standard_normal((200, 6))
    X[:, 3:] += X[:, :3]
    assert not sksieve.select(X, 2).notes
    X[0, [0, 3]] = X[1, [1, 4]] = 60.0, -50.0
    result = sksieve.select(X, 2)
    assert result.explained > result.judgement.components
    (note,) = result.notes
    assert note.startswith("4 rows of 200 hold 63")
    assert "of that of 'x0'): principal components follow such rows" in note
