"""Wall time with one thread and with two, and whether the answers are the same.

    python benchmarks/threads.py [--threads 2] [--repeats 3]

On a machine that does nothing else, without ``OMP_NUM_THREADS``. Each call runs once before the
clock starts; the smallest of the repeats counts. Writes ``results/threads.md``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import sksieve
from _common import RESULTS, machine, markdown
from sksieve.graphs import nearest_neighbors


def clouds(n: int, d: int) -> np.ndarray:
    rng = np.random.RandomState(0)
    X = 3 * rng.standard_normal((10, 12))[rng.randint(10, size=n)] + rng.standard_normal((n, 12))
    return X @ rng.standard_normal((12, d)) + 0.5 * rng.standard_normal((n, d))


def labels(name: str, X: Any, **params: Any) -> np.ndarray:
    return getattr(sksieve, name)(10, random_state=0, **params).fit(X).labels_


def ranking(name: str, X: Any, **params: Any) -> np.ndarray:
    est = getattr(sksieve, name)(**params)
    return est.fit(X).ranking_


def calls() -> dict[str, tuple[str, Callable[[], np.ndarray]]]:
    """What the page shows: name, size, call."""
    few, many, wide = clouds(3000, 50), clouds(20_000, 50), clouds(2000, 1500)
    words = sp.random_array((6000, 2000), density=0.01, format="csr", rng=np.random.default_rng(0))
    seeded = {"n_features_to_select": 30, "random_state": 0}
    return {
        "nearest neighbors": ("20,000 x 50", lambda: nearest_neighbors(many, 10)[0]),
        "nearest neighbors, sparse": ("6,000 x 2,000", lambda: nearest_neighbors(words, 10)[0]),
        "SpectralGraph": ("20,000 x 50", lambda: labels("SpectralGraph", many)),
        "MCFS": (
            "20,000 x 50",
            lambda: ranking("MCFS", many, n_features_to_select=10),
        ),
        "SRSG": ("3,000 x 50", lambda: labels("SRSG", few)),
        "GreedyCSS": ("2,000 x 1,500", lambda: ranking("GreedyCSS", wide, n_features_to_select=30)),
        "IteratedLocalSearchCSS": (
            "2,000 x 1,500",
            lambda: ranking("IteratedLocalSearchCSS", wide, **seeded),
        ),
        "POCSS": (
            "3,000 x 50",
            lambda: ranking("POCSS", few, n_features_to_select=10, random_state=0),
        ),
        "ColumnChoice": ("2,000 x 1,500", lambda: ranking("ColumnChoice", wide, **seeded)),
    }


def timed(call: Callable[[], np.ndarray], threads: int, repeats: int) -> tuple[float, np.ndarray]:
    import numba

    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    with threadpool_limits(threads):
        call()
        best, answer = np.inf, np.empty(0)
        for _ in range(repeats):
            started = perf_counter()
            answer = call()
            best = min(best, perf_counter() - started)
    return best, answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    head = ["call", "table", "one thread, s", f"{options.threads} threads, s", "ratio", "same"]
    lines = []
    for name, (size, call) in calls().items():
        (one, first), (more, second) = (
            timed(call, threads, options.repeats) for threads in (1, options.threads)
        )
        same = str(np.array_equal(first, second)).lower()
        lines.append([name, size, f"{one:.3g}", f"{more:.3g}", f"{more / one:.2f}", same])
        print(*lines[-1], flush=True)
    text = f"# Threads\n\nWall seconds; {machine()}\n\n<!-- tables -->\n\n{markdown(head, lines)}"
    (RESULTS / "threads.md").write_text(text)


if __name__ == "__main__":
    main()
