"""How many columns? Dimensions above the noise, and what a method's own columns carry of them.

Two layers. `dimensions` counts the shared dimensions that stand above the noise of the table: it
depends on neither a method nor a limit. `Suggestion.enough` is the smallest number of columns, of
the method's own path, that carry a given share of what all columns carry about these dimensions.

====== ============ ===========================================================================
here   code         meaning, shape
====== ============ ===========================================================================
L      loadings     estimated loadings of the columns on the dimensions, d x r
psi    noise        estimated noise variance of each column, (d,)
M      M            ``L'L``, r x r
P      P            covariance of the dimensions given the columns chosen so far, r x r
====== ============ ===========================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._array import dense
from .._typing import Array, Indices
from .._validation import Interval, StrOptions, check_random_state, check_table
from ..exceptions import DataError
from ..tables import constant_columns, refuse_extremes
from ._noise import Calibration, Spectrum, calibrate, count_dimensions
from ._standard_rows import ENTRIES, Half, StandardRows
from ._suggestion import Kind, Suggestion

Path = Mapping[int, Indices]

#: What `n_features_to_select` may be where the table can say it.
NUMBER = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="neither"),
    StrOptions({"auto"}),
    None,
]
#: Random splits of the rows into halves.
SPLITS = 3
#: Sign-flipped tables: at no dimension, at each other point; the same for halves.
FLIPS, HALF_FLIPS = (39, 19), (19, 9)
#: A count is sharp where the halves agree within this part of it ...
TOLERANCE = 0.15
#: ... and its last dimension has so many times the variance of the next.
GAP = 1.2
#: The share for which `k` stands where no count is sharp, and those always reported.
SHARE = 0.9
#: The path of the whole table is followed to this share.
LONGEST = 0.95
#: Median correlation of consecutive rows above which they are reported to be in order.
SERIAL = 0.8


def suggest_n_columns(
    X: Any,
    path: Mapping[int, Any] | Sequence[int] | Indices | None = None,
    *,
    max_k: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Suggestion:
    """Suggest a number of columns to keep, from the table alone.

    Counts the dimensions that several columns share and that stand above noise, checks the count on
    halves of the rows, and measures how much of these dimensions the columns of a selection carry.
    Columns are standardized.

    Parameters
    ----------
    X : {array-like, DataFrame, sparse} of shape (n_samples, n_features)
        Samples are rows; their order must not matter. No missing values. At least 8 distinct rows.
    path : sequence of int, or dict of int -> sequence of int, optional
        What a method selects: its ranking (``ranking_`` of a nested selector), or its subset of
        each size (``path_``). By default forward selection.
    max_k : int, optional
        No more columns than this are suggested. The suggestion is the same for every `max_k` that
        is not below it. By default as many as `path` has.
    random_state : int, RandomState or None, default=None
        For the splits of the rows and the random signs.

    Returns
    -------
    Suggestion
        ``"count"``: `n` shared dimensions, a sharp number. ``"share"``: `n` columns carry 90 % of
        what all columns carry about the dimensions. ``"none"``: the columns share no structure.
        ``"beyond"``: `max_k` columns, or those of the path, are too few; `n` is that many. The
        interval is where `n` lies, from halves of the rows. Evidence:

        * ``dimensions``: shared dimensions above the noise of the table;
        * ``dimensions_interval``: half of the rows show the smaller number, twice the rows would
          show about the larger one;
        * ``half_dimensions``: dimensions in each of the six halves;
        * ``gap``: how many times weaker the next dimension is than the last one counted;
        * ``explainable``: share of the variance of all columns that the dimensions hold;
        * ``unexplained``: share of that variance that `n` columns of the path leave in the rows of
          X, to which they are fitted, or None.

    Raises
    ------
    DataError
        If X has fewer than 8 distinct rows, fewer than 2 columns that vary, or values whose squares
        overflow or underflow; or if `path` or `max_k` does not fit X.
    ValueError
        If X has missing or infinite values.
    TooLargeError
        If X has too many rows and too many columns.

    Notes
    -----
    Cost O(n d min(n, d)): 7 to 15 times that of one Gram matrix with its eigenvalues on 20 000
    rows, more on small tables (``benchmarks/how_many.py``). Memory: one block of rows and a few
    d x d arrays (n x d, if d > n).

    Limits. The rows must be exchangeable: independent random walks show dimensions. Row scales that
    vary at random on top of structure increase the count. A dimension weaker than a column of pure
    noise is not counted. With many rows almost every table has many dimensions; then the answer is
    a share and not a count.

    References
    ----------
    Dobriban & Owen, "Deterministic parallel analysis: an improved method for selecting factors and
    principal components", JRSS B 81, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> X = rng.randn(200, 3) @ rng.randn(3, 12) + 0.5 * rng.randn(200, 12)
    >>> suggestion = suggest_n_columns(X, random_state=0)
    >>> suggestion
    Suggestion(kind='count', n=3, interval=(3, 3))
    >>> suggestion.enough(0.8)
    3
    """
    X = _checked(X)
    n_features = X.shape[1]
    subsets = _subsets(path, n_features)
    if max_k is not None and not 1 <= max_k <= n_features:
        raise DataError(f"max_k must lie in 1..{n_features}; got {max_k}.")
    if isinstance(subsets, dict) and max_k is not None and min(subsets) > max_k:
        raise DataError(f"path has no subset of at most {max_k} columns (max_k).")
    rng = check_random_state(random_state)
    table = StandardRows(X, rng, SPLITS)
    if table.n < 8 or table.d < 2:
        raise DataError(
            f"X has {table.n} distinct rows and {table.d} columns that vary; at least 8 rows and 2 "
            "columns are needed to tell structure from noise."
        )
    whole = table.whole()
    spectrum = whole.spectrum()
    calibration = calibrate(spectrum, lambda: table.sample(rng), rng, FLIPS)
    r = count_dimensions(spectrum, calibration)
    if r == 0:
        return _no_structure(row_order_notes(X))
    goal = _Goal(subsets, n_features if max_k is None else max_k, LONGEST, r)
    measured = _measure(table, whole, spectrum, r, goal)
    if subsets is None:  # the halves measure the same columns
        goal = goal._replace(path=table.columns[measured.columns[max(measured.shares)]])
    halves = _halves(table, _half_calibration(table, spectrum, calibration, rng), goal)
    is_exhausted = subsets is None and max(measured.shares) < goal.limit
    evidence = _Evidence(whole, spectrum, r, measured, halves, is_exhausted)
    return _answer(evidence, row_order_notes(X))


def asks_table(number: Any) -> bool:
    """Whether a number of columns is ``"auto"`` or a share, so that the table must say it."""
    return number is not None and not isinstance(number, Integral)


def suggested_number(number: Any, X: Any, random_state: Any) -> int:
    """The number of columns that `suggest_n_columns` gives for ``"auto"`` or a share.

    Parameters
    ----------
    number : "auto" or float in (0, 1)
    X : {ndarray, CSR} of shape (n_samples, n_features)
    random_state : int, RandomState or None

    Returns
    -------
    int

    Raises
    ------
    DataError
        If the table shows no structure, or no number of columns reaches the share.
    """
    suggestion = suggest_n_columns(X, random_state=random_state)
    k = suggestion.n if number == "auto" else suggestion.enough(number)
    if k is None:
        raise DataError(f"n_features_to_select={number!r}: {suggestion.sentence}")
    return k


def _checked(X: Any) -> Any:
    X = check_table(X, min_samples=2)
    refuse_extremes(X)
    if sp.issparse(X) and not X.data.all():
        X = X.copy()
        X.eliminate_zeros()
    return X


def _subsets(path: Any, n_features: int) -> dict[int, Indices] | Indices | None:
    """The path as indices of the columns of X, checked."""
    if path is None:
        return None
    sets = path.values() if isinstance(path, Mapping) else [path]
    arrays = [np.asarray(list(S)) for S in sets]
    for S in arrays:
        if S.ndim != 1 or S.dtype.kind not in "iu" or not len(S):
            raise DataError("path must hold column indices: a ranking, or a subset of each size.")
        if S.min() < 0 or S.max() >= n_features or len(np.unique(S)) < len(S):
            raise DataError(
                f"path must hold distinct columns of X, numbered 0 to {n_features - 1}."
            )
    if not isinstance(path, Mapping):
        return arrays[0].astype(np.intp)
    subsets = {int(size): S.astype(np.intp) for size, S in zip(path, arrays)}
    if not subsets or any(size != len(S) for size, S in subsets.items()):
        raise DataError("path must map each number of columns to a subset of that size.")
    return dict(sorted(subsets.items()))


def row_order_notes(X: Any) -> tuple[str, ...]:
    """A note where consecutive rows are alike."""
    correlation = _serial_correlation(X)
    if correlation < SERIAL:
        return ()
    return (
        f"Consecutive rows are alike (median correlation {correlation:.2f} over the columns). If "
        "the rows are a time series, the number of dimensions is too large: use differences or "
        "means of blocks of rows.",
    )


def _serial_correlation(X: Any) -> float:
    """Median over the varying columns of the correlation of a row with the next.

    On at most about a million entries.
    """
    n, d = X.shape
    at = np.arange(0, n - 1, max(1, 2 * n * d // ENTRIES))
    pairs = [X[at], X[at + 1]]
    Z, after = (dense(part) for part in pairs)
    varies = ~(constant_columns(Z) & constant_columns(after))
    mean = (Z.mean(axis=0) + after.mean(axis=0)) / 2
    Z, after = Z - mean, after - mean
    square = (np.einsum("ij,ij->j", Z, Z) + np.einsum("ij,ij->j", after, after)) / 2
    if not varies.any():
        return 0.0
    return float(np.median(np.einsum("ij,ij->j", Z, after)[varies] / square[varies]))


class _Loadings(NamedTuple):
    """Estimated factor model: ``covariance = L L' + diag(noise)``."""

    L: Array
    noise: Array
    total: float

    @property
    def size(self) -> float:
        return float(np.vdot(self.L, self.L))

    def carried_by(self, S: Indices) -> float:
        """Share of the variance of the dimensions that the columns S determine."""
        A = self.L[S].T @ (self.L[S] / self.noise[S, None])
        left = np.linalg.solve(np.eye(len(A)) + A, self.L.T @ self.L)
        return float(1 - np.trace(left) / self.size)

    def along(self, order: Iterable[int]) -> Iterator[tuple[int, float]]:
        """Every column with what the columns up to it carry; O(r^2) a column."""
        M, P = self.L.T @ self.L, np.eye(self.L.shape[1])
        for j in order:
            if j >= 0:
                u = P @ self.L[j]
                P -= np.outer(u, u / (self.noise[j] + self.L[j] @ u))
            yield j, float(1 - np.vdot(M, P) / self.size)


