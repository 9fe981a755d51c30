"""The page of a clustering: sound HTML, true numbers, nothing fetched, nothing unescaped."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve import BPMA, SpectralCommunities, SpectralGraph
from sksieve.datasets import make_sbm
from sksieve.evaluation import inside_shares, partition
from sksieve.evaluation._groups import principal_plane, weakest_members
from sksieve.exceptions import DataWarning
from sksieve.report import ClusteringResult
from sksieve.report._cluster_view import FLAT, NUMBERED, clustering_view
from sksieve.report._text import NARROW, percent

from .pages import NASTY, Page, page_of, separated_table
from .test_style import DARK, LIGHT, contrast, rgb

pytest.importorskip("jinja2")


def result_of(est: Any, **other: Any) -> ClusteringResult:
    values = {
        "estimator": est,
        "partition": partition(est.affinity_, est.labels_, other.get("X")),
        "method": "spectral",
        "command": "sksieve cluster table.csv -c 3",
        "data_name": "table.csv",
        "data_sha256": "0123456789abcdef" * 4,
        "seconds": 0.25,
        "seed": 0,
        "scale": "none" if "X" in other else "",
    }
    return ClusteringResult(**(values | other))


@pytest.fixture(scope="module")
def clustering() -> ClusteringResult:
    X, _ = separated_table()
    est = SpectralGraph(n_clusters=3, random_state=0).fit(X)
    return result_of(est, X=X, feature_names=NASTY, notes=("<b>a note</b>",))


@pytest.fixture(scope="module")
def communities() -> ClusteringResult:
    A, _ = make_sbm(40, 2, 0.5, 0.1, random_state=0)
    est = BPMA(2, affinity="precomputed", random_state=0).fit(A)
    return result_of(
        est,
        names=[f"v{k}" for k in range(38)] + ["<script>", "a&b"],
        loading="import numpy as np\nA = np.load('a.npy')",
        against=("club", 0.95, 0.75, 2, 40),
    )


def test_page_of_samples_is_sound(clustering, tmp_path):
    html = page_of(clustering, tmp_path)
    page = Page(html)
    assert max(page.ids.values()) == 1
    for labeled in page.having("aria-labelledby"):
        assert labeled in page.ids
    assert page.headings == [
        "Please note", "The clusters", "Map", "The graph, ordered by cluster",
        "Columns that separate the clusters", "Weakest members", "Find a row", "How to repeat",
    ]  # fmt: skip
    assert "They are counted from 0." in html
    assert "<script>alert" not in html
    assert "<b>a note" not in html
    assert "\x00" not in html


def test_page_of_vertices_is_sound(communities, tmp_path):
    html = page_of(communities, tmp_path)
    page = Page(html)
    assert "The vertices with most edges" in page.headings
    assert "Agreement with the labels" in page.headings
    assert "Convergence" in page.headings
    assert "columns" not in html.split("<style>")[0].lower()
    assert "accuracy 0.950" in html
    assert "normalized mutual information 0.750" in " ".join(html.split())
    assert len([tag for tag, _ in page.tags if tag == "script"]) == 2


def test_communities_of_a_vertex_without_an_edge_are_not_listed(tmp_path):
    A, _ = make_sbm(40, 2, 0.5, 0.1, random_state=0)
    lone = sp.block_diag([sp.csr_array((1, 1)), A, sp.csr_array((2, 2))], format="csr")
    with pytest.warns(DataWarning, match="3 vertices of the affinity"):
        est = BPMA(2, affinity="precomputed", random_state=0).fit(lone)
    html = page_of(result_of(est, names=[f"v{k}" for k in range(43)]), tmp_path)
    assert "40 of 43 vertices in 2 communities of " in html
    assert "Not listed: 3 communities of one vertex without an edge." in html
    for table in ("sizes", "named"):
        rows = html.split(f'<table class="{table}">')[1].split("</table>")[0].split("<tr>")[2:]
        assert len(rows) == 2
    assert html.count('<i class="across"') == 1


def test_large_means_have_no_powers_of_ten(tmp_path):
    X, _ = separated_table()
    est = SpectralGraph(n_clusters=2, random_state=0).fit(X)
    names = [str(j) for j in range(X.shape[1])]
    html = page_of(result_of(est, X=415_512.0 + 1e-3 * X, feature_names=names), tmp_path)
    assert "415\N{NARROW NO-BREAK SPACE}500" in html
    assert "e+05" not in html


def test_nothing_is_fetched(clustering, communities, tmp_path):
    for result in (clustering, communities):
        html = page_of(result, tmp_path)
        page = Page(html)
        addresses = page.having("src") + page.having("href")
        assert all(address.startswith("data:") for address in addresses)
        assert "default-src 'none'" in html
        assert "http" not in html.replace("http-equiv", "")


def test_numbers_on_the_page_are_those_of_the_partition(clustering, tmp_path):
    html = page_of(clustering, tmp_path).replace("\N{NARROW NO-BREAK SPACE}", " ")
    found = clustering.partition
    assert 0 < found.share_inside < 1
    assert f"{100 * found.share_inside:.1f} % of the graph" in html
    assert "expected at random" not in html, "no baseline for a graph made from points"
    assert f"Modularity: {found.modularity:.3f}" in html
    rows = html.split('<table class="sizes">')[1].split("</table>")[0].split("<tr>")[2:]
    assert len(rows) == 3
    for row, size, share, value in zip(rows, found.sizes, found.inside, found.silhouettes):
        assert f">{size}<" in row
        assert f">{percent(share)}<".replace(NARROW, " ") in row
        assert f">{value:.2f}<" in row


def test_python_lines_repeat_the_labels(communities, tmp_path):
    html = page_of(communities, tmp_path)
    code = html.split("<h3>Python</h3>")[1].split("<code>")[1].split("</code>")[0]
    code = unescape(code)
    A, _ = make_sbm(40, 2, 0.5, 0.1, random_state=0)
    code = code.replace("np.load('a.npy')", "given")
    names: dict[str, Any] = {"given": A}
    exec(code, names)
    np.testing.assert_array_equal(names["labels"], communities.estimator.labels_)


def test_members_without_a_name(clustering, communities):
    for result, noun in ((clustering, "row"), (replace(communities, names=None), "vertex")):
        est = result.estimator
        first = weakest_members(est.affinity_, est.labels_, 1).members[0]
        view = clustering_view(result)["weakest"]
        assert view["rows"][0]["name"] == f"{noun} {first}"
        assert view["unnamed"]
    assert not clustering_view(communities)["weakest"]["unnamed"]


def test_members_that_stay_with_their_own(clustering):
    est = clustering.estimator
    found = weakest_members(est.affinity_, est.labels_, 12)
    drawn = [row["drawn"] for row in clustering_view(clustering)["weakest"]["rows"]]
    assert drawn == [
        None if a == b else a for a, b in zip(found.drawn_to.tolist(), found.groups.tolist())
    ]
    assert None in drawn


def test_a_map_that_shows_nothing_is_left_out(tmp_path):
    A = sp.block_diag([np.ones((3, 3)) - np.eye(3)] * 16, format="csr")
    est = SpectralCommunities(16, affinity="precomputed", random_state=0).fit(A)
    html = page_of(result_of(est), tmp_path)
    assert "Map" not in Page(html).headings
    assert '<div class="single">' in html
    X = np.random.default_rng(0).normal(size=(60, 40))  # a table's map stays, and says how little
    est = SpectralGraph(n_clusters=2, random_state=0).fit(X)
    result = result_of(est, X=X, feature_names=[str(j) for j in range(40)])
    assert principal_plane(X, est.labels_)[2] < FLAT
    assert "Map" in Page(page_of(result, tmp_path)).headings


@pytest.mark.parametrize("c", [NUMBERED, NUMBERED + 1])
def test_a_map_has_the_numbers_of_all_groups_or_none(c):
    places = 100.0 * np.repeat(np.arange(c), 3)
    X = np.column_stack([places, np.random.default_rng(0).normal(size=3 * c)])
    est = SpectralGraph(n_clusters=c, n_neighbors=2, random_state=0).fit(X)
    view = clustering_view(result_of(est, X=X, feature_names=["a", "b"]))
    assert len(view["map"]["paths"]) == c
    assert [k for k, _, _ in view["map"]["marks"]] == (list(range(c)) if c == NUMBERED else [])


def test_what_does_not_fit_is_refused():
    est = SimpleNamespace(labels_=np.zeros(3))
    with pytest.raises(ValueError, match="names has 2 entries for 3 labels"):
        ClusteringResult(est, None, "m", "", "d", "", 0.0, 0, names=["a", "b"])
    with pytest.raises(ValueError, match=r"X has shape \(3, 2\)"):
        ClusteringResult(est, None, "m", "", "d", "", 0.0, 0, X=np.ones((3, 2)))


@pytest.mark.parametrize("page", [LIGHT["page"], DARK["page"]], ids=["light", "dark"])
def test_colors_of_groups_stand_out(page):
    css = (files("sksieve.report") / "templates" / "clustering.css").read_text("utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, re.S)
    block = blocks[0 if page == LIGHT["page"] else 1]
    colors = re.findall(r"--c\d: (#\w+)", block)
    assert len(colors) == 8
    for color in colors:
        assert contrast(rgb(color), rgb(page)) >= 3.0, color


def members_of(html: str) -> Any:
    start = html.index(">", html.index('id="members"')) + 1
    return json.loads(html[start : html.index("</script>", start)])


def test_every_member_can_be_found_and_downloaded(clustering, communities, tmp_path):
    for result, named in ((clustering, False), (communities, True)):
        html = page_of(result, tmp_path)
        data = members_of(html)
        est = result.estimator
        assert data["groups"] == est.labels_.tolist()
        assert data["names"] == (list(result.names) if named else None)
        shares, strongest = inside_shares(est.affinity_, est.labels_)
        assert data["inside"] == [round(100 * share) for share in shares]
        assert data["drawn"] == strongest.tolist()
        assert {"labels-download", "member-search"} <= set(Page(html).ids)


def test_groups_of_too_many_members_are_left_out(clustering, monkeypatch, tmp_path):
    monkeypatch.setattr("sksieve.report._cluster_view.MEMBERS", 10)
    html = page_of(clustering, tmp_path)
    assert 'id="members"' not in html
    assert "more than 10 samples are not on this page" in html


def test_sentences_on_the_number_are_text(communities, tmp_path):
    number = ("Number: 2, a <b>guess</b>, often off by a factor of two.",)
    result = replace(communities, number=number, stability="Halves agree: 0.9.", compiling=1.5)
    html = page_of(result, tmp_path)
    assert "<p>Number: 2, a &lt;b&gt;guess&lt;/b&gt;, often off by a factor of two.</p>" in html
    assert "<p>Halves agree: 0.9.</p>" in html
    assert "<dt>Compiling, once</dt><dd>1.5\u202fs</dd>" in html
