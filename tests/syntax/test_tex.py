from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tadc.errors import Error, Source, SyntaxError
from tadc.resources import resource
from tadc.syntax.ast import Definition, Item, Program, Reduction, TensorDeclaration
from tadc.syntax.idx.parse import parse_idx
from tadc.syntax.tex.parse import parse_tex

from .sexpr import sexpr

EXAMPLES = Path(__file__).parents[2] / "examples"


def without_arguments(program: Program) -> Program:
    """`.idx` has no lists of arguments."""
    items: list[Item] = [
        replace(item, arguments=None) if isinstance(item, Definition) else item
        for item in program.items
    ]
    return Program(tuple(items))


def tex(text: str) -> str:
    return sexpr(without_arguments(parse_tex(Source(text))))


def definitions(program: Program) -> str:
    """Without what printed ranges declare."""
    plain = without_arguments(program).items
    return sexpr(Program(tuple(i for i in plain if isinstance(i, Definition))))


def idx(text: str) -> str:
    return sexpr(parse_idx(Source(text)))


# LaTeX, and the program in the `.idx` spelling with the same tree. `@` ends a line.
SAME = r"""
C_{ij} = \sum_k A_{ik} B_{kj}                      == C[i, j] = sum{k} A[i, k] * B[k, j]
C_{i,j} = \sum_{k} A_{i k} B_{k,j}                 == C[i, j] = sum{k} A[i, k] * B[k, j]
%!tadc size M = 8@y_{ij} = x_{Mi+j}                == size M = 8@y[i, j] = x[M*i + j]
%!tadc size M@y_i = x_{i M}                        == size M@y[i] = x[i, M]
%!tadc base 1@%!tadc einstein@y_i = A_{ij} x_j     == base 1@einstein@y[i] = A[i, j] * x[j]
y_{ij} = x_{i+1 j}                                 == y[i, j] = x[i + 1, j]
y_i = x_{ii}^{2}                                   == y[i] = x[i, i]**2
y_i = x^{2}_{i}                                    == y[i] = x[i]**2
y_i = x_{12} x_0                                   == y[i] = x[12] * x[0]
y_i = x_12                                         == y[i] = x_1*2
y_i = x_{0i} + x_{1i}                              == y[i] = x[0, i] + x[1, i]
y_i = x_{2i+1} + x_{2 i}                           == y[i] = x[2*i + 1] + x[2*i]
y_i = x_{2i, 2j} z_{j}                             == y[i] = x[2*i, 2*j] * z[j]
y_i = x_{i(j+1)} z_j                               == y[i] = x[i, j + 1] * z[j]
y_i = x_{i\,j} z_j                                 == y[i] = x[i, j] * z[j]
y_i = x_{N-1-i}                                    == y[i] = x[N - 1 - i]
y_i = \sum_{k=0}^{K-1} x_{i+k} w_k                 == y[i] = sum{k=0..K-1} x[i+k]*w[k]
y_i = \sum^{K-1}_{k=0} x_{i+k} w_k                 == y[i] = sum{k=0..K-1} x[i+k]*w[k]
y_i = \sum\limits_{k=0}^4 x_k                      == y[i] = sum{k=0..4} x[k]
s = \sum_{i,j=1}^{n} a_{ij}                        == s = sum{i=1..n, j=1..n} a[i, j]
s = \sum_{kl} a_{kl}                               == s = sum{k, l} a[k, l]
y_i = \sum_{j \le i} a_j                           == y[i] = sum{j | j <= i} a[j]
y_i = \sum_{j \ne i} a_j                           == y[i] = sum{j | j != i} a[j]
y_i = \sum_{j \not= i} a_j                         == y[i] = sum{j | j != i} a[j]
s = \sum_{i<j} a_{ij}                              == s = sum{i, j | i < j} a[i, j]
y_i = \sum_{0 \le k < N} x_{i+k}                   == y[i] = sum{k=0..N - 1} x[i+k]
y_i = \sum_{3 \ge k > 0} x_{i+k}                   == y[i] = sum{k=0 + 1..3} x[i+k]
y_i = \sum_{k \mid k < i} x_k                      == y[i] = sum{k | k < i} x[k]
y_i = \sum_{k | k < i} x_k                         == y[i] = sum{k | k < i} x[k]
y_i = \sum_{k : k < i} x_k                         == y[i] = sum{k | k < i} x[k]
%!tadc base 0@y_i = \sum_{k,l \mid k < l, k+l = i} x_{kl}        == y[i] = sum{k, l | k < l and k+l = i} x[k, l]
y_i = \sum_{\substack{j \ne i \\ k < j}} a_{jk}    == y[i] = sum{j, k | j != i and k < j} a[j, k]
y_i = \sum_j a_{ij} \sum_{k<j} b_k                 == y[i] = sum{j} a[i, j] * sum{k | k < j} b[k]
y_i = \sum_{k_1 k_2} x_{k_1 k_2} a_i               == y[i] = sum{k_1, k_2} x[k_1, k_2] * a[i]
y_i = \prod_{k \ne i} \frac{x_k}{x_i}              == y[i] = prod{k | k != i} (x[k] / x[i])
y_i = \max_k a_{ik} - \min_k a_{ik}                == y[i] = max{k} a[i, k] - min{k} a[i, k]
y_i = \max(x_i, y_i) + \min\{x_i, 0\}              == y[i] = max(x[i], y[i]) + min(x[i], 0)
y_i = \arg\max_k a_{ik}                            == y[i] = argmax{k} a[i, k]
y_i = \operatorname*{arg\,min}_k a_{ik}            == y[i] = argmin{k} a[i, k]
y_i = \operatorname{mean}_k a_{ik}                 == y[i] = mean{k} a[i, k]
y_i = \sum_k -a_{ik} + 1                           == y[i] = (sum{k} -a[i, k]) + 1
y_i = a_i + \sum_k a_k + b_i                       == y[i] = a[i] + sum{k} a[k] + b[i]
y_i = a_i (b_i + c_i) d_i                          == y[i] = a[i] * (b[i] + c[i]) * d[i]
y_i = a_i \cdot b_i \times c_i \, d_i * 2          == y[i] = a[i] * b[i] * c[i] * d[i] * 2
y_i = \alpha (x_i + 1)                             == y[i] = alpha * (x[i] + 1)
y_i = -a_i b_i - (-c_i)                            == y[i] = -a[i] * b[i] - (-c[i])
y_i = \frac12 a_i + \tfrac{1}{2} b_i / c_i         == y[i] = (1/2) * a[i] + (1/2) * b[i] / c[i]
y_i = x_i^{-1} 10^{-3} \pi + .5                    == y[i] = x[i]**(-1) * 10**(-3) * pi + 0.5
y_i = x_i^2 + (x_i)^{2} + \left[x_i\right]^2       == y[i] = x[i]**2 + x[i]**2 + x[i]**2
%!tadc base 0@y_i = (-1)^i \alpha x_i^\alpha                       == y[i] = (-1)**i * alpha * x[i]**alpha
y_i = \sqrt{x_i} + \sqrt[3]{x_i} + \sqrt[4]z       == y[i] = sqrt(x[i]) + cbrt(x[i]) + z**(1/4)
y_i = \bigl( a_i \bigr) \Big[ b_i \Big] \{ c_i \}  == y[i] = a[i] * b[i] * c[i]
y_i = {a_i} {{b}_i}                                == y[i] = a[i] * b[i]
y_i = \left| x_i - |y_i| \right| + \lvert z \rvert == y[i] = abs(x[i] - abs(y[i])) + abs(z)
y_i = |x_i| |y_i|                                  == y[i] = abs(x[i]) * abs(y[i])
y_i = \log x_i^2 y_i + 1                           == y[i] = log(x[i]**2 * y[i]) + 1
y_i = \log(x_i)^2 \log\sin(x_i) z_i                == y[i] = log(x[i])**2 * log(sin(x[i])) * z[i]
y_i = \log x_i \sin y_i \cdot z_i                  == y[i] = log(x[i]) * sin(y[i]) * z[i]
y_i = \log x_i \, y_i                              == y[i] = log(x[i]) * y[i]
y_i = \sin 2\pi x_i                                == y[i] = sin(2*pi*x[i])
y_i = \ln\frac{x_i}{2} + \log|x_i| z_i             == y[i] = log(x[i]/2) + log(abs(x[i])) * z[i]
y_i = \sin^2 x_i + \cos^{-1}(x_i) + \log_2 x_i     == y[i] = sin(x[i])**2 + acos(x[i]) + log2(x[i])
y_i = \operatorname{relu}(x_i) + \mathrm{erf} x_i  == y[i] = relu(x[i]) + erf(x[i])
y_i = \operatorname{atan2}(a_i, b_i)               == y[i] = atan2(a[i], b[i])
y_i = \exp\left[-x_i\right] + \exp\{x_i\}          == y[i] = exp(-x[i]) + exp(x[i])
y_i = e^{x_i} + e^z                                == y[i] = exp(x[i]) + exp(z)
y_i = e_i^2 e_i                                    == y[i] = e[i]**2 * e[i]
% the sigmoid @ y_i = \sigma(x_i) + \sigma\left[ x_i \right] == y[i] = sigmoid(x[i]) + sigmoid(x[i])
y_i = \sigma_i x_i                                   == y[i] = sigma[i] * x[i]
y_i = \sigma x_i                                   == y[i] = sigma * x[i]
y_{ij} = \delta_{ij} x_i + \delta_{i,j+1}          == y[i, j] = delta(i, j) * x[i] + delta(i, j+1)
y_{i} = \delta_{i} x_i                             == y[i] = delta[i] * x[i]
y_{ij} = \mathbf{1}[i = j] + [i < j] x_i           == y[i, j] = [i = j] + [i < j] * x[i]
y_{ij} = \mathbb{1}_{i=j} + \mathbb{1}\{i<j,x>0\}  == y[i, j] = [i = j] + [i < j and x > 0]
%!tadc base 0@y_i = [i<3 \land \lnot (i = 1 \lor i \ge 2)]       == y[i] = [i < 3 and not (i = 1 or i >= 2)]
y_i = [0 \le i < N]                                == y[i] = [0 <= i < N]
y_i = x_{\lfloor i/2 \rfloor} + x_{i \bmod 3}      == y[i] = x[i // 2] + x[i % 3]
y_i = x_{\lfloor \frac{i+1}{M} \rfloor}            == y[i] = x[(i + 1) // M]
%!tadc base 0@y_i = \lfloor i/2 \rfloor + \lfloor x_i/2 \rfloor  == y[i] = i // 2 + floor(x[i] / 2)
y_i = x_{\lceil i/2 \rceil}                        == y[i] = x[-((-i) // 2)]
%!tadc base 0@y_i = -i \bmod 3                                   == y[i] = -i % 3
y_i = x_{\operatorname{pad}(i-1)}                  == y[i] = x[pad(i - 1)]
y_i = x_{\operatorname{pad}(i-1, -\infty)}         == y[i] = x[pad(i - 1, -inf)]
y_{i} = x_{i, \operatorname{wrap}(i+1)}            == y[i] = x[i, wrap(i + 1)]
y_i = x_{\max(i-1, 0)}                             == y[i] = x[max(i - 1, 0)]
y_i = \begin{cases} x_i & \text{if } x_i > 0, \\ 0 & \text{otherwise}. \end{cases} == y[i] = if x[i] > 0 then x[i] else 0
y_i = \begin{cases} x_i & x_i > 0 \\ 0 & x_i \le 0 \end{cases} == y[i] = if x[i] > 0 then x[i] else 0
y_i = \begin{cases} 1, & i=0, \\ 2, & i=1 \\ 3 \end{cases} == y[i] = if i = 0 then 1 else if i = 1 then 2 else 3
%!tadc base 0@y_i = \left\{ \begin{array}{ll} 1 & i < 3 \\ 2 & \text{else} \end{array} \right. == y[i] = if i < 3 then 1 else 2
\hat{x}_i = x'_i + x_i' + \bar{\mathbf{y}}_i       == x_hat[i] = x_prime[i] + x_prime[i] + y_bar[i]
y_i = x^{(1)}_i x_i^{(2)} + W^{\text{in}}_{i}      == y[i] = x_1[i] * x_2[i] + W_in[i]
\boldsymbol{\alpha}_i = \mathcal{L}_i \ell         == alpha[i] = L[i] * ell
\mathrm{loss} = \sum_i \mathrm{err\_1}_i^2         == loss = sum{i} err_1[i]**2
y_{\alpha} = \sum_\gamma A_{\alpha\gamma}          == y[alpha] = sum{gamma} A[alpha, gamma]
y_i := x_i                                         == y[i] = x[i]
y_i \coloneqq x_i                                  == y[i] = x[i]
y_i = x_i \quad \forall i                          == y[i] = x[i]
y_i = x_i \qquad\text{for all } i\,.               == y[i] = x[i]
y_{ij} = x_{ij}, \quad \forall i, j                == y[i, j] = x[i, j]
y_i = x_i, \quad \text{where } p_i > 0             == y[i] = x[i]
y_i = \, x_i \; + \! b ~ \label{a} \nonumber       == y[i] = x[i] + b
y_i = x_i % a comment = 3                          == y[i] = x[i]
y_i = x_i@  + b_i@z_i = y_i                        == y[i] = x[i] + b[i]@z[i] = y[i]
y_i = x_i \\ z_i = y_i                             == y[i] = x[i]@z[i] = y[i]
$y_i = x_i$                                        == y[i] = x[i]
"""


