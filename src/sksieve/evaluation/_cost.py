"""What a fit costs: time without compiling, CPU time, growth of memory."""

from __future__ import annotations

import ctypes
import re
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._validation import smallest_count

#: Rows and columns of the table for warming up; counts and iterations are cut to the third number.
ROWS, COLUMNS, FEW = 40, 8, 3

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")

_warm: set[tuple[Any, ...]] = set()


class Cost(NamedTuple):
    """What a block of code cost.

    Attributes
    ----------
    seconds, cpu : float
        By the clock, and of the processor (all threads of this process); compiling not counted.
    memory : float or None
        Bytes by which the resident memory of the process grew at most; None where the system does
        not tell (only Linux does). What the process held at the start without using it counts
        where the C library can give it back (glibc).
    """

    seconds: float
    cpu: float
    memory: float | None


class Compilations:
    """Measures what numba compiles in a block: ``with Compilations() as compilations: ...``.

    Parameters
    ----------
    on_first : callable, optional
        Called without arguments when the first compilation begins.

    Attributes
    ----------
    count : int
        Compilations that have begun; those of callees are part of them.
    seconds, cpu : float
        Of the compilations that have ended, by the clock and of the processor.
    is_running : bool
        Whether a compilation is going on.
    """

    def __init__(self, on_first: Callable[[], object] | None = None) -> None:
        self.count, self.seconds, self.cpu, self.is_running = 0, 0.0, 0.0, False
        self._on_first = on_first
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if "numba" in sys.modules:  # a method without kernels must not pay for the import
            from numba.core import event

            listener = _listener(event, self)
            self._stack.enter_context(event.install_listener("numba:compile", listener))
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def begin(self) -> None:
        if self._on_first is not None:
            self._on_first()
            self._on_first = None
        self.count += 1
        self.is_running, self._start = True, (time.perf_counter(), time.thread_time())

    def end(self) -> None:
        self.seconds += time.perf_counter() - self._start[0]
        self.cpu += time.thread_time() - self._start[1]
        self.is_running = False


def _listener(event: Any, compilations: Compilations) -> Any:
    """Report the outermost compilations; those of callees are part of them."""

    class Listener(event.Listener):
        depth = 0

        def on_start(self, compilation: Any) -> None:
            if self.depth == 0:
                compilations.begin()
            self.depth += 1

        def on_end(self, compilation: Any) -> None:
            self.depth -= 1
            if self.depth == 0:
                compilations.end()

    return Listener()


class Meter:
    """Measures a block: ``with Meter() as meter: ...``, then `cost` and `compiling`.

    The time in which numba compiles is taken off: it is paid once for each machine and not by the
    method. `cost` may be read inside the block too; before the block it is zero.

    Parameters
    ----------
    on_compile : callable, optional
        Called without arguments when the first compilation begins.

    Examples
    --------
    >>> from sksieve.evaluation._cost import Meter
    >>> with Meter() as meter:
    ...     total = sum(range(1000))
    >>> 0 <= meter.cost.seconds < 1
    True
    """

    def __init__(self, on_compile: Callable[[], object] | None = None) -> None:
        self._compilations = Compilations(on_compile)
        self._start: tuple[float, float] | None = None
        self._end: tuple[float, float] | None = None

    def __enter__(self) -> Self:
        self._compilations.__enter__()
        self._resident = _reset_peak()
        self._start = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *exception: object) -> None:
        self._end = time.perf_counter(), time.process_time()
        self._compilations.__exit__(*exception)

    @property
    def compiling(self) -> float:
        """Seconds of compiling."""
        return self._compilations.seconds

    @property
    def cost(self) -> Cost:
        """The cost up to now, or of the whole block after its end."""
        if self._start is None:
            return Cost(0.0, 0.0, None)
        end = self._end or (time.perf_counter(), time.process_time())
        compiling = self._compilations.seconds, self._compilations.cpu
        seconds, cpu = (max(b - a - c, 0.0) for a, b, c in zip(self._start, end, compiling))
        peak = _memory("VmHWM")
        is_known = peak is not None and self._resident is not None
        return Cost(seconds, cpu, max(peak - self._resident, 0.0) if is_known else None)  # type: ignore[operator]


def _reset_peak() -> float | None:
    """Forget the highest resident memory so far; bytes resident now, None where unknown.

    The C library keeps what was freed; it gives it back first, since a block that uses it again
    would seem to need no memory.
    """
    if not _CLEAR.exists():
        return None
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(0)
    try:
        _CLEAR.write_text("5")
    except OSError:
        return None
    return _memory("VmRSS")


def _memory(entry: str) -> float | None:
    try:
        match = re.search(rf"^{entry}:\s*(\d+) kB", _STATUS.read_text(), flags=re.M)
    except OSError:
        return None
    return 1024.0 * int(match[1]) if match else None


def warm_up(estimator: Any, X: Any) -> bool:
    """Fit a copy of an estimator to a tiny table of X's type, once in a process.

    The first fit of a method in a process imports modules and loads or compiles kernels, which is
    no part of its run time.

    Parameters
    ----------
    estimator : estimator
        Not fitted and not modified. Its parameters are kept, but counts and iterations are small.
    X : ndarray or sparse of shape (n, d)
        Its dtype, layout and kind (table, or graph where ``affinity="precomputed"``) are taken.

    Returns
    -------
    bool
        Whether the fit ran to its end, now or before. The table is random: a method may refuse it
        with these parameters, and then its first real fit pays for loading (not for compiling,
        which `Meter` takes off).

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve import GreedyCSS
    >>> from sksieve.evaluation._cost import warm_up
    >>> warm_up(GreedyCSS(2), np.zeros((500, 20)))
    True
    """
    kind = _kind(estimator, X)
    if kind in _warm:
        return True
    small = _small(clone(estimator))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            small.fit(_tiny(X, is_graph=_is_graph(estimator)))
        except (ValueError, ArithmeticError, MemoryError, np.linalg.LinAlgError):
            return False
    _warm.add(kind)
    return True


def _kind(estimator: Any, X: Any) -> tuple[Any, ...]:
    """What decides on the code that runs: class, words among its parameters, type of the table."""
    words = tuple(
        (name, value)
        for name, value in sorted(estimator.get_params(deep=False).items())
        if isinstance(value, str | bool) or value is None
    )
    layout = X.format if sp.issparse(X) else X.flags.c_contiguous
    return type(estimator), words, sp.issparse(X), layout, X.dtype.str


def _is_graph(estimator: Any) -> bool:
    return estimator.get_params(deep=False).get("affinity") == "precomputed"


def _small(estimator: Any) -> Any:
    """The estimator with few columns, clusters and iterations."""
    parameters = estimator.get_params(deep=False)
    constraints = getattr(estimator, "_parameter_constraints", {})
    for name, allowed in constraints.items():
        least = smallest_count(allowed)
        value = parameters.get(name)
        if least is not None and type(value) is int:
            estimator.set_params(**{name: min(value, max(FEW, least))})
    return estimator


def _tiny(X: Any, *, is_graph: bool) -> Any:
    rng = check_random_state(0)
    Z = rng.uniform(0.1, 1.0, (ROWS, ROWS if is_graph else COLUMNS))
    if is_graph:
        Z = (Z + Z.T) * (1 - np.eye(ROWS)) / 2
    Z = Z.astype(X.dtype if np.dtype(X.dtype).kind == "f" else np.float64)
    if sp.issparse(X):
        return sp.csr_array(Z).asformat(X.format)
    return np.ascontiguousarray(Z) if X.flags.c_contiguous else np.asfortranarray(Z)
