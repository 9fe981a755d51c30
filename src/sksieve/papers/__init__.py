"""Methods as their papers print them, and in variants, where these differ from the package's own.

For comparison: experiments name them as ``sksieve.papers:LSDCLVariants``. Their parameters are
those of the class they derive from, and choices that this class has already made.
"""

from .._stub import attach

__getattr__, __dir__, __all__ = attach(__name__)
