"""The pages of the leaderboards, from their committed results in ``benchmarks/results``.

``write(docs)`` makes ``docs/leaderboard``: a page for each use with a sortable table, pages of
costs, scales and clusterers, and a page for each method and each data set. Nothing of it is
committed.
The results come from stores of ``sksieve bench``:

    sksieve bench summary benchmarks/grids/leaderboard-selection.toml --store leaderboard \\
        -o benchmarks/results/leaderboard_selection.csv
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sksieve.bench import (
    USES,
    Spec,
    Standings,
    holm,
    paired_p,
    read_spec,
    read_summary,
    standings,
)
from sksieve.catalogue import METHODS

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
GRIDS = ROOT / "benchmarks" / "grids"

#: The baseline of selections, and what is shown without a rank.
RANDOM, ALL = "random columns", "all_columns"
#: The method clusterers of tables are compared with.
KMEANS = "kmeans"
#: All uses together.
EVERY = "all uses"

#: Data sets of one origin or kind, which say nearly the same of a method; every other data set is a
#: family of its own.
FAMILIES: dict[str, tuple[str, ...]] = {
    "handwriting": ("binalpha", "digits", "mfeat", "mnist5k", "USPS", "USPS49"),
    "faces": (
        "JAFFE", "ORL", "orlraws10P", "PIE", "PIE10", "pixraw10P", "UMIST", "warpAR10P",
        "warpPIE10P", "Yale", "YaleB",
    ),
    "objects": ("COIL100", "COIL20", "MSTAR", "MSRA25"),
    "microarrays": (
        "ALLAML", "christensen", "colon", "GLIOMA", "gravier", "khan63", "lung56", "lung_gordon",
        "lung_small", "lymphoma", "nci60", "nci9", "Prostate_GE", "sorlie", "TOX_171",
    ),
    "text": ("BASEHOCK", "CNAE9", "graph_cora", "RELATHE"),
    "musk": ("musk", "musk1"),
    "voices": ("LSVT_voice", "pd_speech"),
}  # fmt: skip

#: Use -> its smallest score: a share of variance that is negative on rows not learned from is none.
LOWEST = {"reconstruction": 0.0}

#: Scores of clusterers that enter the sums.
PARTITION = ("acc", "nmi", "ari")

#: What a page of a use says first.
MEASURES = {
    EVERY: "The mean of the four uses below, each with the same weight.",
    "clusters": "Mean of ACC, NMI and ARI of k-means and of NMI of spectral clustering on the "
    "chosen columns, with as many clusters as there are classes.",
    "later supervised use": "Mean accuracy of 5 nearest neighbors and of logistic regression that "
    "learn from the chosen columns of half of the rows, on the other half.",
    "neighbors": "Share of the 10 nearest neighbors of a row in all columns that are also found in "
    "the chosen columns.",
    "reconstruction": "Share of the variance of all columns that ridge regression on the chosen "
    "ones explains on rows it did not learn from; 0 where it is negative, so that one table does "
    "not decide a mean.",
}

VERDICTS = {
    "above": "above random",
    "below": "**below random**",
    "not distinguished": "not distinguished",
    "baseline": "baseline",
    "not ranked": "not ranked",
}

#: Decisions of the protocol, and who gains by them.
DECISIONS = (
    "Selections are judged on **standardized columns**. Methods that standardize, or see "
    "standardized columns, gain; methods that look for large variance (`variance`, `fspca`, "
    "`spcafs`) see unscaled columns and lose. {scale}",
    "Methods that take a **number of clusters** are given the number of classes. A user rarely "
    "knows it; rows `(c by eigengap)` have it estimated.",
    "**Defaults only.** All data sets of these pages served the development of a default of this "
    "package: LSDCL's `gamma` and `max_iter` and SPMA's `lam` were chosen by labels of some of "
    "them, once for all sets; `choice` (the structure target), `AlignedColumns` and BLUFS "
    "were developed on them. This favors these methods; ranks on "
    "[tables that no default was developed on](held-out.md) stand beside.",
    "**Defaults of this package, not of the papers.** NDFS, RUFS, SPCAFS, SOGFS, ULAP, L1UFS and "
    "UDFS have other defaults here than published ([why](../baselines.md)); three of them at "
    "[published settings](published.md) stand beside.",
    "Columns are chosen from **all rows**. The classifiers and the regression do not see the "
    "held-out rows; the selection does. This favors methods that fit the table closely.",
    "A fit over its budget, or refused, **counts as random columns**, which favors slow methods "
    "over showing nothing. A method with more than half of its cells missing is not ranked.",
    "**Small samples of large sets.** Sets beyond {rows} rows or {columns} columns are subsampled "
    "by a fixed seed, and fits have {budget:g} CPU seconds. This favors slow methods that "
    "are good, and hides how methods grow; it makes wide tables less redundant. {size}",
    "**k-means as a judge** favors selections that leave spherical clusters; spectral clustering "
    "is a quarter of the score of clusters.",
    "Local search and the other column subset methods **optimize reconstruction**, one of the "
    "scores.",
)


@dataclass(frozen=True)
class Board:
    """A committed board.

    Attributes
    ----------
    name : str
        Of its file and its spec.
    spec : Spec
        What was run.
    frame : DataFrame
        Its summary.
    """

    name: str
    spec: Spec
    frame: pd.DataFrame

    @property
    def file(self) -> str:
        """Name of the committed file."""
        return f"leaderboard_{self.name}.csv"

    @property
    def datasets(self) -> list[str]:
        """Data sets with results."""
        return sorted(self.frame["dataset"].unique(), key=str.lower)

    @property
    def missing(self) -> list[str]:
        """Data sets of the spec without results."""
        return sorted(set(self.spec.labels) - set(self.datasets), key=str.lower)

    @property
    def missing_methods(self) -> list[str]:
        """Methods of the spec without results: newer than the run."""
        columns = {entry.column for entry in self.spec.methods}
        return sorted(columns - set(self.frame["method"]))

    @property
    def limits(self) -> dict[str, int]:
        """Limits on rows and columns that the spec sets."""
        return {
            name: values[0]
            for source in self.spec.datasets
            for name, values in source.options
            if name in ("max_rows", "max_columns")
        }


def load(name: str, folder: Path = RESULTS) -> Board | None:
    """A board, or None where its results are not there."""
    path = folder / f"leaderboard_{name}.csv"
    if not path.exists():
        return None
    frame = read_summary(path)
    if name.startswith("selection"):  # a method from outside may have been run on more
        frame = frame[frame["dataset"].isin(frame.loc[frame["method"] == RANDOM, "dataset"])]
    return Board(name, read_spec(GRIDS / f"leaderboard-{name}.toml"), frame)


def slug(name: str) -> str:
    """A file name for a method or a data set.

    Examples
    --------
    >>> slug("mcfs (c by eigengap)"), slug("arcene(max_columns=200, max_rows=400)")
    ('mcfs-c-by-eigengap', 'arcene')
    """
    plain = re.sub(r"\((max_|sample)[^)]*\)", "", name)
    return re.sub(r"[^0-9A-Za-z]+", "-", plain).strip("-").lower()


def plain(dataset: str) -> str:
    """A data set without its limits, which are on every page."""
    return re.sub(r"\((max_|sample)[^)]*\)", "", dataset)


def by_use(frame: pd.DataFrame) -> pd.DataFrame:
    """The summary with a column for each use: the mean of its scores."""
    columns = {use: frame[list(scores)].mean(axis=1, skipna=False) for use, scores in USES.items()}
    clipped = {use: columns[use].clip(lower=least) for use, least in LOWEST.items()}
    return frame.assign(**columns | clipped)


def family(dataset: str) -> str:
    """The family of a data set; its own name where it has no relatives here.

    Examples
    --------
    >>> family("YaleB[:10](max_columns=200, max_rows=400)"), family("wine")
    ('faces', 'wine')
    """
    name = re.split(r"[\[(]", dataset)[0]
    return next((title for title, names in FAMILIES.items() if name in names), name)


def family_tests(ranking: Standings) -> pd.Series:
    """p of Wilcoxon's test against the baseline over families (means of their sets), by Holm."""
    values = ranking.values.groupby(family).mean()
    tested = ranking.table.loc[ranking.table["p_baseline"].notna(), "method"]
    return pd.Series(_wilcoxon(values, ranking.baseline, tested), index=tested)


