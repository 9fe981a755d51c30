"""
Which differences are real?
===========================

Six methods on eight small tables: the share of nearest neighbors that ten per cent of the columns
(at least three) keep. Friedman's test with Nemenyi's critical difference: methods joined by a bar
cannot be distinguished on eight tables. Random columns take part like a method.
"""

# data: sonar, ionosphere, heart, zoo, housing, glass
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

from sksieve.catalogue import get_method
from sksieve.datasets import load
from sksieve.metrics import neighborhood_preservation
from sksieve.plotting import plot_critical_difference

names = ["local_search", "greedy", "mcfs", "lapscore", "blufs", "random"]
rows = {}
for table in ("sonar", "ionosphere", "heart", "zoo", "housing", "glass", "wine", "breast_cancer"):
    X = np.asarray(load(table).X, dtype=float)
    X = StandardScaler().fit_transform(X[:, X.std(axis=0) > 0])
    k = max(3, X.shape[1] // 10)
    rows[table] = {}
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            est = get_method(name).load()(n_features_to_select=k).fit(X)
        rows[table][name] = neighborhood_preservation(X, est.ranking_[:k])
scores = pd.DataFrame(rows).T
print(scores.round(2).to_string())
plot_critical_difference(scores)
plt.show()
