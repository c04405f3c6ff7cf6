"""Long sums of few elements in parts, as statements of the same kind (two passes, in an order that sizes alone decide).

    f = sum{k} e(k)    is    p[t: T] = sum{m} e(t + T*m);  f = sum{t: T} p[t]

where neighbours in `t` read neighbours, and where the terms of one part lie side by side, with a warp per part,

    p[t: T] = sum{m, r: 32} e(32*T*m + 32*t + r)

A part that is empty is the neutral element, so `T` need not fit.

Where each term of such a sum is a long sum itself, it is the terms that are stored, for as many threads as there are of them:

    f = sum{j} g(sum{i} e(i, j))    is    t[j] = g(sum{i} e(i, j));  f = sum{j} t[j]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import EVERYWHERE, Condition, Domain, at_least_zero
from tadc.ir.expr import NEUTRAL, Comparison, Const, Expr, Read, Reduce, ReduceOp, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import replaced, substitute
from tadc.normalize.reductions import plain_extent
from tadc.schedule.gpu.cost import (
    Sizes,
    cost,
    subscripts,
    values_of_sizes,
    with_midpoints,
)
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.nest.lower import loop_of
from tadc.schedule.nest.matrix_product import large_product
from tadc.schedule.rewrite.rows import always
from tadc.schedule.rewrite.running import running

__all__ = ["split"]

WORTH = 2**16  # terms in all: with fewer another kernel costs more than it saves
LEAST = 4  # terms of a thread
BETTER = 4  # parts: fewer are not worth a kernel
LONG = 16  # an index of which a tile has several values
OF_TILE = 8  # points of a thread
MOST_TERMS = 2**26  # sums that are stored to be summed
ITEM = 8  # bytes of a stored term, at most


def split(
    program: Program,
    sizes: Sizes | None,
    machine: Machine,
    *,
    blas: bool = False,
    room: int | None = None,
) -> Program:
    """The program whose sums have parts enough to keep a GPU busy, for these values of all sizes or typical ones.

    Without values elements that sizes count are taken for many. Running sums stay whole, and with `blas` large products.
    """
    names = Names((*program.tensors, *program.symbols))
    program = _with_terms(program, sizes, machine, room, names)
    statements: list[Statement] = []
    for s in program.statements:
        values = values_of_sizes(program, s.target.shape, sizes)
        parted: dict[Expr, Expr] = {}
        left_to_blas = blas and sizes is not None and large_product(s, program, sizes)
        many = sizes is None and not all(n.is_constant for n in s.target.shape)
        runs = running(s, program)
        if not (s.derived or many or left_to_blas or runs):
            for e, where in _guards(s.body).items():
                parts = _parts(e, s, values, machine)
                if parts:
                    first, parted[e] = parts.statements(s, where, names)
                    statements.append(first)
        statements.append(replace(s, body=replaced(s.body, parted)))
    return replace(program, statements=tuple(statements))


def _with_terms(
    program: Program, sizes: Sizes | None, machine: Machine, room: int | None, names: Names
) -> Program:
    """The program in which few elements are no sums of long sums: their terms are stored, if each fits into `room` bytes."""
    most = MOST_TERMS if room is None else min(MOST_TERMS, room // ITEM)
    parameters = set(program.parameters)
    statements: list[Statement] = []
    for s in program.statements:
        values = values_of_sizes(program, s.target.shape, sizes)
        stored: dict[Expr, Expr] = {}
        for e, where in _guards(s.body).items() if not s.derived else ():
            box = _box_of_terms(e, where, s, parameters)
            if box and not all(implies(program.known, at_least_zero(n - 1)) for n in box.values()):
                box = None  # for some sizes there would be no terms, and no tensor is empty
            if box and _are_worth_storing(e, s, box, values, machine, most):
                target = Tensor(names.fresh(f"{s.target.name}_terms"), tuple(box.values()), s.target.dtype)  # fmt: skip
                statements.append(Statement(target, tuple(box), (), _only(where, e.body, e.op)))
                read = Read(target.name, tuple(map(symbol, box)))
                stored[e] = Reduce(e.op, e.indices, e.derived, e.domain, read)
        statements.append(replace(s, body=replaced(s.body, stored)))
    return replace(program, statements=tuple(statements))


def _guards(body: Expr) -> dict[Reduce, Domain]:
    """The sums in no other sum, with where their values are needed; those that are needed in places of several kinds have none.

    What is needed always is computed so, although it may be needed in a choice as well.
    """
    found: dict[Reduce, dict[Domain | None, None]] = {}
    seen: set[tuple[Expr, Domain | None]] = set()
    waiting: list[tuple[Expr, Domain | None]] = [(body, EVERYWHERE)]
    while waiting:
        e, where = waiting.pop()
        if (e, where) in seen:
            continue
        seen.add((e, where))
        match e:
            case Reduce():
                found.setdefault(e, {})[where] = None
                waiting.append((e.body, None))
            case Select(Domain() as domain, then, otherwise):
                waiting += [(otherwise, None), (then, None if where is None else where & domain)]
            case Select(Comparison(_, left, right), then, otherwise):
                waiting += [(otherwise, None), (then, None), (right, where), (left, where)]
            case _:
                waiting += [(o, where) for o in reversed(e.operands)]
    guards = {}
    for e, places in found.items():
        where = EVERYWHERE if EVERYWHERE in places else next(iter(places))
        if where is not None and (where == EVERYWHERE or len(places) == 1):
            guards[e] = where
    return guards


def _only(where: Domain, e: Expr, op: ReduceOp) -> Expr:
    """The value where it is needed, the neutral element of the operation elsewhere: reads may be outside there."""
    return e if where == EVERYWHERE else Select(where, e, Const(NEUTRAL[op]))


def _box_of_terms(
    e: Reduce, where: Domain, s: Statement, sizes: set[Symbol]
) -> dict[Symbol, Affine] | None:
    """The indices of the terms with their extents; None where their ranges are not plain, or no term is a sum."""
    if e.derived or not any(isinstance(n, Reduce) for n in always(e.body)):
        return None
    box = {i: s.extents[i] for i in s.indices if i in e.symbols or i in where.symbols}
    for i in e.indices:
        extent = plain_extent(i, e.domain, sizes)
        if extent is None:
            return None
        box[i] = extent
    inner = Domain.box({i: box[i] for i in e.indices})
    return box if set(e.domain.conditions) <= set(inner.conditions) else None


def _are_worth_storing(
    e: Reduce,
    s: Statement,
    box: Mapping[Symbol, Affine],
    values: Sizes,
    machine: Machine,
    most: int,
) -> bool:
    """Whether the elements are few, their terms many, but at most `most`, and each of these long."""
    elements = prod(max(1, n.at(values)) for n in s.target.shape)
    terms = prod(max(1, n.at(values)) for n in box.values())
    middle = {i: max(0, n.at(values)) // 2 for i, n in box.items()}
    inside = _nested(e.body, {**values, **middle})
    return (
        BETTER * elements <= machine.resident_threads
        and most >= terms > elements
        and inside >= LEAST * machine.warp
        and terms * inside >= WORTH
    )


def _nested(e: Expr, values: Sizes) -> int:
    """The steps of the sums inside the expression, for each of its values; 1 if there are none."""
    sums = (n for n in always(e) if isinstance(n, Reduce))
    return max(1, sum(prod(_counts(n, values).values()) * _inside(n, values) for n in sums))


def _inside(e: Reduce, values: Sizes) -> int:
    middle = {i: max(0, n) // 2 for i, n in _counts(e, values).items()}
    return _nested(e.body, {**values, **middle})


@dataclass(frozen=True, slots=True)
class _Parts:
    """The reduction's index that is cut, into how many parts, and whether a warp has neighbours of it in each."""

    reduce: Reduce
    index: Symbol
    count: int
    warps: bool  # a warp has a part, else a thread
    lanes: int  # of the warp's threads are neighbours in the index itself: all, or 0

    def statements(self, s: Statement, where: Domain, names: Names) -> tuple[Statement, Expr]:
        """The statement of the parts, and the reduction of them that takes the place of the whole, which is needed `where`."""
        e, k = self.reduce, self.index
        t, m, r = (names.fresh(k) for _ in range(3))
        place = symbol(m) * self.count + symbol(t)
        new = (m, r) if self.lanes else (m,)
        if self.lanes:
            place = place * self.lanes
        values = {k: place + symbol(r) if self.lanes else place}
        conditions: list[Condition] = []
        for c in e.domain:
            if c == at_least_zero(symbol(k)):
                conditions.append(at_least_zero(symbol(m)))
                continue
            conditions.append(c.substitute(values))
            if self.lanes and c.relation == ">=" and (a := c.form.coefficient(k)):
                # The implied bounds of `m`, whose loop is outside.
                most = place + (self.lanes - 1 if a > 0 else 0)
                conditions.append(c.substitute({k: most}))
        body = Reduce(
            e.op,
            tuple(i for old in e.indices for i in (new if old == k else (old,))),
            tuple(d.substitute(values) for d in e.derived),
            Domain.of(conditions) & Domain.box({r: constant(self.lanes)} if self.lanes else {}),
            substitute(e.body, values),
        )
        free = [i for i in s.indices if i in e.symbols or i in where.symbols]
        box = {i: s.extents[i] for i in free}
        count = {t: constant(self.count)}
        box = {**box, **count} if self.warps else {**count, **box}
        target = Tensor(names.fresh(f"{s.target.name}_parts"), tuple(box.values()), s.target.dtype)
        read = Read(target.name, tuple(map(symbol, box)))
        return (
            Statement(target, tuple(box), (), _only(where, body, e.op)),
            Reduce(e.op, (t,), (), Domain.box(count), read),
        )


