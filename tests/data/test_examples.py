"""Worked examples of reads through data, on every backend that has them, and what must be true of their bits and their checks."""

import pickle
import re
import threading

import numpy as np
import pytest

import tadc
from tadc import compiler
from tadc.runtime import data_checks
from tadc.runtime.index import as_index, lists_of
from tadc.schedule.rewrite.lists import listed
from tests.data.examples import EXAMPLES


def arrays_of(given):
    return {n: np.array(a) for n, a in given.items()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_its_value_and_gradients(name):
    text, given, value, cotangent, gradients = EXAMPLES[name]
    f = tadc.compile(text, backend="interpreter")

    y, pullback = f.vjp(**arrays_of(given))
    np.testing.assert_allclose(y, value)
    found = pullback(np.array(cotangent))
    assert not set(found) & set(f.index_inputs)
    for x, expected in gradients.items():
        np.testing.assert_allclose(found[x], expected, atol=1e-15)


@pytest.mark.compiler
@pytest.mark.plain(name=2)
@pytest.mark.parametrize("name", EXAMPLES)
def test_native_code_agrees_with_and_without_an_index(name):
    text, given, value, cotangent, gradients = EXAMPLES[name]
    f = tadc.compile(text, backend="native")
    arrays = arrays_of(given)
    kept = {n: tadc.index(a) if n in f.index_inputs else a for n, a in arrays.items()}
    for passed in (arrays, kept, kept):
        y, pullback = f.vjp(**passed)
        np.testing.assert_allclose(y, value, rtol=1e-12)
        for x, expected in gradients.items():
            found = pullback(np.array(cotangent))[x]
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_the_hessian_of_springs():
    text, given, *_ = EXAMPLES["springs"]
    hessian = tadc.compile(text, backend="interpreter").hessian("x")

    found = hessian(**arrays_of(given))
    assert found.tolist() == [[3, -1, -2], [-1, 5, -4], [-2, -4, 6]]


OUTSIDE = [
    # text, arrays, tensor, position, value, least and greatest inside
    ("y[i] = x[k[i]]", {"k": [1, -1, 0, 2], "x": [5.0, 6, 7]}, "k", (1,), -1, 0, 2),
    ("y[i] = sum{r=0..1} (r+1)*x[2*k[i]+r]", {"k": [2, 0, 1], "x": [1.0, 2, 3, 4]}, "k", (0,), 2, 0, 1),
    ("y[i] = sum{r=0..1} x[3 - 2*k[i] - r]", {"k": [0, 2, 1], "x": [1.0, 2, 3, 4]}, "k", (1,), 2, 0, 1),
    ("input d[N]: 0..2; y[i: 3] = sum{e | d[e] = i} w[e]", {"d": [0, 2, 3], "w": [1.0, 2, 3]}, "d", (2,), 3, 0, 2),
    ("y[i] = x[k[m[i]]]", {"k": [1, 5], "m": [0, 1], "x": [7.0, 8]}, "k", (1,), 5, 0, 1),
    ("y[i] = x[k[m[i]]]", {"k": [1, 0], "m": [0, 2], "x": [7.0, 8]}, "m", (1,), 2, 0, 1),
    ("y[t,a] = x[T[t,a]]", {"T": [[0, 1], [9, 3]], "x": [1.0, 2, 3]}, "T", (1, 0), 9, 0, 2),
    ("y[e, c] = x[src[e], c]", {"src": [0, 1, 1, 7], "x": np.zeros((5, 2))}, "src", (3,), 7, 0, 4),
    ("y[i] = x[i - k[i]]", {"k": [0, 1, 3], "x": [1.0, 2, 3]}, "k", (2,), 3, 0, 2),
    ("y[i] = x[k[i]]", {"k": [0, 9, -1], "x": [1.0, 2, 3]}, "k", (1,), 9, 0, 2),
    ("c[p] = floor(u[p]); g[p] = sum{a=0..1} x[c[p] + a]", {"u": [0.2, 2.0], "x": [1.0, 2, 4]}, "c", (1,), 2, 0, 1),
    ("c[p] = floor(u[p]); g[p] = x[c[p]]", {"u": [0.2, 1e30], "x": [1.0, 2]}, "c", (1,), 1e30, 0, 1),
    ("base 1\ny[i] = x[k[i]]", {"k": [1, 0, 2], "x": [1.0, 2]}, "k", (1,), 0, 1, 2),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "given", "tensor", "index", "value", "low", "high"),
    OUTSIDE,
    ids=[o[0] for o in OUTSIDE],
)
def test_an_element_that_leads_outside_is_named(text, given, tensor, index, value, low, high):
    f = tadc.compile(text, backend="interpreter")
    with pytest.raises(tadc.RangeError) as caught:
        f(**arrays_of(given))
    error = caught.value
    assert (error.tensor, error.index, error.value) == (tensor, index, value)
    assert (error.low, error.high) == (low, high)
    assert isinstance(error, IndexError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.index, str(again)) == (index, str(error))


NO_INDICES = [
    # what is NaN is inside of no tensor, whatever the form; what is very large has no remainder
    ("y[i] = x[floor(u[i])]", np.nan, "is NaN"),
    ("y[i] = x[clamp(floor(u[i]))]", np.nan, "is NaN, which is no index"),
    ("y[i] = x[min(max(floor(u[i]), 0), 3)]", np.nan, "is NaN, which is no index"),
    ("input x[4]; y[i] = x[wrap(floor(u[i]))]", np.nan, "is NaN, which is no index"),
    ("input x[4]; y[i] = x[wrap(floor(u[i]))]", 1e30, "is 1e[+]30, which is no index"),
    ("y[i] = x[floor(u[i]) % 4]", -np.inf, "is -inf, which is no index"),
    ("k[i] = floor(u[i]); y[i] = x[clamp(2 - k[i])]", np.nan, r"k\[1\] is NaN"),
]


