"""Correlations of the chosen columns, with each other and with the dropped ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve import CorrelatedColumns, GreedyCSS
from sksieve.evaluation._redundancy import (
    THRESHOLD,
    chosen_correlations,
    cross_correlations,
    represented_columns,
)

from ..report.pages import low_rank


def test_redundancy_is_pearsons_correlation() -> None:
    X = low_rank() + 100.0
    est = GreedyCSS(4, scale="unit").fit(X)
    found = chosen_correlations(est, X)
    expected = np.corrcoef(X[:, found.columns], rowvar=False)
    np.testing.assert_allclose(found.correlation, expected, atol=1e-9)
    off = expected[np.tril_indices(4, -1)]
    assert found.mean == pytest.approx(np.abs(off).mean())
    value, a, b = found.pairs[0]
    assert abs(value) == pytest.approx(np.abs(off).max())
    assert value == pytest.approx(np.corrcoef(X[:, a], X[:, b])[0, 1])


def correlated_table() -> np.ndarray:
    """Columns 0 to 2; near duplicates: two of 0, one of -1, one of 2 just below the threshold."""
    rng = np.random.default_rng(0)
    Z, noise = rng.normal(size=(400, 3)), rng.normal(size=(400, 4))
    others = Z[:, [0, 0, 1, 2]] * [1, 1, -1, 1] + noise * [0.3, 0.1, 0.2, 0.6]
    return np.column_stack([Z, others, np.ones(400)])


def test_represented_columns_are_those_of_correlated_columns() -> None:
    X = correlated_table()
    assert CorrelatedColumns().threshold == THRESHOLD
    est = CorrelatedColumns().fit(X)
    groups = represented_columns(est, X)
    assert groups.keys() == est.groups_.keys()
    for j, others in est.groups_.items():
        assert [i for _, i in groups[j]] == others.tolist()
        np.testing.assert_allclose([r for r, _ in groups[j]], est.correlation_[others])


def test_represented_columns_of_a_table_and_of_csr() -> None:
    X = correlated_table()
    est = GreedyCSS(keep=[0, 1, 2], scale="standard").set_params(n_features_to_select=3).fit(X)
    groups = represented_columns(est, X)
    r = np.corrcoef(X[:, :7].T)
    assert {j: [i for _, i in others] for j, others in groups.items()} == {0: [4, 3], 1: [5]}
    assert groups[1] == [(pytest.approx(r[1, 5]), 5)]
    assert groups[1][0][0] < -THRESHOLD
    assert 0.8 < r[2, 6] < THRESHOLD
    for j, others in represented_columns(est, sp.csr_array(X)).items():
        np.testing.assert_allclose(others, groups[j])


def test_correlations_of_chosen_and_dropped_columns() -> None:
    X = correlated_table()
    est = GreedyCSS(3, keep=[0, 1, 2], scale="standard").fit(X)
    found = cross_correlations(est, X)
    assert found.chosen.tolist() == [0, 1, 2]
    assert found.dropped.tolist() == [4, 3, 7, 5, 6]
    r = np.pad(np.corrcoef(X[:, :7].T), (0, 1))  # column 7 is constant
    np.testing.assert_allclose(found.correlation, r[:3][:, found.dropped], atol=1e-12)
    assert cross_correlations(est, X[:, :3]) is None


def test_redundancy_of_constant_columns_is_unknown() -> None:
    X = low_rank()
    X[:, 0] = 7.0
    found = chosen_correlations(GreedyCSS(12, scale="unit").fit(X), X)
    place = list(found.columns).index(0)
    assert np.isnan(found.correlation[place]).all()
    assert all(0 not in pair[1:] for pair in found.pairs)
