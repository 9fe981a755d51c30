"""
Communities of a known network
==============================

105 books on US politics; two are linked when they were often bought together. The communities are
found from the links alone. The drawing places linked books near each other.
"""

# data: graph_polbooks
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from sksieve import SpectralCommunities
from sksieve.datasets import load
from sksieve.evaluation import partition

A = load("graph_polbooks").adjacency
labels = SpectralCommunities(3, affinity="precomputed", random_state=0).fit_predict(A)
result = partition(A, labels)
print(f"sizes {result.sizes}, {result.share_inside:.0%} of the links inside")

G = nx.from_scipy_sparse_array(A)
place = nx.spring_layout(G, seed=3, iterations=200)
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
nx.draw_networkx_edges(G, place, ax=ax, alpha=0.25)
sizes = 20 + 12 * np.asarray(A.sum(axis=1)).ravel()
nx.draw_networkx_nodes(G, place, node_color=labels, cmap="Set2", node_size=sizes, ax=ax)
ax.axis("off")
plt.show()
