"""Arithmetic and scalar functions in a random program, with arguments that they are defined for."""

from __future__ import annotations

import math

from random_programs.draft import Scope
from random_programs.expressions import (
    Apply,
    Apply2,
    Element,
    Expr,
    IndexValue,
    Infix,
    Negative,
    Number,
    Power,
)
from random_programs.functions import POSITIVE, UNARY
from random_programs.indices import Form
from random_programs.reads import Reads


class Arithmetic(Reads):
    """Makes calls and operations."""

    def index_value(self, scope: Scope, depth: int) -> Expr | None:
        if self.sizes and self.chance(0.2):
            self.note("size as a value")
            form = Form(self.rng.choice(self.sizes).name, ())
        elif not scope.indices:
            return None
        else:
            self.note("index as a value")
            form = self.linear(scope, self.rng.choice((1, 1, 2)))
            if self.chance(0.5):
                form = self.moved(form, self.rng.randint(-2, 3))
            if self.full and self.chance(0.1):
                form = self.limited(form)
            if self.full and self.chance(0.25):
                form = self.divided(form)
        values = [form.at(p) for p in scope.points] or [0]
        return IndexValue(form, max(1, *map(abs, values)))

    def negative(self, scope: Scope, depth: int) -> Expr:
        return Negative(self.expression(scope, depth - 1))

    def arithmetic(self, scope: Scope, depth: int) -> Expr:
        a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        operator = self.rng.choice("++-***")
        if operator == "*":
            a, b = self.moderate(a, 30, len(scope.points)), self.moderate(b, 30, len(scope.points))
            return Infix("*", a, b, a.bound * b.bound)
        return Infix(operator, a, b, a.bound + b.bound)

    def quotient(self, scope: Scope, depth: int) -> Expr:
        a = self.expression(scope, depth - 1)
        if self.chance(0.4):
            text = self.rng.choice(("2", "4", "3.0", "10"))
            return Infix("/", a, Number(text), a.bound / float(text))
        self.note("quotient")
        b = self.positive(scope, depth)
        return Infix("/", a, b, a.bound * 2)

    def positive(self, scope: Scope, depth: int) -> Expr:
        """An expression that is at least 1/2."""
        e = self.moderate(self.expression(scope, depth - 1), 3, len(scope.points))
        self.charge(2 * len(scope.points))
        if self.chance(0.5):
            one = Number(self.rng.choice(("1", "2", "1.5")))
            square: Expr = Power(e, Form("2", ()), e.bound**2)
            if self.chance(0.5):
                self.note("repeated subexpression")
                self.charge(len(scope.points) * 3)
                square = Infix("*", e, e, e.bound**2)
            return Infix("+", one, square, one.bound + square.bound)
        if self.chance(0.5):
            return Infix("+", Number("2"), Apply("sin", e, 1.0), 3.0)
        return Infix("+", Number("0.5"), Apply("exp", e, math.exp(e.bound)), 1 + math.exp(e.bound))

    def unary(self, scope: Scope, depth: int) -> Expr:
        options = [f for f in UNARY if self.full or f.level == "core"]
        weights = [0.6 if f.level == "core" and f.smooth else 0.3 for f in options]
        f = self.rng.choices(options, weights)[0]
        a = self.input(scope) if f.simple else self.expression(scope, depth - 1)
        a = self.moderate(a, f.limit, len(scope.points))
        self.note(f"function {f.name}")
        self.smooth &= f.smooth
        bare = isinstance(a, Element) and self.chance(0.3)
        if bare:
            self.note("function without brackets")
        return Apply(f.name, a, f.bound(a.bound), bare)

    def of_positive(self, scope: Scope, depth: int) -> Expr:
        a = self.positive(scope, depth)
        if self.chance(0.25):
            exponent = self.rng.choice(("-1", "0.5", "-2", "1.5"))
            self.note(f"power **{exponent}")
            return Power(a, Form(exponent, ()), max(a.bound ** float(exponent), 4))
        f = self.rng.choice([f for f in POSITIVE if self.full or f.level == "core"])
        self.note(f"function {f.name}")
        return Apply(f.name, a, f.bound(a.bound))

    def binary(self, scope: Scope, depth: int) -> Expr:
        names = ["max", "min", "hypot", "atan2"] + (["pow", "fmod", "gate"] if self.full else [])
        name = self.rng.choice(names)
        self.note(f"function {name}(a, b)")
        self.smooth &= name in ("atan2", "pow", "gate")
        match name:
            case "max" | "min":
                a, b = self.simple(scope), self.simple(scope)
                return Apply2(name, a, b, max(a.bound, b.bound))
            case "fmod":
                a, b = self.input(scope), Number(self.rng.choice(("1.25", "0.75", "2.5")))
                return Apply2(name, a, b, b.bound)
            case "atan2":
                a, b = self.expression(scope, depth - 1), self.positive(scope, depth)
                return Apply2(name, a, b, math.pi)
            case "pow":
                a = self.positive(scope, depth)
                b = self.moderate(self.expression(scope, depth - 1), 2, len(scope.points))
                return Apply2(name, a, b, max(a.bound, 2) ** b.bound)
            case _:
                a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
                product = name == "gate"
                return Apply2(name, a, b, a.bound * b.bound if product else a.bound + b.bound)

    def power(self, scope: Scope, depth: int) -> Expr:
        a = self.moderate(self.expression(scope, depth - 1), 6, len(scope.points))
        usable = [
            i
            for i in scope.indices.values()
            if all(0 <= p[i.name] <= 4 for p in scope.points) and a.bound <= 3
        ]
        if usable and self.chance(0.15):
            self.note("index as an exponent")
            index = self.rng.choice(usable)
            return Power(a, Form(index.name, (index,)), max(1, a.bound) ** 4)
        n = self.pick([(5, 2), (3, 3), (0.5, 1), (0.3, 0)])
        self.note(f"power **{n}")
        return Power(a, Form(str(n), ()), a.bound**n)
