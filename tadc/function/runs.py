"""The programs that a function runs, for sizes: their costs and plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

from tadc import compiler
from tadc.errors import ArgumentError
from tadc.function.derivatives import HALVES, chosen_inputs
from tadc.ir.program import Program
from tadc.ir.sparse import Sparse
from tadc.options import Options
from tadc.runtime.binding import bind_sizes
from tadc.runtime.cpu.native import NativeRunner
from tadc.runtime.cuda.launch import MODE, CudaRunner
from tadc.runtime.opencl.launch import OpenClRunner
from tadc.schedule.gpu.machine import Machine, Rates
from tadc.schedule.gpu.model import ideal_seconds
from tadc.schedule.nest.cost import PAIRS, Cost, program_cost
from tadc.schedule.plan import (
    Modelled,
    ModelledKernel,
    ModelledMode,
    Plan,
    cpu_plan,
    data_plan,
    gpu_plan,
    sparse_plan,
)
from tadc.schedule.rewrite.list_tensors import Facts, Listed, Rows

if TYPE_CHECKING:
    from tadc.emit.clike.spelling import DType
    from tadc.function.function import Function

__all__ = ["cost", "modelled", "part_cost", "plan", "plan_with_sparse"]


def cost(f: Function, mode: str, given: Mapping[str, int]) -> Cost:
    """Operations and bytes of every kernel, without those of residuals where they are outputs."""
    total = Cost(())
    sizes_given, pairs = _with_pairs(f, given)
    for part, sizes, dtype in _runs(f, mode, sizes_given):
        total += part_cost(f, part, sizes, dtype, pairs)
    return total


def _with_pairs(f: Function, given: Mapping[str, int]) -> tuple[Mapping[str, int], int | None]:
    """The sizes, and how many elements all windows have together that may overlap, if that was said."""
    if PAIRS not in given or PAIRS in f.sizes or not compiler.reads_data(f._program):
        return given, None
    sizes, pairs = {s: n for s, n in given.items() if s != PAIRS}, given[PAIRS]
    if not isinstance(pairs, int) or isinstance(pairs, bool) or pairs < 0:
        raise ArgumentError(
            None,
            f"`pairs` is {pairs!r}, and is a number of elements",
            fix="pass how many elements all windows have together, `pairs=1000`",
        )
    return sizes, pairs


def part_cost(
    f: Function,
    part: Function,
    sizes: Mapping[str, int] | None,
    dtype: str,
    pairs: int | None = None,
) -> Cost:
    """The cost of one of the functions that are run for `f`."""
    residuals = set(part.outputs) - set(f.outputs) if part._mode == "forward" else set()
    made = _listed(part)
    if made is None:
        run = compiler.module(part._program, part._mode, sizes, dtype, f._options)
        return program_cost(run.program, run.kernels, sizes, dtype, residuals)
    values = None if sizes is None else {**sizes, **made.sizes_at(sizes, pairs)}
    run = compiler.module(made.program, part._mode, values, dtype, f._options)
    found = program_cost(run.program, run.kernels, values, dtype, residuals, made.lists, pairs)
    return found.with_texts(made.size_texts)


def _listed(f: Function) -> Listed | None:
    """The program with lists of which none is long, if it reads through data; windows may overlap, rows do not."""
    if not compiler.reads_data(f._program):
        return None
    program = compiler.with_slices(f._program).program
    return compiler.with_lists(program, _facts(program), narrow=True)


def _facts(program: Program) -> Facts:
    rows = (each for each in compiler.with_lists(program).lists if isinstance(each, Rows))
    return Facts(short=True, single=all(each.is_apart for each in rows))


def plan(f: Function, mode: str, given: Mapping[str, int]) -> Plan:
    """The plan of a run: the tensors that are stored, and how each kernel runs."""
    total = Plan((), {})
    for part, sizes, dtype in _runs(f, mode, given):
        total += _plan(part, sizes, dtype)
    return total


def plan_with_sparse(
    f: Function, tensors: Iterable[Sparse], mode: str, given: Mapping[str, int]
) -> Plan:
    """The plan of a run of the function of arrays, and what it does with the sparse tensors that these stand for."""
    total = plan(f, mode, given)
    programs = [part._program for part, _, _ in _runs(f, mode, given)]
    return replace(total, data=(*total.data, *sparse_plan(programs, tensors)))


def modelled(
    f: Function,
    modes: Sequence[str],
    given: Mapping[str, int],
    machine: Machine,
    rates: Rates | None = None,
) -> Modelled:
    """The times of what is run for these modes on a GPU by its model, for numbers for all sizes, and the least times.

    With `rates`, those of what is scheduled for the machine, on another one.
    """
    rows, totals = [], []
    for mode in modes:
        seconds, least = 0.0, 0.0
        for part, sizes, dtype in _runs(f, mode, given):
            assert sizes is not None, "a model needs sizes"
            options, program = part._options, part._program
            machine = replace(machine, tensor_cores=options.tensor_cores)
            decided = compiler.gpu_decisions(program, sizes, dtype, options, machine)
            lowered = compiler.lowered_for_gpu(
                program, MODE, decided, sizes, dtype, machine, blas=options.blas, tiles={}
            )
            values = program.size_values({s: sizes[s] for s in program.sizes})
            judge = replace(machine, rates=rates or machine.rates)
            lowered = replace(lowered, machine=judge)
            least += ideal_seconds(compiler.stored(program), values, judge, dtype)
            plans = gpu_plan(lowered, part._mode, sizes, dtype).kernels
            for plan_, model in zip(plans, lowered.models(sizes, dtype), strict=True):
                rows.append(ModelledKernel.of(mode, plan_.name, model))
                seconds += model.seconds
        totals.append(ModelledMode(mode, 1e3 * seconds, 1e3 * least))
    return Modelled((rates or machine.rates).name, tuple(rows), tuple(totals))


def _plan(f: Function, sizes: Mapping[str, int] | None, dtype: str) -> Plan:
    """The plan of the module that runs the program, with numbers for all of its sizes, or for none."""
    program, real, options = f._program, cast("DType", dtype), f._options
    made = None
    if compiler.reads_data(program):
        program = compiler.with_slices(program).program
        made = compiler.with_companions(program, _facts(program), narrow=True)
        program = made.program
        sizes = None if sizes is None else {**sizes, **made.sizes_at(sizes)}
    total = _plan_of(program, real, options, f._mode, sizes, dtype)
    return total if made is None else total + data_plan(made, f._options.bounds, sizes)


def _plan_of(
    program: Program,
    real: DType,
    options: Options,
    mode: str,
    sizes: Mapping[str, int] | None,
    dtype: str,
) -> Plan:
    match options.backend:
        case "cuda":
            return gpu_plan(
                CudaRunner(program, real, options).lowered(sizes),
                mode,
                sizes,
                dtype,
                modelled=not compiler.reads_data(program),
            )
        case "opencl":
            return gpu_plan(OpenClRunner(program, real, options).lowered(sizes), mode, sizes, dtype)
        case _:
            return cpu_plan(NativeRunner(program, real, options).lowered(sizes), mode, sizes, dtype)


class _Run(NamedTuple):
    """A function that is run; the values of all sizes, if there are any; the element type."""

    part: Function
    sizes: dict[str, int] | None
    dtype: str


def _runs(f: Function, mode: str, given: Mapping[str, int]) -> Iterator[_Run]:
    """The functions that are run for a mode, one after the other."""
    f, numbers = f._with_numbers(given)
    dtype = f._options.dtype or "float64"
    sizes = bind_sizes(f._program, {}, numbers) if given or not f.sizes else None
    for part in _parts(f, mode, sizes, dtype):
        yield _Run(part, sizes, dtype)


def _parts(
    f: Function, mode: str, sizes: Mapping[str, int] | None, dtype: str
) -> tuple[Function, ...]:
    """The functions that are run for a mode; as if all fitted into memory where there are no sizes."""
    match mode if isinstance(mode, str) else None:  # an array has no truth when compared
        case "primal":
            return (f,)
        case "adjoint":
            return (f.adjoint(),)
        case "tangent":
            return (f.tangent(),)
        case "value_and_gradients":
            wrt = chosen_inputs(f, None, f.inputs)
            if sizes is not None:
                return f._value_and_gradients.parts(wrt, sizes, dtype)
            return (f._derivative("vjp", wrt),)
        case "vjp":
            wrt = chosen_inputs(f, None, f.inputs)
            if sizes is not None:
                return f._vjp.parts(wrt, sizes, dtype)
            if f._vjp.rounds(dtype):
                return f, f.adjoint(wrt)
            return tuple(f._derivative(half, wrt) for half in HALVES)
        case _:
            raise ArgumentError(
                None,
                f"there is no mode `{mode}`",
                fix="use primal, adjoint, tangent, vjp or value_and_gradients",
            )
