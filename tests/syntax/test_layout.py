from __future__ import annotations

import pytest

from tadc.errors import Source, SyntaxError
from tadc.syntax.idx.layout import pieces
from tadc.syntax.idx.parse import parse_idx

from .sexpr import sexpr

PROGRAMS = {
    "nothing": ("", ""),
    "blanks and comments": (" \n\t\n# a = (\n", ""),
    "lines": ("a = 1\nb = 2", "(= a () 1) (= b () 2)"),
    "windows lines": ("a = 1\r\nb = 2 +\r\n  3\r\n", "(= a () 1) (= b () (+ 2 3))"),
    "semicolons": (";a = 1;; b = 2; \n; c = 3;", "(= a () 1) (= b () 2) (= c () 3)"),
    "a byte-order mark": ("\ufeffa = 1", "(= a () 1)"),
    "comments": ("a = 1 # b = 2; c = (\nb = 3# )", "(= a () 1) (= b () 3)"),
    "a deeper line goes on": ("a = 1\n + 2\nb = 3", "(= a () (+ 1 2)) (= b () 3)"),
    "a deeper line goes on after blank lines and comments": (
        "a = 1\n\n# no deeper\n + 2\n",
        "(= a () (+ 1 2))",
    ),
    "indented statements": ("  a = 1\n  b = 2\n    + 3\n c = 4", "(= a () 1) (= b () (+ 2 3)) (= c () 4)"),
    "deeper than the line of a semicolon": ("a = 1; b = 2\n   + 3", "(= a () 1) (= b () (+ 2 3))"),
    "tabs": ("a = 1\n\t+ 2\n\t\t+ 3", "(= a () (+ (+ 1 2) 3))"),
    "an open bracket goes on": ("a = (1\n+ 2\n)\nb = x[\n\ni\n]", "(= a () (+ 1 2)) (= b () ([] x i))"),
    "an open brace goes on": ("a = sum{\nk = 0..4\n} x", "(= a () (sum ((.. k 0 4)) x))"),
    "a bracket goes on over a comparison": ("a = [i\n== j]", "(= a () (bracket (compare i == j)))"),
    "semicolons in brackets separate": ("a[i; j] = x[i;\nj]", "(= a (i j) ([] x i j))"),
    "a condition goes on": ("a = if i < j\n  then 1\n  else 2", "(= a () (if (compare i < j) 1 2))"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_is_cut_into_its_statements(text, tree):
    assert sexpr(parse_idx(Source(text))) == tree


UNCLOSED = {
    "a definition": ("a = (1\nf[i] = 2", 2),
    "a scalar": ("a = x[1\nl = sum{k=0..4} x[k]", 2),
    "a typed definition": ("a = max(1,\nl: float64 = 2", 2),
    "an update": ("a = (1\nu[i] <- 2", 2),
    "a declaration": ("a = (1\nsize N, M", 2),
    "indented": ("  a = (1\n     + 2\n  b = 3", 2),
}


@pytest.mark.parametrize(("text", "count"), UNCLOSED.values(), ids=UNCLOSED)
def test_an_open_bracket_ends_before_a_line_that_is_no_deeper_and_looks_like(text, count):
    source = Source(text)

    assert len(list(pieces(source, 0, len(text), []))) == count


def test_an_open_bracket_goes_on_over_deeper_lines_that_look_like_a_definition():
    with pytest.raises(SyntaxError) as caught:
        parse_idx(Source("a = (1\n  b = 2\n"))

    (error,) = caught.value.errors
    assert (error.span.line, error.span.column) == (2, 3)


MIXED = {
    "a blank and a tab": "a = 1\n \tb = 2",
    "a tab and a blank": "a = 1\n\t b = 2",
    "tabs after blanks": "  a = 1\n\t\t+ 2",
    "blanks after tabs": "\ta = 1\n    + 2",
}


@pytest.mark.parametrize("text", MIXED.values(), ids=MIXED)
def test_tabs_mixed_with_blanks_are_an_error(text):
    with pytest.raises(SyntaxError, match="tabs and blanks") as caught:
        parse_idx(Source(text))

    assert (caught.value.span.line, caught.value.span.column) == (2, 1)


def test_tabs_and_blanks_may_mix_inside_brackets():
    assert sexpr(parse_idx(Source("a = (1\n \t + 2\n\t)"))) == "(= a () (+ 1 2))"


def _kinds(text):
    return [
        (piece.kind, text[piece.start : piece.end].strip())
        for piece in pieces(Source(text), 0, len(text), [])
    ]


def test_the_braces_of_blocks_hold_statements():
    text = "repeat T {\n  u[i] <- 1\n  v[i] <- sum{k} 2\n  step { a = 1; b = 2 }\n}\nc = 3"

    assert _kinds(text) == [
        ("open", "repeat T {"),
        ("statement", "u[i] <- 1"),
        ("statement", "v[i] <- sum{k} 2"),
        ("open", "step {"),
        ("statement", "a = 1"),
        ("statement", "b = 2"),
        ("close", "}"),
        ("close", "}"),
        ("statement", "c = 3"),
    ]


def test_after_a_brace_deeper_compares_with_the_column_of_the_statement():
    assert _kinds("step { a = 1\n    b = 2\n         + 3 }") == [
        ("open", "step {"),
        ("statement", "a = 1"),
        ("statement", "b = 2\n         + 3"),
        ("close", "}"),
    ]
