"""Long sums of few elements in parts, as statements of the same kind (two passes, in an order that sizes alone decide).

    f = sum{k} e(k)    is    p[t: T] = sum{m} e(t + T*m);  f = sum{t: T} p[t]

where neighbours in `t` read neighbours, and where the terms of one part lie side by side, with a warp per part,

    p[t: T] = sum{m, r: 32} e(32*T*m + 32*t + r)

A part that is empty is the neutral element, so `T` need not fit.

Where terms are sums over pairs, `e(i, j) = g(sum{d} h(x[i, d], y[j, d]))`, the first kind serves tiles: a block has neighbours in `i` and `t`, and
reads for them what it would for a product of matrices.

Where each term of such a sum is a long sum itself, it is the terms that are stored, for as many threads as there are of them:

    f = sum{j} g(sum{i} e(i, j))    is    t[j] = g(sum{i} e(i, j));  f = sum{j} t[j]

also where the range of `j` moves with an element: those of a remainder are `f[r: 3] = sum{q=0..(7 - r)//3} g(sum{i} e(i, r + 3*q))`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import ceil, isqrt, prod
from operator import itemgetter
from typing import Literal, TypeAlias

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import (
    EVERYWHERE,
    Condition,
    Derived,
    Domain,
    at_least_zero,
    quotients,
)
from tadc.ir.expr import NEUTRAL, Const, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, replaced, substitute
from tadc.normalize.reductions import extents_in_body
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.sampled import about
from tadc.schedule.gpu.sum_reads import along_rows, are_rows, has_windows, is_product
from tadc.schedule.gpu.terms import Counts, depends_on, guards, has_data, only, terms_of
from tadc.schedule.nest.cost import Points
from tadc.schedule.nest.layout import Layout
from tadc.schedule.nest.loop_nest import LetIndex
from tadc.schedule.nest.lower import kernels, loop_of
from tadc.schedule.nest.matrix_product import large_product
from tadc.schedule.nest.sizes import Sizes, values_of_sizes, with_midpoints
from tadc.schedule.rewrite.moved import at_combination
from tadc.schedule.rewrite.running import running
from tadc.schedule.rewrite.separate import Around, Separation

__all__ = ["split"]

# The kinds of parts: those of a warp, or of threads whose elements lie side by side; of products, those of tiles. Besides them there are
# parts of threads side by side, each of several elements that read the same; of products those of single elements, and of sums along diagonals
# those of tiles; those of threads that have the elements for all values of the indices that have few; and those of threads side by side that
# read `rows` too, each its own, of which a part has runs of neighbours, so that a block may copy these; and of products as `many` as keep a GPU
# busy whose threads have large tiles, along several indices if need be. Where terms are sums of products of
# something of the element by something of the term, parts are `pairs`' columns: a tile has pairs of elements and parts.
_Kind: TypeAlias = Literal["usual", "beside", "rows", "turned", "whole", "many", "pairs"]
# The seconds of some statements of a program, and the least that they need.
_Times: TypeAlias = Callable[[Program, Sequence[Statement]], tuple[float, float]]
OTHERS: tuple[_Kind, ...] = ("beside", "rows", "turned", "whole", "many")

WORTH = 2**12  # terms in all: with fewer another kernel costs more than it saves
WORTH_OF_OTHER = 2**18  # the same, where an index is cut that is not the longest
WORTH_OF_TERMS = 2**11  # the same, where terms are long sums
IN_VAIN = 1.5  # values that are computed for a term, of which about how many there are is known
SPARSE = 4  # places that are stored for each term: of more, most would have none
LEAST = 4  # terms of a thread
BETTER = 4  # parts: fewer are not worth a kernel
FEW_PARTS = 64  # of blocks: with fewer warps have them
ENOUGH_PARTS, MOST_PARTS = 2**12, 2**13  # of an element: a block adds them up
FEW_BUSY = 5  # times as many threads as are busy would be none too many
FEWER = 4  # times as many threads as those that have so many parts: some more are added up as soon
FEW_EACH = 8  # values of a part: another one more or less is noticed
LONG_PARTS = 64  # terms of each thread: such parts are worth some more
MANY_TERMS = 2**26  # from which on that time does not matter
MUCH = 2**22  # terms in all that are worth a look
MOST_BESIDE = 256  # parts that threads side by side have
COLUMNS, FEW_COLUMNS = 128, 32  # parts that a tile has side by side, and at least
MOST_OF_PAIRS = 2**24  # parts of all elements
FAR = 1.5  # times the least time: parts of another kind are looked at
WORTH_OF_OTHER_KIND = 1.1  # times as fast as the usual parts
SOON = 4  # launches: what takes no longer is looked at whole too
OF_TILE, OF_LARGE_TILE = 8, 64  # points of a thread
FEW_VALUES = 9  # of an index, of which a thread may have all
MOST_TERMS = 2**26  # sums that are stored to be summed
ITEM = 8  # bytes of a stored term, at most


def split(
    program: Program,
    sizes: Sizes | None,
    machine: Machine,
    *,
    blas: bool = False,
    room: int | None = None,
    times: _Times | None = None,
) -> Program:
    """The program whose sums have parts enough to keep a GPU busy, for these values of all sizes or typical ones.

    Without values elements that sizes count are taken for many. Running sums stay whole, and with `blas` large products. Where `times` says
    how long statements take, and at least, parts are those of warps or of threads side by side, whichever are faster.
    """
    names = Names((*program.tensors, *program.symbols))
    program = _with_terms(program, sizes, machine, room, names)
    parted_statements: dict[str, list[Statement]] = {}  # by what they are of
    for s in program.statements:
        statements = parted_statements[s.target.name] = []
        values = values_of_sizes(program, s.target.shape, sizes)
        parted: dict[Expr, Expr] = {}
        left_to_blas = blas and sizes is not None and large_product(s, program, sizes)
        runs = running(s, program)
        if not (has_data(s) or _are_many(s, sizes) or left_to_blas or runs):
            for e, where in guards(s.body).items():
                taken = times and partial(times, program)
                others = _mates(s, program) if taken and _of_pairs(e, s, values) else ()
                on = _On(
                    machine, Layout.of(program, values), values, sizes is not None, program.known
                )
                if found := _in_best_parts(e, s, where, on, names, taken, others):
                    before, parted[e] = found
                    statements += before
        statements.append(replace(s, body=replaced(s.body, parted)))
    if times:
        _in_one_pass(program, parted_statements, sizes, machine, names, times)
    made = chain.from_iterable(parted_statements.values())
    return replace(program, statements=tuple(made))


def _in_one_pass(
    program: Program,
    made: dict[str, list[Statement]],
    sizes: Sizes | None,
    machine: Machine,
    names: Names,
    times: _Times,
) -> None:
    """Put statements that may share a pass into the place of what was made of each alone, where that is faster."""
    for group in _rows_with_mates(program, sizes):
        targets = [s.target.name for s in group]
        apart = [one for t in targets for one in made[t]]
        if len(apart) > len(group):
            ways = _whole_or_in_columns(group, program, sizes, machine, names)
            taken, fastest = min(((times(program, w)[0], w) for w in ways), key=itemgetter(0))
            if WORTH_OF_OTHER_KIND * taken < times(program, apart)[0]:
                made |= {t: fastest if t == targets[-1] else [] for t in targets}


def _rows_with_mates(program: Program, sizes: Sizes | None) -> Iterator[tuple[Statement, ...]]:
    """The statements of kernels in which rows of a few values have mates, whose sums run over the same range and need the same values:

    dc[j, d: 3] = sum{i} g(i, j)*(x[i, d] - c[j, d])  and  dw[j] = sum{i} g(i, j)
    """
    for k in kernels(program, "parts"):
        targets = {s.target.name for s in k.statements}
        group = tuple(s for s in program.statements if s.target.name in targets)
        first, last = (program.statements.index(s) for s in (group[0], group[-1]))
        if any(not targets.isdisjoint(s.reads) for s in program.statements[first:last]):
            continue  # they are needed before the last of them can be computed
        shapes = sorted({s.target.shape for s in group}, key=len)
        if len(shapes) == 2 and not any(has_data(s) or s.derived for s in group):
            values = values_of_sizes(program, shapes[1], sizes)
            elements = [prod(max(1, n.at(values)) for n in shape) for shape in shapes]
            if elements[1] <= FEW_VALUES * elements[0]:
                yield group


def _whole_or_in_columns(
    group: Sequence[Statement],
    program: Program,
    sizes: Sizes | None,
    machine: Machine,
    names: Names,
) -> list[list[Statement]]:
    """The statements of a kernel as they are; and with parts, as many of each, that tiles have beside elements, if all may have such."""
    sums = [(s, e, where) for s in group for e, where in guards(s.body).items()]
    values = values_of_sizes(program, max((s.target.shape for s in group), key=len), sizes)
    points = sum(_elements(e, s, where, values) for s, e, where in sums)
    in_columns: list[Statement] = []
    for s, e, where in sums:
        parts = _columns(e, s, points, values, machine) if len(sums) == len(group) else None
        if parts is None:
            return [list(group)]
        before, _, whole = parts.statements(s, where, names)
        in_columns += [before, replace(s, body=replaced(s.body, {e: whole}))]
    return [list(group), in_columns]


def _are_many(s: Statement, sizes: Sizes | None) -> bool:
    """Whether the elements are taken for many: sizes without values count them."""
    return sizes is None and not all(n.is_constant for n in s.target.shape)


def _middle(s: Statement, values: Sizes) -> dict[Symbol, int]:
    """The values with one in the middle of each index of the statement."""
    middle = {**values, **{i: max(0, n.at(values)) // 2 for i, n in s.extents.items()}}
    for d in s.derived:
        if isinstance(d, Derived):
            middle[d.name] = d.form.at(middle) // d.modulus
    return middle


def _with_terms(
    program: Program, sizes: Sizes | None, machine: Machine, room: int | None, names: Names
) -> Program:
    """The program in which few elements are no sums of long sums: their terms are stored, if each fits into `room` bytes."""
    most = MOST_TERMS if room is None else min(MOST_TERMS, room // ITEM)
    statements: list[Statement] = []
    for s in program.statements:
        waiting, made = [s], list[Statement]()
        while waiting:  # terms may be sums of long sums themselves
            before, one, program = _terms_before(waiting.pop(), program, sizes, machine, most, names)  # fmt: skip
            made.append(one)
            waiting += before
        statements += reversed(made)
    return replace(program, statements=tuple(statements))


def _terms_before(
    s: Statement,
    program: Program,
    sizes: Sizes | None,
    machine: Machine,
    most: int,
    names: Names,
) -> tuple[list[Statement], Statement, Program]:
    """The statements of a statement's terms, and the one that reads them, in the program with the sizes of these. Each stores at most so many."""
    statements: list[Statement] = []
    stored: dict[Expr, Expr] = {}
    sums = {} if has_data(s) or _are_many(s, sizes) else guards(s.body)
    for e, where in sums.items():
        counts = Counts(names, program.derived_sizes)
        terms = terms_of(e, set(program.parameters), s.extents, counts) if _sums(e.body) else None
        if terms is None:
            continue
        counted = replace(program, derived_sizes=counts.sizes)
        values = values_of_sizes(counted, s.target.shape, sizes)
        box, derived = depends_on(e, where, s)
        box |= terms.box
        if not all(implies(counted.known, at_least_zero(n - 1)) for n in box.values()):
            continue  # for some sizes there would be no terms, and no tensor is empty
        if not _are_worth_storing(e, s, box, values, machine, most):
            continue
        number = _number(e, s, box.keys(), values)
        if found := _at_combinations(e, s, where, program, IN_VAIN * number, values, names):
            statement, read = found
            statements.append(statement)
            stored[e] = Reduce(e.op, e.indices, e.derived, e.domain, read)
        elif prod(max(1, n.at(values)) for n in box.values()) <= SPARSE * number:
            name = names.fresh(f"{s.target.name}_terms")
            target = Tensor(name, tuple(box.values()), s.target.dtype)
            statement, read = terms.stored(e.body, target, box, derived, where, NEUTRAL[e.op])
            statements.append(statement)
            stored[e], program = Reduce(e.op, e.indices, e.derived, e.domain, read), counted
    return statements, replace(s, body=replaced(s.body, stored)), program


