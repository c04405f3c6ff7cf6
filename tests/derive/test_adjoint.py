"""Gradients where something is zero, tied, infinite or never read; outputs that are inputs; Jacobians."""

from __future__ import annotations

import numpy as np
import pytest
from programs import normal, run

from tadc.compiler import (
    adjoint_program,
    gradient_program,
    hvp_program,
    jacobian_program,
    tangent_program,
)
from tadc.ir.expr import Read, Reduce
from tadc.ir.walk import postorder
from tadc.printing.idx import program_text

inf, nan, e = np.inf, np.nan, np.e


def gradient(text, sizes=None, **arrays):
    """The adjoint by the first input, for cotangents of 1."""
    program = normal(text)
    first = program.inputs[0].name
    adjoint = adjoint_program(program, [first])
    values = run(program, arrays, sizes)
    names = [t.name for t in adjoint.inputs[len(program.inputs) :]]
    ones = {n: np.ones_like(values[f]) for n, f in zip(names, program.outputs, strict=True)}
    (found,) = run(adjoint, {**arrays, **ones}, sizes).values()
    return found


# fmt: off
UNREAD = [
    # text                                                               sizes        inputs                        gradient
    ("size N, M\ninput x[M], y[N]\nt[i] = exp(1/x[i])\nu[i] = t[i]*t[i]\nf = u[N]",
                                                                         {},          {"x": [0, 1, 0], "y": [1]},   [0, -2*np.exp(2), 0]),
    ("size N\ninput x[], y[N]\nt = exp(1/x)\nu = t*t\nf[i: N] = if i >= 5 then u else 0",
                                                                         {},          {"x": 0, "y": [1, 2, 3]},     0),
    ("size N, M\ninput x[N], y[M]\nt[i] = 1/x[i]\nu[i] = t[i]*t[i]\nf[i] = sum{j=1..M-1} u[i]*y[j]",
                                                                         {},          {"x": [0, 1], "y": [1]},      [0, 0]),
    ("size M\ninput x[3]\nt[i] = 1/x[i]\nu[i] = t[i]*t[i]\nf[i] = if M = 2 then u[i] else 0",
                                                                         {"M": 1},    {"x": [0, 1, 2]},             [0, 0, 0]),
    ("input x[3]\nt[i] = 1/x[i]\nu[i] = t[i]*t[i]\nf[i: 2] = u[i]",      {},          {"x": [1, 2, 0]},             [-2, -1/4, 0]),
    ("input x[3]\nt[i] = 1/x[i]\nu[i] = t[i]*t[i]\nf[i: 2] = u[2*i]",    {},          {"x": [1, 0, 2]},             [-2, 0, -1/4]),
    ("input x[2, 2]\nt[i, j] = 1/x[i, j]\nu[i, j] = t[i, j]*t[i, j]\nf[i] = u[i, i]",
                                                                         {},          {"x": [[1, 0], [0, 2]]},      [[-2, 0], [0, -1/4]]),
    ("input x[2]\nt[i] = 1/x[i]\nu[i] = t[i]*t[i]\nf = sum{i, j: 2 | j < i} u[i]",
                                                                         {},          {"x": [0, 2]},                [0, -1/4]),
]

