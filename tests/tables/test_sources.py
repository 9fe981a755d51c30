"""Sources against the scaled table written out."""

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve.exceptions import DataError
from sksieve.tables import _sources, gram, moments
from sksieve.tables._sources import source_of

SCALES = ["standard", "unit", "none"]


def table(m=500, n=60, seed=0):
    """Counts: some columns dense, most sparse, one constant, one zero, one far from zero."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.gamma(0.3, 1.0, n), (m, n)).astype(float)
    X[:, 3] = 7.0
    X[:, 5] = 0.0
    X[:, 8] = 1e4 + rng.standard_normal(m)
    return X


def written_out(X, scale):
    center = X.mean(axis=0) if scale == "standard" else np.zeros(X.shape[1])
    A = X - center
    length = np.linalg.norm(A, axis=0)
    length[np.ptp(X, axis=0) == 0] = np.inf if scale == "standard" else 1
    if scale == "none":
        length[:] = 1
    elif scale == "unit":
        length = np.linalg.norm(A, axis=0)
    return A / np.where(length > 0, length, 1)


def forms(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    return {
        "dense": X,
        "memmap": np.load(tmp_path / "X.npy", mmap_mode="r"),
        "csr": sp.csr_array(X),
        "csr_matrix": sp.csr_matrix(X),
        "csc": sp.csc_array(X),
    }


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("form", ["dense", "memmap", "csr", "csr_matrix", "csc"])
def test_passes_are_products_with_the_scaled_table(form, scale, tmp_path, monkeypatch):
    monkeypatch.setattr(_sources, "BLOCK_ROWS", 128)  # several blocks, the last one short
    X = table()
    source = source_of(forms(X, tmp_path)[form], scale)
    A = written_out(X, scale)
    G = A.T @ A
    size = np.sqrt(np.outer(np.diag(G), np.diag(G))).max()
    np.testing.assert_allclose(source.norm2, np.diag(G), rtol=1e-10, atol=1e-12 * size)
    C = np.array([8, 0, 3, 59, 5, 20])
    np.testing.assert_allclose(source.columns(C), G[:, C], rtol=1e-9, atol=1e-10 * size)
    P = np.random.default_rng(1).standard_normal((60, 70))
    np.testing.assert_allclose(source.apply(P), G @ P, atol=2e-5 * np.abs(G @ P).max())
    B = np.random.default_rng(2).standard_normal((500, 3))
    np.testing.assert_allclose(source.cross(B), A.T @ B, atol=1e-9 * np.sqrt(size))
    assert source.n_passes == 4


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_centering_is_exact_where_means_are_far_from_zero(form):
    """A rank-one correction in single precision would lose everything here."""
    rng = np.random.default_rng(0)
    X = 1e5 + rng.standard_normal((3000, 20))
    source = source_of(sp.csr_array(X) if form == "csr" else X, "standard")
    A = written_out(X, "standard")
    P = rng.standard_normal((20, 4))
    np.testing.assert_allclose(source.apply(P), A.T @ (A @ P), atol=1e-5)
    np.testing.assert_allclose(source.columns(np.arange(20)), A.T @ A, atol=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_same_scale_as_the_gram_matrix(scale):
    X = table()
    source = source_of(sp.csr_array(X), scale)
    G, center, divisor = gram(moments(X), scale)
    np.testing.assert_allclose(source.columns(np.arange(60)), G, atol=1e-9 * np.diag(G).max())
    np.testing.assert_allclose(source.center, center, rtol=1e-12, atol=1e-12)
    alive = np.diag(G) > 0
    np.testing.assert_allclose(source.divisor[alive], divisor[alive], rtol=1e-10)


def test_dask():
    array = pytest.importorskip("dask.array")
    X = table()
    source = source_of(array.from_array(X, chunks=(130, 25)), "standard")
    plain = source_of(X, "standard")
    C = np.array([1, 8, 4])
    P = np.random.default_rng(1).standard_normal((60, 7))
    np.testing.assert_allclose(source.columns(C), plain.columns(C), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(source.apply(P), plain.apply(P), atol=1e-5)
    with pytest.raises(DataError, match="target beside a dask array"):
        source.cross(np.ones((500, 1)))


def test_rows_on_disk(tmp_path):
    """Anything whose rows can be sliced: HDF5, and sparse matrices of a backed AnnData."""
    h5py = pytest.importorskip("h5py")
    X = table()
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file["X"] = X
        source = source_of(file["X"], "standard")
        plain = source_of(X, "standard")
        C = np.array([1, 8, 4])
        np.testing.assert_allclose(source.columns(C), plain.columns(C), rtol=1e-12, atol=1e-12)
    zarr = pytest.importorskip("zarr")
    np.testing.assert_allclose(
        source_of(zarr.array(X), "standard").columns(C), plain.columns(C), rtol=1e-12, atol=1e-12
    )
    anndata = pytest.importorskip("anndata")
    anndata.AnnData(sp.csr_matrix(X)).write_h5ad(tmp_path / "X.h5ad")
    backed = anndata.read_h5ad(tmp_path / "X.h5ad", backed="r")
    source = source_of(backed.X, "standard")
    np.testing.assert_allclose(source.columns(C), plain.columns(C), rtol=1e-9, atol=1e-9)
    backed.file.close()


def test_torch():
    torch = pytest.importorskip("torch")
    X = table()
    source = source_of(torch.asarray(X), "standard")
    plain = source_of(X, "standard")
    C = np.array([1, 8, 4])
    P = np.random.default_rng(1).standard_normal((60, 7))
    np.testing.assert_allclose(source.columns(C), plain.columns(C), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(source.apply(P), plain.apply(P), atol=1e-5)
    B = np.random.default_rng(2).standard_normal((500, 3))
    np.testing.assert_allclose(source.cross(B), plain.cross(B), atol=1e-9)


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("scale", SCALES)
def test_powers_of_two_beyond_single_precision_change_nothing(form, scale, tmp_path):
    X = table()
    exponent = np.full(60, 160) if scale == "none" else np.linspace(-450, 450, 60).astype(int)
    ordinary = source_of(forms(X, tmp_path)[form], scale)
    extreme = source_of(forms(np.ldexp(X, exponent), tmp_path)[form], scale)
    size = 2.0**160 if scale == "none" else 1.0
    C, rng = np.array([8, 0, 3, 59, 5, 20]), np.random.default_rng(1)
    P, B = rng.standard_normal((60, 7)), rng.standard_normal((500, 2))
    np.testing.assert_allclose(extreme.norm2, size**2 * ordinary.norm2, rtol=1e-12)
    pairs = [
        (extreme.columns(C) / size**2, ordinary.columns(C), 1e-12),
        (extreme.cross(B) / size, ordinary.cross(B), 1e-12),
        (extreme.apply(P) / size**2, ordinary.apply(P), 1e-5),
        (extreme.apply(1e60 * P) / size**2 / 1e60, ordinary.apply(P), 1e-5),
    ]
    for own, expected, rtol in pairs:
        np.testing.assert_allclose(own, expected, atol=rtol * np.abs(expected).max())


def test_products_of_entries_that_leave_the_range_are_refused():
    for size, scale in [(1e100, "none"), (1e-100, "none"), (1e200, "unit"), (1e-200, "standard")]:
        with pytest.raises(DataError, match="largest entry of X"):
            source_of(size * table(), scale)
