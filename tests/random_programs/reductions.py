"""Reductions of a random program: ranges, bounds, conditions."""

from __future__ import annotations

import math

from random_programs.conditions import Conditions
from random_programs.draft import POINTS, Scope
from random_programs.expressions import (
    Apply,
    Condition,
    Expr,
    Infix,
    Joined,
    Negative,
    Number,
    Power,
    Range,
    Reduction,
)
from random_programs.indices import Form, Index
from random_programs.tape import Run


class Reductions(Conditions):
    """Makes reductions of few points."""

    def summation(self, scope: Scope, depth: int) -> Expr | None:
        return self.reduce(scope, depth, "sum")

    def other_reduction(self, scope: Scope, depth: int) -> Expr | None:
        options = ((3, "max"), (2, "min"), (3, "prod"), (2, "mean"), (3, "logsumexp"), (1, "argmax"), (1, "argmin"))  # fmt: skip
        return self.reduce(scope, depth, self.pick(options))

    def gaussian(self, scope: Scope, depth: int) -> Expr | None:
        """`exp(-sum{k} (..)**2) * ..`: a reduction in the midst of an expression."""
        distance = self.reduce(scope, depth, "sum", square=True)
        if distance is None:
            return None
        self.note("exp(-sum{k} ..)")
        kernel = Apply("exp", Negative(distance), 1.0)
        if depth < 2:
            return kernel
        other = self.expression(scope, depth - 2)
        return Infix("*", kernel, other, other.bound)

    def reduce(self, scope: Scope, depth: int, op: str, square: bool = False) -> Expr | None:
        """A reduction by `op`, None where there is no room for one; `square`: of a square, so not negative."""
        domain = self.domain(scope, op)
        if domain is None:
            return None
        ranges, condition, inner, most = domain
        if op == "sum" and self.full and not square and self.chance(0.1):
            # Whether another condition guards its reads, a reader could doubt: they are inside without.
            values = self.value_condition(self.ranged(scope, ranges))
            self.smooth = False
            self.note("range condition on values")
            condition = Joined("and", (condition, values)) if condition else values
            inner = inner.under(values)
        points = len(inner.points)
        if op in ("max", "min", "argmax", "argmin"):
            self.smooth = False
            body = self.simple_body(inner)
        else:
            body = self.expression(inner, depth - 1)
        if square:
            self.charge(points)
            body = Power(self.moderate(body, 6, points), Form("2", ()), 36)
        body = self.moderate(body, 1.5 if op == "prod" else 20, points)
        bound = {
            "sum": body.bound * most,
            "prod": max(1, body.bound) ** most,
            "logsumexp": body.bound + math.log(max(most, 1)),
            "argmax": 10.0,
            "argmin": 10.0,
        }.get(op, body.bound)
        return Reduction(op, ranges, condition, body, bound)

    def domain(
        self, scope: Scope, op: str
    ) -> tuple[tuple[Range, ...], Condition | None, Scope, int] | None:
        """Ranges, a condition or none, where the body stands, and how many points the reduction has at most."""
        for _ in range(8):
            ranges = self.ranges(scope, 1 if op.startswith("arg") else self.pick([(4, 1), (1, 2)]))
            if ranges is None:
                return None
            condition: Condition | None = None
            inner = self.ranged(scope, ranges)
            if ranges[0].style != "script" and self.chance(0.25):
                condition = self.deciding(inner, [r.index for r in ranges])
                inner = inner.under(condition) if condition else inner
            trial = Reduction(op, ranges, condition, Number("1"), 1.0)
            counts = [len(list(trial.points(p, Run({})))) for p in scope.points] or [0]
            most = max(counts)
            enough = min(counts) > 0 or op in ("sum", "prod", "argmax", "argmin")
            if enough and 0 < len(inner.points) <= POINTS and (op != "prod" or most <= 8):
                self.note_ranges(scope, op, ranges, condition, counts)
                return ranges, condition, inner, most
        return None

    def ranged(self, scope: Scope, ranges: tuple[Range, ...]) -> Scope:
        """The scope of a reduction's body, or of its condition."""
        indices = {**scope.indices, **{r.index.name: r.index for r in ranges}}
        trial = Reduction("sum", ranges, None, Number("1"), 1.0)
        points = [q for p in scope.points for q in trial.points(p, Run({}))]
        return Scope(indices, points, scope.guards, scope.within)

    def simple_body(self, scope: Scope) -> Expr:
        a = self.read(scope, 0)
        if self.chance(0.3):
            b = self.read(scope, 0)
            self.charge(len(scope.points))
            return Infix("*", a, b, a.bound * b.bound)
        return a

    def note_ranges(
        self,
        scope: Scope,
        op: str,
        ranges: tuple[Range, ...],
        condition: Condition | None,
        counts: list[int],
    ) -> None:
        self.note(op)
        for r in ranges:
            self.note(
                {"bounds": "k=lo..hi", "extent": "k: n", "script": "}_lo^hi"}.get(r.style, "k")
            )
            if r.low.indices or r.high.indices:
                self.note("bounds of outer indices")
            if r.index.name in scope.indices:
                self.note("inner index hides outer")
        if condition:
            self.note("range with condition")
        if len(ranges) > 1:
            self.note("sum{k, l}")
        if set(scope.indices) - self.lefts:
            self.note("reduction in a reduction")
        if min(counts) == 0:
            self.note("range empty somewhere")

    def ranges(self, scope: Scope, count: int) -> tuple[Range, ...] | None:
        room = POINTS // max(1, len(scope.points))
        if room < 2:
            return None
        hidden = [n for n in scope.indices if n not in self.lefts]
        # Few names, those of other statements among them: passes that rename must keep them apart.
        free = [n for n in "ijklmnp" if n not in scope.indices and n not in self.lefts]
        names = self.rng.sample(free[:5], count)
        if hidden and count == 1 and self.chance(0.2):
            names = [self.rng.choice(hidden)]
        ranges = []
        for name in names:
            style = self.pick([(9, "implicit"), (3, "extent"), (5, "bounds"), (2.5, "script")])
            if style == "script" and count > 1:
                style = "bounds"
            if style in ("implicit", "extent"):
                n, text = self.extent(most=max(1, min(6, room)))
                index = Index(name, range(n), text, style == "implicit")
                low, high = Form("0", ()), Form(str(n - 1), ())
            else:
                low, high = self.bounds(scope, name, style, min(5, room))
                constant = not (low.indices or high.indices)
                env = self.numbers
                values = range(low.at(env), high.at(env) + 1) if constant else None
                index = Index(name, values, "", False)
            ranges.append(Range(index, style, low, high))
        return tuple(ranges)

    def bounds(self, scope: Scope, name: str, style: str, most: int) -> tuple[Form, Form]:
        """Inclusive bounds, affine in the outer indices; or the larger, the smaller, of two such."""
        outer = {n: i for n, i in scope.indices.items() if n != name}
        start = self.rng.choice((0, 0, 0, 1, 2, -1))
        width = self.rng.randint(0, most - 1)
        if not outer or self.chance(0.4):
            low, high = Form(str(start), ()), Form(str(start + width), ())
            sizes = [s for s in self.sizes if s.value <= most]
            if sizes and self.chance(0.6):
                size = self.rng.choice(sizes)
                text = f"{size.name}-1" if self.chance(0.6) else size.name
                low, high = Form("0", ()), Form(text, ())
            return low, high
        index = self.rng.choice(list(outer.values()))
        i = Form(index.name, (index,))
        kind = self.rng.randrange(9 if self.full else 6)
        if kind > 5:
            self.note("min and max in bounds of both kinds")
        match kind:
            case 0:
                return Form("0", ()), i
            case 1:
                return i, self.moved(i, width)
            case 2:
                return i, Form(str(self.rng.randint(2, 5)), ())
            case 3:
                return self.moved(i, -1), self.moved(i, 1)
            case 4:
                both = Form(f"2*{index.name}", (index,))
                return self.moved(i, -2), self.moved(both, 1 - self.rng.randint(0, 3))
            case 6:
                return self.least(i, "min"), Form(str(self.rng.randint(1, 3)), ())
            case 7:
                return Form("0", ()), self.least(i, self.rng.choice(("min", "max")))
            case 8:
                return self.least(i, "min"), self.moved(self.least(i, "max"), -1)
            case _:
                top = self.rng.randint(1, 5)
                return (
                    self.extreme("max", Form("0", ()), self.moved(i, -2)),
                    self.extreme("min", Form(str(top), ()), self.moved(i, width)),
                )
