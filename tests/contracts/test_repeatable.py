"""Same seed, same result: on any number of threads, after a copy, saved and read back."""

import contextlib
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from sksieve.exceptions import DataWarning

from .cases import answer, cases, every_method, make, once, parameters, table


@every_method
def test_same_seed_same_result(method):
    X = table()
    est = make(method)
    first = answer(est.fit(X)).copy()
    np.testing.assert_array_equal(answer(est.fit(X)), first, err_msg="fitted twice")
    np.testing.assert_array_equal(answer(clone(est).fit(X)), first, err_msg="a clone")


@every_method
def test_global_generator_is_neither_read_nor_written(method):
    X = table()
    if "random_state" in parameters(method):
        make(method, random_state=None).fit(X)  # None may use it, as everywhere in scikit-learn
    answers = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        before = np.random.get_state()  # noqa: NPY002
        answers.append(answer(make(method).fit(X)))
        after = np.random.get_state()  # noqa: NPY002
        assert before[0] == after[0]
        np.testing.assert_array_equal(before[1], after[1])
        assert before[2:] == after[2:]
    np.testing.assert_array_equal(*answers)


@cases(needs=("random_state",))
def test_seed_may_be_a_generator(method):
    X = table()
    by_number = answer(make(method, random_state=3).fit(X))
    by_generator = answer(make(method, random_state=np.random.RandomState(3)).fit(X))
    np.testing.assert_array_equal(by_number, by_generator)


def _warned(method):
    """BLSFE's weights collapse on the wider table, and it says so."""
    if method.class_name == "BLSFE":
        return pytest.warns(DataWarning, match="The weights have collapsed")
    return contextlib.nullcontext()


@every_method
def test_threads_do_not_matter(method):
    numba = pytest.importorskip("numba")
    X = table(150, 40)
    kept = numba.get_num_threads()
    answers = []
    try:
        for n in (1, min(4, numba.config.NUMBA_NUM_THREADS)):
            numba.set_num_threads(n)
            with threadpool_limits(limits=4 if answers else 1), _warned(method):
                answers.append(answer(make(method).fit(X)))
    finally:
        numba.set_num_threads(kept)
    np.testing.assert_array_equal(*answers)


@cases(needs=("n_jobs",))
def test_n_jobs_does_not_matter(method):
    X = table()
    one, two = (answer(make(method, n_jobs=n).fit(X)) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def flat_parameters(est):
    """All parameters, those of nested objects by name and the objects themselves by type."""
    return {k: type(v) if hasattr(v, "get_params") else v for k, v in est.get_params().items()}


@every_method
def test_pickle(method):
    X = table()
    est = make(method).fit(X)
    read = pickle.loads(pickle.dumps(est))
    np.testing.assert_array_equal(answer(read), answer(est))
    assert flat_parameters(read) == flat_parameters(est)


@every_method
def test_skops(method):
    """The documented way to save: no pickle; nothing to trust but this package and sparse arrays.

    skops trusts no SciPy type of its own accord, but reads and writes sparse arrays without pickle.
    """
    skops = pytest.importorskip("skops.io")
    X = table()
    est = make(method).fit(X)
    written = skops.dumps(est)
    untrusted = skops.get_untrusted_types(data=written)
    assert all(name.startswith(("sksieve.", "scipy.sparse.")) for name in untrusted), untrusted
    read = skops.loads(written, trusted=untrusted)
    np.testing.assert_array_equal(answer(read), answer(est))
    if hasattr(est, "transform"):
        np.testing.assert_array_equal(read.transform(X), est.transform(X))


@once("columns", "selector", of=("transform", "__getstate__", "__setstate__"))
def test_unpickled_transforms(method):
    X = table()
    est = make(method).fit(X)
    read = pickle.loads(pickle.dumps(est))
    np.testing.assert_array_equal(read.transform(X), est.transform(X))
    np.testing.assert_array_equal(read.get_support(), est.get_support())
