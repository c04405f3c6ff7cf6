"""Inverse modes as programs: held against the modes themselves, derived again, run on every target."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

FLOW = """size B, N
state a[B, N], b[B, N]
input w[2, N, N], h[2, N]
s[m, i: N] = h[0, i]*tanh(sum{j} w[0, i, j]*a[m, j])
b[m, i] <- b[m, i]*exp(s[m, i]) + a[m, i]
b[m, i] <- b[m, N-1-i]
t[m, i: N] = h[1, i]*tanh(sum{j} w[1, i, j]*b[m, j])
a[m, i] <- a[m, i]*exp(t[m, i]) - b[m, i]"""
COUPLING = FLOW.replace("b[m, i] <- b[m, N-1-i]\n", "")
B, N = 3, 2


def point(seed=0):
    rng = np.random.default_rng(seed)
    a, b, v, w = rng.standard_normal((4, B, N))
    weights = rng.standard_normal((2, N, N)), rng.standard_normal((2, N))
    return (a, b, *weights), (v, w)


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.plain(backend=2)
def test_programs_have_the_values_of_the_modes(backend):
    f = tadc.compile(FLOW, backend=backend)
    arrays, vectors = point()

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        program = mode.function(B=B, N=N)
        assert program.outputs == (("da", "db") if "tangent" in mode.mode else ("da_", "db_"))
        for a, b in zip(program(*arrays, *vectors), mode(*arrays, *vectors), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)
    np.testing.assert_allclose(f.logdet().function(B=B, N=N)(*arrays), f.logdet()(*arrays))


def test_inverse_modes_are_derived_again():
    f = tadc.compile(COUPLING, backend="numpy", sizes={"B": B, "N": N})
    arrays, vectors = point()
    mode = f.inverse_tangent()
    rng = np.random.default_rng(1)
    direction, cotangent = rng.standard_normal((2, B, N))
    eps = 1e-6

    _, change = mode.function().jvp(
        dict(zip(mode.function().inputs, (*arrays, *vectors), strict=True)), {"a": direction}
    )
    moved = (mode(arrays[0] + s * eps * direction, *arrays[1:], *vectors)[0] for s in (1, -1))
    up, down = moved

    np.testing.assert_allclose(change[0], (up - down) / (2 * eps), rtol=1e-6, atol=1e-8)
    gradients = mode.function().adjoint("a")(*arrays, *vectors, cotangent, np.zeros((B, N)))
    np.testing.assert_allclose((gradients * direction).sum(), (change[0] * cotangent).sum())


def test_a_flow_with_a_permutation_is_trained_by_the_gradient_of_its_determinant():
    f = tadc.compile(FLOW, backend="numpy", sizes={"B": B, "N": N})
    loss = f.logdet().function()
    (a, b, w, h), _ = point()
    gradient = loss.gradient("w")(a, b, w, h)

    def at(step):
        return f.logdet()(a, b, w + step * gradient, h)

    np.testing.assert_allclose((at(1e-6) - at(-1e-6)) / 2e-6, (gradient**2).sum(), rtol=1e-6)
    assert at(0.05) > at(0.0)


def test_the_rows_that_a_partial_update_keeps_have_the_determinant_one():
    f = tadc.compile("state u[6]; repeat 2 { u[i | i % 2 = 0] <- u[i]*(2 + u[i+1]) }")
    u = np.linspace(0.1, 0.6, 6)

    np.testing.assert_allclose(f.logdet().function()(u), f.logdet()(u))


PARTIAL = {
    "a rotation": "state x[5], y; x[i] <- (y + i)*x[wrap(i-1)]; y <- 3*y + x[2]",
    "a reversal": "state x[5]; input w[5]; x[i] <- w[i]*x[4-i] + w[0]; x[i] <- x[i]**2",
    "a shuffle": "state x[6]; x[i] <- (i+1)*x[i//2 + 3*(i%2)]",
    "a sheared square": "state x[4, 4]; x[i, j] <- 2*sin(x[wrap(i + j), j])",
    "red and black": "state u[7]; input r; repeat 2 { u[i | i % 2 = 0] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)]) - u[i]**3/9; u[i | i % 2 = 1] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)]) }",
    "a part and another state": "state u[5], r; u[i | i >= 1] <- u[i]*(2 + r*u[0]); r <- r*exp(u[2]); u[i | 1 <= i and i <= 2] <- 3*u[i] + u[i+2]*r",
}  # fmt: skip


@pytest.mark.parametrize("name", PARTIAL)
def test_programs_of_parts_and_maps_have_the_values_of_the_modes(name):
    f = tadc.compile(PARTIAL[name])
    rng = np.random.default_rng(2)

    def random(names):
        shapes = ([e.constant for e in f.program.tensors[n].shape] for n in names)
        return [rng.uniform(0.1, 0.4, shape) for shape in shapes]

    arrays, vectors = random(f.inputs), random(f.states)

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        expected, found = mode(*arrays, *vectors), mode.function()(*arrays, *vectors)
        for a, b in zip(_all(found), _all(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    np.testing.assert_allclose(f.logdet().function()(*arrays), f.logdet()(*arrays), rtol=1e-12)


def _all(result):
    return result if isinstance(result, tuple) else (result,)


REFUSED = {
    "size N; state x[N]; x[i] <- x[i] + x[pad(i-1)]": (40, "triangular block of 40 rows"),
    "size N; state x[N]; x[i] <- 2*x[i] + sum{j} sin(x[j])": (33, "dense block of 33 rows"),
    "size N; state x[N]; x[i | i // 2 = 1] <- 2*x[i]": (4, "has a quotient"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_steps_that_no_program_holds_are_refused(text):
    size, words = REFUSED[text]

    with pytest.raises((tadc.BackendError, tadc.DerivativeError), match=words) as caught:
        tadc.compile(text).inverse_adjoint().function(N=size)

    assert caught.value.fix


def test_the_program_of_an_inverse_has_text_for_gpus():
    text = tadc.compile(COUPLING).inverse_adjoint().function(B=B, N=N).source("cuda")

    assert "program_inverse_adjoint_0" in text


# ---- Elimination

ELIMINATED = {
    "reactions": "state c[5, 3]; input M[3, 3]; c[p, s] <- c[p, s] + sum{q} M[s, q]*c[p, q]**2/2",
    "two tensors": "state a[4], b[4]; step { a[i] <- 2*a[i] + 4*b[i]; b[i] <- a[i]**2 + 3*b[i] }",
    "a pivot of zero": "state x, v; step { x <- 0*x + v/2; v <- v - x/2 }",
    "a triangle": "state x[6]; x[i] <- x[i] + sum{j | j < i} x[j]**2",
    "two orders": "state x[3, 2]; x[i,j] <- 2*x[i,j] + x[pad(i-1),j] + x[i,pad(j+1)]**2",
    "a triangle of a batch": "state x[2, 5]; x[b, i] <- 2*x[b, i] + x[b, pad(i+1)]*x[b, 0]",
    "a part": "state x[4]; x[i | 1 <= i and i <= 2] <- 2*x[i] + x[i+1]**2",
    "a band": "state u[8]; input r; u[i] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)]) + u[i]**3",
    "a dense part": "state x[6], y; x[i | i % 2 = 0] <- 3*x[i] + sin(sum{k} x[k])/3 + y; y <- 3*y + sin(x[0])",
    "several shapes": "state a[3], b[2, 2]; step { a[i] <- 5*a[i] + sum{j,k} sin(b[j, k]*(i+1)); b[j, k] <- 4*b[j, k] + sum{i} a[i]**2*(j - k) }",
    "another shape": "input x[2, 3]; y[i: 6] = 3*x[i//3, i%3] + sum{k: 2, l: 3} x[k, l]*i",
    "several steps": "state c[3, 2]; repeat 2 { c[p, s] <- c[p, s] + sum{q} c[p, q]**2/4; c[p, s] <- c[p, s]*(2 + c[pad(p-1), s]) }",
}  # fmt: skip


def eliminated(name, backend="numpy"):
    """The modes of the function with their arguments."""
    f = tadc.compile(ELIMINATED[name], backend=backend)
    rng = np.random.default_rng(3)

    def random(names):
        tensors = (f.program.tensors[n] for n in names)
        return [rng.uniform(0.2, 0.6, [e.constant for e in t.shape]) for t in tensors]

    arrays, states = random(f.inputs), list(f.states) or f.inputs
    return [
        (f.inverse_tangent(), [*arrays, *random(f.states.values() or f.outputs)]),
        (f.inverse_adjoint(), [*arrays, *random(states)]),
        (f.logdet(), arrays),
    ]


@pytest.mark.parametrize("name", ELIMINATED)
@pytest.mark.plain(name=4)
def test_systems_are_eliminated_by_statements(name):
    for mode, arguments in eliminated(name):
        program = mode.function()
        again = tadc.compile(str(program), backend="numpy")
        expected = _all(mode(*arguments))
        for f in (program, again):
            for a, b in zip(_all(f(*arguments)), expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)
        assert str(again) == str(program)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reactions", "a dense part"])
def test_eliminated_systems_are_derived_again(name):
    for mode, arguments in eliminated(name):
        program = mode.function()
        x = program.inputs[0]
        rng = np.random.default_rng(4)
        direction = rng.standard_normal(arguments[0].shape)

        _, change = program.jvp(dict(zip(program.inputs, arguments, strict=True)), {x: direction})
        up, down = (_all(mode(arguments[0] + e * direction, *arguments[1:])) for e in (1e-6, -1e-6))

        cotangents = [rng.standard_normal(np.shape(c)) for c in _all(change)]
        for c, a, b in zip(_all(change), up, down, strict=True):
            difference = (a - b) / 2e-6
            np.testing.assert_allclose(
                c, difference, rtol=1e-5, atol=1e-6 * np.abs(difference).max()
            )
        gradient = program.adjoint(x)(*arguments, *cotangents)
        expected = sum((c * w).sum() for c, w in zip(_all(change), cotangents, strict=True))
        np.testing.assert_allclose((gradient * direction).sum(), expected, rtol=1e-9)


def test_a_singular_block_of_a_program_has_no_finite_values():
    f = tadc.compile("state x, v; step { x <- x + 2*v; v <- 2*x + 4*v }", backend="numpy")

    results = f.inverse_tangent().function()(1.0, 1.0, 1.0, 1.0)

    assert not np.isfinite(results).any()


def test_a_program_without_elements_has_empty_results():
    f = tadc.compile("size N; state x[N], y[N]; x[i] <- 2*x[i] + y[pad(i-1)]; y[i] <- 3*y[i]")
    none = np.ones(0)

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        assert [r.shape for r in mode.function(N=0)(none, none, none, none)] == [(0,), (0,)]
    assert f.logdet().function(N=0)(none, none) == 0


TRIANGLES = {
    "x[i] <- x[i]**3 + x[i] + p*sum{j | j < i} x[j]**2/(i-j+1)**2",
    "x[i] <- 2*x[i]*p + x[pad(2*i)]**2",
    "x[i] <- sin(x[clamp(i-1)])*p + x[i]**2*p",
    "x[i | i % 2 = 0] <- x[i]*sum{j | j <= i} x[j]*p",
}


@pytest.mark.parametrize("update", sorted(TRIANGLES))
def test_the_determinant_of_a_triangle_is_a_program_for_any_number_of_rows(update):
    mode = tadc.compile(f"size N; state x[N]; input p; {update}", backend="numpy").logdet()
    x, d = np.random.default_rng(0).uniform(0.2, 0.9, (2, 60))

    program = mode.function(N=60)

    np.testing.assert_allclose(program(x, 0.3), mode(x, 0.3), rtol=1e-12)
    by_x, _ = program.adjoint()(x, 0.3, 1.0)
    difference = (mode(x + 1e-6 * d, 0.3) - mode(x - 1e-6 * d, 0.3)) / 2e-6
    np.testing.assert_allclose(by_x @ d, difference, rtol=1e-6)
