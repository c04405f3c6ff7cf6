"""An index whose quotient is needed becomes the quotient and the remainder, each with a loop of its own.

    for j: y[j] = x[j//64, j%64]      is      for q, j: y[64*q + j] = x[q, j]

Then neighbours read neighbours, and nothing is divided. Every point keeps the order of its sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Derived
from tadc.ir.names import Names
from tadc.schedule.nest.lanes import NARROW
from tadc.schedule.nest.loop_nest import Kernel, LetIndex, Step, map_bodies, names_of, steps_of
from tadc.schedule.nest.unrolled import at_points

__all__ = ["with_loops_over_quotients"]


def with_loops_over_quotients(kernel: Kernel) -> Kernel:
    """The kernel with such loops, where the divisor divides the extent of the index, and remainders fill lanes. Of several divisors the
    greatest is first, if the others divide it.
    """
    names = Names(names_of(kernel))
    for index in kernel.indices:
        while (quotients := _quotients(kernel, index)) is not None:
            kernel = _divided(kernel, index, quotients, names.fresh(f"{index}_quotient"))
    return kernel


def _quotients(kernel: Kernel, index: Symbol) -> list[Derived] | None:
    """The quotients of the index itself by the greatest divisor; None where there is none, or no loop over it."""
    derived = (s.derived for s in steps_of(kernel.body) if isinstance(s, LetIndex))
    every = [d for d in derived if isinstance(d, Derived) and d.form.as_symbol() == index]
    divisor = max((d.modulus for d in every), default=0)
    (extent,) = (n for i, n in zip(kernel.indices, kernel.extents, strict=True) if i == index)
    nested = all(divisor % d.modulus == 0 for d in every)
    divides = divisor >= NARROW and extent.content % divisor == extent.constant % divisor == 0
    return [d for d in every if d.modulus == divisor] if nested and divides else None


def _divided(
    kernel: Kernel, index: Symbol, quotients: Sequence[Derived], quotient: Symbol
) -> Kernel:
    """The kernel whose index has the remainders, inside of the quotient."""
    divisor = quotients[0].modulus
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
    return replace(kernel, indices=tuple(indices), extents=tuple(extents), body=body)


def _without(steps: Sequence[Step], quotients: Sequence[Derived]) -> Iterator[Step]:
    for step in steps:
        if not (isinstance(step, LetIndex) and step.derived in quotients):
            yield map_bodies(step, lambda inner: _without(inner, quotients))
