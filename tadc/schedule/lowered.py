"""The result of scheduling: made once, then printed, launched, counted and described.

A `Module` is a program with its kernels, for any target. `CpuModule` and `GpuModule` add how each kernel runs on a target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from tadc.ir.affine import Symbol, constant, symbol
from tadc.ir.element_types import INDEX, NARROW_INDEX
from tadc.ir.expr import Read
from tadc.ir.names import Names, identifier
from tadc.ir.program import Program, Statement, Tensor
from tadc.options import Options
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.both_ways import in_one_pass, with_columns_in_parts
from tadc.schedule.cpu.columns import with_column_sums_in_parts
from tadc.schedule.cpu.contraction import Contraction, contraction, is_for_blas
from tadc.schedule.cpu.in_order import in_order
from tadc.schedule.cpu.kept_rows import with_kept_rows
from tadc.schedule.cpu.kernels import CpuKernel, cpu_kernel
from tadc.schedule.cpu.lists import with_sums_apart_from_data
from tadc.schedule.cpu.loop_order import with_loops_in_order
from tadc.schedule.cpu.machine import AVX2, Processor
from tadc.schedule.cpu.padded import with_zeros_around
from tadc.schedule.cpu.pairs import with_sums_over_pairs_by_rows
from tadc.schedule.cpu.plain_products import with_products_for_gates
from tadc.schedule.cpu.products import with_products
from tadc.schedule.cpu.quotient_loops import with_loops_over_quotients
from tadc.schedule.cpu.row_copies import with_row_copies
from tadc.schedule.cpu.row_groups import RowGroup, row_groups
from tadc.schedule.cpu.streamed import streamed_tensors
from tadc.schedule.cpu.sums_in_parts import with_long_sums_in_parts
from tadc.schedule.cpu.transposed import with_transposed_reads
from tadc.schedule.cpu.windows_first import with_windows_first
from tadc.schedule.gpu.half import wide_temporaries
from tadc.schedule.gpu.kernels import gpu_kernels, gpu_program, plain_kernel, tile_choices
from tadc.schedule.gpu.machine import HOPPER, Machine
from tadc.schedule.gpu.model import KernelModel, kernel_model, product_model
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.nest.lanes import NARROW
from tadc.schedule.nest.loop_nest import Kernel
from tadc.schedule.nest.lower import kernel_of_points, kernels
from tadc.schedule.nest.matrix_product import MatrixProduct, large_products, left_to_blas
from tadc.schedule.nest.numbers import with_sizes
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.nest.surroundings import FEW, TYPICAL, order_of, usual_size
from tadc.schedule.rewrite.looked_up import has_data
from tadc.schedule.rewrite.program import scheduled
from tadc.schedule.rewrite.recurrence import Recurrence
from tadc.schedule.rewrite.short import with_numbers, with_short_sums
from tadc.schedule.rewrite.windows import windows_from_zero

__all__ = [
    "CpuModule",
    "Decisions",
    "GpuModule",
    "Lowered",
    "Module",
    "modules_of",
    "recurrence_module",
]

Schedule = TypeVar("Schedule", CpuKernel, GpuKernel)
Product = TypeVar("Product", Contraction, MatrixProduct)

MOST_LANES = 64  # values of an index that fill all lanes without a loop
# By what kernels write: the tensor that is 0 where they are right, and the loop nest that is right everywhere.
_PlainNests: TypeAlias = Mapping[tuple[str, ...], tuple[str, Kernel]]

_UNKNOWN: Sizes = {}
_NO_TILES: Mapping[str, Shape] = {}


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions that depend on the sizes of a call: the temporaries that are not stored, and about how large the sizes are.

    A schedule stores more only in `room` bytes, if that is not None. By default all are stored, and nothing is known of the sizes.
    `widths` are sizes that the text has as numbers. `choices` are those of the rewriting of the program.
    """

    recomputed: tuple[str, ...] = ()
    usual: tuple[tuple[Symbol, int], ...] = ()
    room: int | None = None
    widths: tuple[tuple[Symbol, int], ...] = ()
    choices: Choices = BY_MODEL

    @classmethod
    def of(
        cls, stored: Program, sizes: Sizes, options: Options, recomputed: frozenset[str]
    ) -> Decisions:
        """The decisions for these values of all sizes, of a scheduled program that stores all temporaries but those `recomputed`."""
        usual = {s: _usual(stored, s, sizes[s]) for s in stored.sizes}
        room = 0 if options.storage == "recompute" else options.memory_limit
        return cls(tuple(sorted(recomputed)), tuple(sorted(usual.items())), room)

    @classmethod
    def beside_data(cls, program: Program, sizes: Sizes) -> Decisions:
        """The decisions for these values of all sizes, where data decide how long loops are: all is stored, and rows that fill lanes, or have
        few elements, have their widths as numbers. Graphs and batches often have other sizes in each call: of a large one counts the first
        binary digit alone.
        """
        shapes = [t.shape for t in program.tensors.values() if t.dtype not in (INDEX, NARROW_INDEX)]
        of_rows = {shape[-1].as_symbol() for shape in shapes if len(shape) > 1}
        widths = ((s, sizes[s]) for s in program.sizes if s in of_rows and _is_width(sizes[s]))
        usual = ((s, _usual(program, s, order_of(sizes[s]))) for s in program.sizes)
        return cls(usual=tuple(sorted(usual)), widths=tuple(sorted(widths)))


