"""Genes of blood cells: column subsets beside scanpy's three flavors of highly variable genes.

    python benchmarks/hvg.py            # in an environment with scanpy and scikit-misc

Data: ``pbmc68k_reduced_counts`` (700 cells, 765 genes), counts normalized per cell and log1p. Every
method chooses k genes on a random half of the cells, the other half judges them; mean of 5 splits:

* explained: share of the variance of the standardized table that a linear reconstruction from the
  chosen genes explains, and the same as a part of what PCA with k components explains;
* neighbors: share of the 10 nearest neighbors in all standardized genes that the chosen find;
* labels: 5-nearest-neighbor accuracy and NMI of k-means (10 groups, 10 starts) with the cell types.

The labels choose nothing. Writes ``results/hvg.csv`` and prints the table of ``results/hvg.md``.
"""

from __future__ import annotations

import argparse
import warnings
from importlib.metadata import version
from pathlib import Path
from time import process_time

import anndata
import numpy as np
import pandas as pd
import scanpy
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from sksieve import GreedyCSS, IteratedLocalSearchCSS, IterFS, VarianceRank
from sksieve.anndata import select_columns
from sksieve.datasets import load
from sksieve.metrics import knn_accuracy, neighborhood_preservation

RESULTS = Path(__file__).parent / "results" / "hvg.csv"
FIELDS = [
    *("method", "k", "explained", "part_of_pca", "neighbors", "knn_accuracy", "nmi"),
    "cpu_seconds",
]
SPLITS = 5


def scanpy_flavor(flavor):
    def choose(adata, k):
        layer = "counts" if flavor == "seurat_v3" else None
        scanpy.pp.highly_variable_genes(adata, layer=layer, n_top_genes=k, flavor=flavor)

    return choose


def selector(make, target=None):
    def choose(adata, k):
        if target is None:
            select_columns(adata, make(k))
            return
        est = make(k).fit(np.asarray(adata.X.toarray(), dtype=float), target=target)
        adata.var["highly_variable"] = est.get_support()

    return choose


def weighted(adata, k):
    """Each gene counts by its variance: what is explained is the centered table, not scaled."""
    X = np.asarray(adata.X.toarray(), dtype=float)
    est = greedy_start(k).fit(X, column_weight=X.var(axis=0))
    adata.var["highly_variable"] = est.get_support()


def random(seed):
    def choose(adata, k):
        chosen = np.random.default_rng(seed).choice(adata.n_vars, k, replace=False)
        adata.var["highly_variable"] = np.isin(np.arange(adata.n_vars), chosen)

    return choose


def greedy_start(k):
    return IterFS(k, init="greedy", random_state=0)


METHODS = {
    "random genes": random(0),
    "scanpy seurat": scanpy_flavor("seurat"),
    "scanpy cell_ranger": scanpy_flavor("cell_ranger"),
    "scanpy seurat_v3": scanpy_flavor("seurat_v3"),
    "VarianceRank": selector(VarianceRank),
    "GreedyCSS": selector(GreedyCSS),
    "IterFS": selector(greedy_start),
    "IteratedLocalSearchCSS": selector(lambda k: IteratedLocalSearchCSS(k, random_state=0)),
    "IterFS, column_weight=variance": weighted,
    'IterFS, target="kernel"': selector(greedy_start, "kernel"),
    'IterFS, target="structure"': selector(greedy_start, "structure"),
}


def judge(Z, S, y):
    """What the genes S of a standardized table keep."""
    singular = np.linalg.svd(Z, compute_uv=False) ** 2
    Q = np.linalg.qr(Z[:, S])[0]
    share = ((Q.T @ Z) ** 2).sum() / singular.sum()
    groups = [KMeans(10, n_init=1, random_state=seed).fit_predict(Z[:, S]) for seed in range(10)]
    return {
        "explained": share,
        "part_of_pca": share / (singular[: len(S)].sum() / singular.sum()),
        "neighbors": neighborhood_preservation(Z, S),
        "knn_accuracy": knn_accuracy(Z, y, S, n_repeats=20, random_state=0).mean(),
        "nmi": np.mean([normalized_mutual_info_score(y, one) for one in groups]),
    }


def split(counts, y, seed):
    """A half to choose on, as AnnData; and the other half, standardized, with its labels."""
    adata = anndata.AnnData(counts.copy())
    adata.layers["counts"] = counts.copy()
    scanpy.pp.normalize_total(adata)
    scanpy.pp.log1p(adata)
    order = np.random.default_rng(seed).permutation(adata.n_obs)
    half = np.array_split(order, 2)
    Z = adata.X[half[1]].toarray().astype(float)
    Z -= Z.mean(axis=0)
    Z /= np.maximum(Z.std(axis=0), 1e-12)
    return adata[half[0]].copy(), Z, y[half[1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--k", type=int, nargs="+", default=[20, 50, 100])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # genes that do not vary in one half
    cells = load("pbmc68k_reduced_counts")
    counts = sp.csr_matrix(cells.X, dtype=np.float32)
    rows = []
    for seed in range(SPLITS):
        adata, Z, y = split(counts, np.asarray(cells.y), seed)
        for k in arguments.k:
            for name in arguments.methods:
                choose = METHODS[name]
                started = process_time()
                choose(adata, k)
                seconds = process_time() - started
                S = np.flatnonzero(adata.var["highly_variable"])
                assert len(S) == k, (name, k, len(S))
                rows.append({"method": name, "k": k, **judge(Z, S, y), "cpu_seconds": seconds})
                print(
                    seed, {n: v if isinstance(v, str) else round(v, 3) for n, v in rows[-1].items()}
                )
    table = pd.DataFrame(rows).groupby(["k", "method"], sort=False).mean().reset_index()
    table = table[FIELDS].round(4)
    if len(arguments.methods) < len(METHODS):  # the others stay
        old = pd.read_csv(RESULTS)
        table = pd.concat([old[~old["method"].isin(arguments.methods)], table])
    table["order"] = table["method"].map(list(METHODS).index)
    table = table.sort_values(["k", "order"]).drop(columns="order")
    table.to_csv(RESULTS, index=False)
    print("scanpy", version("scanpy"))
    print("| k | genes by | explained | of PCA's | neighbors | 5-NN accuracy | NMI | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    for _, row in table.iterrows():
        shares = " | ".join(f"{100 * row[name]:.1f} %" for name in FIELDS[2:6])
        print(f"| {row.k} | {row.method} | {shares} | {row.nmi:.3f} | {row.cpu_seconds:.2f} |")


if __name__ == "__main__":
    main()
