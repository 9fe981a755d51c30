"""Make the pictures of the documentation: ``python docs/make_pictures.py`` (chromium for one).

Those of the README show a real selection on a table that comes with scikit-learn, so anyone can
repeat them: Wisconsin breast cancer, 569 cells described by 30 columns, many of which repeat each
other. That of LSDCL shows what its published updates do on wine.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_wine

from sksieve import POCSS
from sksieve.graphs import LocalCorrentropy, knn_graph, mean_squared_distance
from sksieve.papers._lsdcl_multiplicative import MultiplicativeConcepts
from sksieve.plotting import plot_error_path
from sksieve.report import SelectionResult, write_selection_report
from sksieve.selection._lsdcl_problem import DualConcepts
from sksieve.selection._lsdcl_start import largest_lam2, scaled_columns, start, unit_rows_on_average

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


def degeneracy(passes: int = 20_000) -> dict[str, np.ndarray]:
    """Sizes of the factors on wine after every pass, published updates and repaired ones.

    Columns: sum of the row lengths of V, largest column sum of U S, fit.
    """
    X = unit_rows_on_average(scaled_columns(load_wine().data, "minmax"))
    A = knn_graph(X, 5)
    cim = LocalCorrentropy(A, gamma=0.25, delta2=1.0)
    model = DualConcepts(X, cim, lam1=0.0, lam2=0.0)
    state = start(model, 3, np.random.RandomState(0))
    cim.delta2 = cim.width(X @ state.V)
    model.lam1 = model.norm2 / A.sum()
    model.lam2 = 0.1 * largest_lam2(model, state)
    repaired = MultiplicativeConcepts(model, rule="sqrt")
    U, S, V = state.T, np.eye(3) + 0.2, state.V
    K, G, A = X @ X.T, X.T @ X, A.toarray()
    found: dict[str, list[tuple[float, ...]]] = {"as published": [], "repaired": []}
    for _ in range(passes):
        state = repaired.step(state)
        B = K @ X @ V
        U = U * np.sqrt((B @ S.T) / (K @ U @ S @ V.T @ G @ V @ S.T))
        S = S * np.sqrt((U.T @ B) / (U.T @ K @ U @ S @ V.T @ G @ V))
        T, Y = U @ S, X @ V
        W = A * np.exp(-cdist(Y, Y, "sqeuclidean") / (0.25 * mean_squared_distance(Y)))
        D, lengths = W.sum(axis=1)[:, None], np.linalg.norm(V, axis=1)[:, None]
        up = X.T @ (K @ T + 2 * model.lam1 * W @ Y)
        down = G @ V @ T.T @ K @ T + 2 * model.lam1 * X.T @ (D * Y) + model.lam2 * V / lengths
        V = V * np.sqrt(up / down)
        for name, T, V_now in (("as published", U @ S, V), ("repaired", state.T, state.V)):
            size = np.linalg.norm(V_now, axis=1).sum()
            found[name].append((size, T.sum(axis=0).max(), model.fit(T, V_now)))
    return {name: np.array(rows) for name, rows in found.items()}


def draw_degeneracy() -> None:
    """One picture: V runs to zero, U S to infinity, and the fit does not care."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    titles = (r"sum of the row lengths of $V$", r"largest column sum of $T = US$")
    for name, sizes in degeneracy().items():
        n_iter = np.arange(1, len(sizes) + 1)
        color, style = ("#c1440e", "-") if name == "as published" else ("#1f5f8b", "--")
        for axis, title, size in zip(axes, titles, sizes.T, strict=False):
            axis.loglog(n_iter, size, style, color=color, lw=2, label=name)
            axis.set(title=title, xlabel="passes")
            axis.grid(alpha=0.3)
        print(f"{name}: fit {sizes[0, 2]:.1f}, {sizes[99, 2]:.1f}, ..., {sizes[-1, 2]:.1f}")
    axes[0].legend()
    figure.savefig(IMG / "lsdcl_degeneracy.png", dpi=130)
    plt.close(figure)


def main() -> None:
    IMG.mkdir(exist_ok=True)
    matplotlib.use("Agg")
    draw_degeneracy()
    result = selection()
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
