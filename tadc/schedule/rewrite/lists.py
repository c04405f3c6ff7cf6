"""Sums over what data lead to an element, as loops over lists: `sum{e | k[e] = b}` runs over the positions where `k` holds `b`.

A list of an index tensor is two or more tensors of indices: the positions sorted by their elements, a tensor for each
dimension, and where those of each key begin. `sum{e | k[e] = b} f(e)` becomes

    sum{t = 0 .. k_ptr[b+1]-k_ptr[b]-1} f(k_perm[k_ptr[b] + t])

and the rows of a ragged sum, `ptr[i] <= e < ptr[i+1]` with `e` known, are found in the same way. Where `b` is an element of another
index tensor, keys are the distinct elements (`matches.py`), and where it is one of the same tensor, elements are in groups (`groups.py`). The program that comes of it
has these tensors as further inputs, which are built before it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import EMPTY, Determined, Domain, Looked
from tadc.ir.expr import NEUTRAL, Const, Expr, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, postorder, rewrite_in, substitute
from tadc.normalize.masks import Marks
from tadc.normalize.reductions import extents_in_body
from tadc.schedule.rewrite.factor import without_factors
from tadc.schedule.rewrite.groups import is_of_group, of_groups
from tadc.schedule.rewrite.list_loops import ListLoops
from tadc.schedule.rewrite.list_tensors import Facts, Listed
from tadc.schedule.rewrite.looked_up import data_among
from tadc.schedule.rewrite.made_lists import MadeLists
from tadc.schedule.rewrite.pieces import ListLoop, can_be_cut, in_pieces, with_short_lists
from tadc.schedule.rewrite.safe_loads import safely_loaded

__all__ = ["listed"]

Extents = tuple[tuple[Symbol, Affine], ...]


def listed(program: Program, facts: Facts | None = None) -> Listed:
    """The program with lists where data are equal to what is known, and with data that are loaded safely.

    Without `facts` a list is one loop, and sums over it are as any others.
    """
    lists = MadeLists(program, Names((*program.tensors, *program.symbols)), facts)
    infinite = Marks.of(program).infinite
    statements = tuple(s for each in program.statements for s in _with_lists(lists, each, infinite))
    made = tuple(lists.made.values())
    program = replace(
        program,
        sizes=(*program.sizes, *(s for each in made for s in each.sizes)),
        inputs=(*program.inputs, *(t for each in made for t in each.tensors)),
        statements=statements,
        usual=(*program.usual, *(pair for each in made for pair in each.usual)),
    )
    return Listed(safely_loaded(program), made, lists.tested)


@dataclass(frozen=True, slots=True)
class _Around:
    """What is known around an expression: extents of indices, and data indices."""

    extents: Extents
    loaded: tuple[Looked, ...]


def _with_lists(lists: MadeLists, s: Statement, infinite: Set[str]) -> tuple[Statement, ...]:
    """The statement with lists, after those that compute sums of pieces, or of groups, for it."""
    sizes = set(lists.program.parameters)
    around = _Around(tuple(s.extents.items()), data_among(s.derived))
    before: list[Statement] = []
    groups: list[Looked] = []
    whole = set(postorder(s.body, _behind_no_range))
    known = lists.program.known & s.box

    def enter(e: Expr, around: _Around) -> Entered[_Around]:
        if not isinstance(e, Reduce):
            return e, [around] * len(e.operands)
        inner = tuple(extents_in_body(e, dict(around.extents), sizes).items())
        return e, [_Around(inner, (*around.loaded, *data_among(e.derived)))]

    def rule(e: Expr, around: _Around) -> Expr:
        if not isinstance(e, Reduce) or not any(isinstance(d, Looked) for d in e.derived):
            return e
        loops = ListLoops(lists, dict(around.extents), e, s.target.name, list(around.loaded))
        reduced = loops.reduce()
        if reduced.domain == EMPTY:
            return Const(NEUTRAL[e.op])  # equations that no data meet
        reduce_, scaled = without_factors(reduced, known, lists.program.tensors, infinite)
        group = loops.group
        if group and e in whole and len(loops.over) == 1 and is_of_group(reduce_, group, s, sizes):
            table, body, read = of_groups(s, reduce_, group, lists.names)
            (loop,) = loops.over
            loop = replace(loop, keys=((symbol(table.indices[0]), constant(0)),))
            pieces, total = _cut(lists, table, body, loop)
            before.extend((*pieces, replace(table, body=total)))
            groups.append(group)
            return scaled(read)
        if lists.facts is None:
            return scaled(reduce_)
        if e not in whole or len(loops.over) != 1:
            return scaled(_from_own_start(reduce_, lists.names))
        (loop,) = loops.over
        if not can_be_cut(reduce_, loop, s):
            return scaled(_from_own_start(reduce_, lists.names))
        pieces, total = _cut(lists, s, reduce_, loop)
        before.extend(pieces)
        return scaled(total)

    body = rewrite_in(s.body, around, enter, rule)
    return *before, replace(s, derived=(*s.derived, *groups), body=body)


def _cut(
    lists: MadeLists, s: Statement, e: Reduce, loop: ListLoop
) -> tuple[tuple[Statement, ...], Expr]:
    """What stands in place of a reduction over a list, after statements of its pieces, where it is known which lists are long."""
    if lists.facts is None:
        return (), e
    if lists.facts.short:
        return (), with_short_lists(e, loop)
    piece, total = in_pieces(s, e, loop, lists.pieces_of(loop), lists.names)
    return (piece,), total


def _behind_no_range(node: Expr) -> tuple[Expr, ...]:
    """The operands that can be computed wherever the node is: a condition on values keeps no read inside of its tensor."""
    match node:
        case Reduce() | Select(Domain()):
            return ()
        case _:
            return node.operands


def _from_own_start(e: Reduce, names: Names) -> Reduce:
    """The reduction with indices that begin at an element of data counted from there: a row has its order wherever it stands."""
    for i in e.indices:
        lows = [c for c in e.domain if c.relation == ">=" and c.form.coefficient(i) > 0]
        if len(lows) != 1 or lows[0].form.coefficient(i) != 1:
            continue
        (low,) = lows
        first = symbol(i) - low.form
        bound = {i}
        for d in e.derived:
            bound |= set() if bound.isdisjoint(d.symbols) else {d.name}
        bound.update(e.indices)
        if not first.symbols or not bound.isdisjoint(first.symbols):
            continue
        t = names.fresh("t")
        values = {i: first + symbol(t)}
        e = Reduce(
            e.op,
            tuple(t if j == i else j for j in e.indices),
            _those_read_first(d.substitute(values) for d in e.derived),
            e.domain.substitute(values),
            substitute(e.body, values),
        )
    return e


def _those_read_first(derived: Iterable[Determined]) -> tuple[Determined, ...]:
    """In this order, but for those that others are made of, which stand before them."""
    waiting = list(derived)
    ready: list[Determined] = []
    while waiting:
        names = {d.name for d in waiting}
        ready.append(
            waiting.pop(next(n for n, d in enumerate(waiting) if names.isdisjoint(d.symbols)))
        )
    return tuple(ready)
