"""Every method: its class, what it is for, its paper, its cost. Classes are imported late.

A new method is its own file and one entry here; ``make names`` then brings the list of public names
in ``__init__.pyi`` up to date.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

__all__ = [
    "METHODS",
    "PURPOSES",
    "SCALINGS",
    "Kind",
    "Method",
    "Purpose",
    "Role",
    "Scaling",
    "get_method",
    "list_methods",
]

Kind = Literal["columns", "selector", "clusterer"]
Purpose = Literal["reconstruct", "groups", "clusters", "communities", "baseline"]
Role = Literal["recommended", "comparison"]
Scaling = Literal["any", "standard", "raw", "nonnegative", "directions"]

#: Each purpose in words, in the order in which lists show them.
PURPOSES: dict[Purpose, str] = {
    "reconstruct": "columns that reconstruct the other columns",
    "groups": "columns that keep the groups of the samples",
    "clusters": "groups of samples",
    "communities": "communities of a graph",
    "baseline": "baselines every selection is compared with",
}

#: Each scaling in words: what a method expects of the columns it gets.
SCALINGS: dict[Scaling, str] = {
    "any": "any scale: the method scales the columns itself, or does not depend on it",
    "standard": "columns on one scale, for instance standardized",
    "raw": "columns in one unit, not standardized: the method looks for large variance",
    "nonnegative": "nonnegative columns (images, counts, spectra); the method scales them",
    "directions": "samples on lines or subspaces through zero, not centered; the method scales "
    "rows to unit length",
}


@dataclass(frozen=True)
class Method:
    """One entry of the catalogue.

    Attributes
    ----------
    name : str
        Short name, as the command line takes it.
    class_name : str
        Public class in `sksieve`.
    module : str
        Module of the class, inside the package.
    kind : {"columns", "selector", "clusterer"}
        ``columns``: column subset selection; ``selector``: any other feature selection;
        ``clusterer``: labels for samples or vertices.
    purpose : {"reconstruct", "groups", "clusters", "communities", "baseline"}
        What the answer is for; `PURPOSES` has the words.
    title : str
        What it does, in one line.
    use_when, avoid_when : str
        When to use it and when not, each the end of a sentence.
    paper : str
        Reference; ``"--"`` where there is none.
    cost : str
        Time, in the number of rows m and columns n, or in the letters of the class's docstring.
    role : {"recommended", "comparison"}
        ``comparison``: kept so that others can be compared with it.
    scaling : {"any", "standard", "raw", "nonnegative", "directions"}
        What it expects of the columns; `SCALINGS` has the words.
    nested : bool
        The k-subset is a prefix of the ranking: one fit serves every k.
    sparse : bool
        Sparse tables are accepted.
    """

    name: str
    class_name: str
    module: str
    kind: Kind
    purpose: Purpose
    title: str
    use_when: str
    avoid_when: str
    paper: str
    cost: str
    role: Role = "comparison"
    scaling: Scaling = "any"
    nested: bool = True
    sparse: bool = False

    def load(self) -> type:
        """Import and return the estimator class."""
        return getattr(import_module(f"sksieve.{self.module}"), self.class_name)

    def suitable_scale(self, *, sparse: bool = False) -> str:
        """The scale (`sksieve.tables`) that suits the method and a dense or sparse table.

        Examples
        --------
        >>> get_method("pocss").suitable_scale(), get_method("variance").suitable_scale()
        ('standard', 'none')
        """
        if self.scaling in ("raw", "directions"):
            return "none"
        if self.kind == "columns" or not sparse:
            return "standard"
        if self.kind == "clusterer" or self.scaling in ("any", "nonnegative"):
            return "none"
        return "unit"

    def defaults(self) -> dict[str, Any]:
        """Return the constructor's parameters and their defaults."""
        parameters = inspect.signature(self.load()).parameters
        return {name: p.default for name, p in parameters.items()}


