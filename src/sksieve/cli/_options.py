"""The options of every command: a dataclass for each, whose fields are what the parser knows.

``register`` turns such a class into a command, so that an option, its help and its default stand in
one place. Nothing heavy is imported here: ``sksieve --help`` reads this module only.
"""

from __future__ import annotations

import inspect
import re
import shlex
import sys
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_type_hints

import typer

from ._errors import UsageError

if TYPE_CHECKING:
    from ..report import ImageShape

#: Panels of the help; options without one come first.
PANELS = CHOOSE, READ, FORMAT, CLEAN, WRITE = (
    *("How to choose", "What to read", "Format of the file", "What to clean", "What to write"),
)


Scale = StrEnum("Scale", ["auto", "standard", "unit", "minmax", "none"])
Use = StrEnum("Use", ["any", "reconstruct", "groups", "neighbors"])
Solver = StrEnum("Solver", ["auto", "gram", "factored"])
Impute = StrEnum("Impute", ["median", "mean", "knn"])
Encode = StrEnum("Encode", ["onehot"])
Symmetrize = StrEnum("Symmetrize", ["sum", "mean", "max", "min"])
Duplicates = StrEnum("Duplicates", ["sum", "max"])
TableFormat = StrEnum("TableFormat", ["md", "csv", "tex"])
PairedTest = StrEnum("PairedTest", ["t", "wilcoxon"])
Names = list[str] | None


def _argument(help: str, metavar: str, default: Any = MISSING) -> Any:
    info = typer.Argument(metavar=metavar, help=help, show_default=False)
    return field(default=default, metadata={"parameter": info})


def _option(
    panel: str | None,
    help: str,
    metavar: str | None = None,
    *,
    default: Any = None,
    flags: tuple[str, ...] = (),
    **more: Any,
) -> Any:
    """An option; a boolean one is set by ``--name``, unless `flags` says otherwise."""
    more["show_default"] = not (default is None or default is False or default is MISSING)
    info = typer.Option(*flags, help=help, metavar=metavar, rich_help_panel=panel, **more)
    return field(default=default, metadata={"parameter": info})


def _output(help: str, metavar: str = "FILE", panel: str | None = WRITE, **more: Any) -> Any:
    return _option(panel, help, metavar, flags=("-o", "--output"), **more)


def _scale(auto: str) -> Any:
    """The option --scale; `auto` says what that value means."""
    scales = "standard: center, variance 1. unit: length 1, not centered. minmax: to 0..1. none: "
    return _option(CHOOSE, f"auto: {auto} {scales}unchanged.", default=Scale.auto)


def _method(names: str = "name", auto: str = "") -> Any:
    """The option --method; `auto` says what that value means."""
    help = f"auto, or a {names} listed by sksieve methods."
    return _option(CHOOSE, f"{help} {auto}".strip(), default="auto")


def _header(what: str, alternative: str) -> Any:
    """The options --header and --no-header."""
    return _option(
        FORMAT,
        f"The first line of {what} names its columns, or is {alternative}; by default decided from "
        "the line.",
        flags=("--header/--no-header",),
    )


@dataclass(kw_only=True)
class Options:
    """What every command has; `context` is the parser's, and repeats the command."""

    context: Any = field(default=None, repr=False)
    debug: bool = _option(None, "Show the traceback of an error.", default=False)

    #: Options that do not belong to the command that repeats a run.
    passing: ClassVar[tuple[str, ...]] = ("json", "debug")
    #: The command that repeats a run, if it is another.
    repeated_by: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, Enum):
                setattr(self, one.name, value.value)
            elif isinstance(value, list):
                setattr(self, one.name, tuple(value))

    def command_line(self, *extra: str, method: str = "", k: str = "") -> str:
        """The command that repeats the run: all that differs from the parser's defaults.

        Parameters
        ----------
        *extra : str
            Words to add at the end.
        method, k : str, optional
            In place of those of the run: the method that ``auto`` took, a number that suits.
        """
        assert self.context is not None
        other = {"method": method, "k": k}
        words = ["sksieve", *(self.repeated_by or self.context.info_name).split()]
        for parameter in self.context.command.params:
            name = str(parameter.name)
            if name not in self.passing:
                words += _words(parameter, other.get(name) or self.context.params.get(name))
        return shlex.join([*words, *extra])


