"""What the solver returns: guards, exact quotients, a nest of loops, and the unknowns as affine forms of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Derived, Domain, at_least_zero

__all__ = ["Bound", "Loop", "Solution"]


@dataclass(frozen=True, slots=True)
class Bound:
    """`ceil(form / divisor)` where it is a low, `floor(form / divisor)` where it is a high; `divisor >= 1`."""

    form: Affine
    divisor: int = 1

    def __post_init__(self) -> None:
        assert self.divisor >= 1, f"divisor {self.divisor} of a bound is not positive"

    def low_at(self, values: Mapping[Symbol, int]) -> int:
        return -(-self.form.at(values) // self.divisor)

    def high_at(self, values: Mapping[Symbol, int]) -> int:
        return self.form.at(values) // self.divisor


@dataclass(frozen=True, slots=True)
class Loop:
    """`index` runs from the greatest of `lows` to the least of `highs`, both included; maybe it does not run at all.

    The bounds are over parameters, quotients and the indices of the loops further out.
    """

    index: Symbol
    lows: tuple[Bound, ...]
    highs: tuple[Bound, ...]

    def __post_init__(self) -> None:
        assert self.lows, f"{self.index} has no lower bound"
        assert self.highs, f"{self.index} has no upper bound"

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
    def conditions(self) -> tuple[Condition, ...]:
        """`divisor*index - low >= 0` for every low and `high - divisor*index >= 0` for every high."""
        z = symbol(self.index)
        return (
            *(at_least_zero(low.divisor * z - low.form) for low in self.lows),
            *(at_least_zero(high.form - high.divisor * z) for high in self.highs),
        )

    def values_at(self, values: Mapping[Symbol, int]) -> range:
        """The values of the index where everything further out has a value."""
        low = max(low.low_at(values) for low in self.lows)
        return range(low, min(high.high_at(values) for high in self.highs) + 1)


@dataclass(frozen=True, slots=True)
class Solution:
    """The integer points of a domain: where all `guards` hold the loops visit each once, elsewhere there is none.

    `values` has one form for each of `unknowns`, over parameters, quotients and loop indices. An unknown that is a
    loop's index is its own value.
    """

    unknowns: tuple[Symbol, ...]
    guards: tuple[Condition, ...]  # on parameters only
    quotients: tuple[Derived, ...]  # over parameters only; exact divisions under the guards
    loops: tuple[Loop, ...]  # outermost first
    values: tuple[Affine, ...]

    def __post_init__(self) -> None:
        assert len(self.unknowns) == len(self.values), "an unknown without a value"
        inner = {loop.index for loop in self.loops}
        for loop in self.loops:
            used = {s for bound in (*loop.lows, *loop.highs) for s in bound.form.symbols}
            assert not used & inner, (
                f"the bounds of {loop.index} know a loop that is not further out"
            )
            inner.remove(loop.index)

    @property
    def substitution(self) -> Mapping[Symbol, Affine]:
        """The value of each unknown, by its name."""
        return dict(zip(self.unknowns, self.values, strict=True))

    @property
    def indices(self) -> tuple[Symbol, ...]:
        """The loop indices, outermost first."""
        return tuple(loop.index for loop in self.loops)

    @property
    def domain(self) -> Domain:
        """The bounds of the loops as conditions on their indices: `guards` and `quotients` are not among them."""
        return Domain.of(condition for loop in self.loops for condition in loop.conditions)
