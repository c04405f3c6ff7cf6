"""Expensive values of positions: computed once for a statement of positions and for sums over lists, where they are the same."""

import numpy as np
import pytest

import tadc
from tadc.ir.expr import Call, Reduce
from tadc.ir.walk import postorder
from tadc.printing.idx import program_text
from tadc.schedule.rewrite.position_values import with_position_values

SOFTMAX = "size N\nz[i: N] = sum{e | d[e] = i} exp(u[e] - m[i])\na[e] = exp(u[e] - m[d[e]])/z[d[e]]"
HEADS = "size N\nz[i: N, h] = sum{e | d[e] = i} exp(u[e,h]*m[i,h])\na[e,h] = exp(u[e,h]*m[d[e],h])/z[d[e],h]"
MOVED = "size N\nz[i: N] = sum{e | d[e] + 1 = i} exp(u[e] - m[i])\na[e] = exp(u[e] - m[d[e]+1])/z[d[e]+1]"
SAME = (SOFTMAX, HEADS, MOVED)
REPEATED = {
    "for each column": ("size N\ny[i: N, c] = sum{e | d[e] = i} exp(u[e] - m[i])*x[b[e],c]", 1),
    "in two sums": ("size N\ny[i: N] = (sum{e | d[e] = i} exp(u[e]*m[i])) + sum{e | b[e] = i} exp(u[e]*m[d[e]])*m[i]\ninput m[N]", 1),
    "for each column, of distances": ("size N\ninput x[N, 3]\ny[i: N, c] = sum{e | d[e] = i} exp(-sum{a} (x[i,a] - x[b[e],a])**2)*(x[i,c] - x[b[e],c])", 1),
    "for each column, in two sums": (
        "size N\nz[i: N, c] = sum{e | d[e] = i} exp(u[e]*m[i])*x[b[e],c]\ny[i: N] = (sum{e | d[e] = i} exp(u[e]*m[i])) + sum{c} z[i,c]",
        1,
    ),
    "once": ("size N\ny[i: N] = sum{e | d[e] = i} exp(u[e] - m[i])", 0),
    "of a column": ("size N\ny[i: N, c] = sum{e | d[e] = i} exp(u[e] - x[i,c])*m[b[e]]", 0),
    "what a maximum runs over": ("size N\ny[i: N, c] = max{e | d[e] = i} exp(u[e]*m[i])*x[b[e],c]", 0),
    "under a condition": ("size N\ny[i: N, c] = sum{e | d[e] = i} (if b[e] < 3 then exp(u[e]*m[b[e]]) else 0)*x[i,c]", 1),
    "of a row": ("size N\ny[i: N, c] = sum{e = p[i]..p[i+1]-1} exp(u[e]*m[i])*x[b[e],c]", 0),
}  # fmt: skip
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


@pytest.mark.parametrize(("text", "stored"), REPEATED.values(), ids=REPEATED)
def test_a_value_that_sums_compute_more_than_once_for_a_position_is_stored(text, stored):
    before = tadc.compile(text).program
    after = with_position_values(before)
    assert len(after.statements) - len(before.statements) == stored
    sums = [
        e
        for s in after.statements
        for e in postorder(s.body)
        if isinstance(e, Reduce) and e.derived
    ]
    left = [
        o for e in sums for o in postorder(e.body) if isinstance(o, Call) and o.function == "exp"
    ]
    assert bool(left) != bool(stored)


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", [name for name, (_, stored) in REPEATED.items() if stored])
def test_stored_values_read_nothing_outside_where_a_position_is_in_no_list(name, backend):
    text, _ = REPEATED[name]
    f, g = (tadc.compile(text, backend=b, dtype="float64") for b in ("interpreter", backend))
    rng = np.random.default_rng(0)
    d, b = rng.integers(0, 4, 40), rng.integers(0, 4, 40)
    both = rng.random(40) < 0.2  # edges that are none lead anywhere
    d[both], b[both] = rng.choice([-1, 4, 2**40, -(2**62)], (2, both.sum()))
    given = {"d": d, "b": b, "u": rng.random(40), "m": rng.random(4), "x": rng.random((4, 3))}
    arrays = {n: given[n] for n in f.inputs} | {"N": 4}
    (y, pullback), (z, back) = f.vjp(**arrays), g.vjp(**arrays)
    np.testing.assert_allclose(z, y, rtol=1e-12)
    cotangent = np.cos(np.arange(y.size)).reshape(y.shape)
    gradients = back(cotangent)
    for n, value in pullback(cotangent).items():
        np.testing.assert_allclose(gradients[n], value, rtol=1e-9, atol=1e-12)


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
