"""The Python in the documents runs, what they quote is there, and the commands they give exist."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def is_made(path):
    """Whether a page is made when the site is built."""
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    made = [ROOT / line.strip("/") for line in ignored if line.startswith("/docs/")]
    return any(path.is_relative_to(folder) for folder in made)


def written_pages():
    """Pages under docs that are written by hand."""
    return [path for path in sorted((ROOT / "docs").rglob("*.md")) if not is_made(path)]


PLACES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *written_pages()]
DOCUMENTS = [path for path in PLACES if path.exists()]
BLOCK = re.compile(
    r"^(?P<before>[^\n]*)\n```(?P<language>\w+)\n(?P<code>.*?)^```", flags=re.M | re.S
)
#: Stands on the line above a block that cannot run by itself, with the reason.
NOT_RUN = re.compile(r"<!-- not run: (?P<reason>.+) -->")
QUOTED = re.compile(r"# (?P<path>(?:src|tests)/\S+\.py)\n")
#: A file or entry that the guide adds; tests/test_new_method.py follows it on a copy.
ADDED = re.compile(r"# new (?:file|entries): ")

TEST_COMMAND = ".venv/bin/python -m pytest -n 2"


def blocks(text, language):
    """``(line before, code)`` of each block of a language."""
    for found in BLOCK.finditer("\n" + text):
        if found["language"] == language:
            yield found["before"], found["code"]


def runnable(text):
    """The Python of a document that is to run, in one piece, quotations left out."""
    codes = [
        code
        for before, code in blocks(text, "python")
        if not (NOT_RUN.search(before) or QUOTED.match(code) or ADDED.match(code))
    ]
    return "\n".join(codes)


def misquoted(code):
    """Lines of a quotation that its file has not, in this order; ``...`` stands for any lines."""
    quoted = QUOTED.match(code)
    lines = iter((ROOT / quoted["path"]).read_text(encoding="utf-8").splitlines())
    wanted = [line for line in code.splitlines()[1:] if line.strip() not in ("", "...", "# ...")]
    return [line for line in wanted if line not in lines]


def commands(text):
    """Every command line of ``sksieve`` in the shell blocks."""
    for language in ("bash", "sh", "console", "text"):
        for _, code in blocks(text, language):
            for line in code.replace("\\\n", " ").splitlines():
                line = line.strip().removeprefix("$ ")
                if line.startswith("sksieve "):
                    yield shlex.split(line.partition("  #")[0])


WITH_PYTHON = [path for path in DOCUMENTS if runnable(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("document", WITH_PYTHON, ids=lambda path: path.name)
def test_python_blocks_run(document, tmp_path, monkeypatch):
    code = runnable(document.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    names = {"__name__": document.stem}
    exec(compile(code, document.name, "exec"), names)
    assert len(names) > 1, "it defines or imports something"


def test_quotations_are_true():
    texts = [document.read_text(encoding="utf-8") for document in DOCUMENTS]
    quoted = [code for t in texts for _, code in blocks(t, "python") if QUOTED.match(code)]
    assert [code for code in quoted if misquoted(code)] == []


def has_options(words, known):
    """Whether a command line names a command and options that it has."""
    if words[1].startswith("-"):
        return True
    if words[1] not in known:
        return False
    command, rest = known[words[1]], words[2:]
    if rest and rest[0] in getattr(command, "commands", {}):
        command, rest = command.commands[rest[0]], rest[1:]
    options = {name for p in command.params for name in p.opts} | {"--help"}
    return options.issuperset(w.partition("=")[0] for w in rest if re.match(r"--?[a-z]", w))


def test_commands_have_these_options():
    pytest.importorskip("typer")
    from typer.main import get_command

    from sksieve.cli._app import app

    known = get_command(app).commands
    given = [
        (document.name, words)
        for document in DOCUMENTS
        for words in commands(document.read_text(encoding="utf-8"))
    ]
    assert given
    assert [
        (name, shlex.join(words)) for name, words in given if not has_options(words, known)
    ] == []


def leads_nowhere(document):
    """Local links of a document to files that are neither there nor made by the build."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.S)
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    local = [t for t in targets if not re.match(r"[a-z]+:", t)]
    missing = [t for t in local if not (document.parent / t).exists()]
    return [t for t in missing if not is_made((document.parent / t).resolve())]


def test_links_lead_somewhere():
    missing = {document.name: leads_nowhere(document) for document in DOCUMENTS}
    assert {name: links for name, links in missing.items() if links} == {}


def test_one_test_command_everywhere():
    """What the README tells a newcomer to type is what the checks run."""
    for name in ("README.md", "Makefile", ".ci/run", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8").replace("$(BIN)", ".venv/bin")
        assert TEST_COMMAND in text, name


SAMPLE = """
Words.

```python
x = 1
```

<!-- not run: needs a cluster -->
```python
y = x / 0
```

```python
# tests/docs/test_code_blocks.py
def misquoted(code):
    ...
    return [line for line in wanted if line not in lines]
```

```bash
$ sksieve select data.csv -k 3   # as it comes
sksieve methods \\
  blufs
```
"""


def test_how_documents_are_read():
    assert runnable(SAMPLE) == "x = 1\n"
    assert list(commands(SAMPLE)) == [
        ["sksieve", "select", "data.csv", "-k", "3"],
        ["sksieve", "methods", "blufs"],
    ]
    quotation = list(blocks(SAMPLE, "python"))[-1][1]
    assert misquoted(quotation) == []
    assert misquoted(quotation.replace("wanted", "lines")) == [
        "    return [line for line in lines if line not in lines]"
    ]


def test_every_picture_of_the_documentation_is_made_by_a_tool():
    tool = (ROOT / "tools" / "pictures.py").read_text(encoding="utf-8")
    for picture in (ROOT / "docs" / "img").glob("*.png"):
        assert f'"{picture.name}"' in tool, picture.name
