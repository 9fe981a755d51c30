"""Every formula a paper's list names stands in the code under its number."""

import importlib.util
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPERS = tomllib.loads((Path(__file__).parent / "equations.toml").read_text(encoding="utf-8"))


def load_tool():
    spec = importlib.util.spec_from_file_location(
        "equation_index", ROOT / "tools/equation_index.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["equation_index"] = module
    spec.loader.exec_module(module)
    return module


tool = load_tool()

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
        """Text."""  # Lemma 2 and (opt_usv)
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
        ("(opt_usv)", 14, "Problem.gain"),
        ("(3a)", 16, "Problem.gain.inner"),
    ]


def test_what_is_missing_is_named():
    entries = list(tool.entries_of(SAMPLE, "src/a.py"))
    assert tool.missing(entries, ["src/*.py"], ["(24)", "Lemma 2"]) == []
    assert tool.missing(entries, ["src/*.py"], ["(26)", "(24)"]) == ["(26)"]
    assert tool.missing(entries, ["src/b.py"], ["(24)"]) == ["(24)"]


def test_page_lists_equations_before_words_and_by_number(tmp_path):
    (tmp_path / "a.py").write_text('"""Title."""\nx = 1  # (10)\ny = 2  # Lemma 1\nz = 3  # (9)\n')
    page = tool.markdown(tool.index(tmp_path, ["."]), tmp_path)
    rows = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| (")]
    assert rows == ["| (9)", "| (10)"]
    assert "## Title" in page
    assert page.index("Lemma 1") > page.index("(10)")
    assert "[2](../a.py#L2)" in page


def test_a_page_out_of_date_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tool, "TARGET", tmp_path / "equations.md")
    assert tool.main(["--check"]) == 1
    assert "not up to date" in capsys.readouterr().out
    assert tool.main(["--write"]) == 0
    assert tool.main(["--check"]) == 0
    assert tool.main([]) == 0
    assert capsys.readouterr().out == (tmp_path / "equations.md").read_text()


@pytest.mark.parametrize("paper", PAPERS)
def test_every_formula_on_the_list_is_there(paper):
    wanted = PAPERS[paper]
    absent = tool.missing(tool.index(), wanted["files"], wanted["required"])
    assert not absent, f"{wanted['title']}: {', '.join(absent)} not found in {wanted['files']}"
