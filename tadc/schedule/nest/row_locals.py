"""Rows of a few elements as locals: their sums stay in registers, instead of being read and written for each term.

    for d: dx[i,d] = 0;  for j: for d: dx[i,d] += t*(x[i,d] - y[j,d])

is, for three values of d, three accumulators that are stored in the end. Every sum keeps its order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from tadc.ir.affine import Affine, constant
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.walk import rewrite
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Kernel,
    Let,
    Loop,
    Step,
    Store,
    map_bodies,
    names_of,
    steps_of,
    values_of,
    with_values,
)
from tadc.schedule.nest.unrolled import at_points

__all__ = ["rows_as_locals"]

FEW = 8  # elements of a row

_Elements: TypeAlias = dict[tuple[str, tuple[Affine, ...]], str]


def rows_as_locals(kernel: Kernel, few: int = FEW) -> Kernel:
    """The kernel with a local for each element of its rows, if these have at most `few`, whatever the sizes."""
    rows = {s.tensor for s in steps_of(kernel.body) if isinstance(s, Store) and s.op}
    if len(rows) != 1 or kernel.is_atomic:
        return kernel
    (tensor,) = rows
    names = Names(names_of(kernel))
    own: set[str] = set()
    body = tuple(_written_out(kernel.body, tensor, few, names, own))
    begun = [s for s in body if isinstance(s, Store) and s.tensor == tensor]
    stores = [s for s in steps_of(body) if isinstance(s, Store) and s.tensor == tensor]
    elements: _Elements = {}
    for s in begun:
        if (tensor, s.subscripts) not in elements:
            elements[tensor, s.subscripts] = names.fresh("s")
    if len(elements) > few or any((tensor, s.subscripts) not in elements for s in stores):
        return kernel
    steps = list(_in_locals(body, elements, set()))
    stored = {s.subscripts for s in steps if isinstance(s, Store) and s.tensor == tensor}
    for (_, subscripts), local in elements.items():
        if subscripts not in stored:
            steps.append(Store(tensor, subscripts, Read(local, ())))
    return replace(kernel, body=tuple(steps), locals=kernel.locals.union(elements.values(), own))


def _written_out(
    steps: Iterable[Step], tensor: str, few: int, names: Names, own: set[str]
) -> Iterator[Step]:
    """The steps with loops over a row's elements written out, each of which has `own` values."""
    for step in steps:
        inner = map_bodies(step, lambda body: _written_out(body, tensor, few, names, own))
        match inner:
            case Loop(r, body) if (
                r.trips is not None
                and r.trips <= few
                and any(isinstance(s, Store) and s.tensor == tensor for s in body)
                and all(isinstance(s, (Let, Store)) for s in body)
            ):
                declared = [s.local for s in body if isinstance(s, Let)]
                for n, value in enumerate(r.values_at({})):
                    called = {t: names.fresh(t) if n else t for t in declared}
                    own.update(called.values())
                    yield from at_points(body, {r.index: constant(value)}, called)
            case _:
                yield inner


def _in_locals(
    steps: Iterable[Step], elements: _Elements, begun: set[tuple[Affine, ...]]
) -> Iterator[Step]:
    """The steps with locals for elements: the first store of an element begins it, sums are added to it, the last stays."""

    def local(e: Expr) -> Expr:
        if isinstance(e, Read) and (e.tensor, e.subscripts) in elements:
            return Read(elements[e.tensor, e.subscripts], ())
        return e

    for step in steps:
        step = with_values(step, tuple(rewrite(e, local) for e in values_of(step)))
        match step:
            case Store(tensor, subscripts, value, op) if (tensor, subscripts) in elements:
                name = elements[tensor, subscripts]
                if op:
                    yield Accumulate(name, op, value)
                elif subscripts in begun:
                    yield step
                else:
                    begun.add(subscripts)
                    yield Accumulator(name, value)
            case _:
                yield map_bodies(step, lambda body: _in_locals(body, elements, begun))
