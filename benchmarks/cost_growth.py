"""How time and memory grow: every recommended method and public rivals, against n and d.

    python benchmarks/cost_growth.py [--methods greedy spectral ...] [--seconds 30] [--redo]

Every ladder of sizes is a process of its own with one thread, a limit on memory and, at each size,
on the CPU seconds. Seconds are those of the processor without importing, compiling and
making the data; memory is the growth of the resident memory beside the data. A method stops at the
first size that it does not finish, or that its last two points say it would not. Points measured
before are kept (``--redo`` measures again). Writes ``results/cost_growth.csv`` and ``.md``; the
rivals need fastcan, skmatter, networkx, igraph and leidenalg.
"""

from __future__ import annotations

import argparse
import csv
import gc
import inspect
import json
import os
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from _common import RESULTS, machine, markdown, write_csv

CSV = RESULTS / "cost_growth.csv"
MEMORY = 6e9  # bytes a process may take
KINDS = {"size": int, "n": int, "d": int, "seconds": float, "memory": float}
Row = dict[str, Any]

#: Parameters that are not defaults; the others of a method that it accepts are in `COMMON`.
COMMON = {"n_features_to_select": 10, "n_clusters": 10, "random_state": 0}
GIVEN: dict[str, dict[str, Any]] = {
    "exact": {"n_features_to_select": 4},
}

#: Words for the two sizes of a family, the fixed value of the other one, and the ladders.
LADDER = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


class Family(NamedTuple):
    """Methods measured on the same data, and what they are measured against."""

    title: str
    methods: tuple[str, ...]
    rivals: tuple[str, ...]
    words: tuple[str, str]
    fixed: tuple[int, int]
    most: tuple[int, int]
    least: tuple[int, int]


FAMILIES = {
    "columns": Family(
        "Selecting 10 columns (`exact`: 4) of a table with n rows and d columns",
        (
            "greedy", "local_search", "pocss", "exact", "mixed", "correlated", "choice", "aligned",
            "blufs",
        ),
        ("fastcan", "CUR", "pivoted QR", "FeatureAgglomeration"),
        ("n", "d"),
        (1000, 50),
        (1_000_000, 10_000),
        (1000, 30),
    ),
    "clusters": Family(
        "10 clusters of n samples in d dimensions",
        ("cluster_choice", "spectral", "smce", "l1graph", "srsg"),
        ("KMeans", "HDBSCAN", "SpectralClustering"),
        ("n", "d"),
        (1000, 50),
        (300_000, 10_000),
        (1000, 30),
    ),
    "graphs": Family(
        "Communities of a sparse graph with n vertices of mean degree 20 and K planted groups",
        ("spectral_communities", "leiden", "spma", "bpma"),
        ("igraph's Louvain", "leidenalg", "networkx's Louvain", "SpectralClustering"),
        ("n", "K"),
        (3000, 10),
        (300_000, 100),
        (1000, 10),
    ),
}  # fmt: skip


def sizes(family: Family, axis: int) -> list[tuple[int, int]]:
    """The points of one axis: first rows (vertices), then columns (groups)."""
    ladder = (3, 10, 30, *LADDER)
    values = [v for v in ladder if family.least[axis] <= v <= family.most[axis]]
    if axis == 0:
        return [(v, family.fixed[1]) for v in values]
    return [(family.fixed[0], v) for v in values]


# One ladder, in a process of its own --------------------------------------------------------------


def make_data(family: str, n: int, d: int) -> Any:
    if family == "graphs":
        from sksieve.datasets import make_sbm

        return make_sbm(n, d, 15 * d / n, 5 * d / (n * (d - 1)), random_state=0)[0]
    rng = np.random.RandomState(0)
    centers = 3 * rng.standard_normal((10, 12))
    Z = centers[rng.randint(10, size=n)] + rng.standard_normal((n, 12))
    X = Z @ rng.standard_normal((12, d))
    X += 0.5 * rng.standard_normal((n, d))
    X /= X.std(axis=0)
    return X


def fastcan(X: np.ndarray, d: int) -> Any:
    """Targets: the leading principal components; its faster method where it applies."""
    from fastcan import FastCan
    from sklearn.decomposition import PCA

    k = COMMON["n_features_to_select"]
    targets = PCA(k, random_state=0).fit_transform(X)
    return FastCan(k, eta=len(X) > X.shape[1] + k, verbose=0).fit(X, targets)


def cur(X: np.ndarray, d: int) -> Any:
    from skmatter.feature_selection import CUR

    return CUR(n_to_select=COMMON["n_features_to_select"]).fit(X)


def pivoted_qr(X: np.ndarray, d: int) -> Any:
    """All columns are ordered: LAPACK's function knows no number to stop at."""
    from scipy.linalg import qr

    return qr(X, mode="r", pivoting=True)


