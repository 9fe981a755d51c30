"""Simulated single-cell counts."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

#: Cells simulated at a time.
BLOCK = 2000


def make_cells(
    n_cells: int = 1000,
    n_genes: int = 2000,
    n_programs: int = 20,
    *,
    mean_counts: float = 2000.0,
    random_state: int | np.random.RandomState | None = None,
) -> sp.csr_array:
    """Negative binomial counts of genes that are expressed in programs.

    Cell i uses program p with intensity ``w_ip ~ Gamma(0.3)`` and gene j belongs to it with
    probability ``h_pj``, ``sum_j h_pj = 1``; its counts are Poisson around ``s_i sum_p w_ip h_pj``,
    ``s_i`` a log-normal library size: over the cells, a sum of negative binomials. One program is
    shared by all genes, by a heavy-tailed abundance, as in real tables.

    Parameters
    ----------
    n_cells, n_genes : int, default=1000, 2000
        Rows and columns.
    n_programs : int, default=20
        Programs in addition to the shared one; each has 2 % of the genes.
    mean_counts : float, default=2000.0
        Mean of a row's sum.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    csr_array of shape (n_cells, n_genes), float32
        Counts.

    Examples
    --------
    >>> from sksieve.datasets import make_cells
    >>> X = make_cells(200, 500, mean_counts=100, random_state=0)
    >>> X.shape, bool(90 < X.sum() / 200 < 110)
    ((200, 500), True)
    """
    rng = check_random_state(random_state)
    abundance = rng.lognormal(0.0, 1.5, n_genes)
    cumulative = [np.cumsum(abundance / abundance.sum())]
    for _ in range(n_programs):
        genes = rng.permutation(n_genes)[: max(2, n_genes // 50)]
        h = np.zeros(n_genes)
        h[genes] = abundance[genes] * rng.gamma(0.5, 1.0, len(genes))
        cumulative.append(np.cumsum(h / h.sum()))
    blocks = []
    for first in range(0, n_cells, BLOCK):
        m = min(BLOCK, n_cells - first)
        size = rng.lognormal(0.0, 0.3, m)
        size *= mean_counts / np.exp(0.3**2 / 2)
        shared = np.full((m, 1), 0.5)
        own = rng.gamma(0.3, 1.0, (m, n_programs)) * (0.5 / (0.3 * max(1, n_programs)))
        totals = rng.poisson(size[:, None] * np.hstack([shared, own]))
        rows, columns = [], []
        for p, steps in enumerate(cumulative):
            rows.append(np.repeat(np.arange(m, dtype=np.int32), totals[:, p]))
            drawn = np.searchsorted(steps, rng.uniform(0, steps[-1], len(rows[-1])), side="right")
            columns.append(drawn.astype(np.int32))
        at = np.concatenate(rows), np.concatenate(columns)
        ones = np.ones(len(at[0]), dtype=np.float32)
        blocks.append(sp.coo_array((ones, at), shape=(m, n_genes)).tocsr())
    X = sp.vstack(blocks, format="csr")
    X.sort_indices()
    return sp.csr_array(X)