@pytest.mark.parametrize(("text", "value", "words"), NO_INDICES)
def test_a_number_that_is_no_index_is_outside(text, value, words):
    given = {"u": [0.5, value], "x": [1.0, 2.0, 3.0, 4.0]}
    f = tadc.compile(text, backend="interpreter")
    with pytest.raises(tadc.DataError, match=words) as caught:
        f(**given)
    assert caught.value.index == (1,)
    remedies = str(caught.value).splitlines()[-1]
    assert ("floor(if a = a then a else 0)" in remedies) == np.isnan(value)
    assert "`clamp" not in remedies  # which has no index for it either
    with pytest.raises(tadc.DataError, match=words):
        f.vjp(**given)
    nan = tadc.compile(text, backend="interpreter", bounds="nan")
    assert np.isnan(nan(**given)).all()


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
def test_what_the_error_of_nan_says_to_write_reads_another_element(backend):
    text = "y[i] = x[clamp(floor(if u[i] = u[i] then u[i] else 0) + 1)]"
    f = tadc.compile(text, backend=backend)
    assert f(u=[np.nan, 1.5, np.inf], x=[1.0, 2.0, 3.0]).tolist() == [2, 3, 3]
    with pytest.raises(tadc.DataError, match=r"u_floor\[0\] is NaN, and x has 3 elements"):
        tadc.compile("y[i] = x[floor(u[i]) + 1]", backend=backend)(u=[np.nan], x=np.ones(3))


def test_very_large_numbers_are_clamped_and_nothing_is_read_where_they_are_padded():
    x = [1.0, 2.0, 3.0]
    clamped = tadc.compile("y[i] = x[clamp(floor(u[i]))]", backend="interpreter")
    assert clamped(u=[1e30, -1e30, np.inf, -np.inf], x=x).tolist() == [3, 1, 3, 1]
    padded = tadc.compile("y[i] = x[pad(floor(u[i]) // 2, 7)]", backend="interpreter")
    assert padded(u=[np.nan, 1e30, 2.5], x=x).tolist() == [7, 7, 2]


