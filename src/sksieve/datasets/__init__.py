"""Data sets by name, the catalogue of them, and synthetic makers whose answer is known."""

from ._catalogue import Dataset, catalogue, data_folder, find, verify
from ._load import largest_component, load

__all__ = [
    "Dataset",
    "catalogue",
    "data_folder",
    "find",
    "largest_component",
    "load",
    "verify",
]
