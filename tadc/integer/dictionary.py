"""Exact linear programs over the rationals: a simplex method on integers.

The inequalities `y_i = e_i(x) >= 0` are kept as a *dictionary*: each basic `y_i` as an affine form of the nonbasic
ones, which are as many as there are dimensions. At the dictionary's vertex all nonbasic `y_j` are 0, so that the
constants of the rows are the values of the basic ones; no negative constant means that the vertex is feasible.

A row is the integers `a_0 .. a_(n-1), c, d` for `d*y = a_0*y_0 + .. + c`, with `d > 0` and no common divisor. Rows
have their own `d`, so a pivot leaves the rows without an entry in its column alone. The symbols themselves are free
of sign; they leave the dictionary when it is made, except those asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from tadc.errors import Error
from tadc.integer.matrix import Row
from tadc.ir.affine import Affine, Symbol

__all__ = ["MOST_ENTRIES", "Dictionary", "TooComplex", "Unbounded"]


class TooComplex(Error):
    """A system of inequalities needs more work, or has more irredundant bounds, than tadc is willing to take on."""


@dataclass(frozen=True, slots=True)
class Unbounded:
    """A symbol has no minimum; `place` is its place among the symbols carried."""

    place: int


# Termination is proved (smallest subscripts, Bland 1977), a time is not: typical programs need 10 pivots. A pivot of a
# large dictionary takes longer, so that their number is bounded by the entries that they change, too.
MOST_PIVOTS = 5000
MOST_ENTRIES = 2 * 10**7

SYMBOL = -1  # the number of a column that is still a symbol's


class Dictionary:
    """Inequalities in the terms of some of them; see the module.

    `basis[i]` is the number of the inequality of `rows[i]`, `columns[j]` that of column `j`; `carried` are the rows
    of symbols, which have any sign. Mutable: `copy` it before a change that is to be undone.
    """

    __slots__ = ("basis", "carried", "columns", "rows")

    def __init__(
        self,
        rows: list[list[int]],
        basis: list[int],
        columns: list[int],
        carried: list[list[int]],
    ) -> None:
        self.rows = rows
        self.basis = basis
        self.columns = columns
        self.carried = carried

    @classmethod
    def of(
        cls,
        inequalities: Sequence[Affine],
        equalities: Iterable[Affine] = (),
        symbols: Sequence[Symbol] = (),
    ) -> Dictionary | None:
        """The dictionary of `inequalities >= 0` and `equalities == 0`, numbered in their order from 0.

        The rows of `symbols` are carried along, in this order. None where the equalities contradict each other.
        """
        equalities = tuple(equalities)
        places: dict[Symbol, int] = {s: j for j, s in enumerate(symbols)}
        for form in (*inequalities, *equalities):
            for s, _ in form.terms:
                if s not in places:
                    places[s] = len(places)
        n = len(places)
        rows = [_row(form, places, n) for form in inequalities]
        zeros = [_row(form, places, n) for form in equalities]
        carried = [[int(i == j) for j in range(n)] + [0, 1] for i in range(len(symbols))]
        self = cls(rows, list(range(len(rows))), [SYMBOL] * n, carried)
        return self._without_symbols() if self._with_zeros(zeros) else None

    def copy(self) -> Dictionary:
        return Dictionary(self.rows[:], self.basis[:], self.columns[:], self.carried[:])

    # Questions.

    def restore(self) -> bool:
        """Pivot to a feasible vertex; whether there is one. By Bland's rule, so it ends."""
        rows, basis, columns = self.rows, self.basis, self.columns
        for _ in range(self._most_pivots):
            violated = [(k, i) for i, k in enumerate(basis) if rows[i][-2] < 0]
            if not violated:
                return True
            leaving = min(violated)[1]
            row = rows[leaving]
            helping = [(k, j) for j, k in enumerate(columns) if row[j] > 0]
            if not helping:
                return False  # d*y = (nothing positive) + (a negative constant)
            self._pivot(leaving, min(helping)[1])
        raise too_complex("a linear program takes too many steps")

    def where(
        self, positive: Iterable[int] = (), negative: Iterable[int] = ()
    ) -> Dictionary | None:
        """A feasible dictionary with `y - 1` and `-y - 1` in the place of these `y`; None where there is none."""
        trial = self.copy()
        for number in positive:
            trial._shift(number, False)
        for number in negative:
            trial._shift(number, True)
        return trial if trial.restore() else None

    def positive(self) -> set[int]:
        """The inequalities that are at least 1 at the vertex."""
        rows = zip(self.basis, self.rows, strict=True)
        return {k for k, row in rows if row[-2] >= row[-1]}

    def values(self) -> tuple[Fraction, ...]:
        """The values of the carried symbols at the vertex."""
        return tuple(Fraction(row[-2], row[-1]) for row in self.carried)

    def lexicographic_minimum(self) -> tuple[Fraction, ...] | Unbounded:
        """The least value of the first carried symbol, with it the least of the second, and so on.

        The vertex is feasible. `Unbounded` tells the first symbol without a minimum.
        """
        frozen = [False] * len(
            self.columns
        )  # a frozen column stays 0: it would spoil an earlier minimum
        for place in range(len(self.carried)):
            if not self._minimize(place, frozen):
                return Unbounded(place)
            row = self.carried[place]
            frozen = [frozen[j] or row[j] > 0 for j in range(len(frozen))]
        assert all(row[-2] >= 0 for row in self.rows), "the minimum is not feasible"
        return self.values()

    def _minimize(self, place: int, frozen: Sequence[bool]) -> bool:
        """Pivot to a vertex where carried symbol `place` is least; whether there is one."""
        for _ in range(self._most_pivots):
            row = self.carried[place]
            changing = [(k, j) for j, k in enumerate(self.columns) if row[j] and not frozen[j]]
            if any(k == SYMBOL for k, _ in changing):
                return False  # the symbol occurs in no inequality
            down = [(k, j) for k, j in changing if row[j] < 0]
            if not down:
                return True
            entering = min(down)[1]
            leaving = self._first_to_vanish(entering)
            if leaving is None:
                return False
            self._pivot(leaving, entering)
        raise too_complex("a linear program takes too many steps")

    @property
    def entries(self) -> int:
        """The number of entries that a pivot may change."""
        return (len(self.rows) + len(self.carried) + 1) * (len(self.columns) + 2)

    @property
    def _most_pivots(self) -> int:
        return min(MOST_PIVOTS, MOST_ENTRIES // self.entries)

    # Changes.

    def remove(self, number: int) -> None:
        """Take the inequality away."""
        if number in self.columns:
            j = self.columns.index(number)
            carrier = next((i for i, row in enumerate(self.rows) if row[j]), None)
            if carrier is None:
                assert not any(row[j] for row in self.carried), "a symbol has lost its inequality"
                self._delete_column(j)
                return
            self._pivot(carrier, j)
        i = self.basis.index(number)
        del self.rows[i], self.basis[i]

    def bounded(self, place: int, bound: int, *, below: bool) -> Dictionary:
        """A copy in which carried symbol `place` is moreover `>= bound` (`below`), or `<= bound`."""
        row = self.carried[place]
        sign = 1 if below else -1
        more = [sign * a for a in row]
        more[-2] -= sign * bound * row[-1]
        more[-1] = row[-1]
        result = self.copy()
        result.basis.append(max((*self.basis, *self.columns), default=-1) + 1)
        result.rows.append(more)
        return result

    def _shift(self, number: int, negative: bool) -> None:
        """Put `y' = y - 1`, or `y' = -y - 1` (`negative`), in the place of `y`."""
        if number in self.columns:
            j = self.columns.index(number)
            for rows in (self.rows, self.carried):
                for i, row in enumerate(rows):
                    if row[j]:
                        shifted = row[:]
                        shifted[-2] += -row[j] if negative else row[j]
                        shifted[j] = -row[j] if negative else row[j]
                        rows[i] = shifted
            return
        i = self.basis.index(number)
        row = self.rows[i]
        shifted = [-a for a in row] if negative else row[:]
        shifted[-2] -= row[-1]
        shifted[-1] = row[-1]
        self.rows[i] = shifted

    def _first_to_vanish(self, entering: int) -> int | None:
        """The row whose `y` is the first to reach 0 when column `entering` grows, None if none does."""
        leaving: int | None = None
        rows = self.rows
        for i, row in enumerate(rows):
            if row[entering] >= 0:
                continue
            if leaving is None:
                leaving = i
                continue
            # c_i / -a_i against that of the best row so far; the smallest number wins a tie
            best = rows[leaving]
            gap = row[-2] * best[entering] - best[-2] * row[entering]
            if gap > 0 or (gap == 0 and self.basis[i] < self.basis[leaving]):
                leaving = i
        return leaving

    def _pivot(self, i: int, j: int) -> None:
        """Exchange the basic `y` of row `i` and the nonbasic one of column `j`."""
        solved = _solved(self.rows[i], j)
        self._insert(solved, j)
        self.rows[i] = solved
        self.basis[i], self.columns[j] = self.columns[j], self.basis[i]

    def _insert(self, solved: list[int], j: int) -> None:
        _insert(self.rows, solved, j)
        _insert(self.carried, solved, j)

    def _delete_column(self, j: int) -> None:
        for rows in (self.rows, self.carried):
            rows[:] = [row[:j] + row[j + 1 :] for row in rows]
        del self.columns[j]

    def _with_zeros(self, zeros: list[list[int]]) -> bool:
        """Use up each equality for one symbol; whether they agree."""
        while zeros:
            row = zeros.pop()
            entries = [(abs(a), j) for j, a in enumerate(row[:-2]) if a]
            if not entries:
                if row[-2]:
                    return False
                continue
            j = min(entries)[1]
            solved = _solved(row, j)
            for rows in (self.rows, self.carried, zeros):
                _insert(rows, solved, j)
                rows[:] = [row[:j] + row[j + 1 :] for row in rows]
            del self.columns[j]
        return True

    def _without_symbols(self) -> Dictionary:
        """Exchange each symbol for an inequality it occurs in, and forget its row unless it is carried."""
        j = 0
        while j < len(self.columns):
            using = [(abs(row[j]), i) for i, row in enumerate(self.rows) if row[j]]
            if using:
                i = min(using)[1]
                self._pivot(i, j)
                del self.rows[i], self.basis[i]
            elif not any(row[j] for row in self.carried):
                self._delete_column(j)
                continue
            j += 1
        return self


def too_complex(fact: str) -> TooComplex:
    return TooComplex(
        None,
        f"the index ranges of a statement are too complex: {fact}",
        fix="use fewer conditions or indices in one sum, or put numbers in for sizes",
    )


def _row(form: Affine, places: dict[Symbol, int], n: int) -> list[int]:
    row: list[int] = [0] * (n + 2)
    for s, c in form.terms:
        row[places[s]] = c
    row[-2] = form.constant
    row[-1] = 1
    return row


def _solved(row: Row, j: int) -> list[int]:
    """`d*y = .. + a_j*x_j + ..` as `|a_j|*x_j = .. +- d*y + ..`: column `j` is now y's."""
    a, d = row[j], row[-1]
    solved = [-b for b in row] if a > 0 else list(row)
    solved[j] = d if a > 0 else -d
    solved[-1] = abs(a)
    return solved


def _insert(rows: list[list[int]], solved: Row, j: int) -> None:
    """Put `solved` in the place of column `j` in all rows."""
    p, y = solved[-1], solved[j]
    for i, row in enumerate(rows):
        e = row[j]
        if not e:
            continue
        if p == 1:
            new = [a + e * b for a, b in zip(row, solved, strict=True)]
        else:
            new = [p * a + e * b for a, b in zip(row, solved, strict=True)]
        new[j] = e * y
        new[-1] = p * row[-1]
        g = gcd(*new)
        rows[i] = new if g == 1 else [a // g for a in new]
