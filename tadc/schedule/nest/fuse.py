"""Fusion: the statements that share a kernel (design, section 5.2).

Statements over the same box are one kernel with several stores where they read the same tensors, or where one reads the
other's element at its own point, which is then a local variable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tadc.ir.affine import Symbol, symbol
from tadc.ir.canonical import bound_names, canonical
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, rewrite, substitute
from tadc.normalize.plain_names import with_distinct_indices
from tadc.schedule.nest.matrix_product import matrix_product
from tadc.schedule.rewrite.common import in_indices_of
from tadc.schedule.rewrite.looked_up import reads_data
from tadc.schedule.rewrite.rows import Rows, always, rows
from tadc.schedule.rewrite.running import running

__all__ = ["alike", "fused"]

Fact = TypeVar("Fact")

MOST_STORES = 8  # of a kernel: registers hold no more
NEAR = 32  # kernels before the last that a statement may still join


def fused(program: Program, apart: Set[str] = frozenset()) -> tuple[tuple[Statement, ...], ...]:
    """The statements, those that share a kernel together, with the same indices. Those of the targets `apart` share none.

    A statement with rows stands before others that have its indices without those of the rows. Those that read data have no rows,
    and lists with the same ends are one loop.
    """
    within = _Statements(program)
    groups: list[list[Statement]] = []
    place: dict[str, int] = {}
    for s in program.statements:
        first = 0  # the earliest group after all that is read elsewhere than at the own point
        for e in postorder(s.body):
            if isinstance(e, Read) and e.tensor in place:
                first = max(first, place[e.tensor] + (not _is_own(e, s)))
        candidates = range(len(groups) - 1, max(first, len(groups) - NEAR) - 1, -1)
        for n in candidates:
            joined = _joined(s, groups[n], within, apart)
            if joined:
                groups[n] = joined
                break
        else:
            n = len(groups)
            groups.append([s])
        place[s.target.name] = n
    _put_off(groups, within, apart)
    return tuple(tuple(group) for group in groups if group)


@dataclass(frozen=True, slots=True)
class _Statements:
    """What is known of statements of a program, each by itself: it is asked for each of many pairs."""

    program: Program
    _rows: dict[Statement, Rows | None] = field(default_factory=dict)
    _plain: dict[Statement, bool] = field(default_factory=dict)
    _data: dict[Statement, bool] = field(default_factory=dict)

    def rows(self, s: Statement) -> Rows | None:
        """The rows of a statement whose kernel goes through them term by term: a running sum has one pass of its own."""
        return _kept(self._rows, s, lambda s: None if running(s, self.program) else rows(s))

    def read_data(self, statements: Iterable[Statement]) -> bool:
        """Whether an index in some of them is an element of a tensor."""
        return any(_kept(self._data, s, reads_data) for s in statements)

    def is_plain(self, s: Statement) -> bool:
        """Whether nothing is to be said against a thread for each element that does other things too."""
        return _kept(self._plain, s, self._is_plain)

    def _is_plain(self, s: Statement) -> bool:
        product = matrix_product(s, self.program)
        special = rows(s) or running(s, self.program) or (product and product.is_plain)
        return not s.derived and not special


def _kept(known: dict[Statement, Fact], s: Statement, find: Callable[[Statement], Fact]) -> Fact:
    """What is known of the statement, or found now."""
    if s not in known:
        known[s] = find(s)
    return known[s]


def _joined(
    s: Statement, group: list[Statement], within: _Statements, apart: Set[str]
) -> list[Statement] | None:
    """The group with the statement, if it is better for it."""
    first, *others = group
    if s.target.name in apart or first.target.name in apart:
        return None
    if beside := _beside(s, group, within):
        return beside
    if within.read_data((s, *group)):
        return None
    if len(group) == MOST_STORES or not s.reads.isdisjoint(t.target.name for t in group):
        return None
    if owned := within.rows(first):
        mate = _mate(s, first, owned, within)
        return [*group, mate] if mate else None
    if not others and (owned := within.rows(s)):
        mate = _mate(first, s, owned, within)
        return [s, mate] if mate else None
    return None


def _beside(s: Statement, group: list[Statement], within: _Statements) -> list[Statement] | None:
    """The group with the statement as one more of the same points, if one kernel does less than two."""
    if not _fits([s], group, within):
        return None
    return [*group, _renamed(s, group[0].indices, within.program.names)]


def _mate(s: Statement, row: Statement, owned: Rows, within: _Statements) -> Statement | None:
    """The statement in the indices of one with rows, in whose loops its sum may be computed; None if it is not alike."""
    extents = dict(zip(row.indices, row.target.shape, strict=True))
    outer = tuple(i for i in row.indices if i not in owned.indices)
    shape = tuple(extents[i] for i in outer)
    if (s.target.shape, s.target.dtype) != (shape, row.target.dtype) or not within.is_plain(s):
        return None
    names = within.program.names
    renamed = _renamed(s, outer, names)
    sums = [e for e in always(renamed.body) if isinstance(e, Reduce)]
    if len(sums) != 1 or sums[0].derived or owned.total.derived:
        return None
    body = _in_indices_of(owned.total, sums[0], names | {*row.indices})
    if body is None:
        return None
    # Common parts of their sums are one expression only if the indices have the same names.
    known = {canonical(e, ()): e for e in postorder(owned.total.body) if isinstance(e, Reduce)}
    body = rewrite(body, lambda e: known.get(canonical(e, ()), e) if isinstance(e, Reduce) else e)
    alike_ = Reduce(sums[0].op, owned.total.indices, (), owned.total.domain, body)
    return replace(renamed, body=rewrite(renamed.body, lambda e: alike_ if e is sums[0] else e))


def _put_off(groups: list[list[Statement]], within: _Statements, apart: Set[str]) -> None:
    """Move groups into later ones that are their only readers, at their own point, but for those `apart`."""
    readers: dict[str, set[int]] = {}
    elsewhere: set[str] = set()  # tensors that are read at another point
    for n, group in enumerate(groups):
        for s in group:
            for e in postorder(s.body):
                if isinstance(e, Read):
                    readers.setdefault(e.tensor, set()).add(n)
                    if not _is_own(e, s):
                        elsewhere.add(e.tensor)
    moved: dict[int, int] = {}
    for n in reversed(range(len(groups))):
        computed = {s.target.name for s in groups[n]}
        later = {moved.get(m, m) for t in computed for m in readers.get(t, ()) if m != n}
        if len(later) == 1 and computed.isdisjoint(elsewhere | apart):
            (m,) = later
            if apart.isdisjoint(s.target.name for s in groups[m]) and _fits(
                groups[n], groups[m], within
            ):
                indices = groups[n][0].indices
                taken = within.program.names
                groups[m] = [*groups[n], *(_renamed(s, indices, taken) for s in groups[m])]
                groups[n], moved[n] = [], m


def _is_own(read: Read, s: Statement) -> bool:
    """Whether it is read at the point that the statement computes."""
    return read.subscripts == tuple(map(symbol, s.indices))


def _fits(some: Sequence[Statement], group: Sequence[Statement], within: _Statements) -> bool:
    """Whether one kernel for all does less than two: less is read, and no loop is begun twice for nothing."""
    s, first = some[0], group[0]
    if (s.target.shape, s.target.dtype) != (first.target.shape, first.target.dtype):
        return False
    if len(some) + len(group) > MOST_STORES or not all(map(within.is_plain, (s, first))):
        return False
    targets, others = ({t.target.name for t in ss} for ss in (some, group))
    reads, read = (frozenset[str]().union(*(t.reads for t in ss)) for ss in (some, group))
    if not (targets.isdisjoint(read) and others.isdisjoint(reads)):
        return True
    if reads.isdisjoint(read):
        return False
    if not all(_has_loops(ss) for ss in (some, group)):
        return True
    taken = within.program.names
    same = [_renamed(t, first.indices, taken) for t in some]
    return any(_reads_once(g) for g in alike([*group, *same], targets | others, taken))


def _reads_once(together: Sequence[tuple[Reduce, Expr]]) -> bool:
    """Whether an element that one of these sums reads is read by another too."""
    reads = [{e for e in postorder(body) if isinstance(e, Read)} for _, body in together]
    return sum(map(len, reads)) > len(set[Expr]().union(*reads))


def _has_loops(statements: Sequence[Statement]) -> bool:
    return any(isinstance(e, Reduce) for s in statements for e in postorder(s.body))


def _renamed(s: Statement, indices: tuple[Symbol, ...], taken: Set[Symbol]) -> Statement:
    """The statement with other indices, and bound ones that are called like none of them."""
    if s.indices == indices:
        return s
    values = {i: symbol(new) for i, new in zip(s.indices, indices, strict=True) if i != new}
    return replace(
        s,
        indices=indices,
        body=with_distinct_indices(substitute(s.body, values), taken | {*indices}),
    )


def alike(
    statements: Sequence[Statement], written: Set[str], taken: Set[Symbol]
) -> list[tuple[tuple[Reduce, Expr], ...]]:
    """The reductions that are always computed, those with the same ranges together: one loop does for all of them.

    Each has its body in the indices of the first, and no index of its own with a name in `taken`. What reads
    a tensor of `written` has to wait for it, and is left out; and so has what has another one inside.
    """
    taken = taken | {i for s in statements for i in s.indices}
    each = [e for s in statements for e in always(s.body) if isinstance(e, Reduce)]
    after = _levels(dict.fromkeys(each))
    groups: list[list[tuple[Reduce, Expr]]] = []
    for e, level in after.items():
        if any(isinstance(node, Read) and node.tensor in written for node in postorder(e)):
            continue
        for group in groups:
            first = group[0][0]
            body = _in_indices_of(first, e, taken) if after[first] == level else None
            if body is not None:
                group.append((e, body))
                break
        else:
            groups.append([(e, e.body)])
    return [tuple(group) for group in groups]


def _levels(reductions: Collection[Reduce]) -> dict[Reduce, int]:
    """How many of the reductions at most stand inside one another in each: one loop for two of a level needs no value of the other."""
    inside = {
        e: [x for x in postorder(e.body) if isinstance(x, Reduce) and x in reductions]
        for e in reductions
    }
    levels: dict[Reduce, int] = {}
    for e in sorted(reductions, key=lambda e: len(inside[e])):  # what is inside has fewer
        levels[e] = max((levels[x] + 1 for x in inside[e]), default=0)
    return {e: levels[e] for e in reductions}


def _in_indices_of(first: Reduce, e: Reduce, taken: Set[Symbol]) -> Expr | None:
    """The body in the indices of another reduction with the same ranges, its own ones not in `taken`; None if the ranges differ."""
    body = in_indices_of(first, e)
    if body is None or bound_names(e) == bound_names(first):
        return body
    return with_distinct_indices(body, taken | {*bound_names(first)})
