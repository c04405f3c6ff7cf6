"""Formulas as functions of JAX: against JAX's own, under every transformation, and what users get wrong."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp
from jax import (
    checkpoint,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jit,
    jvp,
    linear_transpose,
    linearize,
    value_and_grad,
    vjp,
    vmap,
)
from jax.test_util import check_grads

import tadc
import tadc.jax
from tadc.runtime.cpu.c_compiler import compiler

PAIRS = "y[i,j] = exp(-sum{k} (a[i,k] - b[j,k])**2)"
TWO = "size N\ninput x[N], w[N]\ny[i] = x[i]*w[i]**2\ns = sum{i} sin(x[i])"
LINEAR = "y[i] = sum{k} w[i,k]*x[k]"

BACKEND = "native" if compiler() else "numpy"


@pytest.fixture(autouse=True)
def in_64_bits():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def pairs(a, b):
    return jnp.exp(-((a[:, None] - b[None]) ** 2).sum(-1))


def function(text, **options):
    return tadc.compile(text, **{"backend": BACKEND} | options)


@cache
def wrapped(text, **options):
    return tadc.jax.wrap(function(text, **options))


def some(*shape, seed=0, dtype="float64"):
    return jnp.asarray(np.random.default_rng([seed, *shape]).normal(size=shape), dtype)


def close(found, expected, **limits):
    found, expected = (jax.tree.leaves(x) for x in (found, expected))
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, **{"rtol": 1e-10, "atol": 1e-10} | limits)


def total(h):
    return lambda *xs: (h(*xs) ** 2).sum()


TRANSFORMED = {
    "value": lambda h, a, b: h(a, b),
    "jit": lambda h, a, b: jit(h)(a, b),
    "grad": lambda h, a, b: grad(total(h), (0, 1))(a, b),
    "jit of grad": lambda h, a, b: jit(grad(total(h), 1))(a, b),
    "value_and_grad": lambda h, a, b: value_and_grad(total(h))(a, b),
    "jvp": lambda h, a, b: jvp(h, (a, b), (b[:4], a[jnp.array([0, 1, 2, 3, 0])])),
    "linearize": lambda h, a, b: linearize(h, a, b)[1](2 * a, b),
    "vjp": lambda h, a, b: vjp(h, a, b)[1](jnp.ones((4, 5))),
    "linear_transpose": lambda h, a, b: linear_transpose(linearize(lambda a: h(a, b), a)[1], a)(jnp.ones((4, 5))),
    "fourth derivative": lambda h, a, b: jacfwd(jacrev(jacfwd(jacrev(lambda t: h(t * a, b).sum()))))(1.5),
    "hessian": lambda h, a, b: hessian(total(h), (0, 1))(a, b),
    "jacfwd of jacrev": lambda h, a, b: jacfwd(jacrev(h), 1)(a, b),
    "jacrev of jacfwd": lambda h, a, b: jacrev(jacfwd(h), 1)(a, b),
    "vmap": lambda h, a, b: vmap(h, (None, 1), 2)(a, jnp.stack([b, 2 * b, b * b], 1)),
    "vmap of grad": lambda h, a, b: vmap(grad(total(h)), (0, None))(jnp.stack([a, 2 * a]), b),
    "grad of vmap": lambda h, a, b: grad(lambda a: total(vmap(h, (0, None)))(a, b))(jnp.stack([a, 2 * a])),
    "vmap of hessian": lambda h, a, b: vmap(hessian(total(h)), (0, None))(jnp.stack([a, 2 * a]), b),
    "hessian of vmap": lambda h, a, b: hessian(lambda a: total(vmap(h, (0, None)))(a, b))(jnp.stack([a, 2 * a])),
    "checkpoint": lambda h, a, b: grad(lambda a: checkpoint(total(h))(a, b))(a),
    "scan": lambda h, a, b: grad(lambda a: jax.lax.scan(lambda c, x: (c + h(x, b).sum(), c), 0.0, jnp.stack([a, 2 * a]))[0])(a),
    "forward over reverse": lambda h, a, b: jvp(lambda a: grad(total(h))(a, b), (a,), (2 * a,)),
    "reverse over forward": lambda h, a, b: grad(lambda a: jvp(lambda a: total(h)(a, b), (a,), (a,))[1])(a),
    "reverse over reverse": lambda h, a, b: grad(lambda a: (grad(total(h))(a, b) * a).sum())(a),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformations_are_those_of_jaxs_own_operators(name):
    a, b = some(4, 3), some(5, 3, seed=1)
    found, expected = (TRANSFORMED[name](h, a, b) for h in (wrapped(PAIRS), pairs))
    close(found, expected)


@pytest.mark.parametrize(("text", "shapes"), [
    (PAIRS, [(4, 3), (5, 3)]),
    (LINEAR, [(4, 3), (3,)]),
    ("y[n,o,p: P] = sum{c, r} x[n,c,2*p+r]*w[o,c,r]\nsize P = 3", [(2, 2, 7), (3, 2, 3)]),
    ("size N\ninput x[N]\ny[i: N//2] = x[2*i]*x[2*i + 1]", [(6,)]),
])  # fmt: skip
def test_derivatives_of_three_orders_are_those_of_differences(text, shapes):
    check_grads(wrapped(text), [some(*s, seed=k) for k, s in enumerate(shapes)], 3)


def test_two_outputs_one_of_which_is_used():
    m, x, w = wrapped(TWO), some(4), some(4, seed=1)
    close(grad(lambda x, w: m(x, w)[1], (0, 1))(x, w), (jnp.cos(x), jnp.zeros(4)))
    close(jit(m)(x, w), (x * w**2, jnp.sin(x).sum()))
    y, s = vmap(m, (None, 0), (0, None))(x, some(3, 4))
    assert (y.shape, s.shape) == ((3, 4), ())


def test_shapes_are_known_before():
    m = wrapped(PAIRS)
    form = jax.eval_shape(m, some(4, 3), some(5, 3))
    assert (form.shape, form.dtype) == ((4, 5), jnp.float64)


def test_donated_arrays():
    step = jit(lambda a, b: a - 0.1 * grad(total(wrapped(PAIRS)))(a, b), donate_argnums=0)
    a, b = some(4, 3), some(5, 3)
    expected = a - 0.1 * grad(total(pairs))(a, b)
    close(step(a, b), expected)


def test_several_threads():
    m, a, b = jit(grad(total(wrapped(PAIRS)))), some(60, 3), some(50, 3)
    expected = m(a, b)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: m(a, b), range(16)):
            assert (found == expected).all()


SHARDED = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)
from jax.sharding import PartitionSpec as P
import tadc, tadc.jax
m = tadc.jax.wrap(tadc.compile("y[i,j] = exp(-sum{k} (a[i,k] - b[j,k])**2)"))
mesh = jax.make_mesh((2,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
put = lambda x, *spec: jax.device_put(x, jax.NamedSharding(mesh, P(*spec)))
a, b = np.random.default_rng(0).normal(size=(4, 3)), np.ones((5, 3))
split = jax.shard_map(m, mesh=mesh, in_specs=(P("rows"), P()), out_specs=P("rows"), check_vma=True)
rows, all_ = put(a, "rows"), put(b)
a, b = jnp.asarray(a), jnp.asarray(b)
np.testing.assert_allclose(split(rows, all_), m(a, b))
loss = lambda h: lambda a, b: (h(a, b) ** 2).sum()
for one, other in zip(jax.grad(loss(split), (0, 1))(rows, all_), jax.grad(loss(m), (0, 1))(a, b)):
    np.testing.assert_allclose(one, other)
"""


