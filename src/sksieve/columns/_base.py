"""What every column subset method shares: one pass to the Gram matrix, and the path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from .._array import as_float, check_sparse, is_block_source, is_dask, row_blocks
from .._memory import require_memory
from .._ranking import RankingMixin
from .._validation import (
    Interval,
    StrOptions,
    assert_all_finite,
    check_is_fitted,
    check_random_state,
    fit_context,
    is_anndata,
    refuse_gaps,
    validate_data,
    with_layer,
)
from ..config import memory_limit
from ..exceptions import DataError, RankDeficiencyWarning, warn_user
from ..solvers import LoopSupport
from ..solvers._callbacks import with_callbacks
from ..suggest._columns import NUMBER, asks_table, suggested_number
from ..tables import Moments, gram, is_row_store, moments, refuse_magnitude, source_of, stored_rows
from ._factored import Factored, FactoredSolver
from ._pair import PairProblem, Path, require_independent, without
from ._problem import GramProblem
from ._request import Request, request, target_table
from ._surrogate import Target
from ._targets import NAMED_TARGETS

__all__ = ["BaseColumnSubset", "Path", "prefixes"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Fitted attributes that are known before the columns are chosen.
TABLE_ATTRIBUTES = ("feature_names_in_", "n_features_in_")
#: Bytes per pair of columns at the peak: the sums of products, G, F, and a copy of G for LAPACK.
GRAM_BYTES = 32.0
#: Bytes up to which ``solver="auto"`` forms it, on every machine the same.
GRAM_LIMIT = 4e9
#: Products up to which ``solver="auto"`` forms a Gram matrix: about two minutes on one core.
GRAM_PRODUCTS = 5e12

#: What the parameter `budget` may be, of the methods that have it.
BUDGET = [Interval(Real, 0, None, closed="neither"), None]

#: A variance below this part of the squared mean is small: near what `PIVOT_RTOL` drops.
_FAR = 1e-8
_FAR_FROM_ZERO = (
    ' The means of the columns are large compared with their spread; scale="standard" removes them.'
)


def is_of_choice(name: str) -> bool:
    """Whether a fitted attribute describes the choice, and not only the table."""
    return name[-1:] == "_" and name[:1] != "_" and name not in TABLE_ATTRIBUTES


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


class Choice(NamedTuple):
    """What a solver hands over: subsets, and what describes them. Subsets index `candidates`."""

    path: Path
    pair: PairProblem
    candidates: Indices
    rows: Callable[[Indices], Array]  # of G, for columns of the table
    norm2: Array
    center: Array
    divisor: Array
    svd_errors: Callable[[int], Array]
    ridge: float


class BaseColumnSubset(RankingMixin, LoopSupport, BaseEstimator, ABC):
    """Base class of column subset selection.

    ``min f(S) = ||A - A_S A_S^+ A||_F^2`` over sets S of k columns; A is X after `scale`. A
    subclass implements ``_select(problem, k, rng)``, which sees the Gram matrix only.

    With ``n_features_to_select="auto"`` k is the number that `sksieve.suggest.suggest_n_columns`
    suggests for the table, and with a share in (0, 1) the fewest columns of forward selection that
    carry this share of what all columns carry (`Suggestion.enough`). Both need the whole table in
    one call of `fit`.

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
    coef_, intercept_ : ndarray of shape (n_features, k), (n_features,)
        Coefficients of the linear model that reconstructs every column, as scikit-learn orients
        them: ``X ~ X[:, ranking_[:k]] @ coef_.T + intercept_``, in the units of X.
    solver_ : {"gram", "factored"}
        How the columns were chosen.
    target_ : {"table", "weighted table", "other"}
        What all errors are of: X, X with the columns' weights, or another target.
    candidates_ : ndarray
        The columns the search chose from; with the factored solver its shortlist.
    outside_gain_ : float
        What swapping a chosen column for the best one outside `candidates_` would lower the error
        by; not positive where no such swap lowers it. Columns that may not be chosen do not count.
        With the factored solver an estimate, unless ``solver=Factored(certify=True)``. Minus
        infinity where there is none outside.
    n_passes_ : int
        How often X was read.
    n_samples_seen_ : int
        Number of rows.
    moments_ : Moments
        Number, sums and products of these rows, unscaled; not with the factored solver.

    Notes
    -----
    After `partial_fit` the attributes are computed when one of them is first read; reading an
    attribute never changes another.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": NUMBER,
        "scale": [StrOptions({"standard", "unit", "none"})],
        "solver": [StrOptions({"auto", "gram", "factored"}), Factored],
        "candidates": ["array-like", None],
        "keep": ["array-like", None],
        "ridge": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        solver: str | Factored = "auto",
        candidates: Any = None,
        keep: Any = None,
        ridge: float = 0.0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.scale = scale
        self.solver = solver
        self.candidates = candidates
        self.keep = keep
        self.ridge = ridge

    #: Rows have been added since the last choice.
    _is_pending: bool = False

    @abstractmethod
    def _select(self, problem: PairProblem, k: int, rng: np.random.RandomState) -> Path:
        """The best subset found of each size; size k (or the rank, if smaller) among them."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        column_weight: Any = None,
        target: Any = None,
        cost: Any = None,
        layer: str | None = None,
    ) -> Self:
        """Choose columns of X.

        Parameters
        ----------
        X : {array-like, memmap, CSR, dask array, HDF5 or zarr array, AnnData, iterator of blocks}
            Table of shape (n_samples, n_features), samples are rows; of a backed AnnData, blocks of
            rows are read. The Gram solver reads it once,
            the factored solver several times: an iterator can only be read once.
        y : None
            Ignored; there for pipelines.
        column_weight : array-like of shape (n_features,), optional
            Weight >= 0 of each column's residual in the error; all count 1 by default. Columns of
            weight 0 may be chosen but need not be explained.
        target : array-like of shape (n_samples, n_targets), "graph" or "kernel", optional
            What the chosen columns are to explain in place of X itself: another table with the same
            rows, which is centered if ``scale="standard"`` and not scaled; ``"graph"``, the leading
            eigenvectors of the samples' nearest-neighbor graph (columns that preserve the groups);
            ``"kernel"``, kernel principal components (columns that preserve the neighbors).
        cost : array-like of shape (n_features,), optional
            Cost >= 0 of each column; the chosen ones cost at most `budget` in all.
        layer : str, optional
            Of an AnnData object: use ``X.layers[layer]`` in place of ``X.X``.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If X has NaN or infinite values, fewer than two rows, or fewer columns than requested;
            if it is a malformed sparse matrix, or its entries are too large or too small to square;
            if the number of columns is to be found and X is read in blocks or has no structure;
            if the parameters contradict each other or the table.
        TooLargeError
            If the Gram matrix and its tables would not fit into memory.
        """
        self._forget()
        self._asked = {"column_weight": column_weight, "target": target, "cost": cost}
        X, names = _matrix_on_disk(with_layer(X, layer))
        if is_dask(X) or is_row_store(X):
            self._check_stored(X, names)
            if self._solver_for(*X.shape) == "factored":
                return self._fit_factored(X)
            X = row_blocks(X) if is_dask(X) else stored_rows(X)
        if is_block_source(X):
            if self._requested_solver == "factored":
                raise ValueError(
                    'solver="factored" reads X several times, and an iterator of row blocks can be '
                    'read once. Give an array, a memory map, a dask array, or solver="gram".'
                )
            total = moments(self._checked(row_blocks(X), reset=True))
            if total.n_samples < 2:
                raise ValueError("X has 1 sample (row) in all its blocks; at least 2 are required.")
            X = None
            if names is not None:
                self.feature_names_in_ = names
        else:
            X = self._validate(X)
            if asks_table(self.n_features_to_select):
                seed = getattr(self, "random_state", 0)
                self._automatic = suggested_number(self.n_features_to_select, X, seed)
            if self._solver_for(*X.shape) == "factored":
                return self._fit_factored(X)
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
            As `fit`, but one row is enough; also if the last fit had a target, or used the factored
            solver.
        """
        if self._asked_for("target") is not None:
            raise ValueError("Rows cannot be added to a fit with a target; fit all rows at once.")
        if "_source_size" in self.__dict__ or self._requested_solver == "factored":
            raise ValueError(
                "The factored solver keeps no Gram matrix that rows could be added to; fit all "
                'rows at once, or use solver="gram".'
            )
        start = self.__dict__.get("_moments")
        blocks = row_blocks(X) if is_block_source(X) else [X]
        self._moments = moments(self._checked(blocks, reset=start is None), start)
        self._forget_choice()
        self._is_pending = True
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
        try:
            assert_all_finite(block, estimator_name=type(self).__name__, input_name="X")
        except ValueError:
            refuse_gaps(block, getattr(self, "feature_names_in_", None))
            raise
        return block

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _n_to_select(self, n_features: int) -> int:
        if not asks_table(self.n_features_to_select):
            return super()._n_to_select(n_features)
        if not hasattr(self, "_automatic"):
            raise DataError(
                f"n_features_to_select={self.n_features_to_select!r} needs the whole table at "
                "once: give fit an array or a sparse matrix, or give a number of columns."
            )
        return self._automatic

    def _forget_choice(self) -> None:
        """Drop what describes an earlier choice: the rows have changed."""
        self.__dict__.pop("_summary", None)
        for name in [name for name in vars(self) if is_of_choice(name)]:
            del self.__dict__[name]

    if not TYPE_CHECKING:  # types of attributes are checked as if this were not here

        def __getattr__(self, name):
            """Attributes of the choice are computed when one of them is first read."""
            if self._is_pending and is_of_choice(name):
                self._choose()
            return object.__getattribute__(self, name)

    def _choose(self) -> None:
        """Choose columns by the rows that `partial_fit` has seen."""
        self._is_pending = False  # nothing that reads an attribute meanwhile starts again
        try:
            self._solve(None)
        finally:
            self._is_pending = "_summary" not in self.__dict__

    def _forget(self) -> None:
        for name in ("_moments", "_source_size", "_asked", "_automatic", "_is_pending"):
            self.__dict__.pop(name, None)
        self._forget_choice()

    def _asked_for(self, name: str) -> Any:
        return getattr(self, "_asked", {}).get(name)

    def _check_stored(self, X: Any, names: Any = None) -> None:
        """What `_validate` checks of tables in memory, where only the shape and names are known."""
        if len(X.shape) != 2:
            raise ValueError(f"X must have 2 axes (rows and columns), not {len(X.shape)}.")
        self.n_features_in_ = int(X.shape[1])
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names

    def _solver_for(self, m: float, n: int) -> str:
        """ "gram" or "factored"; refuses what neither can do."""
        k = self._n_to_select(n)
        if self._requested_solver == "auto":
            fits = self._memory(n, k) <= min(GRAM_LIMIT, memory_limit())
            return "gram" if fits and not m * n**2 + n**3 > GRAM_PRODUCTS else "factored"
        if self._requested_solver == "gram":
            self._check_size(n)
        return self._requested_solver

    @property
    def _requested_solver(self) -> str:
        """ "auto", "gram" or "factored"."""
        return "factored" if isinstance(self.solver, Factored) else self.solver

    def _check_size(self, n_features: int) -> None:
        require_memory(
            self._memory(n_features, self._n_to_select(n_features)),
            f"{type(self).__name__} on {n_features} columns",
            'Use solver="factored", or drop columns first, by variance for instance.',
        )

    def _memory(self, n: int, k: int) -> float:
        """Peak number of bytes for n columns."""
        return GRAM_BYTES * n * n

    def _request(self, n: int) -> Request:
        if self._asked_for("cost") is not None and not self._takes_costs:
            raise ValueError(
                f"{type(self).__name__} cannot keep to a budget; GreedyCSS, IterFS, "
                "IteratedLocalSearchCSS and POCSS can."
            )
        if self._asked_for("column_weight") is not None and self._asked_for("target") is not None:
            raise ValueError(
                "column_weight weighs the columns of X as the target; it has no meaning beside "
                "another target."
            )
        return request(
            n,
            self._n_to_select(n),
            names=getattr(self, "feature_names_in_", None),
            candidates=self.candidates,
            keep=self.keep,
            column_weight=self._asked_for("column_weight"),
            cost=self._asked_for("cost"),
            budget=getattr(self, "budget", None),
        )

    @property
    def _takes_costs(self) -> bool:
        """Does the method keep to a budget? Its constructor then has that parameter."""
        return "budget" in self._parameter_constraints

    def _target_table(self, X: Any) -> Array | None:
        """The target as a table, None where it is X itself."""
        target = self._asked_for("target")
        if target is None:
            return None
        if X is None:
            raise ValueError("A target needs X as a table in memory or on disk, not row blocks.")
        if isinstance(target, str):
            if target not in NAMED_TARGETS:
                raise ValueError(
                    f'target="{target}" is not known; give a table with the rows of X, '
                    + " or ".join(f'"{name}"' for name in NAMED_TARGETS)
                    + "."
                )
            if not (sp.issparse(X) or isinstance(X, np.ndarray)):
                raise ValueError(f'target="{target}" needs X as an array in memory.')
            target = NAMED_TARGETS[target](X, self._n_to_select(X.shape[1]))
        return target_table(target, X.shape[0], scale=self.scale)

    def _select_beside(
        self, pair: PairProblem, keep: Indices, k: int, rng: np.random.RandomState
    ) -> Path:
        """`_select` with the columns `keep` in every subset."""
        if not len(keep):
            return self._select(pair, k, rng)
        require_independent(pair, keep)
        path: Path = {len(keep): keep}
        if k > len(keep):
            rest = self._select(without(pair, keep), k - len(keep), rng)
            path |= {len(keep) + size: np.concatenate([keep, S]) for size, S in rest.items()}
        return path

    @with_callbacks
    def _solve(self, X: Any) -> None:
        """Choose with the Gram matrix, and work out what there is to say about the choice."""
        _refuse_extremes(self._moments, self.scale)
        G, center, divisor = gram(self._moments, self.scale)
        n = G.shape[0]
        asked = self._request(n)
        k = self._n_to_select(n)
        rng = check_random_state(getattr(self, "random_state", None))
        whole = GramProblem(
            G,
            _scaled(X, center, divisor),
            weight=asked.weight,
            cost=asked.cost,
            budget=asked.budget,
        )
        T = self._target_table(X)
        C = np.arange(n)
        pair: PairProblem = whole
        if T is not None or asked.candidates is not None or self.ridge > 0:
            C = C if asked.candidates is None else asked.candidates
            rows = whole.target_rows[C] if T is None else _cross(X, T, G, center, divisor)[C]
            pair = PairProblem(
                G[np.ix_(C, C)] + self.ridge * np.eye(len(C)),
                None,
                whole.trace if T is None else float((T**2).sum()),
                rows=np.ascontiguousarray(rows),
                cost=None if asked.cost is None else asked.cost[C],
                budget=asked.budget,
            )
        local = np.searchsorted(C, asked.keep)
        path = self._select_beside(pair, local, k, rng)
        self.solver_, self.candidates_, self.n_passes_ = "gram", C, 1
        self.outside_gain_ = -np.inf
        self.target_ = _explained_target(asked.weight, T)
        self._finish(
            Choice(
                path=path,
                pair=pair,
                candidates=C,
                rows=lambda S: G[S],
                norm2=np.diagonal(G),
                center=center,
                divisor=divisor,
                svd_errors=whole.svd_errors if T is None else lambda k: _table_svd_errors(T, k),
                ridge=self.ridge,
            ),
            k,
        )

    @with_callbacks
    def _fit_factored(self, X: Any) -> Self:
        """Choose without a Gram matrix; see `_factored`."""
        m, n = X.shape
        if not m >= 2:
            raise ValueError(f"X has {m} samples (rows); at least 2 are required.")
        if isinstance(self.solver, Factored):
            self.solver._validate_params()
        k = self._n_to_select(n)
        rng = check_random_state(getattr(self, "random_state", None))
        T = self._target_table(X)
        solver = self._factored_solver(X, T, rng)

        def select(pair: PairProblem, keep: Indices) -> Path:
            require_memory(
                self._memory(pair.n_columns, k),
                f"{type(self).__name__} on a shortlist of {pair.n_columns} columns",
                "Ask for fewer columns, or lower n_candidates.",
            )
            return self._select_beside(pair, keep, k, rng)

        path = solver.solve(k, select)
        source, (C, G_C, pair) = solver.source, solver.shortlist
        place = np.full(n, -1, np.intp)
        place[C] = np.arange(len(C))
        self._source_size = int(m)
        self.target_ = _explained_target(self._asked_for("column_weight"), T)
        self.solver_, self.candidates_, self.outside_gain_ = "factored", C, solver.outside_gain
        self._finish(
            Choice(
                path={size: place[S] for size, S in path.items()},
                pair=pair,
                candidates=C,
                rows=lambda S: G_C[:, place[S]].T,
                norm2=source.norm2,
                center=source.center,
                divisor=source.divisor,
                svd_errors=solver.svd_errors if T is None else lambda k: _table_svd_errors(T, k),
                ridge=self.ridge,
            ),
            k,
        )
        self.n_passes_ = source.n_passes
        return self

    def _factored_solver(
        self, X: Any, T: Array | None, rng: np.random.RandomState
    ) -> FactoredSolver:
        if getattr(self, "warm_start", False):
            raise ValueError('warm_start needs solver="gram": the factored solver keeps no state.')
        asked = self._request(X.shape[1])
        source = source_of(X, self.scale, check=self._finite)
        if T is None:
            weight = np.ones(source.n_columns) if asked.weight is None else asked.weight
            target = Target(float(source.norm2 @ weight), asked.weight)
        else:
            target = Target(float((T**2).sum()), rows=source.cross(T))
        return FactoredSolver(
            source,
            target,
            self.solver if isinstance(self.solver, Factored) else Factored(),
            candidates=asked.candidates,
            keep=asked.keep,
            ridge=self.ridge,
            cost=asked.cost,
            budget=asked.budget,
            rng=rng,
        )

    def _finish(self, choice: Choice, k: int) -> None:
        """Warn of what is missing, order the chosen columns and summarize."""
        path = choice.path
        reached = max((size for size in path if size <= k), default=0)
        if not reached:
            if choice.pair.cost is not None:
                raise DataError(
                    f"No column costs as little as budget={choice.pair.budget:g}; raise the budget."
                )
            raise DataError(
                "Every column of X is zero"
                + (" after centering (constant)" if self.scale == "standard" else "")
                + "; there is nothing to choose from. Give columns that vary."
            )
        if reached < k and choice.pair.cost is None:
            far = self.scale != "standard" and "_moments" in self.__dict__ and _far(self._moments)
            what = "X has" if self.candidates is None else "The candidates have"
            warn_user(
                f"{what} numerical rank {reached}: {reached} columns reconstruct all the others "
                f"and are returned instead of n_features_to_select={k}."
                + (_FAR_FROM_ZERO if far else ""),
                RankDeficiencyWarning,
            )
        chosen = path[reached]
        if not self.nested:  # a set: order it by what each column adds
            order, _ = choice.pair.greedy_order(chosen, reached)
            chosen = np.concatenate([order, np.setdiff1d(chosen, order)])
        self._summary = _summarize(choice, chosen)
        if np.isnan(self._summary.svd_error_path[reached]):
            warn_user(
                "error_ratio_ is NaN: the leading singular values did not converge to 0.1 %. The "
                "chosen columns and error_ do not depend on them; a larger sketch_size may help.",
                ConvergenceWarning,
            )

    @property
    def _answer(self) -> Summary:
        if "_summary" not in self.__dict__:
            check_is_fitted(self, "_moments")
            self._choose()
        return self._summary

    @property
    def n_features_to_select_(self) -> int:
        return self._answer.n_chosen

    @property
    def ranking_(self) -> Indices:
        return self._answer.ranking

    @property
    def n_samples_seen_(self) -> int:
        size = self.__dict__.get("_source_size")
        return self.moments_.n_samples if size is None else size

    @property
    def moments_(self) -> Moments:
        if "_source_size" in self.__dict__:
            raise AttributeError("The factored solver forms no Gram matrix: there is no moments_.")
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
        if np.isnan(bound):
            return np.nan
        return max(1.0, self.error_ / bound) if bound > 0 else 1.0  # rounding may go below

    @property
    def explained_by_(self) -> Array:
        return self._answer.explained_by

    @property
    def coef_(self) -> Array:
        return self._answer.coef.T

    @property
    def intercept_(self) -> Array:
        return self._answer.intercept


