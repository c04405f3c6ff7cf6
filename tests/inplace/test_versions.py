"""Programs that work in place: every program is run by the interpreter, numpy and native code."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

RED_BLACK = """size N, T
state u[N]
input r
repeat T {
  u[i | i % 2 = 0] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)])
  u[i | i % 2 = 1] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)])
}"""

# name: text, inputs, sizes, outputs
PROGRAMS = {
    "old values": (
        "state x[4]; x[i] <- x[i] + 2*x[pad(i-1)]",
        [[1, 0, 0, 0]],
        {},
        [[1, 2, 0, 0]],
    ),
    "a recurrence": (
        "state x[4]; repeat i = 1..3 { x[i] <- x[i] + 2*x[i-1] }",
        [[1, 0, 0, 0]],
        {},
        [[1, 2, 4, 8]],
    ),
    "a recurrence downwards": (
        "state x[4]; repeat down i = 0..2 { x[i] <- x[i] + 2*x[i+1] }",
        [[0, 0, 0, 1]],
        {},
        [[8, 4, 2, 1]],
    ),
    "chain": (
        "state x[2]; x[i] <- x[i]**2 + 1; x[i] <- 3*x[i]",
        [[1, 2]],
        {},
        [[6, 15]],
    ),
    "coupling": ("state a, b; b <- b*(1 + a**2) + a", [2, 3], {}, [2, 17]),
    "leapfrog": (
        "state q, p; p <- p - q/2; q <- q + p; p <- p - q/2",
        [1, 0],
        {},
        [0.5, -0.75],
    ),
    "a step": ("state x, v; step { x <- x + v/2; v <- v - x/2 }", [1, 0], {}, [1, -0.5]),
    "a sequence": ("state x, v; x <- x + v/2; v <- v - x/2", [1, 0], {}, [1, -0.5]),
    "a swap": (
        "state x[2], v[2]; step { x[i] <- v[i]; v[i] <- x[i] }",
        [[1, 2], [3, 4]],
        {},
        [[3, 4], [1, 2]],
    ),
    "a part": (
        "state x[4]; x[i | 1 <= i and i <= 2] <- 2*x[i] + x[i+1]",
        [[1, 1, 1, 1]],
        {},
        [[1, 3, 3, 1]],
    ),
    "two parts in one step": (
        "state x[4]; step { x[i | i < 2] <- 2*x[i+2]; x[k | k >= 2] <- 3*x[k-2] }",
        [[1, 2, 3, 4]],
        {},
        [[6, 8, 3, 6]],
    ),
    "red and black": (RED_BLACK, [[1, 1, 1, 1], 0.25], {"T": 1}, [[0.75, 0.9375, 1, 0.75]]),
    "no round": (RED_BLACK, [[1, 2, 3, 4], 0.25], {"T": 0}, [[1, 2, 3, 4]]),
    "no element": (RED_BLACK, [[], 0.25], {"T": 3}, [[]]),
    "a row of a matrix": (
        "state x[3, 2]; input w[3]; repeat t: 3 { x[t, j] <- w[t]*x[t, j] + t }",
        [[[1, 1], [1, 1], [1, 1]], [1, 2, 3]],
        {},
        [[[1, 1], [3, 3], [5, 5]]],
    ),
    "local definitions": (
        "state x, y; step { t = x + y; x <- 2*t; y <- t*x }; repeat 2 { t = x; x <- t + y }; z = x - y",
        [1, 2],
        {},
        [12, 3, 9],
    ),
    "nested loops": (
        "state s; repeat i = 1..3 { repeat j: i { s <- 2*s + j } }",
        [0],
        {},
        [12],
    ),
    "an index that counts from 1": (
        "base 1; state x[3]; repeat t: 3 { x[t] <- t*x[t] }",
        [[1, 1, 1]],
        {},
        [[1, 2, 3]],
    ),
    "an index that hides the loop's": (
        "state x; input w[3]; repeat i: 2 { x <- x + i*sum{i} w[i] }",
        [0, [1, 2, 3]],
        {},
        [6],
    ),
}


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.plain(backend=2)
def test_values_of_programs_that_work_in_place(name, backend):
    text, inputs, sizes, expected = PROGRAMS[name]
    f = tadc.compile(text, backend=backend)

    results = f(*(np.asarray(a, float) for a in inputs), **sizes)

    for result, value in zip(results if len(f.outputs) > 1 else [results], expected, strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-14)


def test_the_jacobian_of_red_and_black():
    f = tadc.compile(RED_BLACK, backend="numpy", sizes={"T": 1})

    jacobian = f.jacobian("u")(np.ones(4), 0.25)

    np.testing.assert_allclose(jacobian[1], [1 / 8, 5 / 8, 1 / 8, 1 / 16])
    np.testing.assert_allclose(np.linalg.det(jacobian), 1 / 16)


def test_adjoint_and_tangent_of_a_loop_are_transposes():
    f = tadc.compile(RED_BLACK, backend="numpy")
    random = np.random.default_rng(0)
    u, v, w = random.standard_normal((3, 7))

    _, pullback = f.vjp(u, 0.3, T=3)
    _, change = f.jvp({"u": u, "r": 0.3, "T": 3}, {"u": v})

    np.testing.assert_allclose(w @ change, pullback(w)["u"] @ v)


def test_the_text_of_a_program_with_open_rounds_reads_back():
    f = tadc.compile(RED_BLACK)

    again = tadc.compile(str(f))

    assert str(again) == str(f)
    assert again.inputs == ("u", "r") and again.outputs == ("u_",)


ERRORS = {
    "state x[4]; x[i+1] <- 2": (tadc.SyntaxError, "no bare index"),
    "state x[4, 4]; x[i, i] <- 2": (tadc.SyntaxError, "stands twice"),
    "state x[4]; x[i: 4] <- 2": (tadc.SyntaxError, "whole dimension"),
    "state x[4]; x[i | x[i] > 0] <- 1": (tadc.SyntaxError, "not about values"),
    "state x[4]; x[i, j] <- 1": (tadc.ShapeError, "2 subscripts"),
    "state x[4], x[3]; x[i] <- 1": (tadc.SyntaxError, "declared twice"),
    "state x; step { x <- 1; x <- 2 }": (tadc.RangeError, "twice in one step"),
    "state x; step { repeat 2 { x <- 1 } }": (tadc.SyntaxError, "updates and definitions alone"),
    "state x; repeat 2 { size N }": (tadc.SyntaxError, "declaration"),
    "state x; repeat 2 { x <- 1": (tadc.SyntaxError, "never closed"),
    "state x; repeat 2 { t = x; x <- t }; y = t": (tadc.SyntaxError, "local"),
    "state x; repeat 2 { t = x; t = x }": (tadc.SyntaxError, "defined already"),
    "state x; repeat 2.5 { x <- 2*x }": (tadc.SyntaxError, "integers"),
    "size N; state x; repeat N: 2 { x <- 2*x }": (tadc.SyntaxError, "is a size"),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_say_what_and_where(text):
    error, words = ERRORS[text]

    with pytest.raises(error, match=words) as caught:
        tadc.compile(text)

    assert caught.value.span is not None
    assert caught.value.fix


def test_an_element_that_two_updates_of_a_step_share_is_named():
    text = "size N; state x[N]; step { x[i | i < 3] <- 1; x[i | i > 1] <- 2 }"
    f = tadc.compile(text)

    with pytest.raises(tadc.RangeError, match=r"`x\[2\]` is updated by this"):
        f(np.zeros(5))
    np.testing.assert_array_equal(f(np.zeros(2)), [1, 1])


# What loops that run round by round cannot do, and what is said where a member needs the program written out.
LONG = {
    "an index that is a factor": (lambda: tadc.compile("size N; state x[N]; input w[9]; repeat t: 999 { x[i] <- x[i] + w[pad(t*i)] }")(np.ones(2), np.ones(9)), "`t` multiplies or divides", 70),
    "an index below 0": (lambda: tadc.compile("state x; repeat t = -1..999 { x <- x + t }")(1.0), "`t` is -1", 10),
    "a plan": (lambda: tadc.compile("state x; repeat 999 { x <- x/2 }").plan(), "`plan` needs a program that is written out", 10),
    "an array to write to": (lambda: tadc.compile("state x; repeat 999 { x <- x/2 }")(1.0, out=np.ones(())), "`out` is not for long loops", None),
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_what_long_loops_cannot_do_is_an_error(name):
    call, words, column = LONG[name]

    with pytest.raises(tadc.BackendError, match=words) as caught:
        call()

    assert caught.value.fix
    assert column is None or caught.value.span.column == column


def test_long_loops_take_sizes_of_inner_loops_from_the_call():
    f = tadc.compile(
        "size N; state x[N]; repeat 300 { repeat k = 1..N-1 { x[k] <- x[k]/2 + x[k-1] } }",
        backend="numpy",
    )

    np.testing.assert_array_equal(f(np.ones(1)), [1])  # the inner loop has no rounds
    np.testing.assert_allclose(f(np.ones(3)), [1, 2, 4])
