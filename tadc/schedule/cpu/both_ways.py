"""Sums of the rows and sums of the columns of the same expensive values, in one pass over their pairs.

    f[i] = sum{j} w[j]*exp(-s(i,j));  dw[j] = sum{i} g[i]*exp(-s(i,j))

as two kernels compute each exponential twice. Here a thread goes through some of the rows, a few at a time. Neighbours `j` are its
lanes: it adds terms of the rows to sums of its own, and those of the columns to a row of parts that stays in a cache:

    p[t: 64, j] = sum{m, r: 4} g[4*(64*m + t) + r]*exp(-s(4*(64*m + t) + r, j));  dw[j] = sum{t} p[t,j]

The parts follow from the extents.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.expr import Const, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.range import Range
from tadc.ir.walk import descend, postorder, replaced, rewrite, substitute
from tadc.normalize.plain_names import with_distinct_indices
from tadc.normalize.reductions import plain_extent
from tadc.schedule.cpu.machine import ITEM_BYTES, Processor
from tadc.schedule.cpu.parts import sum_of_parts
from tadc.schedule.cpu.short import Simplification
from tadc.schedule.cpu.transposed import copy_of, permuted
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    Accumulator,
    Branch,
    Kernel,
    Loop,
    Store,
    steps_of,
)
from tadc.schedule.nest.lower import Block, Lowering
from tadc.schedule.nest.unrolled import at_points, side_by_side
from tadc.schedule.rewrite.rows import always, is_expensive

__all__ = ["BothWays", "in_one_pass", "with_columns_in_parts"]

PARTS = 64
FEWEST_ROWS, MOST_ROWS = 4 * PARTS, 2**17  # of more a part would have many terms
FEWEST_COLUMNS = 128
MOST_SUMS = 9  # of a row, and of a column
FEW_SUMS = 4  # registers hold those of four rows


@dataclass(frozen=True, slots=True)
class BothWays:
    """The `statements` of sums of rows and of parts of columns, over the pairs of a `row` and a `column`, and for each part's target
    what a row adds to it: a term, in terms of these and of the part's `others`.
    """

    row: Symbol
    column: Symbol
    statements: tuple[Statement, ...]
    terms: Mapping[str, Expr]
    side: int  # rows at a time

    @property
    def targets(self) -> frozenset[str]:
        return frozenset(s.target.name for s in self.statements)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A statement whose one sum goes through all values of `inner` for each value of `outer`, and its `others`, which are few."""

    s: Statement
    e: Reduce
    outer: Symbol
    inner: Symbol
    extents: tuple[Affine, Affine]
    others: Mapping[Symbol, int]

    @property
    def count(self) -> int:
        """How many sums it has for a value of `outer`."""
        return prod(self.others.values())

    def points(self) -> Iterator[dict[Symbol, Affine]]:
        """The values of its other indices."""
        for point in product(*(range(n) for n in self.others.values())):
            yield {i: constant(n) for i, n in zip(self.others, point, strict=True)}


def with_columns_in_parts(
    program: Program, usual: Mapping[Symbol, int], machine: Processor
) -> tuple[Program, BothWays | None]:
    """The program with the sums of columns in parts, for the first expensive values whose rows are added up too; None where there
    are none. `usual` has about how large all sizes are.
    """
    found = [each for s in program.statements if (each := _sum_of(s, program))]
    for n, first in enumerate(found):
        rows = [each for each in found[n:] if _goes_as(each, first)]
        columns = [each for each in found if _goes_across(each, first)]
        shared = _shared(first, columns)
        rows = [each for each in rows if not shared.isdisjoint(postorder(each.e.body))]
        if shared and _is_worth_it(rows, columns, program, usual, machine):
            made = _in_parts(rows, columns, program)
            if made:
                return made
    return program, None


def _sum_of(s: Statement, program: Program) -> _Sum | None:
    """The statement's one sum, if it goes through all values of one index, for one index of the statement and few values of others."""
    sums = [e for e in always(s.body) if isinstance(e, Reduce)]
    if len(sums) != 1 or s.derived or s.target.dtype:
        return None
    (e,) = sums
    if e.op != "sum" or len(e.indices) != 1 or e.derived:
        return None
    (inner,) = e.indices
    extent = plain_extent(inner, e.domain, frozenset(program.parameters))
    if extent is None or e.domain != Domain.box({inner: extent}):
        return None
    others = {i: n.constant for i, n in s.extents.items() if n.is_constant and n.constant <= MOST_SUMS}  # fmt: skip
    outer = [i for i in s.indices if i not in others]
    if len(outer) != 1 or any(t == s.target.name for t in s.reads):
        return None
    # Equal values are to be equal expressions.
    bound = {i for each in program.statements for i in each.indices} | {*program.names, inner}
    plain = Reduce("sum", e.indices, (), e.domain, with_distinct_indices(e.body, bound))
    s = replace(s, body=replaced(s.body, {e: plain}))
    return _Sum(s, plain, outer[0], inner, (s.extents[outer[0]], extent), others)


