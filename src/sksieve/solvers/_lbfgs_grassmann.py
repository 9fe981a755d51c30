"""L-BFGS on the Grassmann manifold: smooth functions of a subspace.

Points are matrices U with orthonormal columns, of which only the span counts; tangent vectors are
matrices H with ``U'H = 0``. A step is retracted by QR, and what is remembered is carried along by
projection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..linalg import orthonormalize

__all__ = ["GrassmannLBFGS", "GrassmannState", "tangent"]

Array = NDArray[Any]

ARMIJO = 1e-4
_HALVINGS = 30


class GrassmannState(NamedTuple):
    """A point, the function there, and the pairs remembered.

    Attributes
    ----------
    U : ndarray of shape (n, K)
    f : float
    G : ndarray of shape (n, K)
        Euclidean gradient.
    H : ndarray of shape (n, K)
        Riemannian gradient.
    S, Y : ndarray of shape (m, n, K)
        Last steps and changes of gradient, the newest last, all tangent at U.
    """

    U: Array
    f: float
    G: Array
    H: Array
    S: Array
    Y: Array


def tangent(U: Array, V: Array) -> Array:
    """``(I - U U') V``, the part of V that moves the span of U."""
    return V - U @ (U.T @ V)


class GrassmannLBFGS:
    """Minimize f(span U), ``U'U = I``, by L-BFGS with backtracking.

    Parameters
    ----------
    fg : callable
        ``fg(U) -> (f, G)``: value and Euclidean gradient, both invariant under ``U -> U Q``
        (G turns along).
    memory : int, default=10
        Pairs remembered.
    constant : float, default=0.0
        Added to f in the objective that is reported; f itself stays as precise as it is.

    Notes
    -----
    Each step costs one call of `fg` (a further one per halving of the step) and O(memory n K^2).

    Examples
    --------
    The leading eigenvector of a matrix:

    >>> import numpy as np
    >>> from sksieve.solvers import GrassmannLBFGS, Stopping, iterate
    >>> A = np.diag([1.0, 5.0, 3.0])
    >>> solver = GrassmannLBFGS(lambda U: (-(U * (A @ U)).sum(), -2 * A @ U))
    >>> run = iterate(solver.step, solver.start(np.full((3, 1), 3**-0.5)), change=solver.change,
    ...               objective=solver.objective, stopping=Stopping(max_iter=50, tol=1e-8))
    >>> abs(run.state.U.ravel().round(6)), run.reason
    (array([0., 1., 0.]), 'tolerance')
    """

    def __init__(
        self,
        fg: Callable[[Array], tuple[float, Array]],
        memory: int = 10,
        constant: float = 0.0,
    ) -> None:
        self.fg = fg
        self.memory = memory
        self.constant = constant

    def start(self, U: Array) -> GrassmannState:
        """The state at U, nothing remembered."""
        f, G = self.fg(U)
        nothing = np.empty((0, *U.shape), dtype=U.dtype)
        return GrassmannState(U, f, G, tangent(U, G), nothing, nothing)

    def objective(self, s: GrassmannState) -> float:
        return self.constant + s.f

    def change(self, old: GrassmannState, new: GrassmannState) -> float:
        """``||H|| / ||G||`` at the new point: 0 where U is stationary."""
        return float(np.linalg.norm(new.H)) / (float(np.linalg.norm(new.G)) or 1.0)

    def step(self, s: GrassmannState) -> GrassmannState:
        """One quasi-Newton step; the state as it was when nothing lower is found along it."""
        D = self._direction(s)
        slope = float(np.vdot(D, s.H))
        if not slope < 0:
            return s._replace(S=s.S[:0], Y=s.Y[:0])
        t = min(1.0, 1 / _largest_singular_value(D))
        floor = 8 * np.finfo(s.U.dtype).eps * abs(s.f)  # what rounding hides
        for _ in range(_HALVINGS):
            V = orthonormalize(s.U + t * D)
            f, G = self.fg(V)
            if f <= s.f + ARMIJO * t * slope + floor:
                return self._moved(s, t * D, V, f, G)
            t *= _shrink(s.f, f, t * slope)
        return s._replace(S=s.S[:0], Y=s.Y[:0])

    def _direction(self, s: GrassmannState) -> Array:
        """Two-loop recursion; the first step is scaled by the curvature of the constraint."""
        q = s.H.copy()
        if not len(s.S):
            return -q / (float(np.linalg.norm(s.U.T @ s.G, 2)) or 1.0)
        kept = [(S, Y, float(np.vdot(S, Y))) for S, Y in zip(s.S, s.Y)]
        a = []
        for S, Y, sy in reversed(kept):
            a.append(float(np.vdot(S, q)) / sy)
            q -= a[-1] * Y
        q *= kept[-1][2] / float(np.vdot(kept[-1][1], kept[-1][1]))
        for S, Y, sy in kept:
            q += (a.pop() - float(np.vdot(Y, q)) / sy) * S
        return -tangent(s.U, q)

    def _moved(self, s: GrassmannState, D: Array, V: Array, f: float, G: Array) -> GrassmannState:
        """The state at V; pairs are carried there, those that lost ``<S, Y> > 0`` are dropped."""
        H = tangent(V, G)
        S, Y = np.empty((2, len(s.S) + 1, *V.shape), dtype=V.dtype)
        for i, (step, change) in enumerate(zip([*s.S, D], [*s.Y, s.H])):
            S[i], Y[i] = tangent(V, step), tangent(V, change)
        Y[-1] = H - Y[-1]
        good = np.flatnonzero(_curved(S, Y))[-self.memory :]
        return GrassmannState(V, f, G, H, S[good], Y[good])


def _largest_singular_value(D: Array) -> float:
    return float(np.sqrt(np.linalg.norm(D.T @ D, 2)))


def _curved(S: Array, Y: Array) -> NDArray[np.bool_]:
    """Of which pairs is ``<S, Y>`` positive beyond rounding?"""
    s, y, sy = (np.einsum("ijk,ijk->i", P, Q) for P, Q in ((S, S), (Y, Y), (S, Y)))
    return np.asarray(sy > np.finfo(S.dtype).eps * np.sqrt(s * y))


def _shrink(f: float, f_new: float, slope: float) -> float:
    """Minimizer of the parabola through both values and the slope, within [0.1, 0.5]."""
    if not np.isfinite(f_new):
        return 0.1
    return float(np.clip(-slope / (2 * (f_new - f - slope)), 0.1, 0.5))
