"""The fit of a workflow repeated on random halves of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from .._typing import Indices
from .._wording import argument, counted
from ..evaluation import HalfGroups, HalfSamples, half_groups, half_samples
from ..exceptions import DataError
from ..io import NumericTable
from ._fitting import Fitted


def stability_of_columns(
    fitted: Fitted, chooser: Any, numeric: NumericTable, cost: Any, seed: int
) -> HalfSamples:
    """How often the chosen columns, or variables, are chosen again."""
    est = fitted.estimator if chooser is None else chooser
    more = {} if cost is None else {"cost": cost}
    chosen, names, noun = _chosen(est), numeric.columns, "column"
    if hasattr(est, "variables_"):  # the first column of a variable stands for it
        names, noun = numeric.groups, "variable"
        chosen = np.array([names.index(variable) for variable in est.variables_])
        est = clone(est).set_params(n_features_to_select=len(chosen))  # a half may suggest others
    choose = _on_rows(est, fitted.X, _chosen, more)
    return half_samples(fitted.X, chosen, names, choose, noun=noun, random_state=seed)


def stability_of_groups(fitted: Fitted, seed: int) -> HalfGroups:
    """How well the groups agree with those of half of the rows."""
    group = _on_rows(fitted.estimator, fitted.X, lambda est: est.labels_, {})
    return half_groups(fitted.estimator.labels_, group, random_state=seed)


def _chosen(est: Any) -> Indices:
    return np.asarray(est.ranking_[: int(est.n_features_to_select_)], dtype=np.intp)


def _on_rows(
    est: Any, X: Any, result: Callable[[Any], Any], more: dict[str, Any]
) -> Callable[[Indices], Any]:
    """A function from some rows to the result of an estimator fitted to them."""

    def refitted(rows: Indices) -> Any:
        again = clone(est)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of every half the same
            try:
                again.fit(X[rows], **more)
            except (ValueError, np.linalg.LinAlgError) as error:
                raise DataError(
                    f"{argument('stability')}: {type(est).__name__} refuses a half of "
                    f"{counted(len(rows), 'row')}; leave {argument('stability')} out. {error}"
                ) from error
        return result(again)

    return refitted
