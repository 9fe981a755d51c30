"""GraphML and GML, through networkx."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np

from ..._optional import optional
from ..._wording import argument, listed
from ...exceptions import DataError
from .._messages import damaged
from .._source import Source
from ._graph import Arcs, GraphReading

#: Memory of a graph of networkx, over the length of its text.
OBJECTS = 30
READERS = {".graphml": ("GraphML", "read_graphml"), ".gml": ("GML", "read_gml")}


def read_networkx(source: Source, reading: GraphReading) -> Arcs:
    """Read a GraphML or GML file, with the edge attribute that `reading` names, or ``weight``."""
    kind, function = READERS[source.suffix]
    networkx = optional("networkx", f"Reading {kind}")
    with damaged(source.name, kind):
        content = source.unpacked(OBJECTS)
        if source.suffix == ".graphml":
            _refuse_entities(content)
        G = getattr(networkx, function)(io.BytesIO(content))
        names = _names(G, list(G.nodes))
    nodes = list(G.nodes)
    if not nodes:
        raise DataError(f"{source.name} has no vertices.")
    place = {node: k for k, node in enumerate(nodes)}
    ends = np.array([(place[u], place[v]) for u, v in G.edges()], dtype=np.intp).reshape(-1, 2)
    attribute = _attribute(source, G, reading)
    weights = _weights(source, G, attribute)
    side = _side(G, nodes)
    return Arcs(
        source.name,
        names,
        ends[:, 0],
        ends[:, 1],
        weights,
        source.sha256(),
        "matrix" if G.is_directed() else "edges",
        side=side,
    )


def _refuse_entities(content: bytes) -> None:
    """Refuse XML that defines entities, which can name other files or grow without end."""
    plain = content.replace(b"\0", b"")  # of any width
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise ValueError("it has a document type declaration; remove it")


def _attribute(source: Source, G: Any, reading: GraphReading) -> str | None:
    there = sorted({key for _, _, data in G.edges(data=True) for key in data})
    if reading.weight is not None and reading.weight not in there:
        raise DataError(
            f"{argument('weight', reading.weight)}: the edges of {source.name} have no such "
            f"attribute; they have {listed(there) or 'none'}."
        )
    return reading.weight or ("weight" if "weight" in there else None)


def _weights(source: Source, G: Any, attribute: str | None) -> Any:
    if attribute is None:
        return np.ones(G.number_of_edges())
    values = []
    for u, v, given in G.edges(data=attribute):
        try:
            values.append(math.nan if given is None else float(given))
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(
                f"{source.name}: the edge {str(u)!r} - {str(v)!r} has the {attribute} {given!r}, "
                "which is no number."
            ) from error
        if math.isnan(values[-1]):
            raise DataError(
                f"{source.name}: the edge {str(u)!r} - {str(v)!r} has no {attribute}; give it one, "
                f"or choose another attribute with {argument('weight')}."
            )
    return np.array(values)


def _names(G: Any, nodes: list[Any]) -> list[str]:
    """Labels of the nodes where they are distinct, else their ids."""
    for key in ("label", "name"):
        labels = [G.nodes[node].get(key) for node in nodes]
        are_plain = all(isinstance(label, str | int | float) for label in labels)
        if are_plain and len(set(labels)) == len(labels):
            return [str(label) for label in labels]
    return [str(node) for node in nodes]


def _side(G: Any, nodes: list[Any]) -> dict[str, Any]:
    """Attributes that every node has."""
    keys = set.intersection(*(set(G.nodes[node]) for node in nodes))
    return {str(key): np.array([str(G.nodes[node][key]) for node in nodes]) for key in sorted(keys)}
