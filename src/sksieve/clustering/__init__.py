"""Clustering of samples and of the vertices of a graph: affinity, embedding, labels."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