def test_sharded_over_devices():
    subprocess.run([sys.executable, "-c", SHARDED], check=True)


EXPORTED = """
import sys, jax, numpy as np
jax.config.update("jax_enable_x64", True)
import tadc.jax
from tadc.jax.handler import ready
from jax import export
ready()
again = export.deserialize(open(sys.argv[1], "rb").read())
a, b, y = (np.load(p) for p in sys.argv[2:])
np.testing.assert_allclose(again.call(a, b), y)
"""


@pytest.mark.skipif(BACKEND != "native", reason="callbacks are not exported")
def test_exported_and_read_by_another_process(tmp_path):
    export = pytest.importorskip("jax.export")
    pytest.importorskip("flatbuffers")
    a, b = some(4, 3), some(5, 3)
    g = grad(total(wrapped(PAIRS)))
    safe = [export.DisabledSafetyCheck.custom_call("tadc_call")]
    text = export.export(jit(g), disabled_checks=safe)(a, b).serialize()
    close(export.deserialize(text).call(a, b), g(a, b))
    places = [tmp_path / n for n in ("exported", "a.npy", "b.npy", "y.npy")]
    places[0].write_bytes(text)
    for place, array in zip(places[1:], (a, b, g(a, b)), strict=True):
        np.save(place, array)
    subprocess.run([sys.executable, "-c", EXPORTED, *map(str, places)], check=True)


