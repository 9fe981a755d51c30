"""Whether other columns of as many could have a smaller error, where that is soon known."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._wording import counted, listed, percent
from ..evaluation import SelectionSummary
from ..io import NumericTable
from ._fitting import Fitted, fit

#: Seconds of the search, and the largest tables it is tried on.
SECONDS, COLUMNS, NUMBERS = 1.0, 100, 1_000_000
#: Errors that differ by a smaller part of the whole are equal.
EQUAL = 1e-9


class Proof(NamedTuple):
    """What is proved about the columns chosen; all of the rows of the fit.

    Attributes
    ----------
    is_best : bool or None
        No other columns of as many have a smaller error; None where that is not known.
    bound : float
        No columns of as many explain a larger share.
    sentence : str
    """

    is_best: bool | None
    bound: float
    sentence: str


def proof(
    fitted: Fitted, train: SelectionSummary, numeric: NumericTable
) -> tuple[Proof | None, float]:
    """Search all subsets for a second, from columns that local search chose.

    Returns
    -------
    Proof or None
        None for tables that are sparse or too large, and where the columns explain everything.
    compiling : float
        Seconds of compilation.
    """
    X, k = fitted.X, len(train.chosen)
    is_small = not hasattr(X, "tocsr") and X.shape[1] <= COLUMNS and X.size <= NUMBERS
    if not is_small or train.error <= EQUAL * train.total:
        return None, 0.0
    from ..columns import ExactCSS  # its kernels are compiled where it is needed only

    estimator = ExactCSS(k, scale="standard", time_budget=SECONDS)
    search = fit(estimator, X, "Searching for a proof")
    return _proof(search.estimator, train, numeric), search.compiling


def _proof(exact: Any, train: SelectionSummary, numeric: NumericTable) -> Proof:
    k = len(train.chosen)
    others = "other column has" if k == 1 else f"other {k} columns have"
    error = exact.objective_ if exact.proven_ else exact.lower_bound_
    bound = 1 - float(error) / train.total
    if not exact.proven_:
        return Proof(
            None,
            bound,
            f"No {counted(k, 'column')} can explain more than {percent(bound)} on these rows "
            f"(proved); the chosen ones explain {percent(train.explained)}.",
        )
    if train.error - error <= EQUAL * train.total:
        return Proof(True, bound, f"No {others} a smaller error on these rows (proved).")
    best = listed([numeric.columns[j] for j in exact.ranking_[:k]])
    return Proof(
        False,
        bound,
        f"The smallest error on these rows (proved) is that of {best}: they explain "
        f"{percent(bound)} there, the chosen ones {percent(train.explained)}.",
    )
