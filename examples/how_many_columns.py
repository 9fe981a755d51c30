"""
How many columns?
=================

`suggest_n_columns` counts the dimensions of a table that stand above noise, and how many columns
carry them. The picture shows the explained variance of the best columns of each number, and the
bound that no subset can exceed.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from sksieve import IteratedLocalSearchCSS
from sksieve.plotting import plot_error_path
from sksieve.suggest import suggest_n_columns

X = load_wine(as_frame=True).data
suggestion = suggest_n_columns(X, random_state=0)
print(suggestion)

est = IteratedLocalSearchCSS(X.shape[1], scale="standard", random_state=0).fit(X)
ax = plot_error_path(est)
if suggestion.n is not None:
    ax.axvline(suggestion.n, color="C3", linestyle=":", label=f"suggested: {suggestion.n}")
    ax.legend()
plt.show()
