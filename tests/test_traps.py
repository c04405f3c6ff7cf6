"""The traps of the derivation and of its targets, from text to numbers: each row is the smallest program that shows one.

Every row's value and gradient are computed by the interpreter, by numpy, and by the CUDA text run on the host. What is
expected is written by hand, or scattered point by point by Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from host_run import HostBatch
from oracle import bound, cuda

import tadc

inf = np.inf


@dataclass(frozen=True)
class Trap:
    """A program of one output. `gradient` is by the first input; `cotangent` None stands for 1, 2, 3, .."""

    name: str
    text: str
    inputs: Mapping[str, Any]
    value: Any
    gradient: Any
    cotangent: Any = None
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        return {n: np.asarray(a, np.float64) for n, a in self.inputs.items()}

    @property
    def cotangents(self) -> np.ndarray:
        shape = np.shape(self.value)
        given = (
            1 + np.arange(np.prod(shape, dtype=int)) if self.cotangent is None else self.cotangent
        )
        return np.asarray(given, np.float64).reshape(shape)


def ranges(*bounds):
    return np.stack(np.meshgrid(*(np.arange(n) for n in bounds), indexing="ij"), -1).reshape(
        -1, len(bounds)
    )


def scattered(trap_shape, x_shape, place: Callable[..., Any]):
    """The gradient of `f[u] = x[place(u)]` by cotangents 1, 2, 3, ..: every point adds to the element it reads."""
    gradient = np.zeros(x_shape)
    for k, u in enumerate(ranges(*trap_shape)):
        gradient[place(*u)] += 1 + k
    return gradient


def gathered(shape, x, place):
    return np.array([x[place(*u)] for u in ranges(*shape)]).reshape(shape)


X5 = [10.0, 20.0, 30.0, 40.0, 50.0]
X8 = np.arange(8.0) ** 2
X33 = np.arange(9.0).reshape(3, 3)

# fmt: off
TRAPS = [
    Trap(
        "constants make subscripts affine",
        "input x[5]\nf[i: 3] = x[i + 2]",
        {"x": X5}, [30, 40, 50], [0, 0, 1, 2, 3],
    ),
    Trap(
        "sizes make subscripts affine",
        "size N\ninput x[N]\nf[i: N - 1] = x[N - 1 - i]",
        {"x": X5}, [50, 40, 30, 20], [0, 4, 3, 2, 1],
    ),
    Trap(
        "odd elements have derivative zero when the stride is two",
        "input x[6]\nf[i: 3] = x[2*i]",
        {"x": range(6)}, [0, 2, 4], [1, 0, 2, 0, 3, 0],
    ),
    Trap(
        "odd and tail elements have derivative zero when x is longer than needed",
        "input x[8]\nf[i: 3] = x[2*i]",
        {"x": X8}, [0, 4, 16], [1, 0, 2, 0, 3, 0, 0, 0],
    ),
    Trap(
        "the same with symbolic sizes",
        "size N, M\ninput x[N], w[M]\nf[i: M] = x[2*i] * w[i]",
        {"x": X8, "w": [1, 1, 2]}, [0, 4, 32], [1, 0, 2, 0, 6, 0, 0, 0],
    ),
    Trap(
        "a stride with an offset",
        "input x[8]\nf[i: 2] = x[3*i + 1]",
        {"x": X8}, [1, 16], [0, 1, 0, 0, 2, 0, 0, 0],
    ),
    Trap(
        "divisibility by a combination of two indices",
        "input x[11]\nf[i: 3, j: 2] = x[2*i + 4*j + 1]",
        {"x": range(11)}, [[1, 5], [3, 7], [5, 9]], [0, 1, 0, 3, 0, 2 + 5, 0, 4, 0, 6, 0],
    ),
    Trap(
        "a guard without loop variables: the rest of a longer tensor",
        "input x[5]\nf[i: 2] = x[i]",
        {"x": X5}, [10, 20], [1, 2, 0, 0, 0],
    ),
    Trap(
        "a guard without loop variables: one element is read",
        "input x[3, 3]\nf = x[1, 2]",
        {"x": X33}, 5, [[0, 0, 0], [0, 0, 1], [0, 0, 0]],
    ),
    Trap(
        "a guard without loop variables: the diagonal",
        "input x[3, 3]\nf[i] = x[i, i]",
        {"x": X33}, [0, 4, 8], np.diag([1, 2, 3]),
    ),
    Trap(
        "bounds that meet at half-integers are no equality of one value",
        "input x[4]\nf[i: 7] = sum{k | 2*k >= i and 2*k <= i} x[k]",
        {"x": [1, 2, 3, 4]}, [1, 0, 2, 0, 3, 0, 4], [1, 3, 5, 7],
    ),
    Trap(
        "a range of rationals without an integer is an empty loop",
        "input x[4]\nf[i: 8] = sum{k | 3*k <= i and i <= 3*k + 1} x[k]",
        {"x": [1, 2, 3, 4]}, [1, 1, 0, 2, 2, 0, 3, 3], [1 + 2, 4 + 5, 7 + 8, 0],
    ),
    Trap(
        "an inner loop is empty for some points of the outer one",
        "input x[9]\nf = sum{i=0..8, j=0..2, k=0..2 | 4*j + 3*k = i} x[i]",
        {"x": range(1, 10)},
        sum(4 * j + 3 * k + 1 for j in range(3) for k in range(3) if 4 * j + 3 * k <= 8),
        [1, 0, 0, 1, 1, 0, 1, 1, 1],
    ),
    Trap(
        "the points of one equation in two unknowns",  # A = (1, -2), b = -1, box 0..6 x 1..5
        "input x[18]\nf[i: 7, j: 5] = x[i - 2*(j + 1) + 10]",
        {"x": range(18)},
        gathered((7, 5), np.arange(18.0), lambda i, j: i - 2 * (j + 1) + 10),
        scattered((7, 5), 18, lambda i, j: i - 2 * (j + 1) + 10),
    ),
    Trap(
        "the points of one equation in three unknowns",  # A = (1, -2, -2), box 1..5 x 0..4 x -5..1
        "input x[25]\nf[i: 5, j: 5, k: 7] = x[(i + 1) - 2*j - 2*(k - 5) + 9]",
        {"x": range(25)},
        gathered((5, 5, 7), np.arange(25.0), lambda i, j, k: i + 20 - 2 * j - 2 * k),
        scattered((5, 5, 7), 25, lambda i, j, k: i + 20 - 2 * j - 2 * k),
    ),
    Trap(
        "conditions of the program restrict the derivative",
        "size N\ninput x[N]\nf[i: N] = sum{j | i <= j} x[j]",
        {"x": [1, 2, 3, 4]}, [10, 9, 7, 4], [1, 3, 6, 10],
    ),
    Trap(
        "a chained condition on a read",
        "input x[4]\nf[i: 5] = sum{k=-1..1} (if 0 <= i + k < 4 then x[i+k] else 0)",
        {"x": [1, 2, 3, 4]}, [3, 6, 9, 7, 4], [1 + 2, 1 + 2 + 3, 2 + 3 + 4, 3 + 4 + 5],
    ),
    Trap(
        "a summand without the index counts the trips, and none give 0 even of infinity",
        "input x[3]\nf[i] = sum{j=1..i} exp(x[i])",
        {"x": [1000, 0, 0]}, [0, 1, 2], [0, 2, 6],
    ),
    Trap(
        "a tensor is read twice at subscripts that coincide for one element",
        "input x[8]\nf[i: 4] = x[i] + x[2*i]",
        {"x": X8}, [0, 5, 20, 45], [1 + 1, 2, 3 + 2, 4, 3, 0, 4, 0],
    ),
    Trap(
        "a tensor is multiplied by itself at subscripts that coincide for one element",
        "input x[4]\nf[i: 2] = x[i] * x[2*i]",
        {"x": [3, 5, 7, 11]}, [9, 35], [6, 2 * 7, 2 * 5, 0],
    ),
    Trap(
        "a negative coefficient",
        "input x[4]\nf[i: 4] = x[3 - i]",
        {"x": [1, 2, 3, 4]}, [4, 3, 2, 1], [4, 3, 2, 1],
    ),
    Trap(
        "a negative coefficient that is no unit",
        "input x[8]\nf[i: 3] = x[6 - 3*i]",
        {"x": X8}, [36, 9, 0], [3, 0, 0, 2, 0, 0, 1, 0],
    ),
    Trap(
        "more indices than dimensions",
        "input x[3]\nf[i, j: 2] = x[i]",
        {"x": [1, 2, 3]}, [[1, 1], [2, 2], [3, 3]], [1 + 2, 3 + 4, 5 + 6],
    ),
    Trap(
        "more dimensions than indices",
        "input x[3, 2, 3]\nf[i] = x[i, 1, 2 - i]",
        {"x": np.arange(18).reshape(3, 2, 3)},
        [5, 10, 15],
        [[[0] * 3, [0, 0, 1]], [[0] * 3, [0, 2, 0]], [[0] * 3, [3, 0, 0]]],
    ),
    Trap(
        "a tensor of dimension 0 is read everywhere",
        "input x[]\nf[i: 3] = x * i",
        {"x": 5}, [0, 5, 10], 0 * 1 + 1 * 2 + 2 * 3,
    ),
    Trap(
        "an output of dimension 0",
        "input x[3]\nf = sum{i} i * x[i]",
        {"x": [5, 6, 7]}, 20, [0, 1, 2],
    ),
    Trap(
        "an extent of 1",
        "size N, K\ninput x[N], w[K]\nf[i] = sum{k} x[i + k] * w[k]",
        {"x": [3, 4, 5], "w": [2]}, [6, 8, 10], [2, 4, 6],
    ),
    Trap(
        "every extent is 1",
        "size N\ninput x[N, N]\nf[i] = sum{j | j <= i} x[i, j]",
        {"x": [[7]]}, [7], [[1]],
    ),
    Trap(
        "an index that is divided and rounded down, below zero too",
        "input x[6]\nf[i: 6] = x[(i - 5) // 2 + 3]",
        {"x": range(6)}, [0, 1, 1, 2, 2, 3], [1, 2 + 3, 4 + 5, 6, 0, 0],
    ),
    Trap(
        "the rest of a division is not negative",
        "input x[3]\nf[i: 5] = x[(i - 4) % 3]",
        {"x": [10, 11, 12]}, [12, 10, 11, 12, 10], [2 + 5, 3, 1 + 4],
    ),
    Trap(
        "a branch that is not taken contributes nothing, through an earlier statement too",
        "input x[3]\nt[i] = sqrt(x[i])\nf[i] = if x[i] > 0 then t[i] else 0",
        {"x": [4, 0, -1]}, [2, 0, 0], [0.25, 0, 0],
    ),
    Trap(
        "a cotangent of zero contributes nothing, whatever it multiplies",
        "input x[2]\nf[i] = log(x[i])",
        {"x": [2, 0]}, [np.log(2), -inf], [0.5, 0], cotangent=[1, 0],
    ),
    Trap(
        "elements of an earlier tensor that nobody reads contribute nothing",
        "input x[3]\nt[i] = log(x[i])\nf[i: 2] = t[i]",
        {"x": [1, 2, 0]}, [0, np.log(2)], [1, 1, 0],
    ),
    Trap(
        "an inner sum is computed only where the outer one reaches it",
        "input x[3]\nf[l: 4] = sum{m: 3 | m + l <= 0} sum{k: 2} x[l + k]",
        {"x": [1, 2, 3]}, [3, 0, 0, 0], [1, 1, 0],
    ),
    Trap(
        "coefficients that need 64 bits",
        "input x[3]\nf[i: 3] = sum{k=0..2 | 5000000000*k <= 5000000000*i} x[k]",
        {"x": [1, 2, 3]}, [1, 3, 6], [6, 5, 3],
    ),
]
# fmt: on

# Extents of 0 are compiled for their numbers, which the backends of `tadc.compile` do and one `.cu` does not.
EMPTY = [
    Trap("an input without elements", "size N\ninput x[N]\nf[i] = 2 * x[i]", {"x": []}, [], []),
    Trap("a minimum in a sum whose index has one value", "input x[5]\nf = sum{j: 1 | j % 2 = 0} min{k: 5} x[k]", {"x": X5}, 10, [1, 0, 0, 0, 0]),
    Trap("a range in a sum whose end depends on another index of it", "input x[5]\nf[a: 2] = sum{i: 5, j=a+1..i-1} x[i]*j", {"x": X5}, [450, 330], [0, 0, 1, 7, 16]),
    Trap("a sum over nothing", "size N\ninput x[N]\nf = sum{i} x[i]", {"x": []}, 0, []),
    Trap(
        "a product with no columns",
        "size N, K, M\ninput a[N, K], b[K, M]\nf[i, j] = sum{k} a[i, k] * b[k, j]",
        {"a": np.zeros((2, 0)), "b": np.zeros((0, 3))}, np.zeros((2, 3)), np.zeros((2, 0)),
    ),
    Trap(
        "a product with no rows",
        "size N, K, M\ninput b[K, M], a[N, K]\nf[i, j] = sum{k} a[i, k] * b[k, j]",
        {"b": np.ones((2, 3)), "a": np.zeros((0, 2))}, np.zeros((0, 3)), np.zeros((2, 3)),
    ),
]  # fmt: skip

ALL = pytest.mark.parametrize("trap", [*TRAPS, *EMPTY], ids=lambda t: t.name)
EMITTED = pytest.mark.parametrize("trap", TRAPS, ids=lambda t: t.name)


def agrees(found, expected):
    expected = np.asarray(expected, np.float64)
    assert np.shape(found) == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@ALL
@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_trap(trap, backend):
    f = tadc.compile(trap.text, backend=backend)

    value, pullback = f.vjp(**trap.arrays)

    agrees(value, trap.value)
    agrees(pullback(trap.cotangents)[f.inputs[0]], trap.gradient)


@cache
def batch():
    """All rows as one library."""
    return HostBatch(
        [cuda(tadc.compile(t.text, name=f"trap_{k}"), "float64") for k, t in enumerate(TRAPS)]
    )


@EMITTED
@pytest.mark.compiler
def test_trap_in_cuda(trap):
    f = tadc.compile(trap.text)
    adjoint = f.adjoint()
    arrays = {**trap.arrays, adjoint.inputs[-1]: trap.cotangents}
    number = TRAPS.index(trap)

    value = batch().run(number, "primal", trap.arrays, bound(f, trap.arrays))
    gradients = batch().run(number, "adjoint", arrays, bound(adjoint, arrays))

    agrees(value[f.outputs[0]], trap.value)
    agrees(gradients[adjoint.outputs[0]], trap.gradient)


@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_a_sum_over_nothing_of_infinity_has_no_gradient(backend):
    f = tadc.compile("input x[], y[0]\nf = sum{i=0..-1} exp(x)", backend=backend)

    value, pullback = f.vjp(1000.0, np.zeros(0))

    assert value == 0
    assert pullback(1.0)["x"] == 0


def test_conditions_of_the_program_become_bounds_of_loops():
    f = tadc.compile("size N, M\ninput x[N]\nf[i: M] = sum{j | i <= j and j <= i + 2} x[j]")

    assert "dx[j: N] = sum{i=max(0, j - 2)..min(M - 1, j)} df[i]" in str(f.adjoint())
    loops = f.adjoint().source("cuda").split("for (int i")[1]
    assert "if (" not in loops.split("}")[0]


@pytest.mark.parametrize("factor", [2**63, 10**30])
def test_coefficients_beyond_64_bits_are_refused_where_the_target_would_overflow(factor):
    f = tadc.compile(f"input x[3]\nf[i: 3] = sum{{k=0..2 | {factor}*k <= {factor + 1}*i}} x[k]")

    with pytest.raises(tadc.BackendError, match="64 bits"):
        f.source("cuda")


@pytest.mark.parametrize("factor", [2**63, 10**30])
@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_coefficients_beyond_64_bits_are_computed_exactly_or_refused(factor, backend):
    f = tadc.compile(
        f"input x[3]\nf[i: 3] = sum{{k=0..2 | {factor}*k <= {factor + 1}*i}} x[k]", backend=backend
    )

    try:
        value, pullback = f.vjp([1.0, 2.0, 3.0])
        gradient = pullback([1.0, 2.0, 3.0])["x"]
    except tadc.BackendError:
        return

    agrees(value, [1, 3, 6])
    agrees(gradient, [6, 5, 3])


def test_a_planted_error_is_noticed():
    wrong = TRAPS[2]
    f = tadc.compile(wrong.text.replace("2*i", "i"))

    with pytest.raises(AssertionError):
        agrees(f(**wrong.arrays), wrong.value)