def _explained_target(weight: Any, T: Array | None) -> str:
    """The attribute ``target_``."""
    if T is not None:
        return "other"
    return "table" if weight is None else "weighted table"


def _matrix_on_disk(X: Any) -> tuple[Any, Any]:
    """The matrix of an AnnData object that is not in memory, and the names; X as it is, and None.

    Other AnnData objects are for `validate_data`.
    """
    if is_anndata(X) and (X.isbacked or is_dask(X.X)):
        return X.X, np.asarray(X.var_names, dtype=object)
    return X, None


def _refuse_extremes(total: Moments, scale: str) -> None:
    size = max(float(np.abs(total.low).max()), float(np.abs(total.high).max()))
    degree = 4 if scale == "none" else 2  # products of the Gram matrix with itself
    refuse_magnitude(size, total.n_samples * len(total.low), degree=degree)


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


def _cross(X: Any, T: Array, G: Array, center: Array, divisor: Array) -> Array:
    """``A'T``, zero for the columns that are zero in G."""
    rows = as_float(X).T @ T - np.outer(center, T.sum(axis=0))
    return np.where(np.diagonal(G)[:, None] > 0, rows / divisor[:, None], 0.0)


def _table_svd_errors(T: Array, k: int) -> Array:
    """What the best rank-i approximations of a table leave of it, i = 0..k."""
    small = T.T @ T if T.shape[1] <= T.shape[0] else T @ T.T
    values = np.maximum(np.linalg.eigvalsh(small)[::-1][:k], 0.0)
    sums = np.cumsum(np.concatenate([[0.0], values, np.zeros(k - len(values))]))
    return np.maximum((T**2).sum() - sums, 0.0)


