"""Change one place of the code, run the tests that mirror it, see whether one fails; 60 times.

A test suite finds what it would fail on. This script picks places by a seed (comparisons,
arithmetic, constants, conditions, updates that are left out), never in docstrings, messages,
annotations or the command line's text, applies one change at a time and runs

1. the module's own examples and the test files of its package that name something of it,
2. if those pass, the contract tests of the method that the module belongs to.

    python tools/mutants.py pick mutants.json                       write the list
    python tools/mutants.py run mutants.json before.csv             run it; a second call continues
    python tools/mutants.py run mutants.json after.csv --map        the same lines wherever they are

``--map`` looks for each line by its text, in the function of the same name where there is one: the
list of one version serves a later one. Do not edit the tree while it runs: it changes files under
``src`` and puts them back.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "sksieve"
#: Without behavior of their own, or tested through a terminal or a browser.
SKIPPED = ("cli/", "report/", "plotting/", "catalogue.py", "__init__.py", "testing/", "_wording.py")
#: CPU seconds of one run of tests, and seconds by the clock.
CPU_LIMIT, WALL_LIMIT = 120, 600
PER_FILE = 2
#: Test files of a package up to which all of them run, after those that name the module.
SMALL = 12

SWAPS: dict[type, str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.And: "or", ast.Or: "and",
}  # fmt: skip
SIGNS: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.And: "and", ast.Or: "or",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: `new` for `old`, in columns of one line."""

    number: int
    kind: str
    path: str
    line: int
    start: int
    old: str
    new: str
    text: str
    function: str


