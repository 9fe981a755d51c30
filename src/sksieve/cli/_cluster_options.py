"""What ``sksieve cluster`` and ``sksieve communities`` were asked to do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from ..catalogue import Method
from ..exceptions import DataError
from ..io.graphs._graph import GraphReading
from ._options import MethodOptions, TableOptions, UsageError, option

__all__ = [
    "ClusterOptions",
    "CommunityOptions",
    "GroupOptions",
    "check_count",
    "check_groups",
    "check_rows",
]

#: How the projection matrices are fitted to a graph; see docs/communities.md.
GRAPH: dict[str, Any] = {"matrix": "regularized", "unit_rows": True}
PROJECTIONS = ("bpma", "ppma", "rpma", "spma")


@dataclass(frozen=True)
class GroupOptions(MethodOptions):
    """What is the same for groups of samples and of vertices."""

    c: int
    _: KW_ONLY
    adjacency: Path | None = None
    against_labels: bool = False

    spelled: ClassVar[Mapping[str, str]] = {"n_clusters": "-c", "random_state": "--seed"}

    def own_parameters(self) -> dict[str, Any]:
        return {"n_clusters": self.c, "random_state": self.seed}

    def _group_words(self) -> list[str]:
        return ["--against-labels"] if self.against_labels else []

    def _target_words(self) -> list[str]:
        return super()._target_words() + option("--adjacency", self.adjacency)


@dataclass(frozen=True)
class ClusterOptions(TableOptions, GroupOptions):
    """The options of ``sksieve cluster``; the help text says what each means."""

    _: KW_ONLY
    scale: str = "auto"
    told: bool = True  # the scaling was asked for, and not chosen for the method

    def scaled_for(self, method: Method, sparse: bool) -> Self:
        """The same with the scaling that suits method and table, where none was asked for."""
        if self.scale != "auto":
            return self
        scale = "none" if sparse or method.scaling == "directions" else "standard"
        return replace(self, scale=scale, told=False)

    def command(self, *extra: str) -> str:
        """A command line that does the same, without what is default, `extra` words added."""
        words = ["sksieve", "cluster", self.data, "-c", str(self.c)]
        words += self._method_words() + self._group_words() + self._column_words()
        words += option("--scale", self.scale if self.told else None) + option(
            "--seed", self.seed, 0
        )
        words += self._param_words() + self._reading_words() + self._target_words()
        return shlex.join([*words, *extra])


@dataclass(frozen=True)
class CommunityOptions(GroupOptions):
    """The options of ``sksieve communities``; the help text says what each means."""

    _: KW_ONLY
    graph: GraphReading = field(default_factory=GraphReading)
    largest: bool = False

    spelled: ClassVar[Mapping[str, str]] = {
        **GroupOptions.spelled,
        "affinity": "sksieve cluster, which makes the affinity from a table,",
    }

    def own_parameters(self) -> dict[str, Any]:
        return {**super().own_parameters(), "affinity": "precomputed", **self.suits(self.method)}

    @staticmethod
    def suits(method: str) -> dict[str, Any]:
        """Parameters that suit graphs where they differ from the method's defaults."""
        if method not in PROJECTIONS:
            return {}
        return {**GRAPH, "lam": 0.75} if method == "spma" else GRAPH

    def command(self, *extra: str) -> str:
        """A command line that does the same, without what is default, `extra` words added."""
        words = ["sksieve", "communities", self.data, "-c", str(self.c)]
        words += self._method_words() + self._group_words()
        words += ["--largest"] if self.largest else []
        words += option("--seed", self.seed, 0) + self._param_words()
        for name, value in vars(self.graph).items():
            if name == "header":
                words += [] if value is None else ["--header" if value else "--no-header"]
            else:
                words += option(f"--{name}", value)
        words += self._target_words()
        return shlex.join([*words, *extra])


def check_count(c: int, against_labels: bool, label_column: str | None) -> None:
    """Refuse what no data can meet.

    Raises
    ------
    UsageError
        If fewer than two groups are asked for, or labels to compare with are not named.
    """
    if c < 2:
        raise UsageError(f"-c {c}: ask for at least two groups; one is everything.")
    if against_labels and label_column is None:
        raise UsageError("--against-labels: name the labels with --label-column.")


def check_groups(c: int, n: int, noun: str, name: str) -> None:
    """Refuse more groups than there are things to group.

    Raises
    ------
    DataError
    """
    if c > n:
        raise DataError(
            f"-c {c:,} asks for more groups than the {n:,} {noun} of {name}; ask for {n:,} or "
            "fewer."
        )


def check_rows(c: int, X: Any, name: str) -> None:
    """Refuse more groups than there are different rows: nothing could tell equal rows apart.

    Raises
    ------
    DataError
    """
    X = X.tocsr() if hasattr(X, "tocsr") else X
    seen: set[bytes] = set()
    for i in range(X.shape[0]):
        row = X[[i]]
        if hasattr(row, "indices"):
            row.eliminate_zeros()
            seen.add(row.indices.tobytes() + row.data.tobytes())
        else:
            seen.add((row + 0.0).tobytes())  # -0.0 is 0.0
        if len(seen) >= c:
            return
    if len(seen) == 1:
        raise DataError(f"All rows of {name} are equal; there are no groups to find.")
    raise DataError(
        f"-c {c:,} asks for more groups than the {len(seen):,} different rows of {name}; ask for "
        f"{len(seen):,} or fewer."
    )
