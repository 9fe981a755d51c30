"""Pages of the documentation site that are made from the package, not written by hand.

``write(docs)`` makes ``docs/methods`` (a page and a picture per method, from the catalogue),
``docs/evidence/benchmarks`` and ``docs/leaderboard`` (the committed results),
``docs/reference/api.md`` and, on request, ``docs/_reports`` (sample reports, by running the command
line). Nothing of it is committed.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import leaderboard_pages
import method_pictures
import sksieve
from sksieve.catalogue import METHODS, PURPOSES, SCALINGS, Method

ROOT = Path(__file__).resolve().parents[1]

#: Sample reports: the name of the page, and the command that makes it.
REPORTS = {
    "select.html": "select dataset:breast_cancer -k 5",
    "cluster.html": "cluster dataset:wine -c 3",
    "communities.html": "communities dataset:graph_karate -c 2",
    "compare.html": "compare dataset:wine -k 4 --methods local_search,mcfs,random",
}

#: Packages of the reference, and what they are for.
MODULES = {
    "sksieve": "the front door and the settings",
    "sksieve.io": "read and write tables and graphs",
    "sksieve.anndata": "selectors on AnnData objects",
    "sksieve.evaluation": "judge and compare without labels",
    "sksieve.suggest": "how many columns, clusters and communities",
    "sksieve.catalogue": "every method",
    "sksieve.columns": "column subset selection: base class and solvers",
    "sksieve.selection": "feature selection: base class",
    "sksieve.clustering": "clustering: base classes and penalties",
    "sksieve.bench": "the benchmark harness",
    "sksieve.report": "reports in HTML",
    "sksieve.plotting": "plots",
    "sksieve.metrics": "metrics",
    "sksieve.graphs": "graphs of samples",
    "sksieve.tables": "scaling and moments of tables",
    "sksieve.datasets": "data sets and makers of synthetic data",
    "sksieve.solvers": "the loop, callbacks and solvers",
    "sksieve.testing": "checks for new methods",
    "sksieve.exceptions": "errors and warnings",
}

#: What users need of packages that other packages build on.
SHOWN = {
    "sksieve.graphs": (
        "NeighborGraph",
        "adaptive_graph",
        "bethe_hessian_count",
        "components",
        "find_neighbors",
        "gaussian_affinity",
        "gower_graph",
        "knn_graph",
        "laplacian",
        "sparse_codes",
        "spectral_embedding",
    ),
    "sksieve.tables": ("Moments", "gram", "moments", "scale_columns"),
    "sksieve.solvers": (
        "Callback",
        "Patience",
        "Problem",
        "Record",
        "Run",
        "Stopping",
        "TextProgress",
        "iterate",
    ),
}

EXIT_CODES = [
    "| exit code | meaning |",
    "|---|---|",
    "| 0 | done |",
    "| 1 | the data or the method refused, or a file could not be read or written |",
    "| 2 | a command or an option is wrong |",
    "| 130 | interrupted by Ctrl-C |",
    "| 143 | terminated |",
    "",
]

#: Pages about families of methods: title, and what they are about.
THEORY = {
    "columns": ("Column subset selection", "the problem, the solvers, targets, wide tables"),
    "structure_target": (
        "Structure target",
        "what sksieve select explains by default, with evidence",
    ),
    "blufs": ("BLUFS", "bi-level selection with exactly sparse rows"),
    "lsdcl": ("LSDCL", "dual concepts with correntropy locality"),
    "communities": ("Communities", "spectral clustering of graphs and projection matrices"),
    "sparse_graphs": ("Sparse graphs", "the l1 graph, SRSG, SMCE and what they are good at"),
    "metrics": (
        "Quality measures",
        "numbers that judge columns and groups, with and without labels",
    ),
}

_DATA = re.compile(r"^# data: (.+)$", flags=re.M)


def examples_without_data(folder: Path) -> str:
    """Return a pattern of the examples whose real data sets are not on this machine.

    An example names them in a line ``# data: NAME, NAME``.
    """
    from sksieve.datasets import find

    missing = ["demo_table\\.py"]  # writes a file for the first pages
    for path in sorted(folder.glob("*.py")):
        names = _DATA.search(path.read_text(encoding="utf-8"))
        if names and not all(find(name.strip()).available for name in names[1].split(",")):
            missing.append(re.escape(path.name))
            print(f"example {path.name} is left out: its data are not available", file=sys.stderr)
    return "|".join(missing)


def write(docs: Path, *, pictures: bool, reports: bool) -> None:
    """Write all generated pages under `docs`, and remove those of an earlier state."""
    shutil.rmtree(docs / "reference" / "generated", ignore_errors=True)
    for page in (docs / "methods").glob("*.md"):
        if page.stem not in {"index", *(method.name for method in METHODS)}:
            page.unlink()
    ranked = leaderboard_pages.write(docs, pictures=pictures)
    _write_methods(docs / "methods", pictures, ranked)
    _write_benchmarks(docs / "evidence" / "benchmarks")
    _write(docs / "reference" / "api.md", _api())
    _write(docs / "reference" / "cli.md", _command_line())
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    guide = guide.replace("](docs/", "](../").replace(
        "](CHANGELOG.md)", "](../evidence/changes.md)"
    )
    _write(docs / "howto" / "add_method.md", guide.replace("# Contributing", "# Add a method", 1))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _write(docs / "evidence" / "changes.md", changes.replace("](docs/", "](../"))
    if reports:
        _write_reports(docs / "_reports" / "reports")


def _write(path: Path, text: str) -> None:
    """Write a page only where it changes, so that a second build is quick."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


