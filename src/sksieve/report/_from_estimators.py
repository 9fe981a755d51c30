"""Reports straight from fitted estimators: names, times and scales are read from them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..catalogue import METHODS
from ..evaluation import partition
from ._cluster_result import ClusteringResult
from ._html import Page
from ._page import report_page
from ._selection_result import SelectionResult


def selection_report(
    est: Any, X: Any, path: str | os.PathLike[str] | None = None, *, title: str = "Selection"
) -> Page:
    """The report of a fitted selector: one HTML page that needs nothing beside itself.

    Parameters
    ----------
    est : fitted selector
    X : {array-like, DataFrame, sparse} of shape (n_samples, n_features)
        The table it was fitted to.
    path : str or path-like, optional
        File to write.
    title : str, default="Selection"
        Head of the page, for instance the name of the data.

    Returns
    -------
    Page

    Raises
    ------
    ValueError
        If X does not have the columns that `est` was fitted to.
    ImportError
        If jinja2 is not installed (it comes with ``scikit-sieve[cli]``).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import GreedyCSS
    >>> from sksieve.report import selection_report
    >>> X = load_wine(as_frame=True).data
    >>> page = selection_report(GreedyCSS(3).fit(X), X, title="wine")
    >>> "3 of 13 columns explain" in page.html
    True
    """
    table = _matrix(X)
    names = _names(est, X)
    _check_columns(est, table)
    inner = getattr(est, "estimator_", est) if hasattr(est, "compared_") else est
    result = SelectionResult(
        estimator=inner,
        feature_names=names,
        method=_method(inner),
        command="",
        data_name=title,
        data_sha256="",
        n_samples=table.shape[0],
        n_features=table.shape[1],
        seconds=_seconds(inner),
        seed=_seed(est),
        scale=getattr(inner, "scale", "standard"),
        X=table,
        loading="X = ...  # your table",
        chooser=est if inner is not est else None,
    )
    return report_page(result, path)


def clustering_report(
    est: Any, X: Any, path: str | os.PathLike[str] | None = None, *, title: str = "Clustering"
) -> Page:
    """The report of a fitted clusterer: one HTML page that needs nothing beside itself.

    Parameters
    ----------
    est : fitted clusterer
        With ``labels_``, ``affinity_`` and, where it has one, ``embedding_``.
    X : {array-like, DataFrame, sparse} of shape (n_samples, n_features)
        The table it was fitted to, or the adjacency matrix where ``affinity="precomputed"``.
    path : str or path-like, optional
        File to write.
    title : str, default="Clustering"
        Head of the page, for instance the name of the data.

    Returns
    -------
    Page

    Raises
    ------
    ValueError
        If X does not have one row for each label.
    ImportError
        If jinja2 is not installed (it comes with ``scikit-sieve[cli]``).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import SpectralGraph
    >>> from sksieve.report import clustering_report
    >>> X = load_wine(as_frame=True).data
    >>> page = clustering_report(SpectralGraph(n_clusters=3, random_state=0).fit(X), X)
    >>> "178 samples in 3 clusters" in page.html
    True
    """
    is_graph = getattr(est, "affinity", "") == "precomputed"
    table = None if is_graph else _matrix(X)
    result = ClusteringResult(
        estimator=est,
        partition=partition(est.affinity_, est.labels_, table),
        method=_method(est),
        command="",
        data_name=title,
        data_sha256="",
        seconds=_seconds(est),
        seed=_seed(est),
        X=table,
        feature_names=() if is_graph else _names(est, X),
        scale="" if is_graph else "none",
        loading=f"{'A' if is_graph else 'X'} = ...  # your data",
    )
    return report_page(result, path)


def _matrix(X: Any) -> Any:
    if sp.issparse(X):
        return sp.csr_array(X)
    return np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X, dtype=np.float64)


def _names(est: Any, X: Any) -> Sequence[str]:
    """Names of the columns: those seen in fit, those of the data frame, or x0, x1, ..."""
    names = getattr(est, "feature_names_in_", getattr(X, "columns", None))
    if names is None:
        return [f"x{j}" for j in range(X.shape[1])]
    return [str(name) for name in names]


def _check_columns(est: Any, X: Any) -> None:
    fitted = getattr(est, "n_features_in_", X.shape[1])
    if X.shape[1] != fitted:
        raise ValueError(
            f"X has {X.shape[1]} columns, but {type(est).__name__} was fitted to {fitted}; give "
            "the table it was fitted to."
        )


def _method(est: Any) -> str:
    """The catalogue's name of the estimator, or that of its class."""
    kind = type(est).__name__
    return next((method.name for method in METHODS if method.class_name == kind), kind)


def _seconds(est: Any) -> float | None:
    history = getattr(est, "history_", None)
    return float(history[-1]["seconds"]) if history else None


def _seed(est: Any) -> int | None:
    seed = est.get_params(deep=False).get("random_state")
    return seed if isinstance(seed, int) else None
