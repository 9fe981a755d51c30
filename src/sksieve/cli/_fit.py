"""Make an estimator from the options of a command, and fit it."""

from __future__ import annotations

from typing import Any

from ..catalogue import Method
from ..workflows._fitting import Fitted
from ..workflows._fitting import fit as fit_with
from ..workflows._methods import make_estimator as make_from
from ._options import MethodOptions
from ._print import shows_progress


def make_estimator(
    method: Method, options: MethodOptions, own: dict[str, Any] | None = None
) -> Any:
    """The method's estimator, not yet fitted."""
    return make_from(
        method, options.own_parameters() | (own or {}), options.params, options.options_of(method)
    )


def fit(estimator: Any, X: Any, title: str, seconds: float | None = None) -> Fitted:
    """Fit, with a progress bar on a terminal."""
    return fit_with(estimator, X, title, progress=shows_progress(), seconds=seconds)
