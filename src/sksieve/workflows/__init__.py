"""The front door: from a table or a graph to an answer, as one function each."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
