"""Matrix Market."""

from __future__ import annotations

import scipy.io
import scipy.sparse as sp

from .._messages import damaged
from .._source import Source
from ._arrays import array_table, sparse_arrays
from ._table import ReadOptions, Table

__all__ = ["read_mtx"]


def read_mtx(source: Source, options: ReadOptions) -> Table:
    """Read a Matrix Market file; coordinate files stay sparse."""
    with damaged(source.name, "Matrix Market"):
        X = scipy.io.mmread(source.file, **sparse_arrays(scipy.io.mmread))
    if sp.issparse(X):
        X = sp.csr_array(X)
    return array_table(source.name, X, {}, source.sha256())
