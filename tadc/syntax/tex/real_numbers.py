r"""The real numbers in other letters than `\mathbb{R}`: an `R` behind `\in` that has a power is no set of the document, `x \in \mathcal{R}^{N \times 3}`.

Elements of other sets of numbers have shapes, too: `x \in [0, 1]^n`, `W \in \{0, 1\}^{m \times n}`, `k \in \mathbb{Z}^n`; those of
`\mathbb{C}^n` are complex. A name in an interval, `\gamma \in [0, 1)`, is a number too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["COMPLEX", "names_in_intervals", "with_real_numbers"]


def with_real_numbers(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with one sign for the set in `x \in R^N`, `\mathbf{R}^N`, `\Re^N` and `I\!R^N`."""
    result: list[Token] = []
    closing = closing_brackets(tokens)
    place = 0
    while place < len(tokens):
        length = 0
        if place and tokens[place - 1].type == "IN":
            length = _length(tokens[place : place + 3]) or _length_of_set(tokens, place, closing)
        if length:
            last = tokens[place + length - 1]
            note = COMPLEX if tokens[place].value == _NO_SET.format("C") else ""
            result.append(replace(tokens[place], type="RR", value="R", note=note, end=last.end))
        else:
            result.append(tokens[place])
        place += length or 1
    return result


def names_in_intervals(tokens: Sequence[Token]) -> set[str]:
    r"""The names that the formula says to lie between two numbers, `\gamma \in [0, 1)` and `0 < \gamma < 1`."""
    found: set[str] = set()
    for place, token in enumerate(tokens):
        if token.type != "NAME":
            continue
        kinds = [t.type for t in tokens[place + 1 : place + 7]]
        around = [t.type for t in tokens[max(place - 2, 0) : place + 3]]
        is_in = kinds[:1] == ["IN"] and kinds[1:] in _INTERVALS
        if is_in or around == ["NUM", "REL", "NAME", "REL", "NUM"]:
            found.add(token.value)
    return found


_INTERVALS = [
    [opening, "NUM", "COMMA", "NUM", closing]
    for opening in ("LPAR", "LSQB")
    for closing in ("RPAR", "RSQB")
]
_COMMANDS = (r"`\Re`", r"`\R`", r"`\Real`", r"`\reals`", r"`\Reals`")  # that no document defines


_NO_SET = (
    r"`\mathbb{{{}}}` is not used in formulas"  # the error of a letter that is no `\mathbb{R}`
)
_SETS = frozenset(_NO_SET.format(name) for name in "ZNQC")
_IN_SETS = frozenset(("NUM", "COMMA", "MINUS", "PLUS", "DOTS"))
COMPLEX = "complex"


def _length_of_set(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> int:
    r"""How many tokens are the `[0, 1]`, `\{0, 1\}` or `\mathbb{Z}` that a power follows."""
    end = closing.get(place, place)
    inner = {t.type for t in tokens[place + 1 : end]}
    is_set = tokens[place].type == "ERROR" and tokens[place].value in _SETS
    is_listed = tokens[place].type in ("LSQB", "LPAR") and bool(inner) and inner <= _IN_SETS
    is_raised = [t.type for t in tokens[end + 1 : end + 2]] == ["SUP"]
    return end + 1 - place if is_raised and (is_set or is_listed) else 0


def _length(tokens: Sequence[Token]) -> int:
    """How many of these tokens are the set, which a power follows; 0 where they are none."""
    kinds = [t.type for t in tokens]
    if kinds[1:2] == ["SUP"]:
        is_set = tokens[0].type == "NAME" and tokens[0].value == "R"
        return int(is_set or (tokens[0].type == "ERROR" and tokens[0].value.startswith(_COMMANDS)))
    is_struck = kinds == ["NAME", "NAME", "SUP"] and [t.value for t in tokens[:2]] == ["I", "R"]
    return 2 * is_struck
