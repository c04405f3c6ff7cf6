r"""Left sides that are quotients, `\frac{G^{\mathrm{E}}}{RT} = ..`: what they define is the quotient, `G_E_over_RT`."""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import has_style
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["OVER", "QUOTIENT", "quotient_name"]

OVER, QUOTIENT = "_over_", "quotient"  # what is between the names, and the note of the whole


def quotient_name(left: Sequence[Token]) -> list[Token] | None:
    """The name of a quotient with the scripts of what is divided; None for other left sides."""
    parts = _parts(left)
    if parts is None or not parts[0] or not parts[1]:
        return None
    over, arguments = _without_list(parts[0])
    under, others = _without_list(parts[1])
    if bool(arguments) != bool(others):
        return None
    scripts = over[1:]
    is_name = over[0].type == "NAME" and over[0].note != "derivative"
    if not is_name or behind_scripts(over, 1, closing_brackets(over)) != len(over):
        return None
    label = _label(under, {t.value for t in scripts if t.type == "NAME"}, over[0].value)
    if label is None:
        return None
    name = Token("NAME", f"{over[0].value}{OVER}{label}", left[0].start, left[-1].end, QUOTIENT)
    return [name, *scripts, *arguments]


def _without_list(side: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    r"""The `I` of `I(\mu)` or `I(1)`, and its list of one name or number."""
    kinds = [t.type for t in side[-3:]]
    is_list = kinds[:1] + kinds[-1:] == ["LPAR", "RPAR"] and kinds[1:-1] in (["NAME"], ["NUM"])
    return (side[:-3], side[-3:]) if is_list and len(side) > 3 else (side, ())


def _parts(left: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """What is divided, and by what, if the left side is a quotient and nothing else."""
    kinds = [t.type for t in left]
    if kinds[:2] == ["FRAC", "LBRACE"]:
        closing = closing_braces(left)
        middle = closing.get(1, 0)
        end = closing.get(middle + 1, 0)
        is_whole = bool(middle) and end == len(left) - 1
        return (left[2:middle], left[middle + 2 : end]) if is_whole else None
    if kinds.count("SLASH") != 1:
        return None
    place = kinds.index("SLASH")
    return left[:place], left[place + 1 :]


_MOVED = frozenset(("NAME", "NUM", "PLUS", "MINUS"))


def _label(under: Sequence[Token], indices: Set[str], over: str) -> str | None:
    r"""The names of a product in one word; their subscripts are labels, or indices that the dividend has too, moved ones of itself:
    `\frac{P_t}{P_{t-1}}`.
    """
    closing = closing_braces(under)
    words: list[str] = []
    place = 0
    while place < len(under):
        token = under[place]
        if token.type != "NAME" or token.note == "derivative":
            return None
        words.append(token.value)
        place += 1
        while place < len(under) and under[place].type in ("SUB", "SUP") and place + 1 in closing:
            inner = under[place + 2 : closing[place + 1]]
            labels = [t.value for t in inner if t.type == "NUM" or has_style(t)]
            others = {t.value for t in inner if t.type == "NAME" and not has_style(t)}
            is_moved = token.value == over and not {t.type for t in inner} - _MOVED
            is_plain = not {t.type for t in inner} - {"NAME", "NUM", "COMMA"}
            if not others <= indices or not (is_plain or is_moved):
                return None
            words += labels if is_plain else []
            place = closing[place + 1] + 1
    return "".join(words)
