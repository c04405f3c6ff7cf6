"""The rules of section 3 of the language, with the fine print of section 8."""

import numpy as np
import pytest
from programs import resolved, shape, value

from tadc.errors import RangeError, ShapeError

ones = np.ones


def extents(text):
    """The ranges that were found, by index, of the last statement, as text."""
    found = resolved(text)
    last = found.program.statements[-1].target.name
    return {r.index: (r.range, r.rule) for r in found.ranges if r.statement == last}


RULES = {
    "said on the left": ("size N\ninput x[9]\ny[i: 2*N+1] = x[i // 9]", "i", "0..2*N", 1),
    "said in the sum": ("input x[9]\ny = sum{k: 4} x[k]", "k", "0..3", 1),
    "declared shape": ("size N\ninput x[9]\ntensor y[N]\ny[i] = x[i // 9]", "i", "0..N - 1", 1),
    "bare use": ("input x[9]\ny[i] = x[i]", "i", "0..8", 2),
    "bare use in a sum": ("input x[9]\ny = sum{k} x[k]", "k", "0..8", 2),
    "bare use of an earlier result": ("input x[9]\nt[i] = x[i+2]\ny[i] = t[i]", "i", "0..6", 2),
    "what is left of a sum": ("input x[9], w[3]\ny[i] = sum{r} x[i+r]*w[r]", "i", "0..6", 3),
    "symbolic": ("size N, K\ninput x[N], w[K]\ny[i] = sum{r} x[i+r]*w[r]", "i", "0..N - K", 3),
    "coefficient": ("input x[9]\ny[i] = x[2*i]", "i", "0..4", 3),
    "coefficient and offset": ("input x[9]\ny[i] = x[2*i+2]", "i", "0..3", 3),
    "symbolic coefficient": ("size N\ninput x[N]\ny[i] = x[2*i]", "i", "0..P - 1", 3),
    "negative coefficient": ("input x[9]\ny[i] = x[6-2*i]", "i", "0..3", 3),
    "negative with a size": ("size N\ninput x[N]\ny[i] = x[N-1-i]", "i", "0..N - 1", 3),
    "negative under a sum": ("input x[9], w[3]\ny[i] = sum{r} x[8-i-r]*w[r]", "i", "0..6", 3),
    "negative coefficient of another": (
        "input x[9], w[3]\ny[i] = sum{r} x[i-r+2]*w[r]",
        "i",
        "0..6",
        3,
    ),
    "through a floor division": ("input x[3]\ny[i] = x[i//2]", "i", "0..5", 3),
    "through a floor division with offset": ("input x[3]\ny[i] = x[(i+1)//3]", "i", "0..7", 3),
    "smallest of several": ("input x[9], w[5]\ny[i] = x[2*i]*w[i+1]", "i", "0..3", 3),
    "after rounds": ("input x[9], w[3]\ny[i, j] = x[i+j]*w[j]", "i", "0..6", 3),
    "explicit bounds determine": ("input x[9]\ny[i] = sum{k=1..3} x[i+k]", "i", "0..5", 3),
    "bounds that depend": ("input x[9]\ny[i] = sum{k: 3, l=0..k} x[i+k+l]", "i", "0..4", 3),
}


@pytest.mark.parametrize(("text", "index", "range_", "rule"), RULES.values(), ids=RULES)
def test_an_index_has_the_range_of_the_first_rule_that_gives_one(text, index, range_, rule):
    if text.count("tensor "):
        text = text.replace("tensor y[N]\n", "").replace("y[i] =", "y[i: N] =")

    assert extents(text)[index] == (range_, rule)


@pytest.mark.parametrize(
    ("text", "lengths", "expected"),
    [
        ("y[i] = x[2*i]*w[i+1]", (9, 5), (4,)),
        ("y[i] = x[2*i]*w[i+1]", (5, 9), (3,)),
        ("y[i] = sum{r} x[i+r]*w[r]", (7, 3), (5,)),
        ("y[i] = sum{r} x[i+r]*w[r]", (7, 7), (1,)),
        ("y[i] = sum{r} x[2*i+3*r]*w[r]", (12, 3), (3,)),
        ("y[i] = w[i//2] * x[i+0*i]", (6, 3), (6,)),
    ],
    ids=["first", "second", "valid", "one", "strided", "both"],
)
def test_symbolic_extents_become_numbers_at_the_call(text, lengths, expected):
    n, m = lengths

    assert shape(text, x=ones(n), w=ones(m)) == expected