SINGULAR = [
    # text                                                      x                 gradient
    ("f = prod{i} x[i]",                                        [2, 3, 4],        [12, 8, 6]),
    ("f = prod{i} x[i]",                                        [0, 3, 4],        [12, 0, 0]),
    ("f = prod{i} x[i]",                                        [0, 0, 4],        [0, 0, 0]),
    ("f = prod{i, j: 2} x[i]",                                  [1, 2, 3],        [72, 36, 24]),
    ("f = prod{i} (x[i] + prod{j} x[j])",                       [0, 0, 2],        [0, 0, 0]),
    ("f = max{i} x[i]",                                         [2, 2, 1],        [1/2, 1/2, 0]),
    ("f = min{i} x[i]",                                         [1, 1, 1],        [1/3, 1/3, 1/3]),
    ("f = max{i, j: 2} x[i]",                                   [2, 2, 1],        [1/2, 1/2, 0]),
    ("f = max{i, j: 3} x[i]*x[j]",                              [2, 2, 1],        [2, 2, 0]),
    ("f = max{i | x[i] < 2} x[i]",                              [2, 2, 1],        [0, 0, 1]),
    ("f = max{i | i > 5} x[i]",                                 [2, 2, 1],        [0, 0, 0]),
    ("f = max(x[0], x[1])",                                     [2, 2, 3],        [1/2, 1/2, 0]),
    ("f = sum{i} max(x[i], x[i])",                              [2, 2, 3],        [1, 1, 1]),
    ("f = sum{i} max(x[i], x[2-i])",                            [1, 0, 0],        [2, 1, 0]),
    ("f = logsumexp{i} x[i]",                                   [1e4, 1e4, -1e4], [1/2, 1/2, 0]),
    ("f = logsumexp{i} x[i]",                                   [-inf] * 3,       [0, 0, 0]),
    ("f = logsumexp{i} x[i]",                                   [-inf, 0, -inf],  [0, 1, 0]),
    ("f = logsumexp{i} x[i]",                                   [1, inf, 1e9],    [0, 1, 0]),
    ("f = logsumexp{i} x[i]",                                   [inf, 1, inf],    [nan, 0, nan]),
    ("f = logsumexp{i | x[i] < 9} x[i]",                        [inf, 1, 2],      [0, 1/(1 + e), e/(1 + e)]),
    ("f = argmax{i} x[i]",                                      [1, 2, 3],        [0, 0, 0]),
    ("f = sum{i} x[i]*argmin{j} x[j]",                          [3, 2, 1],        [2, 2, 2]),
    ("f = mean{i | x[i] > 1} x[i]",                             [1, 2, 3],        [0, 1/2, 1/2]),
    ("f = sum{i} x[i]**i",                                      [0, 0, 0],        [0, 1, 0]),
    ("f = sum{i} x[i]**(i-1)",                                  [2, 0, 0],        [-1/4, 0, 1]),
    ("f = abs(x[0]) + relu(x[1]) + sign(x[2])",                 [0, 0, 0],        [0, 0, 0]),
    ("f = hypot(x[0], x[1]) + atan2(x[1], x[2])",               [0, 0, 0],        [0, 0, 0]),
    ("f = gate(x[0], 1/x[1])",                                  [0, 0, 1],        [inf, 0, 0]),
    ("f = sum{i} (if x[i] > 0 then log(x[i]) else x[i])",       [0, 1, 2],        [1, 1, 1/2]),
    ("f = prod{i | x[i] > 1} log(x[i])",                        [0, 3, 2],        [0, np.log(2)/3, np.log(3)/2]),
    ("t[i] = sqrt(x[i])\nf = prod{i | x[i] > 0} t[i]",          [0, 4, 9],        [0, 3/4, 1/3]),
    ("t[i] = sqrt(x[i])\nf = max{i | x[i] >= 0} t[i]",          [-1, 4, 9],       [0, 0, 1/6]),
    ("t[i] = sqrt(x[i])\nf = logsumexp{i | x[i] > 0} t[i]",     [-1, 4, 0],       [0, 1/4, 0]),
    ("t[i] = log(x[i])\nf = sum{i} (if x[i] > 0 then t[i]*t[i] else 0)", [0, 1, -1], [0, 0, 0]),
]
# fmt: on


@pytest.mark.parametrize(("text", "sizes", "arrays", "expected"), UNREAD)
def test_elements_that_nobody_reads_contribute_nothing_where_a_partial_is_infinite(
    text, sizes, arrays, expected
):
    np.testing.assert_allclose(gradient(text, sizes, **arrays), expected)


@pytest.mark.parametrize(("text", "x", "expected"), SINGULAR)
def test_zeros_ties_and_branches(text, x, expected):
    np.testing.assert_allclose(gradient(f"input x[3]\n{text}", x=x), expected)


@pytest.mark.parametrize(("text", "x", "expected"), SINGULAR)
def test_the_tangent_is_the_adjoint_turned_round(text, x, expected):
    if not np.isfinite(expected).all():
        pytest.skip("an infinite derivative")
    program = normal(f"input x[3]\n{text}")
    tangent = tangent_program(program, ["x"])
    columns = [run(tangent, {"x": x, "dx": e})["df"] for e in np.eye(3)]

    np.testing.assert_allclose(columns, expected)