def _at_combinations(
    e: Reduce,
    s: Statement,
    where: Domain,
    program: Program,
    most: float,
    values: Sizes,
    names: Names,
) -> tuple[Statement, Expr] | None:
    """The statement of the terms for each value of combinations of indices, if these are at most so many, and what reads them: of `g(sum{i} e(i, r + 3*q))` those of `r + 3*q`, which lie as their readers do, and side by side."""
    made: list[Statement] = []
    sizes, tried = frozenset(program.parameters), names.copy()
    separation = Separation(s, program, sizes, tried, dict(program.tensors), made)
    indices = tuple(extents_in_body(e, s.extents, sizes).items())
    around = Around(indices, program.known & s.box & where & e.domain)
    read = at_combination(separation, e.body, around, "terms", once=True)
    if read is None:
        return None
    (statement,) = made
    if prod(max(1, n.at(values)) for n in statement.target.shape) > most:
        return None  # values would be computed in vain
    known = {*s.indices, *e.indices}
    for new in (statement.target.name, *(i for i in statement.indices if i not in known)):
        names.fresh(new)
    return statement, read


def _sums(e: Expr) -> list[Reduce]:
    """The sums in the expression that are in no other, in choices too."""
    nodes = postorder((e,), lambda n: () if isinstance(n, Reduce) else n.operands)
    return [n for n in nodes if isinstance(n, Reduce)]


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
    inside = _inside(e, _middle(s, values))
    return (
        BETTER * elements <= machine.resident_threads
        and most >= terms >= elements
        and inside >= machine.warp
        and terms * inside >= WORTH_OF_TERMS
    )


