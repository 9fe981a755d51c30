"""Every method by its short name: class, paper, cost, defaults. Classes are imported late."""

from __future__ import annotations

from ._baselines import BASELINES
from ._method import Kind, Method

__all__ = ["METHODS", "Method", "get_method", "list_methods"]

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
        cost="O(m n^2 + n^3), then 2 e k^2 n mutations of 0.06 to 0.5 microseconds",
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
        name="exact",
        class_name="ExactCSS",
        kind="columns",
        title="the best subset of a handful of columns, proven by branch and bound",
        paper="--",
        cost="O(m n^2 + n^3), then about a nanosecond for each of the subsets of k columns",
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
    *BASELINES,
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
