"""Write tables of named columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from .._frames import arrow_table_of, library
from .._replace import replacing
from ..exceptions import DataError
from ._messages import package, refuse_repeated


def write_table(path: str | os.PathLike[str], columns: Any) -> None:
    """Write columns of equal length as a table, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        ``.csv``, ``.tsv``, ``.parquet`` or ``.feather``. A file of that name is replaced once
        everything is written; see `replacing`.
    columns : mapping of str to array-like, or data frame
        The columns. Text is written as it is.

    Raises
    ------
    DataError
        If the ending is not one of those above.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sksieve.io import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "labels.csv"
    ...     write_table(path, {"row": [0, 1], "zip": ["01234", "1E5"]})
    ...     path.read_text()
    'row,zip\\n0,01234\\n1,1E5\\n'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FRAMES:
        raise DataError(
            f"{path}: the ending {suffix or '(none)'} is not one of {', '.join(FRAMES)}."
        )
    frame = arrow_table(columns)
    with replacing(path) as file:
        FRAMES[suffix](file, frame)


def arrow_table(columns: Any) -> Any:
    """The columns as a ``pyarrow.Table``."""
    pa = package("pyarrow", "cli")
    if isinstance(columns, pa.Table):
        return columns
    if isinstance(columns, Mapping):
        arrays = {name: a if hasattr(a, "chunks") else pa.array(a) for name, a in columns.items()}
        return pa.table(arrays)
    if library(columns) == "pandas":
        refuse_repeated("The table", columns.columns)
        return pa.Table.from_pandas(columns, preserve_index=False)
    return arrow_table_of(columns)


def _csv(file: BinaryIO, frame: Any, sep: str = ",") -> None:
    package("pandas", "cli")
    text = frame.to_pandas(integer_object_nulls=True)
    text.to_csv(file, index=False, sep=sep, mode="wb", lineterminator="\n")


def _tsv(file: BinaryIO, frame: Any) -> None:
    _csv(file, frame, "\t")


def _parquet(file: BinaryIO, frame: Any) -> None:
    package("pyarrow.parquet", "cli").write_table(frame, file)


def _feather(file: BinaryIO, frame: Any) -> None:
    package("pyarrow.feather", "cli").write_feather(frame, file)


#: Suffix -> writer of an Arrow table to a binary file.
FRAMES: dict[str, Callable[[BinaryIO, Any], None]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
    ".feather": _feather,
}
