"""Choices whose values agree where they change: one of the two ways to write them, so that what is the same is found to be.

    y[i] = sum{j} (if j <= i then t[i-j] else t[j-i])*x[j]
    dx[j] = sum{i} (if j <= i then t[i-j] else t[j-i])*dy[i]        is        sum{i} (if i <= j then t[j-i] else t[i-j])*dy[i]

as both read `t[abs(i-j)]`. The index of the sum has an upper bound where the condition holds.
"""

from __future__ import annotations

from dataclasses import replace

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Condition, Domain, at_least_zero
from tadc.ir.expr import Expr, Reduce, Select
from tadc.ir.program import Program
from tadc.ir.walk import Entered, rewrite_in, substitute

__all__ = ["oriented"]


def oriented(program: Program) -> Program:
    """The program with such choices in sums."""
    outside: tuple[Symbol, ...] = ()
    statements = (replace(s, body=rewrite_in(s.body, outside, _turned)) for s in program.statements)
    return replace(program, statements=tuple(statements))


def _turned(e: Expr, around: tuple[Symbol, ...]) -> Entered[tuple[Symbol, ...]]:
    match e:
        case Reduce():
            around = (*around, *e.indices)
        case Select(Domain((c,)), then, otherwise) if _is_below(c, around) and _agree(e, c):
            e = Select(Domain.of((at_least_zero(-c.form),)), otherwise, then)
        case _:
            pass
    return e, [around] * len(e.operands)


def _is_below(c: Condition, around: tuple[Symbol, ...]) -> bool:
    """Whether the condition is a lower bound of the innermost index that it mentions."""
    inner = next((i for i in reversed(around) if i in c.form.symbols), None)
    return inner is not None and c.relation == ">=" and c.form.coefficient(inner) > 0


def _agree(e: Select, c: Condition) -> bool:
    """Whether both values are the same where the form of the condition is 0."""
    index = next((s for s, n in c.form.terms if abs(n) == 1), None)
    if index is None:
        return False
    n = c.form.coefficient(index)
    border = {index: (c.form - n * symbol(index)) * -n}
    return substitute(e.then, border) is substitute(e.otherwise, border)
