"""The one file that imports scikit-learn's private helpers."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _num_features as num_features
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = [
    "Interval",
    "Options",
    "StrOptions",
    "assert_all_finite",
    "check_feature_names_in",
    "check_is_fitted",
    "check_random_state",
    "fit_context",
    "num_features",
    "validate_data",
]
