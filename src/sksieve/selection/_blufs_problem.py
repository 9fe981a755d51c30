"""The bi-level model and the blocks of its solvers; symbols and deviations stand in `_blufs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from .._typing import Array, Indices
from ..graphs import (
    distances_on,
    find_neighbors,
    from_neighbors,
    laplacian,
    project_rows,
    with_equal_ties,
)
from ..linalg import block_rayleigh_ritz
from ..solvers import exchange_rows, fit_rows
from ._standardized import Standardized

_FULL_SEARCH_EVERY = 5
_KEPT_CANDIDATES = 3
PROX = 1e-3
_STABLE_PASSES = 3
#: Least ridge, as a part of the trace of the Gram matrix.
_RIDGE = 1e-14
#: A pass that lowers the objective by no larger part is followed by one with all neighbors.
_SETTLED = 1e-4


class State(NamedTuple):
    """The three blocks, and what the next step must remember.

    Attributes
    ----------
    P : csr_array of shape (n, n)
        Rows on the simplex, at most k nonzeros each, empty diagonal (empty when beta = 0).
    S : ndarray of shape (s,)
        Support, ascending.
    W : ndarray of shape (s, c)
        The nonzero rows.
    Y : ndarray of shape (n, c)
        Orthonormal columns.
    near : ndarray of shape (n, 3k)
        Candidate neighbors from the last full search.
    passes_since_search : int
        Passes since then.
    n_stable_passes : int
        For how many passes the support has stood.
    path : ndarray of shape (t + 1, s)
        The support at the start and after each of t steps.
    f : float
        The objective at the end of the last step; nan before the first.
    """

    P: sp.csr_array
    S: Indices
    W: Array
    Y: Array
    near: NDArray[np.int64]
    passes_since_search: int
    n_stable_passes: int
    path: Indices
    f: float = np.nan


@dataclass(frozen=True)
class Quadratic:
    """``tr(W'AW) - 2 tr(W'B)`` for fixed P and Y: ``A = X'(I + 2 beta L_P)X + (lam + tau2)I``.

    `old` is the support and W of the step before, for ``B = X'Y + tau2 W_old``.
    """

    X: Standardized
    L: sp.csr_array | None  # 2 beta L_P
    Y: Array
    lam: float
    tau2: float = 0.0
    old: tuple[Indices, Array] | None = None

    @property
    def curvature_bound(self) -> Array:
        return self.X.norms + self.lam + self.tau2

    def smooth(self, V: Array) -> Array:
        """``(I + 2 beta L_P) V``."""
        return V if self.L is None else V + self.L @ V

    def gram(self, S: Indices) -> Array:
        X_S = self.X.take(S)
        A = X_S.T @ self.smooth(X_S)  # (30)
        # A ridge below the rounding of A would leave it singular where columns repeat.
        A[np.diag_indices_from(A)] += max(self.lam + self.tau2, _RIDGE * float(np.trace(A)))
        return (A + A.T) / 2

    def diagonal(self, J: Indices) -> Array:
        X_J = self.X.take(J)
        return np.einsum("ij,ij->j", X_J, self.smooth(X_J)) + self.lam + self.tau2

    def target(self, S: Indices) -> Array:
        return self.X.take(S).T @ self.Y + self._pull()[S]

    def gradient(self, S: Indices, W: Array) -> Array:
        G = self.X.times(self.smooth(self.X.take(S) @ W) - self.Y) - self._pull()
        G[S] += (self.lam + self.tau2) * W
        return G

    def _pull(self) -> Array:
        pull = np.zeros((self.X.shape[1], self.Y.shape[1]))
        if self.old is not None:
            pull[self.old[0]] = self.tau2 * self.old[1]
        return pull


class BiLevel:
    """The model with its joint solver: P, then the support, then (W, Y) together.

    Parameters
    ----------
    X : Standardized
        Data, n x d.
    S_hat : csr_array of shape (n, n)
        Normalized adjacency of the sample graph.
    Y : ndarray of shape (n, c)
        The embedding to start from, orthonormal columns.
    S : ndarray of shape (s,)
        The support to start from, by which mu is set.
    alpha, beta, lam : float
        Raw weights; ``lam > 0``.
    n_neighbors : int
        Nonzeros in a row of P, ``k <= n - 1``.
    fixed : bool, default=False
        Does the support stay as it is at the start?

    Attributes
    ----------
    mu : float
        Weight of ``||P||^2``; 0 where beta = 0.
    """

    def __init__(
        self,
        X: Standardized,
        S_hat: sp.csr_array,
        Y: Array,
        S: Indices,
        *,
        alpha: float,
        beta: float,
        lam: float,
        n_neighbors: int,
        fixed: bool = False,
    ) -> None:
        self.X = X
        self.S_hat = S_hat
        self.alpha = alpha
        self.beta = beta
        self.lam = lam
        self.k = n_neighbors
        self.fixed = fixed
        self.Y = Y
        first, V = self._fitted(S)
        self.mu = _graph_weight(V[:, :n_neighbors], beta) if beta else 0.0
        self.first = self._with_graph(first, V)

    def start(self, S: Indices | None = None) -> State:
        """From a support, by default that of the constructor: W refitted, P made for it."""
        return self.first if S is None else self._with_graph(*self._fitted(S))

    def _fitted(self, S: Indices) -> tuple[State, Array]:
        """W refitted on S, without P; the neighbors of the rows of XW, and how far they are."""
        fit = fit_rows(Quadratic(self.X, None, self.Y, self.lam), S)
        n = self.X.shape[0]
        P, near, V = sp.csr_array((n, n)), np.empty((n, 0), np.int64), np.empty((n, 0))
        state = State(P, fit.S, fit.W, self.Y, near, 0, 0, fit.S[None])
        if not self.beta:
            return state, V
        near, V, _ = find_neighbors(self.X.take(fit.S) @ fit.W, self._n_kept)
        return state._replace(near=near), V

    def _with_graph(self, state: State, V: Array) -> State:
        return state._replace(P=self._nearest_graph(state.near, V)) if self.beta else state

    @property
    def _n_kept(self) -> int:
        return min(_KEPT_CANDIDATES * self.k, self.X.shape[0] - 1)

    def _nearest_graph(self, near: NDArray[np.int64], V: Array) -> sp.csr_array:
        k = self.k
        U = from_neighbors(near[:, :k], np.ones((len(near), k)))
        order = np.argsort(near[:, :k], axis=1)
        U.data = np.take_along_axis(V[:, :k], order, 1).ravel() * (-self.beta / (2 * self.mu))
        return project_rows(U)

    def Z(self, state: State) -> Array:
        """``XW``."""
        return self.X.take(state.S) @ state.W

    def objective(self, state: State) -> float:
        """The model's objective, term by term."""  # (16)
        P, _, W, Y = state[:4]
        Z = self.Z(state)
        fit = float(np.sum((Z - Y) ** 2)) + self.lam * float(np.sum(W**2))
        between = float(np.vdot(Y, self.S_hat @ Y))
        return fit - self.alpha * between + self._graph_terms(P, Z)

    def _graph_terms(self, P: sp.csr_array, Z: Array) -> float:
        if not self.beta:
            return 0.0
        V = distances_on(P, Z)
        return self.beta * float(V.data @ P.data) + self.mu * float(P.data @ P.data)

    def update_P(self, state: State) -> State:
        """Adaptive neighbors of the rows of Z: k largest of u, projected on the simplex."""
        if not self.beta:
            return state
        Z, P, near = self.Z(state), state.P, state.near
        passes_since_search = state.passes_since_search
        if passes_since_search >= _FULL_SEARCH_EVERY:
            near, passes_since_search = find_neighbors(Z, self._n_kept).indices, 0
        tau1 = PROX * self.mu
        V = with_equal_ties(distances_on(_pattern(near, P), Z), Z)  # (21)
        U = V * (-self.beta / (2 * (self.mu + tau1)))
        U.data += _on(V, P) * (tau1 / (self.mu + tau1))  # (17), (20), (22), (24)
        P = project_rows(U, self.k)  # (25), (26), (27)
        return state._replace(P=P, near=near, passes_since_search=passes_since_search)

    def update_S(self, state: State) -> State:
        """The support by exchange, W refitted, Y fixed."""
        problem = self.quadratic(state)
        fit = fit_rows(problem, state.S)
        if not self.fixed:
            fit = exchange_rows(problem, fit)
        return state._replace(S=fit.S, W=fit.W)  # (28)

    def update_WY(self, state: State) -> State:
        """(W, Y) together: Y toward the leading eigenvectors of K, W in closed form."""
        X_S = self.X.take(state.S)
        problem = self.quadratic(state)
        R = np.linalg.cholesky(problem.gram(state.S))
        T = solve_triangular(R, X_S.T, lower=True, check_finite=False)  # H_S = T'T

        def K(V: Array) -> Array:
            return self.alpha * (self.S_hat @ V) + T.T @ (T @ V)

        _, Y = block_rayleigh_ritz(K, state.Y, max_steps=8)
        W = solve_triangular(R, T @ Y, lower=True, trans=1, check_finite=False)  # (29)
        return state._replace(W=W, Y=Y)

    def step(self, state: State) -> State:
        """One pass over the blocks, none of which raises the objective.

        A pass that hardly moves may only have run out of neighbors to choose from: it is followed
        by one that looks at all of them, so that the loop never stops for that reason.
        """
        new = self._pass(state)
        stale = bool(self.beta) and new.passes_since_search > 1
        if stale and self.change(state, new) <= _SETTLED:
            new = self._pass(new._replace(passes_since_search=_FULL_SEARCH_EVERY))
        return new._replace(path=np.vstack([state.path, self.support(new)]))

    def support(self, state: State) -> Indices:
        """The columns as they stand, ascending."""
        return state.S

    def _pass(self, state: State) -> State:
        new = self.update_WY(self.update_S(self.update_P(state)))  # Algorithm 1
        n_stable_passes = state.n_stable_passes + 1 if np.array_equal(new.S, state.S) else 0
        return new._replace(
            passes_since_search=new.passes_since_search + 1,
            n_stable_passes=n_stable_passes,
            f=self.objective(new),
        )

    def change(self, old: State, new: State) -> float:
        """Relative fall of the objective; a tenth of it once the support has stood for 3 steps."""
        before, after = (self.objective(s) if np.isnan(s.f) else s.f for s in (old, new))
        moved = abs(before - after) / max(abs(before), np.finfo(float).tiny)  # (48), see D12
        return moved / 10 if new.n_stable_passes >= _STABLE_PASSES else moved

    def quadratic(self, state: State) -> Quadratic:
        """The least squares in W, P and Y as they are."""
        L = 2 * self.beta * laplacian(state.P) if self.beta else None
        return Quadratic(self.X, L, state.Y, self.lam)


def _graph_weight(V: Array, beta: float) -> float:
    """``mu = beta/2 mean_j (k V_(k) - sum_i V_(i))``, never quite 0."""
    k = V.shape[1]
    mu = beta / 2 * float(np.mean(k * V[:, -1] - V.sum(axis=1)))
    return max(mu, 1e-6 * beta * (float(V.mean()) or 1.0))


def _pattern(near: NDArray[np.int64], P: sp.csr_array) -> sp.csr_array:
    """Candidates and the support of P, as a pattern with sorted columns."""
    pattern = from_neighbors(near, np.ones(near.shape)) + P
    pattern.sort_indices()
    return sp.csr_array(pattern)


def _on(V: sp.csr_array, P: sp.csr_array) -> Array:
    """The entries of P on the larger pattern of V, both with sorted columns."""
    n = V.shape[1]
    out = np.zeros(V.nnz)
    out[np.searchsorted(_keys(V, n), _keys(P, n))] = P.data
    return out


def _keys(A: sp.csr_array, n: int) -> NDArray[np.int64]:
    rows = np.repeat(np.arange(A.shape[0], dtype=np.int64), np.diff(A.indptr))
    return rows * n + A.indices
