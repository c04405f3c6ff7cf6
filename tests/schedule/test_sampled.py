"""Numbers of points for the model of a GPU: about right for sets of any size, without visiting all points around them."""

from __future__ import annotations

import pytest
from integer.systems import domain

from tadc.schedule.gpu.sampled import about
from tadc.schedule.nest.cost import Points

N = 10**6
BOX = "0 <= i <= N-1; 0 <= j <= N-1; 0 <= k <= N-1"


@pytest.mark.parametrize(
    ("conditions", "number"),
    [
        ("k == i + j", N**2 / 2),
        ("k == 2*j; i <= 9", 10 * N / 2),
        ("3 | i + j + k", N**3 / 3),
        ("i <= j; j <= k", N**3 / 6),
        ("i <= 2; j <= 4; k <= 6", 3 * 5 * 7),
        ("i <= -1", 0),
    ],
)
def test_sets_in_huge_boxes_are_counted_about_right(conditions, number):
    points = Points(("i", "j", "k"), (), domain(f"{BOX}; {conditions}"))

    assert about(points, {"N": N}) == pytest.approx(number, rel=0.1)


def test_a_long_lattice_of_one_index_is_counted_about_right():
    points = Points(("i",), (), domain("0 <= i <= N-1; 7 | i"))

    assert about(points, {"N": 10**12}) == pytest.approx(10**12 / 7, rel=0.1)


def test_sets_whose_first_index_has_bounds_at_inner_ones_alone_are_counted():
    """As sums in statements have them, whose indices are in no order: here `i` ends at `4*q + k - 1`, and nowhere else."""
    conditions = "0 <= i; i + 1 <= 4*q + k; 4*q + k <= M; i <= 4*q + 2; q <= 4; 0 <= k <= 3"
    points = Points(("i", "q", "k"), (), domain(conditions))

    number = sum(0 <= i < 4 * q + k <= 16 and i <= 4 * q + 2 for i in range(20) for q in range(5) for k in range(4))  # fmt: skip
    assert about(points, {"M": 16}) == number


@pytest.mark.filterwarnings("error")
def test_an_index_that_only_an_equation_bounds_is_counted_about_right():
    points = Points(("i", "j", "k"), (), domain("0 <= i <= N-1; 0 <= j <= N-1; k == i + 3*j"))

    assert about(points, {"N": N}) == pytest.approx(N**2, rel=0.1)
