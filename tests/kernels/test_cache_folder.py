"""Where compiled functions are kept: with the package, the user, or in a temporary folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import sksieve

CALL = """
import numpy as np
from sksieve.kernels._nonnegative import extrapolation
print(extrapolation(np.ones(2), np.zeros(2), 1.0))
"""
SOURCE = Path(sksieve.__file__).parent


def run(path: Path, folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    env |= {"PYTHONPATH": str(path), "HOME": str(folder / "none"), "TMPDIR": str(folder)}
    command = [*before, sys.executable, "-c", CALL]
    return subprocess.run(command, env=env, cwd="/", capture_output=True, text=True, check=False)


def test_without_a_folder_to_write_to_it_is_a_temporary_one(tmp_path):
    """The package's folder and the user's are played to be read-only."""
    code = (
        "import os, warnings\n"
        "os.access = lambda *words: False\n"
        "from numba import config\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    import sksieve.kernels\n"
        "print(config.CACHE_DIR, os.environ['NUMBA_CACHE_DIR'], *(w.message for w in caught))\n"
    )
    env = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    env |= {"TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    folder, same, message = done.stdout.split(maxsplit=2)
    assert folder == same
    assert Path(folder).parent == tmp_path
    assert not Path(folder).exists()  # removed at the end
    assert "NUMBA_CACHE_DIR" in message


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="needs root")
def test_another_user_without_a_home(tmp_path):
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    if (
        not shutil.which("setpriv")
        or subprocess.run((*nobody, sys.executable, "-c", "")).returncode
    ):
        pytest.skip("needs setpriv, and a Python that others may run")
    for part in (tmp_path, *tmp_path.parents[:-2]):
        part.chmod(0o755)
    own = tmp_path / "own"
    own.mkdir(mode=0o777)
    own.chmod(0o777)
    done = run(SOURCE.parent, own, *nobody)
    assert done.stdout == "[2. 2.]\n", done.stderr


def test_a_full_disk_is_a_warning_that_names_the_folder(tmp_path):
    """A limit on the size of files refuses the compiled code, as a full disk does."""
    (tmp_path / "kernel.py").write_text(
        "from sksieve.kernels._jit import njit\n"
        "@njit(cache=True)\n"
        "def twice(x):\n"
        "    return 2 * x\n"
    )
    code = (
        "import resource, warnings, kernel\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    print(kernel.twice(3), kernel.twice(1.5))\n"
        "print(*(w.message for w in caught), sep='\\n')\n"
    )
    folder = tmp_path / "cache"
    env = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result, *messages = done.stdout.splitlines()
    assert result == "6 3.0"
    assert len(messages) == 1
    assert messages[0].startswith(f"Compiled code cannot be written to {folder}")
    assert "(File too large)" in messages[0]


def test_a_zip_file(tmp_path):
    archive = tmp_path / "sksieve.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in SOURCE.rglob("*"):
            if path.suffix not in (".nbi", ".nbc", ".pyc"):
                file.write(path, path.relative_to(SOURCE.parent))
    done = run(archive, tmp_path)
    assert done.stdout == "[2. 2.]\n", done.stderr
