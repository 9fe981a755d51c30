"""Compiled loops (numba), one file for each algorithm; they check nothing.

Importing this package sees to it that numba can keep compiled functions: where neither the folder
of the package nor the user's cache folder can be written, as for a user without a home, it takes a
temporary folder, which is removed at the end of the process.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numba

from .._folders import user_cache
from ..exceptions import warn_user

#: numba's settings, which have no types.
config: Any = numba.config


def _can_write(folder: Path) -> bool:
    """Whether files can be made in the folder, or in the folder that would be made."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _provide_cache() -> None:
    here = Path(__file__).parent
    if config.CACHE_DIR or _can_write(here / "__pycache__") or _can_write(user_cache() / "numba"):
        return
    config.CACHE_DIR = tempfile.mkdtemp(prefix="sksieve-")
    os.environ["NUMBA_CACHE_DIR"] = config.CACHE_DIR  # for worker processes
    atexit.register(shutil.rmtree, config.CACHE_DIR, ignore_errors=True)
    warn_user(
        "No folder for compiled functions can be written, so each process compiles again. To keep "
        "them, set the environment variable NUMBA_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
    )


_provide_cache()
