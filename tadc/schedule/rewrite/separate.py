"""Statements of their own for values that are computed in another one, where that is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.canonical import free_indices
from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, rewrite_in
from tadc.normalize.in_bounds import is_never_empty, reads_are_in_bounds
from tadc.normalize.reductions import extents_in_body

__all__ = ["Around", "Extents", "Separation", "separated"]

# The extents of indices that have plain ranges.
Extents: TypeAlias = Mapping[Symbol, Affine]


@dataclass(frozen=True, slots=True)
class Around:
    """The indices around an expression that have plain ranges, with their extents, what is known there, and whether it is the whole
    right side.
    """

    indices: tuple[tuple[Symbol, Affine], ...]
    known: Domain
    is_whole: bool = False

    @property
    def extents(self) -> Extents:
        return dict(self.indices)


@dataclass(frozen=True, slots=True)
class Separation:
    """Takes values out of a statement; `statements` has the new ones before it."""

    statement: Statement
    program: Program
    sizes: frozenset[Symbol]
    names: Names
    tensors: dict[str, Tensor]
    statements: list[Statement]

    def stored(
        self, e: Expr, extents: Extents, hint: str, where: Domain = EVERYWHERE
    ) -> Read | None:
        """A read of a new statement with the value, over the indices that it depends on; it is 0 but `where` it is needed.

        None if it depends on an index without an extent, or would read outside of a tensor.
        """
        free = free_indices(e, self.sizes)
        box = {i: n for i, n in extents.items() if i in free}
        if len(box) != len(free) or not is_never_empty(box.values(), self.program):
            return None
        known = self.program.known & Domain.box(box) & where
        if not reads_are_in_bounds(e, known, self.tensors):
            return None
        name = self.names.fresh(f"{self.statement.target.name}_{hint}")
        target = Tensor(name, tuple(box.values()), self.statement.target.dtype)
        self.tensors[name] = target
        body = Select(where, e, Const(0)) if where != EVERYWHERE else e
        self.statements.append(Statement(target, tuple(box), (), body))
        return Read(name, tuple(map(symbol, box)))


def separated(
    program: Program,
    names: Names,
    rule: Callable[[Separation, Expr, Around], Expr],
    left: Set[str] = frozenset(),
) -> Program:
    """The program with every expression replaced by the `rule`, which may store values before the statement. The statements of `left` stay as
    they are.
    """
    sizes = frozenset(program.parameters)
    tensors = dict(program.tensors)
    statements: list[Statement] = []

    def enter(e: Expr, around: Around) -> Entered[Around]:
        inner = replace(around, is_whole=False) if around.is_whole else around
        match e:
            case Reduce(_, _, derived, domain):
                indices = tuple(extents_in_body(e, around.extents, sizes).items())
                definitions = Domain.of(c for d in derived for c in d.conditions)
                return e, [Around(indices, around.known & domain & definitions)]
            case Select(Domain() as domain):
                return e, [replace(inner, known=around.known & domain), inner]
            case _:
                return e, [inner] * len(e.operands)

    for s in program.statements:
        if s.target.name in left:
            statements.append(s)
            continue
        separation = Separation(s, program, sizes, names, tensors, statements)

        def applied(e: Expr, around: Around, separation: Separation = separation) -> Expr:
            return rule(separation, e, around)

        everywhere = Around(tuple(s.extents.items()), program.known & s.box, is_whole=True)
        body = rewrite_in(s.body, everywhere, enter, applied)
        statements.append(replace(s, body=body))
    return replace(program, statements=tuple(statements))
