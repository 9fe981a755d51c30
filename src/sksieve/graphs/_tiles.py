"""The Gaussian affinity of many samples, worked out anew in tiles wherever it is used."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._array import floating
from .._typing import AnyArray
from ..kernels._projection import fused_gaussian, gaussian_product


class GaussianTiles:
    """``A_ij = s_i s_j exp(-||x_i - x_j||^2 / (2 sigma^2))``, never written out.

    The matrix of `gaussian_affinity` (all s_i = 1), for n where n x n entries are too many: O(n d)
    memory, and the entries are computed again, in tiles, in every product.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Dense.
    sigma : float > 0, optional
        As for `gaussian_affinity`.

    Attributes
    ----------
    shape, dtype
        As of the matrix.

    Notes
    -----
    A product with K columns costs O(n^2 (d + K)) and n^2 / 2 exponentials; the tiles go to threads,
    and the result does not depend on their number.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.graphs import GaussianTiles, gaussian_affinity
    >>> X = np.array([[0.0], [2.0], [3.0]])
    >>> A = GaussianTiles(X, sigma=2.0)
    >>> (A @ np.eye(3)).round(3)
    array([[1.   , 0.607, 0.325],
           [0.607, 1.   , 0.882],
           [0.325, 0.882, 1.   ]])
    """

    ndim = 2

    def __init__(self, X: AnyArray, sigma: float | None = None) -> None:
        X = floating(X)
        X = X - X.mean(axis=0)
        n = len(X)
        self.shape = (n, n)
        self.dtype = X.dtype
        self.norms = (X * X).sum(axis=1)
        if sigma is None:  # sum of all squared distances: 2 n times that of the squared norms
            sigma = float(np.sqrt(self.norms.sum(dtype=np.float64) / max(1, n - 1)))
        self.gamma = X.dtype.type(0.5 / sigma**2 if sigma > 0 else 0.0)
        self.X = X
        self.scale = np.ones(n, dtype=X.dtype)

    def _like(self, gamma: float, scale: AnyArray) -> GaussianTiles:
        other = object.__new__(GaussianTiles)
        vars(other).update(vars(self), gamma=self.dtype.type(gamma), scale=scale)
        return other

    @property
    def _samples(self) -> tuple[Any, ...]:
        return self.X, self.norms, self.gamma, self.scale

    def __matmul__(self, V: AnyArray) -> AnyArray:
        V = np.asarray(V, dtype=self.dtype)
        return gaussian_product(self._samples, V.reshape(len(V), -1)).reshape(V.shape)

    def diagonal(self) -> AnyArray:
        return self.scale * self.scale

    def sum(self, axis: int | None = None, dtype: Any = None) -> Any:
        """Sum of all entries, or of each row."""
        rows = (self @ np.ones(self.shape[0], dtype=self.dtype)).astype(dtype or self.dtype)
        return rows.sum() if axis is None else rows

    def squared_norm(self) -> float:
        """``||A||_F^2``: the entries squared are a Gaussian affinity too."""
        squares = self._like(2 * self.gamma, self.scale * self.scale)
        return float(squares.sum(dtype=np.float64))

    def toarray(self) -> AnyArray:
        """The matrix written out."""
        return np.asarray(self @ np.eye(self.shape[0], dtype=self.dtype))

    def with_penalty(self, U: AnyArray, slopes: tuple[float, ...]) -> tuple[float, AnyArray]:
        """``sum_ij g(X_ij) - 2 A_ij X_ij, X = UU'``, and ``(G - 2A) U``, in one pass.

        Parameters
        ----------
        U : ndarray of shape (n, K)
        slopes : tuple of float
            Of the penalty g; see `sksieve.kernels._projection`.
        """
        penalty = tuple(self.dtype.type(number) for number in slopes)
        value, out = fused_gaussian(U.astype(self.dtype, copy=False), self._samples, penalty)
        return float(value), out
