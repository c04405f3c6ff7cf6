"""Programs on a device of OpenCL: every schedule of a GPU with real work-groups, arrays of numpy and of pyopencl."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from opencl_run import as_cl_array, default_queue, devices, run_on_opencl
from oracle import SIZES, by_name, random_arrays, relative
from programs import normal
from schedule import test_gpu, test_tile
from test_random_programs import Sample, agree, compiled, modes

import tadc
from tadc.compiler import adjoint_program
from tadc.runtime.opencl.arrays import pyopencl
from tadc.runtime.run import Runners
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.sizes import values_of_sizes

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/*.idx"))
TEXT = "size N, M\ninput x[N,M], w[M]\ny[i] = sum{j} tanh(x[i,j]*w[j])"


def chosen(cases, *plain):
    """The cases, of which a plain run has those of `plain`."""
    return [c if c in plain else pytest.param(c, marks=pytest.mark.slow) for c in cases]


# ---------------------------------------------------------------------- schedules

# Teams of the others have barriers in branches, which PoCL 3.0 compiles wrongly.
WITHOUT_BRANCHES = [
    name for name in test_gpu.PROGRAMS if "rows" not in name and "choice" not in name
]


@pytest.mark.plain(name=1)
@pytest.mark.parametrize("name", chosen(WITHOUT_BRANCHES, "a running sum", "quotients"))
def test_teams_compute_what_numpy_computes(name):
    text = test_gpu.PROGRAMS[name][0]
    program = normal(f"size N\n{text}")
    adjoint = adjoint_program(program, tuple(t.name for t in program.inputs))
    teams = set()
    for mode in modules_of({"primal": program, "adjoint": adjoint}):
        sizes = dict.fromkeys(mode.program.sizes, test_gpu.LARGE)
        gpu = GpuModule.of(mode, sizes, machine=test_gpu.SMALL_GPU)
        teams |= {k.team for k in gpu.kernels}
        for n in (1, 33, 700):
            random = np.random.default_rng(n)
            p = program if mode.name == "primal" else adjoint
            arrays = {t.name: random.uniform(0.5, 1.5, tuple(e.at({"N": n}) for e in t.shape)) for t in p.inputs}  # fmt: skip
            found = run_on_opencl(gpu, arrays, {"N": n}, combined=2)
            expected = Runners(p).run("numpy", "float64", arrays, {"N": n})
            for (output, value), other in zip(expected.items(), found.values(), strict=True):
                rtol = 1e-5 if "float32" in text else 1e-10
                np.testing.assert_allclose(
                    other, value, rtol=rtol, atol=1e-12, err_msg=f"{output}, {n}"
                )
    assert teams & {HOPPER.warp, HOPPER.block}


def tiles(name, patched):
    """The modes of the program with tiles and with a thread a point; some sizes, with arrays of normal numbers."""
    test_tile.without_teams(patched)
    (tiled, _), (plain, _) = test_tile.both(name)
    program = normal(test_tile.PROGRAMS[name][0])
    tensors = (*program.inputs, *(program.tensors[f] for f in program.outputs))
    calls = []
    for n, sizes in enumerate(test_tile.calls(program)[:6]):
        random = np.random.default_rng(n)
        arrays = {t.name: random.normal(size=[e.at(sizes) for e in t.shape]) for t in tensors}
        calls.append((sizes, arrays | {f"d{f}": arrays[f] for f in program.outputs}))
    return tiled, plain, calls


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, p in test_tile.PROGRAMS.items() if "exp" in p[0]])
def test_a_tile_has_the_bits_of_its_points(name, monkeypatch):
    tiled, plain, calls = tiles(name, monkeypatch)
    for one, other in zip(tiled, plain, strict=True):
        for sizes, arrays in calls:
            found, expected = (run_on_opencl(g, arrays, sizes) for g in (one, other))
            for output in expected:
                np.testing.assert_array_equal(found[output], expected[output], f"{output}, {sizes}")


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("name", [n for n, p in test_tile.PROGRAMS.items() if "exp" not in p[0]])
def test_a_tile_has_the_bits_of_the_text_of_cuda(name, monkeypatch):
    """Products and sums are rounded as IEEE 754 says, on every device; the text of CUDA is run on the host."""
    tiled, _, calls = tiles(name, monkeypatch)
    for gpu in tiled:
        for sizes, arrays in calls:
            found = run_on_opencl(gpu, arrays, sizes)
            hosted = test_tile.library(name).run(0, gpu.module.name, arrays, sizes)
            for output, value in hosted.items():
                np.testing.assert_array_equal(found[output], value, f"{output}, {sizes}")


@pytest.mark.plain(eager=1)
@pytest.mark.parametrize("eager", test_gpu.EAGER)
@pytest.mark.parametrize(("level", "seed"), [
    *(pytest.param("core", n, marks=pytest.mark.slow) for n in range(8)),
    *(pytest.param("full", n, marks=pytest.mark.slow) for n in range(2)),
])  # fmt: skip
def test_schedules_of_random_programs_agree_with_brute_force(level, seed, eager, monkeypatch):
    for name, value in test_gpu.EAGER[eager].items():
        monkeypatch.setattr(f"tadc.schedule.{name}", value)
    test_gpu.box_interior.cache_clear()
    parts = modules_of({m: g.program for m, g in modes(compiled(level, seed)).items()})
    for lattice in (False, True):
        sample = Sample(level, seed, lattice)
        for mode, expected in (("primal", sample.values), ("adjoint", sample.gradients)):
            (m,) = (p for p in parts if p.name == mode)
            sizes = values_of_sizes(m.program, (), None) if eager == "blocks" else None
            machine = test_gpu.SMALL_GPU if eager == "teams" else HOPPER
            gpu = GpuModule.of(m, sizes, "float64", machine=machine)
            arrays = {n: np.asarray(a, np.float64) for n, a in sample.given(mode).items()}
            agree(run_on_opencl(gpu, arrays, sample.sizes), expected)
    test_gpu.box_interior.cache_clear()


@pytest.mark.plain(dtype=1)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("path", chosen(EXAMPLES, EXAMPLES[0]), ids=lambda p: p.stem)
def test_examples_agree_with_the_interpreter(path, dtype):
    f, oracle = (
        tadc.load(path, backend=b, dtype=d)
        for b, d in (("opencl", dtype), ("interpreter", "float64"))
    )
    sizes = SIZES[path.stem]
    for g, h in ((f, oracle), (f.adjoint(), oracle.adjoint())):
        inputs = random_arrays(h, sizes)
        for name, value in by_name(h, h(**inputs)).items():
            found = by_name(g, g(**inputs))[name]
            assert relative(found, value) <= (1e-12 if dtype == "float64" else 1e-4), name


# ---------------------------------------------------------------------- arrays


@cache
def arrays():
    random = np.random.default_rng(0)
    return random.normal(size=(7, 50)), random.normal(size=50)


@cache
def expected():
    x, w = arrays()
    return np.tanh(x * w).sum(1)


def on_device(*values):
    return [as_cl_array("", v, default_queue()) for v in values]


def test_arrays_of_numpy_are_copied_there_and_back():
    f = tadc.compile(TEXT, backend="opencl")

    y, pullback = f.vjp(*arrays())

    assert type(y) is np.ndarray
    np.testing.assert_allclose(y, expected(), rtol=1e-13)
    assert type(pullback(np.ones(7))["w"]) is np.ndarray


def test_arrays_of_numpy_may_have_strides():
    f = tadc.compile("y[i] = a[]*x[i] + A[i,0]", backend="opencl")
    x = np.arange(6.0)
    A = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    x.flags.writeable = False
    for view in (x[:3], x[::2], x[4::-2]):
        np.testing.assert_array_equal(f(np.array(2.0), view, A), 2 * view + A[:, 0])


def test_arrays_of_pyopencl_stay_on_their_device():
    f, g = tadc.compile(TEXT), tadc.compile(TEXT, backend="numpy")
    x, w = on_device(*arrays())

    y, pullback = f.vjp(x, w)
    (dy,) = on_device(np.ones(7))
    gradients = pullback(dy)
    _, slopes = f.jvp({"x": x, "w": w}, {"x": x})

    assert {type(a) for a in (y, slopes, *gradients.values())} == {type(x)}
    again, others = f.value_and_gradients(x, w, cotangent=dy)
    np.testing.assert_allclose(again.get(), y.get(), rtol=1e-13)
    for name, value in others.items():
        np.testing.assert_allclose(value.get(), gradients[name].get(), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(y.get(), expected(), rtol=1e-13)
    _, others = g.vjp(*arrays())
    for name, value in others(np.ones(7)).items():
        np.testing.assert_allclose(gradients[name].get(), value, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        slopes.get(),
        g.jvp(dict(zip("xw", arrays(), strict=True)), {"x": arrays()[0]})[1],
        rtol=1e-12,
    )
    assert not pullback(None)["x"].get().any()


def test_results_are_written_where_they_are_wanted():
    f = tadc.compile(TEXT)
    x, w = on_device(*arrays())
    (out,) = on_device(np.ones(7))

    assert f(x, w, out=out, accumulate=True) is out
    np.testing.assert_allclose(out.get(), 1 + expected(), rtol=1e-12)
    assert f(x, w, out=out) is out
    np.testing.assert_allclose(out.get(), expected(), rtol=1e-13)


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[3:], np.s_[::-1], np.s_[2:2]])
def test_views_are_read_as_they_are(view):
    f = tadc.compile(TEXT)
    x, w = on_device(*arrays())
    (turned,) = on_device(arrays()[0].T.copy())

    np.testing.assert_allclose(f(x[view], w).get(), expected()[view], rtol=1e-13)
    np.testing.assert_allclose(f(turned.T, w).get(), expected(), rtol=1e-13)


def test_the_same_call_has_the_same_bits():
    f = tadc.compile("size N\ninput x[N]\ns = sum{i} exp(x[i])", backend="opencl")
    x = np.random.default_rng(0).normal(size=300_001)

    assert len({float(f(x)) for _ in range(5)}) == 1


@pytest.mark.parametrize("extent", [0, 1, 2, 257])
def test_odd_extents(extent):
    f = tadc.compile("size N\ninput x[N]\ny[i: N] = sum{j | j <= i} x[j]\ns = sum{i} x[i]\noutput y, s", backend="opencl")  # fmt: skip
    x = np.arange(extent, dtype=float)

    y, s = f(x)

    np.testing.assert_array_equal(y, np.cumsum(x))
    assert s == x.sum()


def test_what_cannot_be_is_an_error():
    f = tadc.compile(TEXT)
    x, w = on_device(*arrays())

    with pytest.raises(tadc.BackendError, match="`w` is an array of the CPU"):
        f(x, arrays()[1])
    with pytest.raises(tadc.BackendError, match="in the memory of OpenCL, and `backend='native'`"):
        tadc.compile(TEXT, backend="native")(x, w)
    with pytest.raises(tadc.ArgumentError, match="not a writeable array"):
        f(x, w, out=np.ones(7))
    with pytest.raises(tadc.ShapeError):
        f(x, x)
    with pytest.raises(tadc.BackendError, match="`threads=2` has no meaning"):
        tadc.compile(TEXT, backend="opencl", threads=2)


@pytest.mark.parametrize(
    ("raised", "error", "said"),
    [("MemoryError", tadc.Error, "not enough memory"), ("LogicError", tadc.BackendError, "does not run these kernels")],
)  # fmt: skip
def test_what_a_device_refuses_is_an_error(raised, error, said, monkeypatch):
    f = tadc.compile(TEXT, backend="opencl")
    cl = pyopencl()

    def refused(*_):
        raise getattr(cl, raised)("clEnqueueNDRangeKernel failed")

    monkeypatch.setattr(cl, "enqueue_nd_range_kernel", refused)
    with pytest.raises(error, match=said):
        f(*arrays())


def test_names_that_opencl_has_are_given_away():
    f = tadc.compile("size global\ninput kernel[global], half[global]\nlocal[barrier: global] = sign(kernel[barrier])*half[barrier]", backend="opencl")  # fmt: skip

    np.testing.assert_array_equal(f(np.array([-2.0, 3.0, 0.0]), np.ones(3)), [-1, 1, 0])


def test_the_guide_runs():
    guide = (EXAMPLES[0].parents[1] / "docs" / "opencl.md").read_text("utf-8")
    scope = {}
    for block in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        exec(block, scope)

    np.testing.assert_array_equal(scope["gradients"]["x"].get(), np.full(3, 12.0))


def test_teams_of_a_processor_combine_few_sums():
    text = """
        size N
        input x[3000,N]
        m[i] = max{j} x[i,j]
        e[i,j] = exp(x[i,j] - m[i])
        z[i] = sum{j} e[i,j]
        output y
        y[i,j] = e[i,j]/z[i]
    """
    f = tadc.compile(text, backend="opencl")
    x = np.random.default_rng(0).normal(size=(3000, 400))

    y, pullback = f.vjp(x)
    _, expected = tadc.compile(text, backend="numpy").vjp(x)

    np.testing.assert_allclose(y.sum(1), 1, rtol=1e-12)
    np.testing.assert_allclose(pullback(x)["x"], expected(x)["x"], rtol=1e-9, atol=1e-12)
    forward, _ = f.plan(N=400, mode="vjp").kernels
    on_processor = default_queue().device.type & pyopencl().device_type.CPU
    assert forward.schedule.startswith("a thread" if on_processor else "a warp")


@pytest.mark.opencl
def test_check_compares_it_with_the_interpreter():
    report = tadc.compile("size N\ninput x[N]\ns = sum{i} x[i]**2").check()

    assert report
    assert {"opencl float32", "opencl float64"} <= {row.against for row in report.rows}


def test_what_the_target_has_not_is_an_error():
    f = tadc.compile("size N\ninput x[N]\ny[i] = x[i]")

    assert "__kernel" in f.source("opencl")
    with pytest.raises(tadc.BackendError, match="no elements of float16"):
        tadc.compile("size N\ninput x[N]\ny[i] = x[i]", dtype="float16").source("opencl")


def test_doctor_names_the_devices():
    from tadc.doctor import findings

    (finding,) = (f for f in findings() if f.what == "OpenCL")
    assert devices()[0] in finding.found
