"""Speed of wide, long and large tables and graphs: each row with its rival, in one run.

    python benchmarks/speed_rows.py [--rows 1 2 ...]

One thread, CPU seconds of the second call; the first one, which compiles or loads kernels, is
reported beside it, and where it takes more than 20 s there is no second. "Before" is what was
measured before the work on that row; rivals ran in the same run as the rest. Rows are stored one by
one in ``results/speed.csv``; ``results/speed.md`` is written from all that are there.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

import sksieve
from _common import CACHE, RESULTS, machine, markdown, run_rivals, write_csv
from neighbors import clouds
from sksieve.datasets import load, make_sbm
from sksieve.graphs import find_neighbors
from sksieve.graphs._neighbors import distance_of_kth
from sksieve.metrics import reconstruction_error
from sksieve.solvers._forward import ThinRows, greedy

K = 50
#: Seconds of a first call from which there is no second one.
LONG = 20.0
COLUMNS = ["row", "what", "method", "first", "seconds", "memory", "result", "before"]


class Line(NamedTuple):
    """One method on one table."""

    what: str
    method: str
    first: float
    seconds: float
    memory: float  # MB of resident memory that the calls added at their peak
    result: str
    before: str = ""


def measured(
    what: str, method: str, work: Callable[[], Any], result: Callable[[Any], str], before: str = ""
) -> Line:
    held, seconds = _peak(), []
    while len(seconds) < 2 and sum(seconds) < LONG:
        started = process_time()
        answer = work()
        seconds.append(process_time() - started)
    return Line(what, method, seconds[0], seconds[-1], _peak() - held, result(answer), before)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def low_rank(m: int, n: int, rank: int = 30) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n)) + rng.standard_normal(
        (m, n)
    )


def _error(A: np.ndarray) -> Callable[[Any], str]:
    return lambda S: (
        f"{reconstruction_error(A, S, scale='none') / (A**2).sum():.4f} of the variance"
    )


def _standard(X: np.ndarray) -> np.ndarray:
    A = X - X.mean(axis=0)
    length = np.linalg.norm(A, axis=0)
    return A / np.where(length > 1e-12, length, 1.0)


def _chosen(est: Any) -> np.ndarray:
    return est.ranking_[: est.n_features_to_select_]


def numpy_greedy(A: np.ndarray, k: int) -> list[int]:
    """Exact forward selection in a dozen lines: the residual table, updated."""
    E, S = A.copy(), []
    for _ in range(k):
        C = E @ E.T
        r = np.einsum("ij,ij->j", E, E)
        gain = np.divide(np.einsum("ij,ij->j", C @ E, E), r, out=np.zeros(len(r)), where=r > 1e-10)
        S.append(int(gain.argmax()))
        q = E[:, S[-1]] / np.sqrt(r[S[-1]])
        E -= np.outer(q, q @ E)
    return S


def few_rows(X: np.ndarray, name: str, searches: bool, before: dict[str, str]) -> Iterator[Line]:
    A, text = _standard(X), _error(_standard(X))
    own: list[tuple[str, Callable[[], Any]]] = [
        ("GreedyCSS", lambda: _chosen(sksieve.GreedyCSS(K).fit(X))),
    ]
    if searches:
        own += [
            ("IterFS", lambda: _chosen(sksieve.IterFS(K, random_state=0).fit(X))),
            (
                "IteratedLocalSearchCSS",
                lambda: _chosen(sksieve.IteratedLocalSearchCSS(K, random_state=0).fit(X)),
            ),
        ]
    for method, work in own:
        yield measured(name, method, work, text, before.get(method, ""))
    yield measured(
        name, "its search alone", lambda: greedy(ThinRows(A), K, np.ones(A.shape[1], bool))[0], text
    )
    yield measured(name, "greedy in NumPy", lambda: numpy_greedy(A, K), text)
    for rival in run_rivals(CACHE, A, K, ["fastcan"])["results"]:
        if "refused" in rival:
            print(rival)
            continue
        yield Line(
            name, "fastcan", rival["seconds"], rival["seconds"], np.nan, text(rival["indices"])
        )


def _lung_gordon() -> np.ndarray:
    path = Path(os.environ.get("SKSIEVE_DATA", "../shared/data")) / "lung_gordon.npz"
    return np.asarray(np.load(path)["X"], dtype=float)


def row_1() -> Iterator[Line]:
    yield from few_rows(low_rank(72, 7000), "72 x 7000", False, {"GreedyCSS": "2.73"})
    yield from few_rows(low_rank(200, 20_000), "200 x 20 000", False, {"GreedyCSS": "7.1"})


def row_2() -> Iterator[Line]:
    X = _lung_gordon()
    before = {"IterFS": "4.0", "IteratedLocalSearchCSS": "9.0", "GreedyCSS": "4.0"}
    yield from few_rows(X, "lung_gordon, 181 x 12 533", True, before)


def _gauss(n: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, 50))


def row_4() -> Iterator[Line]:
    """The search for 10 neighbors; the share found is that of 1000 rows."""
    k = 10
    for name, make, n in (
        ("ten clouds", clouds, 10**5),
        ("ten clouds", clouds, 10**6),
        ("one cloud", _gauss, 10**5),
    ):
        X, what = make(n), f"{name}, {n:,} x 50"
        rows = np.random.RandomState(1).permutation(n)[:1000]
        limit = distance_of_kth(X, rows, k)[:, None] * (1 + 1e-9)

        def text(indices: Any, X: np.ndarray = X, rows: Any = rows, limit: Any = limit) -> str:
            squared = ((X[rows, None] - X[indices[rows]]) ** 2).sum(axis=2)
            return f"{(squared <= limit).mean():.1%} of the neighbors"

        for how in ("approximate", "exact")[: 2 if name == "ten clouds" and n == 10**5 else 1]:
            yield measured(
                what,
                f"find_neighbors, {how}",
                lambda X=X, how=how: find_neighbors(X, k, how).indices,
                text,
            )


def row_5() -> Iterator[Line]:
    A, y = make_sbm(100_000, 10, 16 / 1e4, 4 / 9e4, random_state=0)[:2]
    what = f"graph of {A.nnz // 2:,} edges, 10 planted communities"

    def text(labels: Any) -> str:
        return f"{len(np.unique(labels))} communities, ARI {adjusted_rand_score(y, labels):.3f}"

    yield measured(what, "communities", lambda: sksieve.communities(A).labels, text, "98")
    try:
        import igraph
    except ImportError:
        return
    i, j = A.nonzero()
    G = igraph.Graph(A.shape[0], np.column_stack([i, j])[i < j].tolist())
    yield measured(
        what, "igraph's Louvain", lambda: np.array(G.community_multilevel().membership), text
    )
    from leidenalg import ModularityVertexPartition, find_partition

    yield measured(
        what,
        "leidenalg",
        lambda: np.array(find_partition(G, ModularityVertexPartition, seed=0).membership),
        text,
    )


def row_6() -> Iterator[Line]:
    """Defaults of the classes on graphs whose number of communities is given."""
    from communities_default import graph

    for name in ("email_eu_core", "cora"):
        A, y = graph(name, 0)
        for cls in (
            sksieve.SpectralGraph,
            sksieve.SpectralCommunities,
            sksieve.SPMA,
            sksieve.BPMA,
            sksieve.PPMA,
        ):
            yield measured(
                f"{name}, {A.nnz // 2:,} edges, {len(np.unique(y))} communities",
                cls.__name__,
                lambda cls=cls, A=A, y=y: cls(
                    len(np.unique(y)), affinity="precomputed", random_state=0
                ).fit_predict(A),
                lambda labels, y=y: f"ARI {adjusted_rand_score(y, labels):.3f}",
                ".08" if name == "email_eu_core" and cls.__name__.endswith("PMA") else "",
            )


def row_8() -> Iterator[Line]:
    X = np.random.default_rng(0).standard_normal((10**6, 100), dtype=np.float32)
    what = "10^6 x 100 float32, 10 columns"

    def text(est: Any) -> str:
        return f"columns {', '.join(map(str, sorted(_chosen(est))))}"

    yield measured(what, "GreedyCSS", lambda: sksieve.GreedyCSS(10).fit(X), text)
    yield measured(what, "AlignedColumns", lambda: sksieve.AlignedColumns(10).fit(X), text, "11.2")


def row_9() -> Iterator[Line]:
    iris = load_iris(as_frame=True).data
    yield measured(
        "iris", "select", lambda: sksieve.select(iris), lambda r: f"{len(r.columns)} columns", ".69"
    )
    for m, n, before in ((10_000, 5000, "34.8"), (500, 20_000, "19.2")):
        X, what = low_rank(m, n), f"{m} x {n}"
        A = _standard(X)
        yield measured(
            what,
            "IteratedLocalSearchCSS",
            lambda X=X: _chosen(sksieve.IteratedLocalSearchCSS(K, random_state=0).fit(X)),
            _error(A),
        )
        yield measured(
            what,
            "select",
            lambda X=X: [int(c) for c in sksieve.select(X, K).indices],
            _error(A),
            before,
        )


def row_10() -> Iterator[Line]:
    X = load("warpPIE10P").X.astype(float)
    for budget in (0.08, 0.5):
        walls = []

        def work(budget: float = budget, walls: list[float] = walls) -> Any:
            started = perf_counter()
            est = sksieve.IteratedLocalSearchCSS(K, time_budget=budget, random_state=0).fit(X)
            walls.append(perf_counter() - started)
            return est

        yield measured(
            f"warpPIE10P, budget {budget} s",
            "IteratedLocalSearchCSS",
            work,
            lambda est, walls=walls: (
                f"error ratio {est.error_ratio_:.3f}, {walls[-1]:.2f} s by the clock"
            ),
            "1.27" if budget < 0.1 else "",
        )


def row_11() -> Iterator[Line]:
    X = load("warpPIE10P").X.astype(float)
    for cls in (sksieve.POCSS, sksieve.IterFS, sksieve.IteratedLocalSearchCSS):
        yield measured(
            f"warpPIE10P, k = {K}",
            cls.__name__,
            lambda cls=cls: cls(K, random_state=0).fit(X),
            lambda est: f"error ratio {est.error_ratio_:.3f}",
            "31" if cls is sksieve.POCSS else "",
        )


def row_12() -> Iterator[Line]:
    X = make_blobs(1000, 10, centers=5, random_state=0)[0]
    for number in ("auto", 5):
        yield measured(
            "1000 x 10, five clouds",
            f"ClusterChoice({number!r})",
            lambda number=number: sksieve.ClusterChoice(number, random_state=0).fit(X),
            lambda est: f"{len(np.unique(est.labels_))} groups",
            "2.7" if number == "auto" else ".15",
        )


def row_13() -> Iterator[Line]:
    X = load("USPS").X.astype(float)
    for seed in range(3):
        yield measured(
            f"USPS, k = {K}, unit, seed {seed}",
            "IteratedLocalSearchCSS",
            lambda seed=seed: sksieve.IteratedLocalSearchCSS(
                K, scale="unit", random_state=seed
            ).fit(X),
            lambda est: f"error ratio {est.error_ratio_:.4f}",
        )


def row_15() -> Iterator[Line]:
    before = {"ORL": "f + 0.86 %", "warpPIE10P": "f + 1.38 %"}
    for name in ("ORL", "warpPIE10P", "madelon", "lung_gordon"):
        X = _lung_gordon() if name == "lung_gordon" else load(name).X.astype(float)
        for solver in ("gram", "factored"):
            yield measured(
                f"{name}, k = {K}",
                f"IteratedLocalSearchCSS, {solver}",
                lambda X=X, solver=solver: sksieve.IteratedLocalSearchCSS(
                    K, random_state=0, solver=solver
                ).fit(X),
                lambda est: f"f = {est.objective_:.6g}",
                before.get(name, "") if solver == "factored" else "",
            )


ROWS: dict[str, Callable[[], Iterator[Line]]] = {
    name.removeprefix("row_"): work for name, work in globals().items() if name.startswith("row_")
}


def stored(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def report(lines: list[dict[str, Any]]) -> str:
    def cell(line: dict[str, Any], name: str) -> str:
        value = line[name]
        if name in ("first", "seconds"):
            return f"{float(value):.3g}"
        if name == "memory":
            return "" if value in ("nan", "") else f"{float(value):.0f}"
        return str(value)

    head = [
        "row",
        "data",
        "method",
        "first call, CPU s",
        "second, CPU s",
        "memory, MB",
        "result",
        "before, s",
    ]
    return markdown(head, ([cell(line, name) for name in COLUMNS] for line in lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), default=None)
    rows = parser.parse_args().rows or list(ROWS)
    path = RESULTS / "speed.csv"
    warnings.simplefilter("ignore")
    for row in rows:
        with threadpool_limits(1):
            new = [{"row": row, **line._asdict()} for line in ROWS[row]()]
        print(report(new), flush=True)
        lines = [line for line in stored(path) if line["row"] != row] + new
        lines.sort(key=lambda line: int(line["row"]))
        write_csv(path, lines)
        (RESULTS / "speed.md").write_text(
            f"# Speed, row by row\n\n{(__doc__ or '').split(chr(10) * 2)[2].strip()}\n\n"
            f"{machine()}\n\n<!-- tables -->\n\n{report(lines)}"
        )


if __name__ == "__main__":
    main()
