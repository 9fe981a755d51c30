"""For all tests: the real data where they are, few BLAS threads, repeatable hypothesis.

Tests marked ``data`` need the data sets that are not shipped. Their folder is SKSIEVE_DATA, else
``../shared/data`` beside the checkout; with ``SKSIEVE_DATA=`` (empty), or without a folder, these
tests are skipped. A data set that the folder lacks skips the tests that load it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from sksieve.datasets import load
from sksieve.exceptions import MissingDataError

HERE = Path(__file__).parent
DATA = Path(os.environ.get("SKSIEVE_DATA", HERE.parents[1] / "shared" / "data"))
HAS_DATA = any(DATA.glob("*.npz")) and DATA.name != ""
# Never what the person who tests has fetched; without data a folder that has none.
os.environ["SKSIEVE_DATA"] = str(DATA if HAS_DATA else HERE)

if not hasattr(os, "fork"):  # Windows: the scripts that these test limit their children by POSIX
    collect_ignore_glob = ["tools/test_attack_*.py", "graphs/test_malformed*.py"]

# What is refused must not depend on the machine.
os.environ.setdefault("SKSIEVE_MEMORY_LIMIT", "4 GB")

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci")


@pytest.fixture(scope="session", autouse=True)
def _blas_threads() -> Iterator[None]:
    """One thread, or SKSIEVE_TEST_THREADS of them.

    The matrices are small: threads only get in each other's way, the more so under pytest-xdist.
    """
    with threadpool_limits(limits=int(os.environ.get("SKSIEVE_TEST_THREADS", "1"))):
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use `real_data`, and skip those marked ``data`` where there are none."""
    for item in items:
        if "real_data" in getattr(item, "fixturenames", ()):
            item.add_marker("data")
        if not HAS_DATA and item.get_closest_marker("data"):
            item.add_marker(pytest.mark.skip(reason="needs the data sets (SKSIEVE_DATA)"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Skip a test marked ``data`` whose data set is not in the folder."""
    try:
        return (yield)
    except MissingDataError as error:
        if item.get_closest_marker("data") is None:
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Any]:
    """``real_data(name)``: `sksieve.datasets.load`; its tests are marked ``data``."""
    return load
