"""``sksieve methods``: the methods by purpose, and one method in full."""

from __future__ import annotations

import inspect
from typing import Any

from ..catalogue import PURPOSES, SCALINGS, Method, list_methods
from ..workflows._methods import find_method
from ._options import MethodsOptions
from ._print import dumps, out, print_lines, show_table

SECTIONS = ("Parameters", "Attributes", "Notes", "References", "Examples")


def run(options: MethodsOptions) -> None:
    """List all methods, or show one."""
    if options.name is not None:
        _show_one(find_method(options.name), options.json)
    elif options.json:
        out().file.write(dumps([_entry(method) for method in list_methods()]))
    else:
        _show_all()


def _show_all() -> None:
    """Grouped by purpose, the recommended ones first."""
    for purpose, words in PURPOSES.items():
        methods = list_methods(purpose=purpose)
        methods.sort(key=lambda method: method.role != "recommended")
        print_lines(f"{words[0].upper()}{words[1:]}")
        rows = [(f"  {m.name}{_mark(m)}", m.title, m.paper) for m in methods]
        show_table(out(), "", ("  method", "what it does", "paper"), rows)
        print_lines("")
    print_lines(
        "* kept so that other methods can be compared with it",
        "Details of one method: sksieve methods NAME",
    )


def _mark(method: Method) -> str:
    return " *" if method.role == "comparison" and method.purpose != "baseline" else ""


def _show_one(method: Method, json: bool) -> None:
    entry = _entry(method)
    entry |= {"defaults": method.defaults(), "description": _description(method)}
    if json:
        out().file.write(dumps(entry))
        return
    nested = "yes: one fit serves every k" if method.nested else "no: each k needs its own fit"
    role = "recommended" if method.role == "recommended" else "kept for comparison"
    lines = {
        "class": f"sksieve.{method.class_name}",
        "purpose": PURPOSES[method.purpose],
        "role": role,
        "paper": method.paper,
        "cost": method.cost,
        "nested": nested,
        "expects": SCALINGS[method.scaling],
        "sparse": "accepted" if method.sparse else "not accepted",
        "defaults": ", ".join(f"{key}={value!r}" for key, value in method.defaults().items()),
    }
    if method.kind == "clusterer":
        del lines["nested"]
    print_lines(f"{method.name}: {method.title}", "")
    print_lines(*(f"{head:9} {text}" for head, text in lines.items()))
    out().print("")
    out().print(entry["description"], markup=False, soft_wrap=True)


def _entry(method: Method) -> dict[str, Any]:
    names = ("name", "title", "kind", "purpose", "role", "paper", "cost", "nested", "scaling")
    entry = {name: getattr(method, name) for name in names}
    return (
        {"name": entry.pop("name"), "class": method.class_name} | entry | {"sparse": method.sparse}
    )


def _description(method: Method) -> str:
    """The paragraphs of the class's docstring before its first section."""
    lines = (inspect.getdoc(method.load()) or "").splitlines()
    for i, line in enumerate(lines):
        if line.strip() in SECTIONS and i + 1 < len(lines) and lines[i + 1].startswith("---"):
            lines = lines[:i]
            break
    return "\n".join(lines).strip()