def _loadings(spectrum: Spectrum, r: int) -> _Loadings:
    """Shrunken loadings of the r leading dimensions, and the noise of every column."""
    n, V = spectrum.n, spectrum.V[:, :r]
    variance = spectrum.totals / (n - 1)
    leverage = np.minimum(np.einsum("ij,ij->i", V, V), 0.9)
    noise = spectrum.residual_totals(r) / ((n - 1 - r) * (1 - leverage))
    noise = np.clip(noise, 1e-6 * variance, variance)
    sigma = noise @ V**2
    tau = noise.sum() / (n - 1)
    y = spectrum.s2[:r] / (n - 1) - sigma - tau
    floor = np.sqrt(tau * sigma)
    root = np.sqrt(np.maximum(y * y - 4 * tau * sigma, 0.0))
    L = V * np.sqrt(np.where(y > 2 * floor, (y + root) / 2, floor))
    most = np.maximum(variance - noise, 1e-9 * variance)
    size = np.maximum(np.einsum("ij,ij->i", L, L), 1e-12)
    L *= np.sqrt(np.minimum(1.0, most / size))[:, None]
    return _Loadings(L, noise, float(variance.sum()))


class _Goal(NamedTuple):
    """How far a path is followed: to `limit` columns, or to `share` and `least` columns."""

    path: Path | Indices | None
    limit: int
    share: float
    least: int


