"""Tables and graphs that break programs: repeated eigenvalues, extreme numbers, odd types.

`TABLES` and `GRAPHS` hold one `Kind` for each; ``kind.make(rng)`` draws one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import hadamard, hilbert

__all__ = ["GRAPHS", "TABLES", "Kind"]

Rng = np.random.Generator
FAR = 2**30


@dataclass(frozen=True)
class Kind:
    """A kind of hostile input.

    Attributes
    ----------
    name : str
    make : callable
        ``make(rng)`` draws one.
    refused : bool
        Whether every method must refuse it, but those that take it.
    takers : tuple of str
        Classes that take it all the same.
    """

    name: str
    make: Callable[[Rng], Any]
    refused: bool = False
    takers: tuple[str, ...] = ()


TABLES: list[Kind] = []
GRAPHS: list[Kind] = []
TAKE_TEXT = ("CorrelatedColumns", "MixedColumns")
TAKE_GAPS = ("CorrelatedColumns",)


def _kind(
    where: list[Kind], *, refused: bool = False, takers: tuple[str, ...] = ()
) -> Callable[[Callable[[Rng], Any]], Callable[[Rng], Any]]:
    def add(make: Callable[[Rng], Any]) -> Callable[[Rng], Any]:
        where.append(Kind(make.__name__.strip("_"), make, refused, takers))
        return make

    return add


def _table(*, refused: bool = False, takers: tuple[str, ...] = ()) -> Any:
    return _kind(TABLES, refused=refused, takers=takers)


def _graph(*, refused: bool = False) -> Any:
    return _kind(GRAPHS, refused=refused)


def _size(rng: Rng) -> tuple[int, int]:
    return int(rng.integers(5, 40)), int(rng.integers(3, 20))


def _plain(rng: Rng) -> np.ndarray:
    """A harmless table in three groups."""
    n, d = _size(rng)
    centers = 4 * rng.standard_normal((3, d))
    return centers[np.arange(n) % 3] + rng.standard_normal((n, d))


# Values


@_table()
def plain(rng: Rng) -> Any:
    return _plain(rng)


@_table()
def identity(rng: Rng) -> Any:
    return np.eye(int(rng.integers(4, 40)))


@_table()
def one_hot(rng: Rng) -> Any:
    n, d = _size(rng)
    return np.eye(d)[rng.integers(0, d, n)]


@_table()
def balanced_one_hot(rng: Rng) -> Any:
    d = int(rng.integers(3, 8))
    return np.eye(d)[np.arange(d * int(rng.integers(2, 8))) % d]


@_table()
def two_one_hots(rng: Rng) -> Any:
    n = 36
    return np.hstack([np.eye(4)[np.arange(n) % 4], np.eye(3)[np.arange(n) // 4 % 3]])


@_table()
def hadamard_columns(rng: Rng) -> Any:
    return hadamard(16)[:, : int(rng.integers(2, 17))].astype(float)


@_table()
def factorial_design(rng: Rng) -> Any:
    d = int(rng.integers(2, 6))
    return 2.0 * (np.arange(2**d)[:, None] >> np.arange(d) & 1) - 1


@_table()
def orthonormal(rng: Rng) -> Any:
    n, d = _size(rng)
    return np.linalg.qr(rng.standard_normal((max(n, d), d)))[0]


@_table()
def constant(rng: Rng) -> Any:
    return np.full(_size(rng), rng.choice([1.0, -3.5, 0.1]))


@_table()
def constant_but_one(rng: Rng) -> Any:
    X = np.full(_size(rng), 0.1)
    X[0, 0] = 7
    return X


@_table()
def zeros(rng: Rng) -> Any:
    return np.zeros(_size(rng))


@_table()
def negative_zeros(rng: Rng) -> Any:
    X = _plain(rng)
    X[rng.random(X.shape) < 0.5] = -0.0
    return X


@_table()
def duplicate_columns(rng: Rng) -> Any:
    X = _plain(rng)
    return np.hstack([X, X])


@_table()
def duplicate_rows(rng: Rng) -> Any:
    X = _plain(rng)
    return X[np.arange(3 * len(X)) % len(X)]


@_table()
def two_distinct_rows(rng: Rng) -> Any:
    X = _plain(rng)
    return X[np.arange(len(X)) % 2]


@_table()
def all_rows_equal(rng: Rng) -> Any:
    X = _plain(rng)
    return np.tile(X[:1], (len(X), 1))


@_table()
def nearly_equal_rows(rng: Rng) -> Any:
    X = _plain(rng)
    return X[:1] + 1e-14 * rng.standard_normal(X.shape)


@_table()
def nearly_equal_columns(rng: Rng) -> Any:
    X = _plain(rng)
    return X[:, :1] + 1e-14 * rng.standard_normal(X.shape)


@_table()
def rank_one(rng: Rng) -> Any:
    n, d = _size(rng)
    return np.outer(rng.standard_normal(n), rng.standard_normal(d))


@_table()
def rank_two(rng: Rng) -> Any:
    n, d = _size(rng)
    return rng.standard_normal((n, 2)) @ rng.standard_normal((2, d))


@_table()
def hilbert_matrix(rng: Rng) -> Any:
    return hilbert(int(rng.integers(4, 20)))


@_table()
def vandermonde(rng: Rng) -> Any:
    return np.vander(np.linspace(0.1, 2, 20), 12)


@_table()
def circulant(rng: Rng) -> Any:
    n = int(rng.integers(5, 25))
    row = rng.standard_normal(n)
    return np.stack([np.roll(row, i) for i in range(n)])


@_table()
def checkerboard(rng: Rng) -> Any:
    n, d = _size(rng)
    return ((np.arange(n)[:, None] + np.arange(d)) % 2).astype(float)


@_table()
def blocks(rng: Rng) -> Any:
    return np.kron(np.eye(4), np.ones((5, 3)))


@_table()
def lattice(rng: Rng) -> Any:
    side = int(rng.integers(2, 6))
    return np.stack(np.meshgrid(*[np.arange(side)] * 2), axis=-1).reshape(-1, 2).astype(float)


@_table()
def huge(rng: Rng) -> Any:
    return 1e150 * _plain(rng)


@_table()
def tiny(rng: Rng) -> Any:
    return 1e-150 * _plain(rng)


@_table()
def beyond_squares(rng: Rng) -> Any:
    return 10.0 ** rng.choice([-300, -200, 200, 300]) * _plain(rng)


@_table()
def large(rng: Rng) -> Any:
    return 10.0 ** rng.choice([-100, -30, 30, 100]) * _plain(rng)


@_table()
def columns_of_all_sizes(rng: Rng) -> Any:
    X = _plain(rng)
    return X * 10.0 ** np.linspace(-8, 8, X.shape[1])


@_table()
def columns_of_extreme_sizes(rng: Rng) -> Any:
    X = _plain(rng)
    return X * 10.0 ** np.linspace(-140, 140, X.shape[1])


@_table()
def rows_of_extreme_sizes(rng: Rng) -> Any:
    X = _plain(rng)
    return X * 10.0 ** np.linspace(-140, 140, len(X))[:, None]


@_table()
def denormals(rng: Rng) -> Any:
    return 5e-324 * np.round(10 * _plain(rng))


@_table()
def some_denormals(rng: Rng) -> Any:
    X = _plain(rng)
    X[rng.random(X.shape) < 0.3] = 5e-324
    return X


@_table()
def outlier(rng: Rng) -> Any:
    X = _plain(rng)
    X[0, 0] = 1e12
    return X


@_table()
def heavy_tails(rng: Rng) -> Any:
    return rng.standard_cauchy(_size(rng)) ** 3


@_table()
def lognormal(rng: Rng) -> Any:
    return np.exp(5 * rng.standard_normal(_size(rng)))


@_table()
def large_offset(rng: Rng) -> Any:
    return 1e8 + _plain(rng)


@_table()
def exact_groups(rng: Rng) -> Any:
    n, d = _size(rng)
    return rng.standard_normal((3, d))[np.arange(n) % 3]


@_table()
def mostly_zero(rng: Rng) -> Any:
    X = _plain(rng)
    X[rng.random(X.shape) < 0.95] = 0
    return X


@_table()
def counts(rng: Rng) -> Any:
    return rng.poisson(0.7, _size(rng))


# Shapes


@_table(refused=True)
def no_rows(rng: Rng) -> Any:
    return np.empty((0, 4))


@_table(refused=True)
def no_columns(rng: Rng) -> Any:
    return np.empty((4, 0))


@_table(refused=True)
def one_row(rng: Rng) -> Any:
    return _plain(rng)[:1]


@_table()
def one_column(rng: Rng) -> Any:
    return _plain(rng)[:, :1]


@_table()
def two_rows(rng: Rng) -> Any:
    return _plain(rng)[:2]


@_table()
def three_rows(rng: Rng) -> Any:
    return _plain(rng)[:3]


@_table()
def wide(rng: Rng) -> Any:
    return rng.standard_normal((4, 150))


@_table()
def tall(rng: Rng) -> Any:
    return rng.standard_normal((300, 2))


@_table(refused=True)
def three_dimensions(rng: Rng) -> Any:
    return rng.standard_normal((5, 4, 3))


@_table(refused=True)
def one_dimension(rng: Rng) -> Any:
    return rng.standard_normal(9)


@_table(refused=True)
def scalar(rng: Rng) -> Any:
    return 3.0


@_table(refused=True)
def nothing(rng: Rng) -> Any:
    return None


@_table(refused=True)
def ragged_list(rng: Rng) -> Any:
    return [[1.0, 2.0], [3.0], [4.0, 5.0]]


@_table()
def nested_list(rng: Rng) -> Any:
    return _plain(rng).tolist()


# Missing values


@_table(refused=True, takers=TAKE_GAPS)
def one_nan(rng: Rng) -> Any:
    X = _plain(rng)
    X[-1, -1] = np.nan
    return X


@_table(refused=True)
def all_nan(rng: Rng) -> Any:
    return np.full(_size(rng), np.nan)


@_table(refused=True)
def infinite(rng: Rng) -> Any:
    X = _plain(rng)
    X[0, -1] = rng.choice([np.inf, -np.inf])
    return X


# Types


@_table()
def int8(rng: Rng) -> Any:
    return rng.integers(-128, 128, _size(rng), dtype=np.int8)


@_table()
def uint8(rng: Rng) -> Any:
    return rng.integers(0, 256, _size(rng), dtype=np.uint8)


@_table()
def beyond_2_53(rng: Rng) -> Any:
    return rng.integers(2**60, 2**62, _size(rng))


@_table()
def booleans(rng: Rng) -> Any:
    return rng.random(_size(rng)) < 0.5


@_table()
def objects_of_numbers(rng: Rng) -> Any:
    return _plain(rng).astype(object)


@_table(refused=True, takers=TAKE_GAPS)
def objects_with_none(rng: Rng) -> Any:
    X = _plain(rng).astype(object)
    X[1, 1] = None
    return X


@_table(refused=True)
def objects_with_text(rng: Rng) -> Any:
    X = _plain(rng).astype(object)
    X[1, 1] = "n/a"
    return X


@_table(refused=True)
def text(rng: Rng) -> Any:
    return np.array([["a", "b"], ["c", "d"], ["e", "f"]])


@_table(refused=True)
def bytes_of_text(rng: Rng) -> Any:
    return np.array([[b"a", b"b"], [b"c", b"d"], [b"e", b"f"]])


@_table(refused=True)
def complex_numbers(rng: Rng) -> Any:
    return _plain(rng) + 1j


@_table(refused=True)
def complex_without_imaginary_part(rng: Rng) -> Any:
    return _plain(rng) + 0j


@_table(refused=True)
def dates(rng: Rng) -> Any:
    return np.datetime64("2020-01-01") + rng.integers(0, 1000, _size(rng))


@_table(refused=True)
def durations(rng: Rng) -> Any:
    return rng.integers(0, 1000, _size(rng)).astype("timedelta64[D]")


@_table(refused=True)
def structured(rng: Rng) -> Any:
    return np.zeros((6, 3), dtype=[("a", float), ("b", float)])


@_table()
def float16(rng: Rng) -> Any:
    return _plain(rng).astype(np.float16)


@_table()
def float32(rng: Rng) -> Any:
    return _plain(rng).astype(np.float32)


@_table()
def float32_extreme(rng: Rng) -> Any:
    return (_plain(rng) * 10.0 ** rng.choice([-30, -18, 18, 30])).astype(np.float32)


@_table()
def longdouble(rng: Rng) -> Any:
    return _plain(rng).astype(np.longdouble)


@_table()
def big_endian(rng: Rng) -> Any:
    return _plain(rng).astype(">f8")


@_table()
def masked(rng: Rng) -> Any:
    return np.ma.masked_array(_plain(rng))


# Layouts


@_table()
def fortran(rng: Rng) -> Any:
    return np.asfortranarray(_plain(rng))


@_table()
def strided(rng: Rng) -> Any:
    return np.repeat(np.repeat(_plain(rng), 2, axis=0), 3, axis=1)[::-2, ::3]


@_table()
def read_only(rng: Rng) -> Any:
    X = _plain(rng)
    X.flags.writeable = False
    return X


@_table()
def memory_map(rng: Rng) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "X.npy"
        np.save(path, _plain(rng))
        return np.load(path, mmap_mode="r")


# Frames


@_table()
def pandas_frame(rng: Rng) -> Any:
    import pandas as pd

    X = _plain(rng)
    return pd.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])


@_table()
def pandas_mixed_types(rng: Rng) -> Any:
    import pandas as pd

    n = int(rng.integers(8, 40))
    return pd.DataFrame(
        {
            "a": rng.integers(0, 9, n).astype(np.int8),
            "b": rng.random(n) < 0.5,
            "c": rng.standard_normal(n).astype(np.float32),
            "d": pd.array(rng.integers(0, 9, n), dtype="Int64"),
        }
    )


@_table(refused=True, takers=TAKE_GAPS)
def pandas_missing(rng: Rng) -> Any:
    import pandas as pd

    frame = pd.DataFrame(_plain(rng)[:, :3]).astype("Float64")
    frame.iloc[1, 1] = pd.NA
    return frame


@_table(refused=True, takers=TAKE_TEXT)
def pandas_category(rng: Rng) -> Any:
    import pandas as pd

    frame = pd.DataFrame(_plain(rng))
    frame["kind"] = pd.Categorical(["x", "y"] * (len(frame) // 2) + ["x"] * (len(frame) % 2))
    frame.columns = frame.columns.astype(str)
    return frame


@_table(refused=True)
def pandas_dates(rng: Rng) -> Any:
    import pandas as pd

    frame = pd.DataFrame(_plain(rng))
    frame["day"] = pd.date_range("2020-01-01", periods=len(frame))
    frame.columns = frame.columns.astype(str)
    return frame


@_table()
def pandas_duplicate_names(rng: Rng) -> Any:
    import pandas as pd

    X = _plain(rng)
    return pd.DataFrame(X, columns=["same"] * X.shape[1])


@_table()
def pandas_sparse(rng: Rng) -> Any:
    import pandas as pd

    X = _plain(rng)
    X[X < 1] = 0
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(X))
    frame.columns = [f"s{i}" for i in range(X.shape[1])]
    return frame


@_table()
def polars_frame(rng: Rng) -> Any:
    import polars as pl

    return pl.DataFrame(_plain(rng))


@_table(refused=True, takers=TAKE_TEXT)
def polars_text(rng: Rng) -> Any:
    import polars as pl

    n = int(rng.integers(8, 40))
    return pl.DataFrame({"a": rng.standard_normal(n), "b": ["x"] * n})


@_table(refused=True, takers=TAKE_GAPS)
def polars_null(rng: Rng) -> Any:
    import polars as pl

    return pl.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": [1.0, 2.0, 0.0, 5.0]})


# Sparse tables


def _holes(rng: Rng) -> np.ndarray:
    X = _plain(rng)
    X[rng.random(X.shape) < 0.6] = 0
    return X


@_table()
def csr(rng: Rng) -> Any:
    return sp.csr_array(_holes(rng))


@_table()
def csc(rng: Rng) -> Any:
    return sp.csc_matrix(_holes(rng))


@_table()
def coo_with_duplicates(rng: Rng) -> Any:
    A = sp.coo_array(_holes(rng))
    at = np.r_[A.row, A.row], np.r_[A.col, A.col]
    return sp.coo_array((np.r_[A.data, A.data], at), shape=A.shape)


@_table()
def bsr(rng: Rng) -> Any:
    return sp.bsr_array(np.kron(_holes(rng)[:6, :3], np.ones((2, 2))), blocksize=(2, 2))


@_table()
def lil(rng: Rng) -> Any:
    return sp.lil_array(_holes(rng))


@_table()
def dok(rng: Rng) -> Any:
    return sp.dok_array(_holes(rng))


@_table()
def dia(rng: Rng) -> Any:
    return sp.dia_array(np.diag(rng.standard_normal(12), 1))


@_table()
def csr_explicit_zeros(rng: Rng) -> Any:
    A = sp.csr_array(_holes(rng) + 5)
    A.data[rng.random(A.nnz) < 0.5] = 0
    return A


@_table()
def csr_in_parts(rng: Rng) -> Any:
    A = sp.csr_array(_holes(rng))
    parts = np.repeat(A.data / 2, 2), np.repeat(A.indices, 2), 2 * A.indptr
    return sp.csr_array(parts, shape=A.shape)


@_table()
def csr_unsorted(rng: Rng) -> Any:
    A = sp.csr_array(_holes(rng))
    for a, b in zip(A.indptr, A.indptr[1:], strict=False):
        A.indices[a:b], A.data[a:b] = A.indices[a:b][::-1].copy(), A.data[a:b][::-1].copy()
    A.has_sorted_indices = False
    return A


@_table()
def csr_wide_indices(rng: Rng) -> Any:
    A = sp.csr_array(_holes(rng))
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    return A


@_table()
def csr_integers(rng: Rng) -> Any:
    return sp.csr_array(rng.poisson(0.5, _size(rng)))


@_table()
def csr_empty(rng: Rng) -> Any:
    return sp.csr_array(_size(rng))


@_table(refused=True)
def csr_nan(rng: Rng) -> Any:
    A = sp.csr_array(_plain(rng))
    A.data[3] = np.nan
    return A


@_table(refused=True)
def csr_index_too_large(rng: Rng) -> Any:
    A = sp.csr_array(_plain(rng))
    A.indices[1] = rng.choice([A.shape[1], FAR])
    return A


@_table(refused=True)
def csr_negative_index(rng: Rng) -> Any:
    A = sp.csr_array(_plain(rng))
    A.indices[1] = -FAR
    return A


@_table(refused=True)
def csr_falling_pointers(rng: Rng) -> Any:
    A = sp.csr_array(_plain(rng))
    A.indptr[2] = FAR
    return A


@_table(refused=True)
def csr_lying_shape(rng: Rng) -> Any:
    A = sp.csr_array(_plain(rng))
    A._shape = (A.shape[0], 2)
    return A


@_table(refused=True)
def csc_index_too_large(rng: Rng) -> Any:
    A = sp.csc_array(_plain(rng))
    A.indices[1] = FAR
    return A


@_table(refused=True)
def coo_index_too_large(rng: Rng) -> Any:
    A = sp.coo_array(_plain(rng))
    A.coords[0][1] = FAR
    return A


# Graphs, for affinity="precomputed"


def _weights(rng: Rng, n: int = 0) -> np.ndarray:
    """A graph of two groups."""
    n = n or int(rng.integers(6, 40))
    side = np.arange(n) % 2
    A = rng.random((n, n)) < np.where(side[:, None] == side, 0.7, 0.1)
    A = np.triu(A, 1).astype(float)
    return A + A.T


@_graph()
def two_groups(rng: Rng) -> Any:
    return _weights(rng)


@_graph()
def complete(rng: Rng) -> Any:
    return np.ones((12, 12)) - np.eye(12)


@_graph()
def ones(rng: Rng) -> Any:
    return np.ones((9, 9))


@_graph()
def star(rng: Rng) -> Any:
    A = np.zeros((11, 11))
    A[0, 1:] = A[1:, 0] = 1
    return A


@_graph()
def path(rng: Rng) -> Any:
    return np.eye(20, k=1) + np.eye(20, k=-1)


@_graph()
def ring(rng: Rng) -> Any:
    A = np.eye(20, k=1) + np.eye(20, k=-1)
    A[0, -1] = A[-1, 0] = 1
    return A


@_graph()
def bipartite(rng: Rng) -> Any:
    return np.kron([[0.0, 1.0], [1.0, 0.0]], np.ones((6, 6)))


@_graph()
def equal_cliques(rng: Rng) -> Any:
    return np.kron(np.eye(int(rng.integers(2, 7))), np.ones((4, 4)) - np.eye(4))


@_graph()
def pairs(rng: Rng) -> Any:
    return np.kron(np.eye(10), np.ones((2, 2)) - np.eye(2))


@_graph()
def one_edge(rng: Rng) -> Any:
    A = np.zeros((10, 10))
    A[3, 7] = A[7, 3] = 1
    return A


@_graph(refused=True)
def edgeless(rng: Rng) -> Any:
    return np.zeros((10, 10))


@_graph(refused=True)
def only_loops(rng: Rng) -> Any:
    return np.eye(10)


@_graph()
def isolated_vertices(rng: Rng) -> Any:
    A = _weights(rng, 20)
    A[:4] = A[:, :4] = 0
    return A


@_graph(refused=True)
def asymmetric(rng: Rng) -> Any:
    return rng.random((9, 9))


@_graph(refused=True)
def negative(rng: Rng) -> Any:
    A = _weights(rng, 12)
    A[0, 2] = A[2, 0] = -1
    return A


@_graph(refused=True)
def not_square(rng: Rng) -> Any:
    return _weights(rng, 12)[:7]


@_graph()
def huge_loops(rng: Rng) -> Any:
    return _weights(rng, 14) + 1e12 * np.eye(14)


@_graph()
def weights_of_all_sizes(rng: Rng) -> Any:
    A = 10.0 ** rng.uniform(-12, 12, (15, 15))
    return A + A.T


@_graph()
def tiny_weights(rng: Rng) -> Any:
    return 1e-140 * _weights(rng)


@_graph()
def huge_weights(rng: Rng) -> Any:
    return 1e140 * _weights(rng)


@_graph()
def nearly_symmetric(rng: Rng) -> Any:
    A = _weights(rng, 16)
    A[0, 2] += 1e-12
    return A


@_graph()
def weak_bridge(rng: Rng) -> Any:
    A = np.kron(np.eye(2), np.ones((6, 6)))
    A[0, -1] = A[-1, 0] = 1e-15
    return A


@_graph()
def float32_graph(rng: Rng) -> Any:
    return _weights(rng).astype(np.float32)


@_graph()
def boolean_graph(rng: Rng) -> Any:
    return _weights(rng) > 0


@_graph()
def integer_graph(rng: Rng) -> Any:
    return _weights(rng).astype(np.int32)


@_graph()
def csr_graph(rng: Rng) -> Any:
    return sp.csr_array(_weights(rng))


@_graph()
def csr_groups_apart(rng: Rng) -> Any:
    return sp.csr_matrix(sp.block_diag([_weights(rng) for _ in range(int(rng.integers(2, 6)))]))


@_graph()
def csr_graph_in_parts(rng: Rng) -> Any:
    A = sp.csr_array(_weights(rng))
    parts = np.repeat(A.data / 2, 2), np.repeat(A.indices, 2), 2 * A.indptr
    return sp.csr_array(parts, shape=A.shape)


@_graph()
def csr_graph_explicit_zeros(rng: Rng) -> Any:
    A = sp.csr_array(np.ones((20, 20)))
    A.data = _weights(rng, 20).ravel()
    return A


@_graph()
def coo_graph(rng: Rng) -> Any:
    return sp.coo_array(_weights(rng))


@_graph(refused=True)
def graph_with_nan(rng: Rng) -> Any:
    A = _weights(rng, 12)
    A[0, 2] = A[2, 0] = np.nan
    return A


@_graph(refused=True)
def graph_index_too_large(rng: Rng) -> Any:
    A = sp.csr_array(_weights(rng, 12))
    A.indices[0] = FAR
    return A
