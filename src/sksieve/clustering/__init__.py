"""Clustering of samples and of the vertices of a graph: affinity, embedding, labels."""

from ._base import BaseGraphClusterer
from ._choice import ClusterChoice
from ._codes import BaseCodeGraph, sparsified
from ._l1_graph import L1Graph
from ._lr_l1 import LaplacianL1Graph
from ._number import GroupCount, one_lump_p_value, suggest_n_clusters
from ._rpma import BPMA, PPMA, RPMA, SPMA
from ._rpma_penalties import Bounded, Huber, Penalty, Positive
from ._rpma_select import LamChoice, partition_score, select_lam
from ._sdp import SDP1, SDP2
from ._slsa import SLSA
from ._smce import SMCE
from ._spectral_graph import SpectralCommunities, SpectralGraph
from ._srsg import SRSG

__all__ = [
    "BPMA",
    "PPMA",
    "RPMA",
    "SDP1",
    "SDP2",
    "SLSA",
    "SMCE",
    "SPMA",
    "SRSG",
    "BaseCodeGraph",
    "BaseGraphClusterer",
    "Bounded",
    "ClusterChoice",
    "GroupCount",
    "Huber",
    "L1Graph",
    "LamChoice",
    "LaplacianL1Graph",
    "Penalty",
    "Positive",
    "SpectralCommunities",
    "SpectralGraph",
    "one_lump_p_value",
    "partition_score",
    "select_lam",
    "sparsified",
    "suggest_n_clusters",
]
