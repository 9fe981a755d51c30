"""Render every kind of report page to PNG, at two widths, light and dark, to look at them.

python tools/render_pages.py FOLDER [KIND ...]

Needs chromium, chromedriver and selenium.
"""

from __future__ import annotations

import base64
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine

WIDTHS, SCHEMES = (1280, 390), ("light", "dark")


def structure() -> Any:
    from sksieve.workflows import select

    return select(load_breast_cancer(as_frame=True).data, use="any")


def reconstruct() -> Any:
    from sksieve.workflows import select

    return select(load_wine(as_frame=True).data, 5, use="reconstruct")


def mixed() -> Any:
    from sksieve.workflows import select

    wine = load_wine(as_frame=True).data
    rng = np.random.RandomState(0)
    kinds = pd.cut(wine["alcohol"], 4, labels=["weak", "mild", "strong", "very strong"])
    frame = wine.assign(
        strength=kinds.astype(str), place=rng.choice(["north", "south", "west"], len(wine))
    )
    return select(frame, 5, encode="onehot")


def wide() -> Any:
    from sksieve.workflows import select

    rng = np.random.RandomState(0)
    X = rng.randn(80, 6) @ rng.randn(6, 900) + rng.randn(80, 900)
    names = [f"gene_with_a_rather_long_identifier_{j:04d}" for j in range(900)]
    return select(pd.DataFrame(X, columns=names), 40)


def cluster() -> Any:
    from sksieve.workflows import cluster as run

    return run(load_wine(as_frame=True).data)


def communities() -> Any:
    import networkx as nx

    from sksieve.workflows import communities as run

    return run(nx.karate_club_graph())


def compare() -> Any:
    from sksieve.workflows import compare as run

    return run(load_wine(as_frame=True).data, 5)


KINDS = {
    one.__name__: one
    for one in (structure, reconstruct, mixed, wide, cluster, communities, compare)
}


def pictures(driver: Any, page: Path, folder: Path) -> None:
    for width in WIDTHS:
        for scheme in SCHEMES:
            metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            driver.get(page.absolute().as_uri())
            height = driver.execute_script("return document.documentElement.scrollHeight")
            clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
            shot = driver.execute_cdp_cmd(
                "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
            )
            file = folder / f"{page.stem}-{width}-{scheme}.png"
            file.write_bytes(base64.b64decode(shot["data"]))
            print(file, height)


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        for kind in sys.argv[2:] or KINDS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                KINDS[kind]().report(folder / f"{kind}.html")
            pictures(driver, folder / f"{kind}.html", folder)
    finally:
        driver.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
