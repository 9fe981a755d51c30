"""``diag(q) + B'B`` and ``diag(q) - B'B``: cheap when B has far fewer rows (r) than columns (d).

By the identity of Sherman, Morrison and Woodbury an inverse of order d becomes one of order r:
``(D + B'B)^-1 = D^-1 - D^-1 B'(I + B D^-1 B')^-1 B D^-1``. Elsewhere everything is dense.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, svd
from scipy.sparse.linalg import LinearOperator

from .._typing import AnyArray, Indices
from ..exceptions import DataError
from ..tables import (
    CenteredTable,
    column_norms2,
    rows_product,
    weighted_gram,
    weighted_outer,
)
from ._eig import eigenpairs_between, fix_signs, leading_eigenpairs
from ._qr import orthonormalize

#: Low rank pays below this share of rows per column (benchmarks/ufs_speed.py, "switch").
LOW_RANK_SHARE = 0.5
#: Orders up to this are decomposed whole: faster than Lanczos on an inverse.
_DENSE_SIZE = 800
_DENSE_SHARE = 10
#: Up to this order `SignedGram.step_to_smallest` takes the eigenvectors themselves.
_STEP_SIZE = 400
#: Where A is written out already, a full reduction wins up to 1000 and 60 for each vector.
_WRITTEN_SIZE = 1000
_WRITTEN_SHARE = 60
#: Bound of the condition number above which normal equations are not solved.
_ILL_CONDITIONED = 1e12


class SignedGram:
    """``+B'B`` or ``-B'B``, to which diagonals are added.

    Parameters
    ----------
    B : ndarray, CenteredTable or MixedTable of shape (r, d)
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

    def __init__(self, B: Any, sign: int = 1, *, A: AnyArray | None = None) -> None:
        self.sign = sign
        self.low_rank = A is None and B is not None and len(B) < LOW_RANK_SHARE * B.shape[1]
        self.B = B if self.low_rank else None
        self.A: Any = A if self.low_rank or A is not None else weighted_gram(B)
        self.n_columns = int((B if A is None else A).shape[1])

    def trace(self, W: AnyArray) -> float:
        """``+-tr(W'B'BW)``."""
        if self.B is not None:
            BW = self.B @ W
            return self.sign * float(np.vdot(BW, BW))
        return self.sign * float(np.vdot(W, self.A @ W))

    def diagonal(self) -> AnyArray:
        """Diagonal of B'B, without the sign."""
        if self.B is not None:
            return column_norms2(self.B)
        return np.diagonal(self.A).copy()

    def submatrix(self, I: Indices) -> AnyArray:  # noqa: E741
        """``(B'B)_II``."""
        if self.B is None:
            return self.A[np.ix_(I, I)]
        return weighted_gram(self.B[:, I])

    def restricted(self, I: Indices) -> Callable[[AnyArray], AnyArray]:  # noqa: E741
        """``V -> (B'B)_II V``, written out only where that is smaller than B."""
        if self.B is None or len(I) <= len(self.B):
            G = self.submatrix(I)
            return lambda V: G @ V
        B = self.B[:, I]
        return lambda V: B.T @ (B @ V)

    def times(self, I: Indices, V: AnyArray) -> AnyArray:  # noqa: E741
        """``(B'B)_:I V``, of shape (d, c)."""
        if self.B is None:
            return self.A[:, I] @ V
        return self.B.T @ (self.B[:, I] @ V)

    def leading_eigenpairs(self, k: int) -> tuple[AnyArray, AnyArray]:
        """The k largest eigenvalues of B'B, descending, and their vectors; k up to the rows of B.

        Vectors of eigenvalues 0 may be 0.
        """
        if self.B is None:
            return leading_eigenpairs(self.A, k)
        values, U = leading_eigenpairs(weighted_outer(self.B), k)
        kept = values > len(self.B) * np.finfo(values.dtype).eps * values[0]
        root = np.sqrt(np.where(kept, values, 1))
        return np.where(kept, values, 0), self.B.T @ (U * (kept / root))

    @cached_property
    def norm(self) -> float:
        """Largest eigenvalue of B'B."""
        G = weighted_outer(self.B) if self.B is not None else self.A
        return float(leading_eigenpairs(G, 1)[0][0])

    def rank(self) -> int:
        """Rank of B'B, to rounding."""
        G = weighted_outer(self.B) if self.B is not None else self.A
        values = np.linalg.eigvalsh(G)
        return int((values > len(values) * np.finfo(values.dtype).eps * values[-1]).sum())

    def smallest_eigenvectors(
        self, q: AnyArray, k: int, *, start: AnyArray | None = None
    ) -> AnyArray:
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
        (one Cholesky factorization for few vectors of a large matrix, else a full reduction).
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

    def step_to_smallest(self, q: AnyArray, W: AnyArray) -> AnyArray:
        """W turned toward `smallest_eigenvectors` of q; ``tr(W'(diag(q) +- B'B)W)`` never rises.

        The smallest Ritz vectors in the span of W and ``(diag(q) +- B'B - s I)^-1 W``: one step of
        inverse iteration. Up to 400 columns, and where the span is most of the space, the
        eigenvectors themselves.

        Parameters
        ----------
        q, W
            As `smallest_eigenvectors` takes q and returns W, which is also what is returned here.

        Notes
        -----
        One Cholesky factorization and a few products with k columns, for the tridiagonal reduction
        of `smallest_eigenvectors` or its tens of Lanczos steps.
        """
        d, k = W.shape
        inverse = self._inverse(q) if d > max(_STEP_SIZE, 4 * k) else None
        if inverse is None:
            return self.smallest_eigenvectors(q, k, start=W)
        V = orthonormalize(np.hstack([W, inverse(W)]))
        T = self.sign * self.quadratic(V) + V.T @ (q[:, None] * V)
        return fix_signs(V @ np.linalg.eigh((T + T.T) / 2)[1][:, :k])

    def quadratic(self, V: AnyArray) -> AnyArray:
        """``V'B'BV``, without the sign."""
        if self.B is None:
            return np.asarray(V.T @ (self.A @ V))
        BV = self.B @ V
        return np.asarray(BV.T @ BV)

    def _dense(self) -> AnyArray:
        return weighted_gram(self.B) if self.B is not None else self.A.copy()

    def _inverse(self, q: AnyArray) -> Callable[[AnyArray], AnyArray] | None:
        """``V -> (diag(q) - s I +- B'B)^-1 V``, s below the spectrum; None if rounding forbids."""
        s = 0.0 if self.sign > 0 else float(q.min()) - 1.001 * self.norm
        try:
            if self.B is not None:
                return _woodbury(self.B, q - s, self.sign)
            G = self.sign * self.A
            G[np.diag_indices(len(q))] += q - s
            factor = cho_factor(G.T, overwrite_a=True, check_finite=False)  # LAPACK's order
        except np.linalg.LinAlgError:
            return None
        return lambda V: cho_solve(factor, V, check_finite=False)


