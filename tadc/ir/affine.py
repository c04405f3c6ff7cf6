"""Affine forms: integer combinations of symbols, plus an integer. Subscripts, bounds and extents are affine.

A *symbol* is the name of an index, a derived index, a size or a derived size. Within one statement all of them differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TypeAlias

__all__ = ["Affine", "SignedTexts", "Symbol", "constant", "signed_sum", "symbol"]

Symbol: TypeAlias = str
SignedTexts: TypeAlias = list[tuple[bool, str]]  # terms, each with whether it is subtracted


@dataclass(frozen=True)
class Affine:
    """`sum(coefficient * symbol) + constant`. `terms` is sorted, without zeros: equal forms are `==`.

    >>> 2 * symbol("i") + symbol("j") - 1
    Affine('2*i + j - 1')
    """

    terms: tuple[tuple[Symbol, int], ...]
    constant: int

    @classmethod
    def of(cls, terms: Mapping[Symbol, int], constant: int = 0) -> Affine:
        return cls(tuple(sorted((s, c) for s, c in terms.items() if c)), constant)

    @cached_property
    def coefficients(self) -> Mapping[Symbol, int]:
        """The coefficient of each symbol that occurs; a symbol that does not occur is not a key."""
        return dict(self.terms)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(s for s, _ in self.terms)

    @property
    def is_constant(self) -> bool:
        return not self.terms

    @property
    def content(self) -> int:
        """The greatest common divisor of the coefficients, 0 for a constant."""
        return gcd(*(c for _, c in self.terms))

    def coefficient(self, symbol: Symbol) -> int:
        return self.coefficients.get(symbol, 0)

    def as_symbol(self) -> Symbol | None:
        """The symbol that this form is, None if it is anything but a bare symbol."""
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        return None

    @property
    def is_atom(self) -> bool:
        """Whether its text is a single name or number, without a sign."""
        return self.constant >= 0 if self.is_constant else self.as_symbol() is not None

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.terms, self.constant + other)
        total = dict(self.terms)
        for s, c in other.terms:
            total[s] = total.get(s, 0) + c
        return Affine.of(total, self.constant + other.constant)

    __radd__ = __add__

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + -other

    def __rsub__(self, other: int) -> Affine:
        return -self + other

    def __mul__(self, factor: int) -> Affine:
        if not factor:
            return constant(0)
        return Affine(tuple((s, c * factor) for s, c in self.terms), self.constant * factor)

    __rmul__ = __mul__

    def __floordiv__(self, divisor: int) -> Affine:
        """The exact quotient: `divisor` divides every coefficient and the constant."""
        assert self.constant % divisor == 0 and all(c % divisor == 0 for _, c in self.terms), (
            f"{divisor} does not divide {self}"
        )
        return Affine(tuple((s, c // divisor) for s, c in self.terms), self.constant // divisor)

    def substitute(self, values: Mapping[Symbol, Affine]) -> Affine:
        """The form with every symbol that is a key of `values` replaced, all at once."""
        if not any(s in values for s, _ in self.terms):
            return self
        total: dict[Symbol, int] = {}
        rest = self.constant
        for s, c in self.terms:
            if s not in values:
                total[s] = total.get(s, 0) + c
                continue
            rest += c * values[s].constant
            for t, d in values[s].terms:
                total[t] = total.get(t, 0) + c * d
        return Affine.of(total, rest)

    def at(self, values: Mapping[Symbol, int]) -> int:
        """The value of the form; every symbol of it has a value."""
        return sum(c * values[s] for s, c in self.terms) + self.constant

    def __str__(self) -> str:
        return self.text({})

    def text(self, spelled: Mapping[Symbol, str]) -> str:
        """As `.idx` text: positive terms first as they are sorted, `2*i + j - 1`; some symbols spelled otherwise."""
        return signed_sum(self.parts(spelled))

    def parts(self, spelled: Mapping[Symbol, str], times: str = "*") -> SignedTexts:
        """The terms of the text, of which there is at least one."""
        ordered = [t for t in self.terms if t[1] > 0] + [t for t in self.terms if t[1] < 0]
        parts = [
            (c < 0, spelled.get(s, s) if abs(c) == 1 else f"{abs(c)}{times}{spelled.get(s, s)}")
            for s, c in ordered
        ]
        if self.constant or not parts:
            # A leading constant avoids a leading minus: `1 - i`, not `-i + 1`.
            leads = self.constant > 0 and bool(parts) and parts[0][0]
            parts.insert(0 if leads else len(parts), (self.constant < 0, str(abs(self.constant))))
        return parts

    def __repr__(self) -> str:
        return f"Affine('{self}')"


def symbol(name: Symbol) -> Affine:
    return Affine(((name, 1),), 0)


def constant(value: int) -> Affine:
    return Affine((), value)


def signed_sum(parts: SignedTexts) -> str:
    """`-a + b - c`, or 0 without terms."""
    (negative, first), *others = parts or [(False, "0")]
    rest = "".join(f" {'-' if subtracted else '+'} {term}" for subtracted, term in others)
    return f"{'-' if negative else ''}{first}{rest}"


def total(forms: Iterable[Affine]) -> Affine:
    """The sum of `forms`."""
    return sum(forms, constant(0))