def _words(parameter: Any, value: Any) -> list[str]:
    """The words of one parameter; none where it has its default."""
    value = value.value if isinstance(value, Enum) else value
    default = parameter.default
    default = default.value if isinstance(default, Enum) else default
    if parameter.param_type_name == "argument":
        from ..io.tables._places import public

        return [] if value is None else [public(str(value))]
    if value in (None, (), []) or (value == default and not parameter.required):
        return []
    if isinstance(value, bool):
        return [parameter.opts[0] if value else parameter.secondary_opts[0]]
    if isinstance(value, list | tuple):
        return [word for one in value for word in (parameter.opts[0], str(one))]
    return [parameter.opts[0], str(value)]


def register(
    app: typer.Typer, name: str, options: type[Options], module: str, function: str = "run"
) -> None:
    """Add a command: the fields of `options` are its parameters, ``module.function`` runs it."""
    hints = get_type_hints(options)

    def _call(ctx: typer.Context, **values: Any) -> None:
        from ._guard import guarded

        with guarded(values["debug"]):
            _import_sklearn()
            run = getattr(import_module(f".{module}", __package__), function)
            run(options(**values, context=ctx))

    parameters = []
    for one in sorted((one for one in fields(options) if one.name != "context"), key=_place):
        info = one.metadata["parameter"]
        if hints[one.name] is bool and not info.param_decls:
            info.param_decls = (f"--{one.name.replace('_', '-')}",)
        empty = inspect.Parameter.empty
        parameters.append(
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=empty if one.default is MISSING else one.default,
                annotation=Annotated[hints[one.name], info],
            )
        )
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters.insert(0, context)
    typed: Any = _call
    typed.__signature__ = inspect.Signature(parameters)
    typed.__annotations__ = {one.name: one.annotation for one in parameters}
    paragraphs = inspect.cleandoc(options.__doc__ or "").split("\n\n")
    typed.__doc__ = "\n\n".join(" ".join(text.split()) for text in paragraphs)
    app.command(name)(typed)


def _import_sklearn() -> None:
    """Import scikit-learn without pandas, which it imports but does not need, to save time.

    What needs pandas imports it later.
    """
    if "pandas" not in sys.modules:
        sys.modules["pandas"] = None  # type: ignore[assignment]
        try:
            import_module("sklearn.base")
        finally:
            del sys.modules["pandas"]


def _place(one: Any) -> tuple[int, bool]:
    """Arguments first, then options without a panel, then panel by panel; --debug last."""
    info = one.metadata["parameter"]
    if isinstance(info, typer.models.ArgumentInfo):
        return 0, False
    if one.name == "debug":
        return len(PANELS) + 2, False
    panels = (None, *PANELS)
    return panels.index(info.rich_help_panel) + 1, one.name not in ("method", "methods", "scale")


# Shared ------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class DataOptions(Options):
    """Of every command that reads a table or a graph."""

    label_column: str | None = _option(
        READ, "Column with labels: not used, copied to the output.", "NAME"
    )
    name: str | None = _option(
        FORMAT,
        "Array of an NPZ or MAT file, layer of an H5AD file, sheet of an XLSX file.",
        "ARRAY",
    )
    sep: str | None = _option(
        FORMAT,
        "Separator of a text file: one character, or tab, or space; by default decided from the "
        "first line.",
        "CHAR",
    )
    encoding: str | None = _option(
        FORMAT,
        "Encoding of a text file, such as cp1252, latin-1 or utf-16; by default UTF-8.",
        "NAME",
    )
    seed: int = _option(CHOOSE, "Seed of the random numbers.", default=0, min=0, max=2**32 - 1)
    time: str | None = _option(
        CHOOSE,
        "Time limit: 30s, 2m, 500ms. A method that iterates returns its best result so far.",
        "TIME",
    )
    json: bool = _option(WRITE, "Print a JSON document instead of text.", default=False)
    report: Path | None = _option(WRITE, "Write an HTML report.", "FILE")

    @property
    def seconds(self) -> float | None:
        """The time limit; `UsageError` if it is no length of time."""
        return None if self.time is None else parse_seconds(self.time)


