"""How the kernels of POCSS are compiled.

What a mutation calls is inlined, and references are not counted, which is safe because nothing in
these kernels allocates: handing over the two dozen arrays of an archive takes several times as long
as the arithmetic otherwise. Inner products are loops of their own because BLAS would start threads;
their terms may be reordered, the same way in every run.

To Python these functions may return numbers only: a view would not keep its array alive.
"""

from __future__ import annotations

from typing import Any

from numba import njit

__all__ = ["inlined", "jit"]

_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "reassoc"},
    "_nrt": False,
}

jit: Any = njit(**_OPTIONS)
inlined: Any = njit(**_OPTIONS, forceinline=True)