def _goes_as(other: _Sum, first: _Sum) -> bool:
    return (other.outer, other.inner, other.extents) == (first.outer, first.inner, first.extents)


def _goes_across(other: _Sum, first: _Sum) -> bool:
    return (other.outer, other.inner) == (
        first.inner,
        first.outer,
    ) and other.extents == first.extents[::-1]


def _shared(first: _Sum, columns: Sequence[_Sum]) -> set[Expr]:
    """The expensive values of pairs that the terms of a row and those of the columns need."""
    pair = {first.outer, first.inner}
    own = {e for e in postorder(first.e.body) if is_expensive(e) and pair <= e.symbols}
    return own.intersection(*(postorder(c.e.body) for c in columns)) if columns else set()


def _is_worth_it(
    rows: Sequence[_Sum],
    columns: Sequence[_Sum],
    program: Program,
    usual: Mapping[Symbol, int],
    machine: Processor,
) -> bool:
    """Whether registers hold the sums, a cache the parts, and there are many pairs."""
    sizes = program.size_values(usual)
    n, m = (extent.at(sizes) for extent in rows[0].extents)
    return (
        sum(each.count for each in rows) <= MOST_SUMS
        and sum(each.count for each in columns) <= MOST_SUMS
        and FEWEST_ROWS <= n <= MOST_ROWS
        and m >= FEWEST_COLUMNS
        and 2 * ITEM_BYTES * m * sum(each.count for each in columns) <= machine.cache_bytes
    )


def _in_parts(
    rows: Sequence[_Sum], columns: Sequence[_Sum], program: Program
) -> tuple[Program, BothWays] | None:
    """The program with parts behind the statements of the rows; None where these do not have what parts read, or neighbours lie apart."""
    place = {s.target.name: n for n, s in enumerate(program.statements)}
    start, end = (of(place[each.s.target.name] for each in rows) for of in (min, max))
    own = {each.s.target.name for each in rows}
    across = {each.s.target.name for each in columns}
    between = {s.target.name for s in program.statements[start:end]} - own
    reads = {t for each in (*rows, *columns) for t in each.s.reads}
    if (
        between
        or any(place.get(t, -1) >= start for t in reads)
        or any(place[t] < start for t in across)
    ):
        return None
    names = Names((*program.tensors, *program.symbols))
    copies = _Copies(rows[0].inner, program, names)
    of_rows = [replace(each.s, body=copies.read(each.s.body)) for each in rows]
    side = 4 if sum(each.count for each in rows) <= FEW_SUMS else 2
    parts, made, terms = list[Statement](), dict[str, Statement](), dict[str, Expr]()
    for each in columns:
        term = copies.read(each.e.body)
        part, total = _parts_of(each, term, side, names)
        parts.append(part)
        terms[part.target.name] = term
        made[each.s.target.name] = replace(each.s, body=replaced(each.s.body, {each.e: total}))
    if copies.apart:
        return None
    statements = (
        *program.statements[:start],
        *copies.made.values(),
        *of_rows,
        *parts,
        *(made.get(s.target.name, s) for s in program.statements[end + 1 :]),
    )
    both = BothWays(rows[0].outer, rows[0].inner, (*of_rows, *parts), terms, side)
    return replace(program, statements=statements), both


def _parts_of(each: _Sum, term: Expr, side: int, names: Names) -> tuple[Statement, Reduce]:
    """The statement of the parts of a column's sums of these terms, and the sum of them."""
    part, m, r = (names.fresh(each.inner) for _ in range(3))
    rows = each.extents[1]
    first = _first_row(symbol(m), symbol(part), side)
    conditions = (at_least_zero(f) for f in (symbol(m), rows - 1 - first, rows - 1 - first - symbol(r)))  # fmt: skip
    domain = Domain.of(conditions) & Domain.box({r: constant(side)})
    summed = Reduce("sum", (m, r), (), domain, substitute(term, {each.inner: first + symbol(r)}))  # fmt: skip
    box = {part: constant(PARTS), **{i: constant(n) for i, n in each.others.items()}}
    box[each.outer] = each.extents[0]
    return sum_of_parts(box, summed, each.s, names)


def _first_row(m: Affine, part: Affine, side: int) -> Affine:
    return (m * PARTS + part) * side


@dataclass(slots=True)
class _Copies:
    """Copies of tensors whose neighbours along the lanes are apart; `apart` is whether some are apart all the same."""

    lane: Symbol
    program: Program
    names: Names
    made: dict[tuple[str, int], Statement] = field(default_factory=dict)
    apart: bool = False

    def read(self, root: Expr) -> Expr:
        return rewrite(root, self._read)

    def _read(self, e: Expr) -> Expr:
        if not isinstance(e, Read) or self.lane not in e.symbols:
            return e
        places = [d for d, form in enumerate(e.subscripts) if self.lane in form.symbols]
        (place, *more) = places
        self.apart |= bool(more) or e.subscripts[place].coefficient(self.lane) != 1
        if place == len(e.subscripts) - 1:
            return e
        key = e.tensor, place
        if key not in self.made:
            self.made[key] = copy_of(self.program.tensors[e.tensor], place, self.names)
        return Read(self.made[key].target.name, permuted(e.subscripts, place))


