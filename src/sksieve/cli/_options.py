"""The options of every command: a dataclass for each, whose fields are what the parser knows.

``register`` turns such a class into a command, so that an option, its help and its default stand in
one place. Nothing heavy is imported here: ``sksieve --help`` reads this module only.
"""

from __future__ import annotations

import inspect
import re
import shlex
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, get_type_hints

import click
import typer

__all__ = [
    "ClusterOptions",
    "CommunityOptions",
    "CompareOptions",
    "DatasetsOptions",
    "Debug",
    "GroupOptions",
    "ImagePixels",
    "MethodOptions",
    "MethodsOptions",
    "Options",
    "SelectOptions",
    "TableOptions",
    "UsageError",
    "parse_image",
    "parse_param",
    "parse_seconds",
    "register",
]

READ, CLEAN, CHOOSE, GIVE = "What to read", "What to clean", "How to choose", "What to write"


class UsageError(ValueError):
    """The command line asks for something that does not exist; exit code 2."""


class Scale(StrEnum):
    """How the columns are scaled first; ``auto`` is what suits the method."""

    auto = "auto"
    standard = "standard"
    unit = "unit"
    minmax = "minmax"
    none = "none"


class Use(StrEnum):
    """What the chosen columns are for."""

    any = "any"
    reconstruct = "reconstruct"
    groups = "groups"
    neighbors = "neighbors"


class Solver(StrEnum):
    """Whether a method forms the Gram matrix of the columns."""

    auto = "auto"
    gram = "gram"
    factored = "factored"


class Impute(StrEnum):
    """What missing values are replaced by."""

    median = "median"
    mean = "mean"
    knn = "knn"


class Encode(StrEnum):
    """What text columns become."""

    onehot = "onehot"


class Symmetrize(StrEnum):
    """How directed edges become undirected."""

    sum = "sum"
    mean = "mean"
    max = "max"
    min = "min"


class Duplicates(StrEnum):
    """What an edge listed twice means."""

    sum = "sum"
    max = "max"


def _option(*names: str, panel: str | None = None, **other: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **other)


Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Names = list[str] | None
Encoding = Annotated[
    str | None,
    _option(
        metavar="NAME",
        help="Encoding of a text file, such as cp1252, latin-1 or utf-16; by default UTF-8.",
        panel=READ,
    ),
]


@dataclass(kw_only=True)
class Options:
    """What every command has; `context` is the parser's, and repeats the command."""

    context: Annotated[Any, None] = field(default=None, repr=False)

    #: Options that do not belong to the command that repeats a run.
    passing: ClassVar[tuple[str, ...]] = ("json", "debug")

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, Enum):
                setattr(self, one.name, value.value)
            elif isinstance(value, list):
                setattr(self, one.name, tuple(value))

    def command_line(self, *extra: str, method: str | None = None) -> str:
        """The command that repeats the run: all that differs from the parser's defaults.

        Parameters
        ----------
        *extra : str
            Words to add at the end.
        method : str, optional
            Name of the method in place of ``auto``.
        """
        assert self.context is not None
        words = ["sksieve", self.context.info_name]
        for parameter in self.context.command.params:
            name = str(parameter.name)
            if name not in self.passing:
                value = self.context.params.get(name)
                words += _words(parameter, method if name == "method" and method else value)
        return shlex.join([*words, *extra])


def _words(parameter: click.Parameter, value: Any) -> list[str]:
    """The words of one parameter; none where it has its default."""
    value = value.value if isinstance(value, Enum) else value
    default = parameter.default
    default = default.value if isinstance(default, Enum) else default
    if parameter.param_type_name == "argument":
        return [] if value is None else [str(value)]
    if value in (None, (), []) or (value == default and not parameter.required):
        return []
    if isinstance(value, bool):
        return [parameter.opts[0] if value else parameter.secondary_opts[0]]
    if isinstance(value, list | tuple):
        return [word for one in value for word in (parameter.opts[0], str(one))]
    return [parameter.opts[0], str(value)]


