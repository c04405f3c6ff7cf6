"""The stages of the compiler, in order: text to program, program to derivative, program to kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache

from tadc.blocks.block import Blocked, at_places_of_whole, blocked, without_idle_sizes
from tadc.cache import disk_cached
from tadc.derive.adjoint import adjoint, gradient, jacobian, scattered
from tadc.derive.batched import batched
from tadc.derive.coloured import Colouring, coloured
from tadc.derive.residuals import copies_of, early, halves
from tadc.derive.tangent import tangent
from tadc.errors import BackendError, Source
from tadc.inplace.segments import Path, segment_tree
from tadc.inplace.versions import written_out
from tadc.inverse.builder import along_region, without_zeros
from tadc.inverse.explicit import (
    explicit_inverse_adjoint,
    explicit_inverse_tangent,
    explicit_logdet,
)
from tadc.inverse.lumps import active_values
from tadc.inverse.reads import Region
from tadc.inverse.substitution import on_diagonal, substitution
from tadc.ir.domain import Domain
from tadc.ir.expr import Reduce
from tadc.ir.fingerprint import fingerprint
from tadc.ir.names import Names, identifier
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder
from tadc.normalize.checked_data import without_checked_conditions
from tadc.normalize.choices import with_conditions
from tadc.normalize.compared import separate_compared
from tadc.normalize.equated import separate_equated
from tadc.normalize.live import live, stages
from tadc.normalize.plain_names import plain_names
from tadc.normalize.reductions import separate_inner_reductions, separate_reductions
from tadc.normalize.simplify import simplified_statement, simplify
from tadc.normalize.solved import solved_statement
from tadc.options import Options
from tadc.progress import stage
from tadc.resolve.bounds import ReadCheck
from tadc.resolve.resolve import Resolved, resolve
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.cpu.machine import AVX2, Processor
from tadc.schedule.gpu.machine import HOPPER, Machine
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.lowered import (
    CpuModule,
    Decisions,
    GpuModule,
    Module,
    modules_of,
    recurrence_module,
)
from tadc.schedule.nest.loop_nest import Kernel
from tadc.schedule.nest.lower import kernels
from tadc.schedule.nest.memory import fits, oversized, recomputed
from tadc.schedule.nest.modelled_time import modelled_seconds
from tadc.schedule.nest.runs import operations
from tadc.schedule.nest.scatter import scatter_kernels
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.rewrite import companions, slices
from tadc.schedule.rewrite.common import common
from tadc.schedule.rewrite.factor import nested_over_data, with_factors_outside
from tadc.schedule.rewrite.inline import in_readers
from tadc.schedule.rewrite.large_data import LargeData
from tadc.schedule.rewrite.list_tensors import Facts, Listed
from tadc.schedule.rewrite.lists import listed
from tadc.schedule.rewrite.looked_up import has_data, in_32_bits, looked_up
from tadc.schedule.rewrite.position_values import with_position_values
from tadc.schedule.rewrite.program import BY_ROWS, MOMENTS, QUOTIENTS, rearranged, scheduled
from tadc.schedule.rewrite.rare_tests import with_sums_before_rare_tests
from tadc.schedule.rewrite.recurrence import Order, Recurrence, recurrence
from tadc.schedule.rewrite.safe_loads import safely_loaded
from tadc.schedule.rewrite.searches import Check, Way, checks_of, searching
from tadc.schedule.rewrite.shared import shared
from tadc.schedule.rewrite.slices import Sliced
from tadc.syntax import ast, parse_idx

__all__ = [
    "adjoint_program",
    "atomic_module",
    "atomic_values_module",
    "batched_program",
    "blocked_program",
    "coloured_program",
    "computed_indices",
    "cpu_kernels",
    "data_checks",
    "decisions",
    "diagonal_program",
    "for_numpy",
    "front",
    "gpu_decisions",
    "gpu_seconds",
    "gradient_program",
    "index_stages",
    "inverse_program",
    "jacobian_program",
    "jvp_program",
    "large_data",
    "lowered_for_cpu",
    "lowered_for_gpu",
    "lowered_recurrence",
    "module",
    "normalized",
    "operations_of",
    "parsed",
    "reads_data",
    "recurrence_of",
    "refuse_computed_indices",
    "restricted_program",
    "search",
    "section_program",
    "stored",
    "substitution_program",
    "tangent_program",
    "vjp_program",
    "vjp_programs",
    "with_companions",
    "with_lists",
    "with_reductions_apart",
    "with_slices",
]

MOST_REPEATED = 4  # times as many operations as a program by tensors may take point by point

EXPLICIT = {
    "inverse-tangent": explicit_inverse_tangent,
    "inverse-adjoint": explicit_inverse_adjoint,
    "logdet": explicit_logdet,
}


def front(
    source: Source,
    lang: str,
    name: str,
    sizes: Mapping[str, int],
    index_base: int = 0,
    segment: Path | None = None,
    values: Sequence[str] = (),
    proved: bool = False,
    most_rounds: int | None = None,
) -> Resolved:
    """Text to program: parse, resolve, normalize. `segment` is the place of the statements between two loops, for these alone; with
    `most_rounds` loops end after so many rounds.

    `values` are inputs that are compared with indices, and hold floats; `proved`: the reads are known to be in bounds, as far
    as data do not decide.
    """
    with stage("reading the program"):
        whole = parsed(source, lang, index_base)
        tree = written_out(
            whole if segment is None else segment_tree(whole, segment),
            sizes,
            index_base,
            most_rounds,
        )
    with stage("finding ranges of indices"):
        resolved = resolve(tree, name, sizes, index_base, values, proved)
    return replace(
        resolved,
        program=normalized(resolved.program),
        skipped=tree.skipped,
        notes=tree.notes,
        request=tree.request,
    )


def parsed(source: Source, lang: str, index_base: int = 0) -> ast.Program:
    """The syntax tree of a text; `index_base` holds where a LaTeX document does not tell."""
    if lang == "tex":
        from tadc.syntax.tex.parse import parse_tex  # its grammar is loaded only when it is needed

        return parse_tex(source, index_base)
    return parse_idx(source)


def normalized(program: Program) -> Program:
    """The program in normal form. Every program goes through this, the user's and derivatives alike."""
    # Derivatives hold copies of reductions inside each other: names are made distinct before they are solved.
    program = simplify(with_conditions(simplify(program)))
    program = plain_names(live(program))
    program = _solved(separate_equated(program, taken_names(program)))
    settled = frozenset(program.statements)
    program = _solved(separate_inner_reductions(program, taken_names(program)), settled)
    return plain_names(live(without_checked_conditions(program)))


