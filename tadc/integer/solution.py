"""The result of the solver: guards, exact quotients, a nest of loops, and the unknowns as affine forms of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition, Derived, Domain
from tadc.ir.range import Range

__all__ = ["Solution"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The integer points of a domain: where all `guards` hold the loops visit each once, elsewhere there is none.

    `values` has one form for each of `unknowns`, over parameters, quotients and loop indices. An unknown that is a
    loop's index is its own value.
    """

    unknowns: tuple[Symbol, ...]
    guards: tuple[Condition, ...]  # on parameters only
    quotients: tuple[Derived, ...]  # over parameters only; exact divisions under the guards
    loops: tuple[Range, ...]  # outermost first
    values: tuple[Affine, ...]

    def __post_init__(self) -> None:
        assert len(self.unknowns) == len(self.values), "an unknown without a value"
        inner = {loop.index for loop in self.loops}
        for loop in self.loops:
            assert loop.lows, f"{loop.index} has no lower bound"
            assert loop.highs, f"{loop.index} has no upper bound"
            assert not loop.symbols & inner, (
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
