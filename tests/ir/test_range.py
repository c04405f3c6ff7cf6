from __future__ import annotations

from integer.systems import affine, domain

from tadc.ir.affine import constant
from tadc.ir.range import Bound, Range


def test_lows_are_rounded_up_and_highs_down():
    bound = Bound(affine("b"), 3)

    assert [bound.low_at({"b": b}) for b in (-4, -3, 4)] == [-1, -1, 2]
    assert [bound.high_at({"b": b}) for b in (-4, -3, 4)] == [-2, -1, 1]


def test_a_range_may_be_empty():
    values = Range("i", (Bound(affine("b")), Bound(affine("0*b"))), (Bound(affine("0*b + 3")),))

    assert list(values.values_at({"b": 2})) == [2, 3]
    assert list(values.values_at({"b": 9})) == []


def test_a_range_of_one_value_has_that_value():
    derived = Range("q", (Bound(affine("i - 2"), 3),), (Bound(affine("i"), 3),))
    thinner = Range("q", (Bound(affine("i - 1"), 3),), (Bound(affine("i"), 3),))

    assert derived.value == Bound(affine("i"), 3)
    assert thinner.value is None


def test_bounds_are_conditions_again():
    values = Range("i", (Bound(affine("b"), 2),), (Bound(affine("N - 1")),))

    assert set(values.conditions) == set(domain("2*i - b >= 0; N - 1 - i >= 0"))


def test_forms_that_are_at_least_zero_are_bounds():
    values = Range.of("i", (affine("2*i - b"), affine("N - 1 - i"), affine("i")))

    assert values.lows == (Bound(affine("b"), 2), Bound(constant(0)))
    assert values.ordered.lows == (Bound(constant(0)), Bound(affine("b"), 2))
    assert values.highs == (Bound(affine("N - 1")),)


def test_trips_are_a_number_where_all_bounds_are():
    values = Range("i", (Bound(constant(1), 2), Bound(constant(-3))), (Bound(constant(9), 2),))

    assert values.trips == 4
    assert Range("i", values.lows, (Bound(affine("N")),)).trips is None
    assert Range("i", (), values.highs).trips is None