def _solved(program: Program, settled: Set[Statement] = frozenset()) -> Program:
    """The program with every statement solved but those of `settled`, which are."""
    known = program.known
    statements = []
    count = len(program.statements)
    with stage(f"solving {count} statement{'s' * (count != 1)}", count) as step:
        for s in program.statements:
            statements.append(s if s in settled else _settled(s, known))
            step()
    return replace(program, statements=tuple(statements))


def _settled(statement: Statement, known: Domain) -> Statement:
    """Solved and simplified, until nothing changes: a guard of an inner reduction restricts the outer one's domain.

    Or until a form comes back: the same bounds may be written in one quotient or in another.
    """
    seen: set[Statement] = set()
    while statement not in seen:
        seen.add(statement)
        statement = simplified_statement(solved_statement(statement, known))
    return statement


def reduced(program: Program, names: Names) -> Program:
    """The program as it is derived: its reductions are statements, those that a derivative compares above all.

    What one has stored is read inside of others: at the places that a derivative needs, where data decide about them,
    it would be a reduction for each of them.
    """
    return separate_compared(common(separate_reductions(program, names)), names)


def adjoint_program(program: Program, wrt: Sequence[str]) -> Program:
    names = taken_names(program)
    return normalized(adjoint(reduced(program, names), wrt, names))


def vjp_program(program: Program, wrt: Sequence[str]) -> Program:
    """The outputs and the gradients as one program: the adjoint, with the program's outputs before its own."""
    names = taken_names(program)
    both = adjoint(reduced(program, names), wrt, names)
    return normalized(replace(both, outputs=(*program.outputs, *both.outputs)))


def vjp_programs(program: Program, wrt: Sequence[str]) -> tuple[Program, Program]:
    """The adjoint in two halves: the part that needs no cotangent, with the program's outputs; and the gradients from there.

    The first gives the outputs, then the residuals: tensors that the second reads, and nothing else. The second takes
    the inputs, the residuals, then the cotangents.
    """
    names = taken_names(program)
    separated = reduced(program, names)
    both = adjoint(separated, wrt, names)
    gradients = both.outputs
    both = normalized(replace(both, outputs=(*program.outputs, *gradients)))
    both = early(live(common(both)), {s.target.name for s in separated.statements})
    plain = halves(live(shared(common(both))), program, gradients)
    if has_data(both):
        return plain
    # Factors outside of sums let halves share more of them, and make more statements.
    sharing = halves(live(shared(common(rearranged(both)))), program, gradients)
    return sharing if len(sharing[0].outputs) > len(plain[0].outputs) else plain


