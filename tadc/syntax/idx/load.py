"""The grammars as parsers: built once on a machine (about 0.2 s), kept in the user's cache, read once per process."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from tadc.cache import digest, kept
from tadc.resources import resource
from tadc.syntax.idx.build import Build

__all__ = ["idx_parser", "is_spelled_as", "parser"]


OWN = ("lexer_callbacks", "postlex", "transformer")  # options that are objects, and no data


@cache
def idx_parser() -> Lark:
    """The parser of one statement of the `.idx` spelling, or of the rounds of a loop; it gives a `build.Placed`."""
    idx = parser(
        "idx",
        lexer="contextual",
        start=["statement", "rounds"],
        keep_all_tokens=True,
        transformer=Build(),
    )
    for rule in idx.rules:
        # Lark's names are Tokens, which Python code compares: 8 % of the time of a parse.
        rule.origin.name = str(rule.origin.name)
    return idx


def parser(name: str, **options: Any) -> Lark:
    """The LALR parser of `grammar/<name>.lark`."""
    grammar = resource(f"grammar/{name}.lark").read_text(encoding="utf-8")
    version = f"{grammar}{sorted(options)}{lark.__version__}{sys.version}"
    accepted = {n: options[n] for n in OWN if n in options}

    def made() -> tuple[Any, Any]:
        """The tables of the parser, as the plain data that Lark makes parsers of."""
        parser = Lark(grammar, parser="lalr", **options)
        data, memo = parser.memo_serialize([TerminalDef, Rule])
        data["options"] = {n: v for n, v in data["options"].items() if n not in OWN}
        return data, memo

    data, memo = kept(f"grammar-{name}-{digest(version)}.pickle", made)
    loaded: Lark = Lark._load_from_dict(data, memo, **accepted)  # type: ignore[no-untyped-call]
    return loaded


def is_spelled_as(terminal: str, word: str) -> bool:
    """Whether `word` is one that the grammar lists under `terminal`, such as `FUNCTION`."""
    return _pattern(terminal).fullmatch(word) is not None


@cache
def _pattern(terminal: str) -> re.Pattern[str]:
    return re.compile(idx_parser().get_terminal(terminal).pattern.to_regexp())
