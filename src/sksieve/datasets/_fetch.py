"""Download the public file of a data set, convert it, and keep it where `load` finds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from .._optional import optional
from .._replace import replacing
from ..exceptions import DataError, MissingDataError
from ._catalogue import DATA_VARIABLE, Dataset, data_folder, find
from ._convert import CONVERTERS, Arrays, from_openml
from ._load import load, verify
from ._sources import Source, sources


def fetch(name: str) -> Bunch:
    """Download a data set of the catalogue once, and load it.

    The public file is downloaded into the folder ``downloads`` of `data_folder`, checked by its
    SHA-256 where that is known, converted, and kept in `data_folder` as ``NAME.npz``. The values of
    X and y are those of the catalogue exactly; otherwise nothing is kept.

    Parameters
    ----------
    name : str
        A name of `catalogue`; case and hyphens do not matter.

    Returns
    -------
    Bunch
        What `load` returns.

    Raises
    ------
    MissingDataError
        If no public file is known, or it cannot be downloaded; the message says what to do.
    DataError
        If the name is unknown, or the file holds other values than the catalogue describes.
    MissingPackageError
        If pooch is not installed (``pip install 'scikit-sieve[remote]'``).

    Examples
    --------
    >>> from sksieve.datasets import fetch
    >>> fetch("iris").X.shape  # ships with scikit-learn: nothing is downloaded
    (150, 4)
    """
    record = find(name)
    if record.available:
        return load(record.name)
    source = sources().get(record.name)
    if source is None:
        raise MissingDataError(
            f"No public file of the data set {record.name!r} ({record.origin}) is known. If you "
            f"have it, put {' and '.join(record.file_names)} into a folder and set the environment "
            f"variable {DATA_VARIABLE} to that folder."
        )
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    _keep(_arrays(record, source, folder / "downloads"), source, folder / record.file_names[0])
    if not verify(record.name):
        (folder / record.file_names[0]).unlink()
        raise DataError(
            f"The data set {record.name!r} from {source.address} holds other values than the "
            "catalogue describes; it was not kept."
        )
    return load(record.name)


def _arrays(record: Dataset, source: Source, downloads: Path) -> Arrays:
    try:
        if source.openml is not None:
            return from_openml(source.openml, downloads)
        return CONVERTERS[source.format](_downloaded(source, downloads), source.options)
    except (OSError, ValueError) as error:  # no network, another file behind the address
        if isinstance(error, DataError):
            raise
        raise MissingDataError(
            f"The data set {record.name!r} could not be downloaded from {source.address} "
            f"({error}). Without a network, put the file into {downloads} under its own name "
            "and repeat this."
        ) from error


def _downloaded(source: Source, downloads: Path) -> list[Path]:
    if not source.urls:
        return []
    pooch = optional("pooch", "Downloading data sets")
    optional("tqdm", "The progress bar of downloads")
    sums: list[str | None] = [f"sha256:{digest}" for digest in source.sha256 or ()]
    return [
        Path(
            pooch.retrieve(
                url,
                known_hash=known,
                fname=url.rpartition("/")[2],
                path=downloads,
                progressbar=True,
            )
        )
        for url, known in zip(source.urls, sums or [None] * len(source.urls), strict=True)
    ]


def _keep(arrays: Arrays, source: Source, path: Path) -> None:
    """Write the npz file, with what the source says about types and names."""
    options = source.options
    if "dtype" in options:
        arrays["X"] = arrays["X"].astype(options["dtype"])
    for key, name in (("features", "feature_names"), ("classes", "class_names")):
        if key in options:
            arrays[name] = np.array(options[key])
    with replacing(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
