"""The commands and their options. Nothing heavy is imported until a command runs."""

from __future__ import annotations

from typing import Annotated

import typer

from . import _arguments as args
from ._guard import guarded
from ._options import SelectOptions, parse_param, parse_seconds
from .tables._table import ReadOptions

__all__ = ["app"]

app = typer.Typer(
    name="sksieve",
    help="Which columns matter, and which groups are there: for tables without labels.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    scale: args.ScaleName = args.Scale.standard,
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
    output: args.Output = None,
    report: args.Report = None,
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
                reading=ReadOptions(name, sep, decimal, not no_header, tuple(missing or ())),
                output=output,
                report=report,
                json=json,
            )
        )


"""Every method by its short name: class, paper, cost, defaults. Classes are imported late."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

__all__ = ["METHODS", "Method", "get_method", "list_methods"]

Kind = Literal["columns", "selector", "clusterer"]


@dataclass(frozen=True)
class Method:
    """One line of the catalogue.

    Attributes
    ----------
    name : str
        Short name, as the command line takes it.
    class_name : str
        Public class in `sksieve`.
    kind : {"columns", "selector", "clusterer"}
        ``columns``: column subset selection (from the Gram matrix); ``selector``: any other feature
        selection; ``clusterer``: labels for samples or vertices.
    title : str
        What it is, in one line.
    paper : str
        Reference.
    cost : str
        Time, in the number of rows m (columns n) the class's docstring uses.
    nested : bool
        The k-subset is a prefix of the ranking: one fit serves every k.
    expects : str
        Preprocessing the method expects.
    """

    name: str
    class_name: str
    kind: Kind
    title: str
    paper: str
    cost: str
    nested: bool = True
    expects: str = "any scale"

    @property
    def wants_raw(self) -> bool:
        """Does the method look for large variance, so that standardised columns tell it nothing?"""
        return self.expects.startswith("columns in one unit")

    def load(self) -> type:
        """The estimator class."""
        return getattr(import_module("sksieve"), self.class_name)

    def defaults(self) -> dict[str, Any]:
        """The constructor's parameters and their defaults."""
        parameters = inspect.signature(self.load()).parameters
        return {name: p.default for name, p in parameters.items()}


