"""Rules that no linter knows, checked on the source; each is shown to find what it forbids."""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import sksieve
from sksieve.catalogue import METHODS

from .docs.test_code_blocks import written_pages

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "sksieve"
FILES = sorted(SRC.rglob("*.py"))

MAX_BODY = 50

Function = ast.FunctionDef | ast.AsyncFunctionDef
Finding = tuple[int, str]
Rule = Callable[[str, ast.Module], Iterator[Finding]]


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def short_functions(source: str, tree: ast.Module) -> Iterator[Finding]:
    """The body of a function has at most 50 lines without its docstring; kernels are excused."""
    for function in functions(tree):
        if is_kernel(function):
            continue
        body = function.body[1:] if ast.get_docstring(function) else function.body
        if body and body[-1].end_lineno - body[0].lineno + 1 > MAX_BODY:
            yield function.lineno, f"the body of {function.name} is longer than {MAX_BODY} lines"


def is_kernel(function: Function) -> bool:
    names = {ast.unparse(d).split("(")[0].split(".")[-1] for d in function.decorator_list}
    return bool(
        names & {"njit", "jit", "_jit", "inlined", "inner", "merged", "vectorize", "guvectorize"}
    )


def no_verbose_and_no_passing_through(source: str, tree: ast.Module) -> Iterator[Finding]:
    """No ``verbose``; no ``**kwargs`` in anything public, unless a TypedDict names them."""
    if not re.search(r"verbose|\*\*\w+", source):
        return
    nested = {inner for outer in functions(tree) for inner in functions(outer) if inner != outer}
    for function in functions(tree):
        named = [a.arg for a in function.args.posonlyargs + function.args.args]
        named += [a.arg for a in function.args.kwonlyargs]
        if "verbose" in named:
            yield function.lineno, f"{function.name} has a parameter verbose"
        kwarg = function.args.kwarg
        if kwarg is None or function.name in PASSING_THROUGH or is_unpacked(kwarg):
            continue
        if not function.name.startswith("_") and function not in nested:
            yield function.lineno, f"{function.name} takes **{kwarg.arg}"


#: Functions that may take any ``**kwargs``: the settings check theirs by name, and `njit` is the
#: wrapper of a decorator whose options numba checks.
PASSING_THROUGH = {"set_config", "config_context", "njit"}


def is_unpacked(kwarg: ast.arg) -> bool:
    """Are the keywords those of a TypedDict, so that a type checker knows each of them?"""
    return kwarg.annotation is not None and ast.unparse(kwarg.annotation).startswith("Unpack[")


def no_place_of_its_own(source: str, tree: ast.Module) -> Iterator[Finding]:
    """No path or address that exists on one machine only."""
    for number, line in enumerate(source.splitlines(), start=1):
        found = re.search(r"(?<![\w.])/(home|root|Users|work|tmp|opt)/\w+|\blocalhost\b", line)
        if found:
            yield number, found[0]


#: Words and what to write for them (patterns; a number after the word is never meant).
WORDS = {
    r"rebuil\w*": "reconstruct, explained",
    r"mend(?:s|ed|ing)?": "fixed",
    r"seldom": "rarely",
    r"told": "reported, shown, flagged",
    r"(?:not )?to be had": "available",
    r"are no numbers": "overflow or underflow, not a number",
    r"the house": "the package",
    r"room (?:for|to)": "workspace",
    r"helps nobody|without mercy|somebody waits|brings home|question marks": "(what happens)",
    r"who wants to": "to ..., use",
    r"is called so": "is reported",
    r"[Ll]east at home": "weakest members",
    r"width of (?:the|its|a) (?:heat |Gaussian )?kernel|kernel's width": "bandwidth",
    r"copies of (?:eigenvalues?|(?:a |the |an )?(?:\w+ )?columns?)": "duplicates, repeated",
    r"the paper's figures?": "the paper's numbers",
    r"seconds of the processor": "CPU seconds",
    r"no random part": "deterministic",
    r"in silence|tells? nothing|only its look|look(?:s|ed)? on at": "(what happens)",
    r"falls? apart": "is disconnected",
    r"accidents? of": "artefact of",
    r"[Tt]he (?:floor|bar)(?= (?:every|that|a method|of a))": "random baseline, threshold",
    r"\w*[^\W\d_]isation|(?:normal|standard|minim|maxim|optim|regular)is(?:e[sd]?|ing)": "-ize",
    r"colou?red?(?<!color)(?<!colored)|colours?|neighbours?|neighbou?rhoods?(?<!neighborhood)"
    r"(?<!neighborhoods)|behaviour|centres?|grey|labell(?:ed|ing)|modell(?:ed|ing)|favours?": (
        "American spelling"
    ),
}


