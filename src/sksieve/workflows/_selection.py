"""A selection of columns as an answer: text, numbers, page, document.

The layout of the JSON document is stable: within ``sksieve.select/2`` fields are added, never
renamed or removed. Shares lie in [0, 1]; a number that is not finite is null; columns are counted
from 0 in the order of ``columns``, the columns the method could choose from.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._versions import versions
from .._wording import argument, counted, duration, explained_sentence, percent, shortened, spelled
from ..io import NumericTable
from ..io._messages import package
from ..suggest._columns import SHARE
from ._fitting import Fitted
from ._methods import Choice
from ._tables import data_entry, data_line
from ._text import Blocks, Grid, Printed, as_json

if TYPE_CHECKING:
    import pandas as pd

    from ..evaluation import HalfSamples, SelectionSummary
    from ..report import ImageShape
    from ..report._html import Page
    from ..suggest import Suggestion
    from ._proof import Proof
    from ._select import SelectionPlan

SCHEMA = "sksieve.select/2"
#: Chosen columns from which on the answer also says what the first half explains.
HALVED = 4


class Judgement(NamedTuple):
    """Cross-validated shares of the variance of all columns (`sksieve.evaluation.explained`).

    Attributes
    ----------
    path : ndarray of shape (k,)
        Of the first chosen column or variable, the first two, and so on.
    components, random : float or None
        Of k principal components, and of k random columns or variables (mean of ten draws); None
        where there are not so many. Components are not compared with variables of several columns.
    """

    path: NDArray[np.float64]
    components: float | None
    random: float | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Selection(Printed):
    """Chosen columns and what they are worth; made by `sksieve.select`.

    Attributes
    ----------
    numeric : NumericTable
        The columns the method could choose from, as numbers.
    estimator : fitted selector
    indices : ndarray of shape (k,)
        Chosen columns of ``numeric``, in order.
    columns : list of str
        Their names; of a table with text columns the chosen variables.
    k : int
        Chosen columns or variables.
    explained : float
        Cross-validated share of the variance of all columns that they explain.
    judgement : Judgement
        That share for the first columns, principal components and random columns.
    suggestion : Suggestion or None
        Of the number of columns, where it was not given.
    train : SelectionSummary
        Shares on the rows of the fit.
    stability : HalfSamples or None
        How often each column is chosen again on half of the rows, where that was asked for.
    proof : Proof or None
        Of small tables and ``use="reconstruct"``: whether others could have a smaller error.
    notes : list of str
    """

    plan: SelectionPlan
    numeric: NumericTable
    cost: NDArray[np.float64] | None
    choice: Choice
    scale: str
    fitted: Fitted
    chooser: Any  # the fitted ColumnChoice, or None
    suggestion: Suggestion | None
    train: SelectionSummary
    judgement: Judgement
    stability: HalfSamples | None = None
    proof: Proof | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def estimator(self) -> Any:
        """The fitted selector."""
        return self.fitted.estimator

    @property
    def indices(self) -> NDArray[np.intp]:
        """Chosen columns of the numeric table, in order."""
        return self.train.chosen

    @property
    def columns(self) -> list[str]:
        """Names of the chosen columns, or variables, in order."""
        variables = self.train.variables
        if variables is not None:
            return [str(name) for name in variables.names]
        return [self.numeric.columns[j] for j in self.indices]

    @property
    def k(self) -> int:
        """Number of chosen columns, or variables."""
        return len(self.judgement.path)

    @property
    def n_columns(self) -> int:
        """Number of columns, or variables, to choose from."""
        is_whole = self.train.variables is not None
        return len(set(self.numeric.groups)) if is_whole else len(self.numeric.columns)

    @property
    def noun(self) -> str:
        """What is chosen."""
        return "column" if self.train.variables is None else "variable"

    @property
    def left_out(self) -> list[str]:
        """The notes on columns that are not used, which the first line holds."""
        return self.numeric.left_out

    @property
    def explained(self) -> float:
        """Cross-validated share of the variance of all columns that the chosen ones explain."""
        return float(self.judgement.path[-1])

    @property
    def adds(self) -> NDArray[np.float64]:
        """What each adds to the share of those before it; below 0 where it adds noise."""
        return np.diff(self.judgement.path, prepend=0.0)

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each chosen column: ``so_far``, ``adds``, ``unique``, ``missing``, ``cost``.

        ``unique``: share of the column that the other chosen ones do not explain (of the fit).
        ``missing``: share of its values that was missing. ``cost``: where columns have costs.
        ``chosen_again``: with ``stability``, on how many halves of the rows.
        """
        pandas = package("pandas", "cli")
        variables = self.train.variables
        unique = self.train.unique if variables is None else variables.unique
        values: dict[str, Any] = {
            self.noun: self.columns,
            "so_far": self.judgement.path,
            "adds": self.adds,
            "unique": unique,
        }
        if variables is None:
            values["missing"] = self.numeric.missing[self.indices]
            if self.cost is not None:
                values["cost"] = self.cost[self.indices]
        if self.stability is not None:
            values["chosen_again"] = self.stability.counts
        return pandas.DataFrame(values, index=range(1, self.k + 1))

    def transform(self, X: Any = None) -> Any:
        """The chosen columns of a table.

        Parameters
        ----------
        X : DataFrame or array, optional
            A table with the columns that were given to `sksieve.select`; by default that table, as
            numbers.

        Returns
        -------
        DataFrame or array
            Of a data frame its chosen columns; of an array the same places. Of text columns, which
            were turned into 0/1 columns, the columns themselves.
        """
        if X is None:
            return self.numeric.to_frame().iloc[:, self.indices]
        names = list(dict.fromkeys(self.numeric.groups[j] for j in self.indices))
        if hasattr(X, "columns"):
            return X[names]
        places = {name: i for i, name in enumerate(self.numeric.table.columns)}
        return X[:, [places[name] for name in names]]

    # Text ----------------------------------------------------------------------------------------

    def headline(self) -> str:
        """What the columns explain, beside principal components and random columns."""
        return explained_sentence(
            self.k,
            self.n_columns,
            self.explained,
            components=self.judgement.components,
            random=self.judgement.random,
            noun=self.noun,
        )

    def blocks(self, *, details: bool = False) -> Blocks:
        """What is printed, line by line."""
        m = self.numeric.X.shape[0]
        shape = f"{counted(m, 'row')}, {counted(self.n_columns, self.noun)}"
        sparse = ", sparse" if hasattr(self.numeric.X, "tocsr") else ""
        lines: Blocks = [
            " ".join([f"{self.numeric.table.name}: {shape}{sparse}.", *self.left_out]),
            self.headline(),
            "",
            self._grid(),
            "",
            *self._number_lines(),
            self._method_line(),
            *([] if self.proof is None else [f"Proof: {self.proof.sentence}"]),
            *([] if self.stability is None else [f"Stability: {self.stability.sentence}"]),
        ]
        return [*lines, *(self._details() if details else ())]

    def _grid(self) -> Grid:
        sizes = None if self.train.variables is None else self.train.variables.sizes
        heads = [">  #", self.noun, ">so far", ">adds"]
        rows: list[list[Any]] = [
            [i + 1, shortened(name), percent(share), signed_percent(gain)]
            for i, (name, share, gain) in enumerate(
                zip(self.columns, self.judgement.path, self.adds)
            )
        ]
        if sizes is not None:
            heads.insert(2, ">columns")
            rows = [[*row[:2], size, *row[2:]] for row, size in zip(rows, sizes)]
        elif self.numeric.missing.any():
            heads.append(">missing")
            shares = self.numeric.missing[self.indices]
            rows = [[*row, percent(share)] for row, share in zip(rows, shares)]
        if self.cost is not None:
            heads.append(">cost")
            rows = [[*row, f"{self.cost[j]:g}"] for row, j in zip(rows, self.indices)]
        if self.stability is not None:
            heads.append(">chosen again")
            n = self.stability.n_subsets
            rows = [[*row, f"{times} of {n}"] for row, times in zip(rows, self.stability.counts)]
        return Grid(heads, rows)

    def _number_lines(self) -> list[str]:
        """Why so many columns, where that was not given, and what they cost."""
        lines = []
        if (sentence := self._how_many()) is not None:
            half = self.k // 2
            if self.k >= HALVED:
                sentence += f" The first {half} explain {percent(self.judgement.path[half - 1])}."
            lines.append(f"How many: {sentence}")
        if self.cost is not None:
            spent = self.cost[self.indices].sum()
            lines.append(f"Cost: {spent:g} of {self.plan.budget:g}.")
        return lines

    def _how_many(self) -> str | None:
        suggestion, number = self.suggestion, self.plan.number
        if suggestion is None:
            return None
        if number is not None:
            carry = f"carry {percent(number)} of what all columns have in common"
            if self.train.variables is not None:
                carry = f"explain {percent(number)} of the table on rows not used"
            return f"{self.k}: the fewest that {carry} (by forward selection)."
        if suggestion.kind == "guess":
            why = "a further variable explains little besides itself"
            if self.explained >= SHARE:
                why = f"enough to explain {percent(SHARE)} of the table on rows not used"
            return f"{self.k}, a guess: {why}."
        low, high = suggestion.interval or (self.k, self.k)
        between = f" ({low} to {high})" if low < high else ""
        dimensions = counted(suggestion.evidence["dimensions"], "dimension")
        if self.k != suggestion.n:
            return f"{self.k}: {suggestion.n} are suggested, limited by the columns allowed."
        if suggestion.kind == "count":
            return (
                f"{self.k}{between}: the table has {dimensions} above its noise; later columns add "
                "little more than noise."
            )
        if suggestion.kind == "share":
            return (
                f"{self.k}{between}: enough for 90 % of what all columns have in common; the "
                f"structure fades gradually over about {dimensions}, so no number is sharp."
            )
        return (
            f"{self.k}{between}: the table has too few rows to say how many more are needed; more "
            "rows would show more."
        )

    def _method_line(self) -> str:
        method, use = self.choice.method, self.plan.use
        title = method.title[:1].lower() + method.title[1:].rstrip(".")
        more = spelled(f"help(sksieve.{method.class_name})", f"sksieve methods {method.name}")
        how = f"more: {more}"
        line = f"How chosen: {title} ({method.name}, {self.choice.reason}; {how})."
        if self.train.variables is not None:
            line = f"How chosen: whole variables; a text column counts as one ({how})."
        if getattr(self.estimator, "target_", "") == "structure":
            line = (
                "How chosen: columns that carry the groups and the variance (structure target; "
                f"{how})."
            )
        if self.chooser is None:
            return line
        other = "reconstruct" if use != "reconstruct" else "groups"
        return f"{line} Another use: {argument('use', other)}."

    def _details(self) -> Blocks:
        """What the first screen leaves out."""
        train, fitted = self.train, self.fitted
        steps = f" ({fitted.stopped})" if fitted.stopped else ""
        lines: Blocks = ["", data_line(self.numeric, self.scale)]
        if train.variables is None:
            unique = sorted(zip(train.unique, self.columns))
            best = "PCA" if train.scale == "standard" else "the SVD"
            lines += [
                f"On the rows of the fit: {percent(train.explained)} explained ({best} "
                f"{percent(train.best_possible)}; error ratio {train.ratio:.3f}).",
                f"Least unique: {unique[0][1]!r}, {percent(unique[0][0])} of it not explained by "
                "the other chosen columns.",
            ]
        quicker = ""
        if self.choice.method.name == "pocss":
            name = argument("method", "local_search")
            quicker = f" Usually quicker, with about the same error: {name}."
        lines.append(f"Time: {duration(fitted.seconds)}{steps}.{quicker}")
        if fitted.compiling:
            lines.append(f"Compiling, once on this machine: {duration(fitted.compiling)}.")
        if self.chooser is not None:
            lines += ["", _candidates(self.chooser)]
        return lines

    # The document and the page -------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """The answer as JSON can hold it."""
        est, variables = self.estimator, self.train.variables
        return as_json(
            {
                "schema": SCHEMA,
                "versions": versions(),
                "data": data_entry(self.numeric),
                "method": self.choice.record(est, self.plan.random_state) | {"scale": self.scale},
                "k": self.k,
                "requested": self.plan.k,
                "suggestion": self.suggestion and self.suggestion.record(),
                "choice": self.chooser
                and {
                    "use": self.plan.use,
                    "candidates": self.chooser.compared_,
                },
                "explained": {
                    "chosen": self.explained,  # cross-validated share of all columns' variance
                    "components": self.judgement.components,  # as many principal components
                    "random": self.judgement.random,  # as many random columns, mean of ten draws
                },
                "chosen": self._entries(),
                "proof": self.proof and self.proof._asdict(),
                "stability": self.stability and asdict(self.stability),
                "variables": variables and variables.names,  # of a table with text
                "train": self._train_entry(),
                "ranking": est.ranking_,  # all columns, best first
                "columns": self.numeric.columns,
                "fit": self.fitted.record(),
                "notes": self.notes,
            }
        )

    def _entries(self) -> list[dict[str, Any]]:
        """The chosen columns or variables, for the JSON document."""
        train, variables = self.train, self.train.variables
        unique = train.unique if variables is None else variables.unique
        sizes = [1] * self.k if variables is None else variables.sizes
        members = np.split(self.indices, np.cumsum(sizes)[:-1])
        return [
            {
                "rank": i + 1,
                "indices": members[i],  # into "columns"; several for a text column
                "name": name,
                "explained": self.judgement.path[i],  # cross-validated, up to this one
                "adds": self.adds[i],
                "unique": unique[i],  # share the other chosen ones do not explain
                "missing": self.numeric.missing[self.indices[i]] if variables is None else None,
                "cost": None if self.cost is None else self.cost[self.indices[i]],
                # on how many halves of the rows it, or a stand-in, is chosen again
                "chosen_again": self.stability and self.stability.counts[i],
            }
            for i, name in enumerate(self.columns)
        ]

    def _train_entry(self) -> dict[str, Any]:
        """Shares on the rows of the fit, for the JSON document."""
        train = self.train
        return {
            "scale": train.scale,  # the scaling that these refer to
            "total": train.total,  # squared norm of the columns in that scaling
            "error": train.error,  # what the chosen columns do not explain of it
            "explained": train.explained,  # 1 - error / total
            "ratio": train.ratio,  # error over that of the best rank-k approximation
            "best_possible": train.best_possible,  # share that approximation explains
            "path": [vars(point) for point in train.path],
        }

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        image: ImageShape | None = None,
        command: str = "",
        loading: str = "X = ...  # your table",
    ) -> Page:
        """The answer as one HTML page that needs nothing beside itself.

        Parameters
        ----------
        path : str or path-like, optional
            File to write.
        image : ImageShape, optional
            How the columns make an image, where they are pixels.
        command, loading : str, optional
            The command that repeats the selection, and lines of Python that make ``X``.

        Returns
        -------
        Page
        """
        from ..report import SelectionResult, report_page

        numeric, fitted, m = self.numeric, self.fitted, self.numeric.X.shape[0]
        seeded = "random_state" in fitted.estimator.get_params()
        result = SelectionResult(
            estimator=fitted.estimator,
            feature_names=numeric.columns,
            method=self.choice.method.name,
            command=command,
            data_name=numeric.table.name,
            data_sha256=numeric.table.sha256,
            n_samples=m,
            n_features=len(numeric.columns),
            seconds=fitted.seconds,
            seed=self.plan.random_state if seeded else None,
            scale=self.scale,
            X=fitted.X,
            notes=tuple(self.notes),
            image=image,
            summary=self.train,
            chooser=self.chooser,
            suggestion=self.suggestion,
            headline=self.headline(),
            number=tuple(self._number_lines()),
            stability=self.stability,
            proof="" if self.proof is None else f"Proof: {self.proof.sentence}",
            compiling=fitted.compiling,
            column_means=None if image is None else np.asarray(numeric.X.mean(axis=0)).ravel(),
            loading=loading,
        )
        return report_page(result, path)


def signed_percent(share: float) -> str:
    """A share in percent that may be below 0.

    Examples
    --------
    >>> signed_percent(0.123), signed_percent(-0.004), signed_percent(0.0)
    ('12.3 %', '-0.4 %', '0 %')
    """
    return f"-{percent(-share)}" if share < 0 and percent(-share) != "0 %" else percent(share)


def _candidates(chooser: Any) -> Grid:
    """The candidates with the numbers they were judged by, beside random columns."""
    rows = []
    for record in chooser.compared_:
        mark = " *" if record["method"] == chooser.method_ else ""
        kept = percent(record["neighbors"]) if "neighbors" in record else "-"
        rows.append([f"{record['method']}{mark}", percent(record["explained"]), kept])
    return Grid(("candidate", ">explained", ">neighbors kept"), rows)
