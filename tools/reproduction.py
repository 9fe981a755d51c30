"""Pages that put every printed number of the five papers beside ours: docs/reproduction.

The papers' tables are the CSV files in ``benchmarks/papers``, digits as printed; a TOML file for
each paper there says which data set, method and run of ours belongs to each cell, and what is not
available and why. Our numbers come from specs of ``sksieve bench``, summarized in
``benchmarks/results/reproduction``:

    python tools/reproduction.py summarize benchmarks/grids/reproduction/*.toml --store results
    python tools/reproduction.py pages
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sksieve.bench import Protocol, Spec, Store, paired_p, read_spec, results
from sksieve.bench._scores import COSTS
from sksieve.bench._tables import SMALLER
from sksieve.exceptions import DataError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
PAPERS = ROOT / "benchmarks" / "papers"
SUMMARIES = ROOT / "benchmarks" / "results" / "reproduction"
PAGES = ROOT / "docs" / "reproduction"
PICTURES = ROOT / "docs" / "img" / "reproduction"

#: What stands before the reason in the notes of printed numbers that cannot be right.
DOUBTFUL = r".*(DOUBTFUL|MISPRINT): "

#: Marks rows and columns whose numbers of ours rest on a guess.
DAGGER = "†"

Status = Literal["shown", "not run", "failed", "not available", "derived"]


@dataclass(frozen=True)
class PaperTable:
    """One table of a paper, and where our numbers for it are.

    Attributes
    ----------
    name : str
        As the paper calls it.
    csv : str
        File of the printed numbers, beside the TOML file.
    what : str
        What is measured, in our run too.
    runs : list of str
        Names of the summaries that hold our numbers; empty when there is no run.
    remark : str
        How the numbers compare, and why they differ or that it is not explained.
    scores : dict of str
        The paper's metric -> the score of the run.
    unit : float
        Our scores are multiplied by it: 100 where the paper prints per cent.
    k : str
        Which number of columns: ``"mean"`` over all of the run, ``"best"`` by true labels, a
        number, or ``"{k}"``, the one of the cell's setting.
    also : str
        A second reading of `k`, shown beside the first.
    rows, columns : str
        What makes a row and a column of the table: ``dataset``, ``method``, or settings.
    derived : dict of str
        Data sets or metrics that are computed from other cells -> why ours is not shown.
    average : str
        The row of means over all other rows of the table; empty when there is none.
    tests : dict of str
        The paper's metric -> the score of the run: p-values of paired t-tests over the numbers of
        columns against the method with the largest mean of those tested.
    without : str
        Why no run of ours can belong to this table.
    datasets : dict of str
        As those of the paper, where this table has others.
    beside : dict of str
        Columns of ours that the paper does not have -> the method of the run.
    """

    name: str
    csv: str
    what: str
    runs: list[str] = field(default_factory=list)
    remark: str = ""
    scores: dict[str, str] = field(default_factory=dict)
    unit: float = 1.0
    k: str = "mean"
    also: str = ""
    rows: str = "dataset {setting}"
    columns: str = "method"
    derived: dict[str, str] = field(default_factory=dict)
    average: str = ""
    tests: dict[str, str] = field(default_factory=dict)
    without: str = ""
    datasets: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper, drawn from our runs, or why it is not.

    Attributes
    ----------
    name : str
        As the paper calls it.
    what : str
        What is drawn.
    kind : str
        ``sizes`` (a score over the number of columns), ``settings`` (over values of parameters),
        ``ranks`` (critical differences) or ``history`` (the objective over the iterations).
    runs, methods, datasets : list of str
        Names of the summaries; methods and data sets that are drawn, in this order, all when
        empty.
    score : str
        Score of the run.
    role : str
        ``default``, or ``tuned``: the setting of the grid that is best by true labels; not for
        ``settings``.
    parameters : list of str
        One or two, for ``settings``.
    defaults : dict of float
        For ``settings``, where each point of the grid changes one parameter: values that the
        defaults have, to draw them too.
    remark : str
        How it compares with the paper's.
    without : str
        Why it is not drawn.
    """

    name: str
    what: str
    kind: str = ""
    runs: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)
    score: str = "acc"
    role: str = "default"
    parameters: list[str] = field(default_factory=list)
    defaults: dict[str, float] = field(default_factory=dict)
    remark: str = ""
    without: str = ""

    def file(self, paper: Paper) -> str:
        """Name of its picture."""
        words = f"{paper.title} {self.name} {self.score}".lower().replace(",", "").split()
        return "_".join(words) + ".svg"


