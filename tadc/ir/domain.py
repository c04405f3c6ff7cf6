"""Domains: conjunctions of affine conditions over indices, sizes and 1, read over the integers.

A reduction's range, a guard, what is known of the sizes: all are domains. Bounds are what the solver makes of one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import Literal, TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol

__all__ = [
    "EMPTY",
    "EVERYWHERE",
    "Condition",
    "Derived",
    "Determined",
    "Domain",
    "Looked",
    "at_least_zero",
    "between",
    "divides",
    "divisions",
    "equals_zero",
    "quotients",
]


class _Remembered:
    """Slots for results that are computed once and are no part of the value: pickles do not contain them."""

    __slots__ = ("_hash", "_places")
    _hash: int
    _places: dict[Symbol, list[int]]


@dataclass(frozen=True, slots=True)
class Condition(_Remembered):
    """`form >= 0`, `form == 0`, or `modulus | form` (modulus divides form). Make one with the functions below.

    Normal: no common divisor is left in `form` (inequalities are tightened to integers by it), the first coefficient
    of an equality is positive, the coefficients of a divisibility lie in 0..modulus-1. Conditions without symbols
    are `TRUE` or `FALSE`.
    """

    relation: Literal[">=", "==", "|"]
    form: Affine
    modulus: int = 0

    def __hash__(self) -> int:
        try:
            value: int = self._hash
        except AttributeError:
            value = hash((self.relation, self.form.terms, self.form.constant, self.modulus))
            object.__setattr__(self, "_hash", value)
        return value

    def substitute(self, values: Mapping[Symbol, Affine]) -> Condition:
        form = self.form.substitute(values)
        if form is self.form:
            return self
        match self.relation:
            case ">=":
                return at_least_zero(form)
            case "==":
                return equals_zero(form)
            case "|":
                return divides(self.modulus, form)

    @property
    def negation(self) -> Condition | None:
        """The negation of an inequality; that of an equation or a divisibility is not one condition."""
        return at_least_zero(-self.form - 1) if self.relation == ">=" else None

    def holds(self, values: Mapping[Symbol, int]) -> bool:
        """Whether the condition holds where every symbol has a value."""
        value = self.form.at(values)
        match self.relation:
            case ">=":
                return value >= 0
            case "==":
                return value == 0
            case "|":
                return value % self.modulus == 0

    def __str__(self) -> str:
        return self.text({})

    def text(self, spelled: Mapping[Symbol, str]) -> str:
        """As `.idx` text, negative terms moved to the right: `j <= i + 1`, `i = j`, `(i + j) % 2 = 0`."""
        if self.relation == "|":
            terms = self.form.text(spelled)
            return f"{terms if terms.isidentifier() else f'({terms})'} % {self.modulus} = 0"
        right = Affine.of({s: -c for s, c in self.form.terms if c < 0}, max(0, -self.form.constant))
        left = Affine.of({s: c for s, c in self.form.terms if c > 0}, max(0, self.form.constant))
        if self.relation == "==":
            return f"{left.text(spelled)} = {right.text(spelled)}"
        return f"{right.text(spelled)} <= {left.text(spelled)}"


TRUE = Condition(">=", constant(0))
FALSE = Condition(">=", constant(-1))


def at_least_zero(form: Affine) -> Condition:
    """`form >= 0`, tightened: `2*i - 1 >= 0` is `i - 1 >= 0`."""
    g = form.content
    if g == 0:
        return TRUE if form.constant >= 0 else FALSE
    return Condition(">=", Affine(tuple((s, c // g) for s, c in form.terms), form.constant // g))


def equals_zero(form: Affine) -> Condition:
    """`form == 0`; `FALSE` if the coefficients' common divisor does not divide the constant."""
    g = form.content
    if g == 0:
        return TRUE if form.constant == 0 else FALSE
    if form.constant % g:
        return FALSE
    return Condition("==", form // (g if form.terms[0][1] > 0 else -g))


def divides(modulus: int, form: Affine) -> Condition:
    """`modulus | form`, with `modulus > 0` and coefficients reduced by it; a common divisor of all is taken out."""
    assert modulus > 0, f"modulus {modulus} is not positive"
    reduced = Affine.of({s: c % modulus for s, c in form.terms}, form.constant % modulus)
    g = gcd(modulus, reduced.content)
    if reduced.constant % g:
        return FALSE
    if g == modulus:
        return TRUE
    return Condition("|", reduced // g, modulus // g)


def between(low: Affine | int, form: Affine, high: Affine | int) -> tuple[Condition, Condition]:
    """`low <= form <= high`."""
    return at_least_zero(form - low), at_least_zero(high - form)


def _greatest(conditions: Iterable[Condition]) -> dict[object, int]:
    """Upper bounds of linear forms, given by their terms, each by a single condition."""
    greatest: dict[object, int] = {}
    for c in conditions:
        if c.relation == "|":
            continue
        terms, least = c.form.terms, -c.form.constant
        opposite = tuple((s, -k) for s, k in terms)
        if c.relation == "==":
            greatest[terms] = min(least, greatest.get(terms, least))
        greatest[opposite] = min(-least, greatest.get(opposite, -least))
    return greatest


def _exceed(conditions: Iterable[Condition], greatest: Mapping[object, int]) -> bool:
    """Whether one of the conditions asks a form to be more than it is at most."""
    for c in conditions:
        if c.relation == "|":
            continue
        terms, least = c.form.terms, -c.form.constant
        if least > greatest.get(terms, least):
            return True
        if c.relation == "==":
            opposite = tuple((s, -k) for s, k in terms)
            if -least > greatest.get(opposite, -least):
                return True
    return False


def _exclude_each_other(conditions: Collection[Condition]) -> bool:
    """Whether two of them, equations or inequalities with the same terms up to their sign, have no common point."""
    return len(conditions) > 1 and _exceed(conditions, _greatest(conditions))


@dataclass(frozen=True, slots=True)
class Domain(_Remembered):
    """The integer points at which all `conditions` hold. Sorted; `EMPTY` if one is `FALSE`, or if two exclude each other.

    Of inequalities with the same terms only the tightest is kept.
    """

    conditions: tuple[Condition, ...]

    def __hash__(self) -> int:
        try:
            value: int = self._hash
        except AttributeError:
            value = hash(self.conditions)
            object.__setattr__(self, "_hash", value)
        return value

    @classmethod
    def of(cls, conditions: Iterable[Condition]) -> Domain:
        kept: dict[object, Condition] = {}
        for c in conditions:
            key: object = c.form.terms if c.relation == ">=" else c
            other = kept.get(key)
            if other is None or c.form.constant < other.form.constant:
                kept[key] = c
        constants = kept.pop((), TRUE)
        if constants == FALSE or _exclude_each_other(kept.values()):
            return EMPTY
        return cls(tuple(sorted(kept.values(), key=_order)))

    @classmethod
    def box(cls, extents: Mapping[Symbol, Affine]) -> Domain:
        """`0 <= index < extent` for every index."""
        return cls.of(c for i, n in extents.items() for c in between(0, symbol(i), n - 1))

    def __and__(self, other: Domain) -> Domain:
        if not other.conditions or not self.conditions:
            return self if self.conditions else other
        return Domain.of((*self.conditions, *other.conditions))

    def overlapping(self, others: Iterable[Domain]) -> tuple[Domain, ...]:
        """The members of `others` with which this has an intersection that is not `EMPTY`."""
        if self == EMPTY:
            return ()
        greatest = _greatest(self.conditions)
        return tuple(d for d in others if d != EMPTY and not _exceed(d.conditions, greatest))

    def near(self, symbols: Iterable[Symbol]) -> Domain:
        """The conditions that share a symbol with `symbols`, or with another one that does, and so on.

        The parts left out say nothing about `symbols`, unless one of them is empty.
        """
        if self == EMPTY:
            return self
        places = self._using
        reached = set(symbols)
        waiting = list(reached)
        kept: set[int] = set()
        while waiting:
            for i in places.get(waiting.pop(), ()):
                if i not in kept:
                    kept.add(i)
                    new = {s for s, _ in self.conditions[i].form.terms} - reached
                    reached |= new
                    waiting += new
        if len(kept) == len(self.conditions):
            return self
        return Domain(tuple(self.conditions[i] for i in sorted(kept)))

    def parts(self) -> tuple[Domain, ...]:
        """Domains without a symbol in common that hold together where this one does."""
        parts: list[Domain] = []
        done: set[Symbol] = set()
        for s in self.symbols:
            if s not in done:
                parts.append(self.near((s,)))
                done.update(parts[-1].symbols)
        return tuple(parts) if parts else (self,)

    @property
    def _using(self) -> Mapping[Symbol, list[int]]:
        """The places of the conditions with each symbol."""
        try:
            places: dict[Symbol, list[int]] = self._places
        except AttributeError:
            places = {}
            for i, c in enumerate(self.conditions):
                for s, _ in c.form.terms:
                    places.setdefault(s, []).append(i)
            object.__setattr__(self, "_places", places)
        return places

    def __iter__(self) -> Iterator[Condition]:
        return iter(self.conditions)

    def __len__(self) -> int:
        return len(self.conditions)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol that occurs, once, in the order of the conditions."""
        return tuple(dict.fromkeys(s for c in self.conditions for s in c.form.symbols))

    def substitute(self, values: Mapping[Symbol, Affine]) -> Domain:
        conditions = tuple(c.substitute(values) for c in self.conditions)
        if all(new is old for new, old in zip(conditions, self.conditions, strict=True)):
            return self
        return Domain.of(conditions)

    def holds(self, values: Mapping[Symbol, int]) -> bool:
        return all(c.holds(values) for c in self.conditions)

    def __str__(self) -> str:
        return self.text({})

    def text(self, spelled: Mapping[Symbol, str]) -> str:
        return " and ".join(c.text(spelled) for c in self.conditions) or "0 = 0"


EVERYWHERE = Domain(())
EMPTY = Domain((FALSE,))


@dataclass(frozen=True, slots=True)
class Derived:
    """A derived index `name = form // modulus` (floor division): it has exactly one value wherever `form` has one."""

    name: Symbol
    form: Affine
    modulus: int

    @property
    def conditions(self) -> tuple[Condition, Condition]:
        """`0 <= form - modulus*name <= modulus - 1`, which says the same."""
        return between(0, self.form - self.modulus * symbol(self.name), self.modulus - 1)

    @property
    def forms(self) -> tuple[Affine, ...]:
        """The forms that its value follows from."""
        return (self.form,)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that its value follows from."""
        return self.form.symbols

    def substitute(self, values: Mapping[Symbol, Affine], name: Symbol | None = None) -> Derived:
        """The same of other forms, under another name if one is given."""
        return Derived(
            self.name if name is None else name, self.form.substitute(values), self.modulus
        )


@dataclass(frozen=True, slots=True)
class Looked:
    """A data index: `name = tensor[subscripts]`, an element of an index tensor.

    Nothing is known of its value but the declared range, `values`, both ends included. Where the subscripts are outside
    of the tensor nothing depends on it.
    """

    name: Symbol
    tensor: str
    subscripts: tuple[Affine, ...]
    values: tuple[Affine, Affine] | None = None
    inside: bool = (
        False  # whether the subscripts are inside of the tensor wherever they have values
    )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What is known of its value whatever the data are."""
        if self.values is None:
            return ()
        low, high = self.values
        return between(low, symbol(self.name), high)

    @property
    def forms(self) -> tuple[Affine, ...]:
        """The forms that its value follows from."""
        return self.subscripts

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that its value follows from."""
        return tuple(dict.fromkeys(s for form in self.subscripts for s in form.symbols))

    def substitute(self, values: Mapping[Symbol, Affine], name: Symbol | None = None) -> Looked:
        """The same of other forms, under another name if one is given."""
        subscripts = tuple(form.substitute(values) for form in self.subscripts)
        ends = self.values
        if ends is not None:
            ends = ends[0].substitute(values), ends[1].substitute(values)
        return Looked(
            self.name if name is None else name, self.tensor, subscripts, ends, self.inside
        )


# What has one value wherever the symbols that it is made of have theirs.
Determined: TypeAlias = Derived | Looked


def divisions(made: Iterable[Determined]) -> tuple[Derived, ...]:
    """Those of the derived indices that are no elements of tensors."""
    return tuple(d for d in made if isinstance(d, Derived))


def quotients(made: Iterable[Determined]) -> tuple[Derived, ...]:
    """The derived indices, where nothing is looked up: what cannot read through data is not given any."""
    every = tuple(made)
    plain = tuple(d for d in every if isinstance(d, Derived))
    assert len(plain) == len(every), "data, where none can be"
    return plain


def _order(condition: Condition) -> tuple[int, tuple[tuple[Symbol, int], ...], int, int]:
    return (
        ("==", "|", ">=").index(condition.relation),
        condition.form.terms,
        condition.form.constant,
        condition.modulus,
    )