# Methods ---------------------------------------------------------------------------------------


def _write_methods(folder: Path, pictures: bool, ranked: Collection[str]) -> None:
    _write(folder / "index.md", _methods_index())
    for method in METHODS:
        picture = folder / "img" / f"{method.name}.png"
        if pictures and not picture.exists():
            picture.parent.mkdir(parents=True, exist_ok=True)
            method_pictures.draw(method, picture)
        _write(folder / f"{method.name}.md", _method_page(method, picture.exists(), ranked))


def _methods_index() -> str:
    lines = ["# Methods", ""]
    lines += [
        "Methods marked *comparison* are kept so that others can be compared with them; "
        "[Choose a method](../howto/choose_method.md) recommends one for each situation.",
        "",
    ]
    for purpose, words in PURPOSES.items():
        lines += [
            f"## {words[0].upper()}{words[1:]}",
            "",
            "| method | what it does | |",
            "|---|---|---|",
        ]
        for m in METHODS:
            if m.purpose == purpose:
                role = "" if m.role == "recommended" else "*comparison*"
                lines.append(f"| [{m.class_name}]({m.name}.md) | {m.title} | {role} |")
        lines.append("")
    lines += ["## Definitions, algorithms and measurements", "", "| page | about |", "|---|---|"]
    lines += [f"| [{title}](../{page}.md) | {words} |" for page, (title, words) in THEORY.items()]
    pages = "\n".join([*(f"../{page}" for page in THEORY), *(m.name for m in METHODS)])
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", pages, "```", ""])


def _method_page(method: Method, picture: bool, ranked: Collection[str]) -> str:
    first = (inspect.getdoc(method.load()) or "").split("\n\n")[0].replace("\n", " ")
    sparse = "dense tables and CSR" if method.sparse else "dense tables"
    nested = "one fit serves every number of columns" if method.nested else "fit again for each"
    rows = [
        ("class", f"`sksieve.{method.class_name}`"),
        ("name on the command line", f"`{method.name}`"),
        ("purpose", PURPOSES[method.purpose]),
        ("role", method.role),
        ("expects", SCALINGS[method.scaling]),
        ("takes", sparse),
        *([] if method.kind == "clusterer" else [("number of columns", nested)]),
        ("cost", f"`{method.cost}`"),
        ("paper", "none" if method.paper == "--" else method.paper),
    ]
    if (page := leaderboard_pages.slug(method.name)) in ranked:
        rows.append(("measured", f"[on the leaderboard](../leaderboard/methods/{page}.md)"))
    lines = [f"# {method.class_name}", "", first, ""]
    lines += [f"**Use it when** {method.use_when}.", "", f"**Not when** {method.avoid_when}.", ""]
    if picture:
        lines += [
            f"```{{figure}} img/{method.name}.png",
            f":alt: {method_pictures.caption(method)}",
            ":width: 60%",
            "",
        ]
        lines += [f"{method_pictures.caption(method)}", "```", ""]
    lines += ["| | |", "|---|---|", *(f"| {head} | {text} |" for head, text in rows), ""]
    members = "fit, partial_fit" if hasattr(method.load(), "partial_fit") else "fit"
    lines += ["## Parameters, attributes, example", "", "```{eval-rst}"]
    lines += [
        f".. autoclass:: sksieve.{method.class_name}",
        f"   :members: {members}",
        "```",
        "",
    ]
    return "\n".join(lines)


