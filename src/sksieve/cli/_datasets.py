"""``sksieve datasets``: the catalogue."""

from __future__ import annotations

from typing import Any

from ..datasets import catalogue, data_folder, find
from ..datasets._catalogue import DATA_VARIABLE
from ._document import dumps
from ._output import out, show_table

__all__ = ["show_all", "show_one"]


def show_all(json: bool) -> None:
    """One line for each data set."""
    console = out()
    records = catalogue()
    if json:
        console.file.write(dumps([_entry(record) for record in records]) + "\n")
        return
    heads = ("data set", "kind", ">rows", ">columns", ">classes", "here", "origin")
    rows = [
        (
            r.name,
            r.kind,
            f"{r.n_samples:,}",
            f"{r.n_features:,}" if r.n_features else "-",
            r.n_classes or "-",
            "yes" if r.available else "no",
            r.origin,
        )
        for r in records
    ]
    show_table(console, "", heads, rows)
    console.print("")
    missing = sum(not r.available for r in records)
    if missing:
        console.print(
            f"{missing} are not here: put the files into a folder and set {DATA_VARIABLE} to it.",
            markup=False,
            soft_wrap=True,
        )
    console.print(
        "Use one: sksieve select dataset:NAME -k 5, or sksieve cluster dataset:NAME -c 3; a graph: "
        "sksieve communities dataset:NAME -c 2",
        markup=False,
        soft_wrap=True,
    )


def show_one(name: str, json: bool) -> None:
    """Everything about one data set.

    Raises
    ------
    DataError
        If there is none of that name; the message names the closest.
    """
    record = find(name)
    console = out()
    if json:
        console.file.write(dumps(_entry(record)) + "\n")
        return
    where = record.path or ("ships with scikit-learn" if record.available else _not_here())
    lines = {
        "kind": record.kind,
        "size": _size(record),
        "classes": record.n_classes or "none known",
        "missing": f"{record.n_missing:,} values" if record.n_missing else "none",
        "origin": record.origin,
        "used by": record.used_by or "-",
        "note": record.note or "-",
        "file": where,
    }
    console.print(record.name, markup=False)
    for head, text in lines.items():
        console.print(f"{head:8} {text}", markup=False, soft_wrap=True)


def _size(record: Any) -> str:
    if record.kind == "graph":
        return f"{record.n_samples:,} vertices, {record.n_edges:,} edges"
    return f"{record.n_samples:,} rows x {record.n_features:,} columns"


def _not_here() -> str:
    return f"not here (looked in {data_folder() or 'no folder'}; set {DATA_VARIABLE})"


def _entry(record: Any) -> dict[str, Any]:
    return {
        "name": record.name,
        "kind": record.kind,
        "n_samples": record.n_samples,
        "n_features": record.n_features,
        "n_classes": record.n_classes,
        "n_missing": record.n_missing,
        "origin": record.origin,
        "note": record.note,
        "available": record.available,
        "path": None if record.path is None else str(record.path),
    }
