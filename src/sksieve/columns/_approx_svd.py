"""Column subset selection via sparse approximation of the SVD.

Civril & Magdon-Ismail, "Column subset selection via sparse approximation of SVD", Theoretical
Computer Science 421, 2012. Rows of A (m x n) are samples.

========= ====== ================================================================
paper     code   meaning, shape
========= ====== ================================================================
A         --     data, m x n; only ``G = A'A`` (n x n) is used
B         --     target ``U_k Sigma_k = A V_k``, m x k; only ``W = B'A`` is used
V_k       V      leading right singular vectors = eigenvectors of G, n x k
--        W      ``B'A`` with the chosen columns projected out of both, k x n
--        r      squared norms of the columns after the projection, n
--        Q      coordinates of all columns on the orthonormalized chosen ones, k x n
========= ====== ================================================================

Deviations
----------
D1. The paper lets c > k columns approximate rank k; here c = k, as in every published comparison.
D2. The columns are re-normalized after each projection by dividing the score by ``sqrt(r_j)``,
    which is the same choice; nothing of length m is formed.
D3. A column that depends linearly on the chosen ones is never taken.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ._base import BaseColumnSubset, Selected
from ._pair import PairProblem, prefixes


class ApproxSVDCSS(BaseColumnSubset):
    """Add, k times, the column that best approximates the leading singular vectors.

    Aims at ``min_S ||A - A_S A_S^+ A||_F^2, |S| = k``, A being X after `scale`, by greedily
    minimizing ``||B - A_S A_S^+ B||_F^2`` for ``B = U_k Sigma_k``: `GreedyCSS` with the leading
    part of A in place of A.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    solver, candidates, keep, ridge
        See `BaseColumnSubset`.

    Notes
    -----
    Subsets in `path_` smaller than k are those chosen on the way to k; they are not what a fit for
    that size would give, because the target depends on k (``nested`` is false).

    Cost O(m n^2) for the Gram matrix, O(n^3) for V_k (O(m^3) when m < n), then O(n k^2).
    Deterministic; ties go to the smaller index.

    References
    ----------
    Civril & Magdon-Ismail, "Column subset selection via sparse approximation of SVD", Theoretical
    Computer Science 421, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import ApproxSVDCSS
    >>> X = load_wine(as_frame=True).data
    >>> sel = ApproxSVDCSS(n_features_to_select=3, scale="standard").fit(X)
    >>> sel.get_feature_names_out()
    array(['alcalinity_of_ash', 'flavanoids', 'color_intensity'], dtype=object)
    """

    nested: ClassVar[bool] = False

    def _select(self, problem: PairProblem, k: int, rng: Any) -> Selected:
        values, V = problem.leading_eigenpairs(k)
        W = values[:, None] * V.T  # B'A = V_k'G
        return Selected(prefixes(sparse_approximation(problem, W, k)))


def sparse_approximation(problem: PairProblem, W: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """k columns of A that greedily approximate B, given ``W = B'A``."""
    rows = np.ascontiguousarray(W.T)
    pair = PairProblem(problem.G, None, float((W**2).sum()), rows=rows, norm2=problem.norm2)
    return pair.greedy_order(np.arange(problem.n_columns), k)[0]