@dataclass(kw_only=True)
class TableOptions(DataOptions):
    """Of every command that reads a table of samples and columns."""

    data: str = _argument(
        "Table with samples in rows: CSV, TSV, TXT, XLSX, XLS, JSON, Parquet, Feather, NPY, NPZ, "
        "MAT, Matrix Market or H5AD; - for CSV from standard input; dataset:NAME for a data set of "
        "the catalogue; DATABASE::TABLE for a table of SQLite, DuckDB or PostgreSQL; an address.",
        "DATA",
    )
    columns: Names = _option(
        READ, "Use only these columns: a,b or 'pix*', or @FILE with a name in each line.", "NAMES"
    )
    drop: Names = _option(READ, "Leave out these columns: a,b or 'id*'.", "NAMES")
    include: Names = _option(
        READ, "Use these columns although they look like labels or row numbers.", "NAMES"
    )
    decimal: str | None = _option(
        FORMAT, "Decimal sign of a text table; by default seen from its first lines.", "CHAR"
    )
    thousands: str | None = _option(
        FORMAT, "What separates thousands in the numbers of a text table.", "CHAR"
    )
    header_row: str | None = _option(
        FORMAT,
        "Row of a text table or workbook that names the columns, from 1, or two rows: 3-4.",
        "ROW",
    )
    missing: Names = _option(
        FORMAT,
        "Cell that stands for a missing value, like the empty cell, NA, NaN, null and None; can be "
        "repeated.",
        "TEXT",
    )
    header: bool | None = _header("a text table", "data (they are then called x0, x1, ...)")
    numeric_only: bool = _option(
        CLEAN, "Leave out the columns that hold no numbers.", default=False
    )
    encode: Encode | None = _option(
        CLEAN,
        "Turn text columns into 0/1 columns that count as one variable, and dates into days.",
    )
    impute: Impute | None = _option(
        CLEAN,
        "Replace missing values by the column's median or mean, or by the mean of the 5 nearest "
        "rows.",
    )
    drop_missing: str | None = _option(
        CLEAN,
        "Leave out the rows with missing values, or the columns where more than this share is "
        "missing (columns:0.3).",
        "rows|columns[:SHARE]",
    )

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of `sksieve.io.read_table`."""
        names = ("name", "sep", "decimal", "header", "encoding", "thousands", "header_row")
        given = {name: getattr(self, name) for name in names}
        return given | {"missing": tuple(self.missing or ())}

    @property
    def named(self) -> tuple[str, ...]:
        """Columns that other options name, which are used although they look like labels."""
        return ()

    @property
    def preparing(self) -> dict[str, Any]:
        """The arguments of `sksieve.io.numeric_table`; `UsageError` if --drop-missing is none."""
        from ..io._numeric import missing_limit

        if self.drop_missing is not None:
            try:
                missing_limit(self.drop_missing)
            except ValueError as error:
                raise UsageError(str(error)) from None
        names = ("columns", "drop", "include", "label_column", "numeric_only", "encode", "impute")
        return {name: getattr(self, name) for name in (*names, "drop_missing", "named")}


@dataclass(kw_only=True)
class MethodOptions(DataOptions):
    """Of every command that runs one method."""

    method: str = _method()
    param: Names = _option(
        CHOOSE, "A parameter of the method (sksieve methods NAME); can be repeated.", "NAME=VALUE"
    )

    @property
    def params(self) -> dict[str, Any]:
        """Values of --param; `UsageError` if one is not NAME=VALUE."""
        return dict(map(parse_param, self.param or ()))

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the workflow that the command calls, but its data."""
        return {
            "method": self.method,
            "params": self.params,
            "time_limit": self.seconds,
            "random_state": self.seed,
        }

    #: What the page shows.
    on_page: ClassVar[str] = "the groups and how they were found"

    def following(self, output: str) -> str:
        """What most people want next."""
        if self.report is None:
            return f"--report page.html shows {self.on_page}."
        if getattr(self, "output", None) is None:
            return f"-o {output} writes the result."
        return "sksieve methods lists the methods."