def _is_width(number: int) -> bool:
    """Whether a text for rows of so many elements is worth it, since a loop over a list has few steps besides them: they fill lanes, or are
    few.
    """
    return number <= FEW or (number <= MOST_LANES and number % NARROW == 0)


def _usual(program: Program, size: Symbol, number: int) -> int:
    """About how large a size is for schedules: as large as the program says, if it does."""
    if size in program.offsets:
        return TYPICAL
    return usual_size(dict(program.usual).get(size, number))


@dataclass(frozen=True, slots=True)
class Module:
    """A program under its C name, and its kernels. Tensors `apart` have one of their own."""

    name: str
    program: Program
    kernels: tuple[Kernel, ...]
    apart: frozenset[str] = frozenset()

    def running(self, program: Program) -> Module:
        """The module with another program, rewritten from its own."""
        if program is self.program:
            return self
        assert _is_in_order(program), "a statement reads what a later one computes"
        return replace(self, program=program, kernels=kernels(program, self.name, self.apart))

    def with_apart(self, tensors: frozenset[str]) -> Module:
        """The module in which these tensors have kernels of their own."""
        apart = self.apart | tensors
        return replace(self, kernels=kernels(self.program, self.name, apart), apart=apart)

    @property
    def launcher(self) -> str:
        return f"{self.program.name}_{self.name}"

    @property
    def temporaries(self) -> tuple[Tensor, ...]:
        """The tensors that kernels store and that are no outputs."""
        program = self.program
        stored = dict.fromkeys(t for k in self.kernels for t in k.writes)
        return tuple(program.tensors[t] for t in stored if t not in program.outputs)


def modules_of(
    programs: Mapping[str, Program], decided: Mapping[str, Decisions] | None = None
) -> list[Module]:
    """The modes of a file, by their programs, which are all derived from the first, as is `decided` for some of them."""
    name = identifier(next(iter(programs.values())).name)
    modules = []
    for mode, program in programs.items():
        d = (decided or {}).get(mode, Decisions())
        run = scheduled(_launchable(program, name), frozenset(d.recomputed), d.choices)
        modules.append(Module(mode, run, kernels(run, mode)))
    return modules


def _launchable(program: Program, name: str) -> Program:
    """The program under its C name; an output that is an input becomes a copy, since a launcher writes all outputs."""
    names = Names(program.names)
    tensors = program.tensors
    inputs = {t.name for t in program.inputs}
    outputs, copies = [], []
    for output in program.outputs:
        if output in inputs:
            tensor = tensors[output]
            indices = tuple(names.fresh(f"i{d}") for d in range(len(tensor.shape)))
            target = replace(tensor, name=names.fresh(f"{output}_out"))
            read = Read(output, tuple(map(symbol, indices)))
            copies.append(Statement(target, indices, (), read))
            output = target.name
        outputs.append(output)
    statements = (*program.statements, *copies)
    return replace(program, name=name, statements=statements, outputs=tuple(outputs))


