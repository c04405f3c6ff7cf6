"""Ranges of a constant length that move with other indices begin at 0: windows.

    sum{k=2*i..2*i + 1} x[k]      is      sum{r=0..1} x[2*i + r]

Then all points have the same loop, which may be written out; its order stays. What else bounds the index, at borders,
bounds the new one. Long ranges that begin at a multiple of a quotient, the same for all of its remainders, begin at 0 as well:

    sum{j=64*(i//64)..64*(i//64) + 63} x[j]      is      sum{r=0..63} x[64*(i//64) + r]
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Domain, divisions
from tadc.ir.expr import Expr, Reduce
from tadc.ir.program import Program
from tadc.ir.walk import rewrite, substitute

__all__ = ["windows_from_zero"]

LONGEST = 16  # values


def windows_from_zero(program: Program) -> Program:
    """The program whose windows begin at 0."""
    statements = []
    for s in program.statements:
        quotients = frozenset(d.name for d in divisions(s.derived))
        statements.append(replace(s, body=rewrite(s.body, partial(_from_zero, quotients))))
    return replace(program, statements=tuple(statements))


def _from_zero(quotients: frozenset[Symbol], e: Expr) -> Expr:
    if not isinstance(e, Reduce) or e.derived:
        return e
    for depth, index in enumerate(e.indices):
        first = _first(e, index, e.indices[depth:], quotients)
        if first is not None:
            values = {index: symbol(index) + first}
            domain = Domain.of(_moved(c, index, first) for c in e.domain)
            e = Reduce(e.op, e.indices, (), domain, substitute(e.body, values))
    return e


def _moved(condition: Condition, index: Symbol, first: Affine) -> Condition:
    return condition.substitute({index: symbol(index) + first})


def _first(
    e: Reduce, index: Symbol, inner: tuple[Symbol, ...], quotients: frozenset[Symbol]
) -> Affine | None:
    """The low bound that is a constant below a high one, if it is no number; None where there is none.

    It is in terms of symbols that are not among the index and those inside of it.
    """
    forms = [
        c.form
        for c in e.domain
        if c.relation == ">=" and [i for i in inner if i in c.form.symbols] == [index]
    ]
    lows = [symbol(index) - f for f in forms if f.coefficient(index) == 1]
    highs = [symbol(index) + f for f in forms if f.coefficient(index) == -1]
    pairs = [(low, high - low) for low in lows for high in highs]
    if any(low.is_constant and length.is_constant for low, length in pairs):
        return None
    windows = [
        low
        for low, n in pairs
        if n.is_constant and (0 <= n.constant < LONGEST or quotients.issuperset(low.symbols))
    ]
    return windows[0] if windows else None