def _number(e: Reduce, s: Statement, indices: Set[Symbol], values: Sizes) -> int:
    """About how many terms there are for those of the statement's indices: the range of an index may move with others, as that of a window."""
    elements = prod(max(1, n.at(values)) for i, n in s.extents.items() if i in indices)
    return elements * prod(_counts(e, _middle(s, values)).values())


def _nested(e: Expr, values: Sizes) -> int:
    """The steps of the sums inside the expression, for each of its values; 1 if there are none."""
    return max(1, sum(prod(_counts(n, values).values()) * _inside(n, values) for n in _sums(e)))


def _inside(e: Reduce, values: Sizes) -> int:
    """The steps of the sums inside a term in the middle of the sum `e`."""
    return _nested(e.body, _in_the_middle(e, values)[1])


@dataclass(frozen=True, slots=True)
class _On:
    """The machine that parts are for, where the tensors lie that they read, and numbers for all sizes: those of a call, if they are `given`; and what is
    known of sizes.
    """

    machine: Machine
    layout: Layout
    values: Sizes
    given: bool
    known: Domain


def _in_best_parts(
    e: Reduce,
    s: Statement,
    where: Domain,
    on: _On,
    names: Names,
    times: Callable[[Sequence[Statement]], tuple[float, float]] | None,
    mates: Sequence[Statement] = (),
) -> tuple[tuple[Statement, ...], Reduce] | None:
    """As `_in_parts`, in parts of the kind that is fastest, or whole. `mates` are the statements with which this one shares terms that are pairs."""
    if times is None:
        return _in_parts(e, s, where, on, names)
    # Others of its sums, which may still be whole, would hide what is gained.
    others_of_it: dict[Expr, Expr] = {
        other: Const(NEUTRAL[other.op]) for other in guards(s.body) if other is not e
    }
    alone = replace(s, body=replaced(s.body, others_of_it))

    def taken(
        found: tuple[tuple[Statement, ...], Reduce] | None, mates: Sequence[Statement] = ()
    ) -> tuple[float, float]:
        before, whole = found or ((), e)
        return times([*before, replace(alone, body=replaced(alone.body, {e: whole})), *mates])

    if pairs := _in_parts(e, s, where, on, names.copy(), "pairs"):
        time, least = taken(_in_parts(e, s, where, on, names.copy()), mates)
        if time > max(FAR * least, WORTH_OF_OTHER_KIND * taken(pairs, mates)[0]):
            return _in_parts(e, s, where, on, names, "pairs")
    usual = _in_parts(e, s, where, on, names.copy())
    made = {kind: _in_parts(e, s, where, on, names.copy(), kind) for kind in OTHERS}
    others = {kind: parts for kind, parts in made.items() if parts}
    if not (usual or others):
        return None
    time, least = taken(usual)
    if usual and time < SOON * on.machine.rates.launch and taken(None)[0] * WORTH_OF_OTHER_KIND < time:  # fmt: skip
        return None  # another launch takes longer than it spares
    if time > FAR * least:
        found: dict[_Kind | None, float] = {kind: taken(parts)[0] for kind, parts in others.items()}
        if usual:
            found[None] = taken(None)[0]  # whole
        fastest = min(found, key=found.__getitem__)
        if found[fastest] < time / WORTH_OF_OTHER_KIND:
            return _in_parts(e, s, where, on, names, fastest) if fastest else None
    return _in_parts(e, s, where, on, names)