def sites(path: Path) -> Iterator[Mutant]:
    """Every place of a file that may be changed."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    yield from _Walker(path.relative_to(ROOT).as_posix(), lines).collect(ast.parse(source))


class _Walker(ast.NodeVisitor):
    """Collects places; skips messages, annotations and everything that spans several lines."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.path, self.lines = path, lines
        self.functions: list[str] = []
        self.found: list[Mutant] = []

    def collect(self, tree: ast.AST) -> list[Mutant]:
        self.visit(tree)
        return self.found

    def add(self, kind: str, line: int, start: int, old: str, new: str) -> None:
        text = self.lines[line - 1]
        if text[start : start + len(old)] == old and text.isascii():
            function = ".".join(self.functions)
            self.found.append(Mutant(0, kind, self.path, line, start, old, new, text, function))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.functions.append(node.name)
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self.functions.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.functions.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self.functions.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        pass

    visit_JoinedStr = visit_Raise  # type: ignore[assignment]

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in ast.dump(node.test):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func)
        if name not in {"cast", "TypeVar", "warnings.warn", "Literal", "njit"}:
            self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators):
            self._between(left, operator, right, "comparison")
            left = right
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
            self._between(node.left, node.op, node.right, "operator")
            self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:]):
            self._between(left, node.op, right, "condition")
        self.generic_visit(node)

    def _between(self, left: ast.expr, operator: ast.AST, right: ast.expr, kind: str) -> None:
        if type(operator) not in SWAPS or left.end_lineno != right.lineno:
            return
        start, end = left.end_col_offset or 0, right.col_offset
        sign = SIGNS[type(operator)]
        at = self.lines[right.lineno - 1][start:end].find(sign)
        if at >= 0:
            self.add(kind, right.lineno, start + at, sign, SWAPS[type(operator)])

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        old = self.lines[node.lineno - 1][node.col_offset : node.end_col_offset]
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        new = str(value + 1) if isinstance(value, int) else f"(2 * {old})"
        if isinstance(value, float) and value == 0:
            new = "1.0"
        self.add("constant", node.lineno, node.col_offset, old, new)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self.add("condition", node.lineno, node.col_offset, "not ", "")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if node.lineno == node.end_lineno:
            old = self.lines[node.lineno - 1][node.col_offset : node.end_col_offset]
            self.add("update left out", node.lineno, node.col_offset, old, "pass")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and node.lineno == node.end_lineno:
            old = self.lines[node.lineno - 1][node.col_offset : node.end_col_offset]
            if not old.startswith(("super", "warnings")):
                self.add("call left out", node.lineno, node.col_offset, old, "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)


def pick(number: int, seed: int) -> list[Mutant]:
    """Places of src by a seed, at most `PER_FILE` of one file."""
    files = [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if not any(part in path.relative_to(SOURCE).as_posix() for part in SKIPPED)
    ]
    places = [site for path in files for site in sites(path)]
    random.Random(seed).shuffle(places)
    taken: Counter[str] = Counter()
    picked: list[Mutant] = []
    for place in places:
        if len(picked) < number and taken[place.path] < PER_FILE:
            taken[place.path] += 1
            picked.append(Mutant(**{**asdict(place), "number": len(picked)}))
    return picked


def where(mutant: Mutant) -> tuple[Path, int] | None:
    """File and line (from 0) where the line of a mutant is now; None if it was rewritten."""
    hits = []
    for path in sorted(SOURCE.rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        owners: dict[int, str] = {}
        for at, line in enumerate(lines):
            if line.strip() == mutant.text.strip():
                owners = owners or {s.line: s.function for s in sites(path)}
                own = owners.get(at + 1, "").split(".")[-1] == mutant.function.split(".")[-1]
                near = abs(at + 1 - mutant.line) / 1e6
                hits.append((not own, path.name != Path(mutant.path).name, near, path, at))
    return min(hits)[3:] if hits else None


def tests_of(path: Path) -> list[list[str]]:
    """Arguments for pytest, one list for each stage."""
    relative = path.relative_to(SOURCE)
    package = relative.parts[0] if len(relative.parts) > 1 else ""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    stem = path.stem.lstrip("_")
    words = [rf"\b{re.escape(name)}\b" for name in names if not name.startswith("_")]
    words.append(rf"\b_?{re.escape(stem)}\b")
    pattern = re.compile("|".join(words))
    directory = ROOT / "tests" / package
    files = directory.rglob("test_*.py") if package and directory.is_dir() else []
    files = [*files, *ROOT.glob("tests/test_*.py"), *ROOT.glob("tests/evaluation/test_*.py")]
    mentions = {
        f: len(pattern.findall(f.read_text("utf-8"))) + 100 * (f.stem == f"test_{stem}")
        for f in dict.fromkeys(files)
    }
    hits = sorted((f for f in mentions if mentions[f]), key=lambda f: -mentions[f])
    others = sorted(directory.glob("test_*.py")) if package and directory.is_dir() else []
    rest = [f for f in others if f not in hits[:8]] if len(others) <= SMALL else []
    stages = [[str(f.relative_to(ROOT)) for f in [*hits[:8], path, *rest]]]
    methods = {n for n in names if not n.startswith(("_", "Base")) and n[0].isupper()}
    first = stem.split("_")[0].lower()
    if package in {"columns", "selection", "clustering", "papers"}:
        catalogue = re.findall(r"\w+", (SOURCE / "catalogue.py").read_text("utf-8"))
        methods |= {n for n in catalogue if first in {n.lower(), n.lower().removesuffix("css")}}
    if methods:
        stages.append(["tests/contracts", "-k", " or ".join(sorted(methods))])
    if package == "kernels":  # tested through the modules that call them
        stems = "|".join(kernel.stem for kernel in compiled_with(path))
        imported = re.compile(rf"from \.+kernels\.(?:{stems}) import")
        for user in sorted(SOURCE.rglob("*.py")):
            if user.parent != path.parent and imported.search(user.read_text("utf-8")):
                stages += tests_of(user)
        stages = stages[:5]
    return stages


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 5))
    os.nice(max(0, 19 - os.nice(0)))


