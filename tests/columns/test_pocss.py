"""POCSS: the random process of the paper, its tables, its guards, and what the class promises."""

import math
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare
from sklearn.datasets import load_digits

from sksieve import POCSS
from sksieve.columns import GramProblem
from sksieve.columns.search import _pocss
from sksieve.columns.search._pocss import ParetoSearch, flip_count_cdf, subsets
from sksieve.exceptions import DataError, RankDeficiencyWarning, TooLargeError
from sksieve.kernels import _pocss as kernel
from sksieve.kernels._pocss_random import next_word, random_integer, uniform
from sksieve.testing import check_pure_step, check_resume

from .pocss_twin import Twin, Xoshiro


def problem_of(A):
    G = A.T @ A
    return GramProblem((G + G.T) / 2)


def unit(X):
    return X / np.linalg.norm(X, axis=0)


def error(A, S):
    """f(S) by an orthonormal basis, twice for the digits."""
    Q = np.linalg.qr(A[:, list(S)])[0]
    E = A - Q @ (Q.T @ A)
    E -= Q @ (Q.T @ E)
    return float((E**2).sum())


def run(search, state, n_mutations):
    search = search.ending_at(state.n_iter + n_mutations)
    while state.n_iter < search.last:
        state = search.step(state)
    return state


def assert_sound(state, A):
    """Every subset held has the error that is said, and none is as good as a smaller one."""
    total = (A**2).sum()
    held = subsets(state)
    assert state.f[0] == pytest.approx(total, rel=1e-13)
    f = [state.f[0]]
    for c, S in held.items():
        assert len(set(S)) == c
        assert state.f[c] >= 0
        assert abs(state.f[c] - error(A, S)) <= 1e-12 * total
        f.append(state.f[c])
    assert (np.diff(f) < 0).all()
    assert not np.isnan(state.f).any()


# --- the random numbers -------------------------------------------------------------------------


def test_generator_is_xoshiro():
    rng_state = np.array([1, 2, 3, 2**64 - 5], dtype=np.uint64)
    twin = Xoshiro(rng_state)
    assert [int(next_word(rng_state)) for _ in range(200)] == [twin.word() for _ in range(200)]
    assert [uniform(rng_state) for _ in range(50)] == [twin.uniform() for _ in range(50)]
    assert [random_integer(rng_state, 1000) for _ in range(50)] == [
        twin.random_integer(1000) for _ in range(50)
    ]
    assert [int(w) for w in rng_state] == twin.s


def test_first_words_of_the_reference_implementation():
    """From the authors' C program, seeded with 1, 2, 3, 4."""
    rng_state = np.arange(1, 5, dtype=np.uint64)
    assert [int(next_word(rng_state)) for _ in range(4)] == [
        11520,
        0,
        1509978240,
        1215971899390074240,
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 60, 5000])
def test_number_of_flips_is_binomial(n):
    cdf = flip_count_cdf(n)
    np.testing.assert_allclose(cdf, binom.cdf(np.arange(len(cdf)), n, 1 / n), atol=2e-15)
    assert cdf[-1] == 1
    assert len(cdf) <= n + 1


def test_every_bit_flips_with_probability_one_in_n():
    """Counts of the 2^6 possible masks of 6 bits, against their law."""
    n, rounds = 6, 200_000
    rng_state = np.random.RandomState(0).randint(0, 2**64, 4, dtype=np.uint64)
    cdf, flips, counts = flip_count_cdf(n), np.zeros(7, np.int64), np.zeros(2**n)
    for _ in range(rounds):
        d = kernel.draw_count(rng_state, cdf)
        kernel.draw_columns(rng_state, n, d, flips)
        counts[sum(1 << int(j) for j in flips[:d])] += 1
    weight = np.array([bin(mask).count("1") for mask in range(2**n)])
    expected = rounds * (1 / n) ** weight * (1 - 1 / n) ** (n - weight)
    rare = expected < 5
    observed = np.append(counts[~rare], counts[rare].sum())
    assert chisquare(observed, np.append(expected[~rare], expected[rare].sum())).pvalue > 1e-4


def test_a_subset_of_equal_cost_replaces_the_one_held():
    """Algorithm 1 removes what the new subset weakly dominates: its equals too."""
    n, k = 4, 2
    search = ParetoSearch(GramProblem(np.eye(n)), k, k + 1)
    state = search.start(np.random.RandomState(0))
    held = {1: set(), 2: set()}
    for _ in range(300):
        state = run(search, state, 10)
        for size, S in subsets(state).items():
            held[size].add(frozenset(S))
            assert state.f[size] == n - size
    assert held[1] == {frozenset({j}) for j in range(n)}
    assert held[2] == {frozenset(pair) for pair in combinations(range(n), 2)}


