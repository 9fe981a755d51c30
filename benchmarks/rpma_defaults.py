"""Default fits of SPMA, PPMA and BPMA beside spectral clustering of the same affinity.

    python benchmarks/rpma_defaults.py [--sets digits planted mfeat_pix COIL20]

One thread, CPU seconds: the ratio, accuracy of both, and F; then the ratio before most
starts were dropped after a few steps (``results/rpma_defaults_before.csv``, without PPMA on the
planted graphs), and how much F has risen since, in per cent of F and, as F holds the constant
``||A||^2``, of what remains without it. ``planted`` is a block model of 1000 vertices and 42 groups
(.5 within, .02 between), ``planted, weak`` has .06 between; the others have the Gaussian affinity,
``faces`` those of the first 20 persons of YaleB. Writes ``results/rpma_defaults.md`` and ``.csv``;
sets measured before stay as they were.
"""

from __future__ import annotations

import argparse
import csv
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

SETS = ("digits", "mfeat_pix", "COIL20", "faces", "planted", "planted, weak")
BETWEEN = {"planted": 0.02, "planted, weak": 0.06}
FACES = 20
METHODS = ("SPMA", "PPMA", "BPMA")
COMPARED = ("times before", "F above before, %", "without the constant, %")
TEXT = ("data", "n", "K", "method")


def affinity(name: str) -> tuple[Any, np.ndarray]:
    if name in BETWEEN:
        return make_sbm(1000, 42, 0.5, BETWEEN[name], random_state=0)
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        data = load({"faces": "YaleB"}.get(name, name))
        kept = data.y < (FACES if name == "faces" else np.inf)
        X, y = data.X[kept], data.y[kept]
    return gaussian_affinity(np.asarray(X, dtype=float)), y


def rows_of(name: str) -> list[dict[str, Any]]:
    path = RESULTS / name
    if not path.exists():
        return []
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return [{k: v if k in TEXT else float(v) for k, v in row.items()} for row in rows]


def beside_before(est: Any, name: str, method: str) -> dict[str, float]:
    """Times SpectralGraph before, and per cent that F is higher now."""
    rows = rows_of("rpma_defaults_before.csv")
    before = [r for r in rows if (r["data"], r["method"]) == (name, method)]
    if not before:
        return dict.fromkeys(COMPARED, np.nan)
    (row,) = before
    rise = 100 * (est.objective_ - row["F"])
    constant = est._problem(est.affinity_).constant
    values = row["times SpectralGraph"], rise / row["F"], rise / abs(row["F"] - constant)
    return dict(zip(COMPARED, values))


def fitted(method: str, A: Any, K: int, **given: Any) -> tuple[Any, float]:
    est = getattr(sksieve, method)(K, affinity="precomputed", **({"random_state": 0} | given))
    with Meter() as meter:
        est.fit(A)
    return est, meter.cost.cpu


def shown(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    if np.isnan(value):
        return "-"
    return f"{value:.8g}" if name == "F" else f"{value:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    chosen = parser.parse_args().sets
    records = [r for r in rows_of("rpma_defaults.csv") if r["data"] not in chosen]
    with threadpool_limits(1):
        for name in chosen:
            A, y = affinity(name)
            K = len(np.unique(y))
            part = A[:200, :200]
            for method in ("SpectralGraph", *METHODS):
                fitted(method, part, 3)  # imports, compiles
            plain, unit = min((fitted("SpectralGraph", A, K) for _ in range(3)), key=lambda f: f[1])
            for method in METHODS:
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
                        "F": est.objective_,
                    }
                    | beside_before(est, name, method)
                )
                print(records[-1], flush=True)
    records.sort(key=lambda r: SETS.index(r["data"]))
    write_csv(RESULTS / "rpma_defaults.csv", records)
    rows = [[shown(k, v) for k, v in r.items()] for r in records]
    title = "# Default fits of the projection matrix family beside spectral clustering"
    text = f"{title}\n\n{machine()}\n\n{markdown(list(records[0]), rows)}"
    (RESULTS / "rpma_defaults.md").write_text(text)


if __name__ == "__main__":
    main()
