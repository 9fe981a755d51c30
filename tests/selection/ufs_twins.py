"""Literal twins of the baselines: dense, slow, written from the papers' formulas."""

import numpy as np


def gradient_steps(value, gradient, x, step, n_steps):
    """Monotone accelerated projected gradient on x >= 0, to the letter; the step it ends with."""
    best, y, t = value(x), x, 1.0
    for _ in range(n_steps):
        f, g = value(y), gradient(y)
        while True:
            z = np.maximum(y - step * g, 0)
            bound = f + (g * (z - y)).sum() + ((z - y) ** 2).sum() / (2 * step)
            if value(z) <= bound + 4 * np.finfo(float).eps * abs(f):
                break
            step /= 2
        if value(z) <= best:
            t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
            y, x, best, t = z + (t - 1) / t_new * (z - x), z, value(z), t_new
        elif t == 1:
            break
        else:
            y, t = x, 1.0
    return x, step


def nearest(X, k):
    """Indices of the k nearest others of each row; ties to the smaller index."""
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k], D


def laplacian(P):
    S = (P + P.T) / 2
    return np.diag(S.sum(axis=1)) - S


def linear_weights(X, k):
    """Locally linear weights, row by row (Liu et al., LLE.m, always regularized)."""
    W = np.zeros((len(X), len(X)))
    near = nearest(X, k)[0]
    for i, J in enumerate(near):
        Z = X[J] - X[i]
        C = Z @ Z.T
        w = np.linalg.solve(C + 1e-3 * np.trace(C) * np.eye(k), np.ones(k))
        W[i, J] = w / w.sum()
    return W


def rne(E, H, alpha, steps):
    """RNE by the method of multipliers with E'E (d x d) written out; H at the end."""
    A, eye = E.T @ E, np.eye(H.shape[1])
    M, Y, gamma, step = E @ H, np.zeros((len(E), H.shape[1])), 10.0, 1.0
    for _ in range(steps):
        C = E.T @ (M + Y / gamma)
        size = ((M + Y / gamma) ** 2).sum()

        def value(H, C=C, size=size, gamma=gamma):
            fit = np.trace(H.T @ A @ H) - 2 * np.trace(H.T @ C) + size
            return gamma / 2 * fit + alpha / 4 * ((H.T @ H - eye) ** 2).sum()

        def gradient(H, C=C, gamma=gamma):
            return gamma * (A @ H - C) + alpha * H @ (H.T @ H - eye)

        H, step = gradient_steps(value, gradient, H, 4 * step, 10)
        V = E @ H - Y / gamma
        M = np.sign(V) * np.maximum(np.abs(V) - 1 / gamma, 0)
        Y = Y + gamma * (M - E @ H)
        gamma = min(1.1 * gamma, 1e10)
    return H


def rne_published(E, H, alpha, steps):
    """The authors' program (RNE_obj.m): 30 multiplicative steps an iteration, columns unit."""
    A = E.T @ E
    M, Y, gamma = E @ H, np.zeros((len(E), H.shape[1])), 10.0

    def plus(V):
        return (np.abs(V) + V) / 2

    for _ in range(steps):
        for _ in range(30):
            H = H / np.linalg.norm(H, axis=0)
            up = alpha * H + gamma * plus(E.T @ M) + gamma * plus(-A) @ H + plus(E.T @ Y)
            down = alpha * H @ H.T @ H + gamma * plus(-E.T @ M) + gamma * plus(A) @ H
            H = H * np.sqrt(up / (down + plus(-E.T @ Y) + 1e-16))
        V = E @ H - Y / gamma
        M = np.sign(V) * np.maximum(np.abs(V) - 1 / gamma, 0)
        Y = Y + gamma * (M - E @ H)
        gamma = min(1.1 * gamma, 1e10)
    return H


def simplex(v):
    """The nearest point of the simplex, by sorting."""
    u = np.sort(v)[::-1]
    theta = (np.cumsum(u) - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - theta[np.count_nonzero(u > theta) - 1], 0)


