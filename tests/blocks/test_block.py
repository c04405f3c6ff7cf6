"""Blocks: the rules that make their programs, each with a test, and random programs against the whole."""

from __future__ import annotations

import itertools
import pickle
import random
from dataclasses import replace

import numpy as np
import pytest
from random_programs import random_program
from test_random_programs import compiled

import tadc
from blocks.elements_read import elements_of
from tadc.function.boxes import block_sizes
from tadc.runtime.interpreter import interpret

CONVOLUTION = "size P = 12\ninput x[P], w[3]\ny[i: P-2] = sum{r: 3} x[i+r]*w[r]"
NUMBERS = {"I": 4, "K": 4, "J": 4}
MATMUL = "size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]"
CAUSAL = "size N\ninput a[N,N], x[N]\ny[i] = sum{j | j <= i} a[i,j]*x[j]"
TWICE = """size N; input x[N]; t[i: N] = x[pad(i-1)] + x[pad(i+1)]
y[i: N] = t[pad(i-1)] + t[pad(i+1)]"""


def text(source, target, mode=None, **options):
    f = tadc.compile(source)
    return str((f.adjoint() if mode else f).block(target, **options))


def test_the_block_of_a_gradient_has_the_conditions_of_the_whole():
    assert text(CONVOLUTION, "dx", "adjoint") == (
        "size o_0 >= 0, n_0, dy_o0 >= 0, dy_n0\n"
        "require dy_n0 + dy_o0 <= 10\n"
        "require n_0 + o_0 <= 12\n"
        "input w[3], dy[dy_n0]\n"
        "output dx\n"
        "dx[i: n_0] = sum{r=max(0, i + o_0 - 9)..min(2, i + o_0)} dy[i + o_0 - dy_o0 - r]*w[r]\n"
    )


def test_offsets_vanish_where_they_can():
    assert text(CONVOLUTION, "y").endswith("y[i: n_0] = sum{r=0..2} x[i + r]*w[r]\n")
    assert "y[i: n_0] = x[n_0 - i - 1]" in text("size N; input x[N]\ny[i: N] = x[N-1-i]", "y")


def test_the_block_of_a_matrix_product_is_one():
    block = tadc.compile(MATMUL).block("c", split="k")

    assert str(block).endswith(
        "input a[n_0, rn_0], b[rn_0, n_1]\n"
        "output c\n"
        "c[i: n_0, j: n_1] = sum{k=0..rn_0 - 1} a[i, k]*b[k, j]\n"
    )
    assert "a matrix product" in str(block.plan(n_0=1024, n_1=1024, rn_0=1024))


def test_extents_are_named_by_indices_where_all_numbers_are_equal():
    block = tadc.compile("input a[64, 64], b[64, 64]\nc[i,j] = sum{k} a[i,k]*b[k,j]").block(
        "c", split="k"
    )

    assert "a[n_0, rn_0], b[rn_0, n_1]" in str(block)


def test_a_part_of_a_sum_under_a_condition():
    block = tadc.compile(CAUSAL).block("y", split="j")
    rng = np.random.default_rng(0)
    a, x = rng.normal(size=(20, 20)), rng.normal(size=20)
    whole = tadc.compile(CAUSAL)(a, x)

    parts = [
        block(
            a=a[5:10, lows:highs], x=x[lows:highs], **block.sizes_of((5, 10), (lows, highs), N=20)
        )
        for lows, highs in ((0, 5), (5, 10))
    ]

    np.testing.assert_allclose(sum(parts), whole[5:10])


