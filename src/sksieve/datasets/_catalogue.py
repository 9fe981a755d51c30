"""What data sets there are: the facts of `catalogue.csv`, and where the files lie."""

from __future__ import annotations

import csv
import difflib
import os
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from .._folders import user_cache
from .._wording import spelled
from ..exceptions import DataError, MissingDataError
from ._sources import sources

#: Environment variable that names the folder with the data files.
DATA_VARIABLE = "SKSIEVE_DATA"

SHIPPED_WITH_SKLEARN = ("breast_cancer", "digits", "iris", "wine")

_LABEL_FILES = {"pbmc68k_reduced_counts": "pbmc68k_reduced_labels.npz"}


@dataclass(frozen=True)
class Dataset:
    """One line of the catalogue.

    Attributes
    ----------
    name : str
        What `load` is called with.
    kind : {"table", "graph", "sparse"}
        Dense table, undirected graph with known communities, or sparse (CSR) table.
    n_samples, n_features : int
        Rows (nodes) and columns (node features; 0 for a graph that has none).
    n_classes : int
        Known classes, 0 where there are none.
    n_missing : int
        Entries that are NaN.
    n_edges : int
        Undirected edges of a graph, 0 for tables.
    class_sizes : tuple of int
        Samples of each class, in the order of the labels.
    origin : str
        Where the data come from.
    used_by : str
        The methods whose papers use them, empty if none does.
    note : str
        What one should know before using them.
    available : bool
        Can `load` read them now?
    path : Path or None
        The file, where it was found; None for those that ship with scikit-learn.
    """

    name: str
    kind: Literal["table", "graph", "sparse"]
    n_samples: int
    n_features: int
    n_classes: int
    n_missing: int
    n_edges: int
    class_sizes: tuple[int, ...]
    origin: str
    used_by: str
    note: str
    available: bool = False
    path: Path | None = None

    @property
    def file_names(self) -> tuple[str, ...]:
        """The files the set consists of; none for those that ship with scikit-learn."""
        if self.name in SHIPPED_WITH_SKLEARN:
            return ()
        labels = _LABEL_FILES.get(self.name)
        return (f"{self.name}.npz",) + ((labels,) if labels else ())


@cache
def _facts() -> dict[str, Dataset]:
    """Canonical name -> record, without availability."""
    text = files(__package__).joinpath("catalogue.csv").read_text(encoding="utf-8")
    records = {}
    for row in csv.DictReader(text.splitlines()):
        sizes = tuple(int(size) for size in row.pop("class_sizes").split())
        words = {key: row[key] for key in ("name", "kind", "origin", "used_by", "note")}
        counts = {key: int(row[key]) for key in row if key.startswith("n_")}
        records[_key(words["name"])] = Dataset(class_sizes=sizes, **words, **counts)  # type: ignore[arg-type]
    return records


def _key(name: str) -> str:
    return name.strip().lower().replace("-", "_").removesuffix(".npz")


def data_folder() -> Path:
    """The folder in which `load` looks for data files.

    The environment variable ``SKSIEVE_DATA`` names it; without it, it is ``scikit-sieve`` in the
    user's cache folder (``~/.cache`` on Linux, ``~/Library/Caches`` on macOS, ``%LOCALAPPDATA%`` on
    Windows), which may not exist yet.

    Raises
    ------
    DataError
        If ``SKSIEVE_DATA`` is set to something that is not a folder.

    Examples
    --------
    >>> from sksieve.datasets import data_folder
    >>> (data_folder() / "COIL20.npz").suffix
    '.npz'
    """
    named = os.environ.get(DATA_VARIABLE)
    if not named:
        return user_cache() / "scikit-sieve"
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise DataError(f"{DATA_VARIABLE} is set to {named!r}, which is not a folder.")
    return folder


def _located(record: Dataset, folder: Path) -> Dataset:
    if not record.file_names:
        return replace(record, available=True)
    if not all((folder / name).is_file() for name in record.file_names):
        return record
    return replace(record, available=True, path=folder / record.file_names[0])


def catalogue() -> list[Dataset]:
    """Every data set `load` knows, tables first, then graphs, each by name.

    Returns
    -------
    list of Dataset
        `available` says whether the file is there.

    Raises
    ------
    DataError
        If ``SKSIEVE_DATA`` is set to something that is not a folder.

    Examples
    --------
    >>> from sksieve.datasets import catalogue
    >>> [d.name for d in catalogue() if d.used_by == "LSDCL, RPMA"]
    ['wine']
    """
    folder = data_folder()
    return [_located(record, folder) for record in _facts().values()]


def find(name: str) -> Dataset:
    """The record of the data set called `name`; case and hyphens do not matter.

    Raises
    ------
    DataError
        If there is none; the message names the nearest ones.

    Examples
    --------
    >>> from sksieve.datasets import find
    >>> find("Iris").n_samples
    150
    """
    facts = _facts()
    if _key(name) not in facts:
        nearest = " or ".join(_nearest(_key(name)))
        hint = f"did you mean {nearest}?" if nearest else "catalogue() lists what there is."
        raise DataError(f"There is no data set {name!r}; {hint}")
    return _located(facts[_key(name)], data_folder())


def _nearest(key: str) -> list[str]:
    """At most four names a person may have meant: similar ones, then those that contain `key`."""
    facts = _facts()
    near = difflib.get_close_matches(key, facts, n=3)
    near += [other for other in facts if key and key in other and other not in near]
    return [facts[other].name for other in near[:4]]


def require(record: Dataset) -> Path:
    """The path of the record's file, or the error that says how to provide it."""
    if record.path is not None:
        return record.path
    download = ""
    if record.name in sources():
        how = spelled(
            f"sksieve.datasets.fetch({record.name!r})", f"sksieve datasets {record.name} --fetch"
        )
        download = f"download it with {how}, or "
    raise MissingDataError(
        f"The data set {record.name!r} ({record.origin}) is not shipped with scikit-sieve and was "
        f"not found in {data_folder()}; {download}put {' and '.join(record.file_names)} into a "
        f"folder and set the environment variable {DATA_VARIABLE} to that folder."
    )
