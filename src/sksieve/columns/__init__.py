"""Column subset selection: keep the columns from which the others are reconstructed best."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
