"""How many columns: computed where column subset methods with ``"auto"`` need it."""

from ..columns._how_many import Suggestion, suggest_k

__all__ = ["Suggestion", "suggest_k"]