def _woodbury(B: Any, q: AnyArray, sign: int) -> Callable[[AnyArray], AnyArray]:
    """``V -> (diag(q) + sign B'B)^-1 V`` in O(r d) each."""
    inner = sign * weighted_outer(B, 1 / q)
    inner[np.diag_indices(len(B))] += 1
    factor = cho_factor(inner.T, overwrite_a=True, check_finite=False)

    def apply(V: AnyArray) -> AnyArray:
        correction = B.T @ cho_solve(factor, B @ (V.T / q).T, check_finite=False)
        return ((V - sign * correction).T / q).T

    return apply


def ridge_coefficients(X: Any, q: AnyArray, F: AnyArray, a: AnyArray | None = None) -> AnyArray:
    """``argmin_W sum_i a_i ||x_i W - f_i||^2 + sum_j q_j ||w_j||^2``.

    Parameters
    ----------
    X : ndarray or CenteredTable of shape (n, d)
    q : ndarray of shape (d,)
        Positive.
    F : ndarray of shape (n, c)
    a : ndarray of shape (n,), optional
        Positive; 1 where it is not given.

    Returns
    -------
    W : ndarray of shape (d, c)
        ``(X'AX + Q)^-1 X'AF``.

    Notes
    -----
    Cost and errors are those of `RidgeSolver`.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import ridge_coefficients
    >>> ridge_coefficients(np.array([[2.0], [0.0]]), np.array([1.0]), np.array([[5.0], [1.0]]))
    array([[2.]])
    """
    return RidgeSolver(X, q, a).coefficients(F)


