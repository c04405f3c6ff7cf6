"""Calls of every form: a second one is not checked again, and what it does is what the first did."""

from __future__ import annotations

import fake_cupy
import numpy as np
import pytest

import tadc
from tadc.runtime.buffers import overlaps_itself
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cuda import arrays as gpu
from tadc.runtime.cuda.arrays import module_of, on_host

with_compiler = pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")

SCALED = "size N, M\ninput x[N], a[]\noutput y, s\ny[i] = a*M*exp(x[i])\ns = sum{i} y[i]"
X, DY = np.linspace(-1, 1, 4), np.array([1.0, -2, 3, 0.5])


@pytest.fixture(params=["numpy", *(pytest.param(p, marks=pytest.mark.compiler) for p in ("native", "double"))])  # fmt: skip
def place(request, monkeypatch):
    """The options of a function, and the arrays that it takes: of numpy, or of the double of CuPy."""
    if request.param != "numpy" and c_compiler.compiler() is None:
        pytest.skip("there is no C compiler")
    if request.param == "double":
        yield {}, fake_cupy.install(monkeypatch).asarray
    else:
        yield {"backend": request.param}, np.array
    gpu.cupy.cache_clear()


def host(a):
    """A copy as an array of numpy."""
    return np.array(on_host(a))


def flat(results):
    """All arrays of nested results, as arrays of numpy."""
    if isinstance(results, dict):
        results = tuple(results.values())
    if not isinstance(results, tuple):
        return [host(results)]
    return [a for each in results if not callable(each) for a in flat(each)]


def both(array):
    """Arrays for the two outputs of SCALED."""
    return {"y": array(np.zeros(4)), "s": array(np.array(0.0))}


# By form: from a function, an array maker and an `out` that the form may have; all with the same values.
FORMS = {
    "by position": lambda f, x, out: f(x, 2.0, M=3),
    "by name": lambda f, x, out: f(M=3, a=2.0, x=x),
    "with an integer and a size": lambda f, x, out: f(x, 2, M=3),
    "with a number of numpy": lambda f, x, out: f(x, np.float64(2), M=3),
    "to all outputs": lambda f, x, out: f(x, 2.0, M=3, out=out),
    "to a tuple": lambda f, x, out: f(x, 2.0, M=3, out=tuple(out.values())),
    "to one output": lambda f, x, out: f(x, 2.0, M=3, out={"y": out["y"]}),
    "added": lambda f, x, out: f(x, 2.0, M=3, out=out, accumulate=True),
    "with strides": lambda f, x, out: f(x[::-1], 2.0, M=3),
    "of another type": lambda f, x, out: f(x.astype(np.float32), np.float64(2), M=3),
    "outputs of vjp": lambda f, x, out: f.vjp(x, 2.0, M=3),
    "outputs of vjp to an array": lambda f, x, out: f.vjp(x, 2.0, M=3, out=out),
    "pullback": lambda f, x, out: f.vjp(x, a=2.0, M=3)[1](x, 1.0),
    "pullback of a part": lambda f, x, out: f.vjp(x, 2.0, M=3, wrt=["x"])[1](x, None),
    "pullback to an array": lambda f, x, out: f.vjp(x, 2.0, M=3)[1](x, 2.0, out={"x": out["y"]}),
    "pullback added": lambda f, x, out: f.vjp(x, 2.0, M=3)[1](x, 2.0, out={"x": out["y"]}, accumulate=True),
    "value and gradients": lambda f, x, out: f.value_and_gradients(x, 2.0, M=3, cotangent=(x, 1.0)),
    "value and gradients of a part": lambda f, x, out: f.value_and_gradients(x, 2.0, M=3, cotangent=(x, None), wrt=["x"]),
    "jvp": lambda f, x, out: f.jvp({"x": x, "a": 2.0, "M": 3}, {"x": x}),
    "jvp by all": lambda f, x, out: f.jvp({"x": x, "a": 2.0, "M": 3}, {"a": 1.0, "x": x}, out=out),
    "jvp added": lambda f, x, out: f.jvp({"x": x, "a": 2.0, "M": 3}, {"x": x}, out=out, accumulate=True),
}  # fmt: skip

