"""POCSS as the paper writes it, for comparison: bit strings, ``S^+`` and the residual of A.

Nothing of the package is used, not even its random numbers: `Xoshiro` is written again in plain
integers. One flip costs O(mn).
"""

import math
from typing import NamedTuple

import numpy as np

MASK = 2**64 - 1


class Xoshiro:
    """xoshiro256**, seeded with its four words."""

    def __init__(self, words):
        self.s = [int(w) for w in words]

    def word(self):
        s = self.s
        out = (self._rotate(s[1] * 5 & MASK, 7) * 9) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self._rotate(s[3], 45)
        return out

    @staticmethod
    def _rotate(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    def uniform(self):
        return (self.word() >> 11) / 2**53

    def random_integer(self, n):
        return ((self.word() >> 32) * n) >> 32


class Solution(NamedTuple):
    """A bit string s, with what is kept for it."""

    s: frozenset
    columns: tuple  # in the order of the rows of pinv
    pinv: np.ndarray  # S^+, (|s|, m)
    E: np.ndarray  # A - S S^+ A, (m, n)
    f1: float  # ||E||^2

    @property
    def f2(self):
        return len(self.s)


def empty(A):
    return Solution(frozenset(), (), np.zeros((0, A.shape[0])), A.copy(), float((A**2).sum()))


def insert(x, A, j, pivot_rtol=1e-10):
    """Flip bit j from 0 to 1; None if column j depends on the others."""
    delta = A[:, j] - A[:, x.columns] @ (x.pinv @ A[:, j])
    delta -= A[:, x.columns] @ (x.pinv @ delta)
    square = delta @ delta
    if not square > pivot_rtol * (A[:, j] @ A[:, j]):
        return None
    row = delta / square
    pinv = np.vstack([x.pinv - np.outer(x.pinv @ A[:, j], row), row])  # Lemma 4, (1)
    E = x.E - np.outer(delta, row @ x.E)
    return Solution(x.s | {j}, (*x.columns, j), pinv, E, float((E**2).sum()))


def delete(x, A, j):
    """Flip bit j from 1 to 0."""
    i = x.columns.index(j)
    rho = x.pinv[i]
    square = rho @ rho
    pinv = np.delete(x.pinv, i, axis=0)
    pinv = pinv - np.outer(pinv @ rho, rho) / square  # Lemma 3
    E = x.E + np.outer(rho, rho @ A) / square  # Lemma 6
    columns = x.columns[:i] + x.columns[i + 1 :]
    return Solution(x.s - {j}, columns, pinv, E, float((E**2).sum()))


def flip(x, A, flips):  # Algorithm 2
    """All flips, deletions first; None if a column depends on those before it."""
    leaving, entering = sorted(x.s & set(flips)), sorted(set(flips) - x.s)
    for j in leaving:
        x = delete(x, A, j)
    for j in entering:
        x = insert(x, A, j)
        if x is None:
            return None
    return x


class Twin:  # Algorithm 1
    """Algorithm 1, from the empty set, with the draws of the engine."""

    def __init__(self, A, cap, words, swap=0.0):
        self.A = np.asarray(A, dtype=np.float64)
        self.n = self.A.shape[1]
        self.cap = cap
        self.swap = swap
        self.margin = 1e-12 * float((self.A**2).sum())
        self.random = Xoshiro(words)
        self.P = [empty(self.A)]
        p = [
            math.comb(self.n, d) / self.n**d * (1 - 1 / self.n) ** (self.n - d)
            for d in range(min(self.n, 100) + 1)  # what is left is below 1e-150
        ]
        self.cdf = np.cumsum(p)

    def draw(self):
        """A solution of P, uniformly, and the bits to flip."""
        if self.swap > 0 and self.random.uniform() < self.swap:
            x = self.P[self.random.random_integer(len(self.P))]
            if x.f2 in (0, self.n):
                return x, []
            out = x.columns[self.random.random_integer(x.f2)]
            j = self.random.random_integer(self.n)
            while j in x.s:
                j = self.random.random_integer(self.n)
            return x, [out, j]
        u = self.random.uniform()
        d = int((u >= self.cdf).sum())
        if d == 0:
            return None, []
        x = self.P[self.random.random_integer(len(self.P))]
        flips = []
        while len(flips) < d:
            j = self.random.random_integer(self.n)
            if j not in flips:
                flips.append(j)
        return x, flips

    def mutate(self, n_mutations):
        for _ in range(n_mutations):
            x, flips = self.draw()
            size = (x.f2 if x else 0) + sum(-1 if j in x.s else 1 for j in flips)
            if not flips or size >= self.cap:
                continue
            y = flip(x, self.A, flips)
            if y is not None and not any(self.beats(z, y) for z in self.P):
                self.P = [z for z in self.P if not self.covers(y, z)] + [y]
                self.P.sort(key=lambda z: z.f2)

    def beats(self, z, y):
        """z dominates y: as good with fewer columns, or better (or exact, or y) with as many."""
        if z.f2 < y.f2:
            return z.f1 - self.margin < y.f1
        return z.f2 == y.f2 and (z.f1 < y.f1 or z.f1 <= self.margin or z.s == y.s)

    def covers(self, y, z):
        """y is at least as good as z, in both."""
        if y.f2 == z.f2:
            return True
        return y.f2 < z.f2 and not z.f1 < y.f1 - self.margin

    def sets(self):
        return [z.s for z in self.P]
