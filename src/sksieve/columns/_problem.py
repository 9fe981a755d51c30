"""The column subset problem, seen through the Gram matrix.

``min_S f(S) = ||A - A_S A_S^+ A||_F^2`` needs ``G = A'A`` only: with ``g(S) = tr(G_SS^-1 F_SS)``
and ``F = G^2``, ``f(S) = tr G - g(S)``. The cost of everything here is free of the number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dger

from ..linalg import leading_eigenpairs, leading_eigenvalues, square

__all__ = ["PIVOT_RTOL", "GramProblem"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: A column may join a subset only if its residual is more than this part of its squared norm.
PIVOT_RTOL = 1e-10


class GramProblem:
    """Data of a column subset problem.

    Parameters
    ----------
    G : ndarray of shape (n, n)
        Gram matrix of the scaled data, exactly symmetric.
    A : ndarray or CSR of shape (m, n), optional
        The scaled data, if at hand and m < n: makes ``F`` cheaper.

    Attributes
    ----------
    F : ndarray of shape (n, n)
        ``G^2``, formed on first use, O(n^3) (O(m n^2) with `A`).
    trace : float
        ``tr G = ||A||_F^2``, the error of the empty subset.
    """

    def __init__(self, G: Array, A: Any = None) -> None:
        self.G = np.ascontiguousarray(G)
        self._A = A
        self.trace = float(np.trace(G))

    @property
    def n_columns(self) -> int:
        return self.G.shape[0]

    @cached_property
    def F(self) -> Array:
        return np.ascontiguousarray(square(self.G, self._A))

    def leading_eigenvalues(self, k: int) -> Array:
        """The k largest eigenvalues of G, descending; through AA' where that is smaller."""
        small = self.G if self._A is None else _dense(self._A @ self._A.T)
        values = leading_eigenvalues(small, min(k, len(small)))
        return np.concatenate([values, np.zeros(k - len(values))])

    def leading_eigenpairs(self, k: int) -> tuple[Array, Array]:
        """The k largest eigenvalues of G and their eigenvectors; fewer when the rank is smaller.

        Through AA' where that is smaller; by Lanczos where k is small beside the size.

        Returns
        -------
        values : ndarray of shape (r,)
            Descending; those within rounding of zero are left out, r <= k.
        V : ndarray of shape (n, r)
            The right singular vectors of A.
        """
        small = self.G if self._A is None else _dense(self._A @ self._A.T)
        n = small.shape[0]
        if self.trace == 0:
            return np.empty(0), np.empty((self.n_columns, 0))
        values, V = leading_eigenpairs(small, min(k, n))
        kept = values > n * np.finfo(float).eps * values[0]
        values, V = values[kept], V[:, kept]
        return values, V if self._A is None else self._A.T @ V / np.sqrt(values)

    def svd_errors(self, k: int) -> Array:
        """``||A - A_i||_F^2`` of the best rank-i approximations, i = 0..k: lower bounds."""
        tails = self.trace - np.concatenate([[0.0], np.cumsum(self.leading_eigenvalues(k))])
        return np.maximum(tails, 0.0)

    def greedy_order(self, candidates: Sequence[int] | Indices, k: int) -> tuple[Indices, Array]:
        """Order `candidates` by what each adds to those before it.

        Parameters
        ----------
        candidates : sequence of int
            Columns to choose from.
        k : int
            How many to order at most.

        Returns
        -------
        order : ndarray of shape (r,)
            r < k when the rest are linear combinations of those before (to `PIVOT_RTOL`).
        errors : ndarray of shape (r + 1,)
            ``f`` of each prefix, the empty one included; never negative.

        Notes
        -----
        Cost O(n |candidates| + r n |candidates|), memory O(n |candidates|): a partial Cholesky
        factorisation whose pivot is the largest gain ``N_j / r_j`` (N = diag R^2, R the residual
        Gram matrix).
        """
        candidates = np.asarray(candidates, dtype=np.intp)
        R = self.G[candidates].copy()  # row i: residual inner products of candidate i
        floor = PIVOT_RTOL * np.diagonal(self.G)[candidates]
        alive = np.ones(len(candidates), dtype=bool)
        order, errors = [], [self.trace]
        for _ in range(min(k, len(candidates))):
            r = R[np.arange(len(candidates)), candidates]
            alive &= r > floor
            if not alive.any():
                break
            gain = np.where(alive, np.einsum("ij,ij->i", R, R) / np.where(alive, r, 1.0), -np.inf)
            best = int(gain.argmax())
            order.append(candidates[best])
            errors.append(max(errors[-1] - gain[best], 0.0))
            alive[best] = False
            b = R[best] / np.sqrt(r[best])
            R = dger(-1.0, b, b[candidates], a=R.T, overwrite_a=True).T  # R - b b', in place
        return np.array(order, dtype=np.intp), np.array(errors)

    def independent(self, order: Sequence[int] | Indices, k: int) -> Indices:
        """The first `k` columns of `order` that are not linear combinations of those before.

        Cost O(k n) a column looked at, by a Cholesky factorisation in the given order.
        """
        kept: list[int] = []
        V = np.empty((min(k, self.n_columns), self.n_columns))
        for j in order:
            if len(kept) == k:
                break
            v = V[: len(kept), j]
            pivot = self.G[j, j] - v @ v
            if pivot > PIVOT_RTOL * self.G[j, j]:
                V[len(kept)] = (self.G[j] - v @ V[: len(kept)]) / np.sqrt(pivot)
                kept.append(int(j))
        return np.array(kept, dtype=np.intp)

    def rebuild(self, S: Indices) -> tuple[Array, Array]:
        """Least-squares coefficients of every column on the columns S, and what they leave.

        Parameters
        ----------
        S : ndarray of shape (k,)
            Linearly independent columns.

        Returns
        -------
        coef : ndarray of shape (k, n)
            ``G_SS^-1 G_S:``.
        residual : ndarray of shape (n,)
            Squared norm of each column's residual, >= 0, exactly 0 on S.
        """
        L, V = self._factor(S)
        residual = self._residual(S, V)
        coef = solve_triangular(L, V, lower=True, trans=1, check_finite=False)
        coef[:, S] = np.eye(len(S))
        return coef, residual

    def prefix_errors(self, order: Indices) -> Array:
        """``f`` of each prefix of `order` but the empty one, from one factorisation; O(n k^2)."""
        _, V = self._factor(order)
        left = np.diagonal(self.G) - np.cumsum(V**2, axis=0)
        left[:, order] = np.triu(left[:, order], 1)  # exactly 0 on the prefix itself
        return np.maximum(left, 0.0).sum(axis=1)

    def error(self, S: Indices) -> float:
        """``f(S)``, recomputed from scratch; O(k^3 + n k^2)."""
        S = np.asarray(S, dtype=np.intp)
        return float(self._residual(S, self._factor(S)[1]).sum()) if len(S) else self.trace

    def _factor(self, S: Indices) -> tuple[NDArray[Any], Array]:
        """Cholesky factor L of ``G_SS``, and ``L^-1 G_S:``, the columns' coordinates on Q."""
        L = np.linalg.cholesky(self.G[np.ix_(S, S)])
        return L, solve_triangular(L, self.G[S], lower=True, check_finite=False)

    def _residual(self, S: Indices, V: Array) -> Array:
        residual = np.maximum(np.diagonal(self.G) - np.einsum("ij,ij->j", V, V), 0.0)
        residual[S] = 0.0
        return residual


def _dense(A: Any) -> Array:
    return A.toarray() if sp.issparse(A) else np.asarray(A)