CACHED = """
import sys, jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
hits = []
jax.monitoring.register_event_listener(lambda event, **_: hits.append(event) if "cache_hits" in event else None)
import tadc, tadc.jax
m = jax.jit(tadc.jax.wrap(tadc.compile("y[i,j] = exp(-sum{k} (a[i,k] - b[j,k])**2)")))
a = jnp.asarray(np.arange(12.0).reshape(4, 3)/10)
print(len(hits), np.asarray(m(a, 2*a)).sum())
print(len(hits))
"""


def test_what_jax_keeps_on_disk_is_found_by_another_process(tmp_path):
    told = []
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", CACHED, str(tmp_path)], check=True, capture_output=True, text=True)  # fmt: skip
        told.append(run.stdout.split())
    assert told[0][1] == told[1][1]
    assert int(told[1][2]) > int(told[0][2])


# ---------------------------------------------------------------------- types, sizes, memory


def test_types_promote_as_arrays_of_numpy_do():
    m, f = wrapped(LINEAR), function(LINEAR)
    names = ["float32", "float64", "int64", "int8", "bool"]
    for one in names:
        for other in names:
            w, x = jnp.ones((2, 3), one), jnp.ones(3, other)
            assert m(w, x).dtype == f(np.asarray(w), np.asarray(x)).dtype


def test_in_32_bits():
    jax.config.update("jax_enable_x64", False)
    a, b = some(4, 3, dtype="float32"), some(5, 3, dtype="float32")
    close(grad(total(wrapped(PAIRS)))(a, b), grad(total(pairs))(a, b), rtol=1e-5, atol=1e-5)
    assert wrapped(LINEAR)(jnp.ones((2, 3), "int32"), jnp.ones(3, "int32")).dtype == jnp.float32
    assert wrapped(LINEAR)(jnp.ones((2, 3), "int32"), a[0]).dtype == jnp.float32
    with pytest.raises(tadc.BackendError, match="jax_enable_x64"):
        wrapped(PAIRS, dtype="float64")(a, b)


def test_weak_types_and_numbers_do_not_promote():
    m, x = wrapped("y[i] = a*x[i]\ninput a[]"), some(3, dtype="float32")
    assert m(2.5, x).dtype == jnp.float32
    assert jit(m)(2.5, x).dtype == jnp.float32
    assert m(jnp.float64(2.5), x).dtype == jnp.float64


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_elements_of_16_bits_are_computed_in_32(half):
    m, a, b = wrapped(PAIRS), some(4, 3, dtype=half), some(5, 3, dtype=half)
    y = m(a, b)
    assert y.dtype == jnp.dtype(half)
    expected = pairs(a.astype("float32"), b.astype("float32")).astype(half)
    assert (y == expected).mean() > 0.9
    assert grad(lambda a: m(a, b).sum())(a).dtype == jnp.dtype(half)


