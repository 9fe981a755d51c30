"""Leading eigenpairs of a symmetric matrix: dense, Lanczos, and block steps from a good start."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg, splu

from .._memory import require_memory
from .._typing import Array
from ._qr import orthonormalize

# A full reduction beats Lanczos below this size, and when more than a tenth of the pairs is wanted.
DENSE_SIZE = 800
DENSE_SHARE = 10
_DENSE_LIMIT = 8000
_RESTARTS = 100
#: Block steps preconditioned by the diagonal: above which ratio of its largest to its median, with
#: how many more vectors than are wanted, and to which residual.
_UNEVEN = 10
_GUARD = 4
_RESIDUAL = 1e-10
#: Signs of eigenvalues: pairs at first, and tolerances of a bound of all eigenvalues.
_FIRST = 16
_LOOSE, _TIGHT = 1e-2, 1e-13
#: Part of the bound below which an eigenvalue counts as 0.
_ZERO = 64 * np.finfo(np.float64).eps


def fix_signs(vectors: NDArray[Any]) -> NDArray[Any]:
    """Columns times +-1, so that the first entry of (nearly) largest magnitude is positive.

    Examples
    --------
    >>> import numpy as np
    >>> fix_signs(np.array([[0.6, -0.8], [-0.8, -0.6]]))
    array([[-0.6,  0.8],
           [ 0.8,  0.6]])
    """
    size = np.abs(vectors)
    near = size >= (1 - 1e-6) * size.max(axis=0, initial=0)
    signs = np.sign(vectors[near.argmax(axis=0), np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1, signs).astype(vectors.dtype)


def leading_eigenpairs(
    G: Any, k: int, *, start: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The `k` largest eigenvalues of symmetric `G` (descending) and their eigenvectors.

    The sign of each vector is fixed (its entry of largest magnitude is positive), so that the
    answer does not depend on the LAPACK driver.

    Parameters
    ----------
    G : ndarray, sparse array or LinearOperator of shape (d, d)
        Symmetric.
    k : int
        How many, ``1 <= k <= d``.
    start : ndarray of shape (d, r), optional
        A guess at the subspace, the answer for a matrix near G say; only Lanczos uses it.

    Returns
    -------
    values : ndarray of shape (k,)
    vectors : ndarray of shape (d, k)

    Raises
    ------
    numpy.linalg.LinAlgError
        If Lanczos does not converge on an operator too large to be written out.

    Notes
    -----
    Small matrices, and more than a tenth of all pairs: dense, O(d^3). Else implicitly restarted
    Lanczos to machine precision from one fixed start vector, O(nnz k + d k^2) a restart. One start
    vector sees one direction of each eigenspace, so the answer is checked: as long as the matrix
    without the pairs found has a larger eigenvalue than the smallest of them, that pair is added.
    Where the eigenvalues are too close for that, Lanczos on the inverse of the shifted matrix (one
    sparse factorization).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import leading_eigenpairs
    >>> values, vectors = leading_eigenpairs(np.diag([1.0, 3.0, 2.0]), 2)
    >>> values
    array([3., 2.])
    """
    d = G.shape[0]
    if d <= DENSE_SIZE or k * DENSE_SHARE > d:
        values, vectors = eigenpairs_between(_written_out(G), d - k, d)
        values, vectors = values[::-1].copy(), vectors[:, ::-1]
    else:
        values, vectors = _lanczos(G, k, start)
    return values, fix_signs(vectors)


def leading_eigenvalues(G: Any, k: int) -> NDArray[Any]:
    """The `k` largest eigenvalues of symmetric `G`, descending.

    Parameters
    ----------
    G : ndarray, sparse array or LinearOperator of shape (d, d)
        Symmetric.
    k : int
        How many, ``1 <= k <= d``.

    Returns
    -------
    values : ndarray of shape (k,)

    Raises
    ------
    numpy.linalg.LinAlgError
        If Lanczos does not converge on an operator too large to be written out.

    Notes
    -----
    Where `leading_eigenpairs` is dense: all eigenvalues, O(d^3). LAPACK's routines for a part of
    the spectrum fail on repeated eigenvalues (identity, one-hot and balanced tables) and are no
    faster, because the reduction to tridiagonal form dominates. Elsewhere Lanczos.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import leading_eigenvalues
    >>> leading_eigenvalues(np.eye(40), 3)
    array([1., 1., 1.])
    """
    d = G.shape[0]
    if d <= DENSE_SIZE or k * DENSE_SHARE > d:
        return np.linalg.eigvalsh(_written_out(G))[::-1][:k]
    return _lanczos(G, k, None)[0]


