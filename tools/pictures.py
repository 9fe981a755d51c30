"""Make every picture in ``docs/img`` from today's code: ``make pictures`` (Chromium for the pages).

Pictures of pages are the top of reports that the command line writes for data that come with
scikit-learn. The pictures of the reproduction are made by ``tools/reproduction.py figures``, those
of methods and of the gallery when the site is built.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image, ImageChops
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

from sksieve import BPMA
from sksieve.datasets import make_sbm
from sksieve.graphs import LocalCorrentropy, knn_graph, mean_squared_distance
from sksieve.metrics import clustering_accuracy
from sksieve.papers._lsdcl_multiplicative import MultiplicativeConcepts
from sksieve.selection._lsdcl_problem import DualConcepts
from sksieve.selection._lsdcl_start import largest_lam2, scaled_columns, start, unit_rows_on_average

ROOT = Path(__file__).resolve().parents[1]
IMG = ROOT / "docs" / "img"

#: Pictures of pages: the command that writes the page, and the sections shown (all if none).
PAGES = {
    "report.png": ("select dataset:breast_cancer -k 8", ()),
    "clusters.png": ("cluster dataset:wine -c 3", ()),
    "blufs_report.png": (
        "select dataset:digits -k 12 --method blufs -c 10 --scale none --image-shape 8x8",
        ("pixels-title", "groups-title"),
    ),
}
SIZE, SCALE = (1100, 950), 1.5
TALL = (860, 1300)

COSTS = ROOT / "benchmarks" / "results" / "cost_growth.csv"
TITLES = {"columns": "selecting 10 columns", "clusters": "10 clusters", "graphs": "communities"}
#: Methods of other packages, drawn in gray, and their lines.
RIVALS = {
    "fastcan": "--",
    "CUR": ":",
    "pivoted QR": "-.",
    "FeatureAgglomeration": (0, (1, 4)),
    "KMeans": "--",
    "HDBSCAN": "-.",
    "SpectralClustering": ":",
    "igraph's Louvain": "-.",
    "leidenalg": (0, (1, 4)),
    "networkx's Louvain": "--",
}
SHOWN = 1e-3  # seconds
COLORS = [f"C{i}" for i in range(10) if i != 7]  # without gray

#: The planted graph: vertices, blocks, probability of an edge inside and between them, seed.
N, K, P_IN, P_OUT, SEED = 90, 3, 0.5, 0.25, 1


# Pages ------------------------------------------------------------------------------------------


def draw_pages() -> None:
    """Screenshots of reports."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("Pictures of pages need Chromium (Debian: apt install chromium).")
    for name, (command, sections) in PAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            words = [sys.executable, "-m", "sksieve", *command.split(), "--report", str(page)]
            subprocess.run(words, check=True, capture_output=True)
            if sections:
                _show_only(page, sections)
            picture = screenshot(page, browser, TALL if sections else SIZE).convert("RGB")
        if sections:
            picture = _cropped(picture)
        picture.quantize(200, dither=Image.Dither.NONE).save(IMG / name, optimize=True)


