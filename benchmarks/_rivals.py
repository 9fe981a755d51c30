"""Run other packages' unsupervised column selection; in an environment of its own.

``python _rivals.py A.npz K NAME ...`` reads the array ``A`` and prints one JSON object:
``{"versions": {...}, "results": [{"name", "indices", "seconds"}, ...]}``. Knows nothing of sksieve.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from time import process_time

import numpy as np


def cur(A, k):
    from skmatter.feature_selection import CUR

    return CUR(n_to_select=k).fit(A).selected_idx_


def fps(A, k):
    from skmatter.feature_selection import FPS

    return FPS(n_to_select=k).fit(A).selected_idx_


def fastcan(A, k):
    """Targets: the leading k principal components, as in its user guide."""
    from fastcan import FastCan
    from sklearn.decomposition import PCA

    targets = PCA(n_components=k, random_state=0).fit_transform(A)
    return FastCan(n_features_to_select=k, verbose=0).fit(A, targets).indices_


def fastcan_eta(A, k):
    """The same with its faster method, for tables with more rows than columns and targets."""
    from fastcan import FastCan
    from sklearn.decomposition import PCA

    targets = PCA(n_components=k, random_state=0).fit_transform(A)
    return FastCan(n_features_to_select=k, eta=True, verbose=0).fit(A, targets).indices_


def pivoted_qr(A, k):
    from scipy.linalg import qr

    return qr(A, mode="r", pivoting=True)[1][:k]


RIVALS: dict[str, Callable] = {
    "cur": cur,
    "fps": fps,
    "fastcan": fastcan,
    "fastcan_eta": fastcan_eta,
    "pivoted_qr": pivoted_qr,
}


def timed(select, A, k):
    """Indices and the smallest CPU time (one thread) of up to three calls, one if it is slow."""
    best, spent = np.inf, 0.0
    for _ in range(3):
        started = process_time()
        indices = select(A, k)
        seconds = process_time() - started
        best, spent = min(best, seconds), spent + seconds
        if spent > 2.0:
            break
    return [int(j) for j in indices], best


def main(path, k, names):
    A = np.load(path)["A"]
    results = []
    for name in names:
        try:
            RIVALS[name](A[:, : min(20, A.shape[1])], 3)  # imports are not counted
            indices, seconds = timed(RIVALS[name], A, int(k))
        except (ValueError, RuntimeError) as refusal:
            results.append({"name": name, "refused": str(refusal)})
        else:
            results.append({"name": name, "indices": indices, "seconds": seconds})
    packages = ["skmatter", "fastcan", "scipy", "scikit-learn", "numpy"]
    json.dump({"versions": {p: version(p) for p in packages}, "results": results}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