COSTLY = {
    "of another type",
    "pullback of a part",
    "value and gradients of a part",
    "jvp by all",
}  # programs of their own, which g++ compiles for the double


@pytest.fixture(scope="module")
def expected():
    """What the interpreter gives, by form."""
    oracle = tadc.compile(SCALED, backend="interpreter")
    return {name: flat(form(oracle, X, both(np.array))) for name, form in FORMS.items()}


def test_the_second_call_of_each_form_is_not_checked_again_and_gives_the_same(
    place, expected, monkeypatch
):
    options, array = place
    f = tadc.compile(SCALED, **options)
    x = array(X)
    forms = {name: form for name, form in FORMS.items() if options or name not in COSTLY}
    first = {name: flat(form(f, x, both(array))) for name, form in forms.items()}
    if options.get("backend") != "numpy":  # which has nothing to go to straight away
        monkeypatch.setattr("tadc.runtime.calls.bound_arguments", None)

    for name, form in forms.items():
        again = flat(form(f, x, both(array)))
        for a, b, c in zip(first[name], again, expected[name], strict=True):
            assert a.tobytes() == b.tobytes(), name
            np.testing.assert_allclose(a, c, rtol=1e-6, atol=1e-6, err_msg=name)


def test_a_type_that_all_inputs_declare_is_that_of_the_result():
    narrow = tadc.compile("input x[N]: float32\ny[i] = 2*x[i]", backend="numpy")
    wide = tadc.compile("input x[N]: float64\ny[i] = 2*x[i]", backend="numpy")
    mixed = tadc.compile("input x[N]: float32, n[N]\ny[i] = n[i]*x[i]", backend="numpy")
    x = np.ones(3, np.float32)

    assert narrow(x).dtype == np.float32
    assert wide(x).dtype == np.float64
    assert mixed(x, np.ones(3, np.int16)).dtype == np.float32
    assert mixed(x, np.ones(3, np.int64)).dtype == np.float64


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_lists_and_numbers_of_python_have_the_type_that_is_declared(backend):
    f = tadc.compile("input x[N]: float32, a: float32\ny[i] = a*x[i]", backend=backend)

    for a in (2.0, 3, True):
        y, pullback = f.vjp([1.0, 2.0], a)
        assert y.dtype == np.float32
        assert y.tolist() == [a, 2.0 * a]
        assert {g.dtype.name for g in pullback(y).values()} == {"float32"}
    with pytest.raises(tadc.ArgumentError, match="declared float32"):
        f(np.ones(2), 2.0)


def test_numbers_of_a_second_call_are_those_that_it_was_given(place):
    options, array = place
    f = tadc.compile("size N\ninput x[N], a[]\ny[i] = a*x[i]", **options)
    x = array(X)

    for a in (2.0, -3.0, 5, 7, True, 2**62, np.float64(0.25)):
        np.testing.assert_array_equal(host(f(x, a)), float(a) * X)
    with pytest.raises(tadc.Error, match="elements of type object"):
        f(x, 2**70)


def test_what_the_first_call_was_refused_for_the_second_is_too(place):
    options, array = place
    f = tadc.compile(SCALED, **options)
    x, out = array(X), both(array)
    f(x, 2.0, M=3, out=out)

    for _ in range(2):
        with pytest.raises(tadc.ArgumentError, match="overlap"):
            f(x, 2.0, M=3, out=(out["y"], out["y"][2:].reshape(-1)[0:1].reshape(())))
        with pytest.raises(tadc.ShapeError, match="has the shape"):
            f(x, 2.0, M=3, out=(array(np.zeros(5)), out["s"]))
        with pytest.raises(tadc.ArgumentError, match="elements of type float32"):
            f(x, 2.0, M=3, out={"y": array(np.zeros(4, np.float32))})
        with pytest.raises(tadc.ArgumentError, match="`z`, which is no result"):
            f(x, 2.0, M=3, out={"z": x})
        with pytest.raises(tadc.ArgumentError, match="given twice"):
            f(x, 2.0, x=x, M=3)
        with pytest.raises(tadc.ArgumentError, match="no input or size `Z`"):
            f(x, 2.0, Z=3)
        with pytest.raises(tadc.ArgumentError, match="the size `M` is True"):
            f(x, 2.0, M=True)
        with pytest.raises(tadc.ShapeError, match="the size M does not follow"):
            f(x, 2.0)
        with pytest.raises(tadc.ArgumentError, match="`accumulate` needs `out`"):
            f(x, 2.0, M=3, accumulate=True)
        with pytest.raises(tadc.ArgumentError, match="`accumulate` needs `out`"):
            f.jvp({"x": x, "a": 1.0, "M": 3}, {"x": x}, accumulate=True)
        with pytest.raises(tadc.ShapeError):
            f(array(X.reshape(2, 2)), 2.0, M=3)


