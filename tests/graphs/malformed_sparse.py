"""Feeds sparse matrices with contradictory arrays to every public function that takes sparse input.

Run as a program: compiled code follows the indices, so each function runs in a child process of
its own. Prints one line of JSON: what each call did.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from sksieve import clustering, graphs, metrics

N = 30
FAR = 2**30


def matrix(form: str) -> Any:
    """A symmetric band: an affinity, and a table."""
    return sp.csr_array(sp.diags_array([np.ones(N - 1)] * 2, offsets=[-1, 1])).asformat(form)


def with_index(form: str, value: int) -> Any:
    A = matrix(form)
    A.indices[5] = value
    return A


def with_pointer(at: int, value: int) -> Any:
    A = matrix("csr")
    A.indptr[at] = value
    return A


def with_coordinate(value: int) -> Any:
    A = matrix("coo")
    A.coords[0][3] = value
    return A


def with_shape(form: str, shape: tuple[int, int]) -> Any:
    A = matrix(form)
    A._shape = shape
    return A


def with_fewer_indices() -> Any:
    A = matrix("csr")
    A.indices = A.indices[:7]
    return A


def with_list_index() -> Any:
    A = matrix("lil")
    A.rows[2] = [FAR]
    A.data[2] = [1.0]
    return A


def in_blocks() -> Any:
    A = matrix("csr").tobsr((3, 3))
    A.indices[1] = FAR
    return A


MALFORMED: dict[str, Callable[[], Any]] = {
    "CSR, index too large": lambda: with_index("csr", FAR),
    "CSR, index one too large": lambda: with_index("csr", N),
    "CSR, negative index": lambda: with_index("csr", -FAR),
    "CSR, pointers fall": lambda: with_pointer(4, FAR),
    "CSR, last pointer too large": lambda: with_pointer(N, FAR),
    "CSR, first pointer not 0": lambda: with_pointer(0, 1),
    "CSR, fewer indices than entries": with_fewer_indices,
    "CSR, more rows declared": lambda: with_shape("csr", (FAR, N)),
    "CSR, fewer columns declared": lambda: with_shape("csr", (N, 3)),
    "CSC, index too large": lambda: with_index("csc", FAR),
    "COO, row too large": lambda: with_coordinate(FAR),
    "LIL, index too large": with_list_index,
    "BSR, block too far": in_blocks,
}


def calls() -> dict[str, Callable[[Any], Any]]:
    """Every public entry with a sparse argument."""
    names = [name for name in clustering.__all__ if hasattr(getattr(clustering, name), "fit")]
    classes = [getattr(clustering, name) for name in names if not name.startswith("Base")]
    found: dict[str, Callable[[Any], Any]] = {}
    for cls in classes:
        number = {"n_clusters": 2} if "n_clusters" in cls().get_params() else {}
        found[cls.__name__] = lambda A, cls=cls, number=number: cls(**number).fit(A)
        if "affinity" in cls().get_params():
            found[f"{cls.__name__}, precomputed"] = lambda A, cls=cls, number=number: cls(
                affinity="precomputed", **number
            ).fit(A)
    Z, rows, labels = np.ones((N, 2)), np.arange(N), np.arange(N) % 2
    return found | {
        "sparsify": clustering.Sparsifier().sparsify,
        "partition_score": lambda A: clustering.partition_score(A, labels),
        "Codes.from_matrix": graphs.Codes.from_matrix,
        "LocalCorrentropy": lambda A: graphs.LocalCorrentropy(A, gamma=1.0),
        "adaptive_graph": lambda A: graphs.adaptive_graph(A, 3),
        "component_eigenpairs": lambda A: graphs.component_eigenpairs(A, 2),
        "components": graphs.components,
        "degrees": graphs.degrees,
        "distances_on": lambda A: graphs.distances_on(A, Z),
        "gaussian_affinity": graphs.gaussian_affinity,
        "graph_eigenpairs": lambda A: graphs.graph_eigenpairs(A, 2),
        "representatives_by_similarity": lambda A: graphs.representatives_by_similarity(
            A, rows, 2, 0.25
        ),
        "kkt_residual": lambda A: graphs.kkt_residual(Z, A, 0.1),
        "knn_graph": lambda A: graphs.knn_graph(A, 3),
        "knn_graph, cosine": lambda A: graphs.knn_graph(A, 3, weights="cosine"),
        "laplacian": graphs.laplacian,
        "large_components": lambda A: graphs.large_components(A, rows, 2, 0.25),
        "laplacian_eigenvectors": lambda A: graphs.laplacian_eigenvectors(A, 2),
        "mean_distance": graphs.mean_distance,
        "nearest_neighbors": lambda A: graphs.nearest_neighbors(A, 3),
        "normalized_adjacency": graphs.normalized_adjacency,
        "project_rows": graphs.project_rows,
        "spectral_embedding": lambda A: graphs.spectral_embedding(A, 2),
        "symmetrized": graphs.symmetrized,
        "with_equal_ties": lambda A: graphs.with_equal_ties(A, Z),
        "error_ratio": lambda A: metrics.error_ratio(A, [0]),
        "group_weights": lambda A: metrics.group_weights(A, labels),
        "inner_products": lambda A: metrics.inner_products(A, np.arange(2)),
        "knn_accuracy": lambda A: metrics.knn_accuracy(A, labels),
        "modularity": lambda A: metrics.modularity(A, labels),
        "neighborhood_preservation": lambda A: metrics.neighborhood_preservation(A, [0, 1]),
        "reconstruction_error": lambda A: metrics.reconstruction_error(A, [0]),
        "redundancy": metrics.redundancy,
    }


def outcomes(call: Callable[[Any], Any]) -> dict[str, str]:
    """Type and message of the error of a call for each kind of matrix, in one child process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for kind, make in MALFORMED.items():
            try:
                call(make())
                text = "no error"
            except BaseException as error:
                text = f"{type(error).__name__}: {error}"
            os.write(write, (json.dumps([kind, text[:2000]]) + "\n").encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        found = dict(json.loads(line) for line in pipe)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    lost = f"the process died with status {status}"
    return {kind: found.get(kind, lost) for kind in MALFORMED}


if __name__ == "__main__":
    table = {
        f"{name} | {kind}": text
        for name, call in calls().items()
        for kind, text in outcomes(call).items()
    }
    json.dump(table, sys.stdout)
