"""Boxes of indices: half open intervals `(low, high)`, one a dimension."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from math import prod
from typing import TypeAlias

__all__ = [
    "Box",
    "Interval",
    "count",
    "extents",
    "intersection",
    "is_within",
    "joined",
    "smallest_box",
    "union_count",
]

Interval: TypeAlias = tuple[int, int]
Box: TypeAlias = tuple[Interval, ...]


def count(box: Box) -> int:
    """The number of its elements."""
    return prod(max(0, high - low) for low, high in box)


def extents(box: Box) -> tuple[int, ...]:
    """Its length in each dimension."""
    return tuple(high - low for low, high in box)


def smallest_box(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all of them; there is at least one."""
    return tuple((min(a for a, _ in d), max(b for _, b in d)) for d in zip(*boxes, strict=True))


def intersection(a: Box, b: Box) -> Box | None:
    """The box of the elements that both have; None where there are none."""
    common = tuple((max(x[0], y[0]), min(x[1], y[1])) for x, y in zip(a, b, strict=True))
    return common if all(low < high for low, high in common) else None


def is_within(inner: Box, outer: Box) -> bool:
    """Whether every element of `inner` is one of `outer`."""
    pairs = zip(inner, outer, strict=True)
    return all(o[0] <= i[0] and i[1] <= o[1] for i, o in pairs)


def joined(boxes: Iterable[Box]) -> list[Box]:
    """Boxes with the same elements, of which no two can be made one."""
    result: list[Box] = []
    for box in dict.fromkeys(boxes):
        merging = box
        while True:
            other = next((o for o in result if _union(o, merging) is not None), None)
            if other is None:
                break
            result.remove(other)
            union = _union(other, merging)
            assert union is not None
            merging = union
        result.append(merging)
    return result


def _union(a: Box, b: Box) -> Box | None:
    """The union, where it is a box."""
    if is_within(a, b):
        return b
    if is_within(b, a):
        return a
    differing = [d for d, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if len(differing) > 1:
        return None
    (d,) = differing
    if max(a[d][0], b[d][0]) > min(a[d][1], b[d][1]):
        return None
    return smallest_box((a, b))


def union_count(boxes: Sequence[Box]) -> int:
    """The number of the elements that lie in at least one of the boxes."""
    boxes = joined(boxes)
    if len(boxes) <= 1:
        return sum(map(count, boxes))
    # The cells between the boxes' ends: each is inside of a box as a whole, or outside.
    ends = [sorted({e for i in d for e in i}) for d in zip(*boxes, strict=True)]
    cells = product(*(list(pairwise(e)) for e in ends))
    return sum(count(cell) for cell in cells if any(is_within(cell, box) for box in boxes))
