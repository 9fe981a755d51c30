"""How many functions the first fits on a machine compile: exact where seconds are noisy."""

import json
import os
import subprocess
import sys

FITS = """
import json

import numpy as np
from numba.core import event

import sksieve


class Count(event.Listener):
    compiled = 0

    def on_start(self, event):
        self.compiled += 1

    def on_end(self, event):
        pass


count, compiled = Count(), {}
event.register("numba:compile", count)
X = np.random.RandomState(0).standard_normal((60, 12))
for name, parameters in FITS:
    count.compiled = 0
    getattr(sksieve, name)(4, **parameters).fit(X)
    compiled[name] = count.compiled
print(json.dumps(compiled))
"""

#: One fit after another: what it may compile besides what those before it have compiled.
#: `IteratedLocalSearchCSS`, the first that compiles at all, is what the command ``select`` runs.
MOST = {
    "GreedyCSS": ({}, 0),
    "SpectralGraph": ({"random_state": 0}, 0),
    "IteratedLocalSearchCSS": ({"random_state": 0, "max_iter": 20}, 7),
    "ColumnChoice": ({"random_state": 0}, 0),
    "POCSS": ({"random_state": 0, "max_iter": 1000}, 20),
    "ExactCSS": ({}, 1),
    "BLUFS": ({}, 9),
    "L1Graph": ({"random_state": 0}, 22),
}


def test_number_of_compilations(tmp_path):
    fits = [(name, parameters) for name, (parameters, _) in MOST.items()]
    result = subprocess.run(
        [sys.executable, "-c", f"FITS = {fits}\n{FITS}"],
        # without LLVM's optimization as many functions take less time to compile
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_OPT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    compiled = json.loads(result.stdout)
    assert {name: n for name, n in compiled.items() if n > MOST[name][1]} == {}
    assert compiled["IteratedLocalSearchCSS"] > 0, "the compilations are counted"
