"""The structure of a step, against brute force: every read of every element enumerated, and every order of the dimensions tried."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest

import tadc
from tadc.function.inverse_modes import sides_of
from tadc.function.krylov import Solver
from tadc.function.steps import steps_of
from tadc.inverse.structure import paired

# Subscripts of a dimension of extent n, and the place that they name in row i; None outside.
FORMS = {
    "{i}": lambda i, n: i,
    "pad({i}-1)": lambda i, n: i - 1 if i else None,
    "pad({i}+1)": lambda i, n: i + 1 if i + 1 < n else None,
    "pad({i}-3)": lambda i, n: i - 3 if i >= 3 else None,
    "clamp({i}-1)": lambda i, n: max(i - 1, 0),
    "clamp({i}+2)": lambda i, n: min(i + 2, n - 1),
    "wrap({i}+1)": lambda i, n: (i + 1) % n,
    "wrap({i}-2)": lambda i, n: (i - 2) % n,
    "pad(2*{i})": lambda i, n: 2 * i if 2 * i < n else None,
    "{i}//2": lambda i, n: i // 2,
    "{n}-1-{i}": lambda i, n: n - 1 - i,
    "pad({n}-2-{i})": lambda i, n: n - 2 - i if i <= n - 2 else None,
    "0": lambda i, n: 0,
}
# Sums over k in one dimension, by their conditions.
SUMS = {
    "k < {i}": lambda i, k: k < i,
    "k >= {i}": lambda i, k: k >= i,
    "k % 2 = {i} % 2": lambda i, k: k % 2 == i % 2,
    "k >= 0": lambda i, k: True,
}
REGIONS = {"{i} % 2 = 0": lambda i: i % 2 == 0, "{i} >= 1": lambda i: i >= 1}


def read_1(draw, n):
    """A read of a tensor `@` of extent n, and the columns that a row has by it."""
    if draw.random() < 0.25:
        condition, holds = draw.choice(list(SUMS.items()))
        text = f"(sum{{k | {condition.format(i='i')}}} sin(@[k]))"
        return text, lambda row: [(k,) for k in range(n) if holds(row[0], k)]
    form, place = draw.choice(list(FORMS.items()))
    return f"sin(@[{form.format(i='i', n=n)}])", lambda row: _inside((place(row[0], n),))


def read_2(draw, shape):
    """A read of a matrix `@`, in either order of its indices where it is square."""
    order = (1, 0) if shape[0] == shape[1] and draw.random() < 0.3 else (0, 1)
    forms = [draw.choice(list(FORMS.items())) for _ in shape]
    texts = (f.format(i="ij"[order[d]], n=shape[d]) for d, (f, _) in enumerate(forms))

    def columns(row):
        return _inside(tuple(p(row[order[d]], shape[d]) for d, (_, p) in enumerate(forms)))

    return f"sin(@[{', '.join(texts)}])", columns


def _inside(place):
    return [] if None in place else [place]


def program(seed):
    """A text with one step, the shape of its tensors, the columns (tensor, place) of each row, and the rows that it writes."""
    draw = random.Random(seed)
    shape = (draw.choice((1, 5, 8, 19)),) if draw.random() < 0.6 else draw.choice(((3, 3), (2, 4), (4, 17)))  # fmt: skip
    names = ("x", "z") if draw.random() < 0.2 else ("x",)
    index, extents = "ij"[: len(shape)], ", ".join(map(str, shape))
    region, writes = draw.choice(list(REGIONS.items())) if draw.random() < 0.2 and len(names) == 1 else ("", lambda i: True)  # fmt: skip
    updates, reads = [], {}
    for name in names:
        # Both tensors of a step read each other: else they are steps of their own.
        read = [(n, read_1(draw, shape[0]) if len(shape) == 1 else read_2(draw, shape)) for n in names * draw.randint(1, 2)]  # fmt: skip
        own = [(name, (f"3*@[{', '.join(index)}]", lambda row: [row]))]
        reads[name] = read + own * (draw.random() < 0.7)
        terms = (text.replace("@", n) for n, (text, _) in reads[name])
        left = f"{name}[{', '.join(index)}{' | ' + region.format(i='i') if region else ''}]"
        updates.append(f"  {left} <- {' + '.join(terms)}")
    lines = [f"state {', '.join(f'{n}[{extents}]' for n in names)}", "step {", *updates, "}"]
    entries = set()
    for k, name in enumerate(names):
        for row in itertools.product(*map(range, shape)):
            for other, (_, columns) in reads[name]:
                entries |= {((k, row), (names.index(other), c)) for c in columns(row)}
    return "\n".join(lines), shape, len(names), entries, lambda row: writes(row[0])


def classified(entries, shape, tensors, partial):
    """The kind of a block with these entries, and its band."""
    pairs = {(row, column) for (_, row), (_, column) in entries}
    distances = {tuple(c - r for r, c in zip(row, column, strict=True)) for row, column in pairs}
    rank = len(shape)
    if tensors == 1 and not partial and len(pairs) == len({r for r, _ in pairs}) == len({c for _, c in pairs}) and any(map(any, distances)):  # fmt: skip
        return "bijection", 0, 0
    batch = [d for d in range(rank) if not any(far[d] for far in distances)]
    rest = [d for d in range(rank) if d not in batch]
    m = tensors * int(np.prod([shape[d] for d in rest], dtype=int))
    flat = []
    for (a, row), (b, column) in entries:
        far = 0
        for d in rest:
            far = far * shape[d] + column[d] - row[d]
        flat.append(far * tensors + b - a)
    below, above = max([0, *(-f for f in flat)]), max([0, *flat])
    if m == 1:
        return "diagonal", 0, 0
    orders = itertools.product(itertools.permutations(range(rank)), itertools.product((1, -1), repeat=rank))  # fmt: skip
    if tensors == 1 and any(all(_before(far, *order) for far in distances) for order in orders):
        return "triangular", below, above
    if m <= 32 and (batch or tensors > 1):
        return "blocks", below, above
    if 2 * (below + above + 1) < m:
        return "banded", below, above
    if len(rest) == 1 and tensors == 1:
        around = [min((f + t * m for t in (-1, 0, 1)), key=abs) for f in flat]
        ring = max([0, *(-f for f in around)]), max([0, *around])
        if 2 * (4 * max(ring) + 1) < m:
            return "cyclic", *ring
    return "dense", below, above


def _before(far, order, signs):
    """Whether a place is not after the row that reads it, lexicographically in this order of the dimensions."""
    return tuple(signs[d] * far[d] for d in order) <= (0,) * len(far)


def analysis_of(text):
    """The analysis of the one step of a program, and the number that each of its tensors has among those that are replaced."""
    f = tadc.compile(text)
    sides = sides_of(f, None, None)
    (step,) = steps_of(f, sides.wrt, sides.of, Solver(4096))
    return step.analysis, ["xz".index(before) for _, before in paired(f.program, step.lump)]


def _inverse_at_ones(text):
    f = tadc.compile(text, backend="numpy")
    ones = np.ones([n.constant for n in f.program.tensors["x"].shape])
    return f.inverse_tangent()(ones, ones)


def check(seed):
    """Hold the structure of a random step against brute force; its kind."""
    text, shape, tensors, entries, writes = program(seed)
    inner = {((a, r), (b, c)) for (a, r), (b, c) in entries if writes(r) and writes(c)}
    places = {(k, p) for k in range(tensors) for p in itertools.product(*map(range, shape)) if writes(p)}  # fmt: skip
    if tensors == 1 and ({r for r, _ in inner} < places or {c for _, c in inner} < places):
        # Elements of sums are not counted one by one before a call, which says it then.
        run = _inverse_at_ones if "sum" in text else analysis_of
        with pytest.raises(tadc.DerivativeError, match=r"singular|nothing reads"):
            run(text)
        return "singular"
    if tensors == 2 and len({(a, b) for (a, _), (b, _) in entries}) < 4:
        return "apart"  # where one is not of itself or of the other, they are replaced one after the other
    partial = any(not writes(p) for p in itertools.product(*map(range, shape)))
    analysis, order = analysis_of(text)
    inner = {(row, (order.index(b), c)) for row, (b, c) in inner}
    s = analysis.structure
    found = (s.kind, 0, 0) if s.kind == "bijection" else (s.kind, s.below, s.above)
    assert found == classified(inner, shape, tensors, partial), text
    if analysis.turned is None:
        return s.kind
    at = np.array(list(np.ndindex(*shape)))[analysis.places]
    turned = {((0, tuple(map(int, at[np.ravel_multi_index(r, shape)]))), c) for (_, r), c in inner}
    t = analysis.turned
    assert (t.kind, t.below, t.above) == classified(turned, shape, 1, partial=True), text
    return "turned"


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.plain(seed=12)
def test_the_structure_of_a_step_is_that_of_its_enumerated_reads(seed):
    for k in range(4):
        check(4 * seed + k)


@pytest.mark.slow
def test_every_structure_occurs_among_the_enumerated_ones():
    kinds = Counter(map(check, range(300)))

    assert set(kinds) - {"apart"} == {"diagonal", "bijection", "triangular", "blocks", "banded", "cyclic", "dense", "turned", "singular"}  # fmt: skip
