"""Weights have declared bounds: within them a fit ends without a foreign error or warning."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sksieve._validation import LARGEST_WEIGHT, POSITIVE_WEIGHT, SMALLEST_WEIGHT
from sksieve.exceptions import DataWarning

from .cases import cases, make, parameters


def weights(method):
    """Parameters that are weights of the objective."""
    declared = method.load()._parameter_constraints
    return sorted(
        name
        for name in parameters(method) & set(declared)
        if isinstance(declared[name], list) and set(POSITIVE_WEIGHT) <= set(declared[name])
    )


def table(seed):
    """Positive columns, one of them twice."""
    X = np.abs(np.random.RandomState(seed).standard_normal((30, 8)))
    X[:, 7] = X[:, 6]
    return X


@cases(where=weights)
@given(data=st.data())
@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
def test_any_number_fits_or_is_refused_by_name(method, data):
    exponents = st.sampled_from([-300, -100, -16, -15, -12, -6, 0, 6, 12, 15, 16, 100, 300])
    chosen = {name: 10.0 ** data.draw(exponents, name) for name in weights(method)}
    inside = all(SMALLEST_WEIGHT <= value <= LARGEST_WEIGHT for value in chosen.values())
    X = table(data.draw(st.integers(0, 9)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)
        if inside:
            make(method, **chosen).fit(X)
        else:
            with pytest.raises(ValueError, match=rf"'({'|'.join(chosen)})' parameter of"):
                make(method, **chosen).fit(X)
