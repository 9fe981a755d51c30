"""Numbers whose squares are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exceptions import DataError

__all__ = ["refuse_extremes"]


def refuse_extremes(X: Any) -> None:
    """Refuse what cannot be squared, summed and told apart in the precision of X.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Finite floats.

    Raises
    ------
    DataError
        If the largest entry of X is not 0 and its square leaves the range of X's numbers (about
        1e-150 to 1e150 in double precision, 1e-16 to 1e16 in single).

    Notes
    -----
    Cost O(n d).

    Examples
    --------
    >>> import numpy as np
    >>> refuse_extremes(np.array([[1e100, 0.0], [1e-300, 2.0]]))
    """
    size, number = max(float(X.max()), -float(X.min())), np.finfo(X.dtype)
    least = 1024 * float(number.tiny) ** 0.5  # squares of a thousandth of it do not underflow
    most = (float(number.max) / (X.shape[0] * X.shape[1])) ** 0.5
    if size and not least <= size <= most:
        raise DataError(
            f"The largest entry of X is {size:g} in magnitude; squares of such numbers leave the "
            f"range of {X.dtype}. Multiply X by a constant (its largest entry is best near 1)."
        )
