"""
How many columns?
=================

`suggest_k` counts the dimensions of a table that stand above noise, and how many columns carry
them. The picture shows the explained variance of the best columns of each number beside the bound
that no subset can pass.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from sksieve import IteratedLocalSearchCSS
from sksieve.evaluation import suggest_k
from sksieve.plotting import plot_error_path

X = load_wine(as_frame=True).data
suggestion = suggest_k(X, random_state=0)
print(suggestion)

est = IteratedLocalSearchCSS(X.shape[1], scale="standard", random_state=0).fit(X)
ax = plot_error_path(est)
if suggestion.k is not None:
    ax.axvline(suggestion.k, color="C3", linestyle=":", label=f"suggested: {suggestion.k}")
    ax.legend()
plt.show()
