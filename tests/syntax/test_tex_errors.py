from __future__ import annotations

import pytest

from tadc.errors import Source, SyntaxError
from tadc.syntax.ast import Definition
from tadc.syntax.tex.parse import parse_tex

# The formula, the text that the carets mark, and words of the message. `@` ends a line.
ERRORS = r"""
y_i = a_i = b_i                       | =@2        | chain of equations
y_i = \foo x_i                        | \foo       | not a command that tadc knows
y_i = A_{ij}^\top x_j                 | A_{ij}     | a transpose is of a vector or matrix
y_i = A_{ij}^T x_j                    | A_{ij}     | a transpose is of a vector or matrix
y = A^* x                             | *          | no power
y_i = \sum_k x^{(k)}_i                | x^{(k)}_i  | which dimension is it?
y_i = a_i/b_i c_i                     | /          | one factor or all that follow
y_i = \log x_i / 2                    | /          | unclear what
y_i = x_i + j \bmod 3                 | \bmod      | the whole sum before it
y_i = a_i \cdot -b_i                  | -          | sign follows an operator
y_i = \exp -x_i                       | -          | function without brackets
y_i = +x_i                            | +          | no sign
y_i = (x_i                            | (          | is not closed
y_i = x_i)                            | )          | closes nothing
y_i = (x_i]                           | ]          | does not close the bracket
y_i = (a_i + b_i)_j                   | (a_i + b_i)_j | has 1 subscript
y_i = x_i^2^3                         | ^3         | two superscripts
y_i = x_i_j                           | _j         | two subscripts
y_i = k(a_i, b_i)                     | (a_i, b_i) | is a list
y_i = f(a_i)                          | f          | no function that tadc knows
y_{ij} = \mathrm{softmax}(x_{ij})      | \mathrm{softmax}(x_{ij}) | does not say over which index
y_i = \nabla x_i                      | \nabla     | derivatives are not written in formulas
y_i = \mathbf{a}_i \times \mathbf{b}_i | \times     | may be the cross product
y_i = a_i \times \mathbf{b}_i + x_i!!  | !          | double factorial
y_i = \bar{x_i z_i}                   | \bar{x     | more than a name
y_i = i < 3                           | <          | relation stands outside
y_i = \begin{cases} 1 & i < 3 \\ 0 & i > 5 \end{cases} | 0 & i > 5 | may leave something out
y_i = \begin{cases} 1 \\ 0 & i > 5 \end{cases}         | 1          | not the last
y_i = \| x_i \|                       | x_i        | is of a vector or matrix
y_i = \sum_{k \in S} x_k              | k \in S    | the set that the index runs over
y_i = \sum x_i                        | x          | does not say over which index
y_i = \sum_{k=1} x_k                  | k=1        | no upper one
y_i = \sum_{j,k=1,l}^3 x_k            | _{j,k=1,l} | no lower bound
y_i = \sum_{i} x_{i}^{2}^{3}          | ^{3}       | two superscripts
y_i = \sum_{2k} x_k                   | 2k         | neither an index nor a condition
y_i = \sum_{i \le 3} x_k              | _{i \le 3} | no index that is not bound
y_i = 1 + \dots + x_i                 | \dots      | dots
y_i =                                 |            | ends where something should follow
y_i = x_i \cdot                       |            | ends where something should follow
y_i = x_{i,,j}                        | ,@2        | separates nothing
y_i = x_{}                            | }          | something is missing
y_i = x_i, i < 3                      | i < 3      | this restriction of an index is not read
y_i = x_i \text{ if } i > 3           | i > 3      | would be dropped
y_{i+1} = x_i                         | i+1        | not a bare index
y_ij = x_i                            | y_ij       | takes one letter
y_i = 1e-3 x_i                        | 1e-3       | Euler's number
y_i = \log_3 x_i                      | _3         | no such subscript
y_i = \exp^{-1}(x_i)                  | ^{-1}      | no inverse
y_i = (i < 3) x_i                     | i < 3      | where a number is expected
y_i = \mathbf{1}_{ij}                 | ij         | where a condition is expected
y_i = x_i <= 3                        | <=         | is not LaTeX
y_i = \begin{pmatrix} 1 \end{pmatrix} | \begin{pmatrix} | is not read in formulas
y_i = \langle x_i, z_i \rangle        | x_i        | an inner product is of a vector or matrix
y_i = \partial x_i                    | \partial   | derivatives
y_i = x^\frac12                       | \frac      | more than one sign
y_i = x_i \text{or so} y_i            | y_i@2      | has ended before this
\frac{2}{b} = c                       | \frac{2}{b} | no display defines
%!tadc step {                         | ?          | no display defines an element
"""


def cases() -> list[tuple[str, int | None, int, str]]:
    """The formula, start and length of the marked text (`?` is None: anywhere), and the words."""
    table: list[tuple[str, int | None, int, str]] = []
    for line in ERRORS.strip().splitlines():
        formula, marked, words = (part.strip() for part in line.rsplit(" | ", 2))
        marked, _, which = marked.partition("@")
        start = -1
        for _ in range(int(which or 1)):
            start = formula.find(marked, start + 1) if marked else len(formula)
        table.append((formula, None if marked == "?" else start, len(marked), words))
    return table


@pytest.mark.parametrize(("formula", "start", "length", "words"), cases())
def test_a_wrong_formula_is_marked_where_it_is_wrong(
    formula: str, start: int | None, length: int, words: str
) -> None:
    before = "First line.\n\\[ "
    is_line = formula.startswith("%")
    with pytest.raises(SyntaxError) as caught:
        parse_tex(Source(formula if is_line else f"{before}{formula} \\]"))
    error = caught.value

    assert words in str(error)
    assert error.fix
    if start is not None:
        assert error.span is not None
        assert (error.span.line, error.span.column) == (2, 4 + start)
        assert error.span.end - error.span.start == length


def test_all_wrong_displays_are_reported_together() -> None:
    text = "\\[ y_i = ( \\]\n\\[ z_i = x_i \\]\n\\[ w_i = \\foo \\]\n%!tadc size\n\\[ v_i = x_i +"
    with pytest.raises(SyntaxError) as caught:
        parse_tex(Source(text))

    places = [(e.span.line, e.span.column) for e in caught.value.errors if e.span is not None]
    assert [line for line, _ in places] == [1, 3, 4, 5]


def test_at_most_twenty_errors_are_reported() -> None:
    with pytest.raises(SyntaxError) as caught:
        parse_tex(Source("\\[ y_i = ( \\]\n" * 100))

    assert len(caught.value.errors) == 20


def test_one_letter_in_two_styles_is_allowed_in_lists_of_arguments_and_in_shapes() -> None:
    parse_tex(Source(r"f_i(\mathbf{x}) = x_i, \quad \boldsymbol{x} \in \mathbb{R}^3"))


def test_an_own_macro_as_a_left_side_is_a_name() -> None:
    macro = "\\newcommand{\\vy}{\\mathbf{y}}\n"
    program = parse_tex(Source(macro + r"\[ \vy_i = x_i \] \[ z_i = x_i \]"))

    assert [i.target.name for i in program.items if isinstance(i, Definition)] == ["y", "z"]
