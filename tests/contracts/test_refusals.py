"""What cannot be used is refused with a sentence that names it."""

import re
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import sksieve
from sksieve.catalogue import get_method
from sksieve.clustering import BaseGraphClusterer
from sksieve.columns import BaseColumnSubset
from sksieve.exceptions import DataError, DataWarning, TooLargeError
from sksieve.selection import BaseSelector

from .cases import (
    METHODS,
    answer,
    cases,
    every_entrance,
    every_method,
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


def refused(method, X, words, **given):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        make(method, **given).fit(X)
    return str(caught.value)


@every_entrance
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_missing_and_infinite_values(method, value, word, dtype):
    X = table().astype(dtype)
    X[17, 3] = value
    message = refused(method, X, word)
    assert "X" in message


@every_method
def test_values_too_large_for_float32_are_not_taken_for_infinite(method):
    X = table() * 1e36
    make(method).fit(X)


@every_selector
def test_numbers_that_cannot_be_squared(method):
    """Refused with what to do, or the same answer: a power of 2 changes no digit of X."""
    for exponent in (-1000, -660, 660, 1000):
        X = table() * 2.0**exponent
        if method.class_name in ("LSDCL", "RandomRank"):  # squares nothing before it has scaled
            assert_array_equal(*(make(method).fit(Z).get_support() for Z in (X, table())))
        else:
            refused(method, X, "Multiply X by a constant|cannot be squared")


@every_entrance
def test_too_few_rows_or_columns(method):
    X = table()
    refused(method, X[:0], "0 sample")
    refused(method, X[:, :0], "0 feature")
    refused(method, X[:1], "1 sample")
    refused(method, X[0], "2D array|1D array")
    refused(method, X[:, :, None], "dim 3|2D")


@every_entrance
def test_text_is_not_data(method):
    frame = pd.DataFrame(table()).astype({0: object})
    frame.iloc[3, 0] = "n/a"
    refused(method, frame, "could not convert string to float|text|numeric")


@every_entrance
def test_text_in_a_polars_frame_is_not_data(method):
    if getattr(method.load(), "_accept_text", False):
        pytest.skip("it takes text columns")
    frame = pl.DataFrame({"a": np.arange(60.0), "kind": ["x", "y"] * 30})
    refused(method, frame, "could not convert string to float|a column of text: .kind.")


DATES = np.datetime64("2026-01-01") + np.arange(60)


@every_entrance
@pytest.mark.parametrize(
    ("X", "where"),
    [
        (DATES.reshape(20, 3), ""),
        ((DATES - DATES[0]).reshape(20, 3), ""),
        (pd.DataFrame({"day": DATES, "next": DATES + np.timedelta64(1, "D")}), " in column 'day'"),
        (pl.DataFrame({"a": np.arange(60.0), "day": DATES}), " in column 'day'"),
    ],
    ids=["dates", "durations", "pandas", "polars"],
)
def test_dates_are_not_numbers(method, X, where):
    refused(method, X, f"X has dates or durations{where}\\. Convert them to numbers")


@every_entrance
def test_columns_of_the_same_name(method):
    frame = pd.DataFrame(table(d=3), columns=["a", "b", "a"])
    refused(method, frame, "X has several columns with the name 'a'")


@every_entrance
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_malformed_sparse_tables(method, form):
    """Validation converts formats in compiled code, which follows the indices."""
    A = sp.csr_array(table()).asformat(form)
    (A.coords[0] if form == "coo" else A.indices)[7] = 2**30
    refused(method, A, f"X is not a valid sparse matrix: index {2**30} where")


@every_entrance
def test_complex_numbers_are_refused(method):
    refused(method, table() + 1j, "[Cc]omplex")


@every_entrance
def test_sparse_is_taken_or_refused_by_name(method):
    est = make(method)
    X = sp.csr_array(table())
    if est.__sklearn_tags__().input_tags.sparse:
        est.fit(X)
    else:
        refused(method, X, "[Ss]parse")


def test_fit_is_that_of_the_base():
    """What is refused before a method sees the table is tested for one class of each base."""
    bases = {"columns": BaseColumnSubset, "selector": BaseSelector, "clusterer": BaseGraphClusterer}
    others = [m.class_name for m in METHODS if m.load().fit is not bases[m.kind].fit]
    assert others == ["CorrelatedColumns"]  # takes gaps, text and a target


@once("columns", "selector", of=("fit", "_n_to_select"), where=has_k)
def test_more_columns_wanted_than_there_are(method):
    message = refused(method, table(d=12), "n_features_to_select=13", n_features_to_select=13)
    assert "12" in message


@cases(needs=("n_features_to_select",))
def test_odd_numbers_of_columns(method):
    for k in (0, -1, 2.5, "many"):
        refused(method, table(), "n_features_to_select", n_features_to_select=k)


@once("columns", of=("fit",))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
def test_nothing_to_choose_from(method, form):
    with pytest.raises(DataError, match="Every column of X is zero"):
        answer(make(method).fit(form(np.zeros((20, 6)))))
    with pytest.raises(DataError, match=r"zero after centering \(constant\)"):
        answer(make(method, scale="standard").fit(form(np.full((20, 6), 0.1))))


@every_scorer
def test_nothing_to_score(method):
    try:
        scores = make(method).fit(np.zeros((20, 6))).scores_
    except DataError:
        return  # refused with what to change, as good an answer
    assert np.ptp(scores) == 0


@once("columns", "selector", of=("transform",))
def test_other_columns_at_transform(method):
    X = table()
    est = make(method).fit(X)
    with pytest.raises(ValueError, match=r"7 features.*expecting 12"):
        est.transform(X[:, :7])


@cases(needs=("n_neighbors",))
def test_more_neighbors_than_there_are_samples(method):
    """All classes use what there are, with one warning that names the parameter."""
    X = table(14, 8)
    given = {"affinity": "knn"} if "knn" in affinities(method) else {}
    with pytest.warns(DataWarning, match="n_neighbors=50 is more than the 13 other samples"):
        est = make(method, n_neighbors=50, **given).fit(X)
    assert_array_equal(answer(est), answer(make(method, n_neighbors=13, **given).fit(X)))


def affinities(method):
    if "affinity" not in parameters(method):
        return set()
    return method.load()._parameter_constraints["affinity"][0].options


#: They need no more than sparse X itself.
LINEAR = {
    "AlignedColumns",
    "ColumnChoice",
    "CorrelatedColumns",
    "LaplacianScore",
    "LSDCL",
    "RandomRank",
    "VarianceRank",
}


@every_scorer
@pytest.mark.parametrize("form", ["CSR", "dense"])
def test_tables_that_do_not_fit_are_refused_before_memory_is_taken(method, form):
    """By their declared shape: 1e5 x 3e4, 24 GB as an array."""
    if method.class_name in (LINEAR if form == "CSR" else {"RandomRank", "VarianceRank"}):
        pytest.skip(f"{method.class_name} needs no array of that size")
    X = sp.csr_array((100_000, 30_000))
    if form == "dense":
        X = np.broadcast_to(0.0, X.shape)
    given = {"n_features_to_select": None}
    est = make(method, **{name: given[name] for name in given.keys() & parameters(method)})
    tracemalloc.start()
    words = rf"{method.class_name} on 100000 rows and 30000 columns would need about \S+ GB"
    with pytest.raises(TooLargeError, match=words):
        est.fit(X)
    assert tracemalloc.get_traced_memory()[1] < 10e6
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("RNE", {"n_components": 10**9, "random_state": 0}),
        ("RNE", {"n_features_to_select": 10**9}),
        ("BLUFS", {"n_features_to_select": 10**9}),
        ("L1UFS", {"n_neighbors": 10**9}),
    ],
)
def test_numbers_beyond_what_the_table_has_are_not_a_question_of_memory(name, given):
    """They are capped or refused by name; more memory or fewer rows would not help."""
    est = getattr(sksieve, name)(**given)
    if "n_features_to_select" in given:
        with pytest.raises(ValueError, match="more than the n_features=12 columns of X"):
            est.fit(table())
    elif "n_neighbors" in given:
        with pytest.warns(DataWarning, match="more than the 59 other samples"):
            est.fit(table())
    else:
        whole = getattr(sksieve, name)(n_components=12, random_state=0).fit(table())
        assert_array_equal(est.fit(table()).scores_, whole.scores_)


