"""The one file that imports scikit-learn's private helpers, and the one check of tables."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.base import BaseEstimator
from sklearn.base import _fit_context as fit_context
from sklearn.utils import assert_all_finite, check_array, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils._set_output import _get_output_config as get_output_config
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _num_features as num_features
from sklearn.utils.validation import check_is_fitted
from sklearn.utils.validation import validate_data as sklearn_validate_data

from . import _frames
from ._array import check_sparse, in_one_part, is_dask, joined, same_index_type
from ._memory import require_memory
from ._typing import Indices
from ._wording import listed
from .exceptions import DataError

__all__ = [
    "HasMethods",
    "Interval",
    "Options",
    "StrOptions",
    "adjacency_of",
    "assert_all_finite",
    "check_feature_names_in",
    "check_header",
    "check_is_fitted",
    "check_random_state",
    "check_table",
    "columns_named",
    "common",
    "estimator_with",
    "fit_context",
    "get_output_config",
    "in_memory",
    "is_anndata",
    "is_graph",
    "num_features",
    "refuse_gaps",
    "smallest_count",
    "text_columns",
    "validate_data",
    "with_layer",
]


#: Constraints of the weights of an objective: beyond these bounds a term vanishes in the rounding
#: of the others, and products with the data overflow or underflow.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-15, 1e15
POSITIVE_WEIGHT = [Interval(Real, SMALLEST_WEIGHT, LARGEST_WEIGHT, closed="both")]
WEIGHT = [Options(Real, {0.0}), *POSITIVE_WEIGHT]
#: Constraints of tolerances and other numbers from 0, and of bounds of either sign.
NON_NEGATIVE = [Interval(Real, 0, LARGEST_WEIGHT, closed="both")]
BOUND = [Interval(Real, -LARGEST_WEIGHT, LARGEST_WEIGHT, closed="both")]
#: Constraints of parameters that have one range wherever they stand.
COMMON: dict[str, list[Any]] = {
    **{
        name: [Interval(Integral, 1, None, closed="left")]
        for name in ("n_clusters", "n_neighbors", "n_init", "max_iter")
    },
    "tol": [*NON_NEGATIVE, None],
    "time_budget": [Interval(Real, 0, None, closed="neither"), None],
    "random_state": ["random_state"],
}
#: Columns that a message names.
NAMED = 5
#: Bytes up to which a sparse table is advised to be filled in.
SMALL_TABLE = 1e8
#: Types of data frame columns that may hold text, and that hold times.
TEXT_TYPES = (nw.String, nw.Categorical, nw.Enum, nw.Object)
TIME_TYPES = (nw.Date, nw.Datetime, nw.Duration, nw.Time)
#: scikit-learn from 1.9 on reads the names of every kind of frame.
NAMES_EVERY_FRAME = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


def common(*names: str) -> dict[str, list[Any]]:
    """Entries of ``_parameter_constraints`` for parameters of `COMMON`."""
    return {name: COMMON[name] for name in names}


def validate_data(
    estimator: Any,
    X: Any,
    *,
    accept_sparse: str | bool = False,
    dtype: Any = "numeric",
    ensure_all_finite: bool = True,
    ensure_min_samples: int = 1,
    reset: bool = True,
) -> Any:
    """scikit-learn's ``validate_data``, after what it accepts or cannot survive is refused.

    Of an AnnData object the matrix ``X`` is used, with the names of its variables.

    Parameters
    ----------
    estimator : estimator
    X : object
        What the user passed.
    accept_sparse, dtype, ensure_all_finite, ensure_min_samples, reset
        As for scikit-learn's function.

    Returns
    -------
    X : ndarray or sparse array

    Raises
    ------
    DataError
        If X is a graph, several tables, a malformed sparse matrix, has text, dates or durations,
        missing or infinite values (where they are checked), or columns of the same name.
    """
    if is_graph(X):
        raise DataError(
            "X is a graph and not a table. To find groups of its vertices, use Louvain or "
            "SpectralCommunities."
        )
    names = None
    if is_anndata(X):
        names = list(X.var_names)
        X = X.to_memory().X if X.isbacked else X.X
    frame = X = in_memory(X)
    if sp.issparse(X) and not accept_sparse:
        _refuse_sparse(type(estimator).__name__, X)
    options: dict[str, Any] = {
        "accept_sparse": accept_sparse,
        "dtype": dtype,
        "ensure_all_finite": ensure_all_finite,
        "ensure_min_samples": ensure_min_samples,
    }
    try:
        if _frames.is_frame(X) and _frames.library(X) != "pandas":
            X = _frames.numbers(X)
            table = check_array(X, input_name="X", estimator=estimator, **options)
            check_header(estimator, frame, reset)
        else:
            table = sklearn_validate_data(estimator, X, reset=reset, **options)
    except ValueError as error:
        if ensure_all_finite and _is_about_gaps(error):
            refuse_gaps(X, _frames.names_of(frame) if names is None else names)
        raise
    if reset and names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    if sp.issparse(table):
        return same_index_type(_sparse_array(table))
    return _numbers(table) if table.dtype.kind == "O" else table


def in_memory(X: Any) -> Any:
    """X where it is in memory and may be a table: a frame, an array or a sparse matrix.

    Queries, readers and partitions are read, blocks of a sparse dask array joined, what a mask
    hides becomes NaN.

    Raises
    ------
    DataError
        If X is several tables, has text, dates or columns of one name, or is a malformed matrix.
    TooLargeError
        If X is a dask array that takes more than the memory limit.
    """
    if _frames.library(X) == "mudata" and hasattr(X, "mod"):
        first = next(iter(X.mod), "rna")
        raise DataError(
            f"X is a MuData object, which holds {len(X.mod)} tables: {listed(X.mod)}. Give one of "
            f"them, such as mdata[{first!r}]."
        )
    check_sparse(X)
    X = _frames.collected(_masked_as_gaps(X))
    if is_dask(X) and not sp.issparse(X._meta):  # what sparse chunks take is not known before
        require_memory(
            float(X.nbytes),
            f"A dask array of {X.shape[0]:,.0f} rows in memory",
            "Column subset methods (GreedyCSS, IterFS, ...) read it chunk by chunk; give others a "
            "sample of its rows.",
        )
    X = joined(X)
    _refuse_dates(X)
    if _frames.is_frame(X):
        _refuse_text(X)
    return X


def check_header(estimator: Any, frame: Any, reset: bool) -> None:
    """scikit-learn's checks of the names and number of columns, for a frame of any kind."""
    names = _frames.names_of(frame) or []
    header = frame if NAMES_EVERY_FRAME else _frames.Header(names, len(frame))
    sklearn_validate_data(estimator, header, skip_check_array=True, reset=reset)


