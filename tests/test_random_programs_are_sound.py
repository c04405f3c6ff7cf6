"""The witness is examined before it testifies: finite differences, kinks known by heart, and the same programs always."""

import hashlib
import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_programs import LEVELS, RandomProgram, random_program
from random_programs.expressions import Apply2, Element, Number, Range, Reduction
from random_programs.indices import Form, Index, Subscript
from random_programs.program import Statement
from random_programs.tape import Run, Variable
from random_programs.tensors import Dimension, Tensor

SEEDS = range(300)


def smooth_programs(level, count):
    every = (random_program(seed, level) for seed in itertools.count())
    return itertools.islice((p for p in every if p.smooth), count)


def directional_errors(program, arrays, cotangents, gradients, step=1e-5):
    """For each input, the tape's derivative in a random direction less the central difference, relative."""
    rng = np.random.default_rng(program.seed)
    for name, array in arrays.items():
        direction = rng.uniform(-1, 1, array.shape)
        ends = [{**arrays, name: array + sign * step * direction} for sign in (1, -1)]
        above, below = (
            sum(float(np.sum(y * cotangents[f])) for f, y in program.evaluate(end).items())
            for end in ends
        )
        difference = (above - below) / (2 * step)
        exact = float(np.sum(gradients[name] * direction))
        yield abs(exact - difference) / (1 + abs(exact) + abs(difference))


@pytest.mark.parametrize("level", LEVELS)
def test_gradients_agree_with_finite_differences(level):
    for program in smooth_programs(level, 30):
        arrays, cotangents = program.sample(), program.cotangents()
        gradients = program.gradients(arrays, cotangents)

        errors = list(directional_errors(program, arrays, cotangents, gradients))

        assert max(errors, default=0) < 1e-6, program.text


def test_finite_differences_notice_a_planted_error():
    program = next(p for p in smooth_programs("core", 30) if "diagonal" in p.features)
    arrays, cotangents = program.sample(), program.cotangents()
    gradients = program.gradients(arrays, cotangents)
    largest = max(gradients, key=lambda name: np.max(np.abs(gradients[name])))
    gradients[largest] = gradients[largest] * 1.01

    assert max(directional_errors(program, arrays, cotangents, gradients)) > 1e-4


@pytest.mark.plain(lattice=1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("lattice", [False, True], ids=["continuous", "lattice"])
def test_values_and_gradients_are_finite_and_of_the_right_shape(level, lattice):
    for seed in SEEDS:
        program = random_program(seed, level)
        arrays, cotangents = program.sample(seed, lattice), program.cotangents(seed, lattice)

        outputs = program.evaluate(arrays)
        gradients = program.gradients(arrays, cotangents)

        assert {n: a.shape for n, a in outputs.items()} == program.outputs
        assert {n: a.shape for n, a in gradients.items()} == program.inputs
        for array in (*outputs.values(), *gradients.values()):
            assert np.all(np.isfinite(array)), program.text
            assert np.all(np.abs(array) < 1e6), program.text


@pytest.mark.parametrize("level", LEVELS)
def test_a_program_counts_its_operations_and_stays_below_the_limit(level):
    operations = [random_program(seed, level).operations for seed in SEEDS]

    assert max(operations) <= 20_000
    assert sorted(operations)[len(SEEDS) // 2] > 50


@pytest.mark.parametrize("level", LEVELS)
def test_programs_differ(level):
    texts = {random_program(seed, level).text.split("\n", 1)[1] for seed in SEEDS}

    assert len(texts) == len(SEEDS)


def digest(level):
    text = "".join(random_program(seed, level).text for seed in range(60))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_the_program_of_a_seed_does_not_depend_on_the_order_of_hashes(level, hash_seed):
    here = Path(__file__).parent
    code = f"import test_random_programs_are_sound as t; print(t.digest({level!r}))"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(here)}

    printed = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )

    assert printed.stdout.strip() == digest(level)


def test_every_feature_of_the_core_occurs_in_five_hundred_programs():
    found = {f for seed in range(500) for f in random_program(seed).features}
    wanted = {
        "NaN masked by a later statement",
        "broadcast",
        "coefficient in a subscript",
        "diagonal",
        "exp(-sum{k} ..)",
        "if guards a read",
        "if on values",
        "implicit range",
        "index as an exponent",
        "inner index hides outer",
        "input longer than read",
        "largest valid range (rule 3)",
        "max [a; b] in a bound",
        "range empty somewhere",
        "reduction in a reduction",
        "several indices in a subscript",
        "symbolic sizes",
        "undeclared input",
        "}_lo^hi",
    }

    assert wanted <= found


