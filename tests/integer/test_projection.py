from hypothesis import given, settings
from hypothesis import strategies as st

from tadc.integer.projection import project
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import EMPTY, Domain, at_least_zero, between, equals_zero

i, j, n = map(symbol, "ijn")


def test_a_box_projects_to_the_other_side_of_the_box():
    box = Domain.of((*between(0, i, n - 1), *between(2, j, 5)))

    assert project(box, ["i"]) == Domain.of((at_least_zero(n - 1), *between(2, j, 5)))


def test_equations_carry_bounds_over():
    system = Domain.of((*between(0, i, 4), equals_zero(j - 2 * i)))

    assert project(system, ["i"]) == Domain.of(between(0, j, 8))


def test_what_contradicts_itself_projects_to_nothing():
    assert project(Domain.of((at_least_zero(i - 3), at_least_zero(2 - i))), ["i"]) == EMPTY


@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3, st.integers(-6, 6)), min_size=1, max_size=6))
@settings(max_examples=200, derandomize=True)
def test_every_point_of_a_domain_has_its_shadow_in_the_projection(rows):
    forms = [Affine.of({"i": a, "j": b, "n": c}, d) for a, b, c, d in rows]
    box = [c for s in (i, j, n) for c in between(-3, s, 3)]
    domain = Domain.of((*map(at_least_zero, forms), *box))
    shadow = project(domain, ["i", "j"])

    for x in range(-3, 4):
        for y in range(-3, 4):
            for z in range(-3, 4):
                if domain.holds({"i": x, "j": y, "n": z}):
                    assert shadow.holds({"n": z})
