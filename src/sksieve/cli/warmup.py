"""``sksieve warmup``: compile once what the first calls would compile."""

from __future__ import annotations

from ..workflows._warmup import WarmupStep, warmup
from ._options import WarmupOptions
from ._print import print_lines


def run(options: WarmupOptions) -> None:
    """Compile, and print what, how long it took, and where it is kept."""
    done = warmup(callback=lambda step: print_lines(_line(step)))
    if done.cache_folder is None:
        print_lines(
            "No folder for compiled functions can be written: each process compiles again. To keep "
            "them, set the environment variable NUMBA_CACHE_DIR to a folder that can be written."
        )
        return
    print_lines(f"Done in {done.seconds:.0f} s. Compiled functions are in {done.cache_folder}.")


def _line(step: WarmupStep) -> str:
    if not step.n_compiled:
        return f"{step.name}: nothing to compile"
    functions = "function" if step.n_compiled == 1 else "functions"
    return f"{step.name}: {step.n_compiled} {functions} compiled in {step.seconds:.1f} s"
