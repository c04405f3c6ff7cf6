"""The values of an index between bounds: the range of a reduction, of a loop, or of a loop of a solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, at_least_zero

__all__ = ["Bound", "Range"]


class Bound(NamedTuple):
    """`ceil(form / divisor)` where it is a low, `floor(form / divisor)` where it is a high; `divisor >= 1`."""

    form: Affine
    divisor: int = 1

    def low_at(self, values: Mapping[Symbol, int]) -> int:
        return -(-self.form.at(values) // self.divisor)

    def high_at(self, values: Mapping[Symbol, int]) -> int:
        return self.form.at(values) // self.divisor

    def substitute(self, values: Mapping[Symbol, Affine]) -> Bound:
        return Bound(self.form.substitute(values), self.divisor)


@dataclass(frozen=True, slots=True)
class Range:
    """`index` runs from the greatest of `lows` to the least of `highs`, both included; maybe it does not run at all.

    The bounds are in terms of symbols further out.
    """

    index: Symbol
    lows: tuple[Bound, ...]
    highs: tuple[Bound, ...]

    def __post_init__(self) -> None:
        assert all(b.divisor >= 1 for b in self.bounds), f"a divisor in {self} is not positive"

    @classmethod
    def between(cls, index: Symbol, first: Affine, last: Affine) -> Range:
        return cls(index, (Bound(first),), (Bound(last),))

    @classmethod
    def of(cls, index: Symbol, forms: Iterable[Affine]) -> Range:
        """The range where `forms`, each of which has the index, are at least 0."""
        lows, highs = [], []
        for form in forms:
            c = form.coefficient(index)
            assert c, f"{form} is no bound of {index}"
            rest = form - c * symbol(index)
            # c*z + e >= 0  <=>  z >= ceil(-e / c), or z <= floor(e / -c) where c is negative
            if c > 0:
                lows.append(Bound(-rest, c))
            else:
                highs.append(Bound(rest, -c))
        return cls(index, tuple(lows), tuple(highs))

    @property
    def ordered(self) -> Range:
        """The range with simple bounds first: a constant, then few symbols, then few divisions."""
        lows, highs = sorted(self.lows, key=_order), sorted(self.highs, key=_order)
        return Range(self.index, tuple(lows), tuple(highs))

    @property
    def bounds(self) -> tuple[Bound, ...]:
        return (*self.lows, *self.highs)

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols that the bounds depend on."""
        return frozenset(s for form, _ in self.bounds for s in form.symbols)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """`divisor*index - low >= 0` for every low and `high - divisor*index >= 0` for every high."""
        z = symbol(self.index)
        return (
            *(at_least_zero(c * z - low) for low, c in self.lows),
            *(at_least_zero(high - c * z) for high, c in self.highs),
        )

    def only(self, kept: Callable[[Bound], bool]) -> Range:
        """The range with only the bounds that are `kept`."""
        return Range(self.index, tuple(filter(kept, self.lows)), tuple(filter(kept, self.highs)))

    @property
    def value(self) -> Bound | None:
        """`floor(form / divisor)` if that is the one value the index takes, whatever the symbols are; else None.

        So it is for a derived index, `ceil((i - 1) / 2) <= q <= floor(i / 2)`.
        """
        if len(self.lows) > 1 or len(self.highs) > 1:
            return None
        low, high = self.lows[0], self.highs[0]
        gap = high.form - low.form
        once = low.divisor == high.divisor and gap.is_constant and gap.constant == low.divisor - 1
        return high if once else None

    @property
    def widths(self) -> Iterator[Bound]:
        """Pairs of bounds with one divisor: the index takes at most `floor(form / divisor) + 1` values."""
        return (Bound(high - low, c) for low, c in self.lows for high, d in self.highs if c == d)

    @property
    def is_empty(self) -> bool:
        """Whether it is sure to have no value, whatever the symbols are."""
        return any(form.is_constant and form.constant < 0 for form, _ in self.widths)

    @property
    def trips(self) -> int | None:
        """The number of values, None if it is no constant."""
        constant = self.lows and self.highs and not self.symbols
        return self.trips_at({}) if constant else None

    def ends_at(self, values: Mapping[Symbol, int]) -> tuple[int, int]:
        """The first and the last value for these `values` of the symbols further out; 0 for a side without bounds."""
        low = max((b.low_at(values) for b in self.lows), default=0)
        return low, min((b.high_at(values) for b in self.highs), default=0)

    def values_at(self, values: Mapping[Symbol, int]) -> range:
        first, last = self.ends_at(values)
        return range(first, last + 1)

    def trips_at(self, values: Mapping[Symbol, int]) -> int:
        first, last = self.ends_at(values)
        return max(0, last - first + 1)

    def substitute(self, values: Mapping[Symbol, Affine]) -> Range:
        """The bounds with symbols replaced, without divisions where nothing is left to round."""
        lows, highs = ([b.substitute(values) for b in side] for side in (self.lows, self.highs))
        return Range(
            self.index,
            tuple(_divided(form, c, up=True) for form, c in lows),
            tuple(_divided(form, c, up=False) for form, c in highs),
        )


def _divided(form: Affine, c: int, *, up: bool) -> Bound:
    """The bound, by division where the divisor divides all coefficients."""
    if c == 1 or any(k % c for _, k in form.terms):
        return Bound(form, c)
    constant = -(-form.constant // c) if up else form.constant // c
    return Bound(Affine.of({s: k // c for s, k in form.terms}, constant))


def _order(bound: Bound) -> tuple[object, ...]:
    form, divisor = bound
    return len(form.terms), divisor, form.terms, form.constant
