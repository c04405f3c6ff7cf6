"""Conditions of a random program, on indices and on values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from random_programs.draft import Scope
from random_programs.expressions import Among, Compared, Condition, Joined, in_brackets
from random_programs.indices import Form, Index
from random_programs.reads import Reads
from random_programs.tape import Run


class Conditions(Reads):
    """Makes conditions that hold somewhere and fail somewhere."""

    def deciding(self, scope: Scope, of: Sequence[Index] = ()) -> Condition | None:
        """An affine condition that holds at some points, and fails at others if one can be found; it speaks of `of`."""
        made: Condition | None = None
        for _ in range(6):
            condition = self.condition(scope, of)
            if condition is None:
                return None
            holds = [condition.holds(p, Run({})) for p in scope.points]
            if any(holds):
                made = condition
            if any(holds) and not all(holds):
                break
        return made

    def condition(self, scope: Scope, of: Sequence[Index]) -> Condition | None:
        if not scope.indices:
            return None
        first = self.comparison(scope, of)
        if not self.full:
            if self.chance(0.25):
                self.note("condition with and")
                return Joined("and", (first, self.comparison(scope, of)))
            return first
        operator = self.pick([(5, ""), (2, "and"), (1.5, "or"), (1.5, "not")])
        if not operator:
            return first
        self.note(f"condition with {operator}")
        if operator == "not":
            inner = Joined("or", (first, self.comparison(scope, of))) if self.chance(0.3) else first
            return Joined("not", (inner,))
        return Joined(operator, (first, self.comparison(scope, of)))

    def comparison(self, scope: Scope, of: Sequence[Index]) -> Among:
        left = self.linear(scope, self.rng.choice((1, 1, 2)), of)
        if self.full and self.chance(0.12):
            self.note("min, max, clamp in a condition")
            left = self.limited(left)
        others = [i for i in scope.indices.values() if i not in left.indices]
        if others and self.chance(0.65):
            right = self.linear(Scope({i.name: i for i in others}, scope.points), 1)
            right = self.moved(right, self.rng.choice((0, 0, 0, 1, -1)))
        else:
            values = [left.at(p) for p in scope.points] or [0]
            right = Form(str(self.rng.randint(min(values), max(values))), ())
        indices = (*left.indices, *right.indices)
        if self.full and self.chance(0.2):
            self.note("condition with %")
            m = self.rng.choice((2, 3))
            brackets = left.text if left.bare else f"({left.text})"
            text = f"{brackets} % {m} {{}} {self.rng.randrange(m)}"
            return Among(Form(text.format("="), indices, python=text.format("==")))
        if self.chance(0.15):
            self.note("chained comparison")
            width = self.rng.randint(1, 3)
            brackets = not re.fullmatch(r"\w+", right.text)
            rest = "" if right.text == "0" else f" - {in_brackets(right.text, brackets)}"
            return Among(Form(f"0 <= {left.text}{rest} < {width}", indices))
        options = [(3, "<="), (3, "<"), (2, ">="), (2, ">"), (2.5, "="), (0.5, "==")]
        relation = self.pick([*options, (1.5, "!=")] if self.full else options)
        python = "==" if relation == "=" else relation
        self.note(f"relation {relation}")
        text = f"{left.text} {{}} {right.text}"
        return Among(Form(text.format(relation), indices, python=text.format(python)))

    def value_condition(self, scope: Scope) -> Condition:
        scope = Scope(scope.indices, scope.points, scope.guards, within=True)
        left = self.read(scope, 0)
        made: Condition = Compared(
            self.rng.choice(("<", "<=", ">", ">=")), left, self.simple(scope)
        )
        if self.full and self.chance(0.25) and scope.indices:
            self.note("condition on values and indices")
            return Joined(self.rng.choice(("and", "or")), (self.comparison(scope, ()), made))
        if self.full and self.chance(0.15):
            self.note("condition on values with not")
            return Joined("not", (made,))
        return made
