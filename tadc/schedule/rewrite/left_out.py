"""Points that an equation leaves out are computed like the others, and count as 0.

    f[i] = sum{j} (if i = j then 0 else q[j]/sqrt(r[i,j]))      is      f[i] = sum{j} gate(if i = j then 0 else 1, q[j]/sqrt(r[i,j]))

As a branch, the quotient would be computed for one lane after the other; here it is for all of them, and dropped where `i = j`.
What is evaluated where the program does not ask for it must be inside its tensors there.
"""

from __future__ import annotations

from dataclasses import replace

from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Call, Const, Expr, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, postorder, rewrite, rewrite_in
from tadc.normalize.choices import negated
from tadc.normalize.in_bounds import reads_are_in_bounds

__all__ = ["with_points_left_out"]


def with_points_left_out(program: Program) -> Program:
    """The program with gates for such choices."""
    if not any(_gated(e) for s in program.statements for e in postorder(s.body)):
        return program
    return replace(program, statements=tuple(_changed(s, program) for s in program.statements))


def _gated(e: Expr) -> tuple[Expr, Expr] | None:
    """The operands of a gate that the choice may be: a mask, and the value."""
    match e:
        case Select(Domain() as domain) if [c.relation for c in domain] != ["=="]:
            return None
        case Select(Domain() as domain, Const(0), value) if not isinstance(value, Const):
            return Select(domain, Const(0), Const(1)), _without(domain, value)
        case _:
            return None


def _changed(s: Statement, program: Program) -> Statement:
    known = program.known & Domain.box(s.extents)
    known &= Domain.of(c for d in s.derived for c in d.conditions)

    def enter(e: Expr, around: Domain) -> Entered[Domain]:
        operands = _gated(e)
        if operands and reads_are_in_bounds(operands[1], around, program.tensors):
            return Call("gate", operands), [around, around]
        match e:
            case Select(Domain() as domain):
                return e, [around & domain, around & (negated(domain) or EVERYWHERE)]
            case Reduce(_, _, derived, domain):
                definitions = Domain.of(c for d in derived for c in d.conditions)
                return e, [around & domain & definitions]
            case _:
                return e, [around] * len(e.operands)

    return replace(s, body=rewrite_in(s.body, known, enter))


def _without(domain: Domain, e: Expr) -> Expr:
    """The expression without the same choice in it: its value is dropped there."""

    def decided(e: Expr) -> Expr:
        return e.otherwise if isinstance(e, Select) and e.condition == domain else e

    return rewrite(e, decided)
