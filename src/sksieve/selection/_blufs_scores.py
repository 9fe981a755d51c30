"""Scores in the unit of the objective: what a column is worth where it is, or would be."""

from __future__ import annotations

import numpy as np

from .._typing import Array, Indices
from ..solvers import RowQuadratic, fit_rows


def exchange_scores(problem: RowQuadratic, S: Indices) -> Array:
    """Exact losses on S; elsewhere ``|G_j|^2`` over a bound of A_jj, scaled below the least loss.

    Parameters
    ----------
    problem : RowQuadratic
    S : ndarray of shape (s,)

    Returns
    -------
    scores : ndarray of shape (d,)
    """
    fit = fit_rows(problem, S)
    G = problem.gradient(fit.S, fit.W)
    promise = np.einsum("ij,ij->i", G, G) / problem.curvature_bound
    return _with_rest(promise, fit.S, fit.loss)


def ordered_scores(order: Indices, gain: Array) -> Array:
    """What the value loses when the forward selection stops before a column.

    Examples
    --------
    >>> import numpy as np
    >>> ordered_scores(np.array([2, 0]), np.array([1.0, 0.5, 4.0]))
    array([1. , 0.5, 5. ])
    """
    worth = np.cumsum(gain[order][::-1])[::-1]
    return _with_rest(gain, order, worth)


def _with_rest(promise: Array, chosen: Indices, worth: Array) -> Array:
    rest = np.ones(len(promise), dtype=bool)
    rest[chosen] = False
    top, least = promise[rest].max(initial=0.0), worth.min(initial=np.inf)
    scale = 1.0 if top < least else (1 - 1e-6) * least / top if top else 0.0
    scores = promise * scale
    scores[chosen] = worth
    return scores
