"""Where `LSDCL` starts: scaled columns, two k-means on one sketch, V in the scale that fits best.

Everything here gives the same answer for dense and sparse X, to rounding: columns are scaled by the
same operations on the same numbers, and both k-means see dense coordinates of one randomized SVD.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._array import stored_values
from .._typing import AnyArray
from ..exceptions import DataError
from ..prox import row_norms
from ..tables import scale_columns
from ._lsdcl_problem import DualConcepts, FactoredState, State

_LIFT = 0.2
_COLD_STEPS = 30
_EXTRA_DIRECTIONS = 10
_POWER_STEPS = 4


def scaled_columns(X: Any, how: str) -> Any:
    """A copy of X, its columns scaled: ``"minmax"``, ``"standard"`` or ``"none"``."""
    return X.copy() if how == "none" else scale_columns(X, how).X


def unit_rows_on_average(X: Any) -> Any:
    """X times the number that makes ``||X||_F^2 = n``."""
    top = float(np.abs(stored_values(X)).max(initial=0))
    if top == 0:
        raise DataError("Every column of X is constant or zero; there is nothing to choose from.")
    X = X * X.dtype.type(1 / top)  # squares of very large or small numbers are not numbers any more
    norm = float(np.linalg.norm(stored_values(X)))
    return X * X.dtype.type(np.sqrt(X.shape[0]) / norm)


def column_spread(X: Any) -> AnyArray:
    """Standard deviation of every column."""
    return np.sqrt(mean_variance_axis(X, axis=0)[1]) if sp.issparse(X) else X.std(axis=0)


def start(problem: DualConcepts, r: int, rng: np.random.RandomState) -> State:
    """Lifted k-means indicators of samples and of features, V in the scale that fits best.

    Raises
    ------
    DataError
        If no V >= 0 fits better than V = 0: X has negative values that no non-negative
        combinations of its own rows and columns can reconstruct.
    """
    X = problem.X
    rows, columns = _coordinates(X, r, rng)
    T = _indicator(rows, r, rng)
    V = _indicator(columns, r, rng)
    V[abs(X).sum(axis=0) == 0] = 0  # zero columns fit nothing and are only penalized
    return _scaled(problem, T / T.sum(axis=0), V)[0]


def factored_start(
    problem: DualConcepts, state: State, k: int, rng: np.random.RandomState
) -> FactoredState:
    """T in two factors: k clusters of samples, and how much of each concept they hold."""
    rows, _ = _coordinates(problem.X, k, rng)
    U = _indicator(rows, k, rng)
    S = U.T @ state.T
    S /= S.sum(axis=0)
    state, U = _scaled(problem, U / U.sum(axis=0), state.V, S)
    return FactoredState(*state, U, S)


def lifted(V: AnyArray) -> AnyArray:
    """V without zeros that multiplication could not leave: 0.2 of its mean is added to them.

    Rows that are zero throughout, of columns that vanish or do not help, stay as they are.
    """
    low = V.dtype.type(_LIFT) * V[V > 0].mean()
    return np.where(V.any(axis=1, keepdims=True), np.maximum(V, low), V)


def _scaled(
    problem: DualConcepts, U: AnyArray, V: AnyArray, S: AnyArray | float = 1.0
) -> tuple[State, AnyArray]:
    """T = US with V in the scale that fits best; a V from zero where that scale is negative."""
    T = U @ S if np.ndim(S) else U
    Y, KT = problem.X @ V, problem.K(T)
    s = np.divide(np.vdot(KT, Y), np.vdot(T.T @ KT, problem.VGV(V, Y)) or np.inf)
    if s > 0:
        return State(T, V * V.dtype.type(s)), U
    for other in (U, U.max(axis=0) + U.min(axis=0) - U):  # all others: -C, for centered columns
        weights = other / other.sum(axis=0)
        T = weights @ S if np.ndim(S) else weights
        warm = problem.update_V(State(T, np.zeros_like(V)), n_steps=_COLD_STEPS)
        if warm.V.any():
            return warm._replace(V_step=0.0), weights
    raise DataError(
        "Non-negative combinations of rows and columns cannot reconstruct anything of X from the "
        'start, because of its negative values; use scale="minmax".'
    )


def _coordinates(X: Any, r: int, rng: np.random.RandomState) -> tuple[AnyArray, AnyArray]:
    """Rows and columns of X in its leading singular directions, a few more than r."""
    q = min(2 * r + _EXTRA_DIRECTIONS, *X.shape)
    U, s, Vt = randomized_svd(
        X, q, n_iter=_POWER_STEPS, power_iteration_normalizer="QR", random_state=rng
    )
    return _half_the_digits(U * s), _half_the_digits(Vt.T * s)


def _half_the_digits(points: AnyArray) -> AnyArray:
    """Rounded to whole multiples of a power of two, and those multiples: one unit for all.

    k-means++ meets ties often, and rounding errors must not be what decides them.
    """
    half = np.finfo(points.dtype).nmant // 2
    return np.round(np.ldexp(points, half - int(np.frexp(np.abs(points).max())[1])))


def _indicator(points: AnyArray, r: int, rng: np.random.RandomState) -> AnyArray:
    """k-means membership of the points, 0/1, plus 0.2 so that nothing starts at zero.

    For r = 1 one of two clusters: the mean of all samples is 0 where columns are centered.
    """
    k = min(max(r, 2), len(points))
    with warnings.catch_warnings():  # fewer distinct points than concepts: some start alike
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = KMeans(k, n_init=1, random_state=rng.randint(2**31 - 1)).fit(points).labels_
    return np.eye(k, r, dtype=points.dtype)[labels] + points.dtype.type(_LIFT)


def largest_lam2(problem: DualConcepts, state: State) -> float:
    """The smallest lam2 at which V = 0 is stationary, T as at the start."""
    pull = 2 * (problem.X.T @ problem.K(state.T))
    return float(row_norms(np.maximum(pull, 0)).max())
