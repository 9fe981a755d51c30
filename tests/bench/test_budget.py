"""The budget of a block: what counts against it, in the main thread and in others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from numba import njit

from sksieve.bench._budget import OverBudget, budget


def in_main_thread(block: Callable[[], object]) -> BaseException | None:
    """The exception that ends the block, or None."""
    try:
        block()
    except BaseException as error:
        return error
    return None


def in_other_thread(block: Callable[[], object]) -> BaseException | None:
    """The same of a block in a thread that receives no signals."""
    errors: list[BaseException | None] = []
    thread = threading.Thread(target=lambda: errors.append(in_main_thread(block)))
    thread.start()
    thread.join()
    return errors[0]


def compile_for_a_while() -> float:
    """Compile kernels until 1 s of the processor are used."""
    start = time.thread_time()
    while time.thread_time() - start < 1:

        @njit
        def kernel(x):
            total = 0.0
            for i in range(10):
                total += x * i
            return total

        kernel(1.5)
    return time.thread_time() - start


def compute(seconds: float) -> None:
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass


@pytest.mark.parametrize("run", [in_main_thread, in_other_thread])
def test_compiling_is_not_counted(run):
    def block() -> None:
        with budget(0.6):
            compile_for_a_while()

    assert compile_for_a_while() >= 1
    assert run(block) is None


@pytest.mark.parametrize("run", [in_main_thread, in_other_thread])
def test_computing_after_compiling_is_counted(run):
    def block() -> None:
        with budget(0.6):
            compile_for_a_while()
            compute(5)

    start = time.process_time()
    assert isinstance(run(block), OverBudget)
    assert time.process_time() - start < 4
