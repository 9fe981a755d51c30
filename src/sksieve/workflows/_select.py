"""Which columns to keep: method, number, fit and judgement."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from .._array import n_nonzero
from .._wording import argument, counted, listed, percent, shortened
from ..catalogue import Method, get_method, list_methods
from ..evaluation import SelectionSummary, selection_summary
from ..exceptions import ArgumentError, DataError
from ..io import NumericTable, read_costs
from ..io._numeric import matching
from ..metrics import HeldOut
from ..suggest import Suggestion, suggest_n_columns, suggest_n_variables
from ..tables import row_norms2, rows_of, varying_columns
from ._fitting import Fitted, fit
from ._methods import Choice, choose, make_estimator, prescaled, suitable_scale
from ._proof import Proof, proof
from ._selection import Judgement, Selection
from ._stability import stability_of_columns
from ._tables import Preparing, as_numeric

#: The methods behind ``method="auto"``, without and with a time limit.
AUTO, TIMED = "choice", "local_search"
#: The method for whole variables of a table with encoded text columns, and the uses it serves.
MIXED, MIXED_USES = "mixed", ("any", "reconstruct")
USES = ("any", "groups", "reconstruct", "neighbors")
SCALES = ("auto", "standard", "unit", "minmax", "none")
#: Most columns that are advised where none are suggested.
FEW = 10
#: One row of so many are the far ones; the share of the variance that is much for them.
FAR_ROWS, FAR_SHARE = 50, 0.3
#: Arguments that only column subset methods have.
RESTRICTIONS = ("cost", "candidates", "keep", "budget", "solver")


def select(
    X: Any,
    k: int | float | str = "auto",
    use: str = "any",
    *,
    method: str = "auto",
    params: Mapping[str, Any] | None = None,
    scale: str = "auto",
    n_clusters: int | None = None,
    candidates: str | Sequence[str] | None = None,
    keep: str | Sequence[str] | None = None,
    cost: Any = None,
    budget: float | None = None,
    solver: Any = "auto",
    time_limit: float | None = None,
    random_state: int = 0,
    stability: bool = False,
    progress: bool = False,
    **preparing: Unpack[Preparing],
) -> Selection:
    """Choose the columns of a table to keep, and judge them: what ``sksieve select`` does.

    Parameters
    ----------
    X : path, DataFrame, array, sparse matrix, AnnData, Table or NumericTable
        Samples are rows. A path is read by `sksieve.io.read_table`; give its result to read with
        other options.
    k : int, float in (0, 1), "auto" or a text such as "90%", default="auto"
        How many columns. ``"auto"``: suggested from the table. A share: as many as carry it of what
        all columns have in common.
    use : {"any", "groups", "reconstruct", "neighbors"}, default="any"
        What the columns are for; see `ColumnChoice`. ``"reconstruct"`` on small tables also
        searches for a second for a proof that no other columns have a smaller error.
    method : str, default="auto"
        Name in the catalogue; ``"auto"`` follows `use`, and is local search where a time limit or
        one of `candidates`, `keep`, `cost` and `solver` is given.
    params : mapping of str to value, optional
        Parameters of the method.
    scale : {"auto", "standard", "unit", "minmax", "none"}, default="auto"
        Scaling of the columns; ``"auto"``: what suits the method, in most cases standard.
    n_clusters : int, optional
        Number of groups of rows, for methods that use it.
    candidates : str or sequence of str, optional
        Choose only among these columns. All columns are still to be explained.
    keep : str or sequence of str, optional
        Columns that must be among the chosen.
    cost : path, mapping of str to float, or array-like of shape (n_features,), optional
        Cost of each column; needs `budget`.
    budget : float, optional
        Most that the chosen columns may cost in all.
    solver : {"auto", "gram", "factored"} or Factored, default="auto"
        Of column subset methods.
    time_limit : float, optional
        Seconds. A method that iterates returns its best result so far.
    random_state : int, default=0
        Seed of the random numbers.
    stability : bool, default=False
        Repeat the choice on 20 random halves of the rows, and report how often each column is
        chosen again. Takes about ten times as long; a `time_limit` holds for each half.
    progress : bool, default=False
        Show a progress bar.
    **preparing
        Arguments of `sksieve.io.numeric_table`: ``columns``, ``drop``, ``include``,
        ``label_column``, ``numeric_only``, ``encode``, ``impute``, ``drop_missing``.

    Returns
    -------
    Selection
        Prints as its answer; `Selection.report` writes the page.

    Raises
    ------
    ArgumentError
        If an argument is none of those above, or two exclude each other.
    DataError
        If the table cannot be used, or shows no structure and `k` is not a number.

    Examples
    --------
    >>> import sksieve
    >>> from sklearn.datasets import load_wine
    >>> answer = sksieve.select(load_wine(as_frame=True).data, 3, use="reconstruct")
    >>> answer.columns
    ['flavanoids', 'color_intensity', 'alcalinity_of_ash']
    >>> round(answer.explained, 2)
    0.55
    """
    plan = SelectionPlan(
        k=k,
        use=use,
        method=method,
        params=params or {},
        scale=scale,
        n_clusters=n_clusters,
        candidates=candidates,
        keep=keep,
        cost=cost,
        budget=budget,
        solver=solver,
        time_limit=time_limit,
        random_state=random_state,
        stability=stability,
        progress=progress,
    )
    return plan.run(as_numeric(X, preparing, plan.named))


class Limits(NamedTuple):
    """Which columns may or must be chosen, by their places, and what they cost."""

    candidates: list[int] | None
    keep: list[int] | None
    cost: NDArray[np.float64] | None
    notes: list[str]

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the estimator."""
        given = {"candidates": self.candidates, "keep": self.keep}
        return {name: value for name, value in given.items() if value is not None}

    def within(self, k: int) -> int:
        """A suggested number of columns, made possible."""
        most = k if self.candidates is None else len({*self.candidates, *(self.keep or ())})
        return max(min(k, most), len(self.keep or ()))