def _wilcoxon(values: pd.DataFrame, against: str, methods: Iterable[str]) -> np.ndarray:
    """p of each method against one over the rows, corrected by Holm."""
    rest = values[against].to_numpy()
    return holm([paired_p(values[m].to_numpy(), rest, test="wilcoxon") for m in methods])


def of_use(frame: pd.DataFrame, use: str) -> Standings:
    """Standings of selections for one use, or for all."""
    scores = list(USES) if use == EVERY else [use]
    return standings(by_use(frame), scores, baseline=RANDOM, apart=(ALL,))


@dataclass(frozen=True)
class Page:
    """Text of a page, and its pictures: name -> what draws them into a file."""

    text: str
    figures: dict[str, Callable[[Path], None]] = field(default_factory=dict)


def write(docs: Path, *, pictures: bool, results: Path = RESULTS) -> list[str]:
    """Write all pages under ``docs/leaderboard``; the names of methods that have a page."""
    folder = docs / "leaderboard"
    selection, clustering = load("selection", results), load("clustering", results)
    if selection is None or clustering is None:
        raise FileNotFoundError(f"{results} has no results of both leaderboards.")
    minmax, large = load("selection-minmax", results), load("large", results)
    stable, memory = load("stability", results), load("memory", results)
    held, published = load("held-out", results), load("published", results)
    other = load("clustering-held-out", results)
    tables = {use: of_use(selection.frame, use) for use in (EVERY, *USES)}
    pages = {slug(use): _use_page(use, tables[use], selection) for use in tables}
    pages["cost"] = _cost_page(selection, tables[EVERY])
    pages["scale"] = _scale_page(tables, minmax)
    pages["size"] = _size_page(selection, large, memory)
    pages["stability"] = _stability_page(stable, tables[EVERY])
    pages["clusterers"] = _clusterers_page(clustering, other)
    pages["held-out"] = _held_out_page(tables, held, results)
    pages["published"] = _published_page(selection, published)
    pages["index"] = _index(selection, clustering, tables, minmax, large)
    clusterers = _together(clustering, other)
    methods = _method_pages(selection, clusterers, tables)
    pages |= methods | _dataset_pages(_together(selection, held), clusterers, held, other)
    for old in folder.rglob("*.md"):
        if str(old.relative_to(folder))[:-3] not in pages:
            old.unlink()
    for name, page in pages.items():
        _write_page(folder, name, page, pictures)
    for board in (selection, clustering, minmax, large, stable, memory, held, published, other):
        if board is not None:
            (folder / "data").mkdir(exist_ok=True)
            shutil.copy(results / board.file, folder / "data" / board.file)
    return sorted(name.partition("/")[2] for name in methods if name != "methods/index")


def _together(board: Board, held_out: Board | None) -> Board:
    """A board with the rows of the one on tables that no default was developed on."""
    frames = [board.frame] if held_out is None else [board.frame, held_out.frame]
    return Board(board.name, board.spec, pd.concat(frames, ignore_index=True))


def _write_page(folder: Path, name: str, page: Page, pictures: bool) -> None:
    text, path = page.text, folder / f"{name}.md"
    for figure, draw in page.figures.items():
        image = folder / "img" / f"{figure}.png"
        if pictures:
            image.parent.mkdir(parents=True, exist_ok=True)
            draw(image)
        shown = f"![{figure}](img/{figure}.png)" if pictures else ""
        text = text.replace(f"[[{figure}]]", shown)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


# Parts of pages --------------------------------------------------------------------------------


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table that a click on a head sorts."""
    lines = ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows)]
    return [":::{table}", ":class: sortable", "", *lines, ":::", ""]


def _score(value: float) -> str:
    return "-" if np.isnan(value) else f"{100 * value:.1f}"


def _signed(value: float) -> str:
    return "-" if np.isnan(value) else f"{100 * value:+.1f}"


def _p(value: float) -> str:
    if np.isnan(value):
        return "-"
    return "< .001" if value < 0.0005 else f"{value:.3f}".removeprefix("0")


def _interval(row: Any) -> str:
    return "-" if np.isnan(row.low) else f"{_signed(row.low)} to {_signed(row.high)}"


def _method_link(name: str, prefix: str = "methods/") -> str:
    return f"[{name}]({prefix}{slug(name)}.md)"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _megabytes(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.1f}"


def _seconds(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}" if value < 1 else f"{value:.2f}"


def _sentence_of_coverage(board: Board) -> str:
    spec, limits = board.spec, board.limits
    text = (
        f"{len(board.datasets)} of {len(spec.labels)} data sets of the plan; at most "
        f"{limits['max_rows']} rows and {limits['max_columns']} columns of each, a random part of "
        f"larger ones; {spec.budget:g} s of the processor for a fit"
    )
    if spec.k:
        text += f"; k = {', '.join(map(str, spec.k))} as far as a table has so many columns"
    return f"{text}. {_sentence_of_versions(board)}"


def _sentence_of_versions(board: Board) -> str:
    """The version that made a board, and methods that another one made."""
    versions = board.frame["environment"].str.extract(r"scikit-sieve ([\d.]+)")[0]
    most = versions.mode()[0]
    text = f"Made with scikit-sieve {most}"
    for version in sorted(versions.dropna()[versions != most].unique()):
        names = sorted(board.frame["method"][versions == version].unique())
        text += f"; {', '.join(names)} with {version}"
    return f"{text}."


def _environment(board: Board) -> str:
    """Python and the packages of a board, without this one."""
    return re.sub(r"scikit-sieve [\d.]+, ", "", board.frame["environment"].iloc[0])


def _below(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Methods whose mean is below random columns, and those for which the test decides it."""
    ranked = table[table["rank"].notna() & (table["gain"] < 0)]
    surely = ranked[ranked["verdict"] == "below"]
    return ranked["method"].tolist(), surely["method"].tolist()


