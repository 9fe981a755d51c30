"""What is wrong in public programs of the baselines, and what it does to an answer.

Each function writes the faulty step of a public program out, beside the right one, on a real table,
and says what differs. Nothing is downloaded: the steps are a line or two each. Writes
results/ufs_errors.md; docs/baselines.md quotes it.

    python benchmarks/ufs_errors.py
"""

from __future__ import annotations

import warnings
from itertools import combinations, pairwise

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from _common import RESULTS, load, machine, markdown
from sksieve import BLSFE, FSPCA, NDFS, RNE, RUFS, UDFS
from sksieve.graphs import (
    adaptive_graph,
    components,
    graph_eigenpairs,
    knn_graph,
    laplacian,
    laplacian_eigenvectors,
    nearest_neighbors,
    normalized_adjacency,
)
from sksieve.linalg import SignedGram
from sksieve.prox import project_simplex, row_norms
from sksieve.selection._lapscore import laplacian_scores
from sksieve.selection._mcfs import lars_knot
from sksieve.selection._ndfs import lifted_indicator, spectral_labels
from sksieve.selection._udfs import local_discriminant
from sksieve.solvers import ReweightedSubspace, row_weights, smoothed_l2p


def table(name: str) -> np.ndarray:
    """Standardized columns that vary."""
    X = load_wine().data if name == "wine" else load(name).X.astype(float)
    return StandardScaler().fit_transform(X[:, X.std(axis=0) > 0])


def graph(X: np.ndarray) -> np.ndarray:
    return knn_graph(X, 5, weights="heat", sigma="mean_all")


def shared(a: np.ndarray, b: np.ndarray, k: int) -> int:
    """How many of the best k columns by two scores are the same."""
    first, second = (set(np.argsort(-s, kind="stable")[:k]) for s in (a, b))
    return len(first & second)


def constant_column() -> str:
    X = table("USPS49")
    scores = laplacian_scores(graph(X), X)  # 1 - L_r; the program gives a constant column 0
    return (
        f"USPS49: a column of ones ranks {1 + (scores > 0).sum()} of {len(scores) + 1}, ahead of "
        f"{(scores < 0).sum()} that vary"
    )


def arbitrary_embedding() -> str:
    """Ten orthogonal bases of the eigenvalue-1 space: ten answers LAPACK may give."""
    X, q, k = table("JAFFE"), 5, 20
    A = graph(X)
    pairs = graph_eigenpairs(A, 16)
    ones = pairs.values > 1 - 1e-9
    V, degree = pairs.vectors[:, ones], np.asarray(A.sum(axis=1)).ravel()
    first = np.sqrt(degree) / np.linalg.norm(np.sqrt(degree))
    G, chosen = X.T @ X + 1e-3 * np.eye(X.shape[1]), []
    for seed in range(10):
        rotation = np.linalg.qr(np.random.RandomState(seed).standard_normal((V.shape[1],) * 2))[0]
        Y = V @ rotation
        Y = np.linalg.qr(np.column_stack([first, Y]))[0][:, 1 : q + 1] / np.sqrt(degree)[:, None]
        a = np.column_stack([lars_knot(G, X.T @ y, k, len(X)) for y in Y.T])
        chosen.append(np.abs(a / np.linalg.norm(a, axis=0)).max(axis=1))
    common = [shared(a, b, k) for a, b in combinations(chosen, 2)]
    return (
        f"JAFFE, {components(A).max() + 1} components: two bases of one eigenspace share "
        f"{np.mean(common):.1f} of {k} columns on average, {min(common)} at worst"
    )


def second_branch() -> str:
    X = table("wine")
    k, lam = 15, 1000.0
    near = np.column_stack([np.arange(len(X)), nearest_neighbors(X, k)[0]])
    H, M = np.eye(k + 1) - 1 / (k + 1), np.zeros((len(X),) * 2)
    for J in near:  # d <= k + 1: H - lam Z (I + lam Z'Z)^-1 Z'
        Z = H @ X[J]
        inner = np.linalg.inv(np.eye(X.shape[1]) + lam * Z.T @ Z)
        M[np.ix_(J, J)] += H @ (H - lam * Z @ inner @ Z.T) @ H
    right = local_discriminant(X, k, lam).toarray()
    scores = [_by_scatter(X, M, 4), _by_scatter(X, right, 4)]
    return (
        f"wine, k = {k}, lambda = {lam:g}: the cosine of its M and the right one is "
        f"{_cosine(M, right):.2f}; 4 columns chosen share {shared(*scores, 4)}"
    )


