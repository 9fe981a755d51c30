"""What every selector shares: validation, the random state, scores to ranking, the one loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

from .._array import in_one_part
from .._validation import Interval, check_is_fitted, check_random_state, fit_context, validate_data
from ..solvers import LoopSupport
from ..solvers._callbacks import with_callbacks

__all__ = ["BaseSelector", "rank_by"]


def rank_by(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Indices by falling score; ties go to the smaller index; NaN is last.

    Examples
    --------
    >>> import numpy as np
    >>> rank_by(np.array([0.5, 2.0, 0.5]))
    array([1, 0, 2])
    """
    return np.argsort(-np.asarray(scores), kind="stable")


class BaseSelector(SelectorMixin, LoopSupport, BaseEstimator, ABC):
    """Base class of all selectors.

    A subclass gives ``_fit(X, rng) -> scores`` (about six lines: graph, problem, iterate, scores)
    and says in ``nested`` whether its k-subset is a prefix of the ranking: then one fit serves
    every k.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Larger is better.
    ranking_ : ndarray of shape (n_features,)
        Column indices, best first; ties to the smaller index.
    n_features_to_select_ : int
        How many columns `transform` keeps.
    history_ : list of dict
        One flat record (n_iter, objective, change, seconds) per step; absent for closed forms.
    n_iter_, converged_, stop_reason_
        How the loop ended; absent for closed forms.
    """

    nested: ClassVar[bool] = True
    _accept_sparse: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
    }

    n_features_to_select: int | None

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn which columns matter.

        Parameters
        ----------
        X : {array-like, CSR} of shape (n_samples, n_features)
            Samples are rows. Sparse only where the class says so.
        y : None
            Ignored; there for pipelines.

        Returns
        -------
        self : estimator

        Raises
        ------
        ValueError
            If X has NaN or infinite values, or (most methods) values whose squares leave the range
            of its numbers; fewer than two rows, or fewer columns than are wanted.
        """
        X = self._validate(X)
        self.n_features_to_select_ = self._n_to_select(X.shape[1])
        self.scores_ = self._fit(X, check_random_state(getattr(self, "random_state", None)))
        self.ranking_ = rank_by(self.scores_)
        return self

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

    def _n_to_select(self, n_features: int) -> int:
        """The number of columns to keep; half of them when the user did not say."""
        k = self.n_features_to_select
        if k is None:
            return max(1, n_features // 2)
        if k > n_features:
            raise ValueError(
                f"n_features_to_select={k} is more than the n_features={n_features} columns of X; "
                f"ask for {n_features} or fewer."
            )
        return int(k)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "ranking_")
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_[: self.n_features_to_select_]] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accept_sparse
        return tags
