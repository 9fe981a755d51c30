"""How many communities a graph has, by two independent counts."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, NamedTuple

from ..clustering import Louvain
from ..graphs import bethe_hessian_count
from ..metrics import modularity

__all__ = ["CommunityCount", "suggest_n_communities"]

#: Entries of the adjacency matrix up to which Louvain is run for comparison.
LOUVAIN_ENTRIES = 400_000


class CommunityCount(NamedTuple):
    """A suggested number of communities.

    Attributes
    ----------
    n_communities : int
        Negative eigenvalues of the Bethe Hessian; below 2 the graph shows no communities.
    louvain_count : int or None
        Communities that Louvain's method finds; None where it was not run.
    louvain_modularity : float or None
        Their modularity.
    """

    n_communities: int
    louvain_count: int | None = None
    louvain_modularity: float | None = None

    @property
    def sentences(self) -> list[str]:
        """Both counts in words."""
        count = (
            f"Number: {self.n_communities} by the Bethe Hessian (its negative eigenvalues); a "
            "guess."
        )
        if self.n_communities < 2:
            count = "The Bethe Hessian has fewer than two negative eigenvalues."
        if self.louvain_count is None:
            return [count]
        return [
            count,
            f"Louvain (networkx) finds {self.louvain_count} communities with modularity "
            f"{self.louvain_modularity:.3f}.",
        ]


def suggest_n_communities(A: Any, *, random_state: int | None = None) -> CommunityCount:
    """Suggest a number of communities by the Bethe Hessian, with Louvain's count beside it.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric weights >= 0.
    random_state : int or None, default=None
        Seed of Louvain's method, which is run on graphs of at most 400 000 entries where networkx
        is installed.

    Returns
    -------
    CommunityCount

    Examples
    --------
    >>> from sksieve.evaluation import suggest_n_communities
    >>> import networkx, scipy.sparse
    >>> A = scipy.sparse.csr_array(networkx.to_scipy_sparse_array(networkx.karate_club_graph()))
    >>> suggest_n_communities(A, random_state=0).n_communities
    2
    """
    count = bethe_hessian_count(A)
    if A.nnz > LOUVAIN_ENTRIES:
        return CommunityCount(count)
    if find_spec("networkx") is None:
        return CommunityCount(count)
    louvain = Louvain(affinity="precomputed", random_state=random_state).fit(A)
    return CommunityCount(count, louvain.n_clusters_, modularity(A, louvain.labels_))
