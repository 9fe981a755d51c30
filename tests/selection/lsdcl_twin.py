"""The published LSDCL updates, word for word: three factors, Gram matrices, n x n weights.

Samples are columns of ``Xp`` (d x n) as in the paper. `constants=True` puts in what the paper
drops: 1/delta^2 in W and 1/2 in Q.
"""

import numpy as np
from scipy.spatial.distance import cdist


def weights(Xp, V, A, delta2, constants):
    Y = Xp.T @ V
    W = A * np.exp(-cdist(Y, Y, "sqeuclidean") / delta2)
    return W / delta2 if constants else W


def update_U(Xp, U, S, V):
    K = Xp.T @ Xp
    return U * np.sqrt((K @ Xp.T @ V @ S.T) / (K @ U @ S @ V.T @ Xp @ Xp.T @ V @ S.T))


def update_S(Xp, U, S, V):
    K, G = Xp.T @ Xp, Xp @ Xp.T
    return S * np.sqrt((U.T @ K @ Xp.T @ V) / (U.T @ K @ U @ S @ V.T @ G @ V))


def update_V(Xp, U, S, V, *, A, lam1, lam2, delta2, constants):
    G = Xp @ Xp.T
    T = U @ S
    W = weights(Xp, V, A, delta2, constants)
    D = np.diag(W.sum(axis=1))
    Q = np.diag((0.5 if constants else 1.0) / np.maximum(np.linalg.norm(V, axis=1), 1e-300))
    up = G @ Xp @ T + 2 * lam1 * Xp @ W @ Xp.T @ V
    down = G @ V @ T.T @ Xp.T @ Xp @ T + 2 * lam1 * Xp @ D @ Xp.T @ V + lam2 * Q @ V
    return V * np.sqrt(up / down)
