"""Graphs whose communities are known by construction: the stochastic block model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from .._typing import Indices
from ._shapes import balanced_sizes

Rng = np.random.RandomState
Seed = int | np.random.RandomState | None


def make_sbm(
    n_nodes: int = 40,
    n_blocks: int = 2,
    p_in: float = 0.65,
    p_out: float = 0.40,
    *,
    sizes: Sequence[int] | None = None,
    random_state: Seed = None,
) -> tuple[sp.csr_array, Indices]:
    """A graph from the stochastic block model.

    Each pair of nodes is joined, independently, with probability `p_in` inside a block and `p_out`
    between blocks.

    Parameters
    ----------
    n_nodes : int, default=40
        Nodes.
    n_blocks : int, default=2
        Blocks, ``1 <= n_blocks <= n_nodes``.
    p_in, p_out : float in [0, 1], default=0.65, 0.40
        Edge probabilities. The defaults are those of RPMA, Table 4.
    sizes : sequence of int, optional
        Size of each block, adding up to `n_nodes`; as equal as can be by default.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    adjacency : CSR array of shape (n_nodes, n_nodes)
        Symmetric, 0/1, float64, empty diagonal.
    y : ndarray of shape (n_nodes,)
        Block of each node, ascending.

    Raises
    ------
    ValueError
        If the sizes do not fit or a probability is not in [0, 1].

    Notes
    -----
    Time and memory O(n_nodes + n_edges + n_blocks^2): pairs are drawn, not tried one by one.

    Examples
    --------
    >>> from sksieve.datasets import make_sbm
    >>> A, y = make_sbm(6, 2, p_in=1.0, p_out=0.0)
    >>> A.toarray()[0].tolist(), y.tolist()
    ([0.0, 1.0, 1.0, 0.0, 0.0, 0.0], [0, 0, 0, 1, 1, 1])
    """
    if not (0 <= p_in <= 1 and 0 <= p_out <= 1):
        raise ValueError(f"p_in and p_out must lie in [0, 1]; got {p_in} and {p_out}.")
    message = f"{n_blocks} blocks of at least one node must hold {n_nodes} nodes."
    if not 1 <= n_blocks <= n_nodes:
        raise ValueError(message)
    counts = balanced_sizes(n_nodes, n_blocks) if sizes is None else np.asarray(sizes, np.intp)
    if len(counts) != n_blocks or counts.sum() != n_nodes or (counts < 1).any():
        raise ValueError(message)
    rng = check_random_state(random_state)
    first = np.concatenate([[0], np.cumsum(counts)])
    i, j = np.concatenate(
        [
            _pairs_inside(counts[a], p_in, rng) + first[a]
            if a == b
            else _pairs_between(counts[a], counts[b], p_out, rng) + first[[[a], [b]]]
            for a in range(n_blocks)
            for b in range(a, n_blocks)
        ],
        axis=1,
    )
    ends = np.concatenate([i, j]).astype(np.int32), np.concatenate([j, i]).astype(np.int32)
    adjacency = sp.csr_array((np.ones(2 * len(i)), ends), shape=(n_nodes, n_nodes))
    return adjacency, np.repeat(np.arange(n_blocks), counts)


def _draw(n_pairs: int, p: float, rng: Rng) -> Indices:
    """Which of `n_pairs` pairs are joined: each, independently, with probability `p`."""
    n_edges = rng.binomial(n_pairs, p)
    return sample_without_replacement(n_pairs, n_edges, random_state=rng).astype(np.intp)


def _pairs_inside(n: int, p: float, rng: Rng) -> Indices:
    """Edges (i, j), i > j, as two rows."""
    return _unrank(_draw(n * (n - 1) // 2, p, rng))


def _unrank(code: Indices) -> Indices:
    """The pair (i, j), i > j, whose number is ``code = i (i - 1) / 2 + j``."""
    i = ((1 + np.sqrt(1 + 8 * code.astype(np.float64))) / 2).astype(np.intp)
    i -= i * (i - 1) // 2 > code  # the square root of a large number may round up
    return np.stack([i, code - i * (i - 1) // 2])


def _pairs_between(n: int, m: int, p: float, rng: Rng) -> Indices:
    return np.stack(np.divmod(_draw(n * m, p, rng), m))