@pytest.mark.parametrize("line", SAME.strip().splitlines())
def test_a_formula_means_what_its_plain_spelling_says(line: str) -> None:
    formula, _, plain = line.replace("@", "\n").rpartition("==")

    read = parse_tex(Source(formula.strip()))

    assert definitions(read) == definitions(parse_idx(Source(plain.strip())))


def test_eulers_number_alone_is_exp_of_one() -> None:
    assert tex("y_i = x_i + e") == idx("y[i] = x[i] + exp(1)")


def test_the_example_of_the_paper_is_the_same_in_both_spellings() -> None:
    in_tex = parse_tex(Source((EXAMPLES / "paper.tex").read_text()))
    in_idx = parse_idx(Source((EXAMPLES / "paper.idx").read_text()))

    assert sexpr(without_arguments(in_tex)).replace("(shape", "(input") == sexpr(in_idx)
    (definition,) = [item for item in in_tex.items if isinstance(item, Definition)]
    assert [name.name for name in definition.arguments or ()] == ["a", "b", "c", "d"]


def test_the_example_of_the_paper_parses_as_a_bare_formula() -> None:
    formula = r"""f_{ij}(a,b,c,\boldsymbol{d})=
        \exp\left[-\sum_{k=0}^{4}\left((a_{ik}+b_{jk})^{2}\,c_{ii}+d_{i+k}^{3}\right)\right]\,,"""

    assert tex(formula) == idx(
        "f[i, j] = exp(-sum{k=0..4} ((a[i,k] + b[j,k])**2 * c[i,i] + d[i+k]**3))"
    )


