"""L-BFGS on the Grassmann manifold: smooth functions of a subspace.

Points are matrices U with orthonormal columns, of which only the span counts; tangent vectors are
matrices H with ``U'H = 0``. A step is retracted by QR. The remembered pairs stay as they were: the
inverse Hessian they make is positive definite on all matrices, so that its product with the
gradient, projected, descends. Carrying the pairs along by projection takes as many iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray
from ..linalg import orthonormalize

ARMIJO = 1e-4
_HALVINGS = 30
_LEAST_CURVATURE = 0.2
_HIDDEN = 8  # a rise of at most so many roundings of f counts as none
_HIDDEN_WITH_SLOPE = 1000  # nor is this one, where the slope along the step has fallen
_FLAT = 0.8  # to so much of what it was, or less


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
    S, Y, sy : sequence
        The last steps, the changes of the gradient along them, each tangent at the point that its
        step led to, and their products ``<S, Y> > 0``; the newest last.
    """

    U: AnyArray
    f: float
    G: AnyArray
    H: AnyArray
    S: Sequence[AnyArray]
    Y: Sequence[AnyArray]
    sy: Sequence[float]


def tangent(U: AnyArray, V: AnyArray) -> AnyArray:
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
    Each step costs one call of `fg` (a further one per halving of the step), O(n K^2) and
    O(memory n K).

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
        fg: Callable[[AnyArray], tuple[float, AnyArray]],
        memory: int = 10,
        constant: float = 0.0,
    ) -> None:
        self.fg = fg
        self.memory = memory
        self.constant = constant

    def start(self, U: AnyArray) -> GrassmannState:
        """The state at U, nothing remembered."""
        f, G = self.fg(U)
        return GrassmannState(U, f, G, tangent(U, G), (), (), ())

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
            return s._replace(S=(), Y=(), sy=())
        t = _first_step(D)
        rounding = np.finfo(s.U.dtype).eps * abs(s.f)
        for _ in range(_HALVINGS):
            V = orthonormalize(s.U + t * D)
            f, G = self.fg(V)
            rise = f - s.f - ARMIJO * t * slope
            if rise <= _HIDDEN * rounding or (
                rise <= _HIDDEN_WITH_SLOPE * rounding and abs(np.vdot(D, G)) <= _FLAT * -slope
            ):
                return self._moved(s, t * D, V, f, G)
            t *= _shrink(s.f, f, t * slope)
        return s._replace(S=(), Y=(), sy=())

    def _direction(self, s: GrassmannState) -> AnyArray:
        """Two-loop recursion around the inverse of the curvature of the constraint."""
        inverse = _inverse_curvature(s.U, s.G)
        pairs = [(S, Y, float(sy)) for S, Y, sy in zip(s.S, s.Y, s.sy)]
        q = s.H.copy()
        a = []
        for S, Y, sy in reversed(pairs):
            a.append(float(np.vdot(S, q)) / sy)
            q -= a[-1] * Y
        q = q @ inverse
        if pairs:
            _, Y, sy = pairs[-1]
            q *= sy / float(np.vdot(Y, Y @ inverse))
        for S, Y, sy in pairs:
            q += (a.pop() - float(np.vdot(Y, q)) / sy) * S
        return -tangent(s.U, q)

    def _moved(
        self, s: GrassmannState, D: AnyArray, V: AnyArray, f: float, G: AnyArray
    ) -> GrassmannState:
        """The state at V; the step is remembered if f curves upward along it."""
        H = tangent(V, G)
        S, Y = tangent(V, D), H - tangent(V, s.H)
        sy, scale = float(np.vdot(S, Y)), float(np.linalg.norm(S)) * float(np.linalg.norm(Y))
        moved = s._replace(U=V, f=f, G=G, H=H)
        if not sy > np.finfo(V.dtype).eps * scale:
            return moved
        m = self.memory
        return moved._replace(S=(*s.S, S)[-m:], Y=(*s.Y, Y)[-m:], sy=(*map(float, s.sy), sy)[-m:])


def _inverse_curvature(U: AnyArray, G: AnyArray) -> AnyArray:
    """The inverse of ``-U'G``, eigenvalues below a fifth of the largest raised to that.

    On tangents D, ``-D U'G`` is what the constraint adds to the Hessian; along the eigenvectors of
    an affinity it differs by orders of magnitude.
    """
    M = U.T @ G
    values, Q = np.linalg.eigh(-0.5 * (M + M.T))
    scale = float(np.abs(values).max()) or 1.0
    return np.asarray((Q / np.maximum(values, _LEAST_CURVATURE * scale)) @ Q.T)


def _first_step(D: AnyArray) -> float:
    """1, or less where D turns the span by more than a radian: ``1 / ||D||_2``."""
    if float(np.linalg.norm(D)) <= 1:  # no smaller than the spectral norm
        return 1.0
    return min(1.0, 1 / float(np.sqrt(np.linalg.norm(D.T @ D, 2))))


def _shrink(f: float, f_new: float, slope: float) -> float:
    """Minimizer of the parabola through both values and the slope, within [0.1, 0.5]."""
    if not np.isfinite(f_new):
        return 0.1
    return float(np.clip(-slope / (2 * (f_new - f - slope)), 0.1, 0.5))
