"""The search of `POCSS`; the head of ``columns/_pocss.py`` describes it."""

from __future__ import annotations

import copy
import hashlib
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from ..._typing import Array
from ...kernels._pocss import extend, finish, mutate, place, polish, survey
from ...kernels._pocss_slots import Archive, Data
from ...kernels._pocss_workspace import copy_archive, empty_archive, make_workspace, n_bytes
from .._pair import PairProblem, Path
from .._problem import GramProblem
from ._swaps import DROP_RTOL

#: A batch has a mutation for so many bytes of state, so that copying takes a tenth of the time.
BYTES_PER_MUTATION = 128
#: And at least so many.
SHORTEST_BATCH = 10_000


class ParetoSearch:
    """The problem for the one loop: a step is a batch of mutations.

    Parameters
    ----------
    problem : PairProblem
        The columns.
    k : int
        Size wanted.
    cap : int
        First size that is not looked at, k < cap <= n + 1.
    swap : float
        Probability that a mutation is an exchange of two columns and not a flip of each bit with
        probability 1/n.

    Attributes
    ----------
    last : int or None
        Where the batches end: none goes past so many mutations.
    """

    workspace: ClassVar[tuple[str, ...]] = ("_workspace",)

    def __init__(self, problem: PairProblem, k: int, cap: int, swap: float = 0.0) -> None:
        n = problem.n_columns
        self.problem = problem
        self.k = k
        self.cap = cap
        self.last: int | None = None
        G, F, weight, floor = _with_target(problem)
        self.data = Data(
            G=G,
            F=F,
            weight=weight,
            floor=floor,
            G_diag=np.diagonal(G).copy(),
            F_diag=np.diagonal(F).copy(),
            cdf=flip_count_cdf(n),
            key=_keys(n),
            swap=float(swap),
            margin=DROP_RTOL * problem.target_norm2,
        )
        self._workspace = make_workspace(len(weight), cap, len(self.data.cdf))

    def ending_at(self, n_mutations: int) -> ParetoSearch:
        """The same search, none of whose batches goes past so many mutations."""
        other = copy.copy(self)
        other.last = n_mutations
        return other

    def start(self, rng: np.random.RandomState) -> Archive:
        """The archive that holds the empty set."""
        return self._empty(rng.randint(0, 2**64, size=4, dtype=np.uint64))

    def _empty(self, rng_state: NDArray[np.uint64]) -> Archive:
        archive = empty_archive(len(self.data.weight), self.cap)
        archive.rng_state[:] = rng_state
        finish(archive, self.data, 0)
        return archive

    def step(self, state: Archive) -> Archive:  # Algorithm 1
        """A batch of mutations, as many as make the copying of the state a small part."""
        n_mutations = max(
            SHORTEST_BATCH,
            n_bytes(state.pos.shape[1], int(state.seen[0]) + 1) // BYTES_PER_MUTATION,
        )
        if self.last is not None:
            n_mutations = max(0, min(n_mutations, self.last - state.n_iter))
        new = copy_archive(state)
        mutate(new, self.data, self._workspace, n_mutations)
        return new._replace(n_iter=state.n_iter + n_mutations)

    def objective(self, state: Archive) -> float:
        """Smallest f_1 with at most k columns."""
        return float(state.f[: self.k + 1].min())

    def count(self, state: Archive) -> int:
        """Mutations behind a state."""
        return state.n_iter

    def adapt(self, state: Archive) -> Archive:
        """An archive of the subsets of `state`, which may be one of other data or another cap."""
        archive = self._empty(state.rng_state)
        for S in subsets(state).values():
            S = self.problem.independent(S[S < self.problem.n_columns], self.cap - 1)
            place(archive, self.data, self._workspace, S)
        survey(archive.f, self.data.margin, self._workspace.sizes, self._workspace.limit)
        return archive._replace(n_iter=state.n_iter)

    def filled(self, state: Archive) -> Archive:
        """The archive with a subset of k columns, unless fewer reconstruct the rest (D4)."""
        new = copy_archive(state)
        extend(new, self.data, self._workspace, self.k)
        return new

    def polished(self, state: Archive) -> Archive:
        """The archive, its best subset of at most k columns improved by exchanges (D5)."""
        new = copy_archive(state)
        size = int(np.flatnonzero(np.isfinite(new.f[: self.k + 1]))[-1])
        polish(new, self.data, self._workspace, size)
        survey(new.f, self.data.margin, self._workspace.sizes, self._workspace.limit)
        return new


def _with_target(problem: PairProblem) -> tuple[Array, Array, Array, Array]:
    """G, F, weights and least residuals, a target other than the table appended as columns."""
    n = problem.n_columns
    if isinstance(problem, GramProblem):
        weight = np.ones(n) if problem.weight is None else problem.weight
        return problem.G, problem.F, weight, problem.floor
    rows = problem.target_rows
    if rows.shape[1] > n:
        rows = qr(rows.T, mode="r")[0][:n].T
    p = rows.shape[1]
    G = np.block([[problem.G, rows], [rows.T, np.eye(p) * (problem.target_norm2 / max(p, 1))]])
    F = np.zeros((n + p, n + p))
    F[:n, :n] = problem.F
    weight, floor = np.repeat([0.0, 1.0], [n, p]), np.full(n + p, np.inf)
    floor[:n] = problem.floor
    return G, F, weight, floor


def subsets(state: Archive) -> Path:
    """The subsets of an archive by their size, without the empty one."""
    held = np.flatnonzero(np.isfinite(state.f))
    return {int(c): state.S[c, :c].astype(np.intp) for c in held if c}


def flip_count_cdf(n: int) -> Array:
    """Distribution function of Binomial(n, 1/n), up to float64 precision."""
    if n == 1:
        return np.array([0.0, 1.0])
    p = [(1 - 1 / n) ** n]
    while len(p) <= n and (len(p) < 3 or p[-1] > 2**-60):
        p.append(p[-1] * (n - len(p) + 1) / len(p) / (n - 1))
    cdf = np.cumsum(p)
    cdf[-1] = 1.0
    return cdf


def _keys(n: int) -> NDArray[np.uint64]:
    """A random-looking word for each column, to tell sets apart (splitmix64 of its index)."""
    z = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def digest_of(problem: PairProblem) -> bytes:
    """Tells one pair from another."""
    digest = hashlib.blake2b(problem.G.data, digest_size=16)
    digest.update(np.ascontiguousarray(problem.diag_F).data)
    return digest.digest()