def feature_agglomeration(X: np.ndarray, d: int) -> Any:
    from sklearn.cluster import FeatureAgglomeration

    return FeatureAgglomeration(COMMON["n_features_to_select"]).fit(X)


def kmeans(X: np.ndarray, d: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(COMMON["n_clusters"], random_state=0).fit(X)


def hdbscan(X: np.ndarray, d: int) -> Any:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(copy=True).fit(X)


def spectral_clustering(X: Any, d: int) -> Any:
    from sklearn.cluster import SpectralClustering

    if hasattr(X, "tocsr"):
        import scipy.sparse as sp

        A = sp.csr_matrix(X)  # 64 bit indices are refused
        A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
        return SpectralClustering(d, affinity="precomputed", random_state=0).fit(A)
    return SpectralClustering(
        COMMON["n_clusters"], affinity="nearest_neighbors", random_state=0
    ).fit(X)


def networkx_louvain(graph: Any, d: int) -> Any:
    """The graph is made before the clock starts: see `prepared`."""
    import networkx as nx

    return nx.community.louvain_communities(graph, seed=0)


def igraph_louvain(graph: Any, d: int) -> Any:
    return graph.community_multilevel()


def leidenalg(graph: Any, d: int) -> Any:
    import leidenalg

    return leidenalg.find_partition(graph, leidenalg.ModularityVertexPartition, seed=0)


RIVALS: dict[str, Callable[[Any, int], Any]] = {
    "fastcan": fastcan,
    "CUR": cur,
    "pivoted QR": pivoted_qr,
    "FeatureAgglomeration": feature_agglomeration,
    "KMeans": kmeans,
    "HDBSCAN": hdbscan,
    "SpectralClustering": spectral_clustering,
    "igraph's Louvain": igraph_louvain,
    "leidenalg": leidenalg,
    "networkx's Louvain": networkx_louvain,
}


def prepared(name: str, X: Any) -> Any:
    """The graph in the form that the package of a rival takes."""
    if name == "networkx's Louvain":
        import networkx as nx

        return nx.from_scipy_sparse_array(X)
    if name in ("igraph's Louvain", "leidenalg"):
        import igraph
        import scipy.sparse as sp

        above = sp.triu(X, 1).tocoo()
        return igraph.Graph(X.shape[0], np.column_stack([above.row, above.col]))
    return X


def estimator(family: str, name: str, d: int) -> Any:
    from sksieve.catalogue import get_method

    cls = get_method(name).load()
    given = {
        **COMMON,
        **({"affinity": "precomputed", "n_clusters": d} if family == "graphs" else {}),
    }
    given |= GIVEN.get(name, {})
    accepted = inspect.signature(cls).parameters
    return cls(**{key: value for key, value in given.items() if key in accepted})


def task(family: str, name: str, d: int) -> Callable[[Any], Any]:
    if name in RIVALS:
        return lambda X: RIVALS[name](X, d)
    return lambda X: estimator(family, name, d).fit(X)


def measure(run: Callable[[Any], Any], X: Any, seconds: float) -> Row:
    """One fit, ended by a signal after so many CPU seconds."""
    from sksieve.evaluation._cost import Meter

    gc.collect()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    limit = int(usage.ru_utime + usage.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
    try:
        with Meter() as meter:
            run(X)
        cost = meter.cost
        if cost.cpu < 0.5:  # what is short is measured again, now that all of it is compiled
            with Meter() as meter:
                run(X)
    except (MemoryError, ValueError) as error:
        return {"status": f"refused: {error}"}
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))  # making the next data does not count
    return {"seconds": meter.cost.cpu, "memory": (cost.memory or 0.0) / 1e6, "status": "ok"}


def ladder(family: str, name: str, axis: int, seconds: float, before: list[Row]) -> None:
    """The points of one axis that are not in `before`, a line of JSON each, while there is hope."""
    from sksieve.graphs._search import EXACT_WORK, find_neighbors

    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_DATA, (int(MEMORY), int(MEMORY)))
    small = {"columns": (200, 30), "clusters": (300, 10), "graphs": (300, 3)}[family]
    task(family, name, small[1])(prepared(name, make_data(family, *small)))  # imports, compiles
    done = {row["size"]: row for row in before}
    before = []
    for n, d in sizes(FAMILIES[family], axis):
        size = (n, d)[axis]
        if hopeless(before, size, seconds):
            return
        row = done.get(size)
        if row is None:
            if family != "graphs" and n * n * d > EXACT_WORK and name not in RIVALS:
                find_neighbors(make_data(family, 2000, 50), 10, "approximate")  # compiles
            row = {"size": size, "n": n, "d": d, "seconds": None, "memory": None}
            print(json.dumps(row), flush=True)
            row |= measure(task(family, name, d), prepared(name, make_data(family, n, d)), seconds)
            print(json.dumps(row), flush=True)
        before.append(row)


# All points ---------------------------------------------------------------------------------------


