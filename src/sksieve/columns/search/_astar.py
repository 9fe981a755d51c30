"""The search of `WeightedAStarCSS`; the head of ``columns/_astar.py`` describes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh, qr

from ..._typing import Array, Indices
from ...kernels._secular import compressed_eigenvalue_sums
from .._pair import PairProblem

#: Errors closer than this part of ||A||^2 are the same.
RTOL = 1e-12


def weight_g(epsilon: float, g: Array, h: Array) -> Array:
    return g - h + epsilon * g


def weight_h(epsilon: float, g: Array, h: Array) -> Array:
    return g - h + epsilon * h


WEIGHTS = {"g": weight_g, "h": weight_h}


class State(NamedTuple):
    """Open nodes (one entry of the first four arrays each), expanded nodes, and the best so far."""

    f: Array
    f_weighted: Array
    parent: Indices  # row of `closed`
    added: Indices  # the column this node has and its parent has not
    closed: Indices  # one sorted subset a row, filled up to k entries with n
    best: Indices
    error: float
    done: bool


class AStarProblem:
    """The search as steps of the one loop: one node expanded each.

    Parameters
    ----------
    problem : PairProblem
        The data.
    greedy : ndarray of shape (k,)
        A first solution.
    weight : callable
        ``weight(g, h) -> f'``.
    """

    def __init__(
        self, problem: PairProblem, greedy: Indices, weight: Callable[[Array, Array], Array]
    ) -> None:
        self.problem = problem
        self.greedy = greedy
        self.weight = weight
        self.n, self.k = problem.n_columns, len(greedy)
        self.tol = RTOL * problem.target_norm2
        self.floor = problem.floor
        self.C, self.X = problem.factor
        self.outside = max(problem.target_norm2 - float(np.trace(self.X)), 0.0)

    def start(self, rng: object = None) -> State:
        values, indices = np.empty(0), np.empty(0, dtype=np.intp)
        state = State(
            f=values,
            f_weighted=values,
            parent=indices,
            added=indices,
            closed=np.empty((0, self.k), dtype=np.intp),
            best=self.greedy,
            error=self.problem.error(self.greedy),
            done=False,
        )
        return self.expand(state, np.full(self.k, self.n))

    def objective(self, s: State) -> float:
        """Error of the best subset met."""
        return s.error

    def count(self, s: State) -> int:
        """Nodes taken up: those expanded, and the one that ended the search."""
        return len(s.closed) + s.done

    def step(self, s: State) -> State:
        """Expand the open node of smallest f'; done when it has k columns or there is none."""
        s, node = self.pop(s)
        if node is None or node[-1] < self.n:
            return s._replace(done=True)
        return self.expand(s, node)

    def pop(self, s: State) -> tuple[State, Indices | None]:
        """Take the node of smallest f' that has not been expanded by another way to it."""
        while len(s.f):
            i = int(s.f_weighted.argmin())
            node = s.closed[s.parent[i]].copy()
            node[(node < self.n).sum()] = s.added[i]
            node.sort()
            left = np.arange(len(s.f)) != i
            s = s._replace(
                f=s.f[left],
                f_weighted=s.f_weighted[left],
                parent=s.parent[left],
                added=s.added[left],
            )
            if not (s.closed == node).all(axis=1).any():
                return s, node
        return s, None

    def expand(self, s: State, node: Indices) -> State:
        """Open the children of `node` that may lead to something better than the best so far."""
        S = node[node < self.n]
        added, g, h = self.children(S)
        f, best, error = g - h, s.best, s.error
        if len(S) == self.k - 1 and len(f):
            first = int(g.argmin())  # D2
            child = np.append(S, added[first])
            value = self.problem.error(child)
            if value < error - self.tol:
                best, error = child, value
            good = (np.arange(len(f)) == first) & (f <= error + self.tol)
        else:
            good = f < error - self.tol  # D1
        still = s.f <= error + self.tol
        return State(
            f=np.append(s.f[still], f[good]),
            f_weighted=np.append(s.f_weighted[still], self.weight(g, h)[good]),
            parent=np.append(s.parent[still], np.full(good.sum(), len(s.closed))),
            added=np.append(s.added[still], added[good]),
            closed=np.vstack([s.closed, node]),
            best=best,
            error=error,
            done=False,
        )

    def children(self, S: Indices) -> tuple[Indices, Array, Array]:
        """Columns that may join S, and g and h of S with each."""
        W, X = self.C, self.X
        if len(S):
            Q = qr(self.C[:, S])[0][:, len(S) :]
            W, X = Q.T @ self.C, Q.T @ self.X @ Q
        d, U = eigh(X)
        d, Z2 = np.maximum(d[::-1], 0.0), (U[:, ::-1].T @ W) ** 2
        r = Z2.sum(axis=0)
        fit = r > self.floor
        fit[S] = False
        added = np.flatnonzero(fit)
        P = np.ascontiguousarray((Z2[:, added] / r[added]).T)
        g = self.outside + d.sum() - P @ d
        last = len(d) - 1
        t = min(self.k - len(S) - 1, last)
        if 2 * t <= last:
            return added, g, compressed_eigenvalue_sums(d, P, 0, t)
        return added, g, g - compressed_eigenvalue_sums(d, P, t, last)

    def lower_bound(self, s: State) -> float:
        """No subset of k columns has a smaller error."""
        return float(min(s.error, s.f.min(initial=np.inf)))

    def gap(self, s: State) -> float:
        """Relative distance of the best error from the lower bound; 0 = proven."""
        left = s.error - self.lower_bound(s)
        return left / s.error if left > self.tol else 0.0

    def change(self, old: State, new: State) -> float:
        return 0.0 if new.done else self.gap(new)
