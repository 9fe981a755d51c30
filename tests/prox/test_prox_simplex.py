"""Projections on the simplex: optimality conditions, brute force, edge cases."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sksieve.prox import project_capped_simplex, project_simplex, project_simplex_sparse
from sksieve.testing import check_prox

numbers = st.floats(-20, 20, allow_subnormal=False)
matrices = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=numbers)
vectors = arrays(np.float64, st.integers(1, 7), elements=numbers)


@given(matrices, st.floats(0.1, 10))
def test_optimality_conditions(V, radius):
    X = project_simplex(V, radius=radius)
    assert (X >= 0).all()
    np.testing.assert_allclose(X.sum(axis=1), radius, rtol=1e-12)
    for v, x in zip(V, X):
        on = x > 0
        theta = (v - x)[on]
        assert np.ptp(theta) <= 1e-12 * (1 + np.abs(v).max())
        assert (v[~on] <= theta.max() + 1e-12).all()


def simplex(X):
    return 0.0 if (X >= 0).all() and np.allclose(X.sum(axis=-1), 1, atol=1e-9) else np.inf


def test_beats_every_rival():
    V = np.random.RandomState(0).standard_normal((4, 6))
    check_prox(lambda V, t: project_simplex(V), simplex, V)
    check_prox(
        lambda V, t: project_simplex_sparse(V, 2),
        lambda X: simplex(X) if (np.count_nonzero(X, axis=1) <= 2).all() else np.inf,
        V,
    )


@given(matrices)
def test_idempotent_and_columns_are_rows_of_the_transpose(V):
    X = project_simplex(V)
    np.testing.assert_allclose(project_simplex(X), X, atol=1e-14)
    np.testing.assert_array_equal(project_simplex(V.T, axis=0), X.T)


@given(vectors, st.integers(1, 7))
def test_sparse_projection_by_enumeration(v, k):
    x = project_simplex_sparse(v, k)
    assert np.count_nonzero(x) <= k
    assert x.sum() == pytest.approx(1)
    best = np.inf
    for kept in combinations(range(len(v)), min(k, len(v))):
        rival = np.zeros_like(v)
        rival[list(kept)] = project_simplex(v[list(kept)])
        best = min(best, ((rival - v) ** 2).sum())
    assert ((x - v) ** 2).sum() <= best + 1e-10 * (1 + (v**2).sum())


def test_minus_infinity_leaves_out():
    v = np.array([0.3, -np.inf, 0.1, -np.inf])
    x = project_simplex(v)
    np.testing.assert_allclose(x[[0, 2]], project_simplex(v[[0, 2]]))
    np.testing.assert_array_equal(x[[1, 3]], 0)
    np.testing.assert_array_equal(project_simplex_sparse(v, 3), x)


@pytest.mark.parametrize("bad", [[-np.inf, -np.inf], [np.nan, 1.0], [np.inf, 0.0]])
def test_refuses_what_has_no_projection(bad):
    with pytest.raises(ValueError, match="V must have a finite entry"):
        project_simplex(np.array([bad, [0.0, 1.0]]))


def test_far_from_the_origin():
    v = 1e12 + np.array([0.0, 0.5, 1.0])
    np.testing.assert_allclose(project_simplex(v), [0.0, 0.25, 0.75], atol=1e-4)
    np.testing.assert_allclose(project_simplex(np.array([-1e300, 0.0])), [0.0, 1.0])


def test_ties_go_to_the_smaller_index():
    np.testing.assert_array_equal(project_simplex_sparse(np.zeros(4), 2), [0.5, 0.5, 0, 0])


def test_float32_stays_float32():
    V = np.random.RandomState(1).standard_normal((3, 5))
    single = project_simplex(V.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, project_simplex(V), atol=1e-6)
    assert project_simplex_sparse(V.astype(np.float32), 2).dtype == np.float32
    assert project_capped_simplex(V[0].astype(np.float32), 2).dtype == np.float32


@given(vectors, st.floats(0, 1))
def test_capped_simplex(v, share):
    total = share * len(v)
    x = project_capped_simplex(v, total)
    assert ((x >= 0) & (x <= 1)).all()
    assert x.sum() == pytest.approx(total, abs=1e-9)
    inside = (x > 1e-9) & (x < 1 - 1e-9)
    if inside.any():
        theta = (v - x)[inside]
        assert np.ptp(theta) <= 1e-9
        assert (v[x <= 1e-9] <= theta.max() + 1e-8).all()
        assert (v[x >= 1 - 1e-9] >= theta.min() + 1 - 1e-8).all()
    else:
        assert v[x < 0.5].max(initial=-np.inf) <= v[x > 0.5].min(initial=np.inf) + 1e-8


def test_capped_simplex_refuses_an_impossible_total():
    with pytest.raises(ValueError, match="total must lie in"):
        project_capped_simplex(np.zeros(3), 4)


@pytest.mark.parametrize("shift", [-1e12, 1e12])
def test_a_shift_is_not_felt(shift):
    V = np.random.RandomState(0).randint(-512, 512, size=(5, 40)) / 1024  # exact beside the shift
    np.testing.assert_allclose(project_simplex(V + shift), project_simplex(V), atol=1e-12)
