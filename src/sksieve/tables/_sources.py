"""Sources: tables too wide for a Gram matrix, seen through passes over blocks of their rows.

With ``A = (X - 1 center') diag(1 / divisor)`` and ``G = A'A`` (n x n, never formed):

=========== ======================================================= ==========
stats       center, divisor, and the diagonal of G                  one pass
apply(P)    ``G P``, the sum over row blocks of ``A_b'(A_b P)``     one pass
columns(C)  ``G_:C``, the sum over row blocks of ``A_b' A_b,C``     one pass
cross(B)    ``A'B`` for a table B with the same rows                one pass
=========== ======================================================= ==========

Centering is implicit and exact: of sparse rows, the columns of density above `DENSE` become a dense
block, filled with ``-center`` before the stored entries are written into it; the others stay CSR,
and as their mean is small compared with their spread, what centering takes from them can be
subtracted at the end. Products within a block are float32 in `apply`, which serves estimates, and
float64 in `columns` and `cross`, which serve errors that are reported; sums over blocks are
float64. Columns far from the range of float32 are first divided by a power of two, their ``unit``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._array import in_one_part, is_dask, is_device_array, namespace_of, row_blocks
from .._typing import Array, Indices
from .._validation import is_anndata
from ..exceptions import DataError
from ..kernels._row_blocks import (
    add_product,
    add_sums,
    add_transposed,
    pick_columns,
    take_sparse,
)
from ._scaling import is_constant, refuse_magnitude

#: Density from which a sparse column is treated as dense.
DENSE = 0.15
#: Most columns treated as dense in a block, and most rows and numbers of a block.
MOST_DENSE = 6000
BLOCK_ROWS = 2048
BLOCK_SIZE = 1 << 24
#: Bytes of sparse columns kept in CSC from pass to pass: sorting them into columns again takes
#: longer than a product with a narrow factor.
KEPT_BYTES = 1 << 30
#: Bytes of a row of the dense factor that a sparse block is multiplied with at a time.
STRIP_BYTES = 1024
#: Columns whose length is within 2 to the power of minus and plus this are not given a unit.
ORDINARY = 40


class Source(Protocol):
    """A scaled table that can be read again and again; see the head of this file."""

    n_samples: int
    n_columns: int
    center: Array
    divisor: Array
    norm2: Array
    n_passes: int

    def apply(self, P: Array, *, precise: bool = False) -> Array: ...

    def columns(self, C: Indices) -> Array: ...

    def cross(self, B: Array) -> Array: ...


class Stats(NamedTuple):
    """Sums of rows: those of two blocks add up (low and high: the smaller and the larger)."""

    n_samples: int
    stored: Array  # entries of each column
    sums: Array  # of x - shift
    squares: Array  # of (x - shift)^2
    low: Array
    high: Array


class Layout(NamedTuple):
    """What a block needs to know of the whole table; center and divisor are in the unit."""

    center: Array
    divisor: Array
    dense: Indices  # columns treated as dense
    place: NDArray[np.int32]  # of each column among them; their number for the sparse columns
    unit: Array | None = None  # powers of two that the entries of a column are divided by first

    @property
    def is_sparse(self) -> NDArray[np.bool_]:
        """Which columns are not treated as dense."""
        return self.place == len(self.dense)


class Factor(NamedTuple):
    """What the right factor of a block product is: `apply`, `columns` or `cross`."""

    dtype: Any
    width: int
    left: Callable[[Any, Layout], NDArray[Any]]


class Sparse(NamedTuple):
    """The sparse columns of some rows, in CSC; the dense ones are empty."""

    ptr: NDArray[np.int64]
    rows: NDArray[np.uint16]
    values: NDArray[Any]

    def of_type(self, dtype: Any) -> Sparse:
        """The same with values of another type."""
        return self._replace(values=self.values.astype(dtype, copy=False))


class Block(NamedTuple):
    """Some rows: centered columns ``D``, the others as they are (None if none), and all as read."""

    D: NDArray[Any]
    rest: Sparse | None
    raw: Any


def in_unit(rows: Any, unit: Array | None) -> Any:
    """Rows whose columns are divided by powers of two."""
    if unit is None:
        return rows
    if not sp.issparse(rows):
        return np.asarray(rows, dtype=np.float64) / unit
    return sp.csr_array((rows.data / unit[rows.indices], rows.indices, rows.indptr), rows.shape)


def sparse_part(rows: Any, layout: Layout) -> Sparse | None:
    """The sparse columns of some rows; None where all are dense."""
    if not sp.issparse(rows):
        return None
    rows = in_unit(rows, layout.unit)
    ptr = np.zeros(rows.shape[1] + 1, np.int64)
    is_sparse = layout.is_sparse
    n_stored = int(is_sparse[rows.indices].sum())
    of_row, values = np.empty(n_stored, np.uint16), np.empty(n_stored, rows.data.dtype)
    take_sparse(rows.indptr, rows.indices, rows.data, is_sparse, ptr, of_row, values)
    return Sparse(ptr, of_row, values)


def block_of(rows: Any, rest: Sparse | None, layout: Layout, dtype: Any) -> Block:
    """Some rows in the form the products take."""
    rows = in_unit(rows, layout.unit)
    if rest is None:
        D = np.asarray(rows, dtype=np.float64) - layout.center
        return Block(D.astype(dtype, copy=False), None, rows)
    D = centered_columns(rows, layout.dense, layout.place, layout.center, dtype)
    return Block(D, rest.of_type(dtype), rows)


def centered_columns(
    rows: Any, C: Indices, place: NDArray[np.int32], center: Array, dtype: Any
) -> NDArray[Any]:
    """Columns C of CSR rows, dense, less their centers.

    Parameters
    ----------
    rows : CSR of shape (m, n)
    C : ndarray of shape (c,)
    place : ndarray of shape (n,)
        Of each column in C; c for the others.
    center : ndarray of shape (n,)
    dtype : dtype
    """
    D = np.empty((rows.shape[0], len(C) + 1), dtype)
    D[:, :-1] = -center[C]
    pick_columns(rows.indptr, rows.indices, rows.data, place, center, D)
    return D[:, :-1]


def places(C: Indices, n: int) -> NDArray[np.int32]:
    """Where each of n columns is in C; the length of C for the others."""
    place = np.full(n, len(C), np.int32)
    place[C] = np.arange(len(C))
    return place


def add_block(
    rows: Any, rest: Sparse | None, layout: Layout, factor: Factor, out: Array, sums: Array
) -> None:
    """Add ``A_b' Y`` to `out`, before what centering takes from the sparse columns; Y's sums too.

    Parameters
    ----------
    rows : ndarray or CSR
        The block.
    rest : Sparse or None
        Its `sparse_part`.
    layout : Layout
    factor : Factor
        What Y is.
    out : ndarray of shape (n, width)
    sums : ndarray of shape (width,)
    """
    block = block_of(rows, rest, layout, factor.dtype)
    Y = factor.left(block, layout)
    if block.rest is None:
        out += block.D.T @ Y
    else:
        out[layout.dense] += block.D.T @ Y
        strip = STRIP_BYTES // Y.itemsize
        for first in range(0, factor.width, strip):
            part = np.ascontiguousarray(Y[:, first : first + strip])
            add_transposed(*block.rest, part, out, first, np.empty(part.shape[1], Y.dtype))
    sums += Y.sum(axis=0, dtype=np.float64)


class Times:
    """``Y = A_b P``."""

    def __init__(self, P: Array, layout: Layout, dtype: Any) -> None:
        P = P / layout.divisor[:, None]
        rest = layout.is_sparse
        self.shift = (layout.center[rest] @ P[rest]).astype(dtype)
        self.P = np.ascontiguousarray(P, dtype)

    def __call__(self, block: Block, layout: Layout) -> NDArray[Any]:
        if block.rest is None:
            return np.asarray(block.D @ self.P)
        Y = block.D @ self.P[layout.dense] - self.shift
        add_product(*block.rest, self.P, Y)
        return Y


class Columns:
    """``Y = A_b,C``, not yet divided."""

    def __init__(self, C: Indices, layout: Layout) -> None:
        self.C = C
        self.place = places(C, len(layout.center))

    def __call__(self, block: Block, layout: Layout) -> NDArray[Any]:
        if block.rest is None:
            return np.ascontiguousarray(block.D[:, self.C])
        return centered_columns(block.raw, self.C, self.place, layout.center, np.float64)


class RowSource:
    """A table in memory or on disk of which rows can be sliced: NumPy, memmap, CSR, HDF5, zarr.

    Parameters
    ----------
    X : array of shape (m, n)
        ``X[a:b]`` gives rows as an ndarray or as CSR.
    scale : {"standard", "unit", "none"}
        See `sksieve.tables`; ``"standard"`` divides by the length of the centered column.
    check : callable, optional
        Called with each block of rows in the first pass, to refuse what cannot be used.

    Attributes
    ----------
    center, divisor, norm2 : ndarray of shape (n,)
        What each column is centered and divided by, and its squared length after that.
    n_passes : int
        How often X has been read.

    Examples
    --------
    >>> import numpy as np
    >>> source = RowSource(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]]), "none")
    >>> source.columns(np.array([1])).ravel(), source.norm2
    (array([14., 20.]), array([35., 20.]))
    """

    def __init__(
        self, X: Any, scale: str, *, check: Callable[[Any], object] = lambda rows: None
    ) -> None:
        self.X = X
        self.n_samples, self.n_columns = (int(size) for size in X.shape)
        self.n_passes = 1
        self.block_rows = BLOCK_ROWS
        if not sp.issparse(X):
            self.block_rows = max(16, min(BLOCK_ROWS, BLOCK_SIZE // max(1, self.n_columns)))
        shift, stats = self._stats(check)
        layout, self.norm2 = layout_of(shift, stats, scale)
        self.center = layout.center
        self.divisor = np.where(np.isfinite(layout.divisor), layout.divisor, 1.0)
        unit = units(stats, layout, self.norm2, scale)
        #: What is left to multiply with where the unit is not part of the divisor.
        self.left_over = 1.0
        if unit is not None:
            layout = layout._replace(center=layout.center / unit, unit=unit)
            if scale == "none":
                self.left_over = float(unit[0])
            else:
                layout = layout._replace(divisor=layout.divisor / unit)
        self.layout = layout
        #: The sparse columns of each block, where they are kept.
        self._kept: list[Sparse | None] | None = None
        if is_csr(X):
            n_sparse = stats.stored[layout.is_sparse].sum()
            if n_sparse * (2 + X.dtype.itemsize) <= KEPT_BYTES:
                self._kept = []

    def apply(self, P: Array, *, precise: bool = False) -> Array:
        """``G P``, in single precision within a block unless `precise`."""
        dtype = np.float64 if precise else np.float32
        P, size = of_ordinary_size(P)
        out = self._pass(Factor(dtype, P.shape[1], Times(P, self.layout, dtype)))
        return out / self.layout.divisor[:, None] * size * self.left_over**2

    def columns(self, C: Indices) -> Array:
        """``G_:C``."""
        C = np.asarray(C, dtype=np.intp)
        out = self._pass(Factor(np.float64, len(C), Columns(C, self.layout)))
        out /= self.layout.divisor[:, None]
        out /= self.layout.divisor[C]
        out *= self.left_over**2
        return out

    def cross(self, B: Array) -> Array:
        """``A'B``."""
        first = 0

        def left(block: Block, layout: Layout) -> NDArray[Any]:
            nonlocal first
            first += block.D.shape[0]
            return np.asarray(B[first - block.D.shape[0] : first], dtype=np.float64)

        out = self._pass(Factor(np.float64, B.shape[1], left))
        return out / self.layout.divisor[:, None] * self.left_over

    def _blocks(self) -> Iterator[Any]:
        X = self.X
        for first in range(0, self.n_samples, self.block_rows):
            last = min(first + self.block_rows, self.n_samples)
            if is_csr(X):  # views: the constructor would copy them
                rows = sp.csr_array((last - first, self.n_columns), dtype=X.dtype)
                a, b = X.indptr[first], X.indptr[last]
                rows.data, rows.indices = X.data[a:b], X.indices[a:b]
                rows.indptr = X.indptr[first : last + 1] - a
                yield rows
            else:
                rows = X[first:last]
                yield in_one_part(rows.tocsr()) if sp.issparse(rows) else np.asarray(rows)

    def _stats(self, check: Callable[[Any], object]) -> tuple[Array, Stats]:
        shift, total = np.zeros(0), None
        with np.errstate(over="ignore", invalid="ignore"):  # `refuse_magnitude` says so in words
            for rows in self._blocks():
                check(rows)
                if total is None:
                    shift = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
                    total = empty_stats(self.n_columns)
                total = add_stats(total, rows, shift)
        if total is None:
            raise DataError("X has no rows; give at least two.")
        return shift, total

    def _pass(self, factor: Factor) -> Array:
        self.n_passes += 1
        out, sums = np.zeros((self.n_columns, factor.width)), np.zeros(factor.width)
        for i, rows in enumerate(self._blocks()):
            add_block(rows, self._sparse_part(i, rows), self.layout, factor, out, sums)
        return finished(out, sums, self.layout)

    def _sparse_part(self, i: int, rows: Any) -> Sparse | None:
        """`sparse_part` of block i, from an earlier pass where it was kept."""
        if self._kept is None:
            return sparse_part(rows, self.layout)
        if i == len(self._kept):
            self._kept.append(sparse_part(rows, self.layout))
        return self._kept[i]


