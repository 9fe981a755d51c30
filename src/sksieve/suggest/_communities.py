"""How many communities a graph has, by two independent counts."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from .._validation import check_random_state
from ..graphs import bethe_hessian_count, louvain_labels
from ..metrics import modularity
from ._suggestion import Suggestion

#: Entries of the adjacency matrix up to which Louvain's method is run for comparison.
LOUVAIN_ENTRIES = 400_000


def suggest_n_communities(A: Any, *, random_state: int | None = None) -> Suggestion:
    """Suggest a number of communities by the Bethe Hessian; compare Louvain's count with it.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric weights >= 0.
    random_state : int or None, default=None
        Seed of Louvain's method, which is run on graphs of at most 400 000 entries where networkx
        is installed.

    Returns
    -------
    Suggestion
        ``"guess"``, or ``"none"`` where the Bethe Hessian has fewer than two negative eigenvalues.
        The interval holds both counts. Evidence: ``bethe_hessian`` (its negative eigenvalues),
        ``louvain`` and ``louvain_modularity`` (None where Louvain's method was not run).

    Examples
    --------
    >>> from sksieve.suggest import suggest_n_communities
    >>> import networkx, scipy.sparse
    >>> A = scipy.sparse.csr_array(networkx.to_scipy_sparse_array(networkx.karate_club_graph()))
    >>> suggest_n_communities(A, random_state=0)
    Suggestion(kind='guess', n=2, interval=(2, 4))
    """
    count = bethe_hessian_count(A)
    louvain = louvain_modularity = None
    if A.nnz <= LOUVAIN_ENTRIES and find_spec("networkx") is not None:
        labels = louvain_labels(A, check_random_state(random_state))
        joined = np.diff(A.indptr) > 0  # the other vertices are no communities
        louvain, louvain_modularity = len(np.unique(labels[joined])), modularity(A, labels)
    return Suggestion(
        kind="none" if count < 2 else "guess",
        n=None if count < 2 else count,
        interval=None if count < 2 or louvain is None else _interval(count, louvain),
        sentence=_sentence(count, louvain, louvain_modularity),
        evidence={
            "bethe_hessian": count,
            "louvain": louvain,
            "louvain_modularity": louvain_modularity,
        },
    )


def _interval(*counts: int) -> tuple[int, int]:
    return min(counts), max(counts)


def _sentence(count: int, louvain: int | None, louvain_modularity: float | None) -> str:
    text = f"{count} by the Bethe Hessian (its negative eigenvalues); a guess."
    if count < 2:
        text = "The Bethe Hessian has fewer than two negative eigenvalues."
    if louvain is None:
        return text
    return (
        f"{text} Louvain (networkx) finds {louvain} communities with modularity "
        f"{louvain_modularity:.3f}."
    )
