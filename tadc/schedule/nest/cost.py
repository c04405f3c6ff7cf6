"""Work of kernels, counted exactly for given sizes: operations, and bytes of the tensors that they touch.

An operation is a call of a scalar function, a comparison of values, or an addition to a sum; a power with a small
integer exponent is its multiplications. Arithmetic on indices is none. Of a choice by values the more expensive branch counts.
A kernel reads each tensor that it mentions once, and writes each element once, as with an infinite
cache.

A loop over a list of positions, whose length data decide, counts over all its keys: as many points as there are positions. What
conditions on data exclude is counted, so that costs are upper bounds there.

Every operation stands at a set of integer points, those at which it is done: the points of the loops around it, less
those that a condition excludes. Sets decompose into independent parts, which are counted one by one: small ones, and
those of more than two indices, index by index, the innermost by its bounds, others without going through them (`point_counts.py`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc.errors import ShapeError
from tadc.ir.affine import Affine, Symbol, constant, signed_sum, symbol
from tadc.ir.domain import (
    EMPTY,
    Condition,
    Derived,
    Determined,
    Domain,
    Looked,
    between,
)
from tadc.ir.element_types import INDEX
from tadc.ir.expr import Call, Comparison, Const, Expr, Select
from tadc.ir.program import Program, Tensor
from tadc.ir.range import Range
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Branch,
    Kernel,
    LetIndex,
    Loop,
    Step,
    Store,
    reads_of,
    steps_of,
    values_of,
)
from tadc.schedule.nest.point_counts import needed, number_of_points
from tadc.schedule.rewrite.list_tensors import Rows, SortedList
from tadc.schedule.rewrite.looked_up import narrow_tensor
from tadc.tables import html_table

__all__ = [
    "PAIRS",
    "Cost",
    "KernelCost",
    "Points",
    "bytes_formula",
    "operations",
    "operations_at",
    "program_cost",
]

FEW_VALUES = 1000  # of an index: so many are enumerated in a moment
MOST_AT_ONCE = 2_000_000  # points that are enumerated together
WIDE = 2**31  # beyond it products with coefficients may not fit 64 bits
INTEGER_POWERS = range(-16, 17)  # exponents that emitters write as multiplications
FREE = frozenset(["detached"])  # calls that are no operations


PAIRS = "pairs"  # the number of elements of all windows of a loop
COLUMNS = ("operations", "bytes read", "bytes written")
OPERATIONS, READ, WRITTEN, TEMPORARY = range(4)


@dataclass(frozen=True, slots=True)
class KernelCost:
    """One kernel: its operations, bytes read and written, and bytes of temporaries that it writes.

    `formulas` are these as text in the sizes, `numbers` for given sizes, if there are some.
    """

    name: str
    formulas: tuple[str, str, str, str]
    numbers: tuple[int, int, int, int] | None

    @property
    def operations(self) -> int:
        return _number(self.numbers, OPERATIONS)

    @property
    def bytes_read(self) -> int:
        return _number(self.numbers, READ)

    @property
    def bytes_written(self) -> int:
        return _number(self.numbers, WRITTEN)

    @property
    def temporary_bytes(self) -> int:
        return _number(self.numbers, TEMPORARY)

    @property
    def formula(self) -> str:
        """The operations as text in the sizes."""
        return self.formulas[OPERATIONS]


@dataclass(frozen=True, slots=True)
class Cost:
    """A program's kernels, one after the other. Prints as a table: of numbers, or of formulas where no sizes were given.

    Without sizes there are no numbers: those raise ShapeError.
    """

    kernels: tuple[KernelCost, ...]

    @property
    def operations(self) -> int:
        return sum(k.operations for k in self.kernels)

    @property
    def bytes_read(self) -> int:
        return sum(k.bytes_read for k in self.kernels)

    @property
    def bytes_written(self) -> int:
        return sum(k.bytes_written for k in self.kernels)

    @property
    def temporary_bytes(self) -> int:
        return sum(k.temporary_bytes for k in self.kernels)

    @property
    def formula(self) -> str:
        """The operations as text in the sizes."""
        return self._formula(OPERATIONS)

    @property
    def has_numbers(self) -> bool:
        """Whether sizes were given."""
        return all(k.numbers is not None for k in self.kernels)

    def _formula(self, what: int) -> str:
        return " + ".join(k.formulas[what] for k in self.kernels if k.formulas[what] != "0") or "0"

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.kernels + other.kernels)

    def with_texts(self, texts: Mapping[Symbol, str]) -> Cost:
        """The costs with other text for some sizes in the formulas."""
        if not texts:
            return self
        pattern = re.compile(rf"\b({'|'.join(texts)})\b")

        def renamed(formula: str) -> str:
            return pattern.sub(lambda found: texts[found[0]], formula)

        kernels = (
            replace(k, formulas=tuple(map(renamed, k.formulas)))  # type: ignore[arg-type]
            for k in self.kernels
        )
        return Cost(tuple(kernels))

    def __str__(self) -> str:
        rows = self._rows()
        numbers = self.has_numbers
        widths = [max(len(row[c]) for row in rows) for c in range(4)]
        lines = []
        for name, *cells, last in (row if numbers else (*row, "") for row in rows):
            columns = zip(cells, widths[1:], strict=True)
            padded = (c.rjust(w) if numbers else c.ljust(w) for c, w in columns)
            lines.append("  ".join((name.ljust(widths[0]), *padded, last)).rstrip())
        return "\n".join([*lines, self._temporaries()])

    def _repr_html_(self) -> str:
        left = (0, 4) if self.has_numbers else range(4)
        return html_table(self._rows(), left, self._temporaries())

    def _rows(self) -> list[tuple[str, ...]]:
        if not self.has_numbers:
            return [
                ("kernel", *COLUMNS),
                *((k.name, *k.formulas[:TEMPORARY]) for k in self.kernels),
            ]
        rows = [("kernel", *COLUMNS, "operations in the sizes")]
        rows += [
            (k.name, f"{k.operations:,}", f"{k.bytes_read:,}", f"{k.bytes_written:,}", k.formula)
            for k in self.kernels
        ]
        total = (self.operations, self.bytes_read, self.bytes_written)
        return [*rows, ("all", *(f"{n:,}" for n in total), "")]

    def _temporaries(self) -> str:
        bytes_ = f"{self.temporary_bytes:,}" if self.has_numbers else self._formula(TEMPORARY)
        return f"temporaries: {bytes_} bytes"


def _number(numbers: tuple[int, int, int, int] | None, what: int) -> int:
    if numbers is None:
        raise ShapeError(
            None,
            "costs are numbers only where sizes are",
            fix="give them, `f.cost(N=8)`, or take the text: `.formula`",
        )
    return numbers[what]


@dataclass(frozen=True, slots=True)
class Points:
    """The integer points of `domain` in `indices`, outermost first; `derived` are functions of them.

    Of the `data` indices nothing is known, nor of what follows from them. `extents` are those of tensors that indices are
    subscripts of: rows whose ends are data count as the extent of what they read, windows each. With `pairs`, a symbol, all windows of
    a loop have so many points together.
    """

    indices: tuple[Symbol, ...]
    derived: tuple[Derived, ...]
    domain: Domain
    data: tuple[Determined, ...] = ()
    extents: tuple[tuple[Symbol, Affine], ...] = ()
    pairs: Symbol | None = None

    def within(self, conditions: Sequence[Condition]) -> Points:
        unknown = self._unknown
        known = (c for c in conditions if unknown.isdisjoint(c.form.symbols))
        return replace(self, domain=self.domain & Domain.of(known))

    def along(self, r: Range) -> Points:
        """The points inside a loop over the range."""
        if not self._unknown.isdisjoint(r.symbols):
            return self._along_data(r)
        around = self._hiding(r.index) if r.index in self.indices else self
        return replace(around, indices=(*around.indices, r.index)).within(r.conditions)

    def _hiding(self, index: Symbol) -> Points:
        """The points with another name for an index that a loop inside hides."""
        taken = {
            *self.indices,
            *self._unknown,
            *self.domain.symbols,
            *(d.name for d in self.derived),
        }
        other = next(name for n in count(1) if (name := f"{index}_around_{n}") not in taken)
        values = {index: symbol(other)}
        return replace(
            self,
            indices=tuple(other if i == index else i for i in self.indices),
            derived=tuple(d.substitute(values) for d in self.derived),
            domain=self.domain.substitute(values),
        )

    def _along_data(self, r: Range) -> Points:
        """The points inside a loop whose ends are data: its values for all the indices together that these are looked up with
        where they are neighbours of one tensor, as the ends of rows and of lists are; else for each, as windows may overlap.
        """
        ends = [d for d in self.data if d.name in r.symbols and isinstance(d, Looked)]
        keys = {s for d in ends for s in d.symbols}
        counts = [d.values[1] for d in ends if d.values is not None]
        counts += [n for i, n in self.extents if i == r.index]
        if not counts:
            return replace(self, data=(*self.data, Looked(r.index, "", ())))
        if len(ends) == 2 and ends[0].tensor == ends[1].tensor and keys.isdisjoint(self._unknown):
            return self._instead_of(keys, r.index, counts[0])
        if self.pairs is not None:
            return self._instead_of(self._followed(keys), r.index, symbol(self.pairs))
        return self._instead_of(set(), r.index, counts[0])

    def _instead_of(self, keys: set[Symbol], index: Symbol, count: Affine) -> Points:
        """The points with an index of so many values, in place of others."""
        left = Domain.of(c for c in self.domain if keys.isdisjoint(c.form.symbols))
        kept = tuple(i for i in self.indices if i not in keys)
        inner = replace(self, indices=(*kept, index), domain=left)
        return inner.within(between(0, symbol(index), count - 1))

    def _followed(self, symbols: set[Symbol]) -> set[Symbol]:
        """The symbols, and those that these follow from."""
        followed = set(symbols)
        for d in reversed((*self.derived, *self.data)):
            if d.name in followed:
                followed |= set(d.symbols)
        return followed

    def with_index(self, d: Determined) -> Points:
        """The points with one more index that follows from others."""
        if isinstance(d, Looked) or not self._unknown.isdisjoint(d.symbols):
            return replace(self, data=(*self.data, d))
        return replace(self, derived=(*self.derived, d))

    @property
    def _unknown(self) -> set[Symbol]:
        return {d.name for d in self.data}

    def count(self, sizes: Mapping[Symbol, int]) -> int:
        return prod(part.enumerated(sizes) for part in self.parts())

    def parts(self) -> tuple[Points, ...]:
        """The independent parts: sets whose product this is. The first has the conditions on no index."""
        return _parts(self)

    def enumerated(self, sizes: Mapping[Symbol, int]) -> int:
        """The count, without going through many values where that can be."""
        return _enumerated(self, self._used(sizes))

    def gone_through(self, sizes: Mapping[Symbol, int]) -> int:
        """The count of few points, index by index, all values of the outer ones at once."""
        return _gone_through(self, self._used(sizes))

    def _used(self, sizes: Mapping[Symbol, int]) -> tuple[tuple[Symbol, int], ...]:
        forms = (*(c.form for c in self.domain), *(d.form for d in self.derived))
        used = {s for form in forms for s in form.symbols} & sizes.keys()
        return tuple((s, sizes[s]) for s in sorted(used))

    def factors(self) -> tuple[int, str]:
        """The count as a number times text in the sizes: extents, with a sum for domains that are no boxes."""
        factors = [part._factor() for part in self.parts()]
        number = prod(f for f in factors if isinstance(f, int))
        return number, "*".join(f for f in factors if isinstance(f, str))

    def _factor(self) -> int | str:
        """The count as a number, or as text where it depends on sizes."""
        forms = (*(c.form for c in self.domain), *(d.form for d in self.derived))
        known = {*self.indices, *(d.name for d in self.derived)}
        if all(known.issuperset(form.symbols) for form in forms):
            return self.enumerated({})
        if not self.indices:
            return f"(if {self.domain} then 1 else 0)" if self.domain.conditions else 1
        if len(self.indices) == 1 and not self.derived:
            extent = _extent(self.indices[0], self.domain)
            if extent is not None:
                return str(extent) if extent.as_symbol() else f"({extent})"
        names = {d.name: f"(({d.form}) // {d.modulus})" for d in self.derived}
        tests = " and ".join(c.text(names) for c in self.domain)
        return f"(sum{{{', '.join(self.indices)} | {tests}}} 1)"


_Terms: TypeAlias = Counter[Points]  # how many operations are done at each of them


@lru_cache(maxsize=4096)
def _parts(points: Points) -> tuple[Points, ...]:
    """The independent parts: programs that differ little have the same sets of points."""
    if points.domain == EMPTY:
        return (Points((), (), EMPTY),)
    groups: list[set[Symbol]] = [{i} for i in points.indices]
    links = [set(c.form.symbols) for c in points.domain]
    links += [{d.name, *d.form.symbols} for d in points.derived]
    names = dict.fromkeys((*points.indices, *(d.name for d in points.derived)))
    for link in (link & names.keys() for link in links if link & names.keys()):
        touched = [g for g in groups if g & link]
        groups = [g for g in groups if not g & link] + [link.union(*touched)]
    groups.sort(key=lambda g: min(map(list(names).index, g)))
    return tuple(
        Points(
            tuple(i for i in points.indices if i in group),
            tuple(d for d in points.derived if d.name in group),
            Domain.of(c for c in points.domain if _belongs(names.keys() & c.form.symbols, group)),
        )
        for group in (set[Symbol](), *groups)
    )


@lru_cache(maxsize=4096)
def _enumerated(points: Points, sizes: tuple[tuple[Symbol, int], ...]) -> int:
    """The count for the sizes in the conditions: programs that differ little have the same sets of points."""
    derived = needed(points.derived, points.domain)
    numbers = [*(n for _, n in sizes), *(abs(c.form.constant) for c in points.domain)]
    if max(numbers, default=0) > FEW_VALUES:
        count = number_of_points(points.indices, derived, points.domain, dict(sizes))
        if count is not None:
            return count
    return _gone_through(points, sizes)


@lru_cache(maxsize=4096)
def _gone_through(points: Points, sizes: tuple[tuple[Symbol, int], ...]) -> int:
    derived = needed(points.derived, points.domain)
    values: dict[Symbol, NDArray[Any]] = {s: np.array([n]) for s, n in sizes}
    return _counted(list(points.indices), derived, list(points.domain), values, 1)


def _belongs(used: Set[Symbol], group: set[Symbol]) -> bool:
    return used <= group and bool(used) == bool(group)


def operations(
    kernel: Kernel, program: Program | None = None, pairs: Symbol | None = None
) -> list[tuple[int, Points]]:
    """Numbers of operations with the points where they are done, as terms of a sum; a negative number takes points away.

    The program is only needed where data are read, `pairs` where windows may overlap.
    """
    box = dict(zip(kernel.indices, kernel.extents, strict=True))
    read = [(e.tensor, e.subscripts) for e in reads_of(kernel.body) if e.subscripts]
    made = (s.derived for s in steps_of(kernel.body) if isinstance(s, LetIndex))
    looked = [d for d in made if isinstance(d, Looked)]
    read += [(d.tensor, d.subscripts) for d in looked]
    data = {d.name for d in looked}
    extents = {
        i: n
        for tensor, subscripts in (read if program else ())
        for form, n in zip(subscripts, program.tensors[tensor].shape, strict=True)  # type: ignore[union-attr]
        if (i := _index_from(form, data)) is not None
    }
    points = Points(
        kernel.indices, (), Domain.box(box), extents=tuple(extents.items()), pairs=pairs
    )
    return [(n, p) for p, n in _Operations().of_steps(kernel.body, points).items() if n]


def _index_from(form: Affine, data: Set[Symbol]) -> Symbol | None:
    """The index in a subscript, which may be counted from an element of data; None where it is not alone."""
    return form.substitute(dict.fromkeys(data, constant(0))).as_symbol()


def operations_at(program: Program, kernels: Sequence[Kernel], sizes: Mapping[str, int]) -> int:
    """The operations of a program's kernels, those of `program_cost`, for these sizes."""
    values = program.size_values(sizes)
    return sum(n * points.count(values) for k in kernels for n, points in operations(k, program))