def is_csr(X: Any) -> bool:
    """Whether X is a CSR matrix in memory."""
    return isinstance(X, sp.csr_array | sp.csr_matrix)


def finished(out: Array, sums: Array, layout: Layout) -> Array:
    """``A'Y`` but for the division: less what centering takes from the sparse columns."""
    rest = layout.is_sparse
    if rest.any() and layout.center.any():
        out[rest] -= np.outer(layout.center[rest], sums)
    return out


def empty_stats(n: int) -> Stats:
    """Stats of no rows."""
    stored, sums, squares = np.zeros((3, n))
    return Stats(0, stored, sums, squares, np.full(n, np.inf), np.full(n, -np.inf))


def add_stats(total: Stats, rows: Any, shift: Array) -> Stats:
    """Stats with some more rows; `total` is used up."""
    m = rows.shape[0]
    if sp.issparse(rows):
        add_sums(rows.indices, rows.data, shift, *total[1:])
    else:
        rows = np.asarray(rows, dtype=np.float64)
        total.low[:] = np.minimum(total.low, rows.min(axis=0))
        total.high[:] = np.maximum(total.high, rows.max(axis=0))
        rows = rows - shift
        total.stored[:] += m
        total.sums[:] += rows.sum(axis=0)
        total.squares[:] += np.einsum("ij,ij->j", rows, rows)
    return total._replace(n_samples=total.n_samples + m)


