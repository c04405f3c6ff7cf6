"""Numbers of integer points, exact where they are soon counted, else by a sample: a model needs no more, and a call no minutes.

The values of each index are drawn from its range at the outer ones, by a sequence that is the same every time; a point drawn
weighs as much as the ranges that it was drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from tadc.integer.projection import project
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain
from tadc.schedule.nest.cost import Points

__all__ = ["about"]

ENUMERATED = 200_000  # points that are counted one by one
DRAWN = 4096
HUGE = 1e30  # points of an index that an equation alone bounds, if it were none
# The sequences of the indices step by roots of these, which are independent of each other (Richtmyer 1951).
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)


def about(points: Points, sizes: Mapping[Symbol, int]) -> float:
    """The number of points for these values of all sizes."""
    forms = (*(c.form for c in points.domain), *(d.form for d in points.derived))
    used = sorted({s for form in forms for s in form.symbols} & sizes.keys())
    return _about(points, tuple((s, sizes[s]) for s in used))


@lru_cache(maxsize=4096)
def _about(points: Points, sizes: tuple[tuple[Symbol, int], ...]) -> float:
    """The number for the sizes in the conditions: schedules of a kernel have the same sets of points, as have programs that differ little."""
    values = dict(sizes)
    return prod(_part(part, values) for part in points.parts())


def _part(part: Points, sizes: Mapping[Symbol, int]) -> float:
    part = replace(part, domain=_with_bounds(part, sizes))
    is_range = len(part.indices) <= 1 and not part.derived
    if is_range and all(c.relation == ">=" for c in part.domain):
        return part.enumerated(sizes)
    number, visited = _drawn(part, sizes)
    return part.gone_through(sizes) if visited <= ENUMERATED else number


def _with_bounds(part: Points, sizes: Mapping[Symbol, int]) -> Domain:
    """The domain with bounds of each index at the outer ones: those of the sums in a statement may be bounds at inner ones alone."""
    domain = part.domain
    outer: set[Symbol] = set()
    for index in part.indices:
        outer.add(index)
        known = outer | sizes.keys()
        for d in part.derived:
            if known.issuperset(d.form.symbols):
                known.add(d.name)
        own = [c for c in domain if index in c.form.symbols and known.issuperset(c.form.symbols)]
        signs = [c.form.coefficient(index) > 0 for c in own if c.relation == ">="]
        if len(set(signs)) < 2 and not any(c.relation == "==" for c in own):
            fixed = {s: constant(n) for s, n in sizes.items()}
            each = Domain.of((*domain, *(c for d in part.derived for c in d.conditions)))
            domain &= project(each.substitute(fixed), [s for s in each.symbols if s not in known])
    return domain


def _drawn(part: Points, sizes: Mapping[Symbol, int]) -> tuple[float, float]:
    """About the number of points, and of those that counting would visit, where equations bound no index."""
    values = {s: np.array([float(n)]) for s, n in sizes.items()}
    weights = np.ones(DRAWN)
    visited = 1.0
    conditions, derived = list(part.domain), list(part.derived)
    for place, index in enumerate((*part.indices, "")):
        for d in list(derived):
            if all(s in values for s in d.form.symbols):
                derived.remove(d)
                values[d.name] = _at(d.form, values) // d.modulus
        for c in [c for c in conditions if all(s in values for s in c.form.symbols)]:
            conditions.remove(c)
            weights = weights * _holds(c, _at(c.form, values))
        if not index:
            break
        bounds = [c for c in conditions if set(c.form.symbols) <= {index, *values}]
        low, high = _range(index, [c for c in bounds if c.relation == ">="], values)
        visits = np.clip(high - low + 1, 0.0, HUGE)
        visited = max(visited, float((weights * visits).mean()))
        first, last = _range(index, [c for c in bounds if c.relation == "=="], values)
        low, high = np.maximum(low, first), np.minimum(high, last)
        trips = np.clip(high - low + 1, 0.0, HUGE)  # an index may have no bound
        low = np.where(np.isfinite(low), low, 0.0)
        weights = weights * trips
        values[index] = low + np.floor(_draws(place % len(PRIMES)) * np.maximum(1, trips))
    return float(weights.mean()), visited


@lru_cache
def _draws(place: int) -> NDArray[np.float64]:
    """The numbers from 0 to 1 of the index at that place, in their order."""
    numbers: NDArray[np.float64] = np.arange(1.0, DRAWN + 1)
    return numbers * sqrt(PRIMES[place]) % 1


def _holds(c: Condition, value: NDArray[np.float64]) -> NDArray[np.bool_]:
    """For which values of its form the condition holds."""
    match c.relation:
        case ">=":
            return value >= 0
        case "==":
            return value == 0
        case _:
            return value % max(1, c.modulus) == 0


def _range(
    index: Symbol, conditions: Sequence[Condition], values: Mapping[Symbol, NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the greatest value of the index under these conditions, for each draw of the outer ones."""
    low, high = np.full(DRAWN, -np.inf), np.full(DRAWN, np.inf)
    for c in conditions:
        k = c.form.coefficient(index)
        if not k:
            continue
        rest = _at(c.form - k * symbol(index), values)
        if k > 0 or c.relation == "==":
            low = np.maximum(low, np.ceil(-rest / k))
        if k < 0 or c.relation == "==":
            high = np.minimum(high, np.floor(-rest / k))
    return low, high


def _at(form: Affine, values: Mapping[Symbol, NDArray[np.float64]]) -> NDArray[np.float64]:
    result = np.array([float(form.constant)])
    for s, c in form.terms:
        result = result + (values[s] if c == 1 else c * values[s])
    return result
