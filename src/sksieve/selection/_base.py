"""What every selector shares: validation, the random state, scores to ranking, the one loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .._array import check_sparse, in_one_part
from .._frames import collected
from .._memory import require_memory
from .._ranking import RankingMixin, rank_by
from .._typing import Array
from .._validation import (
    StrOptions,
    check_random_state,
    fit_context,
    validate_data,
    with_layer,
)
from ..solvers import LoopSupport
from ..solvers._callbacks import with_callbacks
from ..tables import SCALES as SCALE_NAMES

#: Score of a constant column; all others are >= 0.
LAST = -1.0

#: Constraint of the parameter `scale`.
SCALES = [StrOptions(set(SCALE_NAMES))]


def expand_scores(scores: Array, varies: NDArray[np.bool_]) -> Array:
    """Scores for all columns, `LAST` for those that do not vary.

    Examples
    --------
    >>> expand_scores(np.array([0.0, 2.0]), np.array([True, False, True]))
    array([ 0., -1.,  2.])
    """
    full = np.full(len(varies), LAST)
    full[varies] = scores
    return full


def expand_rows(W: Array, varies: NDArray[np.bool_]) -> Array:
    """W with a row for every column, zeros for those that do not vary."""
    full = np.zeros((len(varies), W.shape[1]))
    full[varies] = W
    return full


class BaseSelector(RankingMixin, LoopSupport, BaseEstimator, ABC):
    """Base class of all selectors.

    A subclass gives ``_fit(X, rng) -> scores`` (about six lines: graph, problem, iterate, scores)
    and says in ``nested`` whether its k-subset is a prefix of the ranking: then one fit serves
    every k.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        Columns to keep; half of them when None.
    scale : {"standard", "correlation", "unit", "minmax", "none"}, default="standard"
        What is done to each column first.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Larger is better.
    ranking_ : ndarray of shape (n_features,)
        Column indices, best first; ties to the smaller index.
    n_features_to_select_ : int
        How many columns `transform` keeps.
    """

    _accept_sparse: ClassVar[bool] = False

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, layer: str | None = None) -> Self:
        """Learn which columns matter.

        Parameters
        ----------
        X : {array-like, CSR, AnnData} of shape (n_samples, n_features)
            Samples are rows. Sparse only where the class says so.
        y : None
            Ignored; there for pipelines.
        layer : str, optional
            Of an AnnData object: use ``X.layers[layer]`` in place of ``X.X``.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If X has NaN or infinite values, or (most methods) values whose squares leave the range
            of its numbers; fewer than two rows, or fewer columns than are wanted.
        TooLargeError
            If the arrays of the method would need more than the memory limit.
        """
        X = with_layer(X, layer)
        check_sparse(X)  # its number of entries may be wrong
        X = collected(X)
        self._require_memory(X)  # validation may copy X
        X = self._validate(X)
        self.n_features_to_select_ = self._number_for(X)
        self.scores_ = self._fit(X, check_random_state(getattr(self, "random_state", None)))
        self.ranking_ = rank_by(self.scores_)
        return self

    def _number_for(self, X: Any) -> int:
        """How many columns of validated `X` to keep."""
        return self._n_to_select(X.shape[1])

    def _require_memory(self, X: Any) -> None:
        """Refuse what does not fit, from the shape of X."""
        shape = getattr(X, "shape", ())
        if len(shape) != 2:
            return
        n, d = (int(size) for size in shape)
        stored = int(X.nnz) if sp.issparse(X) and self._accept_sparse else n * d
        require_memory(
            8.0 * self._numbers_held(n, d, stored),
            f"{type(self).__name__} on {n} rows and {d} columns",
            "Fit a sample of the rows, or drop columns first, by variance for instance.",
        )

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        """How many numbers a fit holds besides X at its peak.

        Parameters
        ----------
        n, d : int
            Rows and columns of X.
        stored : int
            Entries of X; of a sparse X those that are stored.
        """
        return 3.0 * stored

    @abstractmethod
    def _fit(self, X: Any, rng: np.random.RandomState) -> NDArray[Any]:
        """Scores of the columns of validated `X`, larger is better."""

    def _validate(self, X: Any, reset: bool = True, min_samples: int = 2) -> Any:
        X = validate_data(
            self,
            X,
            accept_sparse="csr" if self._accept_sparse else False,
            dtype=[np.float64, np.float32],
            ensure_min_samples=min_samples,
            reset=reset,
        )
        return in_one_part(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accept_sparse
        return tags