WIDE = [
    ("input x[3]; y[i] = x[wrap(k[i])]", np.uint64, [2**64 - 1, 2**63, 7], lambda k: k % 3),
    ("y[i] = x[k[i] % 3]", np.uint64, [2**64 - 1, 2**63 + 1, 7], lambda k: k % 3),
    ("input x[3]; y[i] = x[wrap(2*k[i] + 1)]", np.int64, [2**62, -(2**63), 2**63 - 1], lambda k: (2 * k + 1) % 3),
    ("input x[3]; y[i] = x[symmetric(k[i])]", np.int64, [2**62 + 5, -(2**63)], lambda k: min(k % 6, 5 - k % 6)),
    ("y[i] = x[(k[i] // 2) % 3]", np.int64, [2**62 + 1, -(2**63) + 3], lambda k: k // 2 % 3),
    ("y[i] = x[pad(k[i] // 2)]", np.int64, [2**62, -(2**63), 3], lambda k: k // 2 if 0 <= k // 2 < 3 else 3),
]  # fmt: skip


@pytest.mark.compiler
@pytest.mark.parametrize(("text", "dtype", "k", "place"), WIDE, ids=[w[0] for w in WIDE])
def test_remainders_of_very_large_integers_are_exact(text, dtype, k, place):
    x = [5.0, 6.0, 7.0]
    for backend in ("interpreter", "numpy", "native"):
        f = tadc.compile(text, backend=backend)
        assert f(k=np.array(k, dtype), x=x).tolist() == [[*x, 0.0][place(v)] for v in k]


IDS = np.array([2**60, 5, 2**60 + 1, -(2**62), 2**63 - 1, -(2**63)])
JOINED = {
    "y[i] = sum{e | p[e] = s[i]} w[e]": np.equal,
    "y[i] = sum{e | p[e] <= s[i]} w[e]": np.less_equal,
    "y[i] = sum{e | p[e] > s[i]} w[e]": np.greater,
}


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize("text", JOINED)
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_very_large_integers_are_compared_exactly(text, backend, dtype):
    s, p = (np.roll(IDS, n).astype(dtype) for n in (0, 1))
    w = 2.0 ** np.arange(len(p))
    f = tadc.compile(f"input p[E]: index; input s[I]: index; {text}", backend=backend)
    expected = [w[JOINED[text](p, one)].sum() for one in s]
    assert f(p=p, s=s, w=w).tolist() == expected


@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_large_integers_are_added_up_exactly_or_are_an_error(backend):
    f = tadc.compile("y[i] = x[pad(k[i] - m[i])] + k[i]", backend=backend)
    k, x = np.array([2**60, -(2**60)]), np.array([1.0, 2.0, 4.0])
    assert f(k=k, m=k - 1, x=x).tolist() == [2.0**60 + 2, -(2.0**60) + 2]
    with pytest.raises(tadc.RangeError, match="too large to be a value, or to be added") as error:
        f(k=k * 4, m=k, x=x)
    assert (error.value.tensor, error.value.index, error.value.value) == ("k", (0,), 2**62)
    for text in (
        "y[i] = x[pad(k[i])]*k[i]",
        "y[i] = x[k[i] % 3] - k[i]",
    ):  # a number beside an index
        with pytest.raises(tadc.RangeError, match=f"{2**63 + 5}, which is too large to be a value"):
            tadc.compile(text, backend=backend)(k=np.array([1, 2**63 + 5], np.uint64), x=x)
    padded = tadc.compile("y[i] = x[pad(k[i])] + k[i] % 3", backend=backend)
    assert padded(k=k * 4, x=x).tolist() == [2**62 % 3, -(2**62) % 3]


def test_an_error_says_of_an_element_what_was_given_and_no_index_in_its_stead():
    f = tadc.compile("y[i] = x[2*k[i] + 1]", backend="interpreter")
    with pytest.raises(
        tadc.DataError, match=r"k\[1\] is 9223372036854775813, and x has 3"
    ) as caught:
        f(k=np.array([0, 2**63 + 5], np.uint64), x=np.ones(3))
    assert "`2*k[i] + 1` is" not in str(caught.value)
    g = tadc.compile("c[p] = floor(u[p]); y[p] = x[2*c[p] + 1]", backend="interpreter")
    for value, said in (1e30, "is 1e+30, and"), (np.nan, "is NaN, and"), (7.5, "is 7 and `2*c"):
        with pytest.raises(tadc.DataError) as caught:
            g(u=np.array([0.0, value]), x=np.ones(3))
        assert said in str(caught.value)
        assert ("clamp" in str(caught.value)) == (value == value)


def test_an_error_names_unsigned_integers_as_they_are():
    f = tadc.compile("y[i] = x[k[i]]", backend="interpreter")
    with pytest.raises(tadc.DataError, match=str(2**64 - 1)) as caught:
        f(k=np.array([0, 2**64 - 1], np.uint64), x=[1.0])
    assert caught.value.value == 2**64 - 1


def test_the_error_shows_the_place_and_the_way_out():
    f = tadc.compile("y[e, c] = x[src[e], c]", backend="interpreter")
    with pytest.raises(tadc.DataError) as caught:
        f(src=[0, 1, -1, 7], x=np.zeros((5, 2)))
    assert str(caught.value) == (
        "<string>:1:13: src[2] is -1, and x has 5 rows: 0..4 are inside\n"
        "    y[e, c] = x[src[e], c]\n"
        "                ^^^^^^\n"
        "write `pad(src[e])` to read 0 there, `clamp(src[e])` for the nearest (2 of 4 elements are outside); "
        "negative indices do not count from the end: `wrap(src[e])` does"
    )


def test_a_row_that_leaves_its_tensor_is_an_error_unless_it_is_empty():
    f = tadc.compile("y[i] = sum{e=ptr[i]..ptr[i+1]-1} v[e]", backend="interpreter")

    assert f(ptr=[0, 2, 2], v=[1.0, 2.0]).tolist() == [3, 0]
    assert f(ptr=[9, 2, 2], v=[1.0, 2.0]).tolist() == [0, 0]
    for ptr, position, words in (
        ([0, 2, 9], 2, "ptr[2] is 9, so that row 1 is e = 2..8, and v has 2 elements: 0..1 are inside"),
        ([-1, 2, 2], 0, "ptr[0] is -1, so that row 0 is e = -1..1, and v has 2 elements"),
        ([0, 3, 3], 1, "ptr[1] is 3, so that row 0 is e = 0..2"),
    ):  # fmt: skip
        with pytest.raises(tadc.DataError) as caught:
            f(ptr=ptr, v=[1.0, 2.0])
        assert words in str(caught.value)
        assert (caught.value.tensor, caught.value.index) == ("ptr", (position,))
        assert caught.value.value == ptr[position]


NO_ROWS = {
    "y[i] = sum{e = ptr[i]..ptr[i+1]-1} v[e]": np.zeros(0),
    "y[i] = max{e = ptr[i]..ptr[i+1]-1} v[e]": np.zeros(0),
    "y = sum{i} (sum{e = ptr[i]..ptr[i+1]-1} v[e])**2": 0.0,  # an extent that no tensor has
}


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize("v", [[], [1.0, 2.0]], ids=["of nothing", "of two elements"])
@pytest.mark.parametrize("text", NO_ROWS)
def test_a_batch_of_no_rows_has_an_empty_result(text, v, backend):
    y, pullback = tadc.compile(text, backend=backend).vjp(ptr=[0], v=np.array(v))
    np.testing.assert_array_equal(y, NO_ROWS[text])
    np.testing.assert_array_equal(pullback(np.ones_like(y))["v"], np.zeros(len(v)))


def test_bounds_that_no_extent_explains_are_still_an_error():
    with pytest.raises(tadc.RangeError, match="whose extent there is 1, at i = 0 already"):
        tadc.compile("y[i] = sum{e = ptr[i]..ptr[i+2]-1} v[e]")(ptr=[0], v=[1.0])
    with pytest.raises(
        tadc.RangeError, match=r"x, whose extent there is 1, at i = 0 already|`x\[1\]` when i = 0"
    ):
        tadc.compile("y[i] = x[i+1]*sum{e = ptr[i]..ptr[i+1]-1} v[e]")(ptr=[0], v=[1.0], x=[1.0])


def test_only_elements_of_rows_are_checked():
    f = tadc.compile("z[i] = sum{e=ptr[i]..ptr[i+1]-1} v[e]*x[col[e]]", backend="interpreter")
    given = {"v": [1.0, 2.0, 3.0], "x": [1.0, 1.0]}

    assert f(ptr=[0, 2, 2], col=[0, 1, 99], **given).tolist() == [3, 0]
    with pytest.raises(tadc.DataError, match="is 99") as caught:
        f(ptr=[0, 2, 3], col=[0, 1, 99], **given)
    assert (caught.value.tensor, caught.value.index) == ("col", (2,))


def test_many_elements_outside_are_an_error_soon(monkeypatch):
    monkeypatch.setattr(data_checks, "MOST_POINTS", 2**8)
    monkeypatch.setattr(data_checks, "MOST_TRIED", 2**10)
    n, count = 20, 2000
    f = tadc.compile("z[i] = sum{e=ptr[i]..ptr[i+1]-1} x[col[e]]", backend="numpy")
    with pytest.raises(tadc.DataError, match="at least") as caught:
        f(ptr=np.linspace(0, count, n + 1).astype(int), col=np.full(count, n), x=np.ones(n))
    assert caught.value.index == (0,)


def test_a_loss_by_labels_and_its_gradient_need_no_list():
    f = tadc.compile(EXAMPLES["cross entropy"][0])
    for g in (f, f.adjoint()):
        made = listed(g.program)
        assert not made.lists
        assert not made.tested


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize(
    "text",
    [
        "size N\ny[i] = [0 <= k[i] < N]*x[k[i]]\ninput x[N]",
        "y[i] = x[pad(k[i])]",
        "size N\ninput x[N]\ny[i] = if 0 <= k[i] and k[i] < N then x[k[i]] else 0",
        "y[i] = sum{m} [m = k[i]]*x[m]",
    ],
)
def test_what_conditions_exclude_is_not_read(text, backend):
    f = tadc.compile(text, backend=backend)

    assert f(k=[2**40, 1, -(2**62)], x=[1.0, 2.0]).tolist() == [0, 2, 0]


# Conditions that hold together: each is read where the others hold.
TOGETHER = {
    "y[i: 3] = sum{e | 0 <= k[e] < M and m[k[e]] = i} w[e]": [2, 5, 0],
    "y[i: 3] = sum{e | m[k[e]] = i and 0 <= k[e] < M} w[e]": [2, 5, 0],
    "y[e] = [0 <= k[e] < M]*[m[k[e]] = 1]*w[e]": [1, 0, 4, 0],
    "y[e] = if k[e] < M and m[k[e]] = 1 and 0 <= k[e] then w[e] else 7": [1, 7, 4, 7],
    "y[e] = if k[e] < M and m[k[e]] = 1 then w[e] else 7": None,
    "y[e] = if m[k[e]] = 1 then w[e] else 7": None,
}


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize("text", TOGETHER)
def test_a_condition_is_read_where_those_beside_it_hold(text, backend):
    f = tadc.compile(f"size M\ninput m[M]: index, k[E]: index\n{text}", backend=backend)
    given = {"m": [1, 0, 1], "k": [0, 1, 2, -3], "w": [1.0, 2, 4, 8]}
    if TOGETHER[text] is None:
        with pytest.raises(tadc.DataError, match=r"k\[3\] is -3"):
            f(**given)
    else:
        assert f(**given).tolist() == TOGETHER[text]


def test_a_condition_on_values_does_not_silence_the_check():
    f = tadc.compile("y[i] = if v[i] > 0 then x[k[i]] else 0", backend="interpreter")
    with pytest.raises(tadc.DataError):
        f(k=[0, 9], v=[1.0, -1.0], x=[1.0])


def test_bounds_may_be_an_error_or_nan():
    f = tadc.compile("y[i] = x[k[i]]", backend="interpreter", bounds="nan")

    assert np.isnan(f(k=[0, 9], x=[1.0, 2.0])).all()
    assert f(k=[0, 1], x=[1.0, 2.0]).tolist() == [1, 2]


DECLARED = {
    "size N = 3; c[p]: 0..N-1 = floor(u[p]); y[i: N] = sum{p | c[p] = i} w[p]": "c[P]: 0..2: c[1] is",
    "size N = 3; c[p]: 0..N-1 = floor(u[p]); y[p] = x[c[p]]*w[p]": "c[P]: 0..2: c[1] is",
    "size N = 3; b[p] = floor(u[p]); c[p]: 0..N-1 = b[p] + 0; y[i: N] = sum{p | c[p] = i} w[p]": "c[P]: 0..2: c[1] is",
    "base 1; size N = 3; c[p]: 1..N = floor(u[p]) + 1; y[i: N] = sum{p | c[p] = i} w[p]": "c[P]: 1..3: c[2] is",
}


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize("bad", [7.2, -0.5, np.nan, np.inf])
@pytest.mark.parametrize("text", DECLARED)
def test_a_declared_range_of_a_defined_index_tensor_is_checked(text, bad, backend):
    f = tadc.compile(text, backend=backend)
    given = {"u": np.array([1.5, bad]), "w": np.array([1.0, 2.0]), "x": np.arange(10.0)}
    given = {name: given[name] for name in f.inputs}
    with pytest.raises(tadc.DataError, match=re.escape(DECLARED[text])) as caught:
        f.vjp(**given)
    assert (caught.value.tensor, caught.value.index) == ("c", (1,))
    assert str(tadc.compile(str(f))) == str(f)  # the range is printed
    y, pullback = f.vjp(**{**given, "u": np.array([1.5, 2.0])})
    assert pullback(np.ones_like(y))["u"].tolist() == [0, 0]


def test_places_in_errors_of_declared_ranges_count_as_the_text_does():
    f = tadc.compile("base 1; size N = 3; input d[E]: 1..N; y[i: N] = sum{e | d[e] = i} w[e]")
    with pytest.raises(tadc.DataError, match=r"d\[2\] is 0") as caught:
        f(d=[1, 0], w=[1.0, 2.0])
    assert caught.value.index == (1,)


@pytest.mark.filterwarnings("error")
def test_a_computed_index_that_is_an_output_has_no_nan():
    f = tadc.compile("c[p]: 0..2 = floor(u[p]); y[p] = x[c[p]]; output c, y", bounds="nan")
    c, y = f(u=[2.5, 9.0], x=[1.0, 2.0, 3.0])
    assert c.tolist() == [np.iinfo(np.int64).min] * 2
    assert np.isnan(y).all()


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([True, False]), "bool"),
        (np.array([1.5, 2.5]), "float64"),
        (["a"], "index here"),
        ([1j], "complex128"),
        (None, "objects of NoneType"),
        ([2**70], "objects of int"),
        (np.array(["2020-01-01"], "M8[D]"), "datetime64"),
        ([[1], [2, 3]], "is no array"),
    ],
)
def test_other_arrays_are_no_indices(array, words):
    f = tadc.compile("y[i] = x[k[i]]", backend="interpreter")
    with pytest.raises(tadc.ArgumentError, match=words) as caught:
        f(k=array, x=[1.0, 2.0])
    assert isinstance(caught.value, TypeError)


