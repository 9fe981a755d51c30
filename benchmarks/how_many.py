"""How many columns: planted dimensions, pure noise, real tables, and the cost.

    python benchmarks/how_many.py [--repeats 10] [--noise 50] [--quick]

Compares `sksieve.suggest.suggest_n_columns` with the knee of the error path of forward selection
(Kneedle, with its limit at 25 and at all columns) and with permutation parallel analysis (19
permuted tables). Writes ``results/how_many.md`` and ``.csv``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from threadpoolctl import threadpool_limits

from _common import RESULTS, machine, markdown, write_csv
from sksieve import GreedyCSS
from sksieve.datasets import load
from sksieve.suggest import suggest_n_columns

#: Rows, columns, planted dimensions, columns of pure noise.
PLANTED = [
    (100, 20, 3, 0),
    (100, 20, 3, 6),
    (200, 40, 5, 0),
    (200, 40, 10, 10),
    (500, 60, 15, 0),
    (1000, 30, 8, 0),
    (60, 150, 4, 0),
    (100, 300, 8, 50),
]
NOISE_LEVELS = (0.3, 0.7, 1.0)

NOISE: dict[str, Callable[..., np.ndarray]] = {
    "normal": lambda rng, n, d: rng.standard_normal((n, d)),
    "uniform": lambda rng, n, d: rng.random_sample((n, d)),
    "Poisson, mean 2": lambda rng, n, d: rng.poisson(2.0, (n, d)),
    "Poisson, mean 0.05": lambda rng, n, d: rng.poisson(0.05, (n, d)),
    "negative binomial": lambda rng, n, d: rng.negative_binomial(0.5, 0.1, (n, d)),
    "lognormal": lambda rng, n, d: np.exp(rng.standard_normal((n, d))),
    "Student t, 3 degrees": lambda rng, n, d: rng.standard_t(3, (n, d)),
    "mixed columns": lambda rng, n, d: np.where(
        np.arange(d) % 2, rng.exponential(size=(n, d)), rng.random_sample((n, d)) < 0.1
    ),
    "elliptical rows": lambda rng, n, d: (
        rng.standard_normal((n, d)) * np.exp(0.5 * rng.standard_normal((n, 1)))
    ),
}

REAL: dict[str, Callable[[], np.ndarray]] = {
    "wine": lambda: load_wine().data,
    "diabetes": lambda: load_diabetes().data,
    "housing": lambda: load("housing").X,
    "breast_cancer": lambda: load_breast_cancer().data,
    "ionosphere": lambda: load("ionosphere").X,
    "digits": lambda: load_digits().data,
    "dna": lambda: load("dna").X.astype(float),
    "Isolet": lambda: load("Isolet").X,
}
COST = [(2_000, 100, 10), (20_000, 200, 10), (20_000, 1_000, 20), (300, 5_000, 10)]


def planted(n: int, d: int, r: int, n_noise: int, noise: float, seed: int) -> np.ndarray:
    """r columns, noisy combinations of them, and columns of pure noise; columns shuffled."""
    rng = np.random.RandomState(seed)
    S = rng.standard_normal((n, r))
    W = rng.standard_normal((r, d - r - n_noise))
    W /= np.linalg.norm(W, axis=0)
    mixed = S @ W + noise * rng.standard_normal((n, W.shape[1]))
    X = np.hstack([S + 0.1 * rng.standard_normal((n, r)), mixed, rng.standard_normal((n, n_noise))])
    return X[:, rng.permutation(d)]


def knee(X: np.ndarray, max_k: int) -> int:
    """Where the error path is furthest below the chord from its first to its last point."""
    k = min(max_k, X.shape[1], X.shape[0] - 1)
    path = GreedyCSS(k, scale="standard").fit(X).error_path_
    errors = np.array([path[size] for size in sorted(path)]) / path[0]
    last = len(errors) - 1
    below = 1 - np.arange(last + 1) / last - (errors - errors[-1]) / (errors[0] - errors[-1])
    return 1 + int(np.argmax(below[1:]))


def parallel_analysis(X: np.ndarray, rng: np.random.RandomState, n_tables: int = 19) -> int:
    """Leading eigenvalues above the largest of so many tables with permuted columns."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    values = np.linalg.svd(Z, compute_uv=False)
    order = [np.argsort(rng.random_sample(Z.shape), axis=0) for _ in range(n_tables)]
    null = [np.linalg.svd(np.take_along_axis(Z, p, 0), compute_uv=False) for p in order]
    above = values > np.max(null, axis=0)
    return int(np.argmin(above)) if not above.all() else len(above)


def planted_rows(repeats: int) -> list[dict[str, Any]]:
    rows = []
    for n, d, r, n_noise in PLANTED:
        for noise in NOISE_LEVELS:
            for seed in range(repeats):
                X = planted(n, d, r, n_noise, noise, seed)
                suggestion = suggest_n_columns(X, random_state=0)
                rows.append(
                    {
                        "part": "planted",
                        "n": n,
                        "d": d,
                        "r": r,
                        "noise columns": n_noise,
                        "noise": noise,
                        "seed": seed,
                        "dimensions": suggestion.evidence["dimensions"],
                        "kind": suggestion.kind,
                        "enough 90 %": suggestion.enough(0.9),
                        "knee, limit 25": knee(X, 25),
                        "knee, no limit": knee(X, d),
                        "permutations": parallel_analysis(X, np.random.RandomState(seed)),
                    }
                )
    return rows


