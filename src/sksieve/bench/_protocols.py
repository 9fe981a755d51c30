"""Protocols: what is varied, how often it is repeated, what is measured and what is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._scores import SCORINGS

__all__ = ["PROTOCOLS", "SCORINGS", "Protocol"]

#: Tables with fewer columns than this have the small sizes of a protocol.
FEW_COLUMNS = 20


@dataclass(frozen=True)
class Protocol:
    """What is measured, and what may be chosen how.

    Attributes
    ----------
    name, title : str
        Its name; what a table says above itself.
    of_columns, of_labels : str or None
        Scoring of methods that choose columns, and of clusterers; None: not part of the protocol.
    shows : tuple of str
        The figures that tables show unless told otherwise, the first one first.
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
    """

    name: str
    title: str
    of_columns: str | None = None
    of_labels: str | None = None
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

    @property
    def score(self) -> str:
        """The figure that tables show unless told otherwise."""
        return self.shows[0]

    def sizes(self, n_features: int) -> tuple[int, ...]:
        """Numbers of columns to choose of so many."""
        wanted = self.few if self.few and n_features < FEW_COLUMNS else self.k
        return tuple(k for k in wanted if k <= n_features)


TENS, FIVES = tuple(range(10, 101, 10)), tuple(range(5, 51, 5))

PROTOCOLS: dict[str, Protocol] = {
    p.name: p
    for p in (
        Protocol(
            "default",
            "nothing tuned with labels (number of classes given)",
            of_columns="kmeans",
            of_labels="labels",
        ),
        Protocol(
            "oracle",
            "the defaults, and beside them what labels would have chosen",
            of_columns="kmeans",
            of_labels="labels",
            tuned=True,
        ),
        Protocol(
            "blufs",
            "BLUFS Tables II and III: k-means on the raw chosen columns",
            of_columns="kmeans_once",
            tuned=True,
            k=TENS,
        ),
        Protocol(
            "blufs-knn",
            "BLUFS Table VII: 5-NN classification on the raw chosen columns, half and half",
            of_columns="knn",
            shows=("knn_acc",),
            tuned=True,
            k=TENS,
            repeats=50,
        ),
        Protocol(
            "blufs-ablation",
            "BLUFS Table V: parts of the model switched off, best k BY TRUE LABELS",
            of_columns="kmeans_once",
            tuned=True,
            k=TENS,
            best_k=True,
        ),
        Protocol(
            "lsdcl",
            "LSDCL Tables 2 and 3: k-means on the raw chosen columns",
            of_columns="kmeans_once",
            shows=("acc", "nmi_sqrt", "nmi"),
            tuned=True,
            k=FIVES,
            few=tuple(range(1, 10)),
            repeats=20,
        ),
        Protocol(
            "lsdcl-cv",
            "LSDCL, cross-validated: columns chosen on a part, the rest clustered",
            of_columns="kmeans_once",
            shows=("acc", "nmi_sqrt", "nmi"),
            tuned=True,
            k=FIVES,
            repeats=20,
            draws=10,
            splits=True,
        ),
        Protocol(
            "css",
            "POCSS Table 1, Fig. 1: error ratio of column subsets",
            of_columns="css",
            shows=("error_ratio",),
            better="smaller",
            k=(50,),
            repeats=1,
            repetitions=10,
        ),
        Protocol(
            "css-anytime",
            "POCSS Fig. 2: error ratio after so many evaluations, in units of k n",
            of_columns="anytime",
            shows=("error_ratio",),
            better="smaller",
            k=(50,),
            repetitions=10,
            rows=("dataset", "k", "evaluations"),
        ),
        Protocol(
            "rpma-sbm",
            "RPMA Table 4: communities of random block models",
            of_labels="blocks",
            rows=("dataset",),
            shows=("acc", "nmi", "projector"),
            tuned=True,
            draws=50,
        ),
        Protocol(
            "rpma-real",
            "RPMA Table 5: clusters of tables, communities of graphs",
            of_labels="labels",
            shows=("acc", "nmi", "nmi_sqrt"),
            rows=("dataset",),
            tuned=True,
        ),
        Protocol(
            "srsg",
            "SRSG Tables 1 to 3: clusters of the first c classes",
            of_labels="labels",
            rows=("dataset",),
            tuned=True,
        ),
    )
}
