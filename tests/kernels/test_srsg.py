"""Support regularized sweeps against brute force and a dense twin of the paper's Algorithm 1."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sksieve.datasets import make_subspaces
from sksieve.graphs._selfrep import Codes, sparse_codes, unit_rows
from sksieve.kernels._srsg import (
    _prox_least_squares,
    column_weights,
    srsg_objective,
    srsg_sweep,
)
from sksieve.kernels._srsg_literal import printed_sweep
from sksieve.papers import GradientSRSG, LiteralSRSG

LOCAL = (0.0, 0.0, 0, 0.0)
NO_GRAM = np.empty((0, 0))


def problem(seed, n=24, d=6, k=3):
    rng = np.random.RandomState(seed)
    X = unit_rows(rng.randn(n, 2) @ rng.randn(2, d) + 0.3 * rng.randn(n, d))
    distance = ((X[:, None] - X[None]) ** 2).sum(-1)
    np.fill_diagonal(distance, np.inf)
    S = np.zeros((n, n))
    for i in range(n):
        S[i, np.argsort(distance[i], kind="stable")[:k]] = 1
    Z = sparse_codes(X, 0.1)
    return X, S, Codes.from_matrix(sp.csr_array(Z.T))


def symmetric_graph(S):
    St = sp.csr_array(S + S.T)
    St.sort_indices()
    deg = np.asarray(St.sum(axis=1)).ravel()
    return St.indptr.astype(np.int64), St.indices.astype(np.int64), St.data, deg


def regularizer(Z, S):
    """sum_ij S_ij d(Z^i, Z^j), straight from its definition."""
    n, total = len(Z), 0.0
    on = Z != 0
    for i in range(n):
        for j in np.flatnonzero(S[i]):
            differ = on[:, i] != on[:, j]
            differ[[i, j]] = False
            total += S[i, j] * differ.sum()
    return total


def dense(codes, n):
    return codes.matrix(n).toarray().T


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_the_exact_change_of_the_regularizer(seed):
    X, S, codes = problem(seed)
    n = len(X)
    Z, graph = dense(codes, n), symmetric_graph(S)
    for i in range(n):
        support, c, z = column_weights(
            i, graph, True, *codes, np.zeros(n), np.empty(n, dtype=np.int64)
        )
        np.testing.assert_array_equal(z, Z[support, i])
        assert i not in support
        for t, c_t in zip(support, c):
            without, with_t = Z.copy(), Z.copy()
            without[t, i], with_t[t, i] = 0.0, 1.0
            assert c_t == regularizer(with_t, S) - regularizer(without, S)
        outside = np.setdiff1d(np.arange(n), np.append(support, i))
        for t in outside:
            with_t = Z.copy()
            with_t[t, i] = 1.0
            assert regularizer(with_t, S) >= regularizer(Z, S)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), gamma=st.floats(1e-3, 0.5), grow=st.booleans())
def test_objective_never_rises_and_supports_settle(seed, gamma, grow):
    X, S, codes = problem(seed)
    n, graph = len(X), symmetric_graph(S)
    K = X @ X.T
    codes = codes.with_capacity(n)
    L = srsg_objective(X, K, graph, gamma, *codes)
    Z = dense(codes, n)
    expected = np.linalg.norm(X - Z.T @ X) ** 2 + gamma * regularizer(Z, S)
    assert pytest.approx(expected, rel=1e-10) == L
    for _ in range(15):
        changed = srsg_sweep(X, K, graph, gamma, grow, LOCAL, *codes)
        new = srsg_objective(X, K, graph, gamma, *codes)
        assert new <= L + 1e-8 * max(L, 1e-3)  # the ridge of 1e-9 in the least squares
        L = new
        if changed == 0:
            break
    assert changed == 0


@pytest.mark.parametrize("grow", [False, True])
@pytest.mark.parametrize("fpgd", [LOCAL, (0.02, 0.01, 50, 0.0)])
@pytest.mark.parametrize(("d", "atol"), [(6, 1e-5), (20, 1e-10)])
def test_without_the_gram_matrix_the_same(grow, fpgd, d, atol):
    """With d = 6 growing supports are singular: only the reconstructed samples are determined."""
    X, S, codes = problem(7, d=d)
    one, two = codes.with_capacity(24), codes.with_capacity(24)
    graph = symmetric_graph(S)
    srsg_sweep(X, X @ X.T, graph, 0.05, grow, fpgd, *one)
    srsg_sweep(X, NO_GRAM, graph, 0.05, grow, fpgd, *two)
    one, two = dense(one, 24), dense(two, 24)
    np.testing.assert_array_equal(one != 0, two != 0)
    np.testing.assert_allclose(one.T @ X, two.T @ X, atol=1e-10)
    np.testing.assert_allclose(one, two, atol=atol)


@pytest.mark.parametrize(("share", "stays"), [(0.9, False), (1.1, True)])
def test_an_entry_goes_where_it_costs_more_than_it_saves(share, stays):
    """With G = I leaving out z_p costs z_p^2 and saves gamma c_p; the step is .99 of the limit."""
    gamma, c = 0.3, np.array([1.0, 2.0, 0.0])
    z = np.sqrt(0.99 * gamma * share * np.array([1.0, 2.0, 0.001]))
    b = z.copy()
    _prox_least_squares(np.eye(3), b, z, c, gamma)
    expected = b * [stays, stays, True]  # an entry without a cost is free
    np.testing.assert_allclose(z, expected, atol=1e-8)


def algorithm_1(X, i, z, c, gamma, s, n_steps, eta, allowed, full=False):
    """The paper's Algorithm 1 for one column, on the whole vector; entry i never used."""
    v = z.copy()
    alive = allowed.copy()
    for k in range(1, n_steps + 1):
        alpha = 2 / (k + 1)
        u = (1 - alpha) * z + alpha * v
        gradient = 2 * X @ (X.T @ u - X[i])
        v = np.where(alive, v - eta * k * gradient, 0.0)
        w = np.where(alive, u - s * gradient, 0.0)
        z = np.where((c > 0) & (w**2 <= 2 * s * gamma * c), 0.0, w)
        alive &= (z != 0) | (c <= 0)
        v = np.where(alive, v, 0.0)
    return (z, v) if full else z


