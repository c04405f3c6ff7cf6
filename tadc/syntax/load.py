"""The grammars, built into parsers once per process (about 0.1 s each, so no cache on disk)."""

from __future__ import annotations

import re
from functools import cache

from lark import Lark

from tadc.resources import resource
from tadc.syntax.build import Build

__all__ = ["idx_parser", "is_spelled_as"]


@cache
def idx_parser() -> Lark:
    """The parser of one statement of the `.idx` spelling; it gives a `build.Placed`."""
    parser = Lark(
        resource("grammar/idx.lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer="contextual",
        start="statement",
        keep_all_tokens=True,
        transformer=Build(),
    )
    for rule in parser.rules:
        # Lark's names are Tokens, which Python code compares: 8 % of the time of a parse.
        rule.origin.name = str(rule.origin.name)
    return parser


def is_spelled_as(terminal: str, word: str) -> bool:
    """Whether `word` is one that the grammar lists under `terminal`, such as `FUNCTION`."""
    return _pattern(terminal).fullmatch(word) is not None


@cache
def _pattern(terminal: str) -> re.Pattern[str]:
    return re.compile(idx_parser().get_terminal(terminal).pattern.to_regexp())
