"""The command line in this process, and small tables to give it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from sksieve.cli import _options
from sksieve.cli._app import app

Invoke = Callable[..., Any]


@pytest.fixture
def invoke() -> Invoke:
    """``invoke("select", FILE, "-k", 2)``: a result with exit_code, stdout, stderr."""

    return app_result


def app_result(*words: object, stdin: bytes | None = None) -> Any:
    """What a command line gives: exit_code, stdout, stderr."""
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


def parsed(*words: object) -> Any:
    """The options that a command line gives: ``parsed("select", "a.csv", "-k", 2)``."""
    from typer.main import get_command

    name, *rest = map(str, words)
    command = get_command(app).commands[name]
    context = command.make_context(name, list(rest))
    kinds = {
        "select": _options.SelectOptions,
        "cluster": _options.ClusterOptions,
        "communities": _options.CommunityOptions,
        "compare": _options.CompareOptions,
    }
    return kinds[name](**context.params, context=context)


@pytest.fixture
def refused(invoke: Invoke) -> Callable[..., str]:
    """Run a command that must be refused: its message on stderr, nothing on stdout.

    A message of several lines is given back in one, the command that goes on included.
    """

    def run(*words: object, code: int = 1, stdin: bytes | None = None) -> str:
        result = invoke(*words, stdin=stdin)
        assert result.exit_code == code, result.output
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert sum(line.startswith("Error: ") for line in lines) == 1, result.stderr
        assert lines[0].startswith("Error: ")
        assert "Traceback" not in result.stderr
        assert "defect" not in result.stderr
        return " ".join(line.strip() for line in lines).removeprefix("Error: ")

    return run


@pytest.fixture
def values() -> Any:
    """Thirty rows of five columns; the last two nearly follow from the first three."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30, 3)) * [1.0, 5.0, 0.2] + [10.0, 0.0, -3.0]
    Z = X @ rng.normal(size=(3, 2)) + 0.05 * rng.normal(size=(30, 2))
    return np.round(np.hstack([X, Z]), 4)


NAMES = ["age", "height", "dose", "p1", "p2"]


@pytest.fixture
def csv(tmp_path: Path, values: Any) -> Path:
    """The table with a column of labels, as CSV."""
    path = tmp_path / "table.csv"
    lines = [",".join([*NAMES, "group"])]
    lines += [",".join([*map(str, row), "ab"[i % 2]]) for i, row in enumerate(values.tolist())]
    path.write_text("\n".join(lines) + "\n")
    return path