def _in_parts(
    e: Reduce,
    s: Statement,
    where: Domain,
    on: _On,
    names: Names,
    kind: _Kind = "usual",
) -> tuple[tuple[Statement, ...], Reduce] | None:
    """The statements of the reduction's parts, and the reduction of them; None if it has no parts.

    Where one index has too few parts to keep a GPU busy, the parts have parts in another one.
    """
    parts = _parts(e, s, where, on, None, kind)
    if parts is None:
        return None
    first, of_parts, whole = parts.statements(s, where, names)
    while more := _parts(of_parts, first, where, on, parts.again(of_parts)):
        parts = more
        first, of_parts, inner = parts.statements(first, where, names)
        indices, domain = (*whole.indices, *inner.indices), whole.domain & inner.domain
        whole = Reduce(e.op, indices, (), domain, inner.body)
    counts = _counts(whole, on.values)
    number = prod(counts.values())
    if parts.team > 1 or number <= on.machine.block:
        return (first,), whole
    # Parts of an element lie apart: of so many parts some are added up before.
    longest = max(whole.indices, key=counts.__getitem__)
    some = _Parts(
        whole, longest, min(isqrt(number), counts[longest]), team=1, lanes=0, adjacent="", most=0
    )
    second, _, whole = some.statements(s, EVERYWHERE, names)
    return (first, second), whole


