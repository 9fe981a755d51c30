"""Choosing columns of tables too wide for a Gram matrix: a shortlist, its exact pair, pricing.

1. Two passes give a surrogate of the pair on all n columns (`_surrogate`).
2. Greedy and local search on the surrogate, and the price of every other column, give a shortlist
   C of 3k + 200 columns, of 1000 or more where the table is small.
3. A third pass gives ``G_:C`` and with it the exact pair ``(G_CC, F_CC)``. Any method of the
   package chooses on it; its errors are exact, over all columns.
4. Pricing: one pass gives, for every column outside C, what swapping it in would gain, exactly but
   for the estimated diagonal of F. The best are added to C, their columns of G by one more pass,
   and the method chooses again; until no price is positive or `max_rounds` is reached.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .._typing import Array, Indices
from .._validation import Interval
from ..config import memory_limit
from ..tables import Source
from ._pair import PIVOT_RTOL, PairProblem, Path
from ._result import Selected
from ._surrogate import Surrogate, Target, prices
from .search._swaps import DROP_RTOL, SwapProblem

#: Random projections that estimate the diagonal of F.
PROJECTIONS = 128
#: The shortlist of a small table is longer: so many columns, or all of up to twice as many, where a
#: pass that forms them takes so many products. Local search then loses less than .3 % of the error.
SHORTLIST_PRODUCTS, SHORTLIST = 1e10, 1000
#: What a search may take for each entry of the shortlist's matrices.
PAIR_BYTES = 128
#: Rank of the surrogate: k + 32, within these.
LEAST_RANK, MOST_RANK = 96, 256
#: Columns that local search on the surrogate chooses from, beside 2k greedy ones.
SURROGATE_CANDIDATES = 2000
#: Up to this k the surrogate is searched until no swap improves; above, one sweep.
FULL_SEARCH = 100
#: Up to so many candidates given by the user are all on the shortlist.
EXACT_CANDIDATES = 2000
#: Random starts of the search on the surrogate.
KICKS = 10
#: Columns join when their price is above this part of the median loss: prices are noisy.
NEAR = -0.02
#: Columns of G formed at a time for the exact diagonal of F.
SLAB = 512
#: Relative accuracy of the singular values' tail, and passes spent on it at most.
SVD_RTOL = 1e-3
SVD_PASSES = 3
#: Directions of a Krylov block below this part of the image are rounding (single precision).
RITZ_FLOOR = 1e-6


class Factored(BaseEstimator):
    """Settings of the factored solver, for the parameter `solver` of a column class.

    Parameters
    ----------
    n_candidates : int or None, default=None
        Columns on the shortlist. When None ``3 k + 200``, but as many as a pass over the table
        multiplies with in 1e10 products: up to 1000, and all of up to 2000.
    sketch_size : int or None, default=None
        Rank of the surrogate; k + 32, between 96 and 256, when None.
    max_rounds : int, default=2
        How often columns are priced and added to the shortlist, at most.
    certify : bool, default=False
        Continue until no swap with any column outside the shortlist is better, computed exactly:
        O(m n^2) once.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sksieve import GreedyCSS
    >>> from sksieve.columns import Factored
    >>> sel = GreedyCSS(3, scale="unit", solver=Factored(n_candidates=20))
    >>> sel.set_params(solver__certify=True).fit(load_digits().data).outside_gain_ <= 0
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_candidates": [Interval(Integral, 1, None, closed="left"), None],
        "sketch_size": [Interval(Integral, 1, None, closed="left"), None],
        "max_rounds": [Interval(Integral, 0, None, closed="left")],
        "certify": ["boolean"],
    }

    def __init__(
        self,
        n_candidates: int | None = None,
        *,
        sketch_size: int | None = None,
        max_rounds: int = 2,
        certify: bool = False,
    ) -> None:
        self.n_candidates = n_candidates
        self.sketch_size = sketch_size
        self.max_rounds = max_rounds
        self.certify = certify


class Shortlist(NamedTuple):
    """Candidates with their exact pair."""

    C: Indices  # columns of the table
    G: Array  # their columns of G, (n, c)
    pair: PairProblem