@dataclass(frozen=True, slots=True)
class Lowered(Generic[Schedule, Product]):
    """A module as a target runs it: how each of its kernels runs, and which of them are left to BLAS, by name."""

    module: Module
    kernels: tuple[Schedule, ...]
    products: Mapping[str, Product] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Otherwise:
    """The kernel that runs instead of another one, which supposes that the tensor `check`, without dimensions, is 0."""

    check: str
    kernel: CpuKernel

    @classmethod
    def of(cls, name: str, check: str, nest: Kernel) -> Otherwise:
        """The nest as it is, instead of the kernel of that name: it runs where results are infinite or undefined anyway."""
        box = tuple(zip(nest.indices, nest.extents, strict=True))
        return cls(check, CpuKernel(replace(nest, name=f"{name}_else"), box, None, nest.body))


@dataclass(frozen=True, slots=True)
class CpuModule(Lowered[CpuKernel, Contraction]):
    """A module as a CPU runs it, with the kernels that run for a few rows at a time, by the name of each group's first, and what runs
    in place of kernels where they are not right, by their names.
    """

    groups: Mapping[str, RowGroup] = field(default_factory=dict)
    otherwise: Mapping[str, Otherwise] = field(default_factory=dict)

    @property
    def functions(self) -> tuple[CpuKernel, ...]:
        """All kernels, and those that run instead of some."""
        return (*self.kernels, *(other.kernel for other in self.otherwise.values()))

    @property
    def own(self) -> frozenset[str]:
        """The temporaries of which a thread has a few rows at a time."""
        return frozenset().union(*(group.own for group in self.groups.values()))

    @classmethod
    def of(
        cls,
        module: Module,
        dtype: str,
        usual: Sizes = _UNKNOWN,
        *,
        blas: bool = False,
        machine: Processor = AVX2,
        widths: Sizes = _UNKNOWN,
        choices: Choices = BY_MODEL,
    ) -> CpuModule:
        """`dtype` is the type of tensors that declare none: with `blas` matrix products of it are left to BLAS. The text is for
        these `widths` alone.

        `usual` has about how large the sizes are, as `usual_size` says it: small ones that bound sums become numbers in the
        text, which is right for these alone; for others the schedules are only slower. `choices` decide.
        """
        if widths:
            module = module.running(with_numbers(module.program, widths))
        if _are_known(usual, module.program):
            told = dict(module.program.usual)  # these are other than in the call
            few = {s: n for s, n in usual.items() if n <= FEW and s not in told}
            if choices.whether("small sizes are numbers", True):
                # Ranges that move may have a constant length now.
                short = with_short_sums(module.program, few)
                module = module.running(windows_from_zero(short, for_lanes=True))
            program, own = with_kept_rows(module.program, module.name, usual)
            if own and choices.whether("rows are kept", True):
                kept = cls._of(module.running(program), dtype, usual, blas, machine, choices, own)
                if own <= kept.own:
                    return kept
        return cls._of(module, dtype, usual, blas, machine, choices)

    @classmethod
    def _of(
        cls,
        module: Module,
        dtype: str,
        usual: Sizes,
        blas: bool,
        machine: Processor,
        choices: Choices,
        kept: frozenset[str] = frozenset(),
    ) -> CpuModule:
        known = _are_known(usual, module.program)
        plain: _PlainNests = {}
        if known:
            module, plain = _arranged(module, dtype, usual, blas, machine, choices, kept)
        nests = module.kernels
        products = _products(module, dtype, usual, plain.keys()) if blas else {}
        program = module.program

        def scheduled(nest: Kernel, at_once: Sizes = _UNKNOWN) -> CpuKernel:
            return cpu_kernel(nest, program, usual, machine, choices, at_once)

        schedules = {k.name: scheduled(k) for k in nests}
        otherwise = {
            k.name: Otherwise.of(k.name, *plain[k.writes]) for k in nests if k.writes in plain
        }
        groups: dict[str, RowGroup] = {}
        if known:
            pairs = zip(schedules.values(), nests, strict=True)
            found, order = row_groups(
                list(pairs),
                program,
                dtype,
                usual,
                machine,
                products.keys() | otherwise.keys(),
                choices,
                scheduled=scheduled,
            )
            by_name = {k.name: k for k in nests}
            nests = tuple(by_name[name] for name in order)
            module = replace(module, kernels=nests)
            for group in found:
                groups[group.kernels[0].kernel.name] = group
                schedules.update((k.kernel.name, k) for k in group.kernels)
            soon: set[str] = set()
            for nest in reversed(nests):
                k = schedules[nest.name]
                k = with_loops_in_order(k, nest, program, dtype, usual, machine, choices)
                streamed = streamed_tensors(k, nest, program, dtype, usual, machine, soon, choices)
                k = replace(k, streamed=streamed)
                if choices.whether(f"whether {nest.writes[0]} copies rows", True):
                    k = with_row_copies(k, nest, program, dtype, usual)
                schedules[nest.name] = k
                soon.update(nest.reads)
        return cls(module, tuple(schedules[k.name] for k in nests), products, groups, otherwise)