def test_with_an_explicit_range_bare_uses_are_ordinary_reads():
    assert value("input x[5]\ny[i: 3] = x[i]", x=[1, 2, 3, 4, 5]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [((0, 3), (0,)), ((3, 0), (4,)), ((0, 0), (1,)), ((3, 3), (1,))],
    ids=["tensor empty", "sum empty", "both", "neither"],
)
def test_an_index_of_extent_zero_counts_as_if_its_last_value_were_minus_one(lengths, expected):
    found = resolved("y[i] = sum{r} x[i+r]*w[r]").program
    (target,) = [
        s.target for s in found.specialised(dict(zip(found.sizes, lengths, strict=True))).statements
    ]

    assert tuple(e.constant for e in target.shape) == expected


def test_a_tensor_that_is_too_short_is_refused_at_the_call():
    with pytest.raises(RangeError, match="`i\\+r` leaves x, whose extent there is 5, at i = 0"):
        value("y[i] = sum{r} x[i+r]*w[r]", x=ones(5), w=ones(7))


def test_a_tensor_that_is_too_short_is_refused_at_once_where_the_sizes_are_numbers():
    with pytest.raises(RangeError, match="`i\\+9` leaves x"):
        resolved("input x[6]\ny[i] = x[i+9]")


def test_bare_uses_must_agree():
    with pytest.raises(ShapeError, match=r"the index `i` has the extent 4 .* and 3 .*"):
        resolved("input a[3], b[4]\ny[i] = a[i]*b[i]")


def test_bare_uses_of_sizes_must_agree_at_the_call():
    text = "size N, M\ninput a[N], b[M]\ny[i] = a[i]*b[i]"

    assert value(text, a=[1, 2], b=[3, 4]) == [3, 8]
    with pytest.raises(
        ShapeError, match=r"extent 3 from dimension 0 of b, and 2 from dimension 0 of a"
    ):
        value(text, a=ones(2), b=ones(3))


def test_bare_uses_of_a_tensor_and_what_is_derived_from_it_never_agree():
    with pytest.raises(ShapeError, match=r"the index `i` has the extent 5 .* and 4"):
        value("t[i] = x[i+1]\ny[i] = t[i]*x[i]", x=ones(5))


UNDETERMINED = {
    "two in one subscript": "h[i, j] = exp(x[i+j])",
    "modulo": "y[i] = x[i % 3]",
    "boundary form": "y[i] = x[pad(i-1)]",
    "affine condition": "size N\ninput x[N]\ny[i] = sum{k: 3} [i+k < N]*x[i+k]",
    "condition alone": "y[i] = [i < 3]*a",
    "nothing": "y[i] = 1",
    "sum over nothing": "y = sum{k} a",
}


@pytest.mark.parametrize("text", UNDETERMINED.values(), ids=UNDETERMINED)
def test_an_index_that_nothing_determines_is_an_error_that_says_how_to_declare_it(text):
    with pytest.raises(ShapeError, match="has no range") as caught:
        resolved(text)

    assert ": N" in caught.value.fix


def test_a_condition_on_values_does_not_hinder_rule_3():
    assert extents("input x[6], a[6]\ny[i] = if a[0] > 0 then x[i+2] else 0")["i"] == ("0..3", 3)


def test_the_smallest_limit_of_many_is_one_size():
    found = resolved("y[i] = a[i+1]*b[i+2]*c[2*i]").program

    assert [d.op for d in found.derived_sizes].count("min") == 1
    assert value("y[i] = a[i+1]*b[i+2]*c[2*i]", a=ones(4), b=ones(9), c=ones(9)) == [1, 1, 1]