def _parts(e: Reduce, s: Statement, values: Sizes, machine: Machine) -> _Parts | None:
    """The parts that the reduction is cut into, None if it is not."""
    points = prod(max(1, n.at(values)) for n in s.target.shape)
    is_product = _is_product(e, s, values)
    if BETTER * points > machine.resident_threads * (OF_TILE if is_product else 1):
        return None
    middle = {i: max(0, n.at(values)) // 2 for i, n in s.extents.items()}
    counts = _counts(e, {**values, **middle})
    inside = _inside(e, {**values, **middle})
    if points * prod(counts.values()) * inside < WORTH:
        return None
    longest = max(counts, key=lambda i: counts[i])
    warp, costs = machine.warp, machine.costs
    reads = list(subscripts(e.body))

    def paid(varying: Symbol) -> float:
        return sum(cost(read, {varying}, costs) for read in reads)

    if is_product:
        # A thread has several points. The innermost loop stays whole, or blocks of neighbours of it do.
        *outer, inner = counts
        index = max(outer, key=lambda i: counts[i], default=inner)
        index = index if counts[index] >= BETTER * LEAST else inner
        warps, in_lanes, threads = False, index == inner, points / OF_TILE
        least = LEAST * warp if in_lanes else 1
    else:
        # Threads side by side are neighbours in the last index, if there are enough of them.
        neighbours = s.indices and s.target.shape[-1].at(values) >= warp
        strided = costs.strided * len(reads)
        by_threads = paid(s.indices[-1]) if neighbours else strided
        by_index = {i: paid(i) for i in counts if counts[i] >= warp}
        adjacent = min(by_index, key=lambda i: by_index[i], default=longest)
        by_warps = by_index.get(adjacent, strided)
        index = longest
        warps = by_warps < by_threads
        in_lanes = warps and adjacent == longest
        threads = points * (warp if warps else 1)
        least = max(1, LEAST // inside) * (warp if in_lanes else 1)
    count = min(int(machine.resident_threads // threads), counts[index] // least)
    if count < BETTER:
        return None
    return _Parts(e, index, 1 << count.bit_length() - 1, warps, warp if in_lanes else 0)


def _is_product(e: Reduce, s: Statement, values: Sizes) -> bool:
    """Whether there are two long indices, on which no range depends, and each read in the loops is without one of them."""
    depended_on = {i for c in e.domain if not c.form.coefficients.keys().isdisjoint(e.indices) for i in c.form.symbols}  # fmt: skip
    depended_on |= {i for d in (*e.derived, *s.derived) for i in d.symbols}
    long = [i for i, n in s.extents.items() if n.at(values) >= LONG and i not in depended_on]
    reads = ({i for form in indices for i in form.symbols} for indices in subscripts(e.body))
    used = [indices for indices in reads if not indices.isdisjoint(e.indices)]
    return any(
        all(not {i, j} <= indices for indices in used) and {i, j} <= set().union(*used)
        for i, j in combinations(long, 2)
    )


def _counts(e: Reduce, values: Sizes) -> dict[Symbol, int]:
    """Approximate trip counts of the loops of each index."""
    trips = {}
    for b in bounded(e).each:
        loop = loop_of(b, ())
        trips[b.range.index] = b.range.trips_at(values)
        values = with_midpoints(loop, values)
    return trips