def wrong_cliques() -> str:
    X = table("sonar")
    k, lam, n = 5, 0.1, len(X)
    near = np.column_stack([np.arange(n), nearest_neighbors(X, k)[0]])
    H, M = np.eye(k + 1) - 1 / (k + 1), np.zeros((n, n))
    for i in range(n):
        Z = H @ X[near[i]]
        S = np.zeros((n, k + 1))
        for q in range(k + 1):
            S[near[q], q] = 1  # near[i, q] is meant
        M += S @ H @ np.linalg.inv(Z @ Z.T + lam * np.eye(k + 1)) @ H @ S.T
    right = local_discriminant(X, k, lam).toarray()
    rows = np.count_nonzero(np.abs(M).sum(axis=1) > 1e-9)
    scores = [_by_scatter(X, M, 10), _by_scatter(X, right, 10)]
    return (
        f"sonar: its M knows {rows} of {n} samples; 10 columns chosen share {shared(*scores, 10)}"
    )


def _by_scatter(X: np.ndarray, M: np.ndarray, m: int) -> np.ndarray:
    """Row norms of the projection that UDFS makes of X'MX."""
    A = SignedGram(None, A=X.T @ M @ X)
    problem = ReweightedSubspace(A, 0.1 * float(A.diagonal().mean()), m)
    state = problem.start()
    for _ in range(30):
        state = problem.step(state)
    return row_norms(state.W)


def _cosine(A: np.ndarray, B: np.ndarray) -> float:
    return float(np.vdot(A, B) / np.linalg.norm(A) / np.linalg.norm(B))


def negative_indicators() -> str:
    """The authors' update of F, gamma = 10, 30 steps."""
    X = table("sonar")
    A, gamma, n = graph(X), 10.0, len(X)
    L = np.eye(n) - normalized_adjacency(A).toarray()
    F = lifted_indicator(spectral_labels(A, 5))
    q, values, lowest = np.full(X.shape[1], 0.5), [], 0.0
    for _ in range(30):
        G = np.linalg.inv(X.T @ X + np.diag(q))
        W = G @ X.T @ F
        E = F.T @ F - np.eye(5)
        fit = ((X @ W - F) ** 2).sum() + smoothed_l2p(W)
        values.append(np.trace(F.T @ L @ F) + fit + gamma / 2 * (E**2).sum())
        M = L + np.eye(n) - X @ G @ X.T
        F = F * gamma * F / (M @ F + gamma * F @ (F.T @ F))
        F /= np.linalg.norm(F, axis=0)
        q, lowest = row_weights(W), min(lowest, F.min())
    rise = max(b / a - 1 for a, b in pairwise(values))
    return (
        f"sonar, gamma = 10: entries of F down to {lowest:.2f}, objective up by {rise:.0%} in one "
        "step"
    )


def frozen_indicators() -> str:
    X = table("sonar")
    est = NDFS(10, gamma=1e8, tol=None).fit(X)
    labels = spectral_labels(graph(X), 5)
    F = np.eye(5)[labels] / np.sqrt(np.bincount(labels))
    q = np.full(X.shape[1], 0.5)
    for _ in range(30):
        W = np.linalg.solve(X.T @ X + np.diag(q), X.T @ F)
        q = row_weights(W)
    rho = spearmanr(est.scores_, row_norms(W)).statistic
    return (
        "sonar, gamma = 1e8: F moves by "
        f"{np.linalg.norm(est.indicators_ - F) / np.linalg.norm(F):.0e} from the clusters of the "
        f"start; rank correlation with regression on them {rho:.3f}"
    )


def wrong_laplacian() -> str:
    A = graph(table("sonar")).toarray()
    wrong = A.sum(axis=1) - A  # the degrees are meant on the diagonal
    right = np.diag(A.sum(axis=1)) - A
    return (
        f"sonar: degrees spread over whole columns in place of the diagonal; not symmetric, "
        f"constants give {np.abs(wrong.sum(axis=1)).mean():.0f} in place of 0, cosine with the "
        f"Laplacian {_cosine(wrong, right):.2f}"
    )


