"""POCSS, Lemmas 1 to 4: ``S^+`` and the residual of A after one flip, against `numpy.linalg.pinv`.

They are checked in the twin, which lives by them, and in the tables of the engine, which has the
same numbers in the coordinates of a basis of span(A_S).
"""

import numpy as np
from numba import njit

from sksieve.columns import GramProblem
from sksieve.columns.search._pocss import ParetoSearch
from sksieve.kernels import _pocss_slots as slots
from sksieve.kernels._pocss_slots import finish
from sksieve.kernels._pocss_workspace import empty_archive, make_workspace
from tests.columns import pocss_twin as twin

SEEDS = range(60)

# compiled for kernels only; here as Python, and once more for Python
slot_of = slots.slot_of.py_func
insert, delete = njit(slots.insert.py_func), njit(slots.delete.py_func)


def columns(seed):
    """A matrix, and a subset of full column rank, neither empty nor all."""
    rng = np.random.RandomState(seed)
    m, n = rng.randint(8, 30), rng.randint(4, 16)
    A = rng.standard_normal((m, n)) * (0.2 + rng.random_sample(n))
    A[:, 1:] += 0.7 * A[:, :-1]
    S = rng.permutation(n)[: rng.randint(1, min(m, n))]
    return A, [int(j) for j in S], rng


def solution(A, S):
    """The twin's, from scratch."""
    pinv = np.linalg.pinv(A[:, S])
    E = A - A[:, S] @ (pinv @ A)
    return twin.Solution(frozenset(S), tuple(S), pinv, E, float((E**2).sum()))


def close(a, b, scale):
    return np.abs(a - b).max(initial=0.0) <= 5e-13 * scale


def _lemmas_insertion(seed):  # Lemma 2, Lemma 4, (1)
    A, S, rng = columns(seed)
    j = int(rng.choice(np.setdiff1d(np.arange(A.shape[1]), S)))
    new, expected = twin.insert(solution(A, S), A, j), solution(A, [*S, j])
    assert new.columns == expected.columns
    assert close(new.pinv, expected.pinv, np.linalg.norm(expected.pinv))
    assert close(new.E, expected.E, np.linalg.norm(A))
    assert abs(new.f1 - expected.f1) <= 1e-12 * (A**2).sum()


def test_lemmas_insertion():
    for seed in SEEDS:
        _lemmas_insertion(seed)


def _lemmas_deletion(seed):  # Lemma 1, Lemma 3, Lemma 6
    A, S, rng = columns(seed)
    j = S[rng.randint(len(S))]
    new, expected = twin.delete(solution(A, S), A, j), solution(A, [i for i in S if i != j])
    assert new.columns == expected.columns
    assert close(new.pinv, expected.pinv, np.linalg.norm(solution(A, S).pinv))
    assert close(new.E, expected.E, np.linalg.norm(A))
    assert abs(new.f1 - expected.f1) <= 1e-12 * (A**2).sum()


def test_lemmas_deletion():
    for seed in SEEDS:
        _lemmas_deletion(seed)


def engine(A):
    """The engine's problem, and an archive with the empty set, slots of every size free."""
    n = A.shape[1]
    search = ParetoSearch(GramProblem(A.T @ A), n, n + 1)
    archive = empty_archive(n, n + 1)
    finish(archive, search.data, 0)
    return archive, search.data, make_workspace(n, n + 1, 3)


def assert_tables(archive, A, c, rtol=1e-10):
    """Every table of the slot of size c, by its definition."""
    slot = slot_of(archive, c)
    S = list(slot.S)
    B, P = (M.reshape(A.shape[1], c) for M in (slot.B, slot.P))
    K, D, E_dual = (M.reshape(c, c) for M in (slot.K, slot.D, slot.E))
    pinv = np.linalg.pinv(A[:, S]) if c else np.zeros((0, A.shape[0]))
    E = A - A[:, S] @ (pinv @ A)
    R, G = E.T @ E, A.T @ A
    scale, out = np.trace(G), np.setdiff1d(np.arange(A.shape[1]), S)
    assert [slot.pos[j] for j in S] == list(range(c))
    assert (slot.pos[out] == -1).all()
    assert close(G - B @ B.T, R, rtol / 5e-13 * scale)
    assert close(K, B.T @ B, scale)
    assert close(P, G @ B - B @ K / 2, rtol / 5e-13 * scale**1.5)
    dual = D @ B.T  # (S^+) A
    assert np.abs(dual - pinv @ A).max(initial=0) <= rtol * (1 + np.linalg.norm(pinv @ A))
    assert close(E_dual, D @ K, rtol / 5e-13 * (1 + np.linalg.norm(D)) * scale)
    assert abs(archive.f[c] - (E**2).sum()) <= 1e-12 * scale
    assert np.abs(archive.r[c, out] - np.diag(R)[out]).max(initial=0) <= rtol * scale
    assert np.abs(archive.N[c, out] - np.diag(R @ R)[out]).max(initial=0) <= rtol * scale**2


def _tables_after_flips_are_what_they_say(seed):
    """A walk of insertions and deletions; each time all tables and all gains from scratch."""
    A, _, rng = columns(seed)
    n = A.shape[1]
    archive, data, workspace = engine(A)
    old, c = slot_of(archive, 0), 0
    for _ in range(25):
        j = rng.randint(n)
        leaving = old.pos[j] >= 0
        if not leaving and c == min(A.shape) - 1:
            continue
        f = archive.f[c]
        c += -1 if leaving else 1
        new = slot_of(archive, c)
        if leaving:
            f += delete(old, new, workspace.vectors, int(old.pos[j]), np.inf)
        else:
            f -= insert(old, new, data, workspace.vectors, j, -np.inf)
        finish(archive, data, c)
        assert abs(f - archive.f[c]) <= 1e-12 * archive.f[0]
        assert_tables(archive, A, c)
        old = new
    S = [int(j) for j in old.S]
    for j in range(n):
        other = [i for i in S if i != j] if j in S else [*S, j]
        change = solution(A, other).f1 - archive.f[c]
        assert abs(archive.gain[c, j] - change) <= 1e-9 * archive.f[0]


def test_tables_after_flips_are_what_they_say():
    for seed in SEEDS[:25]:
        _tables_after_flips_are_what_they_say(seed)


def _what_is_refused_leaves_no_trace(seed):
    A, S, _ = columns(seed)
    archive, data, workspace = engine(A)
    f = insert(slot_of(archive, 0), slot_of(archive, 1), data, workspace.vectors, S[0], -np.inf)
    assert f > 0
    before = [x.copy() for x in slot_of(archive, 2)]
    assert (
        insert(slot_of(archive, 1), slot_of(archive, 2), data, workspace.vectors, S[0], 0.0)
        == -np.inf
    )
    other = (S[0] + 1) % A.shape[1]
    too_much = archive.f[0]
    assert (
        insert(slot_of(archive, 1), slot_of(archive, 2), data, workspace.vectors, other, too_much)
        < too_much
    )
    for x, y in zip(before, slot_of(archive, 2)):
        np.testing.assert_array_equal(x, y)


def test_what_is_refused_leaves_no_trace():
    for seed in SEEDS[:10]:
        _what_is_refused_leaves_no_trace(seed)
