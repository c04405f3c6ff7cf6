from __future__ import annotations

import pytest

from integer.systems import affine, domain, numbered_names
from tadc.integer import Bound, Loop, Solution, solve
from tadc.ir.domain import EVERYWHERE


def test_lows_are_rounded_up_and_highs_down():
    bound = Bound(affine("b"), 3)

    assert [bound.low_at({"b": b}) for b in (-4, -3, 4)] == [-1, -1, 2]
    assert [bound.high_at({"b": b}) for b in (-4, -3, 4)] == [-2, -1, 1]


def test_a_loop_may_be_empty():
    loop = Loop("i", (Bound(affine("b")), Bound(affine("0*b"))), (Bound(affine("0*b + 3")),))

    assert list(loop.values_at({"b": 2})) == [2, 3]
    assert list(loop.values_at({"b": 9})) == []


def test_a_loop_over_one_value_has_that_value():
    derived = Loop("q", (Bound(affine("i - 2"), 3),), (Bound(affine("i"), 3),))
    thinner = Loop("q", (Bound(affine("i - 1"), 3),), (Bound(affine("i"), 3),))

    assert derived.value == Bound(affine("i"), 3)
    assert thinner.value is None


def test_bounds_are_conditions_again():
    loop = Loop("i", (Bound(affine("b"), 2),), (Bound(affine("N - 1")),))

    assert set(loop.conditions) == set(domain("2*i - b >= 0; N - 1 - i >= 0"))


def test_a_solution_is_a_substitution_and_a_domain():
    solution = solve(
        "ir", domain("0 <= i <= 3; 0 <= r <= 2; i + r == b"), EVERYWHERE, numbered_names()
    )

    assert solution is not None
    assert solution.substitution == {"i": affine("i"), "r": affine("b - i")}
    assert solution.domain == domain("0 <= i <= 3; b - 2 <= i <= b")
    assert solution.indices == ("i",)


def test_a_bound_may_not_use_an_inner_index():
    inner = Loop("j", (Bound(affine("0*i")),), (Bound(affine("N")),))
    outer = Loop("i", (Bound(affine("0*i")),), (Bound(affine("j")),))

    with pytest.raises(AssertionError, match="not further out"):
        Solution(("i", "j"), (), (), (outer, inner), (affine("i"), affine("j")))