@dataclass(frozen=True)
class Paper:
    """A paper: reference, tables, and what its names are called here.

    Attributes
    ----------
    title, reference : str
    summary : list of str
        What repeats, what does not, and why: one sentence or two each.
    tables : tuple of PaperTable
    figures : tuple of PaperFigure
    datasets, methods : dict of str
        The paper's name -> ours in the summaries; ``{c}`` stands for a setting of the cell.
    unavailable : dict of str
        Data sets or methods of the paper that are not available -> why.
    daggers : dict of str
        Data sets or methods of the paper whose numbers of ours rest on a guess -> which; marked in
        the tables.
    """

    title: str
    reference: str
    summary: list[str]
    tables: tuple[PaperTable, ...]
    datasets: dict[str, str]
    methods: dict[str, str]
    unavailable: dict[str, str] = field(default_factory=dict)
    daggers: dict[str, str] = field(default_factory=dict)
    figures: tuple[PaperFigure, ...] = ()

    @property
    def file(self) -> str:
        """Name of its page."""
        return f"{self.title.lower()}.md"


@dataclass(frozen=True)
class Cell:
    """A printed number, and ours where there is one."""

    table: str
    dataset: str
    setting: str
    method: str
    metric: str
    printed: str
    printed_std: str
    note: str
    status: Status
    reason: str = ""
    ours: float = np.nan
    std: float = np.nan
    n: float = np.nan
    also: float = np.nan
    tuned: float = np.nan
    tried: str = ""
    decimals: int = 0

    @property
    def digits(self) -> int:
        """Digits behind the point."""
        return len(self.printed.partition(".")[2]) or self.decimals

    @property
    def settings(self) -> dict[str, str]:
        """The parts of the setting, by name."""
        return dict(part.split("=", 1) for part in self.setting.split(";") if "=" in part)


def read_papers(folder: str | os.PathLike[str] = PAPERS) -> tuple[Paper, ...]:
    """All papers of a folder, one TOML file each, by file name.

    Raises
    ------
    DataError
        If there is no such file, or one is wrong; the message says which and where.
    """
    paths = sorted(Path(folder).glob("*.toml"))
    if not paths:
        raise DataError(f"{folder}: there are no papers here (files *.toml).")
    papers = []
    for path in paths:
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
            tables = tuple(_record(PaperTable, given) for given in content.pop("table", []))
            figures = tuple(_record(PaperFigure, given) for given in content.pop("figure", []))
            papers.append(_record(Paper, {**content, "tables": tables, "figures": figures}))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, DataError) as error:
            raise DataError(f"{path}: {error}") from error
    return tuple(papers)


def _record(cls: Any, values: dict[str, Any]) -> Any:
    registered = {entry.name: entry for entry in fields(cls)}
    for name in values:
        if name not in registered:
            raise DataError(f"there is no entry {name!r}; known: {', '.join(registered)}.")
    for name, entry in registered.items():
        needed = entry.default is MISSING and entry.default_factory is MISSING
        if needed and values.get(name) in (None, "", ()):
            raise DataError(f"the entry {name!r} is missing.")
    return cls(**values)


# Our numbers -----------------------------------------------------------------------------------

MAX_RECORDS = 60

HEADS = ["dataset", "method", "role", "k", "score", "value", "std", "n", "tried", "status"]


def summarize(spec: Spec, store: Store) -> pd.DataFrame:
    """The results of a spec, one row per data set, method, role, number of columns and score.

    Returns
    -------
    DataFrame
        role: ``default``, or ``tuned`` (the setting of the grid that is best by true labels, for
        the mean over k; of a split, for each draw and k the one that is best on the training part,
        as in LSDCL's cross-validation), or a setting of the grid (its mean over k only). k: a
        number, ``mean`` over all of them, or ``best`` by true labels. value, std, n: mean, standard
        deviation and number of the fits (or draws); tried: settings that an oracle chose from, of
        how many; status: ``ok``, ``failed`` or ``not run``.
    """
    import pandas as pd

    frame = results(spec, store)
    rows: list[tuple[Any, ...]] = []
    for (dataset, method), part in frame.groupby(["dataset", "method"], sort=False):
        for role, mine, tried in _roles(part, spec.rules):
            for score in dict.fromkeys((*spec.rules.shows, "nmi_sqrt", "cpu")):
                names = (dataset, method, role)
                values = _readings(mine, score)
                if role not in ("default", "tuned"):
                    values = (row for row in values if row[0] == "mean")
                rows += [(*names, *row, tried, "ok") for row in values]
        if not (part["status"] == "ok").any():
            status = "failed" if (part["status"] == "failed").any() else "not run"
            rows.append((dataset, method, "default", "mean", "", np.nan, np.nan, 0, "", status))
    return pd.DataFrame(rows, columns=HEADS)


