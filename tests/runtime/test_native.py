"""Native code: what it computes is what the interpreter does, for any number of threads; and how libraries are kept."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from oracle import EXAMPLES, SIZES, by_name, example_name, random_arrays, sizes_of

import tadc
from tadc import cache
from tadc.options import Options
from tadc.runtime import run as run_
from tadc.runtime.cpu import c_compiler, native
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.cpu import kernels as cpu
from tadc.schedule.nest import lanes

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]


@pytest.fixture
def narrow(monkeypatch):
    """Strips of two lanes, parts of three elements, chunks of two terms: all that small arrays do not fill otherwise."""
    monkeypatch.setattr(cpu, "LANE_BYTES", 16)
    monkeypatch.setattr(cpu, "BLOCK", 3)
    monkeypatch.setattr(cpu, "LOOPED_BLOCK", 3)
    monkeypatch.setattr(lanes, "NARROW", 2)
    monkeypatch.setattr(cpu, "LONG", 2)


def run(program, arrays, sizes, threads=1, dtype="float64", memory="auto"):
    given = {t.name: arrays[t.name].astype(t.dtype or dtype) for t in program.inputs}
    options = Options(threads=threads, memory=memory, blas=False)
    return NativeRunner(program, dtype, options).run(given, sizes)


def programs(path):
    """The example and its adjoint, with arrays and sizes."""
    f = tadc.load(path, name=example_name(path))
    sizes = sizes_of(f, SIZES[path.stem])
    for g in (f, f.adjoint()):
        yield g, random_arrays(g, SIZES[path.stem]), sizes


@pytest.mark.plain(path=1, dtype=1)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_an_example_is_what_the_interpreter_computes(path, dtype, narrow, monkeypatch):
    monkeypatch.setattr("tadc.runtime.cpu.native.LITTLE", 0)
    oracle = tadc.load(path, backend="interpreter")
    for g, arrays, sizes in programs(path):
        o = oracle if g.inputs == oracle.inputs else oracle.adjoint()
        given = {s: SIZES[path.stem][s] for s in g.program.sizes}
        expected = by_name(g, o(**arrays, **given))
        found = {
            n: run(g.program, arrays, sizes, t, dtype) for n, t in (("1", 1), ("2", 2), ("7", 7))
        }
        for name, y in expected.items():
            scale = np.max(np.abs(y), initial=1)
            tolerance = 1e-12 if dtype == "float64" else 2e-5
            np.testing.assert_allclose(found["1"][name], y, rtol=tolerance, atol=tolerance * scale)
            for other in found.values():
                assert other[name].tobytes() == found["1"][name].tobytes(), "threads change bits"


SLANTING = {
    "below the diagonal": "y[j: N] = sum{i | i >= j} l[i, j]*x[i]",
    "above the diagonal": "y[j: N] = sum{i | i <= j} l[i, j]*x[i]",
    "a band": "y[j: N] = sum{i | j - 3 <= i and i <= j + 2} l[i, j]*x[i]",
    "a wide band": "y[j: N] = sum{i | j - 20 <= i and i <= j + 30} l[i, j]*x[i]",
    "against the lanes": "y[j: N] = sum{i | i + j >= N and i >= 2} l[i, j]*x[i]",
    "steep": "y[j: N] = sum{i | 2*j <= i and i < N} l[i, j]*x[i]",
    "between two": "y[j: N] = sum{i | j <= i and i + j <= N} l[i, j]*x[i]",
}


@pytest.mark.plain(size=1)
@pytest.mark.parametrize("name", SLANTING)
@pytest.mark.parametrize("size", [1, 7, 33, 70])
def test_ranges_that_move_from_lane_to_lane(name, size):
    f, g = (
        tadc.compile(f"size N\ninput l[N, N], x[N]\n{SLANTING[name]}", backend=backend)
        for backend in ("native", "interpreter")
    )
    random = np.random.default_rng(size)
    arrays = random.normal(size=(size, size)), random.normal(size=size)
    dy = random.normal(size=size)
    np.testing.assert_allclose(f(*arrays), g(*arrays), rtol=1e-12, atol=1e-13)
    for found, expected in zip(f.adjoint()(*arrays, dy), g.adjoint()(*arrays, dy), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


SUMS = {
    "a sum of all": ("size N\ninput x[N]\ny = sum{i} x[i]**2", [(5003,)]),
    "a maximum and where it stands": (
        "size N\ninput x[N]\nm = max{i} x[i]\na = argmax{i} x[i]\noutput m, a",
        [(4099,)],
    ),
    "few long rows": ("size N\ninput x[3, N]\ny[i] = sum{j} exp(x[i, j])", [(3, 5001)]),
    "rows": ("size N, M\ninput x[N, M]\ny[i] = sum{j} x[i, j]", [(70, 131)]),
    "columns": ("size N, M\ninput x[N, M]\ny[j] = sum{i} x[i, j]", [(131, 70)]),
    "a product": ("size N, M, K\ninput a[N, K], b[K, M]\ny[i, j] = sum{k} a[i, k]*b[k, j]", [(33, 17), (17, 65)]),
    "a border": (
        "size N, M\ninput x[N, M], w[3, 3]\n"
        "y[i: N, j: M] = sum{r, s} x[pad(i + r - 1), pad(j + s - 1)]*w[r, s]",
        [(41, 67), (3, 3)],
    ),
    "a triangle": ("size N\ninput x[N], w[N]\ny[i: N] = sum{j: N | j <= i} x[i - j]*w[j]", [(83,), (83,)]),
    "a step": (
        "size N\ninput u[N, N]\nv[i: N - 2, j: N - 2] = "
        "u[i, j+1] + u[i+2, j+1] + u[i+1, j] + u[i+1, j+2] - 4*u[i+1, j+1]",
        [(67, 67)],
    ),
    "a block of a stride": ("size N\ninput x[3*N]\ny[i: N] = x[3*i] + x[3*i + 2]", [(300,)]),
    "derived indices": ("size N\ninput x[N, 2]\ny[i: 2*N] = x[i // 2, i % 2]*i", [(77, 2)]),
    "a choice of values": ("size N\ninput x[N]\ny[i] = if x[i] < 0.5 then log(x[i]) else x[i]**3", [(515,)]),
    "rows of the first dimension": (
        "size N, M\ninput a[N], b[M]\ng[k, m] = sum{q: 3} (a[k] + exp(b[m]*q))",
        [(5,), (37,)],
    ),
    "softmax": (
        "size N, M\ninput x[N, M]\nm[i] = max{j} x[i, j]\ne[i, j] = exp(x[i, j] - m[i])\n"
        "y[i, j] = e[i, j]/sum{k} e[i, k]",
        [(37, 91)],
    ),
}  # fmt: skip


@pytest.mark.plain(name=3)
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_full_strips_and_chunks_give_what_numpy_gives(name, dtype):
    text, shapes = SUMS[name]
    random = np.random.default_rng(5)
    arrays = [random.uniform(0.1, 1, s).astype(dtype) for s in shapes]
    results = {}
    for backend, threads in (("numpy", None), ("native", 1), ("native", 3)):
        f = tadc.compile(text, backend=backend, threads=threads)
        values, pullback = f.vjp(*arrays)
        values = values if isinstance(values, tuple) else (values,)
        results[backend, threads] = [*values, *pullback(*values).values()]
    for x, y, z in zip(*results.values(), strict=True):
        tolerance = 1e-12 if dtype == "float64" else 1e-4
        np.testing.assert_allclose(y, x, rtol=tolerance, atol=tolerance * np.max(np.abs(x)))
        assert y.tobytes() == z.tobytes()


PRODUCTS = {
    "plain": ("input a[I, K], b[K, J]\nc[i, j] = sum{k} a[i, k]*b[k, j]", lambda a, b: a @ b),
    "the left one transposed": ("input a[K, I], b[K, J]\nc[i, j] = sum{k} a[k, i]*b[k, j]", lambda a, b: a.T @ b),
    "the right one transposed": ("input a[I, K], b[J, K]\nc[i, j] = sum{k} b[j, k]*a[i, k]", lambda a, b: a @ b.T),
    "the result transposed": ("input a[I, K], b[K, J]\nc[j, i] = sum{k} a[i, k]*b[k, j]", lambda a, b: (a @ b).T),
    "all transposed": ("input a[K, I], b[J, K]\nc[j, i] = sum{k} a[k, i]*b[j, k]", lambda a, b: b @ a),
    "a batch": ("size B\ninput a[B, I, K], b[B, J, K]\nc[n, i, j] = sum{k} a[n, i, k]*b[n, j, k]", lambda a, b: a @ b.swapaxes(1, 2)),
    "a part only": ("input a[I + 1, K], b[K, J]\nc[i: I, j: J] = sum{k} a[i, k]*b[k, j]", lambda a, b: a[:-1] @ b),
}  # fmt: skip


@pytest.mark.plain(name=1, dtype=1, sizes=1)
@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("sizes", [(2, 3, 4), (33, 50, 41)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_matrix_products_are_the_same_with_blas_and_without(name, sizes, dtype):
    text, reference = PRODUCTS[name]
    values = dict(zip("IJKB", (*sizes, 3), strict=True))
    random = np.random.default_rng(3)
    for blas in (True, False):
        f = tadc.compile(f"size I, J, K\n{text}", backend="native", blas=blas)
        arrays = [
            random.normal(size=[n.at(values) for n in t.shape]).astype(dtype)
            for t in f.program.inputs
        ]
        tolerance = 1e-12 if dtype == "float64" else 1e-4
        y, pullback = f.vjp(*arrays)
        np.testing.assert_allclose(y, reference(*arrays), rtol=tolerance, atol=10 * tolerance)
        other, other_pullback = tadc.compile(f"size I, J, K\n{text}", backend="numpy").vjp(*arrays)
        for x, gradient in pullback(y).items():
            expected = other_pullback(other)[x]
            np.testing.assert_allclose(gradient, expected, rtol=tolerance, atol=100 * tolerance)
        named = "BLAS" in str(f.plan(**{s: values[s] for s in f.program.sizes}))
        assert named == (blas and name != "a part only" and min(sizes) > 30)


# ulp of the result, at arguments of every magnitude
LANE_FUNCTIONS = {
    "exp": (1, (-700, 700), (-80, 80)),
    "exp2": (2, (-1020, 1020), (-120, 120)),
    "expm1": (2, (-60, 700), (-20, 80)),
    "log": (1, (1e-300, 1e300), (1e-30, 1e30)),
    "log2": (2, (1e-300, 1e300), (1e-30, 1e30)),
    "log10": (2, (1e-300, 1e300), (1e-30, 1e30)),
    "log1p": (2, (1e-300, 1e300), (1e-30, 1e30)),
    "tanh": (3, (-30, 30), (-15, 15)),
}


@pytest.mark.plain(dtype=1)
@pytest.mark.parametrize("name", LANE_FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_functions_of_lanes_keep_their_error(name, dtype):
    most, *ranges = LANE_FUNCTIONS[name]
    low, high = ranges[dtype == "float32"]
    random = np.random.default_rng(4)
    x = random.uniform(low, high, 40_000)
    if name.startswith("log"):
        x = np.concatenate(
            [
                np.exp(random.uniform(np.log(low), np.log(high), 40_000)),
                random.uniform(0.5, 2, 40_000),
            ]
        )
    x = np.concatenate(
        [
            x,
            random.uniform(0.4, 2, 40_000)
            if name.startswith("log")
            else random.normal(size=40_000),
        ]
    ).astype(dtype)
    if name == "log1p":
        small = np.exp(random.uniform(-60, 0, 40_000)) * random.choice([-1, 1], 40_000)
        x = np.concatenate([x, (small * 0.999).astype(dtype)])
    f = tadc.compile(f"size N\ninput x[N]\ny[i] = {name}(x[i])", backend="native")
    exact = getattr(np, name)(x.astype(np.longdouble))

    error = np.abs(f(x).astype(np.longdouble) - exact) / np.spacing(np.abs(exact).astype(dtype))

    assert error.max() <= most


@pytest.mark.parametrize("name", LANE_FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_functions_of_lanes_know_special_values(name, dtype):
    info = np.finfo(dtype)
    x = np.array(
        [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            1,
            -1,
            info.max,
            -info.max,
            info.tiny,
            info.smallest_subnormal,
            -info.tiny,
        ]
        * 4,
        dtype,
    )
    f = tadc.compile(f"size N\ninput x[N]\ny[i] = {name}(x[i])", backend="native")
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)

    found = f(x)

    np.testing.assert_allclose(found, expected, rtol=4 * info.eps)
    np.testing.assert_array_equal(
        np.signbit(found)[~np.isnan(found)], np.signbit(expected)[~np.isnan(found)]
    )


def test_results_are_new_and_arguments_stay():
    f = tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i]\noutput y, x", backend="native")
    x = np.arange(6.0)[::-2]
    before = x.copy()

    y, same = f(x)

    np.testing.assert_array_equal(y, 2 * before)
    same += 1
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("size", [0, 1, 2, 15, 16, 17, 1023, 1024, 1025])
def test_sizes_around_those_of_strips_and_parts(size):
    f = tadc.compile(
        "size N\ninput x[N]\ny[i] = x[N - 1 - i]*2\ns = sum{i} x[i]\noutput y, s", backend="native"
    )
    x = np.arange(1.0, size + 1)

    y, s = f(x)

    np.testing.assert_array_equal(y, 2 * x[::-1])
    assert s == x.sum()


# ---------------------------------------------------------------------- compiler and cache


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TADC_CACHE_DIR", str(tmp_path))
    cache.folder.cache_clear()
    yield tmp_path
    cache.folder.cache_clear()


def doubled(x):
    return tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i]", backend="native")(x)


def test_a_file_that_was_cut_off_is_made_again(place):
    doubled(np.ones(3))
    (library,) = place.glob("native-*.so")
    content = library.read_bytes()
    library.unlink()
    library.write_bytes(content[:100])

    code = "import numpy, tadc; print(tadc.compile('size N\\ninput x[N]\\ny[i] = 2*x[i]', backend='native')(numpy.ones(3)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[2. 2. 2.]"
    assert library.stat().st_size == len(content)


def test_the_cache_stays_below_its_bound(place, monkeypatch):
    monkeypatch.setattr("tadc.cache.MOST_BYTES", 40_000)
    for k in range(5):
        tadc.compile(f"size N\ninput x[N]\ny[i] = {k + 2}*x[i]", backend="native")(np.ones(3))

    assert 0 < sum(p.stat().st_size for p in place.glob("native-*.so")) <= 40_000


@pytest.mark.slow
def test_processes_that_start_together_share_the_cache(place):
    code = "import numpy, tadc; print(tadc.compile('size N\\ninput x[N]\\ny[i] = 3*x[i]', backend='native')(numpy.ones(2)))"
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]

    assert [p.communicate()[0].strip() for p in started] == ["[3. 3.]"] * 4
    assert len(list(place.glob("native-*"))) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_computes_too():
    code = textwrap.dedent(
        """
        import os, numpy, tadc
        f = tadc.compile("size N\\ninput x[N]\\ny[i] = 2*x[i]", backend="native", threads=4)
        x = numpy.ones(100_000)
        f(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if f(x).sum() == 200_000 else 1)
        print(os.waitpid(child, 0)[1])
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )

    assert done.stdout.strip() == "0"


