"""What every column subset method promises, checked from the data themselves and not from G.

The reference is a QR factorization of the scaled table in extended precision where that matters;
nothing here uses the package's own linear algebra.
"""

import copy
import re
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import hadamard

from sksieve.catalogue import METHODS, get_method
from sksieve.columns import BaseColumnSubset
from sksieve.exceptions import DataError, RankDeficiencyWarning, TooLargeError

from .cases import K, every_column_subset, make, once, table, with_option

SCALES = ["unit", "standard", "none"]
every_scale = pytest.mark.parametrize("scale", SCALES)
every_subset_and_scale = with_option("scale", SCALES, "standard", of=("fit", "partial_fit"))
QUIET = "ignore::sksieve.exceptions.RankDeficiencyWarning"


def scaled(X, scale):
    """The table whose columns are chosen, by its definition."""
    if scale == "none":
        return X
    A = X - X.mean(axis=0) if scale == "standard" else X
    length = np.linalg.norm(A, axis=0)
    return A / np.where(length > 0, length, 1)


def residual(A, S):
    """What the columns S leave of A, by an orthonormal basis."""
    Q = np.linalg.qr(A[:, S])[0]
    left = A - Q @ (Q.T @ A)
    return left - Q @ (Q.T @ left)  # twice is enough


def equal_answers(a, b, rtol=1e-9):
    """Two fits, one of them by another road."""
    k = a.n_features_to_select_
    assert_array_equal(a.ranking_[:k], b.ranking_[:k])
    assert list(a.path_) == list(b.path_)
    scale = a.error_path_[0]
    for size in a.path_:
        assert_array_equal(np.sort(a.path_[size]), np.sort(b.path_[size]))
        assert abs(a.error_path_[size] - b.error_path_[size]) <= rtol * scale
    assert_allclose(a.explained_by_, b.explained_by_, atol=1e-8)
    assert_allclose(a.coef_, b.coef_, atol=1e-6 * np.abs(b.coef_).max())
    assert_allclose(a.intercept_, b.intercept_, atol=1e-6 * (1 + np.abs(b.intercept_).max()))
    assert a.n_samples_seen_ == b.n_samples_seen_


@every_subset_and_scale
@pytest.mark.parametrize("shape", [(60, 12), (9, 14)], ids=["tall", "wide"])
def test_errors_are_those_of_the_table(method, scale, shape):
    X = table(*shape)
    est = make(method, scale=scale).fit(X)
    A = scaled(X, scale)
    total = (A**2).sum()
    assert_allclose(est.error_path_[0], total, rtol=1e-12)
    sizes = list(est.path_)
    assert sizes == sorted(sizes)
    assert list(est.error_path_) == [0, *sizes]
    assert K in est.path_
    for size, S in est.path_.items():
        assert len(set(S)) == size
        expected = (residual(A, S) ** 2).sum()
        assert abs(est.error_path_[size] - expected) <= 1e-12 * total
    assert est.objective_ == est.error_path_[K]
    assert set(est.path_[K]) == set(est.ranking_[:K])


@once("columns", of=("fit", "partial_fit"))
@every_scale
@pytest.mark.parametrize("shape", [(60, 12), (9, 14)], ids=["tall", "wide"])
def test_no_subset_beats_the_svd(method, scale, shape):
    X = table(*shape)
    est = make(method, scale=scale).fit(X)
    values = np.linalg.svd(scaled(X, scale), compute_uv=False) ** 2
    for size, error in est.error_path_.items():
        bound = values[size:].sum()
        assert abs(est.svd_error_path_[size] - bound) <= 1e-12 * values.sum()
        assert error >= bound - 1e-12 * values.sum()
    assert est.error_ratio_ >= 1
    assert_allclose(est.error_ratio_, est.objective_ / values[K:].sum(), rtol=1e-8)


