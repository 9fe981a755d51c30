"""Proximal maps and projections, in one scaling.

``prox_{t g}(V) = argmin_X 1/2 ||X - V||_F^2 + t g(X)``. Pure functions; float32 stays float32.
"""

from ._entries import (
    project_box,
    prox_box_penalty,
    prox_huber,
    prox_l1,
)
from ._rows import project_l20, prox_l21, prox_l21_nonneg, row_norms
from ._simplex import project_capped_simplex, project_simplex, project_simplex_sparse
from ._spectral import nearest_projector, project_fantope, project_psd
from ._stiefel import project_stiefel

__all__ = [
    "nearest_projector",
    "project_box",
    "project_capped_simplex",
    "project_fantope",
    "project_l20",
    "project_psd",
    "project_simplex",
    "project_simplex_sparse",
    "project_stiefel",
    "prox_box_penalty",
    "prox_huber",
    "prox_l1",
    "prox_l21",
    "prox_l21_nonneg",
    "row_norms",
]
