"""What default dimensions and weights of row-sparse methods are worth, without labels.

    python benchmarks/ufs_defaults.py [--sets wine sonar ...] [--methods spcafs udfs l1ufs ...]

Each method is fitted with the parameters of `BEFORE`, those the methods had at first, and with the
defaults of now (as many components as columns are kept, within bounds). Of each answer two figures,
on standardised columns: the share of variance that the chosen columns rebuild, and the share of
nearest neighbours that they find; both less those of random columns (mean of ten draws), in
percentage points, mean over three numbers of columns. At most 500 rows of a set are used. The
defaults were chosen on the sets of `CHOSEN_ON`; those of `HELD_OUT` were looked at afterwards, and
led to one change: the bound of 10 components with more columns than samples. Writes
results/ufs_defaults.csv and .md; lines of an earlier run stay where they are not measured again.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler

from _common import RESULTS, load, machine, markdown, write_csv
from sksieve.catalogue import get_method
from sksieve.metrics import neighborhood_preservation, reconstruction_error

CHOSEN_ON = (
    *("wine", "breast", "ionosphere", "sonar", "heart", "housing", "glass", "zoo", "ecoli"),
    *("digits", "dna", "mfeat_pix", "lung_small", "USPS49", "binalpha"),
)
HELD_OUT = ("COIL20", "Isolet", "JAFFE", "Yale", "colon", "CNAE9")
BEFORE: dict[str, dict[str, float]] = {
    "spcafs": {"n_components": 10, "gamma": 0.01},
    "udfs": {"n_components": 10, "gamma": 0.1},
    "sogfs": {"n_components": 10, "gamma": 0.01},
    "ulap": {"n_components": 10, "gamma": 0.01},
    "l1ufs": {"lam2": 0.1},
}
ROWS = 500
DRAWS = 10


def table(name: str) -> np.ndarray:
    """Columns that vary, of 500 rows at most."""
    bundled = {"digits": load_digits, "wine": load_wine}
    X = bundled[name]().data if name in bundled else load(name).X.astype(float)
    if len(X) > ROWS:
        X = X[np.sort(np.random.RandomState(0).permutation(len(X))[:ROWS])]
    return X[:, X.std(axis=0) > 0]


def sizes(d: int) -> list[int]:
    """A tenth, a quarter, half of few columns; 3, 10, 25 % of many."""
    shares = (0.1, 0.25, 0.5) if d < 100 else (0.03, 0.1, 0.25)
    return sorted({max(2, int(np.ceil(d * share))) for share in shares})


def figures(Z: np.ndarray, columns: Sequence[int]) -> np.ndarray:
    rebuilt = 1 - reconstruction_error(Z, columns, scale="none") / np.vdot(Z, Z)
    return 100 * np.array([rebuilt, neighborhood_preservation(Z, columns, n_neighbors=10)])


def gains(name: str, methods: Sequence[str]) -> list[dict[str, Any]]:
    X = table(name)
    Z = StandardScaler().fit_transform(X)
    d, ks = Z.shape[1], sizes(Z.shape[1])
    draws = [np.random.RandomState(seed).permutation(d) for seed in range(DRAWS)]
    floor = {k: np.mean([figures(Z, draw[:k]) for draw in draws], axis=0) for k in ks}
    rows = []
    for method_name in methods:
        method = get_method(method_name)
        row: dict[str, Any] = {"set": name, "method": method_name, "columns": d}
        before = BEFORE[method_name]
        for label, given in (("before", before), ("now", {})):
            found = []
            for k in ks:
                est = method.load()(n_features_to_select=k, **given)
                est.fit(X if method.scaling == "raw" else Z)
                found.append(figures(Z, est.ranking_[:k]) - floor[k])
            rebuilt, kept = np.mean(found, axis=0)
            row[f"rebuilt_{label}"] = round(float(rebuilt), 2)
            row[f"neighbours_{label}"] = round(float(kept), 2)
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=(*CHOSEN_ON, *HELD_OUT))
    parser.add_argument("--methods", nargs="+", default=list(BEFORE))
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    rows = _measured_before()
    for name in options.sets:
        for row in gains(name, options.methods):
            rows[row["set"], row["method"]] = row
            print(row, flush=True)
        _write(list(rows.values()))


def _measured_before() -> dict[tuple[str, str], dict[str, Any]]:
    path = RESULTS / "ufs_defaults.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(row["set"], row["method"]): dict(row) for row in csv.DictReader(file)}


def _write(rows: list[dict[str, Any]]) -> None:
    write_csv(RESULTS / "ufs_defaults.csv", rows)
    names = ("rebuilt_before", "rebuilt_now", "neighbours_before", "neighbours_now")
    heads = ("method", "sets", *(name.replace("_", ", ") for name in names))
    lines = []
    for method in BEFORE:
        for label, sets in (("chosen on", CHOSEN_ON), ("held out", HELD_OUT)):
            part = [r for r in rows if r["method"] == method and r["set"] in sets]
            if part:
                means = [np.mean([float(r[name]) for r in part]) for name in names]
                line = (method, f"{len(part)} {label}", *(f"{value:+.1f}" for value in means))
                lines.append(line)
    each = [(r["set"], r["method"], *(str(r[name]) for name in names)) for r in rows]
    text = f"{machine()}\n\nPercentage points above random columns.\n\n{markdown(heads, lines)}\n"
    text += markdown(("set", *heads[:1], *heads[2:]), each)
    (RESULTS / "ufs_defaults.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
