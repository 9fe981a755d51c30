"""What every column subset method shares: one pass to the Gram matrix, and the path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from .._array import as_float, check_sparse, is_block_source, is_dask, row_blocks
from .._frames import batches, collected, is_lazy
from .._memory import require_memory
from .._ranking import RankingMixin
from .._threads import one_thread
from .._typing import Array, Indices
from .._validation import (
    NON_NEGATIVE,
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
from ..solvers import LoopSupport, Record, Run
from ..solvers._callbacks import with_callbacks
from ..suggest._columns import NUMBER, asks_table, suggested_number
from ..tables import (
    Moments,
    Source,
    gram,
    is_row_store,
    moments,
    refuse_extremes,
    refuse_magnitude,
    scale_columns,
    source_of,
    stored_rows,
    take_rows,
)
from ._attributes import FitAttribute, described
from ._factored import Factored, FactoredSolver
from ._pair import PairProblem, Path, require_independent, without
from ._problem import GramProblem, ThinProblem
from ._reconstruct import ReconstructionMixin
from ._request import Request, request, target_table
from ._result import Choice, ColumnFit, Selected, result_of
from ._structure import (
    RIDGE,
    components_of_gram,
    components_of_source,
    sampled_rows,
    structure_target,
)
from ._surrogate import Target
from ._targets import NAMED_TARGETS, kernel_target, table_svd_errors

#: Bytes per pair of columns at the peak: the sums of products, G, F, and a copy of G for LAPACK.
GRAM_BYTES = 32.0
#: Bytes up to which ``solver="auto"`` forms it, on every machine the same.
GRAM_LIMIT = 4e9
#: Products up to which ``solver="auto"`` forms a Gram matrix: about two minutes on one core.
GRAM_PRODUCTS = 5e12
#: Columns from which ``solver="auto"`` reads tables with at most half as many rows row by row.
THIN_COLUMNS = 1000
#: What the parameter `budget` may be, of the methods that have it.
BUDGET = [Interval(Real, 0, None, closed="neither"), None]

#: A variance below this part of the squared mean is small: near what `PIVOT_RTOL` drops.
_FAR = 1e-8
_FAR_FROM_ZERO = (
    ' The means of the columns are large compared with their spread; scale="standard" removes them.'
)


@dataclass(frozen=True)
class FitData:
    """What `fit` was given, what its rows add up to, and the result."""

    column_weight: Any = None
    target: Any = None
    cost: Any = None
    started: float | None = None  # by time.perf_counter
    number: int | None = None  # columns to choose, where they were counted by the table
    n_samples: int = 0
    moments: Moments | None = None  # None with the factored solver
    result: ColumnFit | None = None  # None where rows were added since


class BaseColumnSubset(ReconstructionMixin, RankingMixin, LoopSupport, BaseEstimator, ABC):
    """Base class of column subset selection.

    ``min f(S) = ||A - A_S A_S^+ A||_F^2`` over sets S of k columns; A is X after `scale`. A
    subclass implements ``_select(problem, k, rng)``, which sees the Gram matrix only.

    With ``n_features_to_select="auto"`` k is the number that `sksieve.suggest.suggest_n_columns`
    suggests for the table, and with a share in (0, 1) the fewest columns of forward selection that
    carry this share of what all columns carry (`Suggestion.enough`). Both need the whole table in
    one call of `fit`.

    Parameters
    ----------
    n_features_to_select : int, float in (0, 1), "auto" or None, default=None
        Columns to keep, k; half of them when None, as `suggest_n_columns` says for ``"auto"``
        and a share; see `BaseColumnSubset`.
    scale : {"standard", "unit", "none"}, default="standard"
        ``"standard"``: mean 0 and variance 1; ``"unit"``: length 1, not centered, as in the papers;
        ``"none"``: unmodified.
    solver : {"auto", "gram", "factored"} or Factored, default="auto"
        ``"gram"``: all columns, by their Gram matrix, O(n^2) memory. ``"factored"``: a shortlist
        from a surrogate, made exact by pricing; any number of columns, several passes over X;
        `Factored` has its settings. ``"auto"``: gram while its memory and time allow.
    candidates : array-like or None, default=None
        The only columns that may be chosen: numbers, names or a mask.
    keep : array-like or None, default=None
        Columns that must be chosen: numbers, names or a mask.
    ridge : float or None, default=None
        Added to the diagonal of the Gram matrix of the scaled columns: choose columns that explain
        well through small coefficients. None: 0.5 for ``target="structure"``, else 0.
    budget : float or None, default=None
        Most that the chosen columns may cost in all, see `cost` of `fit`.

    Notes
    -----
    After `partial_fit` the attributes are computed when one of them is first read; reading an
    attribute never changes another.
    """

    n_features_to_select_ = FitAttribute[int](
        "int", "Number of columns chosen: k, or the numerical rank of A if that is smaller."
    )
    ranking_ = FitAttribute[Indices](
        "ndarray of shape (n_features,)",
        "The chosen columns in the order of what each adds, then the others, the worst "
        "reconstructed first.",
    )
    path_ = FitAttribute[Path]("dict of int -> ndarray", "The best subset found of each size.")
    objective_ = FitAttribute[float]("float", "``f`` of the chosen subset.")
    error_path_ = FitAttribute[dict[int, float]](
        "dict of int -> float",
        "``f`` of each subset of `path_`, and of the empty one, recomputed from scratch.",
    )
    svd_error_path_ = FitAttribute[dict[int, float]](
        "dict of int -> float",
        "``||A - A_i||_F^2`` for each rank i up to the largest size of `path_`: no i columns have "
        "a smaller error.",
    )
    error_ratio_ = FitAttribute[float](
        "float",
        "``f(S) / ||A - A_k||_F^2 >= 1``: how near the chosen subset comes to the best rank-k "
        "approximation. 1 when k reaches the rank and both are zero.",
    )
    explained_by_ = FitAttribute[Array](
        "ndarray of shape (n_features,)",
        "Share of each column, in [0, 1], that the best linear reconstruction from the chosen "
        'columns explains. Under ``scale="standard"`` this is R^2. Under ``"unit"`` and '
        '``"none"`` nothing is centered, and the share is of the sum of squares: near 1 for any '
        "column whose mean is large compared with its spread, whatever was chosen.",
    )
    coef_ = FitAttribute[Array](
        "ndarray of shape (n_features, k)",
        "Coefficients of the linear model that reconstructs every column: "
        "``X ~ X[:, ranking_[:k]] @ coef_.T + intercept_``, in the units of X.",
    )
    intercept_ = FitAttribute[Array]("ndarray of shape (n_features,)", "Its intercepts.")
    solver_ = FitAttribute[str](
        '{"gram", "thin", "factored"}',
        "How the columns were chosen; ``thin``: from the rows of a table with at most half as many "
        "rows as columns, without a Gram matrix.",
    )
    target_ = FitAttribute[str](
        '{"table", "weighted table", "structure", "kernel", "other"}',
        "What all errors are of: X, X with the columns' weights, or another target.",
    )
    candidates_ = FitAttribute[Indices](
        "ndarray of int, ascending",
        "The columns the search chose from; with the factored solver its shortlist.",
    )
    outside_gain_ = FitAttribute[float](
        "float",
        "What swapping a chosen column for the best one outside `candidates_` would lower the "
        "error by; not positive where no such swap lowers it. Columns that may not be chosen do "
        "not count. With the factored solver an estimate, unless "
        "``solver=Factored(certify=True)``. Minus infinity where there is none outside.",
    )
    n_passes_ = FitAttribute[int]("int", "How often X was read.")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": NUMBER,
        "scale": [StrOptions({"standard", "unit", "none"})],
        "solver": [StrOptions({"auto", "gram", "factored"}), Factored],
        "candidates": ["array-like", None],
        "keep": ["array-like", None],
        "ridge": [*NON_NEGATIVE, None],
    }

    #: Does `_select` read the problem a few rows of G and F at a time?
    reads_rows: ClassVar[bool] = False

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        scale: str = "standard",
        solver: str | Factored = "auto",
        candidates: Any = None,
        keep: Any = None,
        ridge: float | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.scale = scale
        self.solver = solver
        self.candidates = candidates
        self.keep = keep
        self.ridge = ridge

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = described(cls)

    @abstractmethod
    def _select(self, problem: PairProblem, k: int, rng: np.random.RandomState) -> Selected:
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
        target : array-like of shape (n_samples, n_targets), "structure" or "kernel", optional
            What the chosen columns are to explain in place of X itself: another table with the same
            rows, which is centered if ``scale="standard"`` and not scaled; ``"structure"``,
            neighbor-graph eigenvectors and weighted principal components (columns that preserve
            the groups; see the documentation, and use ``IterFS(k, init="greedy")``); ``"kernel"``,
            kernel principal components (columns that preserve the neighbors).
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
        self.__dict__.pop("_data", None)
        data, store = FitData(column_weight, target, cost, perf_counter()), None
        X, names = _matrix_on_disk(with_layer(X, layer))
        if is_lazy(X):
            X = self._batches(X, target)
        if is_dask(X) or is_row_store(X):
            self._check_stored(X, names)
            if self._solver_for(X.shape[0], X.shape[1], data) == "factored":
                return self._finish(self._choose_factored(X, data))
            store, X = X, row_blocks(X) if is_dask(X) else stored_rows(X)
        if is_block_source(X):
            if self._requested_solver == "factored":
                raise ValueError(
                    'solver="factored" reads X several times, and an iterator of row blocks can be '
                    'read once. Give an array, a memory map, a dask array, or solver="gram".'
                )
            total = moments(self._checked(row_blocks(X), data, reset=True))
            if total.n_samples < 2:
                raise ValueError("X has 1 sample (row) in all its blocks; at least 2 are required.")
            X = store
            if names is not None:
                self.feature_names_in_ = names
        else:
            X = self._validate(X)
            if asks_table(self.n_features_to_select):
                seed = getattr(self, "random_state", 0)
                number = suggested_number(self.n_features_to_select, X, seed)
                data = replace(data, number=number)
            if self._is_thin(X, data):
                return self._finish(self._choose_thin(self._finite(X), data))
            if self._solver_for(X.shape[0], X.shape[1], data) == "factored":
                return self._finish(self._choose_factored(X, data))
            total = moments(self._finite(block) for block in row_blocks(X))
        data = replace(data, moments=total, n_samples=total.n_samples)
        return self._finish(self._choose(X, data))

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
        data: FitData = self.__dict__.get("_data", FitData())
        if data.target is not None:
            raise ValueError("Rows cannot be added to a fit with a target; fit all rows at once.")
        if self._requested_solver == "factored" or (data.n_samples and data.moments is None):
            raise ValueError(
                "The last fit keeps no Gram matrix that rows could be added to, or the factored "
                'solver does not; fit all rows at once, or use solver="gram".'
            )
        X = batches(X) if is_lazy(X) else X
        blocks = row_blocks(X) if is_block_source(X) else [X]
        total = moments(self._checked(blocks, data, reset=data.moments is None), data.moments)
        return self._finish(
            replace(data, moments=total, n_samples=total.n_samples, started=None, result=None)
        )

    def _finish(self, data: FitData) -> Self:
        self._data = data
        return self

    @property
    def _result(self) -> ColumnFit:
        """The result; after `partial_fit` computed here."""
        if "_data" not in self.__dict__:
            check_is_fitted(self)
        if self._data.result is None:
            self._data = self._choose(None, self._data)
        result = self._data.result
        assert result is not None
        return result

    def __sklearn_is_fitted__(self) -> bool:
        return "_data" in self.__dict__

    @property
    def n_samples_seen_(self) -> int:
        """int
        Number of rows."""
        check_is_fitted(self)
        return self._data.n_samples

    @property
    def moments_(self) -> Moments:
        """Moments
        Number, sums and products of the rows, unscaled; not with the factored solver."""
        check_is_fitted(self)
        if self._data.moments is None:
            raise AttributeError(f"solver_ = {self.solver_!r} forms no Gram matrix: no moments_.")
        return self._data.moments

    def _batches(self, X: Any, target: Any) -> Any:
        """The batches of a lazy frame where one pass over the rows is enough, else the whole."""
        needs_all = asks_table(self.n_features_to_select) or self._requested_solver == "factored"
        return collected(X) if needs_all or target is not None else batches(X)

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

    def _checked(self, blocks: Iterable[Any], data: FitData, *, reset: bool) -> Iterator[Any]:
        """Validate each row block from outside when it is read."""
        for block in blocks:
            X = self._validate(block, reset=reset, min_samples=1)
            self._check_size(X.shape[1], data)
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

    def _number(self, n_features: int, data: FitData) -> int:
        """How many columns to choose."""
        if not asks_table(self.n_features_to_select):
            return self._n_to_select(n_features)
        if data.number is None:
            raise DataError(
                f"n_features_to_select={self.n_features_to_select!r} needs the whole table at "
                "once: give fit an array or a sparse matrix, or give a number of columns."
            )
        return data.number

    def _check_stored(self, X: Any, names: Any = None) -> None:
        """What `_validate` checks of tables in memory, where only the shape and names are known."""
        if len(X.shape) != 2:
            raise ValueError(f"X must have 2 axes (rows and columns), not {len(X.shape)}.")
        if not X.shape[0] >= 2:
            raise ValueError(f"X has {X.shape[0]} samples (rows); at least 2 are required.")
        self.n_features_in_ = int(X.shape[1])
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names

    def _solver_for(self, m: float, n: int, data: FitData) -> str:
        """ "gram" or "factored"; refuses what neither can do."""
        k = self._number(n, data)
        if self._requested_solver == "auto":
            fits = self._memory(n, k) <= min(GRAM_LIMIT, memory_limit())
            return "gram" if fits and not m * n**2 + n**3 > GRAM_PRODUCTS else "factored"
        if self._requested_solver == "gram":
            self._check_size(n, data)
        return self._requested_solver

    def _is_thin(self, X: Any, data: FitData) -> bool:
        """Is the table so much wider than long that its Gram matrix is better not formed?"""
        m, n = X.shape
        plain = data.target is None and self.candidates is None and self.keep is None
        return (
            self.reads_rows
            and self._requested_solver == "auto"
            and isinstance(X, np.ndarray)
            and n >= THIN_COLUMNS
            and 2 * m <= n
            and 24.0 * m * n <= memory_limit()
            and plain
            and self._ridge_for(data) == 0.0
            and (m <= self._most_rows(n) or self._solver_for(m, n, data) == "factored")
        )

    def _most_rows(self, n: int) -> int:
        """Up to so many rows a table of n columns is quicker without a Gram matrix that fits."""
        return n // 2

    @property
    def _requested_solver(self) -> str:
        """ "auto", "gram" or "factored"."""
        return "factored" if isinstance(self.solver, Factored) else self.solver

    def _check_size(self, n_features: int, data: FitData) -> None:
        require_memory(
            self._memory(n_features, self._number(n_features, data)),
            f"{type(self).__name__} on {n_features} columns",
            'Use solver="factored", or drop columns first, by variance for instance.',
        )

    def _memory(self, n: int, k: int) -> float:
        """Peak number of bytes for n columns."""
        return GRAM_BYTES * n * n

    @property
    def _takes_costs(self) -> bool:
        """Does the method keep to a budget? Its constructor then has that parameter."""
        return "budget" in self._parameter_constraints

    def _request(self, n: int, data: FitData) -> Request:
        if data.cost is not None and not self._takes_costs:
            raise ValueError(
                f"{type(self).__name__} cannot keep to a budget; GreedyCSS, IterFS, "
                "IteratedLocalSearchCSS and POCSS can."
            )
        if data.column_weight is not None and data.target is not None:
            raise ValueError(
                "column_weight weighs the columns of X as the target; it has no meaning with "
                "another target."
            )
        return request(
            n,
            self._number(n, data),
            names=getattr(self, "feature_names_in_", None),
            candidates=self.candidates,
            keep=self.keep,
            column_weight=data.column_weight,
            cost=data.cost,
            budget=getattr(self, "budget", None),
        )

    def _ridge_for(self, data: FitData) -> float:
        """What is added to the diagonal of the Gram matrix."""
        if self.ridge is not None:
            return float(self.ridge)
        return RIDGE if isinstance(data.target, str) and data.target == "structure" else 0.0

    def _table_target(self, X: Any, data: FitData) -> Array | None:
        """The target as a table; None where it is X itself or the structure target."""
        target = data.target
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
            if target == "structure":
                if self.scale != "standard":
                    raise ValueError('target="structure" needs scale="standard".')
                return None
            if not (sp.issparse(X) or isinstance(X, np.ndarray)):
                raise ValueError(f'target="{target}" needs X as an array in memory.')
            target = kernel_target(X)
        return target_table(target, X.shape[0], scale=self.scale)

    def _target_of_gram(
        self, X: Any, whole: GramProblem, center: Array, divisor: Array, data: FitData
    ) -> GivenTarget | None:
        """The target for the Gram solver; None where it is X itself."""
        T = self._table_target(X, data)
        if T is not None:
            rows = _cross(X, T, whole.G, center, divisor)
            return GivenTarget(rows, float((T**2).sum()), partial(table_svd_errors, T))
        if data.target is None:
            return None
        index = sampled_rows(X.shape[0])
        structure = structure_target(
            take_rows(X, index),
            X.shape[0],
            center,
            divisor,
            components_of_gram(whole.G, whole.scaled_rows),
        )
        rows = np.where(whole.diag_G[:, None] > 0, structure.rows, 0.0)
        return GivenTarget(rows, structure.norm2, structure.svd_errors)

    def _target_of_source(
        self, X: Any, source: Source, data: FitData, rng: np.random.RandomState
    ) -> GivenTarget | None:
        """The target for the factored solver; None where it is X itself."""
        T = self._table_target(X, data)
        if T is not None:
            return GivenTarget(source.cross(T), float((T**2).sum()), partial(table_svd_errors, T))
        if data.target is None:
            return None
        rows = take_rows(X, sampled_rows(X.shape[0]))
        source.n_passes += 1
        structure = structure_target(
            rows, X.shape[0], source.center, source.divisor, components_of_source(source, rng)
        )
        products = np.where(source.norm2[:, None] > 0, structure.rows, 0.0)
        return GivenTarget(products, structure.norm2, structure.svd_errors)

    def _select_with(
        self, pair: PairProblem, keep: Indices, k: int, rng: np.random.RandomState
    ) -> Selected:
        """`_select` with the columns `keep` in every subset."""
        if not len(keep):
            with one_thread():
                return self._select(pair, k, rng)
        require_independent(pair, keep)
        if k <= len(keep):
            return Selected({len(keep): keep})
        with one_thread():
            rest = self._select(without(pair, keep), k - len(keep), rng)
        path = {len(keep) + size: np.concatenate([keep, S]) for size, S in rest.path.items()}
        others = tuple(np.concatenate([keep, S]) for S in rest.others)
        return Selected({len(keep): keep} | path, rest.attributes, (keep, *others))

    @with_callbacks
    def _choose(self, X: Any, data: FitData) -> FitData:
        """Choose with the Gram matrix, and compute the result."""
        assert data.moments is not None
        _refuse_extremes(data.moments, self.scale)
        G, center, divisor = gram(data.moments, self.scale)
        n = G.shape[0]
        asked = self._request(n, data)
        k = self._number(n, data)
        rng = check_random_state(getattr(self, "random_state", None))
        whole = GramProblem(
            G,
            _scaled(X, center, divisor),
            weight=asked.weight,
            cost=asked.cost,
            budget=asked.budget,
        )
        target = self._target_of_gram(X, whole, center, divisor, data)
        ridge = self._ridge_for(data)
        C = np.arange(n)
        pair: PairProblem = whole
        if target is not None or asked.candidates is not None or ridge > 0:
            C = C if asked.candidates is None else asked.candidates
            rows = whole.target_rows if target is None else target.rows
            pair = PairProblem(
                G[np.ix_(C, C)] + ridge * np.eye(len(C)),
                None,
                whole.target_norm2 if target is None else target.norm2,
                rows=np.ascontiguousarray(rows[C]),
                cost=None if asked.cost is None else asked.cost[C],
                budget=asked.budget,
            )
        pair.started = data.started
        choice = Choice(
            selected=self._select_with(pair, np.searchsorted(C, asked.keep), k, rng),
            pair=pair,
            candidates=C,
            rows=lambda S: G[S],
            norm2=np.diagonal(G),
            center=center,
            divisor=divisor,
            svd_errors=whole.svd_errors if target is None else target.svd_errors,
            ridge=ridge,
            solver="gram",
            target=_target_name(data),
            outside_gain=-np.inf,
        )
        far = self.scale != "standard" and _far(data.moments)
        chosen = self._chosen(choice, k, _FAR_FROM_ZERO if far else "")
        return replace(data, result=self._result_of(choice, chosen, 1))

    @with_callbacks
    def _choose_thin(self, X: Array, data: FitData) -> FitData:
        """Choose from the rows of a table with far fewer rows than columns."""
        degree = 4 if self.scale == "none" else 2
        refuse_extremes(as_float(X), degree)
        scaled = scale_columns(
            as_float(X), "correlation" if self.scale == "standard" else self.scale
        )
        n = X.shape[1]
        asked, k = self._request(n, data), self._number(n, data)
        rng = check_random_state(getattr(self, "random_state", None))
        problem = ThinProblem(
            np.asfortranarray(scaled.X, dtype=np.float64),
            weight=asked.weight,
            cost=asked.cost,
            budget=asked.budget,
        )
        problem.started = data.started
        choice = Choice(
            selected=self._select(problem, k, rng),
            pair=problem,
            candidates=np.arange(n),
            rows=problem.rows_G,
            norm2=problem.norm2,
            center=scaled.center,
            divisor=scaled.divisor,
            svd_errors=problem.svd_errors,
            ridge=0.0,
            solver="thin",
            target=_target_name(data),
            outside_gain=-np.inf,
        )
        result = self._result_of(choice, self._chosen(choice, k), 1)
        return replace(data, n_samples=len(X), result=result)

    @with_callbacks
    def _choose_factored(self, X: Any, data: FitData) -> FitData:
        """Choose without a Gram matrix; see `_factored`."""
        m, n = X.shape
        k = self._number(n, data)
        rng = check_random_state(getattr(self, "random_state", None))
        source = source_of(X, self.scale, check=self._finite)
        target = self._target_of_source(X, source, data, rng)
        solver = self._factored_solver(source, target, data, rng)

        def select(pair: PairProblem, keep: Indices) -> Selected:
            require_memory(
                self._memory(pair.n_columns, k),
                f"{type(self).__name__} on a shortlist of {pair.n_columns} columns",
                "Ask for fewer columns, or for a shorter list: Factored(n_candidates=...).",
            )
            pair.started = data.started
            return self._select_with(pair, keep, k, rng)

        selected = solver.solve(k, select)
        C, G_C, pair = solver.shortlist
        place = np.full(n, -1, np.intp)
        place[C] = np.arange(len(C))
        choice = Choice(
            selected=selected._replace(
                path={size: place[S] for size, S in selected.path.items()},
                others=tuple(place[S] for S in selected.others),
            ),
            pair=pair,
            candidates=C,
            rows=lambda S: G_C[:, place[S]].T,
            norm2=source.norm2,
            center=source.center,
            divisor=source.divisor,
            svd_errors=solver.svd_errors if target is None else target.svd_errors,
            ridge=self._ridge_for(data),
            solver="factored",
            target=_target_name(data),
            outside_gain=solver.outside_gain,
        )
        result = self._result_of(choice, self._chosen(choice, k), 0)
        result = result._replace(n_passes=source.n_passes)  # the bounds read X too
        return replace(data, n_samples=int(m), result=result)

    def _factored_solver(
        self,
        source: Source,
        given: GivenTarget | None,
        data: FitData,
        rng: np.random.RandomState,
    ) -> FactoredSolver:
        settings = self.solver if isinstance(self.solver, Factored) else Factored()
        settings._validate_params()
        if getattr(self, "warm_start", False):
            raise ValueError('warm_start needs solver="gram": the factored solver keeps no state.')
        asked = self._request(source.n_columns, data)
        if given is None:
            weight = np.ones(source.n_columns) if asked.weight is None else asked.weight
            target = Target(float(source.norm2 @ weight), asked.weight)
        else:
            target = Target(given.norm2, rows=given.rows)
        return FactoredSolver(
            source,
            target,
            settings,
            candidates=asked.candidates,
            keep=asked.keep,
            ridge=self._ridge_for(data),
            cost=asked.cost,
            budget=asked.budget,
            rng=rng,
        )

    def _chosen(self, choice: Choice, k: int, advice: str = "") -> Indices:
        """The chosen subset, ordered by what each column adds; warns of what is missing."""
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
            what = "X has" if self.candidates is None else "The candidates have"
            warn_user(
                f"{what} numerical rank {reached}: {reached} columns reconstruct all the others "
                f"and are returned instead of n_features_to_select={k}." + advice,
                RankDeficiencyWarning,
            )
        chosen = path[reached]
        if self.nested:
            return chosen
        order, _ = choice.pair.greedy_order(chosen, reached)
        return np.concatenate([order, np.setdiff1d(chosen, order)])

    def _result_of(self, choice: Choice, chosen: Indices, n_passes: int) -> ColumnFit:
        result = result_of(choice, chosen, n_passes, self._own_attributes(choice))
        if np.isnan(result.error_ratio):
            warn_user(
                "error_ratio_ is NaN: the leading singular values did not converge to 0.1 %. The "
                "chosen columns and objective_ do not depend on them; "
                "Factored(sketch_size=...) with a larger number may help.",
                ConvergenceWarning,
            )
        return result

    def _own_attributes(self, choice: Choice) -> dict[str, Any]:
        """Values of the attributes that only this method has."""
        return dict(choice.selected.attributes)


class IterativeColumnSubset(BaseColumnSubset):
    """Base class of the methods with a loop."""

    history_ = FitAttribute[list[Record]](
        "list of dict", "One record (n_iter, objective, change, seconds) a step."
    )
    n_iter_ = FitAttribute[int]("int", "Iterations, as `max_iter` counts them.")
    converged_ = FitAttribute[bool]("bool", "Did the search end by its own rule?")
    stop_reason_ = FitAttribute[str](
        "str", "How it ended: tolerance, max_iter, time_budget or callback."
    )

    def _loop_attributes(self, run: Run[Any]) -> dict[str, Any]:
        """Values of the attributes above."""
        return {
            "history_": run.history,
            "n_iter_": run.n_iter,
            "converged_": run.converged,
            "stop_reason_": run.reason,
        }


class GivenTarget(NamedTuple):
    """A target other than X itself."""

    rows: Array  # A'T, (n, t)
    norm2: float
    svd_errors: Callable[[int], Array]


def _target_name(data: FitData) -> str:
    """The attribute ``target_``."""
    if isinstance(data.target, str):
        return data.target
    if data.target is not None:
        return "other"
    return "table" if data.column_weight is None else "weighted table"


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
    X = as_float(X)
    if sp.issparse(X):
        return None if center.any() else X @ sp.diags_array(1 / divisor)
    return (X - center) / divisor


def _cross(X: Any, T: Array, G: Array, center: Array, divisor: Array) -> Array:
    """``A'T``, zero for the columns that are zero in G."""
    rows = as_float(X).T @ T - np.outer(center, T.sum(axis=0))
    return np.where(np.diagonal(G)[:, None] > 0, rows / divisor[:, None], 0.0)
