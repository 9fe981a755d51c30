"""Column selection on a GPU beside the processor: the same table, the same columns, both times.

    python benchmarks/array_api.py [--device cuda] [--rows 1000000] [--columns 5000] [--k 50]

The table is float32, of rank 40 with noise, made on the device. Times are wall seconds of the
second fit, with all cores of the processor; the factored solver keeps its products on the device,
and what is k x k, or as long as the shortlist, goes to the host. ``--device cpu`` runs the same
with torch on the processor. Writes ``results/array_api.md``, of a GPU only.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import torch

import sksieve
from _common import RESULTS, machine, markdown

RANK = 40


def table(rows: int, columns: int, device: str) -> torch.Tensor:
    generator = torch.Generator(device).manual_seed(0)
    options: dict[str, Any] = {"generator": generator, "device": device}
    scores = torch.randn(rows, RANK, **options)
    X = scores @ torch.randn(RANK, columns, **options)
    for part in X.split(10_000):
        part += torch.randn(part.shape, **options)
    return X


def second_fit(est: Any, X: Any) -> tuple[float, Any]:
    for _ in range(2):
        started = perf_counter()
        est.fit(X)
        seconds = perf_counter() - started
    return seconds, est


def lines(X: torch.Tensor, k: int) -> Iterator[list[str]]:
    host = X.cpu().numpy()
    for est in (
        sksieve.GreedyCSS(k, solver="factored"),
        sksieve.IterFS(k, solver="factored", init="greedy", random_state=0),
        sksieve.IteratedLocalSearchCSS(k, solver="factored", random_state=0),
    ):
        on_host, est = second_fit(est, host)
        columns = set(est.ranking_[:k])
        on_device, est = second_fit(est, X)
        equal = f"{len(columns & set(est.ranking_[:k]))} of {k}"
        times = (on_host, on_device, on_host / on_device)
        yield [type(est).__name__, *(f"{value:.3g}" for value in times), equal]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=5000)
    parser.add_argument("--k", type=int, default=50)
    options = parser.parse_args()
    X = table(options.rows, options.columns, options.device)
    head = ["method", "NumPy, s", f"{options.device}, s", "ratio", "columns in common"]
    text = markdown(head, lines(X, options.k))
    print(text)
    if options.device != "cpu":
        name = torch.cuda.get_device_name()
        (RESULTS / "array_api.md").write_text(
            f"# Columns on a GPU\n\n{options.rows} x {options.columns} float32; {name}; "
            f"{machine()}, torch {torch.__version__}\n\n{text}\n"
        )


if __name__ == "__main__":
    main()
