"""WA* in Table 1 of POCSS: does another weight explain where ours differs?

The paper names epsilon = .5 and a "variant b", which cannot be identified. So both forms of the
weight over a range of epsilon, 50 columns, on the two data sets that are available.

    python benchmarks/astar_weights.py

Results go to benchmarks/results/astar_weights.csv and .md.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, table, write_csv
from sksieve import WeightedAStarCSS

TABLE = Path(__file__).parent / "papers" / "pocss_table_1.csv"
PAPER = {"sonar": "sonar", "dna1400": "dna"}
WEIGHTS = [round(0.05 * i, 2) for i in range(2, 21)] + [1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0]


def main() -> None:
    with TABLE.open(encoding="utf-8") as file:
        printed = {r["dataset"]: r["value"] for r in csv.DictReader(file) if r["method"] == "WA*"}
    rows, cells = [], []
    for name, title in PAPER.items():
        data = table(name)
        for v in ("g", "h"):
            of = []
            for epsilon in WEIGHTS:
                search = WeightedAStarCSS(50, scale="none", epsilon=epsilon, v=v).fit(data.A)
                ratio = data.error_ratio(search.ranking_[:50])
                of.append(f"{ratio:.3f}")
                rows.append(
                    {
                        "dataset": name,
                        "v": v,
                        "epsilon": epsilon,
                        "error_ratio": of[-1],
                        "nodes": search.n_iter_,
                        "end": search.stop_reason_,
                    }
                )
                print(*rows[-1].values(), sep="  ", flush=True)
            near = min(of, key=lambda text: abs(float(text) - float(printed[title])))
            at = of[WEIGHTS.index(0.5)]
            cells.append([name, v, printed[title], at, f"{min(of)} to {max(of)}", near])
    write_csv(RESULTS / "astar_weights.csv", rows)
    header = ["data", "v", "paper", "epsilon = .5", "all weights", "nearest"]
    (RESULTS / "astar_weights.md").write_text(f"{machine()}\n\n{markdown(header, cells)}")


if __name__ == "__main__":
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
