"""What every selector promises about its ranking, and about the tables it is given."""

import warnings

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr

from sksieve.exceptions import DataError, DataWarning

from .cases import (
    answer,
    cases,
    depends_on_seed,
    every_scorer,
    every_selector,
    make,
    once,
    parameters,
    table,
    takes_sparse,
)


def has_k(method):
    return "n_features_to_select" in parameters(method)


def kept(est):
    return set(np.flatnonzero(est.get_support()))


def same_scores(method, est, reference, order=slice(None)):
    """To rounding; from another random start, to what a tolerance of the loop leaves."""
    if hasattr(reference, "scores_"):
        rtol = 1e-3 if "random_state" in parameters(method) else 1e-6
        scores = reference.scores_[order]
        assert_allclose(est.scores_, scores, rtol=rtol, atol=rtol * np.abs(scores).max())


@every_selector
def test_ranking_and_support_agree(method):
    X = table()
    est = make(method).fit(X)
    k = est.n_features_to_select_
    assert sorted(est.ranking_) == list(range(12))
    assert est.ranking_.dtype.kind == "i"
    assert kept(est) == set(est.ranking_[:k])
    assert_array_equal(est.get_support(indices=True), np.sort(est.ranking_[:k]))
    assert_array_equal(est.transform(X), X[:, est.get_support()])
    assert est.n_features_in_ == 12


@once("columns", "selector", of=("fit", "transform"))
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_layer_of_anndata(method, in_memory, tmp_path):
    X = table().astype(np.float64)
    names = [f"gene{j}" for j in range(12)]
    cells = anndata.AnnData(X**3, var=pd.DataFrame(index=names), layers={"own": X})
    if not in_memory:
        cells.write_h5ad(tmp_path / "a.h5ad")
        cells = anndata.read_h5ad(tmp_path / "a.h5ad", backed="r")
    est = make(method).fit(cells, layer="own")
    expected = make(method).fit(X)
    assert_array_equal(est.ranking_, expected.ranking_)
    assert list(est.feature_names_in_) == names
    assert list(est.transform(cells).var_names) == list(est.get_feature_names_out())
    with pytest.raises(DataError, match="no layer 'other'; it has 'own'"):
        make(method).fit(cells, layer="other")
    with pytest.raises(DataError, match="layer='own' needs an AnnData object, not ndarray"):
        make(method).fit(X, layer="own")


@every_scorer
def test_scores_give_the_ranking(method):
    est = make(method).fit(table())
    assert est.scores_.shape == (12,)
    assert np.isfinite(est.scores_).all()
    assert_array_equal(np.argsort(-est.scores_, kind="stable"), est.ranking_)


@once("columns", "selector", of=("fit", "_n_to_select"), where=has_k)
def test_half_the_columns_when_not_said(method):
    est = make(method, n_features_to_select=None).fit(table(d=9))
    assert est.get_support().sum() == 4


@cases("columns", "selector", needs=("n_features_to_select",), where=lambda m: m.nested)
def test_nested_when_claimed(method):
    X = table()
    small = make(method, n_features_to_select=3).fit(X)
    large = make(method, n_features_to_select=8).fit(X)
    assert_array_equal(large.ranking_[:3], small.ranking_[:3])


@cases("columns", "selector", needs=("n_features_to_select",))
def test_all_columns_may_be_kept(method):
    X = table(d=6)
    est = make(method, n_features_to_select=6).fit(X)
    assert est.get_support().all()


@every_selector
def test_order_of_columns_is_only_a_name(method):
    X = table()
    if depends_on_seed(method, X):
        pytest.skip(f"{method.class_name} draws random numbers that matter here")
    p = np.random.RandomState(5).permutation(12)
    plain, permuted = make(method).fit(X), make(method).fit(X[:, p])
    k = plain.n_features_to_select_
    assert_array_equal(p[permuted.ranking_[:k]], plain.ranking_[:k])
    same_scores(method, permuted, plain, p)


@every_selector
def test_order_of_rows_does_not_matter(method):
    X = table()
    if depends_on_seed(method, X):
        pytest.skip(f"{method.class_name} draws random numbers that matter here")
    p = np.random.RandomState(5).permutation(len(X))
    plain, permuted = make(method).fit(X), make(method).fit(X[p])
    k = plain.n_features_to_select_
    assert_array_equal(permuted.ranking_[:k], plain.ranking_[:k])
    same_scores(method, permuted, plain)


@every_selector
def test_float32_stays_float32(method):
    X = table().astype(np.float32)
    est = make(method).fit(X)
    assert est.transform(X).dtype == np.float32
    as_double = make(method).fit(X.astype(np.float64))
    if depends_on_seed(method, X):
        as_good(est, as_double)
        return
    k = est.n_features_to_select_
    assert kept(est) == kept(as_double)
    if hasattr(est, "scores_"):
        assert spearmanr(est.scores_, as_double.scores_).statistic > 0.95
    else:
        assert_array_equal(est.ranking_[:k], as_double.ranking_[:k])


