"""Make the picture of a clustering's report: ``python docs/picture_clusters.py`` (chromium).

Wine, 178 wines of three cultivars described by 13 measurements; it comes with scikit-learn.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from make_pictures import IMG, screenshot
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from sksieve import SpectralGraph
from sksieve.evaluation import partition
from sksieve.report import ClusteringResult, write_clustering_report


def clustering() -> ClusteringResult:
    """The clustering that ``sksieve cluster wine.csv -c 3`` makes."""
    X = load_wine(as_frame=True).data
    scaled = StandardScaler().fit_transform(X)
    started = perf_counter()
    estimator = SpectralGraph(n_clusters=3, random_state=0).fit(scaled)
    seconds = perf_counter() - started
    return ClusteringResult(
        estimator,
        partition(estimator.affinity_, estimator.labels_, scaled),
        method="spectral",
        command="sksieve cluster wine.csv -c 3",
        data_name="Wine",
        data_sha256="",
        seconds=seconds,
        seed=0,
        X=X.to_numpy(),
        feature_names=list(X.columns),
        seen=scaled,
        scale="standard",
    )


if __name__ == "__main__":
    browser = shutil.which("chromium") or sys.exit("chromium is not here")
    with tempfile.TemporaryDirectory() as folder:
        page = write_clustering_report(Path(folder) / "wine.html", clustering())
        picture = screenshot(page, browser).convert("P", palette=1, colors=128)
        picture.save(IMG / "clusters.png", optimize=True)
