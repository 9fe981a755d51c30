"""Sizes are judged before memory is taken: n x n arrays, embeddings, tables of labels."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.clustering import (
    BPMA,
    PPMA,
    RPMA,
    SDP1,
    SDP2,
    SLSA,
    SPMA,
    Bounded,
    LaplacianL1Graph,
    SpectralGraph,
    _base,
)
from sksieve.exceptions import TooLargeError
from sksieve.graphs import gaussian_affinity, graph_eigenpairs
from sksieve.metrics import clustering_accuracy, group_weights, reconstruction_error
from sksieve.papers import SplittingRPMA

from .rpma_cases import ONE_START

N = 100_000

SQUARE = [
    (SpectralGraph, {"affinity": "gaussian"}, r"320 GB .* Use affinity='knn'"),
    *((cls, {}, r"240 GB .* Use affinity='knn' or .*tiles") for cls in (RPMA, SPMA, PPMA, BPMA)),
    (SplittingRPMA, {"affinity": "knn"}, r"640 GB .* Use affinity='knn'"),
    (SDP1, {}, r"1200 GB .* Use SpectralGraph or RPMA"),
    (SDP2, {"affinity": "knn"}, r"1200 GB .* Use SpectralGraph or RPMA"),
    (SLSA, {}, r"560 GB .* Use SPMA"),
    (LaplacianL1Graph, {}, r"720 GB .* Use L1Graph or SRSG"),
]


def refused_without_memory(call, words):
    """The call raises, and holds no more than a few times the table on the way."""
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match=words):
            call()
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("cls", "given", "words"), SQUARE)
def test_square_arrays_are_refused_before_any_is_made(cls, given, words):
    X = np.random.RandomState(0).standard_normal((N, 2))
    name = cls.__name__
    refused_without_memory(
        lambda: cls(3, **given).fit(X), rf"{name}\(.* on {N} samples would need about {words}"
    )


@pytest.mark.parametrize("cls", [SDP1, SDP2, SLSA])
def test_sparse_graphs_that_would_be_written_out(cls):
    ring = sp.csr_array(sp.diags_array([np.ones(N - 1)] * 2, offsets=[-1, 1]))
    refused_without_memory(lambda: cls(3, affinity="precomputed").fit(ring), f"on {N} samples")


@pytest.mark.parametrize("cls", [RPMA, SDP1, SLSA, SpectralGraph])
def test_a_dense_precomputed_affinity(cls, monkeypatch):
    A = np.kron(np.eye(2), np.ones((6, 6)))
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", str(3 * 8 * 12**2 - 1))
    with pytest.raises(TooLargeError, match=r"12 samples .* Give the affinity as a sparse matrix"):
        cls(2, affinity="precomputed").fit(A)


def test_more_clusters_than_an_embedding_can_hold():
    ring = sp.csr_array(sp.diags_array([np.ones(N - 1)] * 2, offsets=[-1, 1]))
    refused_without_memory(
        lambda: SpectralGraph(2000, affinity="precomputed").fit(ring),
        f"2000 clusters of {N} samples .* Lower n_clusters",
    )


def test_a_tenth_of_all_eigenvectors_of_a_large_graph():
    ring = sp.csr_array(sp.diags_array([np.ones(N - 1)] * 2, offsets=[-1, 1]))
    with pytest.raises(TooLargeError, match=f"matrix of size {N} would need about 240 GB"):
        graph_eigenpairs(ring, N // 9)


def test_gaussian_affinity():
    X = np.random.RandomState(0).standard_normal((N, 2))
    refused_without_memory(lambda: gaussian_affinity(X), f"{N} samples .* 80 GB .* knn_graph")
    refused_without_memory(lambda: gaussian_affinity(X.astype(np.float32)), "40 GB")


def test_labels_that_are_identifiers():
    labels = np.arange(N)
    with pytest.raises(TooLargeError, match=r"100000 classes and 100000 clusters .* identifiers"):
        clustering_accuracy(labels, labels)
    with pytest.raises(TooLargeError, match="100000 groups of 100000 vertices"):
        group_weights(sp.csr_array((N, N)), labels)


def test_reconstruction_of_a_wide_sparse_table():
    X = sp.csr_array((N, 30_000))
    with pytest.raises(TooLargeError, match=r"error of 30000 columns on 100000 rows .* 65 GB"):
        reconstruction_error(X, [0])


@pytest.mark.parametrize(
    ("cls", "given"),
    [
        (SplittingRPMA, {"penalty": Bounded(), "starts": ONE_START}),
        (SDP1, {}),
        (SDP2, {}),
        (SLSA, {}),
        (LaplacianL1Graph, {}),
    ],
)
def test_the_estimate_is_near_the_truth(cls, given, monkeypatch):
    """At the peak of a short fit, within a third."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((700, 5)) + 8 * np.eye(5)[np.arange(700) % 5]
    asked = []
    monkeypatch.setattr(_base, "require_memory", lambda n_bytes, *_: asked.append(n_bytes))
    est = cls(5, max_iter=2, n_init=1, random_state=0, **given)
    est.fit(X[:50])  # compiled and imported by now
    asked.clear()
    tracemalloc.start()
    try:
        est.fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.75 * peak < max(asked) < 1.33 * peak
