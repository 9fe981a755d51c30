"""Solvers that know no paper: the one loop, its callbacks, and the general-purpose steps."""

from ._callbacks import CallbackSupport, Patience, TextProgress
from ._conjugate import conjugate_gradients
from ._curvilinear import CurvilinearSearch, CurvilinearState
from ._estimator import LoopSupport
from ._group_sparse import RowFit, RowQuadratic, exchange_rows, fit_rows, forward_rows
from ._iterate import Callback, Record, Run, Stopping, iterate
from ._lbfgs_grassmann import GrassmannLBFGS, GrassmannState, tangent
from ._multiplicative import multiplicative_step
from ._problem import Problem
from ._proximal import accelerated_proximal_gradient
from ._reweighted import ReweightedSubspace, SubspaceState, row_weights, smoothed_l2p
from ._spectral import Composite, spectral_proximal_gradient

__all__ = [
    "Callback",
    "CallbackSupport",
    "Composite",
    "CurvilinearSearch",
    "CurvilinearState",
    "GrassmannLBFGS",
    "GrassmannState",
    "LoopSupport",
    "Patience",
    "Problem",
    "Record",
    "ReweightedSubspace",
    "RowFit",
    "RowQuadratic",
    "Run",
    "Stopping",
    "SubspaceState",
    "TextProgress",
    "accelerated_proximal_gradient",
    "conjugate_gradients",
    "exchange_rows",
    "fit_rows",
    "forward_rows",
    "iterate",
    "multiplicative_step",
    "row_weights",
    "smoothed_l2p",
    "spectral_proximal_gradient",
    "tangent",
]
