"""Real numbers have declared bounds: within them a fit ends without a foreign error or warning."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from sksieve import L1Graph
from sksieve._validation import Interval
from sksieve.clustering import Sparsifier
from sksieve.exceptions import DataWarning
from sksieve.papers import BLUFSVariants

from .cases import cases, make, parameters

#: A share in place of a number, seconds, and a limit on costs, which needs costs.
OTHERS = {"n_features_to_select", "time_budget", "budget"}
EXPONENTS = [-300, -100, -16, -15, -12, -6, -1, 0, 6, 12, 15, 16, 100, 300]
FEW = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def bounds(cls, name):
    """The intervals of real numbers that a parameter may lie in."""
    declared = cls._parameter_constraints.get(name)
    declared = declared if isinstance(declared, list) else []
    return [c for c in declared if isinstance(c, Interval) and c.type.__name__ == "Real"]


def real_parameters(method):
    return sorted(name for name in parameters(method) - OTHERS if bounds(method.load(), name))


def table(seed):
    """Positive columns, one of them twice."""
    X = np.abs(np.random.RandomState(seed).standard_normal((30, 8)))
    X[:, 7] = X[:, 6]
    return X


def fits_or_names(est, X, refused):
    """Fit without foreign warnings; where `refused` has names, refusing one of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        if refused:
            with pytest.raises(ValueError, match=rf"'({'|'.join(refused)})' parameter of"):
                est.fit(X)
        else:
            est.fit(X)


@cases(where=real_parameters)
@given(data=st.data())
@FEW
def test_any_number_fits_or_is_refused_by_name(method, data):
    cls, exponents = method.load(), st.sampled_from(EXPONENTS)
    chosen = {name: 10.0 ** data.draw(exponents, name) for name in real_parameters(method)}
    if {"alpha", "beta"} == chosen.keys() & {"alpha", "beta"} and method.class_name == "BPMA":
        chosen["alpha"] = -chosen["alpha"]  # below beta
    outside = [k for k, v in chosen.items() if not any(v in c for c in bounds(cls, k))]
    fits_or_names(make(method, **chosen), table(data.draw(st.integers(0, 9))), outside)


@given(
    st.sampled_from(EXPONENTS),
    st.sampled_from([e for e in EXPONENTS if not 0 < e < 16]),  # those leave the range of numbers
)
@FEW
def test_any_number_of_a_sparsifier(threshold, power):
    chosen = {"threshold": 10.0**threshold, "power": 10.0**power}
    outside = [k for k, v in chosen.items() if not any(v in c for c in bounds(Sparsifier, k))]
    sparsifier = Sparsifier(**chosen)
    fits_or_names(L1Graph(2, sparsifier=sparsifier, random_state=0), table(0), outside)


def test_the_variants_of_blufs_have_its_bounds():
    """Duplicate columns and a refined subspace: a singular matrix at extreme weights."""
    variant = BLUFSVariants(2, n_clusters=3, constraint="support", refine=True)
    for beta, refused in ((1e300, ["beta"]), (1e15, []), (1e-15, [])):
        fits_or_names(variant.set_params(beta=beta), table(0), refused)
