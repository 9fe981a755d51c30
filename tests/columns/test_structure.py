"""The structure target against its definition, and on every form of a table."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from sksieve import GreedyCSS, IterFS
from sksieve.columns import _structure
from sksieve.datasets import make_cells
from sksieve.graphs import graph_eigenpairs, knn_graph

TABLES = {
    "wine": lambda: load_wine().data,
    "breast cancer": lambda: load_breast_cancer().data,
    "iris": lambda: load_iris().data,
    "diabetes": lambda: load_diabetes().data,
    "digits, wide": lambda: load_digits().data[:50],
}


def standardized(X):
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, np.inf)


def graph_block(P):
    n = len(P)
    E = graph_eigenpairs(knn_graph(P, min(7, n - 1)), min(n - 1, 61)).vectors[:, 1:]
    E = np.linalg.qr(E - E.mean(0))[0]
    return E / np.sqrt(np.arange(1, E.shape[1] + 1))


def definition(Z):
    """T of shape (n, t)."""
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    U, s = U[:, s > 1e-6 * s[0]], s[s > 1e-6 * s[0]]
    blocks = [
        (0.8, graph_block(U[:, :15] * s[:15])),
        (0.8, graph_block(U[:, :20])),
        (1, U * s**0.8),
    ]
    return np.hstack([weight * T / np.linalg.norm(T) for weight, T in blocks])


@pytest.mark.parametrize("name", TABLES)
def test_columns_errors_and_products_are_those_of_the_definition(name):
    X = TABLES[name]()
    Z = standardized(X)
    A, k = Z / np.sqrt(len(Z)), min(6, X.shape[1] - 1)
    T = definition(Z)
    eigen = _structure.components_of_gram(A.T @ A, A if len(A) < A.shape[1] else None)
    center, length = X.mean(axis=0), np.sqrt(len(X)) * np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    target = _structure.structure_target(X, len(X), center, length, eigen)
    np.testing.assert_allclose(target.rows @ target.rows.T, A.T @ T @ T.T @ A, atol=1e-8)
    assert target.norm2 == pytest.approx((T**2).sum(), rel=1e-12)
    expected = IterFS(k, ridge=0.5, init="greedy", random_state=0).fit(Z, target=T)
    est = IterFS(k, init="greedy", random_state=0).fit(X, target="structure")
    assert sorted(est.ranking_[:k]) == sorted(expected.ranking_[:k])
    assert est.objective_ == pytest.approx(expected.objective_, abs=1e-8)
    assert est.target_ == "structure"
    assert 1 <= est.error_ratio_ <= expected.error_ratio_ * 1.05


@pytest.mark.parametrize("solver", ["gram", "factored"])
def test_sparse_is_dense(solver):
    X = make_cells(300, 80, 4, mean_counts=60, random_state=0)
    dense, sparse = (
        IterFS(8, solver=solver, init="greedy", random_state=0).fit(table, target="structure")
        for table in (X.toarray(), X)
    )
    assert sorted(dense.ranking_[:8]) == sorted(sparse.ranking_[:8])
    assert dense.objective_ == pytest.approx(sparse.objective_, rel=1e-4)


def test_stores_are_arrays(tmp_path):
    h5py = pytest.importorskip("h5py")
    array = pytest.importorskip("dask.array")
    X = load_breast_cancer().data
    plain = GreedyCSS(5).fit(X, target="structure")
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file["X"] = X
        for table in (file["X"], array.from_array(X, chunks=(100, 30))):
            for solver in ("gram", "factored"):
                est = GreedyCSS(5, solver=solver).fit(table, target="structure")
                np.testing.assert_array_equal(est.ranking_[:5], plain.ranking_[:5])


def test_a_sample_of_rows_stands_for_a_long_table(monkeypatch):
    """Products estimated from a third of the rows choose columns almost as good."""
    X = load_digits().data
    full = IterFS(10, init="greedy", random_state=0).fit(X, target="structure")
    T = definition(standardized(X))
    monkeypatch.setattr(_structure, "MAX_ROWS", 600)
    est = IterFS(10, init="greedy", random_state=0).fit(X, target="structure")
    assert len(_structure.sampled_rows(len(X))) == 600
    kept = IterFS(10, ridge=0.5, keep=est.ranking_[:10]).fit(X, target=T)
    gain = full.error_path_[0] - full.objective_
    assert kept.error_path_[0] - kept.objective_ >= 0.95 * gain


def test_leading_components_stand_for_all(monkeypatch):
    X = load_digits().data
    full = IterFS(10, init="greedy", random_state=0).fit(X, target="structure")
    monkeypatch.setattr(_structure, "EXACT_SIDE", 10)
    monkeypatch.setattr(_structure, "COMPONENTS", 40)
    est = IterFS(10, init="greedy", random_state=0).fit(X, target="structure")
    assert len(np.intersect1d(est.ranking_[:10], full.ranking_[:10])) >= 9
    assert est.error_ratio_ >= 1


def test_what_has_no_structure_target_is_refused():
    X = load_wine().data
    with pytest.raises(ValueError, match='target="structure" needs scale="standard"'):
        GreedyCSS(3, scale="unit").fit(X, target="structure")
    with pytest.raises(ValueError, match="needs X as a table in memory or on disk"):
        GreedyCSS(3).fit(iter([X]), target="structure")
    assert GreedyCSS(3).fit(X).objective_ == GreedyCSS(3, ridge=0.0).fit(X).objective_


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
def test_cells_in_an_annotated_table(form, tmp_path):
    """In memory, in a layer, and read in blocks from a file."""
    anndata = pytest.importorskip("anndata")
    X = make_cells(120, 40, random_state=0).toarray().astype(float)
    expected = IterFS(6, init="greedy").fit(X, target="structure").ranking_[:6].tolist()
    adata = anndata.AnnData(form(X), layers={"again": form(X)})
    adata.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    for table, layer in ((adata, None), (adata, "again"), (backed, None)):
        est = IterFS(6, init="greedy").fit(table, target="structure", layer=layer)
        assert est.ranking_[:6].tolist() == expected
        assert est.target_ == "structure"