class _Measured(NamedTuple):
    """What a path carries for each number of columns, and these columns as positions in a half."""

    shares: dict[int, float]
    columns: dict[int, Indices]
    explainable: float

    def enough(self, share: float) -> int | None:
        return next((k for k, carried in self.shares.items() if carried >= share), None)


def _measure(table: StandardRows, part: Half, spectrum: Spectrum, r: int, goal: _Goal) -> _Measured:
    """Shares of what all columns carry, along the path up to the goal."""
    model = _loadings(spectrum, r)
    ceiling = model.carried_by(np.arange(spectrum.d))
    explainable = model.size / model.total
    position = np.full(int(table.columns[-1]) + 1, -1)
    position[table.columns[part.columns]] = np.arange(len(part.columns))
    if isinstance(goal.path, Mapping):
        sets = {
            size: _positions(position, S) for size, S in goal.path.items() if size <= goal.limit
        }
        shares = {size: model.carried_by(S) / ceiling for size, S in sets.items()}
        return _Measured(shares, sets, explainable)
    order = part.forward() if goal.path is None else _in_turn(position, goal.path)
    chosen: list[int] = []
    shares = {}
    for j, carried in model.along(islice(order, goal.limit)):
        chosen.append(j)
        shares[len(chosen)] = carried / ceiling
        if len(chosen) >= goal.least and carried >= goal.share * ceiling:
            break
    columns = {
        size: np.array([j for j in chosen[:size] if j >= 0], dtype=np.intp) for size in shares
    }
    return _Measured(shares, columns, explainable)


