"""Projection matrix approximation: the fused kernel, whole solvers, and a graph of 50 000 vertices.

    python benchmarks/rpma_speed.py [--parts kernel solvers large features] [--nodes 50000]

One thread. ``kernel``: sum and gradient of the penalty on UU', fused, beside blocks of rows through
BLAS. ``solvers``: seconds until F has fallen to within 1 % of its whole decrease, L-BFGS beside the
paper's Algorithm 1 (an n x n solve a trial, no memory of the step) and its ADMM (a full
eigendecomposition a step, rho = 3 lam l), both written out below, on the objective by row blocks as
they would have it; and beside two optimizers of others on the fused objective: scipy's L-BFGS-B
over all Z of full rank, ``X = Z (Z'Z)^-1 Z'``, and pymanopt's conjugate gradients, with the F at
which each stops. ``large``: a sparse block model, time and peak memory beside the graph.
``features``: one gradient where the affinity is worked out in tiles. Writes
``results/rpma_<part>.md`` and ``.csv``.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numba
import numpy as np
import pymanopt
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from _common import RESULTS, best_time, machine, markdown, seconds_text, write_csv
from css_memory import Peak
from sksieve import BPMA, PPMA, SPMA
from sksieve.clustering import Bounded, Huber, Penalty, Positive, Starts
from sksieve.clustering._rpma_problem import ProjectionProblem
from sksieve.datasets import load, make_sbm
from sksieve.graphs import GaussianTiles, gaussian_affinity
from sksieve.linalg import leading_eigenpairs
from sksieve.solvers import GrassmannLBFGS, Stopping, iterate

MODELS = {"SPMA": SPMA, "PPMA": PPMA, "BPMA": BPMA}
CHOSEN = list(MODELS)
LIMIT = 25.0  # CPU seconds a literal algorithm gets


def part_kernel(nodes: int) -> None:
    """The penalty and its gradient on UU', n = 4000."""
    rows = []
    for K in (5, 20):
        U = np.linalg.qr(np.random.RandomState(0).standard_normal((4000, K)))[0]
        for penalty in (Huber(0.02 * K / 4000), Positive(), Bounded(0.0, K / 4000)):
            penalty.on_projector(U)
            (ours, G), fused = best_time(lambda p=penalty, U=U: p.on_projector(U))
            (theirs, H), blas = best_time(lambda p=penalty, U=U: p.in_blocks(U))
            assert abs(ours - theirs) <= 1e-10 * abs(theirs)
            assert np.abs(G - H).max() <= 1e-10 * np.abs(H).max()
            name = type(penalty).__name__
            rows.append({"K": K, "penalty": name, "fused": fused, "blocks": blas})
    lines = [
        [
            str(r["K"]),
            r["penalty"],
            seconds_text(r["fused"]),
            seconds_text(r["blocks"]),
            f"{r['blocks'] / r['fused']:.1f}",
        ]
        for r in rows
    ]
    write("kernel", rows, markdown(["K", "penalty", "fused", "row blocks", "ratio"], lines))


def literal_algorithm_1(p: ProjectionProblem, U: np.ndarray) -> Any:
    """Curvilinear search with the n x n Cayley transform, the step halved from 1 each time."""
    eye = np.eye(len(U))
    f, G = p.fg(U)
    while True:
        H = G - U @ (U.T @ G)
        W = H @ U.T - U @ H.T
        slope, t = -float(np.vdot(H, H)), 1.0
        while True:
            V = np.linalg.solve(eye + t / 2 * W, (eye - t / 2 * W) @ U)
            yield f
            f_new, G_new = p.fg(V)
            if f_new <= f + 1e-4 * t * slope or t < 1e-14:
                break
            t /= 2
        U, f, G = V, f_new, G_new


def literal_admm(p: ProjectionProblem, U: np.ndarray) -> Any:
    """A full eigendecomposition a step, the multiplier stored."""
    rho = 3 * p.lam * p.penalty.lipschitz
    Y = U @ U.T
    L = p.lam * p.penalty.grad(Y)
    while True:
        U = np.linalg.eigh(2 * p.A + rho * Y - L)[1][:, -p.K :]
        X = U @ U.T
        Y = p.penalty.prox(X + L / rho, p.lam / rho)
        L = L + rho * (X - Y)
        yield p.fg(U)[0]


class Stop(Exception):
    """The limit has passed."""


class Watched:
    """f and gradient; the lowest f so far after every call, and the CPU seconds it took."""

    def __init__(self, fg: Callable[[np.ndarray], Any]) -> None:
        self.fg = fg
        self.lowest: list[float] = []
        self.seconds: list[float] = []
        self.last: Any = None
        self.started = time.process_time()

    def __call__(self, U: np.ndarray) -> Any:
        if self.last is not None and np.array_equal(self.last[0], U):
            return self.last[1]
        value = self.fg(U)
        self.last = U.copy(), value
        self.lowest.append(min([float(value[0]), *self.lowest[-1:]]))
        self.seconds.append(time.process_time() - self.started)
        if self.seconds[-1] > LIMIT:
            raise Stop
        return value

    def to(self, goal: float) -> tuple[float, float]:
        """CPU seconds and calls until f was at the goal."""
        for calls, (f, seconds) in enumerate(zip(self.lowest, self.seconds), 1):
            if f <= goal:
                return seconds, calls
        return float("inf"), float("inf")


