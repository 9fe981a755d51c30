"""scikit-learn's own checks, and the promises that go with its API."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

from sksieve.exceptions import DataWarning

from .cases import every_method, make, parameters, table

# Small n_clusters or k, as scikit-learn's checks use tables of one or two columns; few iterations,
# as none of the checks is about a converged fit.
SMALL = {"n_features_to_select": 1, "n_clusters": 2, "max_iter": 2, "n_init": 1}


@every_method
def test_scikit_learns_checks(method):
    small = {name: value for name, value in SMALL.items() if name in parameters(method)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        results = check_estimator(make(method, **small), on_fail=None, on_skip=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not failed, "\n".join(f"{name}: {error!r}" for name, error in failed.items())
    passed = [r for r in results if r["status"] == "passed"]
    assert len(passed) > 30, "scikit-learn has more than thirty checks"


@every_method
def test_every_parameter_is_checked_and_named_when_refused(method):
    X = table()
    for name in parameters(method):
        est = make(method, **{name: object()})
        with pytest.raises((ValueError, TypeError), match=name):
            est.fit(X)
