"""Synthetic tables whose answer is known by construction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils import Bunch, check_random_state

from .._typing import Array, Indices
from ._shapes import SHAPES, balanced_sizes

Seed = int | np.random.RandomState | None


def make_subspaces(
    n_subspaces: int = 5,
    dim: int = 4,
    n_features: int = 50,
    n_samples: int = 200,
    noise: float = 0.01,
    *,
    random_state: Seed = None,
) -> tuple[Array, Indices]:
    """Points on a union of random linear subspaces.

    ``x_i = U_{y_i} z_i + noise e_i`` with orthonormal U_c (n_features x dim), uniformly random, and
    standard normal z_i, e_i.

    Parameters
    ----------
    n_subspaces : int, default=5
        Subspaces.
    dim : int, default=4
        Dimension of each, at most `n_features`.
    n_features : int, default=50
        Columns.
    n_samples : int, default=200
        Rows in all, dealt out to the subspaces as equally as can be.
    noise : float, default=0.01
        Standard deviation of the noise of every entry.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Subspace of each row, ascending.

    Raises
    ------
    ValueError
        If `dim` exceeds `n_features`, or there is no subspace or fewer samples than subspaces.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.datasets import make_subspaces
    >>> X, y = make_subspaces(3, dim=2, n_features=10, n_samples=30, noise=0.0, random_state=0)
    >>> [int(np.linalg.matrix_rank(X[y == c])) for c in range(3)]
    [2, 2, 2]
    """
    if dim > n_features:
        raise ValueError(f"dim={dim} exceeds n_features={n_features}.")
    if not 1 <= n_subspaces <= n_samples:
        raise ValueError(f"n_subspaces must lie in 1..n_samples={n_samples}; got {n_subspaces}.")
    rng = check_random_state(random_state)
    y = np.repeat(np.arange(n_subspaces), balanced_sizes(n_samples, n_subspaces))
    X = noise * rng.standard_normal((n_samples, n_features))
    for c in range(n_subspaces):
        U, _ = np.linalg.qr(rng.standard_normal((n_features, dim)))
        X[y == c] += rng.standard_normal((np.sum(y == c), dim)) @ U.T
    return X, y


def make_shape(
    name: str, n_samples: int | None = None, *, random_state: Seed = None
) -> tuple[Array, Indices]:
    """Points of a two-dimensional shape, made by formula.

    Parameters
    ----------
    name : {"Dartboard1", "Banana", "Diamond9", "moons", "spirals"}
        Case does not matter. The first three look like the files of the same name that BLUFS uses
        (Dartboard1 is the same set of points); `load` reads the files.
    n_samples : int, optional
        Points, dealt out to the clusters as equally as can be; by default as many as show the
        shape well.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        Cluster of each point, ascending.

    Raises
    ------
    ValueError
        If there is no such shape.

    Examples
    --------
    >>> from sksieve.datasets import make_shape
    >>> X, y = make_shape("Dartboard1")
    >>> X.shape, int(y.max()) + 1
    ((1000, 2), 4)
    """
    if name.lower() not in SHAPES:
        raise ValueError(f"There is no shape {name!r}. Known: {', '.join(SHAPES)}.")
    maker, default = SHAPES[name.lower()]
    return maker(default if n_samples is None else n_samples, check_random_state(random_state))


def make_informative_plus_noise(
    base: str = "Dartboard1",
    n_noise: int = 7,
    *,
    n_samples: int | None = None,
    random_state: Seed = None,
) -> tuple[Array, Indices, Indices]:
    """Two columns that show clusters, hidden among columns of noise.

    The experiment of BLUFS: a selector that keeps two columns should keep the two informative ones.
    The noise is normal, with the mean of one informative column and the standard deviation of one,
    in turn, so that location and spread give nothing away.

    Parameters
    ----------
    base : {"Dartboard1", "Banana", "Diamond9", "moons", "spirals"}, default="Dartboard1"
        See `make_shape`.
    n_noise : int, default=7
        Noise columns.
    n_samples : int, optional
        Rows; see `make_shape`.
    random_state : int, RandomState or None
        Seeds the shape, the noise and the order of the columns.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_noise)
        Columns in random order.
    y : ndarray of shape (n_samples,)
        Cluster of each row.
    informative : ndarray of shape (2,)
        Where the informative columns are, ascending.

    Raises
    ------
    ValueError
        If there is no such shape.

    Examples
    --------
    >>> from sksieve.datasets import make_informative_plus_noise
    >>> X, y, informative = make_informative_plus_noise("moons", n_noise=7, random_state=0)
    >>> X.shape, len(informative)
    ((600, 9), 2)
    """
    rng = check_random_state(random_state)
    signal, y = make_shape(base, n_samples, random_state=rng)
    like = np.arange(n_noise) % 2
    noise = rng.standard_normal((len(signal), n_noise))
    noise = noise * signal.std(axis=0)[like] + signal.mean(axis=0)[like]
    order = rng.permutation(2 + n_noise)
    X = np.column_stack([signal, noise])[:, order]
    return X, y, np.flatnonzero(order < 2)


def make_low_rank(
    n_samples: int = 200,
    n_features: int = 50,
    rank: int = 5,
    noise: float = 0.1,
    *,
    random_state: Seed = None,
) -> Array:
    """A table of low rank plus noise.

    ``X = U V' / sqrt(rank) + noise E`` with standard normal U (n_samples x rank), V (n_features x
    rank) and E: entries of the signal have variance 1.

    Parameters
    ----------
    n_samples, n_features : int, default=200, 50
        Shape.
    rank : int, default=5
        Rank of the signal, 1 or more, at most the smaller side.
    noise : float, default=0.1
        Standard deviation of the noise.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If `rank` is not possible.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.datasets import make_low_rank
    >>> int(np.linalg.matrix_rank(make_low_rank(30, 20, rank=4, noise=0.0, random_state=0)))
    4
    """
    if not 1 <= rank <= min(n_samples, n_features):
        raise ValueError(f"rank must lie in 1..{min(n_samples, n_features)}; got {rank}.")
    rng = check_random_state(random_state)
    U, V = rng.standard_normal((n_samples, rank)), rng.standard_normal((n_features, rank))
    return U @ V.T / np.sqrt(rank) + noise * rng.standard_normal((n_samples, n_features))


def make_redundant_table(
    n_samples: int = 300,
    group_sizes: Sequence[int] = (5, 4, 3, 2, 1),
    noise: float = 0.3,
    *,
    random_state: Seed = None,
) -> Bunch:
    """A table of groups of nearly equal columns, with the answer a selector should give.

    Each group has a hidden factor. Its first column is the factor itself, the others are the factor
    plus noise, which grows from column to column up to `noise`. So one column for each group
    carries nearly everything, and the cleanest one of each group carries most.

    Parameters
    ----------
    n_samples : int, default=300
        Rows; more than there are groups.
    group_sizes : sequence of int, default=(5, 4, 3, 2, 1)
        Columns of each group.
    noise : float, default=0.3
        Standard deviation of the noise of a group's last column; the factors have 1.
    random_state : int, RandomState or None
        Seeds everything, the order of the columns too.

    Returns
    -------
    Bunch
        `X` (n_samples, n_features), columns in random order; `groups` (n_features,), the group of
        each column; `representatives` (n_groups,), the factor of each group, in the order of the
        groups; `feature_names`, such as ``group0_copy2``.

    Raises
    ------
    ValueError
        If there is no group, a group is empty, or there are too few samples.

    Notes
    -----
    The factors are exactly uncorrelated, of mean 0 and variance 1, so that groups cannot be
    confused by chance.

    Examples
    --------
    >>> from sksieve.datasets import make_redundant_table
    >>> table = make_redundant_table(random_state=0)
    >>> table.X.shape, sorted(table.feature_names[table.representatives].tolist())[:2]
    ((300, 15), ['group0_copy0', 'group1_copy0'])
    """
    sizes = np.asarray(group_sizes)
    if sizes.dtype.kind not in "iu" or (sizes < 1).any() or n_samples <= len(sizes):
        raise ValueError(
            "group_sizes must be whole numbers, at least one column each, and there must be more "
            f"than {len(sizes)} samples; got {group_sizes} and n_samples={n_samples}."
        )
    rng = check_random_state(random_state)
    factors = rng.standard_normal((n_samples, len(sizes)))
    factors = np.linalg.qr(factors - factors.mean(axis=0))[0] * np.sqrt(n_samples)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    copy = np.concatenate([np.arange(size) for size in sizes])
    spread = noise * copy / np.maximum(sizes[groups] - 1, 1)
    X = factors[:, groups] + spread * rng.standard_normal((n_samples, len(groups)))
    order = rng.permutation(len(groups))
    where = np.argsort(order)
    names = np.array([f"group{g}_copy{c}" for g, c in zip(groups, copy, strict=True)])
    return Bunch(
        X=X[:, order],
        groups=groups[order],
        representatives=where[np.flatnonzero(copy == 0)],
        feature_names=names[order],
    )
