"""Packages that an extra of scikit-sieve installs, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from .exceptions import MissingPackageError

#: Extra that installs each optional package (the name in ``import``).
EXTRAS = {
    "anndata": "anndata",
    "dask": "dask",
    "distributed": "dask",
    "duckdb": "sql",
    "fsspec": "remote",
    "h5py": "cli",
    "igraph": "graphs",
    "jinja2": "cli",
    "leidenalg": "graphs",
    "matplotlib": "plot",
    "networkx": "graphs",
    "python_calamine": "excel",
    "pandas": "cli",
    "pooch": "remote",
    "psycopg": "sql",
    "pyarrow": "cli",
    "rich": "cli",
    "scikit_posthocs": "stats",
    "tqdm": "remote",
    "typer": "cli",
}


def optional(name: str, purpose: str) -> ModuleType:
    """Import an optional package or one of its modules.

    Parameters
    ----------
    name : str
        What is imported; its first part is a key of `EXTRAS`.
    purpose : str
        Subject of the message: what needs the package, in the singular.

    Raises
    ------
    MissingPackageError
        If it is not installed; the message has the line that installs it.

    Examples
    --------
    >>> from sksieve._optional import optional
    >>> optional("matplotlib.colors", "A color").to_hex("white")
    '#ffffff'
    """
    package = name.partition(".")[0]
    extra = EXTRAS[package]
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingPackageError(
            f"{purpose} needs {package.replace('_', '-')}: pip install 'scikit-sieve[{extra}]'."
        ) from error
    return import_module(name)
