"""Conditions and choices, against every point of a box; and reads that many `or`s guard."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import resolved

import tadc
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import Domain, at_least_zero, between, divides, equals_zero
from tadc.resolve.known import Known

SIDE = range(-3, 6)
BOX = Domain.of((*between(-3, symbol("i"), 5), *between(-3, symbol("j"), 5)))
POINTS = [{"i": i, "j": j} for i, j in itertools.product(SIDE, SIDE)]


@st.composite
def conditions(draw):
    i, j, c = (draw(st.integers(-2, 2)), draw(st.integers(-2, 2)), draw(st.integers(-6, 6)))
    form = Affine.of({"i": i, "j": j}, c)
    kind = draw(st.sampled_from(("least", "equal", "divides")))
    if kind == "divides":
        return divides(draw(st.integers(2, 4)), form)
    return at_least_zero(form) if kind == "least" else equals_zero(form)


atoms = st.lists(conditions(), min_size=1, max_size=2).map(lambda c: Known(Domain.of(c)))
knowns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(Known.one_of),
        st.lists(inner, min_size=1, max_size=3).map(Known.all_of),
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(knowns, conditions())
def test_the_smallest_point_and_what_follows_are_those_of_all_points(known, condition):
    inside = [p for p in POINTS if known.holds(p)]
    inbox = known & BOX

    assert inbox.smallest_point(["i", "j"]) == (inside[0] if inside else None)
    assert inbox.is_empty() == (not inside)
    if inside:  # of no point at all, what is proved depends on where the contradiction stands
        assert inbox.implies(condition) == all(condition.holds(p) for p in inside)
    union = [p for p in POINTS if any(d.holds(p) for d in inbox.alternatives())]
    assert union == inside


def ors(values, text="i = {}"):
    return " or ".join(text.format(v) for v in values)


INSIDE = {
    "each value": f"y[i: 900] = if {ors(range(0, 400, 2))} then x[i] else 0",
    "all others": f"y[i: 600] = if {ors(range(400, 600))} then 0 else x[i]",
    "ranges": f"y[i: 900] = if {ors(range(0, 380, 9), '({0} <= i and i < {0} + 9)')} then x[i] else 0",
    "divisors": f"y[i: 900] = if ({ors(range(2, 60), 'i % {} = 0')}) and i < 400 then x[i] else 0",
    "and of ors": f"y[i: 900] = if ({ors(range(300, 500))}) and ({ors(range(400))}) then x[i] else 0",
}


@pytest.mark.parametrize("text", INSIDE.values(), ids=INSIDE)
def test_reads_that_many_ors_guard_are_inside(text):
    assert resolved(f"input x[400]\n{text}").checks == ()


@pytest.mark.parametrize(
    ("condition", "first"),
    [(ors(range(1, 403, 2)), 401), (f"not ({ors(range(400, 450))})", 450)],
    ids=["or", "not"],
)
def test_the_smallest_value_outside_is_named(condition, first):
    with pytest.raises(tadc.RangeError, match=f"when i = {first}, but x ends at 399"):
        resolved(f"input x[400]\ny[i: 600] = if {condition} then x[i] else 0")


def test_what_depends_on_sizes_is_proved_at_the_call():
    text = f"size N\ninput x[N]\ny[i: 90] = if {ors(range(0, 80, 2))} then x[i] else 0"
    (check,) = resolved(text).checks

    check.verify({"N": 79})
    with pytest.raises(tadc.RangeError, match="i = 78"):
        check.verify({"N": 78})