@pytest.mark.parametrize(
    ("shape", "extents"),
    [
        (r"\mathbb{R}^{3 \times 5}", "(3 5)"),
        (r"\mathbb{R}^N", "(N)"),
        (r"\mathbb{R}", "()"),
        (r"\mathbb{R}^{n + 1 \times 2 m}", "((+ n 1) (* 2 m))"),
        (r"\mathbb{R}^{d_h \times d_{in}}", "(d_h d_in)"),
        (r"\mathbb{R}_{+}^{4}", "(4)"),
        ("ℝ^4", "(4)"),
    ],
)
def test_membership_in_the_reals_declares_a_shape(shape: str, extents: str) -> None:
    assert tex(rf"y_i = A_{{ij}}, \quad A \in {shape}").find(f"(shape A {extents})") > 0


def test_several_names_have_one_shape() -> None:
    assert tex(r"y_i = a_i b_i, \quad a, b \in \mathbb{R}^{3}").endswith(
        "(shape a (3)) (shape b (3))"
    )


def test_a_list_of_arguments_fixes_the_order_of_the_inputs() -> None:
    (definition,) = parse_tex(Source(r"f_{ij}(b; \mathbf{a}) = a_i b_j")).items

    assert isinstance(definition, Definition)
    assert [name.name for name in definition.arguments or ()] == ["b", "a"]


