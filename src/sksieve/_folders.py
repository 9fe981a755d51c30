"""Folders of the user."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """The folder for files that can be made again; it may not exist.

    Examples
    --------
    >>> from sksieve._folders import user_cache
    >>> user_cache().name in (".cache", "Caches", "Local") or "XDG_CACHE_HOME" in os.environ
    True
    """
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local"))
    if sys.platform == "darwin":
        return Path(os.path.expanduser("~/Library/Caches"))
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