def run_tests(arguments: list[str]) -> tuple[str, str]:
    """``"killed"``, ``"survived"``, ``"timeout"`` or ``"error"``, and the test that failed."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = str(ROOT / "src")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p",
               "no:xdist", *arguments]  # fmt: skip
    try:
        result = subprocess.run(
            command, cwd=ROOT, env=environment, preexec_fn=_limit, timeout=WALL_LIMIT,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "timeout", ""
    if result.returncode < 0:
        return "timeout", ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", result.stdout, re.M)
    outcome = {0: "survived", 5: "survived", 1: "killed", 2: "killed"}.get(result.returncode)
    return outcome or "error", failed[1] if failed else ""


def try_mutant(mutant: Mutant, path: Path, at: int) -> tuple[str, str]:
    """Change the line, run the tests, put the line back; the outcome and the test that failed."""
    original = path.read_bytes()
    lines = original.decode("utf-8").splitlines(keepends=True)
    start = lines[at].find(mutant.text.strip()) + mutant.start
    start -= len(mutant.text) - len(mutant.text.lstrip())
    assert lines[at][start : start + len(mutant.old)] == mutant.old
    lines[at] = lines[at][:start] + mutant.new + lines[at][start + len(mutant.old) :]
    stamps = {caller: caller.stat().st_mtime_ns for caller in compiled_with(path)}
    outcome, test = "survived", ""
    try:
        path.write_text("".join(lines), encoding="utf-8")
        for caller in stamps:  # numba compares only the time of the caller's own file
            caller.touch()
        for stage in tests_of(path):
            outcome, test = run_tests(stage)
            if outcome != "survived":
                break
    finally:
        path.write_bytes(original)
        for caller, stamp in stamps.items():
            os.utime(caller, ns=(stamp, stamp))
    return outcome, test


def compiled_with(path: Path) -> set[Path]:
    """The file and, for a kernel, all kernels whose compiled code may contain it."""
    callers = {path}
    kernels = list(path.parent.glob("*.py")) if path.parent.name == "kernels" else []
    while True:
        stems = "|".join(caller.stem for caller in callers)
        imported = re.compile(rf"from (?:\.|sksieve\.kernels\.)(?:{stems}) import")
        more = {k for k in kernels if k not in callers and imported.search(k.read_text("utf-8"))}
        if not more:
            return callers
        callers |= more


def run(picked: Path, results: Path, is_mapped: bool) -> None:
    """Try every mutant that has no result yet."""
    mutants = [Mutant(**record) for record in json.loads(picked.read_text("utf-8"))]
    finished = set()
    if results.exists():
        with results.open(newline="", encoding="utf-8") as file:
            finished = {int(row["number"]) for row in csv.DictReader(file)}
    fields = ["number", "outcome", "seconds", "kind", "place", "old", "new", "text", "test"]
    with results.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields)
        if not finished:
            writer.writeheader()
        for mutant in mutants:
            if mutant.number in finished:
                continue
            place = where(mutant) if is_mapped else (ROOT / mutant.path, mutant.line - 1)
            begin = time.perf_counter()
            outcome, test = ("rewritten", "") if place is None else try_mutant(mutant, *place)
            seconds = round(time.perf_counter() - begin)
            name = mutant.path if place is None else place[0].relative_to(ROOT).as_posix()
            line = mutant.line if place is None else place[1] + 1
            writer.writerow(
                {
                    "number": mutant.number,
                    "outcome": outcome,
                    "seconds": seconds,
                    "kind": mutant.kind,
                    "place": f"{name}:{line} {mutant.function}",
                    "old": mutant.old,
                    "new": mutant.new,
                    "text": mutant.text.strip(),
                    "test": test,
                }
            )
            file.flush()
            print(mutant.number, outcome, f"{seconds} s", f"{name}:{line}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    picking = commands.add_parser("pick", help="write a list of mutants")
    picking.add_argument("list", type=Path)
    picking.add_argument("--number", type=int, default=60)
    picking.add_argument("--seed", type=int, default=0)
    running = commands.add_parser("run", help="run the tests on each of a list")
    running.add_argument("list", type=Path)
    running.add_argument("results", type=Path)
    running.add_argument("--map", action="store_true", help="find the lines by their text")
    arguments = parser.parse_args()
    if arguments.command == "pick":
        mutants = [asdict(mutant) for mutant in pick(arguments.number, arguments.seed)]
        arguments.list.write_text(json.dumps(mutants, indent=1) + "\n", encoding="utf-8")
    else:
        run(arguments.list, arguments.results, arguments.map)


if __name__ == "__main__":
    main()
