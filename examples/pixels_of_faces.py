"""
Pixels that keep a face
=======================

Faces of 26 x 26 pixels. Forty pixels, chosen by two methods without labels: those from which all
other pixels can be reconstructed, and those that keep the groups of images. The last picture
shows a face reconstructed from its forty pixels.
"""

# data: JAFFE
import matplotlib.pyplot as plt
import numpy as np

from sksieve import BLUFS, IteratedLocalSearchCSS
from sksieve.datasets import load
from sksieve.plotting import plot_selected_mask

shape = (26, 26)
X = np.asarray(load("JAFFE").X, dtype=float).reshape(-1, *shape)
X = X.transpose(0, 2, 1).reshape(len(X), -1)  # the file has the pixels column by column
search = IteratedLocalSearchCSS(40, scale="standard", random_state=0).fit(X)
groups = BLUFS(40, n_clusters=10).fit(X)

figure, axes = plt.subplots(1, 4, figsize=(10, 3), layout="constrained")
for ax, title, est in zip(axes, ("reconstruct", "keep groups"), (search, groups)):
    plot_selected_mask(est, shape, image=X.mean(axis=0), ax=ax)
    ax.set_title(title)
face = X[3]
kept = search.ranking_[:40]
again = face[kept] @ search.coef_.T + search.intercept_
for ax, title, image in zip(axes[2:], ("a face", "from 40 pixels"), (face, again)):
    ax.imshow(image.reshape(shape), cmap="gray")
    ax.set_title(title)
    ax.axis("off")
share = 1 - search.objective_ / search.error_path_[0]
print(f"40 of 676 pixels explain {share:.1%} of the variance of all")
plt.show()