def program_cost(
    program: Program,
    kernels: Sequence[Kernel],
    sizes: Mapping[str, int] | None,
    dtype: str,
    residuals: Set[str] = frozenset(),
    lists: Sequence[SortedList | Rows] = (),
    pairs: int | None = None,
) -> Cost:
    """The cost of a program's kernels. `sizes` has all sizes, or there are formulas alone. Windows have so many elements together, if
    `pairs` is a number.

    `dtype` is the type of tensors without a declared one. `residuals` are outputs that are only kept for another
    program: they count as temporaries. `lists` are made before, if they are not given.
    """
    values = None if sizes is None else program.size_values(sizes)
    kept = {*(t.name for t in program.inputs), *program.outputs} - residuals
    costs = [_building(each, program, values) for each in lists]
    if values is not None and pairs is not None:
        values = {**values, PAIRS: pairs}
    for k in kernels:
        terms = operations(k, program, None if pairs is None else PAIRS)
        touched = (k.reads, k.writes, [t for t in k.writes if t not in kept])
        formulas = (_formula(terms), *(bytes_formula(program, names, dtype) for names in touched))
        numbers = None
        if values is not None:
            bytes_ = program.bytes_at(values, dtype)
            done = sum(n * points.count(values) for n, points in terms)
            numbers = (done, *(sum(bytes_[t] for t in names) for names in touched))
        costs.append(KernelCost(k.name, formulas, numbers))  # type: ignore[arg-type]
    return Cost(tuple(costs))


