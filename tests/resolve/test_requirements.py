"""`size o >= 0` and `require ..`: parameters that may be 0, and conditions that calls are checked for."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

SLICE = "size N, o >= 0, n\nrequire o + n <= N\ninput x[N]\ny[i: n] = x[i+o]\n"


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize("o", [0, 1, 2])
def test_an_offset_may_be_zero(backend, o):
    f = tadc.compile(SLICE, backend=backend)
    x = np.arange(4.0)

    assert np.array_equal(f(x, o=o, n=2), x[o : o + 2])
    assert np.array_equal(f.vjp(x, o=o, n=2)[1](np.ones(2))["x"], (o <= x) & (x < o + 2))


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
def test_a_condition_that_an_offset_of_zero_does_not_fulfil_stays(backend):
    f = tadc.compile(
        "size o >= 0, n\ninput x[n], d[3]\ny[i: n] = if 1 <= i + o and i + o <= 2 then sum{j} d[j]*x[i] else 0",
        backend=backend,
    )

    for o, wanted in ((0, [0, 6, 6, 0]), (1, [6, 6, 0, 0])):
        assert f(x=2 * np.ones(4), d=np.ones(3), o=o).tolist() == wanted


def test_an_offset_does_not_specialise_the_text():
    f = tadc.compile(
        "size N, o >= 0, n\nrequire o + n <= N\ninput x[N]\ny = sum{i: n} x[i+o]", backend="native"
    )

    texts = {str(f.plan(N=100, n=50, o=o)) for o in (0, 1, 7, 40)}

    assert len(texts) == 1


def test_what_is_required_is_known():
    f = tadc.compile(SLICE)
    without = tadc.compile(SLICE.replace("require o + n <= N", ""))

    assert not f._resolved.checks
    assert without._resolved.checks


def test_a_call_that_does_not_fulfil_it_is_an_error():
    with pytest.raises(tadc.ShapeError, match="this is 5 <= 4") as error:
        tadc.compile(SLICE)(np.ones(4), o=3, n=2)
    assert (error.value.span.line, error.value.span.text) == (2, "o + n <= N")


@pytest.mark.parametrize("make", [str, lambda f: f.source("latex")])
def test_declarations_are_printed(make):
    f = tadc.compile(SLICE)
    for g in (f, f.adjoint(), f.tangent()):
        again = tadc.compile(make(g), lang="idx" if make is str else "tex")
        assert again.program.known == g.program.known
        assert again.program.offsets == g.program.offsets == {"o"}


def test_they_are_printed_where_sizes_need_numbers():
    f = tadc.compile("size N, M, o >= 0\nrequire o+M <= N\ninput x[8*N]\ny[i: M] = x[M*i+o]")

    assert "size N, M, o >= 0\nrequire o + M <= N\n" in str(f)
    with pytest.raises(tadc.ShapeError, match="requires"):
        f(np.ones(16), M=2, o=1)


def test_a_chain_is_several_conditions():
    f = tadc.compile("size N; require 2 <= N < 5; input x[N]; y[i] = x[i]")

    for n in (1, 5):
        with pytest.raises(tadc.ShapeError):
            f(np.ones(n))
    assert f(np.ones(4)).shape == (4,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("size o >= 1; y = o", "require o >= 1"),
        ("size o >= 0; input x[o]; y = sum{i} x[i]", "o is no extent"),
        ("size N; require N != 2; y = N", "cannot be required"),
        ("size N; require N < 2 or N > 3; y = N", "no condition that can be required"),
        ("size N = 2; require N >= 3; y = N", "does not hold: 2 and 3"),
        ("require N <= 2; y = x[0]", "`N` is not a size"),
        ("input x[3]; require x[0] <= 2; y = x[0]", "no size expression|not a size expression"),
        ("x = require", "reserved word"),
    ],
)
def test_what_cannot_be_required_is_an_error(text, says):
    with pytest.raises(tadc.Error, match=says):
        tadc.compile(text)


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("N < N", "both sides are the same"),
        ("N + 3 <= N", "the sides differ by 3"),
        ("2*N = 3", "no integers do it"),
    ],
)
def test_a_condition_that_no_sizes_fulfil_is_an_error_that_says_why(condition, why):
    with pytest.raises(tadc.ShapeError, match=f"holds for no sizes: {why}") as error:
        tadc.compile(f"size N\nrequire {condition}\ninput x[N]\ny = sum{{i}} x[i]")
    assert error.value.span.text == condition
