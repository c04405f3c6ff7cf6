"""Choices and masks in a random program."""

from __future__ import annotations

import math

from random_programs.conditions import Conditions
from random_programs.draft import Scope
from random_programs.expressions import (
    Among,
    Apply,
    Choice,
    Compared,
    Condition,
    Element,
    Expr,
    Guarded,
    Infix,
    Number,
)
from random_programs.indices import Form, Index, Subscript
from random_programs.program import SAMPLES, Statement
from random_programs.tensors import Dimension, Tensor, Use


class Choices(Conditions):
    """Makes selections, guarded reads and brackets."""

    def choice(self, scope: Scope, depth: int) -> Expr | None:
        """A selection by an affine condition that holds somewhere, and mostly fails somewhere."""
        condition = self.deciding(scope)
        if condition is None:
            return None
        self.note("if on indices")
        then = self.expression(scope.under(condition), depth - 1)
        otherwise = self.expression(scope.under(condition, False), depth - 1)
        return Choice(condition, then, otherwise, self.spelling())

    def choice_by_value(self, scope: Scope, depth: int) -> Expr:
        condition = self.value_condition(scope)
        self.note("if on values")
        self.smooth = False
        scope = scope.under(condition)
        then, otherwise = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        return Choice(condition, then, otherwise, self.spelling())

    def spelling(self) -> str:
        if self.full and self.chance(0.25):
            self.note("where(c, a, b)")
            return "where"
        return self.pick([(4, "if"), (1, "if {}")])

    def masked(self, scope: Scope, depth: int) -> Expr | None:
        """A root or logarithm where its argument allows one, computed there or by an earlier statement everywhere."""
        name, threshold, bound = self.rng.choice((("sqrt", "0", 1.5), ("log", "0.2", 1.7)))
        ranks = (1, 2)
        inputs = [t for t in self.inputs if len(t.dimensions) in ranks and t.bound <= SAMPLES]
        if not inputs or not scope.points:
            return None
        self.smooth = False
        argument = self.rng.choice(inputs)
        element = self.element(Scope(scope.indices, scope.points, scope.guards, True), argument)
        condition = Compared(">", element, Number(threshold))
        otherwise = self.expression(scope, depth - 1)
        if self.chance(0.5) or len(self.statements) > 4:
            self.note("masked NaN")
            self.remember(scope, argument, element.subscripts)
            return Choice(condition, Apply(name, element, bound), otherwise, self.spelling())
        self.note("NaN masked by a later statement")
        for dimension in argument.dimensions:
            if not dimension.fixed:
                dimension.extent = max(1, dimension.extent)
                self.fix(dimension)
        names = ("i", "j")[: len(argument.dimensions)]
        lefts = [
            Index(n, range(d.extent), d.text, True)
            for n, d in zip(names, argument.dimensions, strict=True)
        ]
        read = Element(argument, tuple(Subscript(Form(i.name, (i,))) for i in lefts))
        uses = [
            Use(d, s, ()) for d, s in zip(argument.dimensions, read.subscripts, strict=True)
        ]  # fmt: skip
        shape = [Dimension(d.extent, d.text, True) for d in argument.dimensions]
        target = Tensor(self.fresh_target(), shape, bound, masked=True)
        self.charge(math.prod(target.shape) * 2)
        earlier = Statement(target, tuple(lefts), Apply(name, read, bound), uses, False)
        self.statements.append(earlier)
        self.remember(scope, target, element.subscripts)
        return Choice(condition, Element(target, element.subscripts), otherwise, self.spelling())

    def guarded(self, scope: Scope, depth: int) -> Expr | None:
        """A read that would leave its tensor, under the condition that keeps it inside."""
        known = [t for t in (*self.inputs, *(s.target for s in self.statements)) if t.dimensions]
        known = [t for t in known if not t.masked]
        if not known or not scope.indices:
            return None
        tensor = self.rng.choice(known)
        place = self.rng.randrange(len(tensor.dimensions))
        dimension = tensor.dimensions[place]
        self.settled(dimension)
        form = self.moved(self.linear(scope, self.rng.choice((1, 2))), self.rng.randint(-3, 2))
        if form.bare and form.bare.implicit:
            return None  # its range would be the extent, or there would be no range
        values = [form.at(p) for p in scope.points] or [0]
        below, above = min(values) < 0, max(values) >= dimension.extent
        if not (below or above) or not any(0 <= v < dimension.extent for v in values):
            return None
        self.note("if guards a read")
        text = self.guard(form.text, dimension.text, below, above)
        condition = Among(Form(text, form.indices))
        inside = scope.under(condition)
        subscripts = []
        for n, d in enumerate(tensor.dimensions):
            s = Subscript(form) if n == place else self.subscript(inside, d)
            self.remember(inside, tensor, [s], [d])
            subscripts.append(s)
        self.charge(len(inside.points))
        then: Expr = Element(tensor, tuple(subscripts))
        if self.full and self.chance(0.4):
            return self.bracketed(condition, then)
        if self.chance(0.3):
            other = self.expression(inside, depth - 1)
            then = Infix("*", then, other, then.bound * other.bound)
        otherwise: Expr = Number("0")
        if self.chance(0.4):
            otherwise = self.expression(scope.under(condition, False), depth - 1)
        return Choice(condition, then, otherwise, self.spelling())

    def guard(self, e: str, extent: str, below: bool, above: bool) -> str:
        """`0 <= e < extent`, or as much of it as is needed, in one of its spellings."""
        if below and above:
            chained, joined = f"0 <= {e} < {extent}", f"{e} >= 0 and {e} <= {extent} - 1"
            return self.rng.choice((chained, joined))
        if below:
            return self.rng.choice((f"{e} >= 0", f"0 <= {e}", f"{e} > -1"))
        return self.rng.choice((f"{e} < {extent}", f"{extent} > {e}"))

    def bracketed(self, condition: Condition, rest: Expr | None) -> Expr:
        self.note("Iverson bracket")
        return Guarded(condition, rest, f"[{condition.show()}]", self.chance(0.3))

    def iverson(self, scope: Scope, depth: int) -> Expr | None:
        condition = self.deciding(scope)
        if condition is None:
            return None
        if self.chance(0.15):
            return self.bracketed(condition, None)
        return self.bracketed(condition, self.expression(scope.under(condition), depth - 1))

    def delta(self, scope: Scope, depth: int) -> Expr | None:
        if len(scope.indices) < 2:
            return None
        self.note("delta(i, j)")
        a, b = self.rng.sample(list(scope.indices.values()), 2)
        condition = Among(Form(f"{a.name} == {b.name}", (a, b)))
        rest = self.expression(scope.under(condition), depth - 1)
        return Guarded(condition, rest, f"delta({a.name}, {b.name})", self.chance(0.3))
