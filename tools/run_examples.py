"""Run every example, those whose real data sets are not on this machine aside.

python tools/run_examples.py [NAME ...]   all examples, or those whose file name contains a NAME
"""

from __future__ import annotations

import re
import runpy
import sys
import tempfile
import traceback
from pathlib import Path
from time import perf_counter

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from site_pages import examples_without_data

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def main() -> int:
    """Return 1 if an example failed."""
    plt.show = lambda *args, **kwargs: None
    left_out = re.compile(examples_without_data(EXAMPLES))
    wanted, failed = sys.argv[1:], []
    for path in sorted(EXAMPLES.glob("*.py")):
        if left_out.fullmatch(path.name) or not (
            not wanted or any(name in path.name for name in wanted)
        ):
            continue
        started = perf_counter()
        try:
            runpy.run_path(str(path))
        except Exception:  # the traceback is shown, and the run fails at the end
            traceback.print_exc()
            failed.append(path.name)
        plt.close("all")
        print(f"-- {path.name}: {perf_counter() - started:.1f} s", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["demo_table.py", folder]
        runpy.run_path(str(EXAMPLES / "demo_table.py"), run_name="__main__")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
