"""Were the fits in a store made with the version of the library that runs?"""

from __future__ import annotations

from ..bench import Spec, Store, fitted_with

__all__ = ["said_of_versions"]


def said_of_versions(spec: Spec, store: Store) -> str:
    """A sentence on the fits of a spec that other versions made; empty if there are none."""
    from .. import __version__

    others = {name: n for name, n in fitted_with(spec, store).items() if name != __version__}
    if not others:
        return ""
    made = ", ".join(f"{count} with {name}" for name, count in others.items())
    return (
        f"Fits of this spec were made with other versions of sksieve ({made}; this is "
        f"{__version__}): what a method answers may have changed since, and a new --store begins "
        "afresh."
    )
