"""
A gene panel from single-cell counts
====================================

700 blood cells, 765 genes. Thirty genes are chosen so that the others can be reconstructed from
them; cell types are not used for the choice. They only color the picture: do the thirty genes
still show the cell types?
"""

# data: pbmc68k_reduced_counts
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from sksieve import GreedyCSS
from sksieve.datasets import load
from sksieve.metrics import neighborhood_preservation

cells = load("pbmc68k_reduced_counts")
X = sp.csr_array(cells.X, dtype=np.float64)
X.data = np.log1p(X.data)
panel = GreedyCSS(30, scale="standard").fit(X)
genes = panel.ranking_[:30]

dense = X.toarray()
dense -= dense.mean(axis=0)
dense /= np.maximum(dense.std(axis=0), 1e-12)


def plane(A):
    U, s, _ = np.linalg.svd(A - A.mean(axis=0), full_matrices=False)
    return U[:, :2] * s[:2]


types = np.unique(cells.y, return_inverse=True)[1]
rng = np.random.default_rng(0)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for ax, columns, title in zip(axes, (np.arange(765), genes), ("all 765 genes", "the panel of 30")):
    ax.scatter(*plane(dense[:, columns]).T, c=types, cmap="tab10", s=9)
    ax.set(title=title, xticks=[], yticks=[])
random = [neighborhood_preservation(dense, rng.choice(765, 30, replace=False)) for _ in range(10)]
print(f"explained variance: {1 - panel.objective_ / panel.error_path_[0]:.1%}")
print(
    f"nearest neighbors kept: {neighborhood_preservation(dense, genes):.1%}; "
    f"by 30 random genes {np.mean(random):.1%}"
)
plt.show()
