"""How many groups: `suggest_n_clusters` on labeled tables, and its test on tables of one lump.

    python benchmarks/how_many_groups.py

Labeled tables: every table of the catalogue with classes and without missing values, one form of
each, at most 1500 random rows (the function draws them); the suggested number beside the number of
classes.
One lump: Gaussian clouds, uniform squares, and independent lognormal columns, with the number of
tables that the test calls more than one lump (p <= .05). A table that is there already is not
measured again. Writes results/how_many_groups.csv and .md.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np

from _common import RESULTS, load, machine, markdown, write_csv
from sksieve.datasets import catalogue
from sksieve.suggest import suggest_n_clusters

FILE = RESULTS / "how_many_groups.csv"
#: Other forms of tables that are there.
OTHER_FORMS = ("breast_cancer", "dna_full", "JAFFE32", "mfeat_pix")


def one_lump() -> Iterator[tuple[str, str, np.ndarray]]:
    """Kind, name and table."""
    for seed in range(8):
        for d in (2, 5, 20):
            cloud = np.random.RandomState(seed).standard_normal((200, d))
            yield "Gaussian clouds", f"{d} columns, seed {seed}", cloud
        rng = np.random.RandomState(seed)
        yield "uniform squares", f"seed {seed}", rng.random_sample((200, 2))
        lognormal = np.exp(rng.standard_normal((200, 10)))
        yield "independent lognormal columns (d = 10)", f"seed {seed}", lognormal


def tables() -> Iterator[tuple[str, str, int, np.ndarray]]:
    """Part, name, true number of groups, and table; read when it is needed."""
    for part, name, X in one_lump():
        yield part, name, 1, X
    for record in catalogue():
        is_usable = record.kind == "table" and record.n_classes > 1 and not record.n_missing
        if is_usable and record.name not in OTHER_FORMS:
            yield "labeled tables", record.name, record.n_classes, load(record.name).X.astype(float)


def main() -> None:
    rows: list[dict[str, Any]] = []
    if FILE.exists():
        rows = list(csv.DictReader(FILE.read_text().splitlines()))
    done = {(row["part"], row["table"]) for row in rows}
    warnings.simplefilter("ignore")
    for part, name, groups, X in tables():
        if (part, name) in done:
            continue
        started = process_time()
        count = suggest_n_clusters(X, random_state=0)
        row = {"part": part, "table": name, "rows": len(X), "columns": X.shape[1], "groups": groups}
        number, *others = count.evidence["candidates"]
        row |= {"suggested": number, "p": count.evidence["p_value"]}
        row |= {"has_groups": count.kind != "none", "reasonable": " ".join(map(str, others))}
        rows.append(row | {"cpu": round(process_time() - started, 2)})
        print(rows[-1], flush=True)
        write_csv(FILE, rows)
    write_page(list(csv.DictReader(FILE.read_text().splitlines())))


def write_page(rows: list[dict[str, Any]]) -> None:
    parts = dict.fromkeys(row["part"] for row in rows)
    several = {
        part: [r["has_groups"] == "True" for r in rows if r["part"] == part] for part in parts
    }
    counts = [(part, f"{sum(calls)} of {len(calls)}") for part, calls in several.items()]
    labeled = [row for row in rows if row["part"] == "labeled tables"]
    ratio = np.array([int(row["suggested"]) / int(row["groups"]) for row in labeled])
    near = np.mean((ratio >= 0.5) & (ratio <= 2))
    seconds = [float(row["cpu"]) for row in labeled]
    own = [
        [row[key] for key in ("table", "rows", "columns", "groups", "suggested", "reasonable", "p")]
        for row in labeled
    ]
    lines = [
        "# How many groups",
        "",
        f"{machine()}. By `benchmarks/how_many_groups.py`.",
        "",
        markdown(["tables", "called more than one lump"], counts),
        f"On {len(labeled)} labeled tables the suggested number is that of the classes on "
        f"{100 * np.mean(ratio == 1):.0f} %, and within a factor of two of it on "
        f"{100 * near:.0f} %. A fit took {np.median(seconds):.1f} s of the processor (median), "
        f"{max(seconds):.1f} s at most.",
        "",
        markdown(["table", "rows", "columns", "classes", "suggested", "also reasonable", "p"], own),
    ]
    (RESULTS / "how_many_groups.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
