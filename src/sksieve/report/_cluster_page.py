"""The report of a clustering: one HTML file."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from ._cluster_result import ClusteringResult
from ._cluster_view import clustering_view
from ._html import render, write_page


def write_clustering_report(path: str | os.PathLike[str], result: ClusteringResult) -> Path:
    """Write the report of a clustering: one HTML file that needs nothing beside itself.

    Style, script, image and data are in the file, which fetches nothing.

    Parameters
    ----------
    path : str or Path
        File to write; replaced when it exists.
    result : ClusteringResult
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
    Cost O(edges), and O(n d) for the columns that separate the groups; no n x n array.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import SpectralGraph
    >>> from sksieve.evaluation import partition
    >>> from sksieve.report import ClusteringResult, write_clustering_report
    >>> X = load_wine(as_frame=True).data
    >>> est = SpectralGraph(n_clusters=3, random_state=0).fit(X)
    >>> result = ClusteringResult(
    ...     est, partition(est.affinity_, est.labels_, X.to_numpy()), method="spectral",
    ...     command="", data_name="wine", data_sha256="", seconds=0.1, seed=0, X=X.to_numpy(),
    ...     feature_names=list(X.columns), scale="none")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_clustering_report(f"{folder}/wine.html", result).read_text("utf-8")
    >>> "<h2" in page
    True
    """
    return write_page(path, clustering_html(result))


def clustering_html(result: ClusteringResult) -> str:
    """The page as text."""
    extra = (files("sksieve.report") / "templates" / "clustering.css").read_text("utf-8")
    view = clustering_view(result) | {"extra_css": extra}
    return render(view, "clustering.html", "cluster.js")