@pytest.mark.parametrize(
    ("target", "box", "cut", "boxes"),
    [
        ("y", (10, 20), (10, 20), {"h": (20, 39), "x": (10, 20)}),
        ("dh", (0, 16), (0, 10), {"dy": (0, 16), "x": (0, 10)}),
        ("dh", (0, 16), (10, 20), {"dy": (0, 6), "x": (10, 16)}),
        ("dh", (0, 16), (20, 25), {}),
    ],
)
def test_what_a_part_of_a_sum_reads(target, box, cut, boxes):
    f = tadc.compile("input h[60], x[25]\ny[i] = sum{j} h[i+j]*x[j]")
    f = f if target == "y" else f.adjoint()
    placed = block_sizes(f.block(target, split="j"), box, (cut,), {})

    assert {t: p.box[0] for t, p in placed.footprints.items()} == boxes


@pytest.mark.parametrize(("low", "size"), [("-1", {}), ("-R", {"R": 1}), ("1 - N", {})])
def test_parts_of_an_index_that_begins_below_zero(low, size):
    f = tadc.compile(f"size N, R; input x[N]\ny[i: N] = sum{{r={low}..2}} x[pad(i+r)]*(r + R)")
    block = f.block("y", split="r")
    x, numbers = np.arange(1.0, 8), {"N": 7, "R": 1}
    parts = []
    for cut in ((1 - 7 if low == "1 - N" else -1, 0), (0, 3)):
        sizes = block.sizes_of((2, 5), cut, **numbers)
        o, n = sizes["x_o0"], sizes["x_n0"]
        parts.append(block(x[o : o + n], **sizes))

    np.testing.assert_allclose(sum(parts), f(x, R=1)[2:5])
    with pytest.raises(tadc.ArgumentError, match="counted from"):
        block.sizes_of((2, 5), (-9, 0), **numbers)


def test_what_a_block_never_evaluates_is_no_input():
    """`g` is needed at 3 alone, where `b` is not read."""
    f = tadc.compile("input x[8], b[1]; g[l: 8] = if 1 <= l then x[l] else b[l]; y[m: 2] = g[3]*m")
    block = f.block("y", through="g")

    assert block.inputs == ("x",)
    assert block(np.arange(1.0), **block.sizes_of((1, 2))).shape == (1,)


def test_what_only_larger_sizes_read_has_an_extent_of_its_own():
    """`v` would have N - 19 rows, and there are sizes for which it is not read."""
    f = tadc.compile("size N; input v[N]; y[i: N] = if 17 <= i then v[i-17] else 0")
    block = f.block("y")
    sizes = block.sizes_of((0, 5), N=5)

    assert sizes["v_n0"] == 1
    assert np.array_equal(block(np.full(1, np.nan), **sizes), np.zeros(5))


def test_what_is_not_read_has_one_element():
    f = tadc.compile(CAUSAL).adjoint()
    block = f.block("da")
    sizes = block.sizes_of([(0, 5), (5, 10)], N=20)
    shapes = [[n.at(sizes) for n in t.shape] for t in block.program.inputs]

    result = block(*(np.full(s, np.nan) for s in shapes), **sizes)

    assert shapes == [[1], [1]]
    assert np.array_equal(result, np.zeros((5, 5)))


def test_intermediates_inside_are_computed_with_their_halo():
    f = tadc.compile(TWICE)
    block = f.block("y", through="t")
    x = np.arange(9.0) ** 2
    sizes = block.sizes_of((3, 6), N=9)

    assert (sizes["t_o0"], sizes["t_n0"], sizes["x_o0"], sizes["x_n0"]) == (2, 5, 1, 7)
    assert np.array_equal(block(x[1:8], **sizes), f(x)[3:6])


def test_an_index_as_a_value_and_a_size_as_a_value_are_those_of_the_whole():
    f = tadc.compile("size N; input x[N]\ny[i: N] = i*x[i] + N")
    block = f.block("y")
    sizes = block.sizes_of((4, 8), N=12)

    assert np.array_equal(block(np.ones(4), **sizes), f(np.ones(12))[4:8])