def test_an_index_of_bools_says_what_to_write():
    with pytest.raises(tadc.ArgumentError, match=r"write a condition, `\[k\[i\] = 1\]`, with `k`"):
        tadc.index(np.array([True]))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", ">i4"])
def test_integers_of_every_type_are_indices(dtype):
    f = tadc.compile("y[i] = x[k[i]]", backend="interpreter")

    assert f(k=np.array([1, 0], dtype), x=[1.0, 2.0]).tolist() == [2, 1]


def test_arrays_of_every_layout_are_indices_and_nothing_is_inside_of_an_empty_tensor():
    f = tadc.compile("y[i] = x[k[i]]", backend="interpreter")
    x, frozen = [1.0, 2.0, 3.0, 4.0], np.arange(3)
    frozen.flags.writeable = False
    assert f(k=np.arange(4)[::-2], x=x).tolist() == [4, 2]
    assert f(k=frozen, x=x).tolist() == [1, 2, 3]
    assert f(k=[], x=np.zeros(0)).shape == (0,)
    with pytest.raises(tadc.DataError, match="x has 0 elements: no index is inside"):
        f(k=[0], x=np.zeros(0))
    with pytest.raises(tadc.ShapeError, match="1 dimension in the program"):
        f(k=[[0]], x=x)