def _summarize(choice: Choice, chosen: Indices) -> Summary:
    """Errors, coefficients and explained parts; ``chosen`` and the path index the candidates."""
    pair, path, C = choice.pair, choice.path, choice.candidates
    S = C[chosen]
    coef, residual = explained(choice.rows(S), S, choice.norm2, choice.ridge)
    rest = np.setdiff1d(np.argsort(-residual, kind="stable"), S, assume_unique=True)
    left = np.divide(residual, choice.norm2, out=np.zeros_like(residual), where=choice.norm2 > 0)
    coef = coef * choice.divisor / choice.divisor[S, None]
    bounds = choice.svd_errors(max(path))
    tiny = np.finfo(float).eps * len(choice.norm2) * pair.trace
    return Summary(
        n_chosen=len(chosen),
        ranking=np.concatenate([S, rest]),
        path={size: C[path[size]] for size in sorted(path)},
        error_path={0: pair.trace} | _path_errors(pair, path),
        svd_error_path={
            i: 0.0 if bounds[i] <= tiny else float(bounds[i]) for i in range(len(bounds))
        },
        explained_by=1.0 - left,
        coef=coef,
        intercept=choice.center - choice.center[S] @ coef,
    )


def explained(G_S: Array, S: Indices, norm2: Array, ridge: float = 0.0) -> tuple[Array, Array]:
    """Coefficients of every column on the columns S, and the squared norms they leave.

    Parameters
    ----------
    G_S : ndarray of shape (k, n)
        Rows of the Gram matrix; the columns are linearly independent.
    S : ndarray of shape (k,)
    norm2 : ndarray of shape (n,)
    ridge : float

    Returns
    -------
    coef : ndarray of shape (k, n)
        ``(G_SS + ridge I)^-1 G_S:``.
    residual : ndarray of shape (n,)
        At least 0, and exactly 0 on S without a ridge.
    """
    k = len(S)
    L = np.linalg.cholesky(G_S[:, S] + ridge * np.eye(k))
    V = solve_triangular(L, G_S, lower=True, check_finite=False)
    coef = solve_triangular(L, V, lower=True, trans=1, check_finite=False)
    if ridge > 0:
        residual = norm2 - 2 * np.einsum("ij,ij->j", coef, G_S)
        residual += np.einsum("ij,ij->j", coef, G_S[:, S] @ coef)
        return coef, np.maximum(residual, 0.0)
    residual = np.maximum(norm2 - np.einsum("ij,ij->j", V, V), 0.0)
    residual[S] = 0.0
    coef[:, S] = np.eye(k)
    return coef, residual


def _path_errors(pair: PairProblem, path: Path) -> dict[int, float]:
    """``f`` of each subset, recomputed; in one factorization where each is a prefix of the next."""
    longest = path[max(path)]
    if all(np.array_equal(S, longest[:size]) for size, S in path.items()):
        errors = pair.prefix_errors(longest)
        return {size: float(errors[size - 1]) for size in sorted(path)}
    return {size: pair.error(path[size]) for size in sorted(path)}
