"""An index whose quotient is needed becomes the quotient and the remainder, each with a loop of its own.

    for j: y[j] = x[j//64, j%64]      is      for q, j: y[64*q + j] = x[q, j]

Then neighbours read neighbours, and nothing is divided. Every point keeps the order of its sums. So it is with the quotients that bound sums, as
in gradients: their ranges are the same for all remainders then, or for blocks of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import gcd

from tadc.integer.rounding import without_remainders
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Derived, Domain
from tadc.ir.expr import Select
from tadc.ir.names import Names
from tadc.ir.range import Bound, Range
from tadc.ir.walk import postorder
from tadc.schedule.nest.lanes import NARROW
from tadc.schedule.nest.loop_nest import (
    Kernel,
    LetIndex,
    Loop,
    Step,
    map_bodies,
    names_of,
    steps_of,
    values_of,
)
from tadc.schedule.nest.unrolled import at_points

__all__ = ["with_loops_over_quotients"]

FEW = 64  # values of an index


def with_loops_over_quotients(kernel: Kernel) -> Kernel:
    """The kernel with such loops, where the divisor divides the extent of the index, and remainders fill lanes, or a choice depends on the
    quotient of a short index that is not the last one: then it changes at known places.

    Of several divisors the greatest is first, if the others divide it.
    """
    names = Names(names_of(kernel))
    for index in kernel.indices:
        while (divisor := _divisor(kernel, index)) is not None:
            kernel = _divided(kernel, index, divisor, names.fresh(f"{index}_quotient"))
    return kernel


def _divisor(kernel: Kernel, index: Symbol) -> int | None:
    """The greatest divisor of quotients of the index; None where there is none, or no loop over it."""
    (extent,) = (n for i, n in zip(kernel.indices, kernel.extents, strict=True) if i == index)
    quotients = _derived(kernel, index)
    derived = {d.modulus for d in quotients}
    bounds = {b.divisor for b in _bounds(kernel) if gcd(b.form.coefficient(index), b.divisor) == 1}
    bounds = {d for d in bounds if extent != constant(d)} - {1}
    divisor = max(derived | bounds, default=0)
    nested = all(divisor % d == 0 for d in derived | bounds)
    fills = divisor >= NARROW or (
        index != kernel.indices[-1]  # whose neighbours lanes are
        and extent.is_constant
        and 1 < divisor < extent.constant <= FEW
        and not _choosing(kernel).isdisjoint(d.name for d in quotients)
    )
    divides = fills and extent.content % divisor == extent.constant % divisor == 0
    return divisor if nested and divides else None


def _derived(kernel: Kernel, index: Symbol) -> list[Derived]:
    """The quotients of the index itself."""
    derived = (s.derived for s in steps_of(kernel.body) if isinstance(s, LetIndex))
    return [d for d in derived if isinstance(d, Derived) and d.form.as_symbol() == index]


def _choosing(kernel: Kernel) -> set[Symbol]:
    """The symbols of conditions in values."""
    values = postorder(v for s in steps_of(kernel.body) for v in values_of(s))
    conditions = (e.condition for e in values if isinstance(e, Select))
    return {s for c in conditions if isinstance(c, Domain) for s in c.symbols}


def _bounds(kernel: Kernel) -> Iterator[Bound]:
    for step in steps_of(kernel.body):
        if isinstance(step, Loop):
            yield from step.range.bounds


def _divided(kernel: Kernel, index: Symbol, divisor: int, quotient: Symbol) -> Kernel:
    """The kernel whose index has the remainders, inside of the quotient."""
    quotients = [d for d in _derived(kernel, index) if d.modulus == divisor]
    indices: list[Symbol] = []
    extents: list[Affine] = []
    for i, extent in zip(kernel.indices, kernel.extents, strict=True):
        if i == index:
            indices.append(quotient)
            extents.append(extent // divisor)
        indices.append(i)
        extents.append(constant(divisor) if i == index else extent)
    values = {index: divisor * symbol(quotient) + symbol(index)}
    values |= {d.name: symbol(quotient) for d in quotients}
    body = at_points(tuple(_without(kernel.body, quotients)), values, {})
    last = {i: n.constant - 1 for i, n in zip(indices, extents, strict=True) if n.is_constant}
    body = tuple(_with_plain_bounds(body, last))
    return replace(kernel, indices=tuple(indices), extents=tuple(extents), body=body)


def _without(steps: Sequence[Step], quotients: Sequence[Derived]) -> Iterator[Step]:
    for step in steps:
        if not (isinstance(step, LetIndex) and step.derived in quotients):
            yield map_bodies(step, lambda inner: _without(inner, quotients))


def _with_plain_bounds(steps: Sequence[Step], last: Mapping[Symbol, int]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Loop):
            lows = tuple(without_remainders(b, last, low=True) for b in step.range.lows)
            highs = tuple(without_remainders(b, last, low=False) for b in step.range.highs)
            step = replace(step, range=Range(step.range.index, lows, highs))
        yield map_bodies(step, lambda inner: _with_plain_bounds(inner, last))
