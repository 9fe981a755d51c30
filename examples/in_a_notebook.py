"""
The questions in a notebook
===========================

`sksieve.select`, `sksieve.cluster` and `sksieve.compare` return results that a notebook shows as
tables and pages. At the end of this page it can be downloaded as a notebook, which needs
``pip install "scikit-sieve[cli]" notebook`` and no other data.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import sksieve

wine = load_wine(as_frame=True).data

# %%
# Which columns matter?
# ---------------------
# 178 wines, 13 measurements. Without a number, `select` suggests how many columns to keep. The
# shares are of rows that were not used to fit the prediction.

answer = sksieve.select(wine)
answer

# %%
# The numbers are a data frame, and the answer transforms other tables with the same columns.

answer.frame.round(3)

# %%

answer.transform(wine).head(3)

# %%

answer.frame.plot.barh(x="column", y="adds", legend=False, xlabel="share explained, added")
plt.gca().invert_yaxis()
plt.tight_layout()
plt.show()

# %%
# Which groups of rows are there?
# -------------------------------

groups = sksieve.cluster(wine)
groups

# %%
# Which method suits this table?
# ------------------------------

sksieve.compare(wine, 5, "choice,local_search,blufs,random")

# %%
# The whole report in the notebook
# --------------------------------
# `report` without a path shows the page here; with a path it writes one HTML file.

answer.report()
