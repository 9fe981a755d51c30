"""
A sparse graph of images
========================

Images of turning objects (COIL20). Each image is written as a combination of a few others: the
sparse codes are the edges of a graph, and its groups are the objects. The first picture shows one
image and those its code uses, the second the graph ordered by group.
"""

# data: COIL20
import matplotlib.pyplot as plt
import numpy as np

from sksieve import L1Graph
from sksieve.datasets import load
from sksieve.metrics import clustering_accuracy
from sksieve.plotting import plot_adjacency, plot_neighbors

data = load("COIL20")
few = np.flatnonzero(data.y < 8)
X, y = np.asarray(data.X[few], dtype=float), data.y[few]
est = L1Graph(n_clusters=8, random_state=0).fit(X)
print(f"agreement with the objects: {clustering_accuracy(y, est.labels_):.1%} of the images")

ax = plot_neighbors(est, 10, X=X, image_shape=(32, 32), n_neighbors=6)
figure, ax = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
plot_adjacency(est.affinity_, est.labels_, ax=ax)
plt.show()