def _building(
    each: SortedList | Rows, program: Program, values: Mapping[Symbol, int] | None
) -> KernelCost:
    """Making a list: index tensors are read twice, positions written, and the places of keys read and written."""
    of = [narrow_tensor(program.tensors[t]) for t in each.of]
    begin, *positions = map(narrow_tensor, (each.begin, *each.positions))
    read, written = [*of, *of, begin], [*positions, begin, begin]
    formulas = ("0", *(_bytes_of(tensors) for tensors in (read, written)), "0")
    numbers = None
    if values is not None:
        both = (sum(t.bytes_at(values, INDEX) for t in tensors) for tensors in (read, written))
        numbers = (0, *both, 0)
    name = f"{program.name}_list_{each.begin.name.removesuffix('_ptr')}"
    return KernelCost(name, formulas, numbers)  # type: ignore[arg-type]


def _bytes_of(tensors: Iterable[Tensor]) -> str:
    """The bytes of index tensors as text in the sizes."""
    counted: Counter[str] = Counter()
    for t in tensors:
        factors = (str(n) if n.as_symbol() else f"({n})" for n in t.shape)
        counted["*".join(factors)] += t.itemsize(INDEX)
    return _sum_text(counted)


def bytes_formula(program: Program, tensors: Iterable[str], dtype: str) -> str:
    """The bytes of these tensors as text in the sizes."""
    counted: Counter[str] = Counter()
    for name in tensors:
        shape = program.tensors[name].shape
        factors = [str(n) if n.as_symbol() else f"({n})" for n in shape if not n.is_constant]
        number = prod(max(0, n.constant) for n in shape if n.is_constant)
        counted["*".join(factors)] += number * program.item_bytes(name, dtype)
    return _sum_text(counted)