def kept() -> list[Row]:
    if not CSV.exists():
        return []
    with CSV.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for name, kind in KINDS.items():
            row[name] = kind(row[name]) if row[name] else None
    return rows


def hopeless(before: list[Row], size: int, seconds: float) -> bool:
    """Whether the last points say that this size takes longer than the limit."""
    done = [r for r in before if r["status"] == "ok"]
    if before and before[-1]["status"] != "ok":
        return True
    if len(done) < 2 or done[-1]["seconds"] < 0.3:
        return False
    last, last_but_one = done[-1], done[-2]
    slope = np.log(last["seconds"] / last_but_one["seconds"])
    slope /= np.log(last["size"] / last_but_one["size"])
    return last["seconds"] * (size / last["size"]) ** max(slope, 1.0) > seconds


def climb(name: str, family: str, rows: list[Row], seconds: float) -> None:
    """Both axes of one method, each in a process that may be ended by its limits."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    for axis, word in enumerate(FAMILIES[family].words):
        key = {"family": family, "method": name, "axis": word}
        before = [r for r in rows if r.items() >= key.items()]
        words = json.dumps([family, name, axis, seconds, before])
        started: Row = {}
        with subprocess.Popen(
            [sys.executable, __file__, "--ladder", words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | threads | {"NUMBA_NUM_THREADS": "1"},
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            for line in process.stdout:
                started = key | json.loads(line)
                if "status" in started:
                    keep(rows, started)
            complaint = process.stderr.read()
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            keep(rows, started | {"status": f"over {seconds:g} s"})
        elif process.returncode:
            raise RuntimeError(f"{name}, {started}: {complaint[-2000:]}")


def keep(rows: list[Row], row: Row) -> None:
    rows.append(row)
    print(row, flush=True)
    write_csv(CSV, sorted(rows, key=place))


def place(row: Row) -> tuple[Any, ...]:
    facts = FAMILIES[row["family"]]
    names = (*facts.methods, *facts.rivals)
    return (
        list(FAMILIES).index(row["family"]),
        names.index(row["method"]),
        facts.words.index(row["axis"]),
        row["size"],
    )


# The page -----------------------------------------------------------------------------------------


def exponent(rows: Iterable[Row], value: str, least: float) -> str:
    """Slope of log(value) on log(size) over the last three points that are at least `least`."""
    points = [(r["size"], r[value]) for r in rows if r["status"] == "ok" and r[value] >= least][-3:]
    if len(points) < 3:
        return "-"
    size, measured = np.log(np.array(points, dtype=float)).T
    return f"{np.polyfit(size, measured, 1)[0]:.1f}"


def largest(rows: list[Row], most: int) -> str:
    """Largest size finished, with its seconds; a plus where the ladder ended there."""
    done = [r for r in rows if r["status"] == "ok"]
    if not done:
        return "-"
    last = done[-1]
    sign = "+" if last["size"] == most else ""
    return f"{last['size']:,}{sign}: {last['seconds']:.2g} s, {last['memory']:,.0f} MB"


def tables(rows: list[Row]) -> str:
    text = []
    for family, facts in FAMILIES.items():
        first, second = facts.words
        head = ["method", f"time in {first}", f"memory in {first}", f"largest {first}"]
        head += [f"time in {second}", f"memory in {second}", f"largest {second}"]
        lines = []
        for name in (*facts.methods, *facts.rivals):
            cells = [f"*{name}*" if name in RIVALS else f"`{name}`"]
            for axis, word in enumerate(facts.words):
                mine = [
                    r for r in rows if (r["family"], r["method"], r["axis"]) == (family, name, word)
                ]
                cells += [exponent(mine, "seconds", 0.02), exponent(mine, "memory", 5.0)]
                cells.append(largest(mine, sizes(facts, axis)[-1][axis]))
            lines.append(cells)
        fixed = f"The axis of {first} has {second} = {facts.fixed[1]}, that of {second} "
        fixed += f"{first} = {facts.fixed[0]:,}."
        text += [f"## {facts.title}", "", fixed, "", markdown(head, lines)]
    return "\n".join(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = sorted({m for f in FAMILIES.values() for m in (*f.methods, *f.rivals)})
    parser.add_argument("--methods", nargs="*", choices=names, default=names)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--redo", action="store_true")
    parser.add_argument("--ladder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ladder:
        ladder(*json.loads(options.ladder))
        return
    rows = [r for r in kept() if not (options.redo and r["method"] in options.methods)]
    for family, facts in FAMILIES.items():
        for name in (*facts.methods, *facts.rivals):
            if name in options.methods:
                climb(name, family, rows, options.seconds)
    rows.sort(key=place)
    text = f"# How cost grows\n\n{machine()}\n\n<!-- tables -->\n\n{tables(rows)}"
    (RESULTS / "cost_growth.md").write_text(text)


if __name__ == "__main__":
    main()
