from __future__ import annotations

import subprocess
import sys

import pytest
from lark import Lark

from tadc.resources import resource
from tadc.syntax.idx.expected import readable
from tadc.syntax.idx.load import idx_parser, is_spelled_as


def test_the_grammar_has_no_conflict_and_no_two_terminals_that_collide():
    pytest.importorskip("interegular")
    Lark(
        resource("grammar/idx.lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer="contextual",
        start=["statement", "rounds"],
        keep_all_tokens=True,
        strict=True,
    )


def test_every_terminal_has_a_readable_name():
    assert all(
        readable(terminal.name)
        for terminal in idx_parser().terminals
        if terminal.name not in ("BLANK", "COMMENT")
    )


def test_the_parser_is_built_once():
    assert idx_parser() is idx_parser()


@pytest.mark.parametrize(
    "word", ["exp", "exp2", "expm1", "log1p", "sgn", "relu", "silu", "tanh", "erfc", "digamma"]
)
def test_functions_apply_without_parentheses(word):
    assert is_spelled_as("FUNCTION", word)
    assert not is_spelled_as("FUNCTION", word + "x")


def test_importing_the_front_end_builds_no_grammar():
    code = "import tadc.syntax.idx.parse, tadc.syntax.idx.load as load; print(load.idx_parser.cache_info().currsize)"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert shown.strip() == "0"