@pytest.mark.parametrize(
    "make", [lambda b: tadc.compile(str(b)), lambda b: pickle.loads(pickle.dumps(b))]
)
def test_a_block_is_a_program_like_any_other(make):
    f = tadc.compile(CONVOLUTION).adjoint()
    block = f.block("dx")
    again = make(block)
    sizes = block.sizes_of((4, 9))
    rng = np.random.default_rng(0)
    w, dy = rng.normal(size=3), rng.normal(size=7)
    assert sizes == {"o_0": 4, "n_0": 5, "dy_o0": 2, "dy_n0": 7}

    assert np.array_equal(block(w, dy, **sizes), again(w, dy, **sizes))
    gradients = [b.vjp(w, dy, **sizes)[1](np.ones(5)) for b in (block, again)]
    assert all(np.array_equal(gradients[0][n], gradients[1][n]) for n in ("w", "dy"))


def test_reads_of_a_block_are_not_proved_again():
    block = tadc.compile(CONVOLUTION).adjoint().block("dx")

    assert not block._resolved.checks
    with pytest.raises(tadc.ShapeError, match="requires"):
        block(np.ones(3), np.ones(7), o_0=9, n_0=5, dy_o0=2, dy_n0=7)


@pytest.mark.parametrize(
    ("right", "inputs"),
    [
        ("x[i] - x[wrap(i-1)]", ("x", "x_1")),
        ("x[wrap(i-1)] + x[wrap(i+1)]", ("x", "x_1", "x_2")),
        ("x[i] + x[N-1-i]", ("x", "x_1")),
        ("x[clamp(i-1)] + x[clamp(i+1)]", ("x",)),
        ("x[reflect(i-1)] + x[reflect(i+1)]", ("x",)),
        ("x[pad(i-3)] + x[pad(i+3)]", ("x",)),
    ],
)
def test_reads_that_are_far_apart_have_inputs_of_their_own(right, inputs):
    f = tadc.compile(f"size N; input x[N]\ny[i: N] = {right}")
    block = f.block("y")
    x = np.arange(1.0, 41)

    assert {*block.inputs} == {*inputs}
    for low, high in ((0, 10), (10, 30), (30, 40)):
        placed = block_sizes(block, (low, high), (), {"N": 40})
        slices = {n: slice(*box[0]) for n, box in placed.boxes.items()}
        parts = {
            n: x[s] if n in placed.footprints else np.full(1, np.nan) for n, s in slices.items()
        }
        assert all(len(part) <= high - low + 6 for part in parts.values())
        sizes = {s: placed.sizes[s] for s in block.sizes}
        assert np.array_equal(block(**parts, **sizes), f(x)[low:high])


def test_the_gradient_of_a_block_has_its_parts_of_a_tensor():
    block = tadc.compile("size N; input x[N]\ny[i: N] = x[i] - x[wrap(i-1)]").block("y")
    sizes = block.sizes_of((0, 3), N=9)
    _, pullback = block.vjp(np.ones(3), np.ones(1), **sizes)

    assert pullback(np.array([1.0, 10, 100]))["x"].tolist() == [-9, -90, 100]
    assert pullback(np.array([1.0, 10, 100]))["x_1"].tolist() == [-1]


