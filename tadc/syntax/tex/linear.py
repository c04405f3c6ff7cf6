"""Linear forms of index expressions, as far as the text of a document tells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tadc.errors import Span
from tadc.syntax.ast import Binary, Expression, Name, Number, Unary

__all__ = ["Linear", "linear"]

DEEPEST = 20  # operations inside each other; what is deeper has no form


@dataclass(frozen=True, slots=True)
class Linear:
    """`constant + sum(coefficient * name)`; `terms` is sorted, without zeros: equal forms are `==`."""

    terms: tuple[tuple[str, int], ...]
    constant: int

    @classmethod
    def of(cls, terms: Mapping[str, int], constant: int = 0) -> Linear:
        return cls(tuple(sorted((n, c) for n, c in terms.items() if c)), constant)

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        terms = dict(self.terms)
        for name, coefficient in other.terms:
            terms[name] = terms.get(name, 0) + factor * coefficient
        return Linear.of(terms, self.constant + factor * other.constant)

    def with_value(self, name: str, value: Linear) -> Linear:
        """The form with `value` in place of `name`."""
        coefficient = dict(self.terms).get(name, 0)
        rest = Linear(tuple(t for t in self.terms if t[0] != name), self.constant)
        return rest.plus(value, coefficient)

    def is_at_most(self, other: Linear) -> bool:
        """Whether it is no larger for all names that are 1 or more."""
        difference = self.plus(other, -1)
        coefficients = [c for _, c in difference.terms]
        return all(c < 0 for c in coefficients) and sum(coefficients) + difference.constant <= 0

    def expression(self, span: Span) -> Expression:
        """The form as it is written: `N + M - 1`."""
        signed: list[tuple[int, Expression]] = [
            (
                c,
                Name(n, span)
                if abs(c) == 1
                else Binary("*", Number(str(abs(c)), span), Name(n, span), span),
            )
            for n, c in sorted(self.terms, key=lambda term: term[1] < 0)
        ]
        if self.constant or not signed:
            signed.append((self.constant, Number(str(abs(self.constant)), span)))
        sign, whole = signed[0][0], signed[0][1]
        result: Expression = Unary(whole, span) if sign < 0 else whole
        for sign, term in signed[1:]:
            result = Binary("-" if sign < 0 else "+", result, term, span)
        return result


def linear(e: Expression, depth: int = DEEPEST) -> Linear | None:
    """The form of sums, differences and multiples of names and integers; None for all else."""
    if depth == 0:
        return None
    match e:
        case Number(text) if text.isdigit():
            return Linear((), int(text))
        case Name(name):
            return Linear(((name, 1),), 0)
        case Unary(operand):
            inner = linear(operand, depth - 1)
            return None if inner is None else Linear((), 0).plus(inner, -1)
        case Binary("+" | "-" | "*" as sign, left, right):
            a, b = linear(left, depth - 1), linear(right, depth - 1)
            if a is None or b is None:
                return None
            if sign != "*":
                return a.plus(b, 1 if sign == "+" else -1)
            number, form = (a, b) if not a.terms else (b, a)
            return None if number.terms else Linear((), 0).plus(form, number.constant)
        case _:
            return None
