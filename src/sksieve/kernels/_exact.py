"""All subsets of k columns in order, as far as a bound does not rule them out.

A node is a set ("head") of i <= k - 2 columns, increasing; below it are the sets that add t = k - i
later columns. ``R`` and ``Q = R^2`` (R the residual Gram matrix of the head) are kept for the later
columns J only: putting in c needs no others,

    b = R_:c / sqrt r,   R - b b',   Q - b z' - z b' + (b.b) b b'   with   z = Q_:c / sqrt r,

and the error falls by ``Q_cc / R_cc``. At i = k - 2 every pair of J is valued at once,

    gain(a, b) = (Q_aa R_bb + Q_bb R_aa - 2 R_ab Q_ab) / (R_aa R_bb - R_ab^2).

Bounds: t columns of J span a subspace of what J spans, so they gain at most the sum of the t
largest eigenvalues of ``L^-1 Q_JJ L^-T``, ``L L' = R_JJ``; and a node's sums hold below it.
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
from scipy.linalg.lapack import dpotrf, dsygst

from ._pair import inlined, jit

#: A node's eigenvalues are computed when there are this many subsets below it for each J^3.
EIGEN_WORTH = 0.5
EPS = np.finfo(np.float64).eps
#: Why the loop stops: all nodes looked at or enough of them, a subset met, a child entered for the
#: first time or on the way back to where the search stood.
PAUSED, MET, ENTERED, REENTERED = range(4)


@inlined
def _insert(R, Q, c, R_new, Q_new):
    """R and Q of the columns after c once c is put in."""
    n = R.shape[0]
    r = R[c, c]
    gain = Q[c, c] / r
    for i in range(c + 1, n):
        b = R[c, i] / r
        z = Q[c, i] / r - gain * b
        for j in range(i, n):
            R_new[i, j] = R[i, j] - b * R[c, j]
            Q_new[i, j] = Q[i, j] - b * Q[c, j] - z * R[c, j]


@inlined
def _residual(G, rows, head, j, B):
    """Write into B what head leaves of column j, as inner products with all columns and the target.

    It is row len(head) of B, (len(head) + 1 or more, n + p); the rows before are workspace.
    """
    k, n, m = head.shape[0], G.shape[0], rows.shape[1]
    for p in range(k + 1):
        i = head[p] if p < k else j
        row = B[p]
        for t in range(n):
            row[t] = G[i, t]
        for t in range(m):
            row[n + t] = rows[i, t]
        for q in range(p):
            for t in range(n + m):
                row[t] -= B[q, i] * B[q, t]
        if p < k:
            d = np.sqrt(row[i])
            for t in range(n + m):
                row[t] /= d


@inlined
def _pair_gain(G, rows, head, a, b, both):
    """What a and b gain beside head, from their residual columns: right where tables are not."""
    for side in range(2):
        _residual(G, rows, head, b if side else a, both[side])
    u, v = both[0, head.shape[0]], both[1, head.shape[0]]
    uu = uv = vv = 0.0
    for t in range(G.shape[0], u.shape[0]):
        uu += u[t] * u[t]
        uv += u[t] * v[t]
        vv += v[t] * v[t]
    return (uu * v[b] + vv * u[a] - 2 * u[b] * uv) / (u[a] * v[b] - u[b] * u[b])


@inlined
def _row(R, Q, c, i, b, z, r_row, q_row):
    """Row i, right of the diagonal, of R and Q once c is put in (none if c < 0)."""
    n = R.shape[0]
    if c < 0:
        for j in range(i + 1, n):
            r_row[j], q_row[j] = R[i, j], Q[i, j]
        return
    x, y = b[i], z[i]
    for j in range(i + 1, n):
        r_row[j] = R[i, j] - x * R[c, j]
        q_row[j] = Q[i, j] - x * Q[c, j] - y * R[c, j]


@inlined
def _best_pair(R, Q, G, rows, head, first, need, floor, work, both):
    """The pair of columns from `first` on that gains most beside head, if more than `need`.

    R and Q are the tables without head's last column, c: its part is taken off row by row. `work`,
    (6, n), and `both`, (2, k - 1, n + p), are workspace.
    """
    n, c = R.shape[0], head[-1] if head.shape[0] else -1
    r, N, b, z, r_row, q_row = work[0], work[1], work[2], work[3], work[4], work[5]
    for j in range(first, n):
        r[j], N[j] = R[j, j], Q[j, j]
        if c >= 0:
            b[j] = R[c, j] / R[c, c]
            z[j] = (Q[c, j] - b[j] * Q[c, c]) / R[c, c]
            r[j] -= b[j] * R[c, j]
            N[j] -= b[j] * Q[c, j] + z[j] * R[c, j]
    left, right = -1, -1  # no pair
    for i in range(first, n - 1):
        if r[i] <= floor[i]:
            continue
        _row(R, Q, c, i, b, z, r_row, q_row)
        excess = 0.0
        for j in range(i + 1, n):
            gained = N[i] * r[j] + r[i] * N[j] - 2 * r_row[j] * q_row[j]
            excess = max(excess, gained - need * (r[i] * r[j] - r_row[j] * r_row[j]))
        if excess <= 0:
            continue
        for j in range(i + 1, n):
            det = r[i] * r[j] - r_row[j] * r_row[j]
            if det > r[i] * floor[j]:
                gain = (N[i] * r[j] + r[i] * N[j] - 2 * r_row[j] * q_row[j]) / det
                if gain > need:
                    gain = _pair_gain(G, rows, head, i, j, both)
                    if gain > need:
                        need, left, right = gain, i, j
    return left, right


def _gain_bounds(R, Q, first, floor, most):
    """Lower ``most[t]``, what t columns from `first` on can gain at most, t = 1..k, in place.

    Rounding is added to the sums; columns too close to dependent for it leave them as they are.
    """
    L, failed = dpotrf(R[first:, first:].T, lower=1)  # upper triangles are what tables have
    pivots = np.diagonal(L) ** 2
    if failed or not (pivots > floor[first:]).all():
        return
    n, inner = len(L), Q[first:, first:]
    values = np.linalg.eigvalsh(dsygst(inner.T, L, lower=1)[0])[::-1][: len(most) - 1]
    rounding = n * EPS * np.trace(inner) / pivots.min()
    most = most[1 : len(values) + 1]
    np.minimum(most, rounding + np.cumsum(values), out=most)


@cache
def _least_for_eigenvalues(n, t):
    """For how many columns the eigenvalues pay when t more come; more than n for none."""
    return next((m for m in range(n) if comb(m, t) > EIGEN_WORTH * m**3), n + 1)


def explore(G, F, rows, tau, most, floor, head, level, limit, max_nodes, R, Q):
    """Go on through the nodes in lexicographic order, up to the next subset below `limit`.

    Parameters
    ----------
    G, F : ndarray of shape (n, n)
        The pair.
    rows : ndarray of shape (n, p)
        ``F = rows rows'``.
    tau : float
        Error of the empty set.
    most : ndarray of shape (k + 1,)
        What t columns can gain at most, t = 0..k; k >= 2.
    floor : ndarray of shape (n,)
        Residual a column must exceed to be put in.
    head : ndarray of shape (max(k - 2, 1),), int
        The node's columns ``head[:level]`` and the one to look at next, ``head[level]``.
    level : int
        Where the search stands; below 0 there is nothing left.
    limit : float
        Only errors below this are of interest.
    max_nodes : int
        Nodes at most.
    R, Q : ndarray of shape (max(k - 3, 0), n, n)
        Workspace for the tables of levels 1 to k - 3.

    Returns
    -------
    S : ndarray of shape (k,) or (0,)
        A subset with an error below `limit`, the best of its node.
    head, level : ndarray, int
        Where to go on.
    n_nodes : int
        Nodes looked at.
    """
    k, n = most.shape[0] - 1, G.shape[0]
    head, S = head.copy(), np.empty(k, np.int64)
    work, both = np.empty((6, n)), np.empty((2, k - 1, n + rows.shape[1]))
    bounds, f = np.empty((k, k + 1)), np.empty(k)
    bounds[0], f[0] = most, tau
    least = np.array([_least_for_eigenvalues(n, k - at) for at in range(k)])
    at = n_nodes = 0
    while True:
        reason, at, level, count = _explore(
            G, F, rows, bounds, least, floor, head, at, level, limit, max_nodes - n_nodes, R, Q,
            work, both, S, f,
        )  # fmt: skip
        n_nodes += count
        if reason not in (ENTERED, REENTERED):
            return S if reason == MET else S[:0], head, level, n_nodes
        _gain_bounds(R[at - 1], Q[at - 1], head[at - 1] + 1, floor, bounds[at])
        if reason == ENTERED and not f[at] - bounds[at, k - at] < limit:
            at = level = at - 1
            head[at] += 1


@jit
def _explore(
    G, F, rows, bounds, least, floor, head, at, level, limit, max_nodes, R, Q, work, both, S, f
):
    """`explore` with workspace; `head` is modified, and S where a subset is met.

    It stops where a child is entered whose bounds are worth eigenvalues, those with ``least[at]``
    columns or more. Returns why it stops, where, `level` and the number of nodes.
    """
    k, n = S.shape[0], G.shape[0]
    n_nodes = np.int64(0)
    while at >= 0 and n_nodes < max_nodes:
        A, B = (G, F) if at == 0 else (R[at - 1], Q[at - 1])
        c, again, t = head[at], at < level, k - at - 1  # t columns to come after c
        is_root = k == 2  # its pairs are all there is
        is_open = True
        if not is_root:
            if c + t >= n:
                at = level = at - 1
                head[max(at, 0)] += 1
                continue
            is_open = A[c, c] > floor[c]
            if is_open:
                f[at + 1] = f[at] - B[c, c] / A[c, c]
                is_open = again or f[at + 1] - bounds[at, t] < limit
        if is_open:
            n_nodes += 0 if again else 1
            if is_root or t == 2:
                size = np.int64(0) if is_root else at + 1
                first = np.int64(0) if is_root else c + 1
                a, b = _best_pair(
                    A, B, G, rows, head[:size], first, f[size] - limit, floor, work, both
                )
                if a >= 0:
                    for s in range(k - 2):
                        S[s] = head[s]
                    S[k - 2], S[k - 1] = a, b
                    head[at] += 1
                if is_root or a >= 0:
                    at = np.int64(-1) if is_root else at
                    return MET if a >= 0 else PAUSED, at, at, n_nodes
            else:
                for s in range(k + 1):
                    bounds[at + 1, s] = bounds[at, s]
                _insert(A, B, c, R[at], Q[at])
                at += 1
                if not again:
                    head[at], level = c + 1, at
                if n - c - 1 >= least[at]:
                    return REENTERED if again else ENTERED, at, level, n_nodes
                continue
        head[at] += 1
    return PAUSED, at, at, n_nodes
