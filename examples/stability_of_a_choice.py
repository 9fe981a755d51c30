"""
Does the choice depend on the sample?
=====================================

The method is fitted again on samples of the rows. Bars show how often each column was chosen; the
title gives Nogueira's stability, 1 for always the same columns and 0 for a random choice.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from sksieve.evaluation import stability

X = load_breast_cancer(as_frame=True).data
figure, axes = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
for ax, method in zip(axes, ("greedy", "lapscore")):
    result = stability(X, 6, method, n_bootstrap=30, random_state=0)
    order = np.arange(X.shape[1])
    ax.bar(order, result.frequencies, color="C0")
    ax.set_title(
        f"{method}: stability {result.value:.2f} ({result.lower:.2f} to {result.upper:.2f})"
    )
    ax.set_ylabel("chosen in")
axes[1].set_xticks(order, X.columns, rotation=60, ha="right", fontsize=7)
plt.show()
