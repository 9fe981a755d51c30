"""Versions of the package and of everything that its numbers depend on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version


def versions() -> dict[str, str]:
    """Version of the package, of Python and of what its numbers depend on, and the system."""
    import sksieve

    found = {"scikit-sieve": sksieve.__version__, "python": platform.python_version()}
    for package in ("numpy", "scipy", "scikit-learn", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # vendored or installed without metadata
            found[package] = "unknown"
    return found | {"system": f"{platform.system()} {platform.machine()}"}