@once("columns", of=("fit", "partial_fit"))
@every_scale
def test_explained_by_is_r_squared(method, scale):
    X = table()
    est = make(method, scale=scale).fit(X)
    A = scaled(X, scale)
    left = (residual(A, est.ranking_[:K]) ** 2).sum(axis=0)
    assert_allclose(est.explained_by_, 1 - left / (A**2).sum(axis=0), atol=1e-10)
    assert_array_equal(est.explained_by_[est.ranking_[:K]], 1)
    assert (est.explained_by_ >= 0).all()
    assert (est.explained_by_ <= 1).all()


@once("columns", of=("fit", "partial_fit"))
@every_scale
def test_coefficients_reconstruct_the_table_in_its_own_units(method, scale):
    X = 100 * table() - 30
    est = make(method, scale=scale).fit(X)
    reconstructed = est.transform(X) @ _by_position(est) + est.intercept_
    centered = X - X.mean(axis=0) if scale == "standard" else X
    r2 = 1 - ((X - reconstructed) ** 2).sum(axis=0) / (centered**2).sum(axis=0)
    assert_allclose(r2, est.explained_by_, atol=1e-9)
    assert est.coef_.shape == (12, K)
    if scale != "standard":
        assert_array_equal(est.intercept_, 0)


def _by_position(est):
    """`transform` keeps the columns in the table's order, `coef_` in the ranking's."""
    return est.coef_.T[np.argsort(est.ranking_[: est.n_features_to_select_])]


@every_column_subset
def test_order_is_what_each_adds(method):
    X = table()
    est = make(method).fit(X)
    A = scaled(X, "standard")
    chosen, rest = est.ranking_[:K], est.ranking_[K:]
    left = (residual(A, chosen) ** 2).sum(axis=0)
    assert (np.diff(left[rest]) <= 1e-12).all(), "the worst explained comes first"
    if not method.nested:
        for i in range(K):
            errors = [(residual(A, np.append(chosen[:i], j)) ** 2).sum() for j in chosen[i:]]
            assert errors[0] <= min(errors) + 1e-12


@every_subset_and_scale
def test_partial_fit_is_fit(method, scale):
    X = table()
    whole = make(method, scale=scale).fit(X)
    est = make(method, scale=scale)
    for block in np.split(X, [1, 7, 30]):
        assert est.partial_fit(block) is est
    equal_answers(est, whole)


@once("columns", of=("fit", "partial_fit"))
@every_scale
def test_sparse_blocks_among_dense_ones(method, scale):
    X = table()
    est = make(method, scale=scale).partial_fit(X[:20])
    est.partial_fit(sp.csr_array(X[20:40])).partial_fit(X[40:])
    equal_answers(est, make(method, scale=scale).fit(X))


@once("columns", of=("fit", "partial_fit"))
def test_an_answer_may_be_asked_for_between_blocks(method):
    X = table()
    est = make(method).partial_fit(X[:30])
    equal_answers(est, make(method).fit(X[:30]))
    est.partial_fit(X[30:])
    equal_answers(est, make(method).fit(X))


@once("columns", of=("fit", "partial_fit"))
def test_whatever_attribute_is_read_first_after_partial_fit(method):
    """None is missing before another is read, and none is that of an earlier choice."""
    X = table()
    whole = make(method).fit(X)
    names = [name for name in dir(whole) if name[-1] == "_" and name[0] != "_"]
    assert {"solver_", "candidates_", "n_passes_", "target_", "outside_gain_"} <= set(names)
    earlier = make(method).fit(X[:30])
    for name in names:
        est = copy.deepcopy(earlier).partial_fit(X[30:])
        assert not vars(est).keys() & set(names) - {"n_features_in_", "feature_names_in_"}
        assert hasattr(est, name), name
        equal_answers(est, whole)
        assert vars(est).keys() >= vars(whole).keys() - {"_asked"}, name
    with pytest.raises(AttributeError, match="no_such_"):
        make(method).partial_fit(X).no_such_  # noqa: B018


