"""Shapes for the inputs of a program, from the declarations in its text."""

from __future__ import annotations

import math
import re

import tadc


def shapes_of(f: tadc.Function) -> dict[str, list[int]]:
    """Extents of 3 or 4 for the inputs, or what is made of such sizes."""
    line = next(line for line in str(f).splitlines() if line.startswith("input "))
    sizes = sizes_of(f)
    declared = re.findall(r"(\w+)\[([^\]]*)\]", line)
    return {name: [_extent(e, sizes) for e in inner.split(", ") if e] for name, inner in declared}


def sizes_of(f: tadc.Function) -> dict[str, int]:
    """3 or 4 for each size."""
    return {name: 3 + n % 2 for n, name in enumerate(f.sizes)}


def _extent(text: str, sizes: dict[str, int]) -> int:
    """A sum of products of sizes and integers."""
    return sum(
        math.prod(sizes.get(factor) or int(factor) for factor in term.split("*"))
        for term in text.replace(" - ", " + -1*").split(" + ")
    )
