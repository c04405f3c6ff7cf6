"""Redundant inequalities, and inequalities that can only hold with equality (design, 4.0 and 4.4).

Both are questions to the rational relaxation: a yes is always right, for integers too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tadc.integer.dictionary import Dictionary
from tadc.ir.affine import Affine, Symbol

__all__ = ["Facts", "connected", "hidden_equalities", "irredundant", "merged", "opposite_pairs"]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that hold anyway: `inequalities >= 0` and `equations == 0`."""

    inequalities: tuple[Affine, ...]
    equations: tuple[Affine, ...]

    def near(self, forms: Iterable[Affine]) -> Facts:
        """The facts that share a symbol with `forms`, or with another fact that does, and so on."""
        symbols = {s for form in forms for s in form.symbols}
        near = set(connected((*self.inequalities, *self.equations), symbols))
        return Facts(
            tuple(form for form in self.inequalities if form in near),
            tuple(form for form in self.equations if form in near),
        )


def merged(forms: Iterable[Affine]) -> tuple[Affine, ...] | None:
    """The tightest of the inequalities `form >= 0` with the same terms; None where two opposite ones contradict.

    The order is that of the first with the terms. A constant is its own opposite: it contradicts if it is negative, else
    it is left out.
    """
    tightest: dict[tuple[tuple[Symbol, int], ...], int] = {}
    for form in forms:
        old = tightest.get(form.terms)
        tightest[form.terms] = form.constant if old is None else min(old, form.constant)
    for terms, c in tightest.items():
        if c + tightest.get(_opposite(terms), -c) < 0:
            return None
    return tuple(Affine(terms, c) for terms, c in tightest.items() if terms)


def opposite_pairs(forms: Sequence[Affine]) -> tuple[int, ...]:
    """The places of the forms whose negation is among them: `e >= 0` and `-e >= 0`. One of each pair."""
    places = {form: i for i, form in enumerate(forms)}
    return tuple(i for i, form in enumerate(forms) if i < places.get(-form, -1))


def hidden_equalities(dictionary: Dictionary, forms: Sequence[Affine]) -> tuple[int, ...]:
    """The places of the inequalities that hold with equality wherever all of the dictionary does.

    `forms` are the first inequalities of the dictionary, which is feasible. A form that is an integer is more
    than 0 only if it is at least 1, so rational points in between do not count.
    """
    suspects = set(range(len(forms))) - dictionary.positive()
    if not suspects or dictionary.where(positive=suspects) is not None:
        return ()
    hidden: list[int] = []
    for i in range(len(forms)):
        if i not in suspects:
            continue
        witness = dictionary.where(positive=[i])
        if witness is None:
            hidden.append(i)
        else:
            suspects -= witness.positive()
    return tuple(hidden)


def irredundant(
    forms: Sequence[Affine], dictionary: Dictionary, facts: Facts
) -> tuple[Affine, ...]:
    """`forms` without those that follow from the rest and the facts; of two that say the same one is kept.

    `dictionary` holds `forms`, then the facts; it is feasible, and used up. Forms on few symbols are kept rather than
    those on many, and the order is that of `forms`.
    """
    count: Counter[tuple[Symbol, bool]] = Counter()
    for form in (*forms, *facts.inequalities):
        count.update((s, c > 0) for s, c in form.terms)
    for form in facts.equations:
        count.update((s, sign) for s in form.symbols for sign in (False, True))
    kept = dict.fromkeys(range(len(forms)))
    for i in sorted(kept, key=lambda i: _unreadable_first(forms[i])):
        signs = [(s, c > 0) for s, c in forms[i].terms]
        if any(count[sign] == 1 for sign in signs):
            continue  # nothing else stops this symbol in this direction
        if dictionary.where(negative=[i]) is None:
            dictionary.remove(i)
            del kept[i]
            count.subtract(signs)
    return tuple(forms[i] for i in kept)


def connected(forms: Sequence[Affine], symbols: Iterable[Symbol]) -> tuple[Affine, ...]:
    """The members of `forms` that share a symbol with `symbols`, or with another that does, and so on."""
    places: dict[Symbol, list[int]] = {}
    for i, form in enumerate(forms):
        for s, _ in form.terms:
            places.setdefault(s, []).append(i)
    reached = set(symbols)
    waiting = list(reached)
    kept = [False] * len(forms)
    while waiting:
        for i in places.get(waiting.pop(), ()):
            if not kept[i]:
                kept[i] = True
                new = {s for s, _ in forms[i].terms} - reached
                reached |= new
                waiting += new
    return tuple(form for form, keep in zip(forms, kept, strict=True) if keep)


def _opposite(terms: tuple[tuple[Symbol, int], ...]) -> tuple[tuple[Symbol, int], ...]:
    return tuple((s, -c) for s, c in terms)


def _unreadable_first(form: Affine) -> tuple[object, ...]:
    """The least readable first: many symbols, large coefficients, large constants; then by the text."""
    size = sum(abs(c) for _, c in form.terms)
    return -len(form.terms), -size, -abs(form.constant), form.terms, form.constant
