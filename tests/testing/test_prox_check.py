"""`check_prox` accepts proximal maps and finds the usual mistakes in wrong ones."""

import numpy as np
import pytest

from sksieve.testing import check_prox


def l1(X):
    return np.abs(X).sum()


def l0(X):
    return np.count_nonzero(X)


def soft(V, t):
    return np.sign(V) * np.maximum(np.abs(V) - t, 0)


def hard(V, t):
    return np.where(V**2 > 2 * t, V, 0.0)


def in_simplex(X):
    return 0.0 if abs(X.sum() - 1) < 1e-9 and (X >= -1e-12).all() else np.inf


def simplex(V, t):
    u = np.sort(V)[::-1]
    excess = (np.cumsum(u) - 1) / np.arange(1, len(u) + 1)
    return np.maximum(V - excess[u > excess][-1], 0)


V = np.random.RandomState(0).standard_normal((6, 4))


@pytest.mark.parametrize("t", [0.05, 0.3, 1.0])
@pytest.mark.parametrize(
    ("prox", "value"), [(soft, l1), (hard, l0)], ids=["soft threshold", "hard threshold"]
)
def test_right_ones_pass(prox, value, t):
    check_prox(prox, value, V, t)


def test_constraint_sets_pass():
    check_prox(simplex, in_simplex, V[:, 0])


@pytest.mark.parametrize(
    ("prox", "value"),
    [
        (lambda V, t: soft(V, 2 * t), l1),  # the scaling of the other half of the literature
        (lambda V, t: soft(V, 0.99 * t), l1),
        (lambda V, t: np.where(np.abs(V) > t, V, 0.0), l0),  # threshold t, not sqrt(2 t)
        (lambda V, t: V, l1),
    ],
)
def test_wrong_ones_are_found(prox, value):
    with pytest.raises(AssertionError, match="beaten"):
        check_prox(prox, value, V, 0.3)


def test_outside_the_domain():
    with pytest.raises(AssertionError, match="outside the domain"):
        check_prox(lambda V, t: V, in_simplex, V[:, 0])


def test_normalizing_is_no_projection_on_the_simplex():
    with pytest.raises(AssertionError, match="beaten"):
        check_prox(lambda V, t: np.abs(V) / np.abs(V).sum(), in_simplex, V[:, 0])


def test_modified_argument():
    def in_place(V, t):
        V *= 0.0
        return V

    with pytest.raises(AssertionError, match="modified its argument"):
        check_prox(in_place, l1, V.copy(), 0.3)


def test_wrong_shape():
    with pytest.raises(AssertionError, match="shape"):
        check_prox(lambda V, t: V[0], l1, V, 0.3)


def test_own_rival_is_heard():
    shallow = soft(V, 0.3) + 1e-3
    with pytest.raises(AssertionError, match=r"rivals\[0\]"):
        check_prox(lambda V, t: shallow, l1, V, 0.3, rivals=[soft(V, 0.3)], n_random=0)


def is_corner(X):
    return 0.0 if np.sort(X).tolist() == [0.0] * (len(X) - 1) + [1.0] else np.inf


def test_of_corners_another_one_is_found_by_the_prox_of_another_point():
    v = np.array([-2.0, 1.0, 0.3])
    check_prox(lambda V, t: np.eye(3)[V.argmax()], is_corner, v)
    with pytest.raises(AssertionError, match="the prox of another point"):
        check_prox(lambda V, t: np.eye(3)[np.abs(V).argmax()], is_corner, v)


def test_a_corner_in_place_of_the_simplex_is_found_half_way_to_another():
    v = np.array([0.5, 0.4, 0.3])
    with pytest.raises(AssertionError, match="a point half way"):
        check_prox(lambda V, t: np.eye(3)[V.argmax()], in_simplex, v)


def test_one_entry_among_many_that_should_be_zero_is_found():
    v = np.r_[0.5, np.full(20, 1000.0)]  # sqrt(2 t) = 0.77 for t = 0.3
    check_prox(hard, l0, v, 0.3)
    with pytest.raises(AssertionError, match=r"entry \(.*0.*,\) set to zero"):
        check_prox(lambda V, t: np.where(np.abs(V) > t, V, 0.0), l0, v, 0.3)
