"""
Groups of handwritten digits
============================

Spectral clustering on a graph of nearest neighbors groups 1797 digits without their labels. Each
row of the picture shows the mean image of one group and images chosen at random from it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sksieve import SpectralGraph
from sksieve.metrics import clustering_accuracy

digits = load_digits()
X = digits.data
labels = SpectralGraph(n_clusters=10, random_state=0).fit_predict(X)
print(f"agreement with the digits: {clustering_accuracy(digits.target, labels):.1%} of the images")

rng = np.random.default_rng(0)
figure, axes = plt.subplots(10, 9, figsize=(6, 6.6), layout="constrained")
for group, row in enumerate(axes):
    inside = np.flatnonzero(labels == group)
    images = [X[inside].mean(axis=0), *X[rng.choice(inside, 8, replace=False)]]
    for ax, image in zip(row, images):
        ax.imshow(image.reshape(8, 8), cmap="gray_r")
        ax.axis("off")
axes[0, 0].set_title("mean", fontsize=8)
plt.show()
