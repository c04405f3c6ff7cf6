"""Sums along borders read copies with zeros around, and have the bits of the sums that end there."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler, native
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import Choices
from tadc.schedule.cpu.padded import with_zeros_around
from tadc.schedule.rewrite.program import scheduled

IMAGES = "size N, C, O, H, W\ninput x[N,C,H,W], w[O,C,3,3]\n"
FORMULAS = {
    "zeros outside": IMAGES + "y[n,o,i: H,j: W] = sum{c, r: 3, s: 3} x[n,c,pad(i+r-1),pad(j+s-1)]*w[o,c,r,s]",
    "conditions": IMAGES + "y[n,o,i: H+2,j: W+2] = sum{c, r, s | 0 <= i-r and i-r < H and 0 <= j-s and j-s < W} w[o,c,r,s]*x[n,c,i-r,j-s]",
    "more in the statement": IMAGES + "input b[O]\ny[n,o,i: H,j: W] = relu(b[o] - sum{c, r: 3, s: 3} x[n,c,pad(i+2*r-2),pad(j+2*s-2)]*w[o,c,r,s])",
    "a width that is a size": "size N, C, O, L, R\ninput x[N,C,L], w[O,C,R]\ny[n,o,p: L+R-1] = sum{c, r | 0 <= p-r and p-r < L} x[n,c,p-r]*w[o,c,r]",
    "every second element": IMAGES + "y[n,o,i: 2*H+1,j: 2*W+1] = sum{c, p, q | i-2*p >= 0 and i-2*p < 3 and j-2*q >= 0 and j-2*q < 3} x[n,c,p,q]*w[o,c,i-2*p,j-2*q]",
    "every third element": "size N, C, O, L\ninput x[N,C,L], w[O,C,5]\ny[n,o,j: 3*L+2] = sum{c, q | j-3*q >= 0 and j-3*q < 5} x[n,c,q]*w[o,c,j-3*q]",
    "the other way": "size N, C, O, L\ninput x[N,C,L], w[O,C,5]\ny[n,o,i: L] = sum{c, r} x[n,c,pad(L-i-r+1)]*w[o,c,r]",
}  # fmt: skip
AS_THEY_ARE = {
    "few terms": "size N, H, W\ninput x[N,H,W], w[3,3]\ny[n,i: H,j: W] = sum{r, s} x[n,pad(i+r-1),pad(j+s-1)]*w[r,s]",
    "steps of two lengths": "size N, C, O, W\ninput x[N,C,W], w[O,C,4]\ny[n,o,j: 2*W] = sum{c, r: 4 | 0 <= 2*j-3*r and 2*j-3*r < W} x[n,c,2*j-3*r]*w[o,c,r]",
    "no border": IMAGES + "y[n,o,i: H-2,j: W-2] = sum{c, r, s} x[n,c,i+r,j+s]*w[o,c,r,s]",
    "a border of ones": IMAGES + "y[n,o,i: H,j: W] = sum{c, r: 3, s: 3} x[n,c,i,pad(j+s-1, 1)]*w[o,c,r,s]",
    "up to a diagonal": "size N, W\ninput x[N,W], w[W]\ny[n,i: W] = sum{k=0..i} x[n,i-k]*w[k]",
    "a maximum": IMAGES + "y[n,o,i: H,j: W] = max{c, r: 3, s: 3} x[n,c,pad(i+r-1),pad(j+s-1)]*w[o,c,r,s]",
    "three factors": IMAGES + "input b[C]\ny[n,o,i: H,j: W] = sum{c, r: 3, s: 3} x[n,c,i,pad(j+s-1)]*b[c]*w[o,c,r,s]",
}  # fmt: skip
WITHOUT = Choices((("sums have zeros around what they read", 1),))
compiled = pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")


def copies(text: str) -> list[str]:
    program = scheduled(tadc.compile(text, backend="numpy")._program)
    usual = {s: 5 if s == "R" else 48 for s in program.sizes}
    _, found = with_zeros_around(program, usual)
    return list(found)


@pytest.mark.parametrize("name", FORMULAS)
def test_sums_along_borders_read_a_copy_with_zeros(name):
    assert len(copies(FORMULAS[name])) == 1


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_other_sums_are_as_they_are(name):
    assert not copies(AS_THEY_ARE[name])


def runs(text, shapes, dtype, weights=None):
    """The programs of a value and of its gradients, with their inputs and sizes."""
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(s).astype(dtype) for s in shapes]
    if weights is not None:
        arrays[1].flat[: len(weights)] = weights
    f = tadc.compile(text, backend="native", dtype=dtype)
    f, _ = f.of_call(dict(zip(f.inputs, arrays, strict=True)))
    sizes = f.calls.sizes({n: a.shape for n, a in zip(f.inputs, arrays, strict=True)}, {})
    cotangent = random.standard_normal(f(*arrays).shape).astype(dtype)
    for part in [f, *f._value_and_gradients.parts(f.inputs, sizes, dtype)]:
        program = part._program
        given = [*arrays, *[cotangent] * (len(program.inputs) - len(arrays))]
        yield program, given, program.size_values({s: sizes[s] for s in program.sizes})


def shapes(text, n, c, o, h, w):
    images = [(n, c, h, w), (o, c, 3, 3)] if "W" in text else [(n, c, w), (o, c, 5)]
    return [*images, (o,)] if "b[O]" in text else images


@pytest.mark.compiler
@compiled
@pytest.mark.plain(dtype=1, extents=1)
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("extents", [(2, 16, 24, 7, 40), (1, 19, 24, 34, 33), (1, 33, 40, 1, 81), (3, 8, 8, 17, 17)], ids=str)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits_are_those_of_sums_that_end_at_borders(name, extents, dtype, monkeypatch):
    monkeypatch.setattr(native, "LITTLE", 0)
    text = FORMULAS[name]
    guarded = 0
    for program, arrays, sizes in runs(text, shapes(text, *extents), dtype):
        options = Options(dtype=dtype, threads=2)
        padded = NativeRunner(program, dtype, options)
        guarded += len(padded.lowered(sizes).otherwise)
        plain = NativeRunner(program, dtype, options, WITHOUT)
        assert not plain.lowered(sizes).otherwise
        for found, right in zip(padded.launch(sizes)(arrays), plain.launch(sizes)(arrays), strict=True):  # fmt: skip
            assert np.array_equal(found, right)
    assert guarded


@pytest.mark.compiler
@compiled
@pytest.mark.parametrize("weights", [[np.inf], [np.nan], [1.0, -np.inf, np.inf]], ids=str)
def test_infinite_weights_count_where_they_are_read_and_nowhere_else(weights):
    text = FORMULAS["zeros outside"]
    random = np.random.default_rng(0)
    x, w = random.standard_normal((1, 16, 3, 20)), random.standard_normal((16, 16, 3, 3))
    w.flat[: len(weights)] = weights
    native_, oracle = (tadc.compile(text, backend=b, dtype="float64") for b in ("native", "interpreter"))  # fmt: skip
    assert "plain loops without zeros around" in str(native_.plan(N=1, C=16, O=16, H=3, W=20))

    y, right = native_(x, w), oracle(x, w)

    assert np.isfinite(right).any() and not np.isfinite(right).all()
    np.testing.assert_allclose(y, right, rtol=1e-12)


@pytest.mark.compiler
@compiled
@pytest.mark.parametrize("width", [*range(31, 36), 40, 47, 48, 49, 63, 64, 65, 68, 80, 81, 96, 97])
def test_last_strips_of_half_the_lanes_leave_nothing_out(width):
    f = tadc.compile(
        "size C, O, W\ninput x[C,W+2], w[O,C,3]\ny[o,i: W] = sum{c, r} x[c,i+r]*w[o,c,r]",
        backend="native",
        dtype="float32",
    )
    random = np.random.default_rng(0)
    x, w = random.standard_normal((24, width + 2)), random.standard_normal((24, 24, 3))

    y = f(x.astype("float32"), w.astype("float32"))

    windows = np.lib.stride_tricks.sliding_window_view(x, 3, axis=1)
    np.testing.assert_allclose(y, np.einsum("cir,ocr->oi", windows, w), rtol=1e-4, atol=1e-4)


def test_a_window_that_moves_is_the_first_loop():
    f = tadc.compile(
        "size C, O, H, W\ninput x[C,H,W], w[O,C,3]\ny[o,p: (H-3)//2+1,q: W] = sum{c, r} x[c,2*p+r,q]*w[o,c,r]",
        backend="native",
    )

    plan = str(f.plan(mode="vjp", C=24, O=24, H=65, W=64))

    assert "sum{p_1=max(0, (p - 1) // 2)..min(P, p // 2), o=0..O - 1}" in plan
