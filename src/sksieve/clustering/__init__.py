"""Clustering of samples and of the vertices of a graph: affinity, embedding, labels."""

from ._base import BaseGraphClusterer
from ._codes import BaseCodeGraph, sparsified
from ._l1_graph import L1Graph
from ._lr_l1 import LaplacianL1Graph
from ._smce import SMCE
from ._spectral import SpectralGraph
from ._srsg import SRSG

__all__ = [
    "SMCE",
    "SRSG",
    "BaseCodeGraph",
    "BaseGraphClusterer",
    "L1Graph",
    "LaplacianL1Graph",
    "SpectralGraph",
    "sparsified",
]
