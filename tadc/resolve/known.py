"""Facts that hold where an expression stands: conditions that hold together, and choices of which one alternative holds.

An `or` around a read is a choice, and so are the two sides that remain where an `=` fails. Whether there is a point is asked of the
conditions alone first. Where the smallest point there fulfils no alternative of a choice, each alternative is a smaller
question of its own: no product of the choices is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from tadc.integer import UNDECIDED, Undecided, implies, smallest_point
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import EMPTY, EVERYWHERE, TRUE, Condition, Domain, at_least_zero, between

__all__ = ["NOTHING", "Known"]

MOST_QUESTIONS = 20_000  # of one search


@dataclass(frozen=True, slots=True)
class Known:
    """`domain` holds, and of each of `choices` one alternative at least."""

    domain: Domain
    choices: tuple[tuple[Known, ...], ...] = ()

    @classmethod
    def all_of(cls, parts: Sequence[Known]) -> Known:
        """The facts that hold where all parts do."""
        domain = Domain.of(c for part in parts for c in part.domain)
        choices = dict.fromkeys(choice for part in parts for choice in part.choices)
        return cls(domain, tuple(choices))

    @classmethod
    def one_of(cls, parts: Sequence[Known]) -> Known:
        """The facts that hold where at least one part does."""
        alternatives: dict[Known, None] = {}
        for part in parts:
            if part.domain == EVERYWHERE and len(part.choices) == 1:
                alternatives |= dict.fromkeys(part.choices[0])
            elif part.domain != EMPTY:
                alternatives[part] = None
        if NOTHING in alternatives:
            return NOTHING
        match tuple(alternatives):
            case ():
                return cls(EMPTY)
            case (only,):
                return only
            case several:
                return cls(EVERYWHERE, (several,))

    def __and__(self, other: Known | Domain) -> Known:
        if isinstance(other, Domain):
            return Known(self.domain & other, self.choices)
        return Known.all_of((self, other))

    def substitute(self, values: Mapping[Symbol, Affine]) -> Known:
        choices = (tuple(k.substitute(values) for k in choice) for choice in self.choices)
        return Known(self.domain.substitute(values), tuple(choices))

    @property
    def symbols(self) -> frozenset[Symbol]:
        inner = (k.symbols for choice in self.choices for k in choice)
        return frozenset(self.domain.symbols).union(*inner)

    def holds(self, point: Mapping[Symbol, int]) -> bool:
        """Whether all of it is seen to hold at the point, which may leave symbols out."""
        return (
            all(s in point for s in self.domain.symbols)
            and self.domain.holds(point)
            and all(any(k.holds(point) for k in choice) for choice in self.choices)
        )

    def alternatives(self) -> Iterator[Domain]:
        """The domains that it is the union of, those that are seen to be empty left out."""
        stack = [self]
        while stack:
            known = stack.pop()
            if known.domain == EMPTY:
                continue
            if not known.choices:
                yield known.domain
                continue
            choice, *rest = known.choices
            stack += [Known(known.domain & k.domain, (*k.choices, *rest)) for k in reversed(choice)]

    def smallest_point(
        self, order: Sequence[Symbol] = ()
    ) -> Mapping[Symbol, int] | Undecided | None:
        """The point that is lexicographically smallest in the symbols of `order`; None where there is none."""
        undecided = False
        questions = 0
        # The smallest points of the conditions without the choices, smallest first: none is greater than the answer.
        queue: list[tuple[tuple[int, ...], int, Mapping[Symbol, int], Known]] = []
        asked = [self]
        while True:
            for known in asked:
                point = smallest_point(known.domain, order)
                if isinstance(point, Undecided):
                    undecided = True
                elif point is not None:
                    questions += 1
                    heappush(queue, (tuple(point[s] for s in order), questions, point, known))
            if questions > MOST_QUESTIONS or not queue:
                return UNDECIDED if undecided or queue else None
            _, _, point, known = heappop(queue)
            open_ = next(
                (c for c in known.choices if not any(k.holds(point) for k in c)),
                None,
            )
            if open_ is None:
                return point
            rest = tuple(c for c in known.choices if c is not open_)
            asked = [Known(known.domain & k.domain, (*rest, *k.choices)) for k in open_]

    def is_empty(self) -> bool | None:
        """Whether there is no point; None where that cannot be told."""
        point = self.smallest_point()
        return None if isinstance(point, Undecided) else point is None

    def implies(self, condition: Condition) -> bool:
        """Whether it is proved that the condition holds at every point."""
        if condition == TRUE or implies(self.domain, condition):
            return True
        if not self.choices:
            return False
        form = condition.form
        against: list[tuple[Condition, ...]]
        match condition.relation:
            case ">=":
                against = [(at_least_zero(-form - 1),)]
            case "==":
                against = [(at_least_zero(-form - 1),), (at_least_zero(form - 1),)]
            case "|":
                m = condition.modulus
                against = [between(1, form - m * symbol("'quotient"), m - 1)]
        return all((self & Domain.of(c)).is_empty() is True for c in against)


NOTHING = Known(EVERYWHERE)
