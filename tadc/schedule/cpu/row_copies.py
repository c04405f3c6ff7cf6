"""Loops along rows, one row for each lane, by lines of memory that are copied.

    for i: for lane: s[lane] += x[first + lane, i]
    is, a line at a time
    for lane: rows[lane, 0..15] = x[first + lane, i..i + 15]
    for i: for lane: s[lane] += rows[lane, i - first_i]

Rows lie as far apart in memory as they are long. Where that is a multiple of a large power of two, the elements of all lanes have few
places in a cache, and each line is read again for each of its elements. The copy's rows are longer by one element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.walk import replaced
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.cpu.strided import always_read
from tadc.schedule.nest.layout import Layout
from tadc.schedule.nest.loop_nest import (
    FIRST_LANE,
    Kernel,
    Lanes,
    Loop,
    RowCopy,
    Step,
    Store,
    Strips,
    bound_indices,
    first_of,
    last_of,
    map_bodies,
    names_of,
    reads_of,
    steps_of,
    values_of,
    with_values,
)
from tadc.schedule.nest.runs import trips
from tadc.schedule.nest.surroundings import Surroundings

__all__ = ["with_row_copies"]

MOST = 8  # rows of a lane, which the innermost cache holds with those of all other lanes
FEWEST = 16  # elements of a row
APART = 1024  # bytes: of a first cache, 4,096 apart are in the same place, so that rows that are multiples of this apart have 4 places

_LieApart = Callable[[str, Sequence[Affine], Symbol], bool]


def with_row_copies(
    k: CpuKernel, nest: Kernel, program: Program, dtype: str, usual: Mapping[Symbol, int]
) -> CpuKernel:
    """The kernel, made of this loop nest, with such copies in loops that lanes have in common, for tensors whose rows need them.

    `usual` has about how large all sizes are.
    """
    names = Names(names_of(k.mentioned))
    surroundings = Surroundings.of(nest, program, usual)
    often = trips(nest.body, surroundings.middle)
    layout = Layout.of(program, surroundings.typical)

    def lie_apart(tensor: str, subscripts: Sequence[Affine], lane: Symbol) -> bool:
        apart = (layout.apart(tensor, subscripts, lane) or 0) * program.item_bytes(tensor, dtype)
        return apart > 0 and apart % APART == 0

    def in_lanes(step: Step, lane: Symbol) -> Step:
        step = map_bodies(step, lambda body: (in_lanes(s, lane) for s in body))
        if isinstance(step, Loop) and often.get(step.range.index, 0) >= FEWEST:
            return _along_rows(step, lane, names, lie_apart)
        return step

    def each(step: Step) -> Step:
        if isinstance(step, Strips) and not step.sums and not step.divided and step.times == 1:
            return replace(step, body=tuple(in_lanes(s, step.range.index) for s in step.body))
        return map_bodies(step, lambda body: map(each, body))

    return replace(k, body=tuple(map(each, k.body)))


def _along_rows(loop: Loop, lane: Symbol, names: Names, lie_apart: _LieApart) -> Loop:
    """The loop with copies of the rows that it reads and stores."""
    index = loop.range.index
    inside = bound_indices(loop.body)
    lanes = [s for s in loop.body if isinstance(s, Lanes)]
    stored = [s for s in steps_of(loop.body) if isinstance(s, Store)]
    every = [s.tensor for s in stored]
    read = {e.tensor for e in reads_of(loop.body)}

    def may_be_copied(tensor: str, subscripts: Sequence[Affine]) -> bool:
        return (
            inside.isdisjoint(i for form in subscripts for i in form.symbols)
            and _is_along_row(subscripts, lane, index)
            and lie_apart(tensor, subscripts, lane)
        )

    reads = dict.fromkeys(
        e
        for e in always_read(lanes)
        if e.tensor not in every and may_be_copied(e.tensor, e.subscripts)
    )
    stores = [
        s
        for step in lanes
        for s in step.body
        if isinstance(s, Store)
        and s.op is None
        and every.count(s.tensor) == 1
        and s.tensor not in read
        and may_be_copied(s.tensor, s.subscripts)
    ]
    if not 0 < len(reads) + len(stores) <= MOST:
        return loop
    copies: list[RowCopy] = []

    def copy_of(tensor: str, subscripts: tuple[Affine, ...], is_stored: bool) -> Read:
        copies.append(RowCopy(names.fresh(f"{tensor}_rows"), tensor, subscripts, is_stored))
        is_upwards = subscripts[-1].coefficient(index) > 0
        along = symbol(index) - symbol(first_of(index)) if is_upwards else symbol(last_of(index)) - symbol(index)  # fmt: skip
        return Read(copies[-1].buffer, (symbol(lane) - symbol(FIRST_LANE), along))

    elements: dict[Expr, Expr] = {e: copy_of(e.tensor, e.subscripts, False) for e in reads}
    places = {s: copy_of(s.tensor, s.subscripts, True) for s in stores}
    body = tuple(_with_copies(loop.body, elements, places))
    return replace(loop, body=body, copies=tuple(copies))


def _is_along_row(subscripts: Sequence[Affine], lane: Symbol, index: Symbol) -> bool:
    """Whether lanes have rows of their own, and the loop goes from neighbour to neighbour."""
    if len(subscripts) < 2:
        return False
    *outer, last = subscripts
    goes_along = abs(last.coefficient(index)) == 1 and not last.coefficient(lane)
    has_own = any(form.coefficient(lane) for form in outer)
    return goes_along and has_own and not any(form.coefficient(index) for form in outer)


def _with_copies(
    steps: Sequence[Step], elements: Mapping[Expr, Expr], places: Mapping[Store, Read]
) -> Iterator[Step]:
    for step in steps:
        place = places.get(step) if isinstance(step, Store) else None
        step = map_bodies(step, lambda body: _with_copies(body, elements, places))
        step = with_values(step, tuple(replaced(e, elements) for e in values_of(step)))
        if place and isinstance(step, Store):
            step = replace(step, tensor=place.tensor, subscripts=place.subscripts)
        yield step