def count_positive(G: Any) -> int:
    """How many eigenvalues of symmetric `G` are above 0 (and rounding), from their signs only.

    Parameters
    ----------
    G : sparse array of shape (d, d)
        Symmetric.

    Returns
    -------
    int

    Notes
    -----
    An eigenvalue lies within the residual of each Ritz pair, which gives its sign long before the
    pair has converged. Lanczos with a loose tolerance, which becomes tighter, from the vectors
    found, only as long as the largest value not known to be positive is not known to be at most 0.
    As one start vector sees one direction of each eigenspace, the matrix without the pairs found is
    searched from another one, until it has no positive value. Dense up to order 800, and where
    more than a tenth of the eigenvalues are positive.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from sksieve.linalg import count_positive
    >>> count_positive(sp.diags_array([2.0, 2.0, 0.0, -1.0]).tocsr())
    2
    """
    d, bound = G.shape[0], float(abs(G).sum(axis=0).max())
    v0 = np.cos(np.arange(1, d + 1, dtype=np.float64) ** 2)  # fixed, without structure
    found = np.empty((d, 0))
    while d > DENSE_SIZE:
        vectors = _positive_pairs(G, bound, found, v0)
        if vectors is None or (found.shape[1] + vectors.shape[1]) * DENSE_SHARE > d:
            break
        if not vectors.shape[1]:
            return found.shape[1]
        found = orthonormalize(np.column_stack([found, vectors]))
        v0 = np.roll(v0, 1)  # anew: what it sees of an eigenspace is found by then
    return int(np.sum(np.linalg.eigvalsh(_written_out(G)) > _ZERO * bound))


def _positive_pairs(G: Any, bound: float, found: NDArray[Any], v0: Array) -> NDArray[Any] | None:
    """Ritz vectors of the positive eigenvalues of G without the directions found.

    None where they are more than a tenth of all.
    """
    d, floor = G.shape[0], _ZERO * bound

    def product(x: NDArray[Any]) -> NDArray[Any]:  # G + bound I, what was found at 0
        x = np.ravel(x)
        x = x - found @ (found.T @ x)
        y = G @ x + bound * x
        return y - found @ (found.T @ y)

    operator = LinearOperator(G.shape, matvec=product, dtype=np.float64)
    k, tol = (1, _LOOSE) if found.shape[1] else (_FIRST, _LOOSE)
    while True:
        values, vectors = _eigsh(operator, k, v0, max(3 * k, 40), tol)
        images = G @ vectors
        values = np.einsum("ij,ij->j", vectors, images)
        rest = np.linalg.norm(images - vectors * values, axis=0)
        clear = np.abs(values) > rest if tol > _TIGHT else np.full(k, True)
        n_positive = int(np.argmin(np.append(clear & (values > floor), False)))
        if n_positive < k and clear[n_positive]:
            return vectors[:, :n_positive]
        if n_positive == k:
            k += k // 2 + 1
        else:
            k, tol = n_positive + 1, tol / 10
        if k * DENSE_SHARE > d:
            return None
        v0 = vectors.sum(axis=1) + 1e-3 * v0 / np.linalg.norm(v0)


