"""Graphs on samples: neighbors, weights, the Laplacian, eigenvectors, self-representation.

Graphs are CSR from birth; none of these functions holds an n x n array, `gaussian_affinity` apart.
"""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