def test_without_a_compiler_native_is_an_error_and_auto_is_numpy(place, monkeypatch):
    code = textwrap.dedent(
        """
        import warnings, numpy, tadc
        text = "size N\\ninput x[N]\\ny[i] = 2*x[i]"
        try:
            tadc.compile(text, backend="native")(numpy.ones(2))
        except tadc.BackendError as error:
            print(error)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            print(tadc.compile(text)(numpy.ones(2)), tadc.compile(text + " + 1")(numpy.ones(2)))
        print(len(caught), caught[0].message)
        """
    )
    environment = {**os.environ, "PATH": "", "CC": ""}
    environment.pop("TADC_BACKEND", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )

    assert "there is no C compiler" in done.stdout
    assert "[2. 2.] [3. 3.]" in done.stdout
    assert "1 tadc found no C compiler" in done.stdout


def test_a_compiler_that_fails_is_an_error_that_says_so(place, monkeypatch):
    monkeypatch.setenv("CC", "false")
    c_compiler.compiler.cache_clear()
    try:
        with pytest.raises(tadc.BackendError, match="does not compile what tadc wrote"):
            doubled(np.ones(4))
    finally:
        c_compiler.compiler.cache_clear()


@pytest.fixture
def automatic(monkeypatch):
    """`auto` as in a process of its own, in which nothing was warned of."""

    def fresh():
        for kept in (c_compiler.compiler, run_.default_backend, run_._warn_once):
            kept.cache_clear()

    monkeypatch.delenv("TADC_BACKEND", raising=False)
    fresh()
    yield fresh
    monkeypatch.undo()
    fresh()


