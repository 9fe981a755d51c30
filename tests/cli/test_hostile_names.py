"""Names of the user are text everywhere: no markup, no emoji, nothing that moves the cursor."""

from __future__ import annotations

import json
import re
import shlex
import sys

import numpy as np
import pytest

from sksieve.workflows._text import BIDI, printable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names that Windows refuses")

#: Each kind at an even and at an odd place, so that `in_turn` gives each command one of them.
NAMES = [
    *("chr:x:100", ":x:", "[red]a[/red]", "[/]", "\u202eb", "\u2066c", "chr:b:9", "b\x1b[2JY"),
    *("a\u2028b", "a\u2029b", "\x9b2Jd", "a\u0085b", "bell\x07", "back\x08", "Größe"),
]
#: What a lone surrogate is in an argument: a byte that is not UTF-8.
BYTE = "n\udcff"
#: Colors, styles, and what moves a progress bar: no name below has such a sequence.
STYLE = re.compile(r"\x1b\[([0-9;]*m|\?25[lh]|1A|2K)|\r")
#: The emoji that ``:x:`` and ``:b:`` are in rich.
EMOJI = "❌🅱"


def in_turn(i, commands):
    """Every other command: those of name i are not those of name i + 1; all for the last name."""
    return commands if i == len(NAMES) else commands[i % 2 :: 2]


@pytest.fixture(params=["pipe", "terminal"], autouse=True)
def where(request, monkeypatch):
    """Output into a file, and on a terminal with colors."""
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if request.param == "terminal":
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")
    return request.param


@pytest.fixture
def say(invoke):
    """Run a command; what it prints, which has nothing harmful, and its exit code."""

    def run(*words, code=(0,)):
        result = invoke(*words)
        assert result.exit_code in code, result.output
        text = STYLE.sub("", result.stdout + result.stderr)
        assert "Traceback" not in text
        assert "defect" not in text
        harmful = [c for c in text if c not in "\n" and printable(c) != c]
        assert harmful == [], text
        assert not set(text) & {*BIDI, *EMOJI}
        return text

    return run


@pytest.fixture
def table(tmp_path):
    """Columns, rows, a constant and texts with such names, in a file with such a name."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, len(NAMES)))
    X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    X[::2] += 3
    names = [*NAMES, "constant:x:", "text\x1b[2J", "label[red]"]
    rows = [
        dict(zip(names, [*map(float, row), 1.0, NAMES[i % 4], NAMES[i % 2]]))
        for i, row in enumerate(X)
    ]
    path = tmp_path / "ta:x:[red]\u202e\x1b[2J.json"
    path.write_text(json.dumps(rows))
    return path


def test_tables_notes_and_refusals(say, table, tmp_path):
    assert printable("text\x1b[2J") in say("select", table, "-k", 2, code=(1,))
    rest = ("--numeric-only", "--label-column", "label[red]")
    text = say("select", table, "-k", len(NAMES) - 2, *rest, "--details")
    missing = [name for name in NAMES if printable(name) not in text]
    assert len(missing) <= 2  # those that are not chosen may be named in no note
    assert "constant:x:" in text
    for command in (
        ("cluster", table, "-c", 2, *rest, "--stability"),
        ("compare", table, "-k", 2, "--methods", "greedy,variance", *rest),
    ):
        assert "constant:x:" in say(*command)


def test_names_that_are_not_there(say, csv):
    for i, name in enumerate((*NAMES, BYTE)):
        commands = (
            ("select", csv, "-k", 2, "--drop", name),
            ("select", f"{csv}{name}", "-k", 2),
            ("cluster", csv, "-c", 2, "--label-column", name),
            ("select", csv, "-k", 2, "-o", csv.parent / f"none{name}" / "a.csv"),
            ("select", csv, "-k", 2, "--cost", csv.parent / name, "--budget", 2),
        )
        for words in in_turn(i, commands):
            text = say(*words, code=(1,))
            assert printable(name) in text, (words, text)


def test_words_that_no_option_takes(say, csv):
    for i, name in enumerate((*NAMES, BYTE)):
        commands = (
            ("select", csv, "-k", name),
            ("select", csv, "-k", 2, f"--{name}"),
            ("select", csv, "-k", 2, "--scale", name),
            ("select", csv, "-k", 2, "--method", name),
            ("select", csv, "-k", 2, "--param", name),
            ("methods", name),
            ("datasets", name),
            (f"z{name}",),
        )
        for words in in_turn(i, commands):
            say(*words, code=(1, 2))


def test_suggested_commands_can_be_typed(say, invoke, csv):
    """As the shell reads them; what cannot be typed is shown by its code."""
    path, three = csv.with_name("other.csv"), csv.read_text().replace(",b\n", ",c\n", 1)
    for name in NAMES:
        path.write_text(three.replace("group", name), encoding="utf-8")
        text = say("select", path, "-k", 2, code=(1,))
        words = shlex.split(text[text.index("--label-column") :].partition("), ")[0])
        assert words[1] == printable(name)
        document = invoke("select", path, "-k", 2, "--label-column", name, "--json").stdout
        assert name in shlex.split(json.loads(document)["command"])


def test_vertices(say, tmp_path):
    names = [*NAMES[:8], *NAMES[10:14]]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[:i] if a and b]
    groups = [(a, b) for a, b in pairs if (names.index(a) < 6) == (names.index(b) < 6)]
    path = tmp_path / "g:x:.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{a},{b}\n" for a, b in [*groups, (names[0], names[-1])])
    text = say("communities", path, "-c", 2)
    assert sum(printable(name) in text for name in names) >= 2


def test_documents_and_pages_hold_the_names(invoke, say, table, tmp_path):
    rest = ("--numeric-only", "--label-column", "label[red]")
    out, page = tmp_path / "out.csv", tmp_path / "page.html"
    result = invoke("select", table, "-k", 3, *rest, "--json", "-o", out, "--report", page)
    chosen = [column["name"] for column in json.loads(result.stdout)["chosen"]]
    assert set(chosen) < set(NAMES)
    html = page.read_text("utf-8")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", html)
    head = out.read_text("utf-8").split("\n")[0]
    assert any(name in head for name in chosen)


def test_a_spec_of_the_harness(say, csv, tmp_path):
    path = tmp_path / "s:x:\x1b[2J.toml"
    path.write_text(
        'protocol = "css"\nk = [2]\ndatasets = ["iris"]\n'
        '[[method]]\nname = "greedy"\nas = ":x:[red]\\u202e"\n'
    )
    say("bench", "run", path, "--store", tmp_path / "store:x:\u202e", code=(1,))
    path.write_text(
        'protocol = "css"\nk = [2]\ndatasets = ["ir:x:\\u001b[2Js"]\n[[method]]\nname = "greedy"\n'
    )
    assert printable("ir:x:\x1b[2Js") in say("bench", "run", path, code=(1,))
