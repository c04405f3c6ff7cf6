"""The programs that a function runs, for sizes: what they cost, and how they are run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tadc.errors import ArgumentError
from tadc.function.derivatives import HALVES, chosen_inputs
from tadc.ir.program import Program
from tadc.runtime.binding import bind_sizes
from tadc.schedule.nest.cost import Cost, program_cost
from tadc.schedule.nest.lower import kernels
from tadc.schedule.nest.memory import oversized
from tadc.schedule.plan import Plan, gpu_plan, program_plan
from tadc.schedule.rewrite.program import scheduled

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["cost", "plan"]


def cost(f: Function, mode: str, given: Mapping[str, int]) -> Cost:
    """Operations and bytes of every kernel, without those of residuals where they are outputs."""
    total = Cost(())
    for program, name, sizes, dtype in _runs(f, mode, given):
        residuals = set(program.outputs) - set(f.outputs) if name == "forward" else set()
        total += program_cost(program, kernels(program, name), sizes, dtype, residuals)
    return total


def plan(f: Function, mode: str, given: Mapping[str, int]) -> Plan:
    """What is stored, and how each kernel runs."""
    total = Plan((), {})
    options = f._options
    for program, name, sizes, dtype in _runs(f, mode, given):
        if options.backend == "cuda":
            total += gpu_plan(program, name, sizes, dtype, options.blas)
        else:
            total += program_plan(program, kernels(program, name), sizes, dtype, options.blas)
    return total


class _Run(NamedTuple):
    """A program that is run, and its mode's name; the values of all sizes, if there are any; the element type."""

    program: Program
    mode: str
    sizes: dict[str, int] | None
    dtype: str


def _runs(f: Function, mode: str, given: Mapping[str, int]) -> Iterator[_Run]:
    """The programs that are run for a mode, one after the other."""
    f, numbers = f._with_numbers(given)
    options = f._options
    dtype = options.dtype or "float64"
    sizes = bind_sizes(f._program, {}, numbers) if given or not f.sizes else None
    for part in _parts(f, mode, sizes, dtype):
        program = scheduled(part.program)
        if sizes is not None:
            again = oversized(program, sizes, dtype, options.memory, options.memory_limit)
            program = scheduled(part.program, again)
        yield _Run(program, part._mode, sizes, dtype)


def _parts(
    f: Function, mode: str, sizes: Mapping[str, int] | None, dtype: str
) -> tuple[Function, ...]:
    """The functions that are run for a mode; as if all fitted into memory where there are no sizes."""
    match mode:
        case "primal":
            return (f,)
        case "adjoint":
            return (f.adjoint(),)
        case "tangent":
            return (f.tangent(),)
        case "vjp":
            wrt = chosen_inputs(f, None, f.inputs)
            if sizes is not None:
                return f._vjp.parts(wrt, sizes, dtype)
            if f._vjp.rounds(dtype):
                return f, f.adjoint(wrt)
            return tuple(f._derivative(half, wrt) for half in HALVES)
        case _:
            raise ArgumentError(
                None, f"there is no mode `{mode}`", fix="use primal, adjoint, tangent or vjp"
            )