@pytest.mark.parametrize("variable", ["CC", "CFLAGS", "text"])
def test_auto_computes_with_numpy_where_c_does_not_compile_and_says_so_once(
    variable, automatic, monkeypatch, place
):
    match variable:
        case "CC":
            monkeypatch.setenv("CC", "false")
        case "CFLAGS":
            monkeypatch.setenv("CFLAGS", 'a "')
        case "text":
            emit = native.emit_c
            monkeypatch.setattr(native, "emit_c", lambda *a, **k: emit(*a, **k) + "\nint wrong = own;")  # fmt: skip
    automatic()
    x = np.arange(3.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in (2, 3):
            f = tadc.compile(f"size N\ninput x[N]\ny[i] = {k}*x[i]")
            for _ in range(2):
                np.testing.assert_array_equal(f(x), k * x)
            y, pullback = f.vjp(x)
            np.testing.assert_array_equal(pullback(y)["x"], k * y)

    (warning,) = caught
    assert "tadc computes with numpy, which is slower" in str(warning.message)
    if variable == "text":
        assert "error: " in str(warning.message) and "own" in str(warning.message)
    with pytest.raises(tadc.BackendError):
        tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i]", backend="native")(x)


LONG_CALL = """
import os, signal, sys, threading, time, numpy, tadc
f = tadc.compile("size N\\ninput x[N]\\n{text}", backend="native", dtype="float32")
f(numpy.ones(2000, numpy.float32))
x = numpy.ones(int(sys.argv[1]), numpy.float32)
f(x[:2500])
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    f(x)
except KeyboardInterrupt:
    took = time.monotonic() - start
    while any(t.daemon for t in threading.enumerate()):
        time.sleep(0.1)
    print(took, time.monotonic() - start)
"""


