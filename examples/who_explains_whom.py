"""
Which kept column explains which dropped one?
=============================================

Every dropped column is a weighted sum of the kept ones, up to an error. The heat map shows these
weights for standardized columns of the breast cancer table: each column of the picture is one
dropped column, and bright cells name the kept columns that stand for it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from sksieve import IteratedLocalSearchCSS

X = load_breast_cancer(as_frame=True).data
Z = (X - X.mean()) / X.std(ddof=0)
est = IteratedLocalSearchCSS(6, scale="standard", random_state=0).fit(Z)
kept = est.ranking_[:6]
dropped = est.ranking_[6:][np.argsort(-est.explained_by_[est.ranking_[6:]])]

figure, ax = plt.subplots(figsize=(9, 3.6), layout="constrained")
image = ax.imshow(est.coef_[dropped].T, cmap="RdBu_r", vmin=-1.2, vmax=1.2, aspect="auto")
ax.set_yticks(range(6), X.columns[kept])
labels = [f"{X.columns[j]} ({est.explained_by_[j]:.2f})" for j in dropped]
ax.set_xticks(range(len(dropped)), labels, rotation=60, ha="right", fontsize=7)
ax.set_title("weights of the kept columns; in brackets the R² of the dropped one")
figure.colorbar(image, ax=ax, shrink=0.8)
plt.show()
