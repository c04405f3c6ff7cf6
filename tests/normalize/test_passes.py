"""Every pass keeps the values of random programs, and a second application changes nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from programs import normal, resolved, run
from random_programs import random_program

from tadc.compiler import adjoint_program, normalized, taken_names
from tadc.ir.expr import Reduce
from tadc.ir.walk import postorder
from tadc.normalize.live import live
from tadc.normalize.plain_names import plain_names
from tadc.normalize.reductions import separate_inner_reductions, separate_reductions
from tadc.normalize.simplify import simplify
from tadc.normalize.solved import solved
from tadc.printing.idx import program_text

SEEDS = range(24)
PASSES = {
    "live": live,
    "simplify": simplify,
    "plain names": plain_names,
    "solved": lambda p: solved(plain_names(p)),
    "inner reductions": lambda p: separate_inner_reductions(p, taken_names(p)),
    "all reductions": lambda p: separate_reductions(p, taken_names(p)),
}
IDEMPOTENT = ("live", "simplify", "plain names", "inner reductions")


@cache
def example(seed):
    """A program as it is resolved, arrays and sizes of a call, and the values by brute force."""
    made = random_program(seed)
    program = resolved(made.text).program
    sizes = {s: n for s, n in made.sizes.items() if s in program.sizes}
    arrays = made.sample(seed)
    return program, arrays, sizes, made.evaluate(arrays)


def agrees(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_pass_keeps_the_values(seed, name):
    program, arrays, sizes, expected = example(seed)

    changed = PASSES[name](program)

    agrees(run(changed, arrays, sizes), expected)
    if name in IDEMPOTENT:
        assert PASSES[name](changed) == changed


@pytest.mark.parametrize("seed", SEEDS)
def test_a_normal_program_stays_as_it_is(seed):
    program, arrays, sizes, expected = example(seed)
    program = normalized(program)

    agrees(run(program, arrays, sizes), expected)
    for name in ("simplify", "plain names", "solved", "inner reductions"):
        assert PASSES[name](program) == program, name


@pytest.mark.parametrize("seed", SEEDS)
def test_bound_names_of_a_normal_program_differ_from_all_around_them(seed):
    program = normalized(example(seed)[0])
    for derived in (program, adjoint_program(program, [t.name for t in program.inputs])):
        sizes = {*derived.sizes, *(d.name for d in derived.derived_sizes)}
        for s in derived.statements:
            around = {*derived.tensors, *sizes}
            stack = [(s.body, around | {*s.indices, *(d.name for d in s.derived)})]
            assert around.isdisjoint(s.indices)
            while stack:
                e, taken = stack.pop()
                if isinstance(e, Reduce):
                    bound = [*e.indices, *(d.name for d in e.derived)]
                    assert len(set(bound)) == len(bound) and taken.isdisjoint(bound)
                    taken = taken | {*bound}
                stack += [(o, taken) for o in e.operands]


# ---- solved


def adjoint_text(text):
    return program_text(adjoint_program(normal(text), ["x"])).splitlines()[-1]


# fmt: off
SOLVED = [
    # program                                                     the last statement of its adjoint by x
    ("input x[8]\nf[i: 4] = x[2*i]",                              "dx[i: 8] = if i % 2 = 0 then df[i // 2] else 0"),
    ("input x[3]\nf[i: 3] = x[2 - i]",                            "dx[i: 3] = df[2 - i]"),
    ("input x[5]\nf[i: 3] = x[i + 1]",                            "dx[i: 5] = if i <= 3 and 1 <= i then df[i - 1] else 0"),
    ("input x[3]\nf[i: 3, j: 2] = x[i]",                          "dx[i: 3] = sum{j=0..1} df[i, j]"),
    ("input x[3, 3]\nf[i] = x[i, i]",                             "dx[i: 3, j: 3] = if i = j then df[i] else 0"),
    ("size N\ninput x[N]\nf[i: N] = sum{j | i <= j} x[j]",        "dx[j: N] = sum{i=0..j} df[i]"),
    ("size N\ninput x[N]\nf = sum{i} x[i]",                       "dx[i: N] = df"),
    ("input x[3]\nf[i: 6] = x[i // 2]",                           "dx[i: 3] = sum{i_1=2*i..2*i + 1} df[i_1]"),
    ("input x[6]\nf[i: 3] = if i > 7 then x[i] else 0",           "dx[i: 6] = 0"),
    ("input x[6]\nf = sum{i, j: 6 | 2*i = 2*j + 1} x[i]",         "dx[i: 6] = 0"),
]
# fmt: on


@pytest.mark.parametrize(("text", "expected"), SOLVED)
def test_bounds_stand_where_conditions_were(text, expected):
    assert adjoint_text(text) == expected


def test_conditions_that_hold_anyway_are_dropped():
    program = normal("size N\ninput x[N]\nf[i] = if 0 <= i and i < N + 3 then x[i] else 7")

    assert program_text(program).endswith("f[i: N] = x[i]\n")


def test_a_condition_that_never_holds_takes_the_other_branch():
    program = normal("size N\ninput x[N]\nf[i] = if i >= N then x[0] else x[i]")

    assert program_text(program).endswith("f[i: N] = x[i]\n")


# ---- separation


def test_a_sum_that_does_not_depend_on_the_outer_index_becomes_a_statement():
    program = normal("size N\ninput x[N]\nf = sum{i} exp(x[i] - max{j} x[j])")

    assert len(program.statements) == 2
    assert sum(isinstance(e, Reduce) for e in postorder(program.statements[1].body)) == 1


def test_a_sum_under_a_condition_is_evaluated_only_where_it_holds():
    text = "size N\ninput x[N], y[3]\nf[i: 3] = if i < N then x[i]*sum{k: 3} x[i]*y[k] else 0"
    program = normal(text)

    found = run(program, {"x": [2, 3], "y": [1, 1, 1]})["f"]

    np.testing.assert_array_equal(found, [12, 27, 0])


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan])
def test_simplification_does_not_hide_infinities(value):
    text = "input x[1]\nf[i] = 0*x[i] + (x[i] - x[i]) + x[i]*0"
    found = run(normal(text), {"x": [value]})["f"]

    np.testing.assert_array_equal(found, [0.0 if value == 0 else np.nan])
