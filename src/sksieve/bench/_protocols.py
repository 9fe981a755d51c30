"""Protocols: what is varied, how often it is repeated, what is measured and shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ._scores import BOARDS

#: Tables with fewer columns than this have the small sizes of a protocol.
FEW_COLUMNS = 20


@dataclass(frozen=True)
class Protocol:
    """What is measured, and what may be chosen by labels.

    Attributes
    ----------
    name, title : str
        Its name; what a table says above itself.
    of_columns, of_labels : tuple of str
        Scorings of methods that choose columns, and of clusterers; empty: not part of the protocol.
    shows : tuple of str
        The scores that tables show by default, in this order.
    better : {"larger", "smaller"}
        Which way the first one is better.
    tuned : bool
        May parameters be chosen by true labels? Then the spec may have grids.
    k, few : tuple of int
        Numbers of columns unless a spec gives its own; `few` for tables of fewer than 20 columns.
    repeats, repetitions, draws : int
        Scores of one fit and k, fits that differ in the seed, and random graphs or splits, unless
        a spec says otherwise.
    rows : tuple of str
        Columns of the results that make a row of a table.
    best_k : bool
        A table shows the best number of columns only, BY TRUE LABELS, in place of all.
    splits : bool
        Methods see a random part of the samples, and the rest is scored.
    samples : bool
        Methods see random samples of the rows, and their choices are compared with each other.
    mixed : bool
        Tables and graphs together; a method that cannot take a data set has no cell there.
    fixed : tuple of (str, value)
        Parameters of column subset methods as the paper has them; a spec may give others.
    """

    name: str
    title: str
    of_columns: tuple[str, ...] = ()
    of_labels: tuple[str, ...] = ()
    shows: tuple[str, ...] = ("acc", "nmi")
    better: Literal["larger", "smaller"] = "larger"
    tuned: bool = False
    k: tuple[int, ...] = ()
    few: tuple[int, ...] = ()
    repeats: int = 10
    repetitions: int = 1
    draws: int = 1
    rows: tuple[str, ...] = ("dataset", "k")
    best_k: bool = False
    splits: bool = False
    samples: bool = False
    mixed: bool = False
    fixed: tuple[tuple[str, Any], ...] = ()

    @property
    def score(self) -> str:
        """The score that tables show by default."""
        return self.shows[0]

    def sizes(self, n_features: int) -> tuple[int, ...]:
        """Numbers of columns to choose of so many."""
        sizes = self.few if self.few and n_features < FEW_COLUMNS else self.k
        return tuple(k for k in sizes if k <= n_features)


#: POCSS and its rivals choose among columns of unit norm, not centered.
UNIT = (("scale", "unit"),)

BOARD = (
    *("acc", "nmi", "ari", "spectral_nmi", "knn_acc", "logistic_acc"),
    *("neighbors_kept", "reconstruction", "redundancy"),
)


def _board(scale: str) -> Protocol:
    """The leaderboard of selections, judged on columns of one scale."""
    names = ("kmeans", "spectral", "held-out", "label-free")
    suffix = "" if scale == BOARDS[0] else f"-{scale}"
    return Protocol(
        f"leaderboard{suffix}",
        f"nothing tuned; all selections judged on the same {scale} columns",
        of_columns=tuple(f"{name}@{scale}" for name in names),
        shows=BOARD,
    )


TENS, FIVES = tuple(range(10, 101, 10)), tuple(range(5, 51, 5))

PROTOCOLS: dict[str, Protocol] = {
    p.name: p
    for p in (
        Protocol(
            "default",
            "nothing tuned with labels (number of classes given)",
            of_columns=("kmeans",),
            of_labels=("labels",),
        ),
        Protocol(
            "oracle",
            "the defaults, and beside them what labels would have chosen",
            of_columns=("kmeans",),
            of_labels=("labels",),
            tuned=True,
        ),
        Protocol(
            "blufs",
            "BLUFS Tables II and III: k-means on the raw chosen columns",
            of_columns=("kmeans_once",),
            tuned=True,
            k=TENS,
        ),
        Protocol(
            "blufs-knn",
            "BLUFS Table VII: 5-NN classification on the raw chosen columns, half and half",
            of_columns=("knn",),
            shows=("knn_acc",),
            tuned=True,
            k=TENS,
            repeats=50,
        ),
        Protocol(
            "blufs-ablation",
            "BLUFS Table V: parts of the model switched off, best k BY TRUE LABELS",
            of_columns=("kmeans_once",),
            tuned=True,
            k=TENS,
            best_k=True,
        ),
        Protocol(
            "lsdcl",
            "LSDCL Tables 2 and 3: k-means on the raw chosen columns",
            of_columns=("kmeans_once",),
            shows=("acc", "nmi_sqrt", "nmi"),
            tuned=True,
            k=FIVES,
            few=tuple(range(1, 10)),
            repeats=20,
        ),
        Protocol(
            "lsdcl-cv",
            "LSDCL, cross-validated: columns chosen on a part, the rest clustered",
            of_columns=("kmeans_split",),
            shows=("acc", "nmi_sqrt", "nmi", "train_acc", "train_nmi_sqrt"),
            tuned=True,
            k=FIVES,
            repeats=20,
            draws=10,
            splits=True,
        ),
        Protocol(
            "css",
            "POCSS Table 1, Fig. 1: error ratio of column subsets",
            of_columns=("css",),
            fixed=UNIT,
            shows=("error_ratio",),
            better="smaller",
            k=(50,),
            repeats=1,
            repetitions=10,
        ),
        Protocol(
            "css-anytime",
            "POCSS Fig. 2: error ratio after so many evaluations, in units of k n",
            of_columns=("anytime",),
            fixed=UNIT,
            shows=("error_ratio",),
            better="smaller",
            k=(50,),
            repetitions=10,
            rows=("dataset", "k", "evaluations"),
        ),
        Protocol(
            "rpma-sbm",
            "RPMA Table 4: communities of random block models",
            of_labels=("blocks",),
            rows=("dataset",),
            shows=("acc", "nmi", "projector"),
            tuned=True,
            draws=50,
        ),
        Protocol(
            "rpma-real",
            "RPMA Table 5: clusters of tables, communities of graphs",
            of_labels=("labels",),
            shows=("acc", "nmi", "nmi_sqrt"),
            rows=("dataset",),
            tuned=True,
        ),
        Protocol(
            "srsg",
            "SRSG Tables 1 to 3: clusters of the first c classes",
            of_labels=("labels",),
            rows=("dataset",),
            tuned=True,
        ),
        *(_board(scale) for scale in BOARDS),
        Protocol(
            "leaderboard-clustering",
            "nothing tuned (number of classes given to methods that take one)",
            of_labels=("partition",),
            shows=("acc", "nmi", "ari", "modularity"),
            rows=("dataset",),
            mixed=True,
        ),
        Protocol(
            "stability",
            "agreement of the choices on random samples of the rows, nothing tuned",
            of_columns=("chosen",),
            shows=("stability",),
            draws=10,
            samples=True,
        ),
    )
}
