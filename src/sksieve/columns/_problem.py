"""The plain column subset problem, seen through the Gram matrix: the target is the table itself.

``min_S f(S) = ||A - A_S A_S^+ A||_F^2`` needs ``G = A'A`` only: with ``g(S) = tr(G_SS^-1 F_SS)``
and ``F = G^2``, ``f(S) = tr G - g(S)``. The cost of everything here is free of the number of rows.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from .._array import dense
from .._typing import Array, Indices
from ..kernels._pair import Products
from ..linalg import leading_eigenpairs, leading_eigenvalues
from ..solvers._forward import ThinRows
from ..tables import square
from ._pair import Coordinates, PairProblem

#: Columns of a thin table whose independence is tested at a time, at least.
FIRST_COLUMNS = 256


class GramProblem(PairProblem):
    """Data of a column subset problem: the pair ``(G, G W G)`` on all columns.

    Errors are sums of the columns' own residuals, ``f(S) = sum_j w_j r_j``, which is more precise
    than the difference that a general pair has.

    Parameters
    ----------
    G : ndarray of shape (n, n)
        Gram matrix of the scaled data, exactly symmetric.
    A : ndarray or CSR of shape (m, n), optional
        The scaled data, if at hand and m < n: makes ``F`` cheaper.
    weight : ndarray of shape (n,), optional
        Weight w_j >= 0 of each column's residual; 1 when None.
    cost, budget
        See `PairProblem`.

    Attributes
    ----------
    F : ndarray of shape (n, n)
        ``G W G``, formed on first use, O(n^3) (O(m n^2) with `A`).
    trace : float
        ``tr GW = ||A W^1/2||_F^2``, the error of the empty subset.
    """

    def __init__(
        self,
        G: Array,
        A: Any = None,
        *,
        weight: Array | None = None,
        cost: Array | None = None,
        budget: float = np.inf,
    ) -> None:
        tau = np.trace(G) if weight is None else np.diagonal(G) @ weight
        super().__init__(G, None, float(tau), cost=cost, budget=budget)
        self.weight = weight
        self.scaled_rows = A

    @cached_property
    def F(self) -> Array:
        if self.weight is None:
            return np.ascontiguousarray(square(self.G, self.scaled_rows))
        return self.target_rows @ self.target_rows.T

    @cached_property
    def target_rows(self) -> Array:
        return self.G if self.weight is None else self.G * np.sqrt(self.weight)

    @cached_property
    def factor(self) -> tuple[Array, Array]:
        C = self.cholesky()[0]
        return C, (C if self.weight is None else C * self.weight) @ C.T

    @property
    def diag_F(self) -> Array:
        if "F" in self.__dict__:
            return np.diagonal(self.F)
        if self.weight is None:
            return np.einsum("ij,ij->i", self.G, self.G)
        return np.einsum("ij,ij,j->i", self.G, self.G, self.weight)

    def row_F(self, j: int) -> Array:
        if "F" in self.__dict__:
            return super().row_F(j)
        row = self.G[j] if self.weight is None else self.G[j] * self.weight
        if self.scaled_rows is None:
            return self.G @ row
        return np.asarray((self.scaled_rows @ row) @ self.scaled_rows)

    def _middle(self, L: Array, S: Indices, P: Array, B: Array) -> Array:
        return B @ B.T if self.weight is None else (B * self.weight) @ B.T

    def error_on(self, at: Coordinates, r: Array) -> float:
        r = np.maximum(r, 0.0)
        return float(r.sum() if self.weight is None else r @ self.weight)

    def leading_eigenvalues(self, k: int) -> Array:
        """The k largest eigenvalues of G, descending; through AA' where that is smaller."""
        if self.weight is not None:
            root = np.sqrt(self.weight)
            values = leading_eigenvalues(root[:, None] * self.G * root, min(k, self.n_columns))
            return np.concatenate([values, np.zeros(k - len(values))])
        small = self._smaller_gram()
        values = leading_eigenvalues(small, min(k, len(small)))
        return np.concatenate([values, np.zeros(k - len(values))])

    def leading_eigenpairs(self, k: int) -> tuple[Array, Array]:
        """The k largest eigenvalues of G and their eigenvectors; fewer when the rank is smaller.

        Through AA' where that is smaller; by Lanczos where k is small compared with the size.

        Returns
        -------
        values : ndarray of shape (r,)
            Descending; those within rounding of zero are left out, r <= k.
        V : ndarray of shape (n, r)
            The right singular vectors of A.
        """
        if self.weight is not None:
            return super().leading_eigenpairs(k)
        small = self._smaller_gram()
        n = small.shape[0]
        if self.target_norm2 == 0:
            return np.empty(0), np.empty((self.n_columns, 0))
        values, V = leading_eigenpairs(small, min(k, n))
        kept = values > n * np.finfo(float).eps * values[0]
        values, V = values[kept], V[:, kept]
        return values, V if self.scaled_rows is None else self.scaled_rows.T @ V / np.sqrt(values)

    def _smaller_gram(self) -> Array:
        """G, or AA' where A has fewer rows."""
        A = self.scaled_rows
        return self.G if A is None else dense(A @ A.T)

    def reconstruct(self, S: Indices) -> tuple[Array, Array]:
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
        """``f`` of each prefix of `order` but the empty one, from one factorization; O(n k^2)."""
        _, V = self._factor(order)
        left = self.diag_G - np.cumsum(V**2, axis=0)
        left[:, order] = np.triu(left[:, order], 1)  # exactly 0 on the prefix itself
        left = np.maximum(left, 0.0)
        return left.sum(axis=1) if self.weight is None else left @ self.weight

    def error(self, S: Indices) -> float:
        """``f(S)``, recomputed from scratch; O(k^3 + n k^2)."""
        S = np.asarray(S, dtype=np.intp)
        if not len(S):
            return self.target_norm2
        residual = self._residual(S, self._factor(S)[1])
        return float(residual.sum() if self.weight is None else residual @ self.weight)

    def _factor(self, S: Indices) -> tuple[NDArray[Any], Array]:
        """Cholesky factor L of ``G_SS``, and ``L^-1 G_S:``, the columns' coordinates on Q."""
        G_S = self.rows_G(S)
        L = np.linalg.cholesky(G_S[:, S])
        return L, solve_triangular(L, G_S, lower=True, check_finite=False)

    def _residual(self, S: Indices, V: Array) -> Array:
        residual = np.maximum(self.diag_G - np.einsum("ij,ij->j", V, V), 0.0)
        residual[S] = 0.0
        return residual