def _arranged(
    arranged: Module,
    dtype: str,
    usual: Sizes,
    blas: bool,
    machine: Processor,
    choices: Choices,
    kept: frozenset[str],
    share: bool = True,
) -> tuple[Module, _PlainNests]:
    """The module with its sums and tensors as a CPU has them best: as products of matrices, in parts, and with copies, and where they
    `share` a pass; and the nests that run where a copy with zeros around is not right.
    """
    module, both = arranged, None
    if choices.whether("sums are apart from data", True):
        program, apart = with_sums_apart_from_data(module.program, usual)
        module = module.running(program).with_apart(apart) if apart else module
    if blas and choices.whether("products are apart", True):
        program, apart = with_products(module.program, usual, dtype)
        module = module.running(program)
        module = module.with_apart(apart | _stored_products(module, dtype, usual))
    if choices.whether("windows are outermost", True):
        module = module.running(with_windows_first(module.program))
    if choices.whether("sums over pairs are by rows", True):
        module = module.running(with_sums_over_pairs_by_rows(module.program, usual))
    if share and choices.whether("rows and columns share a pass", True):
        program, both = with_columns_in_parts(module.program, usual, machine)
        module = module.running(program)
    if choices.whether("sums of columns are in parts", True):
        module = module.running(with_column_sums_in_parts(module.program, usual))
    if choices.whether("long sums are in parts", True):
        by_blas = _products(module, dtype, usual) if blas else {}
        results = frozenset(p.result.tensor for p in by_blas.values())
        module = module.running(with_long_sums_in_parts(module.program, usual, results))
    by_blas = _products(module, dtype, usual) if blas else {}
    plain: _PlainNests = {}
    if choices.whether("sums have zeros around what they read", True):
        results = kept.union(p.result.tensor for p in by_blas.values())
        zeros = partial(with_zeros_around, usual=usual, left_out=results, choices=choices)
        module, plain = _with_checks(module, zeros)
    if choices.whether("gates in sums are products", True):
        taken = {t for w in plain for t in w}
        shared = {t for k in module.kernels if len(k.writes) > 1 for t in k.writes}
        gates = partial(
            with_products_for_gates, usual=usual, left_out=shared | taken, choices=choices
        )
        module, products = _with_checks(module, gates)
        plain = {**plain, **products}
    of_both = both.targets if both else frozenset[str]()
    by_blas = _products(module, dtype, usual, plain.keys()) if blas else {}
    left = by_blas.keys() | {k.name for k in module.kernels if not of_both.isdisjoint(k.writes)}
    program = with_transposed_reads(module.program, module.name, usual, left, kept, choices)
    copied = module.running(program)
    module = copied if plain.keys() <= {k.writes for k in copied.kernels} else module
    if both:
        together = in_one_pass(module.kernels, both, module.program)
        if together is None:
            return _arranged(arranged, dtype, usual, blas, machine, choices, kept, share=False)
        module = replace(module, kernels=together)
    if choices.whether("quotients have loops", True):
        divided = tuple(map(with_loops_over_quotients, module.kernels))
        module = replace(module, kernels=divided)
    return module, plain


