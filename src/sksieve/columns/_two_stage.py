"""Two-stage column subset selection: pivoted QR on the leading right singular vectors.

Boutsidis, Mahoney & Drineas, "An improved approximation algorithm for the column subset selection
problem", SODA 2009, Algorithm 1. Rows of A (m x n) are samples.

========= ============ ===========================================================
paper     code         meaning, shape
========= ============ ===========================================================
A         --           data, m x n; only ``G = A'A`` (n x n) is used
k         k            columns wanted
V_k       V            leading right singular vectors = eigenvectors of G, n x k
p_i       p            sampling probabilities of the first stage, n
c         c            expected number of columns the first stage keeps
S_1, D_1  kept, weight sampled columns, rescaling ``1 / sqrt(min(1, c p_i))``
S_2       --           the k columns the second stage keeps
========= ============ ===========================================================

Deviations
----------
D1. ``sampling="deterministic"`` (the default) leaves the first stage out: pivoted QR sees all n
    columns of ``V_k'``. We infer that this is the "Two-stage" of Feng, Qian & Tang (AAAI 2019),
    Table 1, although they say that 2k columns are sampled: it has no spread over runs, as they
    report, and its errors are theirs to .002.
D2. The second stage is LAPACK's pivoted QR (Businger & Golub), not Pan's rank-revealing LU; the
    paper allows any rank-revealing factorization.
D3. c is ``Theta(k log k)`` in the paper, with a constant far above n for any usable k; here it is
    ``k (1 + log k)`` unless given.
D4. A column that depends linearly on those before it is passed over, and the places left (rank of
    V_k below k, or a sample of fewer than k columns) are filled in the order of pivoted QR on all
    columns.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import qr

from .._typing import Array, Indices
from .._validation import Interval, StrOptions, common
from ._base import BaseColumnSubset, Selected
from ._factored import Factored
from ._pair import PairProblem, prefixes


class TwoStageCSS(BaseColumnSubset):
    """Choose the columns that pivoted QR picks from the leading right singular vectors.

    Aims at ``min_S ||A - A_S A_S^+ A||_F^2, |S| = k``, A being X after `scale`, by choosing k
    well-conditioned columns of ``V_k'``.

    Parameters
    ----------
    n_features_to_select, scale
        See `BaseColumnSubset`.
    sampling : {"deterministic", "random"}, default="deterministic"
        ``"deterministic"``: pivoted QR on all columns. ``"random"``: the paper's algorithm; QR on
        a random sample of them, the best of `n_repeats` tries.
    sample_size : int or None, default=None
        Expected size of the sample, c; ``k (1 + log k)`` when None. Only for ``"random"``.
    n_repeats : int, default=40
        Tries; the paper's number. Only for ``"random"``.
    random_state : int, RandomState or None, default=None
        Only for ``sampling="random"``.
    solver, candidates, keep, ridge
        See `BaseColumnSubset`.

    Notes
    -----
    Subsets in `path_` smaller than k are those QR had chosen on its way to k; they are not what a
    fit for that size would give (``nested`` is false).

    Cost O(m n^2) for the Gram matrix, O(n^3) for V_k (O(m^3) when m < n), then O(n k^2) per
    factorization. With sampling, the error is within ``Theta(k sqrt(log k))`` of the best rank-k
    approximation's with probability at least 0.8 (Theorem 1).

    References
    ----------
    Boutsidis, Mahoney & Drineas, "An improved approximation algorithm for the column subset
    selection problem", SODA 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import TwoStageCSS
    >>> X = load_wine(as_frame=True).data
    >>> sel = TwoStageCSS(n_features_to_select=3, scale="standard").fit(X)
    >>> sel.get_feature_names_out()
    array(['alcohol', 'ash', 'flavanoids'], dtype=object)
    """

    nested: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseColumnSubset._parameter_constraints,
        **common("random_state"),
        "sampling": [StrOptions({"deterministic", "random"})],
        "sample_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_repeats": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        sampling: str = "deterministic",
        sample_size: int | None = None,
        n_repeats: int = 40,
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
        self.sample_size = sample_size
        self.n_repeats = n_repeats
        self.random_state = random_state

    def _select(self, problem: PairProblem, k: int, rng: np.random.RandomState) -> Selected:
        values, V = problem.leading_eigenpairs(k)
        every = pivoted_order(V)
        if self.sampling == "deterministic":
            return Selected(prefixes(problem.independent(every, k)))
        c = k * (1 + np.log(k)) if self.sample_size is None else self.sample_size
        p = sampling_probabilities(problem, values, V)
        tries = [
            problem.independent(np.concatenate([sampled_order(V, p, c, rng), every]), k)
            for _ in range(self.n_repeats)
        ]
        return Selected(prefixes(min(tries, key=problem.error)))


def pivoted_order(V: Array) -> Indices:
    """All n columns in the order in which QR with column pivoting takes those of V' (V: n x k)."""
    if not V.shape[1]:
        return np.arange(V.shape[0])
    return qr(V.T, mode="r", pivoting=True)[1].astype(np.intp)


def sampling_probabilities(problem: PairProblem, values: Array, V: Array) -> Array:
    """``p_i``, half leverage of V_k, half what the rank-k approximation leaves of column i."""
    leverage = np.einsum("ij,ij->i", V, V)
    residual = np.maximum(np.diagonal(problem.G) - V**2 @ values, 0.0)
    parts = [part / part.sum() for part in (leverage, residual) if part.sum() > 0]
    return np.mean(parts, axis=0) if parts else np.full(len(V), 1 / len(V))


def sampled_order(V: Array, p: Array, c: float, rng: np.random.RandomState) -> Indices:
    """One try of the two stages: the sampled columns in the order of pivoted QR."""  # Algorithm 1
    p = np.minimum(1.0, c * p)
    kept = np.flatnonzero(rng.uniform(size=len(p)) < p)
    weight = 1 / np.sqrt(p[kept])
    return kept[pivoted_order(V[kept] * weight[:, None])] if len(kept) else kept
