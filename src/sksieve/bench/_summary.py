"""Compact results that can be committed: one row for each fit and k, joined over stores."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._optional import optional
from .._versions import versions
from ..exceptions import DataError
from ..io import replacing
from ._results import results
from ._scores import COSTS
from ._spec import Spec
from ._store import Store

if TYPE_CHECKING:
    import pandas as pd

#: What makes a row of a summary.
KEY = ["dataset", "method", "k", "repetition"]

#: Columns that are no scores.
HEADS = [*KEY, "status", "cause", *COSTS, "version", "environment"]

#: Significant digits of a number in the file.
DIGITS = 5


def summary(spec: Spec, store: Store) -> pd.DataFrame:
    """Compact results of a spec.

    Parameters
    ----------
    spec : Spec
        Which results; with a grid only the defaults of each method are taken.
    store : Store
        Where they are.

    Returns
    -------
    DataFrame
        One row for each data set, method, number of columns and repetition of the fit:

        - dataset, method, k, repetition (or the number of the draw);
        - status (``ok`` or ``failed``) and cause of a failure. A row is ``failed`` when the fit or
          one of its scores is; the scores that there are stay;
        - the costs of the fit: seconds, cpu, memory;
        - version of the method, and environment: Python, the machine and the packages that wrote
          the summary;
        - the scores of the protocol, each the mean over its repeats.

        Data sets of which a cell is not done are left out whole.
    """
    frame = results(spec, store)
    frame = frame[frame["setting"] == ""]
    waiting = set(frame.loc[frame["status"] == "unfinished", "dataset"])
    frame = frame[~frame["dataset"].isin(waiting)]
    scores = list(spec.rules.shows)
    groups = frame.groupby(KEY, sort=True)
    rows = groups[[*COSTS, *scores]].mean()
    rows["status"] = groups["status"].agg(lambda status: max(status, key=_severity))
    rows["cause"] = groups["cause"].agg("max")
    rows = rows.reset_index()
    versions = {task.method: task.cell.version for task in spec.tasks()}
    rows["version"] = rows["method"].map(versions)
    rows["environment"] = environment()
    return rows[[*HEADS, *scores]]


def _severity(status: str) -> int:
    return ("ok", "failed").index(status)


def environment() -> str:
    """Versions of Python and of the packages that matter, and the kind of machine."""
    packages = versions()
    python = packages.pop("python")
    del packages["system"]
    listed = (f"{name} {version}" for name, version in packages.items())
    return ", ".join([f"Python {python}", *listed, platform.machine()])


def merge_summaries(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Join summaries of several stores.

    Parameters
    ----------
    frames : sequence of DataFrame
        From `summary` or `read_summary`, with the same scores. Where several have the same data set
        and method, the rows of the last are taken.

    Returns
    -------
    DataFrame
        All rows, sorted.

    Raises
    ------
    DataError
        If a summary lacks a column or has other scores than the first, or the rows of a method
        would be of different versions of it.
    """
    import pandas as pd

    if not frames:
        raise DataError("there is no summary to merge.")
    scores, cells, joined = _scores(frames[0]), ["dataset", "method"], frames[0]
    for frame in frames[1:]:
        if _scores(frame) != scores:
            raise DataError(
                f"summaries of different boards: one has {', '.join(scores)}, another "
                f"{', '.join(_scores(frame))}."
            )
        new = pd.MultiIndex.from_frame(frame[cells])
        kept = joined[~pd.MultiIndex.from_frame(joined[cells]).isin(new)]
        joined = pd.concat([part for part in (kept, frame) if len(part)] or [joined])
    for method, several in joined.groupby("method")["version"].unique().items():
        if len(several) > 1:
            raise DataError(
                f"{method} has rows of {len(several)} versions ({', '.join(several)}). Run it on "
                "all data sets with one of them, or give one of them another label."
            )
    return joined.sort_values(KEY, ignore_index=True)


def _scores(frame: pd.DataFrame) -> list[str]:
    missing = [name for name in HEADS if name not in frame]
    if missing:
        raise DataError(f"this is no summary of a board: the column {missing[0]!r} is missing.")
    return [str(name) for name in frame if name not in HEADS]


def read_summary(path: str | os.PathLike[str]) -> pd.DataFrame:
    """A summary from its CSV file.

    Raises
    ------
    DataError
        If it cannot be read or is none.
    """
    pd = optional("pandas", "A summary")
    text = dict.fromkeys(("dataset", "method", "status", "cause", "version", "environment"), str)
    try:
        frame = pd.read_csv(path, dtype=text, keep_default_na=True)
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {error}.") from error
    try:
        _scores(frame)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    return frame.fillna({"cause": "", "version": ""})


def write_summary(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a summary as CSV, numbers with 5 significant digits."""
    with replacing(path) as file:
        frame.to_csv(file, index=False, lineterminator="\n", float_format=f"%.{DIGITS}g")