def test_interleaved_arrays_to_write_to_do_not_overlap(place):
    options, array = place
    f = tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i]\nz[i] = 3*x[i]", **options)
    x, whole = array(X), array(np.zeros(2 * len(X)))

    for _ in range(2):
        f(x, out=(whole[::2], whole[1::2]))
        np.testing.assert_array_equal(host(whole)[::2], 2 * X)
        np.testing.assert_array_equal(host(whole)[1::2], 3 * X)


@with_compiler
def test_a_read_only_array_is_refused_after_a_writeable_one():
    f = tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i]", backend="native")
    out = np.zeros(4)
    f(X, out=out)
    out.flags.writeable = False

    with pytest.raises(tadc.ArgumentError, match="not a writeable array"):
        f(X, out=out)
    assert (out == 2 * X).all()


@with_compiler
def test_sizes_that_disagree_are_refused_after_some_that_agree():
    f = tadc.compile("size N\ninput x[N], z[N]\ny[i] = x[i]*z[i]", backend="native")
    f(X, X)

    with pytest.raises(tadc.ShapeError, match=r"is 4.*5|is 5.*4"):
        f(X, np.ones(5))
    assert f(np.ones(0), np.ones(0)).shape == (0,)
    with pytest.raises(tadc.ShapeError):
        f(np.ones(0), X)


def test_arrays_to_write_to_may_overlap_inputs_in_any_call(place):
    options, array = place
    f = tadc.compile("size N\ninput x[N]\ny[i: N - 1] = x[i] + x[i + 1]", **options)
    aside = array(np.zeros(4))

    for _ in range(3):
        f(aside, out=array(np.zeros(3)))  # the same form, and no overlap
        x = array(X)
        assert f(x, out=x[1:]).shape == (3,)
        np.testing.assert_array_equal(host(x)[1:], X[1:] + X[:-1])
        x = array(X)
        f(x, out=x[1:], accumulate=True)
        np.testing.assert_array_equal(host(x)[1:], X[1:] + (X[1:] + X[:-1]))


def test_arrays_with_strides_are_written_to_in_any_call(place):
    options, array = place
    f = tadc.compile("size N\ninput x[N]\noutput y, z\ny[i] = 2*x[i]\nz[i] = 3*x[i]", **options)

    for _ in range(3):
        out = array(np.zeros((4, 2)))
        f(array(X), out=(out[:, 0], out[:, 1]))
        np.testing.assert_array_equal(host(out), np.stack([2 * X, 3 * X], axis=1))


# Shape and strides.
SHARED = {
    "a stride of 0": ((4,), (0,)),
    "windows": ((2, 2), (8, 8)),
    "rows over each other": ((3, 4), (8, 8)),
}


@pytest.mark.parametrize("name", SHARED)
def test_an_array_with_several_elements_in_one_place_is_refused(place, name):
    options, array = place
    whole = array(np.zeros(8))
    target = module_of(whole).lib.stride_tricks.as_strided(whole, *SHARED[name])
    x = array(np.ones(target.shape))
    rank = ", ".join("NM"[: target.ndim])
    f = tadc.compile(f"size N, M\ninput x[{rank}]\ny[{rank.lower()}] = x[{rank.lower()}]".replace("size N, M", "size N, M" if target.ndim > 1 else "size N"), **options)  # fmt: skip
    f(x, out=array(np.zeros(target.shape)))

    for accumulate in (False, True):
        with pytest.raises(tadc.ArgumentError, match=r"elements in one place.*\npass an array"):
            f(x, out=target, accumulate=accumulate)


