"""BLSFE: its blocks descend for a fixed pace, and its weights collapse as said."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse.csgraph import connected_components
from sklearn.preprocessing import StandardScaler

from sksieve import BLSFE
from sksieve.exceptions import DataWarning, TooLargeError
from sksieve.selection._blsfe import Ensemble, _on_its_support, _warn_if_collapsed
from sksieve.testing import check_block_descent, check_pure_step, check_resume


def table(n, d, seed=0):
    rng = np.random.RandomState(seed)
    centers = 3 * rng.standard_normal((3, d))
    return centers[np.arange(n) % 3] + rng.standard_normal((n, d))


def ensemble(n, d):
    rng = np.random.RandomState(1)
    X = table(n, d)
    V = rng.random_sample((4, d))
    labels = np.array([rng.randint(3, size=n) for _ in range(4)])
    labels[0] = np.arange(n) % 3
    return Ensemble(X / X.std(axis=0) / np.sqrt(d), V / V.sum(axis=1, keepdims=True), labels, 3)


@pytest.mark.parametrize(("n", "d"), [(30, 8), (15, 25), (15, 40)])
def test_every_block_descends_and_stays_feasible(n, d):
    problem = ensemble(n, d)
    check_block_descent(problem, n_sweeps=4)
    check_pure_step(problem, problem.start())
    check_resume(problem, problem.start(), 3, 4)
    s = problem.start()
    for _ in range(6):
        s = problem.step(s)
    for weights in (s.v, s.a, s.b):
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()
    assert (s.S >= 0).all()
    assert (s.S <= 1).all()
    np.testing.assert_allclose(s.S, s.S.T, atol=1e-12)


def simplex_program(H, t):
    """``min v'Hv/2 - t'v`` on the simplex, by its conditions: columns leave and enter singly."""
    free = np.ones(len(t), dtype=bool)
    while True:
        K = np.block([[H[np.ix_(free, free)], np.ones((free.sum(), 1))], [np.ones(free.sum()), 0]])
        answer = np.linalg.solve(K, np.append(t[free], 1))
        v = np.zeros(len(t))
        v[free] = answer[:-1]
        if v.min() < 0:
            free[v.argmin()] = False
            continue
        slope = H @ v - t + answer[-1]
        if slope.min() > -1e-12:
            return v
        free[slope.argmin()] = True


def literal_step(X, V, bases, c, s, psi):
    """One pass in the order of the file, with every matrix written out."""
    v, S, a, b, Y = s
    B, d = V.shape
    lam = 2 * psi * (1 - psi) / B
    q = sum(b[k] ** 2 * (S - bases[k]) ** 2 for k in range(B))
    Om = np.minimum(1, lam / (2 * np.maximum(q, 1e-300)))
    L = np.diag((S + S.T).sum(axis=1) / 2) - (S + S.T) / 2
    A = X.T @ L @ X
    values, vectors = np.linalg.eigh(np.diag(v) @ A @ np.diag(v))
    null = vectors[:, values < 1e-12 * values.sum()]
    P = vectors[:, :c]
    if null.shape[1] > c:
        P = null @ np.linalg.eigh(null.T @ np.diag(np.diag(A)) @ null)[1][:, :c]
    H = 4 * A * (P @ P.T) + 2 * (a**2).sum() * np.eye(d)
    v = simplex_program(H, 2 * a**2 @ V)
    Z = X @ np.diag(v) @ P
    apart = ((Z[:, None] - Z) ** 2).sum(axis=2) + ((Y[:, None] - Y) ** 2).sum(axis=2)
    mean = sum(b[k] ** 2 * bases[k] for k in range(B))
    S = np.clip((mean - apart / (2 * Om**2)) / (b**2).sum(), 0, 1)
    L = np.diag(S.sum(axis=1)) - S
    count, of = connected_components(S > 0)
    if count > c:
        size = np.array([S[of == i].sum() for i in range(count)])
        Y = np.column_stack([of == i for i in np.argsort(-size, kind="stable")[:c]]) / 1.0
        Y /= np.linalg.norm(Y, axis=0)
    else:
        Y = np.linalg.eigh(L)[1][:, :c]
    b = np.array([1 / ((Om * (S - base)) ** 2).sum() for base in bases])
    a = 1 / ((v - V) ** 2).sum(axis=1)
    return v, S, a / a.sum(), b / b.sum(), Y


@pytest.mark.parametrize(("n", "d"), [(30, 8), (15, 25), (15, 40)])
def test_every_pass_is_its_dense_twin(n, d):
    """Pass by pass: 1 / Omega^2 makes much of a rounding error in ten passes."""
    problem = ensemble(n, d)
    state = problem.start()
    bases = [base.astype(float) for base in problem.base]
    for psi in np.repeat([0.9, 0.8], 5):
        before = (state.v, state.S, state.a, state.b, state.Y)
        state = problem.step(state)
        twin = literal_step(problem.X, problem.V, bases, 3, before, psi)
        for own, literal in zip((state.v, state.S, state.a, state.b), twin, strict=False):
            assert_allclose(own, literal, atol=1e-8)


def test_exact_end_of_the_program_only_where_it_is_feasible():
    H = np.diag([2.0, 2.0, 1.0])
    start, target = np.array([0.5, 0.5, 0.0]), np.array([1.0, 0.8, 0.0])
    for bounds in ((1.0, 2.0), (1.0, 1e13)):  # factored; and where rounding may hide the least
        assert_allclose(_on_its_support(H, target, start, bounds), [0.6, 0.4, 0])
    v = np.array([0.9, 0.1, 0.0])
    assert_allclose(_on_its_support(H, np.array([9.0, 0.0, 0.0]), v, (1.0, 2.0)), v)


def test_wide_tables_do_not_depend_on_the_order_of_columns():
    """Deviation D5: as published, P is any basis of a null space here."""
    problem = ensemble(15, 25)
    order = np.random.RandomState(2).permutation(25)
    other = Ensemble(problem.X[:, order], problem.V[:, order], np.zeros((0, 15)), 3)
    other.base = problem.base
    s, t = problem.start(), other.start()
    for _ in range(8):
        s, t = problem.step(s), other.step(t)
    assert_allclose(t.v, s.v[order], atol=1e-8)


def test_scores_do_not_depend_on_copies_of_the_table():
    """Deviation D4: divided by sqrt(d), a table twice side by side has the same terms."""
    X = StandardScaler().fit_transform(table(60, 6))
    one, two = X / np.sqrt(6), np.hstack([X, X]) / np.sqrt(12)
    assert_allclose(one @ one.T, two @ two.T)
    assert_allclose((one**2).sum(axis=1).mean(), 1)


def test_model_is_degenerate_any_single_base_costs_nothing():
    """Deviation D2 (i): the term of the rankings is 0 at v = v_k, a = e_k, and positive between."""
    problem = ensemble(30, 8)

    def term(v, a):
        return float(a**2 @ ((v - problem.V) ** 2).sum(axis=1))

    for k, v in enumerate(problem.V):
        assert term(v, np.eye(4)[k]) == 0
    assert term(problem.V.mean(axis=0), np.full(4, 0.25)) > 0


def test_rankings_alone_run_into_one_of_them():
    """What (i) does where no clustering holds v back."""
    problem = ensemble(30, 8)
    s = problem.start()._replace(A=np.zeros((8, 8)))
    for _ in range(40):
        s = problem.update_a(problem.update_v(s))
    assert s.a.max() == pytest.approx(1)
    assert_allclose(s.v, problem.V[s.a.argmax()], atol=1e-8)


def test_collapse_is_said():
    with pytest.warns(DataWarning, match="number 1 counts 0.80"):
        _warn_if_collapsed(np.array([0.1, 0.8, 0.1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _warn_if_collapsed(np.full(4, 0.25))
        _warn_if_collapsed(np.ones(1))


def test_consensus_of_real_bases():
    est = BLSFE(4, n_clusters=8, n_bases=4, max_iter=3, random_state=0).fit(table(60, 12))
    assert est.scores_.sum() == pytest.approx(1)
    assert est.base_weights_.sum() == pytest.approx(1)


def test_too_large_a_table_is_refused():
    with pytest.raises(TooLargeError, match=r"BLSFE on 4 rows and 12000 columns .* GB"):
        BLSFE(3).fit(np.zeros((4, 12000)))


def test_more_bases_than_rows_allow_are_no_question_of_memory():
    X = np.random.RandomState(0).standard_normal((60, 12))
    est = BLSFE(4, n_bases=10**9, max_iter=1, random_state=0).fit(X)
    assert est.base_weights_.shape == (6,)  # parts of at least 10 rows


def test_exact_end_of_the_programme_keeps_what_rounding_hides():
    """As with scale="none" on columns far from 0: Cholesky found this H not positive definite."""
    a = np.array([1e9, -1e9, 3e8])
    H = np.outer(a, a) + np.diag([1.0, 1.0, 1.0])
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(H)
    bounds = (1.0, float(a @ a))
    v = _on_its_support(H, np.array([0.3, 0.3, 0.0]), np.array([0.4, 0.4, 0.2]), bounds)
    assert_allclose(v.sum(), 1)
    assert v.min() >= 0