def test_very_large_integers_are_outside():
    f = tadc.compile("y[i] = x[pad(k[i])]", backend="interpreter")

    assert f(k=np.array([0, 2**64 - 1], np.uint64), x=[3.0]).tolist() == [3, 0]


def test_there_is_no_derivative_by_an_index_tensor():
    f = tadc.compile("y[i] = x[k[i]]")
    assert f.adjoint().outputs == ("dx",)
    with pytest.raises(tadc.DerivativeError, match="`k` is an index tensor"):
        f.adjoint("k")


@pytest.mark.parametrize("call", ["prove", "graph", "block"])
def test_what_does_not_know_data_says_so_and_where(call):
    f = tadc.compile("y[i] = x[k[i]]")
    with pytest.raises(tadc.Error, match=r"index tensors yet|elements of tensors") as caught:
        getattr(f, call)(*(["y"] if call == "block" else []))
    assert caught.value.span.text == "k[i]"


def test_an_array_may_change_before_the_pullback():
    f = tadc.compile("y[i] = x[k[i]]", backend="interpreter")
    k = np.array([1, 1])
    _, pullback = f.vjp(k=k, x=np.array([1.0, 2.0]))
    k[:] = 7

    assert pullback(np.array([3.0, 4.0]))["x"].tolist() == [0, 7]


def test_an_index_is_a_copy_that_cannot_be_written():
    array = np.array([2, 0, 1])
    k = tadc.index(array)
    array[:] = 9

    assert k.array.tolist() == [2, 0, 1]
    assert (k.min, k.max, k.sorted, k.unique, k.shape, len(k)) == (0, 2, False, True, (3,), 3)
    assert tadc.index(k) is k
    assert tadc.index(np.zeros((0,), int)).min is None
    with pytest.raises(ValueError, match="read-only"):
        k.array[0] = 1
    assert pickle.loads(pickle.dumps(k)).array.tolist() == [2, 0, 1]


LISTS = [
    # the text, its index tensors, where each key begins, and the positions
    ("y[i: 3] = sum{e | k[e] = i} w[e]", {"k": [2, 0, 2, 1]}, [0, 1, 2, 4], [[1, 3, 0, 2]]),
    ("y[i: 3] = sum{e | k[e] = i} w[e]", {"k": [1, 0, 1, 1]}, [0, 1, 4, 4], [[1, 0, 2, 3]]),
    ("y[n: 4] = sum{t, a | k[t, a] = n} w[t, a]", {"k": [[0, 1, 2], [1, 3, 2]]}, [0, 1, 3, 5, 6], [[0, 0, 1, 0, 1, 1], [0, 1, 0, 2, 2, 1]]),
    ("h[a: 2, b: 2] = sum{e | p[e] = a and q[e] = b} w[e]", {"p": [0, 1, 0, 0], "q": [1, 0, 1, 0]}, [0, 1, 3, 3, 4, 4], [[3, 0, 2, 1]]),
    ("h[a: 2, b: 2] = sum{e | p[e] + 1 = a and q[e] = b} w[e]", {"p": [-1, 0, -1, -1], "q": [1, 0, 1, 0]}, [0, 1, 3, 3, 4, 4], [[3, 0, 2, 1]]),
    ("h[a: 2, b: 2, c: 2] = sum{e | p[e] = a and q[e] = b and r[e] = c} w[e]", {"p": [0, 1, 0, 0], "q": [1, 0, 1, 0], "r": [1, 0, 0, 1]}, [0, 0, 1, 1, 2, 3, 3, 4, 4, 4, 4, 4], [[3, 2, 0, 1]]),
    ("y[e: 5] = sum{i=0..2 | k[i] <= e and e < k[i+1]} w[i]", {"k": [0, 2, 2, 5]}, [0, 1, 2, 3, 4, 5], [[0, 0, 2, 2, 2]]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "given", "begin", "positions"), LISTS, ids=[t for t, *_ in LISTS])
