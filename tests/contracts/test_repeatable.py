"""Same seed, same result: on any number of threads, after a copy, saved and read back."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from .cases import answer, cases, every_method, make, parameters, table


@every_method
def test_same_seed_same_result(method):
    """Fitted twice, or as a clone; the global generator is neither read nor written."""
    X = table()
    if "random_state" in parameters(method):
        make(method, random_state=None).fit(X)  # None may use it, as everywhere in scikit-learn
    est = make(method)
    params, answers = dict(est.get_params()), []
    for seed, fitted in enumerate((est, est, clone(est))):
        np.random.seed(seed)  # noqa: NPY002
        before = np.random.get_state()  # noqa: NPY002
        assert fitted.fit(X) is fitted
        answers.append(answer(fitted).copy())
        after = np.random.get_state()  # noqa: NPY002
        assert before[0] == after[0]
        np.testing.assert_array_equal(before[1], after[1])
        assert before[2:] == after[2:]
    np.testing.assert_array_equal(answers[1], answers[0], err_msg="fitted twice")
    np.testing.assert_array_equal(answers[2], answers[0], err_msg="a clone")
    np.testing.assert_array_equal(X, table(), err_msg="fit wrote into X")
    assert est.get_params() == params


@cases(needs=("random_state",))
def test_seed_may_be_a_generator(method):
    X = table()
    by_number = answer(make(method, random_state=3).fit(X))
    by_generator = answer(make(method, random_state=np.random.RandomState(3)).fit(X))
    np.testing.assert_array_equal(by_number, by_generator)


@every_method
@pytest.mark.filterwarnings("ignore:Not proven")
def test_threads_do_not_matter(method):
    """In a few steps: OpenBLAS spends much on threads for products of this size."""
    numba = pytest.importorskip("numba")
    X = table(150, 40)
    kept = numba.get_num_threads()
    few = {"max_iter": 5} if "max_iter" in parameters(method) else {}
    answers = []
    try:
        for n in (1, 2):
            numba.set_num_threads(min(n, numba.config.NUMBA_NUM_THREADS))
            with threadpool_limits(limits=n):
                answers.append(answer(make(method, **few).fit(X)))
    finally:
        numba.set_num_threads(kept)
    np.testing.assert_array_equal(*answers)


def flat_parameters(est):
    """All parameters, those of nested objects by name and the objects themselves by type."""
    return {k: type(v) if hasattr(v, "get_params") else v for k, v in est.get_params().items()}


@every_method
def test_saved_and_read_back(method):
    """By pickle, and by skops, the documented way: nothing to trust but this package and SciPy.

    skops trusts no SciPy type of its own accord, but reads and writes sparse arrays without pickle.
    """
    skops = pytest.importorskip("skops.io")
    X = table()
    est = make(method).fit(X)
    written = skops.dumps(est)
    untrusted = skops.get_untrusted_types(data=written)
    assert all(name.startswith(("sksieve.", "scipy.sparse.")) for name in untrusted), untrusted
    for read in (pickle.loads(pickle.dumps(est)), skops.loads(written, trusted=untrusted)):
        np.testing.assert_array_equal(answer(read), answer(est))
        assert flat_parameters(read) == flat_parameters(est)
        if hasattr(est, "transform"):
            np.testing.assert_array_equal(read.transform(X), est.transform(X))
            np.testing.assert_array_equal(read.get_support(), est.get_support())
