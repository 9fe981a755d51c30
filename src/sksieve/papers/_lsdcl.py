"""LSDCL's other models, updates, units and scores; the deviations stand in `selection._lsdcl`."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from .._typing import AnyArray
from .._validation import Interval, StrOptions
from ..graphs import LocalCorrentropy, laplacian
from ..prox import row_norms
from ..selection._lsdcl import LSDCL
from ..selection._lsdcl_problem import DualConcepts, PlainConcepts
from ..selection._lsdcl_start import factored_start, largest_lam2, lifted, start
from ._lsdcl_factored import FactoredConcepts
from ._lsdcl_literal import LiteralConcepts
from ._lsdcl_multiplicative import FactoredMultiplicative, MultiplicativeConcepts

#: The model of each variant, and whether its local term is the correntropy of XV.
VARIANTS = {
    "full": (DualConcepts, True),
    "m1": (PlainConcepts, False),  # (49)
    "m2": (DualConcepts, False),  # (50)
    "m3": (PlainConcepts, True),  # (51)
}

#: The rule of each multiplicative solver.
RULES = {"mu": "sqrt", "mu_root": "root"}


class LSDCLVariants(LSDCL):
    """`LSDCL` with the paper's simpler models, updates, units and scores, for comparison.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        As for `LSDCL`, and so are all parameters that are not listed here.
    variant : {"full", "m1", "m2", "m3"}, default="full"
        ``"full"``: the model of `LSDCL`. The paper's simpler ones: ``"m2"`` has ``lam1 tr(T'LT)``
        instead of the correntropy, L the Laplacian of A; ``"m3"`` and ``"m1"`` are these two with
        ``||X - T V'||_F^2`` as the fit.
    n_sample_concepts : int or None, default=None
        Number k of mixtures of samples from which the r sample concepts are mixed, ``T = U S``; at
        most as many as there are samples. None: T in one piece.
    units : {"relative", "paper"}, default="relative"
        Are `lam1` and `lam2` dimensionless, or the paper's? With L the raw weight is
        ``lam1 ||X||_F^2 / (2 tr(T'DT))``, D the degrees and T at the start.
    delta : {"frozen", "coupled"}, default="frozen"
        Is delta^2 fixed after the start, or a function of V inside the objective?
    solver : {"prox", "mu", "mu_root", "literal"}, default="prox"
        ``"prox"``: proximal gradient. ``"mu"``: the paper's multiplicative updates with their
        constants; ``"mu_root"``: the same with the larger steps of the exact root. Both need
        ``delta="frozen"``, a variant with the correntropy (full, m3) and many more passes; where X
        has negative values after scaling they split it by sign, and are slower still.
        ``"literal"``: Algorithm 1 of the paper as printed (D12): the objective may rise, delta^2
        moves, and n x n and d x d arrays are held.
    scoring : {"weighted", "norm"}, default="weighted"
        ``||V_i||`` times the column's standard deviation, or the paper's ``||V_i||`` alone.

    Attributes
    ----------
    U_, S_ : ndarray of shapes (n_samples, k) and (k, r)
        Factors of T, columns sum to 1; only with `n_sample_concepts`.
    delta2_ : float
        The squared bandwidth; only where the correntropy is part of the model.

    Raises
    ------
    ValueError
        If the parameters do not go together.

    References
    ----------
    Du, Fan & Zhou, "Local Sensitive Dual Concept Factorization for Unsupervised Feature Selection":
    model (14), variants (49) to (51), Algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sksieve.papers import LSDCLVariants
    >>> sel = LSDCLVariants(4, variant="m3", random_state=0).fit(load_wine().data)
    >>> sel.components_.shape, int(sel.get_support().sum())
    ((10, 13), 4)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LSDCL._parameter_constraints,
        "variant": [StrOptions(set(VARIANTS))],
        "n_sample_concepts": [Interval(Integral, 1, None, closed="left"), None],
        "units": [StrOptions({"relative", "paper"})],
        "delta": [StrOptions({"frozen", "coupled"})],
        "solver": [StrOptions({"prox", "mu", "mu_root", "literal"})],
        "scoring": [StrOptions({"weighted", "norm"})],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_concepts: int = 10,
        n_sample_concepts: int | None = None,
        variant: str = "full",
        lam1: float = 1.0,
        lam2: float = 1e-3,
        gamma: float = 0.05,
        n_neighbors: int = 5,
        units: str = "relative",
        delta: str = "frozen",
        scale: str = "minmax",
        solver: str = "prox",
        scoring: str = "weighted",
        max_iter: int = 8,
        tol: float | None = 1e-4,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            n_concepts=n_concepts,
            lam1=lam1,
            lam2=lam2,
            gamma=gamma,
            n_neighbors=n_neighbors,
            scale=scale,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.n_sample_concepts = n_sample_concepts
        self.variant = variant
        self.units = units
        self.delta = delta
        self.solver = solver
        self.scoring = scoring

    def _numbers_held(self, n: int, d: int, stored: int) -> float:
        if self.solver == "literal":
            return 4.0 * stored + 3.0 * (n * n + d * d)
        return super()._numbers_held(n, d, stored)

    def _fit(self, X: Any, rng: np.random.RandomState) -> AnyArray:
        self._check_together()
        return super()._fit(X, rng)

    def _check_together(self) -> None:
        correntropy = VARIANTS[self.variant][1]
        if self.delta == "coupled" and not (correntropy and self.solver == "prox"):
            raise ValueError('delta="coupled" needs solver="prox" and variant="full" or "m3".')
        if self.solver == "literal" and (
            self.variant != "full" or self.n_sample_concepts is not None
        ):
            raise ValueError(
                'solver="literal" needs variant="full" and n_sample_concepts=None, as Algorithm 1 '
                "has them."
            )
        if self.solver != "prox" and not correntropy:
            raise ValueError(
                f'solver="{self.solver}" needs variant="full" or "m3"; use solver="prox" for '
                f'variant="{self.variant}".'
            )

    def _model(self, X: Any, A: Any, rng: np.random.RandomState) -> tuple[DualConcepts, Any, Any]:
        model, correntropy = VARIANTS[self.variant]
        cim = LocalCorrentropy(A, gamma=self.gamma) if correntropy else None
        L = None if correntropy else laplacian(A)
        problem = model(X, cim, lam1=0.0, lam2=0.0, laplacian=L)  # the fit alone: for the start
        state: Any = start(problem, min(self.n_concepts, *X.shape), rng)
        if self.n_sample_concepts is not None:
            k = min(self.n_sample_concepts, X.shape[0])
            state = factored_start(problem, state, k, rng)
        if self.solver != "prox":
            state = state._replace(V=lifted(state.V))
        if cim is not None and self.delta == "frozen":
            cim = cim.frozen(X @ state.V)
        lam1, lam2 = self.lam1, self.lam2
        if self.units == "relative":
            most = float(A.sum()) if L is None else 2 * float(L.diagonal() @ (state.T**2).sum(1))
            lam1 *= problem.norm2 / most
            lam2 *= largest_lam2(problem, state)
        problem = problem.with_penalties(lam1, lam2, cim)
        solver = self._solver(problem, A)
        return (
            problem,
            solver,
            (solver.start((state.T, state.V)) if self.solver == "literal" else state),
        )

    def _solver(self, problem: DualConcepts, A: Any) -> Any:
        """What does a pass over the blocks of `problem`."""
        factored = self.n_sample_concepts is not None
        if self.solver == "prox":
            return FactoredConcepts(problem) if factored else problem
        if self.solver == "literal":
            return LiteralConcepts(problem, A, gamma=self.gamma)
        kind = FactoredMultiplicative if factored else MultiplicativeConcepts
        return kind(problem, rule=RULES[self.solver])

    def _keep_answer(self, problem: DualConcepts, state: Any) -> None:
        super()._keep_answer(problem, state)
        if self.n_sample_concepts is not None:
            self.U_, self.S_ = state.U, state.S
        if self.solver == "literal":
            self.delta2_ = state.delta2

    def _scores_of(self, X: Any) -> AnyArray:
        return (
            super()._scores_of(X) if self.scoring == "weighted" else row_norms(self.components_.T)
        )