def screenshot(page: Path, browser: str, size: tuple[int, int]) -> Image.Image:
    """The top of a page as a browser shows it."""
    target = page.with_suffix(".png")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={page.parent}/profile", f"--force-device-scale-factor={SCALE}"]
    command += [f"--window-size={size[0]},{size[1]}", f"--screenshot={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return Image.open(io.BytesIO(target.read_bytes()))


def _show_only(page: Path, sections: tuple[str, ...]) -> None:
    shown = ", ".join(f"section[aria-labelledby={name}]" for name in sections)
    style = (
        f"<style>header, section {{ display: none }} {shown} {{ display: block }}</style></head>"
    )
    page.write_text(page.read_text("utf-8").replace("</head>", style), "utf-8")


def _cropped(picture: Image.Image, edge: int = 12) -> Image.Image:
    ground = Image.new("RGB", picture.size, "white")
    left, top, right, bottom = ImageChops.difference(picture, ground).getbbox() or (0, 0, 1, 1)
    return picture.crop((left - edge, top - edge, right + edge, bottom + edge))


# LSDCL ------------------------------------------------------------------------------------------


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


# Communities ------------------------------------------------------------------------------------


def panels() -> dict[str, np.ndarray]:
    """Title -> matrix, rows and columns ordered by block."""
    A, y = make_sbm(N, K, P_IN, P_OUT, random_state=SEED)
    order = np.argsort(y, kind="stable")
    A, y = A[order][:, order], y[order]
    planted = (y[:, None] == y) / np.bincount(y)[y]
    found: dict[str, np.ndarray] = {f"A: edges {P_IN:g} within, {P_OUT:g} between": A.toarray()}
    for name, lam in (("leading eigenvectors", 0.0), ("BPMA", None)):
        est = BPMA(K, lam=lam, affinity="precomputed", random_state=0).fit(A)
        away = np.linalg.norm(est.U_ @ est.U_.T - planted)
        accuracy = clustering_accuracy(y, est.labels_)
        title = f"X of {name}\n{away:.2f} from the planted one, accuracy {accuracy:.2f}"
        found[title] = est.U_ @ est.U_.T
    found["X of the planted partition"] = planted
    return found


def draw_communities() -> None:
    """Adjacency and projection matrices of a planted graph, ordered by the planted block."""
    figure, axes = plt.subplots(1, 4, figsize=(13, 3.7), layout="constrained")
    for axis, (title, M) in zip(axes, panels().items()):
        if axis is axes[0]:
            axis.imshow(M, cmap="Greys", interpolation="nearest")
        else:
            typical = K / N
            image = axis.imshow(
                M, cmap="RdBu_r", vmin=-2 * typical, vmax=2 * typical, interpolation="nearest"
            )
        axis.set_title(title, fontsize=10)
        axis.set(xticks=[], yticks=[])
    bar = figure.colorbar(image, ax=axes[1:], shrink=0.85, ticks=[-2 * typical, 0, typical])
    bar.ax.set_yticklabels(["-2 K/n", "0", "K/n"])
    figure.savefig(IMG / "communities.png", dpi=110)
    plt.close(figure)


# Cost -------------------------------------------------------------------------------------------


def draw_cost() -> None:
    """Seconds against size, from the committed results."""
    with COSTS.open() as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "ok"]
    figure, axes = plt.subplots(2, 3, figsize=(13, 8.6), layout="constrained", sharey=True)
    for column, (family, title) in enumerate(TITLES.items()):
        mine = [row for row in rows if row["family"] == family]
        words = list(dict.fromkeys(row["axis"] for row in mine))
        names = list(dict.fromkeys(row["method"] for row in mine))
        colors = dict(zip((n for n in names if n not in RIVALS), COLORS))
        for axis, word in zip(axes[:, column], words):
            for name in names:
                points = [
                    (int(row["size"]), max(float(row["seconds"]), SHOWN))
                    for row in mine
                    if (row["method"], row["axis"]) == (name, word)
                ]
                axis.plot(
                    *zip(*points),
                    color=colors.get(name, "0.4"),
                    ls=RIVALS.get(name, "-"),
                    marker="o",
                    ms=3,
                    lw=1.4,
                    label=name,
                )
            axis.set(xscale="log", yscale="log", xlabel=word, title=title, ylim=(SHOWN, 40))
            axis.grid(alpha=0.3)
        axes[1, column].legend(
            fontsize=8, ncol=3, loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False
        )
    for axis in axes[:, 0]:
        axis.set_ylabel("seconds of one core")
    figure.savefig(IMG / "cost.png", dpi=100)
    plt.close(figure)


def main() -> None:
    matplotlib.use("Agg")
    draw_degeneracy()
    draw_communities()
    draw_cost()
    draw_pages()


if __name__ == "__main__":
    main()