# --- the literal twin ---------------------------------------------------------------------------


def assert_same_archive(A, k, cap, *, seed=0, swap=0.0, parts=4, n_mutations=750):
    search = ParetoSearch(problem_of(A), k, cap, swap)
    state = search.start(np.random.RandomState(seed))
    twin = Twin(A, cap, state.rng_state, swap)
    for _ in range(parts):
        state = run(search, state, n_mutations)
        twin.mutate(n_mutations)
        assert [int(w) for w in state.rng_state] == twin.random.s
        assert [frozenset(), *map(frozenset, subsets(state).values())] == twin.sets()
        for z in twin.P:
            assert abs(z.f1 - state.f[z.f2]) <= 1e-12 * state.f[0]
    return state


@pytest.mark.parametrize("swap", [0.0, 0.5])
def test_archive_is_the_twins_where_all_subsets_of_a_size_cost_the_same(swap):
    """Costs are whole numbers here: every replacement is one by an equal."""
    assert_same_archive(np.eye(5), 3, 4, swap=swap, n_mutations=200)


@pytest.mark.parametrize("seed", range(24))
def test_archive_is_the_twins(seed):
    """24 random problems, tall and wide, every fourth badly conditioned, every third with swaps."""
    rng = np.random.RandomState(seed)
    n, m = rng.randint(3, 25), rng.randint(3, 40)
    A = rng.standard_normal((m, n)) * (rng.random_sample(n) + 0.1)
    if seed % 4 == 1:
        A = A @ rng.standard_normal((n, n))
    k = rng.randint(1, n + 1)
    cap = min(2 * k, n + 1) if k > 1 else 2
    state = assert_same_archive(A, k, cap, seed=seed, swap=(0, 0, 0.5)[seed % 3])
    assert_sound(state, A)


def test_archive_is_the_twins_on_sonar(real_data):
    A = unit(sonar(real_data))
    state = assert_same_archive(A, 50, 61, parts=5, n_mutations=1500)
    assert_sound(state, A)
    assert state.seen[0] > 40


# --- tables -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def archive():
    """A search in the middle: 12 columns, 30 rows."""
    rng = np.random.RandomState(5)
    A = rng.standard_normal((30, 12)) @ np.diag(0.3 + rng.random_sample(12))
    A[:, 6:] += A[:, :6]
    search = ParetoSearch(problem_of(A), 6, 13)
    return A, search, run(search, search.start(rng), 3000)


@pytest.mark.parametrize("d", [2, 3, 4, 6])
@pytest.mark.parametrize("need", [-np.inf, -0.5, -1e-3, 0.0, 1e-3, 0.2, 1.0])
def test_changes_of_f_are_right_and_no_bound_is_too_sharp(archive, d, need):
    """Against QR: what is let through is exact, what is stopped does not lower f by `need`."""
    A, search, state = archive
    rng = np.random.RandomState(d)
    total, stopped = state.f[0], 0
    for c in range(1, 12):
        if not np.isfinite(state.f[c]):
            continue
        S = set(state.S[c, :c].tolist())
        for _ in range(12):
            flips = rng.choice(12, d, replace=False)
            change = kernel.judge(state, search.data, search._workspace, c, flips, need)
            exact = error(A, sorted(S ^ set(flips.tolist()))) - state.f[c]
            if np.isfinite(change):
                assert abs(change - exact) <= 1e-10 * total
            else:
                stopped += 1
                assert exact > -need - 1e-10 * total
    assert (stopped == 0) == (need == -np.inf)


def test_a_subset_that_is_held_is_no_news(archive):
    _, search, state = archive
    after = run(search, state, 50_000)
    for c, S in subsets(after).items():
        assert after.hash[c] == np.bitwise_xor.reduce(search.data.key[S])
    again = run(search, after, 200_000)
    stays = [c for c in subsets(after) if set(after.S[c, :c]) == set(again.S[c, :c])]
    for c in stays:
        np.testing.assert_array_equal(after.gain[c], again.gain[c])
    assert len(stays) >= 10


# --- the step -----------------------------------------------------------------------------------


@pytest.fixture
def short_batches(monkeypatch):
    monkeypatch.setattr(_pocss, "SHORTEST_BATCH", 40)
    monkeypatch.setattr(_pocss, "BYTES_PER_MUTATION", 2**40)


