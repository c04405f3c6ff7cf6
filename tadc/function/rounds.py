"""The public object of a program with long loops: it is called, and has inverse modes and Newton's method."""

from __future__ import annotations

from typing import Any

from tadc.function.derivatives import Wrt
from tadc.function.inverse_modes import InverseMode, sides_of
from tadc.function.krylov import Solver
from tadc.function.newton import Solution, newton
from tadc.function.rolled import Rolled
from tadc.function.signature import with_argument_errors, with_names

__all__ = ["RolledFunction"]


class RolledFunction(Rolled):
    """A `Rolled` with the methods of a `Function` that do not need the program written out."""

    @with_argument_errors
    def inverse_tangent(
        self,
        wrt: Wrt = None,
        of: Wrt = None,
        *,
        solver: str = "direct",
        memory: str | None = None,
        dense_limit: int = 4096,
    ) -> InverseMode:
        """J⁻¹v, as `Function.inverse_tangent`. `memory`: "materialize" keeps the states before each round, "recompute" some of them."""
        sides = sides_of(self, wrt, of)
        return InverseMode(
            self, "inverse-tangent", sides, solver=Solver.of(dense_limit, solver), memory=memory
        )

    @with_argument_errors
    def inverse_adjoint(
        self, wrt: Wrt = None, of: Wrt = None, *, solver: str = "direct", dense_limit: int = 4096
    ) -> InverseMode:
        """J⁻ᵀw, as `Function.inverse_adjoint`: it stores nothing, whatever the number of rounds."""
        return InverseMode(
            self, "inverse-adjoint", sides_of(self, wrt, of), solver=Solver.of(dense_limit, solver)
        )

    @with_argument_errors
    def logdet(
        self, wrt: Wrt = None, of: Wrt = None, *, batch_dims: int = 0, dense_limit: int = 4096
    ) -> InverseMode:
        """Log |det J|, as `Function.logdet`."""
        sides = sides_of(self, wrt, of)
        return InverseMode(self, "logdet", sides, solver=Solver(dense_limit), batch_dims=batch_dims)

    @with_argument_errors
    def newton(
        self,
        /,
        *arrays: Any,
        target: Any = 0,
        wrt: Wrt = None,
        of: Wrt = None,
        tol: float | None = None,
        max_iterations: int = 50,
        line_search: bool = True,
        solver: str = "direct",
        dense_limit: int = 4096,
        **named: Any,
    ) -> Solution:
        """The solution of `f = target`, as `Function.newton`."""
        given = with_names(self.inputs, arrays, named)
        return newton(
            self,
            sides_of(self, wrt, of),
            given,
            target,
            tol,
            max_iterations,
            line_search=line_search,
            solver=Solver.of(dense_limit, solver),
        )
