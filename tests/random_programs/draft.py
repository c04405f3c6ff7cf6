"""A program in the making: what is decided so far, and the chances by which the rest will be."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from random_programs.expressions import Apply, Condition, Expr, Infix, Number
from random_programs.indices import Index
from random_programs.program import Size, Statement
from random_programs.tape import Env, Run
from random_programs.tensors import Dimension, Tensor, Use

LEVELS = ("core", "full")
OPERATIONS = 20_000  # scalar operations that a program may take, its gradient aside
POINTS = 400  # at which one expression may be evaluated


class TooLarge(Exception):
    """The program would take too many operations, or is dull: the next attempt may be better."""


@dataclass(frozen=True, eq=False)
class Scope:
    """Where an expression stands: the indices it may use, all points that reach it, the indices conditions speak of."""

    indices: dict[str, Index]
    points: list[Env]
    guards: tuple[Index, ...] = ()
    within: bool = False  # a condition

    def under(self, condition: Condition, wanted: bool = True) -> Scope:
        points = self.points
        if condition.affine:
            points = [p for p in points if condition.holds(p, Run({})) is wanted]
        return Scope(self.indices, points, (*self.guards, *condition.indices), self.within)


class Draft:
    """The state of one program in the making; every choice comes from `rng`."""

    def __init__(self, rng: random.Random, level: str) -> None:
        self.rng = rng
        self.level = level
        self.sizes: list[Size] = []
        self.inputs: list[Tensor] = []
        self.statements: list[Statement] = []
        self.uses: list[Use] = []  # of the statement being made
        self.lefts: set[str] = set()
        self.features: dict[str, None] = {}
        self.smooth = True
        self.operations = 0

    # -- Chances

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, options: Sequence[tuple[float, Any]]) -> Any:
        """One of the options, each given with its weight."""
        return self.rng.choices([o for _, o in options], [w for w, _ in options])[0]

    def note(self, feature: str) -> None:
        self.features[feature] = None

    @property
    def full(self) -> bool:
        return self.level == "full"

    # -- Sizes and extents

    @property
    def numbers(self) -> dict[str, int]:
        return {s.name: s.value for s in self.sizes}

    def make_sizes(self) -> None:
        if self.chance(0.35):
            self.note("symbolic sizes")
            for name in ("N", "M", "K")[: self.pick([(3, 1), (3, 2), (1, 3)])]:
                self.sizes.append(Size(name, self.rng.randint(2, 5)))
            if self.chance(0.2):
                self.note("size made of sizes")
                n = self.sizes[0]
                options = ((f"{n.name} + 1", n.value + 1), (f"2*{n.name} - 1", 2 * n.value - 1))
                if self.full:
                    options = (*options, (f"({n.name} + 3) // 2", (n.value + 3) // 2))
                text, value = self.rng.choice(options)
                self.sizes.append(Size("P", value, text))
        if self.chance(0.12):
            self.note("size with a number")
            value = self.rng.randint(2, 5)
            self.sizes.append(Size("L", value, str(value)))

    def extent(self, most: int = 6) -> tuple[int, str]:
        """A new extent, as a number and as text."""
        if self.sizes and self.chance(0.8):
            size = self.rng.choice(self.sizes)
            change, text = self.pick(
                [(5, (0, "{}")), (0.6, (1, "{} + 1")), (0.6, (-1, "{} - 1")), (0.3, (2, "{}+2"))]
            )
            if 1 <= size.value + change <= most:
                return size.value + change, text.format(size.name)
        if self.full and len(self.sizes) > 1 and self.chance(0.3):
            a, b = self.rng.sample(self.sizes, 2)
            if 1 <= min(a.value, b.value) <= most:
                self.note("the least of sizes as an extent")
                return min(a.value, b.value), f"min({a.name}, {b.name})"
        n = min(most, self.rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6)))
        return n, str(n)

    def fix(self, dimension: Dimension, text: str = "") -> None:
        """Settles the extent; where sizes are symbolic, some get a text that is made of one."""
        dimension.fixed = True
        dimension.text = text or str(dimension.extent)
        if not text and self.sizes and self.chance(0.5):
            size = self.rng.choice(self.sizes)
            double = 2 if size.value * 2 <= dimension.extent else 1
            rest = dimension.extent - double * size.value
            if -2 <= rest <= 4:
                name = size.name if double == 1 else f"2*{size.name}"
                sign = f" {'-' if rest < 0 else '+'} {abs(rest)}" if rest else ""
                dimension.text = name + sign

    def settled(self, dimension: Dimension) -> None:
        """Fixes the extent now: a boundary or a guard speaks of it."""
        if not dimension.fixed:
            dimension.extent = max(dimension.extent, self.rng.randint(1, 4))
            self.fix(dimension)

    # -- Limits

    def charge(self, points: int) -> None:
        self.operations += points
        if self.operations > OPERATIONS:
            raise TooLarge

    def moderate(self, e: Expr, most: float, points: int) -> Expr:
        """`e`, scaled if it may be larger than `most`."""
        if e.bound <= most:
            return e
        self.charge(points)
        if e.bound < 100 and self.chance(0.4):
            return Apply("tanh", e, 1.0)
        digits = math.ceil(math.log10(e.bound / most))
        if self.chance(0.5):
            return Infix("/", e, Number(str(10**digits)), e.bound / 10**digits)
        factor = Number(f"1e-{digits}" if digits > 2 else str(0.1**digits)[: digits + 2])
        return Infix("*", factor, e, e.bound * factor.bound)

    # -- Expressions, which are made of all that the other files make

    def expression(self, scope: Scope, depth: int) -> Expr:
        raise NotImplementedError