@pytest.mark.plain(text=1)
@pytest.mark.parametrize("text", ["y = sum{i, j} exp(x[i]*x[j])", "y[i] = sum{j} exp(x[i]*x[j])"])
def test_a_long_call_is_interrupted_at_once_and_ends(text):
    done = subprocess.run(
        [sys.executable, "-c", LONG_CALL.replace("{text}", text), "1_000_000"],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )

    raised, ended = map(float, done.stdout.split())
    assert raised < 20 and ended < 40, "the call takes many minutes"


def test_calls_that_are_short_are_not_watched(monkeypatch):
    watched = []
    real = native.interruptible
    monkeypatch.setattr(native, "LONG", 60)
    monkeypatch.setattr(native, "interruptible", lambda *a: watched.append(1) or real(*a))
    f = tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i] + 1", backend="native")
    for _ in range(5):
        f(np.ones(4))
    assert len(watched) == 1  # the first, of which nobody knows how long it takes


def test_a_compiler_without_openmp_is_used_without(place, monkeypatch, tmp_path):
    script = tmp_path / "cc.sh"
    script.write_text(
        '#!/bin/sh\nfor a in "$@"; do [ "$a" = -fopenmp ] && exit 1; done\nexec cc "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    c_compiler.compiler.cache_clear()
    try:
        np.testing.assert_array_equal(doubled(np.arange(40_000.0)), 2 * np.arange(40_000.0))
    finally:
        c_compiler.compiler.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [p for p in EXAMPLES if p.stem != "equivariant"], ids=lambda p: p.name
)
def test_sanitizers_find_nothing_in_an_example(path):
    """Out-of-bounds accesses and undefined behaviour end the process. (The largest example takes minutes to compile so.)"""
    runtime = subprocess.run(
        ["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    environment = {
        **os.environ,
        "LD_PRELOAD": runtime,
        "ASAN_OPTIONS": "detect_leaks=0",
        "CFLAGS": "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    code = textwrap.dedent(
        f"""
        from pathlib import Path
        from test_native import cpu, lanes, programs, run
        cpu.LANE_BYTES, cpu.BLOCK, cpu.LOOPED_BLOCK, lanes.NARROW, cpu.LONG = 16, 3, 3, 2, 2
        for g, arrays, sizes in programs(Path({str(path)!r})):
            run(g.program, arrays, sizes)
        print("clean")
        """
    )
    folder = os.path.dirname(__file__)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.strip() == "clean", done.stderr[-3000:]


def test_out_is_written_where_it_is():
    f = tadc.compile(
        "size N\ninput x[N]\ny[i] = exp(x[i])\nz[i] = 2*x[i]\noutput y, z", backend="native"
    )
    x = np.linspace(0, 1, 37)
    expected = [a.copy() for a in f(x)]
    y, z = np.full(37, 9.0), np.full(37, 9.0)

    assert all(a is b for a, b in zip(f(x, out=(y, z)), (y, z), strict=True))
    np.testing.assert_array_equal([y, z], expected)
    # what overlaps an input, is not in order or goes to one result only is computed aside
    for given in ({"y": x.copy(), "z": np.empty((37, 2))[:, 0]}, {"z": np.empty(37)}):
        f(x, out=given)
        for name, array in given.items():
            np.testing.assert_array_equal(array, expected["yz".index(name)])
    both = np.concatenate([x, x])
    f(both[:37], out=(both[:37], both[37:]))
    np.testing.assert_array_equal(both.reshape(2, 37), expected)
    x = np.linspace(0, 1, 37)
    _, pullback = f.vjp(x)
    gradient = np.empty(37)
    assert pullback(x, x, out={"x": gradient})["x"] is gradient
    np.testing.assert_allclose(gradient, x * np.exp(x) + 2 * x, rtol=1e-14)
    pullback(x, x, out=(gradient,), accumulate=True)
    np.testing.assert_allclose(gradient, 2 * (x * np.exp(x) + 2 * x), rtol=1e-14)
    with pytest.raises(tadc.ArgumentError, match="overlap"):
        f(x, out=(y, y))
    with pytest.raises(tadc.ShapeError, match="has the shape"):
        f(x, out=(y, np.empty(36)))


@pytest.mark.plain(name=3)
@pytest.mark.compiler
@pytest.mark.parametrize("name", ["s_", "s__", "max_", "part", "chunk", "lane"])
@pytest.mark.parametrize("text", ["size N\ninput {0}[N]\nf = sum{{i}} {0}[i]\ng = max{{i}} {0}[i]\noutput f, g", "size {0}\ninput x[{0}]\nf = sum{{i}} x[i]\ng = max{{i}} x[i]\noutput f, g"])  # fmt: skip
def test_names_like_those_of_parts_of_sums(name, text):
    x = np.arange(1.0, 1001.0)

    f, g = tadc.compile(text.format(name), backend="native")(x)

    assert (f, g) == (500500, 1000)