def layout_of(shift: Array, stats: Stats, scale: str) -> tuple[Layout, Array]:
    """What blocks need to know, and the diagonal of G."""
    m, n = stats.n_samples, len(shift)
    low, high = ranges(stats)
    refuse_magnitude(max(high.max(), -low.min()), m * n, degree=4 if scale == "none" else 2)
    empty = m - stats.stored  # entries that are not stored: zeros
    sums = stats.sums - empty * shift
    squares = stats.squares + empty * shift**2
    if scale == "standard":
        center = shift + sums / m
        norm2 = np.maximum(squares - sums**2 / m, 0.0)
        zero = is_constant(low, high) | (norm2 <= 0)
    else:
        center = np.zeros(n)
        norm2 = np.maximum(squares + 2 * shift * sums + m * shift**2, 0.0)
        zero = norm2 == 0
    if not np.isfinite(squares).all():
        raise DataError(
            "The entries of X are so large that their squares leave the range of float64. Multiply "
            "X by a constant (its largest entry is best near 1)."
        )
    divisor = np.ones(n)
    if scale != "none":
        divisor[~zero] = np.sqrt(norm2[~zero])
        norm2 = np.ones(n)
    norm2 = np.where(zero, 0.0, norm2)
    density = stats.stored / m
    by_density = np.argsort(-density, kind="stable")[:MOST_DENSE]
    dense = np.sort(by_density[density[by_density] > DENSE])
    if (stats.stored == m).all():
        dense = np.arange(n)
    divisor = np.where(zero, np.inf, divisor) if scale == "standard" else divisor
    return Layout(center, divisor, dense, places(dense, n)), norm2


