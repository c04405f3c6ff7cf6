"""Sums of at most one term are choices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle import by_name, random_arrays

import tadc
from tadc import compiler
from tadc.ir.expr import Reduce
from tadc.ir.range import Range
from tadc.ir.walk import postorder
from tadc.runtime.cuda.launch import CudaRunner
from tadc.runtime.interpreter import interpret
from tadc.schedule.rewrite.single_terms import with_quotients_of_results, with_single_terms

POOLING = "size H, W\ninput x[H, W]\ny[i: H//2, j: W//2] = max{r: 2, t: 2} x[2*i + r, 2*j + t]"
CASES = {
    "windows side by side": (POOLING, {"H": 7, "W": 6}),
    "windows that leave out": ("size N\ninput x[N]\ny[i: (N - 1)//3] = max{r: 2} x[3*i + r]", {"N": 11}),
    "windows that overlap": ("size N\ninput x[N]\ny[i: (N - 1)//2] = max{r: 3} x[2*i + r - 1 + 1]", {"N": 11}),
    "another sum inside": ("size N, K\ninput x[N], w[K]\ny[i: N//2, k] = max{r: 2} x[2*i + r]*w[k]", {"N": 9, "K": 3}),
    "a product": ("size N\ninput x[N]\ny[i: N//2] = prod{r: 2} x[2*i + r]", {"N": 9}),
    "a shift": ("size N, M\ninput x[N]\ny[i: M] = max{r: 2} x[pad(2*i + r - 3)]", {"N": 12, "M": 4}),
}  # fmt: skip
GONE = {"windows side by side", "windows that leave out", "another sum inside", "a product", "a shift"}  # fmt: skip


def rewritten(f):
    program = compiler.stored(f.program)
    statements = [with_single_terms(s, program) for s in program.statements]
    made = sum(a is not b for a, b in zip(statements, program.statements, strict=True))
    return replace(program, statements=tuple(statements)), made


@pytest.mark.parametrize("name", CASES)
def test_the_rewritten_program_has_the_same_values(name):
    text, sizes = CASES[name]
    f = tadc.compile(text, backend="interpreter").adjoint()
    program, made = rewritten(f)

    assert bool(made) == (name in GONE)
    arrays = random_arrays(f, sizes)
    values = program.size_values({s: sizes[s] for s in program.sizes})
    found = interpret(program, arrays, values)
    for output, expected in by_name(f, f(**arrays)).items():
        assert np.array_equal(found[output], expected), output


@pytest.mark.parametrize("height", range(2, 8))
def test_a_row_that_is_left_over_has_no_gradient(height):
    program, _ = rewritten(tadc.compile(POOLING).adjoint())
    x, dy = np.arange(2.0 * height).reshape(height, 2), np.ones((height // 2, 1))

    values = program.size_values({"H": height, "W": 2})
    found = interpret(program, {"x": x, "dy": dy}, values)["dx"]

    expected = np.zeros_like(x)
    expected[1 : height // 2 * 2 : 2, 1] = 1  # the last of each window
    assert np.array_equal(found, expected)


def test_the_gradient_of_pooling_has_no_loops_on_a_gpu():
    f = tadc.compile(POOLING, backend="cuda", dtype="float32").adjoint()

    module = CudaRunner(f.program, "float32", f._options).lowered(f.program.size_values({"H": 1001, "W": 1000}))  # fmt: skip

    (dx,) = (s for s in module.module.program.statements if s.target.name == "dx")
    assert not any(isinstance(e, Reduce) for e in postorder(dx.body))
    assert [d.modulus for d in dx.derived] == [2, 2]


BLOCKS = {
    "a product of blocks": ("size N, B\ninput x[N, 16*B], w[B, 16, 16]\ny[n, j: 16*B] = sum{k} w[j//16, k, j%16]*x[n, 16*(j//16) + k]", 1),
    "grouped rows": ("size B, C\ninput x[24*B, C], w[B, 24]\ny[j: 24*B] = sum{c} x[j, c]*w[j//24, (j + 5)%24]", 0),
    "short blocks": ("size N, B\ninput x[N, 4*B], w[B, 4, 4]\ny[n, j: 4*B] = sum{k} w[j//4, k, j%4]*x[n, 4*(j//4) + k]", 0),
    "maxima of blocks": ("size B\ninput x[16*B], w[B, 16, 16]\ny[j: 16*B] = max{k} w[j//16, k, j%16]*x[16*(j//16) + k]", 1),
    "more blocks than results": ("size N, B\ninput x[N, 16*B], w[B + 1, 16, 16]\ny[n, j: 16*B] = sum{k} w[j//16, k, j%16]*x[n, 16*(j//16) + k]", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_indices_that_are_quotients_of_results_leave_sums(name, backend):
    text, count = BLOCKS[name]
    f = tadc.compile(text, backend="interpreter").adjoint()

    program = with_quotients_of_results(f.program)

    left = zip(f.program.statements, program.statements, strict=True)
    assert sum(len(new.derived) - len(old.derived) for old, new in left) == count
    arrays = random_arrays(f, {"N": 5, "B": 3, "C": 7})
    values = program.size_values({s: {"N": 5, "B": 3, "C": 7}[s] for s in program.sizes})
    found = interpret(program, arrays, values)
    scheduled = by_name(f, tadc.compile(text, backend=backend).adjoint()(**arrays))
    for output, expected in by_name(f, f(**arrays)).items():
        np.testing.assert_allclose(found[output], expected, rtol=1e-12, err_msg=output)
        np.testing.assert_allclose(scheduled[output], expected, rtol=1e-10, err_msg=output)


def test_outer_indices_keep_their_bounds():
    """`2*q + 1 <= L` follows from `l + 2*q + 1 <= L`, which is no bound for the loop over `q` around that over `l`."""
    f = tadc.compile(
        "size I, J, L\ninput x[L, 2, J], w[2, 2], z[2*I, J + 1]\n"
        "f[i: I, k: 2] = min{l: L, j: J} (x[pad(l - 5), k, j] - w[k, l % 2]**2 - abs(z[2*i + k, j + k]))"
    ).adjoint()
    program, _ = rewritten(f)
    for s in program.statements:
        for e in postorder(s.body):
            if isinstance(e, Reduce):
                bounds = Range.of(
                    e.indices[0],
                    (c.form for c in e.domain if not {*e.indices[1:]} & {*c.form.symbols}),
                )
                assert bounds.lows and bounds.highs, e.indices