# Columns -----------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class SelectOptions(TableOptions, MethodOptions):
    """Choose the columns that explain all the others best.

    Text, missing values, constant columns, and columns that look like labels or row numbers are
    reported; no column is dropped silently. Ctrl-C keeps the best result so far; press twice to
    abort.

    Example: sksieve select table.csv -k 20 --label-column class -o chosen.csv
    """

    k: str = _option(
        None,
        "How many columns to choose. auto: suggested from the table. 90%: as many as carry this "
        "share of what all columns have in common.",
        "N|auto|SHARE%",
        default="auto",
        flags=("-k", "--number"),
    )
    method: str = _method(auto="auto follows --for; with --time it is local_search.")
    scale: Scale = _scale("what suits the method, in most cases standard.")
    use: Use = _option(
        CHOOSE,
        "What the columns are for. any, groups: columns that carry the groups and the variance.",
        default=Use.any,
        flags=("--for",),
    )
    clusters: int | None = _option(
        CHOOSE,
        "Number of groups of rows, for methods that use it.",
        flags=("-c", "--clusters"),
        min=2,
    )
    candidates: Names = _option(
        CHOOSE,
        "Choose only among these columns: a,b or 'pix*', or @FILE with a name in each line. All "
        "columns are still to be explained.",
        "NAMES",
    )
    keep: Names = _option(CHOOSE, "Columns that must be among the chosen.", "NAMES")
    cost: Path | None = _option(
        CHOOSE, "Table with the name and the cost of each column; needs --budget.", "FILE"
    )
    budget: float | None = _option(
        CHOOSE, "Most that the chosen columns may cost in all.", "NUMBER"
    )
    solver: Solver = _option(
        CHOOSE,
        "gram: from the inner products of all columns. factored: from a shortlist, for tables with "
        "tens of thousands of columns. auto: gram while memory and time allow.",
        default=Solver.auto,
    )
    output: Path | None = _output(
        "Write the chosen columns: .csv .tsv .parquet .feather .npy .npz .mtx"
    )
    image_shape: str | None = _option(
        WRITE,
        "The columns are pixels of images of this height and width, row by row; HxW,columns if "
        "they run column by column, as in files from MATLAB. The report then shows the images.",
        "HxW",
    )

    stability: bool = _option(
        WRITE,
        "Repeat the choice on 20 random halves of the rows, and report how often each column is "
        "chosen again. Takes about ten times as long.",
        default=False,
    )
    details: bool = _option(
        WRITE,
        "Also print scaling, time and how the choice was judged.",
        default=False,
    )

    passing: ClassVar[tuple[str, ...]] = (*Options.passing, "details")
    on_page: ClassVar[str] = "what explains each dropped column"

    @property
    def named(self) -> tuple[str, ...]:
        return (*(self.candidates or ()), *(self.keep or ()))

    @property
    def arguments(self) -> dict[str, Any]:
        names = ("k", "use", "scale", "candidates", "keep", "cost", "budget", "solver", "stability")
        given = {name: getattr(self, name) for name in names}
        return super().arguments | given | {"n_clusters": self.clusters}

    @property
    def image(self) -> ImageShape | None:
        """How the columns make an image; `UsageError` if it cannot be read."""
        return None if self.image_shape is None else parse_image(self.image_shape)


@dataclass(kw_only=True)
class CompareOptions(TableOptions):
    """Compare selection methods on one table, without labels.

    Each method chooses k columns with its defaults. The table shows how much of the variance they
    explain, how many nearest neighbors they keep, how redundant they are, and the time. Methods
    that fail are listed with the reason. Ctrl-C ends the current method and shows the results so
    far.

    Example: sksieve compare table.csv -k 20
    """

    k: int = _option(None, "How many columns to choose.", default=MISSING, flags=("-k", "--number"))
    methods: str = _option(
        CHOOSE,
        "Methods to compare (sksieve methods); by default the recommended ones and random columns.",
        "NAME,NAME,...",
        default="recommended",
    )
    time: str | None = _option(CHOOSE, "Time limit of each method: 30s, 2m, 500ms.", "TIME")
    output: Path | None = _output("Write the table: .csv")


# Groups ------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class GroupOptions(MethodOptions):
    """Of the commands that find groups of samples or of vertices."""

    clusters: int | None = _option(
        None,
        "How many groups to find; by default suggested from the data.",
        flags=("-c", "--clusters"),
    )
    output: Path | None = _output(
        "Write the group of each row or vertex: .csv .tsv .parquet .feather"
    )
    adjacency: Path | None = _option(
        WRITE, "Write an image of the graph, ordered by group: .png .svg .pdf", "FILE"
    )
    against_labels: bool = _option(
        WRITE, "Report how well the groups agree with the labels: accuracy and NMI.", default=False
    )

    @property
    def arguments(self) -> dict[str, Any]:
        names = ("label_column", "against_labels")
        given = {name: getattr(self, name) for name in names}
        return super().arguments | given | {"n_clusters": self.clusters}