def by_scipy(fg: Watched, U: np.ndarray) -> None:
    """L-BFGS-B on the entries of Z, the span of which is the point."""

    def fun(z: np.ndarray) -> tuple[float, np.ndarray]:
        V, R = np.linalg.qr(z.reshape(U.shape))
        f, G = fg(V)
        return f, solve_triangular(R, (G - V @ (V.T @ G)).T).T.ravel()

    options = {"maxiter": 2000, "maxfun": 4000, "maxcor": 10, "ftol": 1e-13, "gtol": 1e-9}
    minimize(fun, U.ravel(), jac=True, method="L-BFGS-B", options=options)


def by_pymanopt(fg: Watched, U: np.ndarray) -> None:
    """Conjugate gradients on the Grassmann manifold."""
    manifold = pymanopt.manifolds.Grassmann(*U.shape)

    @pymanopt.function.numpy(manifold)
    def cost(V: np.ndarray) -> float:
        return fg(V)[0]

    @pymanopt.function.numpy(manifold)
    def gradient(V: np.ndarray) -> np.ndarray:
        return fg(V)[1]

    task = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)
    rule = pymanopt.optimizers.ConjugateGradient(
        verbosity=0, max_time=LIMIT, max_iterations=2000, min_step_size=1e-14
    )
    rule.run(task, initial_point=U)


def by_us(fg: Watched, U: np.ndarray) -> None:
    solver = GrassmannLBFGS(fg)
    stopping = Stopping(max_iter=2000, tol=1e-6)
    iterate(solver.step, solver.start(U), change=solver.change, stopping=stopping)


ENDS = {"L-BFGS": by_us, "scipy": by_scipy, "pymanopt": by_pymanopt}


def watch(run: Callable[[Watched, np.ndarray], None], fg: Any, U: np.ndarray) -> Watched:
    watched = Watched(fg)
    with contextlib.suppress(Stop):
        run(watched, U)
    return watched


def seconds_to(goal: float, steps: Any) -> float:
    """CPU seconds until F is at the goal; infinite when it is not within the limit."""
    started = time.process_time()
    for f in steps:
        spent = time.process_time() - started
        if f <= goal:
            return spent
        if spent > LIMIT:
            return float("inf")
    raise AssertionError("the steps go on for ever")


class InBlocks(Penalty):
    """A penalty without the fused kernel: what the literal algorithms get."""

    def __init__(self, penalty: Penalty) -> None:
        self.of = penalty
        self.lipschitz = penalty.lipschitz

    def value(self, X: np.ndarray) -> np.ndarray:
        return self.of.value(X)

    def grad(self, X: np.ndarray) -> np.ndarray:
        return self.of.grad(X)

    def prox(self, V: np.ndarray, t: float) -> np.ndarray:
        return self.of.prox(V, t)


def part_solvers(nodes: int) -> None:
    """scikit-learn's digits, 0 to 4 (901 samples), default weights, from the eigenvectors."""
    digits = load("digits")
    A, K = gaussian_affinity(digits.X[digits.y < 5]), 5
    U = leading_eigenpairs(A, K)[1]
    rows = measured("solvers", set(MODELS) - set(CHOSEN))
    for name in CHOSEN:
        p = MODELS[name](K)._problem(A)
        blocks = ProjectionProblem(A, K, InBlocks(p.penalty), p.lam)
        f0 = p.fg(U)[0]
        runs = {label: watch(run, p.fg, U) for label, run in ENDS.items()}
        best = min(w.lowest[-1] for w in runs.values())
        goal, end = (best + share * (f0 - best) for share in (0.01, 1e-6))
        row: dict[str, Any] = {"model": name, "F at the start": p.constant + f0}
        for label, w in runs.items():
            row[f"{label}, s"], row[f"{label}, calls"] = w.to(goal)
            row[f"{label}, s to 1e-6"], row[f"{label}, calls to 1e-6"] = w.to(end)
            row[f"F of {label}"] = p.constant + w.lowest[-1]
        row["Algorithm 1, s"] = seconds_to(goal, literal_algorithm_1(blocks, U))
        row["ADMM, s"] = seconds_to(goal, literal_admm(blocks, U))
        rows.append(row)
        print(row, flush=True)
    literal, others = [], []
    for row in sorted(rows, key=lambda row: list(MODELS).index(row["model"])):
        name, ours = row["model"], row["L-BFGS, s"]
        literal.append([name, seconds_text(ours)])
        literal[-1] += [ratio(row[f"{label}, s"], ours) for label in ("Algorithm 1", "ADMM")]
        for label in ENDS:
            spent = [row[f"{label}, s{to}"] for to in ("", " to 1e-6")]
            calls = [row[f"{label}, calls{to}"] for to in ("", " to 1e-6")]
            cells = [f"{seconds_text(s)}, {c:.0f} calls" for s, c in zip(spent, calls)]
            others.append([name, label, *cells, f"{row[f'F of {label}']:.6f}"])
    text = markdown(["model", "L-BFGS", "literal Algorithm 1", "literal ADMM"], literal)
    head = ["model", "optimizer", "to 1 % of the decrease", "to 1e-6", "F at its end"]
    text += f"\n{markdown(head, others)}\npymanopt {version('pymanopt')}.\n"
    write("solvers", rows, text)


