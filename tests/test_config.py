"""Settings: where a value comes from, and that it reaches threads, workers and refusals."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.neighbors import KNeighborsTransformer

import sksieve
from sksieve import config
from sksieve._memory import require_memory
from sksieve.config import carrying_config, memory_limit
from sksieve.exceptions import TooLargeError


@pytest.fixture(autouse=True)
def _as_before():
    before = dict(config._process)
    yield
    config._process.clear()
    config._process.update(before)


@pytest.mark.parametrize(
    ("value", "n_bytes"),
    [(5, 5.0), (1e9, 1e9), ("4 GB", 4e9), ("1.5gib", 1.5 * 2**30), ("300", 300.0), ("2e8", 2e8)],
)
def test_sizes(value, n_bytes):
    with sksieve.config_context(memory_limit=value):
        assert memory_limit() == n_bytes


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"memory_limit": 0}, "memory_limit=0: give a number of bytes above 0"),
        ({"memory_limit": "much"}, "memory_limit='much': give"),
        ({"memory_limit": True}, "memory_limit=True: give"),
        ({"memory_limit": float("nan")}, "memory_limit=nan: give"),
        ({"memory_limit": "inf"}, "memory_limit='inf': give"),
        ({"neighbor_search": "fast"}, "neighbor_search='fast': use 'auto'"),
        ({"neighbor_search": KNeighborsTransformer}, "neighbor_search=<class"),
        ({"progress": 2}, "progress=2: use True or False"),
    ],
)
def test_values_refused(settings, message):
    before = sksieve.get_config()
    with pytest.raises(ValueError, match=message):
        sksieve.set_config(**settings)
    assert sksieve.get_config() == before


def test_an_unknown_setting_changes_nothing():
    before = sksieve.get_config()
    with pytest.raises(TypeError, match="no setting 'memory'; there are memory_limit,"):
        sksieve.set_config(progress=True, memory=3)
    assert sksieve.get_config() == before


def test_the_innermost_value_holds(monkeypatch):
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "1 GB")
    assert memory_limit() == 1e9
    sksieve.set_config(memory_limit="2 GB")
    with sksieve.config_context(memory_limit=3), sksieve.config_context(progress=True):
        assert memory_limit() == 3
    assert memory_limit() == 2e9


def test_a_wrong_environment_variable_is_named(monkeypatch):
    monkeypatch.setenv("SKSIEVE_NEIGHBOR_SEARCH", "fast")
    with pytest.raises(ValueError, match="environment variable SKSIEVE_NEIGHBOR_SEARCH: neighbor_"):
        sksieve.get_config()


def test_threads_have_the_settings_of_the_process_and_contexts_of_their_own():
    sksieve.set_config(memory_limit=7)
    with ThreadPoolExecutor(1) as pool, sksieve.config_context(memory_limit=8):
        assert pool.submit(memory_limit).result() == 7
        assert pool.submit(carrying_config(memory_limit)).result() == 8
    assert memory_limit() == 7


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_have_the_settings_of_who_started_them(backend):
    with sksieve.config_context(memory_limit=9):
        answers = Parallel(n_jobs=2, backend=backend)(
            delayed(carrying_config(memory_limit))() for _ in range(4)
        )
    assert answers == [9.0] * 4


def test_stability_in_processes_keeps_the_limit():
    from sksieve.evaluation import stability

    X = np.random.RandomState(0).normal(size=(30, 8))
    est = sksieve.GreedyCSS(2, solver="gram")
    with sksieve.config_context(memory_limit=10), pytest.raises(ValueError, match="limit of 10 B"):
        stability(X, 2, est, n_bootstrap=2, n_jobs=2, random_state=0)


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
          "sys/fs/cgroup/a/memory.max": "1000000\n"}, 1e6),
        ({"proc/self/cgroup": "4:memory:/x\n0::/\n",
          "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "2000000\n"}, 2e6),
        # In a container the group is mounted as the root.
        ({"proc/self/cgroup": "4:cpu,memory:/docker/id\n",
          "sys/fs/cgroup/memory/memory.limit_in_bytes": "3000000\n"}, 3e6),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, np.inf),
        ({"proc/self/cgroup": "4:memory:/\n",
          "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, np.inf),
        ({}, np.inf),
    ],
)  # fmt: skip
def test_memory_of_control_groups(tmp_path, files, limit):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    physical = config._physical_memory()
    assert config.available_memory(str(tmp_path)) == min(physical, limit)


def test_the_default_is_half_of_the_memory():
    code = "from sksieve import config; print(config.memory_limit() / config.available_memory())"
    environment = {k: v for k, v in os.environ.items() if k != "SKSIEVE_MEMORY_LIMIT"}
    end = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert float(end.stdout) == 0.5


def test_the_limit_a_refusal_names_is_enough():
    for n_bytes in (1234.0, 4.27e9, 1.01e10, 999.5e6, 17.0):
        with (
            sksieve.config_context(memory_limit=1),
            pytest.raises(TooLargeError, match="SKSIEVE_MEMORY_LIMIT") as caught,
        ):
            require_memory(n_bytes, "A table", "Make it smaller.")
        limit = str(caught.value).partition('set_config(memory_limit="')[2].partition('"')[0]
        with sksieve.config_context(memory_limit=limit):
            require_memory(n_bytes, "A table", "Make it smaller.")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_of_every_fit(monkeypatch):
    X = np.random.RandomState(0).normal(size=(60, 10))
    monkeypatch.setattr(sys, "stderr", Terminal())
    with sksieve.config_context(progress=True):
        sksieve.UDFS(3, max_iter=5).fit(X)
    lines = sys.stderr.getvalue()
    assert "\rUDFS: iteration 1  objective " in lines
    assert lines.endswith("\n")
    monkeypatch.setattr(sys, "stderr", Terminal())
    sksieve.UDFS(3, max_iter=5).fit(X)
    assert sys.stderr.getvalue() == ""
