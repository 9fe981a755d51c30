"""How many dimensions of a table stand above its noise: parallel analysis without permutations.

Dobriban & Owen, "Deterministic parallel analysis", JRSS B 81, 2019, with the level taken from the
fluctuations of the largest eigenvalue (Tracy-Widom) and calibrated by random signs, which keep the
scale of every row, the scale of every column and the zeros of a sparse table. Z (n x d) holds the
standardized rows.

====== ============ ===========================================================================
here   code         meaning, shape
====== ============ ===========================================================================
s2_i   s2           eigenvalues of ``Z'Z``, descending
V      V            right singular vectors of Z, d x rank
psi_i  noise        noise variance of each column, (d,)
smc_i  uniqueness   variance of column i that the other columns do not explain, (d,)
c(r)   calibration  largest ratio of a sign-flipped eigenvalue to the analytic edge, >= 1
====== ============ ===========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import ssyevr
from scipy.optimize import brentq
from scipy.sparse.linalg import LinearOperator, eigsh

from .._typing import Array

#: 99 % quantile of the Tracy-Widom law of order 1.
TRACY_WIDOM_99 = 2.0234
#: Failures in a row after which the count ends; a pass after a failure must exceed `SURE` edges.
PATIENCE = 3
SURE = 1.05
#: The uniquenesses serve as noise variances where their sum is below this part of the residuals'.
UNIQUENESS_SHARE = 0.9
#: Points between 0 and the first count at which the signs are flipped.
GRID = 4
#: Up to this smaller side the largest eigenvalue comes from a Gram matrix, beyond by Lanczos.
_DENSE_SIDE = 400


class Spectrum(NamedTuple):
    """Eigenvalues and vectors of the standardized rows.

    Attributes
    ----------
    n : int
        Rows.
    totals : ndarray of shape (d,)
        Squared norms of the columns, all positive.
    s2 : ndarray of shape (rank,)
        Squared singular values, descending.
    V : ndarray of shape (d, rank)
        Right singular vectors.
    """

    n: int
    totals: Array
    s2: Array
    V: Array

    @property
    def d(self) -> int:
        return len(self.totals)

    def residual_totals(self, r: int) -> Array:
        """Squared norms of the columns without the r leading dimensions."""
        left = self.totals - self.V[:, :r] ** 2 @ self.s2[:r]
        return np.maximum(left, 0.0)

    def uniqueness(self) -> Array | None:
        """Variance of each column left by all others; None with fewer than 2 d + 1 rows."""
        n, d = self.n - 1, self.d
        if n < 2 * d or len(self.s2) < d:
            return None
        return 1 / (self.V**2 @ (1 / np.maximum(self.s2, 1e-12 * self.s2[0]))) / (n - d)


def noise_edge(variances: Array, n: float, d: float) -> float:
    """99 % point of the largest eigenvalue of ``W'W / n``, W noise with these column variances.

    Parameters
    ----------
    variances : ndarray of shape (p,)
        At least one is positive.
    n : float
        Rows of W.
    d : float
        Columns of W; the p variances stand for them.

    Returns
    -------
    float
        Edge of the limiting spectrum plus the Tracy-Widom quantile on its scale.

    Notes
    -----
    The edge is the minimum over u in (0, 1) of ``z(u) = 1/u + (d / p n) sum t_i / (1 - t_i u)``
    with ``t = psi / max psi``. O(p) for each of about 40 evaluations.

    Examples
    --------
    For equal variances the limiting edge is ``(1 + sqrt(d / n))^2``:

    >>> import numpy as np
    >>> round(noise_edge(np.ones(50), 1e8, 1e8), 3)
    4.0
    """
    largest = float(variances.max())
    t = variances / largest
    c = d / len(t) / n

    def slope(u: float) -> float:
        x = u * t / (1 - t * u)
        return c * float(x @ x) - 1

    u = brentq(slope, 1e-12, 1 - 1e-12, xtol=1e-13)
    z = 1 / u + c * np.sum(t / (1 - t * u))
    curvature = 2 / u**3 + 2 * c * np.sum((t / (1 - t * u)) ** 3)
    return float(largest * (z + TRACY_WIDOM_99 * (curvature / 2) ** (1 / 3) * n ** (-2 / 3)))


class Calibration(NamedTuple):
    """``c(r)``: by how much sign-flipped residuals exceed the analytic edge, linear in between."""

    at: tuple[int, ...]
    values: tuple[float, ...]

    def __call__(self, r: int) -> float:
        return float(np.interp(r, self.at, self.values))


def calibrate(
    spectrum: Spectrum,
    draw_rows: Callable[[], Array],
    rng: np.random.RandomState,
    flips: tuple[int, int] = (39, 19),
) -> Calibration:
    """Flip the signs of the residual table at no dimension and at parts of a first count.

    Parameters
    ----------
    spectrum : Spectrum
    draw_rows : callable
        Standardized rows, drawn anew at each call.
    rng : RandomState
    flips : tuple of int
        Sign-flipped tables at no dimension, and at each of the other points.
    """
    first = _ratio(draw_rows(), rng, flips[0])
    r0 = count_dimensions(spectrum, Calibration((0, 1), (first, 1.0)))
    at, values = [0], [first]
    for r in sorted({round(r0 * i / GRID) for i in range(1, GRID + 1)} - {0}):
        T = draw_rows()
        V = spectrum.V[:, :r]
        at.append(r)
        values.append(_ratio(T - (T @ V) @ V.T, rng, flips[1]))
    return Calibration(tuple(at), tuple(values))


def _ratio(R: Array, rng: np.random.RandomState, n_flips: int) -> float:
    """Largest eigenvalue of `n_flips` tables with random signs over the analytic edge; >= 1."""
    m, d = R.shape
    edge = noise_edge(np.einsum("ij,ij->j", R, R) / m, m, d) * m
    single = R.astype(np.float32)
    return max(1.0, max(_largest_eigenvalue(_flipped(single, rng)) for _ in range(n_flips)) / edge)


def _flipped(R: NDArray[np.float32], rng: np.random.RandomState) -> NDArray[np.float32]:
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-R.size // 8)), dtype=np.uint8), count=R.size)
    signs = bits.view(np.int8).reshape(R.shape)
    signs *= 2
    signs -= 1
    return R * signs


def _largest_eigenvalue(M: NDArray[np.float32]) -> float:
    """Of ``M'M``, to one part in a thousand."""
    M = M if M.shape[0] >= M.shape[1] else M.T
    k = M.shape[1]
    if k <= _DENSE_SIDE:
        values, *_, failed = ssyevr(M.T @ M, compute_v=0, range="I", il=k, iu=k, lower=1)
        if failed:
            raise np.linalg.LinAlgError("The eigenvalue did not converge.")
        return float(values[0])
    operator = LinearOperator((k, k), matvec=lambda v: M.T @ (M @ v), dtype=M.dtype)
    v0 = np.cos(np.arange(1, k + 1, dtype=np.float64) ** 2).astype(M.dtype)  # without structure
    return float(eigsh(operator, k=1, tol=1e-3, v0=v0, return_eigenvectors=False)[0])


def count_dimensions(spectrum: Spectrum, calibration: Calibration) -> int:
    """Number of leading dimensions above the noise, 0 where the first is not.

    Dimension r + 1 counts where ``s2_(r+1)`` exceeds the calibrated edge of the noise that is left
    after r dimensions. The first has to pass alone, without uniquenesses.
    """
    n, d = spectrum.n, spectrum.d
    unique = spectrum.uniqueness()
    residual = spectrum.totals.copy()
    last = r = 0
    end = min(len(spectrum.s2) - 1, n - 2, d - 1)
    while r < end and r - last < PATIENCE:
        rows, columns = n - 1 - r, d - r
        noise = np.maximum(residual, 0.0) / rows * d / columns
        if unique is not None and r and unique.sum() < UNIQUENESS_SHARE * noise.sum():
            noise = np.minimum(noise, unique)
        edge = calibration(r) * rows * noise_edge(np.maximum(noise, 1e-10), rows, columns)
        if spectrum.s2[r] > edge * (SURE if r > last else 1 + 1e-9):
            last = r + 1
        elif r == 0:
            break
        residual -= spectrum.s2[r] * spectrum.V[:, r] ** 2
        r += 1
    return last
