"""Choosing the weight of the penalty without labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._array import check_sparse
from ._rpma import BaseProjection, regularized
from ._rpma_problem import indicator


class LamChoice(NamedTuple):
    """The best weight, the estimator fitted with it, and every weight with its score."""

    lam: float
    estimator: BaseProjection
    scores: dict[float, float]


def partition_score(A: Any, labels: NDArray[np.integer]) -> float:
    """``<A, P_c>``, P_c the projector of the partition: ``sum_c (1/|c|) sum_(i,j in c) A_ij``.

    The objective of kernel k-means, up to sign and a constant.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.clustering import partition_score
    >>> A = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> round(partition_score(A, np.array([0, 0, 1])), 6)
    1.0
    """
    check_sparse(A, "A")
    n_groups = len(np.unique(labels))
    Z = indicator(labels, np.zeros((len(labels), n_groups)))
    return float(np.vdot(Z, A @ Z))


def select_lam(
    estimator: BaseProjection, X: Any, lams: Sequence[float] = (0.25, 0.5, 1.0, 2.0)
) -> LamChoice:
    """Fit with every weight and keep the partition with the largest ``<A, P_c>``.

    Parameters
    ----------
    estimator : RPMA, SPMA, PPMA or BPMA
        Not modified.
    X : array
        As for its `fit`.
    lams : sequence of float
        Weights to try; the default suits `SPMA`.

    Returns
    -------
    LamChoice

    Notes
    -----
    The score knows A only. Where A does not separate the classes -- the
    partition that is best for A is not the one looked for -- it prefers the wrong weight as readily
    as the right one; of a sparse noisy graph the best-scoring partition is often one that follows
    the noise; and the partitions of neighboring weights often score the same to a few digits, so
    that the choice among them means nothing. Compare the scores before believing the choice.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve import SPMA
    >>> from sksieve.clustering import select_lam
    >>> X, _ = load_iris(return_X_y=True)
    >>> choice = select_lam(SPMA(n_clusters=3, random_state=0), X, [0.5, 1.0])
    >>> choice.lam in choice.scores, len(choice.scores)
    (True, 2)
    """
    if not len(lams):
        raise ValueError("lams is empty; give at least one weight.")
    fitted = {float(lam): clone(estimator).set_params(lam=float(lam)).fit(X) for lam in lams}
    scores = {lam: partition_value(est) for lam, est in fitted.items()}
    best = max(scores, key=scores.__getitem__)
    return LamChoice(best, fitted[best], scores)


def partition_value(est: BaseProjection) -> float:
    """`partition_score` of a fitted estimator's matrix without its diagonal."""
    A = regularized(est.affinity_) if est._is_regularized else est.affinity_
    loops = A.diagonal() / np.bincount(est.labels_)[est.labels_]
    return partition_score(A, est.labels_) - float(loops.sum())
