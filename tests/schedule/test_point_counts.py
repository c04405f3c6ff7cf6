"""Sets of integer points are counted without going through them, and rightly."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

import tadc
from tadc.ir.affine import constant, symbol
from tadc.ir.domain import Derived, Domain, at_least_zero, between, divides, equals_zero
from tadc.schedule.nest.point_counts import number_of_points


def random_form(random, symbols, constants):
    form = constant(random.randint(-constants, constants))
    for s in random.sample(symbols, random.randint(1, min(3, len(symbols)))):
        form += random.choice([1, 1, 2, -1, -1, -2, 3]) * symbol(s)
    return form


def random_set(random):
    """Indices, quotients of them, and conditions on both."""
    indices = "ijk"[: random.randint(1, 3)]
    symbols, quotients, conditions = [*indices], [], []
    for i in indices:
        low = random.randint(-3, 2)
        conditions += between(low, symbol(i), constant(random.randint(0, 12)))
    for name in ("q", "r")[: random.choice([0, 0, 1, 1, 2])]:
        quotients.append(Derived(name, random_form(random, symbols, 3), random.choice([2, 3, 4])))
        symbols.append(name)
    for _ in range(random.randint(0, 4)):
        kind = random.choice([at_least_zero, at_least_zero, at_least_zero, equals_zero, None])
        form = random_form(random, symbols, 6)
        conditions.append(kind(form) if kind else divides(3, form))
    return indices, quotients, Domain.of(conditions)


@pytest.mark.parametrize("seed", range(20))
def test_random_sets_have_as_many_points_as_are_found_one_by_one(seed):
    random, counted = Random(seed), 0
    for _ in range(40):
        indices, quotients, domain = random_set(random)
        count = number_of_points(indices, quotients, domain, {})
        if count is None:
            continue
        counted += 1
        expected = 0
        for point in product(range(-4, 14), repeat=len(indices)):
            values = dict(zip(indices, point, strict=True))
            for d in quotients:
                values[d.name] = d.form.at(values) // d.modulus
            expected += domain.holds(values)
        assert count == expected, (domain, quotients)
    assert counted >= 30


N = 10**8
COSTS = {  # text, with the operations for N elements
    "x[i//2] + x[(i//3)*2]": N,
    "sum{k: 4 | (i + k) % 2 = 0} x[pad((i + k)//2)]*w[k]": 4 * N,
    "sum{j: N | 2*j <= i} x[j]": N // 2 * (N // 2 + 1),
    "max{j: N | j//4 = i//4} x[j]*x[i]": 8 * N,
}


@pytest.mark.parametrize("text", COSTS)
def test_costs_of_large_sizes_take_a_moment(text):
    f = tadc.compile(f"size N\ninput x[N], w[4]\ny[i: N] = {text}")

    assert f.cost(N=N).operations == COSTS[text]
