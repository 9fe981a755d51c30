"""BLSFE: an ensemble of rankings and clusterings, weighted by agreement.

Zhou, Wang & Du, "Bi-level feature selection ensemble", Information Fusion 2023 (there BLFSE), and
the authors' program. Rows of X (n x d) are samples.

========= ============ ===================================================================
paper     code         meaning, shape
========= ============ ===================================================================
v_k       V            base scores, each summing to 1, B x d
S_k       base         base clusterings, co-association 0/1, n x n each
v         v            consensus score, on the simplex
S, Omega  S, Om        consensus affinity and weights of its entries, n x n
a, b      a, b         weights of the bases, on the simplex
L_S       --           Laplacian of S; only ``A = X'L_S X`` is kept, d x d
P         P            ``P'P = I``, d x c: smallest eigenvectors of ``V X'L_S X V``
Y         Y            ``Y'Y = I``, n x c: smallest eigenvectors of L_S
rho       rho          weight of the rank of L_S
psi       psi          pace: .9, .8, .7, .6, .5; ``lambda = 2 psi (1 - psi) / B``
========= ============ ===================================================================

Deviations
----------
D1  Base scores are Laplacian scores (the paper: Inf-FS) on `n_bases` disjoint random parts of the
    samples; base clusterings are k-means on the best columns of each, all with one number of
    columns.
D2  The model is degenerate, as published. (i) ``sum_k a_k^2 ||v - v_k||^2`` is 0 at v = any v_k,
    a = e_k: the rankings alone run into one of the bases exactly. (ii) P finds columns with v near
    0, or the null space: the clusterings only slow that (the largest of ten weights is 0.14 to 0.54
    on sonar after 100 steps, ``benchmarks/ufs_errors.py``). A fit in which one base counts for more
    than all others together warns.
D3  rho stays 1: the program doubles and halves it, which makes the objective jump and does not
    reach v. The objective of the loop is that of the last psi.
D4  The paper scales samples to unit length. Here columns are standardized, as the bases want them,
    and the table is then divided by ``sqrt(d)``: samples of unit length on average, and no sample
    changed against another. Without it the terms of v grow with d against all others.
D5  Where ``V X'L_S X V`` is singular by more than c (d > n, or columns with v = 0) P is part of
    its null space, as published whatever part LAPACK returns; so is Y where S has more than c
    components. Here P costs least in ``diag(X'L_S X)``, and Y are the largest components.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances

from .._typing import Array
from .._validation import Interval, common
from ..exceptions import warn_user
from ..graphs import knn_graph, laplacian, laplacian_eigenvectors
from ..linalg import LOW_RANK_SHARE, eigenpairs_between, leading_eigenpairs, orthonormalize
from ..prox import project_simplex
from ..solvers import accelerated_proximal_gradient
from ..tables import varying_columns
from ._base import SCALES, BaseSelector, expand_scores, rank_by
from ._lapscore import laplacian_scores

_PSI = (0.9, 0.8, 0.7, 0.6, 0.5)
_STEPS = 5
_QP_STEPS = 300
_ALONE = 0.5
_TINY = 1e-12
_NULL = 1e-12
#: Part of the mean cost that is added to all costs of P, so that a cost of 0 has an inverse.
_SHIFT = 1e-3
#: An eigenvalue below this part of the largest one may be rounding.
_HIDDEN = 1e-12


class BLSFE(BaseSelector):
    """Consensus of base rankings and base clusterings, both weighted by how well they agree.

    Needed for the tables of papers that compare with it. The published model is degenerate (D2 in
    the file): where it is followed far enough, it returns one of the base rankings. A DataWarning
    says so when that is under way. Expects columns on one scale; they are standardized
    first.

    Parameters
    ----------
    n_features_to_select
        See `BaseSelector`.
    n_clusters : int, default=5
        Clusters in each base clustering. 5 and not 8, as for `MCFS`.
    n_bases : int, default=10
        Base rankings, each from its own part of the samples; fewer where a part would have fewer
        than ten samples.
    n_features_base : int, default=50
        Best columns of a base ranking that its clustering is made from.
    scale
        See `BaseSelector`.
    max_iter : int, default=25
        Iterations; the pace psi goes down every 5.
    random_state : int, RandomState or None, default=None
        For the parts and for k-means.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features,)
        v; -1 for constant columns.
    base_weights_ : ndarray of shape (b,)
        a, how much each of the b base rankings counts.
    history_, n_iter_, converged_, stop_reason_
        See `BaseSelector`; the objective jumps where psi changes.

    Notes
    -----
    Cost O(n^2 B + n^3 + n d^2 + d^3) an iteration, the cube of d for one factorization where
    n < d / 2. Holds n x n and d x d matrices.

    References
    ----------
    Zhou, Wang & Du, "Bi-level feature selection ensemble", Information Fusion 2023. The deviations
    are listed at the top of the file.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve import BLSFE
    >>> wine = load_wine(as_frame=True).data
    >>> BLSFE(3, n_clusters=8, random_state=0).fit(wine).get_feature_names_out().shape
    (3,)
    """

    nested: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseSelector._parameter_constraints,
        **common("n_clusters", "max_iter", "random_state"),
        "n_bases": [Interval(Integral, 1, None, closed="left")],
        "n_features_base": [Interval(Integral, 1, None, closed="left")],
        "scale": SCALES,
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_clusters: int = 5,
        n_bases: int = 10,
        n_features_base: int = 50,
        scale: str = "standard",
        max_iter: int = 25,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_bases = n_bases
        self.n_features_base = n_features_base
        self.scale = scale
        self.max_iter = max_iter
        self.random_state = random_state

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        return (11.0 + self._n_parts(n) / 8) * n * n + 6.0 * d * d + n * d

    def _n_parts(self, n: int) -> int:
        return max(1, min(self.n_bases, n // 10))

    def _fit(self, X: Any, rng: np.random.RandomState) -> Array:
        Z, varies = varying_columns(X, self.scale)
        V, base = self._bases(Z, rng)
        Z = Z / np.sqrt(Z.shape[1])  # D4
        problem = Ensemble(Z, V, base, min(self.n_clusters, *Z.shape))
        run = self._run(problem, problem.start())
        self.base_weights_ = run.state.a
        _warn_if_collapsed(run.state.a)
        return expand_scores(run.state.v, varies)

    def _bases(self, Z: Array, rng: np.random.RandomState) -> tuple[Array, Array]:
        """Base scores, each summing to 1, and the labels of the base clusterings."""
        n, d = Z.shape
        V, base = [], []
        for part in np.array_split(rng.permutation(n), self._n_parts(n)):
            k = max(1, min(5, len(part) - 1))
            score = laplacian_scores(knn_graph(Z[part], k, weights="heat"), Z[part])
            score = score - score.min() + _TINY
            V.append(score / score.sum())
            best = rank_by(score)[: min(self.n_features_base, d)]
            c = min(self.n_clusters, n)
            kmeans = KMeans(c, n_init=5, random_state=rng.randint(2**31 - 1))
            base.append(kmeans.fit(Z[:, best]).labels_)
        return np.array(V), np.array(base)


class State(NamedTuple):
    """The unknowns of the model, ``A = X'L_S X``, and the steps behind (which set the pace)."""

    v: Array
    S: Array
    A: Array
    Om: Array
    a: Array
    b: Array
    P: Array
    Y: Array
    t: int


