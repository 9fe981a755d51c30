"""Judging without labels: compare methods, choose k, stability of a choice, a partition's worth."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
