"""The floors: variance by its definition, and random columns that at least vary."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from sksieve import RandomRank, VarianceRank

every_form = pytest.mark.parametrize("form", [np.array, sp.csr_array], ids=["dense", "CSR"])


def table():
    X = np.random.RandomState(0).poisson(1.0, (30, 6)).astype(float)
    X[:, 2], X[:, 4] = 0, 7
    return X


@every_form
def test_variance_is_that_of_numpy(form):
    sel = VarianceRank(3).fit(form(table()))
    assert_allclose(sel.scores_, table().var(axis=0), atol=1e-12)


@every_form
def test_random_columns_vary(form):
    """Constant ones are last for every seed; the others come in every order."""
    first = set()
    for seed in range(40):
        sel = RandomRank(4, random_state=seed).fit(form(table()))
        assert_array_equal(sel.scores_[[2, 4]], -1)
        assert_array_equal(sel.ranking_[4:], [2, 4])
        first.add(int(sel.ranking_[0]))
    assert first == {0, 1, 3, 5}