@once("columns", of=("fit", "partial_fit"))
def test_fit_forgets_partial_fit_goes_on(method):
    X = table()
    est = make(method).fit(X[:30]).partial_fit(X[30:])
    equal_answers(est, make(method).fit(X))
    assert est.fit(X[:30]).n_samples_seen_ == 30
    equal_answers(est, make(method).fit(X[:30]))


@once("columns", of=("fit", "partial_fit"))
@pytest.mark.parametrize("form", ["memmap", "dask", "iterator", "generator of CSR", "float32"])
def test_every_source_of_rows(method, form, tmp_path):
    X = np.round(8 * table()) / 8  # exact in float32
    source = X
    if form == "memmap":
        np.save(tmp_path / "X.npy", X.astype(np.float32))
        source = np.load(tmp_path / "X.npy", mmap_mode="r")
    elif form == "dask":
        source = pytest.importorskip("dask.array").from_array(X, chunks=(17, 5))
    elif form == "iterator":
        source = iter(np.split(X, [20, 21]))
    elif form == "generator of CSR":
        source = (sp.csr_array(block) for block in np.split(X, [20, 21]))
    else:
        source = X.astype(np.float32)
    equal_answers(make(method).fit(source), make(method).fit(X))


@once("columns", of=("fit", "partial_fit"))
def test_blocks_are_refused_like_tables(method):
    X = table()
    bad = X[:5].copy()
    bad[2, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        make(method).fit(iter([X, bad]))
    with pytest.raises(ValueError, match="7 features"):
        make(method).fit(iter([X, X[:, :7]]))
    with pytest.raises(ValueError, match="no row blocks"):
        make(method).fit(iter([]))
    with pytest.raises(ValueError, match="1 sample"):
        make(method).fit(iter([X[:1]]))
    est = make(method).fit(X)
    before = est.ranking_.copy()
    with pytest.raises(ValueError, match="NaN"):
        est.partial_fit(bad)
    assert_array_equal(est.ranking_, before)
    assert est.n_samples_seen_ == len(X)


@once("columns", of=("fit", "partial_fit"))
def test_a_failed_fit_gives_no_answer(method):
    X = table()
    est = make(method).fit(X)
    X[40, 3] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        est.fit(X)
    assert not hasattr(est, "ranking_")
    assert not hasattr(est, "path_")


def low_rank(rank=3, d=10, n=40):
    rng = np.random.RandomState(3)
    return rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))


@every_subset_and_scale
def test_rank_columns_when_more_are_asked_for(method, scale):
    X = low_rank()
    est = make(method, scale=scale, n_features_to_select=6)
    with pytest.warns(RankDeficiencyWarning, match=r"rank 3: .*n_features_to_select=6"):
        est.fit(X)
    assert est.n_features_to_select_ == 3
    assert est.get_support().sum() == 3
    assert max(est.path_) == 3
    assert np.linalg.matrix_rank(scaled(X, scale)[:, est.get_support()]) == 3
    assert 0 <= est.objective_ <= 1e-12 * est.error_path_[0]
    assert_allclose(est.explained_by_, 1, atol=1e-10)
    assert est.error_ratio_ >= 1


@every_column_subset
@pytest.mark.filterwarnings(QUIET)
def test_fewer_rows_than_columns_wanted(method):
    X = table(3, 9)
    est = make(method, n_features_to_select=5).fit(X)
    assert est.n_features_to_select_ == 2, "three centered rows have rank 2"
    assert sorted(est.ranking_) == list(range(9))


