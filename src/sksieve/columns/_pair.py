"""The pair problem: every column subset problem of the package, seen through two small matrices.

    ``f(S) = ||T - P_S T||^2 = tau - tr(G_SS^-1 F_SS)``,   ``G = A'A``,   ``F = (T'A)'(T'A)``

with ``P_S`` the projector on the columns ``A_S`` and ``tau = ||T||^2``. T is the target: A itself
in the plain problem (``F = G^2``). For subsets of c candidate columns the pair ``(G_CC, F_CC)`` and
tau give f exactly, whatever the numbers of rows, of columns, and of columns of T: nothing here has
another size than c, except the optional rows ``A_C'T`` from which f is evaluated most precisely.
"""

from __future__ import annotations

from functools import cached_property
from time import perf_counter
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpstrf, dtrtri

from .._typing import Array, Indices
from ..exceptions import DataError
from ..kernels._pair import INDEPENDENT, Products, Tables
from ..kernels._pair import independent as _independent
from ..solvers._forward import PIVOT_RTOL, greedy

#: What a method chooses: the best subset it found of each size.
Path = dict[int, Indices]


def prefixes(order: Indices) -> Path:
    """The path of a method that adds one column after the other."""
    return {size: order[:size] for size in range(1, len(order) + 1)}


class Coordinates(NamedTuple):
    """The columns S of a pair on an orthonormal basis Q of their span; see `PairProblem.on`."""

    L: Array  # G_SS = LL', (k, k)
    B: Array  # Q'A_C = L^-1 G_S:, (k, c)
    P: Array  # L^-1 F_S: = Q'TT'A_C, (k, c)
    K: Array  # Q'TT'Q, (k, k)


