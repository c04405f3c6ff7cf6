"""Spellings of scalar functions, operators and constants in numpy: a row per function.

An expression in text is a `Text`; `spell` puts one together from others with the brackets that are needed and no more.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cache
from math import copysign, inf, isinf, isnan
from threading import Lock
from typing import NamedTuple

from tadc.resources import resource

__all__ = [
    "Precedence",
    "Text",
    "atom",
    "bracketed",
    "called",
    "library",
    "literal",
    "spell",
    "typed",
]


class Precedence(IntEnum):
    """Binding strength of the outermost operator of a text, loosest first."""

    COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)


class Text(NamedTuple):
    """An expression in text. `depth` is the nesting of its operations; `value` that of a number of no element type."""

    text: str
    precedence: Precedence
    depth: int = 0
    value: float | None = None

    @property
    def literal(self) -> bool:
        return self.value is not None


# fmt: off
_OPERATORS = {
    #       symbol  result              left                right
    "add": (" + ",  Precedence.SUM,     Precedence.SUM,     Precedence.PRODUCT),
    "sub": (" - ",  Precedence.SUM,     Precedence.SUM,     Precedence.PRODUCT),
    "mul": (" * ",  Precedence.PRODUCT, Precedence.PRODUCT, Precedence.SIGN),
    "div": (" / ",  Precedence.PRODUCT, Precedence.PRODUCT, Precedence.SIGN),
    "pow": ("**",   Precedence.POWER,   Precedence.ATOM,    Precedence.SIGN),
}

# Functions that numpy, or templates/numpy/functions.py, has not under their own names.
_NAMES = {
    "rsqrt": "1 / np.sqrt", "asin": "np.arcsin", "acos": "np.arccos", "atan": "np.arctan", "asinh": "np.arcsinh",
    "acosh": "np.arccosh", "atanh": "np.arctanh", "round": "np.rint", "max": "np.maximum", "min": "np.minimum",
    "atan2": "np.arctan2", "erf": "special.erf", "erfc": "special.erfc", "digamma": "special.digamma",
    "xlogy": "special.xlogy",
}
# fmt: on


def atom(text: str, depth: int = 0) -> Text:
    """A name, an element, or a call: text that no operator can break up."""
    return Text(text, Precedence.ATOM, depth)


def literal(value: float) -> Text:
    """A Python number: in an operation with an array it takes the array's element type."""
    if isnan(value):
        return Text("np.nan", Precedence.ATOM, 0, value)
    if isinstance(value, int) and abs(value) > 2**31:
        value = float(value) if abs(value) < 2**1023 else inf if value > 0 else -inf
        return literal(value)
    digits = "np.inf" if isinf(value) else repr(abs(value))
    if copysign(1, value) < 0:
        return Text(f"-{digits}", Precedence.SIGN, 0, value)
    return Text(digits, Precedence.ATOM, 0, value)


def bracketed(text: Text, needed: Precedence) -> str:
    return text.text if text.precedence >= needed else f"({text.text})"


def spell(function: str, args: Sequence[Text], real: str) -> Text:
    """A call of `function` in the element type `real`."""
    depth = 1 + max(a.depth for a in args)
    first, *others = args
    if all(a.literal for a in args):
        first = typed(first, real)
    match function:
        case "polygamma":
            order, x = args
            return atom(f"polygamma({order.text}, {typed(x, real).text})", depth)
        case "detached":
            return first
        case "neg":
            return Text(f"-{bracketed(first, Precedence.SIGN)}", Precedence.SIGN, depth)
        case "pow" if isinstance(others[0].value, float):
            # `x**0.5` would be the square root, which differs at `-inf`.
            return atom(f"np.power({first.text}, {others[0].text})", depth)
    if function in _OPERATORS:
        symbol, result, left, right = _OPERATORS[function]
        text = f"{bracketed(first, left)}{symbol}{bracketed(others[0], right)}"
        return Text(text, result, depth)
    called = _NAMES.get(function) or (function if function in library() else f"np.{function}")
    text = f"{called}({', '.join(a.text for a in (first, *others))})"
    return Text(text, Precedence.PRODUCT if " / " in called else Precedence.ATOM, depth)


def typed(text: Text, real: str) -> Text:
    """The text with an element type: a literal is wrapped."""
    return atom(f"{real}({text.text})") if text.literal else text


_parsing = (
    Lock()
)  # Python 3.11 counts the depth of trees for all threads together, and fails where two are in it


@cache
def library() -> Mapping[str, str]:
    """The definitions of `templates/numpy/functions.py` by name, in order."""
    source = resource("templates/numpy/functions.py").read_text("utf-8")
    definitions: dict[str, str] = {}
    with _parsing:
        tree = ast.parse(source)
    for node in tree.body:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.Assign(targets=[ast.Name(id=name)])
            ):
                definitions[name] = ast.get_source_segment(source, node) or ""
            case _:
                pass
    return definitions


def called(text: str) -> tuple[str, ...]:
    """The definitions of the library that `text` needs, in the library's order."""
    definitions = library()
    needed: set[str] = set()
    open_texts = [text]
    while open_texts:
        words = set(re.findall(r"\w+", open_texts.pop()))
        named = [n for n in definitions if n in words and n not in needed]
        needed.update(named)
        open_texts += [definitions[n] for n in named]
    return tuple(d for n, d in definitions.items() if n in needed)