def _tied_with_best(ranking: Standings) -> list[str]:
    """Methods that the corrected test does not distinguish from the best, best first."""
    table = ranking.table[ranking.table["rank"].notna()]
    return table.loc[~(table["p_best"] < 0.05), "method"].tolist()


# Selections ------------------------------------------------------------------------------------


def _statements(ranking: Standings) -> list[str]:
    """What the table decides, and what it does not, in words."""
    table = ranking.table
    above = table.loc[table["verdict"] == "above", "method"]
    below, surely = _below(table)
    tied = _tied_with_best(ranking)
    apart = table.loc[table["verdict"] == "not ranked", "method"]
    lines = [
        f"* **Above random columns** by the test: {_listed(above)}.",
        f"* **Below random columns** by the test: {_listed(surely)}. Mean below, not decided by "
        f"the test: {_listed(m for m in below if m not in surely)}.",
        f"* **Cannot be distinguished** from the best mean rank (`{tied[0]}`): {_ties(ranking)}.",
    ]
    lines.append(_family_statement(ranking))
    if len(apart):
        lines.append(f"* Not ranked: {_listed(apart)}.")
    return [*lines, ""]


def _family_statement(ranking: Standings) -> str:
    """What the test decides where related data sets count once."""
    p, verdicts = family_tests(ranking), ranking.table.set_index("method")["verdict"]
    n_families = ranking.values.groupby(family).ngroups
    if 0.5 ** (n_families - 1) > 0.05:
        return (
            f"* The test takes {len(ranking.values)} data sets as independent. They belong to "
            f"{n_families} families, too few for a test over families."
        )
    changed = [m for m in p.index if (p[m] < 0.05) != (verdicts[m] in ("above", "below"))]
    return (
        f"* The test takes {len(ranking.values)} data sets as independent. With related ones "
        f"averaged into {n_families} families it decides otherwise for: {_listed(changed)}."
    )


def _ties(ranking: Standings) -> str:
    """Which methods are not distinguished from the best: their names, or those of the others."""
    ranked = ranking.table.loc[ranking.table["rank"].notna(), "method"].tolist()
    tied = _tied_with_best(ranking)[1:]
    others = [name for name in ranked[1:] if name not in tied]
    count = f"{len(tied) or 'none'} of the {len(ranked) - 1} others"
    if not others or not tied:
        return count
    return (
        f"{count}: {_listed(tied)}"
        if len(tied) <= len(others)
        else (f"{count}, all but {_listed(others)}")
    )


def _standings_table(ranking: Standings, against: str) -> list[str]:
    heads = ["method", "mean", "gain", "95 % interval", "wins", "losses", "p", "p families"]
    heads += ["rank", "p best"]
    families = family_tests(ranking)
    rows = [
        [
            _method_link(row.method),
            *(_score(row.mean), _signed(row.gain), _interval(row), str(row.wins), str(row.losses)),
            *(_p(row.p_baseline), _p(families.get(row.method, np.nan))),
            *(_rank(row.rank), _p(row.p_best)),
            *(f"{100 * row.missing:.0f}", _verdict(row.verdict, against)),
        ]
        for row in ranking.table.itertuples()
    ]
    return _table([*heads, "missing %", f"against {against}"], rows)


def _verdict(verdict: str, against: str) -> str:
    return VERDICTS[verdict].replace("random", against)


COLUMNS = (
    "mean: mean score over data sets, in %; gain: mean difference from {against}, in percentage "
    "points, with its 95 % interval; wins, losses: data sets; p: Wilcoxon's signed-rank test "
    "against {against} over data sets, corrected by Holm; p families: the same over families of "
    "data sets; rank: mean rank, 1 is best; p best: the "
    "same test against the method of best rank; missing: cells over budget or refused, which "
    "count as {fill}. A click on a head sorts."
)


def _use_page(use: str, ranking: Standings, board: Board) -> Page:
    name = slug(use)
    lines = [f"# Selections: {use}", "", MEASURES[use], "", _sentence_of_coverage(board), ""]
    lines += _statements(ranking)
    lines += _standings_table(ranking, "random")
    lines += [COLUMNS.format(against=RANDOM, fill=RANDOM), ""]
    if ranking.friedman is None:
        return Page("\n".join(lines))
    test = ranking.friedman
    lines += [
        "## Critical difference",
        "",
        f"Friedman's test over {test.n_rows} data sets: p = {test.p:.2g}. Mean ranks closer than "
        f"{test.critical_difference:.1f} cannot be distinguished by Nemenyi's test at the "
        "level .05; with so many methods and so few data sets this test decides little. The "
        "picture has the recommended methods and the baseline, ranked among themselves.",
        "",
        f"[[ranks-{name}]]",
        "",
    ]
    return Page("\n".join(lines), {f"ranks-{name}": lambda path: _draw_ranks(ranking, path)})


def _draw_ranks(ranking: Standings, path: Path) -> None:
    import matplotlib.pyplot as plt

    from sksieve.plotting import plot_critical_difference

    recommended = {m.name for m in METHODS if m.role == "recommended"} | {ranking.baseline}
    ranked = set(ranking.table.loc[ranking.table["rank"].notna(), "method"])
    values = ranking.values[[c for c in ranking.values if c in recommended & ranked]]
    figure = plot_critical_difference(values).figure
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def _costs(frame: pd.DataFrame) -> pd.DataFrame:
    """Costs of each method: of a fit, over data sets and sizes, failed ones too."""
    fits = frame.drop_duplicates(["dataset", "method", "k", "repetition"])
    groups = fits.groupby("method")
    costs = pd.DataFrame(
        {
            "median": groups["cpu"].median(),
            "largest": groups["cpu"].max(),
            "memory": groups["memory"].median() / 1e6,
            "over": groups["cause"].agg(lambda cause: (cause == "over budget").mean()),
            "refused": groups["cause"].agg(lambda cause: cause.isin(["refused", "failed"]).mean()),
        }
    )
    return costs.sort_values("median", kind="stable")