METHODS: tuple[Method, ...] = (
    Method(
        name="greedy",
        class_name="GreedyCSS",
        kind="columns",
        title="forward selection: add the column that lowers the rebuild error most",
        paper="Farahat, Ghodsi & Kamel, KAIS 2013",
        cost="O(m n^2 + k n^2)",
    ),
    Method(
        name="two_stage",
        class_name="TwoStageCSS",
        kind="columns",
        title="pivoted QR on the leading right singular vectors",
        paper="Boutsidis, Mahoney & Drineas, SODA 2009",
        cost="O(m n^2 + n^3)",
        nested=False,
    ),
    Method(
        name="approx_svd",
        class_name="ApproxSVDCSS",
        kind="columns",
        title="forward selection for the leading singular vectors in place of the data",
        paper="Civril & Magdon-Ismail, TCS 2012",
        cost="O(m n^2 + n^3)",
        nested=False,
    ),
    Method(
        name="leverage",
        class_name="LeverageScoreCSS",
        kind="columns",
        title="largest leverage scores: a baseline that keeps near copies",
        paper="Papailiopoulos, Kyrillidis & Boutsidis, KDD 2014; Mahoney & Drineas, PNAS 2009",
        cost="O(m n^2 + n^3)",
        nested=False,
    ),
    Method(
        name="astar",
        class_name="WeightedAStarCSS",
        kind="columns",
        title="weighted A* search with a proven gap; exact for a handful of columns",
        paper="Arai, Maung, Xu & Schweitzer, AAAI 2016",
        cost="O(m n^2 + n^3) a node",
        nested=False,
    ),
    Method(
        name="pocss",
        class_name="POCSS",
        kind="columns",
        title="Pareto optimisation: the best subsets of all sizes together, at any time",
        paper="Feng, Qian & Tang, AAAI 2019",
        cost="O(m n^2 + n^3), then 2 e k^2 n mutations of 0.1 to 0.4 microseconds",
        nested=False,
    ),
    Method(
        name="local_search",
        class_name="IteratedLocalSearchCSS",
        kind="columns",
        title="kicks and restarts around the search by swaps: the best subset per second",
        paper="Ordozgoiti, Gomez Canaval & Mozo, ICDM 2016; Lourenco, Martin & Stuetzle, 2003",
        cost="O(m n^2 + n^3), then O(k n) an exchange",
        nested=False,
    ),
    Method(
        name="iterfs",
        class_name="IterFS",
        kind="columns",
        title="replace every chosen column by the best one until no swap improves",
        paper="Ordozgoiti, Gomez Canaval & Mozo, ICDM 2016",
        cost="O(m n^2 + n^3), then O(k n) an exchange",
        nested=False,
    ),
    Method(
        name="random",
        class_name="RandomCSS",
        kind="columns",
        title="independent columns drawn at random: the floor",
        paper="--",
        cost="O(m n^2 + k^2 n)",
    ),
    Method(
        name="blufs",
        class_name="BLUFS",
        kind="selector",
        title="graph embedding and row-sparse regression in one objective: keeps the clusters",
        paper="Liu, Ju, Xiu & Liu, Bi-level unsupervised feature selection",
        cost="O(m^2 n), then O(m n k) and O(m k^2) a step",
        nested=False,
    ),
    Method(
        name="lsdcl",
        class_name="LSDCL",
        kind="selector",
        title="columns that carry non-negative concepts which rebuild the samples; takes sparse X",
        paper="Du, Fan & Zhou, Local sensitive dual concept factorization",
        cost="O(m^2 n), then O(m n r) a step",
        expects="non-negative additive parts: images, counts, spectra; columns are scaled",
    ),
    Method(
        name="lapscore",
        class_name="LaplacianScore",
        kind="selector",
        title="columns that change little between neighbouring rows; keeps copies",
        paper="He, Cai & Niyogi, NIPS 2005",
        cost="O(m^2 n)",
        expects="columns on one scale",
    ),
    Method(
        name="mcfs",
        class_name="MCFS",
        kind="selector",
        title="sparse regression of the eigenvectors of a neighbour graph",
        paper="Cai, Zhang & He, KDD 2010",
        cost="O(m^2 n + m n^2)",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="variance",
        class_name="VarianceRank",
        kind="selector",
        title="largest variance: a floor",
        paper="--",
        cost="O(m n)",
        expects="columns in one unit, not standardised",
    ),
    Method(
        name="random_rank",
        class_name="RandomRank",
        kind="selector",
        title="columns at random: the floor",
        paper="--",
        cost="O(m n)",
    ),
    Method(
        name="spcafs",
        class_name="SPCAFS",
        kind="selector",
        title="principal components with few rows",
        paper="Li, Nie, Bian, Wu & Li, TPAMI 2023",
        cost="O(m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        expects="columns in one unit, not standardised",
    ),
    Method(
        name="udfs",
        class_name="UDFS",
        kind="selector",
        title="row-sparse projection with small scatter inside neighbourhoods",
        paper="Yang, Shen, Ma, Huang & Zhou, IJCAI 2011",
        cost="O(m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        expects="any scale: columns are standardised",
    ),
    Method(
        name="fspca",
        class_name="FSPCA",
        kind="selector",
        title="the columns whose leading principal components hold most variance",
        paper="Tian, Nie, Wang & Li, NeurIPS 2020",
        cost="O(m n min(m, n)), then O(m n + m k^2 + k^3) a step",
        nested=False,
        expects="columns in one unit, not standardised",
    ),
    Method(
        name="ndfs",
        class_name="NDFS",
        kind="selector",
        title="columns that predict nonnegative cluster indicators",
        paper="Li, Yang, Liu, Zhou & Lu, AAAI 2012",
        cost="O(m^2 n + m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        expects="any scale: columns are standardised",
    ),
    Method(
        name="sogfs",
        class_name="SOGFS",
        kind="selector",
        title="projection and graph with a wanted number of components, learnt together",
        paper="Nie, Zhu & Li, AAAI 2016",
        cost="O(m^2 n + m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        expects="any scale: columns are scaled to unit length",
    ),
    Method(
        name="ulap",
        class_name="ULAP",
        kind="selector",
        title="projection and graph of adaptive neighbours, learnt together",
        paper="Chen, Yuan, Wang, Nie, Chang & Huang, TNNLS 2018",
        cost="O(m^2 n + m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        expects="any scale: columns are scaled to unit length",
    ),
    Method(
        name="blsfs",
        class_name="BLSFS",
        kind="selector",
        title="columns that predict spectral clusters and keep neighbours (one reading)",
        paper="Hu, Wang, Zhang, Pedrycz & Pal, TNNLS 2025",
        cost="O(m^3 + m n^2 + n^3) a step, O(m^3 + m^2 n) for n > 2 m",
        expects="any scale: columns are standardised",
    ),
    Method(
        name="rufs",
        class_name="RUFS",
        kind="selector",
        title="columns that predict robust nonnegative cluster indicators",
        paper="Qian & Zhai, IJCAI 2013",
        cost="O(m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        expects="nonnegative columns; they are scaled to [0, 1]",
    ),
    Method(
        name="rne",
        class_name="RNE",
        kind="selector",
        title="nonnegative embedding in which neighbours still rebuild a sample",
        paper="Liu, Ye, Li, Wang & Gao, KBS 2020",
        cost="O(m^2 n), then O(m n k) a step",
        nested=False,
        expects="any scale: columns are standardised",
    ),
    Method(
        name="spectral",
        class_name="SpectralGraph",
        kind="clusterer",
        title="k-means on the leading eigenvectors of a nearest-neighbour graph, by component",
        paper="Ng, Jordan & Weiss, NIPS 2001",
        cost="O(m^2 n)",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="l1graph",
        class_name="L1Graph",
        kind="clusterer",
        title="sparse subspace clustering: lasso codes of samples on samples make the graph",
        paper="Elhamifar & Vidal, TPAMI 2013",
        cost="O(n^2 d)",
        expects="samples on lines or subspaces through zero; rows are scaled to unit length",
    ),
    Method(
        name="srsg",
        class_name="SRSG",
        kind="clusterer",
        title="sparse graph whose codes share supports with those of their neighbours",
        paper="Sun & Yang 2024",
        cost="O(n^2 d)",
        expects="samples on lines or subspaces through zero; rows are scaled to unit length",
    ),
    Method(
        name="lr_l1",
        class_name="LaplacianL1Graph",
        kind="clusterer",
        title="sparse graph whose codes are close to those of their neighbours",
        paper="Yang et al. 2014",
        cost="O(n^2 d + sweeps n^2 |support|)",
        expects="samples on lines or subspaces through zero; rows are scaled to unit length",
    ),
    Method(
        name="smce",
        class_name="SMCE",
        kind="clusterer",
        title="sparse graph from the directions to near samples; clusters that are manifolds",
        paper="Elhamifar & Vidal, NIPS 2011",
        cost="O(n^2 d + n k^3)",
    ),
    Method(
        name="rpma",
        class_name="RPMA",
        kind="clusterer",
        title="projection matrix near the affinity, its entries penalised as you choose",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n + m^2 k) a gradient",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="spma",
        class_name="SPMA",
        kind="clusterer",
        title="sparse projection matrix near the affinity: communities and clusters",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n + m^2 k) a gradient",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="ppma",
        class_name="PPMA",
        kind="clusterer",
        title="nonnegative projection matrix near the affinity",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n + m^2 k) a gradient",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="bpma",
        class_name="BPMA",
        kind="clusterer",
        title="bounded projection matrix near the affinity: clusters of similar size",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n + m^2 k) a gradient",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="slsa",
        class_name="SLSA",
        kind="clusterer",
        title="spectral clustering that chooses which entries of the affinity to believe",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n), then O(m^2 k) a step",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="sdp1",
        class_name="SDP1",
        kind="clusterer",
        title="semidefinite relaxation with clusters of equal size",
        paper="Amini & Levina, Annals of Statistics 2018",
        cost="O(m^3) a step",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="sdp2",
        class_name="SDP2",
        kind="clusterer",
        title="semidefinite relaxation of the planted partition",
        paper="Chen & Xu, JMLR 2016",
        cost="O(m^3) a step",
        nested=False,
        expects="columns on one scale",
    ),
    Method(
        name="spectral_communities",
        class_name="SpectralCommunities",
        kind="clusterer",
        title="regularised spectral clustering of graphs with uneven degrees",
        paper="Amini, Chen, Bickel & Levina, Annals of Statistics 2013",
        cost="O(m^2 n), or O(edges k) for a graph",
        nested=False,
        expects="columns on one scale",
    ),
)


def list_methods(kind: Kind | None = None) -> list[Method]:
    """All methods, or those of one kind, in the order of the catalogue.

    Examples
    --------
    >>> from sksieve.registry import list_methods
    >>> "greedy" in [m.name for m in list_methods("columns")]
    True
    """
    return [m for m in METHODS if kind is None or m.kind == kind]


def get_method(name: str) -> Method:
    """The method called `name` (case and hyphens do not matter).

    Raises
    ------
    ValueError
        If there is none; the message lists what there is.
    """
    key = name.lower().replace("-", "").replace("_", "")
    for method in METHODS:
        if key in (method.name.replace("-", "").replace("_", ""), method.class_name.lower()):
            return method
    known = ", ".join(sorted(m.name for m in METHODS))
    raise ValueError(f"There is no method {name!r}. Known: {known}.")

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