class PairProblem:
    """``f(S) = tau - tr(G_SS^-1 F_SS)`` over subsets S of c columns.

    Parameters
    ----------
    G : ndarray of shape (c, c)
        Symmetric positive semidefinite.
    F : ndarray of shape (c, c) or None
        The same, its range within that of G. None: ``rows rows'``, formed where it is needed.
    tau : float
        Error of the empty subset.
    rows : ndarray of shape (c, p), optional
        ``A'T``, so that ``F = rows rows'``; makes `error` precise where columns nearly depend on
        each other.
    norm2 : ndarray of shape (c,), optional
        Squared norms the pivot rule compares residuals with; default the diagonal of G.
    cost : ndarray of shape (c,), optional
        Cost of each column, >= 0.
    budget : float, optional
        Most that a subset may cost; needs `cost`.

    Attributes
    ----------
    floor : ndarray of shape (c,)
        A column may join a subset only if its residual is above.

    Examples
    --------
    >>> import numpy as np
    >>> A, T = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[3.0], [4.0]])
    >>> rows = A.T @ T
    >>> pair = PairProblem(A.T @ A, rows @ rows.T, tau=25.0, rows=rows)
    >>> pair.error(np.array([0])), pair.error(np.array([1]))
    (16.0, 9.0)
    """

    def __init__(
        self,
        G: Array,
        F: Array | None,
        tau: float,
        *,
        rows: Array | None = None,
        norm2: Array | None = None,
        cost: Array | None = None,
        budget: float = np.inf,
    ) -> None:
        self.G = np.ascontiguousarray(G)
        if F is not None:
            self.__dict__["F"] = np.ascontiguousarray(F)
        self.target_norm2 = float(tau)
        self.rows = rows
        self.norm2 = np.diagonal(self.G).copy() if norm2 is None else norm2
        self.floor = PIVOT_RTOL * self.norm2
        self.cost = cost
        self.budget = float(budget)

    #: When the fit began, by `time.perf_counter`; None where nothing counts seconds.
    started: float | None = None

    def seconds_left(self, time_budget: float | None) -> float | None:
        """What is left of a budget in seconds that counts from the beginning of the fit."""
        if time_budget is None or self.started is None:
            return time_budget
        return max(self.started + time_budget - perf_counter(), 0.0)

    @property
    def n_columns(self) -> int:
        return self.G.shape[0]

    @cached_property
    def F(self) -> Array:
        """``(T'A)'(T'A)``."""
        return self.target_rows @ self.target_rows.T

    @property
    def diag_G(self) -> Array:
        """Diagonal of G."""
        return np.diagonal(self.G)

    def row_G(self, j: int) -> Array:
        """Row j of G."""
        row: Array = self.G[j]
        return row

    @property
    def diag_F(self) -> Array:
        """Diagonal of F, which need not be formed for it."""
        if "F" in self.__dict__ or self.rows is None:
            return np.diagonal(self.F)
        return np.einsum("ij,ij->i", self.rows, self.rows)

    def row_F(self, j: int) -> Array:
        """Row j of F, which need not be formed for it."""
        if "F" in self.__dict__ or self.rows is None:
            row: Array = self.F[j]
            return row
        return self.rows @ self.rows[j]

    def gram(self, S: Indices) -> Array:
        """Rows and columns S of G."""
        small: Array = self.G[S[:, None], S]
        return small

    def rows_G(self, S: Indices) -> Array:
        """Rows S of G."""
        rows: Array = self.G[S]
        return rows

    def rows_F(self, S: Indices) -> Array:
        """Rows S of F."""
        rows: Array = self.F[S]
        return rows

    @property
    def products(self) -> Products:
        """What the kernels of swaps read the pair from."""
        return Products(self.G, self.F, from_rows=False)

    @property
    def n_row_products(self) -> int:
        """Rows that `products` come from; 0 where G and F are there."""
        return 0

    @cached_property
    def column_scales(self) -> tuple[Array, Array, Array]:
        """Of `Tables`: lengths of the columns and of their rows ``A'T``, and costs."""
        cost = np.zeros(self.n_columns) if self.cost is None else self.cost
        return np.sqrt(self.diag_G), np.sqrt(np.maximum(self.diag_F, 0.0)), cost

    @cached_property
    def target_rows(self) -> Array:
        """``A'T`` up to a rotation: ``F = target_rows target_rows'``."""
        if self.rows is not None:
            return self.rows
        C, X = self.factor
        values, U = np.linalg.eigh(X)
        return C.T @ (U * np.sqrt(np.maximum(values, 0.0)))

    def independent(self, order: Indices, k: int) -> Indices:
        """The first `k` columns of `order` that do not depend on those before; O(k^2) a column.

        The kernel is compiled and called where one of the first k depends on those before it.
        """
        k = min(k, self.n_columns)
        if self.cost is not None:
            order = self._affordable(order)
        order = np.asarray(order, dtype=np.intp)
        if not self._may_depend(order[:k]):
            return order[:k].copy()
        S = np.empty(k, np.intp)
        return S[: _independent(self.G, order, self.floor, S, np.zeros((k, k)), np.empty(k))]

    def _affordable(self, order: Indices) -> Indices:
        """Columns of `order`, one after the other, as far as the budget allows."""
        spare, kept = self.budget, []
        for j in order:
            if self.cost is not None and self.cost[j] <= spare:
                spare -= self.cost[j]
                kept.append(j)
        return np.array(kept, dtype=np.intp)

    def greedy_order(self, candidates: Indices, k: int) -> tuple[Indices, Array]:
        """Order `candidates` by what each adds to those before it.

        Parameters
        ----------
        candidates : ndarray of int
            Columns to choose from.
        k : int
            How many to order at most.

        Returns
        -------
        order : ndarray of shape (r,)
            r < k when the rest depend linearly on those before (to `PIVOT_RTOL`), or cost more than
            is left of the budget.
        errors : ndarray of shape (r + 1,)
            ``f`` of each prefix, the empty one included; never negative.

        Notes
        -----
        Cost O(c r) a step, and that of a row of F.
        """
        alive = np.zeros(self.n_columns, dtype=bool)
        alive[candidates] = True
        order, errors = greedy(self, k, alive)
        if not self._may_depend(order):
            return order, errors
        # at the rank all gains are equal, and tiny pivots let rounding pass for residuals
        kept = np.isin(order, self.independent(order, len(order)))
        return order[kept], errors[np.append(True, kept)]

    def _may_depend(self, S: Indices) -> bool:
        """Does a column of S fail the test of `independent`, by the inverse of a Cholesky factor?

        Most often none does, and no kernel is compiled to find that out. O(k^3).
        """
        if not len(S):
            return False
        L, failed = dpotrf(self.gram(S).T, lower=1, clean=1, overwrite_a=1)
        if failed:
            return True
        pivots, lengths = np.diagonal(L) ** 2, np.sqrt(self.diag_G[S])
        inverse, _ = dtrtri(L, lower=1, overwrite_c=1)
        np.abs(inverse, out=inverse)
        size = inverse @ lengths / np.diagonal(inverse) - lengths
        return bool((pivots <= np.maximum(self.floor[S], INDEPENDENT * size**2)).any())

    def on(self, S: Indices) -> Coordinates:
        """The pair seen from linearly independent columns S; O(k^2 c)."""
        G_S = self.rows_G(S)
        L = _cholesky(np.ascontiguousarray(G_S[:, S]))
        B, P = _solved(L, G_S), _solved(L, self.rows_F(S))
        return Coordinates(L, B, P, self._middle(L, S, P, B))

    def _middle(self, L: Array, S: Indices, P: Array, B: Array) -> Array:
        """``Q'TT'Q``."""
        if self.rows is None:
            K = solve_triangular(L, P[:, S].T, lower=True, check_finite=False)
            return (K + K.T) / 2
        E = solve_triangular(L, self.rows[S], lower=True, check_finite=False)
        return E @ E.T

    def gains(self, order: Indices) -> Array:
        """What each column of `order` takes off f beside those before it; O(k^2 p)."""
        L = cholesky(self.G[np.ix_(order, order)], lower=True, check_finite=False)
        if self.rows is not None:
            E = solve_triangular(L, self.rows[order], lower=True, check_finite=False)
            return np.einsum("ij,ij->i", E, E)
        M = solve_triangular(L, self.F[np.ix_(order, order)], lower=True, check_finite=False)
        return np.diagonal(solve_triangular(L, M.T, lower=True, check_finite=False))

    def prefix_errors(self, order: Indices) -> Array:
        """``f`` of each prefix of `order` but the empty one, from one factorization."""
        return np.maximum(self.target_norm2 - np.cumsum(self.gains(order)), 0.0)

    def error(self, S: Indices) -> float:
        """``f(S)``, recomputed from scratch."""
        S = np.asarray(S, dtype=np.intp)
        return float(self.prefix_errors(S)[-1]) if len(S) else self.target_norm2

    def error_on(self, at: Coordinates, r: Array) -> float:
        """``f`` of the columns of `at`, whose residuals are r."""
        return max(self.target_norm2 - float(np.trace(at.K)), 0.0)

    @cached_property
    def factor(self) -> tuple[Array, Array]:
        """``C`` (r, c) and ``X`` (r, r): ``C'C = G`` and ``C'XC = F``; r is the numerical rank."""
        C, p = self.cholesky()
        X = self.F[np.ix_(p, p)]
        for _ in range(2):
            X = solve_triangular(C[:, p], X, trans=1, check_finite=False).T
        return C, (X + X.T) / 2

    def cholesky(self) -> tuple[Array, Indices]:
        """``C`` (r, c) with ``C'C = G`` to rounding, and r pivots, on which it is triangular.

        Pivoted Cholesky of ``G_ij / sqrt(G_ii G_jj)``, so that columns of small norm are not lost
        beside large ones.
        """
        norm = np.sqrt(np.diagonal(self.G))
        unit = np.where(norm > 0, norm, 1.0)
        c = self.n_columns
        U, pivots, rank, _ = dpstrf(self.G / np.outer(unit, unit), tol=c * np.finfo(float).eps)
        C = np.empty((rank, c))
        C[:, pivots - 1] = np.triu(U)[:rank]
        return C * norm, pivots[:rank] - 1

    def leading_eigenvalues(self, k: int) -> Array:
        """The k largest eigenvalues of ``P T T' P``, P the projector on all columns; descending."""
        values = np.linalg.eigvalsh(self.factor[1])[::-1][:k]
        return np.concatenate([np.maximum(values, 0.0), np.zeros(k - len(values))])

    def leading_eigenpairs(self, k: int) -> tuple[Array, Array]:
        """The k largest eigenvalues of ``P T T' P`` and the coordinates of all columns on them.

        Returns
        -------
        values : ndarray of shape (r,)
            Descending; those within rounding of zero are left out, r <= k.
        V : ndarray of shape (c, r)
            ``A'U diag(values)^-1/2`` for the eigenvectors U: the right singular vectors of A where
            the target is A.
        """
        C, X = self.factor
        values, U = np.linalg.eigh(X)
        values, U = values[::-1][:k], U[:, ::-1][:, :k]
        kept = values > self.n_columns * np.finfo(float).eps * values.max(initial=0.0)
        values, U = values[kept], U[:, kept]
        return values, C.T @ U / np.sqrt(values)

    def svd_errors(self, k: int) -> Array:
        """Lower bounds: no i columns have a smaller error, i = 0..k."""
        tails = self.target_norm2 - np.concatenate([[0.0], np.cumsum(self.leading_eigenvalues(k))])
        return np.maximum(tails, 0.0)