def register(app: typer.Typer, name: str, options: type[Options], module: str) -> None:
    """Add a command: the fields of `options` are its parameters, ``module.run`` runs it."""
    hints = get_type_hints(options, include_extras=True)

    def _call(ctx: typer.Context, **values: Any) -> None:
        from ._guard import guarded

        with guarded(values.get("debug", False)):
            import_module(f".{module}", __package__).run(options(**values, context=ctx))

    parameters = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=hints[one.name],
        )
        for one in fields(options)
        if one.name != "context"
    ]
    parameters.sort(key=_place)
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters.insert(0, context)
    typed: Any = _call
    typed.__signature__ = inspect.Signature(parameters)
    typed.__annotations__ = {one.name: one.annotation for one in parameters}
    paragraphs = inspect.cleandoc(options.__doc__ or "").split("\n\n")
    typed.__doc__ = "\n\n".join(" ".join(text.split()) for text in paragraphs)
    app.command(name)(typed)


def _place(parameter: inspect.Parameter) -> int:
    """Arguments first, then options without a panel, then panel by panel."""
    info = parameter.annotation.__metadata__[0]
    if isinstance(info, typer.models.ArgumentInfo):
        return 0
    panels = (None, CHOOSE, READ, CLEAN, GIVE)
    place = 2 * panels.index(info.rich_help_panel) + 2
    last = parameter.name == "debug"
    return place - (parameter.name in ("method", "methods", "scale")) + 2 * len(panels) * last


# Tables ------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class TableOptions(Options):
    """Of every command that reads a table of samples and columns."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table with samples in rows: CSV, TSV, TXT, XLSX, JSON, Parquet, Feather, NPY, "
            "NPZ, MAT, Matrix Market or H5AD; - for CSV from standard input; dataset:NAME for a "
            "data set of the catalogue.",
            show_default=False,
        ),
    ]
    label_column: Annotated[
        str | None,
        _option(
            metavar="NAME",
            help="Column with labels: not used, copied to the output.",
            panel=READ,
        ),
    ] = None
    columns: Annotated[
        Names,
        _option(
            metavar="NAMES",
            help="Use only these columns: a,b or 'pix*', or @FILE with a name in each line.",
            panel=READ,
        ),
    ] = None
    drop: Annotated[
        Names, _option(metavar="NAMES", help="Leave out these columns: a,b or 'id*'.", panel=READ)
    ] = None
    include: Annotated[
        Names,
        _option(
            metavar="NAMES",
            help="Use these columns although they look like labels or row numbers.",
            panel=READ,
        ),
    ] = None
    name: Annotated[
        str | None,
        _option(
            metavar="ARRAY",
            help="Array of an NPZ or MAT file, layer of an H5AD file, sheet of an XLSX file.",
            panel=READ,
        ),
    ] = None
    sep: Annotated[
        str | None,
        _option(
            metavar="CHAR",
            help="Separator of a text table: one character, or tab, or space; by default decided "
            "from the first line.",
            panel=READ,
        ),
    ] = None
    decimal: Annotated[
        str, _option(metavar="CHAR", help="Decimal sign of a text table.", panel=READ)
    ] = "."
    missing: Annotated[
        Names,
        _option(
            metavar="TEXT",
            help="Cell that stands for a missing value, like the empty cell, NA, NaN, null and "
            "None; can be repeated.",
            panel=READ,
        ),
    ] = None
    header: Annotated[
        bool | None,
        _option(
            "--header/--no-header",
            help="The first line of a text table names its columns, or is data (they are then "
            "called x0, x1, ...); by default decided from the line.",
            show_default=False,
            panel=READ,
        ),
    ] = None
    encoding: Encoding = None
    numeric_only: Annotated[
        bool,
        _option("--numeric-only", help="Leave out the columns that hold no numbers.", panel=CLEAN),
    ] = False
    encode: Annotated[
        Encode | None, _option(help="Turn text columns into 0/1 columns.", panel=CLEAN)
    ] = None
    impute: Annotated[
        Impute | None,
        _option(
            help="Replace missing values by the column's median or mean, or by the mean of the 5 "
            "nearest rows.",
            panel=CLEAN,
        ),
    ] = None
    drop_missing: Annotated[
        str | None,
        _option(
            metavar="rows|columns[:SHARE]",
            help="Leave out the rows with missing values, or the columns where more than this "
            "share is missing (columns:0.3).",
            panel=CLEAN,
        ),
    ] = None
    json: Annotated[
        bool, _option("--json", help="Print a JSON document instead of text.", panel=GIVE)
    ] = False
    debug: Debug = False

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of `sksieve.io.read_table`."""
        return {
            "name": self.name,
            "sep": self.sep,
            "decimal": self.decimal,
            "header": self.header,
            "missing": tuple(self.missing or ()),
            "encoding": self.encoding,
        }

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