def frozen_clusters() -> str:
    X = table("sonar")
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    labels = spectral_labels(graph(X), 5)
    F = np.eye(5)[labels] / np.sqrt(np.bincount(labels))
    moved = [
        np.linalg.norm(RUFS(10, zeta=z).fit(X).indicators_ - F) / np.sqrt(5) for z in (1e2, 1e7)
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = 1 / np.zeros(1) * 0  # a row reconstructed exactly, weighted by 1 over its length
    return (
        f"sonar: G moves by {moved[1]:.0e} for zeta = 1e7 ({moved[0]:.2f} for the default); a "
        f"residual row of 0 weighs {weights[0]}"
    )


def rising_objective() -> str:
    """The authors' loop with lambda fixed: candidates ignore F, W restarts from weights 1."""
    X = table("sonar") / np.sqrt(208)
    m, k, c, gamma = 3, 5, 3, 0.01
    S, alphas = adaptive_graph(X, k)
    alpha, found = float(alphas.mean()), []
    for lam in (alpha, 8 * alpha, 64 * alpha):
        W, F = _restarted(X, laplacian(S.toarray()), gamma, m), laplacian_eigenvectors(S, c)
        values = []
        for loop in range(12):
            Z, P = np.hstack([X @ W, np.sqrt(lam) * F]), np.zeros((len(X),) * 2)
            for i, J in enumerate(nearest_neighbors(X if loop < 5 else X @ W, k)[0]):
                P[i, J] = project_simplex(-((Z[i] - Z[J]) ** 2).sum(axis=1) / (2 * alpha))
            L = laplacian(P)
            W, F = _restarted(X, L, gamma, m), laplacian_eigenvectors(P, c)
            Z = np.hstack([X @ W, np.sqrt(lam) * F])
            penalty = alpha * (P**2).sum() + 2 * gamma * smoothed_l2p(W)
            values.append(2 * np.trace(Z.T @ L @ Z) + penalty)
        rise = max(b / a - 1 for a, b in pairwise(values))
        found.append(f"{max(rise, 0):.0%} for lambda = {lam / alpha:.0f} alpha")
    return f"sonar: the objective rises in one loop by up to {', '.join(found)}"


def _restarted(X: np.ndarray, L: np.ndarray, gamma: float, m: int) -> np.ndarray:
    problem = ReweightedSubspace(SignedGram(None, A=X.T @ L @ X), gamma, m)
    state = problem.start()
    for _ in range(100):
        state = problem.step(state)
    return state.W


def other_residual() -> str:
    found = []
    for name in ("sonar", "wine"):
        fits = [RNE(5, residual=r, random_state=0).fit(table(name)) for r in ("lle", "program")]
        rho = spearmanr(*(est.scores_ for est in fits)).statistic
        found.append(f"{name}: rank correlation {rho:.2f}")
    return "; ".join(found)


def objective_of_p_one() -> str:
    X = load("Isolet").X.astype(float)[:300, :200]
    Xc = X - X.mean(axis=0)
    A = SignedGram(Xc, sign=-1)
    problem = ReweightedSubspace(A, 0.1 * A.norm, 10, p=0.3)
    state, up, steps = problem.start(), 0, 30
    for _ in range(steps):
        new = problem.step(state)
        logged = [A.trace(s.W) + problem.g * smoothed_l2p(s.W) for s in (state, new)]
        assert problem.objective(new) <= problem.objective(state) + 1e-9 * abs(logged[0])
        up += logged[1] > logged[0] + 1e-9 * abs(logged[0])
        state = new
    return f"Isolet, p = 0.3: what it logs rises in {up} of {steps} steps while the objective falls"


def far_from_the_optimum() -> str:
    ratios: dict[str, list[float]] = {"paper": [], "here": []}
    for seed in range(100):
        X = np.random.RandomState(seed).standard_normal((12, 12))
        Xc = X - X.mean(axis=0)
        A = Xc.T @ Xc
        best = max(_leading(A, J) for J in combinations(range(12), 4))
        ratios["paper"].append(_leading(A, _projected(A, 2, 4)) / best)
        est = FSPCA(4, n_components=2).fit(X)
        ratios["here"].append(est.train_explained_ * np.trace(A) / best)
    words = [f"{name} {np.mean(r):.3f}, worst {min(r):.3f}" for name, r in ratios.items()]
    return f"100 random 12 x 12 covariances, m = 2, s = 4, of the optimum: {'; '.join(words)}"


def _leading(A: np.ndarray, J: tuple[int, ...]) -> float:
    return float(np.linalg.eigvalsh(A[np.ix_(J, J)])[-2:].sum())


def _projected(A: np.ndarray, m: int, s: int) -> tuple[int, ...]:
    """The paper's iteration, from its start."""
    values, V = np.linalg.eigh(A)
    diagonal = np.diag(V[:, -m:] * values[-m:] @ V[:, -m:].T)
    for _ in range(20):
        kept = np.sort(np.argsort(-diagonal, kind="stable")[:s])
        W = np.zeros((len(A), m))
        W[kept] = np.linalg.eigh(A[np.ix_(kept, kept)])[1][:, -m:]
        diagonal = np.diag(A @ W @ np.linalg.pinv(W.T @ A @ W) @ W.T @ A)
    return tuple(kept)


def collapsed_weights() -> str:
    largest, alone = [], []
    for seed in range(5):
        X, rng = table("sonar"), np.random.RandomState(seed)
        largest.append(BLSFE(10, max_iter=100, random_state=seed).fit(X).base_weights_.max())
        V = BLSFE(10)._bases(X, rng)[0]
        v, steps, apart = V.mean(axis=0), 0, np.ones(10)
        while apart.min() > 1e-12 * apart.max():  # the rankings alone: no graph, no clusterings
            apart = ((v - V) ** 2).sum(axis=1)
            weights = 1 / apart / (1 / apart).sum()
            v, steps = weights**2 @ V / (weights**2).sum(), steps + 1
        alone.append(steps)
    return (
        f"sonar, 5 seeds: the rankings alone run into one of ten, exactly, in {min(alone)} to "
        f"{max(alone)} steps; with the clusterings the largest weight is {min(largest):.2f} to "
        f"{max(largest):.2f} after 100"
    )


def collinear_scores() -> str:
    """The program's default lambda and gamma of AutoUFSTool on raw columns."""
    X = load_wine().data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raw = UDFS(3, scale="none").fit(X)
    spread = X.std(axis=0)
    chosen = [int(np.argsort(np.argsort(spread))[j]) + 1 for j in raw.ranking_[:3]]
    return f"wine as measured: the 3 columns chosen are number {sorted(chosen)} of 13 by spread"


EXPERIMENTS = (
    ("LaplacianScore", "Cai's LaplacianScore.m, scikit-feature", constant_column),
    ("MCFS", "Cai's MCFS_p.m, scikit-feature", arbitrary_embedding),
    ("UDFS", "the authors' LocalDisAna.m", second_branch),
    ("UDFS", "scikit-feature (also skfeature-chappers 1.2.1)", wrong_cliques),
    ("UDFS", "all that do not standardize", collinear_scores),
    ("NDFS", "the authors' AAAI2012.m", negative_indicators),
    ("NDFS", "the authors' AAAI2012.m", frozen_indicators),
    ("NDFS", "scikit-feature (also skfeature-chappers 1.2.1)", wrong_laplacian),
    ("RUFS", "the authors' RUFS.m", frozen_clusters),
    ("SOGFS", "the authors' SOGFS.m", rising_objective),
    ("RNE", "the authors' RNE_obj.m", other_residual),
    ("SPCAFS", "the authors' SPCAFS.m", objective_of_p_one),
    ("FSPCA", "the paper's iteration", far_from_the_optimum),
    ("BLSFE", "the paper's model", collapsed_weights),
)


def main() -> None:
    warnings.simplefilter("ignore", UserWarning)
    rows = []
    for method, program, experiment in EXPERIMENTS:
        rows.append((method, program, experiment()))
        print(*rows[-1], sep=" | ", flush=True)
    text = f"{machine()}\n\n{markdown(('method', 'program', 'seen'), rows)}"
    (RESULTS / "ufs_errors.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
