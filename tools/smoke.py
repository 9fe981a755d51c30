"""Install a built distribution in an empty environment and use it as a stranger would.

python tools/smoke.py FOLDER                  the wheel, with the command line
python tools/smoke.py FOLDER --kind sdist     the sdist
python tools/smoke.py FOLDER --extras         no extra, then each extra alone
python tools/smoke.py FOLDER --foreign        the wheel of one user, run by another without a home
                                              (Linux, as root), and the wheel as a zip file
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: What runs after the installation of the command line.
COMMANDS = (
    ("--version",),
    ("select", "dataset:wine", "-k", "2", "--method", "greedy", "--report", "select.html"),
    ("cluster", "dataset:iris", "-c", "3", "-o", "labels.csv"),
)

DATA = """
import numpy as np
from sksieve import GreedyCSS
X = np.random.default_rng(0).random((30, 5))
"""

#: A fit with compiled code.
FIT = (
    DATA
    + """
from sksieve import IteratedLocalSearchCSS
assert IteratedLocalSearchCSS(2, random_state=0).fit(X).transform(X).shape == (30, 2)
"""
)

REFUSED = """
from sksieve.plotting import plot_error_path
try:
    plot_error_path(GreedyCSS(2).fit(X))
except ImportError as error:
    assert "scikit-sieve[plot]" in str(error), error
else:
    raise SystemExit("a plot without matplotlib")
"""

#: What each extra makes possible.
EXTRAS = {
    "": FIT + REFUSED,
    "cli": "import sys; from sksieve.cli import main\n"
    "sys.argv[1:] = ['methods']; assert main() == 0",
    "plot": "from sksieve.plotting import plot_error_path\n"
    "plot_error_path(GreedyCSS(2).fit(X)).figure.savefig('a.png')",
    "graphs": "from sksieve import Louvain\n"
    "A = np.kron(np.eye(2), np.ones((4, 4))); A[0, 4] = A[4, 0] = 1\n"
    "assert Louvain(affinity='precomputed', random_state=0).fit(A).n_clusters_ == 2",
    "stats": "import pandas as pd; from sksieve.bench import friedman, nemenyi\n"
    "print(nemenyi(pd.DataFrame(X, columns=list('abcde'))).shape)",
    "excel": "import python_calamine",
    "anndata": "import anndata; from sksieve.io import read_table\n"
    "anndata.AnnData(X).write_h5ad('a.h5ad'); assert read_table('a.h5ad').shape == X.shape",
    "dask": "import dask.array as da\n"
    "assert GreedyCSS(2).fit(da.from_array(X, chunks=(10, 5))).transform(X).shape == (30, 2)",
    "sql": "import duckdb, psycopg\n"
    "rows = duckdb.sql('SELECT range AS a, range % 3 AS b, range % 5 AS c FROM range(20)')\n"
    "assert len(GreedyCSS(2).fit(rows).ranking_) == 3",
    "remote": "import fsspec, pooch, s3fs",
}


def run(*command: object, **options: object) -> None:
    """Run a command; say it, and stop if it fails."""
    words = [str(word) for word in command]
    started = time.perf_counter()
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    line = words[-1].strip().splitlines()[0]
    print(f"{time.perf_counter() - started:6.1f} s  {Path(words[0]).name} ... {line}", flush=True)
    if done.returncode:
        raise SystemExit(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")


def environment(folder: Path, requirement: str) -> Path:
    """Make an empty environment and install something; the folder of its programs."""
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = programs / ("python.exe" if os.name == "nt" else "python")
    if shutil.which("uv"):
        run("uv", "venv", "--quiet", "--python", sys.executable, folder)
        run("uv", "pip", "install", "--quiet", "--python", python, requirement)
    else:
        run(sys.executable, "-m", "venv", folder)
        run(python, "-m", "pip", "install", "--quiet", requirement)
    return programs


def commands(distribution: Path, folder: Path) -> None:
    """The command line, in an empty folder."""
    programs = environment(folder / "env", f"{distribution}[cli]")
    for words in COMMANDS:
        run(programs / "sksieve", *words, cwd=folder)
    for name in ("select.html", "labels.csv"):
        if not (folder / name).stat().st_size:
            raise SystemExit(f"{name} is empty.")


def extras(distribution: Path, folder: Path, names: list[str]) -> None:
    """Each extra alone."""
    for name in names or EXTRAS:
        print(f"== [{name}]")
        requirement = f"{distribution}[{name}]" if name else str(distribution)
        programs = environment(folder / f"env-{name}", requirement)
        run(programs / "python", "-c", DATA + EXTRAS[name], cwd=folder)
        shutil.rmtree(folder / f"env-{name}")


def foreign(distribution: Path, folder: Path) -> None:
    """Another user without a home, who may write nowhere, and the wheel as a zip file."""
    programs = environment(folder / "env", str(distribution))
    site = next((folder / "env").glob("lib/python3*/site-packages"))
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    bare = {"HOME": "/nonexistent", "PATH": os.environ["PATH"], "PYTHONPATH": str(site)}
    python = Path("/usr/bin") / f"python3.{sys.version_info.minor}"
    if not python.exists():  # the one of the environment may lie in root's own folder
        python = programs / "python"
    run(*nobody, python, "-c", FIT, env=bare, cwd="/")
    shutil.rmtree(site / "sksieve")
    archive = shutil.copy(distribution, folder / "sksieve.zip")  # numba looks for this suffix
    run(
        programs / "python",
        "-c",
        FIT,
        env=bare | {"PYTHONPATH": str(archive), "HOME": str(folder)},
        cwd="/",
    )


def main() -> int:
    """Parse, and do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=["wheel", "sdist"], default="wheel")
    parser.add_argument("--extras", nargs="*", metavar="NAME")
    parser.add_argument("--foreign", action="store_true")
    options = parser.parse_args()
    pattern = "*.whl" if options.kind == "wheel" else "*.tar.gz"
    (distribution,) = (path.resolve() for path in options.folder.glob(pattern))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        if options.extras is not None:
            extras(distribution, folder, options.extras)
        elif options.foreign:
            foreign(distribution, folder)
        else:
            commands(distribution, folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
