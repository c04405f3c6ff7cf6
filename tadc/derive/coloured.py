"""Coloured tangents: many tangents as one program, each with the elements of one colour as its seed.

    y_c = A (s where colour = c, else 0)        for all colours c at once

Where no element of `y` depends on two elements of one colour, this is every entry of A (Curtis, Powell and Reid 1974).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain, divides, equals_zero
from tadc.ir.expr import Const, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import rewrite

__all__ = ["Colouring", "coloured", "for_each"]


@dataclass(frozen=True, slots=True)
class Colouring:
    """The colours 0..count-1 of the elements of a tensor: `offset + sum(strides * subscripts)`, if `cyclic` modulo `count`."""

    strides: tuple[int, ...]
    offset: int
    count: int
    cyclic: bool

    def __str__(self) -> str:
        numbers = (int(self.cyclic), self.count, self.offset, *self.strides)
        return " ".join(map(str, numbers))

    @classmethod
    def parsed(cls, text: str) -> Colouring:
        cyclic, count, offset, *strides = map(int, text.split())
        return cls(tuple(strides), offset, count, bool(cyclic))

    def condition(self, subscripts: Sequence[Affine], colour: Affine) -> Condition:
        """That the element has the colour."""
        form = constant(self.offset) - colour
        for stride, subscript in zip(self.strides, subscripts, strict=True):
            form = form + subscript * stride
        return divides(self.count, form) if self.cyclic else equals_zero(form)


def coloured(program: Program, seed: str, colourings: Sequence[Colouring], names: Names) -> Program:
    """The program with the input `seed` restricted to each colour, or to each tuple of them: what depends on it has these in front."""
    colours = tuple(names.fresh("c") for _ in colourings)
    counts = (constant(c.count) for c in colourings)

    def restricted(subscripts: Sequence[Affine]) -> Expr:
        pairs = zip(colourings, colours, strict=True)
        here = Domain.of(c.condition(subscripts, symbol(s)) for c, s in pairs)
        return Select(here, Read(seed, tuple(subscripts)), Const(0))

    extents = dict(zip(colours, counts, strict=True))
    statements = for_each(program.statements, extents, {seed: restricted})
    return replace(program, statements=tuple(statements))


def for_each(
    statements: Sequence[Statement],
    extents: Mapping[Symbol, Affine],
    seeds: Mapping[str, Callable[[Sequence[Affine]], Expr]],
) -> list[Statement]:
    """The statements for each of these indices: what depends on a tensor of `seeds` has them in front, and reads of those
    tensors are these values, which may depend on the indices.
    """
    indices = tuple(map(symbol, extents))
    many: set[str] = set()

    def widened(e: Expr) -> Expr:
        match e:
            case Read(name, subscripts) if name in seeds:
                return seeds[name](subscripts)
            case Read(name, subscripts) if name in many:
                return Read(name, (*indices, *subscripts))
            case _:
                return e

    found: list[Statement] = []
    for s in statements:
        if s.reads.isdisjoint({*seeds, *many}):
            found.append(s)
            continue
        body = rewrite(s.body, widened)
        many.add(s.target.name)
        target = replace(s.target, shape=(*extents.values(), *s.target.shape))
        found.append(Statement(target, (*extents, *s.indices), s.derived, body))
    return found
