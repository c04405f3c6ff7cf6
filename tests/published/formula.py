"""A published formula: its LaTeX as the authors print it, and what it computes, in plain loops or numpy.

    @formula(r"\\[ s = \\sum_i x_i \\]", source="..", x="4")
    def total(x):
        return sum(x)

Keywords are the inputs of the reference in order, each with its extents ("" for a number) or a function of a random generator.
`shapes` are lines that a fair user adds in front where the formula alone does not tell: `%!tadc` lines, or prose, which begins with `$`.
`leaves_open` says what the paper leaves to its reader, so that an error is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["FORMULAS", "Formula", "formula", "normal", "uniform"]


@dataclass(frozen=True)
class Formula:
    """`SHAPES`, `SIZES`, `OUTPUT`, `inputs` and `reference` are what `benchmarks/paper_formulas.py` reads of a case."""

    name: str
    text: str
    source: str
    reference: Callable[..., Any]
    extents: Mapping[str, Any]
    SHAPES: tuple[str, ...]
    SIZES: Mapping[str, int]
    OUTPUT: str
    leaves_open: str = ""

    def inputs(self, random: np.random.Generator) -> dict[str, Any]:
        """Positive inputs, so that roots and logarithms exist."""
        return {name: _array(given, random) for name, given in self.extents.items()}


def _array(given: Any, random: np.random.Generator) -> Any:
    if callable(given):
        return given(random)
    return random.uniform(0.5, 1.5, tuple(map(int, given.split())))


def normal(random: np.random.Generator, *shape: int) -> Any:
    """Numbers of both signs."""
    return random.standard_normal(shape)


def uniform(random: np.random.Generator, *shape: int) -> Any:
    """Positive numbers around 1."""
    return random.uniform(0.5, 1.5, shape)


FORMULAS: dict[str, Formula] = {}


def formula(
    text: str,
    *,
    source: str,
    shapes: tuple[str, ...] = (),
    sizes: Mapping[str, int] | None = None,
    output: str = "",
    leaves_open: str = "",
    **extents: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the formula that the decorated function computes to `FORMULAS`."""

    def add(reference: Callable[..., Any]) -> Callable[..., Any]:
        name = reference.__name__
        assert name not in FORMULAS, name
        FORMULAS[name] = Formula(
            name,
            text.strip("\n"),
            source,
            reference,
            extents,
            shapes,
            sizes or {},
            output,
            leaves_open,
        )
        return reference

    return add