def test_names_that_meet_get_an_underscore():
    block = tadc.compile("size N; input o_0[N], n_0[]\ny[i: N] = o_0[pad(i-1)]*n_0*i").block("y")

    assert "o_0_ >= 0, n_0_, o_0_o0 >= 0, o_0_n0" in str(block)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda f: f.block("z"), "no tensor that is computed"),
        (lambda f: f.block("a"), "is an input"),
        (lambda f: f.block("c", split="l"), "its indices are k"),
        (lambda f: f.block("c", through="a"), "there are none"),
        (lambda f: f.sizes_of([(0, 1), (0, 1)]), "no block"),
        (lambda f: f.block("c").sizes_of([(0, 1), (0, 9)], **NUMBERS), "[0, 9)"),
        (lambda f: f.block("c").sizes_of([(0, 1), (0, 1)], I=4, K=4), "J"),
        (lambda f: f.block("c", split="k").sizes_of([(0, 1), (0, 1)], **NUMBERS), "0 parts"),
        (lambda f: f.block("c", split="k").sizes_of([(0, 1), (0, 1)], (2, 2), **NUMBERS), "[2, 2)"),
        (lambda f: f.block("c").sizes_of([(0, 0), (0, 0)], **NUMBERS | {'I': 0}), "is 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_block_is_an_error(make, says):
    with pytest.raises(tadc.Error) as error:
        make(tadc.compile(MATMUL))
    assert says in str(error.value)


def test_parts_are_of_a_reduction_that_is_the_whole_right_side():
    with pytest.raises(tadc.ArgumentError, match="statement of its own"):
        tadc.compile("y[i] = exp(sum{k} a[i,k])").block("y", split="k")


# ---------------------------------------------------------------------- random programs

PLAIN, ALL = 3, 100
SEEDS = [
    pytest.param(level, seed, marks=[] if seed < PLAIN else [pytest.mark.slow])
    for level in ("core", "full")
    for seed in range(ALL)
]


@pytest.mark.parametrize(("level", "seed"), SEEDS)
def test_blocks_together_are_the_whole(level, seed):
    """Of values and gradients: equal bits by the interpreter, from buffers that are NaN where nothing is to be read."""
    program = random_program(seed, level=level)
    f = compiled(level, seed)
    arrays = program.sample() | {f"d{o}": c for o, c in program.cotangents().items()}
    choice = random.Random(seed)
    for g in (f, f.adjoint()):
        inputs = {n: arrays[n] for n in g.inputs}
        sizes = g.calls.sizes(
            {n: a.shape for n, a in inputs.items()},
            {s: program.numbers[s] for s in g.sizes if s in program.sizes},
        )
        if g.program.sizes and g.program.is_empty(sizes):
            continue
        names = [s.target.name for s in g.program.statements]
        every = replace(g.program, outputs=tuple(names))
        values = inputs | interpret(every, inputs, {s: sizes[s] for s in g.program.sizes})
        for target in choice.sample(names, min(3, len(names))):
            before = names[: names.index(target)]
            through = choice.sample(before, choice.randint(0, len(before)))
            check_blocks(g, target, through, values, sizes, choice)


def check_blocks(g, target, through, values, sizes, choice):
    block = g.block(target, through=through)
    given = {s: sizes[s] for s in g.program.sizes}
    for box in itertools.product(*(cuts(choice, n) for n in values[target].shape)):
        numbers = block.sizes_of(box, **given)
        placed = block_sizes(block, box, (), given)
        footprints, windows = placed.footprints, placed.boxes
        inputs = {}
        for t in block.program.inputs:
            buffer = np.full([n.at(block.program.size_values(numbers)) for n in t.shape], np.nan)
            if t.name in footprints:
                for element in set().union(*map(elements_of, footprints[t.name].boxes)):
                    place = tuple(
                        e - low for e, (low, _) in zip(element, windows[t.name], strict=True)
                    )
                    buffer[place] = values[placed.tensors[t.name]][element]
            inputs[t.name] = buffer
        (found,) = interpret(block.program, inputs, numbers).values()
        part = values[target][tuple(slice(*interval) for interval in box)]
        assert np.array_equal(found, part, equal_nan=True), (target, box)


def cuts(choice, extent):
    """The intervals of random uneven chunks."""
    ends = sorted({0, extent, *(choice.randrange(extent + 1) for _ in range(2))})
    return list(itertools.pairwise(ends))


def test_programs_whose_subscripts_come_from_data_have_no_blocks():
    f = tadc.compile("y[e] = x[k[e]]; input k[E]: index, x[N]")

    for call in (lambda: f.block("y"), lambda: f.footprints("y", (0, 2), E=3, N=4)):
        with pytest.raises(tadc.ArgumentError, match="elements of tensors are subscripts"):
            call()