@pytest.mark.parametrize(
    ("formula", "pieces"),
    [
        (r"y_{i} = \sum_{k=0}^{4} a_{ik}", ["y", "i", r"\sum_{k=0}^{4} a_{ik}", "k=0", "a_{ik}"]),
        (r"\hat{y}_{ij} = x_{Mi+j}", [r"\hat{y}", "i", "j", "Mi+j"]),
    ],
)
def test_spans_point_into_the_file(formula: str, pieces: list[str]) -> None:
    source = Source(f"%!tadc size M\n\\[ {formula} \\]")
    found = set()
    todo: list[object] = list(parse_tex(source).items)
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo += node
        elif hasattr(node, "span"):
            found.add(node.span.text)
            todo += [getattr(node, name) for name in node.__slots__ if name != "span"]

    assert formula in found
    assert found.issuperset(pieces)


def test_a_reduction_with_an_interval_has_bounds() -> None:
    *_, definition = parse_tex(
        Source(r"%!tadc input x[N]" "\n" r"s = \sum_{0 \le k < N} x_k")
    ).items

    assert isinstance(definition, Definition) and isinstance(definition.body, Reduction)
    assert sexpr(definition.body.ranges) == "((.. k 0 (- N 1)))"


def test_shapes_in_prose_count_for_names_that_formulas_use() -> None:
    text = (
        r"Let $x \in \mathbb{R}^3$, $z \in \mathbb{R}^4$, \(y \in \mathbb{R}^{*}\). \[ y_i = x_i \]"
    )
    shapes = [i for i in parse_tex(Source(text)).items if isinstance(i, TensorDeclaration)]

    assert [shape.name.name for shape in shapes] == ["x"]


