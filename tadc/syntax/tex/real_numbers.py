r"""The real numbers in other letters than `\mathbb{R}`: an `R` behind `\in` that has a power is no set of the document, `x \in \mathcal{R}^{N \times 3}`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import Token

__all__ = ["with_real_numbers"]


def with_real_numbers(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with one sign for the set in `x \in R^N`, `\mathbf{R}^N`, `\Re^N` and `I\!R^N`."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        length = (
            _length(tokens[place : place + 3]) if place and tokens[place - 1].type == "IN" else 0
        )
        if length:
            last = tokens[place + length - 1]
            result.append(replace(tokens[place], type="RR", value="R", note="", end=last.end))
        else:
            result.append(tokens[place])
        place += length or 1
    return result


_COMMANDS = (r"`\Re`", r"`\R`", r"`\Real`", r"`\reals`", r"`\Reals`")  # that no document defines


def _length(tokens: Sequence[Token]) -> int:
    """How many of these tokens are the set, which a power follows; 0 where they are none."""
    kinds = [t.type for t in tokens]
    if kinds[1:2] == ["SUP"]:
        is_set = tokens[0].type == "NAME" and tokens[0].value == "R"
        return int(is_set or (tokens[0].type == "ERROR" and tokens[0].value.startswith(_COMMANDS)))
    is_struck = kinds == ["NAME", "NAME", "SUP"] and [t.value for t in tokens[:2]] == ["I", "R"]
    return 2 * is_struck
