"""Make the picture of docs/communities.md: ``python docs/picture_communities.py``.

A block model of 90 vertices, vertices ordered by the planted block: its adjacency, the projection
matrix of the leading eigenvectors, that of `BPMA`, and that of the planted partition.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from sksieve import BPMA
from sksieve.datasets import make_sbm
from sksieve.metrics import clustering_accuracy

TARGET = Path(__file__).parent / "img" / "communities.png"
N, K, P_IN, P_OUT, SEED = 90, 3, 0.5, 0.25, 1


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


def main() -> None:
    matplotlib.use("Agg")
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
    figure.savefig(TARGET, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