def ranges(stats: Stats) -> tuple[Array, Array]:
    """Smallest and largest entry of each column, those that are not stored included."""
    full = stats.stored == stats.n_samples
    low = np.where(full, stats.low, np.minimum(stats.low, 0.0))
    return low, np.where(full, stats.high, np.maximum(stats.high, 0.0))


def units(stats: Stats, layout: Layout, norm2: Array, scale: str) -> Array | None:
    """Powers of two that bring the columns into the range of float32; None where all are in it.

    The length of each scaled column; under ``"none"``, where the columns must stay comparable, that
    of the longest for all.
    """
    low, high = ranges(stats)
    length = np.where(norm2 > 0, layout.divisor, np.maximum(np.abs(low), np.abs(high)))
    if scale == "none":
        length = np.full(len(norm2), np.sqrt(norm2.max()))
    exponent = np.frexp(length)[1]
    exponent[np.abs(exponent) <= ORDINARY] = 0
    return np.ldexp(1.0, exponent) if exponent.any() else None


def of_ordinary_size(P: Array) -> tuple[Array, float]:
    """A factor, and a power of two taken out where its largest entry is far from 1."""
    exponent = int(np.frexp(max(P.max(initial=0.0), -P.min(initial=0.0)))[1])
    return (P, 1.0) if abs(exponent) <= ORDINARY else (np.ldexp(P, -exponent), 2.0**exponent)


