"""``sksieve warmup``: what it compiles, and what it prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer

import sksieve
from sksieve.cli import warmup as command
from sksieve.evaluation._cost import Compilations
from sksieve.workflows._warmup import Warmup, WarmupStep


def test_after_it_a_first_call_compiles_nothing():
    done = sksieve.warmup()
    assert [step.name for step in done.steps] == ["select", "cluster", "communities"]
    assert done.cache_folder is not None
    assert done.cache_folder.is_dir()
    X = load_breast_cancer().data[:80, :8]
    with Compilations() as compilations:
        sksieve.select(X, random_state=1)
        sksieve.cluster(X, random_state=1)
    assert compilations.count == 0


@pytest.mark.parametrize(
    ("folder", "last"),
    [
        (Path("/cache"), f"Done in 12 s. Compiled functions are in {Path('/cache')}."),
        (None, "NUMBA_CACHE_DIR"),
    ],
)
def test_it_prints_what_how_long_and_where(invoke, monkeypatch, folder, last):
    steps = (WarmupStep("select", 5, 9.5), WarmupStep("cluster", 1, 2.0), WarmupStep("a", 0, 0.0))

    def play(callback):
        for step in steps:
            callback(step)
        return Warmup(steps, 12.0, folder)

    monkeypatch.setattr(command, "warmup", play)
    result = invoke("warmup")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:3] == [
        "select: 5 functions compiled in 9.5 s",
        "cluster: 1 function compiled in 2.0 s",
        "a: nothing to compile",
    ]
    assert last in result.stdout


def test_completion_is_offered(invoke, monkeypatch):
    monkeypatch.setattr("shellingham.detect_shell", lambda *_: ("bash", "bash"))
    result = invoke("--show-completion")
    assert "_SKSIEVE_COMPLETE" in result.stdout
