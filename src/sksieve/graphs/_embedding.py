"""Leading eigenvectors of a graph, one connected component at a time.

A Krylov method started from one vector misses repeated eigenvalues, and a disconnected graph has
eigenvalue 1 once per component; its eigenvectors are then any basis of that space. Here
every component is decomposed alone, its first eigenvector is known in closed form, and ties are
broken by volume: the answer is the same on every machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from .._array import check_sparse
from .._typing import AnyArray
from ..linalg import fix_signs, leading_eigenpairs, orthonormalize
from ._components import components
from ._laplacian import degrees, laplacian, normalized_adjacency

#: Eigenvalues within this share of the largest in magnitude are equal.
TIE = 1e-9


class Eigenpairs(NamedTuple):
    """Eigenpairs of a graph, largest first, each living on one connected component.

    Attributes
    ----------
    values : ndarray of shape (k,)
    vectors : ndarray of shape (n, k)
        Orthonormal.
    component : ndarray of shape (k,)
        The component each lives on, numbered by the first vertex.
    """

    values: AnyArray
    vectors: AnyArray
    component: NDArray[np.intp]


def graph_eigenpairs(A: Any, k: int) -> Eigenpairs:
    """The k leading eigenpairs of the normalized adjacency ``D^-1/2 A D^-1/2``.

    Eigenvalue 1 belongs to the components: its eigenvectors are ``D^1/2 1`` of each, exactly. When
    there are more than k components those of largest volume come first.

    Parameters
    ----------
    A : ndarray or CSR of shape (n, n)
        Symmetric, nonnegative.
    k : int
        ``1 <= k <= n``.

    Returns
    -------
    Eigenpairs
        Isolated vertices have eigenvalue 0. Worked out in float64 also for float32 graphs, whose
        leading eigenvalues may differ by less than float32 tells.

    Notes
    -----
    With c components that have an edge, k - c + 1 pairs are computed in each: dense for small
    ones, Lanczos for large ones (see `sksieve.linalg.leading_eigenpairs`), nothing when c >= k.

    Examples
    --------
    Two triangles and a pair:

    >>> import numpy as np, scipy.sparse as sp
    >>> from sksieve.graphs import graph_eigenpairs
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> blocks = [np.ones((2, 2)) - np.eye(2), triangle, triangle]
    >>> A = sp.csr_array(sp.block_diag([sp.coo_array(block) for block in blocks]))
    >>> pairs = graph_eigenpairs(A, 3)
    >>> pairs.values, pairs.component
    (array([1., 1., 1.]), array([1, 2, 0]))
    >>> pairs.vectors[:, 0].round(3)
    array([0.   , 0.   , 0.577, 0.577, 0.577, 0.   , 0.   , 0.   ])
    """
    degree = degrees(A).astype(np.float64)
    return _merged(normalized_adjacency(A), k, degree, _Leading(1.0, np.sqrt(degree)))


def component_eigenpairs(M: Any, k: int, *, volume: AnyArray | None = None) -> Eigenpairs:
    """The k largest eigenpairs of a symmetric matrix, component by component.

    Parameters
    ----------
    M : ndarray or CSR of shape (n, n)
        Symmetric; its entries that are not 0 are the graph.
    k : int
        ``1 <= k <= n``.
    volume : ndarray of shape (n,), optional
        Weight of each vertex; ties between components go to the larger sum. Default: row sums of
        ``|M|``.

    Returns
    -------
    Eigenpairs

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import component_eigenpairs
    >>> component_eigenpairs(np.diag([2.0, 5.0, 3.0]), 2).values
    array([5., 3.])
    """
    check_sparse(M, "M")
    return _merged(M, k, degrees(abs(M)) if volume is None else volume, None)


def laplacian_eigenvectors(S: Any, k: int) -> AnyArray:
    """The k smallest eigenvectors of the Laplacian of ``(S + S')/2``, component by component.

    Where there are more than k components, the indicators of those of largest volume.

    Parameters
    ----------
    S : ndarray or CSR of shape (n, n)
        Nonnegative.
    k : int
        ``1 <= k <= n``.

    Returns
    -------
    ndarray of shape (n, k)
        Orthonormal, smallest first.

    Notes
    -----
    Eigenvalue 0 belongs to the components, as in `graph_eigenpairs`: nothing is computed where
    there are at least k of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import laplacian_eigenvectors
    >>> laplacian_eigenvectors(np.array([[0, 0, 0], [0, 0, 1.0], [0, 1.0, 0]]), 1).round(3).ravel()
    array([0.   , 0.707, 0.707])
    """
    check_sparse(S, "S")
    L = laplacian(S)
    volume = degrees(S + S.T)
    bound = float(volume.max())  # no eigenvalue of L is above
    if sp.issparse(L):
        shifted = sp.csr_array(bound * sp.eye_array(L.shape[0]) - L)
    else:
        shifted = bound * np.eye(len(L)) - L
    return _merged(shifted, k, volume, _Leading(bound, np.ones(L.shape[0]))).vectors


def spectral_embedding(A: Any, k: int) -> AnyArray:
    """Rows of the k leading eigenvectors of the normalized adjacency, scaled to unit length.

    Ng, Jordan & Weiss, "On spectral clustering", NIPS 2001. Rows that no chosen eigenvector reaches
    stay zero.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import spectral_embedding
    >>> spectral_embedding(np.kron(np.eye(2), np.ones((2, 2))), 2)
    array([[1., 0.],
           [1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    return normalize(graph_eigenpairs(A, k).vectors)


class _Leading(NamedTuple):
    """The largest eigenvalue of every component with an edge, and its vectors, in closed form."""

    value: float
    vectors: AnyArray


def _merged(M: Any, k: int, volume: AnyArray, leading: _Leading | None) -> Eigenpairs:
    n, dtype = M.shape[0], M.dtype
    if not 1 <= k <= n:
        raise ValueError(f"k={k} eigenvectors asked for; a graph of {n} vertices has 1 to {n}.")
    M = sp.csr_array(M, dtype=np.float64) if sp.issparse(M) else np.asarray(M, dtype=np.float64)
    label = components(M)
    size = np.bincount(label)
    weight = np.bincount(label, volume)
    weight = np.round(weight / (float(weight.max(initial=0)) or 1.0), 12)
    rank = np.empty(len(size), dtype=np.intp)
    rank[np.argsort(-weight, kind="stable")] = np.arange(len(size))
    parts = _parts(M, k, label, rank, leading)
    values = np.concatenate([part.values for part in parts])
    owner = np.concatenate([np.full(len(p.values), p.owner) for p in parts])
    within = np.concatenate([np.arange(len(p.values)) for p in parts])
    order = _falling(values, rank[owner], within)[:k]
    vectors = np.zeros((n, k), dtype=dtype)
    by_owner = {part.owner: part for part in parts}
    for column, pick in enumerate(order):
        part = by_owner[int(owner[pick])]
        vectors[part.vertices, column] = part.vectors[:, within[pick]]
    return Eigenpairs(values[order].astype(dtype), vectors, owner[order])


class _Part(NamedTuple):
    owner: int
    vertices: NDArray[np.intp]
    values: AnyArray
    vectors: AnyArray


def _parts(
    M: Any, k: int, label: NDArray[np.intp], rank: NDArray[np.intp], leading: _Leading | None
) -> list[_Part]:
    """Enough eigenpairs of every component to find the k largest of all among them."""
    size = np.bincount(label)
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(size)[:-1])
    single = size == 1
    by_rank = np.argsort(rank)
    large = [int(c) for c in by_rank if not single[c]]
    extra = k
    if leading is not None:
        extra = max(0, k - len(large))
        large = large[:k]
    parts = []
    for c in large:
        at = members[c]
        part = M if len(at) == M.shape[0] else M[at][:, at]
        of_part = leading and leading._replace(vectors=leading.vectors[at])
        parts.append(_Part(c, at, *_pairs(part, min(extra, len(at)), of_part)))
    diagonal = M.diagonal()
    lone = [int(c) for c in by_rank if single[c]]
    for c in sorted(lone, key=lambda c: -diagonal[members[c][0]])[:k]:
        at = members[c]
        parts.append(_Part(c, at, diagonal[at], np.ones((1, 1), dtype=diagonal.dtype)))
    return parts


def _pairs(M: Any, extra: int, leading: _Leading | None) -> tuple[AnyArray, AnyArray]:
    """Leading eigenpairs of a connected part; with `leading`, that one and `extra` more."""
    if leading is None:
        return leading_eigenpairs(M, extra)
    top = (leading.vectors / np.linalg.norm(leading.vectors))[:, None]
    extra = min(extra, M.shape[0] - 1)
    if not extra:
        return np.array([leading.value]), top
    # The second eigenvalue may be equal to rounding: take the first out, diagonalize the rest.
    V = leading_eigenpairs(M, extra + 1)[1]
    V = V - top @ (top.T @ V)
    Q = leading_eigenpairs(V.T @ V, extra)[1]
    Q = orthonormalize(V @ Q)
    values, C = leading_eigenpairs(Q.T @ (M @ Q), extra)
    return np.concatenate([[leading.value], values]), np.hstack([top, fix_signs(Q @ C)])


def _falling(
    values: AnyArray, rank: NDArray[np.intp], within: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Order by falling value; values equal up to rounding go by rank, then by position."""
    order = np.argsort(-values, kind="stable")
    tie = TIE * float(np.abs(values).max())
    group = np.empty(len(values), dtype=np.intp)
    group[order] = np.concatenate([[0], np.cumsum(-np.diff(values[order]) > tie)])
    return np.lexsort((within, rank, group))
