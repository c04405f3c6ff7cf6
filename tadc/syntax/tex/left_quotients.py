r"""Left sides that are quotients, `\frac{G^{\mathrm{E}}}{RT} = ..` or `\frac{PV}{RT} = ..`: what they define is the quotient, `G_E_over_RT`."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, has_style, scripted, with_label
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["OVER", "QUOTIENT", "quotient_name"]

OVER, QUOTIENT = "_over_", "quotient"  # what is between the names, and the note of the whole


def quotient_name(left: Sequence[Token], right: Sequence[Token]) -> list[Token] | None:
    r"""The name of a quotient with the scripts of what is divided; None for other left sides. Letters below that the right side lacks are
    labels, as in `\frac{P_r}{P_t} = D_r D_t`.
    """
    parts = _parts(left)
    if parts is None or not parts[0] or not parts[1]:
        return None
    over, arguments = _without_list(parts[0])
    under, others = _without_list(parts[1])
    if bool(arguments) != bool(others):
        return None
    if _are_labels([*scripted(over, "SUB"), *scripted(under, "SUB")], right) and not arguments:
        over, under = _labelled(over), _labelled(under)
    if len(over) > 1 and {t.type for t in over} == {"NAME"}:
        over = [replace(over[0], value="_".join(t.value for t in over), note=_worst_note(over))]
    scripts = over[1:]
    is_name = over[0].type == "NAME" and over[0].note != "derivative"
    if not is_name or behind_scripts(over, 1, closing_brackets(over)) != len(over):
        return None
    label = _label(under, {t.value for t in scripts if t.type == "NAME"}, over[0].value)
    if label is None:
        return None
    name = Token("NAME", f"{over[0].value}{OVER}{label}", left[0].start, left[-1].end, QUOTIENT)
    return [name, *scripts, *arguments]


def _worst_note(names: Sequence[Token]) -> str:
    """That of a derivative, if one of the names is one: no product."""
    return next((t.note for t in names if t.note == "derivative"), names[0].note)


def _are_labels(
    below: Sequence[tuple[Token, int, Sequence[Token]]], right: Sequence[Token]
) -> bool:
    """Whether no letter below is an index: the right side has none of them, or they tell one name apart and no sum runs over them."""
    letters = {t.value for _, _, inner in below for t in inner if t.type == "NAME"}
    if not letters & {t.value for t in right}:
        return bool(letters)
    names = {name.value for name, _, _ in below}
    parts = [[t.value for t in inner] for _, _, inner in below]
    is_one_name = len(below) == 2 and len(names) == 1 and all(len(p) == 1 for p in parts)
    return is_one_name and parts[0] != parts[1] and not letters & bound_names(right)


def _labelled(side: Sequence[Token]) -> list[Token]:
    """The side with one name for each that has letters below it."""
    ends = {id(name): (place, inner) for name, place, inner in scripted(side, "SUB")}
    result: list[Token] = []
    place = 0
    while place < len(side):
        token = side[place]
        sub, inner = ends.get(id(token), (-1, ()))
        if sub == place + 1 and inner and {t.type for t in inner} == {"NAME"}:
            last = side[place + len(inner) + 3]
            result.append(with_label(token, inner, last.end))
            place += len(inner) + 4
        else:
            result.append(token)
            place += 1
    return result


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
