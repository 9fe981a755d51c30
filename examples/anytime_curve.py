"""
Better answers the longer it runs
=================================

Anytime methods can be stopped at any moment. The lines show the error of the best subset of 20
columns found so far, relative to the best rank-20 approximation; levels show methods that end by
themselves.
"""

# data: sonar
import matplotlib.pyplot as plt

from sksieve import POCSS, GreedyCSS, IteratedLocalSearchCSS, IterFS
from sksieve.datasets import load
from sksieve.plotting import plot_anytime

X = load("sonar").X
k = 20
runs, bound = {}, None
for name, method in (("POCSS", POCSS), ("local search", IteratedLocalSearchCSS)):
    runs[name] = []
    for seed in range(3):
        est = method(k, scale="unit", random_state=seed, time_budget=1.5).fit(X)
        runs[name].append(est.history_)
        bound = est.svd_error_path_[k]
levels = {
    name: method(k, scale="unit").fit(X).objective_
    for name, method in (("greedy", GreedyCSS), ("IterFS", IterFS))
}
plot_anytime(runs, x="seconds", levels=levels, divide_by=bound)
plt.show()
