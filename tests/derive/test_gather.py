"""Gradients of reads at random subscripts: every point of the program is enumerated and scatters to what it reads."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import numpy as np
import pytest
from programs import run

import tadc
from tadc.ir.expr import Reduce
from tadc.ir.walk import postorder

LETTERS = "ijklm"


@dataclass(frozen=True)
class Gather:
    """`f[left] = sum{inner | conditions} product of reads of x`, with bounds and subscripts as text that Python reads too."""

    left: dict[str, int]
    inner: dict[str, tuple[int, int]]
    conditions: tuple[str, ...]
    reads: tuple[tuple[str, ...], ...]
    shape: tuple[int, ...]

    @property
    def text(self):
        left = ", ".join(f"{i}: {n}" for i, n in self.left.items())
        body = "*".join(f"x[{', '.join(read)}]" for read in self.reads)
        if self.inner:
            ranges = ", ".join(f"{i}={low}..{high}" for i, (low, high) in self.inner.items())
            where = " | " + " and ".join(self.conditions) if self.conditions else ""
            body = f"sum{{{ranges}{where}}} {body}"
        elif self.conditions:
            body = f"if {' and '.join(self.conditions)} then {body} else 0"
        shape = ", ".join(map(str, self.shape))
        return f"input x[{shape}]\nf[{left}] = {body}"

    def terms(self):
        """The element of f and the elements of x that make each term."""
        for point in itertools.product(
            *(range(n) for n in self.left.values()),
            *(range(low, high + 1) for low, high in self.inner.values()),
        ):
            at = dict(zip([*self.left, *self.inner], point, strict=True))
            if all(holds(c, at) for c in self.conditions):
                places = [tuple(eval(form, {}, at) for form in read) for read in self.reads]
                yield point[: len(self.left)], places

    def value(self, x):
        f = np.zeros(tuple(self.left.values()))
        for element, places in self.terms():
            f[element] += np.prod([x[p] for p in places])
        return f

    def gradient(self, x, df):
        dx = np.zeros(self.shape)
        for element, places in self.terms():
            for k, place in enumerate(places):
                others = [x[p] for n, p in enumerate(places) if n != k]
                dx[place] += df[element] * np.prod(others)
        return dx

    def change(self, x, dx):
        df = np.zeros(tuple(self.left.values()))
        for element, places in self.terms():
            for k, place in enumerate(places):
                others = [x[p] for n, p in enumerate(places) if n != k]
                df[element] += dx[place] * np.prod(others)
        return df

    def curvature(self, x, df, direction):
        """The change of `gradient` with x in a direction."""
        change = np.zeros(self.shape)
        for element, places in self.terms():
            for k, m in itertools.permutations(range(len(places)), 2):
                others = [x[p] for n, p in enumerate(places) if n not in (k, m)]
                change[places[k]] += df[element] * direction[places[m]] * np.prod(others)
        return change


def holds(condition, at):
    return eval(condition.replace(" = ", " == "), {}, at)


def combination(rng, letters, largest=3):
    """An affine form that mentions about two of the letters; sometimes none, sometimes all with one coefficient."""
    terms = [
        f"{rng.choice([c for c in range(-largest, largest + 1) if c])}*{i}"
        for i in letters
        if rng.random() < 0.6
    ]
    return " + ".join(terms) or "0"


def form(rng, letters):
    match rng.randrange(8):
        case 0:
            return f"({combination(rng, letters)} + {rng.randint(-3, 3)}) // {rng.randint(2, 4)}"
        case 1:
            return f"({combination(rng, letters)} + {rng.randint(-3, 3)}) % {rng.randint(2, 4)}"
        case 2:
            letter = rng.choice(letters)
            return f"{letter} // 2 - 2*({letter} % 3)"
        case _:
            return combination(rng, letters)


def gather(seed):
    """A random one. Subscripts are moved so that the smallest index is 0, and x has up to two elements too many."""
    rng = random.Random(seed)
    letters = LETTERS[: rng.randint(1, 4)]
    count = rng.randint(1, min(2, len(letters)))
    left = {i: rng.randint(1, 4) for i in letters[:count]}
    inner = {}
    for i in letters[count:]:
        low = rng.randint(-2, 1)
        inner[i] = low, low + rng.randint(0, 3)
    relations = (
        lambda e: f"0 <= {e} + {rng.randint(-1, 3)}",
        lambda e: f"{e} <= {rng.randint(-1, 3)}",
        lambda e: f"{e} = {rng.randint(-1, 2)}",
        lambda e: f"({e}) % {rng.randint(2, 3)} = {rng.randint(0, 1)}",
    )
    conditions = []
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        e = combination(rng, letters)
        if e != "0":
            conditions.append(rng.choice(relations)(e))
    rank = rng.choice([0, 1, 1, 1, 2, 2, 3])
    reads = [[form(rng, letters) for _ in range(rank)] for _ in range(rng.choice([1, 1, 2, 3]))]
    draft = Gather(left, inner, tuple(conditions), tuple(map(tuple, reads)), ())
    shape = []
    for d in range(rank):
        met = [place[d] for _, places in draft.terms() for place in places]
        low, high = (min(met), max(met)) if met else (0, 0)
        reads = [[f"{e} - {low}" if n == d else e for n, e in enumerate(r)] for r in reads]
        shape.append(high - low + 1 + rng.choice([0, 0, 1, 2]))
    return Gather(left, inner, tuple(conditions), tuple(map(tuple, reads)), tuple(shape))


SEEDS = range(45)


def samples(seed, g):
    random = np.random.default_rng(seed)
    x, dx = random.uniform(0.5, 2, (2, *g.shape))
    df = random.uniform(0.5, 2, tuple(g.left.values()))
    return x, dx, df


@pytest.mark.parametrize("seed", SEEDS)
def test_every_point_scatters_to_what_it_reads(seed):
    g = gather(seed)
    f = tadc.compile(g.text)
    x, dx, df = samples(seed, g)

    value = run(f.program, {"x": x})["f"]
    gradient = run(f.adjoint().program, {"x": x, "df": df})["dx"]
    change = run(f.tangent().program, {"x": x, "dx": dx})["df"]

    np.testing.assert_allclose(value, g.value(x), rtol=1e-12, atol=1e-12, err_msg=g.text)
    np.testing.assert_allclose(gradient, g.gradient(x, df), rtol=1e-12, atol=1e-12, err_msg=g.text)
    np.testing.assert_allclose(change, g.change(x, dx), rtol=1e-12, atol=1e-12, err_msg=g.text)


@pytest.mark.plain(seed=12)
@pytest.mark.parametrize("seed", [s for s in SEEDS if len(gather(s).reads) > 1])
def test_second_derivatives_scatter_too(seed):
    g = gather(seed)
    f = tadc.compile(g.text)
    x, dx, df = samples(seed, g)
    expected = g.curvature(x, df, dx)
    forward, backward = f.adjoint().tangent(["x"]), f.tangent().adjoint(["x"])

    of_gradient = run(forward.program, {"x": x, "df": df, "dx_": dx})
    of_change = run(backward.program, {"x": x, "dx": dx, "ddf": df})

    for found in (*of_gradient.values(), *of_change.values()):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=g.text)


def test_quotients_of_what_an_element_gives_are_no_unknowns():
    """Of `x[q, ..]` each `q//3` is known: the element is read at one point."""
    f = tadc.compile(
        "input x[9,8,8]\ny[q: 9,i: 8,j: 8] = x[q,(i - q%3 + 1)%8,(j - q//3 + 1)%8]",
        backend="interpreter",
    )
    dy = np.random.default_rng(0).normal(size=(9, 8, 8))

    adjoint = f.adjoint()

    bodies = (s.body for s in adjoint.program.statements)
    assert not any(isinstance(e, Reduce) for body in bodies for e in postorder(body))
    shifts = [(1 - q % 3, 1 - q // 3) for q in range(9)]
    expected = [np.roll(dy[q], shift, (0, 1)) for q, shift in enumerate(shifts)]
    np.testing.assert_array_equal(adjoint(np.zeros_like(dy), dy), expected)
