"""Whatever the text, the front end gives a program or a `tadc.Error`, with spans inside the text."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tadc.errors import Error, Source
from tadc.syntax.idx.parse import parse_idx

from .sexpr import sexpr
from .test_idx import STATEMENTS

_TOKENS = [
    *"()[]{},;:|=<>+-*/%^_.#&!@\\'\"$?~`\n\r\t \x00\x0b",
    *[
        "**",
        "//",
        "..",
        "<-",
        "==",
        "!=",
        "<=",
        ">=",
        "\r\n",
        "\n  ",
        "0",
        "3",
        "2.5",
        "1e-3",
        "x",
        "f",
        "i",
        "N",
        "k",
    ],
    *[
        "sum",
        "max",
        "argmin",
        "exp",
        "log",
        "if ",
        " then ",
        " else ",
        " and ",
        " or ",
        " not ",
        " is int",
        "int",
    ],
    *[
        "size ",
        "input ",
        "output ",
        "state ",
        "base 1",
        "einstein",
        "step {",
        "repeat T {",
        "sum{k} ",
        "sum{k}_0^4 ",
    ],
    *["x[i]", "f[i] = ", "²", "≤", "é", "名", "़", "\u00a0", "\ufeff", "½", "\ud800", "ﬁ"],
]


def _survives(text: str) -> None:
    source = Source(text)
    try:
        sexpr(parse_idx(source))
    except Error as caught:
        for error in caught.errors:
            assert error.fact and error.fix
            assert error.span is not None and error.span.source is source
            assert 0 <= error.span.start <= error.span.end <= len(text)
        assert str(caught)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_TOKENS), max_size=25).map("".join))
@example("step {}")
@example("repeat 3 {}")
@example("a = (\r")
@example("x[i = 3")
@example("a = sum{")
def test_any_soup_of_tokens_is_a_program_or_an_error(text):
    _survives(text)


@settings(max_examples=100)
@given(st.text(max_size=30))
def test_any_text_is_a_program_or_an_error(text):
    _survives(text)


@settings(max_examples=300)
@given(st.data())
def test_any_mutation_of_programs_is_a_program_or_an_error(data):
    lines = data.draw(st.lists(st.sampled_from(list(STATEMENTS)), min_size=1, max_size=3))
    text = "\n".join(lines)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 4)))
        text = text[:start] + data.draw(st.sampled_from(["", *_TOKENS])) + text[end:]
    _survives(text)
