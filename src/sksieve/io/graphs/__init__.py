"""Reading graphs: edge lists, adjacency matrices and graph files, returned as undirected graphs."""

from __future__ import annotations

import os
from importlib import import_module

from ..._wording import argument
from ...exceptions import DataError
from .._source import COMPRESSIONS, PACKED, open_source
from ..tables import PREFIX
from ._graph import Arcs, Graph, GraphReading

__all__ = ["Graph", "GraphReading", "read_graph"]

TEXT = ("header", "sep", "source", "target", "weight", "encoding")

#: Suffix -> module, function, what it is given, the options it takes.
READERS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    ".csv": ("_edges", "read_edge_text", "source", TEXT),
    ".tsv": ("_edges", "read_edge_text", "source", TEXT),
    ".txt": ("_edges", "read_edge_words", "source", TEXT),
    ".edges": ("_edges", "read_edge_words", "source", TEXT),
    ".edgelist": ("_edges", "read_edge_words", "source", TEXT),
    ".parquet": ("_edges", "read_edge_table", "data", ("source", "target", "weight")),
    ".feather": ("_edges", "read_edge_table", "data", ("source", "target", "weight")),
    ".mtx": ("_stored", "read_matrix", "data", ()),
    ".mat": ("_stored", "read_matrix", "data", ("name",)),
    ".npy": ("_stored", "read_numpy", "source", ()),
    ".npz": ("_stored", "read_npz_graph", "source", ("name",)),
    ".graphml": ("_networkx", "read_networkx", "source", ("weight",)),
    ".gml": ("_networkx", "read_networkx", "source", ("weight",)),
}


def read_graph(
    data: str | os.PathLike[str],
    *,
    header: bool | None = None,
    sep: str | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    name: str | None = None,
    symmetrize: str | None = None,
    duplicates: str | None = None,
    encoding: str | None = None,
    largest: bool = False,
) -> Graph:
    """Read an undirected graph.

    Parameters
    ----------
    data : str or path-like
        An edge list (CSV, TSV, TXT, Parquet, Feather), an adjacency matrix (Matrix Market, NPZ,
        NPY, MAT, CSV), GraphML or GML; the ending of the file's name says which. ``-`` is an edge
        list on standard input, ``dataset:NAME`` a graph of `sksieve.datasets`.
    header : bool, optional
        Whether the first line of a text file names its columns; by default decided from the line.
    sep : str, optional
        Separator of a text file: one ASCII character, ``"tab"`` or ``"space"``.
    source, target, weight : str, optional
        Columns of an edge list; `weight` also an attribute of the edges of GraphML and GML. By
        default the first, second and third column.
    name : str, optional
        Which array of an NPZ or MAT file.
    symmetrize : {"sum", "mean", "max", "min"}, optional
        How directed edges become undirected; by default they are refused.
    duplicates : {"sum", "max"}, optional
        What an edge listed twice means; by default it is refused.
    encoding : str, optional
        Encoding of a text file. By default UTF-8, or UTF-16 where the file begins with its mark.
    largest : bool, default=False
        Keep only the largest connected component.

    Returns
    -------
    Graph

    Raises
    ------
    DataError
        One sentence that says what is wrong and what to do.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sksieve.io import read_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "friends.csv"
    ...     n = path.write_text("from,to\\nann,bob\\nbob,eve\\n")
    ...     graph = read_graph(path)
    >>> graph.names
    ['ann', 'bob', 'eve']
    >>> graph.A.toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    from ._undirected import largest_part, undirected

    reading = GraphReading(
        header, sep, source, target, weight, name, symmetrize, duplicates, encoding
    )
    graph = undirected(_arcs(os.fspath(data), reading), reading)
    return largest_part(graph) if largest else graph


def _arcs(data: str, reading: GraphReading) -> Arcs:
    if data.startswith(PREFIX):
        _refuse_options(data, reading, ())
        return import_module("._stored", __name__).read_named_graph(data.removeprefix(PREFIX))
    source = open_source(data)
    if source.suffix not in READERS or (source.packing and source.suffix not in PACKED):
        raise DataError(
            f"{source.name}: the ending {source.suffix or '(none)'} is not one of "
            f"{', '.join(READERS)}; text files may be compressed ({', '.join(COMPRESSIONS)})."
        )
    module, function, given, applicable = READERS[source.suffix]
    _refuse_options(source.name, reading, applicable)
    read = getattr(import_module(f".{module}", __name__), function)
    return read(source if given == "source" else data, reading)


def _refuse_options(name: str, reading: GraphReading, applicable: tuple[str, ...]) -> None:
    always = (*applicable, "symmetrize", "duplicates")
    foreign = [key for key, value in vars(reading).items() if value is not None]
    foreign = [key for key in foreign if key not in always]
    if foreign:
        raise DataError(f"{argument(foreign[0])} does not apply to {name}; leave it out.")
