"""Two-dimensional clusters by formula: rings, bananas, diamonds, moons, spirals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._typing import Array, Indices

Rng = np.random.RandomState
Points = tuple[Array, Indices]


def balanced_sizes(n: int, n_parts: int) -> Indices:
    """`n` in `n_parts` parts as equal as can be, the larger ones first."""
    return np.full(n_parts, n // n_parts) + (np.arange(n_parts) < n % n_parts)


def dartboard(n_samples: int, rng: Rng) -> Points:
    """Four rings of radius 0.4, 0.3, 0.2, 0.1 around (-0.5, 0.5), points evenly spaced on each."""
    sizes = balanced_sizes(n_samples, 4)
    angle = np.concatenate([2 * np.pi * np.arange(size) / size for size in sizes])
    y = np.repeat(np.arange(4), sizes)
    radius = 0.4 - 0.1 * y
    return np.column_stack([radius * np.cos(angle) - 0.5, radius * np.sin(angle) + 0.5]), y


def diamond(n_samples: int, rng: Rng) -> Points:
    """Nine diamonds ``|u| + |v| <= 1``, evenly filled, on a 3 x 3 grid of step 2."""
    y = np.repeat(np.arange(9), balanced_sizes(n_samples, 9))
    s, t = rng.uniform(-1, 1, size=(2, n_samples))
    center = np.column_stack([2 * (y % 3) - 1, 2 * (y // 3)])
    return np.column_stack([s + t, s - t]) / 2 + center, y


def banana(n_samples: int, rng: Rng) -> Points:
    """Two bent bands, an arch and a bowl whose ends reach into each other; scatter 0.015."""
    t, y = _half_turns(n_samples, rng)
    arch = np.column_stack([0.41 + 0.20 * np.cos(t), 0.55 + 0.32 * np.sin(t)])
    bowl = np.column_stack([0.61 + 0.22 * np.cos(t), 0.65 - 0.42 * np.sin(t)])
    return np.where(y[:, None] == 0, arch, bowl) + 0.015 * rng.standard_normal((n_samples, 2)), y


def moons(n_samples: int, rng: Rng) -> Points:
    """Two interleaved half circles of radius 1; scatter 0.05."""
    t, y = _half_turns(n_samples, rng)
    upper = np.column_stack([np.cos(t), np.sin(t)])
    lower = np.column_stack([1 - np.cos(t), 0.5 - np.sin(t)])
    return np.where(y[:, None] == 0, upper, lower) + 0.05 * rng.standard_normal((n_samples, 2)), y


def spirals(n_samples: int, rng: Rng) -> Points:
    """Two arms of an Archimedean spiral, one and a half turns each, evenly filled; scatter 0.02."""
    y = np.repeat(np.arange(2), balanced_sizes(n_samples, 2))
    radius = np.sqrt(rng.uniform(0.1**2, 1.0, n_samples))
    t = 3 * np.pi * radius + np.pi * y
    arms = radius[:, None] * np.column_stack([np.cos(t), np.sin(t)])
    return arms + 0.02 * rng.standard_normal((n_samples, 2)), y


def _half_turns(n_samples: int, rng: Rng) -> tuple[Array, Indices]:
    y = np.repeat(np.arange(2), balanced_sizes(n_samples, 2))
    return rng.uniform(0, np.pi, n_samples), y


#: Name (lower case) -> the shape, and how many points it has by default.
SHAPES: dict[str, tuple[Callable[[int, Rng], Points], int]] = {
    "dartboard1": (dartboard, 1000),
    "banana": (banana, 1000),
    "diamond9": (diamond, 1800),
    "moons": (moons, 600),
    "spirals": (spirals, 1000),
}
