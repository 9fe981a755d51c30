"""Clustering of samples and of the vertices of a graph: affinity, embedding, labels."""

from ._base import BaseGraphClusterer
from ._spectral import SpectralGraph

__all__ = ["BaseGraphClusterer", "SpectralGraph"]