@dataclass(kw_only=True)
class ClusterOptions(TableOptions, GroupOptions):
    """Find groups of samples (rows of a table).

    Shown are their sizes and what can be judged without labels. A label column given with
    --label-column is not used.

    Example: sksieve cluster table.csv -c 3 --label-column class -o labels.csv
    """

    method: str = _method(
        "clustering method",
        "auto takes the best of spectral clustering, k-means and Ward's tree, by modularity in the "
        "neighbor graph.",
    )
    scale: Scale = _scale(
        "none for sparse tables and for methods that work with directions from zero, else standard."
    )
    stability: bool = _option(
        WRITE,
        "Repeat the clustering on 20 random halves of the rows, and report how well the groups "
        "agree. Takes about ten times as long.",
        default=False,
    )

    @property
    def arguments(self) -> dict[str, Any]:
        return super().arguments | {"scale": self.scale, "stability": self.stability}


@dataclass(kw_only=True)
class CommunityOptions(GroupOptions):
    """Find communities: groups of vertices of a graph with many edges inside and few between.

    Shown are their sizes, densities and modularity. Isolated vertices and disconnected graphs are
    reported.

    Example: sksieve communities friends.csv -c 4 -o labels.csv
    """

    graph: str = _argument(
        "Edge list (CSV, TSV, TXT, Parquet, Feather: from, to, optionally a weight), adjacency "
        "matrix (Matrix Market, NPZ, NPY, MAT, CSV), GraphML or GML; - for an edge list from "
        "standard input; dataset:NAME for a graph of the catalogue.",
        "GRAPH",
    )
    method: str = _method(
        "clustering method",
        "auto is spectral_communities, quick on large graphs; bpma suits communities of similar "
        "size; louvain finds the number itself.",
    )
    label_column: str | None = _option(
        READ, "Vertex attribute: not used, copied to the output.", "NAME"
    )
    header: bool | None = _header("an edge list", "an edge")
    source: str | None = _option(READ, "Column of one end of an edge; by default the first.", "COL")
    target: str | None = _option(READ, "Column of the other end; by default the second.", "COL")
    weight: str | None = _option(
        READ, "Column (GraphML: attribute) of the weight; by default the third, or 1.", "COL"
    )
    name: str | None = _option(FORMAT, "Array of an NPZ or MAT file.", "ARRAY")
    symmetrize: Symmetrize | None = _option(
        CLEAN,
        "Make directed edges undirected: sum or mean of both directions, the larger, or the "
        "smaller (0 for an edge in one direction only).",
    )
    duplicates: Duplicates | None = _option(
        CLEAN, "An edge listed twice: add the weights, or take the largest."
    )
    largest: bool = _option(
        CLEAN,
        "Use only the largest connected component; other vertices get no community.",
        default=False,
    )

    @property
    def data(self) -> str:
        """The file of the graph."""
        return self.graph

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of `sksieve.io.read_graph`."""
        names = (
            *("header", "sep", "source", "target", "weight", "name"),
            *("symmetrize", "duplicates", "largest", "encoding"),
        )
        return {name: getattr(self, name) for name in names}


# Benchmarks --------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class BenchRetryOptions(Options):
    """Forget what failed, so that the next run tries it again."""

    store: Path = _option(
        None,
        "Folder of the results; specs can share it.",
        "DIR",
        default=Path("sksieve-bench"),
    )


@dataclass(kw_only=True)
class BenchOptions(BenchRetryOptions):
    """Of the commands that take a spec."""

    spec: Path = _argument("File that lists the experiments.", "SPEC.toml")
    data: list[Path] | None = _option(
        None, "Table in place of the spec's data sets; can be repeated.", "FILE"
    )
    label_column: str | None = _option(
        None, "Column of these tables that holds the classes.", "NAME"
    )
    method: Names = _option(
        None,
        "A method to add: a name listed by sksieve methods, or package.module:Class, which is "
        "imported and run; can be repeated.",
        "NAME",
    )
    only: bool = _option(None, "Run the methods of --method only.", default=False)


@dataclass(kw_only=True)
class BenchRunOptions(BenchOptions):
    """Run the remaining experiments. Several runs may share a store at once.

    Example: sksieve bench run quick.toml --jobs 2
    """

    jobs: int = _option(
        None, "Worker processes; -1 for one on each core.", default=1, flags=("--jobs", "-j")
    )
    dask: str | None = _option(None, "Scheduler of the dask cluster to run on.", "ADDRESS")
    rescore: bool = _option(None, "Compute all scores again from the stored fits.", default=False)


@dataclass(kw_only=True)
class BenchStatusOptions(BenchOptions):
    """Show progress and failures."""


@dataclass(kw_only=True)
class BenchTableOptions(BenchOptions):
    """Print the table: mean and deviation, best and ties marked, 'failed' where a cell failed."""

    form: TableFormat = _option(
        None, "Format of the table.", default=TableFormat.md, flags=("--format",)
    )
    score: str | None = _option(
        None, "Score to show, such as acc or error_ratio; by default all of the protocol."
    )
    average: bool = _option(None, "Show the mean over all k, not a row for each.", default=False)
    test: PairedTest = _option(None, "Paired test that decides on ties.", default=PairedTest.t)
    statistics: bool = _option(
        None, "Also print Friedman, Nemenyi and paired tests over the rows.", default=False
    )


@dataclass(kw_only=True)
class BenchReportOptions(BenchOptions):
    """Write one HTML page: tables, figures, statistics and failures.

    Example: sksieve bench report quick.toml -o quick.html
    """

    output: Path = _output("File of the page.", "PAGE.html", None, default=MISSING)

    passing: ClassVar[tuple[str, ...]] = (*Options.passing, "output")
    repeated_by: ClassVar[str] = "bench run"


@dataclass(kw_only=True)
class BenchSummaryOptions(BenchOptions):
    """Write compact results: a line for each method, data set and number of columns.

    Data sets that are not done are left out. Example: sksieve bench summary quick.toml -o quick.csv
    """

    output: Path = _output("File of the results.", "FILE.csv", None, default=MISSING)


@dataclass(kw_only=True)
class BenchMergeOptions(Options):
    """Join compact results; of a data set and method that several have, the last is taken.

    Example: sksieve bench merge board.csv mine.csv -o board.csv
    """

    files: list[Path] = _argument("Files written by sksieve bench summary.", "FILE.csv")
    output: Path = _output("File of the results.", "FILE.csv", None, default=MISSING)


# Catalogues --------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class _CatalogueOptions(Options):
    name: str | None = _argument("Entry to show in full.", "[NAME]", default=None)
    json: bool = _option(None, "Print a JSON document instead of text.", default=False)


@dataclass(kw_only=True)
class MethodsOptions(_CatalogueOptions):
    """List the methods by purpose, or show one in full."""


@dataclass(kw_only=True)
class DatasetsOptions(_CatalogueOptions):
    """List the data sets, show one in full, or download one."""

    fetch: bool = _option(None, "Download the data set, so that it can be used.", default=False)


@dataclass(kw_only=True)
class WarmupOptions(Options):
    """Compile once what the first select, cluster and communities would compile."""


# Values ------------------------------------------------------------------------------------------


def parse_seconds(text: str) -> float:
    """A length of time, with the unit ms, s, m or h (none: seconds), in seconds.

    Examples
    --------
    >>> [parse_seconds(text) for text in ("30s", "2m", "500ms", "1.5")]
    [30.0, 120.0, 0.5, 1.5]
    """
    parts = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(ms|s|m|min|h)?\s*", text)
    if parts is None or float(parts[1]) <= 0:
        raise UsageError(f"--time {text}: give a length of time such as 30s, 2m or 500ms.")
    return float(parts[1]) * {"ms": 1e-3, "m": 60.0, "min": 60.0, "h": 3600.0}.get(parts[2], 1.0)


def parse_image(text: str) -> ImageShape:
    """``HxW``, or ``HxW,columns`` where the columns run down the image.

    Examples
    --------
    >>> parse_image("32 x 30,columns")
    ImageShape(height=32, width=30, down=True)
    """
    from ..report import ImageShape

    parts = re.fullmatch(r"\s*(\d+)\s*[xX]\s*(\d+)\s*(,\s*(?:rows|columns)\s*)?", text)
    if parts is None or not int(parts[1]) * int(parts[2]):
        raise UsageError(
            f"--image-shape {text}: give height and width in pixels, such as 32x32, or "
            "32x32,columns if the columns run down the image."
        )
    return ImageShape(int(parts[1]), int(parts[2]), "columns" in (parts[3] or ""))


def parse_param(text: str) -> tuple[str, Any]:
    """``NAME=VALUE``, the value a Python literal where it is one, else a string.

    Examples
    --------
    >>> parse_param("max_iter=50"), parse_param("tol=None"), parse_param("kernel=rbf")
    (('max_iter', 50), ('tol', None), ('kernel', 'rbf'))
    """
    from ast import literal_eval

    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise UsageError(f"--param {text}: give NAME=VALUE, for example max_iter=500.")
    try:
        return name.strip(), literal_eval(value.strip())
    except (ValueError, SyntaxError):
        return name.strip(), value.strip()
