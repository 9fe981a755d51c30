"""Accelerated proximal gradient that never goes uphill; for use inside a step: bounded and silent.

Beck & Teboulle, "Fast gradient-based algorithms for constrained total variation image denoising and
deblurring problems", IEEE TIP 2009 (the monotone form), with the function restart of O'Donoghue &
Candes, "Adaptive restart for accelerated gradient schemes", 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .._typing import AnyArray
from ..kernels._nonnegative import extrapolation, projected_step

#: x, and its image where there is one.
Point = tuple[AnyArray, ...]

_MAX_HALVINGS = 60


def accelerated_proximal_gradient(
    value: Callable[..., float],
    value_and_gradient: Callable[..., tuple[float, AnyArray]],
    start: Point,
    *,
    step: float,
    n_steps: int,
    image: Callable[[AnyArray], AnyArray] | None = None,
    prox: Callable[[AnyArray, float], AnyArray] | None = None,
    penalty: Callable[[AnyArray], float] | None = None,
) -> tuple[Point, float]:
    """A few steps toward the minimizer of ``f(x) + h(x)``; the sum never rises.

    Parameters
    ----------
    value, value_and_gradient : callable
        ``f(x)``, and ``f(x)`` with its gradient; f smooth, not necessarily convex.
    start : tuple of ndarrays
        ``(x,)``, or ``(x, Kx)`` where there is an `image`; not modified.
    step : float
        First step size to try (1 / Lipschitz constant, or the size a call before ended with);
        halved until the quadratic model at the point is an upper bound, at most 60 times.
    n_steps : int
        Number of steps, at least 1.
    image : callable, optional
        A linear map ``x -> Kx`` that f needs. It is applied once to every point that is tried, and
        not to those between them; `value` and `value_and_gradient` are then called with x and Kx.
    prox : callable, optional
        ``prox(v, t) = argmin_x 1/2 ||x - v||^2 + t h(x)``; the nearest ``x >= 0`` where it is not
        given.
    penalty : callable, optional
        ``h(x)``; not given for the indicator of a set that `prox` projects on.

    Returns
    -------
    end : tuple of ndarrays
        ``(x,)`` or ``(x, Kx)``, at or below the start.
    step : float
        The step size it ended with.

    Examples
    --------
    The lasso with a design of one column:

    >>> import numpy as np
    >>> from sksieve.solvers import accelerated_proximal_gradient
    >>> (x,), _ = accelerated_proximal_gradient(
    ...     lambda x: 0.5 * float((x - 3) @ (x - 3)),
    ...     lambda x: (0.5 * float((x - 3) @ (x - 3)), x - 3),
    ...     (np.zeros(1),), step=1.0, n_steps=20,
    ...     prox=lambda v, t: np.sign(v) * np.maximum(np.abs(v) - t, 0),
    ...     penalty=lambda x: float(np.abs(x).sum()))
    >>> x
    array([2.])
    """

    advance = projected_step if prox is None else partial(_advance, prox)

    def at(z: AnyArray) -> Point:
        return (z,) if image is None else (z, image(z))

    def h(z: Point) -> float:
        return 0.0 if penalty is None else penalty(z[0])

    def step_from(y: Point, f_y: float, g: AnyArray, step: float) -> tuple[Point, float, float]:
        """Short enough for the quadratic model at y to be an upper bound."""
        slack = 4 * np.finfo(g.dtype).eps * abs(f_y)
        for _ in range(_MAX_HALVINGS):
            x, slope, length2 = advance(y[0], g, step)
            z = at(x)
            f_z = value(*z)
            if f_z <= f_y + slope + length2 / (2 * step) + slack:
                break
            step /= 2
        return z, f_z, step

    y = now = start
    t, F = 1.0, None
    for _ in range(n_steps):
        f_y, g = value_and_gradient(*y)
        F = f_y + h(now) if F is None else F
        z, f_z, step = step_from(y, f_y, g, step)
        F_z = f_z + h(z)
        if F_z <= F:
            t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
            y = tuple(extrapolation(a, b, (t - 1) / t_new) for a, b in zip(z, now, strict=True))
            now, F, t = z, F_z, t_new
        elif t == 1.0:
            break  # a plain step from x itself does not help: rounding
        else:
            y, t = now, 1.0
    return now, step


def _advance(
    prox: Callable[[AnyArray, float], AnyArray], y: AnyArray, g: AnyArray, step: float
) -> tuple[AnyArray, float, float]:
    """A step from y, with ``<g, x - y>`` and ``||x - y||^2``."""
    x = prox(y - g.dtype.type(step) * g, step)
    d = (x - y).ravel()
    return x, float(g.ravel() @ d), float(d @ d)
