"""Greedy column subset selection, by partial Cholesky on the Gram matrix.

Farahat, Ghodsi & Kamel, "Efficient greedy feature selection for unsupervised learning", KAIS 2013.
Rows of A (m x n) are samples.

====== ========== ==============================================
paper  code       meaning, shape
====== ========== ==============================================
A      --         data, m x n; only ``G = A'A`` (n x n) is used
E      R          residual Gram matrix ``G - G_:S G_SS^-1 G_S:``
f_i    diag R^2   ``||R_:i||^2``, the numerator of the gain
g_i    diag R     ``R_ii``, the denominator
====== ========== ==============================================
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ._base import BUDGET, BaseColumnSubset, Selected
from ._factored import Factored
from ._pair import PairProblem, prefixes


class GreedyCSS(BaseColumnSubset):
    """Add, k times, the column that lowers the reconstruction error most.

    Solves ``min_S ||A - A_S A_S^+ A||_F^2, |S| = k``, A being X after `scale`, by forward
    selection.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    solver, candidates, keep, ridge, budget
        See `BaseColumnSubset`.

    Notes
    -----
    Cost O(m n^2) for the Gram matrix, then O(k n^2) time and O(n^2) memory; for a table in memory
    with at least 1000 columns and at most half as many rows O(m n) a column and O(m n) memory.
    Deterministic; ties go to the smaller index. Nested: the best k columns are a prefix of the best
    k + 1.

    References
    ----------
    Farahat, Ghodsi & Kamel, "Efficient greedy feature selection for unsupervised learning",
    Knowledge and Information Systems 35, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import GreedyCSS
    >>> X = load_wine(as_frame=True).data
    >>> sel = GreedyCSS(n_features_to_select=3, scale="standard").fit(X)
    >>> sel.get_feature_names_out()
    array(['alcalinity_of_ash', 'flavanoids', 'color_intensity'], dtype=object)
    """

    nested: ClassVar[bool] = True
    reads_rows: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        "budget": BUDGET,
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        solver: str | Factored = "auto",
        candidates: Any = None,
        keep: Any = None,
        ridge: float | None = None,
        budget: float | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            scale=scale,
            solver=solver,
            candidates=candidates,
            keep=keep,
            ridge=ridge,
        )
        self.budget = budget

    def _select(self, problem: PairProblem, k: int, rng: Any) -> Selected:
        order, _ = problem.greedy_order(np.arange(problem.n_columns), k)
        return Selected(prefixes(order))
