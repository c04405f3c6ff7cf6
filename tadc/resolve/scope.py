"""Scopes: which name is which index, and where an index gets its derived indices from.

A statement has a scope for its left side and one for each reduction inside; the inner hides the outer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from tadc.errors import Span
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Derived, Determined, Looked, between
from tadc.ir.names import Names

__all__ = ["MOST_INDICES", "Cases", "Index", "Scope"]

Cases: TypeAlias = tuple[tuple[Condition, ...], ...]

MOST_INDICES = 64  # of a left side or of a reduction: more dimensions no array of numpy has
MOST_MODULUS = 2**30  # of divisions inside each other that are made one


@dataclass(slots=True, eq=False)
class Index:
    """An index of a left side or a reduction, and what is known of its range (filled in during inference).

    `extent` means the range 0..extent-1. `conditions` are those of explicit bounds, on this index and outer ones.
    A bound that is no such condition, `k=min(i, j)..4`, is one of `cases`: alternatives, the bound last in each.
    `rule` is the rule of section 3 of the language that gave the range, `place` where.
    """

    name: str
    symbol: Symbol
    span: Span
    extent: Affine | None = None
    conditions: tuple[Condition, ...] | None = None
    cases: tuple[Cases, ...] = ()
    rule: int = 0
    place: Span | None = None
    source: str = ""  # of rule 2: which dimension of which tensor

    @property
    def determined(self) -> bool:
        return self.extent is not None or self.conditions is not None

    def within(self, extent: Affine, rule: int, place: Span, source: str = "") -> None:
        self.extent, self.rule, self.place, self.source = extent, rule, place, source

    @property
    def range(self) -> tuple[Condition, ...]:
        """The range as conditions; none while it is not determined."""
        if self.extent is not None:
            return between(0, symbol(self.symbol), self.extent - 1)
        return self.conditions or ()


@dataclass(slots=True, eq=False)
class Scope:
    """The indices bound at one place, and the derived indices made of them."""

    parent: Scope | None
    indices: dict[str, Index]
    derived: list[Determined] = field(default_factory=list)

    def lookup(self, name: str) -> Index | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.indices:
                return scope.indices[name]
            scope = scope.parent
        return None

    @property
    def chain(self) -> list[Scope]:
        """This scope and those around it, innermost first."""
        scopes, scope = [], self
        while True:
            scopes.append(scope)
            if scope.parent is None:
                return scopes
            scope = scope.parent

    def divided(self, form: Affine, modulus: int, names: Names) -> Affine:
        """The derived index `form // modulus`, of the innermost scope that binds one of the form's symbols."""
        if all(c % modulus == 0 for _, c in form.terms):
            return (form - form.constant) // modulus + form.constant // modulus
        form, modulus = self._undivided(form, modulus)
        for scope in self.chain:
            for known in scope.derived:
                if known.substitute({}, "") == Derived("", form, modulus):
                    return symbol(known.name)
        return self._owned(Derived(names.fresh("q"), form, modulus))

    def looked(
        self,
        tensor: str,
        subscripts: tuple[Affine, ...],
        values: tuple[Affine, Affine] | None,
        names: Names,
    ) -> Affine:
        """The data index `tensor[subscripts]`, of the innermost scope that binds one of the subscripts' symbols."""
        new = Looked("", tensor, subscripts, values)
        for scope in self.chain:
            for known in scope.derived:
                if known.substitute({}, "") == new:
                    return symbol(known.name)
        return self._owned(new.substitute({}, names.fresh(tensor)))

    def _owned(self, new: Determined) -> Affine:
        used = set(new.symbols)
        owner = next(s for s in self.chain if used & s.symbols or s.parent is None)
        owner.derived.append(new)
        return symbol(new.name)

    def _undivided(self, form: Affine, modulus: int) -> tuple[Affine, int]:
        """`(e // a + c) // b` as the division `(e + a*c) // (a*b)`, unless its modulus is very large."""
        quotient = (form - form.constant).as_symbol()
        for scope in self.chain:
            for d in scope.derived:
                if not isinstance(d, Derived) or d.name != quotient:
                    continue
                if d.modulus * modulus <= MOST_MODULUS:
                    return d.form + form.constant * d.modulus, d.modulus * modulus
        return form, modulus

    @property
    def symbols(self) -> set[Symbol]:
        return {i.symbol for i in self.indices.values()} | {d.name for d in self.derived}

    @property
    def cases(self) -> list[Cases]:
        """The bounds of all indices in scope that no condition alone says."""
        return [c for scope in self.chain for i in scope.indices.values() for c in i.cases]

    @property
    def conditions(self) -> list[Condition]:
        """The ranges of all indices in scope, and the definitions of the derived ones."""
        derived = (d for scope in self.chain for d in scope.derived)
        return [*self._ranges, *(c for d in derived for c in d.conditions)]

    def conditions_on(self, used: Iterable[Symbol]) -> list[Condition]:
        """The ranges of all indices in scope, and the definitions of the derived ones that are used, or that a range needs.

        Of `i//2//2` nothing reads `i//2`; it says nothing about the others, and a thousand of them cost much.
        """
        ranges = self._ranges
        derived = {d.name: d for scope in self.chain for d in scope.derived}
        open_ = [*used, *(s for c in ranges for s in c.form.symbols)]
        conditions = ranges
        while open_:
            if (d := derived.pop(open_.pop(), None)) is not None:
                conditions += d.conditions
                open_ += d.symbols
        return conditions

    @property
    def _ranges(self) -> list[Condition]:
        return [c for scope in self.chain for i in scope.indices.values() for c in i.range]