def search_on(n=14, m=40, k=7, seed=1):
    A = np.random.RandomState(seed).standard_normal((m, n)) * np.linspace(1, 3, n)
    return A, ParetoSearch(problem_of(A), k, min(2 * k, n + 1))


@pytest.mark.usefixtures("short_batches")
def test_step_is_pure_and_resumes():
    _, search = search_on()
    state = search.start(np.random.RandomState(0))
    check_pure_step(search, state, n_steps=5)
    check_resume(search, state, 8, 12)
    check_pure_step(search, run(search, state, 4000), n_steps=3)


def test_how_mutations_are_batched_does_not_matter(monkeypatch):
    _, search = search_on()
    first = search.start(np.random.RandomState(0))
    whole = run(search, first, 6000)
    for length in (1, 7, 1000):
        monkeypatch.setattr(_pocss, "SHORTEST_BATCH", length)
        parts = run(search, run(search, first, 1234), 6000 - 1234)
        for name, x in whole._asdict().items():
            np.testing.assert_array_equal(x, getattr(parts, name), err_msg=name)


def test_batches_grow_with_the_state_and_not_with_the_clock():
    _, search = search_on()
    state = search.start(np.random.RandomState(0))
    assert search.step(state).n_iter == _pocss.SHORTEST_BATCH
    wide = ParetoSearch(problem_of(np.random.RandomState(0).standard_normal((50, 400))), 40, 80)
    state = wide.step(wide.start(np.random.RandomState(0)))
    lengths = []
    for _ in range(3):
        new = wide.step(state)
        lengths.append(new.n_iter - state.n_iter)
        state = new
    assert max(lengths) > _pocss.SHORTEST_BATCH


# --- hard data ----------------------------------------------------------------------------------


def hard_tables():
    rng = np.random.RandomState(0)
    A = rng.standard_normal((50, 8))
    low = rng.standard_normal((40, 5)) @ rng.standard_normal((5, 20))
    return {
        "copies": np.column_stack([A, A, -2 * A]),
        "zeros": np.column_stack([A, np.zeros((50, 4)), A[:, :2]]),
        "nearly copies": np.column_stack([A, A + 1e-4 * rng.standard_normal(A.shape)]),
        "hardly copies": np.column_stack([A, A + 1e-7 * rng.standard_normal(A.shape)]),
        "low rank": low,
        "low rank and noise": low + 1e-4 * rng.standard_normal(low.shape),
        "scales": A * 10.0 ** np.linspace(-4, 4, 8),
        "powers": np.vander(np.linspace(0.1, 1, 40), 16),
        "one row": A[:1],
    }


@pytest.mark.parametrize("name", hard_tables())
@pytest.mark.parametrize("swap", [0.0, 0.5])
def test_no_false_gain(name, swap):
    A = hard_tables()[name]
    n = A.shape[1]
    search = ParetoSearch(problem_of(A), n, n + 1, swap)
    state = run(search, search.start(np.random.RandomState(0)), 60_000)
    assert_sound(state, A)
    assert max(subsets(state)) <= np.linalg.matrix_rank(A)
    low = {"copies": 8, "zeros": 8, "low rank": 5, "one row": 1}
    if name in low:
        assert max(subsets(state)) == low[name]


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 9), st.integers(0, 3))
def test_any_small_integers(seed, m, n, copies):
    """Small integers: ties, zero columns, copies, dependence, all exact."""
    rng = np.random.RandomState(seed)
    A = rng.randint(-2, 3, (m, n)).astype(float)
    A = np.column_stack([A, A[:, rng.randint(0, n, copies)]])
    n += copies
    search = ParetoSearch(problem_of(A), n, n + 1)
    state = run(search, search.start(rng), 2000)
    assert_sound(state, A)
    rank = np.linalg.matrix_rank(A)
    assert max(subsets(state), default=0) <= rank
    assert max(subsets(search.filled(state)), default=0) == rank


def test_more_columns_than_the_rank_are_not_returned():
    A = hard_tables()["low rank"]
    with pytest.warns(RankDeficiencyWarning, match=r"rank 5: .*n_features_to_select=9"):
        sel = POCSS(9, random_state=0, scale="unit").fit(A)
    assert sel.n_features_to_select_ == 5
    assert sel.objective_ <= 1e-12 * sel.error_path_[0]
    with pytest.raises(DataError, match="zero"):
        POCSS(2, scale="unit").fit(np.zeros((4, 3)))


# --- the class ----------------------------------------------------------------------------------


def small():
    rng = np.random.RandomState(3)
    return rng.standard_normal((60, 5)) @ rng.standard_normal((5, 15)) + 0.3 * rng.standard_normal(
        (60, 15)
    )