@dataclass(frozen=True, kw_only=True)
class SelectionPlan:
    """The arguments of `select`, checked before any table is read."""

    k: int | float | str = "auto"
    use: str = "any"
    method: str = "auto"
    params: Mapping[str, Any] = field(default_factory=dict)
    scale: str = "auto"
    n_clusters: int | None = None
    candidates: str | Sequence[str] | None = None
    keep: str | Sequence[str] | None = None
    cost: Any = None
    budget: float | None = None
    solver: Any = "auto"
    time_limit: float | None = None
    random_state: int = 0
    stability: bool = False
    progress: bool = False

    def __post_init__(self) -> None:
        check_word("use", self.use, USES)
        check_word("scale", self.scale, SCALES)
        number = self.number
        if self.method != "auto" and self.use != "any":
            raise ArgumentError(
                f"{argument('use')} chooses the method; leave it out, or leave out "
                f"{argument('method')}."
            )
        choice = self.choice
        self._check_restrictions(choice.method)
        if number is not None and "n_features_to_select" not in choice.method.defaults():
            raise ArgumentError(
                f"{argument('k', self.k)}: {choice.method.name} finds the number itself; omit "
                f"{argument('k')}."
            )
        if self.n_clusters is not None and "n_clusters" not in choice.method.defaults():
            able = [m.name for m in list_methods() if _takes_count(m)]
            raise ArgumentError(
                f"{argument('n_clusters', self.n_clusters)}: {choice.method.name} needs no number "
                f"of groups; methods that do: {', '.join(able)}."
            )
        self.estimator(choice.method)

    @property
    def number(self) -> int | float | None:
        """Columns to choose, or a share of what all have in common, or None for ``auto``."""
        if not isinstance(self.k, str):
            if isinstance(self.k, float) and 0 < self.k < 1:
                return float(self.k)
            if isinstance(self.k, int | np.integer) and not isinstance(self.k, bool):
                if self.k < 1:
                    raise ArgumentError(f"{argument('k', self.k)}: choose at least one column.")
                return int(self.k)
        text = str(self.k).strip()
        if text == "auto":
            return None
        if text.lstrip("-").isdecimal():
            return replace(self, k=int(text)).number
        parts = re.fullmatch(r"(\d+\.?\d*) ?%", text)
        if parts is None or not 0 < float(parts[1]) < 100:
            raise ArgumentError(
                f"{argument('k', self.k)}: use a number, auto, or a share such as 90%."
            )
        return float(parts[1]) / 100

    @property
    def restrictions(self) -> tuple[str, ...]:
        """The arguments given that only column subset methods have."""
        return tuple(
            name
            for name in RESTRICTIONS
            if getattr(self, name) is not None and not is_auto(getattr(self, name))
        )

    @property
    def named(self) -> tuple[str, ...]:
        """Columns that the arguments name, which are used although they look like labels."""
        return (*names_of(self.candidates), *names_of(self.keep))

    @property
    def choice(self) -> Choice:
        """The method, and why it is taken."""
        auto = Choice(get_method(AUTO), "auto")
        if self.time_limit is not None:
            auto = Choice(get_method(TIMED), "auto: keeps searching until the time limit")
        elif self.restrictions:
            taken = " and ".join(map(argument, self.restrictions))
            auto = Choice(get_method(TIMED), f"auto: takes {taken}")
        return choose(self.method, ("columns", "selector"), auto)

    def estimator(self, method: Method, more: Mapping[str, Any] | None = None) -> Any:
        """The method's estimator, not yet fitted."""
        given = {
            "random_state": self.random_state,
            "time_budget": self.time_limit,
            "use": self.use,
            "n_clusters": self.n_clusters,
            "budget": self.budget,
            "solver": None if is_auto(self.solver) else self.solver,
        }
        own = {
            "random_state": argument("random_state"),
            "time_budget": argument("time_limit"),
            "n_features_to_select": argument("k"),
            "n_clusters": argument("n_clusters"),
            "use": argument("use"),
            "scale": argument("scale"),
        }
        if method.kind == "columns":
            own |= {name: argument(name) for name in RESTRICTIONS}
        return make_estimator(method, given | dict(more or {}), self.params, own)

    def _check_restrictions(self, method: Method) -> None:
        """Refuse candidates, keep, cost and solver where they cannot be met."""
        given = self.restrictions
        if given and self.use != "any":
            raise ArgumentError(
                f"{argument(given[0])} is for column subset methods, and {argument('use')} "
                "compares methods of all kinds; leave one of them out."
            )
        if (self.cost is None) != (self.budget is None):
            raise ArgumentError(
                f"{argument('cost')} and {argument('budget')} belong together: the chosen columns "
                "cost at most the budget in all. Give both or neither."
            )
        if self.budget is not None and not 0 < self.budget < np.inf:
            raise ArgumentError(f"{argument('budget')} {self.budget:g}: give a number above 0.")
        for name in given:
            if not _takes(method, name):
                able = [m.name for m in list_methods() if _takes(m, name)]
                raise ArgumentError(
                    f"{argument(name)}: the method {method.name} does not take it; methods that "
                    f"do: {', '.join(able)}."
                )

    def run(self, numeric: NumericTable) -> Selection:
        """Choose columns of a table."""
        check_number(self.number if isinstance(self.number, int) else 0, numeric)
        limits = self._limits(numeric)
        choice, notes = self._choice_for(numeric)
        method = choice.method
        scale = self.scale
        if scale == "auto":
            scale, why = suitable_scale(method, sparse=hasattr(numeric.X, "tocsr"))
            notes += filter(None, [why])
        X = numeric.X if method.name == AUTO else prescaled(method, numeric.X, scale)
        _check_varies(X, numeric.table.name)
        suggestion: Suggestion | None = None
        k: int | str = "some"
        if "n_features_to_select" in method.defaults():
            k, suggestion = self._how_many(replace(numeric, X=X), method)
            k = k if suggestion is None else limits.within(k)
        fitted = fit(
            self.estimator(method, self._own(method, k, numeric, limits, scale)),
            X,
            f"Choosing {k} of {len(numeric.columns):,} columns",
            progress=self.progress,
            seconds=self.time_limit,
            cost=limits.cost,
        )
        chooser = None
        if method.name == AUTO:
            chooser = fitted.estimator
            choice = Choice(get_method(chooser.method_), f"auto, for {self.use}")
            fitted = replace(fitted, estimator=chooser.estimator_)
        train = selection_summary(fitted.estimator, fitted.X, scale=scale)
        fitted, proved = self._proved(fitted, chooser, train, numeric)
        judgement = _judged(numeric, train, chooser)
        more = [*(suggestion.notes if suggestion else ()), *_far_rows(numeric, judgement)]
        again = None
        if self.stability:
            again = stability_of_columns(fitted, chooser, numeric, limits.cost, self.random_state)
        return Selection(
            plan=self,
            numeric=numeric,
            cost=limits.cost,
            choice=choice,
            scale=scale,
            fitted=fitted,
            chooser=chooser,
            suggestion=suggestion,
            train=train,
            judgement=judgement,
            stability=again,
            proof=proved,
            notes=[*numeric.notes, *limits.notes, *notes, *fitted.warnings, *more],
        )

    def _proved(
        self, fitted: Fitted, chooser: Any, train: SelectionSummary, numeric: NumericTable
    ) -> tuple[Fitted, Proof | None]:
        """What is proved of columns that are to reconstruct; the fit with the time of compiling."""
        if self.use != "reconstruct" or chooser is None:
            return fitted, None
        proved, compiling = proof(fitted, train, numeric)
        return replace(fitted, compiling=fitted.compiling + compiling), proved

    def _choice_for(self, numeric: NumericTable) -> tuple[Choice, list[str]]:
        """The method for a table, which may hold text columns, and notes on them."""
        choice = self.choice
        if numeric.is_mixed and choice.method.name == AUTO and self.use in MIXED_USES:
            choice = Choice(get_method(MIXED), "auto")
        if choice.method.name == MIXED:
            self._check_variables(numeric)
        elif numeric.is_mixed:
            return choice, [
                f"Each 0/1 column is chosen or dropped by itself; {argument('method', MIXED)} "
                "keeps those of a text column together."
            ]
        return choice, []

    def _limits(self, numeric: NumericTable) -> Limits:
        """What candidates, keep and cost say about the columns there are to choose from."""
        names, where = numeric.columns, f"what is used of {numeric.table.name}"
        candidates, keep = (
            list(matching(names, names_of(given), argument(name), where)) if given else None
            for given, name in ((self.candidates, "candidates"), (self.keep, "keep"))
        )
        k = self.number
        if isinstance(k, int) and keep is not None and len(keep) > k:
            raise DataError(
                f"{argument('keep')} names {counted(len(keep), 'column')}, more than "
                f"{argument('k', k)}; raise {argument('k')}, or keep fewer."
            )
        if isinstance(k, int) and candidates is not None:
            there = len({*candidates, *(keep or ())})
            if there < k:
                both = f" and {argument('keep')}" if keep else ""
                raise DataError(
                    f"{argument('candidates')}{both} names {counted(there, 'column')}, fewer than "
                    f"{argument('k', k)}; lower {argument('k')}, or name more."
                )
        cost, notes = _costs(self.cost, names)
        return Limits(candidates, keep, cost, notes)

    def _check_variables(self, numeric: NumericTable) -> None:
        """Refuse more variables than there are."""
        there, number = len(set(numeric.groups)), self.number
        if isinstance(number, int) and number > there:
            raise DataError(
                f"{argument('k', number)} asks for more than the {counted(there, 'variable')} of "
                f"{numeric.table.name}; use {there:,} or fewer."
            )

    def _own(
        self, method: Method, k: int | str, numeric: NumericTable, limits: Limits, scale: str
    ) -> dict[str, Any]:
        """Parameters of the estimator that depend on the table."""
        own: dict[str, Any] = {"n_features_to_select": k, **limits.parameters}
        if method.name == MIXED:  # it chooses among other variables where it counts them
            own |= {"n_features_to_select": self.number or "auto", "groups": numeric.groups}
        if method.kind == "columns":
            own["scale"] = "none" if scale == "minmax" else scale
        return own

    def _how_many(self, numeric: NumericTable, method: Method) -> tuple[int, Suggestion | None]:
        """How many columns to choose, and the suggestion that says so unless it was given."""
        number, name, how = self.number, numeric.table.name, argument("k", "N")
        n = len(set(numeric.groups) if method.name == MIXED else numeric.columns)
        instead = (("k", max(1, min(n // 2, FEW))),)
        if isinstance(number, int):
            return number, None
        try:
            if method.name == MIXED:
                suggestion = suggest_n_variables(numeric.X, numeric.groups)
            else:
                suggestion = suggest_n_columns(numeric.X, random_state=self.random_state)
        except DataError as error:
            text = f"{name}: give a number of columns ({how}). {error}"
            raise DataError(text, remedy=instead) from error
        k = suggestion.n if number is None else suggestion.enough(number)
        if k is None:
            text = f"{name}: {suggestion.sentence} Choose a number ({how})."
            raise DataError(text, remedy=instead)
        return k, suggestion


def is_auto(value: Any) -> bool:
    """Whether an argument is ``"auto"``; arrays are not compared."""
    return isinstance(value, str) and value == "auto"


def names_of(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names of columns as a tuple."""
    return (given,) if isinstance(given, str) else tuple(given or ())


def check_word(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Refuse a word that is none of those allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ArgumentError(
            f"{argument(name, value)}: use {', '.join(allowed[:-1])} or {allowed[-1]}."
        )


def check_number(k: int, numeric: NumericTable) -> None:
    """Refuse more columns than there are."""
    n = len(numeric.columns)
    if k > n:
        raise DataError(
            f"{argument('k', k)} asks for more than the {counted(n, 'column')} there are to choose "
            f"from in {numeric.table.name}; use {n:,} or fewer."
        )


def _check_varies(X: Any, name: str) -> None:
    """Refuse a table without anything to choose from."""
    if not n_nonzero(X):
        raise DataError(
            f"Every column of {name} is zero, unchanged or once scaled (constant); there is "
            "nothing to choose from."
        )


def _takes(method: Method, name: str) -> bool:
    """Has a method the parameter that an argument sets?"""
    if method.kind != "columns":
        return False
    if name in ("cost", "budget"):
        return "budget" in method.defaults()
    return name in method.defaults()


def _takes_count(method: Method) -> bool:
    """Has a selector the parameter for the number of groups?"""
    return method.kind != "clusterer" and "n_clusters" in method.defaults()


def _costs(cost: Any, names: Sequence[str]) -> tuple[NDArray[np.float64] | None, list[str]]:
    """Costs of the columns in their order, and a note on those of other columns."""
    if cost is None:
        return None, []
    if isinstance(cost, str | os.PathLike):
        values, unused = read_costs(cost, names)
    elif isinstance(cost, Mapping):
        missing = [name for name in names if name not in cost]
        if missing:
            raise DataError(f"{argument('cost')} has no entry for {listed(missing)}.")
        values = np.array([float(cost[name]) for name in names])
        unused = [str(name) for name in cost if name not in set(names)]
    else:
        values, unused = np.asarray(cost, dtype=np.float64), []
        if values.shape != (len(names),):
            raise DataError(
                f"{argument('cost')} has the shape {values.shape}; give a number for each of the "
                f"{counted(len(names), 'column')}."
            )
    notes = [f"Costs of columns that are not used: {listed(unused)}."] if unused else []
    return values, notes


def _judged(numeric: NumericTable, train: Any, chooser: Any) -> Judgement:
    """What the chosen columns, or variables, explain on rows that were not used.

    A `ColumnChoice` has judged random columns already.
    """
    chosen, groups = train.chosen, None
    ends = np.arange(len(chosen))
    if train.variables is not None:
        groups, ends = numeric.groups, np.cumsum(train.variables.sizes) - 1
    judge = HeldOut(numeric.X, groups=groups)
    k = len(ends)
    components = judge.components(k) if groups is None else np.zeros(0)
    random = None
    if k <= len(np.unique(judge.groups[judge.varies])):
        random = judge.random(k)[-1] if chooser is None else chooser.compared_[-1]["explained"]
    return Judgement(
        path=judge.path(chosen)[ends],
        components=float(components[-1]) if len(components) == k else None,
        random=None if random is None else float(random),
    )


def _far_rows(numeric: NumericTable, judgement: Judgement) -> list[str]:
    """Why principal components explain less than the columns, where few rows are the reason."""
    components = judgement.components
    if components is None or judgement.path[-1] <= components:
        return []
    Z, varies = varying_columns(numeric.X, "standard")
    norms, m = row_norms2(Z), Z.shape[0]
    n_far = -(-m // FAR_ROWS)
    far = np.argsort(-norms, kind="stable")[:n_far]
    if norms[far].sum() < FAR_SHARE * norms.sum():
        return []
    shares = (rows_of(Z, far) ** 2).sum(axis=0) / m
    name = numeric.columns[np.flatnonzero(varies)[shares.argmax()]]
    return [
        f"{counted(n_far, 'row')} of {m:,} {'holds' if n_far == 1 else 'hold'} "
        f"{percent(norms[far].sum() / norms.sum())} of the variance ({percent(shares.max())} of "
        f"that of {shortened(name)!r}): principal components follow such rows, and explain less "
        "of the others than these columns."
    ]
