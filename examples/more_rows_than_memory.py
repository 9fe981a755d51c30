"""
More rows than memory
=====================

Columns of a table that does not fit in memory, in one pass, block by block.

The Gram matrix is all that column subset selection needs, and it adds up over blocks of rows.
Here the blocks come from a memory-mapped file; a generator that reads a database works the same
way.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from sksieve import GreedyCSS
from sksieve.plotting import plot_error_path

rng = np.random.default_rng(0)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "table.npy"
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(100_000, 40))
    hidden = rng.standard_normal((8, 40))
    for start in range(0, 100_000, 10_000):
        block = rng.standard_normal((10_000, 8)) @ hidden + 0.1 * rng.standard_normal((10_000, 40))
        table[start : start + 10_000] = block
    table.flush()

    rows = np.load(path, mmap_mode="r")
    at_once = GreedyCSS(n_features_to_select=8).fit(rows)

    bit_by_bit = GreedyCSS(n_features_to_select=8)
    for start in range(0, 100_000, 25_000):
        bit_by_bit.partial_fit(rows[start : start + 25_000])

    assert (at_once.ranking_[:8] == bit_by_bit.ranking_[:8]).all()
    left = bit_by_bit.error_path_[8] / bit_by_bit.error_path_[0]
    print("columns", bit_by_bit.ranking_[:8], f"leave {left:.1%} unexplained")
    del rows, table

plot_error_path(bit_by_bit)
plt.show()
