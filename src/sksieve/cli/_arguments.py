"""The options of the commands: type, spelling, help text."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

READ, CHOOSE, GIVE = "What to read", "How to choose", "What comes out"


class Scale(StrEnum):
    """What is done to the columns first; ``auto`` is what the method expects."""

    auto = "auto"
    standard = "standard"
    unit = "unit"
    minmax = "minmax"
    none = "none"


class Impute(StrEnum):
    """What missing values are replaced by."""

    median = "median"
    mean = "mean"


class Encode(StrEnum):
    """What text columns become."""

    onehot = "onehot"


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, TXT, XLSX, JSON, Parquet, Feather, NPY, NPZ, MAT, Matrix Market or H5AD "
        "file, samples in rows; - for CSV from standard input; dataset:NAME for a data set of the "
        "catalogue.",
        show_default=False,
    ),
]
Number = Annotated[
    int,
    typer.Option("-k", "--number", help="How many columns to choose.", show_default=False),
]
MethodName = Annotated[
    str,
    typer.Option(
        help="auto, or a name of: sksieve methods. auto is local_search, which reaches the "
        "smallest rebuild error in a given time.",
        rich_help_panel=CHOOSE,
    ),
]
MethodNames = Annotated[
    str,
    typer.Option(
        metavar="NAME,NAME,...",
        help="Names of: sksieve methods, with commas between.",
        show_default=False,
        rich_help_panel=CHOOSE,
    ),
]
ScaleName = Annotated[
    Scale,
    typer.Option(
        help="auto: none for the methods that look for large variance; for sparse tables unit, or "
        "none where the method scales by itself; standard for the rest. standard: centre, variance "
        "1 (columns of different units count the same). unit: length 1, not centred, as in the "
        "papers. minmax: to 0..1. none: as they are.",
        rich_help_panel=CHOOSE,
    ),
]
ClusterScaleName = Annotated[
    Scale,
    typer.Option(
        help="auto: none for the methods that code samples by others (l1graph, srsg, lr_l1), as "
        "centring would turn the directions they work with, and for sparse tables; standard for "
        "the rest. standard: "
        "centre, variance 1. unit: length 1, not centred. minmax: to 0..1. none: as they are.",
        rich_help_panel=CHOOSE,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Time limit of an anytime method: 30s, 2m, 500ms.",
        rich_help_panel=CHOOSE,
    ),
]
TimeEach = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Time limit of each method that iterates: 30s, 2m, 500ms.",
        rich_help_panel=CHOOSE,
    ),
]
Seed = Annotated[
    int,
    typer.Option(min=0, max=2**32 - 1, help="Seed of the random numbers.", rich_help_panel=CHOOSE),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="A parameter of the method (sksieve methods NAME); may be repeated.",
        rich_help_panel=CHOOSE,
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Column with labels: never chosen, copied to the output.",
        rich_help_panel=READ,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL",
        help="Column, or pattern such as 'id*', to leave out; may be repeated.",
        rich_help_panel=READ,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Use only columns of this name or pattern ('pix*'); may be repeated.",
        rich_help_panel=READ,
    ),
]
ImputeBy = Annotated[
    Impute | None,
    typer.Option(help="Fill missing values in; without it they are refused.", rich_help_panel=READ),
]
EncodeBy = Annotated[
    Encode | None,
    typer.Option(
        help="Turn text columns into 0/1 columns; without it they are refused.",
        rich_help_panel=READ,
    ),
]
ArrayName = Annotated[
    str | None,
    typer.Option(
        metavar="ARRAY",
        help="Which array of an NPZ or MAT file, layer of an H5AD file, sheet of an XLSX file.",
        rich_help_panel=READ,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        help="Separator of a text table: one character, or tab, or space.",
        rich_help_panel=READ,
    ),
]
Decimal = Annotated[
    str,
    typer.Option(metavar="CHAR", help="Decimal sign of a text table.", rich_help_panel=READ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="Cell that means a missing value, beside the empty one, NA, NaN, null and None; "
        "may be repeated.",
        rich_help_panel=READ,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of a text file, such as cp1252, latin-1 or utf-16; UTF-8 without it.",
        rich_help_panel=READ,
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line of a text table is data; columns are called x0, x1, ...",
        rich_help_panel=READ,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the chosen columns of all rows: .csv .tsv .parquet .feather .npy .npz .mtx",
        rich_help_panel=GIVE,
    ),
]
ComparisonFile = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help="Write the table, .csv.", rich_help_panel=GIVE
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a report, one HTML file.", rich_help_panel=GIVE),
]
ImageSize = Annotated[
    str | None,
    typer.Option(
        "--image-shape",
        metavar="HxW",
        help="The columns are pixels of images this high and wide, row by row; HxW,columns where "
        "they run down the columns, as in files from MATLAB. The report then shows the images.",
        rich_help_panel=GIVE,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print a JSON document instead of text.", rich_help_panel=GIVE),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON document instead of text.")]


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


GraphData = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="Edge list (CSV, TSV, TXT, Parquet, Feather: from, to, perhaps a weight), adjacency "
        "matrix (Matrix Market, NPZ, NPY, MAT, CSV), GraphML or GML; - for an edge list from "
        "standard input; dataset:NAME for a graph of the catalogue.",
        show_default=False,
    ),
]
Groups = Annotated[
    int,
    typer.Option("-c", "--clusters", help="How many groups to find.", show_default=False),
]
ClusterMethod = Annotated[
    str,
    typer.Option(
        help="auto, or a clustering method of: sksieve methods. auto is spectral: k-means on "
        "the eigenvectors of a nearest-neighbour graph.",
        rich_help_panel=CHOOSE,
    ),
]
CommunityMethod = Annotated[
    str,
    typer.Option(
        help="auto, or a clustering method of: sksieve methods. auto is spectral_communities, "
        "quick on large graphs; bpma suits communities of similar size.",
        rich_help_panel=CHOOSE,
    ),
]
SetAside = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Labels that are set aside: not used, copied to the output.",
        rich_help_panel=READ,
    ),
]
AgainstLabels = Annotated[
    bool,
    typer.Option(
        "--against-labels",
        help="Say how the groups agree with the labels set aside: accuracy and NMI.",
        rich_help_panel=GIVE,
    ),
]
LabelsFile = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the group of each row or vertex: .csv .tsv .parquet .feather",
        rich_help_panel=GIVE,
    ),
]
AdjacencyFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write an image of the graph, ordered by group: .png .svg .pdf",
        rich_help_panel=GIVE,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="The first line of an edge list names its columns, or is an edge; told from the line "
        "itself when neither is given.",
        show_default=False,
        rich_help_panel=READ,
    ),
]
Source = Annotated[
    str | None,
    typer.Option(
        metavar="COL", help="Column of one end of an edge; the first.", rich_help_panel=READ
    ),
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Column of the other end; the second.", rich_help_panel=READ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column (GraphML: attribute) of the weight; the third, or every edge weighs 1.",
        rich_help_panel=READ,
    ),
]
SymmetrizeBy = Annotated[
    Symmetrize | None,
    typer.Option(
        help="Make directed edges undirected: both directions added, their mean, the larger, or "
        "the smaller (0 for an edge in one direction only); without it they are refused.",
        rich_help_panel=READ,
    ),
]
DuplicatesBy = Annotated[
    Duplicates | None,
    typer.Option(
        help="An edge listed twice: weights add up, or the largest counts; without it they are "
        "refused.",
        rich_help_panel=READ,
    ),
]
Largest = Annotated[
    bool,
    typer.Option(
        "--largest",
        help="Only the largest connected component; other vertices get no community.",
        rich_help_panel=READ,
    ),
]