class Ensemble:
    """The model of the file's table on X, base scores V (B x d) and base labels (B x n)."""

    not_descending: ClassVar[dict[str, str]] = {
        "step": "the pace psi, and with it the objective, changes every fifth step"
    }

    def __init__(self, X: Array, V: Array, labels: Array, c: int) -> None:
        self.X = X
        self.V = V
        self.base = [np.equal.outer(row, row) for row in labels]  # a byte an entry
        self.c = c

    def lam(self, s: State) -> float:
        psi = _PSI[min(s.t // _STEPS, len(_PSI) - 1)]
        return 2 * psi * (1 - psi) / len(self.V)

    def start(self, rng: object = None) -> State:
        B = len(self.V)
        S = sum(self.base) / B
        even = np.full(B, 1 / B)
        v = self.V.mean(axis=0)
        empty = np.zeros((0, 0))
        s = State(v, S, self._form(S), np.ones_like(S), even, even, empty, empty, 0)
        return self.update_P(self.update_Y(self.update_Om(s)))

    def objective(self, s: State) -> float:
        VP = s.v[:, None] * s.P
        value = 2 * float(np.vdot(VP, s.A @ VP)) + 2 * float(np.vdot(s.Y, laplacian(s.S) @ s.Y))
        value += float(np.vdot(s.b**2, self._apart(s))) - self.lam(s) * float(s.Om.sum())
        return value + float(np.vdot(s.a**2, ((s.v - self.V) ** 2).sum(axis=1)))

    def _apart(self, s: State) -> Array:
        """``||Om o (S - S_k)||^2`` for each k."""
        return np.array([float(((s.Om * (s.S - base)) ** 2).sum()) for base in self.base])

    def _form(self, S: Array) -> Array:
        A = self.X.T @ (laplacian(S) @ self.X)
        return (A + A.T) / 2

    def update_P(self, s: State) -> State:
        """The c smallest eigenvectors; of too large a null space its cheapest part (D5)."""
        if len(self.X) < LOW_RANK_SHARE * len(s.v):
            return s._replace(P=self._cheapest_null(s))
        G = s.v[:, None] * s.A * s.v
        floor = _NULL * float(np.trace(G))
        last = min(self.c, len(G) - 1)
        values, vectors = eigenpairs_between(G, 0, last + 1)
        if values[last] > floor or last < self.c:
            return s._replace(P=vectors[:, : self.c])
        values, vectors = eigh(G)
        N = vectors[:, values <= floor]
        T = N.T @ (np.diagonal(s.A)[:, None] * N)
        return s._replace(P=N @ eigenpairs_between(T, 0, self.c)[1])

    def _cheapest_null(self, s: State) -> Array:
        """The same for far fewer samples than columns: no matrix of order d is decomposed."""
        values, U = eigh(laplacian(s.S))
        B = np.sqrt(np.maximum(values, 0))[:, None] * (U.T @ self.X) * s.v
        values, U = eigh(B @ B.T)
        kept = values > _NULL * values.sum()
        Q = orthonormalize(B.T @ (U[:, kept] / np.sqrt(values[kept])))
        cost = np.diagonal(s.A)
        inverse = 1 / (cost + _SHIFT * cost.mean())
        scaled = inverse[:, None] * Q
        factor = cho_factor(Q.T @ scaled)

        def solve(u: Array) -> Array:
            """Inverse of the shifted costs on the null space, 0 on the range."""
            u = u.ravel()
            return inverse * u - scaled @ cho_solve(factor, scaled.T @ u)

        whole = LinearOperator((len(cost), len(cost)), matvec=solve, dtype=cost.dtype)
        return leading_eigenpairs(whole, self.c)[1]

    def update_v(self, s: State) -> State:
        """Quadratic program on the simplex: accelerated projected gradient, then exactly."""
        weight = float((s.a**2).sum())
        target = s.a**2 @ self.V
        H = 4 * s.A * (s.P @ s.P.T)
        H[np.diag_indices_from(H)] += 2 * weight

        def value_and_gradient(v: Array) -> tuple[float, Array]:
            Hv = H @ v
            return float(v @ Hv) / 2 - 2 * float(target @ v), Hv - 2 * target

        largest = float(leading_eigenpairs(H, 1)[0][0])
        (v,), _ = accelerated_proximal_gradient(
            lambda v: value_and_gradient(v)[0],
            value_and_gradient,
            (s.v,),
            step=1 / largest,
            n_steps=_QP_STEPS,
            prox=lambda u, t: project_simplex(u),
        )
        return s._replace(v=_on_its_support(H, target, v, (2 * weight, largest)))

    def update_S(self, s: State) -> State:
        weight = float((s.b**2).sum())
        mean = sum(b * b * base for b, base in zip(s.b, self.base, strict=True))
        Z = self.X @ (s.v[:, None] * s.P)
        apart = euclidean_distances(Z, squared=True) + euclidean_distances(s.Y, squared=True)
        S = np.clip((mean - apart / (2 * np.maximum(s.Om, _TINY) ** 2)) / weight, 0, 1)
        return s._replace(S=S, A=self._form(S))

    def update_Y(self, s: State) -> State:
        return s._replace(Y=laplacian_eigenvectors(s.S, self.c))

    def update_Om(self, s: State) -> State:
        q = sum(b * b * (s.S - base) ** 2 for b, base in zip(s.b, self.base, strict=True))
        return s._replace(Om=np.minimum(1, self.lam(s) / np.maximum(2 * q, _TINY)))

    def update_a(self, s: State) -> State:
        return s._replace(a=_shares(((s.v - self.V) ** 2).sum(axis=1)))

    def update_b(self, s: State) -> State:
        return s._replace(b=_shares(self._apart(s)))

    def step(self, s: State) -> State:
        for update in (
            self.update_Om,
            self.update_P,
            self.update_v,
            self.update_S,
            self.update_Y,
            self.update_b,
            self.update_a,
        ):
            s = update(s)
        return s._replace(t=s.t + 1)


def _warn_if_collapsed(a: Array) -> None:
    """Warn when one base ranking counts for more than all others together."""
    if len(a) > 1 and a.max() > _ALONE:
        warn_user(
            f"The weights have collapsed: of {len(a)} base rankings, number {a.argmax()} counts "
            f"{a.max():.2f} of 1, and the answer is nearly that ranking.",
        )


def _on_its_support(H: Array, target: Array, v: Array, bounds: tuple[float, float]) -> Array:
    """The minimizer of ``v'Hv/2 - 2 target'v`` where v > 0, if that is on the simplex; else v.

    `bounds` of the eigenvalues of H: rounding may hide the lower one where H is large.
    """
    kept = np.flatnonzero(v)
    least, largest = bounds
    right = np.column_stack([2 * target[kept], np.ones(len(kept))])
    K = H[np.ix_(kept, kept)]
    if least > _HIDDEN * largest:
        free, one = cho_solve(cho_factor(K), right).T
    else:
        values, U = eigh(K)
        free, one = ((U / np.maximum(values, least)) @ (U.T @ right)).T
    exact = free + (1 - free.sum()) / one.sum() * one
    if exact.min() < 0:
        return v
    v = np.zeros_like(v)
    v[kept] = exact
    return v


def _shares(d: Array) -> Array:
    """``argmin sum_k a_k^2 d_k`` on the simplex: inversely proportional to d."""
    inverse = 1 / np.maximum(d, _TINY * max(float(d.max()), _TINY))
    return inverse / inverse.sum()
