"""Make the picture of docs/cost.md from the committed results: ``python docs/picture_cost.py``."""

from __future__ import annotations

import csv
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "benchmarks" / "results" / "cost_growth.csv"
TARGET = Path(__file__).parent / "img" / "cost.png"
TITLES = {"columns": "selecting 10 columns", "clusters": "10 clusters", "graphs": "communities"}
#: Methods of other packages, drawn in gray.
RIVALS = ("fastcan", "FeatureAgglomeration", "KMeans", "SpectralClustering", "Louvain")
SHOWN = 1e-3  # seconds
COLORS = [f"C{i}" for i in range(10) if i != 7]  # without gray


def main() -> None:
    matplotlib.use("Agg")
    with SOURCE.open() as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "ok"]
    figure, axes = plt.subplots(2, 3, figsize=(13, 8.6), layout="constrained", sharey=True)
    for column, (family, title) in enumerate(TITLES.items()):
        mine = [row for row in rows if row["family"] == family]
        words = list(dict.fromkeys(row["axis"] for row in mine))
        names = list(dict.fromkeys(row["method"] for row in mine))
        colors = dict(zip((n for n in names if n not in RIVALS), COLORS))
        styles = dict(zip((n for n in names if n in RIVALS), ("--", ":")))
        for axis, word in zip(axes[:, column], words):
            for name in names:
                points = [
                    (int(row["size"]), max(float(row["seconds"]), SHOWN))
                    for row in mine
                    if (row["method"], row["axis"]) == (name, word)
                ]
                axis.plot(
                    *zip(*points),
                    color=colors.get(name, "0.4"),
                    ls=styles.get(name, "-"),
                    marker="o",
                    ms=3,
                    lw=1.4,
                    label=name,
                )
            axis.set(xscale="log", yscale="log", xlabel=word, title=title, ylim=(SHOWN, 40))
            axis.grid(alpha=0.3)
        axes[1, column].legend(
            fontsize=8, ncol=3, loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False
        )
    for axis in axes[:, 0]:
        axis.set_ylabel("seconds of one core")
    figure.savefig(TARGET, dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    main()