def _with_checks(
    module: Module, rewriting: Callable[[Program], tuple[Program, Mapping[str, str]]]
) -> tuple[Module, _PlainNests]:
    """The module with a rewriting that is right where tensors without dimensions are 0, by the tensors that it computes otherwise; if
    these have kernels of their own, and all that they read is stored.
    """
    program, checks = rewriting(module.program)
    if not checks:
        return module, {}
    alone = {t for k in module.kernels if len(k.writes) == 1 for t in k.writes}
    changed = module.with_apart(frozenset(alone & checks.keys())).running(program)
    stored = {t.name for t in program.inputs}.union(t for k in changed.kernels for t in k.writes)
    nests = {k.writes: k for k in module.kernels if stored.issuperset(k.reads)}
    of = {k.writes: [checks[t] for t in k.writes if t in checks] for k in changed.kernels}
    plain = {w: (zeros[0], nests[w]) for w, zeros in of.items() if zeros and w in nests}
    return (changed, plain) if len(plain) == len(checks) else (module, {})


def _is_in_order(program: Program) -> bool:
    """Whether each statement reads inputs, itself and what those before it compute."""
    later = {s.target.name for s in program.statements}
    for s in program.statements:
        later.discard(s.target.name)
        if not later.isdisjoint(s.reads):
            return False
    return True


def _are_known(usual: Sizes, program: Program) -> bool:
    """Whether it is known about how large all sizes are, and data decide nothing."""
    return bool(usual or not program.sizes)


def recurrence_module(
    recurrence: Recurrence, mode: str, usual: Sizes = _UNKNOWN, machine: Processor = AVX2
) -> CpuModule:
    """A recurrence as a CPU runs it."""
    program = recurrence.program
    before = kernels(recurrence.before, mode)
    points = kernel_of_points(recurrence.statements, f"{program.name}_{mode}_points", program)
    schedules = [cpu_kernel(k, program, usual, machine) for k in before]
    schedules.append(in_order(points, recurrence, usual, machine))
    return CpuModule(Module(mode, program, (*before, points)), tuple(schedules))


def _stored_products(module: Module, dtype: str, usual: Sizes) -> frozenset[str]:
    """The products of matrices that share a kernel with other statements, and are stored all the same."""
    shared = (
        s
        for k in module.kernels
        if len(k.statements) > 1
        for s in k.statements
        if s.target.name in k.writes
    )
    return frozenset(s.target.name for s in shared if _product(s, module.program, dtype, usual))


def _products(
    module: Module, dtype: str, usual: Sizes, left_out: Set[tuple[str, ...]] = frozenset()
) -> dict[str, Contraction]:
    """The kernels that are products of matrices of the program's element type, by name, but those that write what is `left_out`."""
    alone = (
        (k.name, k.statements[0])
        for k in module.kernels
        if len(k.statements) == 1 and k.writes not in left_out
    )
    found = ((name, _product(s, module.program, dtype, usual)) for name, s in alone)
    return {name: product for name, product in found if product}


def _product(s: Statement, program: Program, dtype: str, usual: Sizes) -> Contraction | None:
    if (s.target.dtype or dtype) != dtype:
        return None
    sizes = program.size_values({n: usual.get(n, TYPICAL) for n in program.sizes})
    made = contraction(s, program, sizes)
    return made if made and is_for_blas(made, sizes) else None


