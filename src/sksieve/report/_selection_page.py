"""The report of a selection: one HTML file."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from ._html import render, write_page
from ._selection_result import SelectionResult
from ._selection_view import selection_view


def write_selection_report(path: str | os.PathLike[str], result: SelectionResult) -> Path:
    """Write the report of a selection: one HTML file that needs nothing beside itself.

    Style, script, charts and data are in the file, nothing is fetched, so it can be sent by mail
    and read years later. A section whose data the estimator does not offer is left out.

    Parameters
    ----------
    path : str or Path
        File to write; replaced when it exists.
    result : SelectionResult
        The fitted estimator and where its data came from. Nothing is fitted here.

    Returns
    -------
    path : Path

    Raises
    ------
    ImportError
        If jinja2 is not installed (it comes with ``scikit-sieve[cli]``).

    Notes
    -----
    The costs are those of `sksieve.metrics.HeldOut` for each size the slider stops at; the file
    takes about 70 bytes for each dropped column.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import GreedyCSS
    >>> from sksieve.report import SelectionResult, write_selection_report
    >>> X = load_wine(as_frame=True).data
    >>> sel = GreedyCSS(n_features_to_select=5, scale="standard").fit(X)
    >>> result = SelectionResult(
    ...     sel, list(X.columns), method="greedy", command="", data_name="wine", data_sha256="",
    ...     n_samples=178, n_features=13, seconds=0.01, seed=None, scale="standard", X=X.to_numpy())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_selection_report(f"{folder}/wine.html", result).read_text("utf-8")
    >>> "<h2" in page
    True
    """
    return write_page(path, selection_html(result))


def selection_html(result: SelectionResult) -> str:
    """The page as text."""
    extra = (files("sksieve.report") / "templates" / "clustering.css").read_text("utf-8")
    view = selection_view(result) | {"extra_css": extra}
    return render(view, "selection.html", "report.js")
