"""Loops around points are in the order in which what they read comes from memory least often."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import BY_MODEL, Choices

# Text, sizes, and the order.
ORDERS = {
    "shifts of what is large stand inside": (
        "size C, H, W\ninput a[C,H,W], b[C,H,W]\nv[w: 16, i: H, j: W] = sum{c} a[c,i,j]*b[c,i,pad(j+w-8)]",
        {"C": 70, "H": 180, "W": 170},
        ["i", "w"],
    ),
    "rows that a cache holds stay outside": (
        "size N, M, K\ninput x[N,K], w[M,K]\ny[i: N, k: K] = exp(sum{m} sin(x[i,k]*w[m,k]))",
        {"N": 300, "M": 20, "K": 500},
        ["i"],
    ),
    "what is stored decides where all orders read as much": (
        "size A, B, N\ninput x[A,B,N]\ny[a: A, b: B, n: N] = 2*x[a,b,n]",
        {"A": 300, "B": 300, "N": 300},
        ["a", "b"],
    ),
    "a large tensor that one index does not change": (
        "size N, M, P, Q\ninput x[N,P], z[M,P,Q]\ny[i: N, p: P, q: Q] = max{m} x[i,p]*z[m,p,q]",
        {"N": 40, "M": 40, "P": 700, "Q": 200},
        ["p", "i"],
    ),
}


def runner(text: str, choices: Choices = BY_MODEL) -> NativeRunner:
    program = tadc.compile(text).program
    return NativeRunner(program, "float32", Options.of(blas=False), choices)


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_that_reads_least(name):
    text, sizes, order = ORDERS[name]

    (kernel,) = runner(text).lowered(sizes).kernels

    assert [i for i, _ in kernel.outer] == order


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
def test_no_order_changes_a_bit():
    text, _, _ = ORDERS["shifts of what is large stand inside"]
    sizes = {"C": 9, "H": 21, "W": 37}
    random = np.random.default_rng(0)
    arrays = {n: random.normal(size=(9, 21, 37)).astype("float32") for n in "ab"}

    one, other = (
        runner(text, Choices((("loops of v", rank),))).run(arrays, sizes)["v"] for rank in (0, 1)
    )

    assert np.array_equal(one, other)