@every_column_subset
def test_at_the_rank_nothing_is_said(method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        est = make(method, n_features_to_select=3).fit(low_rank())
    assert est.objective_ <= 1e-12 * est.error_path_[0]


@every_subset_and_scale
def test_copies_and_zeros_add_nothing(method, scale):
    X = table(d=5)
    X = np.column_stack([X, X, np.zeros(60), -2 * X[:, 1]])
    with pytest.warns(RankDeficiencyWarning):
        est = make(method, scale=scale, n_features_to_select=7).fit(X)
    assert est.n_features_to_select_ == 5
    assert len({tuple(np.round(np.abs(X[:, j] / X[0, j]), 9)) for j in est.ranking_[:5]}) == 5
    assert 10 not in est.ranking_[:5]
    assert_allclose(est.explained_by_, 1, atol=1e-10)
    for error in est.error_path_.values():
        assert error >= 0


@every_column_subset
def test_nearly_dependent_columns_do_not_blow_up(method):
    X = table(d=6)
    X = np.column_stack([X, X + 1e-7 * np.random.RandomState(0).standard_normal(X.shape)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankDeficiencyWarning)
        est = make(method, n_features_to_select=8).fit(X)
    errors = np.array(list(est.error_path_.values()))
    assert (errors >= 0).all()
    assert (errors <= est.error_path_[0]).all()
    assert np.isfinite(est.coef_).all()
    assert (est.explained_by_ >= 0).all()


@every_subset_and_scale
def test_units_do_not_matter_where_columns_are_scaled(method, scale):
    X = table()
    units = 10.0 ** np.linspace(-3, 3, 12)
    plain, other = (make(method, scale=scale).fit(Z) for Z in (X, X * units))
    if scale == "none":
        assert other.error_path_[0] != plain.error_path_[0]
    else:
        assert_array_equal(other.ranking_[:K], plain.ranking_[:K])
        assert_allclose(
            other.coef_ * units[other.ranking_[:K]] / units[:, None], plain.coef_, atol=1e-6
        )


@once("columns", of=("fit", "_memory"))
def test_too_many_columns_are_refused_with_the_figure(method, monkeypatch):
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "1e3")
    with pytest.raises(
        TooLargeError, match=rf"{method.class_name} on 12 columns would need about \d[\d.,]* [kM]?B"
    ):
        make(method, solver="gram").fit(table())


@once("columns", of=("fit", "partial_fit"))
def test_a_memory_map_is_read_block_by_block(method, tmp_path):
    """40 MB of small integers, 320 MB as float64: never held at once."""
    rng = np.random.RandomState(0)
    shape = (800_000, 50)
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", dtype=np.uint8, shape=shape)
    pattern = rng.randint(0, 200, (4000, 50))
    for start in range(0, shape[0], 4000):
        X[start : start + 4000] = pattern
    X.flush()
    tracemalloc.start()
    try:
        est = make(method).fit(np.load(tmp_path / "X.npy", mmap_mode="r"))
        chosen = est.ranking_[:K]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6
    assert_array_equal(chosen, make(method).fit(pattern).ranking_[:K])


def one_hot(*columns):
    return np.hstack([np.eye(int(c.max()) + 1)[c] for c in columns])


def balanced_tables():
    """Tables whose Gram matrices have repeated eigenvalues."""
    rng = np.random.default_rng(0)
    tables = {
        f"{count} categorical": one_hot(*rng.integers(0, 6, (count, 120))) for count in (1, 2, 3, 4)
    }
    grid = np.indices((8, 8)).reshape(2, -1)
    return tables | {
        "identity": np.eye(40),
        "30 levels": one_hot(np.random.default_rng(0).integers(0, 30, 120)),
        "grid": one_hot(*grid),
        "Hadamard": hadamard(32).astype(float),
        "orthonormal": np.linalg.qr(rng.standard_normal((50, 24)))[0],
        "repeated rows": np.repeat(np.eye(12), 4, axis=0),
        "repeated columns": np.repeat(np.eye(12), 3, axis=1),
    }


def eigenvalue_cases():
    """All tables for the greedy method and those that bound by eigenvalues, two for the others."""
    bounding = {"ExactCSS", "WeightedAStarCSS", "TwoStageCSS"}
    for name in balanced_tables():
        yield name, "GreedyCSS", "unit"
        for method in METHODS:
            every = method.class_name in bounding | {"GreedyCSS"}
            if method.kind == "columns" and (every or name in ("3 categorical", "Hadamard")):
                yield name, method.class_name, "standard"


@pytest.mark.filterwarnings(QUIET)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("name", "method", "scale"), [*eigenvalue_cases()])
def test_repeated_eigenvalues(name, method, scale):
    X = balanced_tables()[name]
    est = make(get_method(method), scale=scale).fit(X)
    A = scaled(X, scale)
    S = est.ranking_[:K]
    assert est.n_features_to_select_ == K
    assert len(set(est.ranking_)) == X.shape[1]
    error = (residual(A, S) ** 2).sum()
    assert abs(est.objective_ - error) <= 1e-12 * (A**2).sum()
    best = (np.linalg.svd(A, compute_uv=False)[K:] ** 2).sum()
    assert_allclose(est.svd_error_path_[K], best, rtol=1e-10)
    assert est.error_ratio_ >= 1
    assert_allclose(est.error_ratio_, error / best, rtol=1e-10)


