"""Data sets by name, the catalogue of them, and synthetic makers whose answer is known."""

from ._catalogue import Dataset, catalogue, data_folder, find
from ._cells import make_cells
from ._fetch import fetch
from ._load import largest_component, load, verify
from ._makers import (
    make_informative_plus_noise,
    make_low_rank,
    make_redundant_table,
    make_shape,
    make_subspaces,
)
from ._sbm import make_sbm
from ._sources import Source, sources

__all__ = [
    "Dataset",
    "Source",
    "catalogue",
    "data_folder",
    "fetch",
    "find",
    "largest_component",
    "load",
    "make_cells",
    "make_informative_plus_noise",
    "make_low_rank",
    "make_redundant_table",
    "make_sbm",
    "make_shape",
    "make_subspaces",
    "sources",
    "verify",
]