Time = Annotated[
    str | None,
    _option(
        metavar="TIME",
        help="Time limit: 30s, 2m, 500ms. A method that iterates returns its best result so far.",
        panel=CHOOSE,
    ),
]
Seed = Annotated[
    int, _option(min=0, max=2**32 - 1, help="Seed of the random numbers.", panel=CHOOSE)
]
Params = Annotated[
    Names,
    _option(
        metavar="NAME=VALUE",
        help="A parameter of the method (sksieve methods NAME); can be repeated.",
        panel=CHOOSE,
    ),
]
Report = Annotated[Path | None, _option(metavar="FILE", help="Write an HTML report.", panel=GIVE)]


@dataclass(kw_only=True)
class MethodOptions(Options):
    """Of every command that runs one method."""

    seed: Seed = 0
    param: Params = None
    time: Time = None
    report: Report = None

    #: Parameters of methods that have an option of their own.
    own: ClassVar[dict[str, str]] = {"random_state": "--seed", "time_budget": "--time"}

    @property
    def seconds(self) -> float | None:
        """The time limit; `UsageError` if it is no length of time."""
        return None if self.time is None else parse_seconds(self.time)

    @property
    def params(self) -> dict[str, Any]:
        """Values of --param; `UsageError` if one is not NAME=VALUE."""
        return dict(map(parse_param, self.param or ()))

    def own_parameters(self) -> dict[str, Any]:
        """Values of the parameters in `own`; a method gets those that it has."""
        given = {"random_state": self.seed, "time_budget": self.seconds}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(kw_only=True)
