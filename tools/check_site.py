"""Open every page of the built site in Chromium: 1280 and 390 pixels wide, light and dark.

    make docs && python tools/check_site.py [--screenshots FOLDER]

A page fails if the browser reports an error, a picture is missing, or the page scrolls sideways.
Needs Debian's packages chromium and chromium-driver, and selenium.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

SITE = Path(__file__).resolve().parents[1] / "docs" / "_build" / "html"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
#: What the theme says of pages opened from files: it keeps the mode in a storage they do not have.
HARMLESS = ("Got invalid theme mode",)

FINDINGS = """
return {
  wide: document.documentElement.scrollWidth - window.innerWidth,
  missing: [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
};
"""


def main() -> int:
    """Return 1 if a page fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--screenshots", type=Path, help="keep a picture of every page here")
    folder = parser.parse_args().screenshots
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        print("chromium or chromedriver is not installed: nothing was checked", file=sys.stderr)
        return 1
    pages = [p for p in sorted(SITE.rglob("*.html")) if "_static" not in p.parts]
    if not pages:
        print("the site is not built; run: make docs", file=sys.stderr)
        return 1
    failed = 0
    for width in (1280, 390):
        for dark in (False, True):
            failed += check(pages, width, dark, folder, (browser, driver))
    print(f"{len(pages)} pages, 2 widths, light and dark: {failed or 'no'} failures")
    return bool(failed)


def check(
    pages: list[Path], width: int, dark: bool, folder: Path | None, programs: tuple[str, str]
) -> int:
    """Open every page once; return how many fail."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--blink-settings=preferredColorScheme={0 if dark else 1}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(programs[1]))
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    failed = 0
    for page in pages:
        chrome.get(page.as_uri())
        found = chrome.execute_script(FINDINGS)
        logs = [
            entry["message"]
            for entry in chrome.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
            and not any(text in entry["message"] for text in HARMLESS)
        ]
        if found["wide"] > 1 or found["missing"] or logs:
            failed += 1
            print(f"{page.relative_to(SITE)} at {width} px: {found} {logs}")
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            name = "_".join(page.relative_to(SITE).with_suffix("").parts)
            chrome.save_screenshot(str(folder / f"{name}-{width}{'-dark' if dark else ''}.png"))
    chrome.quit()
    return failed


if __name__ == "__main__":
    sys.exit(main())
