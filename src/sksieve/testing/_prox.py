"""Is a proximal map the minimizer it claims to be?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import numpy as np

from .._typing import AnyArray
from .._validation import check_random_state
from ._require import require

STEPS = 10.0 ** np.arange(-6, 2)


def check_prox(
    prox: Callable[[AnyArray, float], AnyArray],
    value: Callable[[AnyArray], float],
    V: AnyArray,
    t: float = 1.0,
    *,
    rivals: Iterable[AnyArray] = (),
    n_random: int = 200,
    rtol: float = 1e-9,
    random_state: int | np.random.RandomState | None = 0,
) -> None:
    """Raise unless ``prox(V, t)`` beats every rival at ``1/2 ||X - V||_F^2 + t g(X)``.

    The rivals are: V and 0; the prox moved in random directions, each entry by 1e-6 to 10 times the
    root mean square of V; the prox with one entry, and with one row, set to zero or to that of V;
    the prox of points around V (which lie in the domain of g, whatever it is) and the points half
    way to them; and `rivals`.

    Parameters
    ----------
    prox : callable
        ``prox(V, t) -> X``, an array of the shape of V.
    value : callable
        ``value(X) -> g(X)``; ``inf`` outside the domain.
    V : ndarray
        The point. Not to be modified by `prox`: that is checked too.
    t : float, default=1.0
        Step size, t > 0.
    rivals : iterable of ndarray, optional
        More points that must not be better, a minimizer found by hand for instance.
    n_random : int, default=200
        How many random rivals of each kind.
    rtol : float, default=1e-9
        Rounding allowed, relative to ``1/2 ||V||_F^2 + t |g(X)|``.
    random_state : int, RandomState or None, default=0
        For the random rivals.

    Raises
    ------
    AssertionError
        If V was modified, the answer has another shape, lies outside the domain of g, or is beaten.

    Examples
    --------
    >>> import numpy as np
    >>> from sksieve.testing import check_prox
    >>> def soft_threshold(V, t):
    ...     return np.sign(V) * np.maximum(np.abs(V) - t, 0)
    >>> V = np.random.RandomState(0).standard_normal((4, 3))
    >>> check_prox(soft_threshold, lambda X: np.abs(X).sum(), V, 0.3)
    >>> check_prox(lambda V, t: V, lambda X: np.abs(X).sum(), V, 0.3)
    Traceback (most recent call last):
        ...
    AssertionError: prox(V, t) is beaten: ...
    """
    rng = check_random_state(random_state)
    before = V.copy()
    X = np.asarray(prox(V, t))
    require(np.array_equal(V, before), "prox modified its argument V.")
    require(X.shape == V.shape, f"prox gave shape {X.shape} for a V of shape {V.shape}.")

    def total(Z: AnyArray) -> float:
        return 0.5 * float(np.sum((Z - V) ** 2)) + t * float(value(Z))

    best = total(X)
    require(bool(np.isfinite(best)), f"prox(V, t) lies outside the domain: g = {value(X)}.")
    slack = rtol * (0.5 * float(np.sum(V**2)) + t * abs(float(value(X)))) + np.finfo(float).tiny
    named = ((f"rivals[{i}]", Z) for i, Z in enumerate(rivals))
    own = _rivals(lambda Y: np.asarray(prox(Y, t)), V, X, n_random, rng)
    for name, Z in chain(named, own):
        rival = total(np.asarray(Z))
        require(
            bool(best <= rival + slack),
            f"prox(V, t) is beaten: 1/2||X-V||^2 + t g(X) = {best:.17g}, but {name} has "
            f"{rival:.17g} (t = {t}).",
        )


def _rivals(
    prox: Callable[[AnyArray], AnyArray],
    V: AnyArray,
    X: AnyArray,
    n_random: int,
    rng: np.random.RandomState,
) -> Iterator[tuple[str, AnyArray]]:
    yield "V itself", V
    yield "zero", np.zeros_like(X)
    size = float(np.sqrt(np.mean(V**2))) or 1.0
    for i in range(n_random):
        step = STEPS[i % len(STEPS)] * size
        yield "a point near the prox", X + step * rng.standard_normal(X.shape)
        Y = prox(V + step * rng.standard_normal(V.shape))
        yield "the prox of another point", Y
        yield "a point half way to the prox of another point", (X + Y) / 2
    for _ in range(n_random):
        at = tuple(rng.randint(n) for n in X.shape)
        for name, where in (("entry", at), ("row", at[:1])):
            for source, values in (("zero", np.zeros_like(X)), ("that of V", V)):
                Z = X.copy()
                Z[where] = values[where]
                yield f"the prox with {name} {where} set to {source}", Z