def tangent_program(program: Program, wrt: Sequence[str]) -> Program:
    names = taken_names(program)
    return normalized(tangent(reduced(program, names), wrt, names))


def coloured_program(program: Program, x: str, colourings: Sequence[Colouring]) -> Program:
    """The tangent by one input, for each colour of its elements; inputs are those of the tangent."""
    names = taken_names(program)
    derived = tangent(reduced(program, names), (x,), names)
    seed = derived.inputs[-1].name
    return normalized(coloured(derived, seed, colourings, names))


def jvp_program(program: Program, wrt: Sequence[str]) -> Program:
    """The program's outputs and their tangents, from the inputs of the tangent program.

    The outputs are copies: tangents read the computed values, and not those rounded to 16 bits.
    """
    names = taken_names(program)
    both = tangent(reduced(program, names), wrt, names)
    copies = copies_of((both.tensors[f] for f in program.outputs), names)
    values = (s.target.name for s in copies.values())
    statements = (*both.statements, *copies.values())
    return normalized(replace(both, statements=statements, outputs=(*values, *both.outputs)))


def gradient_program(program: Program, wrt: Sequence[str], prefix: str = "d") -> Program:
    names = taken_names(program)
    called = {x: f"{prefix}{x}" for x in wrt}
    return normalized(gradient(reduced(program, names), called, names))


def hvp_program(program: Program, wrt: Sequence[str]) -> Program:
    """The tangent of the gradient. Gradients are named `g<input>` here, since `d<input>` are the tangents."""
    return tangent_program(gradient_program(program, wrt, prefix="g"), wrt)


def jacobian_program(program: Program, x: str, output: str) -> Program:
    names = taken_names(program)
    return normalized(jacobian(reduced(program, names), x, names, output=output))


def inverse_program(program: Program, mode: str, wrt: Sequence[str], of: Sequence[str]) -> Program:
    """An inverse mode as a program: "inverse-tangent", "inverse-adjoint" or "logdet". Sizes have numbers."""
    names = taken_names(program)
    separated = reduced(program, names)
    return normalized(EXPLICIT[mode](program, separated, wrt, of, names))


def restricted_program(tangent: Program, region: Region) -> Program:
    """A tangent by one tensor, the last input, along its elements in the region of a partial update: what it depends on.

    Products with 0 are left out, whatever the other factor is.
    """
    seed = tangent.inputs[-1].name
    return without_zeros(normalized(along_region(tangent, seed, region)))


def substitution_program(program: Program, x: str, *, transposed: bool) -> Program:
    """The solution `z` of `A z = b`, or of `Aᵀz = b`, by elements of `z` that are known: inputs those of the program, `z`, `b`, the
    diagonal of A. A is the derivative of the one output by `x`.
    """
    product = (adjoint_program if transposed else tangent_program)(program, (x,))
    return normalized(substitution(product, taken_names(product)))


def diagonal_program(program: Program, x: str) -> Program:
    """The diagonal of the derivative of the one output by the input `x`."""
    product = tangent_program(program, (x,))
    seed = product.inputs[-1].name
    inner = frozenset(active_values(product, (seed,), product.outputs)) - {seed, *product.outputs}
    return normalized(on_diagonal(in_readers(product, inner)))


@lru_cache(maxsize=128)
def blocked_program(
    program: Program,
    target: str,
    whole: tuple[int, ...],
    split: tuple[str, ...],
    through: tuple[str, ...],
) -> Blocked:
    """The program of a block of `target`, whose place and extents are sizes, but those of the dimensions `whole`."""
    block = blocked(program, target, whole, split, through, taken_names(program))
    return replace(block, program=without_idle_sizes(normalized(block.program)))


@lru_cache(maxsize=128)
def section_program(
    program: Program, target: str, whole: tuple[int, ...], index: str, through: tuple[str, ...]
) -> Blocked:
    """The program of a section of the target's reduction, over a part of this index, for a target that has one block."""
    block = blocked(program, target, whole, (index,), through, taken_names(program))
    made = without_idle_sizes(normalized(at_places_of_whole(block)))
    return replace(block, program=replace(made, is_section=True))


