"""The result of a fit: chosen columns, errors and coefficients, computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from .._typing import Array, Indices
from ._pair import PairProblem, Path


class Selected(NamedTuple):
    """What a method chooses from a pair problem.

    Attributes
    ----------
    path : dict of int -> ndarray
        The best subset found of each size.
    attributes : dict
        Public attributes of the method by name, its history for instance.
    others : tuple of ndarray
        Further subsets it found.
    """

    path: Path
    attributes: Mapping[str, Any] = MappingProxyType({})
    others: tuple[Indices, ...] = ()


class Choice(NamedTuple):
    """What a solver hands over: subsets, and what describes them. Subsets index `candidates`."""

    selected: Selected
    pair: PairProblem
    candidates: Indices
    rows: Callable[[Indices], Array]  # of G, for columns of the table
    norm2: Array
    center: Array
    divisor: Array
    svd_errors: Callable[[int], Array]
    ridge: float
    solver: str
    target: str
    outside_gain: float

    @property
    def path(self) -> Path:
        return self.selected.path


class ColumnFit(NamedTuple):
    """The result of a fit; most fields are public attributes, with an underscore."""

    n_features_to_select: int
    ranking: Indices
    path: Path
    objective: float
    error_path: dict[int, float]
    svd_error_path: dict[int, float]
    error_ratio: float
    explained_by: Array
    coef: Array
    intercept: Array
    solver: str
    target: str
    candidates: Indices
    outside_gain: float
    n_passes: int
    center: Array
    divisor: Array
    varies: NDArray[np.bool_]
    own: Mapping[str, Any]

    def value_of(self, attribute: str) -> Any:
        """A public attribute by name; AttributeError where this fit has none such."""
        if attribute in self.own:
            return self.own[attribute]
        field = attribute.removesuffix("_")
        if field not in self._fields:
            raise AttributeError(f"This fit has no {attribute}.")
        return getattr(self, field)


def result_of(choice: Choice, chosen: Indices, n_passes: int, own: Mapping[str, Any]) -> ColumnFit:
    """Errors, coefficients and explained parts; ``chosen`` and the path index the candidates."""
    pair, path, C = choice.pair, choice.path, choice.candidates
    S, k = C[chosen], len(chosen)
    coef, residual = explained(choice.rows(S), S, choice.norm2, choice.ridge)
    rest = np.setdiff1d(np.argsort(-residual, kind="stable"), S, assume_unique=True)
    left = np.divide(residual, choice.norm2, out=np.zeros_like(residual), where=choice.norm2 > 0)
    coef = coef * choice.divisor / choice.divisor[S, None]
    bounds = choice.svd_errors(max(path))
    tiny = np.finfo(float).eps * len(choice.norm2) * pair.target_norm2
    svd_errors = {i: 0.0 if bounds[i] <= tiny else float(bounds[i]) for i in range(len(bounds))}
    errors = {0: pair.target_norm2} | _path_errors(pair, path)
    return ColumnFit(
        n_features_to_select=k,
        ranking=np.concatenate([S, rest]),
        path={size: C[path[size]] for size in sorted(path)},
        objective=errors[k],
        error_path=errors,
        svd_error_path=svd_errors,
        error_ratio=_ratio(errors[k], svd_errors[k]),
        explained_by=1.0 - left,
        coef=coef.T,
        intercept=choice.center - choice.center[S] @ coef,
        solver=choice.solver,
        target=choice.target,
        candidates=np.sort(C),
        outside_gain=choice.outside_gain,
        n_passes=n_passes,
        center=choice.center,
        divisor=choice.divisor,
        varies=choice.norm2 > 0,
        own=own,
    )


def _ratio(error: float, bound: float) -> float:
    if np.isnan(bound):
        return np.nan
    return max(1.0, error / bound) if bound > 0 else 1.0  # rounding may go below


def explained(G_S: Array, S: Indices, norm2: Array, ridge: float = 0.0) -> tuple[Array, Array]:
    """Coefficients of every column on the columns S, and the squared norms they leave.

    Parameters
    ----------
    G_S : ndarray of shape (k, n)
        Rows of the Gram matrix; the columns are linearly independent.
    S : ndarray of shape (k,)
    norm2 : ndarray of shape (n,)
    ridge : float

    Returns
    -------
    coef : ndarray of shape (k, n)
        ``(G_SS + ridge I)^-1 G_S:``.
    residual : ndarray of shape (n,)
        At least 0, and exactly 0 on S without a ridge.
    """
    k = len(S)
    L = np.linalg.cholesky(G_S[:, S] + ridge * np.eye(k))
    V = solve_triangular(L, G_S, lower=True, check_finite=False)
    coef = solve_triangular(L, V, lower=True, trans=1, check_finite=False)
    if ridge > 0:
        residual = norm2 - 2 * np.einsum("ij,ij->j", coef, G_S)
        residual += np.einsum("ij,ij->j", coef, G_S[:, S] @ coef)
        return coef, np.maximum(residual, 0.0)
    residual = np.maximum(norm2 - np.einsum("ij,ij->j", V, V), 0.0)
    residual[S] = 0.0
    coef[:, S] = np.eye(k)
    return coef, residual


def _path_errors(pair: PairProblem, path: Path) -> dict[int, float]:
    """``f`` of each subset, recomputed; those that begin the longest in one factorization."""
    longest = path[max(path)]
    begins = {size for size, S in path.items() if np.array_equal(S, longest[:size])}
    errors = pair.prefix_errors(longest) if len(begins) > 1 else np.empty(0)
    return {
        size: float(errors[size - 1]) if len(errors) and size in begins else pair.error(path[size])
        for size in sorted(path)
    }
