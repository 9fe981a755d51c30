"""Accelerated proximal gradient that never goes uphill; for use inside a step: bounded and silent.

Beck & Teboulle, "Fast gradient-based algorithms for constrained total variation image denoising and
deblurring problems", IEEE TIP 2009 (the monotone form), with the function restart of O'Donoghue &
Candes, "Adaptive restart for accelerated gradient schemes", 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["accelerated_proximal_gradient"]

Array = NDArray[Any]
#: x, and its image where there is one.
Point = tuple[Array, ...]

_MAX_HALVINGS = 60


def accelerated_proximal_gradient(
    value: Callable[..., float],
    value_and_gradient: Callable[..., tuple[float, Array]],
    penalty: Callable[[Array], float],
    prox: Callable[[Array, float], Array],
    x: Array,
    *,
    step: float,
    n_steps: int,
    image: Callable[[Array], Array] | None = None,
) -> tuple[Array, float]:
    """A few steps toward the minimizer of ``f(x) + h(x)``; the sum never rises.

    Parameters
    ----------
    value, value_and_gradient : callable
        ``f(x)``, and ``f(x)`` with its gradient; f smooth, not necessarily convex.
    penalty : callable
        ``h(x)``; 0 for the indicator of a set that `prox` projects on.
    prox : callable
        ``prox(v, t) = argmin_x 1/2 ||x - v||^2 + t h(x)``.
    x : ndarray
        Where to start; not modified.
    step : float
        First step size to try (1 / Lipschitz constant, or the size a call before ended with);
        halved until the quadratic model at the point is an upper bound, at most 60 times.
    n_steps : int
        Number of steps.
    image : callable, optional
        A linear map ``x -> Kx`` that f needs. It is applied once to every point that is tried, and
        not to those between them; `value` and `value_and_gradient` are then called with x and Kx.

    Returns
    -------
    x : ndarray
        At or below the start.
    step : float
        The step size it ended with.

    Examples
    --------
    The lasso with a design of one column:

    >>> import numpy as np
    >>> from sksieve.solvers import accelerated_proximal_gradient
    >>> x, _ = accelerated_proximal_gradient(
    ...     lambda x: 0.5 * float((x - 3) @ (x - 3)),
    ...     lambda x: (0.5 * float((x - 3) @ (x - 3)), x - 3),
    ...     lambda x: float(np.abs(x).sum()),
    ...     lambda v, t: np.sign(v) * np.maximum(np.abs(v) - t, 0),
    ...     np.zeros(1), step=1.0, n_steps=20)
    >>> x
    array([2.])
    """

    def at(z: Array) -> Point:
        return (z,) if image is None else (z, image(z))

    now = at(x)
    F = value(*now) + penalty(x)
    y, t = now, 1.0
    for _ in range(n_steps):
        z, f_z, step = _proximal_step(value, value_and_gradient, prox, y, step, at)
        F_z = f_z + penalty(z[0])
        if F_z <= F:
            t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
            y = tuple(
                a + a.dtype.type((t - 1) / t_new) * (a - b) for a, b in zip(z, now, strict=True)
            )
            now, F, t = z, F_z, t_new
        elif t == 1.0:
            break  # a plain step from x itself does not help: rounding
        else:
            y, t = now, 1.0
    return now[0], step


def _proximal_step(
    value: Callable[..., float],
    value_and_gradient: Callable[..., tuple[float, Array]],
    prox: Callable[[Array, float], Array],
    y: Point,
    step: float,
    at: Callable[[Array], Point],
) -> tuple[Point, float, float]:
    """One step from y, short enough for the quadratic model at y to be an upper bound."""
    f_y, g = value_and_gradient(*y)
    slack = 4 * np.finfo(g.dtype).eps * abs(f_y)
    for _ in range(_MAX_HALVINGS):
        z = at(prox(y[0] - g.dtype.type(step) * g, step))
        d = (z[0] - y[0]).ravel()
        f_z = value(*z)
        if f_z <= f_y + float(g.ravel() @ d) + float(d @ d) / (2 * step) + slack:
            break
        step /= 2
    return z, f_z, step
