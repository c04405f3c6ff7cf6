"""Characters beyond ASCII: letters of any script make names; other signs of mathematics are errors with a suggestion."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from tadc.errors import Source, Span, SyntaxError

__all__ = ["odd_character", "shown"]

_WORD = re.compile(r"#[^\n]*|(?:[0-9A-Za-z_]|[^\x00-\x7f])+")

_SPELLINGS: Mapping[str, str] = MappingProxyType(
    {
        "≤": "<=", "⩽": "<=", "≥": ">=", "⩾": ">=", "≠": "!=", "≡": "=", "≔": "=",
        "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "∗": "*", "•": "*", "÷": "/", "∕": "/",
        "∑": "sum{k} ...", "∏": "prod{k} ...", "√": "sqrt(...)", "∞": "inf", "∈": "sum{k: K}",
        "∧": "and", "∨": "or", "¬": "not", "…": "..", "⋯": "..", "←": "<-", "∣": "|", "¦": "|",
    }
)  # fmt: skip


def odd_character(source: Source, start: int, end: int) -> SyntaxError | None:
    """The error of the first character from `start` to `end` that is neither ASCII nor part of a name, if there is one."""
    if source.text[start:end].isascii():
        return None
    for word in _WORD.finditer(source.text, start, end):
        if not word.group().isascii() and not word.group().startswith("#"):
            at = _odd(word.group())
            if at is not None:
                return _error(Span(source, word.start() + at, word.start() + at + 1))
    return None


def shown(character: str) -> str:
    """A character in a message: itself, or its number where it cannot be seen."""
    visible = character.isprintable() and not character.isspace()
    return f"`{character}`" if visible else f"U+{ord(character):04X}"


def _odd(word: str) -> int | None:
    """The position of the first odd character of a word; digits may precede the name, which is an error of the grammar's."""
    begin = len(word) - len(word.lstrip("0123456789_"))
    for at, character in enumerate(word[begin:], begin):
        starts = character.isalpha() and character.isidentifier()
        if not (starts if at == begin else ("a" + character).isidentifier()):
            return at
    return None


def _error(span: Span) -> SyntaxError:
    character = span.text
    kind, _, plain = unicodedata.decomposition(character).partition(" ")
    normal = unicodedata.normalize("NFKC", character)
    if character in _SPELLINGS:
        fix = f"write `{_SPELLINGS[character]}`"
    elif kind == "<super>":
        fix = f"write `**{normal}` for a power"
    elif kind == "<sub>":
        fix = f"write `{normal}` for a name with a number, `[{normal}]` for a subscript"
    elif normal == " ":
        fix = "write an ordinary blank"
    elif plain and normal.isascii():
        fix = f"write `{normal}`"
    elif kind == "<fraction>":
        fix = f"write `{normal.replace(chr(0x2044), '/')}`"
    else:
        fix = "names consist of letters, digits and `_`, and operators are ASCII"
    return SyntaxError(span, f"{shown(character)} is no sign of the language", fix=fix)