def _cost_table(costs: pd.DataFrame, ranking: Standings) -> list[str]:
    """Costs beside the gain; with memory, where `costs` has it."""
    gains = ranking.table.set_index("method")["gain"]
    texts = {"median s": costs["median"].map(_seconds), "largest s": costs["largest"].map(_seconds)}
    for name, head in (("memory", "median MB"), ("largest memory", "largest MB")):
        if name in costs:
            texts[head] = costs[name].map("{:.0f}".format)
    texts["gain"] = gains.reindex(costs.index).map(_signed)
    texts["over budget %"] = (100 * costs["over"]).map("{:.0f}".format)
    texts["refused %"] = (100 * costs["refused"]).map("{:.0f}".format)
    table = pd.DataFrame(texts)
    links = map(_method_link, map(str, table.index))
    return _table(["method", *table], [(link, *row) for link, row in zip(links, table.to_numpy())])


def _cost_page(board: Board, ranking: Standings) -> Page:
    costs = _costs(board.frame).drop(columns="memory")
    lines = [
        "# Selections: cost",
        "",
        "Seconds of the processor for one fit, compiling not counted. A method that is fitted once "
        f"for all k has the same cost at each. {_sentence_of_coverage(board)} Times on so small "
        "tables do not show how a method grows; the page of each method has its cost in letters, "
        "and [larger parts](size.md) have times and memory. gain: over random columns, all uses, "
        "in percentage points.",
        "",
        *_cost_table(costs, ranking),
        "## Quality and time",
        "",
        "Methods with the number of clusters given, beside random columns (the line).",
        "",
        "[[quality-time]]",
        "",
    ]
    return Page("\n".join(lines), {"quality-time": _scatter(costs["median"], ranking, TIME)})


#: Axes of the pictures of quality and cost.
TIME = "median CPU seconds for a fit"
MEMORY = "median growth of memory in a fit, MB"


def _scatter(cost: pd.Series, ranking: Standings, label: str) -> Callable[[Path], None]:
    gains = ranking.table.set_index("method")["gain"]

    def draw(path: Path) -> None:
        import matplotlib.pyplot as plt

        both = pd.DataFrame({"x": cost, "y": 100 * gains}).dropna().drop(index=[ALL, RANDOM])
        both = both[~both.index.str.contains("by eigengap", regex=False)]
        both = both[both["x"] > 0].sort_values("y")
        figure, ax = plt.subplots(figsize=(9, 7), layout="constrained")
        ax.axhline(0, color="0.6", lw=1)
        ax.plot(both["x"], both["y"], "o", ms=4)
        for i, (name, row) in enumerate(both.iterrows()):
            offset, side = ((5, 0), "left") if i % 2 else ((-5, 0), "right")
            ax.annotate(str(name), (row["x"], row["y"]), offset, textcoords="offset points",
                        ha=side, va="center", fontsize=7)  # fmt: skip
        ax.set(xscale="log", xlabel=label, ylabel="gain over random columns, all uses, points")
        ax.margins(x=0.2)
        figure.savefig(path, dpi=110)
        plt.close(figure)

    return draw


def _scale_page(tables: dict[str, Standings], minmax: Board | None) -> Page:
    lines = ["# Selections: how ranks depend on the scale", ""]
    if minmax is None:
        lines += ["The second scale was not run yet.", ""]
        return Page("\n".join(lines))
    sets = set(minmax.datasets)
    lines += [
        "The same fits, judged on columns scaled to [0, 1] in place of standardized ones, on the "
        f"{len(sets)} data sets that have both. tau: Kendall's rank correlation of the mean ranks.",
        f"Results: {{download}}`{minmax.file} <data/{minmax.file}>`.",
        "",
    ]
    for use in tables:
        boards = {"standard": tables[use], "minmax": of_use(minmax.frame, use)}
        lines += _ranks_of_both(use, boards, ["rank, standardized", "rank, [0, 1]"])
    return Page("\n".join(lines))


def _size_page(selection: Board, large: Board | None, memory: Board | None) -> Page:
    lines = ["# Selections: how ranks depend on the size", ""]
    if large is None:
        lines += ["Larger parts of the data sets were not run yet.", ""]
        return Page("\n".join(lines))
    small, frame = _small_and_large(selection, large)
    lines += [
        f"{frame['method'].nunique()} methods on {frame['dataset'].nunique()} data sets that the "
        "limits of the other pages cut: there at "
        f"most {selection.limits['max_rows']} rows and {selection.limits['max_columns']} columns, "
        f"here {large.limits['max_rows']} and {large.limits['max_columns']}, with "
        f"{large.spec.budget:g} s of the processor for a fit; "
        f"k = {', '.join(map(str, sorted(frame['k'].unique())))}. Mean ranks among the methods "
        "that both boards rank, and tau, Kendall's rank correlation of them.",
        f"{_sentence_of_versions(large)} Results: {{download}}`{large.file} <data/{large.file}>`.",
        "",
    ]
    for use in (EVERY, *USES):
        boards = {"small": of_use(small, use), "large": of_use(frame, use)}
        lines += _ranks_of_both(use, boards, ["rank, small", "rank, large"])
        lines += ["On the larger parts:", "", *_statements(boards["large"])]
    ranking, costs = of_use(frame, EVERY), _costs(frame).drop(columns="memory")
    lines += ["## Cost on the larger parts", "", *_ended_by_the_clock(large)]
    figures = {"quality-time-large": _scatter(costs["median"], ranking, TIME)}
    if memory is not None:
        fits = memory.frame.groupby("method")["memory"]
        costs = costs.assign(memory=fits.median() / 1e6, **{"largest memory": fits.max() / 1e6})
        figures["quality-memory"] = _scatter(costs["memory"], ranking, MEMORY)
        lines += [
            "Memory: the bytes by which the process grew at most in a fit, median and largest over "
            "data sets and k, from a run of its own in which a fit ended after "
            f"{memory.spec.budget:g} s of the processor: "
            f"{{download}}`{memory.file} <data/{memory.file}>`. {_sentence_of_versions(memory)}"
        ]
    lines += ["", *_cost_table(costs, ranking), *(f"[[{name}]]\n" for name in figures)]
    return Page("\n".join(lines), figures)