@every_column_subset
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_no_more_memory_than_counted(method):
    n = 600
    X = np.random.RandomState(0).standard_normal((300, n))
    proving = method.class_name in ("ExactCSS", "WeightedAStarCSS")
    est = make(method, **({"max_iter": 100} if proving else {}))  # memory is taken before
    make(method).fit(X[:, :20])  # compiles
    tracemalloc.start()
    try:
        est.fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= est._memory(n, K) + 3 * X.nbytes


def malformed(index=99):
    """Sparse tables that SciPy accepts and compiled code must not read."""
    X = sp.csr_array(table())
    beyond, below, pointers, lengths = (X.copy() for _ in range(4))
    beyond.indices[3] = index
    below.indices[3] = -5
    pointers.indptr[2] = 10**6
    lengths.indptr[-1] += 7
    return {
        "beyond": beyond,
        "below": below,
        "pointers": pointers,
        "lengths": lengths,
        "CSC": sp.csc_array((beyond.data, beyond.indices, beyond.indptr), shape=X.shape[::-1]),
    }


@once("columns", of=("fit", "partial_fit"))
@pytest.mark.parametrize("name", malformed())
@pytest.mark.parametrize("way", ["fit", "partial_fit", "blocks", "transform"])
def test_malformed_sparse_tables_are_refused(method, name, way):
    X = malformed()[name]
    est = make(method)
    if way == "transform":
        est.fit(np.random.RandomState(0).random_sample((30, X.shape[1])))
    read = {"blocks": lambda X: est.fit(iter([X]))}.get(way) or getattr(est, way)
    with pytest.raises(DataError, match="not a valid sparse matrix"):
        read(X)


@pytest.mark.filterwarnings(QUIET)
@once("columns", of=("fit", "partial_fit"))
def test_reading_an_attribute_changes_no_other(method):
    X = table()
    X[:, 5:] = X[:, :1] * np.arange(1.0, 8)  # rank 5
    est = make(method, n_features_to_select=8).partial_fit(X)
    k = est.n_features_to_select_
    before = vars(est).copy()
    assert k == est.n_features_to_select_ == 5
    assert est.get_support().sum() == 5
    assert len(est.ranking_) == 12
    assert est.n_features_to_select_ == k
    assert {name: id(value) for name, value in vars(est).items()} == {
        name: id(value) for name, value in before.items()
    }


def described(method):
    """Parameters of a class -> type and text in its docstring."""
    part = re.search(r"    Parameters\n    -+\n(.*?)\n\n    [A-Z]", method.load().__doc__, re.S)[1]
    entries = re.findall(r"^    (\w[\w, ]*) : (.*?)(?=^    \w|\Z)", part + "\n", re.S | re.M)
    return {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}


def test_shared_parameters_are_described_in_the_same_words():
    """One meaning of each in all classes."""
    methods = [method for method in METHODS if method.kind == "columns"]
    shared = {*BaseColumnSubset._parameter_constraints, "budget"}
    texts = {name: set() for name in shared}
    for method in methods:
        own = described(method)
        missing = shared - own.keys()
        assert missing <= {"budget"}, f"{method.class_name}: {missing}"
        for name in shared - missing:
            texts[name].add(own[name])
    assert all(len(text) == 1 for text in texts.values()), texts
