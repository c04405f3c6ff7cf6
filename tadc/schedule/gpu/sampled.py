"""Numbers of integer points, exact where they are soon counted, else by a sample: a model needs no more, and a call no minutes.

The values of each index are drawn from its range at the outer ones, by a sequence that is the same every time; a point drawn
weighs as much as the ranges that it was drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from tadc.ir.affine import Affine, Symbol
from tadc.schedule.nest.cost import Points

__all__ = ["about"]

ENUMERATED = 200_000  # points that are counted one by one
DRAWN = 4096
STEP = 0.6180339887498949  # of the sequence: the golden ratio


def about(points: Points, sizes: Mapping[Symbol, int]) -> float:
    """The number of points for these values of all sizes."""
    return prod(_part(part, sizes) for part in points.parts())


def _part(part: Points, sizes: Mapping[Symbol, int]) -> float:
    if len(part.indices) <= 1 and not part.derived:
        return part.enumerated(sizes)
    number = _drawn(part, sizes)
    return part.enumerated(sizes) if number <= ENUMERATED else number


def _drawn(part: Points, sizes: Mapping[Symbol, int]) -> float:
    values = {s: np.array([float(n)]) for s, n in sizes.items()}
    weights = np.ones(DRAWN)
    conditions, derived = list(part.domain), list(part.derived)
    for place, index in enumerate((*part.indices, "")):
        for d in list(derived):
            if all(s in values for s in d.form.symbols):
                derived.remove(d)
                values[d.name] = _at(d.form, values) // d.modulus
        for c in [c for c in conditions if all(s in values for s in c.form.symbols)]:
            conditions.remove(c)
            value = _at(c.form, values)
            holds = {">=": value >= 0, "==": value == 0, "|": value % max(1, c.modulus) == 0}
            weights = weights * holds[c.relation]
        if not index:
            break
        low, high = np.full(DRAWN, -np.inf), np.full(DRAWN, np.inf)
        for c in list(conditions):
            k = c.form.coefficient(index)
            if not k or any(s not in values and s != index for s in c.form.symbols):
                continue
            rest = _at(c.form, {**values, index: np.zeros(1)})
            if c.relation == ">=" or c.relation == "==":
                above, below = np.ceil(-rest / k), np.floor(-rest / k)
                low = np.maximum(low, above) if k > 0 or c.relation == "==" else low
                high = np.minimum(high, below) if k < 0 or c.relation == "==" else high
        trips = np.maximum(0.0, high - low + 1)
        weights = weights * trips
        draw = (np.arange(1, DRAWN + 1) * STEP ** (place + 1) + 0.5) % 1
        values[index] = low + np.floor(draw * np.maximum(1, trips))
    return float(weights.mean())


def _at(form: Affine, values: Mapping[Symbol, NDArray[np.float64]]) -> NDArray[np.float64]:
    result = np.array([float(form.constant)])
    for s, c in form.terms:
        result = result + c * values[s]
    return result