def eigenpairs_between(G: NDArray[Any], first: int, end: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Eigenpairs `first` to `end` - 1 of a symmetric matrix, ascending.

    Parameters
    ----------
    G : ndarray of shape (d, d)
    first, end : int
        ``0 <= first < end <= d``.

    Returns
    -------
    values : ndarray of shape (end - first,)
    vectors : ndarray of shape (d, end - first)

    Notes
    -----
    Cost O(d^3). LAPACK's routine for a part of the spectrum gives up on some matrices whose
    eigenvalues are equal up to rounding, or gives fewer than were asked for without a word; for
    these the whole of it is worked out.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import eigenpairs_between
    >>> eigenpairs_between(np.diag([1.0, 3.0, 2.0]), 0, 2)[0]
    array([1., 2.])
    """
    try:
        values, vectors = eigh(G, subset_by_index=[first, end - 1])
    except np.linalg.LinAlgError:
        values = np.empty(0)
    if len(values) < end - first:
        values, vectors = np.linalg.eigh(G)
        return values[first:end], vectors[:, first:end]
    return values, vectors


def _written_out(G: Any) -> NDArray[Any]:
    d = G.shape[0]
    if not isinstance(G, np.ndarray):
        require_memory(
            3 * 8 * d * d,
            f"More than a tenth of the eigenvectors of a matrix of size {d}",
            "Ask for fewer (n_clusters, n_components).",
        )
    if sp.issparse(G):
        return G.toarray()
    return G @ np.eye(G.shape[0]) if isinstance(G, LinearOperator) else G


def _lanczos(G: Any, k: int, start: NDArray[Any] | None) -> tuple[NDArray[Any], NDArray[Any]]:
    d = G.shape[0]
    v0 = np.cos(np.arange(1, d + 1, dtype=np.float64) ** 2)  # fixed, without structure
    v0 /= np.linalg.norm(v0)
    if not np.any(G @ v0):
        return np.zeros(k, dtype=G.dtype), np.eye(d, k, dtype=G.dtype)
    if start is not None:
        v0 = start.sum(axis=1) + 1e-3 * v0
    if sp.issparse(G) and (pairs := _by_diagonal(G, k)) is not None:
        return pairs
    try:
        return _checked(G, k, v0, max(3 * k, 40))
    except ArpackNoConvergence:
        if sp.issparse(G):
            return _by_inverse(G, k, v0)
        if d > _DENSE_LIMIT:
            raise np.linalg.LinAlgError(
                f"Lanczos did not converge on an operator of order {d} for {k} eigenpairs."
            ) from None
    values, vectors = eigenpairs_between(_written_out(G), d - k, d)
    return values[::-1], vectors[:, ::-1]


def _checked(G: Any, k: int, v0: Array, ncv: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lanczos, repeated without the pairs found until none is missing."""
    values, vectors = _eigsh(G, k, v0, ncv)
    floor = 64 * np.finfo(values.dtype).eps * np.abs(values).max(initial=0)
    for turn in itertools.count(1):
        rest = _without(G, vectors, values)
        other = np.roll(v0, turn)  # anew: what it sees of an eigenspace is found by then
        if _eigsh(rest, 1, other, ncv, tol=1e-5)[0][0] <= values[-1] + floor:
            break
        # A missed direction: diagonalize on the span of all found so far.
        missed = _eigsh(rest, 1, other, ncv)[1]
        values, vectors = _ritz(G, np.column_stack([vectors, missed]))
        values, vectors = values[:k], vectors[:, :k]
    return values, vectors


def _eigsh(
    G: Any, k: int, v0: Array, ncv: int, tol: float = 0.0
) -> tuple[NDArray[Any], NDArray[Any]]:
    ncv = min(ncv, G.shape[0])
    values, vectors = eigsh(G, k, which="LA", v0=v0, ncv=ncv, tol=tol, maxiter=_RESTARTS)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _by_inverse(G: Any, k: int, v0: Array) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lanczos on ``(sigma I - G)^-1``, sigma just above the spectrum.

    For eigenvalues too close for Lanczos itself: graphs of low dimension, where elimination fills
    in little.
    """
    G64 = sp.csc_array(G, dtype=np.float64)
    sigma = float(abs(G64).sum(axis=0).max())  # Gershgorin: no eigenvalue above
    inverse = _inverse(G64, sigma * (1 + 1e-9))
    for _ in range(20):  # sigma down toward the largest eigenvalue, which the inverse shows
        value = sigma - 1 / float(_eigsh(inverse, 1, v0, 40, tol=1e-4)[0][0])
        if sigma - value <= 1e-9 * abs(value):
            break
        gap = (sigma - value) / 100 + 1e-10 * abs(value)
        while (closer := _inverse(G64, value + gap)) is None:
            gap *= 10
        sigma, inverse = value + gap, closer
    values, vectors = _ritz(G64, _checked(inverse, k, v0, max(3 * k, 40))[1])
    return values.astype(G.dtype), vectors.astype(G.dtype)


def _by_diagonal(G: Any, k: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Locally optimal block steps on ``sigma I - G``, preconditioned by its diagonal.

    For graphs with hubs, in whose spectrum the eigenvalues next to sigma are too close for Lanczos,
    and whose elimination fills in everything. None for other matrices, and if it converges slowly.
    """
    G64 = sp.csr_array(G, dtype=np.float64)
    sigma = float(abs(G64).sum(axis=0).max())
    diagonal = sigma - G64.diagonal()
    usual = float(np.median(diagonal))
    if not diagonal.max() > _UNEVEN * usual > 0 or diagonal.min() <= 0:
        return None
    A = sp.csr_array(sigma * sp.eye_array(G.shape[0]) - G64)
    shape = {"shape": A.shape, "dtype": np.float64}
    precondition = LinearOperator(
        matvec=lambda v: (v.T / diagonal).T, matmat=lambda V: V / diagonal[:, None], **shape
    )
    rows = np.arange(1, A.shape[0] + 1, dtype=np.float64)[:, None]
    V = np.cos(rows**2 * np.arange(1, k + _GUARD + 1) ** 0.5)  # fixed, without structure
    before, tol = np.inf, _RESIDUAL * usual
    while True:
        with warnings.catch_warnings():  # whether it has converged is looked at below
            warnings.simplefilter("ignore", UserWarning)
            try:
                values, V = lobpcg(A, V, M=precondition, largest=False, maxiter=40, tol=tol / 2)
            except ValueError:  # its basis has become dependent: left to Lanczos
                return None
        order = np.argsort(values)
        values, V = values[order], V[:, order]
        rest = float(np.linalg.norm(A @ V[:, :k] - V[:, :k] * values[:k], axis=0).max())
        if rest <= tol:
            return (sigma - values[:k]).astype(G.dtype), V[:, :k].astype(G.dtype)
        if rest > before / 10:
            return None
        before = rest


def _inverse(G: Any, sigma: float) -> LinearOperator | None:
    """``(sigma I - G)^-1``, or None where that is not positive definite."""
    shifted = sp.csc_array(sigma * sp.eye_array(G.shape[0]) - G)
    options = {"SymmetricMode": True}
    factor = splu(shifted, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    if not (factor.U.diagonal() > 0).all():
        return None
    return LinearOperator(G.shape, matvec=factor.solve, dtype=np.float64)


def _without(G: Any, vectors: NDArray[Any], values: NDArray[Any]) -> LinearOperator:
    """G with the eigenvalues found sent to the bottom: ``G - V (values + bound) V'``."""
    weight = values + np.abs(values).max(initial=0)

    def product(x: NDArray[Any]) -> NDArray[Any]:
        x = np.ravel(x)
        return G @ x - vectors @ (weight * (vectors.T @ x))

    return LinearOperator(G.shape, matvec=product, dtype=vectors.dtype)


def _ritz(G: Any, basis: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    Q = orthonormalize(basis)
    T = Q.T @ (G @ Q)
    values, vectors = eigh((T + T.T) / 2)
    return values[::-1], Q @ vectors[:, ::-1]


def block_rayleigh_ritz(
    apply: Callable[[Array], Array], Y: Array, *, max_steps: int = 8, tol: float = 1e-8
) -> tuple[Array, Array]:
    """Turn Y toward the leading eigenvectors of K; ``tr(Y'KY)`` never falls.

    Locally optimal block steps: the leading Ritz vectors of K on ``span{Y, residual, last
    direction}``. Meant for a Y that is nearly right and a K that is costly to apply.

    Parameters
    ----------
    apply : callable
        ``apply(V) = K V`` for V of shape (n, m); K symmetric, of any signs.
    Y : ndarray of shape (n, c)
        Orthonormal columns.
    max_steps : int, default=8
        Bound on the steps; each applies K to c new columns.
    tol : float, default=1e-8
        Stop when ``||KY - Y T||_F <= tol ||KY||_F``.

    Returns
    -------
    values : ndarray of shape (c,)
        Ritz values, descending; their sum is ``tr(Y'KY)``.
    Y : ndarray of shape (n, c)
        Ritz vectors, orthonormal.

    Notes
    -----
    Cost per step one block product and O(n c^2).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import block_rayleigh_ritz
    >>> K = np.diag([1.0, 5.0, 3.0, 2.0])
    >>> values, Y = block_rayleigh_ritz(lambda V: K @ V, np.full((4, 1), 0.5))
    >>> values.round(6)
    array([5.])
    """
    n, c = Y.shape
    basis = np.vstack([Y, apply(Y)])  # columns (v; Kv): what is done to v is done to Kv
    direction = np.empty((2 * n, 0))
    for step in range(max_steps + 1):
        T = basis[:n].T @ basis[n:]
        values, C = eigh((T + T.T) / 2)
        values, C = values[::-1][:c], C[:, ::-1][:, :c]
        if step:
            direction = basis[:, c:] @ C[c:]
        pair = basis @ C
        residual = pair[n:] - pair[:n] * values
        if step == max_steps or np.linalg.norm(residual) <= tol * np.linalg.norm(pair[n:]):
            break
        new = _beyond(pair[:n], residual, n)
        basis = np.hstack([pair, np.vstack([new, apply(new)])])
        basis = np.hstack([basis, _beyond(basis, direction, n)])
    return values, pair[:n]


def _beyond(Q: Array, V: Array, n: int) -> Array:
    """Combinations of V and Q, orthonormal and orthogonal to Q in the first n rows.

    What lies in the span of Q up to 1e-6 is dropped.
    """
    floor = float(1e-6 * np.linalg.norm(V[:n])) ** 2
    for _ in range(2):
        V = V - Q @ (Q[:n].T @ V[:n])
        values, vectors = np.linalg.eigh(V[:n].T @ V[:n])
        kept = values > floor
        V = V @ (vectors[:, kept] / np.sqrt(values[kept]))
        floor = 0.25  # the second pass only cleans up rounding
    return V
