"""A surrogate of the pair problem on all columns, from two passes over the table.

``G ~ L'L + D`` with L of t rows (Nystroem on the range of G times a Gaussian) and D diagonal, so
that the diagonal is exact; ``F ~ G W G + diag(e)`` with the diagonal of F estimated by random
projections. Choosing on it costs O(n t) a column; errors are never reported from it.

====== =========================================================================
L      ``Theta^-1/2 U'M'G``, ``M'GM = U Theta U'``, M an orthonormal basis, (t, n)
D      ``diag G - diag L'L >= 0``, (n,)
F      estimated diagonal of ``G W G``, or the exact one of a target, (n,)
e      what ``(L'L + D) W (L'L + D)`` lacks of it, >= 0, (n,)
====== =========================================================================
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from .._typing import Array, Indices
from ..solvers._forward import greedy
from ..tables import Source
from ._pair import PIVOT_RTOL, PairProblem

#: Columns whose sketches are as parallel as this are duplicates of each other.
COPY = 1e-6
#: Ritz values below this part of the largest are rounding.
RITZ_RTOL = 1e-10


class Target:
    """What is to be explained: all columns with their weights, or another table.

    Parameters
    ----------
    tau : float
        Its squared norm.
    weight : ndarray of shape (n,), optional
        Weight of each column, where the table itself is the target.
    rows : ndarray of shape (n, p), optional
        ``A'T`` for another table T.
    """

    def __init__(self, tau: float, weight: Array | None = None, rows: Array | None = None) -> None:
        self.tau = tau
        self.weight = weight
        self.rows = rows

    def scaled(self, M: Array) -> Array:
        """``W^1/2 M``, M with a row for each column."""
        return M if self.weight is None else M * np.sqrt(self.weight)[:, None]


class Surrogate:
    """See the head of this file.

    Parameters
    ----------
    source : Source
    target : Target
    t : int
        Rank of the first part, at most.
    s : int
        Random projections that estimate the diagonal of F.
    rng : RandomState
    ridge : float
        Added to the diagonal of G.
    """

    def __init__(
        self,
        source: Source,
        target: Target,
        t: int,
        s: int,
        rng: np.random.RandomState,
        ridge: float = 0.0,
    ) -> None:
        n = source.n_columns
        t = min(t, n)
        self.target, self.ridge = target, ridge
        self.norm2 = source.norm2
        Q = _orthonormal(target.scaled(source.apply(target.scaled(rng.standard_normal((n, t))))))
        M = target.scaled(Q)
        if target.rows is None:
            omega = rng.standard_normal((n, s))
            Z = source.apply(np.hstack([M, target.scaled(omega - Q @ (Q.T @ omega))]))
            Z, Zo = Z[:, :t], Z[:, t:]
        else:
            Z = Zo = source.apply(M)
        self.Q, self.Z = Q, Z
        self.sketch = np.hstack([Z, Zo])
        theta, U = np.linalg.eigh((M.T @ Z + Z.T @ M) / 2)
        kept = theta > RITZ_RTOL * max(theta[-1], 0.0)
        self.L = np.ascontiguousarray((Z @ (U[:, kept] / np.sqrt(theta[kept]))).T)
        self.D = np.maximum(self.norm2 - np.einsum("ij,ij->j", self.L, self.L), 0.0)
        if target.rows is not None:
            self.F = np.einsum("ij,ij->i", target.rows, target.rows)
            self.e = np.zeros(n)
            return
        half = np.ones(n) if target.weight is None else np.sqrt(target.weight)
        own = half * self.norm2 - np.einsum("ij,ij->i", Q, Z)
        off = np.einsum("ij,ij->i", Zo, Zo) - 2 * own * np.einsum("ij,ij->i", Zo, omega)
        off += own**2 * np.einsum("ij,ij->i", omega, omega)
        self.F = np.einsum("ij,ij->i", Z, Z) + own**2 + np.maximum(off, 0.0) / s
        self.e = np.maximum(self.F - self._low_rank_diagonal, 0.0)

    @cached_property
    def weight(self) -> Array:
        """Weights of all columns."""
        weight = self.target.weight
        return np.ones(len(self.norm2)) if weight is None else weight

    @cached_property
    def inner(self) -> Array:
        """``L W L'``."""
        return (self.L * self.weight) @ self.L.T

    @cached_property
    def _low_rank_diagonal(self) -> Array:
        """Diagonal of ``(L'L + D) W (L'L + D)``."""
        q = np.einsum("ij,ij->j", self.L, self.L)
        first = np.einsum("ij,ij->j", self.L, self.inner @ self.L)
        return first + self.weight * (2 * self.D * q + self.D**2)

    def columns_of(self, S: Indices) -> tuple[Array, Array]:
        """``G_S:`` and ``F_S:`` for all n columns."""
        L, k = self.L[:, S], np.arange(len(S))
        G = L.T @ self.L
        if self.target.rows is not None:
            F = self.target.rows[S] @ self.target.rows.T
        else:
            F = (L.T @ self.inner) @ self.L
            F += G * (self.weight * self.D) + G * (self.weight * self.D)[S, None]
            F[k, S] += (self.weight * self.D**2 + self.e)[S]
        G[k, S] += self.D[S] + self.ridge
        return G, F

    def pair(self, C: Indices, cost: Array | None, budget: float) -> PairProblem:
        """The surrogate's pair on the columns C."""
        L = self.L[:, C]
        G = L.T @ L
        if self.target.rows is not None:
            F = self.target.rows[C] @ self.target.rows[C].T
        else:
            D, weight = self.D[C], self.weight[C]
            F = L.T @ (self.inner @ L) + G * (weight * D) + G * (weight * D)[:, None]
            F[np.diag_indices_from(F)] += weight * D**2 + self.e[C]
        G[np.diag_indices_from(G)] += self.D[C] + self.ridge
        return PairProblem(
            G,
            (F + F.T) / 2,
            self.target.tau,
            cost=None if cost is None else cost[C],
            budget=budget,
        )

    def greedy(
        self, k: int, alive: NDArray[np.bool_], start: Indices, cost: Array | None, budget: float
    ) -> Indices:
        """k of the columns `alive`, each the one that gains most; those of `start` first."""
        if self.target.rows is not None or self.ridge > 0 or cost is not None:
            return greedy(_SurrogateRows(self, cost, budget), k, alive.copy(), start)[0]
        return self._fast_greedy(k, alive.copy(), start)

    def _fast_greedy(self, k: int, alive: NDArray[np.bool_], start: Indices) -> Indices:
        """The same in O(n t) a column, whatever the number chosen so far.

        With ``M = (I + L_S D_S^-1 L_S')^-1`` the residual of G is ``L'ML + D`` outside S; X = ML
        and ``T = L W L' - L_S W_S L_S'`` give its gains.
        """
        L, D, w = self.L, self.D, self.weight
        X, T = L.copy(), self.inner.copy()
        q = np.einsum("ij,ij->j", L, X)
        low = np.einsum("ij,ij->j", X, T @ X)
        share = np.divide(self.e, self.norm2, out=np.zeros_like(D), where=self.norm2 > 0)
        floor = PIVOT_RTOL * self.norm2
        alive &= self.norm2 > 0
        chosen: list[int] = []
        for i in range(k):
            r = q + D
            alive &= r > floor
            if not alive.any():
                break
            N = low + w * (2 * D * q + D * D) + share * r
            s = int(start[i]) if i < len(start) else -1
            if s < 0:
                s = int(np.divide(N, r, out=np.full(len(r), -np.inf), where=alive).argmax())
            chosen.append(s)
            alive[s] = False
            a, x = 1.0 / r[s], X[:, s].copy()
            u = L[:, s] @ X
            Tx = T @ x
            low += -2 * a * u * (Tx @ X) + a * a * u * u * (x @ Tx)
            X -= np.outer(a * x, u)
            q -= a * u * u
            T -= w[s] * np.outer(L[:, s], L[:, s])
            low -= w[s] * (L[:, s] @ X) ** 2
        return np.array(chosen, dtype=np.intp)

    def distinct(self, order: Indices) -> Indices:
        """`order` without duplicates of earlier columns."""
        Z = self.sketch[order]
        length = np.linalg.norm(Z, axis=1)
        Z = Z / np.where(length > 0, length, 1.0)[:, None]
        parallel = np.abs(Z @ Z.T) > 1 - COPY
        return order[~np.tril(parallel, -1).any(axis=1)]


