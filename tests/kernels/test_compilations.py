"""How many functions the first fit on a machine compiles: exact where seconds are noisy."""

import os
import subprocess
import sys

import pytest

COUNT = """
import numpy as np
from numba.core import event

import sksieve


class Count(event.Listener):
    compiled = 0

    def on_start(self, event):
        self.compiled += 1

    def on_end(self, event):
        pass


count = Count()
event.register("numba:compile", count)
X = np.random.RandomState(0).standard_normal((60, 12))
getattr(sksieve, {name!r})(4, **{parameters!r}).fit(X)
print(count.compiled)
"""


@pytest.mark.parametrize(
    ("name", "parameters", "most"),
    [
        ("GreedyCSS", {}, 0),
        ("IteratedLocalSearchCSS", {"random_state": 0, "max_iter": 20}, 10),
        ("POCSS", {"random_state": 0, "max_iter": 1000}, 22),
        ("ExactCSS", {}, 30),
        ("SpectralGraph", {"random_state": 0}, 0),
        ("ColumnChoice", {"random_state": 0}, 25),
        ("BLUFS", {}, 15),
        ("L1Graph", {"random_state": 0}, 30),
    ],
)
def test_number_of_compilations(tmp_path, name, parameters, most):
    """`IteratedLocalSearchCSS` is what the command ``select`` runs."""
    result = subprocess.run(
        [sys.executable, "-c", COUNT.format(name=name, parameters=parameters)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) <= most
