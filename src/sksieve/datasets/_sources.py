"""Where data sets can be downloaded: ``sources.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Source:
    """Where a data set can be downloaded.

    Attributes
    ----------
    license : str
        Of the data.
    urls : tuple of str
        Addresses of its files; none for a set that a package ships.
    sha256 : tuple of str
        Of these files; empty if no file could be checked.
    openml : int or None
        Number of the data set at OpenML, for those that come from there.
    format : str
        How the files are converted.
    options : dict
        For the conversion.
    """

    license: str
    urls: tuple[str, ...] = ()
    sha256: tuple[str, ...] | None = None
    openml: int | None = None
    format: str = "openml"
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_verified(self) -> bool:
        """Whether the values were compared with the catalogue's when this version was made."""
        return self.sha256 is not None

    @property
    def address(self) -> str:
        """Where the data come from, for messages."""
        if self.openml is not None:
            return f"OpenML, data set {self.openml}"
        return " and ".join(self.urls) or "networkx"


@cache
def sources() -> dict[str, Source]:
    """Name of each data set that can be fetched -> its source."""
    text = files(__package__).joinpath("sources.toml").read_text(encoding="utf-8")
    found = {}
    for name, entry in tomllib.loads(text).items():
        own: dict[str, Any] = {
            key: tuple(value) if key in ("urls", "sha256") else value
            for key, value in entry.items()
            if key in Source.__dataclass_fields__
        }
        options = {key: value for key, value in entry.items() if key not in own}
        found[name] = Source(**own, options=options)
    return found
