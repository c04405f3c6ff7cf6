"""Values that the threads of a block compute together: terms of a sum are made of them, and many elements have the same ones.

    for j:                                          for each 32 values of j:
      t = 0                                           for each i of the tile and each of these j:
      for e: t += (x[i, e] - y[j, e])**2      is        t = 0;  for e: t += (x[i, e] - y[j, e])**2;  values[j, i] = exp(-t)
      s += exp(-t)*(x[i, d] - y[j, d])                for each of these j: s += values[j, i]*(x[i, d] - y[j, d])

where a block has a tile of `i` and `d`, and, for the values, one of `i` and `j`: each of them is computed once for all `d` of the tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product

from tadc.ir.affine import Symbol, constant, symbol
from tadc.ir.domain import EVERYWHERE
from tadc.ir.element_types import item_bytes
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.range import Bound, Range
from tadc.ir.walk import postorder, replaced, rewrite
from tadc.schedule.gpu.cost import Sizes
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.tile import Shape, tiled
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Buffer,
    Computed,
    Kernel,
    Let,
    Loop,
    Step,
    Store,
    Tile,
    TileIndex,
    buffers_of,
    first_of,
    has_loops,
    map_bodies,
    names_of,
    place_of,
    reads_of,
    steps_of,
    values_of,
    with_values,
)

__all__ = ["shares_values", "with_computed_values"]

LONG = 64  # values of the loop
ALONG = 16  # threads of a block along each of two indices
STAGED_BYTES = item_bytes("float64")  # of a number, as tiles are chosen
PARTS = (
    2,
    1,
)  # values of the loop that a thread has of each part: a block of terms is one of these, or two
ROWS = (4, 8)  # values that a thread has of the index that values and elements share
COLUMNS = (1, 2, 4, 8)  # and of that which elements alone have
MOST_SUMS = 48  # of a thread
MOST_VALUES = 2  # of a pair of elements that are shared


def with_computed_values(
    kernel: Kernel, program: Program, sizes: Sizes, machine: Machine, itemsize: int
) -> Iterator[GpuKernel]:
    """The kernel, a point an element, with tiles of several shapes whose values are computed once; nothing where none are shared.

    `sizes` has the values of all sizes, `itemsize` the bytes of a number in shared memory.
    """
    machine = replace(machine, shared_bytes=machine.shared_bytes * STAGED_BYTES // itemsize)
    terms = _Terms.of(kernel)
    if terms is None:
        return
    extents = {i: n.at(sizes) for i, n in zip(kernel.indices, kernel.extents, strict=True)}
    i, d = _last_long(terms.own, extents), _last_long(terms.others, extents)
    trips = terms.loop.range.trips_at({**sizes, **extents})
    if extents[i] < ALONG or extents[d] < 2 or trips < LONG:
        return
    wide = [n for n in COLUMNS if (n - 1) * ALONG < extents[d]][-2:]
    for rows, columns, part in product(ROWS, wide, PARTS):
        if rows * (columns + part) <= MOST_SUMS:
            made = terms.tiled(program, (i, rows), (d, columns), part, sizes, machine)
            if made is not None:
                yield GpuKernel(made, machine.block)


def shares_values(kernel: Kernel) -> bool:
    """Whether the elements of the kernel, a point each, share values that a block may compute once."""
    terms = _Terms.of(kernel)
    return terms is not None and bool(terms.values())


def _last_long(indices: Sequence[Symbol], extents: Mapping[Symbol, int]) -> Symbol:
    return max(reversed(indices), key=lambda i: min(extents[i], ALONG))


@dataclass(frozen=True, slots=True)
class _Terms:
    """A kernel whose elements are sums over a `loop`, between steps `before` and `after` it.

    Of the loop's steps the `shared` ones depend on the indices `own` of the kernel, and not on the `others`, which the `rest` does.
    """

    kernel: Kernel
    before: tuple[Step, ...]
    loop: Loop
    after: tuple[Step, ...]
    shared: tuple[Step, ...]
    rest: tuple[Step, ...]
    own: tuple[Symbol, ...]
    others: tuple[Symbol, ...]

    @classmethod
    def of(cls, kernel: Kernel) -> _Terms | None:
        """None for a kernel that does anything else."""
        loops = [n for n, s in enumerate(kernel.body) if has_loops((s,))]
        if len(loops) != 1 or not isinstance(loop := kernel.body[loops[0]], Loop):
            return None
        plain = (Accumulate, Accumulator, Assign, Let, Loop, Store)
        if not all(isinstance(s, plain) for s in steps_of(kernel.body)) or not _is_counted(loop, kernel):  # fmt: skip
            return None
        if any(isinstance(s, Store) for s in steps_of((loop,))):
            return None
        before, after = kernel.body[: loops[0]], kernel.body[loops[0] + 1 :]
        box = {*kernel.indices}
        inner_bounds = {s for step in steps_of(loop.body) if isinstance(step, Loop) for s in step.range.symbols}  # fmt: skip
        if not inner_bounds.isdisjoint({*box, loop.range.index}):
            return None
        used = _Used.of(kernel)
        own = set().union(*(used.of_steps((s,)) for s in loop.body if has_loops((s,))))
        others = box - own
        if not (own and others) or any(isinstance(s, Loop) for s in after):
            return None
        begun = {s.local for s in steps_of(loop.body) if isinstance(s, (Accumulator, Let))}
        shared: list[Step] = []
        rest: list[Step] = []
        for step in loop.body:
            set_here = _set(step)
            is_shared = set_here <= begun and used.of_steps((step,)).isdisjoint(others)
            (shared if is_shared else rest).append(step)
        if has_loops(rest):
            return None
        return cls(
            kernel,
            before,
            loop,
            after,
            tuple(shared),
            tuple(rest),
            tuple(i for i in kernel.indices if i in own),
            tuple(i for i in kernel.indices if i in others),
        )

    def tiled(
        self,
        program: Program,
        rows: tuple[Symbol, int],
        columns: tuple[Symbol, int],
        part: int,
        sizes: Sizes,
        machine: Machine,
    ) -> Kernel | None:
        """The kernel with so many values of each index a thread, and so many of each part of the loop; None where blocks find nothing to share."""
        kernel, j, (i, of_row), (d, of_column) = self.kernel, self.loop.range.index, rows, columns
        values = self.values()
        if not values:
            return None
        names = Names((*program.names, *program.symbols, *names_of(kernel)))
        at_once = part * ALONG
        n = names.fresh(f"{j}_part")
        box = TileIndex(i, constant(0), of_row, False, ALONG)
        buffers = {e: _buffer(names.fresh("values_tile"), at_once, box) for e in values}
        middle = {**sizes, **{k: e.at(sizes) // 2 for k, e in zip(kernel.indices, kernel.extents, strict=True)}}  # fmt: skip
        end = self.loop.range.highs[0].form
        middle |= {j: end.at(sizes) // 2, n: end.at(sizes) // 2 // at_once}

        # What the block computes.
        place = symbol(place_of(j)), symbol(place_of(i))
        stores = tuple(Store(b.name, place, e) for e, b in buffers.items())
        of_pair = replace(
            kernel,
            indices=(*self.own, j),
            extents=(*(kernel.extents[kernel.indices.index(k)] for k in self.own), end + 1),
            body=(*_needed(self.before, (*self.shared, *stores)), *self.shared, *stores),
            writes=(),
        )
        shape = Shape({i: of_row, j: part}, {i: ALONG, j: ALONG})
        everywhere = EVERYWHERE, of_pair.body
        taken = [b.name for b in buffers.values()] + [n]
        inner = tiled(of_pair, program, everywhere, shape, middle, machine, taken=taken)
        match inner.body:
            case (Tile(interior=()) as own,):
                pass
            case _:
                return None

        # What each thread adds up.
        first = at_once * symbol(n)
        read = {
            e: Read(b.name, (symbol(j) - first, symbol(i) - symbol(first_of(i))))
            for e, b in buffers.items()
        }
        rest = tuple(_replaced(self.rest, read))
        rest = (*_needed(self.shared, rest), *rest)
        of_part = Loop(Range(j, (Bound(first),), (*self.loop.range.highs, Bound(first + (at_once - 1)))), rest)  # fmt: skip
        parts = Loop(Range(n, (Bound(constant(0)),), (Bound(end, at_once),)), (of_part,))
        body = (*self.before, parts, *self.after)
        own_bytes = sum(b.size for b in (*buffers.values(), *buffers_of(inner.body)))
        left = machine.shared_bytes - own_bytes * STAGED_BYTES
        if left <= 0:
            return None
        order = [k for k in kernel.indices if k in {i, d}]
        counts = {i: of_row, d: of_column}
        shape = Shape({k: counts[k] for k in order}, dict.fromkeys(order, ALONG))
        taken += [b.name for b in buffers_of(inner.body)]
        outer = tiled(
            replace(kernel, body=body, locals=kernel.locals | inner.locals),
            program,
            (EVERYWHERE, body),
            shape,
            middle,
            replace(machine, shared_bytes=left),
            taken=taken,
        )
        match outer.body:
            case (Tile(interior=()) as tile,):
                pass
            case _:
                return None
        computed = Computed(tuple(buffers.values()), j, n, (own,))
        return replace(outer, body=(replace(tile, body=tuple(_with(computed, tile.body, i))),))

    def values(self) -> list[Expr]:
        """What the rest reads of the values that loops among the shared steps have made, as large as it is shared."""
        used = _Used.of(self.kernel)
        made = {t for s in self.shared if has_loops((s,)) for t in _set(s)}
        known = {s.local for s in self.shared if isinstance(s, Let)}
        known |= {s.local for s in self.before if isinstance(s, Let)} | made
        for s in self.shared:
            if isinstance(s, Let) and not made.isdisjoint(_locals_of(s.value)):
                made.add(s.local)
        found: dict[Expr, None] = {}

        def look(e: Expr) -> None:
            read = _locals_of(e) & self.kernel.locals
            if made.isdisjoint(read):
                return
            if used.of_value(e).isdisjoint(self.others) and read <= known:
                found[e] = None
            else:
                for o in e.operands:
                    look(o)

        for step in self.rest:
            for e in values_of(step):
                look(e)
        return list(found) if len(found) <= MOST_VALUES else []


@dataclass(frozen=True, slots=True)
class _Used:
    """The indices of the kernel's box that each of its locals depends on."""

    box: Set[Symbol]
    locals: Mapping[str, Set[Symbol]]

    @classmethod
    def of(cls, kernel: Kernel) -> _Used:
        box = {*kernel.indices}
        found: dict[str, set[Symbol]] = {t: set() for t in kernel.locals}
        used, before = cls(box, found), -1
        while before != (before := sum(map(len, found.values()))):
            for s in steps_of(kernel.body):
                if isinstance(s, (Let, Accumulator, Accumulate, Assign)):
                    found[s.local] |= used.of_value(s.value if not isinstance(s, Accumulator) else s.initial)  # fmt: skip
        return used

    def of_value(self, e: Expr) -> Set[Symbol]:
        own = {*self.box} & set(e.symbols)
        return own.union(*(self.locals[t] for t in _locals_of(e) if t in self.locals))

    def of_steps(self, steps: Sequence[Step]) -> Set[Symbol]:
        return set[Symbol]().union(*(self.of_value(e) for s in steps_of(steps) for e in values_of(s)))  # fmt: skip


