"""Shapes for the inputs of a program, from the declarations in its text."""

from __future__ import annotations

import re

import tadc


def shapes_of(f: tadc.Function) -> dict[str, list[int]]:
    """Extents of 3 or 4 for the inputs."""
    line = next(line for line in str(f).splitlines() if line.startswith("input "))
    sizes = {name: 3 + n % 2 for n, name in enumerate(f.sizes)}
    declared = re.findall(r"(\w+)\[([^\]]*)\]", line)
    return {
        name: [sizes.get(e) or int(e) for e in inner.split(", ") if e] for name, inner in declared
    }
