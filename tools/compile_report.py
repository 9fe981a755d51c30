"""What the first fit of a method compiles on a machine, and how long it takes.

``python tools/compile_report.py SRSG ColumnChoice``: each is fitted to a small table in a process
of its own with an empty cache, and then again. A line for each function that numba compiles: the
seconds of its compilation without those of the functions it calls, and with them. Without names all
methods of the catalogue are fitted; ``--summary`` prints one line for each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

ROWS, COLUMNS = 60, 12

FIT = """
import json, sys, time, warnings
import numpy as np
from numba.core import event
import sksieve
from sksieve.catalogue import get_method

name, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


class Watch(event.Listener):
    def __init__(self):
        self.open, self.closed = [], []

    def on_start(self, event):
        self.open.append([event.data["dispatcher"].py_func, time.process_time(), 0.0])

    def on_end(self, event):
        function, started, inside = self.open.pop()
        whole = time.process_time() - started
        if self.open:
            self.open[-1][2] += whole
        place = f"{function.__module__}.{function.__qualname__}"
        self.closed.append((place, whole - inside, whole))


watch = Watch()
event.register("numba:compile", watch)
rng = np.random.RandomState(0)
centers = 6 * rng.standard_normal((4, columns))
X = centers[np.arange(rows) % 4] + rng.standard_normal((rows, columns))
method = get_method(name)
known = method.defaults()
common = {"n_features_to_select": 4, "n_clusters": 4, "random_state": 0, "max_iter": 20}
estimator = method.load()
given = {key: value for key, value in common.items() if key in known}
seconds = []
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    X = np.abs(X) if method.scaling == "nonnegative" else X
    for _ in range(2):
        started = time.process_time()
        estimator(**given).fit(X)
        seconds.append(time.process_time() - started)
print(json.dumps({"cold": seconds[0], "warm": seconds[1], "compiled": watch.closed}))
"""


def report(name: str, rows: int = ROWS, columns: int = COLUMNS) -> dict[str, Any]:
    """CPU seconds of the first and the second fit, and (function, own seconds, all seconds)."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", FIT, name, str(rows), str(columns)],
            env=os.environ | {"NUMBA_CACHE_DIR": folder, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout))


def main() -> None:
    """Print the reports."""
    from sksieve.catalogue import list_methods

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="METHOD")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--columns", type=int, default=COLUMNS)
    parser.add_argument("--summary", action="store_true", help="one line for each method")
    options = parser.parse_args()
    for name in options.names or [method.class_name for method in list_methods()]:
        facts = report(name, options.rows, options.columns)
        compiled = facts["compiled"]
        print(
            f"{name}: {len(compiled)} functions, first fit {facts['cold']:.2f} s of CPU, second "
            f"{facts['warm']:.3f} s",
            flush=True,
        )
        if not options.summary:
            for place, own, whole in sorted(compiled, key=lambda line: -line[1]):
                print(f"{own:8.2f} {whole:8.2f}  {place}")


if __name__ == "__main__":
    main()
