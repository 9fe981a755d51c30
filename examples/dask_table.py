"""
A dask array
============

Column subset selection reads a dask array block by block, in one pass. Here the array is made in
memory; a Parquet or Zarr file on disk works the same way.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from sksieve import GreedyCSS
from sksieve.plotting import plot_error_path

rng = np.random.default_rng(0)
hidden = rng.standard_normal((6, 50))
rows = rng.standard_normal((20_000, 6)) @ hidden + 0.5 * rng.standard_normal((20_000, 50))
X = da.from_array(rows.astype(np.float32), chunks=(4000, 50))

est = GreedyCSS(n_features_to_select=15, scale="standard").fit(X)
print("columns", est.ranking_[:6])
plot_error_path(est)
plt.show()
