"""Forward selection of columns: each lowers the error of a pair problem most.

``f(S) = tau - tr(G_SS^-1 F_SS)`` for symmetric ``G`` and ``F``, read one row at a time, so that
neither need exist. With ``G = A'A`` and ``F = (T'A)'(T'A)`` it is ``||T - P_S T||^2``, P_S the
projector on the columns A_S; the head of ``columns/_pair.py`` has the whole problem.

Three forward selections do not minimize this f and have their own loop: `forward_rows` goes on from
the gradient of a ridge regression, of whose Gram matrix it reads rows in batches;
`AlignedColumns` maximizes a ratio; `MixedColumns` takes whole blocks of columns, corrected for
chance. ``columns/_surrogate.py`` selects by this f, of a Gram matrix of low rank plus a diagonal,
where a column then costs the same however many are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._typing import Array, Indices

#: A column may join a subset only if its residual is more than this part of its squared norm.
PIVOT_RTOL = 1e-10
#: Gains closer than this part of the largest are equal: the smaller index wins.
TIE_RTOL = 1e-12
#: Rows of B and E that are allocated at first.
_FIRST_ROWS = 8


class PairRows(Protocol):
    """A pair problem whose matrices are read one row at a time."""

    target_norm2: float
    floor: Array  # a column joins only if its residual is above
    cost: Array | None
    budget: float

    @property
    def n_columns(self) -> int: ...

    @property
    def diag_G(self) -> Array: ...

    @property
    def diag_F(self) -> Array: ...

    def row_G(self, j: int) -> Array: ...

    def row_F(self, j: int) -> Array: ...


class GramRows:
    """The table itself as target, ``F = G W G``, seen through its Gram matrix.

    Parameters
    ----------
    G : ndarray of shape (n, n)
    weight : ndarray of shape (n,), optional
        Weight >= 0 of each column's residual; 1 when None.
    """

    cost: Array | None = None
    budget = np.inf

    def __init__(self, G: Array, weight: Array | None = None) -> None:
        self.G, self.weight = G, weight
        self.n_columns = len(G)
        self.diag_G = np.diagonal(G)
        self.floor = PIVOT_RTOL * self.diag_G
        self.target_norm2 = float(self._weighted(self.diag_G).sum())
        self.diag_F = np.einsum("ij,ij->i", self._weighted(G), G)

    def row_G(self, j: int) -> Array:
        row: Array = self.G[j]
        return row

    def row_F(self, j: int) -> Array:
        return self.G @ self._weighted(self.G[j])

    def _weighted(self, rows: Array) -> Array:
        return rows if self.weight is None else rows * self.weight


class ThinRows:
    """The table itself as target where it has few rows: O(m n) memory and O(m n) a column.

    Parameters
    ----------
    A : ndarray of shape (m, n)
    weight : ndarray of shape (n,), optional
        Weight >= 0 of each column's residual; 1 when None.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> greedy(ThinRows(A), 2, np.ones(3, dtype=bool))[0]
    array([2, 0])
    """

    cost: Array | None = None
    budget = np.inf

    def __init__(self, A: Array, weight: Array | None = None) -> None:
        self.A, self.weight = A, weight
        self.n_columns = A.shape[1]
        self.diag_G = np.einsum("ij,ij->j", A, A)
        self.floor = PIVOT_RTOL * self.diag_G
        self.target_norm2 = float(self._weighted(self.diag_G).sum())
        self.K = self._weighted(A) @ A.T
        self.diag_F = np.einsum("ij,ij->j", A, self.K @ A)

    def row_G(self, j: int) -> Array:
        return self.A[:, j] @ self.A

    def row_F(self, j: int) -> Array:
        return (self.K @ self.A[:, j]) @ self.A

    def _weighted(self, rows: Array) -> Array:
        return rows if self.weight is None else rows * self.weight


class Step(NamedTuple):
    """A column, and what it lowers f by."""

    column: int
    gained: float


def forward(
    pair: PairRows, alive: NDArray[np.bool_], start: Sequence[int] | Indices = ()
) -> Iterator[Step]:
    """Add columns of `alive` (modified), each the one that lowers f most, while there are any.

    Where the columns have costs: the one that lowers f most per cost, of those that the budget
    still allows. Ties go to the smaller index. The columns `start` come first, in this order.

    Parameters
    ----------
    pair : PairRows
    alive : ndarray of bool of shape (c,)
    start : sequence of int

    Yields
    ------
    Step

    Notes
    -----
    Cost O(c i) for column i, and that of a row of G and of F.
    """
    r, N = pair.diag_G.copy(), pair.diag_F.copy()
    forced = iter(start)
    B, E = np.empty((2, _FIRST_ROWS, pair.n_columns))
    spare, i = pair.budget, 0
    while True:
        alive &= r > pair.floor
        if pair.cost is not None:
            alive &= pair.cost <= spare
        if not alive.any():
            return
        j = next(forced, None)
        if j is None:
            gain = np.divide(N, r, out=np.full(len(r), -np.inf), where=alive)
            j = _first_best(gain if pair.cost is None else _per_cost(gain, pair.cost))
        root = np.sqrt(r[j])
        b = (pair.row_G(j) - B[:i, j] @ B[:i]) / root
        w = (pair.row_F(j) - B[:i, j] @ E[:i] - E[:i, j] @ B[:i]) / root
        gained = max(w[j] / root, 0.0)  # N_j / r_j, afresh
        e = w - b * (gained / 2)
        if i == len(B):
            B, E = (np.concatenate([rows, np.empty_like(rows)]) for rows in (B, E))
        B[i], E[i] = b, e
        r -= b * b
        N = np.maximum(N - 2 * b * e, 0.0)
        alive[j] = False
        spare -= 0.0 if pair.cost is None else pair.cost[j]
        i += 1
        yield Step(int(j), float(gained))


def greedy(
    pair: PairRows, k: int, alive: NDArray[np.bool_], start: Sequence[int] | Indices = ()
) -> tuple[Indices, Array]:
    """Up to `k` columns by `forward`, and the error of each prefix.

    Parameters
    ----------
    pair : PairRows
    k : int
    alive : ndarray of bool of shape (c,)
        Modified.
    start : sequence of int

    Returns
    -------
    order : ndarray of shape (r,)
        r < k when the rest depend linearly on those before (to `PIVOT_RTOL`), or cost more than is
        left of the budget.
    errors : ndarray of shape (r + 1,)
        ``f`` of each prefix, the empty one included; never negative.
    """
    order: list[int] = []
    errors = [pair.target_norm2]
    for column, gained in islice(forward(pair, alive, start), k):
        order.append(column)
        errors.append(max(errors[-1] - gained, 0.0))
    return np.array(order, dtype=np.intp), np.array(errors)


def _first_best(gain: Array) -> int:
    """First index whose gain is the largest, to rounding."""
    largest = gain.max()
    return int(np.argmax(gain >= largest - TIE_RTOL * abs(largest)))


def _per_cost(gain: Array, cost: Array) -> Array:
    """Gain per cost; columns that cost nothing come first, by their gain."""
    tiny = np.finfo(float).tiny
    return np.where(gain > -np.inf, gain / np.maximum(cost, np.sqrt(tiny)), -np.inf)