@dataclass(frozen=True, slots=True)
class _Operations:
    """Operations as terms of a sum, with the points where they are done; `known` has those of values."""

    known: dict[Points, dict[Expr, _Terms]] = field(default_factory=lambda: defaultdict(dict))

    def of_steps(self, steps: Sequence[Step], points: Points) -> _Terms:
        if points.domain == EMPTY:
            return Counter()
        total: _Terms = Counter()
        for step in steps:
            for value in values_of(step):
                _add(total, self.of_value(value, points))
            match step:
                case Accumulate() | Store(op="sum"):
                    total[points] += 1
                case LetIndex(d):
                    points = points.with_index(d)
                case Loop(r, body):
                    _add(total, self.of_steps(body, points.along(r)))
                case Branch(Domain() as domain, then, otherwise):
                    where = points.within(domain.conditions)
                    _add(total, self.of_steps(then, where))
                    if otherwise:
                        _add(total, self.of_steps(otherwise, points))
                        _add(total, self.of_steps(otherwise, where), -1)
                case Branch(_, then, otherwise):
                    total[points] += 1
                    branches = [self.of_steps(branch, points) for branch in (then, otherwise)]
                    _add(total, _more_expensive(*branches))
                case _:
                    pass
        return total

    def of_value(self, e: Expr, points: Points) -> _Terms:
        """The operations of an expression without reductions; shared parts are counted wherever they occur."""
        known = self.known[points]
        if e not in known:
            known[e] = self._of_value(e, points)
        return known[e]

    def _of_value(self, root: Expr, points: Points) -> _Terms:
        total: _Terms = Counter()
        if points.domain == EMPTY:
            return total
        occurrences = Counter({root: 1})
        for e in reversed(list(postorder(root, _computed_alike))):
            times = occurrences[e]
            for operand in _computed_alike(e):
                occurrences[operand] += times
            match e:
                case Select(Domain() as domain, then, otherwise):
                    where = points.within(domain.conditions)
                    _add(total, self.of_value(then, where), times)
                    _add(total, self.of_value(otherwise, points), times)
                    _add(total, self.of_value(otherwise, where), -times)
                case Select(_, then, otherwise):
                    total[points] += times
                    branches = [self.of_value(branch, points) for branch in (then, otherwise)]
                    _add(total, _more_expensive(*branches), times)
                case Call("pow", (_, Const(exponent))) if exponent in INTEGER_POWERS:
                    total[points] += times * _multiplications(int(exponent))
                case Call(function) if function not in FREE:
                    total[points] += times
                case _:
                    pass
        return total


