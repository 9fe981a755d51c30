"""Scale, fit, and keep what happened."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..catalogue import Method, list_methods
from ..exceptions import DataError
from ..scaling import scale_columns
from ._interrupt import Interrupt
from ._progress import FitProgress

__all__ = ["Fitted", "fit", "prescaled"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted estimator.

    Parameters
    ----------
    estimator : fitted estimator
    X : ndarray or CSR of shape (m, n)
        What it was fitted to.
    seconds : float
        Wall-clock time of the fit.
    interrupted : bool
        Ctrl-C stopped the loop.
    warnings : tuple of str
        What the fit warned of.
    """

    estimator: Any
    X: Any
    seconds: float
    interrupted: bool
    warnings: tuple[str, ...]


def prescaled(method: Method, X: Any, scale: str) -> Any:
    """The data as the estimator gets them: column subset methods scale by themselves.

    Raises
    ------
    DataError
        If the data are sparse and the method, or the scaling, is for dense data only.
    """
    if sp.issparse(X):
        _check_sparse(method, scale)
    if scale == "none" or (method.kind == "columns" and scale != "minmax"):
        return X
    return scale_columns(X, scale).X


def _check_sparse(method: Method, scale: str) -> None:
    if not method.sparse:
        groups = method.kind == "clusterer"
        alike = [m for m in list_methods() if (m.kind == "clusterer") == groups]
        able = [m.name for m in alike if m.sparse]
        raise DataError(
            f"The method {method.name} needs a dense table and this one is sparse; "
            f"methods that take sparse tables: {', '.join(able)}."
        )
    if scale == "minmax" or (scale == "standard" and method.kind != "columns"):
        raise DataError(
            f"--scale {scale} would fill in the zeros of a sparse table"
            f"{'' if scale == 'minmax' else f' for the method {method.name}'}; "
            "use --scale unit or --scale none."
        )


def fit(estimator: Any, X: Any, title: str, console: Any) -> Fitted:
    """Fit, with a progress bar on `console`; Ctrl-C keeps the best answer of a loop."""
    known = estimator.get_params()
    loops = "max_iter" in known or "time_budget" in known
    limits = {"seconds": known.get("time_budget"), "n_iter": known.get("max_iter")}
    progress = FitProgress(console, title, **limits)
    with Interrupt(loops) as interrupt, progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        estimator.set_callbacks(progress, interrupt)
        started = perf_counter()
        estimator.fit(X)
        seconds = perf_counter() - started
        estimator.set_callbacks()
    interrupted = interrupt.requested and getattr(estimator, "stop_reason_", "") == "callback"
    said = dict.fromkeys(
        " ".join(str(w.message).split()) for w in caught if issubclass(w.category, UserWarning)
    )
    return Fitted(estimator, X, seconds, interrupted, tuple(said))


def chosen(estimator: Any) -> Any:
    """Indices of the chosen columns, in order."""
    return np.asarray(estimator.ranking_[: int(estimator.n_features_to_select_)])