def test_the_grammar_has_no_conflict() -> None:
    pytest.importorskip("interegular", reason="lark needs it for strict grammars")
    from lark import Lark

    text = resource("grammar/tex.lark").read_text()
    Lark(text, parser="lalr", lexer="basic", start=["definition", "shape"], strict=True)


@pytest.mark.plain(formula=4)
@pytest.mark.parametrize(
    "formula",
    [
        lambda n: "y_i = " + "(" * n + "x_i" + ")" * n,
        lambda n: "y_i = " + "(" * n,
        lambda n: "y_i = x_i" + ")" * n,
        lambda n: "y_i = " + r"\left|" * n + "x_i" + r"\right|" * n,
        lambda n: "y_i = " + "x_{" * n + "i" + "}" * n,
        lambda n: "y_i = " + "x^{" * n + "i" + "}" * n,
        lambda n: "y_i = " + r"\frac{1}{" * n + "x_i" + "}" * n,
        lambda n: "y_i = " + r"\sum_k" * n + " x_k",
        lambda n: "y_i = " + r"\sum_{k<" * n + "2" + "} x_k" * n,
        lambda n: "y = " + r"\sum_{k<" * n + "x" + "}" * n,
        lambda n: "y_i = " + "x_i + " * n + "x_i",
        lambda n: "y_i = " + r"\hat" * n + " x",
        lambda n: r"y_i = \begin{cases}" + r"1 & i<2 \\ " * n + r"x_i \end{cases}",
        lambda n: r"\[ y_{i} = x_i + \] " * n,
        lambda n: r"\[ y_i = x_i" + ", a = b" * n + r"\]",
        lambda n: r"\[ y_i = x_i" + ", 3" * n + r"\]",
        lambda n: r"\[ y_i = x_i" + r"\quad + b" * n + r"\]",
        lambda n: "$" * 10 * n,
        lambda n: "\\" * 10 * n,
        lambda n: "y_i = " + r"\text{" * n,
    ],
    ids=lambda formula: f"{formula(9)[:12]}..{formula(9)[-6:]}",
)
def test_deep_and_long_texts_are_read_or_refused_in_linear_time(
    formula: Callable[[int], str],
) -> None:
    def seconds(depth: int) -> float:
        source, started = Source(formula(depth)), time.process_time()
        with suppress(SyntaxError):
            parse_tex(source)
        return time.process_time() - started

    assert seconds(10_000) < 8 * seconds(2_500) + 1  # what is quadratic takes 16 times as long


def test_a_source_has_at_most_256_kilobytes() -> None:
    with pytest.raises(SyntaxError, match="bytes"):
        parse_tex(Source("y_i = x_i" + " " * 256 * 1024))


PIECES = r"""\ { } ( ) [ ] | _ ^ & $ $$ = < , . ' % ² 0 e \left \right \frac \sum \max_k \\ \text{
    \begin{cases} \end{cases} \[ \] \mathbb{R}"""


def test_no_text_raises_anything_but_an_error_of_ours() -> None:
    chance = random.Random(20)
    texts = [line.rpartition("==")[0].replace("@", "\n") for line in SAME.strip().splitlines()]
    texts.append((EXAMPLES / "paper.tex").read_text())
    pieces = [*PIECES.split(), "\n\n", "\x00", "\ud800"]
    for _ in range(4000):
        text = chance.choice(texts)
        for _ in range(chance.randint(1, 4)):
            start = chance.randint(0, len(text))
            end = start + chance.choice([0, 0, 1, 2, 9])
            text = text[:start] + chance.choice([*pieces, ""]) + text[end:]
        try:
            parse_tex(Source(text))
        except Error as error:
            assert all(e.span is not None and e.fact and e.fix for e in error.errors), text
            assert str(error)