def _small_and_large(selection: Board, large: Board) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both results for the same data sets and numbers of columns, data sets named alike."""
    small, frame = (
        board.frame.assign(dataset=board.frame["dataset"].map(plain))
        for board in (selection, large)
    )
    for column in ("dataset", "k"):
        both = set(small[column]) & set(frame[column])
        small, frame = small[small[column].isin(both)], frame[frame[column].isin(both)]
    return small, frame


def _ranks_of_both(use: str, boards: dict[str, Standings], heads: Sequence[str]) -> list[str]:
    """Mean ranks for one use on two boards, the change, and how well they agree."""
    one, two = boards
    ranks = _common_ranks(boards)
    rows = [
        [
            _method_link(str(name)),
            f"{row[one]:.1f}",
            f"{row[two]:.1f}",
            f"{row[two] - row[one]:+.1f}",
        ]
        for name, row in ranks.iterrows()
    ]
    tau = ranks[one].corr(ranks[two], method="kendall")
    table = _table(["method", *heads, "change"], rows)
    return [f"## {use[0].upper()}{use[1:]}", "", f"tau = {tau:.2f}.", "", *table]


def _common_ranks(boards: dict[str, Standings]) -> pd.DataFrame:
    """Mean ranks of two boards over the data sets and methods that both have."""
    one, two = boards.values()
    names = [set(b.table.loc[b.table["rank"].notna(), "method"]) for b in (one, two)]
    methods = [m for m in one.table["method"] if m in names[0] & names[1]]
    sets = one.values.index.intersection(two.values.index)
    ranks = {
        word: board.values.loc[sets, methods].rank(axis=1, ascending=False).mean()
        for word, board in boards.items()
    }
    return pd.DataFrame(ranks).sort_values(next(iter(boards)), kind="stable")


def _stability_page(board: Board | None, ranking: Standings) -> Page:
    lines = ["# Selections: stability", ""]
    if board is None:
        lines += ["Stability over samples of the rows was not run yet.", ""]
        return Page("\n".join(lines))
    is_missing = board.frame["stability"].isna().groupby(board.frame["method"]).mean()
    mean = board.frame.groupby(["method", "dataset"])["stability"].mean().groupby("method").mean()
    gains = ranking.table.set_index("method")["gain"]
    lines += [
        f"Nogueira's measure of the choices on {board.spec.draws} random samples of 80 % of the "
        "rows: 0 is chance, 1 always the same columns. A stable choice need not be a good one; "
        "gain is that over random columns, all uses. A method that was over its budget at times "
        "has the mean of the rest, which are the easier ones. "
        f"{_sentence_of_coverage(board)}",
        "",
    ]
    rows = [
        [
            _method_link(str(m)),
            f"{x:.2f}",
            _signed(gains.get(m, np.nan)),
            f"{100 * is_missing[m]:.0f}",
        ]
        for m, x in mean.sort_values(ascending=False).items()
    ]
    return Page("\n".join([*lines, *_table(["method", "stability", "gain", "missing %"], rows)]))


# Tables that no default was developed on -------------------------------------------------------


def _held_out_page(tables: dict[str, Standings], board: Board | None, results: Path) -> Page:
    lines = ["# Selections: tables that no default was developed on", ""]
    lines += _structure_section(results)
    if board is None:
        lines += ["The leaderboard was not run on such tables yet.", ""]
        return Page("\n".join(lines))
    names = _listed(plain(dataset) for dataset in board.datasets)
    lines += [
        "## The leaderboard on such tables",
        "",
        f"{_sentence_of_coverage(board)} Tables: {names}. Ranks on the tables of the other pages, "
        "all of which served the development of a default, and on these, among the methods that "
        "both rank. tau: Kendall's rank correlation of the mean ranks.",
        f"Results: {{download}}`{board.file} <data/{board.file}>`.",
        "",
    ]
    rankings = {use: of_use(board.frame, use) for use in tables}
    lines += _choice_against_peers(rankings)
    for use, developed in tables.items():
        lines += _held_out_ranks(use, developed, rankings[use])
    return Page("\n".join(lines))


def _choice_against_peers(rankings: dict[str, Standings]) -> list[str]:
    """Wins, losses and the test of `choice` against its peers for each use."""
    peers = {RANDOM if name == "random" else name: title for name, title in PEERS.items()}
    values = {use: ranking.values for use, ranking in rankings.items()}
    if not {"choice", *peers} <= set(values[EVERY]):
        return []
    rows = []
    for use, scores in values.items():
        cells = []
        for name, p in zip(peers, _wilcoxon(scores, "choice", peers), strict=True):
            gain = scores["choice"] - scores[name]
            counts = f"{(gain > 0).sum()} - {(gain < 0).sum()}"
            cells.append(f"{counts}, {100 * gain.mean():+.1f}, p {_p(p)}")
        rows.append([use, *cells])
    return [
        "`choice` against others on them: wins - losses, mean difference in points, p of "
        "Wilcoxon's test, corrected by Holm. These tables are among those of the first look above.",
        "",
        *_table(["use", *peers.values()], rows),
    ]


def _held_out_ranks(use: str, developed: Standings, held_out: Standings) -> list[str]:
    """Mean ranks for a use of the methods that two boards of different data sets rank."""
    boards = {"developed": developed, "held out": held_out}
    names = [set(b.table.loc[b.table["rank"].notna(), "method"]) for b in boards.values()]
    both = [m for m in held_out.table["method"] if m in names[0] & names[1]]
    ranks = pd.DataFrame(
        {
            word: board.values[both].rank(axis=1, ascending=False).mean()
            for word, board in boards.items()
        }
    )
    tau = ranks["developed"].corr(ranks["held out"], method="kendall")
    table = held_out.table.set_index("method").loc[both]
    rows = [
        [
            _method_link(m),
            *(f"{ranks.loc[m, word]:.1f}" for word in boards),
            *(_signed(table.loc[m, "gain"]), _interval(table.loc[m])),
            _verdict(table.loc[m, "verdict"], "random"),
        ]
        for m in both
    ]
    heads = ["method", "rank, developed on", "rank, held out", "gain, held out", "95 % interval"]
    lines = [f"### {use[0].upper()}{use[1:]}", "", *_statements(held_out), f"tau = {tau:.2f}.", ""]
    return [*lines, *_table([*heads, "against random"], rows)]


#: The structure target of `choice`, and what it is compared with, as `structure_target.csv` has it.
STRUCTURE = "structure_greedy_start"
PEERS = {
    "local_search": "local search on the table",
    "random": "random columns",
    "aligned": "aligned columns",
}


def _structure_section(results: Path) -> list[str]:
    """Is the structure target above other choices on tables that it was not made on?"""
    path = results / "structure_target.csv"
    if not path.exists():
        return []
    frame = pd.read_csv(path)
    frame = frame.assign(score=frame[["nmi", "nn1", "logistic"]].mean(axis=1))
    values = frame.pivot(index="dataset", columns="method", values="score")
    families = values.groupby(family).mean()
    p, p_families = (_wilcoxon(part, STRUCTURE, PEERS) for part in (values, families))
    rows, words = [], []
    for i, (name, title) in enumerate(PEERS.items()):
        gain = values[STRUCTURE] - values[name]
        below = gain[gain < 0].sort_values()
        listed = ", ".join(f"{dataset} ({points:+.1f})" for dataset, points in below.items())
        counts = f"{(gain > 0).sum()} - {len(below)}"
        rows.append([title, counts, f"{gain.mean():+.2f}", _p(p[i]), _p(p_families[i]), listed])
        words.append(f"{'' if p[i] < 0.05 else 'not '}significantly above {title}")
    return [
        f"The structure target (`choice`), with its greedy start, is {', '.join(words)}, on "
        f"{len(values)} tables that it was not developed on; that it starts greedily was decided "
        "after both looks at these tables.",
        "",
        "Mean of k-means NMI, 1-NN and logistic accuracy on at most 400 rows and 500 columns, in "
        "points of per cent; p: Wilcoxon's test, corrected by Holm, over tables, and over their "
        f"{len(families)} families. [How it was measured](../structure_target.md).",
        "",
        *_table(["against", "wins - losses", "points", "p", "p families", "below it on"], rows),
    ]


def _published_page(selection: Board, published: Board | None) -> Page:
    """Rivals at published settings beside their defaults."""
    lines = ["# Selections: published settings", ""]
    if published is None:
        return Page("\n".join([*lines, "They were not run yet.", ""]))
    pairs = [(name, name.partition(" ")[0]) for name in sorted(published.frame["method"].unique())]
    known = selection.frame["method"].isin([RANDOM, *(default for _, default in pairs)])
    frame = pd.concat([selection.frame[known], published.frame])
    rows = []
    for use in (EVERY, *USES):
        gains = of_use(frame, use).table.set_index("method")["gain"]
        rows.append([use, *(f"{_signed(gains[d])} / {_signed(gains[name])}" for name, d in pairs)])
    lines += [
        "Gain over random columns in percentage points, at the default of this package / as "
        "published: NDFS with `gamma = 1e8` and RUFS with `zeta = 1e7`, as in their authors' "
        "programs, which holds their cluster indicators where they start; SOGFS with "
        "`gamma = 100`, as in a public toolbox. SPCAFS, ULAP, L1UFS and UDFS have other defaults "
        f"here too, but no single published setting. {_sentence_of_coverage(published)}",
        f"Results: {{download}}`{published.file} <data/{published.file}>`.",
        "",
        *_table(["use", *(default for _, default in pairs)], rows),
    ]
    return Page("\n".join(lines))


# Clusterers ------------------------------------------------------------------------------------


def _clusterers_page(board: Board, held_out: Board | None) -> Page:
    lines = [
        "# Clusterers",
        "",
        "Mean of ACC, NMI and ARI, beside scikit-learn's and networkx's. Methods that take a "
        f"number of clusters are given the number of classes. {_sentence_of_coverage(board)} "
        f"Fits of methods that draw random numbers: {board.spec.repetitions}. A fit over its "
        "budget counts as the smallest score of the data set.",
        "",
    ]
    figures = {}
    for title, frame, baseline in _kinds(board):
        ranking = standings(frame, PARTITION, baseline=baseline, fill="")
        name = f"ranks-{title}"
        lines += [f"## On {title}", "", f"{frame['dataset'].nunique()} data sets.", ""]
        lines += [
            *_statements_on_clusterers(ranking),
            *_standings_table(ranking, baseline),
            COLUMNS.format(against=f"`{baseline}`", fill="the smallest score of the data set"),
            "",
        ]
        if ranking.friedman is not None:
            lines += [f"Friedman's test: p = {ranking.friedman.p:.2g}.", "", f"[[{name}]]", ""]
            figures[name] = lambda path, ranking=ranking: _draw_ranks(ranking, path)
    lines += _held_out_clusterers(held_out)
    lines += ["## Modularity and time", "", *_partition_costs(board, held_out)]
    return Page("\n".join(lines), figures)


def _held_out_clusterers(board: Board | None) -> list[str]:
    head = "## On tables and graphs that no default was developed on"
    if board is None:
        return [head, "", "Not run yet.", ""]
    lines = [head, "", _sentence_of_coverage(board), ""]
    lines += [f"Results: {{download}}`{board.file} <data/{board.file}>`.", ""]
    for title, frame, baseline in _kinds(board):
        ranking = standings(frame, PARTITION, baseline=baseline, fill="")
        names = _listed(plain(dataset) for dataset in ranking.values.index)
        lines += [f"### {title[0].upper()}{title[1:]}, held out", "", f"{names}.", ""]
        lines += [*_statements_on_clusterers(ranking), *_standings_table(ranking, baseline)]
    return lines


def _statements_on_clusterers(ranking: Standings) -> list[str]:
    best = ranking.table["method"].iloc[0]
    return [
        f"* Best mean rank: `{best}`. Not distinguished from it by the test: {_ties(ranking)}.",
        f"* Better than `{ranking.baseline}` by the test: "
        f"{_listed(_with_verdict(ranking, 'above'))}; "
        f"worse: {_listed(_with_verdict(ranking, 'below'))}.",
        "",
    ]


def _with_verdict(ranking: Standings, verdict: str) -> list[str]:
    return ranking.table.loc[ranking.table["verdict"] == verdict, "method"].tolist()


def _kinds(board: Board) -> list[tuple[str, pd.DataFrame, str]]:
    """Tables and graphs apart: title, results, and what methods are compared with."""
    is_graph = board.frame["dataset"].str.startswith("graph_")
    parts = (("tables", ~is_graph, KMEANS), ("graphs", is_graph, "louvain"))
    return [(title, board.frame[rows], name) for title, rows, name in parts if rows.any()]


def _partition_costs(board: Board, held_out: Board | None) -> list[str]:
    costs = _costs(board.frame)
    memory = pd.Series(np.nan, costs.index)
    if held_out is not None:
        memory = _costs(held_out.frame)["memory"].reindex(costs.index)
    ok = board.frame[board.frame["status"] == "ok"]
    modularity = ok.groupby(["method", "dataset"])["modularity"].mean().groupby("method").mean()
    rows = [
        [
            _method_link(str(name)),
            *(_score(modularity.get(name, float("nan"))), _seconds(row["median"])),
            *(_seconds(row["largest"]), _megabytes(memory[name]), f"{100 * row['over']:.0f}"),
            f"{100 * row['refused']:.0f}",
        ]
        for name, row in costs.iterrows()
    ]
    heads = ["method", "modularity", "median s", "largest s", "memory MB", "over budget %"]
    text = (
        "Modularity, in %, is that of the partition in the graph, or in the graph of 15 nearest "
        "neighbors of a table, over the data sets that the method finished. Memory: the bytes by "
        "which the process grew at most, memory that earlier fits had freed included; median over "
        "the tables and graphs that no default was developed on."
    )
    return [text, "", *_table([*heads, "refused %"], rows)]


# Methods and data sets -------------------------------------------------------------------------


def _catalogue_lines(name: str) -> list[str]:
    base = name.removesuffix(" (c by eigengap)")
    method = next((m for m in METHODS if m.name == base), None)
    if method is None:
        return []
    estimated = " The number of clusters is estimated by the eigengap." if base != name else ""
    title = f"{method.title[0].upper()}{method.title[1:]}.{estimated}"
    return [f"{title} See [{method.class_name}](../../methods/{method.name}.md).", ""]


def _method_pages(
    selection: Board, clustering: Board, tables: dict[str, Standings]
) -> dict[str, Page]:
    pages, names = {}, {}
    for name in sorted(selection.frame["method"].unique()):
        names[slug(name)] = name
        pages[f"methods/{slug(name)}"] = Page("\n".join(_selector_page(name, selection, tables)))
    for name in sorted(clustering.frame["method"].unique()):
        names[slug(name)] = name
        pages[f"methods/{slug(name)}"] = Page("\n".join(_clusterer_page(name, clustering)))
    pages["methods/index"] = Page(_listing("Methods of the leaderboards", names))
    return pages


def _listing(title: str, names: dict[str, str]) -> str:
    lines = [f"# {title}", "", "```{toctree}", ":maxdepth: 1", ""]
    lines += [f"{label} <{name}>" for name, label in sorted(names.items())]
    return "\n".join([*lines, "```", ""])


def _selector_page(name: str, board: Board, tables: dict[str, Standings]) -> list[str]:
    lines = [f"# {name} on the leaderboard", "", *_catalogue_lines(name)]
    rows = []
    for use, ranking in tables.items():
        row = ranking.table[ranking.table["method"] == name].iloc[0]
        rows.append([
            f"[{use}](../{slug(use)}.md)", _score(row["mean"]), _signed(row["gain"]),
            f"{row['wins']} / {row['losses']}", _rank(row["rank"]),
            _verdict(row["verdict"], "random"),
        ])  # fmt: skip
    lines += _table(["use", "mean", "gain", "wins / losses", "rank", "against random"], rows)
    lines += ["## By data set", "", "Score in %, and the gain over random columns in brackets.", ""]
    own = board.frame[board.frame["method"] == name]
    scores = {use: dict(ranking.own[name]) for use, ranking in tables.items()}
    gains = {
        use: dict(ranking.values[name] - ranking.values[RANDOM]) for use, ranking in tables.items()
    }
    rows = []
    for dataset, part in own.groupby("dataset"):
        cells = [f"{_score(scores[u][dataset])} ({_signed(gains[u][dataset])})" for u in tables]
        link = f"[{plain(str(dataset))}](../datasets/{slug(str(dataset))}.md)"
        rows.append([link, *cells, _causes(part) or "-"])
    return [*lines, *_table(["data set", *tables, "missing"], rows), *_version(own)]


def _causes(part: pd.DataFrame) -> str:
    """Why scores of a data set are missing, and at which k."""
    failed = part.loc[part["cause"] != "", ["cause", "k"]].drop_duplicates()
    sizes = failed.groupby("cause")["k"].agg(lambda k: ", ".join(map(str, k)))
    return "; ".join(f"{cause} at k = {k}" for cause, k in sizes.items())


def _rank(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.1f}"


def _version(own: pd.DataFrame) -> list[str]:
    row = own.iloc[0]
    return [f"Version of the method `{row['version'] or '-'}`; {row['environment']}.", ""]


def _clusterer_page(name: str, board: Board) -> list[str]:
    own = board.frame[board.frame["method"] == name]
    lines = [f"# {name} on the leaderboard", "", *_catalogue_lines(name)]
    lines += ["[All clusterers](../clusterers.md). Means over fits, in %.", ""]
    return [*lines, *_partition_rows(own, "dataset"), *_version(own)]


def _partition_rows(frame: pd.DataFrame, by: str) -> list[str]:
    scores = [*PARTITION, "modularity"]
    rows = []
    for name, part in frame.groupby(by, sort=True):
        link = _method_link(str(name), "../methods/")
        if by == "dataset":
            link = f"[{plain(str(name))}](../datasets/{slug(str(name))}.md)"
        done = part[part["status"] == "ok"]
        means = done[scores].mean() if len(done) == len(part) else pd.Series(np.nan, scores)
        cause = next(iter(part.loc[part["cause"] != "", "cause"]), "-")
        seconds = _seconds(part["cpu"].mean())
        rows.append([link, *(_score(means[score]) for score in scores), seconds, cause])
    heads = ["data set" if by == "dataset" else "method", "ACC", "NMI", "ARI", "modularity"]
    return _table([*heads, "seconds", "missing"], rows)


def _dataset_pages(selection: Board, clustering: Board, *held_out: Board | None) -> dict[str, Page]:
    pages, names = {}, {}
    every = by_use(selection.frame)
    apart = {dataset for board in held_out if board is not None for dataset in board.datasets}
    for dataset in sorted({*selection.datasets, *clustering.datasets}, key=str.lower):
        lines = [f"# {plain(dataset)} on the leaderboard", ""]
        limits = dataset.removeprefix(plain(dataset)).strip("()")
        if limits:
            lines += [f"A random part of the set, by a fixed seed: {limits.replace('_', ' ')}.", ""]
        developed = "No default" if dataset in apart else "A default"
        lines += [f"{developed} of this package was developed on it.", ""]
        if dataset in selection.datasets:
            lines += ["## Selections", "", *_selections_of(every[every["dataset"] == dataset])]
        part = clustering.frame[clustering.frame["dataset"] == dataset]
        if len(part):
            lines += ["## Clusterers", "", "Means over fits, in %.", ""]
            lines += _partition_rows(part, "method")
        names[slug(dataset)] = plain(dataset)
        pages[f"datasets/{slug(dataset)}"] = Page("\n".join(lines))
    pages["datasets/index"] = Page(_listing("Data sets of the leaderboards", names))
    return pages


def _selections_of(frame: pd.DataFrame) -> list[str]:
    """Score of each use, mean over k, and the best k for all uses together."""
    ok = frame.assign(every=frame[list(USES)].mean(axis=1, skipna=False))
    scores = ok.groupby(["method", "k"])[["every", *USES]].mean()
    rows = []
    for name, part in scores.groupby("method"):
        missing = [str(k) for _, k in part.index[part["every"].isna()]]
        means = part.mean(skipna=False)
        gap = ", ".join(missing)
        rows.append((means["every"], [
            _method_link(str(name), "../methods/"), *(_score(x) for x in means),
            f"no score at k = {gap}" if gap else "-",
        ]))  # fmt: skip
    rows.sort(key=lambda row: -row[0] if row[0] == row[0] else np.inf)
    text = "Mean over k, in %; methods without a score at some k last."
    return [text, "", *_table(["method", EVERY, *USES, "missing"], [row for _, row in rows])]


# The first page --------------------------------------------------------------------------------


def _index(
    selection: Board,
    clustering: Board,
    tables: dict[str, Standings],
    minmax: Board | None,
    large: Board | None,
) -> Page:
    newer = [*selection.missing_methods, *clustering.missing_methods]
    lines = [
        "# Leaderboard",
        "",
        "Unsupervised methods on the same data, at their defaults, with honest baselines: every "
        "selector beside **random columns** (ten draws), every clusterer beside k-means and "
        "networkx's communities. Nothing is tuned with labels. All statistics are over data sets, "
        "never over repeated runs on one of them.",
        "",
        "## What was run",
        "",
        f"* **Selections**: {_sentence_of_coverage(selection)} Results:",
        f"  {{download}}`{selection.file} <data/{selection.file}>`.",
        f"* **Clusterers**: {_sentence_of_coverage(clustering)} Results:",
        f"  {{download}}`{clustering.file} <data/{clustering.file}>`.",
        f"* **Not run yet**, selections: {_listed(map(plain, selection.missing))}; clusterers: "
        f"{_listed(map(plain, clustering.missing))}.",
        f"* Methods that are newer than the run: {_listed(newer)}.",
        f"* Other packages, selections: {_environment(selection)}; clusterers: "
        f"{_environment(clustering)}.",
        *_ended_by_the_clock(selection, clustering),
        "",
        "Tables are small parts of large sets, and methods that need more than a few seconds are "
        "shown as over budget. [How ranks depend on the size](size.md) has larger parts and a "
        "minute for each fit.",
        "",
        "## Selections in one table",
        "",
        f"Gain over random columns in percentage points, mean over {len(tables[EVERY].values)} "
        "data sets; * where the corrected test (p < .05) distinguishes the method from random "
        "columns.",
        "",
        *_overview(tables),
        "All of these tables served the development of a default; ranks on "
        "[tables that none was developed on](held-out.md) stand beside. Related tables are "
        f"families, and every page has a test over families too: {_relatives(tables[EVERY])}.",
        "",
        "## What the results say",
        "",
    ]
    for use, ranking in tables.items():
        lines += [
            f"**{use[0].upper()}{use[1:]}** ([table]({slug(use)}.md))",
            "",
            *_statements(ranking),
        ]
    lines += [
        "`random` draws columns too: it shows how far chance alone goes. `ScaledVariance` and "
        "`FastCanPCA` are classes from outside the package (`benchmarks/outside.py`).",
        "",
    ]
    for title, frame, baseline in _kinds(clustering):
        ranking = standings(frame, PARTITION, baseline=baseline, fill="")
        lines += [
            f"**Clusterers on {title}** ({len(ranking.values)} data sets, [table](clusterers.md))"
        ]
        lines += ["", *_statements_on_clusterers(ranking)]
    lines += ["## Decisions of the protocol, and whom they favor", ""]
    words = {
        "scale": _sentence_of_scales(tables, minmax),
        "size": _sentence_of_sizes(selection, large),
        "rows": selection.limits["max_rows"],
        "columns": selection.limits["max_columns"],
        "budget": selection.spec.budget,
    }
    lines += [f"* {text.format(**words)}" for text in DECISIONS]
    lines += [
        "",
        "[Add a method](../evaluation.md#the-leaderboards) in two commands.",
        "",
        "```{toctree}",
        ":hidden:",
        "",
        *(slug(use) for use in tables),
        "cost",
        "scale",
        "size",
        "stability",
        "held-out",
        "published",
        "clusterers",
        "methods/index",
        "datasets/index",
        "```",
        "",
    ]
    return Page("\n".join(lines))


def _relatives(ranking: Standings) -> str:
    """The families of a board with more than one data set."""
    groups = ranking.values.groupby(family).groups.items()
    related = ((title, names) for title, names in groups if len(names) > 1)
    return "; ".join(f"{title} ({', '.join(map(plain, names))})" for title, names in related)


def _ended_by_the_clock(*boards: Board) -> list[str]:
    """Which fits had less of the processor than their budget when the clock ended them."""
    parts = []
    for board in boards:
        early = board.frame[board.frame["cause"].eq("over budget")]
        parts.append(early[early["cpu"] < 0.98 * board.spec.budget])
    early = pd.concat(parts)
    if early.empty:
        return []
    return [
        f"* The machine was busy: of the fits shown as over budget the clock ended {len(early)}, "
        f"after {early['cpu'].min():.1f} s of the processor or more, all of "
        f"{_listed(sorted(early['method'].unique()))}."
    ]


def _overview(tables: dict[str, Standings]) -> list[str]:
    by_method = {use: ranking.table.set_index("method") for use, ranking in tables.items()}
    rows = []
    for name in tables[EVERY].table["method"]:
        cells = []
        for use in tables:
            row = by_method[use].loc[name]
            mark = "\\*" if row["verdict"] in ("above", "below") else ""
            cells.append(f"{_signed(row['gain'])}{mark}")
        rank = by_method[EVERY].loc[name, "rank"]
        missing = f"{100 * by_method[EVERY].loc[name, 'missing']:.0f}"
        rows.append([_method_link(name), *cells, _rank(rank), missing])
    return _table(["method", *tables, "mean rank", "missing %"], rows)


def _sentence_of_scales(tables: dict[str, Standings], minmax: Board | None) -> str:
    if minmax is None:
        return "A second scale was not run yet."
    boards = {"standard": tables[EVERY], "minmax": of_use(minmax.frame, EVERY)}
    tau, moved = _moves(boards)
    n = len(set(minmax.datasets) & set(tables[EVERY].values.index))
    return (
        f"On columns scaled to [0, 1] ({n} data sets) mean ranks over all uses correlate with "
        f"tau = {tau:.2f}; {moved}. See [how ranks depend on the scale](scale.md)."
    )


def _sentence_of_sizes(selection: Board, large: Board | None) -> str:
    if large is None:
        return "Larger parts were not run yet."
    small, frame = _small_and_large(selection, large)
    boards = {"small": of_use(small, EVERY), "large": of_use(frame, EVERY)}
    tau, moved = _moves(boards)
    return (
        f"With up to {large.limits['max_rows']} rows and {large.limits['max_columns']} columns and "
        f"{large.spec.budget:g} s ({frame['dataset'].nunique()} data sets, "
        f"{len(_common_ranks(boards))} methods) mean ranks over all uses correlate with "
        f"tau = {tau:.2f}; {moved}. See [how ranks depend on the size](size.md)."
    )


def _moves(boards: dict[str, Standings]) -> tuple[float, str]:
    """How well the mean ranks of two boards agree, and which methods differ most."""
    ranks = _common_ranks(boards)
    one, two = boards
    change = (ranks[two] - ranks[one]).sort_values()
    up, down = change.index[0], change.index[-1]
    moved = (
        f"`{up}` rises most ({change[up]:+.1f} ranks), `{down}` falls most ({change[down]:+.1f})"
    )
    return float(ranks[one].corr(ranks[two], method="kendall")), moved
