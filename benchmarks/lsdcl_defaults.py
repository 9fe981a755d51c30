"""Which label-free defaults of LSDCL: settings around the default on many sets, some held out.

One setting serves all sets. It was chosen by the mean accuracy over the sets named first, from some
forty settings (the two scorings were within a third of a point there); the rest had no say.
"before" is the default before it, with the present solver: wider correntropy, more passes. Protocol
as in lsdcl_quality.py, two k-means runs, two starts of LSDCL.

    python benchmarks/lsdcl_defaults.py [SET ...]

Results go to benchmarks/results/lsdcl_defaults.csv and .md; sets measured earlier are kept.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from typing import Any

import numpy as np
from sklearn.preprocessing import minmax_scale
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from lsdcl_quality import merits, sized
from sksieve import LSDCL, LaplacianScore, VarianceRank

CHOSEN_ON = (
    "JAFFE", "Yale", "lung_small", "wine", "zoo", "ecoli", "colon", "mfeat_pix", "Isolet",
    "USPS49", "COIL20",
)  # fmt: skip
HELD_OUT = (
    "TOX_171", "lymphoma", "housing", "binalpha", "ALLAML", "Prostate_GE", "sonar", "ionosphere",
    "breast", "heart", "glass",
)  # fmt: skip
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "before": {"gamma": 0.25, "max_iter": 15},
    "gamma=0.01": {"gamma": 0.01},
    "gamma=0.25": {"gamma": 0.25},
    "max_iter=4": {"max_iter": 4},
    "max_iter=16": {"max_iter": 16},
    "n_concepts=20": {"n_concepts": 20},
    "lam1=0": {"lam1": 0.0},
    "lam1=3": {"lam1": 3.0},
    "lam2=0.01": {"lam2": 0.01},
    "scale=standard": {"scale": "standard"},
    "scoring=norm": {"scoring": "norm"},
}
RUNS = 2
FLOORS = ("random", "variance", "LaplacianScore")


def rankings(name: str, X: np.ndarray) -> list[np.ndarray]:
    if name == "random":
        return [np.random.RandomState(seed).permutation(X.shape[1]) for seed in range(5)]
    if name == "variance":
        return [VarianceRank().fit(X).ranking_]
    if name == "LaplacianScore":
        return [LaplacianScore().fit(minmax_scale(X)).ranking_]
    return [LSDCL(random_state=seed, **SETTINGS[name]).fit(X).ranking_ for seed in range(2)]


def row_of(name: str) -> dict[str, Any]:
    """Mean accuracy of every floor and setting on one set."""
    X, y, sizes = sized(name)
    c = len(np.unique(y))
    row: dict[str, Any] = {"set": name}
    for setting in (*FLOORS, *SETTINGS):
        found = [merits(X[:, r[:s]], y, c, RUNS)[0] for r in rankings(setting, X) for s in sizes]
        row[setting] = round(float(np.mean(found)), 2)
    return row


def tables(rows: list[dict[str, Any]]) -> str:
    """Means over the sets that chose and over the others, then every set."""
    columns = [*FLOORS, *SETTINGS]
    parts = {
        f"{len(chosen)} {words}": chosen
        for words, names in (("chosen on", CHOSEN_ON), ("held out", HELD_OUT))
        if (chosen := [row for row in rows if row["set"] in names])
    }
    means = [
        [
            column,
            *(f"{np.mean([float(row[column]) for row in part]):.1f}" for part in parts.values()),
            *(
                f"{sum(float(row[column]) > float(row['random']) for row in part)}"
                for part in parts.values()
            ),
        ]
        for column in columns
    ]
    above = [f"above random, of {words}" for words in parts]
    few = [*FLOORS, "before", "default"]
    each = [[row["set"], *(f"{float(row[c]):.1f}" for c in few)] for row in rows]
    head = markdown(["ranking", *(f"ACC, {words}" for words in parts), *above], means)
    return f"{head}\n{markdown(['set', *few], each)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=[*CHOSEN_ON, *HELD_OUT])
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    path = RESULTS / "lsdcl_defaults.csv"
    rows: dict[str, dict[str, Any]] = {}
    if path.exists():
        with path.open(newline="") as file:
            rows = {row["set"]: row for row in csv.DictReader(file)}
    with threadpool_limits(limits=1):
        for name in given.sets:
            rows[name] = row_of(name)
            print(rows[name], flush=True)
            ordered = [rows[n] for n in (*CHOSEN_ON, *HELD_OUT) if n in rows]
            write_csv(path, ordered)
            (RESULTS / "lsdcl_defaults.md").write_text(f"{machine()}\n\n{tables(ordered)}")


if __name__ == "__main__":
    main()
