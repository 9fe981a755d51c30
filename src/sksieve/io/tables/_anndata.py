"""H5AD (single-cell data, through anndata)."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._wording import argument, listed
from ...exceptions import DataError
from .._messages import damaged, package
from .._source import Source
from ._arrays import check_array, sparse_table
from ._hdf5 import opened_hdf5, require_group
from ._table import ReadOptions, Table, require_shape


def read_h5ad(source: Source, options: ReadOptions) -> Table:
    """Read X, or the layer `name`, of an H5AD file; the columns of obs can serve as labels."""
    package("anndata", "anndata")
    with damaged(source.name, "H5AD"), opened_hdf5(source) as (_, file):
        stored = _chosen(source, options, file)
        name = source.name if options.name in (None, "X") else f"{source.name}[{options.name}]"
        _require(name, stored)
        for part in ("obs", "var"):
            require_group(file[part], f"{source.name}[{part}]")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # anndata's own, on old files and repeated names
            X, obs, var = (_element(item) for item in (stored, file["obs"], file["var"]))
        for part, frame in (("obs", obs), ("var", var)):
            if not hasattr(frame, "columns"):
                raise DataError(f"{source.name}: its {part} is not a table; the file is damaged.")
        X = sparse_table(name, X) if sp.issparse(X) else np.asarray(X)
        X = check_array(name, X)
        if X.shape != (len(obs), len(var)):
            raise DataError(
                f"{name} has the shape {X.shape[0]:,} x {X.shape[1]:,}, but there are {len(obs):,} "
                f"observations and {len(var):,} variables; the file is damaged."
            )
    require_shape(name, X.shape[0], X.shape[1], 0.0)
    side = {str(key): obs[key].to_numpy() for key in obs}
    columns = [str(variable) for variable in var.index]
    array = options.name or "X"
    return Table(name, X, columns, source.sha256(), array=array, side=side)


def _element(item: Any) -> Any:
    """An element of the file, by the function's present name or that of older versions."""
    try:
        module = package("anndata.io", "anndata")
    except ModuleNotFoundError:
        module = package("anndata.experimental", "anndata")
    return module.read_elem(item)


def _chosen(source: Source, options: ReadOptions, file: Any) -> Any:
    """The stored X or layer."""
    layers = list(file["layers"]) if "layers" in file else []
    if options.name not in (None, "X") and options.name not in layers:
        raise DataError(
            f"{source.name} has no layer {options.name!r}; it has "
            f"{listed(layers) or 'none'} beside X."
        )
    if options.name not in (None, "X"):
        return file["layers"][options.name]
    if "X" not in file or file["X"].attrs.get("encoding-type") == "null":
        raise DataError(
            f"{source.name} has no X; choose a layer with {argument('name')}: "
            f"{listed(layers) or 'none'}."
        )
    return file["X"]


def _require(name: str, stored: Any) -> None:
    if hasattr(stored, "shape"):
        rows, columns = (*stored.shape, 1, 1)[:2]
        require_shape(name, rows, columns, 2.0 * math.prod(stored.shape) * stored.dtype.itemsize)
        return
    require_group(stored, name)
    shape = stored.attrs.get("shape", stored.attrs.get("h5sparse_shape"))
    rows, columns = (0, 0) if shape is None else map(int, shape)
    require_shape(name, rows, columns, 32.0 * rows)
