"""How many columns to keep, how many clusters, how many communities, from the data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
