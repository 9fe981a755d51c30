"""What every column subset method shares: one pass to the Gram matrix, and the path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .._array import as_float, check_sparse, is_block_source, row_blocks
from .._memory import require_memory
from .._ranking import RankingMixin
from .._validation import (
    Interval,
    StrOptions,
    assert_all_finite,
    check_is_fitted,
    check_random_state,
    fit_context,
    validate_data,
)
from ..exceptions import DataError, RankDeficiencyWarning, warn_user
from ..linalg import Moments, gram, moments
from ..scaling import refuse_magnitude
from ..solvers import LoopSupport
from ..solvers._callbacks import with_callbacks
from ._how_many import suggest_k
from ._problem import GramProblem

__all__ = ["BaseColumnSubset", "Path", "prefixes"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: What a method's ``_select`` returns: the best subset it found of each size.
Path = dict[int, Indices]

#: Bytes per pair of columns at the peak: the sums of products, G, F, and a copy of G for LAPACK.
GRAM_BYTES = 32.0

#: A variance below this part of the squared mean is small: near what `PIVOT_RTOL` drops.
_FAR = 1e-8
_FAR_FROM_ZERO = (
    ' The means of the columns are large beside their spread; scale="standard" removes them.'
)


def prefixes(order: Indices) -> Path:
    """The path of a method that adds one column after the other."""
    return {size: order[:size] for size in range(1, len(order) + 1)}


class Summary(NamedTuple):
    """Everything a fit reports, computed once from the Gram matrix and the chosen subsets."""

    n_chosen: int
    ranking: Indices
    path: Path
    error_path: dict[int, float]
    svd_error_path: dict[int, float]
    explained_by: Array
    coef: Array
    intercept: Array


class BaseColumnSubset(RankingMixin, LoopSupport, BaseEstimator, ABC):
    """Base class of column subset selection.

    ``min f(S) = ||A - A_S A_S^+ A||_F^2`` over sets S of k columns; A is X after `scale`. A
    subclass implements ``_select(problem, k, rng)``, which sees the Gram matrix only.

    With ``n_features_to_select="auto"`` k is the number that
    `sksieve.evaluation.suggest_k` suggests for the table, and with a share in (0, 1) the fewest
    columns of forward selection that carry this share of what all columns carry
    (`Suggestion.enough`). Both need the whole table in one call of `fit`.

    Attributes
    ----------
    n_features_to_select_ : int
        Number of columns chosen: k, or the numerical rank of A if that is smaller.
    ranking_ : ndarray of shape (n_features,)
        The chosen columns in the order of what each adds, then the others, the worst reconstructed
        first.
    path_ : dict of int -> ndarray
        The best subset found of each size.
    error_path_ : dict of int -> float
        ``f`` of each subset of `path_`, and of the empty one, recomputed from scratch.
    svd_error_path_ : dict of int -> float
        ``||A - A_i||_F^2`` for each rank i up to the largest size of `path_`: no i columns have a
        smaller error.
    error_ : float
        ``f`` of the chosen subset.
    error_ratio_ : float
        ``f(S) / ||A - A_k||_F^2 >= 1``: how near the chosen subset comes to the best rank-k
        approximation. 1 when k reaches the rank and both are zero.
    explained_by_ : ndarray of shape (n_features,)
        Share of each column, in [0, 1], that the best linear reconstruction from the chosen columns
        explains. Under ``scale="standard"`` this is R^2. Under ``"unit"`` and ``"none"`` nothing is
        centered, and the share is of the sum of squares: near 1 for any column whose mean is large
        beside its spread, whatever was chosen.
    coef_, intercept_ : ndarray of shape (k, n_features), (n_features,)
        ``X ~ X[:, ranking_[:k]] @ coef_ + intercept_``, in the units of X.
    n_samples_seen_ : int
        Number of rows behind the Gram matrix.
    moments_ : Moments
        Number, sums and products of these rows, unscaled.

    Notes
    -----
    After `partial_fit` the attributes are computed when one of them is first read; reading an
    attribute never changes another.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            StrOptions({"auto"}),
            None,
        ],
        "scale": [StrOptions({"standard", "unit", "none"})],
    }

    n_features_to_select: Any
    scale: str

    @abstractmethod
    def _select(self, problem: GramProblem, k: int, rng: np.random.RandomState) -> Path:
        """The best subset found of each size; size k (or the rank, if smaller) among them."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose columns of X, reading it once.

        Parameters
        ----------
        X : {array-like, memmap, CSR, dask array, iterator of row blocks}, (n_samples, n_features)
            Samples are rows.
        y : None
            Ignored; there for pipelines.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If X has NaN or infinite values, fewer than two rows, or fewer columns than requested;
            if it is a malformed sparse matrix, or its entries are too large or too small to square;
            if the number of columns is to be found and X is read in blocks or has no structure.
        TooLargeError
            If the Gram matrix and its tables would not fit into memory.
        """
        self._forget()
        if is_block_source(X):
            total = moments(self._checked(row_blocks(X), reset=True))
            if total.n_samples < 2:
                raise ValueError("X has 1 sample (row) in all its blocks; at least 2 are required.")
            X = None
        else:
            X = self._validate(X)
            if self._is_automatic:
                self._automatic = self._suggested(X)
            self._check_size(X.shape[1])
            total = moments(self._finite(block) for block in row_blocks(X))
        self._moments = total
        self._solve(X)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add rows to the Gram matrix; the columns are chosen when an attribute is next read.

        Parameters
        ----------
        X : {array-like, memmap, CSR, dask array, iterator of row blocks}, (n_rows, n_features)
            More rows of the same table.
        y : None
            Ignored.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError, TooLargeError
            As `fit`; one row is enough.
        """
        start = getattr(self, "_moments", None)
        blocks = row_blocks(X) if is_block_source(X) else [X]
        self._moments = moments(self._checked(blocks, reset=start is None), start)
        self.__dict__.pop("_summary", None)
        return self

    def _validate(self, X: Any, reset: bool = True, min_samples: int = 2) -> Any:
        """Check the form of X; its values are checked block by block when they are read."""
        check_sparse(X)  # first: validate_data converts formats in compiled code
        return validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype="numeric",
            ensure_all_finite=False,
            ensure_min_samples=min_samples,
            reset=reset,
        )

    def _checked(self, blocks: Iterable[Any], reset: bool) -> Iterator[Any]:
        """Validate each row block from outside when it is read."""
        for block in blocks:
            X = self._validate(block, reset=reset, min_samples=1)
            self._check_size(X.shape[1])
            yield from map(self._finite, row_blocks(X))
            reset = False

    def _finite(self, block: Any) -> Any:
        assert_all_finite(block, estimator_name=type(self).__name__, input_name="X")
        return block

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _is_automatic(self) -> bool:
        """Whether the number of columns is to be found from the table."""
        k = self.n_features_to_select
        return k is not None and not isinstance(k, Integral)

    def _suggested(self, X: Any) -> int:
        """The number of columns for ``"auto"`` or a share."""
        suggestion = suggest_k(X, random_state=getattr(self, "random_state", 0))
        requested = self.n_features_to_select
        k = suggestion.k if requested == "auto" else suggestion.enough(requested)
        if k is None:
            raise DataError(f"n_features_to_select={requested!r}: {suggestion.sentence}")
        return k

    def _n_to_select(self, n_features: int) -> int:
        if not self._is_automatic:
            return super()._n_to_select(n_features)
        if not hasattr(self, "_automatic"):
            raise DataError(
                f"n_features_to_select={self.n_features_to_select!r} needs the whole table at "
                "once: give fit an array or a sparse matrix, or give a number of columns."
            )
        return self._automatic

    def _forget(self) -> None:
        for name in ("_moments", "_summary", "_automatic"):
            self.__dict__.pop(name, None)

    def _check_size(self, n_features: int) -> None:
        require_memory(
            self._memory(n_features, self._n_to_select(n_features)),
            f"{type(self).__name__} on {n_features} columns",
            "Drop columns first, by variance for instance.",
        )

    def _memory(self, n: int, k: int) -> float:
        """Peak number of bytes for n columns."""
        return GRAM_BYTES * n * n

    @with_callbacks
    def _solve(self, X: Any) -> None:
        """Choose columns and compute what is reported about them."""
        _refuse_extremes(self._moments)
        G, center, divisor = gram(self._moments, self.scale)
        problem = GramProblem(G, _scaled(X, center, divisor))
        k = self._n_to_select(G.shape[0])
        rng = check_random_state(getattr(self, "random_state", None))
        path = self._select(problem, k, rng)
        reached = max((size for size in path if size <= k), default=0)
        if not reached:
            raise DataError(
                "Every column of X is zero"
                + (" after centering (constant)" if self.scale == "standard" else "")
                + "; there is nothing to choose from. Give columns that vary."
            )
        if reached < k:
            warn_user(
                f"X has numerical rank {reached}: {reached} columns reconstruct all the others and "
                f"are returned instead of n_features_to_select={k}."
                + (_FAR_FROM_ZERO if self.scale != "standard" and _far(self._moments) else ""),
                RankDeficiencyWarning,
            )
        chosen = path[reached]
        if not self.nested:  # a set: order it by what each column adds
            order, _ = problem.greedy_order(chosen, reached)
            chosen = np.concatenate([order, np.setdiff1d(chosen, order)])
        self._summary = _summarize(problem, path, chosen, center, divisor)

    @property
    def _answer(self) -> Summary:
        check_is_fitted(self, "_moments")
        if "_summary" not in self.__dict__:
            self._solve(None)
        return self._summary

    @property
    def n_features_to_select_(self) -> int:
        return self._answer.n_chosen

    @property
    def ranking_(self) -> Indices:
        return self._answer.ranking

    @property
    def n_samples_seen_(self) -> int:
        return self.moments_.n_samples

    @property
    def moments_(self) -> Moments:
        check_is_fitted(self, "_moments")
        return self._moments

    @property
    def path_(self) -> Path:
        return self._answer.path

    @property
    def error_path_(self) -> dict[int, float]:
        return self._answer.error_path

    @property
    def svd_error_path_(self) -> dict[int, float]:
        return self._answer.svd_error_path

    @property
    def error_(self) -> float:
        return self._answer.error_path[self.n_features_to_select_]

    @property
    def error_ratio_(self) -> float:
        bound = self._answer.svd_error_path[self.n_features_to_select_]
        return max(1.0, self.error_ / bound) if bound > 0 else 1.0  # rounding may go below

    @property
    def explained_by_(self) -> Array:
        return self._answer.explained_by

    @property
    def coef_(self) -> Array:
        return self._answer.coef

    @property
    def intercept_(self) -> Array:
        return self._answer.intercept


def _refuse_extremes(total: Moments) -> None:
    size = max(float(np.abs(total.low).max()), float(np.abs(total.high).max()))
    refuse_magnitude(size, total.n_samples * len(total.low))


def _far(total: Moments) -> bool:
    """Are the means of most columns so large that all are nearly multiples of one vector?"""
    inside = total.sums / total.n_samples
    variance = np.diagonal(total.products) / total.n_samples - inside**2
    return bool(np.median(variance - _FAR * (total.shift + inside) ** 2) < 0)


def _scaled(X: Any, center: Array, divisor: Array) -> Any:
    """The scaled data where they have fewer rows than columns, which makes F cheaper; else None."""
    if X is None or X.shape[0] >= X.shape[1]:
        return None
    if sp.issparse(X):
        return None if center.any() else as_float(X) @ sp.diags_array(1 / divisor)
    return (as_float(X) - center) / divisor


def _summarize(
    problem: GramProblem, path: Path, chosen: Indices, center: Array, divisor: Array
) -> Summary:
    coef, residual = problem.rebuild(chosen)
    rest = np.setdiff1d(np.argsort(-residual, kind="stable"), chosen, assume_unique=True)
    norm2 = np.diagonal(problem.G)
    left = np.divide(residual, norm2, out=np.zeros_like(residual), where=norm2 > 0)
    coef = coef * divisor / divisor[chosen, None]
    bounds = problem.svd_errors(max(path))
    tiny = np.finfo(float).eps * problem.n_columns * problem.trace
    return Summary(
        n_chosen=len(chosen),
        ranking=np.concatenate([chosen, rest]),
        path={k: path[k] for k in sorted(path)},
        error_path={0: problem.trace} | _path_errors(problem, path),
        svd_error_path={
            k: float(bounds[k]) if bounds[k] > tiny else 0.0 for k in range(len(bounds))
        },
        explained_by=1.0 - left,
        coef=coef,
        intercept=center - center[chosen] @ coef,
    )


def _path_errors(problem: GramProblem, path: Path) -> dict[int, float]:
    """``f`` of each subset, recomputed; in one factorisation where each is a prefix of the next."""
    longest = path[max(path)]
    if all(np.array_equal(S, longest[:size]) for size, S in path.items()):
        errors = problem.prefix_errors(longest)
        return {size: float(errors[size - 1]) for size in sorted(path)}
    return {size: problem.error(path[size]) for size in sorted(path)}
