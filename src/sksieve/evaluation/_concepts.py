"""Concepts as weights over samples and columns, of a method that has both (LSDCL)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array, Indices


@dataclass(frozen=True, eq=False)
class Concepts:
    """The concepts that are not empty, the one of largest norm first.

    Parameters
    ----------
    shares : ndarray of shape (r,)
        Product of a concept's norms over columns and over samples, as a share of their sum.
    over_columns, over_samples : ndarray of shape (d, r) and (n, r)
        The concept as a column of the table, and its strength in each sample.
    column_weights, sample_weights : ndarray of shape (d, r) and (n, r)
        Nonnegative weights of the columns in a concept, and of the samples it is a mixture of.
    n_empty : int
        Concepts without weights, left out.
    """

    shares: Array
    over_columns: Array
    over_samples: Array
    column_weights: Array
    sample_weights: Array
    n_empty: int

    def first(self, n: int) -> Concepts:
        """The first n of them."""
        return Concepts(
            self.shares[:n],
            self.over_columns[:, :n],
            self.over_samples[:, :n],
            self.column_weights[:, :n],
            self.sample_weights[:, :n],
            self.n_empty,
        )

    @property
    def effective_samples(self) -> Indices:
        """Samples of equal weight that a concept's mixture is worth: ``(sum t)^2 / sum t^2``."""
        squares = (self.sample_weights**2).sum(axis=0)
        alike = self.sample_weights.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0)
        return np.asarray(np.round(alike), dtype=np.intp)

    @property
    def relative_weights(self) -> Array:
        """Weights of the columns, the largest of each concept being 1."""
        top = self.column_weights.max(axis=0)
        return np.asarray(self.column_weights / np.where(top > 0, top, 1.0))

    @property
    def mean_correlation(self) -> float:
        """Mean absolute correlation of the concepts over the samples; 0 for a constant one."""
        Y = self.over_samples
        if Y.shape[1] < 2 or not (np.ptp(Y, axis=0) > 0).all():
            return 0.0
        return float(np.abs(np.corrcoef(Y.T))[np.triu_indices(Y.shape[1], 1)].mean())

    def sample_lines(self, limit: int) -> tuple[Array, Indices]:
        """Samples sorted by their strongest concept, strongest first, averaged to few lines.

        Parameters
        ----------
        limit : int
            Lines, at most.

        Returns
        -------
        lines : ndarray of shape (at most limit, r)
            Every concept is measured in its root mean square, for its scale has no meaning.
        sizes : ndarray of shape (r,)
            Samples whose strongest concept it is.
        """
        size = np.sqrt((self.over_samples**2).mean(axis=0))
        Y = self.over_samples / np.where(size > 0, size, 1.0)
        strongest = Y.argmax(axis=1)
        order = np.lexsort((-Y.max(axis=1), strongest))
        lines = np.stack(
            [Y[part].mean(axis=0) for part in np.array_split(order, min(limit, len(Y)))]
        )
        return lines, np.bincount(strongest, minlength=Y.shape[1])


def concepts(est: Any) -> Concepts | None:
    """The concepts of a fitted method; None where it has none, or none that is not empty.

    Parameters
    ----------
    est : fitted selector
        With ``T_``, ``components_``, ``sample_concepts_`` and ``feature_concepts_``.
    """
    attributes = ("T_", "components_", "sample_concepts_", "feature_concepts_")
    if not all(hasattr(est, name) for name in attributes):
        return None
    T, components, C, Y = (np.asarray(getattr(est, name), dtype=np.float64) for name in attributes)
    V = components.T
    norms = np.linalg.norm(C, axis=0) * np.linalg.norm(Y, axis=0)
    order = np.argsort(-norms, kind="stable")
    order = order[norms[order] > 0]
    if not len(order):
        return None
    return Concepts(
        norms[order] / norms.sum(),
        C[:, order],
        Y[:, order],
        V[:, order],
        T[:, order],
        V.shape[1] - len(order),
    )
