"""Reports for the tests, and a strict reader of the HTML they are made of."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from sksieve import GreedyCSS
from sksieve.report import SelectionResult, report_page

VOID = {"wbr", "meta", "link", "input", "br", "hr", "img", "path", "circle", "line"}

NASTY = [
    "<script>alert(1)</script>",
    "a\"b'c",
    "</script><b>",
    "Größe µ 日本語",
    "x" * 120,
    "\u202eevil",
    "a\x00b",
    "{{7*7}}",
    "&amp;",
    "\u2028line",
    "",
    "\ud800",
]


class Page(HTMLParser):
    """A page taken apart; refuses tags that are not balanced."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.is_joined = False  # a line may end here, inside a name
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> repeats an attribute: {names}"
        self.tags.append((tag, dict(attrs)))
        self.is_joined = tag == "wbr"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.is_joined:
            self.texts[self.open[-1]][-1] += data
        elif self.open:
            self.texts.setdefault(self.open[-1], []).append(data)
        self.is_joined = False

    def having(self, attribute: str) -> list[str]:
        return [a[attribute] or "" for _, a in self.tags if attribute in a]

    @property
    def ids(self) -> Counter[str]:
        return Counter(self.having("id"))

    @property
    def headings(self) -> list[str]:
        return [text.strip() for text in self.texts.get("h2", []) if text.strip()]

    @property
    def names(self) -> list[str]:
        return self.texts.get("bdi", [])


def payload(html: str) -> dict[str, Any]:
    """The data the page's script works on, strictly parsed."""
    start = html.index('<script type="application/json" id="data">')
    body = html[html.index(">", start) + 1 : html.index("</script>", start)]

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(body, parse_constant=refuse)


def low_rank(n: int = 60, d: int = 12, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 5)) @ rng.normal(size=(5, d)) + 0.3 * rng.normal(size=(n, d))


def result_for(est: Any, table: np.ndarray, names: list[str] | None = None, **other: Any) -> Any:
    values = {
        "estimator": est,
        "feature_names": names or [f"c{j}" for j in range(table.shape[1])],
        "method": "greedy",
        "command": "sksieve select table.csv -k 4 --report table.html",
        "data_name": "table.csv",
        "data_sha256": "0123456789abcdef" * 4,
        "n_samples": table.shape[0],
        "n_features": table.shape[1],
        "seconds": 0.25,
        "seed": None,
        "scale": "standard",
        "X": table,
    }
    return SelectionResult(**(values | other))


def greedy_result(table: np.ndarray, k: int = 4, scale: str = "standard", **other: Any) -> Any:
    est = GreedyCSS(n_features_to_select=k, scale=scale).fit(table)
    return result_for(est, table, scale=scale, **other)


def page_of(result: Any, folder: Path) -> str:
    page = report_page(result, folder / "report.html")
    assert page.path is not None
    return page.path.read_text("utf-8")


def separated_table(n: int = 90, d: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Three groups that differ in columns 0 and 1; column 2 is constant."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, d))
    X[:, 0] += 5 * y
    X[:, 1] -= 4 * (y == 1)
    X[:, 2] = 5.0  # constant
    return X, y