def texts(source: str) -> Iterator[Finding]:
    """Comments and strings, by line."""
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            for at, line in enumerate(token.string.splitlines()):
                yield token.start[0] + at, line


def plain_words(source: str, tree: ast.Module) -> Iterator[Finding]:
    """The package's words: American spelling, no words that a reader has to guess."""
    if not re.search("|".join(WORDS), source):
        return
    for number, line in texts(source):
        for pattern, instead in WORDS.items():
            found = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", line)
            if found:
                yield number, f"{found[0]!r}: {instead}"


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def messages_name_arguments(source: str, tree: ast.Module) -> Iterator[Finding]:
    """Messages of the library name arguments; `argument` and `spelled` translate for commands."""
    if not OPTION.search(source):
        return
    translated = {
        id(part)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in {"spelled", "argument"}
        for part in ast.walk(call)
    }
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            option = OPTION.search(node.value)
            if option and id(node) not in translated | docstrings:
                yield node.lineno, option[0]


def names_listed_in_faces_only(source: str, tree: ast.Module) -> Iterator[Finding]:
    """``__all__`` stands in faces of packages and public modules only."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield node.lineno, "__all__"


RULES: dict[Rule, str] = {
    plain_words: "# mended by normalisation\n",
    messages_name_arguments: "raise ValueError('add --header')\n",
    names_listed_in_faces_only: "__all__ = ['f']\n",
    short_functions: "def f():\n    '''Doc.'''\n" + "    x = 1\n" * 51,
    no_verbose_and_no_passing_through: "def f(x, *, verbose=False): return x\n",
    no_place_of_its_own: "path = '/home/someone/data'\n",
}

EXCUSED: dict[Rule, str] = {
    plain_words: "# a bar chart; the width of its bars; no recommended floor\n",
    messages_name_arguments: "'''Doc of --header.'''\nspelled('header', '--header')\n",
    names_listed_in_faces_only: "name = '__all__'\n",
    short_functions: "def f():\n    '''" + "Doc.\n" * 60 + "'''\n" + "    x = 1\n" * 50,
    no_verbose_and_no_passing_through: "def _f(**kwargs): return kwargs\n"
    "def f(**options: Unpack[Options]): return options\n",
    no_place_of_its_own: "path = 'a/home/b'\n",
}


def is_exempt(rule: Rule, path: Path) -> bool:
    """Commands name their options; public modules and `_validation`, a face, list their names."""
    if rule is messages_name_arguments:
        return "cli" in path.parts
    if rule is names_listed_in_faces_only:
        return not path.name.startswith("_") or path.name in {"__init__.py", "_validation.py"}
    return False


def findings(rule: Rule, source: str) -> list[Finding]:
    return list(rule(source, ast.parse(source)))


def test_the_package_keeps_the_rules():
    found = []
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        for rule in RULES:
            if not is_exempt(rule, path):
                found += [(rule.__doc__, str(path), *each) for each in rule(source, tree)]
    assert found == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_rule_can_fail_and_can_pass(rule):
    assert findings(rule, RULES[rule]), "it does not find what it forbids"
    assert not findings(rule, EXCUSED[rule]), "it finds what is allowed"


def test_pages_and_examples_use_the_words_of_the_package():
    writers = [
        path for path in ROOT.glob("tools/*.py") if path.name != "prose.py"
    ]  # it lists words
    examples = [*ROOT.glob("examples/*.py"), *writers]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: {instead}"
        for path in [*written_pages(), *ROOT.glob("*.md"), *ROOT.glob("paper/*.md"), *examples]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for pattern, instead in WORDS.items()
        for match in [re.search(rf"(?<!\w)(?:{pattern})(?!\w)", line)]
        if match
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (no_verbose_and_no_passing_through, "def f(x, **kwargs): return g(x, **kwargs)\n"),
        (no_verbose_and_no_passing_through, "def f(**kwargs: Any): return g(**kwargs)\n"),
    ],
)
def test_rules_find_other_forms_too(rule, source):
    assert findings(rule, source)


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """The layers of pyproject.toml, checked on the package under ``folder / "src"``."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    return subprocess.run(
        [*command, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_imports_run_downwards_only():
    pytest.importorskip("importlinter")
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("linalg/__init__.py", "from .. import cli", "downwards only"),
        ("graphs/__init__.py", "from .. import solvers", "downwards only"),  # siblings
        ("solvers/__init__.py", "import pandas", "out of the core"),
    ],
)
def test_an_import_upwards_is_found(tmp_path, module, line, contract):
    pytest.importorskip("importlinter")
    shutil.copytree(SRC, tmp_path / "src" / "sksieve", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "src" / "sksieve" / module).open("a") as file:
        file.write(f"\n{line}\n")
    result = lint_imports(tmp_path)
    assert result.returncode != 0
    assert re.search(rf"{contract} BROKEN", result.stdout)


