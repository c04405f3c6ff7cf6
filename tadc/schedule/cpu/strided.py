"""Every second, third or fourth element, read before the loops over lanes that use it.

    for lane: m[lane] = max(m[lane], x[2*(first + lane) + s])
    is
    for lane: t[lane] = x[2*(first + lane) + s]
    for lane: m[lane] = max(m[lane], t[lane])

The first loop is one that C can be given as shuffles of vectors. A compiler dares not read the vector of which the last
element lies behind the one that is asked for, and leaves half of the lanes to be computed one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import prod

from tadc.ir.affine import Symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Tensor
from tadc.ir.walk import postorder, replaced
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Kernel,
    Lanes,
    Let,
    LetIndex,
    Step,
    Store,
    Strips,
    map_bodies,
    names_in,
    names_of,
    steps_of,
    values_of,
    with_values,
)

__all__ = ["always_read", "with_strided_reads_first"]

STRIDES = (2, 3, 4)
_PLAIN = (Accumulate, Accumulator, Assign, Let, Store)


def with_strided_reads_first(
    kernel: Kernel, steps: Sequence[Step], tensors: Mapping[str, Tensor]
) -> tuple[Kernel, tuple[Step, ...]]:
    """The steps with such reads as values of lanes, and the kernel, which has these as further locals."""
    names = Names(names_of(kernel) | names_in(steps))
    made: list[str] = []

    def each(step: Step) -> Step:
        if isinstance(step, Strips) and not step.sums and not step.divided and step.times == 1:
            first = len(made)
            body = tuple(_read_first(step.body, step.range.index, tensors, names, made))
            return replace(step, body=body, wide=(*step.wide, *made[first:]))
        return map_bodies(step, lambda body: map(each, body))

    changed = tuple(map(each, steps))
    return (
        (replace(kernel, locals=kernel.locals.union(made)), changed) if made else (kernel, changed)
    )


def _stride(read: Read, index: Symbol, tensors: Mapping[str, Tensor]) -> int:
    """How many elements lie between those that neighbours in the index read; 0 if that is no number."""
    stride = 0
    shape = tensors[read.tensor].shape
    for d, form in enumerate(read.subscripts):
        if index in form.symbols:
            inner = shape[d + 1 :]
            if not all(n.is_constant for n in inner):
                return 0
            stride += form.coefficient(index) * prod(n.constant for n in inner)
    return stride


def _read_first(
    steps: Sequence[Step],
    lane: Symbol,
    tensors: Mapping[str, Tensor],
    names: Names,
    made: list[str],
) -> Iterator[Step]:
    """The steps, with the reads of loops over lanes that stand behind one another before the first of these."""

    def within(body: tuple[Step, ...]) -> Iterator[Step]:
        return _read_first(body, lane, tensors, names, made)

    for are_lanes, run in groupby(steps, lambda s: isinstance(s, Lanes)):
        together = list(run)
        if not are_lanes:
            yield from (map_bodies(step, within) for step in together)
            continue
        stored = {s.tensor for s in steps_of(together) if isinstance(s, Store)}
        reads: dict[Expr, Expr] = {}
        for e in always_read(together):
            stride = _stride(e, lane, tensors)
            if stride in STRIDES and e.tensor not in stored and e not in reads:
                made.append(names.fresh("t"))
                reads[e] = Read(made[-1], ())
                yield Lanes((Assign(made[-1], e),), stride)
        for step in together:
            assert isinstance(step, Lanes)
            yield Lanes(tuple(_with_locals(step.body, reads)))


def _with_locals(steps: Sequence[Step], reads: Mapping[Expr, Expr]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, _PLAIN):
            yield with_values(step, tuple(replaced(e, reads) for e in values_of(step)))
        else:
            yield step


def always_read(lanes: Sequence[Step]) -> Iterator[Read]:
    """What is read for every lane: elements that exist, at places that differ by the lane's index alone."""
    for step in lanes:
        assert isinstance(step, Lanes)
        derived = {s.derived.name for s in step.body if isinstance(s, LetIndex)}
        plain = [s for s in step.body if isinstance(s, _PLAIN)]
        for e in postorder((value for s in plain for value in values_of(s)), _everywhere):
            if isinstance(e, Read) and e.subscripts and derived.isdisjoint(e.symbols):
                yield e


def _everywhere(e: Expr) -> tuple[Expr, ...]:
    """The operands that have a value wherever the expression has one: conditions on values protect no read."""
    return () if isinstance(e, Select) and isinstance(e.condition, Domain) else e.operands
