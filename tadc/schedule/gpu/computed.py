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
from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.element_types import item_bytes
from tadc.ir.expr import Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.range import Bound, Range
from tadc.ir.walk import postorder, replaced, rewrite
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.tile import Shape, tiled
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
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
from tadc.schedule.nest.sizes import Sizes

__all__ = ["shares_values", "with_computed_values"]

LONG = 64  # values of the loop
ALONG = 16  # threads of a block along each of two indices
STAGED_BYTES = item_bytes("float64")  # of a number, as tiles are chosen
# Values of the loop that a thread has of each part: that is two blocks of terms, one, or half of one.
PARTS = (4, 2, 1)
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
    machine = machine.with_numbers_of(itemsize)
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
            made = terms.tiled(program, _Shape(i, rows, d, columns, part), sizes, machine)
            if made is not None:
                yield GpuKernel(made, machine.block)


def shares_values(kernel: Kernel) -> bool:
    """Whether the elements of the kernel, a point each, share values that a block may compute once."""
    terms = _Terms.of(kernel)
    return terms is not None and bool(terms.values())


@dataclass(frozen=True, slots=True)
class _Shape:
    """Of a tile: how many values a thread has of the index `row`, which values and elements share, of `column`, which elements alone have,
    and `each` of a part of the loop.
    """

    row: Symbol
    rows: int
    column: Symbol
    columns: int
    each: int

    @property
    def terms(self) -> int:
        """The values of a part of the loop."""
        return self.each * ALONG


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
        if not (own and others):
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
        self, program: Program, shape: _Shape, sizes: Sizes, machine: Machine
    ) -> Kernel | None:
        """The kernel with tiles of that shape; None where blocks find nothing to share."""
        kernel, values, j = self.kernel, self.values(), self.loop.range.index
        if not values:
            return None
        names = Names((*program.names, *program.symbols, *names_of(kernel)))
        part = names.fresh(f"{j}_part")
        buffers = {e: _buffer(names.fresh("values_tile"), shape) for e in values}
        taken = [part, *(b.name for b in buffers.values())]
        pairs = zip(kernel.indices, kernel.extents, strict=True)
        end = self.loop.range.highs[0].form.at(sizes)
        middle = {**sizes, **{i: n.at(sizes) // 2 for i, n in pairs}, j: end // 2, part: end // 2 // shape.terms}  # fmt: skip

        own = self._computing(buffers, shape.row)
        counts = Shape({j: shape.each, shape.row: shape.rows}, {j: ALONG, shape.row: ALONG})
        own = tiled(own, program, (EVERYWHERE, own.body), counts, middle, machine, taken=taken)
        own_buffers = (*buffers.values(), *buffers_of(own.body))
        taken += [b.name for b in own_buffers]
        left = machine.shared_bytes - sum(b.size for b in own_buffers) * STAGED_BYTES

        around = self._adding(buffers, part, shape)
        order = [i for i in kernel.indices if i in {shape.row, shape.column}]
        numbers = {shape.row: shape.rows, shape.column: shape.columns}
        counts = Shape({i: numbers[i] for i in order}, dict.fromkeys(order, ALONG))
        within = replace(machine, shared_bytes=max(0, left))
        around = tiled(around, program, (EVERYWHERE, around.body), counts, middle, within, taken=taken)  # fmt: skip
        match own.body, around.body:
            case (Tile(interior=()) as inner,), (Tile(interior=()) as outer,) if left >= 0:
                inner = replace(
                    inner, body=tuple(_everywhere(inner.body, {b.name for b in buffers.values()}))
                )
                computed = Computed(tuple(buffers.values()), j, part, (inner,))
                body = tuple(_with(computed, outer.body, shape.row))
                return replace(around, body=(replace(outer, body=body),))
            case _:
                return None

    def _computing(self, buffers: Mapping[Expr, Buffer], row: Symbol) -> Kernel:
        """The kernel of what the block computes, for each value of the loop too. Neighbouring threads have neighbouring rows, which their
        buffers have side by side.
        """
        kernel, r = self.kernel, self.loop.range
        place = symbol(place_of(r.index)), symbol(place_of(row))
        stores = tuple(Store(b.name, place, e) for e, b in buffers.items())
        before = _needed(self.before, (*self.shared, *stores))
        extents = dict(zip(kernel.indices, kernel.extents, strict=True))
        extents[r.index] = r.highs[0].form + 1
        indices = (r.index, *(i for i in self.own if i != row), row)
        return replace(
            kernel,
            indices=indices,
            extents=tuple(extents[i] for i in indices),
            body=(*before, *self.shared, *stores),
            writes=(),
        )

    def _adding(self, buffers: Mapping[Expr, Buffer], part: Symbol, shape: _Shape) -> Kernel:
        """The kernel of what each thread adds up, part by part of the loop."""
        r, first = self.loop.range, shape.terms * symbol(part)
        place = symbol(r.index) - first, symbol(shape.row) - symbol(first_of(shape.row))
        rest = tuple(_replaced(self.rest, {e: Read(b.name, place) for e, b in buffers.items()}))
        last = Bound(first + (shape.terms - 1))
        terms = Loop(Range(r.index, (Bound(first),), (*r.highs, last)), (*_needed(self.shared, rest), *rest))  # fmt: skip
        parts = Range(part, (Bound(constant(0)),), (Bound(r.highs[0].form, shape.terms),))
        return replace(self.kernel, body=(*self.before, Loop(parts, (terms,)), *self.after))

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
        waiting = [(e, False) for s in self.rest for e in values_of(s)]
        seen: set[tuple[Expr, bool]] = set()
        while waiting:
            e, is_guarded = place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            read = _locals_of(e) & self.kernel.locals
            if made.isdisjoint(read):
                continue
            # What a condition guards may be outside of its tensor elsewhere.
            elements = (n for n in postorder((e,)) if isinstance(n, Read) and n.subscripts)
            anywhere = not is_guarded or not any(elements)
            if anywhere and used.of_value(e).isdisjoint(self.others) and read <= known:
                found[e] = None
            else:
                guards = is_guarded or isinstance(e, Select)
                waiting += [(o, guards) for o in reversed(e.operands)]
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


def _buffer(name: str, shape: _Shape) -> Buffer:
    """For the values of a part of the loop, and for each of the rows of a tile, neighbours behind one another."""
    rows = TileIndex(shape.row, constant(0), shape.rows, strided=False, threads=ALONG)
    nothing, counts = constant(0), (shape.terms, rows.values)
    return Buffer(name, "", (nothing,) * 2, (1, 1), counts, (False,) * 2, (0, 1), rows.group, 1, (False,) * 2)  # fmt: skip


def _replaced(steps: Sequence[Step], read: Mapping[Expr, Read]) -> Iterator[Step]:
    for step in steps:
        values = tuple(replaced(e, read) for e in values_of(step))
        yield map_bodies(with_values(step, values), lambda inner: _replaced(inner, read))


def _everywhere(steps: Sequence[Step], buffers: Set[str]) -> Iterator[Step]:
    """The steps, which store to buffers beyond the edge of the box too, what nothing reads: without tests neighbours are stored at once."""
    for step in steps:
        match step:
            case Branch(Domain(), (Store(t) as store,), ()) if t in buffers:
                yield store
            case _:
                yield map_bodies(step, lambda inner: _everywhere(inner, buffers))


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
