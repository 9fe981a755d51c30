"""Data sets of the catalogue: ``dataset:NAME``."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...datasets import find, load
from ...exceptions import DataError
from ._table import PREFIX, Table


def read_named(name: str) -> Table:
    """Read the data set `name` of the catalogue."""
    record = find(name)
    if record.kind == "graph":
        raise DataError(
            f"The data set {record.name!r} is a graph (nodes and edges), not a table; find "
            f"its communities with: sksieve communities {PREFIX}{record.name}"
        )
    content = load(record.name)
    X = content.X
    side = {} if content.y is None else {"y": content.y}
    if record.path is None:
        sha256, hashed = _hash(X), "array"
    else:
        sha256, hashed = hashlib.sha256(record.path.read_bytes()).hexdigest(), "file"
    columns = [str(column) for column in content.feature_names]
    return Table(f"{PREFIX}{record.name}", X, columns, sha256, hashed, side=side)


def _hash(X: Any) -> str:
    dense = X.toarray() if sp.issparse(X) else X
    return hashlib.sha256(np.ascontiguousarray(dense).tobytes()).hexdigest()
