"""Data sets from a server: downloaded, checked, converted, kept; or a reason why not."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import threading
import zipfile

import numpy as np
import pytest
import scipy.io

from sksieve.datasets import _fetch, _load, catalogue, fetch, find, load, sources, verify
from sksieve.datasets._sources import Source
from sksieve.exceptions import DataError, MissingDataError

for package in ("pooch", "tqdm"):
    pytest.importorskip(package)

X = np.array([[1.0, 2.5], [3.0, -4.0], [5.0, 6.0]])
NAMES = ["b", "a", "b"]
Y = [1, 0, 1]
GML = """graph [ directed 1
  node [ id 5 label "v" value 1 ] node [ id 2 label "u" value 0 ] node [ id 9 label "w" value 1 ]
  edge [ source 2 target 5 ] edge [ source 5 target 2 ] edge [ source 9 target 5 ]
  edge [ source 9 target 9 ] ]"""


def mat() -> bytes:
    file = io.BytesIO()
    scipy.io.savemat(file, {"X": X, "Y": np.array([[7], [3], [7]])})
    return file.getvalue()


def rows(cells) -> str:
    return "\n".join(",".join(map(str, row)) for row in cells)


def arff() -> bytes:
    head = "@relation r\n@attribute p numeric\n@attribute q numeric\n@attribute c {b,a}\n@data\n"
    return (head + rows([*x, name] for x, name in zip(X, NAMES, strict=True))).encode()


def csv(labels=NAMES) -> bytes:
    return rows([*x, name] for x, name in zip(X, labels, strict=True)).encode()


def view(j: int) -> bytes:
    return ("0,1\n" + rows(zip(X[:, j], Y, strict=True))).encode()


def zipped(content: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("g.txt", "about")
        archive.writestr("g.gml", content)
    return file.getvalue()


@pytest.fixture
def server(tmp_path):
    """Put files on it: ``server(name, content)`` gives the address."""
    folder = tmp_path / "server"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    handler = functools.partial(Quiet, directory=folder)
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()

    def put(name, content):
        (folder / name).write_bytes(content)
        return f"http://127.0.0.1:{running.server_port}/{name}"

    yield put
    running.shutdown()
    running.server_close()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "data"
    path.mkdir()
    monkeypatch.setenv("SKSIEVE_DATA", str(path))
    return path


@pytest.fixture
def offered(monkeypatch):
    """``offered(name, data, source)``: the catalogue describes `data` and knows a source."""

    def offer(name, source, expected=None):
        monkeypatch.setattr(_fetch, "sources", lambda: {name: source})
        if expected is not None:
            digest = _load.content_digest(_load.Bunch(X=expected, y=np.array(Y)))
            monkeypatch.setattr(_load, "_digests", lambda: {name: digest})

    return offer


def digest(content: bytes) -> tuple[str, ...]:
    return (hashlib.sha256(content).hexdigest(),)


@pytest.mark.parametrize(
    ("format", "content", "options"),
    [
        ("mat", mat(), {}),
        ("arff", arff(), {}),
        ("csv", csv(), {"classes": ["a", "b"]}),
        ("csv", csv([3.5, 2.0, 9.0]), {"above": 2.5}),
    ],
)
def test_a_table_of_each_format(server, folder, offered, format, content, options):
    url = server(f"file.{format}", content)
    offered("zoo", Source("free", (url,), digest(content), format=format, options=options), X)
    data = fetch("Zoo")
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == Y
    if format == "arff":
        assert data.feature_names.tolist() == ["p", "q"]
        assert data.class_names.tolist() == ["a", "b"]
    assert find("zoo").path == folder / "zoo.npz"
    assert load("zoo").X.shape == X.shape


def test_columns_of_several_files(server, folder, offered):
    contents = [view(0), view(1)]
    urls = tuple(server(f"{i}.csv", content) for i, content in enumerate(contents))
    sums = tuple(digest(content)[0] for content in contents)
    offered("mfeat", Source("free", urls, sums, format="views", options={"views": ["f", "g"]}), X)
    data = fetch("mfeat")
    np.testing.assert_array_equal(data.X, X)
    assert data.feature_names.tolist() == ["f0", "g0"]


@pytest.mark.parametrize(("name", "content"), [("g.gml", GML.encode()), ("g.zip", zipped(GML))])
def test_a_graph(server, folder, offered, monkeypatch, name, content):
    pytest.importorskip("networkx")
    monkeypatch.setattr(_fetch, "verify", lambda name: True)
    offered("graph_football", Source("free", (server(name, content),), format="gml"))
    data = fetch("graph_football")
    assert data.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert data.y.tolist() == [0, 1, 1]
    assert data.node_names.tolist() == ["u", "v", "w"]


def test_one_of_openml(folder, offered, monkeypatch):
    def play(data_id, data_home, as_frame, parser):
        assert (data_id, as_frame) == (62, False)
        return _load.Bunch(data=X, target=np.array(NAMES), feature_names=["p", "q"])

    monkeypatch.setattr("sklearn.datasets.fetch_openml", play)
    offered("zoo", Source("free", openml=62), X)
    data = fetch("zoo")
    np.testing.assert_array_equal(data.X, X)
    assert data.class_names.tolist() == ["a", "b"]


def test_the_karate_club_needs_no_network(folder):
    pytest.importorskip("networkx")
    assert fetch("graph_karate").adjacency.nnz == 2 * find("graph_karate").n_edges
    assert verify("graph_karate")


def test_a_second_call_reads_what_the_first_kept(server, folder, offered):
    url = server("a.csv", csv())
    offered("zoo", Source("free", (url,), digest(csv()), format="csv"), X)
    fetch("zoo")
    server("a.csv", b"gone")
    assert fetch("zoo").X.shape == X.shape


def test_a_file_put_into_the_folder_by_hand_is_taken(folder, offered):
    (folder / "downloads").mkdir()
    (folder / "downloads" / "a.csv").write_bytes(csv())
    url = "http://127.0.0.1:9/a.csv"
    offered("zoo", Source("free", (url,), digest(csv()), format="csv"), X)
    assert fetch("zoo").X.shape == X.shape


def test_without_a_network_the_address_and_the_folder_are_named(folder, offered):
    url = "http://127.0.0.1:9/a.csv"  # nothing listens there
    offered("zoo", Source("free", (url,), digest(csv()), format="csv"))
    with pytest.raises(MissingDataError) as refusal:
        fetch("zoo")
    message = str(refusal.value)
    assert url in message
    assert f"put the file into {folder / 'downloads'}" in message
    assert not find("zoo").available


def test_another_file_behind_the_address_is_refused(server, folder, offered):
    url = server("a.csv", csv())
    offered("zoo", Source("free", (url,), digest(b"as it was"), format="csv"))
    with pytest.raises(MissingDataError, match="hash"):
        fetch("zoo")
    assert not find("zoo").available


def test_other_values_are_not_kept(server, folder, offered):
    offered("zoo", Source("free", (server("a.csv", csv()),), format="csv"), X + 1)
    with pytest.raises(DataError, match="holds other values than the catalogue describes"):
        fetch("zoo")
    assert not (folder / "zoo.npz").exists()


def test_a_set_without_a_public_file(folder):
    with pytest.raises(MissingDataError, match=r"No public file of the data set 'MSTAR'"):
        fetch("mstar")


def test_every_source_belongs_to_the_catalogue_and_says_its_license():
    names = {record.name for record in catalogue()}
    assert set(sources()) <= names
    for name, source in sources().items():
        assert source.license, name
        assert source.openml or source.urls or source.format == "networkx", name
        assert source.sha256 is None or len(source.sha256) == len(source.urls), name
