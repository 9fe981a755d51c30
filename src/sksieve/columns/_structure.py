"""The structure target: what hidden classes look like on average, on tables with known ones.

Over 35 labeled development tables the indicators of the classes have an energy that falls like 1/i
along the eigenvectors of a nearest-neighbor graph of the samples, and like the share of the
variance to the power 0.8 along the principal components. No labels enter a fit: the target is made
from the standardized table ``Z = U diag(s) V'`` alone,

    ``T = [0.8 E_1, 0.8 E_2, R]``,   each block of Frobenius norm 1 before its weight

====== ========== ==============================================================================
here   code       meaning
====== ========== ==============================================================================
R      rows_R     ``U diag(s^0.8)``
E_1    --         eigenvectors 1 to 60 of the 7-nearest-neighbor graph on the first 15 principal
                  component scores, centered, orthonormal, vector i divided by sqrt(i)
E_2    --         the same on the first 20 scores scaled to equal variance
rho    RIDGE      columns maximize ``tr((G_SS + rho I)^-1 F_SS)``, G the correlations
====== ========== ==============================================================================

Above `MAX_ROWS` rows the graphs join a random sample of them, and the products of the columns with
E_1 and E_2 are estimated from that sample. Above `EXACT_SIDE` rows and columns, R has the leading
`COMPONENTS` components. On 8000 x 600 simulated counts 10 and 50 columns chosen with 4000 rows lose
19 and 3 % of the gain, on 5000 x 784 pixels 0 and 0.4 %; 300 components lose at most 0.2 %
(``benchmarks/results/structure_rows.md``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._typing import Array, Indices
from ..graphs import graph_eigenpairs, knn_graph
from ..linalg import leading_eigenpairs, leading_eigenvalues, leading_ritz_pairs

#: Ridge of the structure target where none is given, for columns of length 1.
RIDGE = 0.5
#: Rows that the graphs join at most.
MAX_ROWS = 4000
#: Smaller side of the table up to which all principal components are computed, and their number
#: above.
EXACT_SIDE = 2000
COMPONENTS = 300
#: Of the sum of their squares.
TOLERANCE = 1e-3
NEIGHBORS, EIGENVECTORS = 7, 60
#: Principal components that the two graphs are built on.
SCORES, WHITENED = 15, 20
POWER, GRAPH_WEIGHT = 0.8, 0.8
#: Singular values below this part of the largest are rounding.
RANK_RTOL = 1e-6


class Components(NamedTuple):
    """Principal components of the scaled table, ``A ~ U diag(s) V'``."""

    s: Array  # (r,), descending
    V: Array  # (d, r)

    def positive(self) -> Components:
        """Those that are not rounding."""
        kept = self.s > RANK_RTOL * self.s.max(initial=0.0)
        return Components(self.s[kept], self.V[:, kept])


class StructureTarget(NamedTuple):
    """The products of the columns with T, and its squared norm.

    Attributes
    ----------
    rows : ndarray of shape (d, t)
        ``A'T``.
    norm2 : float
    components : Components
    """

    rows: Array
    norm2: float
    components: Components

    def svd_errors(self, k: int) -> Array:
        """Lower bounds: no i columns leave less of T, i = 0..k."""
        s, V = self.components
        inside = (V.T @ self.rows) / s[:, None]  # T on the principal components
        small = inside @ inside.T if len(s) <= inside.shape[1] else inside.T @ inside
        values = np.maximum(leading_eigenvalues(small, min(k, len(small))), 0.0)
        sums = np.cumsum(np.concatenate([[0.0], values, np.zeros(k - len(values))]))
        if len(s) == COMPONENTS:  # T has parts along the others, too
            sums[1:] += max(self.norm2 - float(np.trace(small)), 0.0)
        return np.maximum(self.norm2 - sums, 0.0)


def components_of_gram(G: Array, A: Array | None = None) -> Components:
    """Principal components from the Gram matrix, or the scaled table where it has fewer rows."""
    small = G if A is None else A @ A.T
    size = len(small)
    r = size if size <= EXACT_SIDE else COMPONENTS
    values, W = leading_ritz_pairs(small, r, tol=TOLERANCE)
    s = np.sqrt(np.maximum(values, 0.0))
    if A is None:
        return Components(s, W).positive()
    kept = s > RANK_RTOL * s.max(initial=0.0)
    return Components(s[kept], A.T @ W[:, kept] / s[kept])


def components_of_source(source: Any, rng: np.random.RandomState) -> Components:
    """Leading principal components by subspace iteration: four passes."""
    r = min(source.n_columns, COMPONENTS)
    Q = np.linalg.qr(rng.standard_normal((source.n_columns, min(source.n_columns, r + 20))))[0]
    for _ in range(3):
        Q = np.linalg.qr(source.apply(Q))[0]
    M = Q.T @ source.apply(Q)
    values, W = leading_eigenpairs((M + M.T) / 2, r)
    return Components(np.sqrt(np.maximum(values, 0.0)), Q @ W).positive()


def sampled_rows(n: int) -> Indices:
    """The rows that the graphs join, ascending."""
    if n <= MAX_ROWS:
        return np.arange(n)
    return np.sort(np.random.RandomState(0).permutation(n)[:MAX_ROWS])


def structure_target(
    X: Any, n: int, center: Array, divisor: Array, components: Components
) -> StructureTarget:
    """The structure target of the table A = (X - center) / divisor.

    Parameters
    ----------
    X : ndarray or CSR of shape (m, d)
        All rows, or those of `sampled_rows`.
    n : int
        Rows of the table.
    center, divisor : ndarray of shape (d,)
        The divisor is the length of the centered column.
    components : Components

    Returns
    -------
    StructureTarget

    Notes
    -----
    Cost O(m^2) at most for the graphs' neighbors, O(m d) for each eigenvector.
    """
    s, V = components
    size = s**POWER
    blocks = [V * (s * size / np.linalg.norm(size))]
    norm2 = 1.0
    W = V[:, :WHITENED] / divisor[:, None]
    scores = np.sqrt(n) * (np.asarray(X @ W) - center @ W)
    for points in (scores[:, :SCORES], scores / (np.sqrt(n) * s[:WHITENED])):
        E = graph_block(points)
        length = np.linalg.norm(E)
        if length > 0:
            E *= GRAPH_WEIGHT / length
            products = (np.asarray(X.T @ E) - np.outer(center, E.sum(axis=0))) / divisor[:, None]
            blocks.append(products * np.sqrt(n / len(points)))
            norm2 += GRAPH_WEIGHT**2
    return StructureTarget(np.hstack(blocks), norm2, components)


def graph_block(points: Array) -> Array:
    """Eigenvectors of the neighbor graph of some points, vector i divided by sqrt(i)."""
    m = len(points)
    graph = knn_graph(points, min(NEIGHBORS, m - 1))
    E = graph_eigenpairs(graph, min(m - 1, EIGENVECTORS + 1)).vectors[:, 1:]
    E = np.linalg.qr(E - E.mean(axis=0))[0]
    return E / np.sqrt(np.arange(1, E.shape[1] + 1))
