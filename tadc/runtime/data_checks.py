"""The check of a call's index arrays: no read may leave its tensor (docs/data.md).

A read leaves it at the points of a domain over indices and data indices. That is empty whatever the data are, or for the
least and greatest values of the index arrays; else the points are enumerated, a few million at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc.integer.projection import project
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Derived, Domain, Looked, at_least_zero, between
from tadc.ir.program import Tensor
from tadc.printing.idx import tensor_text
from tadc.resolve.bounds import ReadCheck
from tadc.resolve.known import Known
from tadc.resolve.ragged import Row
from tadc.runtime.outside import Element, LeadsOutside, Outside

__all__ = ["check_read", "check_values", "is_inside"]

Arrays: TypeAlias = Mapping[str, NDArray[np.int64]]
Columns: TypeAlias = dict[Symbol, NDArray[np.int64]]
MOST_POINTS = 2**20  # that are tried at once
MOST_TRIED = 2**24  # where one is outside already
ROUNDS = 64  # after which bounds that still shrink are good enough


def check_values(
    tensor: Tensor, array: NDArray[np.int64], low: int, high: int, base: int, *, is_given: bool
) -> None:
    """Raises LeadsOutside for an element that is outside of the declared range; of an array that is given, or was computed."""
    name = tensor.name
    if array.size and (array.min() < low or array.max() > high):
        outside = (array < low) | (array > high)
        position = _place(array.shape, int(np.flatnonzero(outside)[0]))
        value = int(array[position])
        at = ", ".join(str(i + base) for i in position)
        what, changed = ("input ", "array") if is_given else ("", "definition")
        raise LeadsOutside(
            Outside(
                None,
                f"{what}{tensor_text(tensor)}: {name}{f'[{at}]' if at else ''}",
                Element(name, position, value, low, high),
                fix=f"its values are declared to be {low}..{high}: change the {changed}, or the declaration",
            )
        )


def is_inside(
    check: ReadCheck,
    sizes: Mapping[Symbol, int],
    ends: Mapping[str, tuple[int | None, int | None]],
) -> bool:
    """Whether the read is inside for all elements of the index tensors between these ends; False if in doubt."""
    if any(None in pair for pair in ends.values()):
        return True  # there is no element, so no point
    return _outside(check, sizes, ends).is_empty() is True


def _outside(
    check: ReadCheck,
    sizes: Mapping[Symbol, int],
    ends: Mapping[str, tuple[int | None, int | None]],
) -> Known:
    found: list[Condition] = []
    for d in check.data:
        if isinstance(d, Looked):
            low, high = ends[d.tensor]
            assert low is not None and high is not None, "an index tensor without elements"
            found += between(low, symbol(d.name), high)
    values = {s: constant(n) for s, n in sizes.items()}
    return check.outside.substitute(values) & Domain.of(found)


def check_read(checks: Sequence[ReadCheck], sizes: Mapping[Symbol, int], arrays: Arrays) -> None:
    """Raises LeadsOutside if a read leaves its tensor for these sizes and index arrays: `checks` are those of one subscript."""
    values = {s: constant(n) for s, n in sizes.items()}
    worst: _Worst | None = None
    for check in checks:
        worst = _searched(check, sizes, arrays, values, worst)
    if worst is not None:
        raise LeadsOutside(worst.outside(sizes, arrays))


def _searched(
    check: ReadCheck,
    sizes: Mapping[Symbol, int],
    arrays: Arrays,
    values: Mapping[Symbol, Affine],
    worst: _Worst | None,
) -> _Worst | None:
    """The worst element so far, or one of the points where this check fails."""
    ends = {t: (int(arrays[t].min()), int(arrays[t].max())) for t in check.index_tensors}
    outside = _outside(check, sizes, ends)
    form = check.subscripts[check.dimension].substitute(values)
    last = check.extents[check.dimension].at(sizes) - 1
    points = _Points.of(outside, tuple(d.substitute(values) for d in check.data), form, last)
    tried = _Tried()
    for columns in points.outside(arrays, tried):
        worst = _worse(worst, _Worst.of(check, points, columns, arrays, values))
    return worst if tried.all or worst is None else replace(worst, is_counted=False)


@dataclass(frozen=True, slots=True)
class _Points:
    """The points of `outside`: `ranges` are those of the indices that are enumerated, `made` what follows from them.

    `box` has the intervals of all symbols, inside or not.
    """

    outside_: Known
    made: tuple[Derived | Looked, ...]
    ranges: Mapping[Symbol, tuple[int, int]]
    box: Mapping[Symbol, tuple[float, float]]

    @classmethod
    def of(
        cls, outside: Known, made: tuple[Derived | Looked, ...], form: Affine, last: int
    ) -> _Points:
        """`form` is the subscript, which is outside below 0 or above `last`."""
        names = {d.name for d in made}
        needed = {s for d in made for s in d.symbols}
        free = [s for s in sorted(outside.symbols) if s not in names]
        box = _box(outside.domain)
        if any(low > high for low, high in box.values()):  # others may have no bounds yet
            return cls(outside, made, {"": (0, -1)}, box)
        leaves = at_least_zero(-form - 1), at_least_zero(form - last - 1)
        whole = _box(Domain.of(c for c in outside.domain if c not in leaves))
        if not outside.choices:
            away = [
                s
                for s in free
                if s not in needed
                and all(abs(c.form.coefficient(s)) <= 1 for c in outside.domain)
                and all(c.relation != "|" or s not in c.form.symbols for c in outside.domain)
            ]
            outside = Known(project(outside.domain, away)) if away else outside
            free = [s for s in free if s not in away]
            # What data without bounds that nothing looks up are compared with may hold or not.
            open_ = {
                s for s in free if s not in needed and inf in map(abs, box.get(s, (-inf, inf)))
            }
            outside = Known(
                Domain.of(c for c in outside.domain if open_.isdisjoint(c.form.symbols))
            )
            free = [s for s in free if s not in open_]
        free += sorted(needed - set(free) - names)
        # The elements that lead outside are found first, and then whether they are read.
        direct = {s for d in made if d.name in form.symbols for s in d.symbols}
        free.sort(key=lambda s: s not in direct)
        ranges = {}
        for s in free:
            low, high = box.get(s, (-inf, inf))
            assert low > -inf and high < inf, f"{s} is not bounded"
            ranges[s] = int(low), int(high)
        return cls(outside, made, ranges, whole)

    def outside(self, arrays: Arrays, tried: _Tried) -> Iterator[Columns]:
        """The points at which the read is outside, some at a time, in lexicographic order of the indices that are enumerated.

        Where very many would have to be tried, some are left out after the first.
        """
        if any(low > high for low, high in self.ranges.values()):
            return
        yield from self._among(tuple(self.ranges.items()), self.made, {}, 1, arrays, tried)

    def _among(
        self,
        left: Sequence[tuple[Symbol, tuple[int, int]]],
        made: Sequence[Derived | Looked],
        columns: Columns,
        count: int,
        arrays: Arrays,
        tried: _Tried,
    ) -> Iterator[Columns]:
        """The points outside among `count` of which `columns` are known, for all values of the indices that are `left`."""
        waiting: list[Derived | Looked] = []
        for d in made:  # in the order in which they are known
            if not columns.keys() >= set(d.symbols):
                waiting.append(d)
                continue
            held = _follow(d, columns, count, arrays)
            columns, count = _only(columns, held)
        held = _holds(self.outside_, columns, count)
        columns, count = _only(columns, held)
        if not count:
            return
        if not left:
            tried.found = True
            yield columns
            return
        (s, (low, high)), *rest = left
        values = high - low + 1
        for first in range(0, count * values, MOST_POINTS):
            if tried.found and tried.points > MOST_TRIED:
                tried.all = False
                return
            flat = np.arange(first, min(count * values, first + MOST_POINTS))
            tried.points += len(flat)
            rows = flat // values
            more = {t: c[rows] for t, c in columns.items()} | {s: flat % values + low}
            yield from self._among(rest, waiting, more, len(flat), arrays, tried)


@dataclass(slots=True)
class _Tried:
    """How many points were tried, whether one of them is outside, and whether none was left out."""

    points: int = 0
    found: bool = False
    all: bool = True


def _only(columns: Columns, held: NDArray[np.bool_]) -> tuple[Columns, int]:
    """The points that are held."""
    if held.all():
        return columns, len(held)
    return {s: c[held] for s, c in columns.items()}, int(held.sum())


def _follow(d: Derived | Looked, columns: Columns, count: int, arrays: Arrays) -> NDArray[np.bool_]:
    """Add the column of a derived or data index; where that has a value."""
    if isinstance(d, Derived):
        columns[d.name] = _values(d.form, columns, count) // d.modulus
        return np.ones(count, bool)
    array = arrays[d.tensor]
    inside = np.ones(count, bool)
    at = []
    for form, extent in zip(d.subscripts, array.shape, strict=True):
        places = _values(form, columns, count)
        inside &= (places >= 0) & (places < extent)
        at.append(places.clip(0, extent - 1))
    columns[d.name] = np.broadcast_to(array[tuple(at)], (count,))
    return inside


def _values(form: Affine, columns: Columns, count: int) -> NDArray[np.int64]:
    total = np.full(count, form.constant, np.int64)
    for s, c in form.terms:
        total += c * columns[s]
    return total


def _holds(known: Known, columns: Columns, count: int) -> NDArray[np.bool_]:
    held = np.ones(count, bool)
    for c in known.domain:
        if not set(c.form.symbols) <= columns.keys():
            continue  # of what was projected away, or says nothing of the read
        value = _values(c.form, columns, count)
        match c.relation:
            case ">=":
                held &= value >= 0
            case "==":
                held &= value == 0
            case "|":
                held &= value % c.modulus == 0
    for choice in known.choices:
        either = np.zeros(count, bool)
        for alternative in choice:
            either |= _holds(alternative, columns, count)
        held &= either
    return held


@dataclass(frozen=True, slots=True)
class _Worst:
    """The smallest position of an index tensor whose element is outside, a point there, and how many such elements there are."""

    check: ReadCheck
    points: _Points
    data: Looked
    position: tuple[int, ...]
    point: Mapping[Symbol, int]
    count: int
    row: Row | None = None  # of a ragged sum that leaves the tensor
    is_counted: bool = True  # else there may be more

    @classmethod
    def of(
        cls,
        check: ReadCheck,
        points: _Points,
        columns: Columns,
        arrays: Arrays,
        values: Mapping[Symbol, Affine],
    ) -> _Worst:
        form = check.subscripts[check.dimension].substitute(values)
        looked = [d for d in points.made if isinstance(d, Looked)]
        data = next(
            (d for d in reversed(looked) if d.name in _followed(form, points.made)), looked[0]
        )
        count = len(next(iter(columns.values()))) if columns else 1
        row = Row.of(form, check.outside.domain, looked)
        if row is not None:
            begins_inside = _values(row.first, columns, count) >= 0
            columns, count = _only(columns, begins_inside | ~begins_inside.any())
            data = row.high if begins_inside.any() else row.low
        shape = arrays[data.tensor].shape
        at = [_values(f, columns, count) for f in data.subscripts]
        flat = np.ravel_multi_index(at, shape) if shape else np.zeros(1, np.int64)
        first = int(flat.argmin())
        point = {s: int(c[first]) for s, c in columns.items()}
        position = _place(shape, int(flat[first]))
        return cls(check, points, data, position, point, len(np.unique(flat)), row=row)

    def outside(self, sizes: Mapping[Symbol, int], arrays: Arrays) -> Outside:
        check, points = self.check, self.points
        value = int(arrays[self.data.tensor][self.position])
        extents = [n.at(sizes) for n in check.extents]
        extent = extents[check.dimension]
        form = check.subscripts[check.dimension].substitute(
            {s: constant(n) for s, n in sizes.items()}
        )
        low, high = self._inside(form, extent, points)
        at = ", ".join(str(i + check.base) for i in self.position)
        element = f"{self.data.tensor}[{at}]" if at else self.data.tensor
        place = check.places[check.dimension]
        span = place or check.span
        bare = (form + check.base).as_symbol() == self.data.name
        read = span.text
        ends = (
            f"{check.base}..{extent - 1 + check.base} are inside"
            if extent
            else "no index is inside"
        )
        has = _counted(extent, check.dimension, len(extents))
        is_ragged = not form.coefficient(self.data.name)
        reached = ""
        if self.row is not None:
            read_at = f", so that {_row_text(self.row, self.point, check)}"
        elif is_ragged:
            read_at = f", so that `{check.span.text}` leaves {check.tensor}"
        else:
            read_at = ""
            reached = "" if bare else f" and `{read}` is {self._reached(form, extent) + check.base}"
        least = "" if self.is_counted else "at least "
        more = f" ({least}{self.count} of {arrays[self.data.tensor].size} elements are outside)"
        fix, nearest = f"write `pad({read})` to read 0 there", f", `clamp({read})` for the nearest"
        if is_ragged:
            fix, nearest, more = (
                "make the bounds those of its rows: 0 <= low, high < extent",
                "",
                "",
            )
        elif check.base == 1 and value == 0:
            more += "; `base 1` counts data too"
        elif -extent <= value - check.base < 0:
            more += f"; negative indices do not count from the end: `wrap({read})` does"
        return Outside(
            span,
            element,
            Element(self.data.tensor, self.position, value, low, high),
            reached,
            f"{read_at}, and {check.tensor} has {has}: {ends}",
            fix,
            nearest,
            more,
        )

    def _reached(self, form: Affine, extent: int) -> int:
        """A value of the subscript at the element that is outside."""
        ends: dict[Symbol, tuple[int, int]] = {}
        for s, c in form.terms:
            low, high = (self.point[s],) * 2 if s in self.point else self.points.box[s]
            ends[s] = (int(low), int(high)) if c > 0 else (int(high), int(low))
        greatest = form.at({s: high for s, (_, high) in ends.items()})
        return greatest if greatest >= extent else form.at({s: low for s, (low, _) in ends.items()})

    def _inside(self, form: Affine, extent: int, points: _Points) -> tuple[int, int]:
        """The least and the greatest value of the element with which all reads of its row are inside."""
        c = form.coefficient(self.data.name)
        if not c:
            return 0, extent
        needed = {s for d in points.made for s in d.symbols} | {d.name for d in points.made}
        least = greatest = form.constant
        for s, k in form.terms:
            if s == self.data.name:
                continue
            low, high = (self.point[s],) * 2 if s in needed and s in self.point else points.box[s]
            ends = int(k * low), int(k * high)
            least, greatest = least + min(ends), greatest + max(ends)
        if c < 0:
            c, least, greatest = -c, extent - 1 - greatest, extent - 1 - least
        return -(least // c), (extent - 1 - greatest) // c


def _row_text(row: Row, point: Mapping[Symbol, int], check: ReadCheck) -> str:
    """The row at a point, as the program counts."""
    called = dict(check.indices).get(row.index, row.index)
    at = ", ".join(str(form.at(point) + check.base) for form in row.low.subscripts)
    first, last = row.first.at(point) + check.base, row.last.at(point) + check.base
    return f"row {at} is {called} = {first}..{last}"


def _worse(one: _Worst | None, other: _Worst) -> _Worst:
    if one is None:
        return other
    first = one if one.position <= other.position else other
    counted = one.is_counted and other.is_counted
    return replace(first, count=one.count + other.count, is_counted=counted)


def _followed(form: Affine, made: Sequence[Derived | Looked]) -> set[Symbol]:
    """The symbols of the form, and those that these follow from."""
    followed = set(form.symbols)
    for d in reversed(made):
        if d.name in followed:
            followed |= set(d.symbols)
    return followed


def _box(domain: Domain) -> dict[Symbol, tuple[float, float]]:
    """An interval for each symbol that holds all its values in the domain, or nearly the smallest one."""
    box: dict[Symbol, tuple[float, float]] = dict.fromkeys(domain.symbols, (-inf, inf))
    forms = [c.form for c in domain if c.relation != "|"]
    forms += [-c.form for c in domain if c.relation == "=="]
    for _ in range(ROUNDS):
        before = dict(box)
        for form in forms:
            for s, c in form.terms:
                rest = form.constant + sum(
                    d * box[t][1 if d > 0 else 0] for t, d in form.terms if t != s
                )
                low, high = box[s]
                if rest < inf:
                    box[s] = (
                        (max(low, -(int(rest) // c)), high)
                        if c > 0
                        else (low, min(high, int(rest) // -c))
                    )
        if box == before or any(low > high for low, high in box.values()):
            break
    return box


def _place(shape: tuple[int, ...], flat: int) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(flat, shape)) if shape else ()


def _counted(extent: int, dimension: int, rank: int) -> str:
    what = "element" if rank == 1 else "row" if dimension == 0 else "column"
    if rank > 2 and dimension:
        return f"extent {extent} in dimension {dimension}"
    return f"{extent} {what}{'s' * (extent != 1)}"
