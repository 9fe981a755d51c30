"""Every update that claims to lower the objective does so, also at weights far from the others."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sksieve import SRSG
from sksieve._validation import POSITIVE_WEIGHT
from sksieve.clustering._rpma_penalties import Bounded, Huber, Positive
from sksieve.clustering._rpma_problem import projection_problem
from sksieve.exceptions import DataWarning
from sksieve.papers._rpma_solvers import ADMM

from .cases import cases, has_loop, make, parameters

#: Choices that change the problem or its solver.
CHOICES = ("solver", "scale", "constraint", "variant", "delta", "laplacian", "residual")

#: Rounding allowed, relative to the objective itself.
RTOL = 1e-9


def constraints(method, name):
    if name not in parameters(method):
        return []
    return method.load()._parameter_constraints[name]


def weights(method):
    """Weights of the objective."""
    return [
        name
        for name in sorted(parameters(method))
        if set(POSITIVE_WEIGHT) <= set(constraints(method, name) or ())
    ]


def choices(method):
    """The values of each parameter of `CHOICES`."""
    found = {}
    for name in CHOICES:
        for c in constraints(method, name):
            values = sorted(v for v in getattr(c, "options", ()) if isinstance(v, str))
            if values:
                found[name] = values
    return found


def table(kind, seed):
    rng = np.random.RandomState(seed)
    n, d = [(30, 9), (14, 30)][seed % 2]
    X = rng.standard_normal((n, d))
    if kind == "rounded":
        return np.round(2 * X)
    if kind == "scales":
        return X * 10.0 ** rng.uniform(-4, 4, d)
    if kind == "repeated":
        return X[rng.randint(n, size=n)]
    if kind == "outlier":
        X[0] *= 1e6
    return np.abs(X) if kind == "counts" else X


class Caught(Exception):
    """Carries the problem and its first state out of a fit."""


def problem_of(est, X):
    """The problem and the first state that a fit hands to the loop; None where X is refused."""

    def watch(problem, *states, stopping=None):
        raise Caught(problem, states[0])

    est._run = watch
    try:
        est.fit(X)
    except Caught as caught:
        return caught.args
    except np.linalg.LinAlgError:
        raise
    except ValueError:
        return None
    return None


def assert_descends(problem, state, n_sweeps=6):
    excused = getattr(problem, "not_descending", {})
    names = [n for cls in reversed(type(problem).__mro__) for n in vars(cls)]
    blocks = list(dict.fromkeys(n for n in names if n.startswith("update_")))
    f = problem.objective(state)
    for _ in range(n_sweeps):
        for name in [*blocks, "step"]:
            state = getattr(problem, name)(state)
            new = problem.objective(state)
            assert np.isfinite(new), f"{name} leaves the numbers: {new}"
            rise = (new - f) / max(abs(f), abs(new), 1e-300)
            assert name in excused or rise <= RTOL, f"{name} raises {f:.17g} to {new:.17g}"
            f = new


@cases(where=lambda m: has_loop(m) and weights(m))
@given(data=st.data())
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
def test_extreme_weights(method, data):
    exponent = st.floats(-8, 8).map(lambda e: float(f"{10.0**e:.2e}"))
    given = {name: data.draw(exponent, name) for name in weights(method)}
    given |= {name: data.draw(st.sampled_from(o), name) for name, o in choices(method).items()}
    kind = data.draw(st.sampled_from(["rounded", "scales", "repeated", "outlier", "counts"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = problem_of(make(method, **given), table(kind, data.draw(st.integers(0, 99))))
    assume(found is not None)
    assert_descends(*found)


def test_the_ridge_of_least_squares_does_not_raise_the_objective():
    assert_descends(*problem_of(SRSG(3, gamma=1e-7, lam=1e-8), table("scales", 44)))


@pytest.mark.parametrize("penalty", [Huber(1e-3), Positive(), Bounded(0.0, 0.1)])
@given(exponent=st.floats(-8, 8), seed=st.integers(0, 99))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_admm_lowers_its_lagrangian(penalty, exponent, seed):
    """F itself it need not lower; with rho large enough the augmented Lagrangian falls."""
    rng = np.random.RandomState(seed)
    A = rng.random_sample((20, 20))
    problem = projection_problem((A + A.T) / 2, 3, penalty, 10.0**exponent)
    solver = ADMM(problem, rho=np.sqrt(2) * problem.lam * penalty.lipschitz)
    state = solver.start(np.linalg.qr(rng.standard_normal((20, 3)))[0])
    value = solver.lagrangian(state)
    for _ in range(10):
        state = solver.step(state)
        new = solver.lagrangian(state)
        assert new <= value + RTOL * max(abs(new), abs(value))
        value = new
    assert set(solver.not_descending) == {"update_X", "update_Y", "step"}