class SelectOptions(TableOptions, MethodOptions):
    """Choose the columns that explain all the others best.

    Text, missing values, constant columns, and columns that look like labels or row numbers are
    reported; no column is dropped silently. Ctrl-C keeps the best result so far; press twice to
    abort.

    Example: sksieve select table.csv -k 20 --label-column class -o chosen.csv
    """

    k: Annotated[
        str,
        _option(
            "-k",
            "--number",
            metavar="N|auto|SHARE%",
            help="How many columns to choose. auto: suggested from the table. 90%: as many as "
            "carry this share of what all columns have in common.",
        ),
    ] = "auto"
    use: Annotated[
        Use,
        _option(
            "--for",
            help="What the columns are for; any judges three methods by three numbers.",
            panel=CHOOSE,
        ),
    ] = Use.any
    clusters: Annotated[
        int | None,
        _option(
            "-c", "--clusters", min=2, help="Number of groups of rows, if known.", panel=CHOOSE
        ),
    ] = None
    method: Annotated[
        str,
        _option(
            help="auto, or a name listed by sksieve methods. auto follows --for; with --time it is "
            "local_search.",
            panel=CHOOSE,
        ),
    ] = "auto"
    scale: Annotated[
        str,
        _option(
            help="auto: what suits the method, in most cases standard. standard: center, variance "
            "1. unit: length 1, not centered. minmax: to 0..1. none: unchanged.",
            panel=CHOOSE,
        ),
    ] = "auto"
    candidates: Annotated[
        Names,
        _option(
            metavar="NAMES",
            help="Choose only among these columns: a,b or 'pix*', or @FILE with a name in each "
            "line. All columns are still to be explained.",
            panel=CHOOSE,
        ),
    ] = None
    keep: Annotated[
        Names,
        _option(metavar="NAMES", help="Columns that must be among the chosen.", panel=CHOOSE),
    ] = None
    cost: Annotated[
        Path | None,
        _option(
            metavar="FILE",
            help="Table with the name and the cost of each column; needs --budget.",
            panel=CHOOSE,
        ),
    ] = None
    budget: Annotated[
        float | None,
        _option(
            metavar="NUMBER", help="Most that the chosen columns may cost in all.", panel=CHOOSE
        ),
    ] = None
    solver: Annotated[
        Solver,
        _option(
            help="gram: from the inner products of all columns. factored: from a shortlist, for "
            "tables with tens of thousands of columns. auto: gram while memory and time allow.",
            panel=CHOOSE,
        ),
    ] = Solver.auto
    output: Annotated[
        Path | None,
        _option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the chosen columns: .csv .tsv .parquet .feather .npy .npz .mtx",
            panel=GIVE,
        ),
    ] = None
    image_shape: Annotated[
        str | None,
        _option(
            metavar="HxW",
            help="The columns are pixels of images of this height and width, row by row; "
            "HxW,columns if they run down the columns, as in files from MATLAB. The report then "
            "shows the images.",
            panel=GIVE,
        ),
    ] = None

    own: ClassVar[dict[str, str]] = {
        **MethodOptions.own,
        "n_features_to_select": "-k",
        "scale": "--scale",
        "n_clusters": "-c",
        "use": "--for",
        **{name: f"--{name}" for name in ("candidates", "keep", "budget", "solver")},
    }

    @property
    def named(self) -> tuple[str, ...]:
        return (*(self.candidates or ()), *(self.keep or ()))

    @property
    def restrictions(self) -> tuple[str, ...]:
        """The options given that only column subset methods have."""
        names = ("candidates", "keep", "cost", "budget", "solver")
        return tuple(f"--{name}" for name in names if getattr(self, name) not in (None, "auto"))

    @property
    def image(self) -> ImagePixels | None:
        """How the columns make an image; `UsageError` if it cannot be read."""
        return None if self.image_shape is None else parse_image(self.image_shape)

    @property
    def number(self) -> int | float | None:
        """Columns to choose, or a share of what all have in common, or None for ``auto``.

        Raises
        ------
        UsageError
        """
        text = self.k.strip()
        if text == "auto":
            return None
        if text.lstrip("-").isdecimal():
            if int(text) < 1:
                raise UsageError(f"-k {text}: choose at least one column.")
            return int(text)
        parts = re.fullmatch(r"(\d+\.?\d*) ?%", text)
        if parts is None or not 0 < float(parts[1]) < 100:
            raise UsageError(f"-k {text}: use a number, auto, or a share such as 90%.")
        return float(parts[1]) / 100

    def own_parameters(self) -> dict[str, Any]:
        own = {
            **super().own_parameters(),
            "use": self.use,
            "n_clusters": self.clusters,
            "budget": self.budget,
            "solver": self.solver,
        }
        return {name: value for name, value in own.items() if value is not None}


@dataclass(kw_only=True)
class CompareOptions(TableOptions):
    """Compare selection methods on one table, without labels.

    Each method chooses k columns with its defaults. The table shows how much of the variance they
    explain, how many nearest neighbors they keep, how redundant they are, and the time. Methods
    that fail are listed with the reason. Ctrl-C ends the current method and shows the results so
    far.

    Example: sksieve compare table.csv -k 20
    """

    k: Annotated[
        int, _option("-k", "--number", help="How many columns to choose.", show_default=False)
    ]
    methods: Annotated[
        str,
        _option(
            metavar="NAME,NAME,...",
            help="Methods to compare (sksieve methods); by default the recommended ones and "
            "random columns.",
            panel=CHOOSE,
        ),
    ] = "recommended"
    seed: Seed = 0
    time: Annotated[
        str | None,
        _option(
            metavar="TIME",
            help="Time limit of each method that iterates: 30s, 2m, 500ms.",
            panel=CHOOSE,
        ),
    ] = None
    output: Annotated[
        Path | None,
        _option("-o", "--output", metavar="FILE", help="Write the table: .csv", panel=GIVE),
    ] = None
    report: Report = None

    @property
    def seconds(self) -> float | None:
        """The time limit; `UsageError` if it is no length of time."""
        return None if self.time is None else parse_seconds(self.time)


