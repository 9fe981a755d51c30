"""The page in a real browser: its script runs, the slider moves everything it should."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from .pages import NASTY, greedy_result, low_rank, page_of, payload

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((path for path in map(shutil.which, BROWSERS) if path), None)

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"none of {', '.join(BROWSERS)} found")

USE = """
<script>
  const slider = document.getElementById("slider");
  slider.value = 1;
  slider.dispatchEvent(new Event("input"));
  document.querySelector("[data-sort=name] button").click();
  const search = document.getElementById("search");
  search.value = "SCRIPT";
  search.dispatchEvent(new Event("input"));
</script></body>
"""


def dom_of(page: Path) -> str:
    """The document after its scripts have run."""
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    done = subprocess.run(
        [*command, f"--user-data-dir={page.parent}/profile", page.as_uri()],
        capture_output=True,
        timeout=120,
        check=True,
    )
    return done.stdout.decode("utf-8")


class Body(HTMLParser):
    """Text of the rows of one table."""

    def __init__(self, html: str, table: str) -> None:
        super().__init__()
        self.table, self.inside, self.rows = table, False, []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.inside = dict(attrs).get("id") == self.table
        elif tag == "tr" and self.inside:
            self.rows.append("")

    def handle_data(self, data: str) -> None:
        if self.inside and self.rows:
            self.rows[-1] += f"{data} "


def test_script_runs_under_the_pages_own_policy(tmp_path: Path) -> None:
    X = low_rank()
    page_of(greedy_result(X, names=NASTY, X=X), tmp_path)
    dom = dom_of(tmp_path / "report.html")
    assert '<div class="slider" id="slider-box">' in dom  # no longer hidden
    assert re.search(r'<th scope="col" data-sort="r2" aria-sort="ascending"><button', dom)
    assert "<script>alert" not in dom


def test_slider_sort_and_search(tmp_path: Path) -> None:
    X = low_rank()
    html = page_of(greedy_result(X, names=NASTY, X=X), tmp_path)
    step = payload(html)["steps"][1]
    free = re.sub(r"<meta http-equiv[^>]*>", "", html).replace("</body>", USE)
    used = tmp_path / "used.html"
    used.write_text(free, "utf-8")
    dom = dom_of(used)
    assert 'aria-valuetext="2 columns"' in dom
    assert f'<p id="slider-says" aria-live="polite">{step["text"]}</p>' in dom
    assert re.search(r'<output id="slider-k" for="slider">2</output>', dom)
    left, top = (f"{v:g}" for v in step["at"])
    assert re.search(rf'class="dot" style="left: ?{left}%; ?top: ?{top}%', dom)
    chosen = Body(dom, "chosen").rows[1:]
    assert len(chosen) == 2
    names = payload(html)["names"]
    for row, column, adds in zip(chosen, step["columns"], step["adds"]):
        assert names[column] in row
        assert adds in row
    rows = Body(dom, "rebuilt-table").rows[1:]
    table = step["rebuilt"]
    hits = [j for j, name in enumerate(names) if "script" in name.lower()]
    expected = [
        c for c, by in zip(table["columns"], table["by"]) if c in hits or set(by[::2]) & set(hits)
    ]
    assert len(rows) == len(expected) > 0
    assert f"{len(expected)} of 10 match." in dom
    assert 'data-sort="name" aria-sort="ascending"' in dom
