"""Gradient steps on the nonnegative orthant in one pass over large arrays."""

import numpy as np

from ._jit import njit

_FAST = {"reassoc", "contract", "nsz"}


def projected_step(y, g, step):
    """``z = max(y - step g, 0)``, with ``<g, z - y>`` and ``||z - y||^2``.

    Parameters
    ----------
    y, g : ndarray of the same shape
        NaN stays NaN.
    step : float

    Returns
    -------
    z : ndarray
        In the memory order of y.
    slope, length2 : float
    """
    z = np.empty_like(y)
    sums = _projected_step(_entries(y, z), _entries(g, z), y.dtype.type(step), _entries(z, z))
    return z, *sums


def extrapolation(z, x, factor):
    """``z + factor (z - x)``, in the memory order of z."""
    out = np.empty_like(z)
    _extrapolation(_entries(z, out), _entries(x, out), z.dtype.type(factor), _entries(out, out))
    return out


def _entries(a, like):
    """The entries of `a` in the order in which `like`, which is contiguous, has them in memory."""
    if a.strides != like.strides:
        copy = np.empty_like(like)
        copy[...] = a
        a = copy
    return a.ravel(order="K")


@njit(cache=True, nogil=True, fastmath=_FAST)
def _projected_step(y, g, step, z):
    slope, length2 = 0.0, 0.0
    for i in range(len(y)):
        v = y[i] - step * g[i]
        v = v * 0 if v < 0 else v
        d = v - y[i]
        z[i] = v
        slope += g[i] * d
        length2 += d * d
    return slope, length2


@njit(cache=True, nogil=True, fastmath=_FAST)
def _extrapolation(z, x, factor, out):
    for i in range(len(z)):
        out[i] = z[i] + factor * (z[i] - x[i])