# ---- The tape at points where there is no derivative, on trees made by hand


def program_of(body, shape=()):
    """The program `f = body` of one input `x`."""
    f = Tensor("f", [], 1.0)
    statement = Statement(f, (), body, [], False)
    return RandomProgram(0, "core", "", {"x": shape}, {"f": ()}, {}, (), False, 0, {}, (statement,))


def gradient(body, x):
    x = np.asarray(x, dtype=np.float64)
    return program_of(body, x.shape).gradients({"x": x}, {"f": np.ones(())})["x"].tolist()


def x_at(text, *indices, rank=1):
    subscripts = (Subscript(Form(text, indices)),) if rank else ()
    return Element(Tensor("x", [Dimension(3)] * rank, 1.0), subscripts)


def reduction(op, *, high, body=None):
    k = Index("k", range(high + 1), str(high + 1), True)
    bounds = Form("0", ()), Form(str(high), ())
    return Reduction(op, (Range(k, "extent", *bounds),), None, body or x_at("k", k), 1.0)


@pytest.mark.parametrize(
    ("op", "x", "expected"),
    [
        ("max", [1, 5, 5], [0, 0.5, 0.5]),
        ("min", [1, 1, 1], [1 / 3] * 3),
        ("prod", [0, 2, 3], [6, 0, 0]),
        ("prod", [0, 0, 3], [0, 0, 0]),
        ("mean", [1, 2, 6], [1 / 3] * 3),
        ("logsumexp", [0, 0, 0], [1 / 3] * 3),
        ("argmax", [1, 5, 5], [0, 0, 0]),
    ],
)
def test_the_derivative_of_a_reduction(op, x, expected):
    assert gradient(reduction(op, high=2), x) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["max", "min"])
def test_both_arguments_share_a_tie(name):
    assert gradient(Apply2(name, x_at("0"), x_at("1"), 1.0), [2, 2]) == [0.5, 0.5]


@pytest.mark.parametrize("name", ["hypot", "atan2"])
def test_at_the_origin_there_is_no_slope(name):
    assert gradient(Apply2(name, x_at("0"), x_at("1"), 1.0), [0, 0]) == [0, 0]


def test_empty_reductions():
    run = Run({})
    run.define("x", (0,), iter(()))
    expected = {"sum": 0, "prod": 1, "argmax": -1, "argmin": -1}

    assert {op: reduction(op, high=-1).value({}, run).value for op in expected} == expected


def test_an_adjoint_of_zero_contributes_nothing_even_to_nan():
    run = Run({})
    x = Variable(1.0)
    y = run.new(math.nan, (x, math.nan))
    z = run.new(0.0, (y, 0.0))
    z.adjoint = 1.0

    run.backward()

    assert x.adjoint == 0


@pytest.mark.parametrize(
    ("boundary", "expected"),
    [
        ("clamp", [0, 0, 0, 0, 1, 2, 2, 2, 2]),
        ("wrap", [0, 1, 2, 0, 1, 2, 0, 1, 2]),
        ("reflect", [1, 2, 1, 0, 1, 2, 1, 0, 1]),
        ("symmetric", [2, 1, 0, 0, 1, 2, 2, 1, 0]),
        ("pad", [7.5, 7.5, 7.5, 0, 1, 2, 7.5, 7.5, 7.5]),
    ],
)
def test_the_boundary_forms_agree_with_numpy(boundary, expected):
    form = Subscript(Form("i", ()), boundary, "7.5" if boundary == "pad" else "")
    modes = {"clamp": "edge", "pad": "constant"}
    further = {"constant_values": 7.5} if boundary == "pad" else {}
    padded = np.pad(np.arange(3.0), 3, mode=modes.get(boundary, boundary), **further)

    found = [form.at({"i": i}, 3) for i in range(-3, 6)]

    assert found == expected == padded.tolist()


def test_reflect_on_one_element_reads_it():
    assert Subscript(Form("i", ()), "reflect").at({"i": -7}, 1) == 0


def test_a_read_outside_is_noticed():
    with pytest.raises(AssertionError, match="is 3 at"):
        program_of(reduction("sum", high=3), (3,)).evaluate({"x": np.zeros(3)})


def test_numbers_are_read_as_they_are_written():
    assert Number("2e-1").value({}, Run({})).value == 0.2