def _roles(part: pd.DataFrame, rules: Protocol) -> Iterator[tuple[str, pd.DataFrame, str]]:
    done = part[part["status"] == "ok"]
    default = done[done["setting"] == ""]
    if len(default) and not (part.loc[part["setting"] == "", "status"] != "ok").any():
        yield "default", default, ""
    incomplete = part.loc[part["status"] != "ok", "setting"].unique()
    whole = done[~done["setting"].isin(incomplete)]
    if whole["setting"].nunique() > 1:
        tried = f"{whole['setting'].nunique()} of {part['setting'].nunique()}"
        yield "tuned", _tuned(whole, rules), tried
        for setting, rows in whole[whole["setting"] != ""].groupby("setting"):
            yield str(setting), rows, ""


def _tuned(whole: pd.DataFrame, rules: Protocol) -> pd.DataFrame:
    """The rows of the best setting by true labels; of a split by those of its training part."""
    score = "train_acc" if rules.splits else rules.score
    chosen_for = ["repetition", "k"] if rules.splits else []
    means = whole.groupby([*chosen_for, "setting"], as_index=False)[score].mean()
    means = means.sort_values(score, ascending=score in SMALLER, kind="stable")
    best = means.drop_duplicates(chosen_for) if chosen_for else means.head(1)
    return whole.merge(best[[*chosen_for, "setting"]])


def _readings(part: pd.DataFrame, score: str) -> Iterator[tuple[str, str, float, float, int]]:
    """(k, score, mean, standard deviation, number) of the fits; k-means repeats are averaged."""
    if score not in part:
        return
    fits = part.groupby(["k", "repetition"])[score].mean().unstack("k")
    sign = -1 if score in SMALLER else 1
    columns = {"mean": fits.mean(axis=1)}
    if fits.shape[1] > 1:
        columns["best"] = fits[(sign * fits.mean(axis=0)).idxmax()]
        columns |= {str(k): fits[k] for k in fits}
    elif int(fits.columns[0]):
        columns[str(fits.columns[0])] = columns["mean"]
    for k, values in columns.items():
        std = float(values.std(ddof=1)) if len(values) > 1 else np.nan
        yield k, score, float(values.mean()), std, len(values)


def merged(frame: pd.DataFrame, earlier: pd.DataFrame) -> pd.DataFrame:
    """A summary, with the rows of an earlier one where a run of the same spec is not done yet."""
    import pandas as pd

    names = ["dataset", "method"]
    missing = frame.loc[frame["status"] == "not run", names]
    kept = earlier[earlier["status"] != "not run"].merge(missing)[HEADS]
    if kept.empty:
        return frame
    have = set(zip(kept["dataset"], kept["method"]))
    replaced = [
        status == "not run" and (dataset, method) in have
        for status, dataset, method in zip(frame["status"], frame["dataset"], frame["method"])
    ]
    return pd.concat([frame[[not value for value in replaced]], kept], ignore_index=True)


