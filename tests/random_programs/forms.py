"""Index expressions of a random program."""

from __future__ import annotations

import re
from collections.abc import Sequence

from random_programs.draft import Draft, Scope
from random_programs.indices import Form, Index


class Forms(Draft):
    """Makes index expressions, and what is made of them."""

    def linear(self, scope: Scope, count: int, of: Sequence[Index] = ()) -> Form:
        """A form of up to `count` indices without a constant, one of `of` among them; rarely used indices first."""
        pool = list(scope.indices.values())
        chosen = [self.rng.choice(list(of))] if of else []
        while len(chosen) < min(count, len(pool)):
            rest = [i for i in pool if i not in chosen]
            chosen.append(self.pick([(4 if not i.uses else 1, i) for i in rest]))
        self.rng.shuffle(chosen)
        terms = []
        for index in chosen:
            c = self.pick([(10, 1), (2.5, -1), (2, 2), (1, -2), (0.7, 3)])
            terms.append((c < 0, index.name if abs(c) == 1 else f"{abs(c)}*{index.name}"))
        if self.chance(0.8):
            terms.sort(key=lambda t: t[0])  # so that the first one has no sign
        space = self.rng.choice(("", " "))
        text = ("-" if terms[0][0] else "") + terms[0][1]
        for negative, name in terms[1:]:
            text += f"{space}{'-' if negative else '+'}{space}{name}"
        return Form(text, tuple(chosen))

    def moved(self, form: Form, by: int) -> Form:
        """`form + by`."""
        if by == 0:
            return form
        space = self.rng.choice(("", " "))
        if form.text.startswith("-") and by > 0 and self.chance(0.7):
            text = self.constant(by) + space + "-" + space + form.text[1:]
        else:
            text = f"{form.text}{space}{'-' if by < 0 else '+'}{space}"
            text += str(abs(by)) if by < 0 else self.constant(by)
        return Form(text, form.indices, form.opaque)

    def constant(self, value: int) -> str:
        """A positive number, at times as a size and a rest: `N - 1`."""
        for size in self.sizes:
            if abs(value - size.value) <= 1 and self.chance(0.5):
                self.note("subscript with a size")
                rest = value - size.value
                return size.name + (f" {'-' if rest < 0 else '+'} {abs(rest)}" if rest else "")
        return str(value)

    def divided(self, form: Form) -> Form:
        """`form // m` or `form % m`."""
        # Not `(2*i) // 2`: whether that is a bare use, a reader could doubt.
        coefficients = [int(c) for c in re.findall(r"(\d+)\*", form.text)]
        m = self.rng.choice([m for m in (2, 2, 3, 4) if all(c % m for c in coefficients)])
        brackets = form.text if re.fullmatch(r"\w+", form.text) else f"({form.text})"
        if self.chance(0.5):
            self.note("subscript with //")
            return Form(f"{brackets} // {m}", form.indices, form.opaque)
        self.note("subscript with %")
        return Form(f"{brackets} % {m}", form.indices, True)

    def limited(self, form: Form) -> Form:
        """`min`, `max` or `clamp` of the form and constants."""
        self.note("min, max, clamp of index expressions")
        low = self.rng.randint(0, 1)
        high = low + self.rng.randint(1, 3)
        options = (f"min({form.text}, {high})", f"max({low}, {form.text})", f"clamp({form.text}, {low}, {high})")  # fmt: skip
        return Form(self.rng.choice(options), form.indices, True)

    def least(self, form: Form, op: str) -> Form:
        """`min(form, c)` or `max(form, c)`, perhaps twice it or half of it."""
        text = f"{op}({form.text}, {self.rng.randint(0, 3)})"
        text = self.pick([(4, "{}"), (1, "2*{} - 1"), (1, "{}//2"), (1, "3 - {}")]).format(text)
        return Form(text, form.indices, True)

    def extreme(self, op: str, a: Form, b: Form) -> Form:
        """`max [a; b]`, as bounds are written."""
        self.note("max [a; b] in a bound")
        forms = [a, b] if self.chance(0.5) else [b, a]
        texts = [f.text for f in forms]
        brackets = f"{op} [{'; '.join(texts)}]"
        return Form(brackets, (*a.indices, *b.indices), False, f"{op}({', '.join(texts)})")