def test_a_list_has_its_positions_in_the_order_of_keys(text, given, begin, positions):
    f = tadc.compile(text, backend="interpreter")
    program = listed(f.program)
    made = program.lists
    assert not program.tested
    indices = {n: as_index(n, k) for n, k in given.items()}
    sizes = {s: len(positions[0]) for s in f.sizes} if "w[i]" not in text else {"I": 3, "k_0": 4}
    (found,) = lists_of(made, indices, dict.fromkeys(f.sizes, 3) | sizes, 100)

    assert found.begin.ravel().tolist() == begin
    assert [a.tolist() for a in found.positions] == positions


@pytest.mark.compiler
def test_lists_are_built_once_for_an_index_and_bits_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    k = np.concatenate([np.zeros(3000, int), rng.integers(-2, 50, 3000)])
    w = rng.standard_normal(len(k)).astype(np.float32)
    text = "y[i: 40] = sum{e | k[e] = i} w[e]"
    kept = tadc.index(k)
    results = [
        tadc.compile(text, backend="native", threads=threads)(k=each, w=w)
        for threads in (1, 2, 8)
        for each in (k, kept)
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)
    assert sum(key[0][0] == "sorted" for key in kept._lists) == 1
    expected = np.zeros(40)
    inside = (k >= 0) & (k < 40)
    np.add.at(expected, k[inside], w[inside].astype(float))
    np.testing.assert_allclose(results[0], expected, rtol=1e-5, atol=1e-5)


def test_an_index_may_be_shared_by_threads():
    f = tadc.compile("y[i: 3] = sum{e | k[e] = i} w[e]", backend="interpreter")
    k, found = tadc.index([1, 0, 1]), []
    threads = [
        threading.Thread(target=lambda: found.append(f(k, [1.0, 2.0, 4.0]).tolist()))
        for _ in range(4)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()

    assert found == [[2, 5, 0]] * 4


@pytest.mark.parametrize("edges", [0, 1])
def test_there_may_be_few_edges(edges):
    f = tadc.compile("y[i: N] = sum{e | d[e] = i} w[e]*x[s[e]]\nsize N", backend="interpreter")
    d = np.zeros(edges, int)
    y, pullback = f.vjp(d=d, s=d, w=np.ones(edges), x=np.array([2.0]), N=1)

    assert y.tolist() == [2.0 * edges]
    assert pullback(np.ones(1))["x"].tolist() == [edges]


def test_what_is_only_compared_may_hold_floats_or_integers():
    f = tadc.compile("y[i] = sum{m} [m = k[i]]*x[m]", backend="interpreter")
    x = [10.0, 20.0, 30.0]

    assert f(k=[2.5, 1.0, 7.0], x=x).tolist() == [0, 20, 0]
    assert f(k=[2, 1, 7], x=x).tolist() == [30, 20, 0]
    y, pullback = f.vjp(np.array([2.5, 1.0, 1.0]), x, wrt="x")
    assert (y.tolist(), pullback(np.ones(3))["x"].tolist()) == ([0, 20, 20], [0, 2, 0])
    _, tangent = f.jvp({"k": np.array([1.0]), "x": np.array(x)}, {"x": np.ones(3)})
    assert tangent.tolist() == [1]


def test_what_is_only_compared_is_a_value_where_a_derivative_by_it_is_asked_for():
    f = tadc.compile("y[i] = sum{m} [m = k[i]]*x[m]", backend="interpreter")
    k, x = np.array([1, 2]), np.array([10.0, 20.0, 30.0])
    assert f.vjp(k, x)[1](np.ones(2)).keys() == {"x"}
    for given in (k, k.astype(float)):
        gradients = f.vjp(given, x, wrt=["k", "x"])[1](np.ones(2))
        assert [g.tolist() for g in gradients.values()] == [[0, 0], [0, 1, 1]]
        assert f.value_and_gradients(given, x, cotangent=np.ones(2), wrt="k")[1]["k"].tolist() == [
            0,
            0,
        ]
        assert f.jvp({"k": given, "x": x}, {"k": np.ones(2)})[1].tolist() == [0, 0]
        assert f.adjoint("k")(given, x, np.ones(2)).tolist() == [0, 0]
        assert not f.jacobian("k")(given, x).any()


def test_what_a_statement_defines_is_an_index_only_if_it_is_whole():
    with pytest.raises(tadc.SyntaxError, match="need not be integers"):
        tadc.compile("k[i] = 2*u[i]; y[i] = x[k[i]]")
    f = tadc.compile("k[i] = floor(u[i]); y[i] = x[pad(k[i])]", backend="interpreter")
    assert f(u=[0.5, np.nan, np.inf, -1e30], x=[3.0]).tolist() == [3, 0, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "y[i] = x[k[i]]",
        "size N; y[i: N] = sum{e | d[e] = i} w[e]",
        "z[i] = sum{e=p[i]..p[i+1]-1} v[e]*x[q[e]]",
        "m[i] = argmax{j} a[i,j]; y[i] = b[m[i]]",
        "c[p]: index = floor(u[p]); y[i: 3] = sum{p | c[p] = i} w[p]",
        "size N, M; c[p: M]: 0..N//2 = floor(u[p]); y[p] = x[c[p]]; input x[N]",
        "base 1; k[i]: 1..3 = floor(u[i]); y[i] = x[k[i]]; input x[3]",
    ],
)
def test_latex_reads_and_prints_data(text):
    f = tadc.compile(text)
    for g in (f, f.adjoint()):
        assert str(tadc.compile(g.source("latex"), lang="tex")) == str(g)


