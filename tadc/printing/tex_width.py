r"""Widths of printed LaTeX in points, about as TeX sets them in a document of ten points: a row of `align` may be 345 wide.

The text is that of `tex.py`, which braces every argument. Widths are those of Computer Modern, rounded up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tadc.syntax.tex.commands import ACCENTS

__all__ = ["PAGE", "width"]

PAGE = 345.0  # the width of the text in an article
DEEPEST = 50  # braces in each other that are measured one by one
SCRIPT = 0.82  # of the size around: small letters are wider for their height

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}^_&]|\s+|.", re.DOTALL)
_LETTERS = {
    **dict.fromkeys("ijlrtI", 4.4), **dict.fromkeys("mwMW", 9.6), **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ", 7.9),
    **dict.fromkeys("()", 3.9), **dict.fromkeys("[]|!", 2.8), ",": 4.5, ".": 2.8, ";": 4.5, "/": 5.0, "'": 3.0, ":": 8.4,
    "+": 12.3, "-": 12.3, "=": 13.4, "<": 13.4, ">": 13.4,
}  # fmt: skip
_COMMANDS = {
    **dict.fromkeys(["le", "ge", "ne", "leq", "geq", "neq"], 13.4), "cdot": 7.3, "times": 12.3, "land": 11.1, "lor": 11.1, "lnot": 6.7,
    "gated": 1.7, "gatedby": 12.3, ",": 1.7, "quad": 10.0, "qquad": 20.0, "infty": 10.0, "bmod": 29.0, "lfloor": 4.5,
    "rfloor": 4.5, "lceil": 4.5, "rceil": 4.5, "_": 5.6, "pi": 5.8, "in": 12.3, "{": 5.0, "}": 5.0,
    "log": 14.5, "exp": 17.5, "sin": 14.0, "cos": 15.5, "tan": 17.0, "sinh": 19.5, "cosh": 21.5, "tanh": 24.0,
    "arcsin": 29.0, "arccos": 31.0, "arctan": 32.5,
}  # fmt: skip
_SIZES = {"left": 2.5, "right": 2.5, "bigl": 0.8, "bigr": 0.8, "Bigl": 2.2, "Bigr": 2.2, "biggl": 3.5, "biggr": 3.5}  # fmt: skip
_LARGE = {"sum": 14.5, "prod": 13.0, "max": 21.0, "min": 20.0}
_UPRIGHT = {"mathrm", "text", "operatorname", "mathit", "mathtt", "mathbf", "boldsymbol", "mathcal", "mathsf", "mathfrak", "mathbb"}  # fmt: skip
_WORDS = {"m": 8.5, "w": 8.0, "M": 9.7, "W": 10.5}
_BOLD = {"mathbf", "boldsymbol", "mathbb"}


@lru_cache(maxsize=4096)
def width(tex: str) -> float:
    """The width of a formula in a display; of one that is nested very deeply that of its signs in a row."""
    tokens = [t for t in _TOKEN.findall(tex) if not t.isspace()]
    depth = deepest = 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token, 0)
        deepest = max(deepest, depth)
    return _row(tokens) if deepest <= DEEPEST else 5.0 * len(tokens)


def _row(tokens: Sequence[str]) -> float:
    total, place = 0.0, 0
    while place < len(tokens):
        added, place = _atom(tokens, place)
        above = below = 0.0
        while place < len(tokens) and tokens[place] in "^_":
            is_above = tokens[place] == "^"
            inner, place = _argument(tokens, place + 1)
            above, below = (inner, below) if is_above else (above, inner)
        scripts = SCRIPT * max(above, below)
        total += max(added, scripts) if added in _LARGE.values() else added + scripts
    return total


def _atom(tokens: Sequence[str], place: int) -> tuple[float, int]:
    """The width of what begins here, and the place behind it."""
    token = tokens[place]
    if token == "{":
        return _argument(tokens, place)
    if not token.startswith("\\"):
        return _LETTERS.get(token, 0.0 if token in "}&" else 5.6), place + 1
    name = token[1:]
    match name:
        case "frac" | "tfrac":
            over, place = _argument(tokens, place + 1)
            under, place = _argument(tokens, place)
            return max(over, under) + 5.8, place
        case "sqrt":
            place += 1
            while tokens[place : place + 1] not in (["{"], []):
                place += 1  # `[3]`
            inner, place = _argument(tokens, place)
            return inner + 11.0, place
        case "substack":
            return _environment(_group(tokens, place + 1)), _end(tokens, place + 1)
        case "begin":
            return _between(tokens, place)
        case "hspace":
            return 10.0 * float("".join(_group(tokens, place + 1)).removesuffix("em")), _end(
                tokens, place + 1
            )
        case _ if name in _SIZES:
            return _SIZES[name], place + 1
        case _ if name in _LARGE:
            return _LARGE[name], place + 1
        case _ if name in _UPRIGHT:
            letters = _group(tokens, place + 1)
            space = 12.0 if letters[:2] == ["i", "f"] else 1.7 * (name == "operatorname")
            size = sum(map(_upright, letters)) * (1.15 if name in _BOLD else 1.0)
            return size + space, _end(tokens, place + 1)
        case _ if name in ACCENTS:
            return _argument(tokens, place + 1)
        case _:
            return _COMMANDS.get(name, 8.0 if name[0].isupper() else 6.5), place + 1


def _upright(token: str) -> float:
    """The width of a letter, or of a command's letters, in a font that is not the one of mathematics."""
    return sum(_WORDS.get(c, 7.6 if c.isupper() else 5.3) for c in token.strip("\\"))


def _argument(tokens: Sequence[str], place: int) -> tuple[float, int]:
    if tokens[place : place + 1] != ["{"]:
        return _atom(tokens, place) if place < len(tokens) else (0.0, place)
    return _row(_group(tokens, place)), _end(tokens, place)


def _group(tokens: Sequence[str], place: int) -> Sequence[str]:
    """The tokens in the braces that open here."""
    return tokens[place + 1 : _end(tokens, place) - 1]


def _end(tokens: Sequence[str], place: int) -> int:
    """The place behind the braces that open here."""
    depth = 0
    for n in range(place, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[n], 0)
        if depth == 0:
            return n + 1
    return len(tokens)


def _between(tokens: Sequence[str], place: int) -> tuple[float, int]:
    r"""The width of an environment, from its `\begin` on, and the place behind it."""
    start, depth = _end(tokens, place + 1), 0
    for n in range(place, len(tokens)):
        depth += {r"\begin": 1, r"\end": -1}.get(tokens[n], 0)
        if depth == 0:
            return _environment(tokens[start:n]) + 12.0, _end(tokens, n + 1)
    return _environment(tokens[start:]) + 12.0, len(tokens)


def _environment(tokens: Sequence[str]) -> float:
    """The sum of the columns' widths."""
    columns: list[float] = []
    cell: list[str] = []
    depth = column = 0
    for token in [*tokens, r"\\"]:
        depth += {r"\begin": 1, r"\end": -1, "{": 1, "}": -1}.get(token, 0)
        if depth == 0 and token in ("&", r"\\"):
            columns += [0.0] * (column + 1 - len(columns))
            columns[column] = max(columns[column], _row(cell))
            cell, column = [], column + 1 if token == "&" else 0
        else:
            cell.append(token)
    return sum(columns) + 10.0 * (len(columns) - 1)