# Groups ------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class GroupOptions(MethodOptions):
    """Of the commands that find groups of samples or of vertices."""

    clusters: Annotated[
        int | None,
        _option(
            "-c", "--clusters", help="How many groups to find; by default suggested from the data."
        ),
    ] = None
    label_column: Annotated[
        str | None,
        _option(metavar="NAME", help="Labels: not used, copied to the output.", panel=READ),
    ] = None
    output: Annotated[
        Path | None,
        _option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the group of each row or vertex: .csv .tsv .parquet .feather",
            panel=GIVE,
        ),
    ] = None
    adjacency: Annotated[
        Path | None,
        _option(
            metavar="FILE",
            help="Write an image of the graph, ordered by group: .png .svg .pdf",
            panel=GIVE,
        ),
    ] = None
    against_labels: Annotated[
        bool,
        _option(
            "--against-labels",
            help="Report how well the groups agree with the labels: accuracy and NMI.",
            panel=GIVE,
        ),
    ] = False

    own: ClassVar[dict[str, str]] = {**MethodOptions.own, "n_clusters": "-c"}

    def own_parameters(self) -> dict[str, Any]:
        own = super().own_parameters()
        return own if self.clusters is None else {**own, "n_clusters": self.clusters}


@dataclass(kw_only=True)
class ClusterOptions(TableOptions, GroupOptions):
    """Find groups of samples (rows of a table).

    Shown are their sizes and what can be judged without labels. A label column given with
    --label-column is not used.

    Example: sksieve cluster table.csv -c 3 --label-column class -o labels.csv
    """

    method: Annotated[
        str,
        _option(
            help="auto, or a clustering method listed by sksieve methods. auto takes the best of "
            "spectral clustering, k-means and Ward's tree, by modularity in the neighbor graph.",
            panel=CHOOSE,
        ),
    ] = "auto"
    scale: Annotated[
        str,
        _option(
            help="auto: none for sparse tables and for methods that work with directions from "
            "zero, else standard. standard: center, variance 1. unit: length 1, not centered. "
            "minmax: to 0..1. none: unchanged.",
            panel=CHOOSE,
        ),
    ] = "auto"


