"""`min`, `max` and `clamp` of index expressions, anywhere an index expression may stand: values and gradients.

A program is linear in `x`, and the witness lists for each element of `y` the weights and places of `x` that it sums.
"""

import numpy as np
import pytest

import tadc

R = range


def listed(weighted):
    return [w if isinstance(w, tuple) else (1, w) for w in weighted]


def padded(place, n):
    return [place] if 0 <= place < n else []


def clamped(e, low, high):
    return min(max(e, low), high)


# fmt: off
PROGRAMS = {
    # under boundary forms
    "pad": ("y[i: 6] = x[pad(max(i, 2))]", 4, 6, lambda i: padded(max(i, 2), 4)),
    "pad with a constant": ("y[i: 6] = x[pad(min(2*i, 7 - i) - 2, 0)]", 3, 6, lambda i: padded(min(2*i, 7 - i) - 2, 3)),
    "wrap": ("y[i: 6] = x[wrap(min(i, 3))]", 3, 6, lambda i: [min(i, 3) % 3]),
    "wrap of a product": ("input x[4]\ny[i: 6] = x[wrap(-5*max(i, 2) + 1)]", 4, 6, lambda i: [(1 - 5*max(i, 2)) % 4]),
    "clamp": ("y[i: 6] = x[clamp(2*min(i, 3) - 1)]", 4, 6, lambda i: [clamped(2*min(i, 3) - 1, 0, 3)]),
    "reflect": ("input x[3]\ny[i: 6] = x[reflect(max(i, 3) - 5)]", 3, 6, lambda i: [abs(max(i, 3) - 5)]),
    "several in one read": (
        "input x[3]\ny[i: 4, j: 3] = x[pad(min(i, j) + max(i - j, 0) - 1)]", 3, (4, 3),
        lambda i, j: padded(min(i, j) + max(i - j, 0) - 1, 3)),
    # bounds
    "a scaled least as a high": ("y[i: 6] = sum{k=0..2*min(i, 2)} x[k]", 5, 6, lambda i: R(2*min(i, 2) + 1)),
    "a least as a low": ("y[i: 6] = sum{k=min(i, 1)..4} x[k]", 5, 6, lambda i: R(min(i, 1), 5)),
    "a largest as a high": ("y[i: 5] = sum{k=0..max(i, 2)} x[k]", 5, 5, lambda i: R(max(i, 2) + 1)),
    "both": ("y[i: 5, j: 4] = sum{k=min(i, j)..max(i, j)} x[k]", 5, (5, 4), lambda i, j: R(min(i, j), max(i, j) + 1)),
    "of a difference": ("y[i: 6] = sum{k=3 - max(i, 2)//2..4 - min(i, 3)} x[pad(k)]", 5, 6,
        lambda i: [p for k in R(3 - max(i, 2)//2, 5 - min(i, 3)) for p in padded(k, 5)]),
    "nested": ("y[i: 7] = sum{k=min(max(i, 1), 3)..max(min(i, 4), 2)} x[k]", 5, 7,
        lambda i: R(min(max(i, 1), 3), max(min(i, 4), 2) + 1)),
    "a clamp": ("y[i: 6] = sum{k=clamp(i - 1, 1, 3)..4} x[k]", 5, 6, lambda i: R(clamped(i - 1, 1, 3), 5)),
    "an extent": ("y[i: 6] = sum{k: min(i, 3)} x[k]", 3, 6, lambda i: R(min(i, 3))),
    "an extent that is a largest": ("y[i: 5] = sum{k: max(i, 2)//2} x[k]", 3, 5, lambda i: R(max(i, 2)//2)),
    "of an index beside it": ("y[i: 2] = sum{k: 4, l=min(k, 2)..3} x[l]", 4, 2, lambda i: [v for k in R(4) for v in R(min(k, 2), 4)]),
    "of an outer sum": ("y[i: 3] = sum{k: 3} (sum{l=min(k, i)..max(k, 1)} x[l])", 4, 3,
        lambda i: [v for k in R(3) for v in R(min(k, i), max(k, 1) + 1)]),
    "rational": ("y[i: 6] = sum{k}_(1/2*min(i, 3))^(3/2*max(i, 2)) (x[k])", 8, 6, lambda i: R(-(-min(i, 3)//2), 3*max(i, 2)//2 + 1)),
    "a rest": ("y[i: 6] = sum{k=max(i, 2) % 3..2} x[k]", 3, 6, lambda i: R(max(i, 2) % 3, 3)),
    "in lists": ("y[i: 5] = sum{k}_(max [0; min(i, 2) - 1])^(min [3; max(i, 1)]) (x[k])", 4, 5,
        lambda i: R(max(0, min(i, 2) - 1), min(3, max(i, 1)) + 1)),
    "one-based": ("base 1\ny[i: 5] = sum{k=min(i, 2)..max(i, 3)} x[k]", 5, 5, lambda i: R(min(i + 1, 2) - 1, max(i + 1, 3))),
    "with a condition besides": ("y[i: 5] = sum{k=min(i, 2)..4 | (k + i) % 2 = 0} x[k]", 5, 5,
        lambda i: [k for k in R(min(i, 2), 5) if (k + i) % 2 == 0]),
    # under // and %
    "a rest as a value": ("y[i] = (max(i, 2) % 3)*x[i]", 8, 8, lambda i: [(max(i, 2) % 3, i)]),
    "a quotient as a value": ("y[i] = (min(3*i, 10) // 4)*x[i] - clamp(i, 1, 3)//2*x[i]", 8, 8, lambda i: [(min(3*i, 10)//4 - clamped(i, 1, 3)//2, i)]),
    "a quotient in a subscript": ("y[i: 8] = x[(max(i, 3) - 3)//2]", 3, 8, lambda i: [(max(i, 3) - 3)//2]),
    "a rest of both": ("y[i: 6, j: 3] = x[(max(i, j) + 2*min(i, 2)) % 4]", 4, (6, 3), lambda i, j: [(max(i, j) + 2*min(i, 2)) % 4]),
    # conditions
    "a divisibility": ("y[i] = sum{k: 3 | max(k, i) % 2 = 0} x[i]", 5, 5, lambda i: [i for k in R(3) if max(k, i) % 2 == 0]),
    "no divisibility": ("y[i] = if min(i, 3) % 2 != 0 then x[i] else 0", 6, 6, lambda i: [i] if min(i, 3) % 2 else []),
    "a comparison": ("y[i: 9] = if 2*min(i, 4) - max(i - 5, 0) > i then x[i] else 0", 8, 9, lambda i: [i] if 2*min(i, 4) - max(i - 5, 0) > i else []),
    "an equation": ("y[i: 6] = [min(i, 3) = max(2, i - 1)]*x[i]", 6, 6, lambda i: [i] if min(i, 3) == max(2, i - 1) else []),
    "a guard": ("y[i: 9] = if max(i, 3) < 5 then x[i] else 0", 5, 9, lambda i: [i] if max(i, 3) < 5 else []),
    "is int": ("y[i: 6] = if {1/2*min(i, 3) is int} then x[i] else 0", 6, 6, lambda i: [i] if min(i, 3) % 2 == 0 else []),
    # many
    "of many": ("y[i: 9] = x[min(i, 8 - i, 2*i - 3, 7, 5, i + 1) + 3]", 8, 9, lambda i: [min(i, 8 - i, 2*i - 3, 7, 5, i + 1) + 3]),
    "a sum of many": ("y[i: 7] = x[min(i, 1) + min(i, 2) + min(i, 3) + min(i, 4)]", 11, 7, lambda i: [sum(min(i, k) for k in R(1, 5))]),
}
# fmt: on


def witness(f, shape, length, x, dy):
    y, dx = np.zeros(shape), np.zeros(length)
    for place in np.ndindex(*shape):
        for weight, at in listed(f(*place)):
            y[place] += weight * x[at]
            dx[at] += weight * dy[place]
    return y, dx


@pytest.mark.parametrize(("text", "length", "shape", "f"), PROGRAMS.values(), ids=PROGRAMS)
def test_values_and_gradients_are_those_of_the_sum_written_out(text, length, shape, f):
    shape = shape if isinstance(shape, tuple) else (shape,)
    rng = np.random.default_rng(1)
    x, dy = rng.integers(1, 50, length) * 1.0, rng.integers(1, 50, shape) * 1.0
    y, dx = witness(f, shape, length, x, dy)
    program = tadc.compile(text, backend="interpreter")
    printed = tadc.compile(str(program), backend="interpreter")
    adjoint = program.adjoint()

    np.testing.assert_array_equal(program(x), y)
    np.testing.assert_array_equal(printed(x), y)
    np.testing.assert_array_equal(adjoint(x, dy), dx)


@pytest.mark.parametrize("op", ["max", "min", "prod", "mean", "logsumexp", "argmax"])
def test_every_reduction_may_have_a_bound_in_cases(op):
    text = f"y[i: 5] = {op}{{k: 2, l=min(i, 2*k)..max(i, 3)}} x[l]".replace(
        "argmax{k: 2, l=min(i, 2*k)", "argmax{l=min(i, 2)"
    )
    x = np.array([0.5, 2.0, 2.0, 1.5, 2.0])
    evaluated = {
        "max": max,
        "min": min,
        "prod": np.prod,
        "mean": np.mean,
        "logsumexp": lambda v: np.log(np.exp(v).sum()),
    }
    y = tadc.compile(text, backend="interpreter")(x)

    for i in R(5):
        if op == "argmax":
            low = min(i, 2)
            expected = low + np.argmax(x[low : max(i, 3) + 1])
        else:
            expected = evaluated[op]([x[v] for k in R(2) for v in R(min(i, 2 * k), max(i, 3) + 1)])
        np.testing.assert_allclose(y[i], expected, rtol=1e-14)


def test_ties_of_a_maximum_with_a_bound_in_cases_are_shared_by_its_points():
    f = tadc.compile("y = max{k: 2, l=min(k, 1)..2} x[l]", backend="interpreter")
    dx = f.adjoint()(np.array([3.0, 3.0, 1.0]), 1.0)

    np.testing.assert_allclose(dx, [1 / 3, 2 / 3, 0])


SIZES = {
    "an extent on the left": ("size N, M\ninput x[N], w[M]\ny[i: min(N, M)] = x[i]*w[i]", 6, 4),
    "and the other way": ("size N, M\ninput x[N], w[M]\ny[i: min(N, M)] = x[i]*w[i]", 3, 4),
}


@pytest.mark.parametrize(("text", "n", "m"), SIZES.values(), ids=SIZES)
def test_an_extent_is_the_least_of_sizes(text, n, m):
    x, w = np.arange(1.0, n + 1), np.arange(2.0, m + 2)
    least = min(n, m)

    np.testing.assert_array_equal(tadc.compile(text)(x, w), x[:least] * w[:least])


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7])
def test_extents_and_bounds_of_sizes_are_floors_and_largest(n):
    x = np.arange(1.0, n + 1)
    half = tadc.compile("size K\ninput x[K]\ny = sum{k: (K+1)//2} x[k]")
    cut = tadc.compile("input x[N]\ny[i: max(N - 2, 1)] = sum{k=min(i, N//2)..max(i, N//3)} x[k]")
    expected = [x[min(i, n // 2) : max(i, n // 3) + 1].sum() for i in R(max(n - 2, 1))]

    np.testing.assert_array_equal(half(x), x[: (n + 1) // 2].sum())
    np.testing.assert_array_equal(cut(x), expected)


def test_a_bound_in_cases_counts_for_the_largest_range():
    f = tadc.compile("input x[9]\ny[i] = sum{j: 3, k=min(j, 1)..max(j, 1)} x[2*i + k]")

    assert f(np.ones(9)).shape == (4,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("input x[4]\ny[i: 6] = sum{k=min(i, 1)..max(i, 2)} x[k]", "i = 4, k = 4"),
        ("input x[4]\ny[i: 6] = x[min(i, 4)]", "i = 4"),
        ("input x[4]\ny[i: 6] = if max(i, 2) % 2 = 0 then x[i] else 0", "i = 4"),
    ],
)
def test_reads_outside_are_found_through_them(text, words):
    with pytest.raises(tadc.RangeError, match=words):
        tadc.compile(text)


def test_conditions_on_values_are_asked_where_the_bounds_and_the_conditions_before_them_hold():
    w, a = np.arange(8.0), np.arange(1.0, 10)
    bound = (
        "input w[8], a[9]\nf[i: 4] = sum{k=0..2*max(i, 2) - 1 | w[2*max(i, 2) - 1 - k] < 3} a[k]"
    )
    either = "input w[8], a[9]\nf = sum{k: 9 | (k = 0 or k = 7) and w[k] < 9} a[k]"

    expected = [a[: 2 * max(i, 2)][w[: 2 * max(i, 2)][::-1] < 3].sum() for i in range(4)]
    np.testing.assert_array_equal(tadc.compile(bound, backend="interpreter")(w, a), expected)
    assert tadc.compile(either, backend="interpreter")(w, a) == a[0] + a[7]
