"""
How far do the methods agree?
=============================

Nine methods choose eight columns of the same table. The picture shows the share of columns that
two methods have in common. Methods for reconstruction and methods for groups often choose
differently.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from sksieve.catalogue import get_method

X = StandardScaler().fit_transform(load_breast_cancer().data)
names = ["local_search", "greedy", "leverage", "blufs", "mcfs", "lapscore", "udfs", "ndfs", "lsdcl"]
chosen = []
for name in names:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        est = get_method(name).load()(n_features_to_select=8).fit(X - X.min(axis=0))
    chosen.append(set(est.ranking_[:8]))
shared = np.array([[len(a & b) / 8 for a in chosen] for b in chosen])

figure, ax = plt.subplots(figsize=(5.5, 5), layout="constrained")
image = ax.imshow(shared, cmap="viridis", vmin=0, vmax=1)
ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
ax.set_yticks(range(len(names)), names)
for i, j in np.ndindex(*shared.shape):
    color = "black" if shared[i, j] > 0.6 else "white"
    ax.text(j, i, f"{8 * shared[i, j]:.0f}", ha="center", va="center", color=color, fontsize=8)
ax.set_title("columns in common, of 8")
figure.colorbar(image, ax=ax, shrink=0.8)
plt.show()
