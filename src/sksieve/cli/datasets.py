"""``sksieve datasets``: the catalogue of data sets, and one data set in full."""

from __future__ import annotations

from typing import Any

from ..datasets import Source, catalogue, data_folder, fetch, find, sources
from ..datasets._catalogue import DATA_VARIABLE
from ._errors import UsageError
from ._options import DatasetsOptions
from ._print import dumps, out, print_lines, show_table


def run(options: DatasetsOptions) -> None:
    """List all data sets, or show one."""
    if options.fetch:
        _fetch(options)
    elif options.name is not None:
        _show_one(options.name, options.json)
    elif options.json:
        out().file.write(dumps([_entry(record) for record in catalogue()]))
    else:
        _show_all()


def _fetch(options: DatasetsOptions) -> None:
    if options.name is None:
        raise UsageError("--fetch: name the data set, for example sksieve datasets sonar --fetch.")
    fetch(options.name)
    record = find(options.name)
    print_lines(f"{record.name} is in {record.path or 'scikit-learn'}.")


def _availability(record: Any) -> str:
    if record.available:
        return "yes"
    return "to fetch" if record.name in sources() else "no"


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
            _availability(r),
            r.origin,
        )
        for r in records
    ]
    show_table(out(), "", heads, rows)
    print_lines("")
    if any(_availability(record) == "to fetch" for record in records):
        print_lines(f"To download one into {data_folder()}: sksieve datasets NAME --fetch")
    missing = sum(_availability(record) == "no" for record in records)
    if missing:
        print_lines(
            f"{missing} have no public file known here; if you have them, put them into a folder "
            f"and set {DATA_VARIABLE} to it."
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
    where = record.path or (
        "ships with scikit-learn" if record.available else _not_here(record.name)
    )
    lines = {
        "kind": record.kind,
        "size": _size(record),
        "classes": record.n_classes or "unknown",
        "missing": f"{record.n_missing:,} values" if record.n_missing else "none",
        "origin": record.origin,
        "used by": record.used_by or "-",
        "note": record.note or "-",
        "file": where,
        "download": _download(sources().get(record.name)),
    }
    print_lines(record.name, *(f"{head:8} {text}" for head, text in lines.items()))


def _download(source: Source | None) -> str:
    if source is None:
        return "no public file known"
    state = "checked" if source.is_verified else "unverified"
    return f"{source.address} ({state}; license: {source.license})"


def _size(record: Any) -> str:
    if record.kind == "graph":
        return f"{record.n_samples:,} vertices, {record.n_edges:,} edges"
    return f"{record.n_samples:,} rows x {record.n_features:,} columns"


def _not_here(name: str) -> str:
    step = f"sksieve datasets {name} --fetch" if name in sources() else f"set {DATA_VARIABLE}"
    return f"not available (looked in {data_folder()}); {step}"


def _entry(record: Any) -> dict[str, Any]:
    names = ("name", "kind", "n_samples", "n_features", "n_classes", "n_missing", "origin", "note")
    entry = {name: getattr(record, name) for name in (*names, "available")}
    return entry | {"path": record.path and str(record.path)}
