r"""Matrices that the text puts together: `X = [x_1, \dots, x_n]^\top` has the rows `x_i`, and without the transpose the columns.

Such an `X` is no number. Where nothing else tells its shape, what reads it is an error with the line that does. Where formulas read
its parts alone, `$X = [x_1, \dots, x_n] \in \mathbb{R}^{d \times n}$` tells their shape, `x_i \in \mathbb{R}^d`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from tadc.syntax.tex.script_tokens import equal_place, scripted
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["shaped_parts", "stacked", "with_shapes_of_parts", "with_unclear_stacks"]

_LETTER = r"(?:\\(?:mathbf|boldsymbol|bm|vec)\s*\{?\s*)?(\\?[A-Za-z]+)\s*\}?"
_STACKED = re.compile(
    rf"{_LETTER}\s*(?::?=|\\coloneqq|\\equiv)\s*(?:\\left\s*|\\big\w*\s*)?[\[(]\s*{_LETTER}\s*_\s*\{{?1\}}?\s*(?:,|;|\\mid|\\,|\\;|\s)[^\])$]*"
    rf"\\[lcd]?dots[^\])$]*?_\s*\{{?([A-Za-z])\}}?\s*(?:\\right\s*|\\big\w*\s*)?[\])]\s*(\^\s*\{{?\s*(?:\\top|\\intercal|T|\\mathsf|\\mathrm))?"
)


def stacked(
    streams: Iterable[Sequence[Token]], declared: Set[str], text: str
) -> dict[str, tuple[str, str]]:
    """The capitals that are put together from vectors and whose shape nothing declares, with what they consist of and the line to add."""
    shaped = {name for tokens in streams for name in _shaped(tokens)}
    found: dict[str, tuple[str, str]] = {}
    for said in _STACKED.finditer(text):
        name, part, count = (said[n].removeprefix("\\") for n in (1, 2, 3))
        if name in shaped | declared or not name[0].isupper() or name == part:
            continue
        extents = f"{count}, D" if said[4] else f"D, {count}"
        kind = "rows" if said[4] else "columns"
        found[name] = (f"the {kind} `{said[2]}_i`", f"%!tadc input {name}[{extents}]")
    return found


def _shaped(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The names in front of `\in \mathbb{R}`, and the first one of an equation that ends so."""
    for place, token in enumerate(tokens):
        if token.type != "IN":
            continue
        yield tokens[0].value
        while place and tokens[place - 1].type in _IN_LISTS:
            place -= 1
            yield tokens[place].value


_IN_LISTS = frozenset(("NAME", "COMMA", "SUB", "SUP", "LBRACE", "RBRACE", "NUM"))


def with_unclear_stacks(
    tokens: Sequence[Token], found: Mapping[str, tuple[str, str]]
) -> list[Token]:
    """The tokens with an error for each of these on a right side, where it stands whole."""
    equal = equal_place(tokens)
    result = list(tokens)
    for place, token in enumerate(tokens):
        follows = tokens[place + 1].type if place + 1 < len(tokens) else ""
        is_listed = follows == "RPAR" and tokens[place - 1].type == "LPAR"  # of `C(X)`
        is_whole = place > equal and follows != "SUB" and not is_listed
        if is_whole and token.type == "NAME" and token.value in found:
            parts, line = found[token.value]
            fact = f"`{token.value}` has {parts}, and its shape is not told"
            result[place] = Token("ERROR", fact, token.start, token.end, f"declare it, `{line}`")
    return result


def shaped_parts(
    displays: Iterable[Sequence[Token]], declared: Set[str]
) -> dict[str, Token | None]:
    """The names of the displays that nothing declares, with an index that stands below them; None for those that stand without one."""
    found: dict[str, Token | None] = {}
    for tokens in displays:
        below = {id(name): inner for name, _, inner in scripted(tokens, "SUB")}
        for token in tokens:
            inner = below.get(id(token), ())
            is_index = len(inner) == 1 and inner[0].type == "NAME"
            if token.type == "NAME" and token.value not in declared:
                index = inner[0] if is_index else None
                found[token.value] = index if found.get(token.value, index) else None
    return found


def with_shapes_of_parts(tokens: Sequence[Token], parts: Mapping[str, Token | None]) -> list[Token]:
    r"""The tokens with `x_i \in \mathbb{R}^d` for `X = [x_1, \dots, x_n] \in \mathbb{R}^{d \times n}`, where no formula reads `X`."""
    kinds = [t.type for t in tokens]
    closing = closing_brackets(tokens)
    end = closing.get(2, 0)
    is_list = kinds[:2] in (["NAME", "EQ"], ["NAME", "DEF"]) and kinds[2:3] in (["LSQB"], ["LPAR"])
    if not is_list or not end or "DOTS" not in kinds[2:end] or tokens[0].value in parts:
        return list(tokens)
    behind = behind_scripts(tokens, end + 1, closing)
    raised = [t.type if t.value != "T" else "TOP" for t in tokens[end + 1 : behind]]
    extents = tokens[behind + 4 : -1]
    part, last = tokens[3], tokens[end - 2]
    index = parts.get(part.value)
    is_shape = kinds[behind : behind + 4] == ["IN", "RR", "SUP", "LBRACE"] and len(extents) == 3
    if raised not in ([], _RAISED) or not is_shape or index is None or part.type != "NAME":
        return list(tokens)
    inner, count = (extents[2], extents[0]) if behind > end + 1 else (extents[0], extents[2])
    if count.value != last.value:
        return list(tokens)
    below = [tokens[4], tokens[5], index, tokens[7]]
    return [part, *below, *tokens[behind : behind + 4], inner, tokens[-1]]


_RAISED = ["SUP", "LBRACE", "TOP", "RBRACE"]
