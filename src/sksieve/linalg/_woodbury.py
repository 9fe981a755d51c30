"""``diag(q) + B'B`` and ``diag(q) - B'B``: cheap when B has far fewer rows (r) than columns (d).

By the identity of Sherman, Morrison and Woodbury an inverse of order d becomes one of order r:
``(D + B'B)^-1 = D^-1 - D^-1 B'(I + B D^-1 B')^-1 B D^-1``. Elsewhere everything is dense.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, svd
from scipy.sparse.linalg import LinearOperator

from ._eig import eigenpairs_between, fix_signs, leading_eigenpairs

__all__ = ["LOW_RANK_SHARE", "SignedGram", "ridge_coefficients"]

Array = NDArray[Any]

#: Low rank pays below this share of rows per column (benchmarks/ufs_speed.py, "switch").
LOW_RANK_SHARE = 0.5
#: Orders up to this are decomposed whole: faster than Lanczos on an inverse.
_DENSE_SIZE = 800
_DENSE_SHARE = 10
#: Where A is written out already, a full reduction wins up to 1000 and 60 for each vector.
_WRITTEN_SIZE = 1000
_WRITTEN_SHARE = 60
#: Bound of the condition number above which normal equations are not solved.
_ILL_CONDITIONED = 1e12


class SignedGram:
    """``+B'B`` or ``-B'B``, to which diagonals are added.

    Parameters
    ----------
    B : ndarray of shape (r, d)
    sign : {1, -1}, default=1
    A : ndarray of shape (d, d), optional
        ``B'B`` where it is known already; B is then not looked at and may be None.

    Attributes
    ----------
    low_rank : bool
        Is B kept, and no d x d matrix ever made? Else ``A = B'B`` is.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import SignedGram
    >>> form = SignedGram(np.array([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), sign=-1)
    >>> form.smallest_eigenvectors(np.array([1.0, 1.0, 1.0]), 1).ravel()
    array([1., 0., 0.])
    """

    def __init__(self, B: Array | None, sign: int = 1, *, A: Array | None = None) -> None:
        self.sign = sign
        self.low_rank = A is None and B is not None and len(B) < LOW_RANK_SHARE * B.shape[1]
        self.B = B if self.low_rank else None
        self.A: Any = A if self.low_rank or A is not None else B.T @ B  # type: ignore[union-attr]
        self.n_columns = int((B if A is None else A).shape[1])  # type: ignore[union-attr]

    def trace(self, W: Array) -> float:
        """``+-tr(W'B'BW)``."""
        if self.B is not None:
            BW = self.B @ W
            return self.sign * float(np.vdot(BW, BW))
        return self.sign * float(np.vdot(W, self.A @ W))

    def diagonal(self) -> Array:
        """Diagonal of B'B, without the sign."""
        if self.B is not None:
            return np.einsum("ij,ij->j", self.B, self.B)
        return np.diagonal(self.A).copy()

    @cached_property
    def norm(self) -> float:
        """Largest eigenvalue of B'B."""
        G = self.B @ self.B.T if self.B is not None else self.A
        return float(leading_eigenpairs(G, 1)[0][0])

    def rank(self) -> int:
        """Rank of B'B, to rounding."""
        G = self.B @ self.B.T if self.B is not None else self.A
        values = np.linalg.eigvalsh(G)
        return int((values > len(values) * np.finfo(values.dtype).eps * values[-1]).sum())

    def smallest_eigenvectors(self, q: Array, k: int, *, start: Array | None = None) -> Array:
        """Eigenvectors of the k smallest eigenvalues of ``diag(q) +- B'B``.

        Parameters
        ----------
        q : ndarray of shape (d,)
            Positive.
        k : int
            ``1 <= k <= d``.
        start : ndarray of shape (d, j), optional
            A guess at the subspace, the answer for another q say.

        Returns
        -------
        W : ndarray of shape (d, k)
            Orthonormal, smallest first, signs fixed.

        Notes
        -----
        Low rank: O(r^2 d + r^3) once and O(r d) for each Lanczos step on the inverse. Dense: O(d^3)
        (one Cholesky factorization for few vectors of a large matrix, else a full reduction: at
        order 1024 and 50 vectors 0.08 s for 0.3 to 1 s by Lanczos).
        """
        d = self.n_columns
        if self.low_rank:
            few = k * _DENSE_SHARE <= d and d > _DENSE_SIZE
        else:
            few = d > _WRITTEN_SIZE + _WRITTEN_SHARE * k
        inverse = self._inverse(q) if few else None
        if inverse is None:
            G = self.sign * self._dense()
            G[np.diag_indices(d)] += q
            return fix_signs(eigenpairs_between(G, 0, k)[1])
        operator = LinearOperator((d, d), matvec=inverse, matmat=inverse, dtype=np.float64)
        return leading_eigenpairs(operator, k, start=start)[1]

    def _dense(self) -> Array:
        return self.B.T @ self.B if self.B is not None else self.A.copy()

    def _inverse(self, q: Array) -> Callable[[Array], Array] | None:
        """``V -> (diag(q) - s I +- B'B)^-1 V``, s below the spectrum; None if rounding forbids."""
        s = 0.0 if self.sign > 0 else float(q.min()) - 1.001 * self.norm
        try:
            if self.B is not None:
                return _woodbury(self.B, q - s, self.sign)
            G = self.sign * self.A
            G[np.diag_indices(len(q))] += q - s
            factor = cho_factor(G, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        return lambda V: cho_solve(factor, V, check_finite=False)


def _woodbury(B: Array, q: Array, sign: int) -> Callable[[Array], Array]:
    """``V -> (diag(q) + sign B'B)^-1 V`` in O(r d) each."""
    C = B / q
    inner = sign * (C @ B.T)
    inner[np.diag_indices(len(B))] += 1
    factor = cho_factor(inner, overwrite_a=True, check_finite=False)

    def apply(V: Array) -> Array:
        correction = B.T @ cho_solve(factor, C @ V, check_finite=False)
        return ((V - sign * correction).T / q).T

    return apply


def ridge_coefficients(X: Array, q: Array, F: Array) -> Array:
    """``argmin_W ||XW - F||_F^2 + sum_j q_j ||w_j||^2 = (X'X + diag(q))^-1 X'F``.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    q : ndarray of shape (d,)
        Positive.
    F : ndarray of shape (n, c)

    Returns
    -------
    W : ndarray of shape (d, c)

    Notes
    -----
    O(n d^2 + d^3), or with far fewer rows than columns ``W = Q^-1 X'(X Q^-1 X' + I)^-1 F`` in
    O(n^2 d + n^3) without a d x d matrix. Where q is so small compared with the squares of X that
    these matrices are singular to rounding, the singular values of ``X Q^-1/2`` take their place.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import ridge_coefficients
    >>> ridge_coefficients(np.array([[2.0], [0.0]]), np.array([1.0]), np.array([[5.0], [1.0]]))
    array([[2.]])
    """
    n, d = X.shape
    if float(np.einsum("ij,ij->j", X, X) @ (1 / q)) > _ILL_CONDITIONED:
        root = np.sqrt(q)
        U, s, Vt = svd(X / root, full_matrices=False)
        return (Vt.T @ ((s / (s * s + 1))[:, None] * (U.T @ F))) / root[:, None]
    if n < LOW_RANK_SHARE * d:
        Z = X / q
        K = Z @ X.T
        K[np.diag_indices(n)] += 1
        return Z.T @ cho_solve(cho_factor(K, overwrite_a=True), F)
    G = X.T @ X
    G[np.diag_indices(d)] += q
    return cho_solve(cho_factor(G, overwrite_a=True), X.T @ F)