METHODS: tuple[Method, ...] = (
    Method(
        name="greedy",
        class_name="GreedyCSS",
        module="columns._greedy",
        kind="columns",
        purpose="reconstruct",
        role="recommended",
        title="forward selection: adds the column that lowers the reconstruction error most",
        use_when="you need a fast answer, or rows come in blocks: one pass over the data",
        avoid_when="you can spend a few seconds more: local_search reaches a smaller error",
        paper="Farahat, Ghodsi & Kamel, KAIS 2013",
        cost="O(m n^2 + k n^2)",
        sparse=True,
    ),
    Method(
        name="two_stage",
        class_name="TwoStageCSS",
        module="columns._two_stage",
        kind="columns",
        purpose="reconstruct",
        title="pivoted QR on the leading right singular vectors",
        use_when="you compare with the literature on column subset selection",
        avoid_when="you want the smallest error: it reads the leading singular vectors only",
        paper="Boutsidis, Mahoney & Drineas, SODA 2009",
        cost="O(m n^2 + n^3)",
        nested=False,
        sparse=True,
    ),
    Method(
        name="approx_svd",
        class_name="ApproxSVDCSS",
        module="columns._approx_svd",
        kind="columns",
        purpose="reconstruct",
        title="forward selection for the leading singular vectors in place of the data",
        use_when="you want forward selection that follows the leading singular vectors",
        avoid_when="columns of small variance matter too: it does not see them",
        paper="Civril & Magdon-Ismail, TCS 2012",
        cost="O(m n^2 + n^3)",
        nested=False,
        sparse=True,
    ),
    Method(
        name="leverage",
        class_name="LeverageScoreCSS",
        module="columns._leverage",
        kind="columns",
        purpose="reconstruct",
        title="largest leverage scores; keeps near duplicates",
        use_when="you need a fast score of influence per column",
        avoid_when="columns repeat each other: it keeps near duplicates and stays below random "
        "columns over all uses",
        paper="Papailiopoulos, Kyrillidis & Boutsidis, KDD 2014; Mahoney & Drineas, PNAS 2009",
        cost="O(m n^2 + n^3)",
        nested=False,
        sparse=True,
    ),
    Method(
        name="astar",
        class_name="WeightedAStarCSS",
        module="columns._astar",
        kind="columns",
        purpose="reconstruct",
        title="weighted A* search with a proven gap; exact for a few columns",
        use_when="you choose a handful of columns and want a proven gap to the optimum",
        avoid_when="you choose more than about ten columns: it runs out of nodes",
        paper="Arai, Maung, Xu & Schweitzer, AAAI 2016",
        cost="O(m n^2 + n^3) a node",
        nested=False,
        sparse=True,
    ),
    Method(
        name="pocss",
        class_name="POCSS",
        module="columns._pocss",
        kind="columns",
        purpose="reconstruct",
        role="recommended",
        title="Pareto optimization: the best subsets of all sizes together, at any time",
        use_when="you want the whole trade-off of error and number of columns from one run",
        avoid_when="you need one size only: local_search is better at equal work",
        paper="Feng, Qian & Tang, AAAI 2019",
        cost="O(m n^2 + n^3), then 2 e k^2 n mutations of 0.1 to 0.6 microseconds",
        nested=False,
        sparse=True,
    ),
    Method(
        name="local_search",
        class_name="IteratedLocalSearchCSS",
        module="columns._local_search",
        kind="columns",
        purpose="reconstruct",
        role="recommended",
        title="restarts and perturbations around a swap search: smallest error for its run time",
        use_when="you want the columns that reconstruct the table best",
        avoid_when="groups matter more than reconstruction: use blufs",
        paper="Ordozgoiti, Gomez Canaval & Mozo, ICDM 2016; Lourenco, Martin & Stuetzle, 2003",
        cost="O(m n^2 + n^3), then O(k n) an exchange",
        nested=False,
        sparse=True,
    ),
    Method(
        name="iterfs",
        class_name="IterFS",
        module="columns._iterfs",
        kind="columns",
        purpose="reconstruct",
        title="swaps each chosen column for the best one until no swap improves",
        use_when="you want a local optimum quickly and without random numbers",
        avoid_when="you have time for restarts: local_search starts from this search",
        paper="Ordozgoiti, Gomez Canaval & Mozo, ICDM 2016",
        cost="O(m n^2 + n^3), then O(k n) an exchange",
        nested=False,
        sparse=True,
    ),
    Method(
        name="exact",
        class_name="ExactCSS",
        module="columns._exact",
        kind="columns",
        purpose="reconstruct",
        role="recommended",
        title="the best subset of a few columns, proven by branch and bound",
        use_when="the table has up to about 60 columns and you keep a handful: the answer is "
        "proven",
        avoid_when="the number of subsets is large: the time grows with it",
        paper="--",
        cost="O(m n^2 + n^3), then some nanoseconds for each subset of k columns",
        nested=False,
        sparse=True,
    ),
    Method(
        name="random",
        class_name="RandomCSS",
        module="columns._random",
        kind="columns",
        purpose="baseline",
        title="independent columns drawn at random: the random baseline",
        use_when="you compare: a selection that does not beat it has found nothing",
        avoid_when="you want an answer",
        paper="--",
        cost="O(m n^2 + k^2 n)",
        sparse=True,
    ),
    Method(
        name="blufs",
        class_name="BLUFS",
        module="selection._blufs",
        kind="selector",
        purpose="groups",
        role="recommended",
        title="graph embedding and row-sparse regression in one objective: keeps the clusters",
        use_when="the columns should keep the groups of the samples and you know their number "
        "roughly",
        avoid_when="you want to reconstruct the table, or the number of groups is unknown",
        paper="Liu, Ju, Xiu & Liu, Bi-level unsupervised feature selection",
        cost="O(m^2 n), then O(m n k) and O(m k^2) a step",
        nested=False,
        sparse=True,
    ),
    Method(
        name="lsdcl",
        class_name="LSDCL",
        module="selection._lsdcl",
        kind="selector",
        purpose="groups",
        title="columns that carry nonnegative concepts which reconstruct the samples",
        use_when="columns are nonnegative parts (images, counts) and you want concepts you can "
        "look at",
        avoid_when="columns are general measurements: it keeps neighbors and values no better "
        "than random columns",
        paper="Du, Fan & Zhou, Local sensitive dual concept factorization",
        cost="O(m^2 n), then O(m n r) a step",
        scaling="nonnegative",
        sparse=True,
    ),
    Method(
        name="lapscore",
        class_name="LaplacianScore",
        module="selection._lapscore",
        kind="selector",
        purpose="groups",
        title="columns that change little between neighboring rows; keeps duplicates",
        use_when="you want the classical score that keeps smooth columns",
        avoid_when="columns repeat each other: it keeps duplicates, and over all uses it cannot be "
        "distinguished from random columns",
        paper="He, Cai & Niyogi, NIPS 2005",
        cost="O(m^2 n)",
        scaling="standard",
        sparse=True,
    ),
    Method(
        name="choice",
        class_name="ColumnChoice",
        module="evaluation._choice",
        kind="selector",
        purpose="groups",
        role="recommended",
        title="the method that serves a use: structure target, local search or neighbors",
        use_when="you do not know yet what the columns are for",
        avoid_when="you know the use and a method for it",
        paper="--",
        cost="that of the method, and O(m n k) to judge its columns",
        nested=False,
        sparse=True,
    ),
    Method(
        name="mixed",
        class_name="MixedColumns",
        module="selection._mixed",
        kind="selector",
        purpose="reconstruct",
        role="recommended",
        title="whole variables of a mixed table: a text column counts as one, however many values",
        use_when="text columns are coded as 0/1 columns, which belong together",
        avoid_when="all columns are numbers: local_search searches more",
        paper="Farahat, Ghodsi & Kamel, KAIS 2013; Goodman & Kruskal, JASA 1954",
        cost="O(m n^2 + k n^2)",
        nested=False,
    ),
    Method(
        name="correlated",
        class_name="CorrelatedColumns",
        module="selection._correlated",
        kind="selector",
        purpose="reconstruct",
        role="recommended",
        title="one column of each group of correlated columns",
        use_when="columns repeat each other and you want to know which represents which",
        avoid_when="you want a given number of columns, or columns that together explain others",
        paper="--",
        cost="O(m n^2), in blocks of columns",
        sparse=True,
    ),
    Method(
        name="aligned",
        class_name="AlignedColumns",
        module="selection._aligned",
        kind="selector",
        purpose="groups",
        role="recommended",
        title="columns whose products align with kernels of the whole table",
        use_when="the columns serve several uses: groups, neighbors, prediction, reconstruction",
        avoid_when="you want the smallest reconstruction error: local_search reaches a smaller one",
        paper="after Robert & Escoufier 1976; Zhao, Wang, Liu & Ye, TKDE 2013; Song et al. 2012",
        cost="O(m^2 n) on at most 2000 rows, then O(m n) a column and an exchange",
        nested=False,
        sparse=True,
    ),
    Method(
        name="mcfs",
        class_name="MCFS",
        module="selection._mcfs",
        kind="selector",
        purpose="groups",
        title="sparse regression of the eigenvectors of a neighbor graph",
        use_when="you want a fast selection that follows the eigenvectors of a neighbor graph",
        avoid_when="the neighbor graph says little, as with many noise columns",
        paper="Cai, Zhang & He, KDD 2010",
        cost="O(m^2 n + m n^2)",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="variance",
        class_name="VarianceRank",
        module="selection._baselines",
        kind="selector",
        purpose="baseline",
        title="largest variance: a baseline",
        use_when="you compare: the simplest score of all",
        avoid_when="columns have different units",
        paper="--",
        cost="O(m n)",
        scaling="raw",
        sparse=True,
    ),
    Method(
        name="random_rank",
        class_name="RandomRank",
        module="selection._baselines",
        kind="selector",
        purpose="baseline",
        title="columns in random order: the random baseline",
        use_when="you compare: a ranking that does not beat it has found nothing",
        avoid_when="you want an answer",
        paper="--",
        cost="O(m n)",
        sparse=True,
    ),
    Method(
        name="spcafs",
        class_name="SPCAFS",
        module="selection._spcafs",
        kind="selector",
        purpose="reconstruct",
        title="principal components with few rows",
        use_when="columns share one unit and you want principal components with few columns",
        avoid_when="columns are standardized: all variances are then equal",
        paper="Li, Nie, Bian, Wu & Li, TPAMI 2023",
        cost="O(m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        scaling="raw",
        nested=False,
        sparse=True,
    ),
    Method(
        name="udfs",
        class_name="UDFS",
        module="selection._udfs",
        kind="selector",
        purpose="groups",
        title="row-sparse projection with small scatter inside neighborhoods",
        use_when="you compare with the literature: an early method with row sparsity",
        avoid_when="the table has thousands of columns: each step is cubic in them",
        paper="Yang, Shen, Ma, Huang & Zhou, IJCAI 2011",
        cost="O(m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        nested=False,
        sparse=True,
    ),
    Method(
        name="fspca",
        class_name="FSPCA",
        module="selection._fspca",
        kind="selector",
        purpose="reconstruct",
        title="the columns whose leading principal components hold most variance",
        use_when="columns share one unit and a few of them carry most variance",
        avoid_when="columns are standardized: all variances are then equal",
        paper="Tian, Nie, Wang & Li, NeurIPS 2020",
        cost="O(m n min(m, n)), then O(n min(m, n)) a step",
        scaling="raw",
        nested=False,
        sparse=True,
    ),
    Method(
        name="ndfs",
        class_name="NDFS",
        module="selection._ndfs",
        kind="selector",
        purpose="groups",
        title="columns that predict nonnegative cluster indicators",
        use_when="you compare with the literature: nonnegative cluster indicators",
        avoid_when="the table has thousands of columns: each step is cubic in them",
        paper="Li, Yang, Liu, Zhou & Lu, AAAI 2012",
        cost="O(m^2 n + m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        sparse=True,
    ),
    Method(
        name="sogfs",
        class_name="SOGFS",
        module="selection._sogfs",
        kind="selector",
        purpose="groups",
        title="projection and graph with a given number of components, learned together",
        use_when="you compare with the literature: the graph is learned with the projection",
        avoid_when="the table is large: each step is cubic",
        paper="Nie, Zhu & Li, AAAI 2016",
        cost="O(m^2 n + m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        nested=False,
        sparse=True,
    ),
    Method(
        name="ulap",
        class_name="ULAP",
        module="selection._sogfs",
        kind="selector",
        purpose="groups",
        title="projection and graph of adaptive neighbors, learned together",
        use_when="you compare with the literature: adaptive neighbors",
        avoid_when="the table is large: each step is cubic",
        paper="Chen, Yuan, Wang, Nie, Chang & Huang, TNNLS 2018",
        cost="O(m^2 n + m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        nested=False,
        sparse=True,
    ),
    Method(
        name="blsfs",
        class_name="BLSFS",
        module="selection._blsfs",
        kind="selector",
        purpose="groups",
        title="columns that predict spectral clusters and keep neighbors (one reading)",
        use_when="you compare with the literature; the paper leaves steps open, this is one "
        "reading",
        avoid_when="the table has more than a few thousand rows: it holds several n x n matrices",
        paper="Hu, Wang, Zhang, Pedrycz & Pal, TNNLS 2025",
        cost="O(m^3 + m n^2 + n^3) a step, O(m^3 + m^2 n) for n > 2 m",
    ),
    Method(
        name="rufs",
        class_name="RUFS",
        module="selection._rufs",
        kind="selector",
        purpose="groups",
        title="columns that predict robust nonnegative cluster indicators",
        use_when="columns are nonnegative and contain outliers",
        avoid_when="the table has thousands of columns: each step is cubic in them",
        paper="Qian & Zhai, IJCAI 2013",
        cost="O(m n^2 + n^3) a step, O(m^2 n + m^3) for n > 2 m",
        scaling="nonnegative",
        sparse=True,
    ),
    Method(
        name="rne",
        class_name="RNE",
        module="selection._rne",
        kind="selector",
        purpose="groups",
        title="nonnegative embedding in which neighbors still reconstruct a sample",
        use_when="you compare with the literature: neighbors should still reconstruct a sample",
        avoid_when="you need speed: the fit is slow for its quality",
        paper="Liu, Ye, Li, Wang & Gao, KBS 2020",
        cost="O(m^2 n), then O(m n k) a step",
        nested=False,
    ),
    Method(
        name="l1ufs",
        class_name="L1UFS",
        module="selection._l1ufs",
        kind="selector",
        purpose="groups",
        title="columns that reconstruct the table, robust and smooth on a graph (one reading)",
        use_when="you compare with the literature; the paper leaves steps open, this is one "
        "reading",
        avoid_when="the table is large: it holds several n x n matrices",
        paper="Tang et al., ESWA 2018",
        cost="O(m n^2 + n^3) a step, O(m n^2) for n > m; several n x n matrices",
    ),
    Method(
        name="blsfe",
        class_name="BLSFE",
        module="selection._blsfe",
        kind="selector",
        purpose="groups",
        title="consensus of rankings and clusterings (its model is degenerate)",
        use_when="you compare with the literature",
        avoid_when="you want an answer: the published model is degenerate",
        paper="Zhou, Wang & Du, Information Fusion 2023",
        cost="O(m^3 + m n^2 + n^3) a step",
    ),
    Method(
        name="cluster_choice",
        class_name="ClusterChoice",
        module="clustering._choice",
        kind="clusterer",
        purpose="clusters",
        role="recommended",
        title="spectral clustering, k-means or Ward's tree, by modularity in the neighbor graph",
        use_when="you look for groups in a table and have no reason for one method: the default",
        avoid_when="samples lie on subspaces through zero: use l1graph",
        paper="Ng, Jordan & Weiss, NIPS 2001; Ward, JASA 1963",
        cost="O(m^2 n)",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="spectral",
        class_name="SpectralGraph",
        module="clustering._spectral_graph",
        kind="clusterer",
        purpose="clusters",
        role="recommended",
        title="k-means on the leading eigenvectors of a nearest-neighbor graph, by component",
        use_when="you look for groups of any shape in a table",
        avoid_when="samples lie on subspaces through zero: use l1graph",
        paper="Ng, Jordan & Weiss, NIPS 2001",
        cost="O(m^2 n)",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="l1graph",
        class_name="L1Graph",
        module="clustering._l1_graph",
        kind="clusterer",
        purpose="clusters",
        role="recommended",
        title="sparse subspace clustering: lasso codes of samples on samples make the graph",
        use_when="samples lie on lines or subspaces through zero, such as faces or trajectories",
        avoid_when="groups are compact clouds: a nearest-neighbor graph is better",
        paper="Elhamifar & Vidal, TPAMI 2013",
        cost="O(n^2 d)",
        scaling="directions",
    ),
    Method(
        name="srsg",
        class_name="SRSG",
        module="clustering._srsg",
        kind="clusterer",
        purpose="clusters",
        role="recommended",
        title="sparse graph whose codes share supports with those of their neighbors",
        use_when="samples lie on subspaces and neighbors should use the same samples in their "
        "codes",
        avoid_when="groups are compact clouds, or time is short",
        paper="Sun & Yang 2024",
        cost="O(n^2 d)",
        scaling="directions",
    ),
    Method(
        name="lr_l1",
        class_name="LaplacianL1Graph",
        module="clustering._lr_l1",
        kind="clusterer",
        purpose="clusters",
        title="sparse graph whose codes are close to those of their neighbors",
        use_when="you compare with srsg: codes are close to those of neighbors",
        avoid_when="the table has more than a few thousand rows: it holds an n x n matrix",
        paper="Yang et al. 2014",
        cost="O(n^2 d + sweeps n^2 |support|)",
        scaling="directions",
    ),
    Method(
        name="smce",
        class_name="SMCE",
        module="clustering._smce",
        kind="clusterer",
        purpose="clusters",
        role="recommended",
        title="sparse graph from the directions to near samples; clusters that are manifolds",
        use_when="groups are curved manifolds that may come close to each other",
        avoid_when="time is short: it takes 4 to 9 times as long as spectral",
        paper="Elhamifar & Vidal, NIPS 2011",
        cost="O(n^2 d + n k^3)",
    ),
    Method(
        name="rpma",
        class_name="RPMA",
        module="clustering._rpma",
        kind="clusterer",
        purpose="communities",
        role="recommended",
        title="projection matrix near the affinity, with a penalty of your choice on its entries",
        use_when="you want a projection matrix near an affinity, with a penalty of your own",
        avoid_when="the graph is large: it holds n x n arrays",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n + m^2 k) a gradient",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="spma",
        class_name="SPMA",
        module="clustering._rpma",
        kind="clusterer",
        purpose="communities",
        role="recommended",
        title="sparse projection matrix near the affinity: communities and clusters",
        use_when="you want a sparse projection matrix that shows the groups as blocks",
        avoid_when="the graph is large, or has very many groups: spectral is faster and often as "
        "good",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n + m^2 k) a gradient",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="ppma",
        class_name="PPMA",
        module="clustering._rpma",
        kind="clusterer",
        purpose="communities",
        title="nonnegative projection matrix near the affinity",
        use_when="you want a nonnegative projection matrix near the affinity",
        avoid_when="the graph is large: it holds n x n arrays",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n + m^2 k) a gradient",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="bpma",
        class_name="BPMA",
        module="clustering._rpma",
        kind="clusterer",
        purpose="communities",
        title="bounded projection matrix near the affinity: clusters of similar size",
        use_when="communities have similar sizes and edges are noisy",
        avoid_when="community sizes differ strongly, or the graph is large",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n + m^2 k) a gradient",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="slsa",
        class_name="SLSA",
        module="clustering._slsa",
        kind="clusterer",
        purpose="communities",
        title="spectral clustering that chooses which entries of the affinity to use",
        use_when="some entries of the affinity are corrupted",
        avoid_when="the graph is large: it holds n x n arrays",
        paper="Zhai, Xu, Wu & Li, Regularized projection matrix approximation",
        cost="O(m^2 n), then O(m^2 k) a step",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="sdp1",
        class_name="SDP1",
        module="clustering._sdp",
        kind="clusterer",
        purpose="communities",
        title="semidefinite relaxation with clusters of equal size",
        use_when="communities have equal sizes and you want the semidefinite relaxation",
        avoid_when="there are more than a few hundred vertices: each step is cubic",
        paper="Amini & Levina, Annals of Statistics 2018",
        cost="O(m^3) a step",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="sdp2",
        class_name="SDP2",
        module="clustering._sdp",
        kind="clusterer",
        purpose="communities",
        title="semidefinite relaxation of the planted partition",
        use_when="you want the semidefinite relaxation of the planted partition",
        avoid_when="there are more than a few hundred vertices: each step is cubic",
        paper="Chen & Xu, JMLR 2016",
        cost="O(m^3) a step",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="louvain",
        class_name="Louvain",
        module="clustering._louvain",
        kind="clusterer",
        purpose="communities",
        title="greedy maximization of the modularity, by networkx; it finds the number of groups",
        use_when="you want what most people compare communities with, or the number is unknown",
        avoid_when="the number of communities is given, or there are more than 100 000 edges",
        paper="Blondel, Guillaume, Lambiotte & Lefebvre, J. Stat. Mech. 2008",
        cost="O(edges) a pass, in Python",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="leiden",
        class_name="Leiden",
        module="clustering._leiden",
        kind="clusterer",
        purpose="communities",
        role="recommended",
        title="connected communities of high modularity, by leidenalg; it finds their number",
        use_when="the number of communities is unknown, or their sizes differ strongly",
        avoid_when="the number of communities is given",
        paper="Traag, Waltman & van Eck, Scientific Reports 2019",
        cost="O(edges) a pass",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
    Method(
        name="spectral_communities",
        class_name="SpectralCommunities",
        module="clustering._spectral_graph",
        kind="clusterer",
        purpose="communities",
        role="recommended",
        title="regularized spectral clustering of graphs with uneven degrees",
        use_when="you have a network, large or with uneven degrees: the default for graphs",
        avoid_when="the affinity is dense and groups have equal sizes: bpma uses that",
        paper="Amini, Chen, Bickel & Levina, Annals of Statistics 2013",
        cost="O(m^2 n), or O(edges k) for a graph",
        scaling="standard",
        nested=False,
        sparse=True,
    ),
)


def list_methods(kind: Kind | None = None, purpose: Purpose | None = None) -> list[Method]:
    """Return all methods, or those of one kind or purpose, in the order of the catalogue.

    Examples
    --------
    >>> from sksieve.catalogue import list_methods
    >>> "greedy" in [m.name for m in list_methods("columns")]
    True
    >>> [m.name for m in list_methods("selector", purpose="baseline")]
    ['variance', 'random_rank']
    """
    return [m for m in METHODS if kind in (None, m.kind) and purpose in (None, m.purpose)]


def get_method(name: str) -> Method:
    """Return the method called `name`; case and hyphens do not matter.

    Raises
    ------
    ValueError
        If there is none; the message has the closest names.
    """
    key = name.lower().replace("-", "").replace("_", "")
    for method in METHODS:
        if key in (method.name.replace("-", "").replace("_", ""), method.class_name.lower()):
            return method
    from ._wording import did_you_mean  # the catalogue is also run as a script by itself

    names = sorted(method.name for method in METHODS)
    hint = did_you_mean(name, names) or f"the methods are {', '.join(names)}."
    raise ValueError(f"There is no method {name!r}; {hint}")
