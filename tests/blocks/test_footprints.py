"""Footprints: the worked examples, and random programs against brute force."""

from __future__ import annotations

import random

import pytest
from random_programs import random_program
from test_random_programs import compiled

import tadc
from blocks.elements_read import elements_of, elements_read, hull
from tadc.blocks import footprints as footprints_module
from tadc.blocks.boxes import joined, union_count
from tadc.integer import UNDECIDED

CONVOLUTION = "size P = 12\ninput x[P], w[3]\ny[i: P-2] = sum{r: 3} x[i+r]*w[r]"
WAVE = """size X, Y, Z
input u[X,Y,Z], before[X,Y,Z], v[X,Y,Z]
next[x: X, y: Y, z: Z] = 2*u[x,y,z] - before[x,y,z] + v[x,y,z]*(u[pad(x-1),y,z] + u[pad(x+1),y,z]
    + u[x,pad(y-1),z] + u[x,pad(y+1),z] + u[x,y,pad(z-1)] + u[x,y,pad(z+1)] - 6*u[x,y,z])"""
STRIDED = "input x[8,3,33,33], w[4,3,3,3]\ny[n,o,p,q] = sum{c,r,t} x[n,c,2*p+r,2*q+t]*w[o,c,r,t]"
HANKEL = "input h[60], x[25]\ny[i] = sum{j} h[i+j]*x[j]"
CAUSAL = "input a[20,20], x[20]\ny[i] = sum{j | j <= i} a[i,j]*x[j]"
REPEATED = "size N = 8\ninput x[N], w[3]\ny[i: 3*N] = x[i//3]*w[i%3]"
TWICE = """size N = 9; input x[N]; t[i: N] = x[pad(i-1)] + x[pad(i+1)]
y[i: N] = t[pad(i-1)] + t[pad(i+1)]"""


def one(subscript, extent="N"):
    return f"size N = 12\ninput x[{extent}]\ny[i: N] = x[{subscript}]"


CUBE = [(64, 128), (0, 64), (0, 256)]
AROUND = [(63, 129), (0, 65), (0, 256)]
# A text, a mode, a target with its box, and the smallest box that is read of each tensor.
EXAMPLES = [
    (CONVOLUTION, "y", [(4, 8)], {"x": [(4, 10)], "w": [(0, 3)]}),
    (CONVOLUTION, "dx", [(4, 8)], {"dy": [(2, 8)], "w": [(0, 3)]}),
    (CONVOLUTION, "dx", [(0, 4)], {"dy": [(0, 4)], "w": [(0, 3)]}),
    (CONVOLUTION, "dx", [(8, 12)], {"dy": [(6, 10)], "w": [(0, 3)]}),
    (CONVOLUTION, "dw", [(0, 3)], {"x": [(0, 12)], "dy": [(0, 10)]}),
    (WAVE, "next", CUBE, {"u": AROUND, "before": CUBE, "v": CUBE}),
    (WAVE, "du", CUBE, {"dnext": AROUND, "v": AROUND}),
    (
        STRIDED,
        "y",
        [(0, 4), (0, 4), (4, 8), (0, 16)],
        {"x": [(0, 4), (0, 3), (8, 17), (0, 33)], "w": [(0, 4), (0, 3), (0, 3), (0, 3)]},
    ),
    (
        STRIDED,
        "dx",
        [(0, 4), (0, 3), (8, 16), (0, 33)],
        {"dy": [(0, 4), (0, 4), (3, 8), (0, 16)], "w": [(0, 4), (0, 3), (0, 3), (0, 3)]},
    ),
    (HANKEL, "y", [(10, 20)], {"h": [(10, 44)], "x": [(0, 25)]}),
    (HANKEL, "dh", [(30, 40)], {"dy": [(6, 36)], "x": [(0, 25)]}),
    (CAUSAL, "y", [(5, 10)], {"a": [(5, 10), (0, 10)], "x": [(0, 10)]}),
    (CAUSAL, "dx", [(5, 10)], {"a": [(5, 20), (5, 10)], "dy": [(5, 20)]}),
    (CAUSAL, "da", [(0, 5), (5, 10)], {}),
    (REPEATED, "y", [(7, 13)], {"x": [(2, 5)], "w": [(0, 3)]}),
    (one("clamp(i+5)"), "y", [(8, 12)], {"x": [(11, 12)]}),
    (one("N-1-i"), "y", [(0, 4)], {"x": [(8, 12)]}),
    (one("wrap(i-1)"), "y", [(0, 4)], {"x": [(0, 12)]}),
    (one("2*i", "2*N"), "y", [(3, 6)], {"x": [(6, 11)]}),
    (one("2*i", "2*N"), "dx", [(3, 6)], {"dy": [(2, 3)]}),
    (one("2*i", "2*N"), "dx", [(3, 4)], {}),
]


@pytest.mark.parametrize(("text", "target", "box", "boxes"), EXAMPLES)
def test_worked_examples(text, target, box, boxes):
    f = tadc.compile(text)
    f = f if target in f.outputs else f.adjoint()
    sizes = dict.fromkeys(f.sizes, 256)

    found = f.footprints(target, box, **sizes)

    assert {t: list(p.box) for t, p in found.items()} == boxes
    assert all(p.is_exact for p in found.values())


@pytest.mark.parametrize(("target", "tensors"), [("next", ["u"]), ("du", ["dnext", "v"])])
def test_a_star_of_seven_points_is_seven_boxes(target, tensors):
    f = tadc.compile(WAVE)
    f = f if target == "next" else f.adjoint()
    found = f.footprints(target, CUBE, X=256, Y=256, Z=256)

    for tensor in tensors:
        assert len(found[tensor].boxes) == 7
        assert found[tensor].elements == 64 * 64 * 256 + (64 + 2 * 64) * 256
        assert found[tensor].bytes == 8 * found[tensor].elements


