"""``sksieve methods``: what there is, and what one method is."""

from __future__ import annotations

import inspect
from typing import Any

from ..catalogue import SCALINGS, Method, list_methods
from ._document import dumps
from ._method import find_method
from ._output import out, show_table

__all__ = ["show_all", "show_one"]

KINDS = {
    "columns": "column subset",
    "selector": "feature selection",
    "clusterer": "clustering",
}
SECTIONS = ("Parameters", "Attributes", "Notes", "References", "Examples")


def show_all(json: bool) -> None:
    """One line for each method."""
    console = out()
    if json:
        console.file.write(dumps([_entry(method) for method in list_methods()]) + "\n")
        return
    rows = [(m.name, KINDS.get(m.kind, m.kind), m.paper, m.cost) for m in list_methods()]
    show_table(console, "", ("method", "kind", "paper", "cost"), rows)
    console.print("")
    console.print("More on one of them: sksieve methods NAME", markup=False)


def show_one(name: str, json: bool) -> None:
    """Everything about one method.

    Raises
    ------
    UsageError
        If there is none of that name; the message names the closest.
    """
    method = find_method(name)
    console = out()
    entry = _entry(method) | {"defaults": method.defaults(), "description": _description(method)}
    if json:
        console.file.write(dumps(entry) + "\n")
        return
    nested = "yes: one fit serves every k" if method.nested else "no: fit again for another k"
    lines = [
        ("class", f"sksieve.{method.class_name}"),
        ("kind", KINDS.get(method.kind, method.kind)),
        ("paper", method.paper),
        ("cost", method.cost),
        *([] if method.kind == "clusterer" else [("nested", nested)]),
        ("expects", SCALINGS[method.scaling]),
        ("defaults", ", ".join(f"{key}={value!r}" for key, value in method.defaults().items())),
    ]
    console.print(f"{method.name}: {method.title}", markup=False, soft_wrap=True)
    console.print("")
    for head, text in lines:
        console.print(f"{head:9} {text}", markup=False, soft_wrap=True)
    console.print("")
    console.print(entry["description"], markup=False, soft_wrap=True)


def _entry(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "class": method.class_name,
        "kind": method.kind,
        "title": method.title,
        "paper": method.paper,
        "cost": method.cost,
        "nested": method.nested,
        "scaling": method.scaling,
        "purpose": method.purpose,
        "role": method.role,
        "sparse": method.sparse,
    }


def _description(method: Method) -> str:
    """The paragraphs of the class's docstring before its first section."""
    lines = (inspect.getdoc(method.load()) or "").splitlines()
    for i, line in enumerate(lines):
        if line.strip() in SECTIONS and i + 1 < len(lines) and lines[i + 1].startswith("---"):
            lines = lines[:i]
            break
    return "\n".join(lines).strip()