def test_latex_prints_data_beside_coefficients_that_are_sizes():
    text = "size S, M; input x[S*M]; k[i]: 0..2*M - 1 = floor(u[i]); y[j] = x[k[j]]*v[M*j]"
    f = tadc.compile(text)
    assert str(tadc.compile(f.source("latex"), lang="tex")) == str(f)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("k in 0..3", None),
        ("q in 0..3", "nothing defines `q`, whose elements have a range here"),
        ("k in 0..", "a value is missing after `..`"),
        ("k in 0..Q", "`Q` is not a size"),
    ],
)
def test_a_line_of_latex_tells_the_range_of_what_a_formula_defines(line, error):
    text = f"%!tadc {line}\n%!tadc input x[4]\n\\[ k_i = \\lfloor u_i \\rfloor, \\quad y_i = x_{{k_i}} \\]"
    if error is None:
        f = tadc.compile(text, lang="tex", backend="numpy")
        with pytest.raises(tadc.DataError, match=r"k\[U\]: 0..3: k\[1\] is 4|k\[1\] is 4"):
            f(u=[1.0, 4.0], x=np.ones(4))
    else:
        with pytest.raises(tadc.Error, match=error) as caught:
            tadc.compile(text, lang="tex")
        assert "<string>:1:" in str(caught.value)


LATEX = {
    r"y_i = \sum_{e=p_i}^{p_{i+1}-1} v_e x_{c_e}": "sum{e=p[i]..p[i + 1] - 1} v[e]*x[c[e]]",
    r"y_i = \sum_{j=1}^{n_i} v_{ij}": "sum{j=0..n[i] - 1} v[i, j]",
    r"\[ y_i = \sum_{e \mid d_e = i} w_e x_{s_e}, \quad i = 1, \dots, N \]": "d[e] = i + 1} w[e]*x[s[e] - 1]",
    r"\[ y_i = \sum_{e \mid d_e = i} w_e x_{s_e}, \quad i = 0, \dots, N-1 \]": "d[e] = i} w[e]*x[s[e]]",
}  # fmt: skip


@pytest.mark.parametrize("text", LATEX)
def test_latex_names_index_tensors_by_their_letter_and_counts_them_as_its_ranges_do(text):
    assert LATEX[text] in str(tadc.compile(text, lang="tex"))


ADVICE = {
    "y[k[i]] = x[i]": "sum{i | k[i] = j}",
    "y[i] = x[floor(i/2)]": "a statement of its own",
    "y[i] = x[k[pad(m[i], 0.5)]]": "no integer",
    "y[i] = x[k[wrap(m[i])]]": "give the size a number",
    "input x[3]; y[i: 4] = sum{j=k[pad(i-1)]..2} x[j]": "input k[N]: index",
    "input x[3]; y[i: 4] = sum{j=min(k[i], m[i])..2} x[j]": "a condition instead of the bound",
    "input k[N]: float32; y[i] = x[k[i]]": "declare it as one",
    "y[i] = sum{e | d[e] = i} w[e]": "declare it on the left",
    "y[i] = x[k[i]*i]": "two dimensions",
    "input k[N]: integer; y[i] = x[k[i]]": "or `index`",
}


@pytest.mark.parametrize("text", ADVICE)
def test_what_cannot_be_says_what_to_write(text):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text)
    assert ADVICE[text] in str(caught.value)
    assert caught.value.span is not None


@pytest.mark.plain(name=3)
@pytest.mark.compiler
@pytest.mark.parametrize("name", EXAMPLES)
def test_check_draws_data_for_which_reads_are_inside(name):
    f = tadc.compile(EXAMPLES[name][0])
    if compiler.index_stages(f.program):
        with pytest.raises(tadc.ArgumentError, match="indices that are computed"):
            f.check()
    else:
        assert f.check()


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("size N; z[i: N] = sum{e | d[e] = i} u[e]; a[e] = u[e]*z[d[e]]", 0),
        # Nothing is read at elements of `d` that lead outside, or at some of them alone.
        ("size N; z[i: N] = sum{e | d[e] = i} u[e]**2; a[e] = u[e]*z[pad(d[e])]", 2),
        ("size N; input d[E]: index; z[i: N] = sum{e | d[e] = i} u[e]**2; a[e: E - 1] = u[e]*z[d[e]]", 1),
    ],
)  # fmt: skip
def test_what_was_checked_is_known_in_derivatives(text, conditions):
    f = tadc.compile(text, backend="interpreter").adjoint("u")
    gradient = str(f).split("du[e: E] = ")[1]
    assert gradient.count("0 <= d[e]") == conditions
    d, u = np.array([1, 0, 1, 2]), np.array([1.0, 2.0, 3.0, 4.0])
    more = {"da": np.ones(4 - (conditions == 1))}
    reference = tadc.compile(text, backend="interpreter")
    step, tangent = 1e-6, np.array([1.0, -2.0, 0.5, 3.0])
    values = [reference(d=d, u=u + s * tangent, N=3).sum() for s in (step, -step)]
    gradients = f(d=d, u=u, N=3, **more)
    assert gradients @ tangent == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-6)


def test_costs_of_sizes_that_are_numbers_are_those_of_the_same_sizes():
    f = tadc.compile("size N\ny[i: N] = sum{e | d[e] = i} w[e]", backend="numpy")
    assert f.fix(N=4, E=5).cost().operations == f.cost(N=4, E=5).operations


