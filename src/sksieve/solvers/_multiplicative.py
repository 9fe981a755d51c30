"""Multiplicative steps on a non-negative block: no step size, no projection, never uphill.

Ding, Li & Jordan, "Convex and semi-nonnegative matrix factorizations", TPAMI 2010: the auxiliary
functions behind both rules.
"""

from __future__ import annotations

import numpy as np

from .._typing import AnyArray


def multiplicative_step(
    x: AnyArray,
    convex: AnyArray,
    linear: AnyArray,
    concave: AnyArray | float = 0.0,
    *,
    rule: str = "sqrt",
) -> AnyArray:
    """One step toward the minimizer of ``<x, Ax> - 2<c, x> - <x, Bx>`` over x >= 0.

    The three parts of half the gradient at x are given: ``A x``, ``c`` and ``B x``, each >= 0,
    where A and B have no negative entries and only the whole need be bounded below. Both rules
    minimize an upper bound of the function that touches it at x, so neither goes uphill; `"root"`
    uses the tighter bound and takes the larger steps.

    Parameters
    ----------
    x : ndarray
        >= 0; entries that are 0 stay 0.
    convex, linear, concave : ndarray of the shape of x
        ``A x``, ``c``, ``B x``, all >= 0.
    rule : {"sqrt", "root"}, default="sqrt"
        ``"sqrt"``: ``x sqrt((c + Bx) / Ax)``. ``"root"``: x times the positive root z of
        ``Ax z^2 - c z - Bx``; with B = 0 that is ``x c / Ax``.

    Returns
    -------
    ndarray
        Entries where ``A x`` is 0 are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.solvers import multiplicative_step
    >>> multiplicative_step(np.array([1.0]), np.array([2.0]), np.array([8.0]), rule="root")
    array([4.])
    """
    if rule == "sqrt":
        upper, lower = np.sqrt(linear + concave), np.sqrt(convex)
    else:
        upper = linear + np.sqrt(linear**2 + 4 * convex * concave)
        lower = 2 * convex
    return x * np.divide(upper, lower, out=np.ones_like(x), where=lower > 0)
