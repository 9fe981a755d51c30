"""Checks for those who write a method: is the prox a prox, is the step a step?

Each function raises `AssertionError` with a sentence that says what is wrong, and returns nothing.
"""

from ._prox import check_prox
from ._steps import assert_same_state, check_block_descent, check_pure_step, check_resume

__all__ = [
    "assert_same_state",
    "check_block_descent",
    "check_prox",
    "check_pure_step",
    "check_resume",
]
