"""Figures: a fitted estimator, a history or a DataFrame in, matplotlib Axes out; nothing is fitted.

Every function draws on the Axes it is given, or on a new figure.
"""

from ._columns import plot_explained_by, plot_redundancy, plot_selected_mask
from ._graphs import plot_adjacency, plot_neighbors
from ._history import plot_anytime, plot_convergence, plot_trajectory
from ._path import plot_error_path, plot_pareto_front
from ._ranks import plot_critical_difference
from ._repeats import plot_score_boxes, plot_sensitivity
from ._tables import plot_scores_against_k, plot_time_bars
from ._weights import plot_row_norms, plot_two_columns

__all__ = [
    "plot_adjacency",
    "plot_anytime",
    "plot_convergence",
    "plot_critical_difference",
    "plot_error_path",
    "plot_explained_by",
    "plot_neighbors",
    "plot_pareto_front",
    "plot_redundancy",
    "plot_row_norms",
    "plot_score_boxes",
    "plot_scores_against_k",
    "plot_selected_mask",
    "plot_sensitivity",
    "plot_time_bars",
    "plot_trajectory",
    "plot_two_columns",
]
