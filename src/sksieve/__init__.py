"""Structure from data without labels: which columns matter, and which groups are there."""

import lazy_loader

# Public names and their modules stand in __init__.pyi; each is imported on first use.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.2.0"