def _computed_alike(e: Expr) -> tuple[Expr, ...]:
    """The operands that are computed wherever the expression is."""
    match e:
        case Select(Comparison(_, left, right)):
            return left, right
        case Call(_, args):
            return args
        case _:
            return ()


def _add(total: _Terms, terms: _Terms, times: int = 1) -> None:
    for points, n in terms.items():
        total[points] += n * times


def _multiplications(exponent: int) -> int:
    """The multiplications of a power by squaring; a negative exponent costs a division more."""
    n = abs(exponent)
    return max(0, n.bit_length() - 1) + max(0, n.bit_count() - 1) + (exponent < 0)


def _more_expensive(one: _Terms, other: _Terms) -> _Terms:
    """The branch with more operations at one point of every loop, which says which is more expensive where loops are equal."""
    depth = max((len(p.indices) for p in (*one, *other)), default=0)

    def weight(terms: _Terms) -> list[int]:
        of_depth = Counter[int]()
        for p, n in terms.items():
            of_depth[len(p.indices)] += n
        return [of_depth[d] for d in range(depth, -1, -1)]

    return one if weight(one) >= weight(other) else other


def _extent(index: Symbol, domain: Domain) -> Affine | None:
    """The number of values of an index with one low and one high bound; None for another."""
    lows = [c.form for c in domain if c.relation == ">=" and c.form.coefficient(index) == 1]
    highs = [c.form for c in domain if c.relation == ">=" and c.form.coefficient(index) == -1]
    if len(domain.conditions) != 2 or len(lows) != 1 or len(highs) != 1:
        return None
    return lows[0] + highs[0] + 1


