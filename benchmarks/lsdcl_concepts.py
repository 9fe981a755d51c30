"""LSDCL: how alike the concepts are, and how well its columns cluster, by the weight lam1.

Mean correlation over the samples between every two feature concepts (1: they all say the same), and
the accuracy of k-means on 5, 10, ..., 50 columns as in lsdcl_quality.py, two starts of LSDCL, two
k-means runs. No labels are seen by LSDCL.

    python benchmarks/lsdcl_concepts.py [SET ...]

Results go to benchmarks/results/lsdcl_concepts.csv and .md.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from lsdcl_quality import merits, sized
from sksieve import LSDCL

WEIGHTS = (1.0, 0.3, 0.1, 0.01)


def likeness(Y: np.ndarray) -> float:
    """Mean correlation of two columns."""
    return float(np.corrcoef(Y.T)[np.triu_indices(Y.shape[1], 1)].mean())


def row_of(name: str, lam1: float) -> dict[str, Any]:
    X, y, sizes = sized(name)
    c = len(np.unique(y))
    fits = [LSDCL(lam1=lam1, random_state=seed).fit(X) for seed in range(2)]
    acc = [merits(X[:, f.ranking_[:s]], y, c, 2)[0] for f in fits for s in sizes]
    alike = [likeness(f.feature_concepts_) for f in fits]
    return {"set": name, "lam1": lam1, "alike": np.mean(alike), "acc": np.mean(acc)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=["USPS49", "COIL20", "digits"])
    warnings.filterwarnings("ignore", module="sklearn")
    rows = []
    with threadpool_limits(limits=1):
        for name in parser.parse_args().sets:
            for lam1 in WEIGHTS:
                rows.append(row_of(name, lam1))
                print(*rows[-1].values(), sep="  ", flush=True)
    write_csv(RESULTS / "lsdcl_concepts.csv", rows)
    cells = [[r["set"], f"{r['lam1']:g}", f"{r['alike']:.2f}", f"{r['acc']:.1f}"] for r in rows]
    table = markdown(["set", "lam1", "correlation of concepts", "ACC"], cells)
    (RESULTS / "lsdcl_concepts.md").write_text(f"{machine()}\n\n{table}")


if __name__ == "__main__":
    main()
