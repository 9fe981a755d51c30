"""The pages in a real browser: nothing on the console, narrow screens, keyboard, print, dark."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sksieve import ColumnChoice, SpectralGraph
from sksieve.evaluation import comparisons, partition
from sksieve.report import (
    ClusteringResult,
    ComparisonResult,
    report_page,
)
from sksieve.report._bench_page import BenchPage, BenchTable, bench_html
from sksieve.report._html import write_page

from .pages import NASTY, greedy_result, low_rank, page_of, payload, result_for

selenium = pytest.importorskip("selenium")
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((path for path in map(shutil.which, BROWSERS) if path), None)
DRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    BROWSER is None or DRIVER is None, reason="no chromium with chromedriver found"
)

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage",
)  # fmt: skip
KINDS = ("columns", "choice", "clusters", "communities", "comparison", "bench")


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    X = low_rank()
    columns = folder / "columns"
    columns.mkdir()
    page_of(greedy_result(X, names=NASTY, X=X), columns)
    made = {"columns": columns / "report.html"}
    near = np.column_stack(
        [X, *(X[:, :1] * (-1) ** i + 0.02 * X[:, 1 + i, None] for i in range(8))]
    )
    choice = ColumnChoice(4, random_state=0).fit(near)
    chosen = folder / "choice"
    chosen.mkdir()
    html = page_of(result_for(choice.estimator_, near, X=near, chooser=choice), chosen)
    assert 'id="represented"' in html
    made["choice"] = chosen / "report.html"
    est = SpectralGraph(n_clusters=3, random_state=0).fit(X)
    facts = partition(est.affinity_, est.labels_, X)
    shared: dict[str, Any] = {
        "method": "spectral", "command": "", "data_sha256": "", "seconds": 0.1, "seed": 0,
    }  # fmt: skip
    table = ClusteringResult(
        est, facts, data_name="t.csv", X=X, feature_names=[f"c{j}" for j in range(12)],
        scale="standard", **shared,
    )  # fmt: skip
    made["clusters"] = report_page(table, folder / "clusters.html").path
    names = [f"vertex {i}" for i in range(len(X))]
    graph = ClusteringResult(est, facts, data_name="g.csv", names=names, **shared)
    made["communities"] = report_page(graph, folder / "communities.html").path
    rows = comparisons(X, 3, ["greedy", "variance", "random"])
    compared = ComparisonResult(rows, [f"c{j}" for j in range(12)], 3, "t.csv", "", n_samples=60)
    made["comparison"] = report_page(compared, folder / "comparison.html").path
    cells = [[("iris", "name"), ("0.9", "best"), ("0.8", "tie")]]
    bench = BenchPage(
        "quick", "no labels", 3, 3, 0, [], [BenchTable("acc", ["data", "a", "b"], cells)]
    )
    made["bench"] = write_page(folder / "bench.html", bench_html(bench))
    return made


def messages(driver: Any) -> list[Any]:
    return [entry for entry in driver.get_log("browser") if "favicon" not in entry["message"]]


def visit(driver: Any, page: Path, width: int = 1200) -> None:
    driver.set_window_size(width, 900)
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    driver.get(page.as_uri())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_message_and_no_sideways_scroll(driver, pages, kind, width, scheme):
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    visit(driver, pages[kind], width)
    assert messages(driver) == []
    wide = driver.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    light = np.mean([int(v) for v in background.strip("rgb()").split(",")[:3]]) > 128
    assert light == (scheme == "light")


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_have_words_and_ids_are_unique(driver, pages, kind):
    visit(driver, pages[kind])
    unnamed = driver.execute_script(
        "return [...document.querySelectorAll('img:not([alt]), [role=img]:not([aria-label])')]"
        ".map((node) => node.outerHTML.slice(0, 80))"
    )
    assert unnamed == []
    repeated = driver.execute_script(
        "const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);"
        "return ids.filter((id, i) => ids.indexOf(id) !== i)"
    )
    assert repeated == []
    broken = driver.execute_script(
        "return [...document.querySelectorAll('[aria-labelledby]')]"
        ".filter((node) => !document.getElementById(node.getAttribute('aria-labelledby'))).length"
    )
    assert broken == 0


def test_the_slider_moves_by_keyboard(driver, pages):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    visit(driver, pages["columns"])
    steps = payload(pages["columns"].read_text("utf-8"))["steps"]
    slider = driver.find_element(By.ID, "slider")
    assert slider.is_displayed()
    slider.send_keys(Keys.HOME)
    slider.send_keys(Keys.ARROW_RIGHT)
    assert driver.find_element(By.ID, "slider-k").text == "2"
    assert slider.get_attribute("aria-valuetext") == "2 columns"
    assert driver.find_element(By.ID, "slider-says").text.split() == steps[1]["text"].split()
    rows = driver.find_elements(By.CSS_SELECTOR, "#chosen tbody tr")
    assert len(rows) == 2
    for row, adds in zip(rows, steps[1]["adds"], strict=True):
        assert adds in row.text
    driver.find_element(By.ID, "slider-back").send_keys(Keys.ENTER)
    assert driver.find_element(By.ID, "slider-k").text == "4"
    assert messages(driver) == []


def test_search_and_sort_by_keyboard(driver, pages):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    visit(driver, pages["columns"])
    data = payload(pages["columns"].read_text("utf-8"))
    table = data["steps"][data["start"]]["reconstruction"]
    hits = {j for j, name in enumerate(data["names"]) if "script" in name.lower()}
    expected = [
        c for c, by in zip(table["columns"], table["by"]) if c in hits or hits & set(by[::2])
    ]
    driver.find_element(By.ID, "search").send_keys("SCRIPT")
    rows = driver.find_elements(By.CSS_SELECTOR, "#reconstruction-table tbody tr")
    assert len(rows) == len(expected) > 0
    count = driver.find_element(By.ID, "reconstruction-count").text
    assert count == f"{len(expected)} of {len(table['columns'])} match."
    head = driver.find_element(By.CSS_SELECTOR, "[data-sort=name]")
    head.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "ascending"
    assert messages(driver) == []


def test_names_are_copied_and_downloaded(driver, pages, tmp_path):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    visit(driver, pages["choice"])
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    data = payload(pages["choice"].read_text("utf-8"))
    names = [data["names"][j] for j in data["steps"][data["start"]]["columns"]]
    copy = driver.find_element(By.ID, "chosen-copy")
    copy.send_keys(Keys.ENTER)
    assert copy.text in ("Copied", "Not copied: use Download")
    driver.find_element(By.ID, "chosen-download").send_keys(Keys.ENTER)
    file = tmp_path / "columns.txt"
    WebDriverWait(driver, 10).until(lambda _: file.exists())
    assert file.read_text("utf-8").splitlines() == names
    assert messages(driver) == []


def test_correlations_name_their_columns_by_keyboard(driver, pages):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    visit(driver, pages["columns"])
    cross = json.loads(
        driver.execute_script("return document.getElementById('cross-data').textContent")
    )
    cells = driver.find_element(By.ID, "cross-map")
    cells.send_keys(Keys.ARROW_DOWN)
    cells.send_keys(Keys.ARROW_RIGHT)
    says = driver.execute_script("return document.getElementById('cross-says').textContent")
    value = f"{abs(cross['r'][1][1]) / 100:.2f}"
    assert says.replace("\N{MINUS SIGN}", "") == (
        f"{cross['chosen'][1]} and {cross['dropped'][1]}: {value}"
    )
    assert messages(driver) == []


@pytest.mark.parametrize("kind", ["clusters", "communities"])
def test_a_member_is_found(driver, pages, kind):
    from selenium.webdriver.common.by import By

    visit(driver, pages[kind])
    name = "vertex 17" if kind == "communities" else "17"
    driver.find_element(By.ID, "member-search").send_keys(name.upper())
    row = driver.find_element(By.CSS_SELECTOR, "#member-table tbody tr")
    members = json.loads(
        driver.execute_script("return document.getElementById('members').textContent")
    )
    assert row.find_element(By.TAG_NAME, "th").text == name
    assert row.find_element(By.CSS_SELECTOR, "td.num").text == str(members["groups"][17])
    assert driver.find_element(By.ID, "member-count").text == "1 match."
    assert messages(driver) == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_clipped_on_a_narrow_screen(driver, pages, kind):
    """Lists scroll with the page, and no word is broken that fits into a line."""
    visit(driver, pages[kind], 390)
    cut = driver.execute_script(
        "return [...document.querySelectorAll('.scroll')]"
        ".filter((node) => node.scrollHeight > node.clientHeight + 2)"
        ".map((node) => node.getAttribute('aria-labelledby'))"
    )
    assert cut == []
    broken = driver.execute_script(
        "const broken = []; const range = document.createRange();"
        "for (const bdi of document.querySelectorAll('th bdi, td bdi')) {"
        "  const text = bdi.firstChild; if (!text || !bdi.offsetParent) continue;"
        "  for (const word of text.data.matchAll(/[a-z]{3,12}/gi)) {"
        "    range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length);"
        "    const boxes = [...range.getClientRects()];"
        "    const cut = boxes.some((box) => box.top > boxes[0].bottom - 2);"
        "    if (cut && text.data.length <= 14) broken.push(text.data);"
        "  } } return broken;"
    )
    assert broken == []


@pytest.mark.parametrize("kind", ["columns", "clusters", "comparison"])
def test_how_to_repeat_unfolds_copies_and_prints(driver, pages, kind):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    visit(driver, pages[kind])
    fold = driver.find_element(By.CSS_SELECTOR, "details.repeat")
    assert fold.get_attribute("open") is None
    fold.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
    assert fold.get_attribute("open") is not None
    button = fold.find_elements(By.CSS_SELECTOR, "button.copy")[-1]
    code = driver.execute_script("return arguments[0].nextElementSibling.textContent", button)
    button.send_keys(Keys.ENTER)
    assert button.text in ("Copied", "Selected: press Ctrl+C")
    assert driver.execute_script("return getSelection().toString()").split() == code.split()
    driver.get(pages[kind].as_uri())
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    fold = driver.find_element(By.CSS_SELECTOR, "details.repeat")
    assert fold.get_attribute("open") is not None
    pdf = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    assert len(pdf) > 10_000
    assert messages(driver) == []


def test_nothing_of_a_name_is_run(driver, pages):
    visit(driver, pages["columns"])
    assert (
        driver.execute_script("return document.querySelectorAll('bdi b, bdi script').length") == 0
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_no_violation(driver: Any, pages: dict[str, Path], kind: str, scheme: str):
    module = find_spec("axe_playwright_python")
    if module is None or module.origin is None:
        pytest.skip("no axe-core: pip install --no-deps axe-playwright-python")
    axe = (Path(module.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    try:
        driver.get(pages[kind].as_uri())
        driver.execute_script(axe)
        found = driver.execute_async_script("axe.run().then(arguments[0])")
    finally:
        driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(found["passes"]) > 20
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]] == []
