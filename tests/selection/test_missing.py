"""Columns dropped by their share of missing values, of every kind of table."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from sksieve import MissingColumns
from sksieve.exceptions import DataError


def table():
    X = np.arange(40.0).reshape(10, 4)
    X[:3, 0], X[:4, 1], X[5, 3] = np.nan, np.nan, np.nan
    return X


def test_scikit_learns_checks():
    results = check_estimator(MissingColumns(), on_fail=None, on_skip=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not failed
    assert sum(r["status"] == "passed" for r in results) > 30


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, sp.csr_array, sp.coo_array])
def test_shares_and_kept_columns(form):
    X = table()
    est = MissingColumns(0.3).fit(form(X))
    assert_allclose(est.missing_share_, [0.3, 0.4, 0, 0.1], atol=1e-15)
    assert_array_equal(est.get_support(indices=True), [0, 2, 3])
    assert_array_equal(est.ranking_, [2, 3, 0, 1])
    out = est.transform(form(X))
    assert_array_equal(out.toarray() if sp.issparse(out) else out, X[:, [0, 2, 3]])


def mixed():
    return pd.DataFrame(
        {
            "number": [1.0, np.nan, 3.0, 4.0],
            "text": ["a", None, None, "b"],
            "day": [date(2026, 1, 1), None, None, None],
            "whole": [1, 2, 3, 4],
        }
    )


@pytest.mark.parametrize("form", [lambda f: f, pl.from_pandas, lambda f: pl.from_pandas(f).lazy()])
def test_text_and_dates(form):
    frame = form(mixed())
    est = MissingColumns(0.5).set_output(transform="polars").fit(frame)
    assert_allclose(est.missing_share_, [0.25, 0.5, 0.75, 0])
    assert est.transform(frame).columns == ["number", "text", "whole"]


def test_nan_of_a_polars_frame_is_missing():
    frame = pl.DataFrame({"a": [1.0, float("nan"), None, 2.0], "b": ["x", "y", "z", None]})
    assert_allclose(MissingColumns(0.5).fit(frame).missing_share_, [0.5, 0.25])


def test_before_an_imputer():
    out = make_pipeline(MissingColumns(0.3), SimpleImputer()).fit_transform(table())
    assert out.shape == (10, 3)
    assert np.isfinite(out).all()


def test_refusals():
    with pytest.raises(DataError, match=r"more than 20\.0 % missing values; raise max_share"):
        MissingColumns(0.2).fit(table()[:, :2])
    for share in (-0.1, 1.0):
        with pytest.raises(ValueError, match="max_share"):
            MissingColumns(share).fit(table())
