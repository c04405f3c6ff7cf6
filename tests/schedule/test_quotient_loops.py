"""Loops over quotients and remainders of an index, in its place."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import by_name

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import Choices
from tadc.schedule.cpu.quotient_loops import with_loops_over_quotients
from tadc.schedule.lowered import modules_of

# A formula of y, and the indices and extents of its loops.
DIVIDED = {
    "y[n,c: 512] = x[n,c]*g[c//64]; input x[N,512], g[8]": ("n", "c_quotient", "c", "N", "8", "64"),
    "y[c: 8*G] = exp(x[c//8,c%8]); input x[G,8]": ("c_quotient", "c", "G", "8"),
    "y[c: 40, d: 48] = x[c//10,d//16] + w[c%10,d]; input x[4,3], w[10,48]": ("c_quotient", "c", "d_quotient", "d", "4", "10", "3", "16"),
    "y[n, c: 32] = sum{k} x[n,c//16,k]*w[c,k]; input x[N,2,K], w[32,K]": ("n", "c_quotient", "c", "N", "2", "16"),
    "y[c: 64] = if c//16 = 2 then x[c] else x[c%16]*z[(c + 3)//16]; input x[64], z[5]": ("c_quotient", "c", "4", "16"),
    "y[k: 96] = x[32*(k//32) + k%16] + w[k%16]*x[32*(k//32) + 16 + k%16]; input x[96], w[16]": (
        "k_quotient", "k_quotient_1", "k", "3", "2", "16"),
    "y[q: 9, i: N] = if q//3 <= i then x[q%3,i] else x[q//3,i]; input x[3,N]": ("q_quotient", "q", "i", "3", "3", "N"),
}  # fmt: skip
WHOLE = {
    "a short index that chooses, of which lanes are": "y[n, q: 9] = if q//3 <= n then x[n,q//3] else x[n,q%3]; input x[N,3]",
    "few remainders": "y[c: 4*G] = x[c//4,c%4]; input x[G,4]",
    "a divisor that does not divide": "y[c: N] = x[c//16]*w[c]; input x[M], w[N]",
    "divisors that are not nested": "y[c: 96] = x[c//16]*z[c//24]",
    "a quotient of something else": "y[c: 64] = x[(c + 1)//16]",
}


@pytest.mark.parametrize("text", DIVIDED)
def test_the_loops(text):
    kernel = nest(text)

    divided = with_loops_over_quotients(kernel)

    assert (*divided.indices, *map(str, divided.extents)) == DIVIDED[text]


# A formula of y, and the loops of the gradient by x, whose sums are bounded by quotients.
BOUNDED = {
    "y[k: 96] = x[32*(k//32) + k%16] + w[k%16]*x[32*(k//32) + 16 + k%16]; input x[96], w[16]": (
        "k_quotient", "k_quotient_1", "k", "3", "2", "16"),
    "y[n,q: 8,r: 24] = sum{s: 3} w[s]*x[n,16*q + r + s]; input x[N,160], w[3]": ("n", "r_quotient", "r", "N", "10", "16"),
    "y[q: 8,r: 24] = x[159 - 16*q - r]**2; input x[160]": ("r_quotient", "r", "10", "16"),
}  # fmt: skip


@pytest.mark.parametrize("text", BOUNDED)
def test_loops_over_the_quotients_that_bound_sums(text):
    kernel = gradient_nest(text)

    divided = with_loops_over_quotients(kernel)

    assert (*divided.indices, *map(str, divided.extents)) == BOUNDED[text]


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE.keys())
def test_what_is_not_divided(text):
    kernel = nest(text)

    assert with_loops_over_quotients(kernel) == kernel


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("mode", ["primal", "adjoint"])
@pytest.mark.parametrize("text", [*DIVIDED, *BOUNDED, *WHOLE.values()])
def test_the_bits_are_those_without(text, mode):
    function = tadc.compile(text, backend="interpreter")
    function = function if mode == "primal" else function.adjoint()
    program = function.program
    sizes = {s: {"N": 37, "G": 5, "M": 3}.get(s, 9) for s in program.sizes}
    random = np.random.default_rng(0)
    arrays = {t.name: random.normal(size=[n.at(sizes) for n in t.shape]) for t in program.inputs}

    found, whole = (
        NativeRunner(program, "float64", Options.of(backend="native"), choices).run(arrays, sizes)
        for choices in (Choices(), Choices((("quotients have loops", 1),)))
    )  # fmt: skip

    expected = by_name(function, function(*arrays.values(), **sizes))
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], whole[name])
        np.testing.assert_allclose(found[name], value, rtol=1e-12, atol=1e-12)


def nest(text):
    (module,) = modules_of({"primal": tadc.compile(text).program})
    return module.kernels[-1]


def gradient_nest(text):
    program = tadc.compile(text).adjoint(wrt="x").program
    (module,) = modules_of({"adjoint": program})
    return module.kernels[-1]