def test_matrix_products_stay_plain():
    program = normal("size N, K, M\ninput a[N, K], b[K, M]\nf[i, j] = sum{k} a[i, k]*b[k, j]")

    assert "gate" not in program_text(adjoint_program(program, ["a", "b"]))


def test_a_sum_of_two_statements_read_to_the_last_element_stays_plain():
    text = "size N\ninput x[N]\nt[i] = x[i]*x[i]\nu[i] = t[i]*t[i]\nf = sum{i, j: N | j <= i} u[i]"

    assert "gate" not in program_text(adjoint_program(normal(text), ["x"]))


def test_an_output_may_be_an_input_and_be_read():
    program = normal("input x[2]\noutput x, f, g\nf[i] = x[i]**2\ng = sum{i} f[i]*x[i]")
    adjoint = adjoint_program(program, ["x"])
    assert [t.name for t in adjoint.inputs] == ["x", "dx", "df", "dg"]
    assert adjoint.outputs == ("dx_",)

    found = run(adjoint, {"x": [2, 3], "dx": [10, 20], "df": [1, 1], "dg": 1})["dx_"]
    np.testing.assert_allclose(found, [10 + 4 + 12, 20 + 6 + 27])

    tangent = tangent_program(program, ["x"])
    changes = run(tangent, {"x": [2, 3], "dx": [1, 0]})
    np.testing.assert_allclose(changes[tangent.outputs[0]], [1, 0])
    np.testing.assert_allclose(changes[tangent.outputs[1]], [4, 0])
    np.testing.assert_allclose(changes[tangent.outputs[2]], 12)


def test_an_unused_input_has_the_gradient_zero():
    program = normal("size N\ninput x[N], y[N, 2]\nf = sum{i} x[i]")
    adjoint = adjoint_program(program, ["y", "x"])

    found = run(adjoint, {"x": np.ones(3), "y": np.ones((3, 2)), "df": 5})

    assert adjoint.outputs == ("dy", "dx")
    np.testing.assert_array_equal(found["dy"], np.zeros((3, 2)))
    np.testing.assert_array_equal(found["dx"], np.full(3, 5))


def test_names_of_derivatives_give_way_to_those_of_the_program():
    text = "size dx\ninput x[dx], df[dx]\nf[dt: dx] = x[dt]*df[dt]"
    adjoint = adjoint_program(normal(text), ["x", "df"])

    assert [t.name for t in adjoint.inputs] == ["x", "df", "df_"]
    found = run(adjoint, {"x": [2, 3], "df": [5, 7], "df_": [1, 10]})
    np.testing.assert_allclose(found[adjoint.outputs[0]], [5, 70])
    np.testing.assert_allclose(found[adjoint.outputs[1]], [2, 30])


# ---- Jacobians and Hessians


def test_the_jacobian_of_an_elementwise_function_has_a_guard_instead_of_a_sum():
    jacobian = jacobian_program(normal("size N\ninput x[N]\nf[i] = exp(x[i])"), "x", "J")

    assert not any(isinstance(e, Reduce) for s in jacobian.statements for e in postorder(s.body))
    np.testing.assert_allclose(run(jacobian, {"x": [0, 1]})["J"], np.diag(np.exp([0, 1])))


JACOBIANS = [
    "input x[3]\nt = prod{i} x[i]\nf[i: 2] = t*x[i + 1]**2",
    "input x[4]\nf[i: 2, j: 2] = x[i + j]*x[3 - i] + x[2*i + j]",
    "input x[2, 2]\nf[j, i] = sum{k} x[i, k]*x[k, j]",
    "input x[3]\nm = max{i} x[i]\nf[i] = exp(x[i] - m)/sum{j} exp(x[j] - m)",
    "input x[5]\nf[i: 4] = x[(3*i) % 5]*x[i // 2] + sum{k=0..i} x[k]",
    "input x[]\nf[i: 3] = x**i",
    "input x[3]\nf = sum{i, j: 3 | i < j} x[i]**2*x[j]",
]