def test_budget_of_the_paper_and_history():
    sel = POCSS(4, random_state=0, scale="unit").fit(small())
    assert sel.n_iter_ == math.ceil(2 * math.e * 4**2 * 15)
    assert sel.stop_reason_ == "max_iter"
    long = POCSS(4, max_iter=100_000, random_state=0, scale="unit").fit(small())
    objective = [record["objective"] for record in long.history_]
    assert len(objective) == 100_000 // _pocss.SHORTEST_BATCH
    assert (np.diff(objective) <= 1e-15 * long.error_path_[0]).all()
    assert long.history_[-1].keys() == {"n_iter", "objective", "change", "seconds"}
    assert objective[-1] == pytest.approx(long.objective_, rel=1e-9)


def test_path_is_a_front():
    for polish in (False, True):
        sel = POCSS(6, max_iter=3000, polish=polish, random_state=1, scale="unit").fit(small())
        errors = np.array(list(sel.error_path_.values()))
        assert (np.diff(errors) < 0).all()
        assert 6 in sel.path_
        assert max(sel.path_) <= 11


def test_cap():
    assert (
        max(POCSS(3, max_iter=20_000, max_size=3, random_state=0, scale="unit").fit(small()).path_)
        == 3
    )
    assert (
        max(POCSS(3, max_iter=20_000, max_size=15, random_state=0, scale="unit").fit(small()).path_)
        == 15
    )
    for size in (2, 16):
        with pytest.raises(ValueError, match=f"max_size={size} .* between .*=3 and .*, 15"):
            POCSS(3, max_size=size, scale="unit").fit(small())


