"""Names: the words that may be one, and the reserved ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from tadc.errors import Span, SyntaxError
from tadc.syntax.ast import Name

__all__ = ["RESERVED", "name_at"]

RESERVED: Mapping[str, str] = MappingProxyType(
    {
        "if": "it begins `if condition then a else b`",
        "not": "it negates a condition",
        "require": "it declares what holds of sizes, `require o + n <= N`",
        "scan": "it is kept for later versions of the language",
        "gather": "it is kept for later versions of the language",
        "complex64": "complex numbers are not supported yet",
        "complex128": "complex numbers are not supported yet",
    }
)


def name_at(span: Span) -> Name:
    """The name written at `span`, NFKC-normalised."""
    written = span.text
    name = written if written.isascii() else unicodedata.normalize("NFKC", written)
    if name in RESERVED:
        raise SyntaxError(
            span,
            f"`{name}` is a reserved word: {RESERVED[name]}",
            fix="choose another name",
        )
    return Name(name, span)
