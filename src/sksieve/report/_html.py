"""From a template and its values to one HTML file."""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from .._optional import optional
from .._replace import replacing
from ._text import breakable, shortened


def write_page(path: str | os.PathLike[str], page: str) -> Path:
    """Write a page as UTF-8, whole or not at all."""
    with replacing(path) as file:
        file.write(page.encode())
    return Path(path)


def render(view: dict[str, object], template: str, script_name: str | None = None) -> str:
    """A page from its template, style and script, which its own policy allows and no other."""
    optional("jinja2", "A report")
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("sksieve.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {
        "allow_nan": False,
        "ensure_ascii": True,
        "separators": (",", ":"),
    }
    environment.filters["shortened"] = shortened
    environment.filters["breakable"] = lambda *given: Markup("<wbr>").join(breakable(*given))
    folder = files("sksieve.report") / "templates"
    names = ("page.js", script_name) if script_name else ("page.js",)
    script = "".join((folder / name).read_text("utf-8") for name in names)
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return environment.get_template(template).render(
        **view,
        css=Markup((folder / "report.css").read_text("utf-8")),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
    )


@dataclass(frozen=True)
class Page:
    """A report as text; notebooks show it in a frame.

    Attributes
    ----------
    html : str
        The whole page.
    path : Path or None
        Where it was written.
    """

    html: str
    path: Path | None = None

    @classmethod
    def create(cls, html: str, path: str | os.PathLike[str] | None) -> Page:
        """The page of a text, written unless `path` is None."""
        return cls(html, None if path is None else write_page(path, html))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page as one HTML file; see `sksieve.io.replacing`."""
        return write_page(path, self.html)

    def __repr__(self) -> str:
        where = "not written" if self.path is None else str(self.path)
        return f"Page({where}, {len(self.html):,} characters)"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="report" '
            'style="width: 100%; height: 40rem; border: 1px solid #ccc"></iframe>'
        )
