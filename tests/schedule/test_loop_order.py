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

CONVOLUTION = (
    "size N, C, O, L, R\ninput x[N,C,L], w[O,C,R]\ny[n,o,p: L-R+1] = sum{c, r} x[n,c,p+r]*w[o,c,r]"
)
# Sizes, and how many of the loops over n and o stand around that over blocks of p.
BLOCKS = {
    "the cache holds an image": ({"N": 16, "C": 64, "O": 64, "L": 1000, "R": 5}, [2]),
    "it holds a part of long rows": ({"N": 1, "C": 64, "O": 64, "L": 16000, "R": 5}, [0, 1]),
    "several such images": ({"N": 12, "C": 64, "O": 64, "L": 16000, "R": 5}, [0, 1]),
    "one filter": ({"N": 1, "C": 64, "O": 4, "L": 16000, "R": 5}, [2]),
}


def runner(text: str, choices: Choices = BY_MODEL) -> NativeRunner:
    program = tadc.compile(text).program
    return NativeRunner(program, "float32", Options.of(blas=False), choices)


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_that_reads_least(name):
    text, sizes, order = ORDERS[name]

    (kernel,) = runner(text).lowered(sizes).kernels

    assert [i for i, _ in kernel.outer] == order


@pytest.mark.parametrize("rows, around", [(2048, 0), (128, 1)])
def test_a_transposition_goes_through_blocks_of_rows_that_a_cache_holds(rows, around):
    """A column of many rows has a line of each of them, which the next columns need again."""
    text = "size I, J\ninput x[I,J]\ny[j,i] = exp(x[i,j])"

    (kernel,) = runner(text).lowered({"I": rows, "J": 2048}).kernels

    assert kernel.around_blocks == around


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_lanes_stand_where_least_is_read(name):
    sizes, around = BLOCKS[name]

    (kernel,) = runner(CONVOLUTION).lowered(sizes).kernels

    assert kernel.around_blocks in around


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("length", [1, 37, 97, 300])
def test_no_place_of_blocks_changes_a_bit(length):
    sizes = {"N": 2, "C": 9, "O": 13, "L": length + 4, "R": 5}
    random = np.random.default_rng(0)
    shapes = {"x": (2, 9, length + 4), "w": (13, 9, 5)}
    arrays = {n: random.normal(size=s).astype("float32") for n, s in shapes.items()}

    values = [
        runner(CONVOLUTION, Choices((("blocks of y", rank),))).run(arrays, sizes)["y"]
        for rank in (0, 1, 3, 5)
    ]

    for other in values[1:]:
        assert np.array_equal(values[0], other)


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