@pytest.mark.parametrize("grow", [False, True])
def test_fast_proximal_gradient_equals_its_dense_form(grow):
    X, S, codes = problem(11)
    n, gamma = len(X), 0.1
    s = 0.99 / (2 * np.linalg.eigvalsh(X @ X.T)[-1])
    Z = dense(codes, n)
    for i in range(n):  # Gauss-Seidel over the columns
        on = Z != 0
        St = S + S.T
        c = St[i].sum() - St[i] - 2 * on @ St[i]
        allowed = on[:, i] | (grow & (c < 0))
        allowed[i] = False
        Z[:, i] = algorithm_1(X, i, Z[:, i], c, gamma, s, 60, s / 2, allowed)
    codes = codes.with_capacity(n)
    graph = symmetric_graph(S)
    srsg_sweep(X, X @ X.T, graph, gamma, grow, (s, s / 2, 60, 0.0), *codes)
    np.testing.assert_allclose(dense(codes, n), Z, atol=1e-10)


def test_a_column_that_does_not_fit_is_reported():
    """The first one in turn, the columns before it done and the others as they were."""
    X, S, codes = problem(0, d=20)
    graph = symmetric_graph(S)

    def swept(width):
        support, value, size = codes.with_capacity(width)
        new = Codes(support[:, :width].copy(), value[:, :width].copy(), size.copy())
        return srsg_sweep(X, NO_GRAM, graph, 0.05, True, LOCAL, *new), new

    start = int(codes.size.max())
    changed, roomy = swept(len(X))
    needed = int(roomy.size.max())
    assert changed > 0
    assert needed > start
    for width in range(start, needed):
        first = int(np.argmax(roomy.size > width))
        outcome, narrow = swept(width)
        assert outcome == -1 - first
        Z, old, new = dense(narrow, 24), dense(codes, 24), dense(roomy, 24)
        np.testing.assert_array_equal(Z[:, :first], new[:, :first])
        np.testing.assert_array_equal(Z[:, first:], old[:, first:])
    outcome, enough = swept(needed)  # neither more nor less
    assert outcome == changed
    np.testing.assert_array_equal(dense(enough, 24), dense(roomy, 24))


@pytest.mark.parametrize(("n", "d"), [(24, 6), (450, 420)])
def test_step_sizes_of_algorithm_1_meet_its_conditions(n, d):
    """``lambda_k alpha_k <= s`` for every k, eta as large as it may be; s below 1/L."""
    X = unit_rows(np.random.RandomState(0).standard_normal((n, d)))
    s, eta, _, _ = GradientSRSG()._step(X)
    k = np.arange(1.0, 1e6)
    product = eta * k * 2 / (k + 1)
    assert product.max() <= s
    assert product.max() >= (1 - 1e-5) * s
    L = 2 * np.linalg.norm(X, 2) ** 2
    assert 0.98 <= s * L <= 1


