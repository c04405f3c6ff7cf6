"""A statement of a document: a definition or a shape, as tokens, or a part of a display that is neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token

__all__ = ["Statement", "depths"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One definition or shape, or a part of a display that is neither; `tokens` is never empty."""

    kind: Literal["definition", "shape", "skipped"]
    tokens: tuple[Token, ...]
    ranges: tuple[Token, ...] = ()  # what is said behind a definition of where its indices run
    is_shared: bool = False  # whether the ranges are those of other definitions of the display too

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    @property
    def target(self) -> str:
        """The name that a definition defines."""
        first = self.tokens[0]
        return self.tokens[1].value if first.type == "FUNC" and self.equal > 1 else first.value

    @property
    def is_scalar(self) -> bool:
        """Whether the left side has no subscript, and no index in brackets."""
        left = self.tokens[: self.equal]
        return not any(token.type == "SUB" for token in left)

    @property
    def equal(self) -> int:
        """The place of the first equality sign outside of brackets."""
        for place, (token, depth) in enumerate(depths(self.tokens)):
            if depth == 0 and token.type in ("EQ", "DEF", "APPROX"):
                return place
        return len(self.tokens)

    @property
    def right(self) -> tuple[Token, ...]:
        """The tokens behind the first equality sign."""
        return self.tokens[self.equal + 1 :]

    def reads(self, names: Set[str]) -> bool:
        """Whether an element of one of these is on the right side."""
        pairs = zip(self.tokens[1:], self.tokens[2:], strict=False)
        return any(t.value in names and after.type == "SUB" for t, after in pairs)

    @property
    def has_reduction(self) -> bool:
        """Whether the right side has a sum or another reduction over indices."""
        right = self.tokens[self.equal :]
        pairs = pairwise(right)
        return any(t.type == "RED" and after.type in ("SUB", "SUP") for t, after in pairs)


def depths(tokens: Sequence[Token]) -> Iterator[tuple[Token, int]]:
    """Each token with the number of brackets open around it; a bracket is outside of itself."""
    depth = 0
    for token in tokens:
        if token.type in CLOSERS:
            depth = max(0, depth - 1)
        yield token, depth
        if token.type in OPENERS:
            depth += 1
