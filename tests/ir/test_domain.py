import pytest
from hypothesis import given
from hypothesis import strategies as st

from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import (
    EMPTY,
    EVERYWHERE,
    FALSE,
    TRUE,
    Derived,
    Domain,
    at_least_zero,
    between,
    divides,
    equals_zero,
)

i, j, N = map(symbol, "ijN")

forms = st.builds(
    Affine.of, st.dictionaries(st.sampled_from("ij"), st.integers(-6, 6)), st.integers(-9, 9)
)
points = st.fixed_dictionaries({s: st.integers(-9, 9) for s in "ij"})


@given(forms, points)
def test_normalizing_an_inequality_keeps_its_integer_points(form, point):
    assert at_least_zero(form).holds(point) == (form.at(point) >= 0)


@given(forms, points)
def test_normalizing_an_equality_keeps_its_integer_points(form, point):
    assert equals_zero(form).holds(point) == (form.at(point) == 0)


@given(st.integers(1, 8), forms, points)
def test_normalizing_a_divisibility_keeps_its_integer_points(modulus, form, point):
    assert divides(modulus, form).holds(point) == (form.at(point) % modulus == 0)


@given(forms, st.integers(1, 5), points)
def test_a_derived_index_is_the_floor_division_and_nothing_else(form, modulus, point):
    derived = Derived("q", form, modulus)
    value = form.at(point)

    holds = [q for q in range(-200, 200) if Domain(derived.conditions).holds({**point, "q": q})]

    assert holds == [value // modulus]


@pytest.mark.parametrize(
    ("condition", "normal"),
    [
        (at_least_zero(2 * i - 1), at_least_zero(i - 1)),
        (equals_zero(4 - 2 * i), equals_zero(i - 2)),
        (divides(6, 4 * i + 2), divides(3, 2 * i + 1)),
        (divides(4, 5 * i - 1), divides(4, i + 3)),
        (divides(2, 4 * i), TRUE),
        (divides(2, 4 * i + 1), FALSE),
        (equals_zero(2 * i + 1), FALSE),
        (at_least_zero(constant(-1)), FALSE),
        (equals_zero(constant(0)), TRUE),
    ],
    ids=["tightened", "divided", "reduced", "modulus", "always", "never", "odd", "false", "true"],
)
def test_conditions_have_one_normal_form(condition, normal):
    assert condition == normal


def test_a_domain_is_a_set_of_conditions():
    assert Domain.of([at_least_zero(j), *between(0, i, N), TRUE]) == Domain.of(
        [*between(0, i, N), at_least_zero(j), at_least_zero(j)]
    )


def test_one_false_condition_makes_the_domain_empty():
    assert Domain.of([at_least_zero(i), FALSE]) is EMPTY
    assert Domain.of([at_least_zero(i)]).substitute({"i": constant(-1)}) is EMPTY


def test_no_condition_holds_everywhere():
    assert Domain.of([TRUE]) == EVERYWHERE
    assert EVERYWHERE.holds({})
    assert str(EVERYWHERE) == "0 = 0"


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (at_least_zero(i - j + 1), "j <= i + 1"),
        (at_least_zero(-i), "i <= 0"),
        (equals_zero(i - j), "i = j"),
        (divides(2, i), "i % 2 = 0"),
        (divides(2, i + j), "(i + j) % 2 = 0"),
    ],
    ids=["inequality", "upper", "equality", "modulo", "sum"],
)
def test_text(condition, text):
    assert str(condition) == text


domains = st.lists(
    st.builds(lambda make, form: make(form), st.sampled_from([at_least_zero, equals_zero]), forms),
    max_size=3,
).map(Domain.of)


@given(domains, st.lists(domains, max_size=9))
def test_overlapping_leaves_out_what_has_an_empty_intersection(own, others):
    others = [*others, EMPTY]

    assert own.overlapping(others) == tuple(d for d in others if own & d != EMPTY)
