"""
The front of POCSS
==================

One run of `POCSS` keeps the best subsets of all sizes together: error against number of columns.
A single greedy run and the bound of the singular values stand beside it.
"""

# data: sonar
import matplotlib.pyplot as plt

from sksieve import POCSS, GreedyCSS
from sksieve.datasets import load

X = load("sonar").X
front = POCSS(20, scale="unit", random_state=0).fit(X)
greedy = GreedyCSS(20, scale="unit").fit(X)

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
total = front.error_path_[0]
for est, name, style in ((front, "POCSS, one run", "o-"), (greedy, "forward selection", "s:")):
    sizes = [k for k in est.error_path_ if 1 <= k <= 20]
    ax.plot(sizes, [est.error_path_[k] / total for k in sizes], style, label=name, markersize=4)
bound = front.svd_error_path_
ax.plot(range(1, 21), [bound[k] / total for k in range(1, 21)], "k--", lw=1, label="best rank k")
ax.set(xlabel="number of columns", ylabel="unexplained share", yscale="log")
ax.legend()
plt.show()
