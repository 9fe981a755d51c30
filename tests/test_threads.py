"""How many threads a call uses, and its map."""

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sksieve import _threads


def test_limits_are_respected():
    with threadpool_limits(1):
        assert _threads.n_threads() == 1


def test_pieces_run_beside_each_other_in_order(monkeypatch):
    """Two pieces that wait for each other need two threads; products in them have one each."""
    monkeypatch.setattr(_threads, "n_threads", lambda: 2)
    both = threading.Barrier(2, timeout=30)

    def piece(number):
        both.wait()
        blas = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
        return number, max(blas)

    before = threadpool_info()
    assert _threads.map_threads(piece, [3, 1]) == [(3, 1), (1, 1)]
    assert threadpool_info() == before


def test_an_error_is_raised(monkeypatch):
    monkeypatch.setattr(_threads, "n_threads", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        _threads.map_threads(lambda x: 1 / x, [1, 0, 2])
