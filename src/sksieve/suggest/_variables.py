"""How many variables of a mixed table, where a text column is several columns and one variable.

Variables are taken one by one, each the one that explains most of what those before leave, beyond
what it explains by chance. What a variable explains of the *other* variables tells structure from
noise: a variable of pure noise explains itself and nothing else.

====== ========== ============================================================
here   code       meaning, shape
====== ========== ============================================================
Z      --         centered columns, those of a variable scaled to variance 1 in all, n x d
G      G          ``Z'Z / n``, d x d
b      block      columns of one variable
p      ranks      dimensions of the columns of a variable
S      chosen     chosen variables; q their dimensions
R      R          ``G - G_S G_SS^+ G_S'``, what S leaves, d x d
R_o    --         R without the rows and columns of b
====== ========== ============================================================

If b is independent of the others, it explains a sum of ``lambda_i chi2_p / (n - 1 - q)`` of them,
lambda_i the eigenvalues of R_o, which a scaled chi2 with the same mean ``p tr R_o / (n - 1 - q)``
and variance ``2 p ||R_o||_F^2 / (n - 1 - q)^2`` approximates (Satterthwaite).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from .._array import as_float
from .._typing import Array, Indices
from .._validation import check_table
from .._wording import counted
from ..exceptions import DataError
from ..metrics import HeldOut
from ..tables import constant_columns, refuse_extremes
from ._columns import SHARE, row_order_notes
from ._suggestion import Suggestion

#: Eigenvalues of a block below this part of a variable's variance count as zero.
TOLERANCE = 1e-10
#: A variable is taken where chance explains as much of the others with less than this probability,
#: over the number of variables, and where that is so much more than chance, as a part of one.
LEVEL, LEAST = 0.01, 0.05
#: The path of all variables is followed until it explains this share, on the rows of the fit.
LONGEST = 0.99


def suggest_n_variables(X: Any, groups: Any) -> Suggestion:
    """Suggest how many variables of a mixed table to keep, from the table alone.

    Forward selection of whole variables (`MixedColumns`) goes on while the next one explains more
    of the *other* variables than chance does, and at least 5 % of one, until the variables explain
    90 % of the table on rows not used.

    Parameters
    ----------
    X : {array-like, DataFrame} of shape (n_samples, n_features)
        Samples are rows; text as 0/1 columns. No missing values. At least 8 rows.
    groups : array-like of shape (n_features,)
        Variable that each column belongs to, as numbers or names.

    Returns
    -------
    Suggestion
        ``"guess"``, or ``"none"`` where no variable explains another. `shares`: what the first
        variables of forward selection explain of the table on rows not used. Evidence:

        * ``n_variables``: variables that vary;
        * ``explained``: share of the table that the suggested variables explain on rows not used.

    Raises
    ------
    DataError
        If X has fewer than 8 rows or fewer than 2 variables that vary, or values whose squares
        overflow or underflow.
    ValueError
        If X has missing or infinite values.

    Notes
    -----
    Cost O(n d^2 + k d^2) for d columns and k variables of the path.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.suggest import suggest_n_variables
    >>> rng = np.random.RandomState(0)
    >>> size, noise = rng.randn(100), rng.randint(3, size=100)
    >>> X = np.column_stack([size, size + 0.3 * rng.randn(100), size > 0, noise == 0, noise == 1])
    >>> suggest_n_variables(X, ["size", "weight", "is_large", "noise", "noise"])
    Suggestion(kind='guess', n=1, interval=None)
    """
    X = as_float(check_table(X, min_samples=2))
    refuse_extremes(X)
    _, blocks = blocks_of(groups)
    return count_variables(Blocks.of(X, blocks), X).suggestion


class Counted(NamedTuple):
    """A suggestion, and the variables of its `shares` in order."""

    suggestion: Suggestion
    path: list[int]

    def enough(self, number: str | float) -> list[int] | None:
        """Variables for ``"auto"`` or a share; None where the table has no answer."""
        suggestion = self.suggestion
        k = suggestion.n if isinstance(number, str) else suggestion.enough(number)
        return None if k is None else self.path[:k]


def count_variables(problem: Blocks, X: Array) -> Counted:
    """How many variables of a table to keep."""
    n, n_varying = len(X), int(problem.varies.sum())
    if n < 8 or n_varying < 2:
        raise DataError(
            f"X has {counted(n, 'row')} and {counted(n_varying, 'varying variable')}; at least 8 "
            "rows and 2 variables are needed to tell structure from noise."
        )
    path, related = problem.path(LONGEST)
    ends = np.cumsum([len(problem.blocks[b]) for b in path]) - 1
    columns = np.concatenate([problem.blocks[b] for b in path])
    along = HeldOut(X, groups=problem.group_of_columns).path(columns)[ends]
    shares = dict(enumerate(along.tolist(), 1))
    enough = next((k for k, share in shares.items() if share >= SHARE), len(path))
    k = min(related, enough)
    reached = shares[k] if k else 0.0
    suggestion = Suggestion(
        kind="guess" if k else "none",
        n=k or None,
        interval=None,
        sentence=_sentence(k, n_varying, reached),
        notes=row_order_notes(X),
        shares=shares if k else {},
        evidence={"n_variables": n_varying, "explained": reached},
    )
    return Counted(suggestion, path)


def _sentence(k: int, n_varying: int, reached: float) -> str:
    if not k:
        return "No structure: no variable explains more of the others than chance does."
    text = (
        f"{counted(k, 'variable')} of {n_varying} {'explains' if k == 1 else 'explain'} "
        f"{100 * reached:.0f} % of the table on rows not used"
    )
    if reached >= SHARE:
        return f"{text}. The number is a guess."
    return f"{text}; a further variable explains little besides itself. The number is a guess."


def blocks_of(groups: Any) -> tuple[list[Any], list[Indices]]:
    """The variables, in the order of their first columns, and the columns of each."""
    places: dict[Any, list[int]] = {}
    for j, group in enumerate(groups):
        places.setdefault(group.item() if hasattr(group, "item") else group, []).append(j)
    return list(places), [np.array(columns) for columns in places.values()]


class Gains(NamedTuple):
    """What each variable explains of what the chosen ones leave."""

    total: Array  # of all variables, corrected for chance
    of_others: Array  # of all but itself, corrected for chance
    chance: Array  # probability that a variable independent of the others explains as much

    @property
    def is_related(self) -> NDArray[np.bool_]:
        """Variables that explain more of the others than chance does."""
        return np.asarray((self.of_others >= LEAST) & (self.chance * len(self.chance) < LEVEL))


class Blocks:
    """The Gram matrix of variables that take one or several columns each."""

    def __init__(self, G: Array, blocks: list[Indices], n: int) -> None:
        self.G, self.blocks, self.n = G, blocks, n
        self.ranks = np.array([self.half(G, b).shape[1] for b in blocks])
        self.total = np.array([np.trace(G[np.ix_(b, b)]) for b in blocks])
        self.varies = self.total > 0
        self.group_of_columns = np.empty(len(G), dtype=np.intp)
        for b, block in enumerate(blocks):
            self.group_of_columns[block] = b

    @classmethod
    def of(cls, X: Array, blocks: list[Indices]) -> Self:
        """The variables of a table, each of variance 1 in all."""
        Z = X.astype(np.float64)
        Z -= Z.mean(axis=0)
        Z[:, constant_columns(X)] = 0.0
        for block in blocks:
            size = np.sqrt(np.sum(Z[:, block] ** 2) / len(Z))
            Z[:, block] /= size or 1.0
        return cls(Z.T @ Z / len(Z), blocks, len(Z))

    def residual(self, chosen: Iterable[int], R: Array | None = None) -> Array:
        """What the chosen variables leave of G, or of a residual R."""
        R = self.G if R is None else R
        for b in chosen:
            half = self.half(R, self.blocks[b])
            R = R - half @ half.T
        return R

    def half(self, R: Array, block: Indices) -> Array:
        """H with ``H H' = R_b R_bb^+ R_b'``."""
        values, vectors = np.linalg.eigh(R[np.ix_(block, block)])
        kept = values > TOLERANCE
        return R[:, block] @ (vectors[:, kept] / np.sqrt(values[kept]))

    def gains(self, R: Array, chosen: list[int]) -> Gains:
        """What each variable would explain of the residual R of `chosen`, corrected for chance."""
        n_free = self.n - 1 - int(self.ranks[chosen].sum())
        if n_free <= 0:
            nothing = np.zeros(len(self.blocks))
            return Gains(nothing, nothing, nothing + 1)
        trace, norms = float(np.trace(R)), np.einsum("ij,ij->j", R, R)
        own_trace = np.bincount(self.group_of_columns, np.diagonal(R))
        ranks, explained, own_norms = self._explained(R, norms)
        by_chance = ranks / n_free
        possible = by_chance < 1
        rest = np.divide(1.0, 1 - by_chance, out=np.zeros_like(by_chance), where=possible)
        of_others, others = explained - own_trace, trace - own_trace
        spread = norms.sum() - 2 * np.bincount(self.group_of_columns, norms) + own_norms
        testable = possible & (ranks > 0) & (spread > TOLERANCE)
        others, spread = np.where(testable, (others, spread), 1.0)
        chance = chdtrc(ranks * others**2 / spread, of_others * n_free * others / spread)
        return Gains(
            total=(explained - by_chance * trace) * rest,
            of_others=(of_others - by_chance * others) * rest,
            chance=np.where(testable, chance, 1.0),
        )

    def _explained(self, R: Array, norms: Array) -> tuple[Array, Array, Array]:
        """Dimensions of each variable, what it explains of R, squared norm of its part of R."""
        ranks, explained, own_norms = np.zeros((3, len(self.blocks)))
        diagonal = np.diagonal(R)
        for b, block in enumerate(self.blocks):
            if len(block) == 1:
                (j,) = block
                if diagonal[j] > TOLERANCE:
                    ranks[b], explained[b] = 1, norms[j] / diagonal[j]
                own_norms[b] = diagonal[j] ** 2
            else:
                half = self.half(R, block)
                ranks[b], explained[b] = half.shape[1], np.sum(half**2)
                own_norms[b] = np.sum(R[np.ix_(block, block)] ** 2)
        return ranks, explained, own_norms

    def forward(self) -> Iterator[tuple[int, bool]]:
        """Variables one by one, each with the largest gain; whether it is related to others."""
        chosen: list[int] = []
        R = self.G
        while len(chosen) < self.varies.sum():
            gains = self.gains(R, chosen)
            total = np.where(self.varies, gains.total, -np.inf)
            total[chosen] = -np.inf
            b = int(np.argmax(np.round(total, 12)))
            yield b, bool(gains.is_related[b])
            chosen.append(b)
            R = self.residual([b], R)

    def path(self, share: float) -> tuple[list[int], int]:
        """The variables that explain a share, in order, and how many before an unrelated one."""
        path: list[int] = []
        related: list[bool] = []
        for b, is_related in self.forward():
            path.append(b)
            related.append(is_related)
            if self.explained(path) >= share:
                break
        return path, [*related, False].index(False)

    def left(self, chosen: Iterable[int]) -> Array:
        """What the chosen variables leave of each variable."""
        R = self.residual(chosen)
        return np.array([max(np.trace(R[np.ix_(b, b)]), 0.0) for b in self.blocks])

    def explained(self, chosen: Iterable[int]) -> float:
        """Share of the variance of all variables that the chosen ones explain."""
        return float(1 - self.left(chosen).sum() / self.total.sum())
