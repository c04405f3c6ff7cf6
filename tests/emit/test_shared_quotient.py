"""Quotients of lanes that share their divisor: the bits of a division."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.emit.c.file import emit_c
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]

ROWS = "size N, M\ninput x[N,M], s[N]\ny[i,j] = x[i,j]/s[i]"
SPECIAL = [0.0, -0.0, 1.0, -3.0, np.inf, -np.inf, np.nan]


def any_bits(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers of all signs and exponents, NaN and infinities among them."""
    random, integer = np.random.default_rng(0), {"float32": "uint32", "float64": "uint64"}[dtype]
    return random.integers(0, np.iinfo(integer).max, shape, integer, endpoint=True).view(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quotients_are_those_of_a_division(dtype):
    info = np.finfo(dtype)
    ends = [info.max, info.tiny, info.smallest_subnormal, -info.max, 1 + info.eps, 2 - info.eps]
    x, s = any_bits((700, 333), dtype), any_bits((700,), dtype)
    s[: len(SPECIAL) + len(ends)] = [*SPECIAL, *ends]
    x[:, : len(SPECIAL) + len(ends)] = [*SPECIAL, *ends]

    found = tadc.compile(ROWS, dtype=dtype, backend="native")(x, s)

    with np.errstate(all="ignore"):
        expected = x / s[:, None]
        least = info.tiny / info.eps**2
        nearly = np.isfinite(expected) & ((np.abs(expected) < least) | (np.abs(x) < least))
        units = np.maximum(np.spacing(np.abs(expected)), info.smallest_subnormal)
        apart = np.abs(found - expected)
    np.testing.assert_array_equal(found[~nearly], expected[~nearly])
    assert np.all(apart[nearly] <= units[nearly])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quotients_near_one_are_rounded_as_a_division(dtype):
    """Where the last bits decide: numbers of one exponent."""
    random = np.random.default_rng(1)
    x = random.uniform(1, 2, (300, 2000)).astype(dtype)
    s = random.uniform(1, 2, 300).astype(dtype)
    s[0] = 2 - np.finfo(dtype).eps

    found = tadc.compile(ROWS, dtype=dtype, backend="native")(x, s)

    np.testing.assert_array_equal(found, x / s[:, None])


@pytest.mark.parametrize(
    ("text", "is_shared"),
    [
        ("y[i: N, j: M] = x[i,j]/s[i]", True),
        ("y[i: N, j: M] = (x[i,j] + 1)/sqrt(s[i] + 1e-5)", True),
        ("y[i: N, j: M] = x[i,j]/7", True),
        ("y[i: N, j: M] = 1/x[i,j]", False),
        ("y[i: N, j: M] = s[i]/x[i,j]", False),
        ("y[i: N, j: M] = x[i,j]*(1/s[i])", False),
        ("y[j: M] = max{i: N} x[i,j]/s[i]", False),  # what a gradient compares with it divides, too
        ("y[i: N, j: M] = if x[i,j]/s[i] > 1 then x[i,j] else 0", False),
    ],
)
def test_which_quotients_share_a_divisor(text, is_shared):
    program = tadc.compile(f"size N, M\ninput x[N,M], s[N]\n{text}").program
    runner = NativeRunner(program, "float32", Options.of())
    sizes = {"N": 40, "M": 400}

    written = emit_c([runner.lowered(sizes)], "float32", "int64")

    assert ("quotientf(" in written) == is_shared