class DaskSource(RowSource):
    """A dask array: every block is read and multiplied within one task, and the products summed."""

    def __init__(
        self, X: Any, scale: str, *, check: Callable[[Any], object] = lambda rows: None
    ) -> None:
        super().__init__(X.rechunk({1: -1}), scale, check=check)

    def cross(self, B: Array) -> Array:
        raise DataError(
            "A target beside a dask array is not supported: compute the table first, or fit a "
            "sample of its rows."
        )

    def _blocks(self) -> Iterator[Any]:
        for part in self.X.to_delayed().ravel():
            rows = part.compute()
            yield sp.csr_array(rows) if sp.issparse(rows) else np.asarray(rows)

    def _pass(self, factor: Factor) -> Array:
        if sp.issparse(self.X._meta):
            return super()._pass(factor)
        self.n_passes += 1
        n, t = self.n_columns, factor.width
        parts = self.X.map_blocks(
            _summed_product,
            layout=self.layout,
            factor=factor,
            dtype=np.float64,
            chunks=((1,) * self.X.numblocks[0], (n + 1,), (t,)),
            drop_axis=1,
            new_axis=(1, 2),
        )
        out = np.asarray(parts.sum(axis=0, split_every=8).compute())
        return finished(out[:n], out[n], self.layout)


