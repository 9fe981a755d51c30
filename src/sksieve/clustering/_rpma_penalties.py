"""Penalties on the entries of a projection matrix: bounded, positive, sparse.

Zhai, Xu, Wu & Li, "Regularized projection matrix approximation with applications to community
detection"; the models BPMA, PPMA and SPMA differ in nothing but the penalty g.

Deviations

D1. In Table 2 (proximal map of the Huber penalty) the values of f at z2 and z3 are wrong: they end
    in tau delta for tau delta/2, and lack constants where they are s^2. Comparing them takes the
    wrong point: at s = tau = 1, delta = .1 it is .1 and not .5. The map here is that of
    `sksieve.prox.prox_huber`.
D2. ``prox`` is in this package's scaling, ``argmin 1/2 (x - v)^2 + t g(x)``; the paper's tau is 2t.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from .._array import BLOCK_BYTES
from .._typing import AnyArray
from .._validation import BOUND, POSITIVE_WEIGHT, Options
from ..kernels._projection import fused_penalty
from ..prox import prox_box_penalty, prox_huber

#: ``inside, outside, low, high`` of a derivative; see `Penalty.slopes`.
Slopes = tuple[float, float, float, float]


class Penalty(BaseEstimator, ABC):
    """A penalty ``sum_ij g(X_ij)`` with a Lipschitz continuous derivative g'.

    A subclass gives `value`, `grad`, `prox` (entrywise, on arrays) and `lipschitz`; one with
    parameters that are entries of the projection matrix also `scaled`.

    Attributes
    ----------
    lipschitz : float
        Lipschitz constant l of g'.
    """

    lipschitz: float

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def check(self) -> None:
        """Refuse parameters that do not define a penalty.

        Raises
        ------
        ValueError
        """
        self._validate_params()

    def scaled(self, unit: float) -> Self:
        """The penalty whose parameters are `unit` times these; here there are none."""
        return self

    def default_weight(self, is_graph: bool) -> float:
        """The weight where none is given, in the unit of `unit`."""
        return 1.0

    @abstractmethod
    def value(self, X: AnyArray) -> AnyArray:
        """g, entry by entry."""

    @abstractmethod
    def grad(self, X: AnyArray) -> AnyArray:
        """g', entry by entry."""

    @abstractmethod
    def prox(self, V: AnyArray, t: float) -> AnyArray:
        """``argmin_x 1/2 (x - v)^2 + t g(x)``, entry by entry."""  # (33)

    def slopes(self) -> Slopes | None:
        """g' for the fused kernel, where it has one slope between two bounds, one beyond them.

        As ``inside, outside, low, high`` with ``g'(x) = inside p + outside (x - p)``,
        ``p = clip(x, low, high)``. None: the penalty goes in blocks of rows.
        """
        return None

    def on_projector(self, U: AnyArray) -> tuple[float, AnyArray]:
        """``sum_ij g((UU')_ij)`` and ``g'(UU') U``: O(n^2 K) time.

        In tiles of half of UU' and O(n K) memory where there are `slopes`, else in blocks of rows.
        """
        slopes = self.slopes()
        return self.in_blocks(U) if slopes is None else fused(slopes, U)

    def in_blocks(self, U: AnyArray) -> tuple[float, AnyArray]:
        """`on_projector` for any `value` and `grad`."""
        n = U.shape[0]
        total, GU = 0.0, np.empty_like(U)
        step = max(1, BLOCK_BYTES // (8 * n))
        for first in range(0, n, step):
            X = U[first : first + step] @ U.T
            total += float(self.value(X).sum(dtype=np.float64))
            GU[first : first + step] = self.grad(X) @ U  # (10)
        return total, GU

    def path(self, lam: float, typical: float) -> list[tuple[float, Penalty]]:
        """Weights and penalties from easy to the one wanted, `typical` = K/n.

        Here the weight grows: lam/64, lam/16, lam/4, lam.
        """
        return [(lam / 4**j, self) for j in (3, 2, 1, 0)]

    def unit(self, m: float, typical: float) -> float:
        """The unit of a dimensionless weight: m is the mean affinity, `typical` = K/n.

        Here ``m n/K``, as g' grows with X.
        """
        return m / typical


def fused(
    slopes: Slopes, U: AnyArray, A: AnyArray | None = None, center: float = 0.0
) -> tuple[float, AnyArray]:
    """``sum_ij g(X_ij) - 2 B_ij X_ij, X = UU'``, and ``(g'(X) - 2B) U`` with ``B = A - c I``."""
    scalar = U.dtype.type
    value, GU = fused_penalty(U, A, scalar(center), tuple(scalar(s) for s in slopes))
    return float(value), GU


class Bounded(Penalty):
    """``g(x) = min(x - alpha, 0)^2 + min(beta - x, 0)^2``: squared distance to [alpha, beta].

    Parameters
    ----------
    alpha : float, default=0.0
        In units of K/n where `sksieve.RPMA` uses it, K/n being the entry of the projector of K
        equal clusters. Less than beta; -inf: no lower bound.
    beta : float, default=1.0
        In the same unit; inf: no upper bound.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.clustering import Bounded
    >>> Bounded(0.0, 1.0).value(np.array([-2.0, 0.5, 4.0]))
    array([4., 0., 9.])
    """

    lipschitz = 2.0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Options(Real, {-np.inf}), *BOUND],
        "beta": [Options(Real, {np.inf}), *BOUND],
    }

    def __init__(self, alpha: float = 0.0, beta: float = 1.0) -> None:
        self.alpha = alpha
        self.beta = beta

    def check(self) -> None:
        super().check()
        if not self.alpha < self.beta or (np.isinf(self.alpha) and np.isinf(self.beta)):
            raise ValueError(
                f"The bounds must satisfy alpha < beta, one of them finite; got "
                f"alpha={self.alpha!r}, beta={self.beta!r}."
            )

    def scaled(self, unit: float) -> Self:
        return type(self)(self.alpha * unit, self.beta * unit)

    def default_weight(self, is_graph: bool) -> float:
        return 8.0

    def value(self, X: AnyArray) -> AnyArray:
        return np.minimum(X - self.alpha, 0) ** 2 + np.minimum(self.beta - X, 0) ** 2  # (5)

    def grad(self, X: AnyArray) -> AnyArray:
        return 2 * np.minimum(X - self.alpha, 0) - 2 * np.minimum(self.beta - X, 0)

    def prox(self, V: AnyArray, t: float) -> AnyArray:
        return prox_box_penalty(V, t, self.alpha, self.beta)  # (34), (35), Table 1

    def slopes(self) -> Slopes:
        return 0.0, 2.0, self.alpha, self.beta