def check_table(X: Any, min_samples: int = 1) -> Any:
    """`X` as a finite floating point array or CSR, no entry of which is stored in parts.

    For functions; an estimator uses `validate_data`.

    Parameters
    ----------
    X : object
        What the user passed.
    min_samples : int, default=1

    Returns
    -------
    X : ndarray or CSR of shape (n_samples, n_features), float64 or float32
    """
    X = in_memory(X)
    if _frames.is_frame(X) and _frames.library(X) != "pandas":
        X = _frames.numbers(X)
    X = check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_min_samples=min_samples,
        input_name="X",
    )
    return in_one_part(same_index_type(X))


def _masked_as_gaps(X: Any) -> Any:
    """NaN for what a mask hides: scikit-learn would take the values under it."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    return np.ma.filled(X if X.dtype.kind == "f" else X.astype(np.float64), np.nan)


def smallest_count(constraints: Any) -> int | None:
    """The smallest value of a parameter whose constraints say that it counts; None for others.

    Examples
    --------
    >>> from numbers import Integral, Real
    >>> smallest_count([Interval(Integral, 1, None, closed="left"), None]), smallest_count([bool])
    (1, None)
    """
    for one in constraints if isinstance(constraints, list) else ():
        if isinstance(one, Interval) and one.type is Integral and one.left is not None:
            return int(one.left)
    return None


def is_anndata(X: Any) -> bool:
    """Whether X is an AnnData object."""
    return type(X).__module__.partition(".")[0] == "anndata" and hasattr(X, "var_names")


def with_layer(X: Any, layer: str | None) -> Any:
    """X, or its layer of that name as an AnnData object with the same variables.

    Raises
    ------
    DataError
        If X is no AnnData object, or has no such layer.
    """
    if layer is None:
        return X
    if not is_anndata(X):
        raise DataError(
            f"layer={layer!r} needs an AnnData object, not {type(X).__name__}; leave it out."
        )
    if layer not in X.layers:
        layers = listed([name for name in X.layers if name is not None])  # None: X, anndata 0.13
        raise DataError(f"The AnnData object has no layer {layer!r}; it has {layers or 'none'}.")
    return type(X)(X.layers[layer], var=X.var[[]])


def estimator_with(cls: type, parameters: dict[str, Any]) -> Any:
    """An estimator with these parameters, those of its objects by nested names.

    Parameters
    ----------
    cls : type
    parameters : dict
        ``graph__weights`` is the parameter `weights` of the object `graph`, which is made from the
        class that the constraints of `graph` name.

    Raises
    ------
    ValueError
        If a parameter takes no object, or the object has no such parameter.
    """
    own: dict[str, Any] = {}
    nested: dict[str, dict[str, Any]] = {}
    for key, value in parameters.items():
        name, _, inner = key.partition("__")
        if inner:
            nested.setdefault(name, {})[inner] = value
        else:
            own[key] = value
    for name, values in nested.items():
        constraints = getattr(cls, "_parameter_constraints", {}).get(name, [])
        types = [c for c in constraints if isinstance(c, type) and issubclass(c, BaseEstimator)]
        kinds = [c for c in types if not inspect.isabstract(c)]
        if not kinds:
            raise ValueError(f"{name} of {cls.__name__} is not an object with parameters.")
        own[name] = kinds[0]().set_params(**values)
    return cls(**own)


def columns_named(columns: Any, what: str, n: int, names: Any) -> Indices:
    """Column indices from indices, a mask of all columns, or names.

    Parameters
    ----------
    columns : array-like
    what : str
        The parameter's name, for messages.
    n : int
        Columns of the table.
    names : array-like of str or None
        Their names, where they are known.

    Returns
    -------
    ndarray of int
        Without repetitions, in the order given.

    Examples
    --------
    >>> columns_named(["b", "a"], "keep", 3, ["a", "b", "c"])
    array([1, 0])
    """
    values = np.asarray(columns)
    if values.ndim != 1:
        raise ValueError(f"{what} must be a list of columns, not an array of {values.ndim} axes.")
    if values.dtype == bool:
        if len(values) != n:
            raise ValueError(f"{what} is a mask of {len(values)} entries, but X has {n} columns.")
        return np.flatnonzero(values)
    if values.dtype.kind in "OUT":
        if names is None:
            raise ValueError(
                f"{what} has names, but X has none: give X as a DataFrame, or column numbers."
            )
        place = {str(name): j for j, name in enumerate(names)}
        unknown = [str(name) for name in values if str(name) not in place]
        if unknown:
            raise ValueError(
                f"{what} names columns that X does not have: {_listed_columns(unknown)}."
            )
        values = np.array([place[str(name)] for name in values], dtype=np.intp)
    elif len(values) and values.dtype.kind not in "iu":
        raise ValueError(f"{what} must hold column numbers or names, not {values.dtype}.")
    outside = [str(j) for j in values if not 0 <= j < n]
    if outside:
        raise ValueError(
            f"{what} names columns that X does not have: {_listed_columns(outside)} "
            f"(the {n} columns are numbered 0 to {n - 1})."
        )
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)].astype(np.intp)


def _listed_columns(values: list[str]) -> str:
    first = ", ".join(values[:5])
    return first if len(values) <= 5 else f"{first} and {len(values) - 5} more"


def is_graph(X: Any) -> bool:
    """Whether X is a graph of networkx or igraph."""
    library = type(X).__module__.partition(".")[0]
    return (library == "networkx" and hasattr(X, "adjacency")) or (
        library == "igraph" and hasattr(X, "get_adjacency_sparse")
    )


def adjacency_of(graph: Any) -> Any:
    """The adjacency matrix of a graph of networkx or igraph, vertices in the graph's order.

    Parameters
    ----------
    graph : networkx.Graph or igraph.Graph
        Undirected. The edge attribute ``weight`` is used where there is one.

    Returns
    -------
    csr_array of shape (n, n)

    Raises
    ------
    DataError
        If the graph is directed.
    """
    if graph.is_directed():
        raise DataError(
            "X is a directed graph; make its edges undirected first (G.to_undirected() in "
            "networkx, G.as_undirected() in igraph)."
        )
    if hasattr(graph, "get_adjacency_sparse"):
        weight = "weight" if "weight" in graph.es.attributes() else None
        return sp.csr_array(graph.get_adjacency_sparse(weight)).astype(np.float64)
    place = {vertex: i for i, vertex in enumerate(graph)}
    rows, columns, weights = [], [], []
    for a, b, weight in graph.edges(data="weight", default=1):
        rows.append(place[a])
        columns.append(place[b])
        weights.append(weight)
        if a != b:
            rows.append(place[b])
            columns.append(place[a])
            weights.append(weight)
    shape = (len(place), len(place))
    return sp.csr_array((np.asarray(weights, dtype=np.float64), (rows, columns)), shape=shape)


def _is_about_gaps(error: ValueError) -> bool:
    return "NaN" in str(error) or "infinity" in str(error)


def refuse_gaps(X: Any, names: Sequence[Any] | None = None) -> None:
    """Refuse missing and infinite values, with the columns that have them.

    Parameters
    ----------
    X : array-like, data frame or sparse of shape (n, d)
    names : sequence, optional
        Of the columns.

    Raises
    ------
    DataError
    """
    if sp.issparse(X):
        entries, columns = X.tocoo().data, X.tocoo().coords[1]
    else:
        values = np.asarray(X)
        if values.dtype.kind not in "fiu":  # pandas.NA is no number to NumPy
            if hasattr(X, "isna"):
                values = X.to_numpy(dtype=np.float64, na_value=np.nan)
            else:
                values = np.asarray(X, dtype=np.float64)
        if np.isfinite(values).all():
            return
        rows, columns = np.nonzero(~np.isfinite(values))
        entries = values[rows, columns]
    for what, is_bad, advice in (
        (
            "missing values (NaN)",
            np.isnan(entries),
            "Fill them in, with sklearn.impute.SimpleImputer for instance, or leave out the rows "
            "or columns.",
        ),
        (
            "infinite values (infinity)",
            np.isinf(entries),
            "Correct them, or leave out the columns.",
        ),
    ):
        if is_bad.any():
            count = np.bincount(columns[is_bad])
            worst = np.argsort(-count, kind="stable")[: min(NAMED, np.count_nonzero(count))]
            listed = ", ".join(
                f"{j if names is None else repr(names[j])} ({count[j]:,})" for j in worst
            )
            more = np.count_nonzero(count) - len(worst)
            others = f" and {more:,} more" if more else ""
            plural = "s" if len(worst) > 1 else ""
            raise DataError(f"X contains {what} in column{plural} {listed}{others}. {advice}")


def text_columns(X: Any) -> dict[Any, str | None]:
    """Columns of a data frame in memory that hold text that is no number, with an example each."""
    text = {}
    for column, dtype in _frames.columns_of(X):
        if dtype in TEXT_TYPES:
            try:
                np.asarray(column.to_numpy()).astype(np.float64)
            except (TypeError, ValueError):
                text[column.name] = next((v for v in column.to_list() if isinstance(v, str)), None)
    return text


def _refuse_text(X: Any) -> None:
    """Refuse columns of a data frame that hold text, with their names."""
    text = text_columns(X)
    if not text:
        return
    names = ", ".join(map(repr, list(text)[:NAMED]))
    more = f" and {len(text) - NAMED:,} more" if len(text) > NAMED else ""
    example = next(iter(text.values()))
    one = len(text) == 1
    raise DataError(
        f"X has {'a column' if one else f'{len(text):,} columns'} of text: {names}{more}"
        f"{'' if example is None else f' (for example {example!r})'}. Leave "
        f"{'it' if one else 'them'} out, or encode {'it' if one else 'them'} as numbers, with "
        "sklearn.preprocessing.OneHotEncoder for instance."
    )


def _sparse_array(X: Any) -> Any:
    """A sparse matrix as the array of its format: sums of a matrix over an axis stay matrices."""
    return X if isinstance(X, sp.sparray) else getattr(sp, f"{X.format}_array")(X)


def _numbers(X: Any) -> Any:
    """An array of objects as float64: scikit-learn leaves polars frames of several types."""
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"X has entries that are not numbers ({error}). Drop or encode these columns."
        ) from None


def _refuse_dates(X: Any) -> None:
    if _frames.is_frame(X):
        times = [column.name for column, dtype in _frames.columns_of(X) if dtype in TIME_TYPES]
        where = f" in column {times[0]!r}" if times else ""
        found = bool(times)
    else:
        where, found = "", getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M")
    if found:
        raise DataError(
            f"X has dates or durations{where}. Convert them to numbers, for instance to days "
            "since the first one."
        )


def _refuse_sparse(name: str, X: Any) -> NoReturn:
    """Refuse a sparse table, with what works."""
    size = 8.0 * X.shape[0] * X.shape[1]
    dense = "Give X.toarray(), or use" if size <= SMALL_TABLE else "Use"
    raise DataError(
        f"{name} does not take sparse X. {dense} a method that does: GreedyCSS, IterFS and the "
        "other column subset methods, AlignedColumns, BLUFS, MCFS, LaplacianScore, VarianceRank; "
        "SpectralGraph for groups of rows."
    )