def _summed_product(rows: Any, layout: Layout, factor: Factor) -> Array:
    """`add_block` of a chunk, in parts whose rounding is that of other sources."""
    out = np.zeros((1, len(layout.center) + 1, factor.width))
    step = max(16, min(BLOCK_ROWS, BLOCK_SIZE // max(1, rows.shape[1])))
    for first in range(0, rows.shape[0], step):
        part = rows[first : first + step]
        add_block(part, sparse_part(part, layout), layout, factor, out[0, :-1], out[0, -1])
    return out


class ArraySource(RowSource):
    """A dense array of another library with the array API, torch for instance, on its device.

    Parameters
    ----------
    X : array of shape (m, n)
    scale, check
        See `RowSource`.
    """

    def _blocks(self) -> Iterator[Any]:
        for first in range(0, self.n_samples, self.block_rows):
            yield np.asarray(_to_numpy(self.X[self._rows_from(first), :]))

    def _rows_from(self, first: int) -> slice:
        """A block; the array API does not specify slices that go past the end."""
        return slice(first, min(first + self.block_rows, self.n_samples))

    def _products(self, width: int, dtype: Any, left: Callable[[Any], Any]) -> Array:
        xp, device = namespace_of(self.X), self.X.device
        self.n_passes += 1
        center = xp.asarray(self.layout.center, dtype=xp.float64, device=device)
        unit = np.ones(self.n_columns) if self.layout.unit is None else self.layout.unit
        unit = xp.asarray(unit, dtype=xp.float64, device=device)
        out = xp.zeros((self.n_columns, width), dtype=xp.float64, device=device)
        for first in range(0, self.n_samples, self.block_rows):
            rows = xp.astype(self.X[self._rows_from(first), :], xp.float64)
            D = xp.astype(rows / unit - center, dtype)
            out += xp.astype(D.T @ left(D), xp.float64)
        return np.asarray(_to_numpy(out))

    def apply(self, P: Array, *, precise: bool = False) -> Array:
        xp = namespace_of(self.X)
        dtype = xp.float64 if precise else xp.float32
        P, size = of_ordinary_size(P)
        right = xp.asarray(P / self.layout.divisor[:, None], dtype=dtype, device=self.X.device)
        out = self._products(P.shape[1], dtype, lambda D: D @ right)
        return out / self.layout.divisor[:, None] * size * self.left_over**2

    def columns(self, C: Indices) -> Array:
        xp = namespace_of(self.X)
        at = xp.asarray(np.asarray(C, dtype=np.int64), device=self.X.device)
        out = self._products(len(C), xp.float64, lambda D: xp.take(D, at, axis=1))
        return out / self.layout.divisor[:, None] / self.layout.divisor[C] * self.left_over**2


def source_of(X: Any, scale: str, *, check: Callable[[Any], object] = lambda rows: None) -> Source:
    """The source for a table; CSC is converted to CSR once.

    Parameters
    ----------
    X : array of shape (m, n)
        NumPy, memmap, CSR, CSC, dask array, an array of the array API (torch), or anything whose
        rows can be sliced (HDF5, zarr, a backed AnnData's ``X``).
    scale : {"standard", "unit", "none"}
    check : callable, optional
        See `RowSource`.

    Returns
    -------
    Source
    """
    if is_dask(X):
        return DaskSource(X, scale, check=check)
    if sp.issparse(X):
        return RowSource(in_one_part(sp.csr_array(X)), scale, check=check)
    if is_device_array(X):
        return ArraySource(X, scale, check=check)
    return RowSource(X, scale, check=check)


def _to_numpy(X: Any) -> Any:
    return X.cpu().numpy() if hasattr(X, "cpu") else X


def is_row_store(X: Any) -> bool:
    """Is X an array on disk or on a device whose rows are read by slicing: HDF5, zarr, torch?"""
    library = type(X).__module__.partition(".")[0]
    stored = library in ("h5py", "zarr", "anndata") and not is_anndata(X)
    return (stored or is_device_array(X)) and len(getattr(X, "shape", ())) > 0


def stored_rows(X: Any) -> Iterator[Any]:
    """Blocks of rows of a row store, as NumPy arrays or CSR."""
    rows = max(16, min(BLOCK_ROWS, BLOCK_SIZE // max(1, X.shape[1])))
    for first in range(0, X.shape[0], rows):
        # the array API wants an index for each axis, and no slice past the end
        part = slice(first, min(first + rows, X.shape[0]))
        block = _to_numpy(X[part, :] if is_device_array(X) else X[part])
        yield block if sp.issparse(block) else np.asarray(block)


def take_rows(X: Any, index: Indices) -> Any:
    """Rows of a table in memory, on disk or in dask chunks, as an ndarray or CSR.

    Parameters
    ----------
    X : array of shape (m, n)
    index : ndarray of int
        Ascending.
    """
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return X if len(index) == X.shape[0] else X[index]
    parts, first = [], 0
    for block in row_blocks(X) if is_dask(X) else stored_rows(X):
        last = first + block.shape[0]
        parts.append(block[index[(index >= first) & (index < last)] - first])
        first = last
    return sp.csr_array(sp.vstack(parts)) if sp.issparse(parts[0]) else np.concatenate(parts)
