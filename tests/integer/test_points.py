from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from integer.systems import QUICK, THOROUGH, Point, boxes, conditions, domain
from tadc.integer import UNDECIDED, implies, is_empty, smallest_point
from tadc.ir.affine import Symbol
from tadc.ir.domain import EMPTY, EVERYWHERE, FALSE, TRUE, Condition, Domain

Box = tuple[Domain, list[Point], tuple[Symbol, ...]]


def _is_the_first_point(box: Box) -> None:
    of, points, order = box
    found = smallest_point(of, order)
    assert found is not UNDECIDED
    assert found == (dict(zip(order, points[0], strict=True)) if points else None)
    assert is_empty(of) == (not points)


@QUICK
@given(boxes())
@example((EMPTY, [], ("i",)))
def test_the_smallest_point_is_the_first_that_enumeration_finds(box: Box):
    _is_the_first_point(box)


@pytest.mark.slow
@THOROUGH
@given(boxes())
def test_the_smallest_point_of_many_domains_is_the_first(box: Box):
    _is_the_first_point(box)


@QUICK
@given(boxes(), st.data())
def test_what_is_implied_holds_at_every_point(box: Box, data: st.DataObject):
    known, points, order = box
    if not points:
        return
    for condition in data.draw(conditions(order)):
        everywhere = all(condition.holds(dict(zip(order, p, strict=True))) for p in points)
        assert implies(known, condition) == everywhere


# name: a domain, the order of its symbols, and its smallest point
POINTS = {
    "a thin wedge beyond its first 100,000 steps": (
        "1 <= 1000003*x - 700001*y <= 3; 1 <= x <= 100000",
        "xy",
        None,
    ),
    "a slab between two even numbers": ("1 <= 2*x + 2*y - 4*z <= 1", "xyz", None),
    "a slab that is empty modulo 3": ("1 <= 3*x - 3*y <= 2", "xy", None),
    "unbounded wedges that exclude each other": (
        "1 <= 4*x - 2*y + z <= 2; 1 <= 2*y - 4*x + 3*z <= 2",
        "xyz",
        None,
    ),
    "a line": ("3*x - 5*y == 1; x >= 0", "xy", {"x": 2, "y": 1}),
    "a line without a beginning": ("3*x - 5*y == 1", "xy", {"x": 2, "y": 1}),
    "a symbol without a minimum is closest to 0": (
        "x - 3*y >= 7; y >= 5; z <= -2",
        "yxz",
        {"y": 5, "x": 22, "z": -2},
    ),
    "the Chinese remainder theorem": (
        "3 | x - 2; 5 | x - 3; 7 | x - 2; x >= 0",
        "x",
        {"x": 23},
    ),
    "beyond 64 bits": (
        f"{10**30} <= x; x - {10**25 + 7}*y == 12345",
        "xy",
        {"x": 1000000000000000000000000712345, "y": 100000},
    ),
    "the sizes come first in a counterexample": (
        "N >= 1; P >= 1; 0 <= N + 1 - 2*P <= 1; 0 <= r <= P - 1; 3*r >= N",
        "NPr",
        {"N": 3, "P": 2, "r": 1},
    ),
    "everything": ("0 <= 1", "xy", {"x": 0, "y": 0}),
    "a rational point only": ("2*x == 2*y + 1", "xy", None),
}


@pytest.mark.parametrize("name", POINTS)
def test_the_smallest_point_of(name: str):
    text, order, expected = POINTS[name]

    assert smallest_point(domain(text), order) == expected


def test_a_search_without_end_is_given_up():
    """The wedge has points far out; which one is the smallest takes too many steps to tell."""
    wedge = domain(
        "1000003*x - 700001*y >= 1; 700003*y - 1000005*x + 3*z >= 0; 1 <= x <= 100000; 0 <= z <= 1"
    )

    assert smallest_point(wedge, "xyz") is UNDECIDED
    assert is_empty(wedge) is None


def test_an_unbounded_search_ends():
    """Rationally there are points with every x; over the integers x - 2*y is neither 1/3 nor 2/3."""
    assert smallest_point(domain("1 <= 3*x - 6*y + 9*z <= 2; x >= 0"), "xyz") is None


IMPLIED = [
    ("0 <= i <= N-1", "i <= N + 3"),
    ("0 <= N + 1 - 2*P <= 1; 0 <= r <= P - 1", "2*r <= N - 1"),
    ("i + k == b; 0 <= i <= 2; 0 <= k <= 4", "b <= 6"),
    ("0 <= 2*i - N <= 1; 2 | N", "2*i == N"),
    ("i <= j; j <= k; k <= i", "i == k"),
    ("6 | i", "3 | i + 9"),
    ("2*i == b", "2 | b"),
    ("0 <= b <= 7; b <= 3*q; 3*q <= b; 2 <= b <= 5", "b == 3"),
    ("i == 2*j; j == 3*k", "6 | i"),
    ("0 <= i <= 3; i >= 4", "7 | i + j"),
]

NOT_IMPLIED = [
    ("0 <= i <= N-1", "i <= N - 2"),
    ("0 <= i <= N-1", "2 | i"),
    ("0 <= i <= N-1", "i == 0"),
    ("3 | i", "6 | i"),
    ("2*i == b", "4 | b"),
    ("", "i >= 0"),
    ("j == 0", "i == 0"),
]


@pytest.mark.parametrize(("known", "condition"), IMPLIED)
def test_it_is_implied(known: str, condition: str):
    assert implies(domain(known), _one(condition))


@pytest.mark.parametrize(("known", "condition"), NOT_IMPLIED)
def test_it_is_not_implied(known: str, condition: str):
    assert not implies(domain(known), _one(condition))


def test_nothing_is_known_everywhere_and_everything_nowhere():
    assert smallest_point(EVERYWHERE) == {}
    assert is_empty(EVERYWHERE) is False
    assert is_empty(EMPTY) is True
    assert implies(EMPTY, _one("i == 5"))
    assert implies(EVERYWHERE, TRUE)
    assert not implies(EVERYWHERE, FALSE)


def _one(text: str) -> Condition:
    (condition,) = domain(text)
    return condition
