"""Selectors on AnnData objects: choose variables, and write the choice where scanpy writes its own.

`select_columns` fills the columns of ``adata.var`` that ``scanpy.pp.highly_variable_genes`` fills,
so that what follows in an analysis (``scanpy.pp.pca`` and the like) uses the chosen variables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from ._typing import Indices
from ._validation import is_anndata, with_layer
from ._wording import listed
from .columns._iterfs import IterFS
from .exceptions import DataError

__all__ = ["select_columns"]


#: Random starts are drawn from this seed where a number stands for the selector.
SEED = 0
#: Rows that are read at a time for means and dispersions.
BLOCK_ROWS = 4096


def select_columns(
    adata: Any,
    selector: Any,
    *,
    layer: str | None = None,
    batch_key: str | None = None,
    subset: bool = False,
) -> None:
    """Choose variables of an AnnData object with any selector, and mark them in ``adata.var``.

    Parameters
    ----------
    adata : AnnData
        Samples (cells) are rows. Normalize and take logarithms first, as before
        ``scanpy.pp.highly_variable_genes``. Column subset methods read a backed file in blocks of
        rows; all other selectors load it.
    selector : int or selector
        A selector, which is cloned and not fitted itself; or a number of variables: so many by
        `IterFS` from the greedy subset.
    layer : str, optional
        Use ``adata.layers[layer]`` in place of ``adata.X``.
    batch_key : str, optional
        Column of ``adata.obs``. The selector is fitted to each batch by itself, and the variables
        chosen in most batches are taken, ties by their median rank; variation between batches does
        not count. One batch of a backed file is in memory at a time.
    subset : bool, default=False
        Keep only the chosen variables in `adata`.

    Notes
    -----
    What is written:

    ``adata.var["highly_variable"]``
        Chosen or not.
    ``adata.var["highly_variable_rank"]``
        0 for the best of the chosen; NaN for the others. With `batch_key` the median over the
        batches that chose the variable.
    ``adata.var["explained_by"]``
        Without `batch_key`, by column subset methods: the share of each variable that the chosen
        ones explain.
    ``adata.var["highly_variable_nbatches"]``, ``adata.var["highly_variable_intersection"]``
        With `batch_key`: how many batches chose the variable, and whether all did.
    ``adata.var["means"]``, ``adata.var["dispersions"]``, ``adata.var["dispersions_norm"]``
        Mean, variance over mean, and this over its median: what ``scanpy.pl.highly_variable_genes``
        draws. They describe the variables and are not what was chosen by.
    ``adata.uns["hvg"]``
        ``flavor`` (``"sksieve"``), the selector's class and parameters, layer and batch key.

    Raises
    ------
    DataError
        If `adata` is no AnnData object, has no such layer or column, or a batch is too small.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> from sksieve.anndata import select_columns
    >>> rng = np.random.default_rng(0)
    >>> base = rng.normal(size=(50, 2))
    >>> X = np.hstack([base, base + 0.1 * rng.normal(size=(50, 2))])
    >>> cells = anndata.AnnData(X)
    >>> select_columns(cells, 2)
    >>> int(cells.var["highly_variable"].sum()), cells.uns["hvg"]["method"]
    (2, 'IterFS')
    >>> bool(cells.var["explained_by"].min() > 0.9)
    True
    """
    if not is_anndata(adata):
        raise DataError(
            f"adata must be an AnnData object, not {type(adata).__name__}; selectors take arrays "
            "and data frames by themselves: selector.fit(X)."
        )
    if isinstance(selector, int | np.integer):
        selector = IterFS(int(selector), init="greedy", random_state=SEED)
    if batch_key is None:
        written = _of_one(_fitted(selector, adata, layer))
    else:
        written = _of_batches(adata, selector, layer, batch_key)
    written |= _moments(adata, layer)
    for name, values in written.items():
        adata.var[name] = values
    adata.uns["hvg"] = {
        "flavor": "sksieve",
        "method": type(selector).__name__,
        "parameters": {
            name: value
            for name, value in selector.get_params(deep=False).items()
            if _is_storable(value)
        },
        **({} if layer is None else {"layer": layer}),
        **({} if batch_key is None else {"batch_key": batch_key}),
    }
    if subset:
        adata._inplace_subset_var(written["highly_variable"])


def _is_storable(value: Any) -> bool:
    """Whether an H5AD file can hold a parameter: a number, text, or an array or list of these."""
    if isinstance(value, list | tuple | np.ndarray):
        return len(value) > 0 and np.asarray(value).dtype.kind in "biufU"
    return isinstance(value, bool | int | float | str)


def _moments(adata: Any, layer: str | None) -> dict[str, NDArray[np.float64]]:
    """Mean and dispersion (variance over mean) of each variable, read block by block."""
    X = adata.X if layer is None else adata.layers[layer]
    n, sums, squares = 0, np.zeros(adata.n_vars), np.zeros(adata.n_vars)
    for start in range(0, adata.n_obs, BLOCK_ROWS):
        block: Any = X[start : start + BLOCK_ROWS]
        block = block.compute() if hasattr(block, "compute") else block
        is_sparse = sp.issparse(block)
        block = block.astype(np.float64) if is_sparse else np.asarray(block, np.float64)
        n += block.shape[0]
        sums += np.asarray(block.sum(axis=0)).ravel()
        product = block.multiply(block) if is_sparse else block**2
        squares += np.asarray(product.sum(axis=0)).ravel()
    means = sums / n
    variances = np.maximum(squares / n - means**2, 0.0) * n / max(n - 1, 1)
    dispersions = np.full(len(means), np.nan)
    np.divide(variances, means, out=dispersions, where=means > 0)
    usual = np.median(dispersions[dispersions > 0]) if (dispersions > 0).any() else 1.0
    return {"means": means, "dispersions": dispersions, "dispersions_norm": dispersions / usual}


def _fitted(selector: Any, adata: Any, layer: str | None, rows: Indices | None = None) -> Any:
    """A clone of the selector, fitted to the matrix or a layer, all rows or some."""
    X = with_layer(adata, layer)
    if rows is not None:
        X = type(adata)(X.X[rows], var=adata.var[[]])
    return clone(selector).fit(X)


def _of_one(est: Any) -> dict[str, Any]:
    """Columns of ``adata.var`` for one fit."""
    chosen = np.asarray(est.ranking_)[: int(est.n_features_to_select_)]
    rank = np.full(est.n_features_in_, np.nan)
    rank[chosen] = np.arange(len(chosen))
    written = {"highly_variable": ~np.isnan(rank), "highly_variable_rank": rank}
    if hasattr(est, "explained_by_"):
        written["explained_by"] = est.explained_by_
    return written


def _of_batches(adata: Any, selector: Any, layer: str | None, batch_key: str) -> dict[str, Any]:
    """Columns of ``adata.var``: the variables that most batches choose, each fitted by itself."""
    if batch_key not in adata.obs:
        raise DataError(
            f"adata.obs has no column {batch_key!r}; it has {listed(list(adata.obs.columns))}."
        )
    labels = adata.obs[batch_key]
    if labels.isna().any():
        raise DataError(f"adata.obs[{batch_key!r}] has missing values; give every row a batch.")
    ranks, k = [], 0
    for batch in labels.unique():
        rows = np.flatnonzero((labels == batch).to_numpy())
        if len(rows) < 2:
            raise DataError(
                f"Batch {batch!r} of adata.obs[{batch_key!r}] has 1 row; at least 2 are needed. "
                "Merge it with another batch, or leave it out."
            )
        one = _of_one(_fitted(selector, adata, layer, rows))
        ranks.append(one["highly_variable_rank"])
        k = max(k, int(one["highly_variable"].sum()))
    of_batch = np.array(ranks)
    times = (~np.isnan(of_batch)).sum(axis=0)
    median = np.full(len(times), np.nan)
    median[times > 0] = np.nanmedian(of_batch[:, times > 0], axis=0)
    chosen = np.lexsort((median, -times))[:k]  # NaN is last
    return {
        "highly_variable": np.isin(np.arange(len(times)), chosen),
        "highly_variable_rank": median,
        "highly_variable_nbatches": times,
        "highly_variable_intersection": times == len(ranks),
    }
