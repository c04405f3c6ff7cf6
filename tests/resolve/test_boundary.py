"""`wrap`, `reflect` and `symmetric` at any distance, with extents of any kind, against `np.pad`: values and derivatives."""

import pickle

import numpy as np
import pytest

import tadc

MODES = ("wrap", "reflect", "symmetric")
R = range


def continued(mode, n):
    """Where in a tensor of `n` elements each of the places -60..60 lies."""
    return lambda e: int(np.pad(np.arange(n), 60, mode=mode)[np.asarray(e) + 60])


def grown(read, shape, dy):
    """The sum of `dy` over the places that each element was read from."""
    dx = np.zeros(shape)
    for place in np.ndindex(*dy.shape):
        for at in read(*place):
            dx[at] += dy[place]
    return dx


def agrees(text, shape, out, read, backend="interpreter", **sizes):
    """Value and gradient of `y`, the sum of the elements of `x` at the places that `read` lists."""
    rng = np.random.default_rng(3)
    x, dy = rng.integers(1, 99, shape) * 1.0, rng.integers(1, 99, out) * 1.0
    f = tadc.compile(text, backend=backend)
    y, pullback = f.vjp(x, **sizes)

    expected = [sum(x[at] for at in read(*place)) for place in np.ndindex(*out)]
    np.testing.assert_array_equal(y, np.reshape(expected, out))
    np.testing.assert_array_equal(pullback(dy)["x"], grown(read, shape, dy))


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("mode", MODES)
def test_far_outside_an_extent_that_nobody_declares(mode, n):
    at = continued(mode, n)
    agrees(f"y[i: 4] = x[{mode}(-2*i - 2)]", (n,), (4,), lambda i: [at(-2 * i - 2)])
    agrees(
        f"y[i] = x[i] + sum{{k: 3}} x[{mode}(3*i - 7*k)]",
        (n,),
        (n,),
        lambda i: [i, *(at(3 * i - 7 * k) for k in R(3))],
    )


@pytest.mark.parametrize("mode", MODES)
def test_far_outside_an_extent_of_a_statement_or_made_of_sizes(mode):
    for n in (2, 4):
        at = continued(mode, n + 1)
        agrees(
            f"size N\ninput x[N + 1]\ny[i: 3] = x[{mode}(9 - 5*i)]",
            (n + 1,),
            (3,),
            lambda i, at=at: [at(9 - 5 * i)],
        )
        at = continued(mode, n - 1)
        agrees(
            f"t[i] = 1*x[i + 1]\ny[i: 3] = t[{mode}(9 - 5*i)]",
            (n,),
            (3,),
            lambda i, at=at: [at(9 - 5 * i) + 1],
        )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(1, 2), (4, 3)])
def test_windows_of_several_dimensions(mode, shape):
    rows, columns = continued(mode, shape[0]), continued(mode, shape[1])
    agrees(
        f"y[i: 3, j: 2] = sum{{r=-2..2, s=-2..2}} x[{mode}(i + r), {mode}(2*j - s)]",
        shape,
        (3, 2),
        lambda i, j: [(rows(i + r), columns(2 * j - s)) for r in R(-2, 3) for s in R(-2, 3)],
    )


def test_a_window_of_49_with_symbolic_sizes():
    for h, w in ((5, 4), (1, 3)):
        rows, columns = continued("reflect", h), continued("reflect", w)
        agrees(
            "input x[H, W]\ny[i: H, j: W] = sum{r=-3..3, s=-3..3} x[reflect(i + r), reflect(j + s)]",
            (h, w),
            (h, w),
            lambda i, j, a=rows, b=columns: [
                (a(i + r), b(j + s)) for r in R(-3, 4) for s in R(-3, 4)
            ],
            backend="numpy",
        )


def test_mirrors_of_many_dimensions():
    at = continued("symmetric", 2)
    six = ", ".join(f"symmetric(i - {k})" for k in R(6))
    agrees(f"y[i: 4] = x[{six}]", (2,) * 6, (4,), lambda i: [tuple(at(i - k) for k in R(6))])
    four = ", ".join(f"clamp(2*i - {k})" for k in R(4))
    agrees(
        f"y[i: 4] = x[{four}]",
        (2,) * 4,
        (4,),
        lambda i: [tuple(min(max(2 * i - k, 0), 1) for k in R(4))],
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_large_extent_is_not_gone_through(mode):
    n = 1_000_000
    x = np.arange(n) * 1.0
    f = tadc.compile(f"y[i: 4] = x[{mode}(-700001*i - 2)]", backend="numpy")
    y, pullback = f.vjp(x)
    period = {"wrap": n, "reflect": 2 * n - 2, "symmetric": 2 * n}[mode]
    places = (-700001 * np.arange(4) - 2) % period
    last = {"wrap": n, "reflect": 2 * n - 2, "symmetric": 2 * n - 1}[mode]
    places = np.where(places < n, places, last - places)

    np.testing.assert_array_equal(y, x[places])
    np.testing.assert_array_equal(np.flatnonzero(pullback(np.ones(4))["x"]), np.sort(places))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [1, 3])
def test_second_derivatives(mode, n):
    at = continued(mode, n)
    f = tadc.compile(f"y = sum{{i: 5}} x[{mode}(2*i - 9)]*x[{mode}(i + 4)]", backend="interpreter")
    x = np.linspace(1, 2, n)
    hessian = np.zeros((n, n))
    for i in R(5):
        hessian[at(2 * i - 9), at(i + 4)] += 1
        hessian[at(i + 4), at(2 * i - 9)] += 1

    np.testing.assert_array_equal(f.hessian()(x), hessian)
    assert f.check(x_0=n)


def test_the_number_of_an_undeclared_extent_may_be_given_by_name():
    text = "y[i: 4] = c[wrap(-2*i - 2)]"
    c = np.arange(5.0)
    f = tadc.compile(text, sizes={"c_0": 5})

    assert "input c[5]" in str(f)
    np.testing.assert_array_equal(f(c), c[[3, 1, 4, 2]])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(tadc.compile(text)))(c), f(c))
    np.testing.assert_array_equal(tadc.compile(str(f))(c), f(c))


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_read_of_an_extent_of_0(mode):
    text = f"y[i] = sum{{k: 3}} w[i]*x[{mode}(5*k - 9)]"

    with pytest.raises(tadc.RangeError, match="extent 0"):
        tadc.compile(text)(np.ones(2), np.ones(0))
    assert tadc.compile(text)(np.ones(0), np.ones(2)).shape == (0,)


@pytest.mark.parametrize("mode", MODES)
def test_places_beside_a_tensor_of_known_extent_are_found_without_a_division(mode):
    near = tadc.compile(f"input x[9]\ny[i: 9] = x[{mode}(i - 2)] + x[{mode}(i + 3)]")
    far = tadc.compile(f"input x[9]\ny[i: 9] = x[{mode}(i - 20)]")

    assert "//" not in str(near)
    assert "//" in str(far)
