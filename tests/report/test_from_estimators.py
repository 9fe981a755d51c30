"""Reports from fitted estimators alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from sksieve import BLUFS, ColumnChoice, GreedyCSS, SpectralCommunities, SpectralGraph
from sksieve._wording import percent
from sksieve.report import clustering_report, selection_report

from .pages import Page, low_rank

NAMES = [f"column {j}" for j in range(12)]


@pytest.mark.parametrize(
    "est",
    [GreedyCSS(3), BLUFS(3, n_clusters=3), ColumnChoice(3, random_state=0)],
    ids=lambda est: type(est).__name__,
)
def test_a_selector_and_its_table_make_a_page(tmp_path, est):
    X = pd.DataFrame(low_rank(), columns=NAMES)
    est.fit(X)
    made = selection_report(est, X, tmp_path / "page.html", title="my table")
    assert made.path.read_text("utf-8") == made.html
    page = Page(made.html)
    assert page.names[0] == "my table"
    chosen = [NAMES[j] for j in est.get_support(indices=True)]
    assert set(chosen) <= set(page.names)
    assert ("Methods that were compared" in page.headings) == isinstance(est, ColumnChoice)
    assert type(est).__name__ in made.html


def test_arrays_and_sparse_tables_have_numbered_columns():
    X = np.maximum(low_rank(), 0)
    for table in (X, sp.csr_array(X)):
        made = selection_report(GreedyCSS(2).fit(table), table)
        assert made.path is None
        assert "x0" in Page(made.html).names


def test_another_table_is_refused():
    X = low_rank()
    with pytest.raises(ValueError, match=r"X has 3 columns, but GreedyCSS was fitted to 12"):
        selection_report(GreedyCSS(2).fit(X), X[:, :3])


def test_clusterers_of_tables_and_graphs(tmp_path):
    X = pd.DataFrame(low_rank(), columns=NAMES)
    est = SpectralGraph(n_clusters=3, random_state=0).fit(X)
    made = clustering_report(est, X, title="groups")
    assert "60 samples in 3 clusters" in made.html
    assert "column 0" in made.html
    A = est.affinity_
    graph = SpectralCommunities(n_clusters=2, affinity="precomputed", random_state=0).fit(A)
    made = clustering_report(graph, A)
    assert "60 vertices in 2 communities" in made.html
    assert made.save(tmp_path / "a.html").read_text("utf-8") == made.html


def test_notebooks_show_the_page_in_a_frame():
    X = low_rank()
    made = selection_report(GreedyCSS(2).fit(X), X)
    frame = made._repr_html_()
    assert frame.startswith('<iframe srcdoc="')
    assert "<script>" not in frame
    assert repr(made).startswith("Page(not written, ")


@pytest.mark.skipif(not hasattr(BaseEstimator, "_html_repr"), reason="needs scikit-learn 1.7")
def test_notebooks_list_the_columns_of_a_fitted_selector():
    X = pd.DataFrame(low_rank(), columns=[f"<b>{j}" for j in range(12)])
    est = GreedyCSS(2)
    assert "Chosen columns" not in est._repr_html_()
    text = est.fit(X)._repr_html_()
    listed = ", ".join(f"&lt;b&gt;{j}" for j in est.ranking_[:2])
    explained = percent(1 - est.objective_ / est.error_path_[0])
    assert f"Chosen columns (2): {listed}. They explain {explained} of the table." in text
    assert est._repr_mimebundle_()["text/html"].endswith("of the table.</p>")
    assert (
        "Chosen columns (1): x0."
        in BLUFS(1, n_clusters=2)
        .fit(np.column_stack([low_rank()[:, 0], np.zeros(60)]))
        ._repr_html_()
    )
