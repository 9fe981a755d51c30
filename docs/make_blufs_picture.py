"""Make the picture of docs/blufs.md: ``python docs/make_blufs_picture.py`` (chromium for it).

Two sections of the report of a selection from scikit-learn's digits, 1797 images of 8 x 8 pixels.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image, ImageChops
from sklearn.datasets import load_digits

from sksieve import BLUFS
from sksieve.report import ImageShape, SelectionResult, write_selection_report

TARGET = Path(__file__).parent / "img" / "blufs_report.png"
SHOWN = "section[aria-labelledby=pixels-title], section[aria-labelledby=groups-title]"
STYLE = f"<style>header, section {{ display: none }} {SHOWN} {{ display: block }}</style></head>"


def result() -> SelectionResult:
    X = load_digits().data
    return SelectionResult(
        BLUFS(n_features_to_select=12, n_clusters=10).fit(X),
        [f"row {j // 8 + 1}, column {j % 8 + 1}" for j in range(64)],
        method="blufs",
        command="",
        data_name="digits",
        data_sha256="",
        n_samples=X.shape[0],
        n_features=X.shape[1],
        seconds=0.2,
        seed=None,
        scale="none",
        X=X,
        image=ImageShape(8, 8),
        column_means=X.mean(axis=0),
    )


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("the picture needs chromium (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        page = write_selection_report(Path(folder) / "report.html", result())
        page.write_text(page.read_text("utf-8").replace("</head>", STYLE), "utf-8")
        target = page.with_suffix(".png")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--user-data-dir={folder}/profile", "--force-device-scale-factor=1.25"]
        command += ["--window-size=860,1300", f"--screenshot={target}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        picture = Image.open(io.BytesIO(target.read_bytes())).convert("RGB")
    ground = Image.new("RGB", picture.size, "white")
    left, top, right, bottom = ImageChops.difference(picture, ground).getbbox() or (0, 0, 1, 1)
    edge = 12
    picture = picture.crop((left - edge, top - edge, right + edge, bottom + edge))
    picture.quantize(200, dither=Image.Dither.NONE).save(TARGET, optimize=True)


if __name__ == "__main__":
    main()