def test_the_two_ends_of_a_periodic_read_are_two_boxes():
    found = tadc.compile(one("wrap(i-1)")).footprints("y", slice(0, 4))["x"]

    assert sorted(found.boxes) == [((0, 3),), ((11, 12),)]
    assert found.elements == 4


@pytest.mark.parametrize(
    ("box", "t", "x"),
    [((0, 3), (0, 4), (0, 5)), ((3, 6), (2, 7), (1, 8)), ((6, 9), (5, 9), (4, 9))],
)
def test_footprints_through_an_intermediate_have_its_halo(box, t, x):
    f = tadc.compile(TWICE)

    through = f.footprints("y", box, through="t")
    direct = f.footprints("y", box)

    assert {n: p.box for n, p in through.items()} == {"t": (t,), "x": (x,)}
    assert {n: p.box for n, p in direct.items()} == {"t": (t,)}


@pytest.mark.parametrize(
    ("condition", "boxes"),
    [
        ("i = 4", [((0, 4),), ((5, 9),)]),
        ("2 <= i and i <= 5", [((0, 2),), ((6, 9),)]),
        ("i < 3", [((3, 9),)]),
    ],
)
def test_the_other_branch_of_a_choice_is_read_in_disjoint_pieces(condition, boxes):
    f = tadc.compile(f"size N; input x[N]; y[i: N] = if {condition} then 0 else x[i]")

    assert sorted(f.footprints("y", (0, 9), N=9)["x"].boxes) == boxes


def test_what_is_not_decided_is_the_whole_dimension(monkeypatch):
    monkeypatch.setattr(footprints_module, "smallest_point", lambda *_: UNDECIDED)
    found = tadc.compile("size N, M; input x[N,M]; y[i: N] = x[i//2 + i%2, 0]").footprints(
        "y", (0, 4), N=23, M=5
    )

    assert found["x"].box == ((0, 23), (0, 1))
    assert not found["x"].is_exact


def test_an_empty_box_reads_nothing():
    assert tadc.compile(CONVOLUTION).footprints("y", (4, 4)) == {}


def test_a_size_of_zero_is_allowed():
    f = tadc.compile("y[i: N] = if N < 1 then x[i] else x[i] + z[0]; input x[N], z[1]")

    assert f.footprints("y", (0, 0), N=0) == {}


@pytest.mark.parametrize(
    ("target", "box", "options", "says"),
    [
        ("z", (0, 1), {}, "`z` is no tensor"),
        ("x", (0, 1), {}, "`x` is an input"),
        ("y", (0, 11), {}, "[0, 11)"),
        ("y", ((0, 1), (0, 1)), {}, "1 dimension"),
        ("y", "all", {}, "1 dimension"),
        ("y", (0, "all"), {}, "two integers"),
        ("y", slice(0, 4, 2), {}, "step 2"),
        ("y", (0, 1), {"through": "t"}, "`t` in `through`"),
        ("y", (0, 1), {"Q": 3}, "no size `Q`"),
    ],
)
def test_boxes_that_do_not_fit_are_errors(target, box, options, says):
    with pytest.raises(tadc.Error) as error:
        tadc.compile(CONVOLUTION).footprints(target, box, **options)
    assert says in str(error.value)


def test_a_size_without_a_number_is_an_error():
    with pytest.raises(tadc.ShapeError):
        tadc.compile(WAVE).footprints("next", CUBE, X=256, Y=256)


def test_boxes_that_make_one_are_joined():
    assert joined([((0, 2), (0, 3)), ((2, 4), (0, 3)), ((1, 2), (1, 2))]) == [((0, 4), (0, 3))]
    assert union_count([((0, 2), (0, 2)), ((1, 3), (1, 3))]) == 7
    assert union_count([(), ()]) == 1


# ---------------------------------------------------------------------- brute force

PLAIN, ALL = 4, 120
SEEDS = [
    pytest.param(level, seed, marks=[] if seed < PLAIN else [pytest.mark.slow])
    for level in ("core", "full")
    for seed in range(ALL)
]


@pytest.mark.parametrize(("level", "seed"), SEEDS)
def test_footprints_are_what_a_block_reads(level, seed):
    """Smallest boxes exactly, where they are said to be, and no element missing: of values and gradients."""
    program = random_program(seed, level=level)
    choice = random.Random(seed)
    f = compiled(level, seed)
    for g in (f, f.adjoint()):
        shapes = program.inputs | {f"d{o}": s for o, s in program.outputs.items()}
        given = {n: shapes[n] for n in g.inputs}
        sizes = g.calls.sizes(given, {s: program.numbers[s] for s in g.sizes if s in program.sizes})
        for statement in choice.sample(g.program.statements, min(3, len(g.program.statements))):
            box = some_box(choice, [n.at(sizes) for n in statement.target.shape])
            given = {s: sizes[s] for s in g.program.sizes}
            found = g.footprints(statement.target.name, box, **given)
            agree(found, elements_read(statement, sizes, box))


def some_box(choice, shape):
    lows = [choice.randrange(n + 1) for n in shape]
    return tuple((low, choice.randint(low, n)) for low, n in zip(lows, shape, strict=True))


def agree(found, read):
    assert found.keys() >= read.keys()
    for tensor, footprint in found.items():
        boxes = set().union(*map(elements_of, footprint.boxes))
        assert read.get(tensor, set()) <= boxes
        assert len(boxes) == footprint.elements
        assert boxes <= elements_of(footprint.box)
        if footprint.is_exact:
            assert footprint.box == hull(read[tensor])
