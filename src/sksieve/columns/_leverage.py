"""Leverage score selection: the columns with most weight in the leading singular vectors.

Papailiopoulos, Kyrillidis & Boutsidis, "Provable deterministic leverage score sampling", KDD 2014
(``sampling="deterministic"``); Mahoney & Drineas, "CUR matrix decompositions for improved data
analysis", PNAS 2009 (``sampling="random"``). Rows of A (m x n) are samples.

===== ======== =============================================================
paper code     meaning, shape
===== ======== =============================================================
A     --       data, m x n; only ``G = A'A`` (n x n) is used
V_k   V        leading right singular vectors = eigenvectors of G, n x k
l_i   leverage ``||(V_k)_i:||^2``, in [0, 1], sum k
===== ======== =============================================================

Deviations
----------
D1. The papers keep c > k columns, chosen from a bound; here c = k.
D2. Random sampling is without replacement (one column after the other, by the scores of those
    left), so that exactly k columns are kept; Mahoney & Drineas keep each independently, c of them
    on average.
D3. A column that depends linearly on those before it is passed over.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._ranking import rank_by
from .._typing import Array, Indices
from .._validation import StrOptions, common
from ._base import BaseColumnSubset, Selected
from ._factored import Factored
from ._pair import PairProblem, prefixes


class LeverageScoreCSS(BaseColumnSubset):
    """Keep the columns with the largest leverage scores.

    Aims at ``min_S ||A - A_S A_S^+ A||_F^2, |S| = k``, A being X after `scale`. The scores look at
    one column at a time, so near duplicates of a good column are all kept: expect a larger error
    than with any other method here, and use it as the baseline it is.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    sampling : {"deterministic", "random"}, default="deterministic"
        The k largest scores, or k columns drawn in proportion to them.
    random_state : int, RandomState or None, default=None
        Only for ``sampling="random"``.
    solver, candidates, keep, ridge
        See `BaseColumnSubset`.

    Notes
    -----
    Subsets in `path_` smaller than k are the first columns in the order of the scores for k; they
    are not what a fit for that size would give (``nested`` is false).

    Cost O(m n^2) for the Gram matrix, O(n^3) for V_k (O(m^3) when m < n), then O(n k^2).

    References
    ----------
    Papailiopoulos, Kyrillidis & Boutsidis, "Provable deterministic leverage score sampling", KDD
    2014. Mahoney & Drineas, "CUR matrix decompositions for improved data analysis", PNAS 106, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import LeverageScoreCSS
    >>> X = load_wine(as_frame=True).data
    >>> sel = LeverageScoreCSS(n_features_to_select=3, scale="standard").fit(X)
    >>> sel.get_feature_names_out()
    array(['ash', 'alcalinity_of_ash', 'color_intensity'], dtype=object)
    """

    nested: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        **common("random_state"),
        "sampling": [StrOptions({"deterministic", "random"})],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        sampling: str = "deterministic",
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
        self.sampling = sampling
        self.random_state = random_state

    def _select(self, problem: PairProblem, k: int, rng: np.random.RandomState) -> Selected:
        _, V = problem.leading_eigenpairs(k)
        leverage = np.einsum("ij,ij->i", V, V)
        order = rank_by(leverage) if self.sampling == "deterministic" else drawn(leverage, rng)
        return Selected(prefixes(problem.independent(order, k)))


def drawn(weights: Array, rng: np.random.RandomState) -> Indices:
    """All indices in random order, each drawn in proportion to the weights of those left.

    The order of falling ``log w_i + Gumbel noise`` has exactly this distribution (Efraimidis &
    Spirakis, 2006).
    """
    with np.errstate(divide="ignore"):
        return rank_by(np.log(weights) + rng.gumbel(size=len(weights)))
