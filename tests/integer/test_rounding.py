"""Bounds without what their divisions leave no trace of, against all values."""

from __future__ import annotations

from itertools import product
from random import Random

from tadc.integer.rounding import without_remainders
from tadc.ir.affine import Affine
from tadc.ir.range import Bound


def test_bounds_keep_their_values_without_remainders():
    random = Random(0)
    shorter = 0
    for _ in range(3000):
        divisor = random.choice([1, 2, 3, 4, 6, 8, 12, 32])
        last = {s: random.choice([0, 1, 3, 7, 15]) for s in random.sample("abc", 2)}
        terms = {s: random.choice([0, 1, -1, 2, 4, 8, -8, 12, 64]) for s in "abc"}
        bound = Bound(Affine.of(terms, random.randint(-40, 40)), divisor)
        for low in (True, False):
            found = without_remainders(bound, last, low=low)
            shorter += len(found.form.terms) < len(bound.form.terms)
            assert divisor % found.divisor == 0
            ranges = [range(last.get(s, 4) + 1) for s in "abc"]
            for point in product(*ranges):
                values = dict(zip("abc", point, strict=True))
                if low:
                    assert found.low_at(values) == bound.low_at(values)
                else:
                    assert found.high_at(values) == bound.high_at(values)
    assert shorter > 300


def test_an_index_without_a_last_value_stays():
    bound = Bound(Affine.of({"q": 32, "k": 1}, -16), 32)

    assert without_remainders(bound, {}, low=False) == bound
    assert without_remainders(bound, {"k": 15}, low=False) == Bound(Affine.of({"q": 1}, -1), 1)
