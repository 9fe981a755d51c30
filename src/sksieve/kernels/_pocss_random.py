"""A small random generator for kernels: xoshiro256** (Blackman & Vigna 2018), state in an array.

The state is four words of a uint64 array the caller owns, so that it can be kept, copied and
continued with everything else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._pocss_jit import inlined_entry, merged

RngState = NDArray[np.uint64]

_5, _7, _9 = np.uint64(5), np.uint64(7), np.uint64(9)
_11, _17, _19 = np.uint64(11), np.uint64(17), np.uint64(19)
_32, _45, _57 = np.uint64(32), np.uint64(45), np.uint64(57)


@merged
def next_word(s: RngState) -> np.uint64:
    """The next 64 random bits; advances `s` in place."""
    word = s[1] * _5
    word = ((word << _7) | (word >> _57)) * _9
    t = s[1] << _17
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = (s[3] << _45) | (s[3] >> _19)
    return word


@inlined_entry
def uniform(s: RngState) -> np.float64:
    """A multiple of 2^-53 in [0, 1)."""
    return np.float64(next_word(s) >> _11) * 2.0**-53


@inlined_entry
def random_integer(s: RngState, n: int) -> np.int64:
    """An integer in [0, n), n < 2^32, by multiplication (bias below n 2^-32)."""
    return np.int64(((next_word(s) >> _32) * np.uint64(n)) >> _32)