def _locals_of(e: Expr) -> set[str]:
    return {n.tensor for n in postorder((e,)) if isinstance(n, Read) and not n.subscripts}


def _set(step: Step) -> set[str]:
    """The locals that the step sets."""
    kinds = (Let, Accumulator, Accumulate, Assign)
    return {s.local for s in steps_of((step,)) if isinstance(s, kinds)}


def _is_counted(loop: Loop, kernel: Kernel) -> bool:
    """Whether the loop runs from 0 to an end that all elements have."""
    r = loop.range
    plain = r.lows == (Bound(constant(0)),) and len(r.highs) == 1 and r.highs[0].divisor == 1
    return plain and r.symbols.isdisjoint(kernel.indices)


def _needed(made: Sequence[Step], steps: Sequence[Step]) -> tuple[Let, ...]:
    """The local constants among some steps that others read."""
    needed: list[Let] = []
    read = {e.tensor for e in reads_of(steps)}
    for s in reversed(made):
        if isinstance(s, Let) and s.local in read:
            needed.insert(0, s)
            read |= _locals_of(s.value)
    return tuple(needed)


def _buffer(name: str, count: int, rows: TileIndex) -> Buffer:
    """For values of so many of the loop's index, and for each of the rows of a tile, neighbours behind one another."""
    counts = count, rows.values
    aligned = rows.group if rows.group > 1 else 1
    nothing = constant(0), constant(0)
    return Buffer(name, "", nothing, (1, 1), counts, (False, False), (0, 1), aligned, 1, (False, False))  # fmt: skip


def _replaced(steps: Sequence[Step], read: Mapping[Expr, Read]) -> Iterator[Step]:
    for step in steps:
        values = tuple(replaced(e, read) for e in values_of(step))
        yield map_bodies(with_values(step, values), lambda inner: _replaced(inner, read))


def _with(computed: Computed, steps: Sequence[Step], row: Symbol) -> Iterator[Step]:
    """The steps, where each part of the loop begins with what is computed, and reads it at the row's place in the tile."""
    names = {b.name for b in computed.buffers}
    within = symbol(row) - symbol(first_of(row))

    def placed(e: Expr) -> Expr:
        match e:
            case Read(tensor, (term, at)) if tensor in names and at == within:
                return Read(tensor, (term, symbol(place_of(row))))
            case _:
                return e

    for step in steps:
        step = with_values(step, tuple(rewrite(e, placed) for e in values_of(step)))
        step = map_bodies(step, lambda inner: _with(computed, inner, row))
        if isinstance(step, Loop) and step.range.index == computed.part:
            step = replace(step, body=(computed, *step.body))
        yield step