def iterates(X, i, z, c, gamma, s, eta, n_steps):
    """The iterates (z, v) of Algorithm 1 for one column."""
    return [
        algorithm_1(X, i, z, c, gamma, s, k, eta, z != 0, full=True) for k in range(n_steps + 1)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_rate_of_algorithm_1(seed):
    """The bound of Theorem 3.2 from the step after which the support stays."""  # (13), (36)
    X, S, codes = problem(seed)
    n, gamma, n_steps = len(X), 0.1, 80
    Z, St = dense(codes, n), S + S.T
    s, eta, _, _ = GradientSRSG()._step(X)
    for i in range(0, n, 3):
        c = St[i].sum() - St[i] - 2 * (Z != 0) @ St[i]
        z, v = zip(*iterates(X, i, Z[:, i], c, gamma, s, eta, n_steps), strict=True)
        support = [set(np.flatnonzero(x)) for x in z]
        k0 = 1 + max((k for k in range(1, n_steps + 1) if support[k] != support[k - 1]), default=0)
        A = sorted(support[-1])
        best = np.zeros(n)
        best[A] = np.linalg.lstsq(X[A].T, X[i], rcond=None)[0]
        gap = [np.sum((X[i] - x @ X) ** 2) - np.sum((X[i] - best @ X) ** 2) for x in z]
        U = k0 * (k0 - 1) * gap[k0 - 1] + np.sum((v[k0 - 1] - best) ** 2) / eta
        for m in range(k0, n_steps + 1):
            assert gap[m] <= U / (m * (m + 1)) + 1e-12


def as_printed(X, i, z, c, gamma, s, n_steps=80):
    """Algorithm 1 with no support remembered (entry i left out): iterates, and the G it meets."""
    v, C, G, path = z.copy(), c > 0, 0.0, [z]
    for k in range(1, n_steps + 1):
        alpha = 2 / (k + 1)
        m = (1 - alpha) * z + alpha * v
        gradient = 2 * X @ (X.T @ m - X[i])
        G = max(G, np.linalg.norm(gradient))
        u = m - s * gradient
        z = np.where(C & (u**2 <= 2 * s * gamma * c), 0.0, u)
        z[i] = 0.0
        v = np.where((z != 0) | ~C, v - s / 2 * k * gradient, 0.0)
        v[i] = 0.0
        path.append(z)
    return path, G


@pytest.mark.parametrize("seed", range(3))
def test_supports_shrink_under_the_step_condition(seed):  # Theorem 3.2
    """``s < min(2 tau / G^2, 1/L)``; without it they grow again, so the kernel remembers them."""
    X, S, codes = problem(seed)
    Z, St, L = dense(codes, len(X)), S + S.T, 2 * np.linalg.norm(X, 2) ** 2
    n_growing = 0
    for i in range(len(X)):
        c = St[i].sum() - St[i] - 2 * (Z != 0) @ St[i]
        C = c > 0

        def grows(path, C=C):
            return any(((b != 0) & (a == 0) & C).any() for a, b in pairwise(path))

        for gamma in (0.1, 1e-3, 1e-5):
            tau, s = gamma * c[C].min(), 0.99 / L
            path, G = as_printed(X, i, Z[:, i], c, gamma, s)
            n_growing += grows(path)
            while s >= 2 * tau / G**2:
                s /= 2
                path, G = as_printed(X, i, Z[:, i], c, gamma, s)
            assert s < 1 / L
            assert not grows(path)
    assert n_growing >= len(X), "at gamma = 1e-5 the global step is too long"


@pytest.mark.parametrize("seed", range(3))
def test_literal_sweep_is_algorithm_2_as_printed(seed):
    """Directed weights with entry j left in, z_i = 0 by the prox alone, v_i as it comes."""
    X, S, codes = problem(seed)
    n, gamma, n_steps = len(X), 0.1, 100
    s, eta, _, _ = GradientSRSG()._step(X)
    K, Z, leaks = X @ X.T, dense(codes, n).T.copy(), 0
    directed, swept = sp.csr_array(S), Z.copy()
    printed_sweep(K, directed.indptr, directed.indices, gamma, s, eta, n_steps, swept)
    for i in range(n):
        c = S[i].sum() - 2 * S[i] @ (Z != 0)
        z, v = Z[i].copy(), Z[i].copy()
        for k in range(1, n_steps + 1):
            alpha = 2 / (k + 1)
            m = (1 - alpha) * z + alpha * v
            gradient = 2 * (K @ m - K[i])
            u = m - s * gradient
            z = np.where((c > 0) & (u**2 <= 2 * s * gamma * c), 0, u)
            z[i] = 0
            v = np.where((c > 0) & (z == 0), 0, v - eta * k * gradient)
        leaks += v[i] != 0
        Z[i] = z
    assert leaks > 0  # otherwise the misprint would not show
    np.testing.assert_allclose(swept, Z, atol=1e-9)


def test_literal_srsg_stops_at_an_absolute_change_of_the_objective():
    X, y = make_subspaces(random_state=0)
    est = LiteralSRSG(n_clusters=len(set(y)), tol=1e-5, random_state=0).fit(X)
    values = [record["objective"] for record in est.history_]
    assert est.stop_reason_ == "tolerance"
    assert abs(values[-1] - values[-2]) <= 1e-5 < abs(values[-2] - values[-3])
