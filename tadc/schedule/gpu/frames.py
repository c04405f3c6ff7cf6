"""The places of a kernel's steps: the loops and branches around them, and the values of indices there, at the corners and in the
middle of the box.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition
from tadc.ir.range import Range
from tadc.schedule.nest.cost import Points

__all__ = [
    "Frame",
    "Values",
    "candidates",
    "middle_of",
    "often_met",
    "places_below",
    "trips_of",
    "value_at",
]

MOST_CANDIDATES = 243  # points among which that with the most steps is looked for
MOST_PLACES = 64  # of which is looked whether a buffer is in its tensor there

Values: TypeAlias = Mapping[Symbol, Any]


@dataclass(frozen=True, slots=True)
class Frame:
    """Steps in a loop or a branch: the points where they are done, how often at each, and how often in a thread at each candidate.

    Values that need none of the indices and locals that are `bound` there are computed outside, unless it is `conditional`.
    """

    points: Points
    scale: float
    longest: NDArray[Any]
    values: Values
    bound: Set[str] = frozenset()
    unrolled: int = 0
    conditional: bool = False
    team: int = 1  # threads that share the loop
    trips: float = 1.0  # in the middle of the box
    bounds: Set[str] = frozenset()  # the symbols that the loop's bounds depend on


def places_below(n: int, apart: int = 1) -> NDArray[Any]:
    """The multiples of a number below `n`, or some of them."""
    every = -(-n // apart)
    return np.arange(0, max(1, n), apart * max(1, -(-every // MOST_PLACES)))


def candidates(extents: Mapping[Symbol, int]) -> dict[Symbol, NDArray[Any]]:
    """Corners and the middle of the box: the values of each index at all of them."""
    places = {i: sorted({0, (n - 1) // 2, n - 1}) for i, n in extents.items()}
    if prod(map(len, places.values())) > MOST_CANDIDATES:
        places = {i: p if len(p) < 3 or k < 4 else p[1:2] for k, (i, p) in enumerate(reversed(places.items()))}  # fmt: skip
    points = list(product(*places.values()))
    columns = zip(places, zip(*points, strict=True), strict=True) if places else ()
    return {i: np.array(column) for i, column in columns}


def value_at(form: Affine, values: Values) -> Any:
    """The value at each candidate. Raises OverflowError for coefficients beyond 64 bits, which no target takes."""
    result = np.array([form.constant])
    for s, c in form.terms:
        result = result + c * values.get(s, np.array([0]))
    return result


def trips_of(r: Range, values: Values) -> tuple[Any, Values]:
    """How often the loop runs at each candidate, and the values with one of its index in the middle."""
    lows = [-(-value_at(form, values) // d) for form, d in r.lows]
    highs = [value_at(form, values) // d for form, d in r.highs]
    low = np.maximum.reduce(np.broadcast_arrays(*lows)) if lows else np.array([0])
    high = np.minimum.reduce(np.broadcast_arrays(*highs)) if highs else low
    trips = np.maximum(0, high - low + 1)
    return trips, {**values, r.index: (low + np.maximum(low, high)) // 2}


def middle_of(trips: Any) -> float:
    """The number at the middle of the box, which is among the candidates."""
    return float(np.asarray(trips).flat[np.asarray(trips).size // 2])


def often_met(
    conditions: Iterable[Condition], values: Values, looped: Set[Symbol]
) -> tuple[Any, Any]:
    """How often the conditions may hold, and may not: equalities and divisibilities of the box's indices in any case.

    Divisibilities of `looped` indices hold for one of so many.
    """
    met = np.array([1.0])
    certain = True
    for c in conditions:
        if c.relation == ">=":
            met = met * (value_at(c.form, values) >= 0)
        elif c.relation == "|" and not looped.isdisjoint(c.form.symbols):
            met = met / c.modulus
        else:
            certain = False
    return met, 1 - met if certain else np.ones_like(met)