def cpu_kernels(
    program: Program, sizes: Sizes, dtype: str, options: Options
) -> dict[str, CpuKernel]:
    """The kernels of a CPU by the tensors that they compute, for these values of the sizes, but those that BLAS computes."""
    values = program.size_values({s: sizes[s] for s in program.sizes})
    decided = decisions(program, values, dtype, options)
    lowered = lowered_for_cpu(program, "run", decided, dtype, blas=options.blas)
    kernels_ = (k for k in lowered.kernels if k.kernel.name not in lowered.products)
    return {t.name: k for k in kernels_ for t in (s.target for s in k.kernel.statements)}


def with_reductions_apart(program: Program, statement: Statement) -> tuple[Statement, ...]:
    """A statement of the program, after statements of the reductions that stand inside of its right side, without factors that
    leave these; itself where its right side is one.
    """
    moved = with_factors_outside(program, statement)
    if isinstance(moved.body, Reduce):
        return (statement,)
    alone = replace(program, statements=(moved,))
    return separate_reductions(alone, taken_names(program)).statements


def batched_program(program: Program, inputs: Sequence[str]) -> Program:
    """The program for many values of these inputs. It is solved already, since only an index is new."""
    return batched(program, inputs, taken_names(program))


def taken_names(program: Program) -> Names:
    """A supply of names that differ from every tensor, index and size of the program."""
    return Names((*program.tensors, *program.symbols))


@lru_cache(maxsize=128)
def stored(program: Program, choices: Choices = BY_MODEL) -> Program:
    """The program as it is run where all its temporaries fit into memory."""
    key = ("scheduled", fingerprint(program), choices)
    return disk_cached(key, lambda: scheduled(program, choices=choices))


def for_numpy(program: Program) -> Program:
    """The program as numpy runs it: what is compared with a stored sum is the stored one, to the bit."""
    return program if has_data(program) else common(program)


@lru_cache(maxsize=128)
def with_lists(program: Program, facts: Facts | None = None, narrow: bool = False) -> Listed:
    """The program as it is run where data are looked up: its sums over what data lead to run over lists.

    `facts` are those of the lists of a call; `narrow`: index tensors have 32 bits.
    """
    arranged = nested_over_data(with_sums_before_rare_tests(live(common(program))))
    found = listed(with_position_values(arranged), facts)
    return replace(found, program=in_32_bits(found.program)) if narrow else found


@lru_cache(maxsize=128)
def with_slices(program: Program) -> Sliced:
    """The program as calls run it, with slices of index tensors as tensors of their own; files take whole ones."""
    return slices.with_slices(program)


@lru_cache(maxsize=128)
def with_companions(program: Program, facts: Facts, narrow: bool) -> Listed:
    """As `with_lists`, where index tensors that are read along a list stand beside it in its order."""
    return companions.with_companions(with_lists(program, facts, narrow))


def data_checks(program: Program, resolved: Resolved) -> tuple[Check, ...]:
    """What data decide about the reads of a program or of its derivative, in the order in which it is checked."""
    return checks_of(program, resolved.checks)


def search(way: Way, program: Program, name: str) -> tuple[Program, Kernel]:
    """The search for an element that leads out of a tensor in one way: a minimum of elements, and its kernel of one point."""
    found = in_32_bits(safely_loaded(normalized(searching(way, program))))
    (kernel,) = kernels(found, name)
    return found, kernel


@lru_cache(maxsize=128)
def index_stages(program: Program) -> tuple[Program, Program] | None:
    """The part of a program that computes index tensors, and the rest, whose inputs these are; None where there are none.

    The first computes those that follow from no other such tensor, as real numbers.
    """
    return stages(program)


def computed_indices(program: Program) -> tuple[str, ...]:
    """The tensors of a program that it computes and that are read as indices."""
    targets = (s.target.name for s in program.statements)
    return tuple(t for t in targets if t in looked_up(program))


def refuse_computed_indices(program: Program) -> None:
    """Raises BackendError where a statement computes indices: files have no launchers of several parts."""
    if index_stages(program) is None:
        return
    computed = computed_indices(program)[0]
    raise BackendError(
        None,
        f"`{computed}` is computed, and read as an index: files have no launcher of several parts",
        fix=f"declare `input {computed}[..]: index`, and compute it by a program of its own",
    )


