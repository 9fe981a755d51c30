"""All columns from the chosen ones: reconstruction, score and the answer as data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from .._array import dense, row_blocks
from .._optional import optional
from .._typing import Array, Indices
from .._validation import check_feature_names_in, check_is_fitted, check_table
from ..exceptions import DataError

if TYPE_CHECKING:
    from ._result import ColumnFit


class ReconstructionMixin(ABC):
    """Methods of an estimator whose fit is a `ColumnFit`."""

    n_features_in_: int

    @property
    @abstractmethod
    def _result(self) -> ColumnFit: ...

    @abstractmethod
    def _validate(self, X: Any, reset: bool = True, min_samples: int = 2) -> Any: ...

    @abstractmethod
    def _finite(self, block: Any) -> Any: ...

    def reconstruct(self, Z: Any) -> Array:
        """Reconstruct all columns from the chosen ones.

        Parameters
        ----------
        Z : array-like or sparse matrix of shape (n_samples, k)
            The chosen columns as `transform` returns them, in the units of X.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The chosen columns as they are, the others by ``coef_`` and ``intercept_``.

        Raises
        ------
        DataError
            If Z has another number of columns, or columns of other names.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from sksieve import GreedyCSS
        >>> X = load_wine().data
        >>> sel = GreedyCSS(4).fit(X)
        >>> sel.reconstruct(sel.transform(X)).shape
        (178, 13)
        """
        check_is_fitted(self)
        names = list(getattr(Z, "columns", ()))
        if names and names != list(self.get_feature_names_out()):  # type: ignore[attr-defined]
            raise DataError(
                "Z has other columns than transform returns, or in another order; give the chosen "
                "columns in the order of X."
            )
        Z = check_table(Z)
        S = np.sort(self._chosen_columns())
        if Z.shape[1] != len(S):
            raise DataError(f"Z has {Z.shape[1]} columns; {len(S)} were chosen.")
        return self._from_chosen(np.asarray(dense(Z), float))

    def inverse_transform(self, X: Any) -> Array:
        """Reconstruct all columns: `reconstruct` under scikit-learn's name.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, k)
            The chosen columns.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
        """
        return self.reconstruct(X)

    def score(self, X: Any, y: Any = None) -> float:
        """Share of the variance of X that the chosen columns explain, by the fitted coefficients.

        ``1 - sum_j |x_j - xhat_j|^2 / d_j^2 / sum_j |x_j - c_j|^2 / d_j^2`` with the centers c and
        divisors d of the fit, over the columns that varied there; chosen columns are explained
        fully. Below 0 where the reconstruction is worse than the centers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows that were not fitted, in cross-validation.
        y : None
            Ignored.

        Returns
        -------
        float
            At most 1.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.model_selection import GridSearchCV
        >>> from sksieve import GreedyCSS
        >>> search = GridSearchCV(GreedyCSS(), {"n_features_to_select": [2, 4, 8]})
        >>> search.fit(load_wine().data).best_params_
        {'n_features_to_select': 8}
        """
        fit = self._result
        X = self._validate(X, reset=False, min_samples=1)
        S = np.sort(self._chosen_columns())
        left = np.zeros(self.n_features_in_)
        total = np.zeros(self.n_features_in_)
        for block in row_blocks(X):
            self._finite(block)
            rows = np.asarray(dense(block), np.float64)
            left += ((rows - self._from_chosen(rows[:, S])) ** 2).sum(axis=0)
            total += ((rows - fit.center) ** 2).sum(axis=0)
        weight = np.where(fit.varies, fit.divisor**-2.0, 0.0)
        return float(1.0 - weight @ left / (weight @ total)) if weight @ total > 0 else 0.0

    def path_frame(self) -> Any:
        """The best subset of each size as a pandas data frame.

        Returns
        -------
        DataFrame
            Index ``size``; ``columns`` (names), ``error`` (``error_path_``), ``train_explained``
            (``1 - error / error_path_[0]``) and ``bound`` (``svd_error_path_``).
        """
        fit, names = self._result, self._names()
        sizes = sorted(fit.path)
        errors = np.array([fit.error_path[size] for size in sizes])
        whole = fit.error_path[0]
        return optional("pandas", "A data frame").DataFrame(
            {
                "columns": [[names[j] for j in fit.path[size]] for size in sizes],
                "error": errors,
                "train_explained": 1.0 - errors / whole if whole > 0 else np.ones(len(sizes)),
                "bound": [fit.svd_error_path[size] for size in sizes],
            },
            index=optional("pandas", "A data frame").Index(sizes, name="size"),
        )

    def explained_frame(self) -> Any:
        """How well each column is explained, as a pandas data frame.

        Returns
        -------
        DataFrame
            Index ``column`` (names), the chosen ones first, then the worst explained; ``place``
            in the table, ``chosen``, and ``train_explained`` (``explained_by_``).
        """
        fit, names = self._result, self._names()
        pandas = optional("pandas", "A data frame")
        return pandas.DataFrame(
            {
                "place": fit.ranking,
                "chosen": np.arange(len(fit.ranking)) < fit.n_features_to_select,
                "train_explained": fit.explained_by[fit.ranking],
            },
            index=pandas.Index([names[j] for j in fit.ranking], name="column"),
        )

    def _names(self) -> list[str]:
        return list(check_feature_names_in(self))

    def _chosen_columns(self) -> Indices:
        return self._result.ranking[: self._result.n_features_to_select]

    def _from_chosen(self, Z: Array) -> Array:
        """All columns from the chosen ones, which stand in the order of the table."""
        fit, S = self._result, self._chosen_columns()
        X = Z @ fit.coef[:, np.argsort(S)].T + fit.intercept
        X[:, np.sort(S)] = Z
        return X
