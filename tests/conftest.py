"""Fixtures for all tests: the real data where they are, few BLAS threads, repeatable hypothesis."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from sksieve.datasets import find, load

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


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Any]:
    """``real_data(name)``: `sksieve.datasets.load`, or a skip that says what is missing."""

    def get(name: str) -> Any:
        record = find(name)
        if not record.available:
            pytest.skip(
                f"{record.name}: {' and '.join(record.file_names)} not there (SKSIEVE_DATA)"
            )
        return load(record.name)

    return get