class _SurrogateRows:
    """The surrogate's pair on all columns, a row at a time."""

    def __init__(self, surrogate: Surrogate, cost: Array | None, budget: float) -> None:
        self.surrogate = surrogate
        self.n_columns = len(surrogate.norm2)
        self.target_norm2 = surrogate.target.tau
        self.cost, self.budget = cost, budget
        self.diag_G = surrogate.norm2 + surrogate.ridge
        self.diag_F = surrogate.F
        self.floor = PIVOT_RTOL * self.diag_G
        self.floor[surrogate.norm2 == 0] = np.inf

    def row_G(self, j: int) -> Array:
        return self.surrogate.columns_of(np.array([j]))[0][0]

    def row_F(self, j: int) -> Array:
        return self.surrogate.columns_of(np.array([j]))[1][0]


def prices(
    G_S: Array, F_S: Array, S: Indices, diag_G: Array, diag_F: Array, fixed: int = 0
) -> tuple[Array, Array]:
    """What f would fall by if a column came in for the chosen one whose place suits it best.

    Parameters
    ----------
    G_S, F_S : ndarray of shape (k, n)
        Rows of the pair.
    S : ndarray of shape (k,)
        The chosen columns.
    diag_G, diag_F : ndarray of shape (n,)
    fixed : int
        The first so many of S stay.

    Returns
    -------
    price : ndarray of shape (n,)
        ``max_p N'_pj / r'_pj - loss_p``; minus infinity on S.
    loss : ndarray of shape (k - fixed,)
        What dropping each chosen column costs.
    """
    k = len(S)
    factor = cho_factor(G_S[:, S])
    V = cho_solve(factor, G_S)
    H = cho_solve(factor, np.eye(k))
    HF = cho_solve(factor, F_S[:, S])
    K = cho_solve(factor, HF.T)
    Y = cho_solve(factor, F_S) - K @ G_S
    r = diag_G - np.einsum("ij,ij->j", G_S, V)
    N = diag_F - 2 * np.einsum("ij,ij->j", V, F_S) + np.einsum("ij,ij->j", V, F_S[:, S] @ V)
    loss = np.diagonal(K) / np.diagonal(H)
    best = np.full(len(diag_G), -np.inf)
    floor = PIVOT_RTOL * diag_G
    for p in range(fixed, k):
        v, h = V[p], H[p, p]
        rest = r + v * v / h
        num = N + v * (2 * Y[p] + v * loss[p]) / h
        gain = np.divide(num, rest, out=np.full(len(r), -np.inf), where=rest > floor)
        np.maximum(best, gain - loss[p], out=best)
    best[S] = -np.inf
    return best, loss[fixed:]


def _orthonormal(Y: Array) -> Array:
    return np.linalg.qr(Y)[0]