def reads_data(program: Program) -> bool:
    """Whether an index of the program is an element of a tensor."""
    return has_data(program)


def large_data(program: Program, checks: Sequence[ReadCheck]) -> LargeData:
    """What a program, with the checks of its reads, does with large elements of index tensors."""
    return LargeData.of(program, checks)


def decisions(program: Program, sizes: Sizes, dtype: str, options: Options) -> Decisions:
    """The decisions about a run that follow from these values of all sizes."""
    if has_data(program):
        return Decisions.beside_data(program, sizes)
    everything = stored(program)
    again = recomputed(everything, sizes, dtype, options.storage, options.memory_limit)
    return Decisions.of(everything, sizes, options, again)


def gpu_decisions(
    program: Program, sizes: Sizes, dtype: str, options: Options, machine: Machine = HOPPER
) -> Decisions:
    """As `decisions`; by default what is stored of what fits, and whether sums over quotients are nested, is what the model says is faster."""
    if has_data(program):
        return decisions(program, sizes, dtype, options)
    numbers = sorted(sizes.items())
    decisive = (options.storage, options.memory_limit, options.blas)
    return disk_cached(
        ("gpu decisions", fingerprint(program), numbers, dtype, machine, *decisive),
        lambda: _gpu_decisions(program, sizes, dtype, options, machine),
    )


def _gpu_decisions(
    program: Program, sizes: Sizes, dtype: str, options: Options, machine: Machine
) -> Decisions:
    candidates = [
        decided
        for choices in _rewritings(program)
        for decided in _storing(program, choices, sizes, dtype, options)
    ]

    def seconds(decided: Decisions) -> float:
        return _gpu_seconds(program, decided, sizes, dtype, options, machine)

    return min(candidates, key=seconds) if len(candidates) > 1 else candidates[0]


def _rewritings(program: Program) -> Iterator[Choices]:
    """The choices of a program's rewriting that a model of a GPU compares: neighbours in a sum over a quotient may be far apart, sums in
    another order may be of one kernel, and sums that run have few threads.
    """
    yield BY_MODEL
    yield from _if_others(program, Choices(((MOMENTS, 1),)))
    nodes = (e for s in program.statements for e in postorder(s.body))
    sums = [e for e in nodes if isinstance(e, Reduce)]
    if any(s.derived for s in program.statements) or any(e.derived for e in sums):
        yield from _if_others(program, Choices(((QUOTIENTS, 1),)))
    if any(len(e.indices) > 1 for e in sums):
        yield from _if_others(program, Choices(((BY_ROWS, 1),)))


def _if_others(program: Program, choices: Choices) -> Iterator[Choices]:
    """The choices, if they make another program than the usual ones."""
    if stored(program, choices) != stored(program):
        yield choices


def _storing(
    program: Program, choices: Choices, sizes: Sizes, dtype: str, options: Options
) -> Iterator[Decisions]:
    """What may be stored of the program that the choices make, the usual last."""
    everything = stored(program, choices)
    again = oversized(everything, sizes, dtype, options.storage, options.memory_limit)
    usual = replace(Decisions.of(everything, sizes, options, again), choices=choices)
    values = everything.size_values({s: sizes[s] for s in program.sizes})
    is_free = options.storage == "auto" and bool(usual.recomputed)
    if is_free and fits(everything, values, dtype, options.memory_limit):
        yield replace(usual, recomputed=())
    yield usual


def gpu_seconds(
    program: Program, sizes: Sizes, dtype: str, options: Options, machine: Machine = HOPPER
) -> float:
    """The seconds of a run on a GPU for these values of all sizes, by the model of it."""
    decided = gpu_decisions(program, sizes, dtype, options, machine)
    return _gpu_seconds(program, decided, sizes, dtype, options, machine)


def _gpu_seconds(
    program: Program,
    decided: Decisions,
    sizes: Sizes,
    dtype: str,
    options: Options,
    machine: Machine,
) -> float:
    lowered = lowered_for_gpu(
        program, "run", decided, sizes, dtype, machine, blas=options.blas, tiles={}
    )
    return sum(m.seconds for m in lowered.models(sizes, dtype))


def module(
    program: Program, mode: str, sizes: Sizes | None, dtype: str, options: Options
) -> Module:
    """The program with its kernels, for any target: for these sizes, or as if all its temporaries fitted into memory."""
    decided = {} if sizes is None else {mode: decisions(program, sizes, dtype, options)}
    (result,) = modules_of({mode: program}, decided)
    return result


