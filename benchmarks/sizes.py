"""How large a formula is: the points of its loops, and the sizes at which there are about so many of them."""

from __future__ import annotations

from math import log2
from typing import Any

from gpu_formulas import Formula

from tadc.runtime.binding import bind_sizes
from tadc.schedule.nest.cost import operations
from tadc.schedule.nest.lower import kernels

__all__ = ["points_of", "shapes_at", "sizes_at", "sizes_of"]

Shapes = list[tuple[int, ...]]


def sizes_of(f: Any, shapes: Shapes) -> dict[str, int]:
    """The sizes of a call with these inputs, derived ones included."""
    return bind_sizes(f.program, dict(zip(f.inputs, shapes, strict=True)), {})


def points_of(f: Any, sizes: dict[str, int]) -> int:
    """The points of the formula's largest loop nest: of a matrix product all `i, j, k`."""
    sets = (points for k in kernels(f.program, "primal") for _, points in operations(k))
    return max((points.count(sizes) for points in sets), default=0)


def sizes_at(f: Any, formula: Formula, points: float) -> dict[str, int]:
    """The sizes of the formula's shapes times one factor, those that are `fixed` left alone: the least with so many points."""
    own = sizes_of(f, formula.shapes)
    grown = [s for s in f.program.sizes if s not in formula.fixed.split()]

    def scaled(exponent: float) -> dict[str, int]:
        numbers = {s: max(1, round(own[s] * 2**exponent)) for s in grown}
        return f.program.size_values({**{s: own[s] for s in f.program.sizes}, **numbers})

    few, many = -log2(max(own[s] for s in grown)), 30.0
    while many - few > 1e-7:
        middle = (few + many) / 2
        if points_of(f, scaled(middle)) < points:
            few = middle
        else:
            many = middle
    return scaled(many)


def shapes_at(f: Any, sizes: dict[str, int]) -> Shapes:
    """The shapes of the inputs."""
    return [tuple(n.at(sizes) for n in t.shape) for t in f.program.inputs]
