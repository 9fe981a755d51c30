"""``sksieve datasets``: the catalogue of data sets, and one data set in full."""

from __future__ import annotations

from typing import Any

from ..datasets import catalogue, data_folder, find
from ..datasets._catalogue import DATA_VARIABLE
from ._options import DatasetsOptions
from ._print import dumps, out, print_lines, show_table

__all__ = ["run"]


def run(options: DatasetsOptions) -> None:
    """List all data sets, or show one."""
    if options.name is not None:
        _show_one(options.name, options.json)
    elif options.json:
        out().file.write(dumps([_entry(record) for record in catalogue()]))
    else:
        _show_all()


def _show_all() -> None:
    records = catalogue()
    heads = ("data set", "kind", ">rows", ">columns", ">classes", "available", "origin")
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
    show_table(out(), "", heads, rows)
    print_lines("")
    missing = sum(not r.available for r in records)
    if missing:
        print_lines(
            f"{missing} are not available: put the files into a folder and set {DATA_VARIABLE} to "
            "it."
        )
    print_lines(
        "Use: sksieve select dataset:NAME -k 5, or sksieve cluster dataset:NAME -c 3; a graph: "
        "sksieve communities dataset:NAME -c 2"
    )


def _show_one(name: str, json: bool) -> None:
    record = find(name)
    if json:
        out().file.write(dumps(_entry(record)))
        return
    where = record.path or ("ships with scikit-learn" if record.available else _not_here())
    lines = {
        "kind": record.kind,
        "size": _size(record),
        "classes": record.n_classes or "unknown",
        "missing": f"{record.n_missing:,} values" if record.n_missing else "none",
        "origin": record.origin,
        "used by": record.used_by or "-",
        "note": record.note or "-",
        "file": where,
    }
    print_lines(record.name, *(f"{head:8} {text}" for head, text in lines.items()))


def _size(record: Any) -> str:
    if record.kind == "graph":
        return f"{record.n_samples:,} vertices, {record.n_edges:,} edges"
    return f"{record.n_samples:,} rows x {record.n_features:,} columns"


def _not_here() -> str:
    return f"not available (looked in {data_folder()}; set {DATA_VARIABLE})"


def _entry(record: Any) -> dict[str, Any]:
    names = ("name", "kind", "n_samples", "n_features", "n_classes", "n_missing", "origin", "note")
    entry = {name: getattr(record, name) for name in (*names, "available")}
    return entry | {"path": record.path and str(record.path)}