def test_unlucky_runs_still_give_k_columns():
    """After one mutation the archive has next to nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sel = POCSS(7, max_iter=1, polish=False, random_state=0, scale="unit").fit(small())
    assert sel.get_support().sum() == 7
    assert (np.diff(list(sel.error_path_.values())) < 0).all()


def test_polish_never_worsens_and_no_exchange_is_left():
    A = unit(small())
    for seed in range(5):
        plain = POCSS(5, max_iter=200, polish=False, random_state=seed, scale="unit").fit(A)
        sel = POCSS(5, max_iter=200, random_state=seed, scale="unit").fit(A)
        assert sel.objective_ <= plain.objective_ + 1e-12
        S = set(sel.ranking_[:5].tolist())
        for i in S:
            for j in set(range(15)) - S:
                assert error(A, (S - {i}) | {j}) >= sel.objective_ - 1e-10


def test_polished_path_is_a_front():
    """A larger subset goes where the polished one is as good."""
    for seed in range(20):
        rng = np.random.RandomState(seed)
        A = rng.randn(40, 5) @ rng.randn(5, 20) + 0.05 * rng.randn(40, 20)
        sel = POCSS(5, max_iter=200, random_state=seed, scale="unit").fit(A)
        assert (np.diff(list(sel.error_path_.values())) < 0).all()


@pytest.mark.parametrize(
    ("mutation", "swap"), [("bitwise", 0.0), ("swap", 0.5), (0.9, 0.9), (1, 1)]
)
def test_mutations(mutation, swap, monkeypatch):
    seen = []
    monkeypatch.setattr(_pocss, "mutate", lambda archive, data, *rest: seen.append(data.swap))
    POCSS(3, mutation=mutation, random_state=0, scale="unit").fit(small())
    assert seen == [swap]
    with pytest.raises(ValueError, match="mutation"):
        POCSS(3, mutation=1.5, scale="unit").fit(small())


def test_warm_start_goes_on_bit_for_bit():
    X = small()
    whole = POCSS(6, max_iter=700, random_state=0, scale="unit").fit(X)
    sel = POCSS(6, max_iter=300, warm_start=True, random_state=0, scale="unit").fit(X)
    sel.set_params(max_iter=400).fit(X)
    assert sel.n_iter_ == 400
    assert sel.path_.keys() == whole.path_.keys()
    for size in whole.path_:
        assert set(sel.path_[size]) == set(whole.path_[size])
    assert sel.history_[-1]["objective"] == whole.history_[-1]["objective"]
    cold = POCSS(6, max_iter=300, random_state=0, scale="unit").fit(X)
    cold.set_params(max_iter=400).fit(X)
    assert cold.history_[-1]["n_iter"] == 400
    assert not hasattr(cold, "_kept")


def test_warm_start_takes_subsets_to_other_data_and_sizes():
    X = small()
    sel = POCSS(6, max_iter=50_000, warm_start=True, random_state=0, scale="unit").fit(X[:30])
    before = sel.path_
    sel.set_params(max_iter=1).partial_fit(X[30:])
    assert sel.n_samples_seen_ == 60
    A = unit(X)
    for size in before.keys() & sel.path_.keys():
        if size != 6:
            assert error(A, sel.path_[size]) <= error(A, before[size]) + 1e-12
    sel.set_params(n_features_to_select=3).fit(X)
    assert max(sel.path_) <= 5
    sel.set_params(n_features_to_select=4).fit(X[:, :8])
    assert sel.ranking_.size == 8
    assert max(sel.path_) <= 7


def test_warm_start_values_the_subsets_on_the_new_data():
    X = small()
    sel = POCSS(5, max_iter=2000, warm_start=True, random_state=0, scale="unit").fit(X[:30])
    sel.set_params(max_iter=1).fit(X[30:])
    assert_sound(sel._kept[1], unit(X[30:]))


def test_an_adapted_archive_is_sound():
    A, search = search_on()
    state = run(search, search.start(np.random.RandomState(0)), 3000)
    B = A.copy()
    B[:, 3] = B[:, 4]
    other = ParetoSearch(problem_of(B), 5, 9)
    adapted = other.adapt(state)
    assert_sound(adapted, B)
    assert adapted.n_iter == state.n_iter
    assert_sound(run(other, adapted, 3000), B)
    same = ParetoSearch(search.problem, 7, 14).adapt(state)
    assert {c: set(S) for c, S in subsets(same).items()} == {
        c: set(S) for c, S in subsets(state).items()
    }


def test_time_budget_and_callbacks_end_the_run():
    sel = POCSS(5, max_iter=10**9, time_budget=0.05, random_state=0).fit(small())
    assert sel.stop_reason_ == "time_budget"
    assert sel.n_iter_ < 10**9
    sel = POCSS(5, max_iter=10**9, random_state=0)
    sel.set_callbacks(lambda record, state: record["n_iter"] >= 50_000)
    assert sel.fit(small()).n_iter_ == 50_000
    assert sel.get_support().sum() == 5


def test_memory_is_told_beforehand(monkeypatch):
    n, k = 1000, 50
    figure = POCSS(k, scale="unit")._memory(n, k)
    of_the_tables = 32 * n * n + 2 * 16 * n * k * (2 * k - 1)
    assert of_the_tables <= figure <= 1.2 * of_the_tables
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", str(figure - 1))
    with pytest.raises(TooLargeError, match="POCSS on 1000 columns would need"):
        POCSS(k, scale="unit", solver="gram").fit(np.ones((2, n)))


# --- the paper's figures, and proven optima -----------------------------------------------------


def sonar(real_data):
    X = np.asarray(real_data("sonar").X, dtype=float)
    return 2 * (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) - 1


def test_sonar_as_in_the_paper(real_data):
    """Table 1: 2.524 over 10 runs of the full budget."""
    X = sonar(real_data)
    ratios = []
    for seed in range(10):
        sel = POCSS(50, polish=False, random_state=seed, scale="unit").fit(X)
        ratios.append(sel.error_ratio_)
        assert sel.error_ratio_ >= 2.522087 - 1e-6  # the best known
    assert np.mean(ratios) <= 2.524


OPTIMA = {
    "sonar": {1: 1.12852, 2: 1.30933, 3: 1.34177, 4: 1.36840, 5: 1.36728, 6: 1.36254},
    "digits": {2: 1.11191, 3: 1.15048, 4: 1.18578, 5: 1.21432},
    "dna": {2: 1.10884, 3: 1.07133, 4: 1.07502},
}
#: Not reached by every few runs, though some reach them.
HARD = {("sonar", 4), ("digits", 4)}


@pytest.mark.parametrize(
    ("name", "k"), [(name, k) for name, by_size in OPTIMA.items() for k in by_size]
)
def test_proven_optima(name, k, real_data):
    """Never better, and reached in 3 runs of 300 000 mutations."""
    if name == "digits":
        X = load_digits().data
        X = X[:, X.std(axis=0) > 0]
    else:
        X = sonar(real_data) if name == "sonar" else np.asarray(real_data(name).X, dtype=float)
    ratios = [
        POCSS(k, max_iter=T, random_state=seed, scale="unit").fit(X).error_ratio_
        for seed, T in [(0, 300_000), (1, 300_000), (2, 300_000), (3, None)]
    ]
    assert min(ratios) >= OPTIMA[name][k] - 1e-5
    if (name, k) not in HARD:
        assert min(ratios) <= OPTIMA[name][k] + 1e-5