@dataclass(frozen=True, slots=True)
class _Again:
    """What is settled for parts that are cut again: the threads that have one, the index that stays whole for them, and how many there may be."""

    team: int
    whole: Symbol
    most: int
    kind: _Kind


@dataclass(frozen=True, slots=True)
class _Parts:
    """The reduction's index that is cut, into how many parts, and how many neighbours of it each has."""

    reduce: Reduce
    index: Symbol
    count: int
    team: int  # the threads that have a part: one, a warp or a block
    lanes: int  # so many neighbours in the index a part has one after the other, or a team in its threads; or 0
    adjacent: Symbol  # the index in which the team's threads are neighbours
    most: int  # parts, if these are cut again
    kind: _Kind = "usual"
    extent: Affine | None = None  # the number of values of the index, if each part has one

    def again(self, parts: Reduce) -> _Again:
        """What is settled for further parts of these."""
        at = self.reduce.indices.index(self.index)
        runs = self.lanes and self.kind != "rows"
        return _Again(self.team, parts.indices[at + 1] if runs else self.adjacent, self.most // self.count, self.kind)  # fmt: skip

    @property
    def _number(self) -> Affine:
        """How many parts there are."""
        return self.extent or constant(self.count)

    @property
    def _has_one_each(self) -> bool:
        """Whether each part has one value of the index, and all of others."""
        box = Domain.box({self.index: self._number}).conditions
        is_box = set(box) <= set(self.reduce.domain.conditions)
        return is_box and not self.lanes and len(self.reduce.indices) > 1

    def statements(
        self, s: Statement, where: Domain, names: Names
    ) -> tuple[Statement, Reduce, Reduce]:
        """The statement of the parts; the reduction in it; and that of the parts, which takes the place of the whole, which is needed `where`."""
        e, k = self.reduce, self.index
        t, m, r = (names.fresh(k) for _ in range(3))
        place = symbol(m) * self.count + symbol(t)
        new: tuple[Symbol, ...] = (m, r) if self.lanes else (m,)
        known: tuple[Condition, ...] = ()
        if self._has_one_each:
            place, new, known = symbol(t), (), Domain.box({k: self._number}).conditions
        if self.lanes:
            place = place * self.lanes
        values = {k: place + symbol(r) if self.lanes else place}
        conditions: list[Condition] = []
        for c in e.domain:
            if c in known:
                continue
            if c == at_least_zero(symbol(k)):
                conditions.append(at_least_zero(symbol(m)))
                continue
            conditions.append(c.substitute(values))
            if self.lanes and c.relation == ">=" and (a := c.form.coefficient(k)):
                # The implied bounds of `m`, whose loop is outside.
                most = place + (self.lanes - 1 if a > 0 else 0)
                conditions.append(c.substitute({k: most}))
        indices = tuple(i for old in e.indices for i in (new if old == k else (old,)))
        if self.kind == "rows" and self.lanes:  # neighbours of a row are copied at once
            indices = (*(i for i in indices if i != r), r)
        body = Reduce(
            e.op,
            indices,
            tuple(d.substitute(values) for d in e.derived),
            Domain.of(conditions) & Domain.box({r: constant(self.lanes)} if self.lanes else {}),
            substitute(e.body, values),
        )
        box, derived = depends_on(e, where, s)
        count = {t: self._number}
        is_last = (
            self.team > 1
            or self.kind == "pairs"
            or (self.kind in {"beside", "rows"} and k == self.adjacent)
        )
        box = {**box, **count} if is_last else {**count, **box}
        name = names.fresh(f"{s.target.name.removesuffix('_parts')}_parts")
        target = Tensor(name, tuple(box.values()), s.target.dtype)
        read = Read(target.name, tuple(map(symbol, box)))
        return (
            Statement(target, tuple(box), derived, only(where, body, NEUTRAL[e.op])),
            body,
            Reduce(e.op, (t,), (), Domain.box(count), read),
        )


def _parts(
    e: Reduce,
    s: Statement,
    where: Domain,
    on: _On,
    again: _Again | None,
    kind: _Kind = "usual",
) -> _Parts | None:
    """The parts that the reduction is cut into, None if it is not. It may be one that cuts `again`."""
    values, machine = on.values, on.machine
    points = _elements(e, s, where, values)
    kind = again.kind if again else kind
    if kind == "pairs":
        return None if again else _columns(e, s, points, values, machine)
    beside, is_of_products = kind == "beside", is_product(e, s.extents, s.derived, values)
    of_tiles = is_of_products != (kind == "turned")
    if of_tiles and not is_of_products and not has_windows(e, s):
        return None
    fewest = 2 if again else BETTER
    of_thread = _whole(s, values) if kind == "whole" else OF_LARGE_TILE if kind == "many" else OF_TILE if of_tiles or beside else 1  # fmt: skip
    if fewest * points > machine.resident_threads * of_thread:
        return None
    if of_tiles and again and kind != "many":
        return None  # blocks have tiles of it
    middle = _middle(s, values)
    counts = _counts(e, middle)
    terms = prod(counts.values()) * _inside(e, middle)
    if points * terms < WORTH:
        return None
    warp = machine.warp
    if kind in ({"beside", "rows", "whole"} if is_of_products else {"many"}):
        return None
    if of_tiles and points < OF_TILE:
        return None
    if kind == "whole" and of_thread == 1:
        return None
    if kind != "usual" and not again and points * terms < MUCH:
        return None
    if of_tiles:
        # A thread has several points. The innermost loop stays whole, or blocks of neighbours of it do.
        *outer, inner = counts
        index = max(outer, key=lambda i: counts[i], default=inner)
        index = index if counts[index] >= BETTER * LEAST else inner
        team, adjacent, threads = 1, "", points / of_thread
        # Sums in the terms have the innermost loop.
        lanes = warp if index == inner and not _sums(e.body) else 0
        least = LEAST * lanes if lanes else 1
    else:
        if again:
            team, adjacent = again.team, again.whole
        elif kind in {"rows", "whole"}:
            team, adjacent = 1, ""
        else:
            adjacent = _neighbours(e, s, points, counts, on)
            team = warp if adjacent else 1
        if beside and not again:
            if team == 1 or points < BETTER:
                return None
            number = counts[adjacent]
            number = number if number < 2 * MOST_BESIDE else MOST_BESIDE
            return _Parts(e, adjacent, number, 1, 0, adjacent, OF_TILE * MOST_PARTS, kind)
        if kind == "rows" and not again:
            return _beside_rows(e, counts, machine)
        along = along_rows(e, s.indices[-1:], counts) if kind == "rows" else ""
        free = {i: n for i, n in counts.items() if not (again and i in {adjacent, along})}
        if along and counts[along] >= BETTER * warp:
            free = {along: counts[along]}
        index = max(free, key=lambda i: free[i], default="")
        is_short = team > 1 and adjacent == index and free[index] < fewest * team
        if is_short and points * terms >= WORTH_OF_OTHER:
            # It has no parts for warps: it stays whole, and another index is cut.
            del free[index]
            index = max(free, key=lambda i: free[i], default=index)
        rows = kind == "whole" and are_rows(e, index)
        if adjacent == index and not again:
            team = _team(e, adjacent, points, counts[index], terms, on)
        runs = rows or (along and index == along)
        lanes = warp if runs else team if team > 1 and adjacent == index else 0
        threads = points * team / of_thread
        least = max(1, lanes, LEAST * counts.get(index, 1) * team // terms)
    is_idle = FEWER * points * ENOUGH_PARTS <= machine.resident_threads
    most = (
        again.most
        if again
        else MOST_PARTS
        if terms >= MANY_TERMS or (is_idle and team == 1)
        else ENOUGH_PARTS
    )
    room = int(machine.resident_threads // threads)
    if 1 <= room < BETTER and team <= warp and terms >= LONG_PARTS * BETTER * warp:
        room = BETTER  # a GPU is busier with more threads than fit at once
    count = min(room, counts.get(index, 0) // least, most)
    if count < fewest:
        return None
    number = _even(count, -(-counts[index] // max(1, lanes)))
    all_alike = set(s.indices).isdisjoint(e.domain.symbols)
    if of_tiles and lanes and on.given and all_alike and number >= fewest:
        # A part is one run of neighbours, of which a block copies some ahead while it adds up others.
        lanes *= -(-counts[index] // (number * lanes))
        number = -(-counts[index] // lanes)
    if number < fewest:
        return None
    extent = None if lanes or number < counts[index] else _extent(e, index, on)
    return _Parts(e, index, number, team, lanes, adjacent, most, kind, extent)


def _beside_rows(e: Reduce, counts: Mapping[Symbol, int], machine: Machine) -> _Parts | None:
    """Parts of threads side by side, of which each reads in a row of its own too."""
    long = (i for i in sorted(counts, key=lambda i: -counts[i]) if counts[i] >= machine.warp)
    near = next((i for i in long if along_rows(e, (i,), counts)), "")
    if not near:
        return None
    number = counts[near] if counts[near] < 2 * MOST_BESIDE else MOST_BESIDE
    return _Parts(e, near, number, 1, 0, near, int(machine.resident_threads), "rows")


def _extent(e: Reduce, index: Symbol, on: _On) -> Affine | None:
    """How many values the index has whatever others are, in terms of sizes, if it begins with 0 and is known to have some."""
    if not on.given or len(e.indices) == 1 or at_least_zero(symbol(index)) not in e.domain:
        return None
    ends = (c.form + symbol(index) for c in e.domain if c.form.coefficient(index) == -1)
    sizes = [form + 1 for form in ends if set(form.symbols) <= on.values.keys()]
    known = (n for n in sizes if implies(on.known, at_least_zero(n - 1)))
    return next(known, None) if len(sizes) == 1 else None


def _columns(
    e: Reduce, s: Statement, points: int, values: Sizes, machine: Machine
) -> _Parts | None:
    """Parts that tiles have beside elements, as many as keep a GPU busy."""
    counts = _counts(e, _middle(s, values))
    index = _of_pairs(e, s, values)
    if counts.get(index, 0) < LEAST * COLUMNS or points * prod(counts.values()) < MUCH:
        return None
    busy = max(COLUMNS, min(MOST_PARTS, machine.resident_threads * OF_TILE // points))
    room = min(busy, counts[index] // LEAST, MOST_OF_PAIRS // points)
    if room < FEW_COLUMNS:
        return None
    number = 1 << room.bit_length() - 1
    return _Parts(e, index, number, 1, 0, index, number, "pairs")


def _of_pairs(e: Reduce, s: Statement, values: Sizes) -> Symbol:
    """The index of the sum, if there is one, whose terms are sums of products of something of the element by something of the term."""
    counts = _counts(e, _middle(s, values))
    sums, derived = _sums(e.body), (*s.derived, *e.derived)
    for i in sorted(counts, key=lambda i: -counts[i]):
        pairs = {**s.extents, i: constant(counts[i])}
        if any(is_product(r, pairs, derived, values, i) for r in sums):
            return i
    return ""


def _mates(s: Statement, program: Program) -> tuple[Statement, ...]:
    """The others of the kernel that the statement would be in."""
    groups = ({t.target.name for t in k.statements} for k in kernels(program, "parts"))
    group = next(g for g in groups if s.target.name in g)
    return tuple(t for t in program.statements if t.target.name in group and t is not s)


def _even(count: int, values: int) -> int:
    """About so many parts of some values: of about as many each where these are few, else a power of two."""
    if count + 1 >= values:
        return values
    each = -(-values // count)
    return -(-values // each) if each <= FEW_EACH else 1 << count.bit_length() - 1


def _elements(e: Reduce, s: Statement, where: Domain, values: Sizes) -> int:
    """The number of elements that need the sum, at least 1; if most have no term, of about those that have some."""
    box = Points(s.indices, quotients(s.derived), Domain.box(s.extents) & where)
    number = prod(max(1, n.at(values)) for n in s.target.shape)
    if where != EVERYWHERE:
        number = max(1, round(about(box, values)))
    if set(s.indices).isdisjoint(e.domain.symbols):
        return number
    inside = Points(
        (*s.indices, *e.indices), quotients((*s.derived, *e.derived)), box.domain & e.domain
    )
    counts = _counts(e, _middle(s, values)).values()
    return max(1, min(number, ceil(about(inside, values) / prod(counts))))


def _neighbours(
    e: Reduce,
    s: Statement,
    points: int,
    counts: Mapping[Symbol, int],
    on: _On,
) -> Symbol:
    """The index in which threads of a team are neighbours, if one is to have a part of each of so many points; else none."""
    values, machine = on.values, on.machine
    reads, costs, warp = _reads(e), machine.costs, machine.warp

    def cost(read: Read, varying: Symbol) -> float:
        apart = on.layout.apart(read.tensor, read.subscripts, varying)
        return min(costs.strided, apart) if apart else costs.broadcast

    def paid(varying: Symbol) -> float:
        return sum(cost(read, varying) for read in reads)

    long = {i: paid(i) for i, n in counts.items() if n >= warp}
    if not long:
        return ""
    adjacent = min(long, key=long.__getitem__)
    # Threads side by side are neighbours in the statement's last index, if there are enough of them.
    several = [(i, n) for i, n in zip(s.indices, s.target.shape, strict=True) if n.at(values) > 1]
    if several and several[-1][1].at(values) >= warp:
        return adjacent if long[adjacent] < paid(several[-1][0]) else ""
    if FEW_BUSY * points * MOST_PARTS >= machine.resident_threads:
        # With a thread a part enough are busy, and what does not depend on the index tells nothing.
        reads = [read for read in reads if adjacent in read.symbols]
    if reads and all(cost(read, adjacent) >= costs.strided for read in reads):
        return ""
    # Of teams there are fewer parts, which are added up sooner.
    return adjacent


def _team(e: Reduce, adjacent: Symbol, points: int, neighbours: int, terms: int, on: _On) -> int:
    """The threads that have a part: a block if there are enough, and neighbours for its threads, since fewer parts are added up sooner; in
    text for any sizes, where neighbours lie apart, and where blocks would have too few parts of so many terms, a warp.
    """
    machine = on.machine
    fits = FEW_PARTS * machine.block * points <= machine.resident_threads
    are_long = on.given and neighbours >= LEAST * machine.block
    are_many = neighbours // max(machine.block, LEAST * neighbours * machine.block // terms) >= BETTER  # fmt: skip
    read = [r for r in _reads(e) if adjacent in r.symbols]
    apart = (on.layout.apart(r.tensor, r.subscripts, adjacent) for r in read)
    are_near = all(n is not None and n < machine.costs.strided for n in apart)
    return machine.block if fits and are_long and are_many and are_near else machine.warp


def _reads(e: Reduce) -> list[Read]:
    """The elements that terms read."""
    return [r for r in postorder((e.body,)) if isinstance(r, Read) and r.subscripts]


def _whole(s: Statement, values: Sizes) -> int:
    """The elements of a thread that has all values of the indices that have few."""
    few = (n.at(values) for n in s.target.shape)
    return min(OF_TILE, prod(n for n in few if n <= FEW_VALUES))


def _counts(e: Reduce, values: Sizes) -> dict[Symbol, int]:
    """Approximate trip counts of the loops of each index."""
    return _in_the_middle(e, values)[0]


def _in_the_middle(e: Reduce, values: Sizes) -> tuple[dict[Symbol, int], Sizes]:
    """Approximate trip counts of the loops of each index, and the values with those of a term in the middle."""
    bounds, trips = bounded(e), dict[Symbol, int]()
    values = with_midpoints([LetIndex(d) for d in bounds.derived], values)
    for b in bounds.each:
        trips[b.range.index] = max(1, b.range.trips_at(values))
        values = with_midpoints(loop_of(b, ()), values)
    return trips, values