@pytest.mark.parametrize("text", JACOBIANS)
def test_a_jacobian_has_the_columns_of_finite_differences(text):
    program = normal(text)
    (x_,) = program.inputs
    shape = [n.constant for n in x_.shape]
    x = np.random.default_rng(1).uniform(0.5, 2, shape)
    found = run(jacobian_program(program, "x", "J"), {"x": x})["J"]

    h = 1e-5
    for place in np.ndindex(*shape):
        e = np.zeros(shape)
        e[place] = h
        ends = [run(program, {"x": x + sign * e})["f"] for sign in (1, -1)]
        column = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(found[(..., *place)], column, rtol=1e-7, atol=1e-7)


HESSIANS = [
    "input x[3]\nf = prod{i} x[i]**2",
    "input x[3]\nf = logsumexp{i} x[i]*x[2 - i]",
    "input x[4]\nf = sum{i: 3} sin(x[i]*x[i + 1])",
    "input x[4]\nt[i: 3] = x[i] - x[i + 1]\nf = max{i} t[i]**2",
    "input x[4]\nt[i: 2] = exp(x[2*i])\nf = sum{i, j: 2} t[i]*x[i + 2*j]",
]


@pytest.mark.parametrize("text", HESSIANS)
def test_a_hessian_is_symmetric_and_its_products_are_those_of_hvp(text):
    program = normal(text)
    size = program.inputs[0].shape[0].constant
    x = np.random.default_rng(2).uniform(0.5, 1.5, size)
    g = gradient_program(program, ["x"])
    hessian = run(jacobian_program(g, "x", "H"), {"x": x})["H"]
    hvp = hvp_program(program, ["x"])
    (direction,) = (t.name for t in hvp.inputs[1:])
    products = [list(run(hvp, {"x": x, direction: e}).values())[-1] for e in np.eye(size)]

    np.testing.assert_allclose(hessian, hessian.T, atol=1e-12)
    np.testing.assert_allclose(hessian, products, atol=1e-12)
    h = 1e-5
    ends = [[run(g, {"x": x + s * h * e})["dx"] for e in np.eye(size)] for s in (1, -1)]
    np.testing.assert_allclose(hessian, (np.array(ends[0]) - ends[1]) / (2 * h), atol=1e-5)


def test_the_second_derivative_of_a_product_is_right_with_zeros():
    g = gradient_program(normal("input x[4]\nf = prod{i} x[i]"), ["x"])

    hessian = run(jacobian_program(g, "x", "H"), {"x": [0, 0, 3, 5]})["H"]

    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = 15
    np.testing.assert_array_equal(hessian, expected)


def test_a_third_derivative():
    program = normal("input x[3]\nf = sum{i} x[i]**3*x[2 - i]")
    for _ in range(3):
        program = gradient_of_sum(program)

    # (a^3 c + b^4 + c^3 a), derived by the sum of all directions three times
    a, b, c = 1.5, 2.0, 0.5
    third = 6 * c + 3 * 6 * a + 24 * b + 6 * a + 3 * 6 * c
    np.testing.assert_allclose(next(iter(run(program, {"x": [a, b, c]}).values())).sum(), third)


def gradient_of_sum(program):
    """The gradient of the sum of the outputs of a program of one output, as a program of one output."""
    return gradient_program(summed(program), ["x"])


def summed(program):
    (f,) = program.outputs
    rank = len(program.tensors[f].shape)
    if not rank:
        return program
    text = program_text(program).replace(f"output {f}", "output total")
    return normal(f"{text}\ntotal = sum{{i}} {f}[i]")


def test_every_read_of_a_derivative_names_an_input_or_an_earlier_statement():
    program = normal("input x[3]\noutput x, f, t\nt[i] = x[i]**2\nf = max{i} t[i]*x[2 - i]")
    for derived in (adjoint_program(program, ["x"]), tangent_program(program, ["x"])):
        known = {t.name for t in derived.inputs}
        for s in derived.statements:
            assert {e.tensor for e in postorder(s.body) if isinstance(e, Read)} <= known
            assert s.target.name not in known
            known.add(s.target.name)
        assert known.issuperset(derived.outputs)