def test_costs_count_the_positions_of_lists():
    f = tadc.compile("size N\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]")
    cost = f.cost(N=100, E=1000, x_0=100, C=16)
    building, value = cost.kernels

    assert (building.name, building.operations) == ("program_list_dst", 0)
    assert building.bytes_read == 4 * (2 * 1000 + 101)
    assert (value.operations, value.formula) == (2 * 16 * 1000, "2*C*E")
    assert f.cost(mode="adjoint").formula == "2*E*C + 2*C*E"
    rows = tadc.compile("z[i] = sum{e=ptr[i]..ptr[i+1]-1} v[e]*x[col[e]]")
    assert rows.cost().formula == "2*col_0"
    windows = tadc.compile("y[i] = sum{e=lo[i]..hi[i]} v[e]")  # which may all overlap
    given = {"lo_0": 10, "hi_0": 10, "v_0": 100}
    assert [
        windows.cost(mode=m, **given).kernels[-1].operations for m in ("primal", "adjoint")
    ] == [1000, 1000]
    assert tadc.compile("y[i] = sum{j | j < n[i]} a[i,j]").cost().formula == "I*J"


@pytest.mark.parametrize(
    ("text", "sizes", "value", "gradient"),
    [
        ("y[i] = sum{e=lo[i]..hi[i]} v[e]", {"lo_0": 10, "hi_0": 10, "v_0": 100}, 1000, 1000),
        ("y[i, c] = sum{e=lo[i]..hi[i]} v[e, c]", {"lo_0": 10, "hi_0": 10, "v_0": 100, "C": 3}, 3000, 3000),
        ("y[i] = sum{j | j < n[i]} a[i,j]", {"I": 10, "J": 50}, 500, None),
        ("input p[E]: index, s[I]: index\ny[i] = sum{e | p[e] = s[i]} w[e]", {"E": 100, "I": 10}, 1000, 1000),
    ],
)  # fmt: skip
def test_costs_count_the_pairs_of_windows_where_they_are_said(text, sizes, value, gradient):
    f = tadc.compile(text)
    columns = sizes.get("C", 1)

    def work(**more):
        modes = ("primal", "adjoint")
        return [f.cost(mode=m, **sizes, **more).kernels[-1].operations for m in modes]

    assert work()[0] == value
    assert work(pairs=70)[0] == 70 * columns
    if gradient is not None:
        assert (work()[1], work(pairs=70)[1]) == (gradient, 70 * columns)
    assert "pairs" in f.cost(**sizes, pairs=70).formula
    with pytest.raises(tadc.ArgumentError, match="`pairs` is -1"):
        f.cost(**sizes, pairs=-1)
    with pytest.raises(tadc.ArgumentError, match="pairs"):  # there are no windows
        tadc.compile("y[i] = x[i]").cost(I=4, pairs=3)


def test_plans_name_lists_and_what_is_not_checked():
    text = "size N\ny[i: N] = sum{e | dst[e] = i} w[e]"
    plan = str(tadc.compile(text, bounds="trust").plan(N=10, E=100))

    first, second, *_ = plan.splitlines()
    assert first.startswith("index tensors are not checked")
    assert second.startswith("list dst: the positions where dst = 0..N - 1, at most 444 bytes")
    plan = str(tadc.compile(f"{text}*x[src[e]]").plan(N=10, E=100, x_0=5))
    assert "dst = 0..N - 1, with src in their order, at most 844 bytes" in plan
    assert "x[dst_src[dst_ptr[i] + t]]" in plan


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("input t[J]: index, s[I]: index\ny[j] = sum{i} [t[j] <= s[i]]*x[i]", "I"),
        ("input q[E]: index, s[A]: index\ny[a] = sum{e} [q[e] = s[a]]*w[e]", None),
        ("input q[E]: index, s[A]: index\ny = sum{a, e} [q[e] = s[a]]*w[e]*v[a]", None),
        ("input q[E]: index, s[A]: index\ny[a, b: 3] = sum{e} [q[e] = s[a] + b]*w[e]", "E"),
        ("size N\ny[i: N] = sum{e | p[e] = i and q[e] <= i} w[e]", None),
        ("size N\ny[b, i: N] = sum{e | p[b, e] = i} w[e]", None),
        ("size N\ninput ends[2, E]: index\ny[i: N] = sum{e | ends[1, e] = i} x[ends[0, e]]", None),
        ("y[i] = sum{j | j < len[i]} a[i,j]", None),
        ("y = sum{e} x[pad(k[e])]", None),
    ],
)
def test_plans_name_what_no_list_shortens(text, points):
    f = tadc.compile(text)
    plan = str(f.plan(**dict.fromkeys(f.sizes, 10)))

    assert ("is tested" in plan) == (points is not None)
    assert points is None or f"y is tested: O({points}) points are tried for each element" in plan


def test_an_argmax_of_numbers_that_are_not_whole_is_an_index():
    f = tadc.compile("m[i] = argmax{j} a[i,j]; y[i] = b[m[i]]", backend="interpreter")
    assert f(a=[[0.2, 0.7, 0.5], [0.9, 0.1, 0.3]], b=[5.0, 6.0, 7.0]).tolist() == [6, 5]


def test_a_product_of_indices_is_a_statement_of_its_own():
    with pytest.raises(tadc.SyntaxError, match=r"make it a statement of its own.*: index = i\*k"):
        tadc.compile("size I\ny[i: I, j: 4] = x[(i*k[j]) % 7]")
    f = tadc.compile(
        "input k[J]: index; m[i: 3, j]: index = i*k[j]; y[i, j] = x[m[i, j] % 7]",
        backend="interpreter",
    )
    y, pullback = f.vjp(k=[1, 4], x=np.arange(7.0))

    assert y.tolist() == [[0, 0], [1, 4], [2, 1]]
    assert pullback(np.ones((3, 2)))["x"].tolist() == [2, 2, 1, 0, 1, 0, 0]


def test_proofs_and_graphs_say_what_to_do_instead():
    f = tadc.compile("y[e] = x[src[e]]")
    with pytest.raises(tadc.BackendError, match=r"(?s)`prove` does not know index tensors.*check"):
        f.prove()
    with pytest.raises(tadc.BackendError, match="`graph` does not know index tensors"):
        f.graph(np.ones(2), np.array([0, 1]))
