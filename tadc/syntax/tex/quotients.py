r"""Floors of quotients in index arithmetic: `\lfloor i/2 \rfloor` is `i // 2`, but `\lfloor x_i/2 \rfloor` is `floor(x[i] / 2)`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal

from tadc.errors import Span
from tadc.syntax.ast import Binary, Expression, Name, Number, Unary
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token
from tadc.syntax.tex.vocabulary import Vocabulary

__all__ = ["IndexText", "rounded"]


class IndexText:
    """The parts of a statement that are index arithmetic, and the names in its subscripts."""

    def __init__(self, tokens: Sequence[Token], vocabulary: Vocabulary) -> None:
        known = vocabulary.indices | vocabulary.sizes
        self._values: list[int] = []  # where something stands that is no index, size or integer
        self.subscripts: set[str] = set()
        contexts: list[str] = []
        for token in tokens:
            if token.type in OPENERS:
                contexts.append(token.note or (contexts[-1] if contexts else ""))
            elif token.type in CLOSERS and contexts:
                contexts.pop()
            elif token.type == "NAME" and contexts and contexts[-1] == "indices":
                self.subscripts.add(token.value)
            elif (
                (token.type == "NAME" and token.value not in known)
                or token.type in ("FUNC", "RED", "SUB")
                or (token.type == "NUM" and not token.value.isdigit())
            ):
                self._values.append(token.start)

    def covers(self, start: int, end: int) -> bool:
        """Whether the characters `start` to `end` hold only indices, sizes and integers."""
        place = bisect_left(self._values, start)
        return place == len(self._values) or self._values[place] >= end


def rounded(
    function: Literal["floor", "ceil"], operand: Expression, span: Span, vocabulary: Vocabulary
) -> Expression | None:
    """`a // b` where `operand` is a quotient by an integer or size, else None; `ceil(a/b)` is `-((-a) // b)`."""
    minus = isinstance(operand, Unary)
    quotient = operand.operand if isinstance(operand, Unary) else operand
    if not isinstance(quotient, Binary) or quotient.operator != "/":
        return None
    divisor = quotient.right
    if not (isinstance(divisor, Name) or (isinstance(divisor, Number) and divisor.text.isdigit())):
        return None
    if isinstance(divisor, Name) and divisor.name in vocabulary.indices:
        return None
    up = function == "ceil"
    left = Unary(quotient.left, quotient.left.span) if minus != up else quotient.left
    floor = Binary("//", left, divisor, span)
    return Unary(floor, span) if up else floor
