"""H5AD (single-cell data, through anndata)."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from ...exceptions import DataError
from .._messages import damaged, listed, package
from .._source import Source
from ._arrays import check_array
from ._table import ReadOptions, Table

__all__ = ["read_h5ad"]


def read_h5ad(source: Source, options: ReadOptions) -> Table:
    """Read X, or the layer --name, of an H5AD file; the columns of obs can serve as labels."""
    anndata = package("anndata", "anndata")
    with damaged(source.name, "H5AD"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # anndata's own, on names that are not unique
        adata = anndata.read_h5ad(source.file)
    layers = [key for key in adata.layers if key is not None]  # None stands for X, from 0.13 on
    if options.name not in (None, "X") and options.name not in layers:
        raise DataError(
            f"{source.name} has no layer {options.name!r}; it has "
            f"{listed(layers) or 'none'} beside X."
        )
    X = adata.X if options.name in (None, "X") else adata.layers[options.name]
    if X is None:
        raise DataError(
            f"{source.name} has no X; choose a layer with --name: {listed(layers) or 'none'}."
        )
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
    name = source.name if options.name in (None, "X") else f"{source.name}[{options.name}]"
    side = {str(key): adata.obs[key].to_numpy() for key in adata.obs}
    columns = [str(gene) for gene in adata.var_names]
    array = options.name or "X"
    return Table(name, check_array(name, X), columns, source.sha256(), array=array, side=side)