def test_gradients_have_the_types_of_their_inputs():
    m = wrapped("size N\ninput x[N]: float32, w[N]\ny[i]: float64 = x[i]*w[i]")
    x, w = some(3, dtype="float32"), some(3, dtype="float32", seed=1)
    assert m(x, w).dtype == jnp.float64
    assert grad(lambda x: m(x, w).sum())(x).dtype == jnp.float32
    with pytest.raises(tadc.ArgumentError, match="declared float32"):
        m(some(3), w)


def test_integers_have_no_derivative():
    m, x, n = wrapped("y[i] = x[i]*n[i]"), some(3), jnp.arange(3)
    close(grad(lambda x: m(x, n).sum())(x), n.astype(float))
    close(hessian(lambda x: m(x, n).sum())(x), jnp.zeros((3, 3)))


@pytest.mark.parametrize("shapes", [((0, 3), (5, 3)), ((4, 0), (5, 0)), ((4, 3), (0, 3))])
def test_extents_of_0(shapes):
    a, b = (some(*s) for s in shapes)
    m = wrapped(PAIRS)
    for h in (m, jit(m)):
        close(h(a, b), pairs(a, b))
    close(grad(total(m), (0, 1))(a, b), grad(total(pairs), (0, 1))(a, b))


def test_a_batch_of_none():
    assert vmap(grad(total(wrapped(PAIRS))), (0, None))(some(0, 4, 3), some(5, 3)).shape == (
        0,
        4,
        3,
    )


def test_sizes_that_multiply_indices_follow_from_numbers():
    m, x = wrapped("size M, N\ninput x[N]\ny[i: 3] = x[M*i]"), some(9)
    for n in (2, 4):
        close(jit(partial(m, M=n))(x), x[: 3 * n : n])
    with pytest.raises(tadc.ArgumentError, match="size `M`"):
        jit(lambda x, n: m(x, M=n))(x, 2)


def test_a_program_without_inputs():
    m = wrapped("size N\ny[i: N] = i*i")
    assert m(N=4).tolist() == [0, 1, 4, 9]
    assert jit(lambda: m(N=4))().tolist() == [0, 1, 4, 9]


def test_memory_is_shared_with_numpy():
    y = wrapped(PAIRS)(some(4, 3), some(5, 3))
    view = np.from_dlpack(y)
    assert view.__array_interface__["data"][0] == y.unsafe_buffer_pointer()
    assert not view.flags.writeable


def test_pickled_and_shown():
    m = tadc.jax.wrap(function(PAIRS).adjoint("a"))
    given = some(4, 3), some(5, 3), some(4, 5)
    close(pickle.loads(pickle.dumps(m))(*given), m(*given))
    assert "adjoint" in repr(m) or "da" in repr(m)


# ---------------------------------------------------------------------- functions called with arrays of JAX


def test_a_function_takes_arrays_of_jax_and_tracers():
    f, a, b = function(PAIRS), some(4, 3), some(5, 3)
    close(f(a, b=b), pairs(a, b))
    close(jit(grad(lambda a: f(a, b).sum()))(a), grad(lambda a: pairs(a, b).sum())(a))
    close(f(a, np.asarray(b)), pairs(a, b))


def test_vjp_and_jvp_of_arrays_are_arrays():
    f, a, b, cotangent = function(PAIRS), some(4, 3), some(5, 3), some(4, 5)
    y, pullback = f.vjp(a, b)
    assert isinstance(y, jax.Array)
    close(pullback(cotangent), dict(zip("ab", vjp(pairs, a, b)[1](cotangent), strict=True)))
    close(f.jvp({"a": a, "b": b}, {"a": a}), jvp(lambda a: pairs(a, b), (a,), (a,)))
    with pytest.raises(tadc.ArgumentError, match=r"tadc\.jax\.wrap"):
        jit(lambda a: f.vjp(a, b)[0])(a)
    with pytest.raises(tadc.ArgumentError, match="cannot be written"):
        f(a, b, out=np.zeros((4, 5)))


