"""Quality measures: pure functions of labels, chosen columns and tables."""

from ._clustering import (
    LabelAgreement,
    clustering_accuracy,
    label_agreement,
    nmi,
    projector_distance,
)
from ._columns import knn_accuracy, neighborhood_preservation, redundancy
from ._contributions import contributions, inner_products, uniqueness
from ._modularity import group_weights, modularity
from ._reconstruction import error_ratio, reconstruction_error
from ._stability import Stability, StabilityTest, jaccard, stability, stability_test

__all__ = [
    "LabelAgreement",
    "Stability",
    "StabilityTest",
    "clustering_accuracy",
    "contributions",
    "error_ratio",
    "group_weights",
    "inner_products",
    "jaccard",
    "knn_accuracy",
    "label_agreement",
    "modularity",
    "neighborhood_preservation",
    "nmi",
    "projector_distance",
    "reconstruction_error",
    "redundancy",
    "stability",
    "stability_test",
    "uniqueness",
]
