"""Least squares with few nonzero rows: forward selection, and exchange with exact losses.

``min_W tr(W'AW) - 2 tr(W'B)`` over W (d x c) with at most s nonzero rows, A positive definite and
never written out. Bounded and silent: for use inside a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import solve_triangular

from .._typing import Array, Indices

#: Columns whose products with all others are made together, one pass over the data for each batch.
_BATCH = 32
#: Gains and losses within so small a part of the largest are equal: duplicate columns tie however
#: the data were stored.
_TIE = 1e-10


class RowQuadratic(Protocol):
    """What is known of ``tr(W'AW) - 2 tr(W'B)``."""

    @property
    def curvature_bound(self) -> Array:
        """Lower bounds of the diagonal of A, > 0, cheap to have."""

    def gram(self, S: Indices) -> Array:
        """``A_SS``."""

    def diagonal(self, J: Indices) -> Array:
        """``A_jj`` for j in J."""

    def target(self, S: Indices) -> Array:
        """``B_S``."""

    def gradient(self, S: Indices, W: Array) -> Array:
        """``A_:S W - B``, of shape (d, c)."""


class RowFit(NamedTuple):
    """The minimizer on given rows.

    Attributes
    ----------
    S : ndarray of shape (s,)
        The rows, ascending.
    W : ndarray of shape (s, c)
        ``A_SS^-1 B_S``.
    value : float
        ``-tr(B_S' A_SS^-1 B_S)``.
    loss : ndarray of shape (s,)
        By how much the value rises when row i is dropped and the others are refitted,
        ``|w_i|^2 / (A_SS^-1)_ii``: exact.
    """

    S: Indices
    W: Array
    value: float
    loss: Array


def _falling(values: Array) -> Indices:
    """Order by falling value; what is equal up to rounding goes by index."""
    order = np.argsort(-values, kind="stable")
    tie = _TIE * float(np.abs(values).max(initial=0.0))
    group = np.cumsum(-np.diff(values[order], prepend=values[order[:1]]) > tie)
    return order[np.lexsort((order, group))]


def fit_rows(problem: RowQuadratic, S: Indices) -> RowFit:
    """The minimizer whose nonzero rows are those of `S`; O(s^3 + s^2 c) beside ``gram(S)``."""
    S = np.sort(S)
    B = problem.target(S)
    L = np.linalg.cholesky(problem.gram(S))
    R = solve_triangular(L, np.hstack([B, np.eye(len(S))]), lower=True, check_finite=False)
    half, inverse = R[:, : B.shape[1]], R[:, B.shape[1] :]
    W = inverse.T @ half
    loss = np.einsum("ij,ij->i", W, W) / np.einsum("ij,ij->j", inverse, inverse)
    return RowFit(S, W, -float(np.vdot(half, half)), loss)


def row_gains(problem: RowQuadratic, fit: RowFit, n_exact: int) -> Array:
    """By how much the value falls, at least, when row j joins the rows of `fit`.

    ``|G_j|^2 / A_jj``, W_j alone being free: never more than after a refit. Only rows that could
    beat the smallest loss, and of these the `n_exact` most promising, are looked at; 0 elsewhere.
    """
    G = problem.gradient(fit.S, fit.W)
    size = np.einsum("ij,ij->i", G, G)
    bound = size / problem.curvature_bound
    bound[fit.S] = 0.0
    J = _falling(bound)[:n_exact]
    J = np.sort(J[bound[J] > fit.loss.min(initial=np.inf)])
    gain = np.zeros(len(size))
    if len(J):
        gain[J] = size[J] / problem.diagonal(J)
    return gain


def exchange_rows(problem: RowQuadratic, fit: RowFit, max_rounds: int = 5) -> RowFit:
    """Swap rows as long as the value falls; the number of rows stays.

    Parameters
    ----------
    problem : RowQuadratic
    fit : RowFit
        Where to start.
    max_rounds : int, default=5
        Bound on the rounds of swaps.

    Returns
    -------
    RowFit
        Its value is never larger.

    Notes
    -----
    Each round drops the t rows of smallest loss for the t of largest gain, t the number of pairs
    (i-th smallest loss, i-th largest gain) in which the gain is larger, and halves t until the
    value falls. Cost a gradient, ``4 s`` diagonal entries and a few `fit_rows` a round. Ties go to
    the smaller index.

    Examples
    --------
    >>> import numpy as np
    >>> class Separable:
    ...     curvature_bound = np.ones(4)
    ...     B = np.array([[1.0], [3.0], [2.0], [0.0]])
    ...     def gram(self, S): return np.eye(len(S))
    ...     def diagonal(self, J): return np.ones(len(J))
    ...     def target(self, S): return self.B[S]
    ...     def gradient(self, S, W):
    ...         G = -self.B.copy()
    ...         G[S] += W
    ...         return G
    >>> start = fit_rows(Separable(), np.array([0, 3]))
    >>> best = exchange_rows(Separable(), start)
    >>> best.S, best.value
    (array([1, 2]), -13.0)
    """
    for _ in range(max_rounds):
        gain = row_gains(problem, fit, 4 * len(fit.S))
        better = _swapped(problem, fit, gain)
        if better is None:
            break
        fit = better
    return fit


def _swapped(problem: RowQuadratic, fit: RowFit, gain: Array) -> RowFit | None:
    """The first of t, t/2, t/4, ... swaps that lowers the value, if one does."""
    leave = _falling(-fit.loss)
    enter = _falling(gain)[: len(leave)]
    t = int(np.count_nonzero(gain[enter] > fit.loss[leave[: len(enter)]]))
    while t:
        kept = np.delete(fit.S, leave[:t])
        rival = fit_rows(problem, np.concatenate([kept, enter[:t]]))
        if rival.value < fit.value - 1e-12 * abs(fit.value):
            return rival
        t //= 2
    return None


def forward_rows(
    products: Callable[[Indices], Array], norms: Array, B: Array, lam: float, s: int
) -> tuple[Indices, Array]:
    """Add, s times, the row that lowers ``||XW - Y||^2 + lam ||W||^2`` most.

    Parameters
    ----------
    products : callable
        ``products(J) -> X'X_J`` of shape (d, len(J)).
    norms : ndarray of shape (d,)
        ``|x_j|^2``.
    B : ndarray of shape (d, c)
        ``X'Y``.
    lam : float
        > 0.
    s : int
        ``s <= d``.

    Returns
    -------
    order : ndarray of shape (s,)
        Ties go to the smaller index.
    gain : ndarray of shape (d,)
        By how much the value fell when the row was added; for the others, would fall now.

    Notes
    -----
    A Cholesky factorization with the largest gain ``|g_j|^2 / a_j`` as pivot: g is the gradient, a
    the residual diagonal. Cost O(n d s + d s^2). The products are asked for in batches of the
    rows that lead at the moment, so that the data are read far fewer than s times.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> Y = np.array([[1.0], [1.1]])
    >>> order, gain = forward_rows(lambda J: X.T @ X[:, J], (X * X).sum(0), X.T @ Y, 1e-6, 2)
    >>> order
    array([2, 1])
    """
    d = len(norms)
    g, a = B.copy(), norms + lam
    V = np.empty((s, d))  # rows of the Cholesky factor so far
    order = np.empty(s, dtype=np.intp)
    taken = np.zeros(d, dtype=bool)
    gain = np.empty(d)
    cached: dict[int, Array] = {}
    for i in range(s):
        now = np.where(taken, -np.inf, np.einsum("ij,ij->i", g, g) / a)
        j = int(np.argmax(now >= now.max() * (1 - _TIE)))
        if j not in cached:
            promise = np.where(np.arange(d) == j, np.inf, now)
            leaders = np.argsort(-promise, kind="stable")[: min(_BATCH, s - i)]
            if len(cached) > 4 * _BATCH:
                cached = {}
            fresh = np.array([h for h in leaders if int(h) not in cached], dtype=np.intp)
            cached |= dict(zip(fresh.tolist(), products(fresh).T, strict=True))
        column = cached.pop(j) - V[:i, j] @ V[:i]
        column[j] = a[j]
        V[i] = column / np.sqrt(a[j])
        order[i], gain[j], taken[j] = j, now[j], True
        g -= np.outer(V[i], g[j] / np.sqrt(a[j]))
        a = np.maximum(a - V[i] ** 2, lam)
    left = ~taken
    gain[left] = np.einsum("ij,ij->i", g[left], g[left]) / a[left]
    return order, gain
