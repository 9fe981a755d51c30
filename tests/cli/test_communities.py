"""``sksieve communities``: graphs as they come, the groups, and how they are told."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

import sksieve
from sksieve.datasets import make_sbm
from sksieve.io.graphs import read_graph
from sksieve.metrics import clustering_accuracy, modularity

from .conftest import parsed

#: Two triangles and the edge between them.
EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "d")]
TRIANGLES = [0, 0, 0, 1, 1, 1]


def lines(edges, sep=",") -> str:
    return "".join(sep.join(map(str, edge)) + "\n" for edge in edges)


@pytest.fixture
def triangles(tmp_path) -> Path:
    path = tmp_path / "edges.csv"
    path.write_text(lines(EDGES))
    return path


@pytest.fixture(scope="module")
def blocks() -> tuple[Any, np.ndarray]:
    A, y = make_sbm(60, 3, 0.5, 0.05, random_state=0)
    return sp.csr_array(A), y


def found(invoke, *words) -> dict[str, Any]:
    result = invoke("communities", *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_what_a_person_reads(invoke, triangles):
    result = invoke("communities", triangles, "-c", 2)
    assert result.exit_code == 0
    assert result.stderr == ""
    out = result.stdout.splitlines()
    assert out[0].startswith("Method: spectral_communities (auto: ")
    assert out[1] == "Data: edges.csv, undirected"
    assert out[2] == "Graph: 6 vertices, 7 edges, connected"
    assert re.split(r"  +", out[4])[-2:] == ["to others", "most connected"]
    assert out[5].split() == ["0", "3", "50.0", "%", "85.7", "%", "1", "0.111", "c,", "a,", "b"]
    assert out[6].split() == ["1", "3", "50.0", "%", "85.7", "%", "1", "0.111", "d,", "e,", "f"]
    assert "for all communities 85.7 %, expected at random 50.0 % (modularity 0.357)." in out[8]
    assert out[9].startswith("Density: 1 within communities, 0.111 between")


def test_the_document(invoke, tmp_path, blocks):
    A, y = blocks
    sp.save_npz(tmp_path / "A.npz", A)
    document = found(invoke, tmp_path / "A.npz", "-c", 3, "--method", "bpma")
    graph = {"affinity": "precomputed"}
    est = sksieve.BPMA(3, random_state=0, **graph).fit(A)
    assert document["labels"] == est.labels_.tolist()
    assert document["schema"] == "sksieve.communities/1"
    assert document["names"] == [str(k) for k in range(60)]
    assert document["graph"]["edges"] == A.nnz // 2
    assert document["quality"]["modularity"] == pytest.approx(modularity(A, est.labels_))
    assert clustering_accuracy(y, document["labels"]) == 1.0
    again = found(invoke, *shlex.split(document["command"])[2:])
    assert again["labels"] == document["labels"]


def test_every_method(invoke, triangles):
    of_tables = []
    for method in sksieve.catalogue.list_methods("clusterer"):
        if "affinity" not in method.defaults():
            of_tables.append(method.name)
            continue
        number = ("-c", 2) if "n_clusters" in method.defaults() else ()
        document = found(invoke, triangles, *number, "--method", method.name)
        assert clustering_accuracy(TRIANGLES, document["labels"]) == 1.0, method.name
        assert document["method"]["parameters"]["affinity"] == "precomputed"
    assert of_tables == ["cluster_choice", "l1graph", "srsg", "lr_l1", "smce"]
    result = invoke("communities", triangles, "-c", 2, "--method", "srsg")
    assert result.exit_code == 2
    assert "--method srsg groups the rows of a table (sksieve cluster)" in result.stderr


def test_nested_parameters(invoke, triangles):
    words = (triangles, "-c", 2, "--method", "spma", "--param", "lam=0.5")
    parameters = found(invoke, *words, "--param", "starts__n_rounds=0")["method"]["parameters"]
    assert parameters["lam"] == 0.5
    assert "n_rounds=0" in str(parameters["starts"])


@pytest.fixture(scope="module")
def weighted(blocks):
    A = sp.triu(blocks[0], 1).tocoo()
    rng = np.random.default_rng(0)
    return np.column_stack([*A.coords, rng.integers(1, 5, A.nnz)])


@pytest.fixture(scope="module")
def expected(weighted):
    A = np.zeros((60, 60))
    A[weighted[:, 0], weighted[:, 1]] = weighted[:, 2]
    return A + A.T


class TestFormats:
    """One graph in every format gives one matrix."""

    def matrix(self, path, **reading):
        graph = read_graph(str(path), **reading)
        order = np.argsort([int(name) for name in graph.names])
        return graph.A[order][:, order].toarray()

    @pytest.mark.parametrize(
        ("name", "text", "reading"),
        [
            ("a.csv", lambda e: lines(e), {}),
            ("a.csv", lambda e: "source,target,weight\n" + lines(e), {}),
            ("a.csv", lambda e: "x,y,strength of tie\n" + lines(e), {}),
            ("a.csv", lambda e: "x;y;w\n" + lines(e, ";"), {"sep": ";"}),
            ("a.tsv", lambda e: lines(e, "\t"), {}),
            ("a.txt", lambda e: "# a remark\n% one more\n\n" + lines(e, "  "), {}),
            ("a.edges", lambda e: lines(e, " "), {}),
            ("a.csv", lambda e: "w,to,from\n" + lines(e[:, ::-1]),
             {"source": "from", "target": "to", "weight": "w"}),
            ("a.csv", lambda e: "id,source,target,kind,weight\n"
             + "".join(f"{k},{i},{j},x,{w}\n" for k, (i, j, w) in enumerate(e)), {}),
        ],
    )  # fmt: skip
    def test_edge_lists(self, tmp_path, weighted, expected, name, text, reading):
        (tmp_path / name).write_text(text(weighted))
        np.testing.assert_array_equal(self.matrix(tmp_path / name, **reading), expected)

    def test_both_directions_listed(self, tmp_path, weighted, expected):
        there = lines(weighted) + lines(weighted[:, [1, 0, 2]])
        (tmp_path / "a.csv").write_text(there)
        graph = read_graph(str(tmp_path / "a.csv"))
        assert graph.A.nnz == np.count_nonzero(expected)
        assert "listed in both directions; it counts once" in graph.notes[0]
        np.testing.assert_array_equal(self.matrix(tmp_path / "a.csv"), expected)

    def test_without_weights(self, tmp_path, weighted, expected):
        (tmp_path / "a.csv").write_text(lines(weighted[:, :2]))
        np.testing.assert_array_equal(self.matrix(tmp_path / "a.csv"), expected > 0)

    def test_parquet_and_compressed_text(self, tmp_path, weighted, expected):
        frame = pd.DataFrame(weighted, columns=["source", "target", "weight"])
        frame.to_parquet(tmp_path / "a.parquet")
        frame.to_csv(tmp_path / "a.csv.gz", index=False)
        for name in ("a.parquet", "a.csv.gz"):
            np.testing.assert_array_equal(self.matrix(tmp_path / name), expected)

    def test_matrices(self, tmp_path, expected):
        A = sp.csr_array(expected)
        scipy.io.mmwrite(tmp_path / "a.mtx", A)
        scipy.io.mmwrite(tmp_path / "symmetric.mtx", A, symmetry="symmetric")
        scipy.io.savemat(tmp_path / "a.mat", {"A": A})
        sp.save_npz(tmp_path / "sparse.npz", A)
        np.savez(tmp_path / "dense.npz", adjacency=expected, other=np.ones((3, 4)))
        np.save(tmp_path / "a.npy", expected)
        names = [str(k) for k in range(60)]
        pd.DataFrame(expected, columns=names).to_csv(tmp_path / "wide.csv", index=False)
        pd.DataFrame(expected, columns=names, index=names).to_csv(tmp_path / "named.csv")
        for path in sorted(tmp_path.iterdir()):
            np.testing.assert_array_equal(self.matrix(path), expected, err_msg=path.name)

    def test_edges_as_arrays(self, tmp_path, weighted, expected):
        np.save(tmp_path / "edges.npy", weighted)
        np.savez(
            tmp_path / "edges.npz", edges=weighted[:, :2], weights=weighted[:, 2], n_nodes=62,
            y=np.arange(62),
        )  # fmt: skip
        np.testing.assert_array_equal(self.matrix(tmp_path / "edges.npy"), expected)
        graph = read_graph(str(tmp_path / "edges.npz"))
        assert len(graph.names) == 62  # two vertices without an edge
        np.testing.assert_array_equal(graph.A.toarray()[:60, :60], expected)
        assert graph.side["y"].tolist() == list(range(62))

    def test_a_matrix_beside_edges_is_read_when_it_is_named(self, tmp_path, expected):
        np.savez(tmp_path / "a.npz", edges=np.array([[0, 1]]), A=expected)
        np.testing.assert_array_equal(self.matrix(tmp_path / "a.npz", name="A"), expected)
        assert read_graph(str(tmp_path / "a.npz")).A.nnz == 2

    @pytest.mark.parametrize("suffix", ["graphml", "gml"])
    def test_networkx(self, tmp_path, weighted, expected, suffix):
        networkx = pytest.importorskip("networkx")
        G = networkx.Graph()
        G.add_nodes_from(range(60))
        G.add_weighted_edges_from(weighted.tolist())
        path = tmp_path / f"a.{suffix}"
        getattr(networkx, f"write_{suffix}")(G, path)
        np.testing.assert_array_equal(self.matrix(path), expected)

    def test_the_python_of_the_report_makes_the_same_matrix(self, tmp_path, weighted, expected):
        from sksieve.cli._data import graph_lines

        paths = [tmp_path / name for name in ("a.csv", "b.txt", "c.npz", "d.mtx", "e.npy")]
        paths[0].write_text("from,to,w\n" + lines(weighted))
        paths[1].write_text("% remark\n# another, with words\n" + lines(weighted, " "))
        np.savez(paths[2], edges=weighted[:, :2], weights=weighted[:, 2])
        scipy.io.mmwrite(paths[3], sp.csr_array(expected))
        np.save(paths[4], weighted)
        for path in paths:
            words = ("-c", 2, "--symmetrize", "max", "--largest")
            options = parsed("communities", path, *words)
            names: dict[str, Any] = {}
            exec(graph_lines(options), names)
            graph = read_graph(path, symmetrize="max", largest=True)
            np.testing.assert_array_equal(names["A"].toarray(), graph.A.toarray())

    @pytest.mark.data
    def test_catalogue(self, invoke):
        document = found(invoke, "dataset:graph_karate", "-c", 2)
        assert document["graph"] == {
            "vertices": 34, "edges": 78, "components": [34], "isolated": 0,
        }  # fmt: skip

    def test_float32_stays(self, tmp_path, expected):
        np.save(tmp_path / "a.npy", expected.astype(np.float32))
        assert read_graph(str(tmp_path / "a.npy")).A.dtype == np.float32


class TestHeader:
    def test_a_first_line_that_may_be_names_is_refused(self, invoke, refused, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("home,away\n" + lines(EDGES))
        message = refused("communities", path, "-c", 2)
        assert "the first line ('home', 'away') may name the columns or be an edge" in message
        assert message.endswith("add --header or --no-header.")
        result = invoke("communities", path, "-c", 2, "--header")
        assert result.stderr == ""
        assert "6 vertices, 7 edges" in result.stdout
        result = invoke("communities", path, "-c", 2, "--no-header")
        assert "8 vertices, 8 edges" in result.stdout

    def test_no_header(self, invoke, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("from,to\nto,b\nb,from\n")
        output = invoke("communities", path, "-c", 2, "--no-header").stdout
        assert "3 vertices, every pair joined" in output

    def test_standard_input(self, invoke):
        result = invoke("communities", "-", "-c", 2, stdin=lines(EDGES).encode())
        assert "Data: standard input, undirected" in result.stdout
        assert "6 vertices, 7 edges" in result.stdout


class TestDirections:
    DIRECTED = "a,b\nb,a\nb,c\nc,a\nc,d\n"

    @pytest.mark.parametrize(
        ("how", "ab", "bc"), [("sum", 2, 1), ("mean", 1, 0.5), ("max", 1, 1), ("min", 1, 0)]
    )
    def test_symmetrize(self, tmp_path, how, ab, bc):
        path = tmp_path / "a.csv"
        path.write_text(self.DIRECTED)
        A = read_graph(str(path), symmetrize=how).A
        assert (A[0, 1], A[1, 0], A[1, 2]) == (ab, ab, bc)

    def test_refused_without(self, refused, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text(self.DIRECTED)
        output = refused("communities", path, "-c", 2)
        assert "lists 1 of its 4 edges in both directions and the others in one" in output
        assert "say with --symmetrize" in output
        path.write_text("a,b,1\nb,a,2\n")
        assert "some with two different weights" in refused("communities", path, "-c", 2)

    def test_matrices(self, refused, tmp_path):
        A = np.triu(np.ones((4, 4)), 1)
        np.save(tmp_path / "a.npy", A)
        output = refused("communities", tmp_path / "a.npy", "-c", 2)
        assert "half of a symmetric matrix is missing; --symmetrize sum fills it in" in output
        filled = read_graph(str(tmp_path / "a.npy"), symmetrize="sum").A
        np.testing.assert_array_equal(filled.toarray(), A + A.T)
        np.save(tmp_path / "a.npy", A + 2 * A.T)
        assert "is not symmetric" in refused("communities", tmp_path / "a.npy", "-c", 2)

    def test_directed_graphml(self, refused, tmp_path):
        networkx = pytest.importorskip("networkx")
        networkx.write_graphml(networkx.DiGraph([(0, 1), (1, 0), (1, 2)]), tmp_path / "a.graphml")
        assert "edges are directed" in refused("communities", tmp_path / "a.graphml", "-c", 2)

    def test_min_may_leave_nothing(self, refused, triangles):
        output = refused("communities", triangles, "-c", 2, "--symmetrize", "min")
        assert "no edge is left" in output


class TestDefects:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("a,b,-1\nb,c,2\n", "1 edge has a negative weight (the first: 'a' - 'b', -1)"),
            ("a,b,inf\nb,c,2\n", "1 edge has an infinite weight"),
            ("a,b,1\nb,c,\nc,d,2\n", "edge 2 has no weight (column 'x2')"),
            ("a,b,nan\nb,c,2\n", "edge 1 has no weight"),
            ("a,b\n,c\nc,d\n", "edge 2 has no vertex in column 'x0'"),
            (
                "a,b,friend\nb,c,foe\n",
                "column of weights, 'x2', holds 'friend', which is no",
            ),
            ("a,b\na,b\nb,c\n", "lists 1 edge more than once (the first: 'a' - 'b'); say with"),
            ("a,a\nb,b\n", "no edge between two different vertices"),
            ("from,to\n", "names of the columns and no rows"),
            ("a\nb\n", "has one column; an edge list has two or three"),
            ("i,t,a,b\n1,x,a,b\n2,y,b,c\n", "has 4 columns: 'i', 't', 'a', 'b'; an edge list has"),
            ("a,b\nb,c,d\n", "line 2 has 3 cells where 2 are expected"),
            (
                'von,nach,gewicht\na,b,"1,5"\nb,c,2\n',
                "weights in column 'gewicht' have a decimal comma ('1,5'); write them with a",
            ),
            ("a,b,0\nb,c,0\n", "no edge between two different vertices"),
        ],
    )
    def test_edge_lists(self, refused, tmp_path, text, said):
        (tmp_path / "a.csv").write_text(text)
        assert said in refused("communities", tmp_path / "a.csv", "-c", 2)

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("a.csv", b"", "is empty (0 bytes)"),
            ("a.csv", b"a\x00,\x00", "is not UTF-8 text (it looks like UTF-16"),
            ("a.npz", b"PK\x03\x04broken", "cannot be read as NPZ; it is damaged"),
            ("a.npy", b"\x93NUMPYxx", "cannot be read as NPY; it is damaged"),
            ("a.mtx", b"hello", "cannot be read as Matrix Market"),
            ("a.graphml", b"<graphml><node", "cannot be read as GraphML"),
            ("a.txt", b"# nothing\n\n", "every line is empty or a remark"),
            ("a.csv.gz", b"\x1f\x8bbroken", "cannot be read as a text table; it is damaged"),
            ("a.xyz", b"a,b\n", "the ending .xyz is not one of .csv, .tsv, .txt"),
        ],
    )
    def test_broken_files(self, refused, tmp_path, name, content, said):
        if name.endswith("graphml"):
            pytest.importorskip("networkx")
        (tmp_path / name).write_bytes(content)
        assert said in refused("communities", tmp_path / name, "-c", 2)

    @pytest.mark.parametrize(
        ("A", "said"),
        [
            (np.ones((3, 4)), "is a matrix of 3 x 4; an adjacency matrix is square"),
            (np.zeros((4, 4)), "has no edges"),
            (np.eye(4), "has no edge between two different vertices"),
            (np.full((4, 4), np.nan), "have no number (NaN) as weight"),
            (-np.ones((4, 4)), "have a negative weight"),
            (np.ones((4, 4)) * 1j, "holds complex numbers"),
        ],
    )
    def test_matrices(self, refused, tmp_path, A, said):
        np.savez(tmp_path / "a.npz", A=A)
        assert said in refused("communities", tmp_path / "a.npz", "-c", 2)

    @pytest.mark.parametrize(
        ("words", "code", "said"),
        [
            (("-c", 1), 2, "-c 1: find at least two groups"),
            (("-c", 7), 1, "more groups than the 6 vertices of edges.csv"),
            (("-c", 2, "--method", "greedy"), 2, "greedy chooses columns and finds no groups"),
            (("-c", 2, "--param", "affinity=knn"), 2, "--param affinity: use sksieve cluster"),
            (
                ("-c", 2, "--label-column", "y"),
                1,
                "no labels 'y'; its vertices have no values",
            ),
            (("-c", 2, "--name", "y"), 1, "--name does not apply to edges.csv; leave it out"),
            (("-c", 2, "--source", "y"), 1, "--source y: edges.csv has no such column"),
            (("-c", 2, "--source", "x0"), 1, "both --source and --target"),
            (("-c", 2, "--weight", "y"), 1, "--weight y: edges.csv has no such column"),
        ],
    )
    def test_options(self, refused, triangles, words, code, said):
        assert said in refused("communities", triangles, *words, code=code)

    def test_graphml_without_networkx(self, refused, tmp_path, monkeypatch):
        import sys

        (tmp_path / "a.graphml").write_text("<graphml/>")
        monkeypatch.setitem(sys.modules, "networkx", None)
        assert refused("communities", tmp_path / "a.graphml", "-c", 2) == (
            "Reading GraphML needs networkx: pip install 'scikit-sieve[graphs]'."
        )

    def test_tables_are_pointed_to_the_other_command(self, refused):
        assert "sksieve cluster dataset:wine" in refused("communities", "dataset:wine", "-c", 2)


class TestTold:
    def test_loops_and_zeros(self, invoke, tmp_path):
        path = tmp_path / "a.csv"
        edges = [(*edge, 1) for edge in EDGES] + [("a", "a", 1), ("a", "f", 0)]
        path.write_text(lines(edges))
        result = invoke("communities", path, "-c", 2)
        assert "1 self-loop left out (the first: 'a')" in result.stderr
        assert "1 edge of weight 0 left out" in result.stderr
        assert "6 vertices, 7 edges" in result.stdout

    @pytest.mark.parametrize(("how", "weight"), [("sum", 3.0), ("max", 2.0)])
    def test_duplicates(self, tmp_path, how, weight):
        path = tmp_path / "a.csv"
        path.write_text("a,b,1\na,b,2\nb,c,1\n")
        graph = read_graph(str(path), duplicates=how)
        assert graph.A[0, 1] == graph.A[1, 0] == weight
        assert f'joined by duplicates="{how}"' in graph.notes[0]

    @pytest.fixture
    def apart(self, tmp_path, blocks):
        """Three blocks, a pair beside them, and two vertices without an edge."""
        pair = sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
        A = sp.block_diag([blocks[0], pair, sp.csr_array((2, 2))], format="csr")
        sp.save_npz(tmp_path / "apart.npz", sp.csr_array(A))
        return tmp_path / "apart.npz"

    def test_isolated_vertices_and_components(self, invoke, apart):
        result = invoke("communities", apart, "-c", 3)
        assert "2 vertices have no edge, so it is unknown where they belong" in result.stderr
        assert "The graph is not connected: it has 2 components with edges" in result.stderr
        assert "2 connected components (60; 2 vertices), 2 isolated" in result.stdout
        assert "\nNot listed: 2 communities of one vertex without an edge.\n" in result.stdout
        assert len(re.findall(r"^ +\d+ +\d+ +\d", result.stdout, flags=re.M)) == 4
        document = found(invoke, apart, "-c", 3)
        output = next(note for note in document["notes"] if "no edge, so it is unknown" in note)
        assert "each is a community of its own (" in output
        assert document["labels"][62] != document["labels"][63]
        assert document["graph"]["isolated"] == 2

    def test_more_components_than_communities(self, invoke, tmp_path):
        A = sp.block_diag([np.ones((k, k)) - np.eye(k) for k in (6, 5, 3, 2)], format="csr")
        sp.save_npz(tmp_path / "a.npz", sp.csr_array(A))
        result = invoke("communities", tmp_path / "a.npz", "-c", 2)
        assert "4 connected components with edges, more than the 2 communities" in result.stderr
        assert "others, with 5 vertices in all, is a community of its own" in result.stderr
        result = invoke("communities", tmp_path / "a.npz", "-c", 4)
        assert "not connected: it has 4 components with edges" in result.stderr
        assert "more than -c" not in result.stderr

    def test_largest(self, invoke, apart, blocks, tmp_path):
        target = tmp_path / "labels.csv"
        document = found(invoke, apart, "-c", 3, "--largest", "-o", target)
        assert clustering_accuracy(blocks[1], document["labels"]) == 1.0
        assert document["graph"]["components"] == [60]
        assert "Only the largest connected component, 60 of 64 vertices" in document["notes"][0]
        assert len(pd.read_csv(target)) == 60

    def test_more_communities_than_vertices_with_an_edge(self, refused, tmp_path):
        A = np.zeros((6, 6))
        A[0, 1] = A[1, 0] = A[1, 2] = A[2, 1] = 1
        np.save(tmp_path / "a.npy", A)
        output = refused("communities", tmp_path / "a.npy", "-c", 4)
        assert "more groups than the 3 vertices with an edge of a.npy" in output


def test_labels_image_and_report(invoke, tmp_path):
    networkx = pytest.importorskip("networkx")
    G = networkx.karate_club_graph()
    networkx.write_graphml(G, tmp_path / "karate.graphml")
    targets = [tmp_path / name for name in ("labels.csv", "page.html", "image.png")]
    words = (tmp_path / "karate.graphml", "-c", 2, "--label-column", "club", "--against-labels")
    words += tuple(
        x for pair in zip(("-o", "--report", "--adjacency"), targets, strict=True) for x in pair
    )
    document = found(invoke, *words)
    frame = pd.read_csv(targets[0])
    assert list(frame.columns) == ["vertex", "community", "degree", "inside", "club"]
    assert frame["community"].tolist() == document["labels"]
    assert frame["degree"].tolist() == [d for _, d in G.degree()]
    A = networkx.to_numpy_array(G)
    labels = np.array(document["labels"])
    inside = [A[v, labels == labels[v]].sum() / A[v].sum() for v in range(34)]
    assert frame["inside"].tolist() == pytest.approx(inside, abs=1e-6)
    club = [G.nodes[v]["club"] for v in G]
    assert document["against"]["accuracy"] == clustering_accuracy(club, labels)
    html = targets[1].read_text("utf-8")
    assert "34 vertices in 2 communities" in html
    code = unescape(html.split("<h3>Python</h3>")[1].split("<code>")[1].split("</code>")[0])
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["labels"].tolist() == document["labels"]
    assert targets[2].read_bytes().startswith(b"\x89PNG")


def test_the_next_command_runs(invoke, triangles, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["communities", triangles, "-c", 2]
    for name in ("page.html", "labels.csv"):
        words += shlex.split(invoke(*words).stdout.splitlines()[-1])[1:3]
        assert words[-1] == name
    assert invoke(*words).exit_code == 0
    assert (tmp_path / "labels.csv").exists()
    assert (tmp_path / "page.html").exists()


def test_louvain_finds_the_number(invoke, refused, triangles, tmp_path):
    pytest.importorskip("networkx")
    document = found(invoke, triangles, "--method", "louvain", "--param", "resolution=0.5")
    assert document["n_groups"] == 2
    assert document["method"]["parameters"]["resolution"] == 0.5
    many = found(invoke, triangles, "--method", "louvain", "--param", "resolution=5")
    assert many["n_groups"] == 6
    message = refused("communities", triangles, "-c", 2, "--method", "louvain", code=2)
    assert message == "-c 2: louvain finds the number itself; omit -c."
    W = np.pad(np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4)), ((0, 1), (0, 1)))
    np.save(tmp_path / "W.npy", W)
    result = invoke("communities", tmp_path / "W.npy", "--method", "louvain")
    assert "it is a community of its own" in result.stderr
    page = tmp_path / "page.html"
    words = ("communities", triangles, "--method", "louvain", "--report", page)
    assert invoke(*words).exit_code == 0
    assert "points that k-means saw" not in page.read_text(encoding="utf-8")


def test_the_number_of_communities_is_suggested(invoke, tmp_path):
    networkx = pytest.importorskip("networkx")
    G = networkx.karate_club_graph()
    networkx.write_edgelist(G, tmp_path / "karate.txt", data=False)
    words = ("communities", tmp_path / "karate.txt")
    result = invoke(*words)
    assert result.exit_code == 0, result.stderr
    assert "Number: 2 by the Bethe Hessian" in result.stdout
    assert re.search(
        r"Louvain \(networkx\) finds \d communities with modularity 0\.4", result.stdout
    )
    assert json.loads(invoke(*words, "--json").stdout)["n_groups"] == 2
    networkx.write_edgelist(networkx.path_graph(3), tmp_path / "path.txt", data=False)
    few = invoke("communities", tmp_path / "path.txt")
    assert few.exit_code == 1
    assert "shows no communities" in few.stderr
