"""The public object of a program with long loops: it is called, and has tangents, adjoints, inverse modes and Newton's method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tadc.errors import ArgumentError, BackendError
from tadc.function.derivatives import Wrt
from tadc.function.foreign import framework_of
from tadc.function.inverse_modes import (
    InverseMode,
    StepsPlan,
    inverse_in_mode,
    is_inverse,
    sides_of,
)
from tadc.function.krylov import Solver
from tadc.function.newton import Solution, newton
from tadc.function.rolled import Rolled, Values, refuse_targets
from tadc.function.rolled_derivatives import RolledDerivative, RolledPullback
from tadc.function.signature import with_argument_errors, with_names
from tadc.function.walk import Memory
from tadc.options import size_number

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["RolledFunction"]


class RolledFunction(Rolled):
    """A `Rolled` with the methods of a `Function` that do not need the program written out."""

    @property
    def _memory(self) -> Memory:
        return cast("Memory", self._origin.options.memory)

    @with_argument_errors
    def tangent(self, wrt: Wrt = None) -> RolledDerivative:
        """The tangent, as `Function.tangent`."""
        return RolledDerivative(self, "tangent", wrt, self._memory)

    @with_argument_errors
    def adjoint(self, wrt: Wrt = None) -> RolledDerivative:
        """The adjoint, as `Function.adjoint`. The option `memory` says which values before rounds are kept for it."""
        return RolledDerivative(self, "adjoint", wrt, self._memory)

    def _derivative(self, mode: str, wrt: tuple[str, ...]) -> RolledDerivative:
        match mode:
            case "tangent" | "adjoint":
                return RolledDerivative(self, mode, wrt, self._memory)
            case _:
                raise self.refusal(mode)

    def plan(self, /, *, mode: str = "primal", **sizes: int) -> StepsPlan:
        """The steps of an inverse mode, as `Function.plan`. Raises BackendError for other modes: a loop has no kernels of its own."""
        if is_inverse(mode):
            return inverse_in_mode(cast("Function", self), mode, None).plan(**sizes)
        error = self.refusal("plan")
        raise BackendError(
            error.span,
            error.fact,
            fix='ask for the steps of a round, `plan(mode="inverse-tangent")`, to a command `--mode inverse-tangent`',
        )

    def vjp(
        self, /, *arrays: Any, wrt: Wrt = None, out: Any = None, **named: Any
    ) -> tuple[Any, Callable[..., Values]]:
        """The outputs, and the pullback, as `Function.vjp`."""
        framework = framework_of((*arrays, *named.values()))
        if framework is not None:
            outside: tuple[Any, Callable[..., Any]] = framework.vjp(self, arrays, named, wrt, out)
            return outside
        refuse_targets(out)
        values, sizes = self.bound(with_names(self.inputs, arrays, named))
        given: dict[str, Any] = {**values, **sizes}
        return self(**given), RolledPullback(self.adjoint(wrt), values)

    def value_and_gradients(
        self, /, *arrays: Any, cotangent: Any = None, wrt: Wrt = None, **named: Any
    ) -> tuple[Any, Values]:
        """The outputs, and a dict of gradients by input, as `Function.value_and_gradients`."""
        framework = framework_of((*arrays, *named.values()))
        if framework is not None:
            both: tuple[Any, Values] = framework.value_and_gradients(
                self, arrays, named, cotangent, wrt
            )
            return both
        value, pullback = self.vjp(*arrays, wrt=wrt, **named)
        if cotangent is None:
            if np.ndim(value) or isinstance(value, tuple):
                raise ArgumentError(
                    None, "`cotangent` is missing", fix="pass an array of the output's shape"
                )
            cotangent = np.ones_like(value)
        return value, pullback(cotangent)

    def jvp(
        self,
        primals: Mapping[str, Any],
        tangents: Mapping[str, Any],
        *,
        out: Any = None,
        accumulate: bool = False,
    ) -> tuple[Any, Any]:
        """The outputs and their tangents, as `Function.jvp`."""
        framework = framework_of((*primals.values(), *tangents.values()))
        if framework is not None:
            both: tuple[Any, Any] = framework.jvp(self, primals, tangents, out, accumulate)
            return both
        refuse_targets(out, accumulate)
        mode = self.tangent(tuple(x for x in self.inputs if x in tangents) or tuple(tangents))
        named = dict(
            zip(mode.inputs[len(self.inputs) :], (tangents[x] for x in mode.wrt), strict=True)
        )
        return self(**primals), mode(**primals, **named)

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
        return InverseMode(
            self,
            "logdet",
            sides,
            solver=Solver.of(dense_limit, "direct"),
            batch_dims=size_number("`batch_dims`", batch_dims),
        )

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
