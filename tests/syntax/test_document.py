from __future__ import annotations

import pytest

from tadc.errors import Source, SyntaxError
from tadc.syntax.tex.document import scanned
from tadc.syntax.tex.parse import parse_tex

from .sexpr import sexpr


def mathematics(text: str) -> list[tuple[str, str]]:
    return [(r.kind, text[r.start : r.end].strip()) for r in scanned(Source(text)).regions]


def targets(text: str) -> str:
    """The names that a document defines."""
    return " ".join(sexpr(item).split()[1] for item in parse_tex(Source(text)).items)


@pytest.mark.parametrize(
    "display",
    [
        r"\[ y_i = x_i \]",
        "$$ y_i = x_i $$",
        *[
            rf"\begin{{{name}}} y_i = x_i \end{{{name}}}"
            for name in ["equation", "align", "gather*", "multline", "displaymath", "eqnarray*"]
        ],
        r"\begin{alignat*}{2} y_i = x_i \end{alignat*}",
    ],
)
def test_every_kind_of_display_is_found(display: str) -> None:
    assert mathematics(f"Some text.\n{display}\nMore text.") == [("display", "y_i = x_i")]


@pytest.mark.parametrize(
    "hidden",
    [
        r"% \[ y_i = x_i \]",
        r"\verb|\[ y_i = x_i \]|",
        r"\begin{verbatim} \[ y_i = x_i \] \end{verbatim}",
        r"\begin{comment} \[ y_i = x_i \] \end{comment}",
        r"\iffalse \[ y_i = x_i \] \ifx a b $c$ \fi \[ y_i = 2 \] \else $d \iff e$ \fi",
        "\\if0\n\\[ y_i = x_i \\]\n\\fi",
        r"two lines \\[2pt] of text, \$5 and \$6",
        r"\documentclass{article} \newcommand{\f}{\[ y_i = x_i \]} \begin{document}",
        r"\end{document} \[ y_i = x_i \]",
    ],
)
def test_what_only_looks_like_a_display_is_not_one(hidden: str) -> None:
    assert mathematics(f"{hidden}\n\\[ z_i = x_i \\]")[-1:] in (
        [("display", "z_i = x_i")],
        [("bare", f"{hidden}\n\\[ z_i = x_i \\]")],
    )
    assert "y_i" not in str(
        [t for kind, t in mathematics(hidden + "\n\\[ z \\]") if kind == "display"]
    )


def test_formulas_in_prose_are_found_and_end_with_their_paragraph() -> None:
    text = "A lone $ sign.\n\nThen $a$$b$ and \\(c\\). \\[ d \\]"

    assert mathematics(text) == [
        ("inline", "a"),
        ("inline", "b"),
        ("inline", "c"),
        ("display", "d"),
    ]


def test_directives_are_found_in_the_preamble_in_prose_and_in_displays() -> None:
    text = "%!tadc size N\r\n\\begin{document} %!tadc base 1\n\\[ y \n %!tadc output y\n\\]"

    assert [t for kind, t in mathematics(text) if kind == "directive"] == [
        "size N",
        "base 1",
        "output y",
    ]


def test_declarations_and_definitions_keep_the_order_of_the_file() -> None:
    text = "%!tadc size N\n\\[ y_i = x_i, \\quad x \\in \\mathbb{R}^N \\]\n%!tadc output y\n\\[ z_i = y_i \\]"

    assert sexpr(parse_tex(Source(text))) == sexpr(parse_tex(Source(text.replace("First", ""))))
    kinds = [type(item).__name__ for item in parse_tex(Source(text)).items]
    assert kinds == [
        "SizeDeclaration",
        "Definition",
        "TensorDeclaration",
        "OutputDeclaration",
        "Definition",
    ]


@pytest.mark.parametrize(
    "display", [r"\[ y_i = x_i", "$$ y_i = x_i\n\n", r"\begin{align*} y_i = x_i"]
)
def test_a_display_that_is_not_closed_is_an_error(display: str) -> None:
    with pytest.raises(SyntaxError, match="not closed") as caught:
        parse_tex(Source(f"Text.\n{display}"))

    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (2, 1)


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (r"a_i &= x_i \\ b_i &= a_i", "a b"),
        (r"a_i &= x_i \\ &\quad + y_i \\ b_i &= a_i", "a b"),
        (r"a_i &= \bigl( x_i \\ &\qquad + y_i \bigr) \\[2pt] b_i &= a_i \nonumber", "a b"),
        (r"a_i &= \left( x_i \right. \\ & \left. + y_i \right)", "a"),
        (r"a_i &= x_i & b_i &= a_i \\ c_i &= b_i", "a b c"),
        (r"a_i =& x_i + \\ & y_i, \label{eq:a} \\ Z =& \sum_i a_i.", "a Z"),
        (r"\begin{split} a_i &= x_i \\ &+ y_i \end{split}", "a"),
        (r"a_i &= x_i, \quad b_i = a_i \\ c_i &= b_i", "a b c"),
        (r"a_i &= x_i \text{ and } b_i = a_i", "a b"),
        (r"a_i &= x_i \quad\text{where}\quad b_i = y_i", "a b"),
        (r"a_i &= x_i \qquad\text{for all } i \\ b_i &= a_i", "a b"),
    ],
)
def test_the_rows_of_a_display_are_statements_or_continue_one(rows: str, names: str) -> None:
    assert targets(rf"\begin{{align}} {rows} \end{{align}}") == names


def test_a_row_that_begins_with_an_equals_sign_is_a_chain() -> None:
    with pytest.raises(SyntaxError, match="chain"):
        parse_tex(Source(r"\begin{align} a_i &= x_i \\ &= y_i \end{align}"))


@pytest.mark.parametrize(
    ("text", "names", "skipped"),
    [
        (r"\[ n = 5 \] \[ y_i = x_i \]", "y", ["n = 5"]),
        (r"\[ n = 5 \] \[ y_i = n x_i \]", "n y", []),
        (r"\[ n = 5 \]", "n", []),
        (r"\begin{align} n &= 5 \\ y_i &= x_i \end{align} \[ m = 3 \]", "n y", ["m = 3"]),
        (r"\[ \E[x] = \mu \] \[ y_i = x_i \]", "y", [r"\E[x] = \mu"]),
        (r"\[ x^2 + y^2 \ge 0 \] \[ y_i = x_i \]", "y", [r"x^2 + y^2 \ge 0"]),
        (r"\[ \frac{a}{b} = \foo \] \[ y_i = x_i \]", "y", [r"\frac{a}{b} = \foo"]),
    ],
)
def test_a_display_counts_when_it_defines_a_tensor_or_a_scalar_that_is_used(
    text: str, names: str, skipped: list[str]
) -> None:
    assert targets(text) == names
    assert [span.text for span in parse_tex(Source(text)).skipped] == skipped


def test_a_document_without_a_definition_is_an_error() -> None:
    for text in ["", "Some text.", r"Some \[ x \approx 3 \] text.", "$a$ and $b$"]:
        with pytest.raises(SyntaxError, match="no display defines"):
            parse_tex(Source(text))