def reweighted(A, q, W, gamma, m, steps):
    """Eigenvectors of ``A + gamma diag(q)`` for the weights q, or for those of W."""
    for _ in range(steps):
        if W is not None:
            q = 0.5 / np.sqrt((W**2).sum(axis=1) + 1e-10)
        W = np.linalg.eigh(A + gamma * np.diag(q))[1][:, :m]
    return W


def bottom(S, c):
    """The c smallest eigenvectors of the Laplacian of S; of components, the largest ones."""
    from scipy.sparse.csgraph import connected_components

    count, of = connected_components(S + S.T > 0)
    if count <= c:
        return np.linalg.eigh(laplacian(S))[1][:, :c]
    volume = np.array([(S + S.T)[of == i].sum() for i in range(count)])
    F = np.column_stack([of == i for i in np.argsort(-volume, kind="stable")[:c]]) / 1.0
    return F / np.linalg.norm(F, axis=0)


def sogfs(X, m, k, c, gamma, steps):
    """SOGFS with every row of S and every matrix written out; c = 0 is ULAP. W and S at the end."""
    from scipy.sparse.csgraph import connected_components

    n, d = X.shape
    near, D = nearest(X, k + 1)
    S, alphas = np.zeros((n, n)), []
    for i, J in enumerate(near):
        gap = D[i, J[k]] - D[i, J[:k]]
        S[i, J[:k]] = gap / gap.sum()
        alphas.append(gap.sum() / 2)
    alpha = lam = np.mean(alphas)
    A = X.T @ laplacian(S) @ X
    q = np.ones(d)
    if d - np.linalg.matrix_rank(A, hermitian=True) >= m:
        q = np.diag(A) / np.diag(A).mean()
    W = reweighted(A, q, None, gamma, m, 1)
    F = bottom(S, c) if c else np.zeros((n, 0))
    for _ in range(steps):
        near, D = nearest(np.hstack([X @ W, np.sqrt(lam) * F]), k)
        S = np.zeros((n, n))
        for i, J in enumerate(near):
            S[i, J] = simplex(-D[i, J] / (2 * alpha))
        W = reweighted(X.T @ laplacian(S) @ X, None, W, gamma, m, 2)
        if not c:
            continue
        old, F = F, bottom(S, c)
        found = connected_components(S + S.T > 0)[0]
        if found < c:
            lam *= 2
        elif found > c:
            lam, F = lam / 2, old
    return W, S


def rufs(X, L, G, nu, alpha, beta, zeta, steps):
    """RUFS with diagonal matrices of weights written out; G, F and W at the end."""
    d, eye, eps = X.shape[1], np.eye(G.shape[1]), 1e-10

    def rows(R):
        return np.sqrt((R**2).sum(axis=1) + eps)

    F = np.maximum(np.linalg.inv(G.T @ G) @ G.T @ X, 0)
    F = F + 0.2 * F[F > 0].mean()
    W = np.linalg.inv(X.T @ X + beta / alpha * np.eye(d)) @ X.T @ G
    step_G = step_F = 1.0
    for _ in range(steps):
        a, b = np.diag(1 / (2 * rows(X @ W - G))), np.diag(1 / (2 * rows(W)))
        W = np.linalg.inv(alpha * X.T @ a @ X + beta * b) @ (alpha * X.T @ a @ G)

        def value_G(G, F=F, W=W):
            fit = rows(X - G @ F).sum() + alpha * rows(X @ W - G).sum()
            return fit + nu * np.trace(G.T @ L @ G) + zeta / 4 * ((G.T @ G - eye) ** 2).sum()

        def gradient_G(G, F=F, W=W):
            R, E = G @ F - X, G - X @ W
            g = np.diag(1 / rows(R)) @ R @ F.T + alpha * np.diag(1 / rows(E)) @ E
            return g + 2 * nu * L @ G + zeta * G @ (G.T @ G - eye)

        G, step_G = gradient_steps(value_G, gradient_G, G, 4 * step_G, 10)

        def value_F(F, G=G):
            return rows(X - G @ F).sum()

        def gradient_F(F, G=G):
            return G.T @ np.diag(1 / rows(G @ F - X)) @ (G @ F - X)

        F, step_F = gradient_steps(value_F, gradient_F, F, 4 * step_F, 10)
    return G, F, W