def in_one_pass(
    kernels: Sequence[Kernel], both: BothWays, program: Program
) -> tuple[Kernel, ...] | None:
    """The kernels with one for all of these statements; None where others share kernels with them."""
    of_pairs = [
        k for k in kernels if not both.targets.isdisjoint(s.target.name for s in k.statements)
    ]
    alone = all(s.target.name in both.targets for k in of_pairs for s in k.statements)
    unchanged = {*both.statements} <= {*program.statements}
    if not alone or not unchanged:
        return None
    kernel = _kernel(of_pairs[0].name, both, program)
    if kernel is None:
        return None
    each = (kernel if k is of_pairs[0] else k for k in kernels)
    return tuple(k for k in each if k not in of_pairs)


def _kernel(name: str, both: BothWays, program: Program) -> Kernel | None:
    """The kernel of the rows and the parts."""
    of_rows = [
        each for s in both.statements if (each := _sum_of(s, program)) and each.outer == both.row
    ]
    count, columns = of_rows[0].extents
    names = Names((*program.names, *program.symbols))
    part, m = names.fresh(both.row), names.fresh(both.row)
    parts = [s for s in both.statements if s.target.name in both.terms]
    stores = [store for s in parts for store in _terms(s, both, part)]
    points = [(each.s, point) for each in of_rows for point in each.points()]
    bodies = [substitute(s.body, point) for s, point in points]
    lowering = Lowering.of(
        [*bodies, *(store.value for store in stores)], {*program.names, *program.symbols, part, m}
    )
    block = Block(None)
    each_column = Range.between(both.column, constant(0), columns - 1)
    descend(_row(points, stores, each_column, lowering, block))
    simplified = Simplification(lowering.names, lowering.locals, few=MOST_SUMS)
    steps = simplified.written_out(tuple(block.steps))
    if sum(isinstance(s, Loop) for s in steps_of(steps)) > 1:
        return None
    first = _first_row(symbol(m), symbol(part), both.side)
    differing = sorted(Varying.of({both.row}, steps).locals)
    each_row = []
    for r in range(both.side):
        locals_ = {x: lowering.names.fresh(x) if r else x for x in differing}
        lowering.locals.update(locals_.values())
        each_row.append(at_points(steps, {both.row: first + r}, locals_))
    together = side_by_side(each_row)
    if together is None:
        return None
    rest = Loop(Range.between(both.row, first, count - 1), steps)
    whole = Domain.of([at_least_zero(count - first - both.side)])
    chunks = Loop(Range.of(m, [symbol(m), count - 1 - first]), (Branch(whole, together, (rest,)),))
    zeros = [Loop(each_column, (replace(s, value=Const(0), op=None),)) for s in stores]
    computed = both.targets
    reads = {t for s in both.statements for t in s.reads} - computed
    return Kernel(
        name,
        both.statements,
        (part,),
        (constant(PARTS),),
        (*zeros, chunks),
        frozenset(lowering.locals),
        tuple(t for t in program.tensors if t in reads),
        tuple(t for t in program.tensors if t in computed),
    )


def _terms(s: Statement, both: BothWays, part: Symbol) -> Iterator[Store]:
    """The terms that a row adds to the parts of a column's sums."""
    _, *others, column = s.indices
    counts = [n.constant for n in s.target.shape[1:-1]]
    for point in product(*(range(n) for n in counts)):
        values = {i: constant(n) for i, n in zip(others, point, strict=True)}
        subscripts = (symbol(part), *values.values(), symbol(column))
        yield Store(s.target.name, subscripts, substitute(both.terms[s.target.name], values), "sum")


def _row(
    points: Sequence[tuple[Statement, Mapping[Symbol, Affine]]],
    stores: Sequence[Store],
    columns: Range,
    lowering: Lowering,
    block: Block,
) -> Generator[Any, Any, None]:
    """The steps of a row: its sums, the terms of the columns, and what is computed of the sums."""
    term = Block(block)
    bodies = [substitute(s.body, point) for s, point in points]
    for body in bodies:
        (e,) = (e for e in always(body) if isinstance(e, Reduce))
        if block.find(e) is None:
            local = lowering.local("s")
            block.steps.append(Accumulator(local, Const(0)))
            block.known[e] = Read(local, ())
            yield lowering.accumulate("sum", e.body, local, term)
    for store in stores:
        value = yield lowering.value(store.value, term)
        term.steps.append(replace(store, value=value))
    block.add([Loop(columns, tuple(term.steps))])
    for body, (s, point) in zip(bodies, points, strict=True):
        value = yield lowering.value(body, block)
        subscripts = tuple(point.get(i, symbol(i)) for i in s.indices)
        block.steps.append(Store(s.target.name, subscripts, value))