def _cholesky(M: Array) -> Array:
    """The lower Cholesky factor of a symmetric matrix, in its place."""
    upper, info = dpotrf(M.T, lower=0, overwrite_a=1)
    if info:
        raise np.linalg.LinAlgError("The columns depend linearly on each other.")
    L: Array = upper.T
    return L


def _solved(L: Array, M: Array, *, transposed: bool = False) -> Array:
    """``L^-1 M`` or ``L'^-1 M`` in the place of the array M, whose rows must be contiguous."""
    if not M.size:
        return M
    out: Array = dtrsm(1.0, L.T, M.T, side=1, trans_a=int(transposed), overwrite_b=1).T
    return out


def tables(pair: PairProblem, S: Indices) -> Tables:
    """The tables of linearly independent columns S, from scratch; O(k^2 c).

    With ``Q`` an orthonormal basis, ``B = Q'A``, ``P = Q'TT'A`` and ``K = Q'TT'Q``: the residual
    pair is ``G - B'B`` and ``F - B'P - (P - KB)'B``.
    """
    at = pair.on(S)
    k = len(S)
    rest = at.P - at.K @ at.B
    r = pair.diag_G - np.einsum("ij,ij->j", at.B, at.B)
    N = pair.diag_F - np.einsum("ij,ij->j", at.B, at.P + rest)
    r[S] = N[S] = 0.0
    inverse = _solved(at.L, np.eye(k), transposed=True)
    V, Y = _solved(at.L, at.B, transposed=True), _solved(at.L, rest, transposed=True)
    V[:, S], Y[:, S] = np.eye(k), 0.0
    bar = pair.floor.copy()
    bar[S] = np.inf
    d, e, cost = pair.column_scales
    spare = 0.0 if pair.cost is None else pair.budget - cost[S].sum()
    return Tables(
        S=np.array(S, dtype=np.intp),
        H=inverse @ inverse.T,
        K=inverse @ at.K @ inverse.T,
        V=V,
        Y=Y,
        r=np.maximum(r, 0.0),
        N=np.maximum(N, 0.0),
        f=np.array([pair.error_on(at, r)]),
        bar=bar,
        spare=np.array([spare]),
        floor=pair.floor,
        d=d,
        e=e,
        cost=cost,
    )