@pytest.mark.parametrize("name", ["variance", "laplacian_score", "blufs", "mcfs", "greedy"])
def test_indices_and_pointers_of_different_types(name):
    """Compiled code takes one type of both; what other packages make may have two."""
    method = get_method(name)
    X = sp.csr_array(np.abs(table()) * (table(seed=1) > 0))
    mixed = X.copy()
    mixed.indices = X.indices.astype(np.int64)
    assert (mixed.indices.dtype, mixed.indptr.dtype) == (np.int64, np.int32)
    assert_array_equal(answer(make(method).fit(mixed)), answer(make(method).fit(X)))


MALFORMED = """
import sys
import numpy as np, scipy.sparse as sp
from sksieve.catalogue import METHODS
from sksieve.exceptions import DataError

rng = np.random.RandomState(0)
whole = sp.csr_array(rng.random_sample((60, 12)) * (rng.random_sample((60, 12)) < 0.5))

def broken(attribute, at, value):
    X = whole.copy()
    getattr(X, attribute)[at] = value
    return X

def lying():
    X = whole.copy()
    X._shape = (60, 5)
    return X

tables = {
    "index beyond": broken("indices", 7, 2**30),
    "negative index": broken("indices", 7, -(2**20)),
    "pointer beyond": broken("indptr", -1, 10**8),
    "falling pointers": broken("indptr", 3, 10**6),
    "lying shape": lying(),
}
for name in sys.argv[1:]:
    method = next(m for m in METHODS if m.class_name == name)
    for what, X in tables.items():
        try:
            method.load()().fit(X)
            print(name, what, "was taken")
        except DataError as error:
            if "X is not a valid sparse matrix" not in str(error):
                print(name, what, error)
print("done")
"""


def test_malformed_sparse_tables_kill_no_process():
    names = [m.class_name for m in METHODS if takes_sparse(m)]
    assert len(names) > 20
    command = [sys.executable, "-c", MALFORMED, *names]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "done\n"


def test_sparse_refusals_name_what_works():
    small, large = sp.random_array((30, 8), random_state=0), sp.csr_array((20_000, 800))
    with pytest.raises(ValueError, match=r"RNE does not take sparse X\. Give X.toarray\(\), or"):
        get_method("rne").load()(3).fit(small)
    with pytest.raises(ValueError, match=r"not take sparse X\. Use a method that does") as caught:
        get_method("rne").load()(3).fit(large)
    named = re.findall(r"\b[A-Z]\w+[A-Z]\w*", str(caught.value).partition("that does: ")[2])
    assert {"GreedyCSS", "VarianceRank", "SpectralGraph"} <= set(named)
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(1.0, (40, 8)).astype(float))
    for name in named:
        getattr(sksieve, name)(3).fit(X)
