"""Tables, dense, sparse or read in blocks: centered and scaled columns, and their products."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
