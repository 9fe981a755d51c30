"""Graphs on samples: neighbors, weights, the Laplacian, eigenvectors, self-representation.

Graphs are CSR from birth; none of these functions holds an n x n array, `gaussian_affinity` apart.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