# Benchmarks ------------------------------------------------------------------------------------


def _write_benchmarks(folder: Path) -> None:
    pages = sorted((ROOT / "benchmarks" / "results").glob("*.md"))
    lines = [
        "# Benchmarks",
        "",
        "Each page is the committed output of a script in `benchmarks/`. A speed is a ratio to a "
        "named rival, measured in one run.",
        "",
        "```{toctree}",
        ":maxdepth: 1",
        "",
    ]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        title = page.stem.replace("_", " ")
        if not text.startswith("# "):
            text = f"# {title[0].upper()}{title[1:]}\n\n{text}"
        _write(folder / page.name, text)
        lines.append(page.stem)
    _write(folder / "index.md", "\n".join([*lines, "```", ""]))


# Reference -------------------------------------------------------------------------------------


def _api() -> str:
    lines = [
        "# Python classes and functions",
        "",
        "## Estimators",
        "",
        "| class | does |",
        "|---|---|",
        *(f"| [{m.class_name}](../methods/{m.name}.md) | {m.title} |" for m in METHODS),
        "",
    ]
    for name, words in MODULES.items():
        module = importlib.import_module(name)
        entries = SHOWN.get(name) or [
            entry for entry in _public(module) if _is_documented(module, entry)
        ]
        lines += [f"## {name}", "", f"{words[0].upper()}{words[1:]}.", "", "```{eval-rst}"]
        lines += [".. autosummary::", "   :toctree: generated", ""]
        lines += [f"   {name}.{entry}" for entry in sorted(entries)]
        lines += ["```", ""]
    return "\n".join(lines)


def _public(module: Any) -> list[str]:
    """Names of a package's face, or what a module without one defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def _is_documented(module: Any, name: str) -> bool:
    """Classes and functions that no page of a method and no package above documents."""
    value = getattr(module, name)
    if module is not sksieve and getattr(sksieve, name, None) is value:
        return False
    if inspect.isclass(value):
        return name not in {method.class_name for method in METHODS}
    return inspect.isfunction(value)


def _command_line() -> str:
    """Every command with its options, from the parser itself."""
    from typer.main import get_command

    from sksieve.cli._app import app

    lines = ["# Command line", "", "`sksieve COMMAND --help` prints the same.", "", *EXIT_CODES]
    commands = [("sksieve", get_command(app))]
    while commands:
        words, command = commands.pop(0)
        inner = getattr(command, "commands", {})
        commands = [(f"{words} {name}", each) for name, each in inner.items()] + commands
        if words != "sksieve":
            lines += _command_section(words, command)
    return "\n".join(lines)


def _command_section(words: str, command: Any) -> list[str]:
    shown = [p for p in command.params if not getattr(p, "hidden", False)]
    arguments = [p.metavar or p.name.upper() for p in shown if p.param_type_name == "argument"]
    options = [p for p in shown if p.param_type_name == "option"]
    text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    lines = [
        f"## {words}",
        "",
        "```text",
        " ".join([words, *arguments, "[OPTIONS]"]),
        "```",
        "",
        text,
        "",
    ]
    if options:
        lines += ["| option | meaning |", "|---|---|"]
    for option in options:
        names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
        meaning = " ".join((option.help or "").split()).replace("|", "\\|")
        lines.append(f"| {names} | {meaning} |")
    return [*lines, ""]


# Reports ---------------------------------------------------------------------------------------


def _write_reports(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        if not (folder / "bench.html").exists():
            store, spec = f"{data}/store", str(ROOT / "benchmarks" / "grids" / "quick.toml")
            page = str(folder / "bench.html")
            _sksieve(data, "bench", "run", spec, "--store", store)
            _sksieve(data, "bench", "report", spec, "--store", store, "-o", page)
        _sksieve(data, "datasets", "graph_karate", "--fetch")  # from networkx, not downloaded
        for name, command in REPORTS.items():
            if not (folder / name).exists():
                _sksieve(data, *command.split(), "--report", str(folder / name))


def _sksieve(data: str, *words: str) -> None:
    """Run a command of `sksieve` with a folder of data sets; its output is shown if it fails."""
    command, env = [sys.executable, "-m", "sksieve", *words], os.environ | {"SKSIEVE_DATA": data}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
