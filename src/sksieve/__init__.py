"""Structure from data without labels: which columns matter, and which groups are there."""

from ._stub import attach

# Public names and their modules stand in __init__.pyi; each is imported on first use.
__getattr__, __dir__, __all__ = attach(__name__)

__version__ = "0.2.0"
