"""Curvilinear search with orthonormal columns: gradient steps along the Cayley curve.

Wen & Yin, "A feasible method for optimization with orthogonality constraints", Mathematical
Programming 142, 2013.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray
from ..linalg import cayley
from ._lbfgs_grassmann import ARMIJO, tangent

_HALVINGS = 40


class CurvilinearState(NamedTuple):
    """A point, the function there, its gradient, and the step to try next.

    Attributes
    ----------
    U : ndarray of shape (n, K)
    f : float
    G, H : ndarray of shape (n, K)
        Euclidean and Riemannian gradient.
    t : float
        First step of the next search.
    """

    U: AnyArray
    f: float
    G: AnyArray
    H: AnyArray
    t: float


class CurvilinearSearch:
    """Minimize f(U), ``U'U = I``, along ``U(t) = (I + t/2 W)^-1 (I - t/2 W) U, W = H U' - U H'``.

    Each search begins at the Barzilai-Borwein step ``|<S, Y>| / <Y, Y>`` and halves it until f has
    fallen by Armijo's rule.

    Parameters
    ----------
    fg : callable
        ``fg(U) -> (f, G)``: value and Euclidean gradient, of a function of the span of U.
    constant : float, default=0.0
        Added to f in the objective that is reported; f itself stays as precise as it is.

    Notes
    -----
    Each step costs one call of `fg` (a further one per halving) and O(n K^2).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.solvers import CurvilinearSearch, Stopping, iterate
    >>> A = np.diag([1.0, 5.0, 3.0])
    >>> solver = CurvilinearSearch(lambda U: (-(U * (A @ U)).sum(), -2 * A @ U))
    >>> run = iterate(solver.step, solver.start(np.full((3, 1), 3**-0.5)), change=solver.change,
    ...               objective=solver.objective, stopping=Stopping(max_iter=100, tol=1e-8))
    >>> abs(run.state.U.ravel().round(6)), run.reason
    (array([0., 1., 0.]), 'tolerance')
    """

    def __init__(
        self,
        fg: Callable[[AnyArray], tuple[float, AnyArray]],
        constant: float = 0.0,
    ) -> None:
        self.fg = fg
        self.constant = constant

    def curve(self, U: AnyArray, H: AnyArray, t: float) -> AnyArray:
        """The point at t."""
        return cayley(U, H, t)

    def start(self, U: AnyArray) -> CurvilinearState:
        """The state at U; the first step is scaled by the curvature of the constraint."""
        f, G = self.fg(U)
        t = 1 / (float(np.linalg.norm(U.T @ G, 2)) or 1.0)
        return CurvilinearState(U, f, G, tangent(U, G), t)

    def objective(self, s: CurvilinearState) -> float:
        return self.constant + s.f

    def change(self, old: CurvilinearState, new: CurvilinearState) -> float:
        """``||H|| / ||G||`` at the new point: 0 where U is stationary."""
        return float(np.linalg.norm(new.H)) / (float(np.linalg.norm(new.G)) or 1.0)

    def step(self, s: CurvilinearState) -> CurvilinearState:
        """One search; the state as it was when nothing lower is found."""
        slope = -float(np.vdot(s.H, s.H))  # RPMA (19): the curve leaves along -H
        if not slope:
            return s
        floor = 8 * np.finfo(s.U.dtype).eps * abs(s.f)  # what rounding hides
        t = s.t
        for _ in range(_HALVINGS):
            V = self.curve(s.U, s.H, t)
            f, G = self.fg(V)
            if f <= s.f + ARMIJO * t * slope + floor:
                H = tangent(V, G)
                next_t = _barzilai_borwein(V - s.U, H - s.H, t)
                return CurvilinearState(V, f, G, H, next_t)
            t /= 2
        return s


def _barzilai_borwein(S: AnyArray, Y: AnyArray, t: float) -> float:
    """``|<S, Y>| / <Y, Y>``, the step t where the gradient did not change."""
    yy = float(np.vdot(Y, Y))
    return abs(float(np.vdot(S, Y))) / yy if yy else t
