"""HDF5 files: nothing outside the file is followed, and sizes are judged before reading."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...exceptions import DataError
from .._messages import package
from .._source import Source
from ._table import require_shape

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
#: Memory of a string of an HDF5 file of strings of any length.
STRING_BYTES = 100


@contextmanager
def opened_hdf5(source: Source) -> Iterator[tuple[Any, Any]]:
    """h5py and the open file, after every link and every data set in it was checked.

    Raises
    ------
    DataError
        If a link leads elsewhere, or the values of a data set lie in other files.
    """
    h5py = package("h5py", "cli")
    with h5py.File(source.file, "r") as file:
        _refuse_links(h5py, source.name, file)
        yield h5py, file


def _refuse_links(h5py: Any, name: str, file: Any) -> None:
    kinds: dict[bytes, int] = {}

    def note(path: bytes, info: Any) -> None:  # must not raise: the library would go on
        kinds[path] = info.type

    file.id.links.visit(note, info=True)
    for path, kind in kinds.items():
        if kind != h5py.h5l.TYPE_HARD:
            link = "an external" if kind == h5py.h5l.TYPE_EXTERNAL else "a soft"
            raise DataError(
                f"{name}: {path.decode('utf-8', 'replace')!r} is {link} link; links are not "
                "followed, as they may lead to other files: copy the data to its place (h5repack)."
            )
    for path in kinds:
        item = h5py.h5o.open(file.id, path)
        if isinstance(item, h5py.h5d.DatasetID):
            created = item.get_create_plist()
            if created.get_layout() == h5py.h5d.VIRTUAL or created.get_external_count():
                raise DataError(
                    f"{name}: the values of {path.decode('utf-8', 'replace')!r} lie in other "
                    "files, which are not read; copy them into this one (h5repack)."
                )


def read_dataset(item: Any, name: str) -> Any:
    """The values of a data set; refused where they would take more than the memory limit."""
    require_shape(name, math.prod(item.shape or (0,)), 1, 3.0 * _bytes(item))
    return item[()]


def require_group(item: Any, name: str) -> None:
    """Refuse a group whose data sets would together take more than the memory limit."""
    total = [0.0]

    def add(_: str, part: Any) -> None:
        if hasattr(part, "shape"):
            total[0] += _bytes(part)

    if hasattr(item, "shape"):
        add("", item)
    else:
        item.visititems(add)
    require_shape(name, 0, 0, 2.0 * total[0])


def _bytes(item: Any) -> float:
    size = STRING_BYTES if item.dtype.kind == "O" else item.dtype.itemsize
    return float(math.prod(item.shape or (0,)) * size) if item.shape is not None else 0.0
