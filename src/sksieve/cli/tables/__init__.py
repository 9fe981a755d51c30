"""Reading tables: one reader per format, one refusal per defect, nothing dropped in silence."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ...exceptions import DataError
from ._source import Source, open_source
from ._table import PREFIX, ReadOptions, Table, counted, listed, package

__all__ = ["PREFIX", "ReadOptions", "Table", "counted", "listed", "package", "read_table"]

TEXT_OPTIONS = ("--sep", "--decimal", "--no-header", "--missing")

#: Suffix -> module, function, the options it takes.
READERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    ".csv": ("_text", "read_text", TEXT_OPTIONS),
    ".tsv": ("_text", "read_text", TEXT_OPTIONS),
    ".parquet": ("_arrow", "read_parquet", ()),
    ".feather": ("_arrow", "read_feather", ()),
    ".npy": ("_numpy", "read_npy", ()),
    ".npz": ("_numpy", "read_npz", ("--name",)),
    ".mat": ("_matlab", "read_mat", ("--name",)),
    ".mtx": ("_market", "read_mtx", ()),
    ".h5ad": ("_anndata", "read_h5ad", ("--name",)),
}


def read_table(data: str, options: ReadOptions) -> Table:
    """Read a table.

    Parameters
    ----------
    data : str
        A file, ``-`` for CSV on standard input, or ``dataset:NAME``.
    options : ReadOptions

    Returns
    -------
    Table

    Raises
    ------
    DataError
        One sentence that says what is wrong and what to do.
    """
    if data.startswith(PREFIX):
        _refuse_options(data, options, ())
        named = import_module("._named", __name__)
        return named.read_named(data.removeprefix(PREFIX))
    source = open_source(data)
    if source.suffix not in READERS:
        raise DataError(
            f"{source.name}: the ending {source.suffix or '(none)'} is not one of "
            f"{', '.join(READERS)} (.csv.gz, .tsv.gz and .mtx.gz too); save the table as one of "
            "these, or pipe text in: sksieve select - --sep ... < FILE"
        )
    module, function, known = READERS[source.suffix]
    _refuse_options(source.name, options, known)
    read: Callable[[Source, ReadOptions], Table]
    read = getattr(import_module(f".{module}", __name__), function)
    return read(source, options)


def _refuse_options(name: str, options: ReadOptions, known: tuple[str, ...]) -> None:
    foreign = [given for given in options.given() if given not in known]
    if foreign:
        raise DataError(f"{foreign[0]} does not apply to {name}; leave it out.")
