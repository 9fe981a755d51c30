"""How the kernels of POCSS are compiled.

Compiling counts too, once on every machine: functions that have one caller are merged into it
before types are inferred (`merged`), those that only kernels call have no wrapper for Python
(`inner`; calling one from Python would crash), and nothing has a wrapper for C.

What a mutation calls is inlined, and references are not counted, which is safe because nothing in
these kernels allocates: handing over the two dozen arrays of an archive takes several times as long
as the arithmetic otherwise. Inner products are loops of their own because BLAS would start threads;
their terms may be reordered, the same way in every run.

To Python these functions may return numbers only: a view would not keep its array alive.
"""

from __future__ import annotations

from typing import Any

from ._jit import njit

_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "reassoc"},
    "_nrt": False,
    "no_cfunc_wrapper": True,
}


#: Called from Python.
jit: Any = njit(**_OPTIONS)
#: Called from Python too, and small: inlined by LLVM into kernels.
inlined_entry: Any = njit(**_OPTIONS, forceinline=True)
#: Small, for kernels only.
inlined: Any = njit(**_OPTIONS, forceinline=True, no_cpython_wrapper=True)
#: For kernels only.
inner: Any = njit(**_OPTIONS, no_cpython_wrapper=True)
#: Merged into its caller, and not compiled by itself.
merged: Any = njit(**{**_OPTIONS, "cache": False}, inline="always")
