from __future__ import annotations

import pytest

from integer.systems import affine, domain, numbered_names
from tadc.integer import Solution, solve
from tadc.ir.domain import EVERYWHERE
from tadc.ir.range import Bound, Range


def test_a_solution_is_a_substitution_and_a_domain():
    solution = solve(
        "ir", domain("0 <= i <= 3; 0 <= r <= 2; i + r == b"), EVERYWHERE, numbered_names()
    )

    assert solution is not None
    assert solution.substitution == {"i": affine("i"), "r": affine("b - i")}
    assert solution.domain == domain("0 <= i <= 3; b - 2 <= i <= b")
    assert solution.indices == ("i",)


def test_a_bound_may_not_use_an_inner_index():
    inner = Range("j", (Bound(affine("0*i")),), (Bound(affine("N")),))
    outer = Range("i", (Bound(affine("0*i")),), (Bound(affine("j")),))

    with pytest.raises(AssertionError, match="not further out"):
        Solution(("i", "j"), (), (), (outer, inner), (affine("i"), affine("j")))
