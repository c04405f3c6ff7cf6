"""Sums over data behind a test for infinity, which is hardly ever met, are computed before it: lanes share their loops.

    l[i] = if m[i] = -inf then m[i] else m[i] + log(sum{e | d[e] = i} exp(u[e] - m[i]))          is

    s[i] = sum{e | d[e] = i} exp(u[e] - m[i]);  l[i] = if m[i] = -inf then m[i] else m[i] + log(s[i])

A test of values keeps no read inside of its tensor, so that the sum can be computed where its value is not needed.
"""

from __future__ import annotations

from dataclasses import replace
from math import isinf

from tadc.ir.affine import symbol
from tadc.ir.expr import Call, Comparison, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, replaced
from tadc.schedule.rewrite.looked_up import data_among, needed
from tadc.schedule.rewrite.rows import always, surely

__all__ = ["with_sums_before_rare_tests"]


def with_sums_before_rare_tests(program: Program) -> Program:
    """The program with such sums as statements."""
    names = Names((*program.tensors, *program.symbols))
    statements: list[Statement] = []
    for s in program.statements:
        reads: dict[Expr, Expr] = {}
        present = set(always(s.body))
        for e in postorder(s.body, _nearly_always):
            if isinstance(e, Reduce) and e not in present and data_among(e.derived):
                target = replace(s.target, name=names.fresh(f"{s.target.name}_{e.op}"))
                statements.append(Statement(target, s.indices, needed(e.symbols, s.derived), e))
                reads[e] = Read(target.name, tuple(map(symbol, s.indices)))
        statements.append(replace(s, body=replaced(s.body, reads)) if reads else s)
    changed = len(statements) > len(program.statements)
    return replace(program, statements=tuple(statements)) if changed else program


def _nearly_always(node: Expr) -> tuple[Expr, ...]:
    """The operands that are needed whenever the node is, but for tests for infinity."""
    match node:
        case Select(Comparison(_, left, right)) if _is_infinite(left) or _is_infinite(right):
            return node.operands
        case _:
            return surely(node)


def _is_infinite(e: Expr) -> bool:
    match e:
        case Const(value):
            return isinf(value)
        case Call("neg", (inner,)):
            return _is_infinite(inner)
        case _:
            return False
