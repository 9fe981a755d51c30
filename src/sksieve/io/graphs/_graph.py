"""A graph as its file lists it, and as a method gets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class GraphReading:
    """How a graph is to be read; see `sksieve.io.read_graph`.

    Parameters
    ----------
    header : bool or None
        Does the first line of a text file name its columns? None: decided from the line.
    sep : str or None
        Separator of a text file.
    source, target, weight : str or None
        Columns of an edge list.
    name : str or None
        Which array of an NPZ or MAT file.
    symmetrize : {"sum", "mean", "max", "min"} or None
        How directed edges become undirected; None refuses them.
    duplicates : {"sum", "max"} or None
        What an edge listed twice means; None refuses it.
    encoding : str or None
        Encoding of a text file; UTF-8 when None, or UTF-16 where the file begins so.
    """

    header: bool | None = None
    sep: str | None = None
    source: str | None = None
    target: str | None = None
    weight: str | None = None
    name: str | None = None
    symmetrize: str | None = None
    duplicates: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, eq=False)
class Arcs:
    """A graph as it is listed: from, to, weight.

    Parameters
    ----------
    name : str
        The name in messages.
    names : list of str
        The vertices.
    i, j : ndarray of shape (m,)
        Ends of each arc.
    weights : ndarray of shape (m,)
        Floating point.
    sha256 : str
    kind : {"list", "edges", "matrix"}
        ``"list"``: lines that may mean edges or arcs; ``"edges"``: undirected edges, each once;
        ``"matrix"``: entries of a matrix, or arcs of a directed graph.
    hashed : {"file", "stdin", "array"}
        What `sha256` is of.
    side : dict of str -> array of shape (n,)
        One value per vertex: labels, for example.
    notes : tuple of str
        Remarks on how the file was read.
    """

    name: str
    names: list[str]
    i: NDArray[np.intp]
    j: NDArray[np.intp]
    weights: NDArray[Any]
    sha256: str
    kind: str
    hashed: str = "file"
    side: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph without loops.

    Parameters
    ----------
    name, names, sha256, hashed, side, notes
        See `Arcs`.
    A : csr_array of shape (n, n)
        Symmetric weights > 0, empty diagonal.
    """

    name: str
    names: list[str]
    A: Any
    sha256: str
    hashed: str
    side: Mapping[str, Any]
    notes: tuple[str, ...]