def without(pair: PairProblem, S: Indices) -> PairProblem:
    """The pair that is left when the columns S are chosen for good.

    Its error of a set is that of the set with S added. Columns that depend on S become zero.

    Parameters
    ----------
    pair : PairProblem
    S : ndarray of shape (k,)
        Linearly independent columns.

    Returns
    -------
    PairProblem
        On all c columns, those of S zero.
    """
    at = pair.on(S)
    G = pair.G - at.B.T @ at.B
    rest = at.P - at.K @ at.B
    F = pair.F - at.B.T @ at.P - rest.T @ at.B
    gone = np.diagonal(G) <= pair.floor
    gone[S] = True
    rows = None
    if pair.rows is not None:
        E = solve_triangular(at.L, pair.rows[S], lower=True, check_finite=False)
        rows = pair.rows - at.B.T @ E
        rows[gone] = 0.0
    for M in (G, F):
        M[gone], M[:, gone] = 0.0, 0.0
    rest_of = PairProblem(
        (G + G.T) / 2,
        (F + F.T) / 2,
        pair.error_on(at, np.maximum(np.diagonal(G), 0.0)),
        rows=rows,
        norm2=pair.norm2,
        cost=pair.cost,
        budget=pair.budget - (0.0 if pair.cost is None else float(pair.cost[S].sum())),
    )
    rest_of.started = pair.started
    return rest_of


def require_independent(pair: PairProblem, keep: Indices) -> None:
    """Refuse columns to be kept that depend on each other."""
    if len(pair.independent(keep, len(keep))) < len(keep):
        raise DataError(
            "keep names columns that depend linearly on each other, or are constant or zero; leave "
            "out those that add nothing."
        )