def cpu_seconds(program: Program, sizes: Sizes, dtype: str, options: Options) -> float:
    """About the seconds of a run on a CPU for these values of all sizes."""
    run = module(program, "run", sizes, dtype, options)
    return modelled_seconds(run.program, run.kernels, sizes, dtype)


def operations_of(program: Program, sizes: Sizes, dtype: str, options: Options) -> int:
    """About how many operations the program does for these values of all sizes."""
    run = module(program, "run", sizes, dtype, options)
    values = run.program.size_values(sizes)
    return sum(operations(k, values) for k in run.kernels)


def lowered_for_cpu(
    program: Program,
    mode: str,
    decided: Decisions,
    dtype: str,
    machine: Processor = AVX2,
    *,
    blas: bool,
    choices: Choices = BY_MODEL,
) -> CpuModule:
    """The program as a CPU runs it."""
    (unscheduled,) = modules_of({mode: program}, {mode: replace(decided, choices=choices)})
    usual, widths = dict(decided.usual), dict(decided.widths)
    return CpuModule.of(
        unscheduled, dtype, usual, blas=blas, machine=machine, widths=widths, choices=choices
    )


def recurrence_of(
    program: Program, seed: str, order: Order, sizes: Sizes, most: int
) -> Recurrence | None:
    """The program point by point, its output in place of the input `seed`; None where that is not possible, or takes many times
    as many operations as the program, and as `most`, for these values of all sizes.
    """
    (apart,) = modules_of({"run": program})
    found = recurrence(apart.program, seed, order)
    if found is None:
        return None
    values = apart.program.size_values(sizes)
    together = recurrence_module(found, "run").module
    counts = (sum(operations(k, values) for k in m.kernels) for m in (together, apart))
    return found if next(counts) <= MOST_REPEATED * max(most, next(counts)) else None


def lowered_recurrence(
    found: Recurrence, mode: str, decided: Decisions, machine: Processor
) -> CpuModule:
    """A recurrence as a CPU runs it."""
    return recurrence_module(found, mode, dict(decided.usual), machine)


def lowered_for_gpu(
    program: Program,
    mode: str,
    decided: Decisions,
    sizes: Sizes | None,
    dtype: str,
    machine: Machine,
    *,
    blas: bool,
    tiles: Mapping[str, Shape],
) -> GpuModule:
    """The program as a GPU runs it for these sizes, or for typical ones. `tiles` are those of some kernels."""
    if has_data(program):
        sizes = None  # data decide how long its loops are
    numbers = None if sizes is None else {s: sizes[s] for s in program.sizes}

    def made() -> GpuModule:
        (unscheduled,) = modules_of({mode: program}, {mode: decided})
        values = None if numbers is None else unscheduled.program.size_values(numbers)
        return GpuModule.of(
            unscheduled, values, dtype, blas=blas, tiles=tiles, machine=machine, room=decided.room
        )

    # The schedules take longer to choose than to read.
    chosen = (
        decided.recomputed,
        decided.room,
        decided.choices,
        numbers,
        dtype,
        machine,
        blas,
        sorted(tiles.items()),
    )
    return disk_cached(("gpu", fingerprint(program), mode, *chosen), made)


def atomic_module(program: Program, wrt: Sequence[str], *, points: bool) -> Module:
    """The adjoint of a program by its inputs `wrt` in scatter form, as the mode `adjoint_atomic`.

    Raises BackendError where data decide what something else than a sum runs over, and where a statement computes indices.
    """
    separated, names = _scatterable(program)
    scattering, scatters = scattered(separated, wrt, names)
    made = scatter_kernels(scattering, scatters, "adjoint_atomic", points=points)
    return Module("adjoint_atomic", scattering, made)


def atomic_values_module(program: Program, *, points: bool) -> Module:
    """The program with sums over lists in scatter form, as the mode `primal_atomic`. Raises as `atomic_module` does."""
    separated, _ = _scatterable(program)
    made = scatter_kernels(separated, (), "primal_atomic", points=points)
    return Module("primal_atomic", separated, made)


def _scatterable(program: Program) -> tuple[Program, Names]:
    refuse_computed_indices(program)
    renamed = in_32_bits(replace(program, name=identifier(program.name)))
    names = taken_names(renamed)
    return reduced(renamed, names), names
