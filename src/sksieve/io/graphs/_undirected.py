"""From arcs as listed to an undirected graph: one refusal per defect, nothing left out silently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._wording import argument, counted
from ...exceptions import DataError
from ._graph import Arcs, Graph, GraphReading


def undirected(arcs: Arcs, reading: GraphReading) -> Graph:
    """The undirected graph that the arcs mean.

    Raises
    ------
    DataError
        If there is no edge, a weight is missing, infinite or negative, an edge is there twice, or
        the directions of edges do not agree; unless an option says what to do.
    """
    _refuse_weights(arcs)
    notes = list(arcs.notes)
    i, j, weights, added = _without_loops_and_zeros(arcs)
    notes += added
    S, added = _collected(arcs, i, j, weights, reading)
    notes += added
    A, added = _symmetric(arcs, S, reading)
    notes += added
    A.eliminate_zeros()
    if not A.nnz:
        raise DataError(
            f"{arcs.name}: no edge is left after {argument('symmetrize', 'min')}, as no pair of "
            "vertices is joined in both directions; use sum, mean or max."
        )
    return Graph(
        arcs.name,
        arcs.names,
        A,
        arcs.sha256,
        arcs.hashed,
        arcs.side,
        tuple(notes),
    )


def _pair(arcs: Arcs, k: int) -> str:
    return f"{arcs.names[arcs.i[k]]!r} - {arcs.names[arcs.j[k]]!r}"


def _refuse_weights(arcs: Arcs) -> None:
    w = arcs.weights
    if not len(w):
        raise DataError(f"{arcs.name} has no edges.")
    for bad, what, advice in (
        (np.isnan(w), "no number (NaN) as weight", "give it one, or remove it"),
        (np.isinf(w), "an infinite weight", "correct it"),
        (
            w < 0,
            "a negative weight",
            "communities are found from weights >= 0: leave such edges out, or take absolute "
            "values if the sign does not matter",
        ),
    ):
        where = np.flatnonzero(bad)
        if len(where):
            k = int(where[0])
            value = f", {w[k]:g}" if w[k] < 0 else ""
            has = "has" if len(where) == 1 else "have"
            raise DataError(
                f"{arcs.name}: {counted(len(where), 'edge')} {has} {what} (the first: "
                f"{_pair(arcs, k)}{value}); {advice}."
            )


def _without_loops_and_zeros(arcs: Arcs) -> tuple[Any, Any, Any, list[str]]:
    notes = []
    loops = (arcs.i == arcs.j) & (arcs.weights != 0)
    zeros = arcs.weights == 0
    if loops.any():
        first = arcs.names[arcs.i[int(np.flatnonzero(loops)[0])]]
        notes.append(
            f"{counted(int(loops.sum()), 'self-loop')} left out (the first: {first!r}): an edge "
            "from a vertex to itself says nothing about its community."
        )
    if zeros.any() and arcs.kind != "matrix":
        notes.append(f"{counted(int(zeros.sum()), 'edge')} of weight 0 left out.")
    keep = ~(loops | zeros | (arcs.i == arcs.j))
    if not keep.any():
        raise DataError(f"{arcs.name} has no edge between two different vertices.")
    return arcs.i[keep], arcs.j[keep], arcs.weights[keep], notes


def _collected(
    arcs: Arcs, i: Any, j: Any, weights: NDArray[Any], reading: GraphReading
) -> tuple[Any, list[str]]:
    """The matrix of the arcs; one that is listed twice is refused, or combined as requested."""
    n = len(arcs.names)
    key = i.astype(np.int64) * n + j
    if arcs.kind == "edges":  # undirected: a - b is b - a
        key = np.minimum(key, j.astype(np.int64) * n + i)
    unique, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    repeated = int(np.count_nonzero(counts > 1))
    if repeated and reading.duplicates is None:
        a, b = divmod(int(unique[np.flatnonzero(counts > 1)[0]]), n)
        raise DataError(
            f"{arcs.name} lists {counted(repeated, 'edge')} more than once (the first: "
            f"{arcs.names[a]!r} - {arcs.names[b]!r}); say with {argument('duplicates')} what "
            "that means: sum (weights add up) or max (the largest counts)."
        )
    notes = []
    if repeated and reading.duplicates == "max":
        values = np.zeros(len(unique), dtype=weights.dtype)
        np.maximum.at(values, inverse, weights)
    else:
        values = np.bincount(inverse, weights, len(unique)).astype(weights.dtype)
    if repeated:
        notes.append(
            f"{counted(repeated, 'edge')} listed more than once: joined by "
            f"{argument('duplicates', reading.duplicates)}."
        )
    return sp.csr_array((values, (unique // n, unique % n)), shape=(n, n)), notes


def _symmetric(arcs: Arcs, S: Any, reading: GraphReading) -> tuple[Any, list[str]]:
    """The symmetric matrix, and remarks."""
    T = sp.csr_array(S.T)
    if arcs.kind == "edges":
        return S + T, []
    difference = abs(S - T)
    tolerance = np.sqrt(np.finfo(S.dtype).eps) * abs(S).max()
    if not difference.nnz or difference.max() <= tolerance:
        note = f"{arcs.name}: every edge is listed in both directions; it counts once."
        return (S + T) * 0.5, [note] if arcs.kind == "list" else []
    both = int(S.multiply(T).count_nonzero()) // 2
    if reading.symmetrize is not None:
        symmetrized: Callable[[], Any] = {
            "sum": lambda: S + T,
            "mean": lambda: (S + T) * 0.5,
            "max": lambda: S.maximum(T),
            "min": lambda: S.minimum(T),
        }[reading.symmetrize]
        note = f"Directed edges made undirected: {argument('symmetrize', reading.symmetrize)}."
        return sp.csr_array(symmetrized()), [note]
    if arcs.kind == "list" and not both:
        return S + T, []
    raise DataError(_directed(arcs, S, both))


def _directed(arcs: Arcs, S: Any, both: int) -> str:
    pairs = int(S.nnz) - both
    how = (
        f"say with {argument('symmetrize')} how they become undirected: sum (both directions "
        "added), mean, max, or min (only pairs joined in both directions stay)."
    )
    if arcs.kind == "list":
        if both == pairs:
            return (
                f"{arcs.name} lists every edge in both directions, but some with two different "
                f"weights, so they seem directed; {how}"
            )
        return (
            f"{arcs.name} lists {both:,} of its {counted(pairs, 'edge')} in both directions and "
            f"the others in one, so they seem directed; {how}"
        )
    if not both:
        return (
            f"{arcs.name} joins every pair of vertices in one direction only, so its edges are "
            "directed, or half of a symmetric matrix is missing; "
            f"{argument('symmetrize', 'sum')} fills it in."
        )
    return f"{arcs.name} is not symmetric: its edges are directed; {how}"


def largest_part(graph: Graph) -> Graph:
    """The largest connected component, with a remark on what is left out."""
    from ...graphs import components

    part = components(graph.A)
    sizes = np.bincount(part)
    inside = np.flatnonzero(part == sizes.argmax())
    if len(inside) == len(part):
        return graph
    note = (
        f"Only the largest connected component, {len(inside):,} of {len(part):,} vertices "
        f"({argument('largest')}); the others get no community."
    )
    return Graph(
        graph.name,
        [graph.names[k] for k in inside],
        sp.csr_array(graph.A[inside][:, inside]),
        graph.sha256,
        graph.hashed,
        {key: np.asarray(a)[inside] for key, a in graph.side.items()},
        (*graph.notes, note),
    )