def _positions(position: Indices, S: Indices) -> Indices:
    """Columns S of X as positions; constant ones are left out."""
    at = position[S[S < len(position)]]
    return at[at >= 0]


def _in_turn(position: Indices, order: Indices) -> Iterator[int]:
    """The same one by one, -1 for a constant column."""
    return (int(position[j]) if j < len(position) else -1 for j in order)


class _HalfResult(NamedTuple):
    """Dimensions that one half shows, and how many columns carry 90 % of them there."""

    dimensions: int
    enough: int | None


def _half_calibration(
    table: StandardRows, spectrum: Spectrum, calibration: Calibration, rng: np.random.RandomState
) -> Calibration:
    """The calibration for half of the rows.

    The halves of a table have the same noise in distribution, so one serves all of them; where the
    sample of the whole table has no more rows than a half, it is the one of the whole table.
    """
    n_rows = table.n // 2
    if table.n_sampled <= n_rows:
        return calibration
    return calibrate(spectrum, lambda: table.sample(rng, n_rows), rng, HALF_FLIPS)


def _halves(
    table: StandardRows,
    calibration: Calibration,
    goal: _Goal,
) -> list[_HalfResult]:
    results = []
    until = goal._replace(share=SHARE, least=0)
    for half in table.halves():
        spectrum = half.spectrum()
        r = count_dimensions(spectrum, calibration)
        enough = _measure(table, half, spectrum, r, until).enough(SHARE) if r else None
        results.append(_HalfResult(r, enough))
    return results


class _Evidence(NamedTuple):
    """Everything an answer is made of."""

    whole: Half
    spectrum: Spectrum
    dimensions: int
    measured: _Measured
    halves: list[_HalfResult]
    is_exhausted: bool  # do the columns of the path reconstruct the table?

    @property
    def counts(self) -> list[int]:
        return [half.dimensions for half in self.halves]

    @property
    def median(self) -> int:
        return int(np.floor(np.median(self.counts)))

    @property
    def gap(self) -> float:
        s2, r = self.spectrum.s2, self.dimensions
        return float(s2[r - 1] / max(s2[r], 1e-12 * s2[0])) if r < len(s2) else float("inf")

    @property
    def is_sharp(self) -> bool:
        """Do the halves show the same count, and is the next dimension much weaker?"""
        r = self.dimensions
        near = [abs(count - r) <= max(1, TOLERANCE * r) for count in self.counts]
        agrees = abs(self.median - r) <= max(1, TOLERANCE * r) and np.mean(near) >= 0.5
        return bool(agrees and self.gap >= GAP)

    def dimensions_interval(self) -> tuple[int, int]:
        r, m = self.dimensions, self.median
        return min(r, m), max(r, m, 2 * r - m)

    def enough_interval(self, k: int, reach: int) -> tuple[int, int]:
        """`k` and the same number in the halves that have dimensions."""
        numbers = [k] + [h.enough or reach + 1 for h in self.halves if h.dimensions]
        return min(numbers), max(numbers)

    def unexplained(self, k: int) -> float | None:
        columns = self.measured.columns.get(k)
        return None if columns is None else self.whole.unexplained(columns)


