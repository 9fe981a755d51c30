"""From scores to a ranking, and from a ranking to the columns that are kept."""

from __future__ import annotations

import html
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import estimator_html_repr

from . import _frames
from ._array import check_sparse
from ._validation import (
    Interval,
    check_header,
    check_is_fitted,
    get_output_config,
    is_anndata,
    validate_data,
)
from ._wording import percent
from .exceptions import DataError

#: Columns that a notebook lists.
SHOWN = 50


def rank_by(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Indices by descending score; ties go to the smaller index; NaN is last.

    Parameters
    ----------
    scores : ndarray of shape (n,)

    Returns
    -------
    order : ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> rank_by(np.array([0.5, 2.0, 0.5]))
    array([1, 0, 2])
    """
    return np.argsort(-np.asarray(scores), kind="stable")


def position_scores(ranking: NDArray[np.intp]) -> NDArray[np.float64]:
    """Scores that fall evenly from 1 for the first column of a ranking to 0 for the last.

    Parameters
    ----------
    ranking : ndarray of shape (n,)
        A permutation.

    Returns
    -------
    scores : ndarray of shape (n,)

    Examples
    --------
    >>> position_scores(np.array([2, 0, 1]))
    array([0.5, 0. , 1. ])
    """
    scores = np.empty(len(ranking))
    scores[ranking] = np.linspace(1, 0, len(ranking))
    return scores


class RankingMixin(SelectorMixin):
    """scikit-learn's selector methods for an estimator with ``ranking_``.

    The estimator has the parameter `n_features_to_select` and, once fitted, the attributes
    ``ranking_`` (column indices, best first) and ``n_features_to_select_``.

    Attributes
    ----------
    nested : bool
        Class attribute: the k chosen columns are the first k of the ranking whatever k was asked
        for, so that one fit serves every k.
    ranks_only : bool
        Class attribute: ``scores_`` are positions in the ranking and measure nothing.
    """

    nested: ClassVar[bool] = True
    ranks_only: ClassVar[bool] = False
    _accept_text: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
    }

    n_features_to_select: Any

    def transform(self, X: Any) -> Any:
        """Keep the chosen columns.

        Parameters
        ----------
        X : {array-like, sparse matrix, AnnData} of shape (n_samples, n_features)

        Returns
        -------
        X_new : {ndarray, sparse matrix, data frame, AnnData}, (n_samples, n_features_to_select_)

        Raises
        ------
        DataError
            If X is a malformed sparse matrix, or an AnnData object with other variables.
        """
        if is_anndata(X):
            return X[:, self._variables(X)]
        check_sparse(X)
        X = _frames.collected(X)
        if _frames.is_frame(X) and _frames.library(X) != "pandas":
            return self._transform_frame(X)
        return super().transform(X)

    def _transform_frame(self, X: Any) -> Any:
        """The chosen columns; as they are where a frame is asked for with `set_output`."""
        wants_array = get_output_config("transform", self)["dense"] == "default"
        if self._accept_text and not _frames.holds_numbers(X):
            check_header(self, X, reset=False)
            frame = _frames.selected(X, self.get_support())
            return _frames.array(frame) if wants_array else frame
        values = validate_data(self, X, ensure_all_finite=False, reset=False)
        if wants_array:
            return values[:, self.get_support()]
        return _frames.selected(X, self.get_support())

    def _variables(self, X: Any) -> NDArray[np.bool_]:
        """The support, after a check that X has the variables of the fit."""
        mask = self._get_support_mask()
        names = getattr(self, "feature_names_in_", None)
        if X.n_vars != len(mask) or (names is not None and list(names) != list(X.var_names)):
            raise DataError(
                f"The AnnData object has other variables than the {len(mask):,} of the fit, or in "
                "another order."
            )
        return mask

    def _html_repr(self) -> str:
        """scikit-learn's diagram for notebooks and, once fitted, the chosen columns."""
        text = estimator_html_repr(self)
        if not hasattr(self, "ranking_"):
            return text
        chosen = self.ranking_[: self.n_features_to_select_]
        names = getattr(self, "feature_names_in_", None)
        labels = [f"x{j}" if names is None else html.escape(str(names[j])) for j in chosen]
        more = f" and {len(labels) - SHOWN:,} more" if len(labels) > SHOWN else ""
        share = ""
        if hasattr(self, "error_path_") and self.error_path_[0] > 0:
            explained = percent(1 - self.objective_ / self.error_path_[0])
            share = f" They explain {explained} of the table."
        listed = ", ".join(labels[:SHOWN])
        return f"{text}<p>Chosen columns ({len(labels):,}): {listed}{more}.{share}</p>"

    def _n_to_select(self, n_features: int) -> int:
        """How many columns to keep; half of them when the user did not say."""
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
