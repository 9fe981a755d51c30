"""Column subset selection: keep the columns from which the others are reconstructed best."""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
