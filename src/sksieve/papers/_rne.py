"""RNE with the residual of its released program."""

from __future__ import annotations

import scipy.sparse as sp

from ..selection._rne import RNE


class ProgramRNE(RNE):
    """`RNE` as its released program computes it, with ``(I - W')X`` in place of ``(I - W)X``.

    Parameters and attributes are those of `RNE`.

    References
    ----------
    Liu, Ye, Li, Wang & Gao, "Robust neighborhood embedding for unsupervised feature selection",
    Knowledge-Based Systems 193, 2020: the authors' ``RNE_obj.m``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sksieve.papers import ProgramRNE
    >>> ProgramRNE(2, random_state=0).fit(load_iris().data).get_support().sum()
    np.int64(2)
    """

    def _weights(self, B: sp.csr_array) -> sp.csr_array:
        return sp.csr_array(B.T)
