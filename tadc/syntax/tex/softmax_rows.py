r"""Elements of a softmax: `\operatorname{softmax}(S(i, \cdot))_j` and `\operatorname{softmax}(S_{ij})_j` are `\operatorname{softmax}_j(S_{ij})`,
and `\operatorname{softmax}(z)_k` is `(\operatorname{softmax}(z))_k`, of a vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import CLOSERS, Token, closing_brackets

__all__ = ["with_softmax_of_rows"]


def with_softmax_of_rows(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with the index behind each softmax of a row below its name, and in place of the dot."""
    closing = closing_brackets(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        dot = _dot(tokens, place, closing)
        if dot:
            end = closing[place + 1]
            index = tokens[end + 3]
            below = tokens[end + 1 : end + 5]
            inner = [replace(index) if n == dot else tokens[n] for n in range(place + 1, end + 1)]
            result += [tokens[place], below[0], replace(below[1], note="indices"), index, below[3]]
            result += inner
            place = end + 5
        elif _has_index_behind(tokens, place, closing):
            end = closing[place + 1]
            below, index = tokens[end + 1 : end + 5], tokens[end + 3]
            argument = tokens[place + 1 : end + 1]
            if any(
                t.value == index.value for _, _, script in scripted(argument, "SUB") for t in script
            ):
                opening = replace(below[1], note="indices")
                result += [tokens[place], below[0], opening, *below[2:], *argument]
            else:
                at, last = tokens[place].start, tokens[end].end
                opening, closer = Token("LPAR", "(", at, at), Token("RPAR", ")", last, last)
                element = [opening, tokens[place], *argument, closer, *below]
                is_argument = place > 0 and tokens[place - 1].type == "FUNC"
                result += [opening, *element, closer] if is_argument else element
            place = end + 5
        else:
            result.append(tokens[place])
            place += 1
    return result


def _has_index_behind(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> bool:
    """Whether it is a softmax with brackets and one index behind these."""
    opening = tokens[place + 1 : place + 2]
    if tokens[place].type != "SOFTMAX" or [t.type for t in opening] not in (["LPAR"], ["LSQB"]):
        return False
    behind = closing.get(place + 1, len(tokens)) + 1
    return [t.type for t in tokens[behind : behind + 4]] == ["SUB", "LBRACE", "NAME", "RBRACE"]


def _dot(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> int:
    """The place of the one dot that stands for an index in the brackets of a softmax with an index behind it, or 0."""
    if tokens[place].type != "SOFTMAX" or place + 1 not in closing:
        return 0
    end = closing[place + 1]
    if not _has_index_behind(tokens, place, closing):
        return 0
    dots = [n for n in range(place + 2, end) if _is_index(tokens, n)]
    return dots[0] if len(dots) == 1 else 0


def _is_index(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is the dot of `S(i, \cdot)` or `S_{\cdot j}`, between brackets and commas or beside an index."""
    if tokens[place].type != "CDOT" or tokens[place].value != r"\cdot":
        return False
    before, after = tokens[place - 1], tokens[place + 1]
    begins = before.type in ("COMMA", "LPAR", "LBRACE")
    ends = after.type == "COMMA" or after.type in CLOSERS
    in_script = before.type == "LBRACE" or after.type == "RBRACE"
    return (begins and ends) or (in_script and (begins or ends))
