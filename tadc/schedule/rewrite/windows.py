"""Ranges of a constant length that move with other indices begin at 0: windows.

    sum{k=2*i..2*i + 1} x[k]      is      sum{r=0..1} x[2*i + r]

Then all points have the same loop, which may be written out; its order stays. What else bounds the index, at borders,
bounds the new one. Long ranges that begin at a multiple of a quotient, the same for all of its remainders, begin at 0 as well:

    sum{j=64*(i//64)..64*(i//64) + 63} x[j]      is      sum{r=0..63} x[64*(i//64) + r]

So do, for lanes, all those that move with the last index of a statement, and whose length is one of sizes: lanes have one loop then, and
not a longer one of which each has a part.

    y[i] = sum{k=max(0, i - L + 1)..i} x[k]*w[i - k]      is      y[i] = sum{r=max(0, L - i - 1)..L - 1} x[i - L + 1 + r]*w[L - r - 1]
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Domain, divisions
from tadc.ir.expr import Call, Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, rewrite, substitute
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["long_windows_from_zero", "windows_from_zero"]

LONGEST = 16  # values of a window that is one for every target


def windows_from_zero(program: Program, for_lanes: bool = False) -> Program:
    """The program whose windows begin at 0."""
    sizes = frozenset(program.parameters)
    statements = []
    for s in program.statements:
        quotients = frozenset(d.name for d in divisions(s.derived))
        lane = s.indices[-1] if for_lanes and s.indices else None
        moved = partial(_from_zero, quotients, lane, sizes, LONGEST)
        statements.append(replace(s, body=rewrite(s.body, moved)))
    return replace(program, statements=tuple(statements))


def long_windows_from_zero(s: Statement) -> Statement:
    """The statement whose windows begin at 0, however long they are."""
    moved = partial(_from_zero, frozenset(), None, frozenset(), inf)
    body = rewrite(s.body, moved)
    return s if body is s.body else replace(s, body=body)


def _from_zero(
    quotients: frozenset[Symbol],
    lane: Symbol | None,
    sizes: frozenset[Symbol],
    longest: float,
    e: Expr,
) -> Expr:
    if not isinstance(e, Reduce) or e.derived:
        return e
    for depth, index in enumerate(e.indices):
        first = _first(e, index, e.indices[depth:], quotients, longest)
        if first is None and lane and _each_lane_differs(e, index, lane):
            first = _first_of_sizes(e, index, e.indices[depth:], lane, sizes)
        if first is not None:
            values = {index: symbol(index) + first}
            domain = Domain.of(_moved(c, index, first) for c in e.domain)
            e = Reduce(e.op, e.indices, (), domain, substitute(e.body, values))
    return e


def _moved(condition: Condition, index: Symbol, first: Affine) -> Condition:
    return condition.substitute({index: symbol(index) + first})


def _bounds(e: Reduce, index: Symbol, inner: tuple[Symbol, ...]) -> list[tuple[Affine, Affine]]:
    """Each low bound of the index, and what it is below a high one; in terms of symbols that are not among the index and those inside of
    it.
    """
    forms = [
        c.form
        for c in e.domain
        if c.relation == ">=" and [i for i in inner if i in c.form.symbols] == [index]
    ]
    lows = [symbol(index) - f for f in forms if f.coefficient(index) == 1]
    highs = [symbol(index) + f for f in forms if f.coefficient(index) == -1]
    return [(low, high - low) for low in lows for high in highs]


def _each_lane_differs(e: Reduce, index: Symbol, lane: Symbol) -> bool:
    """Whether lanes share nothing expensive at one value of the index."""
    calls = (n for n in postorder(e.body) if isinstance(n, Call) and is_expensive(n))
    return all(index not in n.symbols or lane in n.symbols for n in calls)


def _first_of_sizes(
    e: Reduce, index: Symbol, inner: tuple[Symbol, ...], lane: Symbol, sizes: frozenset[Symbol]
) -> Affine | None:
    """The low bound that moves with the lane, and lies below a high one by as much as sizes say; None where there is none, or one that
    does not move.
    """
    pairs = _bounds(e, index, inner)
    lows = [low for low, length in pairs if sizes.issuperset(length.symbols)]
    moves = lows and all(abs(low.coefficient(lane)) == 1 for low in lows)
    return lows[0] if moves else None


def _first(
    e: Reduce,
    index: Symbol,
    inner: tuple[Symbol, ...],
    quotients: frozenset[Symbol],
    longest: float,
) -> Affine | None:
    """The low bound that is a constant below a high one, by less than `longest`, if it is no number; None where there is none."""
    pairs = _bounds(e, index, inner)
    if any(low.is_constant and length.is_constant for low, length in pairs):
        return None
    windows = [
        low
        for low, n in pairs
        if n.is_constant and (0 <= n.constant < longest or quotients.issuperset(low.symbols))
    ]
    return windows[0] if windows else None
