"""The decisions of a schedule, each by a name and from what a model of cost says; a caller may have some of them made otherwise.

Alternatives of a decision all compute the same. With the others of them a schedule can be measured against what it might have been
(`benchmarks/cpu_choices.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["BY_MODEL", "Choices"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Choices:
    """`ranks` has, by the names of decisions, which alternative is taken of those in the order of the model, from 0 on; the best
    where it has none, and the last where there are fewer.
    """

    ranks: tuple[tuple[str, int], ...] = ()

    def best(
        self, decision: str, alternatives: Iterable[T], cost: Callable[[T], float]
    ) -> T | None:
        """The alternative of the least cost, the first of several; None where there is none."""
        ranked = sorted(alternatives, key=cost)
        return ranked[min(self._rank(decision), len(ranked) - 1)] if ranked else None

    def whether(self, decision: str, by_model: bool) -> bool:
        """Whether something is done, which is what the model says, or the opposite of it."""
        return by_model != (self._rank(decision) > 0)

    def _rank(self, decision: str) -> int:
        return dict(self.ranks).get(decision, 0)


BY_MODEL = Choices()
