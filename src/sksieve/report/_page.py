"""The page of a result: one HTML file that needs nothing beside itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from ._cluster_result import ClusteringResult
from ._cluster_view import clustering_view
from ._comparison import ComparisonResult, comparison_view
from ._html import Page, render
from ._selection_result import SelectionResult
from ._selection_view import selection_view


class Layout(NamedTuple):
    """How a kind of result becomes a page: its values, template and script."""

    view: Callable[[Any], dict[str, Any]]
    template: str
    script: str | None = None


LAYOUTS: dict[type, Layout] = {
    SelectionResult: Layout(selection_view, "selection.html", "report.js"),
    ClusteringResult: Layout(clustering_view, "clustering.html", "cluster.js"),
    ComparisonResult: Layout(comparison_view, "comparison.html"),
}


def report_page(
    result: SelectionResult | ClusteringResult | ComparisonResult,
    path: str | os.PathLike[str] | None = None,
) -> Page:
    """The report of a result: one HTML page that needs nothing beside itself.

    Style, script, charts and data are in the page, nothing is fetched, so it can be sent by mail
    and read years later. A section whose data the result does not offer is left out.

    Parameters
    ----------
    result : SelectionResult, ClusteringResult or ComparisonResult
        What was found, and where its data came from. Nothing is fitted here.
    path : str or path-like, optional
        File to write; replaced when it exists.

    Returns
    -------
    Page

    Raises
    ------
    ImportError
        If jinja2 is not installed (it comes with ``scikit-sieve[cli]``).

    Notes
    -----
    For a selection the costs are those of `sksieve.metrics.HeldOut` for each size the slider stops
    at, and the page takes about 70 bytes for each dropped column. For a clustering they are
    O(edges), and O(n d) for the columns that separate the groups; no n x n array.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.evaluation import comparisons
    >>> from sksieve.report import ComparisonResult, report_page
    >>> X = load_wine(as_frame=True).data
    >>> rows = comparisons(X, 3, ["greedy", "random"])
    >>> result = ComparisonResult(rows, list(X.columns), 3, "wine", "", n_samples=178)
    >>> "Which columns they choose" in report_page(result).html
    True
    """
    layout = LAYOUTS[type(result)]
    return Page.create(render(layout.view(result), layout.template, layout.script), path)