class RidgeSolver:
    """`ridge_coefficients` for one X and q and many F, from one factorization.

    Parameters
    ----------
    X : ndarray or CenteredTable of shape (n, d)
    q : ndarray of shape (d,)
        Positive.
    a : ndarray of shape (n,), optional
        Positive; 1 where it is not given.
    gram : ndarray of shape (d, d), optional
        ``X'AX`` where it is known; not modified.

    Raises
    ------
    DataError
        If q is so small compared with the squares of a sparse X that the regression is singular
        to rounding.

    Notes
    -----
    O(n d^2 + d^3) once (O(d^3) with `gram`), or with far fewer rows than columns ``W = Q^-1 X'(X
    Q^-1 X' + A^-1)^-1 F`` in O(n^2 d + n^3) without a d x d matrix. Where q is so small compared
    with the squares of X that these matrices are singular to rounding, the singular values of
    ``A^1/2 X Q^-1/2`` take their place.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.linalg import RidgeSolver
    >>> ridge = RidgeSolver(np.array([[2.0], [0.0]]), np.array([1.0]))
    >>> ridge.coefficients(np.array([[5.0], [1.0]]))
    array([[2.]])
    >>> ridge.residual(np.array([[5.0], [1.0]]))
    array([[1.],
           [1.]])
    """

    def __init__(
        self, X: Any, q: AnyArray, a: AnyArray | None = None, *, gram: AnyArray | None = None
    ) -> None:
        n, d = X.shape
        self.X, self.q = X, q[:, None]
        self.root = np.ones((n, 1)) if a is None else np.sqrt(a)[:, None]
        self._is_wide = n < LOW_RANK_SHARE * d
        self._factor: Any = None
        if self._is_wide:
            K = weighted_outer(X, 1 / q)
            K *= self.root
            K *= self.root.T
            largest = float(np.trace(K))
        else:
            K = weighted_gram(X, a) if gram is None else gram.copy()
            largest = float(np.diagonal(K) @ (1 / q))
        # `largest`: the trace of Q^-1/2 X'AX Q^-1/2, a bound of its largest eigenvalue.
        if largest <= _ILL_CONDITIONED:
            K[np.diag_indices(len(K))] += 1 if self._is_wide else q
            # In LAPACK's order: no copy. K is finite: its diagonal is.
            self._factor = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)
        else:
            self._singular = _singular_solver(X, q, self.root)

    def coefficients(self, F: AnyArray) -> AnyArray:
        """``argmin_W sum_i a_i ||x_i W - f_i||^2 + sum_j q_j ||w_j||^2``, of shape (d, c)."""
        if self._factor is None:
            return self._singular(F)
        if self._is_wide:
            return rows_product(self.root * self._solve(self.root * F), self.X).T / self.q
        return self._solve(rows_product(self.root**2 * F, self.X).T)

    def residual(self, F: AnyArray) -> AnyArray:
        """``F - XW`` for these coefficients; with far fewer rows than columns without any d."""
        if self._factor is None or not self._is_wide:
            return np.asarray(F - self.X @ self.coefficients(F))
        return self._solve(self.root * F) / self.root

    def _solve(self, V: AnyArray) -> AnyArray:
        return np.asarray(cho_solve(self._factor, V))


def _singular_solver(X: Any, q: AnyArray, root: AnyArray) -> Callable[[AnyArray], AnyArray]:
    """``F -> W`` by the singular values of ``A^1/2 X Q^-1/2``, of a dense X."""
    if isinstance(X, CenteredTable):
        raise DataError(
            "The weight of the row sparsity (beta) is so small compared with the entries of X "
            "that the regression is singular in rounding: raise it, or give X as a dense array."
        )
    half = np.sqrt(q)
    U, s, Vt = svd(root * X / half, full_matrices=False)
    shrunk = (s / (s * s + 1))[:, None]
    return lambda F: (Vt.T @ (shrunk * (U.T @ (root * F)))) / half[:, None]
