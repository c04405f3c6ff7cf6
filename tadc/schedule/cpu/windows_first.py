"""Sums whose first loop is the one over a window that moves with the element.

    dx[c,p,q] = sum{o, k, s | 0 <= p-2*k and p-2*k < 3} dy[o,k,q-s]*w[o,c,p-2*k,s]        has `k` before `o`

The bounds of the window are computed once, and the loops inside go through memory in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from tadc.ir.affine import Symbol
from tadc.ir.expr import Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import replaced
from tadc.schedule.rewrite.rows import always

__all__ = ["with_windows_first"]


def with_windows_first(program: Program) -> Program:
    """The program with the loops of its sums in such an order, which says nothing of borders: a block has the order of the whole."""
    statements = tuple(map(_ordered, program.statements))
    return replace(program, statements=statements) if statements != program.statements else program


def _ordered(s: Statement) -> Statement:
    changed: dict[Expr, Expr] = {}
    for e in always(s.body):
        if isinstance(e, Reduce) and e.op == "sum" and not e.derived and s.indices[:-1]:
            windows = set(_windows(e, frozenset(s.indices), s.indices[-1]))
            indices = tuple(sorted(e.indices, key=lambda i: i not in windows))
            if indices != e.indices:
                changed[e] = Reduce("sum", indices, (), e.domain, e.body)
    return replace(s, body=replaced(s.body, changed)) if changed else s


def _windows(e: Reduce, own: Set[Symbol], last: Symbol) -> Iterator[Symbol]:
    """The indices of the sum that lie between two bounds that move alike with indices of the result, but not with the last."""
    forms = [c.form for c in e.domain if c.relation == ">="]
    for i in e.indices:
        lows, highs = ([f for f in forms if f.coefficient(i) * sign > 0] for sign in (1, -1))
        if any(
            (low + high).is_constant and not own.isdisjoint(low.symbols) and last not in low.symbols
            for low in lows
            for high in highs
        ):
            yield i