def test_value_and_gradients_of_arrays_are_arrays():
    f, a, b, cotangent = function(PAIRS), some(4, 3), some(5, 3), some(4, 5)
    y, gradients = f.value_and_gradients(a, b=b, cotangent=cotangent)
    assert isinstance(y, jax.Array) and isinstance(gradients["a"], jax.Array)
    close(y, pairs(a, b))
    close(gradients, dict(zip("ab", vjp(pairs, a, b)[1](cotangent), strict=True)))
    with pytest.raises(tadc.ArgumentError, match=r"tadc\.jax\.wrap"):
        jit(lambda a: f.value_and_gradients(a, b, cotangent=cotangent)[0])(a)


# ---------------------------------------------------------------------- what users get wrong


@pytest.mark.parametrize(("given", "error", "said"), [
    (lambda: (some(4, 3),), tadc.ArgumentError, "the input `b` is missing"),
    (lambda: (some(4, 3),) * 3, tadc.ArgumentError, "3 arrays are given"),
    (lambda: (some(4, 3), some(5, 2)), tadc.ShapeError, "dimension 1 of b is 2"),
    (lambda: (some(4, 3), some(5)), tadc.ShapeError, "b has 2 dimensions"),
    (lambda: (some(4, 3), jnp.ones((5, 3), "complex64")), tadc.ArgumentError, "complex64"),
    (lambda: (some(4, 3), "b"), tadc.ArgumentError, "`b`"),
])  # fmt: skip
def test_wrong_arguments(given, error, said):
    for call in (wrapped(PAIRS), function(PAIRS)):
        with pytest.raises(error, match=said):
            call(*given())
    arrays = given()
    if all(isinstance(x, jax.Array) for x in arrays):
        with pytest.raises(error, match=said):
            jit(wrapped(PAIRS))(*arrays)


def test_a_tensor_of_torch_beside_an_array_of_jax():
    torch = pytest.importorskip("torch")
    for f in (wrapped(PAIRS), function(PAIRS)):
        with pytest.raises(tadc.BackendError, match=r"(?i)torch.*jax|jax.*torch"):
            f(some(4, 3), torch.ones(5, 3))


def test_wrong_arguments_to_wrap():
    with pytest.raises(tadc.ArgumentError, match="`f` is str"):
        tadc.jax.wrap("y[i] = x[i]")
    with pytest.raises(tadc.ArgumentError, match="no input or size `c`"):
        wrapped(PAIRS)(some(4, 3), some(5, 3), c=3)
    with pytest.raises(tadc.Error, match="float16"):
        wrapped(PAIRS, dtype="float16")(some(4, 3), some(5, 3))


@pytest.mark.parametrize("batched", [False, True])
def test_extents_without_numbers_are_errors(batched):
    export = pytest.importorskip("jax.export")
    (n,) = export.symbolic_shape("n")
    g = wrapped("y = sum{i} x[i]**2")
    g, shape = (vmap(g), (n, 3)) if batched else (g, (n,))
    with pytest.raises(tadc.BackendError, match="`n` is an extent without a number"):
        export.export(jit(g))(jax.ShapeDtypeStruct(shape, "float32"))


def test_other_backends_compute_too():
    a, b = some(4, 3), some(5, 3)
    for backend in ("numpy", "interpreter"):
        m = wrapped(PAIRS, backend=backend)
        close(jit(m)(a, b), pairs(a, b))
        close(grad(total(m))(a, b), grad(total(pairs))(a, b))


def test_elements_of_other_types_are_errors():
    with pytest.raises(tadc.ArgumentError, match="float8"):
        wrapped(PAIRS)(jnp.ones((4, 3), jnp.float8_e4m3fn), some(5, 3, dtype="bfloat16"))


def test_a_batch_of_empty_sums():
    assert vmap(wrapped("y[i] = sum{k} a[i,k]**2"))(jnp.ones((2, 3, 0))).tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_vjp_and_jvp_of_16_bits_are_of_16_bits(half):
    f, x = function("y[i] = x[i]**2"), jnp.ones(3, half)
    y, pullback = f.vjp(x)
    assert {y.dtype.name, pullback(y)["x"].dtype.name} == {half}
    assert {t.dtype.name for t in f.jvp({"x": x}, {"x": x})} == {half}