def histories(spec: Spec, store: Store, methods: Sequence[str]) -> pd.DataFrame:
    """The objective over the iterations of one fit of these methods at their defaults.

    It is the first fit; of those for several numbers of columns the one for the largest.
    """
    import pandas as pd

    largest: dict[tuple[str, str], tuple[int, list[Any]]] = {}
    for task in spec.tasks():
        if task.setting or task.cell.repetition or task.method not in methods:
            continue
        fit = store.fit(task.cell)
        if fit is None or fit.status != "ok":
            continue
        names = (task.cell.data.label, task.method)
        n_columns = dict(task.cell.parameters).get("n_features_to_select", 0)
        if n_columns > largest.get(names, (-1, []))[0]:
            largest[names] = (n_columns, list(fit.history))
    rows = [
        (*names, record["n_iter"], record["objective"], record["seconds"])
        for names, (_, records) in largest.items()
        for record in records[:: max(1, len(records) // MAX_RECORDS)]
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "n_iter", "objective", "seconds"])


def followed(earlier: pd.DataFrame, later: pd.DataFrame) -> pd.DataFrame:
    """Histories of two runs; where both have a data set and method, those of the later."""
    import pandas as pd

    names = ["dataset", "method"]
    again = pd.MultiIndex.from_frame(earlier[names]).isin(pd.MultiIndex.from_frame(later[names]))
    return pd.concat([earlier[~again], later], ignore_index=True)


class Summary:
    """The numbers of runs, by data set, method, role, number of columns and score.

    Raises
    ------
    DataError
        If two runs give the same number.
    """

    def __init__(self, *paths: Path) -> None:
        self._rows: dict[tuple[str, ...], dict[str, str]] = {}
        self._sizes: dict[tuple[str, ...], dict[int, float]] = {}
        self._failed: set[tuple[str, str]] = set()
        for path in filter(Path.exists, paths):
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    if row["status"] == "failed":
                        self._failed.add((row["dataset"], row["method"]))
                    keys = ("dataset", "method", "role", "k", "score")
                    key = tuple(row[name] for name in keys)
                    if row["status"] == "ok" and self._rows.get(key, row) is not row:
                        raise DataError(f"{path}: another run has {', '.join(key)} too.")
                    self._rows[key] = row
                    dataset, method, role, k, score = key
                    if role == "default" and k.isdecimal():
                        of_sizes = self._sizes.setdefault((dataset, method, score), {})
                        of_sizes[int(k)] = float(row["value"])

    def failed(self, dataset: str, method: str) -> bool:
        """Did every fit fail?"""
        return (dataset, method) in self._failed

    def get(self, dataset: str, method: str, role: str, k: str, score: str) -> dict[str, str]:
        """The row, or an empty one."""
        return self._rows.get((dataset, method, role, k, score), {})

    def sizes(self, dataset: str, method: str, score: str) -> NDArray:
        """The score at the defaults for each number of columns; empty without a run."""
        of_sizes = self._sizes.get((dataset, method, score), {})
        return np.array([of_sizes[k] for k in sorted(of_sizes)])


# Cells -----------------------------------------------------------------------------------------


def cells(paper: Paper, folder: Path = PAPERS, summaries: Path = SUMMARIES) -> list[Cell]:
    """Every printed number of a paper's tables, with ours, or with the reason why there is none."""
    answer = []
    for table in paper.tables:
        summary = Summary(*(summaries / f"{run}.csv" for run in table.runs))
        with (folder / table.csv).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        of_table = [_cell(paper, table, row, summary) for row in rows]
        tested = {row["method"] for row in rows if row["metric"] in table.tests}
        answer += [_computed(paper, table, cell, of_table, tested, summary) for cell in of_table]
    return answer


def _cell(paper: Paper, table: PaperTable, row: dict[str, str], summary: Summary) -> Cell:
    names = {key: row[key] for key in ("dataset", "setting", "method", "metric", "note")}
    cell = Cell(
        table=table.name, printed=row["value"], printed_std=row["std"], status="not run", **names
    )
    reasons = [table.derived.get(row[key], "") for key in ("dataset", "metric")]
    if any(reasons):
        return _with(cell, status="derived", reason=next(filter(None, reasons)))
    reasons = [paper.unavailable.get(row[key], "") for key in ("dataset", "method")]
    if table.without or any(reasons):
        return _with(
            cell, status="not available", reason=table.without or next(filter(None, reasons))
        )
    if row["dataset"] == table.average or row["metric"] in table.tests:
        return cell
    return _ours(paper, table, cell, paper.methods[row["method"]], summary)


def _ours(paper: Paper, table: PaperTable, cell: Cell, method: str, summary: Summary) -> Cell:
    """The cell with the numbers of this method of ours."""
    dataset = (paper.datasets | table.datasets)[cell.dataset]
    dataset, method, k = (t.format(**_named(cell.settings)) for t in (dataset, method, table.k))
    score = table.scores[cell.metric]
    default = summary.get(dataset, method, "default", k, score)
    if not default:
        failed = summary.failed(dataset, method)
        return _with(cell, status="failed" if failed else "not run")
    tuned = {} if score in COSTS else summary.get(dataset, method, "tuned", k, score)
    also = summary.get(dataset, method, "default", table.also, score) if table.also else {}
    return _with(
        cell,
        status="shown",
        ours=table.unit * float(default["value"]),
        std=table.unit * float(default["std"] or "nan"),
        n=float(default["n"] or "nan"),
        also=table.unit * float(also.get("value") or "nan"),
        tuned=table.unit * float(tuned.get("value") or "nan"),
        tried=tuned.get("tried", ""),
    )


def _computed(
    paper: Paper,
    table: PaperTable,
    cell: Cell,
    of_table: Sequence[Cell],
    tested: set[str],
    summary: Summary,
) -> Cell:
    """The cell, with ours if it is computed from others: an average or a p-value."""
    if cell.metric in table.tests:
        return _tested(paper, cell, tested, table.tests[cell.metric], summary)
    if cell.dataset != table.average:
        return cell
    names = (cell.setting, cell.method, cell.metric)
    over = [
        other
        for other in of_table
        if (other.setting, other.method, other.metric) == names and other.dataset != table.average
    ]
    if any(other.status != "shown" for other in over):
        return cell
    ours, tuned = (np.mean([getattr(o, name) for o in over]) for name in ("ours", "tuned"))
    return _with(cell, status="shown", ours=float(ours), tuned=float(tuned))


def _tested(paper: Paper, cell: Cell, tested: set[str], score: str, summary: Summary) -> Cell:
    """The cell with the p-value against the best of the methods tested."""
    dataset = paper.datasets[cell.dataset]
    sizes = {m: summary.sizes(dataset, paper.methods[m], score) for m in tested}
    if not all(map(len, sizes.values())):
        return cell
    best = max(sorted(sizes), key=lambda method: sizes[method].mean())
    return _with(cell, status="shown", ours=paired_p(sizes[cell.method], sizes[best]))


def beside(
    paper: Paper, table: PaperTable, of_table: Sequence[Cell], summaries: Path
) -> list[Cell]:
    """Columns of ours that the paper does not have, for the rows of its table."""
    summary = Summary(*(summaries / f"{run}.csv" for run in table.runs))
    places = dict.fromkeys(
        (cell.dataset, cell.setting, cell.metric) for cell in of_table if not cell.reason
    )
    answer = []
    for dataset, setting, metric in places:
        like = next(
            cell for cell in of_table
            if (cell.dataset, cell.setting, cell.metric) == (dataset, setting, metric)
        )  # fmt: skip
        for title, method in table.beside.items():
            cell = Cell(table.name, dataset, setting, title, metric, "", "", "", "not run")
            ours = _ours(paper, table, cell, method, summary)
            answer.append(_with(ours, decimals=like.digits))
    return answer


def _named(settings: dict[str, str]) -> dict[str, str]:
    """Settings as our runs call them: a mean over numbers of columns is ``mean``."""
    return {key: "mean" if text.startswith("mean ") else text for key, text in settings.items()}


def _with(cell: Cell, **values: Any) -> Cell:
    return Cell(**{**vars(cell), **values})


# The page --------------------------------------------------------------------------------------

GENERATED = "<!-- written by tools/reproduction.py -->\n\n"

HEAD = (
    GENERATED
    + """# Reproduction of the papers' tables

Every cell of every table of the five papers beside ours, one page for each paper, each with a
summary first. The printed digits are in `benchmarks/papers`, our numbers in
`benchmarks/results/reproduction`, the specs that made them in `benchmarks/grids/reproduction`."""
)

READING = """*shown*: our number is shown with the printed one; *failed*: the method refused or took
longer than the budget of the spec; *not available*: the data set or the protocol is not available,
with the reason on the page; *derived*: a mean or a rank over such cells. No row is left out because
it disagrees. A dagger marks rows and columns whose numbers of ours rest on a guess, with the guess
below the table."""

LEGEND = """A cell has up to three lines: **the paper's number**; ours with the defaults of the
class, without labels (the number of classes is given), and the standard deviation over fits where a
method draws random numbers; in brackets, ours tuned by true labels, where the paper tuned: the best
setting of a grid, which cannot be reached without labels. "not run": not computed yet; "n/a":
cannot be computed, for the reason below the table; "failed": refused, or longer than the budget of
the spec."""


def pages(
    papers: Sequence[Paper], folder: Path = PAPERS, summaries: Path = SUMMARIES
) -> dict[str, str]:
    """File name -> Markdown: an index with the summaries, and a page for each paper."""
    index = [HEAD, _overview(papers, folder, summaries), READING]
    for paper in papers:
        about = f"{paper.reference}. {_coverage(paper, cells(paper, folder, summaries))}"
        index += [f"## [{paper.title}]({paper.file})", about, _bullets(paper)]
    files = "\n".join(paper.file.removesuffix(".md") for paper in papers)
    index.append(f"```{{toctree}}\n:hidden:\n\n{files}\n```")
    texts = {"index.md": index}
    for paper in papers:
        texts[paper.file] = _paper_page(paper, folder, summaries)
    return {name: "\n\n".join(parts) + "\n" for name, parts in texts.items()}


def _paper_page(paper: Paper, folder: Path, summaries: Path) -> list[str]:
    head = f"# Reproduction of {paper.title}"
    parts = [GENERATED + head, f"{paper.reference}. {LEGEND}", "## Summary", _bullets(paper)]
    of_paper = cells(paper, folder, summaries)
    for table in paper.tables:
        mine = [cell for cell in of_paper if cell.table == table.name]
        parts.append(_section(paper, table, mine + beside(paper, table, mine, summaries)))
    return parts + _figures(paper, summaries)


def _bullets(paper: Paper) -> str:
    return "\n".join(f"* {sentence}" for sentence in paper.summary)


def _figures(paper: Paper, summaries: Path) -> list[str]:
    parts = ["## Figures"] if paper.figures else []
    for figure in paper.figures:
        if reason := why_not_drawn(figure, summaries):
            parts.append(f"{figure.name}: {figure.what}. Not drawn: {reason}.")
            continue
        parts.append(f"![{paper.title}, {figure.name}](../img/reproduction/{figure.file(paper)})")
        parts.append(" ".join(filter(None, (f"{figure.name}: {figure.what}.", figure.remark))))
    return parts


def _overview(papers: Sequence[Paper], folder: Path, summaries: Path) -> str:
    heads = ("shown", "not run", "failed", "not available", "derived")
    columns = ("paper", "cells", *heads)
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for paper in papers:
        statuses = [cell.status for cell in cells(paper, folder, summaries)]
        counts = " | ".join(str(statuses.count(head)) for head in heads)
        lines.append(f"| {paper.title} | {len(statuses)} | {counts} |")
    return "\n".join(lines)


def _coverage(paper: Paper, mine: Sequence[Cell]) -> str:
    """How many of the data sets are shown, and which of them has the most cells that are."""
    of_sets = [cell for cell in mine if cell.dataset in paper.datasets | paper.unavailable]
    shown = Counter(cell.dataset for cell in of_sets if cell.status == "shown")
    dataset, n_cells = shown.most_common(1)[0]
    n_sets = len({cell.dataset for cell in of_sets})
    return (
        f"{len(shown)} of {n_sets} data sets are shown; the one with the most cells is {dataset}, "
        f"{n_cells} of {shown.total()}."
    )


def _section(paper: Paper, table: PaperTable, mine: list[Cell]) -> str:
    parts = [f"## {table.name}", f"{table.what}."]
    metrics = list(dict.fromkeys(cell.metric for cell in mine))
    for metric in metrics:
        if len(metrics) > 1:
            parts.append(f"**{metric.replace('_', ' ')}**")
        parts.append(_grid(paper, table, [cell for cell in mine if cell.metric == metric]))
    parts += _dagger_notes(paper, mine)
    reasons: dict[str, list[str]] = {}
    for cell in mine:
        if cell.reason:
            of_metric = cell.status == "derived" and cell.dataset not in table.derived
            name = cell.metric if of_metric else cell.dataset
            reasons.setdefault(cell.reason, []).append(name)
    for reason, names in reasons.items():
        parts.append(f"n/a: {', '.join(dict.fromkeys(names))}: {reason}.")
    doubtful = [cell for cell in mine if re.match(DOUBTFUL, cell.note)]
    if doubtful:
        notes = dict.fromkeys(re.sub(DOUBTFUL, "", cell.note) for cell in doubtful)
        parts.append(f"Marked *, as the printed number is doubtful: {'; '.join(notes)}.")
    if table.also:
        parts.append(f"Of two numbers of ours, the second is for k: {table.also} (by true labels).")
    parts += [table.remark] if table.remark else []
    return "\n\n".join(parts)


def _dagger_notes(paper: Paper, mine: list[Cell]) -> list[str]:
    """Which rows and columns of a table rest on a guess, and on which."""
    names = {name for c in mine if c.status == "shown" for name in (c.dataset, c.method)}
    guesses: dict[str, list[str]] = {}
    for name, guess in paper.daggers.items():
        if name in names:
            guesses.setdefault(guess, []).append(name)
    return [f"{DAGGER} {', '.join(marked)}: {guess}." for guess, marked in guesses.items()]


def _grid(paper: Paper, table: PaperTable, mine: list[Cell]) -> str:
    def label(what: str, cell: Cell) -> str:
        names = [cell.dataset] * ("dataset" in what) + [cell.method] * ("method" in what)
        mark = f" {DAGGER}" if set(names) & set(paper.daggers) else ""
        return _label(what, cell) + mark

    rows = dict.fromkeys(label(table.rows, cell) for cell in mine)
    columns = dict.fromkeys(label(table.columns, cell) for cell in mine)
    found = {(label(table.rows, c), label(table.columns, c)): c for c in mine}
    lines = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for row in rows:
        texts = [_text(table, found[row, c]) if (row, c) in found else "" for c in columns]
        lines.append(f"| {row} | {' | '.join(texts)} |")
    return "\n".join(lines)


def _label(what: str, cell: Cell) -> str:
    words = {"dataset": cell.dataset, "method": cell.method, "{setting}": cell.setting}
    words |= cell.settings
    return " ".join(filter(None, (words.get(word, word) for word in what.split())))


def _text(table: PaperTable, cell: Cell) -> str:
    doubtful = re.match(DOUBTFUL, cell.note)
    spread = f" ± {cell.printed_std}" if cell.printed_std else ""
    chosen = f" ({cell.settings['k']})" if table.also and "k" in cell.settings else ""
    printed = [f"**{cell.printed}**{spread}{chosen}{'*' if doubtful else ''}"]
    lines = printed if cell.printed else []
    if cell.status == "shown":
        digits = cell.digits
        line = f"{cell.ours:.{digits}f}"
        line += f" ± {cell.std:.{digits}f}" if np.isfinite(cell.std) else ""
        other = f"{cell.also:.{digits}f}" if np.isfinite(cell.also) else line
        line += f", {other}" if other not in line else ""
        lines.append(line)
        if np.isfinite(cell.tuned):
            lines.append(f"({cell.tuned:.{digits}f})")
    else:
        lines.append({"not available": "n/a", "derived": "n/a"}.get(cell.status, cell.status))
    return "<br>".join(lines)


# Pictures --------------------------------------------------------------------------------------


def draw(papers: Sequence[Paper], target: Path, summaries: Path = SUMMARIES) -> None:
    """Write one SVG for each figure that is drawn."""
    import matplotlib.pyplot as plt

    target.mkdir(parents=True, exist_ok=True)
    plt.rcParams["svg.hashsalt"] = "sksieve"
    for paper in papers:
        for figure in paper.figures:
            if not why_not_drawn(figure, summaries):
                drawn = DRAWINGS[figure.kind](figure, summaries)
                path = target / figure.file(paper)
                drawn.savefig(path, bbox_inches="tight", metadata={"Date": None})
                plt.close(drawn)


def why_not_drawn(figure: PaperFigure, summaries: Path = SUMMARIES) -> str:
    """The reason, or nothing."""
    if figure.without:
        return figure.without
    return "not run yet" if _numbers(figure, summaries).empty else ""


def _numbers(figure: PaperFigure, folder: Path) -> pd.DataFrame:
    """What a figure is drawn from: the rows of its runs, data sets, methods and score."""
    import pandas as pd

    folder = folder / "history" if figure.kind == "history" else folder
    paths = [folder / f"{run}.csv" for run in figure.runs]
    frames = [pd.read_csv(path, dtype={"k": str}) for path in paths if path.exists()]
    if not frames:
        return pd.DataFrame()
    frame = pd.concat(frames)
    for name, chosen in (("dataset", figure.datasets), ("method", figure.methods)):
        if chosen:
            frame = frame[frame[name].isin(chosen)]
            frame = frame.sort_values(name, key=lambda n: n.map(chosen.index), kind="stable")
    if figure.kind == "history":
        return frame
    frame = frame[(frame["score"] == figure.score) & (frame["status"] == "ok")]
    if figure.kind != "settings":
        frame = frame[frame["role"] == figure.role]
        sizes = frame["k"].str.isdecimal()
        return frame[sizes if figure.kind == "sizes" else frame["k"] == "mean"]
    drawn = ~frame["role"].isin(["tuned"] if figure.defaults else ["tuned", "default"])
    frame = frame[(frame["k"] == "mean") & drawn]
    points: list[dict[str, Any]] = [
        figure.defaults if role == "default" else dict(part.split("=") for part in role.split(", "))
        for role in frame["role"]
    ]
    for name in figure.parameters:
        frame = frame.assign(**{name: [point.get(name) for point in points]})
    return frame.dropna(subset=figure.parameters)


#: Of a score over a parameter at least so much is shown, for noise not to look like an effect.
LEAST_SPAN = 0.1


def _panels(frame: pd.DataFrame, width: float = 3.6, height: float = 2.8) -> tuple[Any, Any]:
    """A figure and (data set, its rows, its axes), up to three in a row."""
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(frame["dataset"]))
    across = min(3, len(names))
    down = -(-len(names) // across)
    size = (width * across, height * down)
    drawn, axes = plt.subplots(down, across, figsize=size, squeeze=False, layout="constrained")
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    parts = []
    for name, ax in zip(names, axes.flat):
        ax.set_title(name, fontsize=9)
        parts.append((name, frame[frame["dataset"] == name], ax))
    return drawn, parts


def _draw_sizes(figure: PaperFigure, folder: Path) -> Any:
    from sksieve.plotting import plot_scores_against_k

    frame = _numbers(figure, folder)
    drawn, parts = _panels(frame.assign(k=frame["k"].astype(int)))
    for _, rows, ax in parts:
        plot_scores_against_k(rows.rename(columns={"value": figure.score}), figure.score, ax=ax)
        ax.get_legend().remove()
    handles: dict[str, Any] = {}
    for _, _, ax in parts:
        handles |= dict(zip(*reversed(ax.get_legend_handles_labels())))
    drawn.legend(handles.values(), handles, loc="outside lower center", ncols=5, frameon=False)
    return drawn


def _draw_settings(figure: PaperFigure, folder: Path) -> Any:
    from sksieve.plotting import plot_scores_against_k, plot_sensitivity

    frame = _numbers(figure, folder).rename(columns={"value": figure.score})
    frame = frame.astype(dict.fromkeys(figure.parameters, float))
    drawn, parts = _panels(frame)
    for _, rows, ax in parts:
        if len(figure.parameters) == 2:
            plot_sensitivity(rows, *figure.parameters, figure.score, ax=ax)
            continue
        plot_scores_against_k(rows, figure.score, k=figure.parameters[0], ax=ax)
        ax.set(xlabel=figure.parameters[0], xscale="log")
        ax.get_legend().remove()
        low, high = ax.get_ylim()
        if (missing := LEAST_SPAN - (high - low)) > 0:
            ax.set_ylim(low - missing / 2, high + missing / 2)
    return drawn


def _draw_ranks(figure: PaperFigure, folder: Path) -> Any:
    from sksieve.plotting import plot_critical_difference

    frame = _numbers(figure, folder)
    table = frame.pivot_table(index="dataset", columns="method", values="value")
    return plot_critical_difference(table.dropna(axis=1)).figure


def _draw_history(figure: PaperFigure, folder: Path) -> Any:
    frame = _numbers(figure, folder)
    drawn, parts = _panels(frame)
    for _, rows, ax in parts:
        for method, line in rows.groupby("method"):
            ax.plot(line["n_iter"], line["objective"], marker="o", ms=3, label=method)
        ax.set(xlabel="iterations", ylabel="objective")
    return drawn


DRAWINGS = {
    "sizes": _draw_sizes,
    "settings": _draw_settings,
    "ranks": _draw_ranks,
    "history": _draw_history,
}


def _write(frame: pd.DataFrame, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path.with_suffix(".csv"), index=False, lineterminator="\n")


def _read(path: Path) -> pd.DataFrame:
    """What `_write` wrote, to the last digit."""
    import pandas as pd

    return pd.read_csv(path, keep_default_na=False, float_precision="round_trip")


def main(arguments: Sequence[str] | None = None) -> int:
    """Summarize runs, or write the page; 1 and a sentence where that is impossible."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    actions = parser.add_subparsers(dest="action", required=True)
    action = actions.add_parser("summarize", help="results of specs -> committed summaries")
    action.add_argument("specs", nargs="+", type=Path)
    action.add_argument("--store", type=Path, default=Path("sksieve-bench"))
    action = actions.add_parser("pages", help="docs/reproduction from papers and summaries")
    action.add_argument("--output", "-o", type=Path, default=PAGES)
    action = actions.add_parser("figures", help="the pictures of these pages from the summaries")
    action.add_argument("--output", "-o", type=Path, default=PICTURES)
    given = parser.parse_args(arguments)
    try:
        if given.action == "pages":
            for name, text in pages(read_papers()).items():
                (given.output / name).write_text(text, encoding="utf-8")
            return 0
        if given.action == "figures":
            draw(read_papers(), given.output)
            return 0
        drawn = [f for paper in read_papers() for f in paper.figures if f.kind == "history"]
        with Store(given.store, create=False) as store:
            for path in given.specs:
                frame = summarize(read_spec(path), store)
                if (target := SUMMARIES / f"{path.stem}.csv").exists():
                    frame = merged(frame, _read(target))
                _write(frame, target)
                if methods := [m for f in drawn if path.stem in f.runs for m in f.methods]:
                    frame = histories(read_spec(path), store, methods)
                    if (target := SUMMARIES / "history" / f"{path.stem}.csv").exists():
                        frame = followed(_read(target), frame)
                    _write(frame, target)
    except (DataError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
