"""What is printed is the same program, and is printed again as the same text."""

import numpy as np
import pytest
from programs import normal, run

import tadc
from tadc.compiler import adjoint_program, tangent_program
from tadc.ir.affine import symbol
from tadc.ir.domain import Derived, Domain, between, divides
from tadc.ir.expr import Comparison, Const, IndexValue, Read, Reduce, Select, call
from tadc.printing.idx import expression_text, program_text

a, b, c = (Read(name, ()) for name in "abc")
i, k, q = map(symbol, "ikq")


def sum_of(body, *conditions, derived=()):
    return Reduce("sum", ("k",), derived, Domain.of([*between(0, k, 4), *conditions]), body)


x = Read("x", (k,))


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (a + b + c, "a + b + c"),
        (a + (b + c), "a + (b + c)"),
        (a - (b - c), "a - (b - c)"),
        (a - b * c, "a - b*c"),
        ((a - b) * c, "(a - b)*c"),
        (a / (b * c), "a/(b*c)"),
        (a * (b / c), "a*(b/c)"),
        (a**b**c, "a**b**c"),
        ((a**b) ** c, "(a**b)**c"),
        ((-a) ** 2, "(-a)**2"),
        (-(a**2), "-a**2"),
        (a**-b, "a**-b"),
        (Const(-1) * a, "-1*a"),
        (a * Const(-1.5), "a*-1.5"),
        (-(a + b), "-(a + b)"),
        (call("neg", -a), "--a"),
        (a - -b, "a - -b"),
        (IndexValue(i + 1) * a, "(i + 1)*a"),
        (a * IndexValue(-i), "a*-i"),
        (IndexValue(2 * i) ** 2, "(2*i)**2"),
        (call("exp", a) ** 2, "exp(a)**2"),
        (call("atan2", a + 1, b), "atan2(a + 1, b)"),
        (sum_of(x) + a, "sum{k=0..4} x[k] + a"),
        (a * sum_of(x), "a*(sum{k=0..4} x[k])"),
        (sum_of(x * a), "sum{k=0..4} x[k]*a"),
        (sum_of(x + a), "sum{k=0..4} (x[k] + a)"),
        (-sum_of(x), "-sum{k=0..4} x[k]"),
        (Select(Comparison("<", a, b), a, b) * c, "(if a < b then a else b)*c"),
        (Select(Domain.of(between(0, i, 2)), a, b), "if i <= 2 and 0 <= i then a else b"),
        (sum_of(x, divides(2, k)), "sum{k=0..4 | k % 2 = 0} x[k]"),
        (
            sum_of(Read("x", (q,)), derived=(Derived("q", k + i, 2),)),
            "sum{k=0..4} x[(i + k) // 2]",
        ),
        (
            sum_of(Read("x", (k - 2 * q,)), derived=(Derived("q", k, 2),)),
            "sum{k=0..4} x[k - 2*(k // 2)]",
        ),
    ],
    ids=lambda e: e.replace(" ", "") if isinstance(e, str) else "",
)
def test_parentheses_stand_where_they_must_and_only_there(e, text):
    assert expression_text(e) == text


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), 1e300, 5e-324])
def test_every_constant_is_read_back(value):
    program = normal("y = 1")
    changed = normal(program_text(program).replace("y = 1", f"y = {expression_text(Const(value))}"))

    assert np.array_equal(run(changed, {})["y"], value, equal_nan=True)


PROGRAMS = {
    "paper": (
        "input a[3, 5], b[4, 5], c[3, 3], d[8]\n"
        "f[i, j] = exp(-sum{k=0..4} ((a[i,k] + b[j,k])**2 * c[i,i] + d[i+k]**3))"
    ),
    "floor": "input x[3]\ny[i: 6] = x[i // 2] * x[i % 3]",
    "floor in a sum": "input x[4]\ny[i: 3] = sum{k: 4} x[(i + k) // 2]",
    "sizes": "size N\nsize P = (N + 1) // 2\ninput x[N]\ny[i: P] = x[2*i]",
    "smaller of two": "input x[6], w[5]\ny[i] = x[2*i] * w[i + 1]",
    "conditions": "y[i: 5] = sum{k | k < i or k = 4} x[k] * [(i + k) % 3 != 1]",
    "pad": "input x[5]\ny[i: 7] = x[pad(i - 1)] + x[pad(2*i, -inf)]",
    "clamp in two dimensions": "size N\ninput x[N, N]\ny[i: N, j: N] = x[clamp(i-1), clamp(j+1)]",
    "wrap of a size": "size N\ninput x[N], w[5]\ny = w[wrap(N + 4)]",
    "mirrors": "input x[4]\ny[i: 12] = x[reflect(i - 4)] * x[symmetric(i - 4)]",
    "bounds": "input x[9]\ny[i: 5] = sum{k=max(0, i-1)..min(4, i+1), l=k..2*k} x[l]",
    "intermediate": "t[i] = sqrt(x[i])\ny[i] = if x[i] > 0 then t[i] else 0",
    "scalar": "l = sum{i} x[i]**2",
    "constants": "y[i: 3] = i*pi - 1e-3",
    "hidden index": "y = sum{k} x[k] * sum{k} z[k]",
    "input is an output": "input x[3]\noutput x, y\ny = x[0]",
    "declared only": "input u[2], x[3]\ny = x[0]",
    "types": "input x[3]: float64\ny[i]: float32 = x[i]",
    "words of Python": "lambda[for] = if_[for]*None_",
    "other scripts": "ψ[α] = Σ[α] * ñ",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("mode", ["primal", "adjoint", "tangent"])
def test_a_printed_program_is_printed_again_as_the_same_text(text, mode):
    program = normal(text)
    if mode != "primal" and not program.inputs:
        pytest.skip("there is nothing to derive by")
    if mode != "primal":
        derive = adjoint_program if mode == "adjoint" else tangent_program
        program = derive(program, [t.name for t in program.inputs])

    printed = program_text(program)
    again = normal(printed)

    assert program_text(again) == printed
    assert [t.name for t in again.inputs] == [t.name for t in program.inputs]
    assert again.outputs == program.outputs


def test_a_border_of_two_dimensions_is_read_back():
    text = "size N\ninput x[N, N]\ny[i: N, j: N] = x[clamp(i-1), wrap(j+1)]"
    twice = (
        "size N\ninput x[N, N]\ny[i: N, j: N] = sum{r: 3, s: 3} x[clamp(i+r-1), symmetric(j+s-1)]"
    )

    for program in map(normal, (text, twice)):
        assert program_text(normal(program_text(program))) == program_text(program)


def test_a_formula_whose_shared_parts_would_make_it_endless_is_an_error():
    # Every sine is shared by the derivatives of all that are inside it.
    f = tadc.compile("input x[3]\ny[i] = " + "sin(" * 1000 + "x[i]" + ")" * 1000)

    with pytest.raises(tadc.Error, match=r"different parts, but .* written out"):
        str(f.adjoint())
    with pytest.raises(tadc.Error, match="different parts"):
        f.adjoint().source("latex")
    assert "sin" in f.adjoint().source("cuda")


def test_an_index_that_is_called_like_a_word_of_expressions_prints_as_valid_input():
    f = tadc.compile("y[if_, not_] = x[if_, not_]*2")

    assert str(tadc.compile(str(f))) == str(f)
