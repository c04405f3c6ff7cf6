"""Rows that a team holds in registers: each element comes from memory, or is computed, once, and its thread keeps it for all passes.

    for j: s += x[i, j];  for j: v += (x[i, j] - s/M)**2;  for j: y[i, j] = (x[i, j] - s/M)/sqrt(v/M)

reads `x[i, j]` once, as many elements of it as each of the team's threads has of a row. In all passes a thread has the same elements, so
nothing that it keeps is another's. What a kernel stores for itself alone, elements of the row or one value for all of it, is not stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.element_types import HALF_TYPES, arithmetic
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.range import Bound, Range
from tadc.ir.walk import rewrite
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.nest.loop_nest import (
    Assign,
    Barrier,
    HeldRow,
    Kernel,
    Leader,
    Let,
    Loop,
    Step,
    Store,
    TeamLoop,
    TeamSums,
    map_bodies,
    names_of,
    reads_of,
    steps_of,
    values_of,
    with_values,
)
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.nest.unrolled import at_points

__all__ = ["row_lengths", "with_held_row"]

MOST = 16384  # elements of a row
MOST_OF_THREAD = 64  # and those that a thread has of it

_Element: TypeAlias = tuple[str, tuple[Affine, ...]]


def with_held_row(scheduled: GpuKernel, program: Program, dtype: str) -> GpuKernel | None:
    """The kernel of a team with the rows in registers that it passes over several times; None where it has none.

    `dtype` is the type of tensors that declare none. The length of a row has to be a number.
    """
    kernel, team = scheduled.kernel, scheduled.team
    trips = Counter(loop.range.trips for loop in map(_pass, kernel.body) if loop)
    length = max((n for n in trips if n and trips[n] > 1), default=0)
    if not 0 < length <= min(MOST, MOST_OF_THREAD * team):
        return None
    made = _HeldRow.of(kernel, program, dtype, length)
    body = tuple(made.steps())
    if not made.locals:
        return None
    body = made.without_stores(body, _needed(kernel, program))
    held = HeldRow(body, tuple(made.rows.values()), -(-length // team))
    stored = {s.tensor for s in steps_of(body) if isinstance(s, Store)}
    narrowed = replace(
        kernel,
        body=(held,),
        locals=kernel.locals.union(made.locals),
        writes=tuple(t for t in kernel.writes if t in stored),
    )
    return GpuKernel(narrowed, team)


def row_lengths(kernels: Iterable[Kernel], sizes: Sizes) -> dict[Symbol, int]:
    """The sizes, with their values, that are lengths of rows which a team may hold: several loops of a point pass over its row."""
    found: dict[Symbol, int] = {}
    for kernel in kernels:
        stored = Counter(s.tensor for s in steps_of(kernel.body) if isinstance(s, Store))
        passes: dict[Symbol, Counter[str]] = {}
        for loop in (s for s in kernel.body if isinstance(s, Loop)):
            length = _length(loop.range)
            size = length.as_symbol() if length else None
            if size is not None and sizes.get(size, MOST + 1) <= MOST:
                row = {*kernel.indices, loop.range.index}  # of this point alone
                touched = {e.tensor for e in reads_of((loop,)) if row <= set(e.symbols)}
                touched |= {s.tensor for s in loop.body if isinstance(s, Store)}
                passes.setdefault(size, Counter()).update(touched)
        for size, often in passes.items():
            if any(n > 1 and stored[t] <= 1 for t, n in often.items()):
                found[size] = sizes[size]
    return found


def _length(r: Range) -> Affine | None:
    """The number of values of a range that begins at 0, if it has one end."""
    if r.lows != (Bound(constant(0)),) or len(r.highs) != 1 or r.highs[0].divisor != 1:
        return None
    return r.highs[0].form + 1


def _pass(step: Step) -> TeamLoop | None:
    """The loop of a team that is the step, or all of the sums that it makes, if it begins at 0."""
    match step:
        case TeamLoop(r) as loop if _length(r):
            return loop
        case TeamSums((TeamLoop(r) as loop,)) if _length(r):
            return loop
        case _:
            return None


def _needed(kernel: Kernel, program: Program) -> set[str]:
    """The tensors that have to be in memory: outputs, and what other kernels read."""
    own = {*kernel.writes, *(s.target.name for s in kernel.statements)}
    others = (s for s in program.statements if s.target.name not in own)
    return set(program.outputs).union(*(s.reads for s in others))


@dataclass(slots=True)
class _HeldRow:
    """A kernel whose passes over rows of this length have one index. `rows` has the locals of elements of the row, of which each
    thread has several, and `values` those of one value for the row.
    """

    kernel: Kernel
    body: tuple[Step, ...]
    index: Symbol
    extents: Mapping[Symbol, Affine]  # of the box and the row
    program: Program
    dtype: str
    names: Names
    stores: Mapping[str, int]  # how often each tensor is stored
    rows: dict[_Element, str] = field(default_factory=dict)
    values: dict[_Element, str] = field(default_factory=dict)

    @classmethod
    def of(cls, kernel: Kernel, program: Program, dtype: str, length: int) -> _HeldRow:
        names = Names((*program.names, *program.symbols, *names_of(kernel)))
        first = next(p for p in map(_pass, kernel.body) if p and p.range.trips == length)
        index = names.fresh(first.range.index)
        body = tuple(_along(step, length, index) for step in kernel.body)
        extents = dict(zip(kernel.indices, kernel.extents, strict=True))
        stores = Counter(s.tensor for s in steps_of(body) if isinstance(s, Store))
        extents[index] = constant(length)
        return cls(kernel, body, index, extents, program, dtype, names, stores)

    @property
    def locals(self) -> tuple[str, ...]:
        return (*self.rows.values(), *self.values.values())

    def steps(self) -> Iterator[Step]:
        """The steps, where what was read or stored once is a local from then on."""
        often = self._read_often()
        for step in self.body:
            match step:
                case Leader((Store() as store,)) if self._is_once(store):
                    value = self._held(store.value)
                    local = self.values[store.tensor, store.subscripts] = self._local(store.tensor)
                    yield Let(local, value)
                    yield Leader((replace(store, value=Read(local, ())),))
                case _ if (loop := _pass(step)) and loop.range.index == self.index:
                    yield self._with_pass(step, loop, often)
                case _:
                    yield self._reading(step)

    def without_stores(self, steps: Sequence[Step], needed: Set[str]) -> tuple[Step, ...]:
        """The steps that store what is `needed` elsewhere, or is read in another place, and wait only for the latter."""
        held = {t for t, _ in (*self.rows, *self.values)}
        written = {s.tensor for s in steps_of(steps) if isinstance(s, Store)}
        waited = {e.tensor for e in reads_of(steps)} & written
        dropped = held & written - needed - waited
        kept = tuple(_without(steps, dropped, waiting=bool(waited)))
        read = {e.tensor for e in reads_of(kept)}
        unread = set(self.values.values()) - read
        return tuple(s for s in kept if not (isinstance(s, Let) and s.local in unread))

    def _with_pass(self, step: Step, loop: TeamLoop, often: Set[_Element]) -> Step:
        """The pass, which loads elements at their first read, and keeps those that it stores."""
        used = {(e.tensor, e.subscripts) for e in reads_of(loop.body)}
        loaded = [e for e in self._in_order(loop.body) if e in often & used and e not in self.rows]
        body: list[Step] = []
        for tensor, subscripts in loaded:
            local = self.rows[tensor, subscripts] = self._local(tensor)
            body.append(Assign(local, Read(tensor, subscripts)))
        for inner in loop.body:
            match inner:
                case Store(tensor, subscripts) if (tensor, subscripts) in often and self._is_once(inner):  # fmt: skip
                    value = self._held(inner.value)
                    local = self.rows[tensor, subscripts] = self._local(tensor)
                    body += [Assign(local, value), replace(inner, value=Read(local, ()))]
                case _:
                    body.append(self._reading(inner))
        made = replace(loop, body=tuple(body), held=True)
        return replace(step, body=(made,)) if isinstance(step, TeamSums) else made

    def _read_often(self) -> set[_Element]:
        """Elements of the row that several passes touch, and at which a thread's own read or store may stand for all others."""
        passes = [p for p in map(_pass, self.body) if p and p.range.index == self.index]
        often: Counter[_Element] = Counter()
        for loop in passes:
            stored = (s for s in loop.body if isinstance(s, Store) and self._is_once(s))
            touched = [*self._in_order(loop.body), *((s.tensor, s.subscripts) for s in stored)]
            often.update(set(touched))
        return {
            (tensor, subscripts)
            for (tensor, subscripts), n in often.items()
            if n > 1
            and self.stores.get(tensor, 0) <= 1
            and any(self.index in form.symbols for form in subscripts)
            and self._is_inside(tensor, subscripts)
        }

    def _in_order(self, steps: Sequence[Step]) -> list[_Element]:
        """The elements that the steps read, each once."""
        return list(
            dict.fromkeys((e.tensor, e.subscripts) for e in reads_of(steps) if e.subscripts)
        )

    def _is_once(self, store: Store) -> bool:
        """Whether it is all that is ever stored to the tensor, in the type of the arithmetic."""
        alone = self.stores[store.tensor] == 1 and not store.op and not store.atomic
        return alone and self._has_type(store.tensor)

    def _is_inside(self, tensor: str, subscripts: Sequence[Affine]) -> bool:
        """Whether every point of the row has such an element, with a value of the type of the arithmetic."""
        if tensor not in self.program.tensors or not self._has_type(tensor):
            return False
        return all(
            self._fits(form, n)
            for form, n in zip(subscripts, self.program.tensors[tensor].shape, strict=True)
        )

    def _fits(self, form: Affine, n: Affine) -> bool:
        index = form.as_symbol()
        room = n - (self.extents.get(index, form + 1) if index else form + 1)
        below = form.is_constant and form.constant < 0
        return room.is_constant and room.constant >= 0 and not below

    def _has_type(self, tensor: str) -> bool:
        real = arithmetic(self.dtype)
        own = self.program.tensors[tensor].dtype or real
        return own == real or (own in HALF_TYPES and arithmetic(own) == real)

    def _reading(self, step: Step) -> Step:
        """The step with locals in place of what they hold."""
        step = with_values(step, tuple(map(self._held, values_of(step))))
        return map_bodies(step, lambda body: map(self._reading, body))

    def _held(self, e: Expr) -> Expr:
        held = self.rows | self.values

        def local(node: Expr) -> Expr:
            if isinstance(node, Read) and (node.tensor, node.subscripts) in held:
                return Read(held[node.tensor, node.subscripts], ())
            return node

        return rewrite(e, local)

    def _local(self, tensor: str) -> str:
        return self.names.fresh(f"{tensor}_held")


def _along(step: Step, length: int, index: Symbol) -> Step:
    """The step; a pass over rows of this length with another index."""
    loop = _pass(step)
    if loop is None or loop.range.trips != length:
        return step
    r = replace(loop.range, index=index)
    renamed = TeamLoop(r, at_points(loop.body, {loop.range.index: symbol(index)}, {}))
    return replace(step, body=(renamed,)) if isinstance(step, TeamSums) else renamed


def _without(steps: Iterable[Step], dropped: Set[str], *, waiting: bool) -> Iterator[Step]:
    """The steps without stores to these tensors, nor barriers, if no thread is `waiting` for what another one stores."""
    for step in steps:
        match step:
            case Store(tensor) if tensor in dropped:
                pass
            case Barrier() if not waiting:
                pass
            case _:
                inner = map_bodies(step, lambda body: _without(body, dropped, waiting=waiting))
                if not isinstance(inner, Leader) or inner.body:
                    yield inner
                if waiting and isinstance(inner, TeamLoop) and inner.held:
                    yield Barrier()
