"""Clustering of samples and of the vertices of a graph: affinity, embedding, labels."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
