"""Random columns: the baseline that every method must exceed."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._validation import common
from ._base import BaseColumnSubset, Selected
from ._factored import Factored
from ._pair import PairProblem, prefixes


class RandomCSS(BaseColumnSubset):
    """Keep k columns drawn at random among those that are linearly independent.

    The baseline: a good method has a far lower ``||A - A_S A_S^+ A||_F^2`` (A is X after `scale`).

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    random_state : int, RandomState or None, default=None
        Decides which columns.
    solver, candidates, keep, ridge
        See `BaseColumnSubset`.

    Notes
    -----
    Cost O(m n^2) for the Gram matrix, then O(n k^2). Nested for a fixed integer `random_state`. A
    column that depends linearly on those drawn before it is passed over.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import RandomCSS
    >>> X = load_wine(as_frame=True).data
    >>> sel = RandomCSS(n_features_to_select=3, random_state=0).fit(X)
    >>> sel.get_support().sum()
    np.int64(3)
    """

    nested: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        **common("random_state"),
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        random_state: Any = None,
        solver: str | Factored = "auto",
        candidates: Any = None,
        keep: Any = None,
        ridge: float | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            scale=scale,
            solver=solver,
            candidates=candidates,
            keep=keep,
            ridge=ridge,
        )
        self.random_state = random_state

    def _select(self, problem: PairProblem, k: int, rng: np.random.RandomState) -> Selected:
        return Selected(prefixes(problem.independent(rng.permutation(problem.n_columns), k)))
