"""SRSG as Sun & Yang print it: proximal gradient steps of one size, and supports that grow.

Sun & Yang, "Locally Regularized Sparse Graph by Fast Proximal Gradient Descent", 2024. The symbols
and deviations are in `sksieve.clustering._srsg`; D1, D2 and D4 hold here too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from ..clustering import SRSG
from ..clustering._srsg import GlobalStep

#: Smaller sides up to which the largest singular value is that of a dense decomposition.
_DENSE = 400


class GradientSRSG(SRSG):
    """`SRSG` by the paper's Algorithm 1, fast proximal gradient descent, its two errors fixed.

    Parameters and attributes are those of `SRSG`; gamma is the paper's 0.1 where none is given.
    Without the step of least squares, and with one step for all columns, which falls like 1/n.

    Examples
    --------
    >>> from sksieve.datasets import make_subspaces
    >>> from sksieve.papers import GradientSRSG
    >>> X, y = make_subspaces(random_state=0)
    >>> est = GradientSRSG(n_clusters=len(set(y)), random_state=0).fit(X)
    >>> est.stop_reason_
    'tolerance'
    """

    def _default_gamma(self) -> float:
        return 0.1

    def _step(self, X: NDArray) -> GlobalStep:
        """Global step s, lambda_k = eta k with eta = s/2."""
        X = np.ascontiguousarray(X).astype(np.float64)
        n, d = X.shape
        if min(n, d) <= _DENSE:
            sigma = np.linalg.norm(X, 2)
        else:
            sigma = svds(X, 1, v0=np.full(min(n, d), 1.0), return_singular_vectors=False)[0]
        s = 0.99 / (2 * sigma**2)
        return GlobalStep(float(s), float(s / 2), 300, 1e-8)


class GrowingSRSG(SRSG):
    """`SRSG` whose supports may take in new entries, faithful to (3).

    Supports that only shrink, as in the proof of Theorem 3.2, were as good or better on every real
    table tried. Parameters and attributes are those of `SRSG`.

    Examples
    --------
    >>> from sksieve.datasets import make_subspaces
    >>> from sksieve.papers import GrowingSRSG
    >>> X, y = make_subspaces(random_state=0)
    >>> est = GrowingSRSG(n_clusters=len(set(y)), random_state=0).fit(X)
    >>> est.stop_reason_
    'tolerance'
    """

    _growth = True
