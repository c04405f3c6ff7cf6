"""What all definitions of a document have below names, bind and read, counted once: the rules for left sides ask for it of every letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tadc.syntax.tex.script_tokens import (
    bound_names,
    left_indices,
    names_in_bounds,
    scripted,
)
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["LeftSurvey", "surveyed"]


@dataclass(frozen=True, slots=True)
class LeftSurvey:
    """Counts are of definitions, so that those without a given one are the others.

    `below` has what stands in the subscripts of each name, and `read_below` those of right sides, with what binds letters there; `owners`
    are the names above each letter on right sides.
    """

    below: dict[str, list[tuple[Token, ...]]] = field(default_factory=dict)
    read_below: dict[str, list[tuple[Statement, tuple[Token, ...]]]] = field(default_factory=dict)
    owners: dict[str, set[str]] = field(default_factory=dict)
    lefts: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)  # letters, by target
    names: Counter[str] = field(default_factory=Counter)  # how often each stands anywhere
    names_below: Counter[tuple[str, str]] = field(default_factory=Counter)  # below which, how often
    with_name: Counter[str] = field(default_factory=Counter)
    reading: Counter[str] = field(default_factory=Counter)  # on their right sides
    binding: Counter[str] = field(default_factory=Counter)
    summing: Counter[str] = field(default_factory=Counter)  # over it on their right sides
    with_left: Counter[str] = field(default_factory=Counter)  # below their left sides
    scalars: Counter[str] = field(default_factory=Counter)  # that define it without subscripts
    bounds: set[str] = field(default_factory=set)  # names in bounds of sums

    def is_below_others(self, letter: str, name: str) -> bool:
        """Whether a right side has the letter below another name."""
        return bool(self.owners.get(letter, set()) - {name})

    def runs_below_others(self, letter: str, name: str) -> bool:
        r"""Whether a right side has the letter below another name, means aside: of the `x_i` beside it, `\bar{x}_n` is that of all `n`."""
        others = self.owners.get(letter, set()) - {name}
        return any(not self._is_statistic(other, letter) for other in others)

    def _is_statistic(self, name: str, letter: str) -> bool:
        """Whether the name has an accent and nothing but the letter below it, beside the name without the accent at other indices."""
        base, _, accent = name.rpartition("_")
        if accent not in ("bar", "hat", "tilde"):
            return False
        own = [[t.value for t in inner] for inner in self.below[name]]
        others = [[t.value for t in inner] for inner in self.below.get(base, [])]
        is_alone = all(inner == [letter] for inner in own)
        return is_alone and bool(others) and all(letter not in inner for inner in others)

    def is_elsewhere(self, letter: str, name: str) -> bool:
        """Whether the letter stands anywhere but below this name."""
        return self.names[letter] > self.names_below[name, letter]


def surveyed(definitions: Sequence[Statement]) -> LeftSurvey:
    found = LeftSurvey()
    for d in definitions:
        right = d.right
        names = Counter(t.value for t in d.tokens if t.type == "NAME")
        found.names.update(names)
        found.with_name.update({t.value for t in d.tokens})
        found.reading.update({t.value for t in right})
        found.binding.update(bound_names(d.tokens))
        found.summing.update(bound_names(right))
        left = left_indices(d.tokens)
        found.with_left.update({t.value for t in left})
        found.lefts.setdefault(d.target, []).append(tuple(t.value for t in left))
        if d.is_scalar:
            found.scalars[d.target] += 1
        found.bounds.update(names_in_bounds([d.tokens]))
        _add_scripts(found, d, right)
    return found


def _add_scripts(found: LeftSurvey, definition: Statement, right: Sequence[Token]) -> None:
    for name, _, inner in scripted(definition.tokens, "SUB"):
        found.below.setdefault(name.value, []).append(tuple(inner))
        found.names_below.update((name.value, t.value) for t in inner if t.type == "NAME")
    for name, _, inner in scripted(right, "SUB"):
        found.read_below.setdefault(name.value, []).append((definition, tuple(inner)))
        for t in inner:
            found.owners.setdefault(t.value, set()).add(name.value)