def measured(part: str, models: set[str]) -> list[dict[str, Any]]:
    """What an earlier run found for these models."""
    if not models:
        return []
    with (RESULTS / f"rpma_{part}.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["model"] in models]
    return [{k: v if k == "model" else float(v) for k, v in row.items()} for row in rows]


def ratio(seconds: float, ours: float) -> str:
    if np.isinf(seconds):
        return f"not within {LIMIT:.0f} s (> {LIMIT / ours:.0f} x)"
    return f"{seconds_text(seconds)} ({seconds / ours:.0f} x)"


def part_large(nodes: int) -> None:
    """A sparse block model with 5 blocks, mean degree about 30."""
    n, K = nodes, 5
    A, y = make_sbm(n, K, 100 / n, 12 / n, random_state=0)
    warm, _ = make_sbm(3000, K, 0.1, 0.02, random_state=0)
    fit(warm)  # compiles, loads
    U = np.linalg.qr(np.random.RandomState(0).standard_normal((n, K)))[0]
    p = ProjectionProblem(A, K, Huber(0.02 * K / n), 0.6 * A.mean())
    with Peak() as once:
        started = time.process_time()
        p.fg(U)
        gradient = time.process_time() - started
    with Peak() as all_of_it:
        started = time.process_time()
        est = fit(A)
        whole = time.process_time() - started
    row = {
        "nodes": n,
        "edges": A.nnz // 2,
        "gradient, CPU s": gradient,
        "gradient, MB above the graph": once.above[0] / 2**20,
        "fit, CPU s": whole,
        "fit, MB above the graph": all_of_it.above[0] / 2**20,
        "iterations": est.n_iter_ + sum(s["n_iter"] for s in est.starts_),
        "kkt": est.kkt_,
        "accuracy": accuracy(y, est.labels_),
    }
    lines = [[name, f"{value:.4g}"] for name, value in row.items()]
    write("large", [row], markdown(["", "SPMA, one start, tol 1e-3"], lines))


def part_features(nodes: int) -> None:
    """The Gaussian affinity of samples in 10 dimensions, worked out in tiles; K = 5, Huber."""
    K = 5
    rows = []
    for n, dtype in [(4000, np.float64), (4000, np.float32), (nodes, np.float32)]:
        X, _ = make_blobs(n, 10, centers=K, cluster_std=4.0, random_state=0)
        A = GaussianTiles(X.astype(dtype))
        U = np.linalg.qr(np.random.RandomState(0).standard_normal((n, K)))[0].astype(dtype)
        slopes = Huber(0.02 * K / n).slopes()
        GaussianTiles(X[:2000].astype(dtype)).with_penalty(U[:2000], slopes)  # compiles
        with Peak() as peak:
            started = time.process_time()
            _, tiled = A.with_penalty(U, slopes)
            spent = time.process_time() - started
        row = {"samples": n, "precision": np.dtype(dtype).name, "gradient, CPU s": spent}
        row["MB"] = peak.above[0] / 2**20
        row["MB of the matrix"] = n * n * np.dtype(dtype).itemsize / 2**20
        if n == 4000:
            W = gaussian_affinity(X.astype(dtype))
            G = Huber(0.02 * K / n).on_projector(U)[1] - 2 * W @ U
            row["apart"] = float(np.abs(tiled - G).max() / np.abs(G).max())
        rows.append(row)
        print(row, flush=True)
    head = list(rows[0])
    text = [
        [f"{r[h]:.3g}" if isinstance(r.get(h), float) else str(r.get(h, "-")) for h in head]
        for r in rows
    ]
    write("features", rows, markdown(head, text))


def fit(A: Any) -> Any:
    few = {"starts": Starts(begin="spectral", n_rounds=0), "tol": 1e-3}
    return SPMA(5, lam=0.6, affinity="precomputed", random_state=0, **few).fit(A)


def accuracy(y: np.ndarray, labels: np.ndarray) -> float:
    from sksieve.metrics import clustering_accuracy

    return clustering_accuracy(y, labels)


def write(part: str, rows: list[dict[str, Any]], text: str) -> None:
    print(text, flush=True)
    write_csv(RESULTS / f"rpma_{part}.csv", rows)
    (RESULTS / f"rpma_{part}.md").write_text(f"{PARTS[part].__doc__}\n\n{text}\n{machine()}\n")


PARTS: dict[str, Callable[[int], None]] = {
    "kernel": part_kernel,
    "solvers": part_solvers,
    "large": part_large,
    "features": part_features,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=CHOSEN)
    chosen = parser.parse_args()
    CHOSEN[:] = chosen.models
    numba.set_num_threads(1)
    with threadpool_limits(limits=1):
        for part in chosen.parts:
            PARTS[part](chosen.nodes)