def test_elements_in_one_place_are_found_exactly():
    random = np.random.default_rng(0)
    for _ in range(300):
        shape = tuple(random.integers(0, 4, random.integers(0, 4)).tolist())
        strides = tuple(random.integers(-12, 13, len(shape)).tolist())
        taken = [sum(i * s for i, s in zip(p, strides, strict=True)) for p in np.ndindex(shape)]
        touched = [place + byte for place in taken for byte in range(2)]

        assert overlaps_itself(shape, strides, 2) == (len(set(touched)) < len(touched))


KEPT = {
    "one output": ("size N\ninput x[N]\ny[i] = exp(x[i])", lambda x: [np.exp(x)]),
    "several": (
        "size N\ninput x[N]\noutput s, y, r\ny[i] = exp(x[i])\ns = sum{i} y[i]\nr = sqrt(s)",
        lambda x: [np.exp(x).sum(), np.exp(x), np.sqrt(np.exp(x).sum())],
    ),
    "a softmax": (
        "size N\ninput x[N]\nm = max{j} x[j]\ne[i] = exp(x[i] - m)\ny[i] = e[i]/sum{j} e[j]\noutput y",
        lambda x: [np.exp(x) / np.exp(x).sum()],
    ),
    "an input": ("size N\ninput x[N]\noutput y, x\ny[i] = exp(x[i])", lambda x: [np.exp(x), x]),
}


@pytest.mark.plain(name=2)
@pytest.mark.parametrize("name", KEPT)
def test_a_pullback_needs_nothing_that_was_handed_out(place, name):
    options, array = place
    text, reference = KEPT[name]
    f = tadc.compile(text, **options)
    x = array(X)

    values, pullback = f.vjp(x)
    values = values if isinstance(values, tuple) else (values,)
    cotangents = tuple(array(np.cos(host(v))) for v in values)
    wanted = host(pullback(cotangents)["x"])
    for _ in range(2):
        out = tuple(array(np.zeros(v.shape)) for v in values)
        for kept, given in ((f.vjp(x), None), (f.vjp(x, out=out), out)):
            returned = kept[0] if isinstance(kept[0], tuple) else (kept[0],)
            for k, (value, v) in enumerate(zip(returned, reference(X), strict=True)):
                np.testing.assert_allclose(host(value), v, rtol=1e-14)
                assert given is None or value is given[k]
                value[...] = 0
            np.testing.assert_array_equal(host(kept[1](cotangents)["x"]), wanted)
            np.testing.assert_array_equal(host(kept[1](cotangents)["x"]), wanted)
        first = f.vjp(x)
        seeds = first[0] if isinstance(first[0], tuple) else (first[0],)
        shape = next(v for v in seeds if v.shape == (4,))
        first[1](cotangents, out={"x": shape})  # over an output
        np.testing.assert_array_equal(host(first[1](cotangents)["x"]), wanted)


def test_a_pullback_of_a_derivative_needs_nothing_that_was_handed_out(place):
    options, array = place
    f = tadc.compile("size N\ninput x[N]\ny[i] = exp(x[i])", **options)
    x, dy = array(X), array(DY)

    for g, arrays, cotangent, wanted in (
        (f.adjoint(), (x, dy), dy, np.exp(X) * DY * DY),
        (f.adjoint().adjoint(), (x, dy, dy), (dy, dy), None),
        (f.tangent(), (x, dy), dy, np.exp(X) * DY * DY),
    ):
        values, pullback = g.vjp(*arrays)
        expected = host(pullback(cotangent)["x"])
        for value in values if isinstance(values, tuple) else (values,):
            value[...] = 7
        found = host(pullback(cotangent)["x"])
        np.testing.assert_array_equal(found, expected)
        if wanted is not None:
            np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_outputs_may_be_written_over_the_inputs_of_vjp(place):
    options, array = place
    f = tadc.compile("size N\ninput x[N]\ny[i] = x[i]**2", **options)

    for _ in range(2):
        x = array(X)
        y, pullback = f.vjp(x, out=x)
        assert y is x
        np.testing.assert_array_equal(host(pullback(array(DY))["x"]), 2 * X * DY)


