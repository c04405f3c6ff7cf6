"""Coloured tangents: many tangents as one program, each with the elements of one colour as its seed.

    y_c = A (s where colour = c, else 0)        for all colours c at once

Where no element of `y` depends on two elements of one colour, this is every entry of A (Curtis, Powell and Reid 1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import Condition, Domain, divides, equals_zero
from tadc.ir.expr import Const, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite

__all__ = ["Colouring", "coloured"]


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
    counts = tuple(constant(c.count) for c in colourings)
    many: set[str] = set()

    def widened(t: Tensor) -> Tensor:
        return replace(t, shape=(*counts, *t.shape))

    def restricted(e: Expr) -> Expr:
        match e:
            case Read(name, subscripts) if name == seed:
                pairs = zip(colourings, colours, strict=True)
                here = Domain.of(c.condition(subscripts, symbol(s)) for c, s in pairs)
                return Select(here, e, Const(0))
            case Read(name, subscripts) if name in many:
                return Read(name, (*map(symbol, colours), *subscripts))
            case _:
                return e

    statements: list[Statement] = []
    for s in program.statements:
        if s.reads.isdisjoint({seed, *many}):
            statements.append(s)
            continue
        body = rewrite(s.body, restricted)
        many.add(s.target.name)
        statements.append(Statement(widened(s.target), (*colours, *s.indices), s.derived, body))
    return replace(program, statements=tuple(statements))
