"""Proximal gradient with Barzilai and Borwein's steps along feasible directions.

Birgin, Martinez & Raydan, "Nonmonotone spectral projected gradient methods on convex sets", SIAM J.
Optim. 2000, and Wright, Nowak & Figueiredo, "Sparse reconstruction by separable approximation",
IEEE TSP 2009; here monotone. For use inside a step: bounded and silent.

Where the smooth part sees x through a linear image (products with the data, say), the line search
runs on images: a step costs one image and one gradient, however many points it tries.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._typing import AnyArray

_DECREASE = 1e-4
_HIDDEN = 10
_WIDEST = 1e6


class Composite(NamedTuple):
    """``f(x) + h(x)``, f smooth and seen through a linear image of x, h convex.

    Attributes
    ----------
    image : callable
        ``u(x)``, linear in x; whatever saves work.
    value, gradient : callable
        ``f`` and its gradient in x, given ``(x, u(x))``.
    penalty, prox : callable
        ``h(x)`` and ``prox(v, t) = argmin_x 1/2 ||x - v||^2 + t h(x)``; 0 and the projection for a
        convex set.
    """

    image: Callable[[AnyArray], AnyArray]
    value: Callable[[AnyArray, AnyArray], float]
    gradient: Callable[[AnyArray, AnyArray], AnyArray]
    penalty: Callable[[AnyArray], float]
    prox: Callable[[AnyArray, float], AnyArray]


def spectral_proximal_gradient(
    problem: Composite, x: AnyArray, u: AnyArray, *, step: float, shortest: float, n_steps: int
) -> tuple[AnyArray, AnyArray, float]:
    """A few steps toward a minimizer of `problem`; its value never rises.

    Parameters
    ----------
    problem : Composite
    x : ndarray
        Where to start, feasible; not modified.
    u : ndarray
        Image of x.
    step : float
        First step size, e.g. the one a call before ended with.
    shortest : float > 0
        1 / Lipschitz constant or an estimate of it; steps stay within this and a million of it.
    n_steps : int
        Number of steps.

    Returns
    -------
    x, u : ndarray
        At or below the start, and its image.
    step : float
        The step size to go on with.

    Notes
    -----
    The two quotients of Barzilai and Borwein take turns. Along ``d = prox(x - step g) - x`` the
    point is the minimizer of a parabola through both ends (exact for quadratic f), halved until the
    value falls enough. Lengths keep four binary digits: Barzilai and Borwein's recursion would blow
    rounding errors up from step to step.

    Examples
    --------
    The lasso with one column:

    >>> import numpy as np
    >>> from sksieve.solvers import Composite, spectral_proximal_gradient
    >>> lasso = Composite(
    ...     lambda x: x,
    ...     lambda x, u: 0.5 * float((u - 3) @ (u - 3)),
    ...     lambda x, u: u - 3,
    ...     lambda x: float(np.abs(x).sum()),
    ...     lambda v, t: np.sign(v) * np.maximum(np.abs(v) - t, 0),
    ... )
    >>> x = np.zeros(1)
    >>> spectral_proximal_gradient(lasso, x, x, step=1.0, shortest=1.0, n_steps=9)[0]
    array([2.])
    """
    f, h = problem.value(x, u), problem.penalty(x)
    g = problem.gradient(x, u)
    for k in range(n_steps):
        step = min(max(step, shortest), _WIDEST * shortest)
        d = problem.prox(x - x.dtype.type(step) * g, step) - x
        slope = float(np.vdot(g, d))
        searched = _along(problem, (x, u, f, h), d, slope)
        if searched is None:
            if step == shortest:
                break
            step = shortest
            continue
        x_new, u, f, h = searched
        if k == n_steps - 1:
            return x_new, u, step
        g_new = problem.gradient(x_new, u)
        step = _barzilai_borwein(x_new - x, g_new - g, step, longer=k % 2 == 0)
        x, g = x_new, g_new
    return x, u, step


_Point = tuple[AnyArray, AnyArray, float, float]


def _along(problem: Composite, start: _Point, d: AnyArray, slope: float) -> _Point | None:
    """A point between x and x + d that lies low enough; None where rounding hides descent."""
    x, u, f, h = start
    end = x + d
    h_end = problem.penalty(end)
    fall = slope + h_end - h
    hidden = _HIDDEN * float(np.finfo(x.dtype).eps) * (abs(f) + abs(h))
    if -fall <= hidden:
        return None  # or even uphill, where the proximal map is rounded
    du = problem.image(d)
    u_end = u + du
    f_end = problem.value(end, u_end)
    bend = f_end - f - slope
    a = 1.0 if 2 * bend <= -fall else _few_bits(-fall / (2 * bend))
    while -a * fall > hidden:
        if a < 1:
            end, u_end = x + x.dtype.type(a) * d, u + u.dtype.type(a) * du
            f_end, h_end = problem.value(end, u_end), problem.penalty(end)
        if f_end + h_end <= f + h + _DECREASE * a * fall:
            return end, u_end, f_end, h_end
        a /= 2
    return None


def _barzilai_borwein(s: AnyArray, y: AnyArray, step: float, *, longer: bool) -> float:
    """One of the two quotients; the step before where the curvature is not positive."""
    sy = float(np.vdot(s, y))
    if sy <= 0:
        return step
    return _few_bits(float(np.vdot(s, s)) / sy if longer else sy / float(np.vdot(y, y)))


def _few_bits(number: float) -> float:
    """Rounded down to 4 binary digits, so that rounding errors do not grow from step to step."""
    mantissa, exponent = math.frexp(number)
    return math.ldexp(math.floor(16 * mantissa), exponent - 4)
