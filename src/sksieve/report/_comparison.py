"""From a label-free comparison of methods on one table to the values its page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..evaluation._agreement import Agreement, agreement
from ._repeat import loading_lines, repeat_view
from ._text import EXPLAINED, clean, count, duration, percent, plural

if TYPE_CHECKING:
    from ..evaluation import Comparison

#: Columns that are listed with the methods that chose them, at most.
SHOWN = 60
#: Heat maps up to this size have their numbers written in.
WRITTEN = 12
#: What a row of the method "random" is.
RANDOM = "Random: one random choice of columns; another one gives other numbers."


@dataclass(frozen=True)
class ComparisonResult:
    """What `sksieve.evaluation.comparisons` found, and what is needed to repeat it.

    Parameters
    ----------
    rows : sequence of Comparison
        A line for each method, in the order of the page.
    feature_names : sequence of str
        One for each column of the table.
    k : int
        Columns each method was to keep.
    data_name, data_sha256 : str
        File or data set as the reader knows it, and the SHA-256 of the file; empty without a file.
    n_samples : int
        Rows of the table.
    command : str
        The command that made the comparison; empty when it was made in Python.
    seed : int or None
        Seed of the random numbers.
    time_limit : float or None
        Seconds each method that iterates was given.
    notes : tuple of str
        What the reader must see first.
    loading : str
        Lines of Python that make ``X``; guessed from the ending of `data_name` when empty.
    created : datetime, optional
        Now, when None.
    """

    rows: Sequence[Comparison]
    feature_names: Sequence[str]
    k: int
    data_name: str
    data_sha256: str
    n_samples: int
    command: str = ""
    seed: int | None = 0
    time_limit: float | None = None
    notes: tuple[str, ...] = ()
    loading: str = ""
    created: datetime | None = None

    @property
    def answers(self) -> list[Comparison]:
        """The lines of methods that did not refuse."""
        return [row for row in self.rows if not row.refused]


def comparison_view(result: ComparisonResult) -> dict[str, Any]:
    """Everything the template needs; a section without data is None."""
    names = [clean(name) or "(no name)" for name in result.feature_names]
    common = agreement([row.columns for row in result.answers], len(names))
    return {
        "title": f"{clean(result.data_name)}: {plural(len(result.rows), 'method')} compared",
        "data_name": clean(result.data_name),
        "headline": _headline(result),
        "notes": [clean(note) for note in result.notes],
        "facts": _facts(result),
        "quality": [_quality(row) for row in result.answers],
        "explained": EXPLAINED.format(noun="column", nouns="columns"),
        "random": RANDOM * any(row.method == "random" for row in result.answers),
        "stability": any(row.stability is not None for row in result.answers),
        "choices": _choices(common, result, names),
        "agreement": _agreement(common, result),
        "refused": [(row.method, clean(row.refused)) for row in result.rows if row.refused],
        "repeat": repeat_view(result, _python(result)),
    }


def _headline(result: ComparisonResult) -> str:
    answers = result.answers
    if not answers:
        return "No method gave a result; the reasons are listed below."
    best = max(answers, key=lambda row: row.explained)
    verb = "explains" if len(best.columns) == 1 else "explain"
    of = "" if len(answers) == 1 else f"; none of the {len(answers)} methods explains more"
    return (
        f"{plural(len(best.columns), 'column')} of {count(len(result.feature_names))}, chosen by "
        f"{best.method}, {verb} {percent(best.explained)} of the table on rows "
        f"not used{of}."
    )


def _facts(result: ComparisonResult) -> list[tuple[str, str]]:
    limit = [] if result.time_limit is None else [("Time limit", duration(result.time_limit))]
    return [
        ("Rows", count(result.n_samples)),
        ("Columns", count(len(result.feature_names))),
        ("Chosen", count(result.k)),
        ("Methods", count(len(result.rows))),
        ("Time", duration(sum(row.seconds for row in result.rows))),
        *limit,
    ]


def _quality(row: Comparison) -> dict[str, Any]:
    explained = row.explained
    return {
        "method": row.method,
        "explained": percent(explained),
        "explained_bar": round(100 * min(max(explained, 0.0), 1.0), 2),
        "kept": percent(row.preservation),
        "kept_bar": round(100 * row.preservation, 2),
        "redundancy": f"{row.redundancy:.2f}",
        "seconds": duration(row.seconds),
        "stability": "" if row.stability is None else f"{row.stability.value:.2f}",
    }


def _choices(
    common: Agreement, result: ComparisonResult, names: list[str]
) -> dict[str, Any] | None:
    """The columns that most methods chose, and the place each gave them."""
    if not common.columns:
        return None
    rows = [
        {"name": names[j], "votes": votes, "cells": [_place(at, result.k) for at in places]}
        for j, votes, places in zip(common.columns[:SHOWN], common.votes, common.places)
    ]
    total, everywhere = len(common.columns), common.n_by_all
    by_all = f"{count(everywhere) if everywhere else 'none'} {'is' if everywhere < 2 else 'are'}"
    return {
        "methods": [row.method for row in result.answers],
        "rows": rows,
        "summary": f"{plural(total, 'column')} of {count(len(names))} "
        f"{'is' if total == 1 else 'are'} chosen by some method, {by_all} chosen by every one.",
        "limited": f"The {SHOWN} that most methods choose." if total > SHOWN else "",
    }


def _place(at: int | None, k: int) -> dict[str, Any]:
    """The place a method gave a column, and how dark it is shown."""
    return {"at": at, "share": 0 if at is None else round(1 - 0.8 * (at - 1) / k, 3)}


def _agreement(common: Agreement, result: ComparisonResult) -> dict[str, Any] | None:
    """Shares of columns in common, for each pair of methods."""
    answers = result.answers
    if len(answers) < 2:
        return None
    rows = [
        {
            "name": row.method,
            "cells": [
                {"r": round(share, 3), "text": f"{share:.2f}", "with": other.method}
                for other, share in zip(answers, [*shares, 1.0], strict=False)
            ],
        }
        for row, shares in zip(answers, common.shared)
    ]
    return {
        "rows": rows,
        "size": len(rows),
        "written": len(rows) <= WRITTEN,
        "summary": f"Two methods share {percent(common.mean_shared)} of their columns on "
        f"average; random choices as large share {percent(common.expected)}.",
    }


def _python(result: ComparisonResult) -> str:
    """The comparison as a few lines of Python."""
    imports, body = loading_lines(result)
    limit = "" if result.time_limit is None else f", time_limit={result.time_limit:g}"
    names = ",".join(row.method for row in result.rows)
    return "\n".join(
        [
            *imports,
            "import sksieve",
            "",
            *body,
            f'methods = "{names}"',
            f"table = sksieve.compare(X, {result.k}, methods, random_state={result.seed}{limit})",
            "print(table)",
        ]
    )