def _formula(terms: Sequence[tuple[int, Points]]) -> str:
    counted: Counter[str] = Counter()
    for n, points in terms:
        number, text = points.factors()
        counted[text] += n * number
    return _sum_text(counted)


def _sum_text(counted: Mapping[str, int]) -> str:
    """The sum of texts, each so many times."""
    parts = []
    for text, n in counted.items():
        if n:
            number = [str(abs(n))] if n != 1 or not text else []
            parts.append((n < 0, "*".join([*number, *([text] if text else [])])))
    return signed_sum(parts)


def _counted(
    indices: list[Symbol],
    derived: list[Derived],
    conditions: list[Condition],
    values: dict[Symbol, NDArray[Any]],
    length: int,
) -> int:
    """The number of points over the `length` points of the outer indices, whose values are arrays."""
    for d in list(derived):
        if all(s in values for s in d.form.symbols):
            derived.remove(d)
            values[d.name] = _at(d.form, values) // d.modulus
    keep = np.ones(length, bool)
    for c in list(conditions):
        if all(s in values for s in c.form.symbols):
            conditions.remove(c)
            value = _at(c.form, values)
            keep &= {">=": value >= 0, "==": value == 0, "|": value % max(1, c.modulus) == 0}[
                c.relation
            ]
    if not keep.all():
        length = int(keep.sum())
        values = {s: a if a.size == 1 else a[keep] for s, a in values.items()}
        if not length:
            return 0
    if not indices:
        return length
    index, *inner = indices
    bounds = [c for c in conditions if all(s in values or s == index for s in c.form.symbols)]
    lows, highs = [], []
    for c in (c for c in bounds if c.relation == ">="):
        k = c.form.coefficient(index)
        rest = _at(c.form - k * symbol(index), values)
        lows += [-(rest // k)] if k > 0 else []
        highs += [rest // -k] if k < 0 else []
    low = np.broadcast_to(_reduced(np.maximum, lows), length)
    counts = np.maximum(0, _reduced(np.minimum, highs) - low + 1).astype(np.int64)
    if not inner and not derived and all(c.relation == ">=" for c in conditions):
        return int(np.broadcast_to(counts, length).sum())
    counts = np.broadcast_to(counts, length)
    total = 0
    for start, end in _pieces(counts):
        n = counts[start:end]
        repeated = {s: a if a.size == 1 else np.repeat(a[start:end], n) for s, a in values.items()}
        offsets = np.arange(int(n.sum())) - np.repeat(np.cumsum(n) - n, n)
        repeated[index] = np.repeat(low[start:end], n) + offsets
        rest_ = [c for c in conditions if c not in bounds or c.relation != ">="]
        total += _counted(inner, list(derived), rest_, repeated, offsets.size)
    return total


def _pieces(counts: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Ranges of about MOST_AT_ONCE points."""
    ends = np.cumsum(counts)
    start = 0
    while start < counts.size:
        before = ends[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + MOST_AT_ONCE, side="right")))
        yield start, end
        start = end


def _reduced(op: np.ufunc, bounds: list[NDArray[Any]]) -> NDArray[Any]:
    result = bounds[0]
    for bound in bounds[1:]:
        result = op(result, bound)
    return result


def _at(form: Affine, values: Mapping[Symbol, NDArray[Any]]) -> NDArray[Any]:
    wide = any(abs(c) > WIDE for c in (form.constant, *(c for _, c in form.terms)))
    result = np.array([form.constant], object if wide else np.int64)
    for s, c in form.terms:
        result = result + values[s].astype(result.dtype, copy=False) * c
    return result
