"""The answer to every "how many": a number, how certain it is, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["count", "share", "guess", "none", "beyond"]


@dataclass(frozen=True)
class Suggestion:
    """How many columns, clusters or communities, and how certain that is.

    Printed, it is its sentence.

    Attributes
    ----------
    kind : {"count", "share", "guess", "none", "beyond"}
        ``"count"``: a sharp number. ``"share"``: no number is sharp; `n` columns carry 90 % of what
        all columns share. ``"guess"``: a number that is often off by a factor of two. ``"none"``:
        the data show no structure, no clusters or no communities. ``"beyond"``: more than `n` are
        needed.
    n : int or None
        The number; None for ``"none"``.
    interval : tuple of int or None
        Smallest and largest number that the data support; None where there is only one estimate,
        and for ``"none"``.
    sentence : str
        The same in words.
    notes : tuple of str
        Reasons for doubt that the data show, such as ordered rows.
    shares : dict of int -> float
        For columns: share of what all columns carry about the shared dimensions, for each number of
        columns. Empty for clusters and communities.
    evidence : dict of str -> object
        Numbers behind the answer, as the function that returns it lists them.
    """

    kind: Kind
    n: int | None
    interval: tuple[int, int] | None
    sentence: str = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    shares: Mapping[int, float] = field(default_factory=dict, repr=False)
    evidence: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return self.sentence

    def enough(self, share: float) -> int | None:
        """Fewest columns that carry `share` of what all columns carry.

        Parameters
        ----------
        share : float
            In (0, 1).

        Returns
        -------
        int or None
            None where the path is too short, or the table has no structure.

        Raises
        ------
        ValueError
            If `share` is not between 0 and 1.
        """
        if not 0 < share < 1:
            raise ValueError(f"share must lie between 0 and 1; got {share}.")
        return next((k for k, carried in self.shares.items() if carried >= share), None)

    def record(self) -> dict[str, Any]:
        """All fields in one flat dictionary, `evidence` among them."""
        flat = {name: value for name, value in vars(self).items() if name != "evidence"}
        return flat | dict(self.evidence)