@dataclass(kw_only=True)
class CommunityOptions(GroupOptions):
    """Find communities: groups of vertices of a graph with many edges inside and few between.

    Shown are their sizes, densities and modularity. Isolated vertices and disconnected graphs are
    reported.

    Example: sksieve communities friends.csv -c 4 -o labels.csv
    """

    graph: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH",
            help="Edge list (CSV, TSV, TXT, Parquet, Feather: from, to, optionally a weight), "
            "adjacency matrix (Matrix Market, NPZ, NPY, MAT, CSV), GraphML or GML; - for an edge "
            "list from standard input; dataset:NAME for a graph of the catalogue.",
            show_default=False,
        ),
    ]
    method: Annotated[
        str,
        _option(
            help="auto, or a clustering method listed by sksieve methods. auto is "
            "spectral_communities, quick on large graphs; bpma suits communities of similar size.",
            panel=CHOOSE,
        ),
    ] = "auto"
    header: Annotated[
        bool | None,
        _option(
            "--header/--no-header",
            help="The first line of an edge list names its columns, or is an edge; by default "
            "decided from the line.",
            show_default=False,
            panel=READ,
        ),
    ] = None
    sep: Annotated[
        str | None,
        _option(
            metavar="CHAR",
            help="Separator of a text file: one character, or tab, or space.",
            panel=READ,
        ),
    ] = None
    source: Annotated[
        str | None,
        _option(
            metavar="COL", help="Column of one end of an edge; by default the first.", panel=READ
        ),
    ] = None
    target: Annotated[
        str | None,
        _option(metavar="COL", help="Column of the other end; by default the second.", panel=READ),
    ] = None
    weight: Annotated[
        str | None,
        _option(
            metavar="COL",
            help="Column (GraphML: attribute) of the weight; by default the third, or 1.",
            panel=READ,
        ),
    ] = None
    name: Annotated[
        str | None,
        _option(metavar="ARRAY", help="Array of an NPZ or MAT file.", panel=READ),
    ] = None
    encoding: Encoding = None
    symmetrize: Annotated[
        Symmetrize | None,
        _option(
            help="Make directed edges undirected: sum or mean of both directions, the larger, or "
            "the smaller (0 for an edge in one direction only).",
            panel=CLEAN,
        ),
    ] = None
    duplicates: Annotated[
        Duplicates | None,
        _option(help="An edge listed twice: add the weights, or take the largest.", panel=CLEAN),
    ] = None
    largest: Annotated[
        bool,
        _option(
            "--largest",
            help="Use only the largest connected component; other vertices get no community.",
            panel=CLEAN,
        ),
    ] = False
    json: Annotated[
        bool, _option("--json", help="Print a JSON document instead of text.", panel=GIVE)
    ] = False
    debug: Debug = False

    own: ClassVar[dict[str, str]] = {
        **GroupOptions.own,
        "affinity": "sksieve cluster, which makes the affinity from a table,",
    }

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

    def own_parameters(self) -> dict[str, Any]:
        return {**super().own_parameters(), "affinity": "precomputed"}


# Catalogues --------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class _CatalogueOptions(Options):
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One entry, in full.")] = None
    json: Annotated[bool, typer.Option("--json", help="Print a JSON document instead of text.")] = (
        False
    )
    debug: Debug = False


@dataclass(kw_only=True)
class MethodsOptions(_CatalogueOptions):
    """List the methods by purpose, or show one in full."""


@dataclass(kw_only=True)
class DatasetsOptions(_CatalogueOptions):
    """List the data sets, or show one in full."""


# Values ------------------------------------------------------------------------------------------


class ImagePixels(NamedTuple):
    """How columns make an image: ``--image-shape``."""

    height: int
    width: int
    down: bool = False


def parse_seconds(text: str) -> float:
    """A length of time in seconds.

    Raises
    ------
    UsageError
        If it is not a positive number with the unit ms, s, m or h (none: seconds).

    Examples
    --------
    >>> [parse_seconds(text) for text in ("30s", "2m", "500ms", "1.5")]
    [30.0, 120.0, 0.5, 1.5]
    """
    parts = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(ms|s|m|min|h)?\s*", text)
    if parts is None or float(parts[1]) <= 0:
        raise UsageError(f"--time {text}: give a length of time such as 30s, 2m or 500ms.")
    return float(parts[1]) * {"ms": 1e-3, "m": 60.0, "min": 60.0, "h": 3600.0}.get(parts[2], 1.0)


def parse_image(text: str) -> ImagePixels:
    """``HxW``, or ``HxW,columns`` where the columns run down the image.

    Raises
    ------
    UsageError
        If it is anything else.

    Examples
    --------
    >>> parse_image("32 x 30,columns")
    ImagePixels(height=32, width=30, down=True)
    """
    parts = re.fullmatch(r"\s*(\d+)\s*[xX]\s*(\d+)\s*(,\s*(?:rows|columns)\s*)?", text)
    if parts is None or not int(parts[1]) * int(parts[2]):
        raise UsageError(
            f"--image-shape {text}: give height and width in pixels, such as 32x32, or "
            "32x32,columns if the columns run down the image."
        )
    return ImagePixels(int(parts[1]), int(parts[2]), "columns" in (parts[3] or ""))


def parse_param(text: str) -> tuple[str, Any]:
    """``NAME=VALUE``, the value a Python literal where it is one, else a string.

    Raises
    ------
    UsageError
        If there is no name or no equals sign.

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
