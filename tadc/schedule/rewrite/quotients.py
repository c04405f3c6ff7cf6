"""Sums over an index whose quotient is read are sums over the quotient and the remainder.

    sum{i=0..n - 1} x[i//10]*w[i]      is      sum{q=0..(n - 1)//10, r=0..min(9, n - 1 - 10*q)} x[q]*w[10*q + r]

Then `x[q]` is a factor that the inner sum does not need, neighbours in `r` are read at once, and nothing is divided. The terms keep
their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tadc.integer import implies
from tadc.ir.affine import Symbol, constant, symbol
from tadc.ir.domain import Condition, Derived, Domain, at_least_zero, between
from tadc.ir.expr import Expr, Reduce
from tadc.ir.program import Program
from tadc.ir.walk import rewrite, substitute

__all__ = ["sums_over_quotients"]


def sums_over_quotients(program: Program) -> Program:
    """The program with such sums."""
    sizes = frozenset(program.parameters)

    def divided(e: Expr) -> Expr:
        if not isinstance(e, Reduce):
            return e
        for d in e.derived:
            for depth, i in enumerate(e.indices):
                if isinstance(d, Derived) and _may_be_divided(e, depth, d, sizes):
                    return _with_remainder(e, depth, d, i)
        return e

    statements = (replace(s, body=rewrite(s.body, divided)) for s in program.statements)
    return replace(program, statements=tuple(statements))


def _may_be_divided(e: Reduce, depth: int, d: Derived, sizes: frozenset[Symbol]) -> bool:
    """Whether the quotient is of this index and sizes alone, and everything else says of the index inequalities.

    A window that moves with other indices has few quotients: it is better cut at borders.
    """
    i = e.indices[depth]
    rest = d.form - symbol(i)
    others = (other for other in e.derived if other is not d)
    return (
        d.form.coefficient(i) == 1
        and sizes.issuperset(rest.symbols)
        and all({i, d.name}.isdisjoint(other.symbols) for other in others)
        and all(c.relation == ">=" for c in e.domain if i in c.form.symbols)
    )


def _with_remainder(e: Reduce, depth: int, d: Derived, i: Symbol) -> Reduce:
    """The index becomes the remainder: `i + rest` is `modulus` times the quotient and that. Its sum is one of its own."""
    value = d.modulus * symbol(d.name) + symbol(i) - (d.form - symbol(i))
    moved = [c.substitute({i: value}) for c in e.domain]
    bounds = [*between(0, symbol(i), d.modulus - 1)]
    bounds += [bound for c in moved for bound in _of_quotient(c, i, d)]
    # What is said of other indices bounds their loops, which are further out.
    own = {i, d.name}
    bounds += [
        c for c in moved if own.isdisjoint(c.form.symbols) or not implies(Domain.of(bounds), c)
    ]
    inside = {i, *e.indices[depth + 1 :], *(other.name for other in e.derived if other is not d)}
    inner = Domain.of(c for c in bounds if not inside.isdisjoint(c.form.symbols))
    outer = Domain.of(c for c in bounds if inside.isdisjoint(c.form.symbols))
    derived = tuple(other for other in e.derived if other is not d)
    body = substitute(e.body, {i: value})
    of_remainder = Reduce(e.op, e.indices[depth:], derived, inner, body)
    return Reduce(e.op, (*e.indices[:depth], d.name), (), outer, of_remainder)


def _of_quotient(c: Condition, remainder: Symbol, d: Derived) -> Iterator[Condition]:
    """The condition for some remainder: what bounds the quotient."""
    a = c.form.coefficient(remainder)
    if a:
        yield at_least_zero(c.form.substitute({remainder: constant(d.modulus - 1 if a > 0 else 0)}))