@dataclass(frozen=True, slots=True)
class GpuModule(Lowered[GpuKernel, MatrixProduct]):
    """A module as a GPU runs it, with its sums in parts."""

    machine: Machine = HOPPER

    @classmethod
    def of(
        cls,
        module: Module,
        sizes: Sizes | None = None,
        dtype: str = "float32",
        *,
        blas: bool = False,
        tiles: Mapping[str, Shape] = _NO_TILES,
        machine: Machine = HOPPER,
        room: int | None = None,
    ) -> GpuModule:
        """The schedules for these values of all sizes, or for typical ones; small values are numbers in the text.

        `dtype` is that of inputs and outputs without a declared one; temporaries that it would round declare theirs.
        With `blas` large matrix products are left to cuBLAS. `tiles` are those of some kernels. What the schedule itself stores,
        but for parts of sums, has `room` bytes, or as many as it likes.
        """
        if any(k.is_atomic for k in module.kernels) or has_data(module.program):
            return cls.plain(module, machine)
        program = gpu_program(module.program, sizes, dtype, machine, blas=blas, room=room)
        products_apart = (
            large_products(program, sizes) if blas and sizes is not None else frozenset[str]()
        )
        scheduled = gpu_kernels(program, module.name, sizes, machine, dtype, tiles, products_apart)
        typed = wide_temporaries(program, dtype)
        run = Module(module.name, typed, tuple(kernel for kernel, _ in scheduled))
        products = {}
        if blas and sizes is not None:
            values = typed.size_values(sizes)
            each = {k.name: left_to_blas(k, typed, values) for k in run.kernels}
            products = {name: product for name, product in each.items() if product}
        return cls(run, tuple(schedule for _, schedule in scheduled), products, machine)

    @classmethod
    def plain(cls, module: Module, machine: Machine = HOPPER) -> GpuModule:
        """A thread per point, as the adjoint with atomic additions is run."""
        kernels = tuple(plain_kernel(k, module.program) for k in module.kernels)
        return cls(module, kernels, machine=machine)

    def combining_at_most(self, most: int) -> GpuModule:
        """The module with a thread per point in kernels whose teams combine more than `most` sums."""
        program = self.module.program
        kernels, schedules = [], []
        for k, s in zip(self.module.kernels, self.kernels, strict=True):
            if s.combined > most:
                k = k.storing_all(program)
                s = plain_kernel(k, program)
            kernels.append(k)
            schedules.append(s)
        module = replace(self.module, kernels=tuple(kernels))
        return replace(self, module=module, kernels=tuple(schedules))

    def for_sizes(self, sizes: Sizes) -> GpuModule:
        """The same kernels, in whose text these values of all sizes are numbers."""
        program = self.module.program
        left = {s: sizes[s] for s in program.sizes}
        values = {s: constant(n) for s, n in program.size_values(left).items()}
        schedules = tuple(replace(s, kernel=with_sizes(s.kernel, values)) for s in self.kernels)
        run = Module(
            self.module.name, program.specialised(left), tuple(s.kernel for s in schedules)
        )
        return replace(self, module=run, kernels=schedules)

    def models(self, sizes: Sizes, dtype: str) -> list[KernelModel]:
        """The model of each kernel on the machine for these values of all sizes; `dtype` is that of the module."""
        program = self.module.program
        values = program.size_values({s: sizes[s] for s in program.sizes})
        modelled = []
        for kernel, schedule in zip(self.module.kernels, self.kernels, strict=True):
            model = product_model if kernel.name in self.products else kernel_model
            modelled.append(model(schedule, program, values, self.machine, dtype))
        return modelled

    def tile_choices(self, sizes: Sizes, most: int) -> dict[str, list[Shape]]:
        """Tiles that may be best for these sizes, at most so many, the model's first: by kernel, where there is a choice."""
        program = self.module.program
        values = program.size_values(sizes)
        pairs = zip(self.module.kernels, self.kernels, strict=True)
        alone = [k for k, s in pairs if not (s.shares_loops or s.computed)]
        choices = {k.name: tile_choices(k, program, values, self.machine, most) for k in alone}
        return {name: shapes for name, shapes in choices.items() if len(shapes) > 1}
