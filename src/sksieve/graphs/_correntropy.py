"""Correntropy-induced metric between neighbors: a local distance that saturates.

``sum_ij A_ij (1 - exp(-||y_i - y_j||^2 / delta^2))`` over the edges of a graph. Worked out on the
edge list by incidence products: O(n_edges r), never n x n.
"""

from __future__ import annotations

import copy

import numpy as np
import scipy.sparse as sp

from .._array import check_sparse
from .._typing import AnyArray


def mean_squared_distance(Y: AnyArray) -> float:
    """``1/n^2 sum_ij ||y_i - y_j||^2``, in O(n r).

    Examples
    --------
    >>> import numpy as np
    >>> mean_squared_distance(np.array([[0.0], [2.0]]))
    2.0
    """
    centered = Y - Y.mean(axis=0)
    return 2.0 * float(np.vdot(centered, centered)) / len(Y)


class LocalCorrentropy:
    """The local correntropy of the rows of Y on the edges of a symmetric graph.

    Parameters
    ----------
    A : CSR of shape (n, n)
        Symmetric, non-negative, without diagonal.
    gamma : float > 0
        Bandwidth: ``delta^2 = gamma * mean squared distance``.
    delta2 : float, optional
        A bandwidth fixed once (frozen). None: coupled, ``delta^2`` is a function of Y and its
        gradient is part of the gradient.
    """

    def __init__(self, A: sp.csr_array, *, gamma: float, delta2: float | None = None) -> None:
        check_sparse(A, "A")
        upper = sp.triu(A, k=1, format="coo")
        m, n = upper.nnz, A.shape[0]
        ends = np.concatenate([upper.row, upper.col])
        signs = np.repeat(np.array([1, -1], dtype=A.dtype), m)
        self._B = sp.csr_array((signs, (np.tile(np.arange(m), 2), ends)), shape=(m, n))
        self._edges = upper.row, upper.col
        self._weight = 2 * upper.data  # A_ij and A_ji
        self.gamma = gamma
        self.delta2 = delta2

    def frozen(self, Y: AnyArray) -> LocalCorrentropy:
        """The same with ``delta^2`` fixed at what it is at Y."""
        other = copy.copy(self)
        other.delta2 = self.bandwidth2(Y)
        return other

    def bandwidth2(self, Y: AnyArray) -> float:
        """``delta^2`` at Y; 1 where all rows of Y are equal (then every distance is 0)."""
        return self.gamma * mean_squared_distance(Y) or 1.0

    def value(self, Y: AnyArray) -> float:
        """The sum over the edges."""
        return float(self._weight @ -np.expm1(-self._ratios(Y)[1]))  # LSDCL (11), (12)

    def gradient(self, Y: AnyArray) -> AnyArray:
        """The gradient of `value` in Y (shape of Y)."""
        E, ratio, delta2 = self._ratios(Y)
        pull = self._weight * np.exp(-ratio) / Y.dtype.type(delta2)
        g = 2 * (self._B.T @ (pull[:, None] * E))
        if self.delta2 is None:
            slope = float(pull @ ratio)
            g -= Y.dtype.type(4 * self.gamma * slope / len(Y)) * (Y - Y.mean(axis=0))
        return g

    def attraction(self, Y: AnyArray) -> sp.csr_array:
        """Half-quadratic weights ``A_ij exp(-||y_i - y_j||^2 / delta^2) / delta^2``, n x n CSR.

        With delta^2 frozen the gradient is 4 L Y, L the Laplacian of this graph, and
        ``value(Y) + 2 tr(Z'LZ) - 2 tr(Y'LY)`` is an upper bound of ``value(Z)``.
        """
        _, ratio, delta2 = self._ratios(Y)
        pull = self._weight * np.exp(-ratio) / Y.dtype.type(2 * delta2)
        upper = sp.coo_array((pull, self._edges), shape=(len(Y), len(Y)))
        return sp.csr_array(upper + upper.T)

    def _ratios(self, Y: AnyArray) -> tuple[AnyArray, AnyArray, float]:
        """Differences along the edges, their squared lengths over delta^2, and delta^2."""
        E = self._B @ Y
        delta2 = self.bandwidth2(Y) if self.delta2 is None else self.delta2
        return E, np.einsum("ij,ij->i", E, E) / Y.dtype.type(delta2), delta2