def test_every_package_has_its_layer():
    """A package that no layer names would be free to import anything."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    named = {name.strip() for layer in contracts[0]["layers"] for name in layer.split("|")}
    top = {p.stem for p in SRC.glob("*.py")} | {p.parent.name for p in SRC.glob("*/__init__.py")}
    unnamed = {f"sksieve.{name}" for name in top} - named
    assert unnamed <= {"sksieve.__init__", "sksieve.__main__"}


def test_the_page_lists_the_packages():
    command = [sys.executable, str(ROOT / "tools" / "architecture.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def public_estimators() -> set[str]:
    classes = {name: getattr(sksieve, name) for name in sksieve.__all__}
    return {n for n, c in classes.items() if isinstance(c, type) and issubclass(c, BaseEstimator)}


def test_public_names_are_those_of_the_catalogue():
    no_methods = {"MissingColumns"}  # it chooses no columns by what they hold
    assert public_estimators() == {m.class_name for m in METHODS} | no_methods
    command = [sys.executable, str(ROOT / "tools" / "public_names.py"), "--check"]
    subprocess.run(command, check=True)


def test_public_names_are_there():
    assert len(set(sksieve.__all__)) == len(sksieve.__all__)
    assert dir(sksieve) == sorted(sksieve.__all__)
    for name in sksieve.__all__:
        assert getattr(sksieve, name).__name__ == name
    with pytest.raises(AttributeError, match="Nothing"):
        sksieve.Nothing  # noqa: B018


def test_importing_the_package_is_cheap():
    """Nothing heavy before an estimator is asked for."""
    code = "import sys, sksieve; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"numpy", "scipy", "sklearn", "numba", "pandas", "matplotlib", "rich", "typer"}
    assert not heavy & set(loaded)


def test_drawing_and_judging_load_no_harness():
    """A page, a figure and a label-free comparison need neither the harness nor a database."""
    code = (
        "import sys, sksieve.plotting; print('matplotlib' in sys.modules)\n"
        "import sksieve.evaluation, sksieve.report; print(*sys.modules)"
    )
    has_matplotlib, loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert has_matplotlib == "False"
    assert "sksieve.report" in loaded.split()
    assert not {"sqlite3", "sksieve.bench"} & set(loaded.split())


def test_private_parts_of_scikit_learn_are_imported_in_one_place():
    pattern = re.compile(r"from sklearn[\w.]*\._\w+ import|from sklearn[\w.]* import [^#\n]*\b_\w+")
    assert pattern.search("from sklearn.utils._param_validation import Interval")
    assert pattern.search("from sklearn.base import _fit_context")
    places = [p.name for p in FILES if pattern.search(p.read_text(encoding="utf-8"))]
    assert set(places) <= {"_validation.py"}


def test_optional_packages_are_where_they_may_be():
    """pandas and the like: in the packages that show results and at the edges, nowhere else."""
    shows = ("plotting/", "report/", "bench/", "evaluation/", "workflows/", "cli/")
    allowed = (*shows, "_array.py", "anndata", "datasets/")
    optional = "pandas|matplotlib|rich|typer|jinja2|pyarrow|h5py|polars|dask|anndata"
    pattern = re.compile(rf"^\s*(import|from) ({optional})\b", flags=re.M)
    assert pattern.search("def f():\n    import pandas as pd\n")
    places = [
        str(p.relative_to(SRC)) for p in FILES if pattern.search(p.read_text(encoding="utf-8"))
    ]
    assert not [place for place in places if not place.startswith(allowed)]


def test_every_imported_package_is_declared() -> None:
    """What is imported but not declared is there only while something else brings it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        requirements += extra
    declared = {re.split(r"[^\w-]", text)[0].lower().replace("-", "_") for text in requirements}
    declared = {name.replace("scikit_learn", "sklearn") for name in declared}
    imported: dict[str, str] = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [str(node.module)]
            else:
                continue
            imported |= {name.split(".")[0]: path.name for name in names}
    for name in (*sys.stdlib_module_names, *declared, "sksieve"):
        imported.pop(name, None)
    assert not imported