def as_good(est, reference):
    """Where a search ends near the reference: rounding may take it to another local minimum.

    The objective is near that of the reference, and so is what the columns kept are worth there.
    """
    if getattr(est, "history_", None):
        end, expected = (e.history_[-1]["objective"] for e in (est, reference))
        assert end == pytest.approx(expected, rel=0.02)
    if hasattr(est, "scores_"):
        worth, best = (reference.scores_[list(kept(e))].sum() for e in (est, reference))
        assert worth >= 0.9 * best
    if hasattr(est, "error_path_"):
        assert abs(est.objective_ - reference.objective_) <= 1e-6 * reference.error_path_[0]
    elif hasattr(est, "objective_"):
        assert est.objective_ == pytest.approx(reference.objective_, rel=0.02)


@once("columns", "selector", of=("fit", "_validate"))
def test_whole_numbers_are_numbers(method):
    X = np.round(10 * table()).astype(np.int16)
    est = make(method).fit(X)
    assert_array_equal(answer(est), answer(make(method).fit(X.astype(float))))
    assert est.transform(X).dtype == np.int16


def stored_in_halves(X):
    """Every entry twice, at half its value: they count as their sum."""
    A = sp.csr_array(X)
    parts = np.repeat(A.data / 2, 2), np.repeat(A.indices, 2), 2 * A.indptr
    return sp.csr_array(parts, shape=A.shape)


FORMS = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array, stored_in_halves]


@once("columns", "selector", of=("fit", "_validate"), where=takes_sparse)
@pytest.mark.parametrize("form", FORMS)
def test_every_sparse_format_is_converted(method, form):
    X = table()
    X[np.random.RandomState(1).random_sample(X.shape) < 0.6] = 0
    expected = make(method).fit(sp.csr_array(X))
    est = make(method).fit(form(X))
    assert_array_equal(est.ranking_, expected.ranking_)
    assert_array_equal(est.transform(form(X)).toarray(), expected.transform(X))


@cases("columns", "selector", where=takes_sparse)
def test_sparse_equals_dense(method):
    est = make(method)
    X = table()
    X[np.random.RandomState(1).random_sample(X.shape) < 0.6] = 0
    dense = make(method).fit(X)
    est.fit(sp.csr_array(X))
    k = dense.n_features_to_select_
    assert_array_equal(est.ranking_[:k], dense.ranking_[:k])
    out = est.transform(sp.csr_array(X))
    assert sp.issparse(out)
    assert_array_equal(out.toarray(), dense.transform(X))


@every_selector
def test_constant_duplicate_and_zero_columns(method):
    """Columns that say nothing: a finite answer, and none of them chosen before the others."""
    X = table(d=8)
    X = np.column_stack([np.zeros(60), X, X[:, 2], X[:, 5], np.full(60, 3.0)])
    est = make(method)
    if "scale" in parameters(method):
        est.set_params(scale="standard")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        est.fit(X)
    assert sorted(est.ranking_) == list(range(12))
    assert est.get_support().sum() == est.n_features_to_select_
    if hasattr(est, "scores_"):
        assert np.isfinite(est.scores_).all()
    assert not kept(est) & {0, 11}, "a constant column was chosen"


@once("columns", "selector", of=("fit", "transform", "set_output"))
def test_tables_of_every_make(method):
    X = table()
    names = [f"gene {i}" for i in range(12)]
    frames = {
        "default": X,
        "pandas": pd.DataFrame(X, columns=names),
        "polars": pl.DataFrame(X, schema=names),
    }
    plain = make(method).fit(X)
    for make_of, frame in frames.items():
        est = make(method).fit(frame)
        assert_array_equal(answer(est), answer(plain), err_msg=make_of)
        if make_of == "default":
            continue
        chosen = [names[i] for i in np.flatnonzero(est.get_support())]
        assert list(est.feature_names_in_) == names
        assert list(est.get_feature_names_out()) == chosen
        out = est.set_output(transform=make_of).transform(frame)
        assert type(out) is type(frame)
        assert list(out.columns) == chosen
        assert_array_equal(out.to_numpy(), X[:, est.get_support()])
    both = make(method).set_output(transform="pandas").fit(frames["pandas"])
    other = frames["pandas"].rename(columns={"gene 0": "x"})
    with pytest.raises(ValueError, match="feature names"):
        both.transform(other)


@once("columns", "selector", of=("transform", "inverse_transform", "get_feature_names_out"))
def test_names_given_to_plain_arrays(method):
    est = make(method).fit(table())
    given = [f"c{i}" for i in range(12)]
    assert list(est.get_feature_names_out(given)) == [given[i] for i in est.get_support(True)]
    assert list(est.get_feature_names_out()) == [f"x{i}" for i in est.get_support(True)]


@once("columns", "selector", of=("transform", "inverse_transform", "get_feature_names_out"))
def test_inverse_transform_puts_columns_back(method):
    X = table()
    est = make(method).fit(X)
    back = est.inverse_transform(est.transform(X))
    assert back.shape == X.shape
    assert_array_equal(back[:, est.get_support()], X[:, est.get_support()])
