"""Make the pictures of the README: ``python docs/make_pictures.py`` (needs chromium for one).

Both show a real selection on a table that comes with scikit-learn, so anyone can repeat them:
Wisconsin breast cancer, 569 cells described by 30 columns, many of which repeat each other.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

import matplotlib
from PIL import Image
from sklearn.datasets import load_breast_cancer

from sksieve import POCSS
from sksieve.plotting import plot_error_path
from sksieve.report import SelectionResult, write_selection_report

IMG = Path(__file__).parent / "img"
K = 8
WIDTH, HEIGHT, SCALE = 1100, 950, 1.5


def selection() -> SelectionResult:
    """The selection both pictures show."""
    X = load_breast_cancer(as_frame=True).data
    estimator = POCSS(n_features_to_select=K, scale="standard", random_state=0)
    estimator.fit(X)  # compiles, where nothing is cached yet
    started = perf_counter()
    estimator.fit(X)
    return SelectionResult(
        estimator,
        list(X.columns),
        method="pocss",
        command="",
        data_name="Wisconsin breast cancer",
        data_sha256="",
        n_samples=X.shape[0],
        n_features=X.shape[1],
        seconds=perf_counter() - started,
        seed=0,
        scale="standard",
        X=X.to_numpy(),
        loading="from sklearn.datasets import load_breast_cancer\n"
        "X = load_breast_cancer(as_frame=True).data",
    )


def screenshot(page: Path, browser: str) -> Image.Image:
    """The top of `page` as a browser shows it."""
    target = page.with_suffix(".png")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={page.parent}/profile", f"--force-device-scale-factor={SCALE}"]
    command += [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return Image.open(io.BytesIO(target.read_bytes()))


def main() -> None:
    IMG.mkdir(exist_ok=True)
    result = selection()
    matplotlib.use("Agg")
    ax = plot_error_path(result.estimator)
    ax.set_title("Wisconsin breast cancer: 30 columns, 8 chosen")
    ax.figure.savefig(IMG / "error_path.png", dpi=130)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("docs/img/report.png needs chromium (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        page = write_selection_report(Path(folder) / "report.html", result)
        picture = screenshot(page, browser).convert("RGB").quantize(128, dither=Image.Dither.NONE)
        picture.save(IMG / "report.png", optimize=True)


if __name__ == "__main__":
    main()