class ThinProblem(GramProblem):
    """The same for a table with far fewer rows than columns: O(m n) memory, no Gram matrix.

    Serves methods that read some rows of G and F at a time.

    Parameters
    ----------
    A : ndarray of shape (m, n)
        The scaled data, in Fortran order.
    weight : ndarray of shape (n,), optional
    cost, budget
        See `PairProblem`.
    """

    def __init__(
        self,
        A: Array,
        *,
        weight: Array | None = None,
        cost: Array | None = None,
        budget: float = np.inf,
    ) -> None:
        self._thin = ThinRows(A, weight)
        self.target_norm2 = self._thin.target_norm2
        self.norm2, self.floor = self._thin.diag_G, self._thin.floor
        self.rows, self.weight, self.scaled_rows = None, weight, A
        self.cost, self.budget = cost, float(budget)

    @property
    def n_columns(self) -> int:
        return self._thin.n_columns

    @property
    def diag_G(self) -> Array:
        return self.norm2

    @property
    def diag_F(self) -> Array:
        return self._thin.diag_F

    def row_G(self, j: int) -> Array:
        return self._thin.row_G(j)

    def row_F(self, j: int) -> Array:
        return self._thin.row_F(j)

    def gram(self, S: Indices) -> Array:
        A = self.scaled_rows[:, S]
        return np.asarray(A.T @ A)

    def rows_G(self, S: Indices) -> Array:
        return np.asarray(self.scaled_rows[:, S].T @ self.scaled_rows)

    def rows_F(self, S: Indices) -> Array:
        A = self.scaled_rows
        return np.asarray((self._thin.K @ A[:, S]).T @ A)

    @property
    def products(self) -> Products:
        return Products(self.scaled_rows.T, self._thin.K, from_rows=True)

    @property
    def n_row_products(self) -> int:
        return len(self.scaled_rows)

    def independent(self, order: Indices, k: int) -> Indices:
        """The first `k` columns of `order` that do not depend on those before, some at a time."""
        k = min(k, self.n_columns)
        if self.cost is not None:
            order = self._affordable(order)
        S, size = np.empty(0, np.intp), max(2 * k, FIRST_COLUMNS)
        for first in range(0, len(order), size):
            C = np.concatenate([S, order[first : first + size]]).astype(np.intp)
            few = GramProblem(self.gram(C))
            few.floor = self.floor[C]
            S = C[few.independent(np.arange(len(C)), k)]
            if len(S) == k:
                break
        return S

    def error(self, S: Indices) -> float:
        """``f(S)``, recomputed from scratch; O(m k^2 + m^2 k), whatever the number of columns."""
        if not len(S):
            return self.target_norm2
        Q = qr(self.scaled_rows[:, S], mode="economic", check_finite=False)[0]
        return max(self.target_norm2 - float(np.sum(Q * (self._thin.K @ Q))), 0.0)

    def leading_eigenvalues(self, k: int) -> Array:
        values = leading_eigenvalues(self._thin.K, min(k, len(self._thin.K)))
        return np.concatenate([values, np.zeros(k - len(values))])
