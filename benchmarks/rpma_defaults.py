"""Default fits of SPMA and BPMA beside spectral clustering of the same affinity.

    python benchmarks/rpma_defaults.py [--sets digits planted mfeat_pix COIL20]

One thread, seconds of the processor: the ratio, and accuracy of both. ``planted`` is a block model
of 1000 vertices and 42 groups (.5 within, .02 between); the others have the Gaussian affinity.
Writes ``results/rpma_defaults.md`` and ``.csv``.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import sksieve
from _common import RESULTS, machine, markdown, write_csv
from sksieve.datasets import load, make_sbm
from sksieve.evaluation._cost import Meter
from sksieve.graphs import gaussian_affinity
from sksieve.metrics import clustering_accuracy

SETS = ("digits", "planted", "mfeat_pix", "COIL20")


def affinity(name: str) -> tuple[Any, np.ndarray]:
    if name == "planted":
        return make_sbm(1000, 42, 0.5, 0.02, random_state=0)
    data = load_digits() if name == "digits" else load(name)
    X, y = (data.data, data.target) if name == "digits" else (data.X, data.y)
    return gaussian_affinity(np.asarray(X, dtype=float)), y


def fitted(method: str, A: Any, K: int) -> tuple[Any, float]:
    est = getattr(sksieve, method)(K, affinity="precomputed", random_state=0)
    with Meter() as meter:
        est.fit(A)
    return est, meter.cost.cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    records = []
    with threadpool_limits(1):
        for name in parser.parse_args().sets:
            A, y = affinity(name)
            K = len(np.unique(y))
            plain, unit = fitted("SpectralGraph", A, K)
            for method in ("SPMA", "BPMA"):
                est, seconds = fitted(method, A, K)
                records.append(
                    {
                        "data": name,
                        "n": A.shape[0],
                        "K": K,
                        "method": method,
                        "seconds": seconds,
                        "times SpectralGraph": seconds / unit,
                        "accuracy": clustering_accuracy(y, est.labels_),
                        "accuracy of SpectralGraph": clustering_accuracy(y, plain.labels_),
                        "F": est.F_,
                    }
                )
                print(records[-1], flush=True)
    write_csv(RESULTS / "rpma_defaults.csv", records)
    rows = [[f"{v:.4g}" if isinstance(v, float) else str(v) for v in r.values()] for r in records]
    title = "# Default fits of the projection matrix family beside spectral clustering"
    text = f"{title}\n\n{machine()}\n\n{markdown(list(records[0]), rows)}"
    (RESULTS / "rpma_defaults.md").write_text(text)


if __name__ == "__main__":
    main()
