"""Reads of a random program: a tensor, and subscripts that stay inside it.

A subscript is made by choosing a form, looking at the values that it takes, and moving it inside its tensor; shapes of
inputs grow until a bare use of an index fixes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from random_programs.draft import Scope
from random_programs.expressions import Element, Expr, Infix, Number
from random_programs.forms import Forms
from random_programs.indices import Form, Subscript
from random_programs.program import SAMPLES
from random_programs.tensors import Dimension, Tensor, Use


class Reads(Forms):
    """Makes reads of tensors, and new inputs where there are few."""

    def read(self, scope: Scope, depth: int) -> Expr:
        return self.element(scope, self.tensor())

    def repeated(self, scope: Scope, depth: int) -> Expr:
        """Two reads of one tensor."""
        tensor = self.tensor()
        a, b = self.element(scope, tensor), self.element(scope, tensor)
        self.note("two reads of a tensor in a term")
        operator = self.rng.choice("+-*")
        return Infix(operator, a, b, a.bound * b.bound if operator == "*" else a.bound + b.bound)

    def input(self, scope: Scope) -> Expr:
        """A read of an input, if there is one."""
        return (
            self.element(scope, self.rng.choice(self.inputs))
            if self.inputs
            else self.read(scope, 0)
        )

    def number(self, scope: Scope, depth: int) -> Expr:
        texts = ("2", "3", "0.5", "1.5", "0.25", "1", "0.1", "2e-1", "pi", "1.0")
        return Number(self.rng.choice(texts))

    def simple(self, scope: Scope) -> Expr:
        """A read or a number: operands of comparisons, where the last bit of a longer computation would decide."""
        if self.chance(0.2):
            return self.number(scope, 0)
        return self.input(scope) if self.chance(0.6) else self.read(scope, 0)

    def tensor(self) -> Tensor:
        """An earlier statement's target, an input, or a new one."""
        earlier = [s.target for s in self.statements if not s.target.masked]
        if earlier and self.chance(0.4):
            self.note("reads an earlier statement")
            return self.rng.choice(earlier)
        new = len(self.inputs) < 5 and self.chance(0.75 / (1 + len(self.inputs)) ** 0.7)
        if self.inputs and not new:
            return self.rng.choice(self.inputs)
        names = [n for n in ("a", "b", "c", "x", "y", "w", "v", "z", "A") if n not in self.taken]
        rank = self.pick([(1, 0), (5, 1), (4, 2), (1, 3)])
        self.inputs.append(
            Tensor(self.rng.choice(names), [Dimension(0) for _ in range(rank)], SAMPLES)
        )
        self.note(f"input of rank {rank}")
        return self.inputs[-1]

    @property
    def taken(self) -> set[str]:
        return {t.name for t in self.inputs}

    def element(self, scope: Scope, tensor: Tensor) -> Element:
        self.charge(len(scope.points))
        subscripts: list[Subscript] = []
        for dimension in tensor.dimensions:
            again = self.diagonal(scope, dimension, subscripts)
            subscripts.append(again or self.subscript(scope, dimension))
            self.remember(scope, tensor, subscripts[-1:], [dimension])
        indices = {i for s in subscripts for i in s.form.indices}
        if len(indices) < len(scope.indices):
            self.note("broadcast")
        semicolon = self.chance(0.03)
        return Element(tensor, tuple(subscripts), "; " if semicolon else ", ")

    def remember(
        self,
        scope: Scope,
        tensor: Tensor,
        subscripts: Sequence[Subscript],
        dimensions: Sequence[Dimension] | None = None,
    ) -> None:
        for dimension, s in zip(dimensions or tensor.dimensions, subscripts, strict=True):
            self.uses.append(Use(dimension, s, scope.guards, scope.within))
            for index in s.form.indices:
                index.uses += 1

    # -- Subscripts

    def diagonal(
        self, scope: Scope, dimension: Dimension, before: Sequence[Subscript]
    ) -> Subscript | None:
        """The first subscript once more, if it fits."""
        if not before or before[0].boundary or not self.chance(0.15):
            return None
        form = before[0].form
        if not form.indices or self.fitted(scope, dimension, form, move=False) is None:
            return None
        self.note("diagonal")
        return Subscript(form)

    def subscript(self, scope: Scope, dimension: Dimension) -> Subscript:
        if self.full and self.chance(0.12) and scope.indices:
            return self.boundary(scope, dimension)
        for _ in range(8):
            if not scope.indices or self.chance(0.04):
                break
            form = self.linear(scope, self.pick([(6, 1), (3, 2), (0.4, 3)]))
            if self.full and self.chance(0.12):
                form = self.divided(form)
            elif self.full and self.chance(0.06):
                form = self.limited(form)
                if self.chance(0.3):
                    form = self.divided(form)
            fitted = self.fitted(scope, dimension, form, move=True)
            if fitted is None:
                continue
            if "-" in fitted.text:
                self.note("minus in a subscript")
            if "*" in fitted.text:
                self.note("coefficient in a subscript")
            if len(fitted.indices) > 1:
                self.note("several indices in a subscript")
            return Subscript(fitted)
        self.note("constant subscript")
        top = dimension.extent - 1 if dimension.fixed else 2
        constant = self.rng.randint(0, top)
        dimension.extent = max(dimension.extent, constant + 1)
        if dimension.fixed and self.chance(0.2) and dimension.text.isidentifier():
            self.note("subscript with a size")
            return Subscript(Form(f"{dimension.text}-1", ()))
        return Subscript(Form(str(constant), ()))

    def fitted(self, scope: Scope, dimension: Dimension, form: Form, move: bool) -> Form | None:
        """The form, moved so that it stays inside the dimension, which grows if it may; None if it does not fit."""
        values = [form.at(p) for p in scope.points] or [0]
        low, high = min(values), max(values)
        by = 0
        if dimension.fixed:
            if high - low >= dimension.extent or (
                not move and (low < 0 or high >= dimension.extent)
            ):
                return None
            choices = range(-low, dimension.extent - high)
            by = 0 if 0 in choices and self.chance(0.7) else self.rng.choice(choices)
        elif low < 0 or (low > 0 and self.chance(0.2)):
            by = -low
        elif self.chance(0.25):
            by = self.rng.randint(1, 2)
        by = by if move else 0
        if low + by < 0 or high + by > 13:
            return None
        form = self.moved(form, by)
        index = form.bare
        if index is not None and index.implicit:
            n = len(index.values or ())
            if (dimension.extent != n) if dimension.fixed else (dimension.extent > n):
                return None
            if not dimension.fixed:
                dimension.extent = n
                self.fix(dimension, index.text)
        if not dimension.fixed:
            dimension.extent = max(dimension.extent, high + by + 1)
        return form

    def boundary(self, scope: Scope, dimension: Dimension) -> Subscript:
        self.settled(dimension)
        form = self.linear(scope, self.rng.choice((1, 2)))
        if self.chance(0.2):
            form = self.limited(form)
        far = self.chance(0.1)
        form = self.moved(form, self.rng.choice((-20, 17)) if far else self.rng.randint(-3, 3))
        if far:
            self.note("boundary far outside")
        name = self.pick(
            [(4, "pad"), (2, "clamp"), (2, "wrap"), (1.5, "reflect"), (1.5, "symmetric")]
        )
        outside = (
            self.rng.choice(("1.5", "-1", "0", "2")) if name == "pad" and self.chance(0.3) else ""
        )
        self.note(f"boundary {name}" + (" with a constant" if outside else ""))
        return Subscript(form, name, outside)
