"""What a choice is worth: the same figures from a method that knows them and from its data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve import GreedyCSS, TwoStageCSS
from sksieve.cli._account import account
from sksieve.cli._fit import Fitted
from sksieve.metrics import reconstruction_error


def fitted(est, X) -> Fitted:
    return Fitted(est.fit(X), X, 0.0, False, ())


@pytest.mark.parametrize("scale", ["unit", "standard", "none"])
@pytest.mark.parametrize("method", [GreedyCSS, TwoStageCSS])
def test_column_subset_methods(values, scale, method):
    worth = account(fitted(method(3, scale=scale), values), "columns")
    error = reconstruction_error(values, worth.chosen, scale=scale)
    assert worth.error == pytest.approx(error, rel=1e-9)
    assert worth.explained == pytest.approx(worth.adds.sum(), rel=1e-12)
    assert [point.k for point in worth.path][-1] == 3


@pytest.mark.parametrize("sparse", [False, True])
def test_other_selectors_are_judged_by_their_data(values, sparse):
    """A selector without path and Gram matrix gets the same figures as a method that has them."""
    est = GreedyCSS(3, scale="none").fit(values)
    X = sp.csr_array(values) if sparse else values
    theirs = account(Fitted(est, values, 0.0, False, ()), "columns")
    ours = account(Fitted(est, X, 0.0, False, ()), "selector")
    assert ours.path == ()
    for name in ("total", "error", "ratio", "explained"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-7)
    np.testing.assert_allclose(ours.adds, theirs.adds, rtol=1e-9)
    np.testing.assert_allclose(ours.unique, theirs.unique, rtol=1e-7)