def noise_rows(tables: int) -> list[dict[str, Any]]:
    return [
        {"part": "noise", "table": kind, "n": n, "d": d, "seed": seed, "kind": answer.kind}
        for kind, draw in NOISE.items()
        for n, d in ((150, 40), (60, 120))
        for seed in range(tables)
        for answer in [suggest_n_columns(draw(np.random.RandomState(seed), n, d), random_state=0)]
    ]


def real_rows() -> list[dict[str, Any]]:
    rows = []
    for name, read in REAL.items():
        X = np.asarray(read(), dtype=float)
        answers = {
            m: suggest_n_columns(X, max_k=min(m, X.shape[1]), random_state=0) for m in (25, 50, 150)
        }
        free = suggest_n_columns(X, random_state=0)
        rows.append(
            {
                "part": "real",
                "table": name,
                "n": X.shape[0],
                "d": X.shape[1],
                "dimensions": free.evidence["dimensions"],
                "kind": free.kind,
                "k": free.n,
                "interval": f"{free.interval[0]} to {free.interval[1]}" if free.interval else "",
                "enough 80 %": free.enough(0.8),
                "enough 90 %": free.enough(0.9),
                "enough 95 %": free.enough(0.95),
                **{f"max_k {m}": f"{a.n} ({a.kind})" for m, a in answers.items()},
            }
        )
    return rows


def cost_rows(shapes: list[tuple[int, int, int]]) -> list[dict[str, Any]]:
    rows = []
    for n, d, r in shapes:
        rng = np.random.RandomState(0)
        X = rng.standard_normal((n, r)) @ rng.standard_normal((r, d))
        X += np.sqrt(r) * rng.standard_normal(X.shape)
        started = process_time()
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        np.linalg.eigvalsh(Z.T @ Z if d <= n else Z @ Z.T)
        base = process_time() - started
        started = process_time()
        suggestion = suggest_n_columns(X, random_state=0)
        seconds = process_time() - started
        rows.append(
            {
                "part": "cost",
                "n": n,
                "d": d,
                "r": r,
                "dimensions": suggestion.evidence["dimensions"],
                "base seconds": round(base, 3),
                "seconds": round(seconds, 3),
                "ratio": round(seconds / base, 1),
            }
        )
    return rows


def report(rows: list[dict[str, Any]]) -> str:
    part = {name: [r for r in rows if r["part"] == name] for name in PARTS}
    sharp = [r for r in part["planted"] if r["kind"] == "count"]
    answers = ["dimensions", "permutations", "knee, limit 25", "knee, no limit"]

    def share(within: int, name: str, of: list[dict[str, Any]]) -> str:
        return f"{100 * np.mean([abs(r[name] - r['r']) <= within for r in of]):.0f}"

    def column(name: str) -> list[list[str]]:
        return [[str(r.get(key, "")) for key in HEADERS[name]] for r in part[name]]

    kinds = [
        [kind, str(len(found)), str(sum(r["kind"] != "none" for r in found))]
        for kind in NOISE
        for found in [[r for r in part["noise"] if r["table"] == kind]]
    ]
    return "\n".join(
        [
            "# How many columns\n",
            f"{machine()}.\n",
            f"## {len(part['planted'])} tables with planted dimensions\n",
            "In per cent of the tables. dimensions: `suggest_n_columns`; permutations: parallel "
            "analysis with 19 permuted tables; knee: Kneedle on the path of forward selection.\n",
            markdown(
                ["count", "exact", "within 1"],
                [[a, share(0, a, part["planted"]), share(1, a, part["planted"])] for a in answers],
            ),
            f'`suggest_n_columns` calls {len(sharp)} of them sharp (`kind="count"`); of these '
            f"{share(0, 'dimensions', sharp)} % are exact and {share(1, 'dimensions', sharp)} % "
            "within 1.\n",
            "## Pure noise\n",
            markdown(["noise", "tables", "called structure"], kinds),
            "## Real tables\n",
            "`enough`: columns of forward selection that carry this share of what all columns "
            "carry.\n",
            markdown(HEADERS["real"], column("real")),
            "## Cost\n",
            "CPU seconds on one thread; base: standardize, Gram matrix, eigenvalues.\n",
            markdown(HEADERS["cost"], column("cost")),
        ]
    )


PARTS = ("planted", "noise", "real", "cost")
HEADERS = {
    "real": [
        "table",
        "n",
        "d",
        "dimensions",
        "kind",
        "k",
        "interval",
        "enough 80 %",
        "enough 90 %",
        "enough 95 %",
        "max_k 25",
        "max_k 50",
        "max_k 150",
    ],
    "cost": ["n", "d", "r", "dimensions", "base seconds", "seconds", "ratio"],
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=10, help="planted tables of each kind")
    parser.add_argument("--noise", type=int, default=50, help="noise tables of each kind and shape")
    parser.add_argument("--quick", action="store_true", help="one of each, no large table")
    options = parser.parse_args()
    repeats, tables = (1, 2) if options.quick else (options.repeats, options.noise)
    with threadpool_limits(limits=1):
        rows = planted_rows(repeats) + noise_rows(tables)
        if not options.quick:
            rows += real_rows() + cost_rows(COST)
    write_csv(RESULTS / "how_many.csv", rows)
    (RESULTS / "how_many.md").write_text(report(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