class Positive(Bounded):
    """``g(x) = min(x, 0)^2``.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.clustering import Positive
    >>> Positive().grad(np.array([-2.0, 0.5]))
    array([-4.,  0.])
    """

    def __init__(self) -> None:
        super().__init__(0.0, np.inf)  # (6), (36)

    def scaled(self, unit: float) -> Self:
        return self

    def default_weight(self, is_graph: bool) -> float:
        return 32.0


class Huber(Penalty):
    """``g(x) = x^2 / (2 delta)`` for |x| <= delta, else ``|x| - delta/2``.

    Parameters
    ----------
    delta : float > 0, default=0.02
        In units of K/n where `sksieve.RPMA` uses it.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.clustering import Huber
    >>> Huber(1.0).value(np.array([-2.0, 0.5]))
    array([1.5  , 0.125])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "delta": POSITIVE_WEIGHT,
    }

    def __init__(self, delta: float = 0.02) -> None:
        self.delta = delta

    def scaled(self, unit: float) -> Self:
        return type(self)(self.delta * unit)

    def default_weight(self, is_graph: bool) -> float:
        return 0.75 if is_graph else 0.6

    @property
    def lipschitz(self) -> float:  # type: ignore[override]
        return 1 / self.delta

    def value(self, X: AnyArray) -> AnyArray:
        size = np.abs(X)
        near = np.minimum(size, self.delta)
        return near * (size - near / 2) / self.delta  # (7)

    def grad(self, X: AnyArray) -> AnyArray:
        return np.clip(X / self.delta, -1, 1)

    def prox(self, V: AnyArray, t: float) -> AnyArray:
        return prox_huber(V, t, self.delta)  # Table 2, corrected

    def path(self, lam: float, typical: float) -> list[tuple[float, Penalty]]:
        """delta falls from K/n, where the penalty is smooth: K/n, K/(4n), ..., delta."""
        deltas, delta = [self.delta], typical
        while delta > self.delta * 1.5 and len(deltas) < 12:
            deltas.insert(-1, delta)
            delta /= 4
        return [(lam, Huber(d)) for d in deltas]

    def unit(self, m: float, typical: float) -> float:
        """m, as |g'| is 1: the effective affinity is about ``A - lam/2 sign(X)``."""
        return m

    def slopes(self) -> Slopes:
        return 1 / self.delta, 0.0, -self.delta, self.delta
