"""Do columns chosen by the structure target keep hidden groups better than other choices?

Compares the scores of two looks at labeled tables (``results/structure_target.csv``), and of the
target's parts on six of them (``results/structure_ablation.csv``, from the spec
``grids/quality/structure-ablation.toml``), and writes ``.md`` beside each:

    python benchmarks/structure_target.py
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from scipy.stats import wilcoxon

RESULTS = Path(__file__).parent / "results"
SCORES = ["nmi", "nn1", "logistic"]
ABOUT = """Two looks at labeled tables that no part of the target was developed on: 15 tables with
everything frozen before, then 25 further tables declared before any was opened. Tables have at
most 400 rows and 500 columns; a score is the mean over 10, 20 and 50 columns. The mean is of
three scores in percent: NMI of k-means (8 starts) with the classes, accuracy of 1-NN (leave one
out) and of logistic regression (three folds). p is not corrected for the number of comparisons."""
ABOUT_PARTS = """Six tables of the first look, at most 400 rows and 200 columns, 10 and 20 columns
chosen, two runs of k-means and two splits (`benchmarks/grids/quality/structure-ablation.toml`). In
percent; the mean is of NMI of k-means, accuracy of k-NN and of logistic regression; neighbors:
those kept; reconstruction: explained share as on the leaderboard. The target has the principal
components with weight 1 and two neighbor graphs with weight 0.8; its ridge is 0.5. Six tables
decide nothing about differences of a point."""
#: Scores of the ablation: what a table calls them, and what the mean is of.
PARTS = {"nmi": "k-means NMI", "knn_acc": "k-NN", "logistic_acc": "logistic"}
OTHERS = {"neighbors_kept": "neighbors", "reconstruction": "reconstruction"}
#: The methods as the tables call them.
NAMES = {
    "structure_greedy_start": "structure target, greedy start",
    "structure_random_start": "structure target, random start",
    "local_search": "local search on the table",
    "column_choice": "vote of three methods",
    "aligned": "aligned columns",
    "blufs": "BLUFS",
    "random": "random columns",
    "mcfs": "MCFS (second look only)",
    "variance": "variance (second look only)",
}
#: Tables of the second look whose columns all have one unit, where an unscaled variance means
#: something, by what the columns are.
ONE_UNIT = {
    "MSRA25": "pixels",
    "pixraw10P": "pixels",
    "satellite": "spectral bands",
    "meats_nir": "spectrum",
    "phoneme": "spectrum",
    "movement_libras": "coordinates",
    "RELATHE": "word counts",
    "mice_protein": "protein levels",
    "nci9": "gene expression",
    "nci60": "gene expression",
    "sorlie": "gene expression",
    "gravier": "gene expression",
    "khan63": "gene expression",
    "christensen": "methylation",
}
STARTS = ("structure_random_start", "structure_greedy_start")


def scores(path: Path = RESULTS / "structure_target.csv") -> pd.DataFrame:
    """Mean of the three scores: a row for each look and table, a column for each method."""
    frame = pd.read_csv(path)
    frame["mean"] = frame[SCORES].mean(axis=1)
    return frame.pivot_table(index=["look", "dataset"], columns="method", values="mean")


def comparison(table: pd.DataFrame, start: str) -> list[list[str]]:
    """Wins, losses, mean difference and Wilcoxon's p of the structure target against the others."""
    rows = []
    for method, name in NAMES.items():
        if method in STARTS or method not in table:
            continue
        difference = (table[start] - table[method]).dropna()
        if difference.empty:
            continue
        wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
        p = wilcoxon(difference).pvalue
        rows.append(
            [
                name,
                f"{wins}-{losses}",
                f"{difference.mean():+.2f}",
                f"{p:.4f}" if p >= 1e-4 else "< .0001",
            ]
        )
    return rows


def one_unit(table: pd.DataFrame) -> str:
    """The variance of unscaled columns beside the structure target, where columns have one unit."""
    second = table.loc[2].loc[list(ONE_UNIT)]
    chosen, variance = second["structure_greedy_start"], second["variance"]
    difference = (variance - chosen).sort_values()
    rows = [
        [name, ONE_UNIT[name], f"{variance[name]:.1f}", f"{chosen[name]:.1f}", f"{points:+.1f}"]
        for name, points in difference.items()
    ]
    p = wilcoxon(difference).pvalue
    above = int((difference > 0).sum())
    return "\n\n".join(
        [
            "## Variance of unscaled columns, on tables of one unit in the second look",
            f"Above the structure target with a greedy start on {above} of {len(rows)} tables, "
            f"{difference.mean():+.2f} points in the mean (Wilcoxon p {p:.4f}).",
            markdown(["table", "columns", "variance", "structure target", "points"], rows),
        ]
    )


def ablation(path: Path = RESULTS / "structure_ablation.csv") -> str:
    """The parts of the target: means over tables and sizes, the best first, and won tables."""
    names = PARTS | OTHERS
    by_size = pd.read_csv(path).groupby(["dataset", "method", "k"])[list(names)].mean()
    frame = 100 * by_size.groupby(["dataset", "method"]).mean()
    frame["mean"] = frame[list(PARTS)].mean(axis=1)
    means = frame.groupby("method").mean().sort_values("mean", ascending=False)
    tables = frame["mean"].unstack()
    won = (tables.sub(tables["structure"], axis=0) > 0).sum()
    rows = [
        [
            method,
            *(f"{row[name]:.2f}" for name in ("mean", *names)),
            f"{won[method]} of {len(tables)}",
        ]
        for method, row in means.iterrows()
    ]
    heads = ["target", "mean", *names.values(), "tables above structure"]
    return "\n\n".join(["# Parts of the structure target", ABOUT_PARTS, markdown(heads, rows)])


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def main() -> None:
    table = scores()
    looks = {
        "first look": table.loc[1],
        "second look": table.loc[2],
        "both looks": table.reset_index(drop=True),
    }
    parts = ["# Columns chosen by the structure target", ABOUT]
    means = [
        [
            NAMES[m],
            *(f"{part[m].mean():.2f}" if part[m].notna().all() else "-" for part in looks.values()),
        ]
        for m in NAMES
    ]
    heads = [f"{name} ({len(part)} tables)" for name, part in looks.items()]
    parts += ["## Mean of the three scores", markdown(["method", *heads], means)]
    for start in STARTS:
        for name, part in looks.items():
            parts += [
                f"## {NAMES[start]}, {name}",
                markdown(
                    ["against", "wins-losses", "points", "Wilcoxon p"], comparison(part, start)
                ),
            ]
    text = "\n\n".join([*parts, one_unit(table)])
    (RESULTS / "structure_target.md").write_text(text + "\n", encoding="utf-8")
    (RESULTS / "structure_ablation.md").write_text(ablation() + "\n", encoding="utf-8")
    print(text, ablation(), sep="\n\n")


if __name__ == "__main__":
    main()