def _answer(evidence: _Evidence, notes: tuple[str, ...]) -> Suggestion:
    r, measured = evidence.dimensions, evidence.measured
    reach = max(measured.shares)
    enough = measured.enough(SHARE)
    kind: Kind
    if evidence.is_sharp and r <= reach:
        kind, k, interval = "count", r, evidence.dimensions_interval()
    elif evidence.is_sharp or enough is None:
        kind, k = "beyond", reach
        interval = reach, max(reach, evidence.dimensions_interval()[1])
    else:
        kind, k, interval = "share", enough, evidence.enough_interval(enough, reach)
    return Suggestion(
        kind=kind,
        n=k,
        interval=interval,
        sentence=_sentence(kind, k, interval, evidence),
        notes=notes,
        shares=measured.shares,
        evidence={
            "dimensions": r,
            "dimensions_interval": evidence.dimensions_interval(),
            "half_dimensions": tuple(evidence.counts),
            "gap": evidence.gap,
            "explainable": measured.explainable,
            "unexplained": evidence.unexplained(k),
        },
    )


def _sentence(kind: Kind, k: int, interval: tuple[int, int], evidence: _Evidence) -> str:
    r, shares = evidence.dimensions, evidence.measured.shares
    low, high = min(evidence.counts), max(evidence.counts)
    halves = "halves of the rows show " + (f"{low}" if low == high else f"{low} to {high}")
    dimensions = "1 dimension" if r == 1 else f"{r} dimensions"
    columns = "1 column" if k == 1 else f"{k} columns"
    carry = "carries" if k == 1 else "carry"
    if kind == "count":
        unexplained = evidence.unexplained(k)
        they_leave = "It leaves" if k == 1 else "They leave"
        rest = (
            ""
            if unexplained is None
            else f" {they_leave} {_percent(unexplained)} of the variance of these rows unexplained "
            f"(more of new rows) and {carry} {_percent(min(shares[k], 1.0))} of what all columns "
            "share."
        )
        return (
            f"{columns}: the table has {dimensions} above its noise ({halves}), and the next one "
            f"is {evidence.gap:.1f} times weaker.{rest}"
        )
    if kind == "share":
        return (
            f"The data give no sharp number: the structure fades gradually over about {dimensions} "
            f"({halves}). {columns} {carry} {_percent(SHARE)} of what all columns share "
            f"({interval[0]} to {interval[1]} in halves of the rows)."
        )
    if evidence.is_sharp:
        reason = f"the table has {dimensions} above its noise ({halves})"
    else:
        carried = _percent(shares[k])
        reason = f"{columns} {carry} {carried} of what all columns share, not {_percent(SHARE)}"
    if evidence.is_exhausted:
        return (
            f"{columns} reconstruct this table, which has few rows, but {carry} only "
            f"{_percent(shares[k])} of what all columns share: more rows are needed for an answer."
        )
    needed = "is" if k == 1 else "are"
    return f"More than {columns} {needed} needed: {reason}. Raise max_k or extend the path."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _no_structure(notes: tuple[str, ...]) -> Suggestion:
    return Suggestion(
        kind="none",
        n=None,
        interval=None,
        sentence=(
            "No structure: the columns vary together no more than in tables with random signs. No "
            "number of columns represents the others."
        ),
        notes=notes,
        evidence={
            "dimensions": 0,
            "dimensions_interval": None,
            "half_dimensions": (),
            "gap": float("nan"),
            "explainable": 0.0,
            "unexplained": None,
        },
    )