class FactoredSolver:
    """Shortlist, exact pair and pricing for one table; see the head of this file.

    Parameters
    ----------
    source : Source
    target : Target
    settings : Factored
    candidates : ndarray of int or None
        The only columns that may be chosen.
    keep : ndarray of int
        Columns that must be chosen.
    ridge : float
    cost : ndarray of shape (n,) or None
    budget : float
    rng : RandomState

    Attributes
    ----------
    shortlist : Shortlist
        The last one.
    outside_gain : float
        Largest price outside the shortlist; minus infinity where there is nothing outside.
    """

    def __init__(
        self,
        source: Source,
        target: Target,
        settings: Factored,
        *,
        candidates: Indices | None,
        keep: Indices,
        ridge: float,
        cost: Array | None,
        budget: float,
        rng: np.random.RandomState,
    ) -> None:
        self.source, self.target, self.settings = source, target, settings
        self.keep, self.ridge = keep, ridge
        self.cost, self.budget, self.rng = cost, budget, rng
        self.alive = np.zeros(source.n_columns, dtype=bool)
        self.alive[slice(None) if candidates is None else candidates] = True
        self.alive[keep] = True
        self.has_candidates = candidates is not None
        self.alive &= source.norm2 > 0
        self.diag_G = source.norm2 + ridge
        self.min_drop = DROP_RTOL * target.tau
        self.outside_gain = -np.inf
        self.surrogate: Surrogate | None = None
        self.diag_F: Array | None = None

    def solve(self, k: int, select: Callable[[PairProblem, Indices], Selected]) -> Selected:
        """The best subset found of each size, in columns of the table.

        Parameters
        ----------
        k : int
            Columns wanted.
        select : callable
            ``select(pair, keep) -> selected``, both in positions of the pair's columns.
        """
        if not self.alive.any():
            self.shortlist = self._shortlist(np.empty(0, np.intp))
            return Selected({})
        C = self._first_candidates(k)
        self.shortlist = self._shortlist(C)
        selected = self._select(select)
        n_rounds = 0
        while True:
            new = self._improving(selected.path, k)
            if not len(new):
                return selected
            n_rounds += 1
            if n_rounds > self.settings.max_rounds and not self.settings.certify:
                return selected
            self.shortlist = self._extended(new)
            later = self._select(select)
            selected = later._replace(path=self._better(selected.path, later.path))

    # --- the shortlist -----------------------------------------------------------------------

    def _first_candidates(self, k: int) -> Indices:
        everyone = np.flatnonzero(self.alive)
        c = self.settings.n_candidates or self._shortlist_size(k)
        rank = self.settings.sketch_size or int(np.clip(k + 32, LEAST_RANK, MOST_RANK))
        most = EXACT_CANDIDATES if self.has_candidates else 0
        if len(everyone) <= max(c, most):  # nothing to shorten
            return np.concatenate([self.keep, np.setdiff1d(everyone, self.keep)])
        surrogate = Surrogate(
            self.source, self.target, rank, PROJECTIONS, self.rng, ridge=self.ridge
        )
        self.surrogate = surrogate
        self.diag_F = surrogate.F
        most = min(2 * k, len(everyone))
        chosen = surrogate.greedy(most, self.alive, self.keep, self.cost, self.budget)
        price = self._surrogate_prices(chosen[:k])
        wide = np.concatenate([chosen, self._best(price, SURROGATE_CANDIDATES, chosen)])
        wide = self._distinct(wide)
        searched = self._surrogate_search(wide, chosen, k)
        price = self._surrogate_prices(searched)
        first = np.concatenate([self.keep, np.setdiff1d(searched, self.keep)])
        more = chosen[:k][~np.isin(chosen[:k], first)]
        C = self._distinct(np.concatenate([first, more]))
        while len(C) < c:
            extra = self._best(price, 2 * (c - len(C)), C)
            if not len(extra):
                break
            price[extra] = -np.inf
            C = self._distinct(np.concatenate([C, extra]))
        return C[: max(c, len(first))]

    def _shortlist_size(self, k: int) -> int:
        m, n = self.source.n_samples, self.source.n_columns
        size = n if n <= 2 * SHORTLIST else SHORTLIST
        in_memory = int(np.sqrt(memory_limit() / PAIR_BYTES))
        return max(3 * k + 200, min(size, in_memory, int(SHORTLIST_PRODUCTS // (m * n))))

    def _distinct(self, order: Indices) -> Indices:
        """Without duplicates of earlier columns; those to be kept stay."""
        if self.surrogate is None:
            return order
        distinct = self.surrogate.distinct(order)
        lost = np.setdiff1d(self.keep, distinct)
        return np.concatenate([lost, distinct]) if np.isin(self.keep, order).all() else distinct

    def _surrogate_prices(self, S: Indices) -> Array:
        assert self.surrogate is not None
        G_S, F_S = self.surrogate.columns_of(S)
        price, _ = prices(G_S, F_S, S, self.diag_G, self.surrogate.F, self._fixed(S))
        return np.where(self.alive, price, -np.inf)

    def _fixed(self, S: Indices) -> int:
        """How many of the first columns of S must stay; none need where it is not asked."""
        count = len(self.keep)
        return count if np.array_equal(S[:count], self.keep) and count < len(S) else 0

    def _surrogate_search(self, wide: Indices, chosen: Indices, k: int) -> Indices:
        """Local search among the columns `wide` on the surrogate."""
        assert self.surrogate is not None
        pair = self.surrogate.pair(wide, self.cost, self.budget)
        places = {int(j): i for i, j in enumerate(wide)}
        swaps = SwapProblem(pair)
        start = np.array([places[int(j)] for j in chosen[:k] if int(j) in places], np.intp)
        start = swaps.independent(start, len(start))
        if not len(start):
            return chosen[:k]
        T = swaps.tables(start)
        if k > FULL_SEARCH:
            T, _ = swaps.improved(T, max_visits=k)
            return wide[T.S]
        T, _ = swaps.improved(T)
        rng_state = self.rng.randint(0, 2**64, size=4, dtype=np.uint64)
        for _ in range(KICKS):
            other, _ = swaps.searched(T, rng_state=rng_state, n_kicks=min(len(T.S), 5))
            if other.f[0] < T.f[0] - self.min_drop:
                T = swaps.tables(other.S)
        return wide[T.S]

    def _best(self, price: Array, count: int, without: Indices) -> Indices:
        """The best `count` columns by price that are not in `without`."""
        price = price.copy()
        price[without] = -np.inf
        order = np.argsort(-price, kind="stable")[: max(count, 0)]
        return order[price[order] > -np.inf]

    # --- the exact pair ----------------------------------------------------------------------

    def _shortlist(self, C: Indices, G: Array | None = None) -> Shortlist:
        G = self.source.columns(C) if G is None else G
        rows = self.target.scaled(G).T if self.target.rows is None else self.target.rows[C]
        pair_G = (G[C] + G[C].T) / 2
        pair_G[np.diag_indices_from(pair_G)] += self.ridge
        pair = PairProblem(
            pair_G,
            rows @ rows.T,  # at once: its rows, one by one, take longer
            self.target.tau,
            rows=np.ascontiguousarray(rows),
            cost=None if self.cost is None else self.cost[C],
            budget=self.budget,
        )
        return Shortlist(C, G, pair)

    def _extended(self, new: Indices) -> Shortlist:
        old = self.shortlist
        C = np.concatenate([old.C, new])
        return self._shortlist(C, np.hstack([old.G, self.source.columns(new)]))

    def _select(self, select: Callable[[PairProblem, Indices], Selected]) -> Selected:
        C = self.shortlist.C
        place = {int(j): i for i, j in enumerate(C)}
        keep = np.array([place[int(j)] for j in self.keep], dtype=np.intp)
        selected = select(self.shortlist.pair, keep)
        return selected._replace(
            path={size: C[S] for size, S in selected.path.items()},
            others=tuple(C[S] for S in selected.others),
        )

    def local(self, S: Indices) -> Indices:
        """Positions of columns of the table on the shortlist."""
        order = np.argsort(self.shortlist.C)
        return order[np.searchsorted(self.shortlist.C, S, sorter=order)]

    def error(self, S: Indices) -> float:
        """``f(S)``, S on the shortlist."""
        return self.shortlist.pair.error(self.local(S))

    def _better(self, old: Path, new: Path) -> Path:
        """The better subset of each size."""
        path = dict(new)
        for size, S in old.items():
            if size not in path or self.error(S) < self.error(path[size]) - self.min_drop:
                path[size] = S
        return {size: path[size] for size in sorted(path)}

    # --- pricing -----------------------------------------------------------------------------

    def _improving(self, path: Path, k: int) -> Indices:
        """Columns outside the shortlist to add to it; sets `outside_gain`."""
        C = self.shortlist.C
        outside = self.alive.copy()
        outside[C] = False
        self.outside_gain = -np.inf
        reached = max((size for size in path if size <= k), default=0)
        if not outside.any():
            return np.empty(0, np.intp)
        if not reached:
            return np.flatnonzero(outside)[: max(100, k)]
        S = path[reached]
        S = np.concatenate([self.keep, S[~np.isin(S, self.keep)]])
        G_S = self.shortlist.G[:, self.local(S)].T
        if reached < k:
            return self._independent_of(S, G_S, outside, k)
        if len(self.keep) == len(S):
            return np.empty(0, np.intp)
        price, loss = self._prices(S, G_S)
        price[~outside] = -np.inf
        if self.cost is not None:
            spare = self.budget - self.cost[S].sum() + self.cost[S[len(self.keep) :]].max()
            price[self.cost > spare] = -np.inf
        self.outside_gain = float(price.max())
        if not self.outside_gain > self.min_drop:
            return np.empty(0, np.intp)
        new = self._best(price, max(100, k), C)
        new = new[price[new] > NEAR * np.median(loss)]
        if self.surrogate is None:
            return new
        distinct = self.surrogate.distinct(np.concatenate([C, new]))
        return new[np.isin(new, distinct)]

    def _prices(self, S: Indices, G_S: Array) -> tuple[Array, Array]:
        precise = self.settings.certify
        if self.target.rows is not None:
            F_S = self.target.rows[S] @ self.target.rows.T
            diag_F = np.einsum("ij,ij->i", self.target.rows, self.target.rows)
        else:
            weight = 1.0 if self.target.weight is None else self.target.weight
            F_S = self.source.apply((G_S * weight).T, precise=precise).T
            diag_F = self._diagonal_F(precise)
            diag_F[self.shortlist.C] = self.shortlist.pair.diag_F
        k = len(S)
        G_S = G_S.copy()
        G_S[np.arange(k), S] += self.ridge
        return prices(G_S, F_S, S, self.diag_G, diag_F, len(self.keep))

    def _diagonal_F(self, exact: bool) -> Array:
        """Diagonal of F: estimated by the surrogate, or exact, in slabs of columns of G."""
        if self.diag_F is None or (exact and self.surrogate is not None):
            diagonal = np.zeros(self.source.n_columns)
            outside = self.alive.copy()
            outside[self.shortlist.C] = False
            everyone = np.flatnonzero(outside)
            for first in range(0, len(everyone), SLAB):
                C = everyone[first : first + SLAB]
                H = self.target.scaled(self.source.columns(C))
                diagonal[C] = np.einsum("ij,ij->j", H, H)
            self.diag_F, self.surrogate = diagonal, None
        return self.diag_F.copy()

    def _independent_of(
        self, S: Indices, G_S: Array, outside: NDArray[np.bool_], k: int
    ) -> Indices:
        """Columns outside with the largest residuals, where the shortlist's rank is too small."""
        A = G_S[:, S].copy()
        A[np.diag_indices_from(A)] += self.ridge
        r = self.diag_G - np.einsum("ij,ij->j", G_S, np.linalg.solve(A, G_S))
        r = np.where(outside & (r > np.sqrt(PIVOT_RTOL) * self.diag_G), r, 0.0)
        order = np.argsort(-r, kind="stable")[: max(100, k)]
        return order[r[order] > 0]

    # --- bounds ------------------------------------------------------------------------------

    def svd_errors(self, k: int) -> Array:
        """``||T - T_i||^2`` of the best rank-i approximations, i = 0..k; NaN where not converged.

        Block Krylov: Ritz values lie below the eigenvalues, so their sums are trusted only where
        another pass does not change the tail by more than `SVD_RTOL`.
        """
        tau = self.target.tau
        sums, converged = self._ritz_sums(k)
        tails = np.maximum(tau - sums, 0.0)
        return np.where(converged, tails, np.nan)

    def _ritz_sums(self, k: int) -> tuple[Array, NDArray[np.bool_]]:
        source, target = self.source, self.target
        n = source.n_columns
        C, G, _ = self.shortlist
        if not self.has_candidates and len(C) == np.count_nonzero(self.alive):  # G is known
            root = np.ones(n) if target.weight is None else np.sqrt(target.weight)
            return _sums(G[C] * np.outer(root[C], root[C]), k), np.ones(k + 1, dtype=bool)
        width = min(n, k + 32)
        if self.surrogate is not None and self.surrogate.Q.shape[1] >= width:
            Q, Z = self.surrogate.Q, target.scaled(self.surrogate.Z)
        else:
            Q = np.linalg.qr(self.rng.standard_normal((n, width)))[0]
            Z = target.scaled(source.apply(target.scaled(Q)))
        basis, image = Q, Z
        old = _leading_sums(basis, image, k)
        for _ in range(SVD_PASSES):
            if basis.shape[1] >= n:
                return old, np.ones(k + 1, dtype=bool)
            block = Z - basis @ (basis.T @ Z)
            block -= basis @ (basis.T @ block)
            U, size, _ = np.linalg.svd(block, full_matrices=False)
            floor = RITZ_FLOOR * float(np.linalg.norm(image))
            U = U[:, np.flatnonzero(size > floor)[:width]]
            if not U.shape[1]:
                return old, np.ones(k + 1, dtype=bool)
            Z = target.scaled(source.apply(target.scaled(U)))
            basis, image = np.hstack([basis, U]), np.hstack([image, Z])
            new = _leading_sums(basis, image, k)
            tail = np.maximum(target.tau - new, 0.0)
            converged = new - old <= SVD_RTOL * tail
            old = new
            if converged.all():
                break
        return old, converged


def _leading_sums(basis: Array, image: Array, k: int) -> Array:
    """Sums of the 0..k largest Ritz values."""
    return _sums(basis.T @ image, k)


def _sums(T: Array, k: int) -> Array:
    """Sums of the 0..k largest eigenvalues of a matrix that is symmetric up to rounding."""
    values = np.linalg.eigvalsh((T + T.T) / 2)[::-1][:k]
    values = np.concatenate([np.maximum(values, 0.0), np.zeros(k - len(values))])
    return np.concatenate([[0.0], np.cumsum(values)])
