"""Expensive values of positions: computed once for a statement of positions and for sums over lists, where they are the same."""

import numpy as np
import pytest

import tadc
from tadc.printing.idx import program_text
from tadc.schedule.rewrite.position_values import with_position_values

SOFTMAX = "size N\nz[i: N] = sum{e | d[e] = i} exp(u[e] - m[i])\na[e] = exp(u[e] - m[d[e]])/z[d[e]]"
HEADS = "size N\nz[i: N, h] = sum{e | d[e] = i} exp(u[e,h]*m[i,h])\na[e,h] = exp(u[e,h]*m[d[e],h])/z[d[e],h]"
MOVED = "size N\nz[i: N] = sum{e | d[e] + 1 = i} exp(u[e] - m[i])\na[e] = exp(u[e] - m[d[e]+1])/z[d[e]+1]"
SAME = (SOFTMAX, HEADS, MOVED)
OTHERS = {
    "of other data": "size N\nz[i: N] = sum{e | d[e] = i} exp(u[e] - m[i])\na[e] = exp(u[e] - m[b[e]])*z[d[e]]",
    "a list of other data": "size N\nz[i: N] = sum{e | b[e] = i} exp(u[e] - m[i])\na[e] = exp(u[e] - m[d[e]])*z[d[e]]",
    "of more positions": "size N, E\ninput u[E+1], d[E+1]\nz[i: N] = sum{e | d[e] = i} exp(u[e] - m[i])\na[e: E] = exp(u[e] - m[d[e]])/z[d[e]]",
    "behind a condition": "size N\nz[i: N] = sum{e | d[e] = i} exp(u[e] - m[i])\na[e] = if d[e] > 0 then exp(u[e] - m[d[e]]) else z[0]",
    "of another place": "size N\nz[i: N] = sum{e | d[e] = i} exp(u[e] - m[i])\na[e: 20] = exp(u[e] - m[d[e+1]])*z[d[e]]",
}


def exponentials(text):
    f = tadc.compile(text)
    return program_text(with_position_values(f.program)).count("exp(")


@pytest.mark.parametrize("text", SAME)
def test_a_value_of_positions_is_computed_once(text):
    assert exponentials(text) == 1


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_values_stay_where_they_are(text):
    assert exponentials(text) == 2


def arrays_of(f, rng):
    edges = 1300  # of which the first key has more than one piece
    keys = np.minimum(rng.zipf(1.5, edges) - 1, 7)
    given = {"d": keys, "b": rng.permutation(keys), "m": rng.random(9), "u": rng.random(edges)}
    if len(f.program.tensors["u"].shape) == 2:
        given |= {"m": rng.random((9, 3)), "u": rng.random((edges, 3))}
    return {n: given[n] for n in f.inputs} | {"N": 9}


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("text", SAME)
def test_values_and_gradients_are_those_of_the_interpreter(text):
    f, g, h = (tadc.compile(text, backend=b) for b in ("interpreter", "native", "numpy"))
    arrays = arrays_of(f, np.random.default_rng(3))
    y, pullback = f.vjp(**arrays)
    for other in (g, h):
        z, back = other.vjp(**arrays)
        np.testing.assert_allclose(z, y, rtol=1e-12)
        gradients = back(np.cos(np.arange(y.size)).reshape(y.shape))
        for n, value in pullback(np.cos(np.arange(y.size)).reshape(y.shape)).items():
            np.testing.assert_allclose(gradients[n], value, rtol=1e-9, atol=1e-12)
