"""
Five columns for thirty
=======================

Which columns of a table carry what the others say?

Takes the breast cancer table that ships with scikit-learn (569 patients, 30 measurements, many of
them saying the same thing), keeps five columns, and shows how well these reconstruct the other 25.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from sksieve import GreedyCSS
from sksieve.plotting import plot_explained_by

X = load_breast_cancer(as_frame=True).data
sel = GreedyCSS(n_features_to_select=5, scale="standard").fit(X)

print("kept, in the order of what each adds:")
total = sel.error_path_[0]
for size, name in enumerate(X.columns[sel.ranking_[:5]], start=1):
    print(
        f"  {name:25s} {1 - sel.error_path_[size] / total:6.1%} of the variation explained so far"
    )

print(f"error {sel.error_ratio_:.2f} times that of the best 5-dimensional summary (SVD)")
worst = sel.explained_by_.argmin()
print(f"worst explained column: {X.columns[worst]} (R2 = {sel.explained_by_[worst]:.2f})")

plot_explained_by(sel)
plt.show()