def test_numbers_do_not_promote_in_a_pullback(place):
    options, array = place
    f = tadc.compile("size N\ninput x[N], a[]\ns = sum{i} a*x[i]", **options)
    x = array(X.astype(np.float32))

    for _ in range(2):
        value, pullback = f.vjp(x, 2.0)
        gradients = pullback(1.0)
        assert (value.dtype, gradients["x"].dtype, gradients["a"].dtype) == ("f4", "f4", "f8")
        assert (host(gradients["x"]) == 2).all()


def test_values_of_jvp_are_of_the_type_of_a_call(place):
    options, array = place
    f = tadc.compile("size N\ninput x[N]\ny[i] = x[i]**2", **options)
    x = array(X.astype(np.float32))

    for _ in range(2):
        y, dy = f.jvp({"x": x}, {"x": array(DY)})
        assert (y.dtype, dy.dtype) == ("f4", "f8")
        y, dy = f.jvp({"x": x}, {})
        assert y.dtype == "f4" and (host(dy) == 0).all()


@with_compiler
@pytest.mark.parametrize("form", ["f(x)", "f(x, out=o, accumulate=True)", "f.vjp(x)", "pullback(x)", "pullback(None)", "f.value_and_gradients(x, cotangent=x)", "f.jvp({'x': x}, {'x': x})"])  # fmt: skip
def test_too_little_memory_is_the_same_error_in_every_call(form, monkeypatch):
    f = tadc.compile("size N\ninput x[N]\ny[i] = exp(x[i])", backend="native")
    scope = {"f": f, "x": X, "o": np.zeros(4), "pullback": f.vjp(X)[1]}
    eval(form, scope)

    def fails(*_):
        raise MemoryError

    with monkeypatch.context() as without_memory:
        without_memory.setattr("tadc.runtime.cpu.native.empty", fails)
        with pytest.raises(tadc.Error, match=r"not enough memory for this call\nuse smaller"):
            eval(form, scope)
    eval(form, scope)


@pytest.mark.compiler
@with_compiler
def test_too_little_memory_on_the_gpu_is_the_same_error_in_every_call(monkeypatch):
    xp = fake_cupy.install(monkeypatch)
    f = tadc.compile("size N\ninput x[N]\ny[i] = exp(x[i])")
    x = xp.asarray(np.ones(100))
    _, pullback = f.vjp(x)
    calls = (
        lambda: f(x),
        lambda: f.vjp(x),
        lambda: pullback(x),
        lambda: pullback(None),
        lambda: f.value_and_gradients(x, cotangent=x),
        lambda: f.jvp({"x": x}, {"x": x}),
        lambda: f.graph(x, cotangents=x),
    )
    for call in calls:
        call()

    fake_cupy.STATE.free_bytes = 100
    for call in calls:
        with pytest.raises(tadc.BackendError, match="not enough memory on the GPU"):
            call()
    gpu.cupy.cache_clear()


class Fails:
    def __getattr__(self, name):
        raise RuntimeError(f"there is no {name}")


def test_an_object_whose_attributes_raise_is_no_array(place):
    options, array = place
    f = tadc.compile("size N, M\ninput x[N], z[N]\ny[i] = M*x[i]*z[i]", **options)
    x, bad = array(X), Fails()
    _, pullback = f.vjp(x, x, M=2)

    for call in (
        lambda: f(bad, bad, M=2),
        lambda: f(x, bad, M=2),
        lambda: f(x, x, M=bad),
        lambda: f(x, x, M=2, out=bad),
        lambda: f(x, x, M=2, out=(bad,)),
        lambda: f.vjp(x, bad, M=2),
        lambda: pullback(bad),
        lambda: f.value_and_gradients(x, bad, M=2, cotangent=x),
        lambda: f.value_and_gradients(x, x, M=2, cotangent=bad),
        lambda: pullback(x, out={"x": bad}),
        lambda: f.jvp({"x": x, "z": bad, "M": 2}, {"x": x}),
        lambda: f.jvp({"x": x, "z": x, "M": 2}, {"x": bad}),
    ):
        with pytest.raises(tadc.Error):
            call()
