"""How dense steps are solved: by LU, or iteratively by products with the block alone (GMRES), where asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from tadc.errors import ConvergenceError, DerivativeError
from tadc.options import one_of, size_number
from tadc.runtime.linear.block import Array

__all__ = ["Krylov", "Solver"]

RESTART = 100  # products that GMRES keeps the vectors of
MOST_RESTARTS = 10
SAFETY = 1e3  # times the unit of rounding, what is left of the right side


@dataclass(frozen=True, slots=True)
class Solver:
    """Dense systems have at most `limit` rows, or are solved iteratively."""

    limit: int
    iterative: bool = False

    @classmethod
    def of(cls, dense_limit: int, solver: str) -> Solver:
        """Raises ArgumentError for another word than "direct" and "krylov", and for a limit that is no number of rows."""
        one_of("direct", "krylov")("`solver`", solver)
        return cls(size_number("`dense_limit`", dense_limit), solver == "krylov")


@dataclass(frozen=True, slots=True)
class Krylov:
    """A block by its products, A v and Aᵀw, of arrays (tensors, *shape)."""

    product: Callable[[Array], Array]
    transposed: Callable[[Array], Array]

    def solve(self, b: Array, *, transposed: bool) -> Array:
        """Raises ConvergenceError where GMRES does not reach about all digits."""
        product = self.transposed if transposed else self.product
        if not np.isfinite(b).all():
            return np.full_like(b, np.nan)
        operator = LinearOperator(
            (b.size, b.size), lambda v: product(v.reshape(b.shape)).ravel(), dtype=b.dtype
        )
        tolerance = SAFETY * float(np.finfo(b.dtype).eps)
        x, stopped = gmres(
            operator, b.ravel(), rtol=tolerance, restart=min(RESTART, b.size), maxiter=MOST_RESTARTS
        )
        solution: Array = np.asarray(x, b.dtype).reshape(b.shape)
        left = np.linalg.norm(product(solution) - b)
        if stopped or not left <= 10 * tolerance * np.linalg.norm(b):
            raise ConvergenceError(
                None,
                f"GMRES stops with a residual of {left:.1e} for a right side of {np.linalg.norm(b):.1e}",
                fix='use `solver="direct"` with a larger `dense_limit`, or stage the update',
            )
        return solution

    @property
    def log_pivots(self) -> Any:
        raise DerivativeError(
            None, "an iterative solver has no determinant", fix='use `solver="direct"`'
        )
