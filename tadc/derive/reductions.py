"""Derivatives of `prod`, `max` and `min` by their summands (design, section 3; language, section 6).

A maximum is shared equally among its ties, which are counted once an element: a statement of their own. A product has
for each factor the product of the others, before and after it: right with any number of zeros, without division.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from tadc.derive.products import Products
from tadc.derive.shifts import is_only_a_shift
from tadc.ir.affine import symbol
from tadc.ir.domain import Domain, at_least_zero, equals_zero
from tadc.ir.expr import Call, Comparison, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, substitute

__all__ = ["Shares", "active", "with_ties"]


def with_ties(
    program: Program, reached: Set[str], names: Names
) -> tuple[Program, Mapping[str, str]]:
    """The program with a count of the ties after every active maximum or minimum, and their names by its target."""
    ties: dict[str, str] = {}
    statements: list[Statement] = []
    for s in program.statements:
        statements.append(s)
        match s.body:
            case Reduce("max" | "min") if s.target.name in reached:
                name = ties[s.target.name] = names.fresh(f"{s.target.name}_ties")
                count = _ties(s.body, Read(s.target.name, tuple(map(symbol, s.indices))))
                statements.append(replace(s, target=replace(s.target, name=name), body=count))
            case _:
                pass
    return replace(program, statements=tuple(statements)), ties


def active(program: Program, wrt: Sequence[str]) -> frozenset[str]:
    """The tensors that depend on one of `wrt`, those included, but maxima and minima that no output depends on."""
    names = set(wrt)
    for s in program.statements:
        if any(isinstance(e, Read) and e.tensor in names for e in postorder(s.body)):
            is_extreme = isinstance(s.body, Reduce) and s.body.op in ("max", "min")
            if not (is_extreme and is_only_a_shift(program, s)):
                names.add(s.target.name)
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of a change that each value of a reduction receives, or contributes.

    A maximum or minimum that is the whole right side of `statement` is read, and so is the count of its ties.
    """

    statement: Statement
    ties: Mapping[str, str]
    products: Products
    names: Names

    def of(self, reduce: Reduce, change: Expr) -> Expr:
        """`change` times the derivative of `reduce` by its body, at one point of its domain."""
        if reduce.op == "sum":
            return change
        if reduce.op == "prod":
            return self.products.times(change, _others(reduce, self.names))
        value: Expr = reduce
        ties: Expr = _ties(reduce, reduce)
        if reduce is self.statement.body:
            at = tuple(map(symbol, self.statement.indices))
            name = self.statement.target.name
            value, ties = Read(name, at), Read(self.ties[name], at)
        return Select(Comparison("==", reduce.body, value), Call("div", (change, ties)), Const(0))


def _ties(reduce: Reduce, value: Expr) -> Reduce:
    """The number of points at which the maximum or minimum `value` is attained."""
    tie = Select(Comparison("==", reduce.body, value), Const(1), Const(0))
    return Reduce("sum", reduce.indices, reduce.derived, reduce.domain, tie)


def _others(reduce: Reduce, names: Names) -> Expr:
    """The product of all factors but the one at the reduction's indices: those before it, then those after it.

    Points are in lexicographic order: before a point are those that agree up to an index and are smaller in it.
    """
    parts: list[Expr] = []
    for sign in (1, -1):
        for d in range(len(reduce.indices)):
            bound = [*reduce.indices, *(e.name for e in reduce.derived)]
            new = {s: symbol(names.fresh(s)) for s in bound}
            equal = [equals_zero(new[s] - symbol(s)) for s in reduce.indices[:d]]
            s = reduce.indices[d]
            different = at_least_zero((symbol(s) - new[s]) * sign - 1)
            derived = tuple(e.substitute(new, str(new[e.name])) for e in reduce.derived)
            domain = reduce.domain.substitute(new) & Domain.of((*equal, different))
            indices = tuple(str(new[i]) for i in reduce.indices)
            parts.append(Reduce("prod", indices, derived, domain, substitute(reduce.body, new)))
    result = parts[0]
    for part in parts[1:]:
        result = Call("mul", (result, part))
    return result
