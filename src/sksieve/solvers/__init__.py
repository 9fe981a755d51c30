"""Solvers that know no paper: the one loop, its callbacks, and the general-purpose steps."""

from ._callbacks import CallbackSupport, Checkpoint, Patience, TextProgress, load_checkpoint
from ._estimator import LoopSupport
from ._iterate import Record, Run, Stopping, iterate
from ._proximal import accelerated_proximal_gradient

__all__ = [
    "CallbackSupport",
    "Checkpoint",
    "LoopSupport",
    "Patience",
    "Record",
    "Run",
    "Stopping",
    "TextProgress",
    "accelerated_proximal_gradient",
    "iterate",
    "load_checkpoint",
]
