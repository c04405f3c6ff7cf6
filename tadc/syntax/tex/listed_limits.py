r"""Values that limits list, `\max_{j=1,\ldots,k}`, `\min_{k=1,2}` and `\min_{k \in \{1,2\}}`: an index from the first to the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token

__all__ = ["with_ends_of_lists"]


def with_ends_of_lists(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with the last value of each such list above the sign, and the first one below."""
    closing = closing_braces(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        result.append(tokens[place])
        end = closing.get(place + 2, 0)
        is_limit = tokens[place].type == "RED" and [
            t.type for t in tokens[place + 1 : place + 3]
        ] == ["SUB", "LBRACE"]
        behind = tokens[end + 1].type if end + 1 < len(tokens) else ""
        ends = _ends(tokens[place + 3 : end]) if is_limit and end and behind != "SUP" else None
        if ends is None:
            place += 1
            continue
        index, first, last = ends
        opening, brace = tokens[place + 2], tokens[end]
        sign = Token("EQ", "=", index.end, index.end)
        result += [tokens[place + 1], opening, index, sign, first, brace]
        result += [replace(tokens[place + 1], type="SUP", value="^"), opening, *last, brace]
        place = end + 1
    return result


def _ends(limit: Sequence[Token]) -> tuple[Token, Token, list[Token]] | None:
    """The index, its first value, and its last one; None for all but a list of integers in their order."""
    kinds = [t.type for t in limit[:3]]
    if kinds[:2] == ["NAME", "EQ"]:
        values = listed(limit[2:])
    elif (
        kinds == ["NAME", "IN", "LPAR"]
        and limit[-1].type == "RPAR"
        and all(t.type != "DOTS" for t in limit)
    ):
        values = listed(limit[3:-1])
    else:
        return None
    has_dots = len(values) > 2 and [t.type for t in values[-2]] == ["DOTS"]
    numbers = [_integer(v) for v in (values[:-2] if has_dots else values)]
    first = numbers[0]
    if first is None or numbers != list(range(first, first + len(numbers))):
        return None
    is_list = (len(numbers) > 1 or has_dots) and bool(values[-1])
    return (limit[0], values[0][0], values[-1]) if is_list else None


def _integer(value: Sequence[Token]) -> int | None:
    is_digits = [t.type for t in value] == ["NUM"] and value[0].value.isdigit()
    return int(value[0].value) if is_digits else None
