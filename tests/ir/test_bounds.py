from tadc.ir.affine import symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import Derived, Domain, at_least_zero, between, divides
from tadc.ir.expr import Const, Reduce

i, k, m, q, N = map(symbol, ["i", "k", "m", "q", "N"])


def bounds(indices, conditions, derived=()):
    return bounded(Reduce("sum", indices, derived, Domain.of(conditions), Const(1)))


def test_each_index_is_bounded_by_what_is_further_out():
    found = bounds(("k", "m"), [*between(0, k, N - 1), *between(k, 2 * m, i)])

    outer, inner = (b.range for b in found.each)
    assert (outer.lows, outer.highs) == (((k * 0, 1),), ((N - 1, 1),))
    assert (inner.lows, inner.highs) == (((k, 2),), ((i, 2),))


def test_conditions_without_an_index_of_the_reduction_are_tests_of_the_whole():
    guard = at_least_zero(i - 1)

    found = bounds(("k",), [*between(0, k, 3), guard])

    assert found.tests == (guard,)


def test_a_divisibility_is_a_test_at_its_innermost_index():
    odd = divides(2, k + m)

    found = bounds(("k", "m"), [*between(0, k, 3), *between(0, m, 3), odd])

    assert found.each[0].tests == ()
    assert found.each[1].tests == (odd,)


def test_derived_indices_stand_where_they_are_complete():
    outside, inside = Derived("p", i, 2), Derived("q", k + i, 2)

    found = bounds(("k", "m"), [*between(0, k, 3), *between(0, m, 3)], (outside, inside))

    assert found.derived == (outside,)
    assert found.each[0].derived == (inside,)


def test_a_condition_on_a_derived_index_bounds_nothing_before_it_is_known():
    condition = at_least_zero(2 - q - k)

    found = bounds(("k",), [*between(0, k, 3), condition], (Derived("q", k, 2),))

    assert found.each[0].tests == (condition,)


def test_constants_come_first_among_the_bounds():
    found = bounds(("k",), [at_least_zero(k - i), at_least_zero(k - 2), at_least_zero(9 - k)])

    assert [str(low) for low, _ in found.each[0].range.lows] == ["2", "i"]
