"""Data that are loaded safely: where subscripts may be outside of an index tensor, an element near by is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tadc.integer import implies
from tadc.ir.bounds import bounded
from tadc.ir.domain import Condition, Determined, Domain, Looked, between
from tadc.ir.expr import Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, rewrite_in

__all__ = ["safely_loaded"]


def safely_loaded(program: Program) -> Program:
    """The program with data that are loaded safely: where subscripts are outside, an element near by."""
    safe = tuple(_with_safe_loads(s, program) for s in program.statements)
    return replace(program, statements=safe)


def _with_safe_loads(s: Statement, program: Program) -> Statement:
    """The statement whose data indices know whether their subscripts are inside wherever they are loaded."""
    known = program.known & Domain.box(s.extents)
    derived, around = _safe(s.derived, known, program)

    def enter(e: Expr, around: Domain) -> Entered[Domain]:
        if not isinstance(e, Reduce):
            return e, [around] * len(e.operands)
        # They are loaded as soon as they can be, before what is tested at that place.
        bounds = bounded(e)
        safe, within = _safe(bounds.derived, around, program)
        made = {d.name: d for d in safe}
        within &= _affine(bounds.tests)
        for b in bounds.each:
            safe, within = _safe(b.derived, within & _affine(b.range.conditions), program)
            made |= {d.name: d for d in safe}
            within &= _affine(b.tests)
        return Reduce(e.op, e.indices, tuple(made[d.name] for d in e.derived), e.domain, e.body), [
            within
        ]

    return replace(s, derived=derived, body=rewrite_in(s.body, around, enter))


def _affine(conditions: Iterable[Condition]) -> Domain:
    return Domain.of(c for c in conditions if c.relation == ">=")


def _safe(
    derived: tuple[Determined, ...], known: Domain, program: Program
) -> tuple[tuple[Determined, ...], Domain]:
    result: list[Determined] = []
    for d in derived:
        if isinstance(d, Looked):
            shape = program.tensors[d.tensor].shape
            bounds = (
                c
                for form, n in zip(d.subscripts, shape, strict=True)
                for c in between(0, form, n - 1)
            )
            d = replace(d, inside=all(implies(known, c) for c in bounds))
        result.append(d)
        known &= Domain.of(d.conditions)
    return tuple(result), known
