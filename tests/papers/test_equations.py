"""Every numbered formula of the five papers stands in the code, or has a reason why not."""

import importlib.util
import re
import sys
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def load_tool():
    spec = importlib.util.spec_from_file_location(
        "equation_index", ROOT / "tools/equation_index.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["equation_index"] = module
    spec.loader.exec_module(module)
    return module


tool = load_tool()
PAPERS = tool.lists()


@pytest.fixture(scope="module")
def entries():
    return tool.index()


SAMPLE = '''
"""A paper."""

G = 1  # (1)

class Problem:
    def step(self, s):  # Algorithm 1
        x = s + 1  # (24), (25): a sign is a misprint in the paper
        y = x  # see (26)
        return y  # noqa: X  # (27)

    @property
    def gain(self):
        """Text."""  # Lemma 2 and (5)  # RPMA (17), (18)
        def inner():
            return 1  # (3a)
        return inner
'''


def test_tags_lines_and_functions():
    found = [(e.tag, e.line, e.function) for e in tool.entries_of(SAMPLE, "a.py")]
    assert found == [
        ("(1)", 4, "module"),
        ("Algorithm 1", 7, "Problem.step"),
        ("(24)", 8, "Problem.step"),
        ("(25)", 8, "Problem.step"),
        ("(27)", 10, "Problem.step"),
        ("Lemma 2", 14, "Problem.gain"),
        ("(5)", 14, "Problem.gain"),
        ("(17)", 14, "Problem.gain"),
        ("(18)", 14, "Problem.gain"),
        ("(3a)", 16, "Problem.gain.inner"),
    ]
    named = [e.tag for e in tool.entries_of(SAMPLE, "a.py") if e.paper == "RPMA"]
    assert named == ["(17)", "(18)"]


def test_a_page_has_the_papers_in_their_order_and_then_the_rest(tmp_path):
    (tmp_path / "a.py").write_text('"""Title."""\nx = 1  # (10)\ny = 2  # Lemma 1\nz = 3  # (9)\n')
    (tmp_path / "b.py").write_text("x = 1  # (2)\ny = 2  # (1)\nz = 3  # (2)\n")
    formulas = {"(2)": "model", "(3)": {"is": "bound", "none": "proof"}, "(1)": "step"}
    paper = {"title": "A paper", "files": ["b.py"], "formulas": formulas}
    page = tool.markdown(tool.index(tmp_path, ["."]), {"RPMA": paper}, tmp_path)
    rows = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| (")]
    assert rows == ["| (2)", "| (3)", "| (1)", "| (9)", "| (10)"]
    assert "| bound | none: proof |" in page
    assert "[b.py:1](../b.py#L1) → `module`<br>[b.py:3](../b.py#L3)" in page
    assert page.index("## RPMA: A paper") < page.index("## Title")


def test_a_page_out_of_date_is_refused(tmp_path, monkeypatch, capsys, entries):
    monkeypatch.setattr(tool, "TARGET", tmp_path / "equations.md")
    monkeypatch.setattr(tool, "index", lambda: entries)
    assert tool.main(["--check"]) == 1
    assert "not up to date" in capsys.readouterr().out
    assert tool.main(["--write"]) == 0
    assert tool.main(["--check"]) == 0
    assert tool.main([]) == 0
    assert capsys.readouterr().out == (tmp_path / "equations.md").read_text()


@pytest.mark.parametrize("name", PAPERS)
def test_every_formula_has_a_place_or_a_reason(name, entries):
    assert tool.problems(entries, name, PAPERS[name]) == []


@pytest.mark.parametrize("name", PAPERS)
def test_no_number_is_left_out(name):
    """Equations run from 1 to the paper's last; so do lemmas, theorems and algorithms."""
    tags = list(PAPERS[name]["formulas"])
    numbers = [int(tag[1:-1]) for tag in tags if tag.startswith("(")]
    assert numbers == list(range(1, PAPERS[name]["equations"] + 1))
    counted = sorted(tag.split() for tag in tags if re.fullmatch(r"\w+ \d+", tag))
    for word, group in groupby(counted, key=lambda pair: pair[0]):
        found = sorted(int(number) for _, number in group)
        assert found == list(range(1, len(found) + 1)), word


def test_the_five_papers_are_there():
    assert {"BLUFS", "LSDCL", "POCSS", "RPMA", "SRSG"} <= PAPERS.keys()
