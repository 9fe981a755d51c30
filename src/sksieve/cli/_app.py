"""The commands and their options. Nothing heavy is imported until a command runs."""

from __future__ import annotations

from typing import Annotated

import typer

from ..io.tables._table import ReadOptions
from . import _arguments as args
from . import _bench
from ._guard import guarded
from ._options import CompareOptions, SelectOptions, parse_image, parse_param, parse_seconds

__all__ = ["app"]

app = typer.Typer(
    name="sksieve",
    help="Which columns matter, and which groups are there: for tables without labels.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(_bench.app)


def _version(wanted: bool) -> None:
    if wanted:
        import sksieve

        typer.echo(f"scikit-sieve {sksieve.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@app.command()
def select(
    data: args.Data,
    *,
    k: args.Number,
    method: args.MethodName = "auto",
    scale: args.ScaleName = args.Scale.auto,
    time: args.Time = None,
    seed: args.Seed = 0,
    param: args.Params = None,
    label_column: args.LabelColumn = None,
    drop: args.Drop = None,
    columns: args.Columns = None,
    impute: args.ImputeBy = None,
    encode: args.EncodeBy = None,
    name: args.ArrayName = None,
    sep: args.Separator = None,
    decimal: args.Decimal = ".",
    missing: args.Missing = None,
    no_header: args.NoHeader = False,
    encoding: args.Encoding = None,
    output: args.Output = None,
    report: args.Report = None,
    image_shape: args.ImageSize = None,
    json: args.AsJson = False,
    debug: args.Debug = False,
) -> None:
    """Choose the k columns from which all the others are rebuilt best.

    Missing values, text, labels and constant columns are named, and nothing is dropped in silence.
    Ctrl-C keeps the best answer so far; pressed twice it gives up.

    Example: sksieve select table.csv -k 20 --label-column class -o chosen.csv
    """
    with guarded(debug):
        from ._select import run

        run(
            SelectOptions(
                data=data,
                k=k,
                method=method,
                label_column=label_column,
                drop=tuple(drop or ()),
                columns=tuple(columns or ()),
                scale=scale.value,
                time=None if time is None else parse_seconds(time),
                seed=seed,
                params=dict(map(parse_param, param or ())),
                impute=impute and impute.value,
                encode=encode and encode.value,
                reading=ReadOptions(
                    name, sep, decimal, not no_header, tuple(missing or ()), encoding
                ),
                output=output,
                report=report,
                image=None if image_shape is None else parse_image(image_shape),
                json=json,
            )
        )


@app.command()
def compare(
    data: args.Data,
    *,
    k: args.Number,
    methods: args.MethodNames,
    time: args.TimeEach = None,
    seed: args.Seed = 0,
    label_column: args.LabelColumn = None,
    drop: args.Drop = None,
    columns: args.Columns = None,
    impute: args.ImputeBy = None,
    encode: args.EncodeBy = None,
    name: args.ArrayName = None,
    sep: args.Separator = None,
    decimal: args.Decimal = ".",
    missing: args.Missing = None,
    no_header: args.NoHeader = False,
    encoding: args.Encoding = None,
    output: args.ComparisonFile = None,
    report: args.Report = None,
    json: args.AsJson = False,
    debug: args.Debug = False,
) -> None:
    """Compare methods on one table, without labels: best rebuild first.

    Each method chooses k columns with its defaults; shown are how much of the table they rebuild,
    how many nearest neighbours they keep, how redundant they are, and the time. A method that fails
    has its reason below the table; Ctrl-C ends the one under way and shows what there is.

    Example: sksieve compare table.csv -k 20 --methods pocss,udfs,random
    """
    with guarded(debug):
        from ._compare import run

        run(
            CompareOptions(
                data=data,
                k=k,
                methods=methods,
                label_column=label_column,
                drop=tuple(drop or ()),
                columns=tuple(columns or ()),
                time=None if time is None else parse_seconds(time),
                seed=seed,
                impute=impute and impute.value,
                encode=encode and encode.value,
                reading=ReadOptions(
                    name, sep, decimal, not no_header, tuple(missing or ()), encoding
                ),
                output=output,
                report=report,
                json=json,
            )
        )


@app.command()
def cluster(
    data: args.Data,
    *,
    clusters: args.Groups,
    method: args.ClusterMethod = "auto",
    scale: args.ClusterScaleName = args.Scale.auto,
    seed: args.Seed = 0,
    param: args.Params = None,
    label_column: args.SetAside = None,
    drop: args.Drop = None,
    columns: args.Columns = None,
    impute: args.ImputeBy = None,
    encode: args.EncodeBy = None,
    name: args.ArrayName = None,
    sep: args.Separator = None,
    decimal: args.Decimal = ".",
    missing: args.Missing = None,
    no_header: args.NoHeader = False,
    encoding: args.Encoding = None,
    output: args.LabelsFile = None,
    report: args.Report = None,
    adjacency: args.AdjacencyFile = None,
    against_labels: args.AgainstLabels = False,
    json: args.AsJson = False,
    debug: args.Debug = False,
) -> None:
    """Find groups of samples: the rows of a table.

    Shown are their sizes and what can be said without labels. Labels, if there are any, are set
    aside with --label-column and never used.

    Example: sksieve cluster table.csv -c 3 --label-column class -o labels.csv
    """
    with guarded(debug):
        from ._cluster import run
        from ._cluster_options import ClusterOptions

        run(
            ClusterOptions(
                data=data,
                c=clusters,
                method=method,
                label_column=label_column,
                drop=tuple(drop or ()),
                columns=tuple(columns or ()),
                scale=scale.value,
                seed=seed,
                params=dict(map(parse_param, param or ())),
                impute=impute and impute.value,
                encode=encode and encode.value,
                reading=ReadOptions(
                    name, sep, decimal, not no_header, tuple(missing or ()), encoding
                ),
                output=output,
                report=report,
                adjacency=adjacency,
                against_labels=against_labels,
                json=json,
            )
        )


@app.command()
def communities(
    graph: args.GraphData,
    *,
    clusters: args.Groups,
    method: args.CommunityMethod = "auto",
    seed: args.Seed = 0,
    param: args.Params = None,
    header: args.Header = None,
    sep: args.Separator = None,
    source: args.Source = None,
    target: args.Target = None,
    weight: args.Weight = None,
    name: args.ArrayName = None,
    symmetrize: args.SymmetrizeBy = None,
    duplicates: args.DuplicatesBy = None,
    encoding: args.Encoding = None,
    largest: args.Largest = False,
    label_column: args.SetAside = None,
    output: args.LabelsFile = None,
    report: args.Report = None,
    adjacency: args.AdjacencyFile = None,
    against_labels: args.AgainstLabels = False,
    json: args.AsJson = False,
    debug: args.Debug = False,
) -> None:
    """Find communities: groups of vertices of a graph with many edges inside and few between.

    Shown are their sizes, densities and modularity. Vertices without an edge, and graphs that fall
    apart, are told.

    Example: sksieve communities friends.csv -c 4 -o labels.csv
    """
    with guarded(debug):
        from ..io.graphs._graph import GraphReading
        from ._cluster_options import CommunityOptions
        from ._communities import run

        run(
            CommunityOptions(
                data=graph,
                c=clusters,
                method=method,
                label_column=label_column,
                seed=seed,
                params=dict(map(parse_param, param or ())),
                graph=GraphReading(
                    header,
                    sep,
                    source,
                    target,
                    weight,
                    name,
                    symmetrize and symmetrize.value,
                    duplicates and duplicates.value,
                    encoding,
                ),
                largest=largest,
                output=output,
                report=report,
                adjacency=adjacency,
                against_labels=against_labels,
                json=json,
            )
        )


@app.command()
def methods(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One method, in full.")
    ] = None,
    *,
    json: args.Json = False,
    debug: args.Debug = False,
) -> None:
    """List the methods with paper and cost, or show one in full."""
    with guarded(debug):
        from . import _methods

        if name is None:
            _methods.show_all(json)
        else:
            _methods.show_one(name, json)


@app.command()
def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One data set, in full.")
    ] = None,
    *,
    json: args.Json = False,
    debug: args.Debug = False,
) -> None:
    """List the data sets, or show one in full."""
    with guarded(debug):
        from . import _datasets

        if name is None:
            _datasets.show_all(json)
        else:
            _datasets.show_one(name, json)
