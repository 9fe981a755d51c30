"""Judging without labels: compare methods, choose k, stability of a choice, a partition's worth."""

from ..columns._how_many import Suggestion, suggest_k
from ._choice import ColumnChoice, eigengap_count
from ._communities import CommunityCount, suggest_n_communities
from ._compare import Comparison, compare, comparisons
from ._partition import Partition, inside_shares, partition
from ._stability import stability

__all__ = [
    "ColumnChoice",
    "CommunityCount",
    "Comparison",
    "Partition",
    "Suggestion",
    "compare",
    "comparisons",
    "eigengap_count",
    "inside_shares",
    "partition",
    "stability",
    "suggest_k",
    "suggest_n_communities",
]
