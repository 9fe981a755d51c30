"""Data sets by name, the catalogue of them, and synthetic makers whose answer is known."""

from ._catalogue import Dataset, catalogue, data_folder, find, verify
from ._cells import make_cells
from ._load import largest_component, load
from ._makers import (
    make_informative_plus_noise,
    make_low_rank,
    make_redundant_table,
    make_shape,
    make_subspaces,
)
from ._sbm import make_sbm

__all__ = [
    "Dataset",
    "catalogue",
    "data_folder",
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
    "verify",
]
