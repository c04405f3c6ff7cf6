"""Steps that are solved by elimination, as statements over all systems at once.

    [A | b]   the pivot row of the first column, and the others without that column, until one row is left
    U z = c   solved from the last row to the first

The pivot of a column is its element of the greatest magnitude, the first of them; rows are exchanged by values. A triangle is
solved row by row, without exchanges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tadc.derive.coloured import for_each
from tadc.derive.tangent import tangent
from tadc.inverse.builder import Builder, Step, inside
from tadc.inverse.rows import Rows
from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import Determined, Domain, at_least_zero, equals_zero
from tadc.ir.expr import Comparison, Const, Expr, IndexValue, Read, Reduce, Select, call
from tadc.ir.program import Tensor

__all__ = ["MOST_ROWS_WRITTEN", "Elimination"]

MOST_ROWS_WRITTEN = 32  # of a system: a few statements for each

At: TypeAlias = tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Elimination:
    """The solutions of a step by elimination."""

    build: Builder
    step: Step

    def solved(self, right: Mapping[str, str]) -> dict[str, str]:
        """The tensors of A⁻¹b by value before, from those of b by value after."""
        after, before = (self._rows(n, backward=False) for n in (self.step.after, self.step.before))
        matrix = self._matrix(after, before, transposed=False)
        z = self._solution(matrix, after, [right[n] for n in self.step.after])
        return self._values(before, z)

    def solved_transposed(self, right: Mapping[str, str]) -> dict[str, str]:
        """The tensors of A⁻ᵀb by value after, from those of b by value before."""
        after, before = (self._rows(n, backward=True) for n in (self.step.after, self.step.before))
        matrix = self._matrix(after, before, transposed=True)
        z = self._solution(matrix, before, [right[n] for n in self.step.before])
        return self._values(after, z)

    def log_pivots(self) -> list[Expr]:
        """Terms whose sum is log |det A|."""
        after, before = (self._rows(n, backward=False) for n in (self.step.after, self.step.before))
        matrix = self._matrix(after, before, transposed=False)
        systems = Tensor("", after.systems)
        count = range(after.count)
        if self._is_triangle:
            pivots = [lambda at, k=k: Read(matrix, (*at, _n(k), _n(k))) for k in count]
        else:
            tops = self._eliminated(matrix, after, after.count)
            pivots = [lambda at, top=top: Read(top, (*at, _n(0))) for top in tops]
        return [self.build.sum_of_logs(systems, pivot) for pivot in pivots]

    # ------------------------------------------------------------------ rows and matrices

    @property
    def _is_triangle(self) -> bool:
        return self.step.structure.kind == "triangular"

    def _rows(self, names: Sequence[str], *, backward: bool) -> Rows:
        tensors = [self.build.program.tensors[n] for n in names]
        s = self.step.structure
        return Rows.of(tensors, s, stacked=self.step.is_stacked, backward=backward)

    def _matrix(self, after: Rows, before: Rows, *, transposed: bool) -> str:
        """The tensor of all matrices, (systems, rows, columns), or (systems, columns, rows)."""
        build, step = self.build, self.step
        inner = build.inner(step)
        derived = tangent(inner, step.before, build.names)
        regions = {b: step.regions[a] for a, b in step.pairs} if step.is_stacked else {}
        column = build.names.fresh("c")

        def seed(k: int, name: str) -> Callable[[Sequence[Affine]], Expr]:
            def unit(at: Sequence[Affine]) -> Expr:
                here = Domain.of((equals_zero(before.row(k, at) - symbol(column)),))
                unit = Select(here, Const(1), Const(0))
                return inside(regions.get(name), at, unit, Const(0))

            return unit

        inputs = derived.inputs[-len(step.before) :]
        seeds = {
            t.name: seed(k, n) for k, (t, n) in enumerate(zip(inputs, step.before, strict=True))
        }
        extents = {column: constant(before.count)}
        build.extend(for_each(build.new(derived.statements), extents, seeds))
        by_output = dict(zip(inner.outputs, derived.outputs, strict=True))
        products = [by_output[n] for n in step.after]

        def entry(at: At) -> tuple[Expr, Sequence[Determined]]:
            *system, r, c = at
            r, c = (c, r) if transposed else (r, c)
            value, quotients = after.read(products, r, system, build.names, (c,))
            if len(step.after) == 1 and step.is_stacked and regions[step.before[0]]:
                assert isinstance(value, Read), "one tensor has one read"
                unit = Select(Domain.of((equals_zero(r - c),)), Const(1), Const(0))
                value = inside(regions[step.before[0]], value.subscripts[1:], value, unit)
            return value, quotients

        count = after.count
        return self._tensor("matrix", after, (count, count), entry)

    def _flat(self, rows: Rows, vectors: Sequence[str]) -> str:
        """The tensor (systems, rows) of the elements of these."""

        def element(at: At) -> tuple[Expr, Sequence[Determined]]:
            *system, row = at
            return rows.read(vectors, row, system, self.build.names)

        return self._tensor("right", rows, (rows.count,), element)

    def _values(self, rows: Rows, z: str) -> dict[str, str]:
        """The tensors of a solution (systems, rows), by the value that each belongs to."""
        found = {}
        for k, tensor in enumerate(rows.tensors):

            def element(at: At, k: int = k) -> Expr:
                return Read(z, (*(at[d] for d in rows.batch), rows.row(k, at)))

            name = tensor.name
            found[name] = self.build.combined(name, f"d_{name}", (), element)
        return found

    # ------------------------------------------------------------------ solutions

    def _solution(self, matrix: str, rows: Rows, right: Sequence[str]) -> str:
        flat = self._flat(rows, right)
        if self._is_triangle:
            return self._substituted(matrix, flat, rows)
        m = rows.count

        def augmented(at: At) -> Expr:
            *system, i, j = at
            return _where(m - 1 - j, Read(matrix, at), Read(flat, (*system, i)))

        window = self._plain("window", rows, (m, m + 1), augmented)
        return self._substituted_backwards(self._eliminated(window, rows, m + 1), rows)

    def _eliminated(self, window: str, rows: Rows, width: int) -> list[str]:
        """The pivot rows of the matrices (systems, rows, width), each from its own column on."""
        tops = []
        for left in range(rows.count, 0, -1):
            best = self._plain("best", rows, (), self._largest(window, left))
            pivot = self._plain("pivot", rows, (), self._first_row(window, best, left))
            top = self._plain("top", rows, (width,), self._row(window, pivot, left))
            tops.append(top)
            width -= 1
            if left > 1:
                window = self._rest(window, pivot, top, rows, left, width)
        return tops

    def _largest(self, window: str, left: int) -> Callable[[At], Expr]:
        """The greatest magnitude of the first column."""

        def value(at: At) -> Expr:
            (i,), box = self._within(left)
            return Reduce("max", (i,), (), box, _magnitude(window, at, symbol(i)))

        return value

    def _first_row(self, window: str, best: str, left: int) -> Callable[[At], Expr]:
        """The first row in which the first column has its greatest magnitude."""

        def value(at: At) -> Expr:
            (i,), box = self._within(left)
            found = Comparison("==", _magnitude(window, at, symbol(i)), Read(best, at))
            here = Select(found, IndexValue(symbol(i)), Const(left))
            return Reduce("min", (i,), (), box, here)

        return value

    def _row(self, window: str, pivot: str, left: int) -> Callable[[At], Expr]:
        def value(at: At) -> Expr:
            *system, j = at
            (i,), box = self._within(left)
            chosen = Comparison("==", IndexValue(symbol(i)), Read(pivot, tuple(system)))
            body = Select(chosen, Read(window, (*system, symbol(i), j)), Const(0))
            return Reduce("sum", (i,), (), box, body)

        return value

    def _rest(self, window: str, pivot: str, top: str, rows: Rows, left: int, width: int) -> str:
        """The other rows, without multiples of the pivot row, from the next column on: the first row stands where the pivot's was."""

        def exchanged(system: Sequence[Affine], i: Affine, j: Affine) -> Expr:
            chosen = Comparison("==", IndexValue(i + 1), Read(pivot, tuple(system)))
            first, own = (Read(window, (*system, r, j)) for r in (_n(0), i + 1))
            return Select(chosen, first, own)

        def factor(at: At) -> Expr:
            *system, i = at
            return call("div", exchanged(system, i, _n(0)), Read(top, (*system, _n(0))))

        factors = self._plain("factor", rows, (left - 1,), factor)

        def value(at: At) -> Expr:
            *system, i, j = at
            multiple = Read(factors, (*system, i)) * Read(top, (*system, j + 1))
            return exchanged(system, i, j + 1) - multiple

        return self._plain("window", rows, (left - 1, width), value)

    def _substituted_backwards(self, tops: Sequence[str], rows: Rows) -> str:
        """The solution (systems, rows) by pivot rows whose last element is the right side; each stage has one element more."""
        z = ""
        for known, top in enumerate(reversed(tops)):

            def value(at: At, known: int = known, top: str = top, z: str = z) -> Expr:
                *system, r = at
                rest: Expr = Read(top, (*system, _n(known + 1)))
                if known:
                    (j,), box = self._within(known)
                    term = Read(top, (*system, symbol(j) + 1)) * Read(z, (*system, symbol(j)))
                    rest = rest - Reduce("sum", (j,), (), box, term)
                own = call("div", rest, Read(top, (*system, _n(0))))
                return _where(r - 1, Read(z, (*system, r - 1)), own) if known else own

            z = self._plain("z", rows, (known + 1,), value)
        return z

    def _substituted(self, matrix: str, flat: str, rows: Rows) -> str:
        """The solution of lower triangles, from the first row to the last; each stage has one element more."""
        z = ""
        for known in range(rows.count):

            def value(at: At, known: int = known, z: str = z) -> Expr:
                *system, r = at
                rest: Expr = Read(flat, (*system, _n(known)))
                if known:
                    (j,), box = self._within(known)
                    entry = Read(matrix, (*system, _n(known), symbol(j)))
                    term = entry * Read(z, (*system, symbol(j)))
                    rest = rest - Reduce("sum", (j,), (), box, term)
                own = call("div", rest, Read(matrix, (*system, _n(known), _n(known))))
                return _where(known - 1 - r, Read(z, at), own) if known else own

            z = self._plain("z", rows, (known + 1,), value)
        return z

    # ------------------------------------------------------------------ statements

    def _within(self, count: int) -> tuple[tuple[str], Domain]:
        """A fresh index of a reduction from 0 on, and its range."""
        index = self.build.names.fresh("k")
        return (index,), Domain.box({index: constant(count)})

    def _plain(
        self, name: str, rows: Rows, extents: Sequence[int], value: Callable[[At], Expr]
    ) -> str:
        return self._tensor(name, rows, extents, lambda at: (value(at), ()))

    def _tensor(
        self,
        name: str,
        rows: Rows,
        extents: Sequence[int],
        value: Callable[[At], tuple[Expr, Sequence[Determined]]],
    ) -> str:
        """A new tensor (systems, extents) of the value at each place, with the quotients that it takes."""
        shape = (*rows.systems, *map(constant, extents))
        indices = self.build.indices(len(shape))
        body, derived = value(tuple(map(symbol, indices)))
        target = Tensor(self.build.names.fresh(name), shape, rows.tensors[0].dtype)
        return self.build.add(target, indices, body, derived)


def _n(number: int) -> Affine:
    return constant(number)


def _where(form: Affine, there: Expr, elsewhere: Expr) -> Expr:
    """One value where the form is not negative, and another one elsewhere."""
    return Select(Domain.of((at_least_zero(form),)), there, elsewhere)


def _magnitude(window: str, system: Sequence[Affine], row: Affine) -> Expr:
    return call("abs", Read(window, (*system, row, _n(0))))
