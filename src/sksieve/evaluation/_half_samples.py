"""How often chosen columns are chosen again on half of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class HalfSamples:
    """The choice repeated on random halves of the rows.

    Parameters
    ----------
    n_subsets : int
        Halves.
    names : sequence of str
        Chosen columns or variables, in order.
    counts : sequence of int
        In how many halves each of them, or a stand-in, was chosen.
    stand_ins : sequence of str
        The column most often chosen in its place (absolute correlation of 0.9 or more); empty where
        there is none.
    sentence : str
        What this means, for readers.
    """

    n_subsets: int
    names: Sequence[str]
    counts: Sequence[int]
    stand_ins: Sequence[str]
    sentence: str
