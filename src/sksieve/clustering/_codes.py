"""What the sparse-graph methods share: unit rows, sparsifiers of codes, codes to affinity."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from .._array import check_sparse
from .._validation import NON_NEGATIVE, POSITIVE_WEIGHT, Interval
from ..exceptions import DataError, warn_user
from ..graphs import unit_rows
from ._base import BaseGraphClusterer


class Sparsifier(BaseEstimator):
    """Which coefficients of sparse codes make the graph, and with what weight.

    The plain controls that every comparison of sparse graphs must include.

    Parameters
    ----------
    threshold : float >= 0, default=0.0
        Coefficients smaller in magnitude are dropped.
    top : int or None, default=None
        Only the `top` largest coefficients of each code are kept (ties to the smaller row); None:
        all.
    power : float > 0, default=1.0
        ``sign(z) |z|^power`` takes the place of z.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> Z = sp.csc_array(np.array([[0.0, 0.5], [0.2, 0.0]]))
    >>> Sparsifier(threshold=0.3).sparsify(Z).toarray()
    array([[0. , 0.5],
           [0. , 0. ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": NON_NEGATIVE,
        "top": [Interval(Integral, 1, None, closed="left"), None],
        "power": POSITIVE_WEIGHT,
    }

    def __init__(
        self, *, threshold: float = 0.0, top: int | None = None, power: float = 1.0
    ) -> None:
        self.threshold = threshold
        self.top = top
        self.power = power

    def sparsify(self, Z: sp.csc_array) -> sp.csc_array:
        """The codes that are left.

        Parameters
        ----------
        Z : csc_array of shape (n, n)
            Codes as columns.

        Returns
        -------
        csc_array of shape (n, n)
            Without stored zeros.

        Raises
        ------
        DataError
            If a code to the power leaves the range of its numbers.
        """
        self._validate_params()
        check_sparse(Z, "Z")
        Z = Z.tocoo()
        size = np.abs(Z.data)
        keep = size >= self.threshold
        if self.top is not None:
            order = np.lexsort((Z.row, -size, Z.col))
            first = np.searchsorted(Z.col[order], Z.col[order])
            rank = np.empty(len(order), dtype=np.intp)
            rank[order] = np.arange(len(order)) - first
            keep &= rank < self.top
        with np.errstate(over="ignore"):  # refused below
            values = np.sign(Z.data[keep]) * size[keep] ** self.power
        if not np.isfinite(values).all():
            raise DataError(
                f"power={self.power:g} raises codes of magnitude {size.max():.3g} beyond the range "
                f"of {values.dtype}; lower power."
            )
        out = sp.csc_array((values, (Z.row[keep], Z.col[keep])), shape=Z.shape)
        out.eliminate_zeros()
        return out


class BaseCodeGraph(BaseGraphClusterer):
    """Base class of clusterers whose graph is made of sparse codes of samples on samples.

    A subclass gives ``_codes(X, rng)``, the codes as columns; ``W = (|Z| + |Z'|) / 2``.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters.
    sparsifier : Sparsifier or None, default=None
        Which coefficients of the codes make the graph; None: all of them.
    n_init : int, default=20
        Starts of k-means.
    random_state : int, RandomState or None, default=None
        For k-means.

    Attributes
    ----------
    codes_ : csc_array of shape (n_samples, n_samples)
        Column i: the code of sample i on the others, after the sparsifiers.
    affinity_, embedding_, labels_, n_components_
        See `BaseGraphClusterer`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseGraphClusterer._parameter_constraints,
        "sparsifier": [Sparsifier, None],
    }

    affinity = "codes"
    _instead_for_graphs: ClassVar[str] = "SpectralGraph or SpectralCommunities"

    sparsifier: Sparsifier | None

    @abstractmethod
    def _codes(self, X: Any, rng: np.random.RandomState) -> sp.csc_array:
        """The codes, one column per sample, zero diagonal."""

    def _prepare(self, X: Any) -> Any:
        if sp.issparse(X):
            raise TypeError(
                f"{type(self).__name__} takes dense X. Use X.toarray() if it fits in memory "
                f"({8 * np.prod(X.shape, dtype=float) / 1e9:.2g} GB), the leading components of X "
                f"(sklearn.decomposition.TruncatedSVD), or SpectralGraph, which takes sparse X."
            )
        if not X.any():
            raise DataError("Every row of X is zero; no sample can be coded by the others.")
        return unit_rows(X)

    def _affinity(self, X: Any, rng: np.random.RandomState) -> sp.csr_array:
        Z = (self.sparsifier or Sparsifier()).sparsify(self._codes(X, rng)).astype(X.dtype)
        self.codes_ = Z
        if not Z.nnz:
            warn_user(
                f"No sample is coded by another, so the graph of {type(self).__name__} has no edge "
                "and samples are grouped by nearness alone. Lower lam, or the threshold."
            )
        return sp.csr_array(abs(Z) + abs(Z.T)) * 0.5  # SRSG (2)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
