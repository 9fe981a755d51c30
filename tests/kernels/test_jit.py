"""Where compiled code cannot be kept."""

import subprocess
import sys

import numpy as np

from sksieve import SOGFS

FIT = """
import warnings
import numpy as np
from numba.core import caching

caching.CompileResultCacheImpl._locator_classes = []  # no folder
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import sksieve
    import sksieve.kernels._pair  # many kernels
    X = np.random.RandomState(0).standard_normal((30, 6))
    est = sksieve.SOGFS(2).fit(X)
print(est.ranking_.tolist(), ["NUMBA_CACHE_DIR" in str(w.message) for w in caught])
"""


def test_without_a_folder_nothing_is_kept_and_one_line_says_so():
    code = [sys.executable, "-c", FIT]
    result = subprocess.run(code, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    X = np.random.RandomState(0).standard_normal((30, 6))
    assert result.stdout == f"{SOGFS(2).fit(X).ranking_.tolist()} [True]\n"
