"""Long sums in float32: their error is that of a block, whatever their length, in every schedule."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from host_run import HostProgram

import tadc
from tadc.compiler import front
from tadc.emit.cuda.file import cuda_text
from tadc.errors import Source
from tadc.runtime.cpu import c_compiler
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.lowered import GpuModule, modules_of

TENTH = np.float32(0.1)
ERROR = 1e-6
BACKENDS = [
    pytest.param(
        "native",
        marks=[
            pytest.mark.compiler,
            pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
        ],
    ),
    "numpy",
]

# A formula, the shapes of its inputs, and how many terms an element of the result has.
FORMULAS = {
    "a sum": ("size N\ninput x[N]\ns = sum{j} x[j]", [(2_000_003,)], 2_000_003),
    "rows": ("size N, M\ninput x[N,M]\ns[i] = sum{j} x[i,j]", [(2, 1_000_001)], 1_000_001),
    "few columns": ("size N, M\ninput x[N,M]\ns[j] = sum{i} x[i,j]", [(500_000, 8)], 500_000),
    "columns": ("size N, M\ninput x[N,M]\ns[j] = sum{i} x[i,j]", [(100_003, 33)], 100_003),
    "columns of a few rows": ("size N, M\ninput x[N,M]\ns = sum{i,j} x[i,j]", [(500_000, 3)], 1_500_000),
    "a row of rows": ("size N, M\ninput x[N,M]\ns = sum{i,j} x[i,j]", [(3000, 700)], 2_100_000),
    "products of rows": ("size N, M\ninput x[M,N], y[M,N]\ns[i] = sum{j} x[i,j]*y[i,j]", [(2, 500_000)] * 2, 500_000),
    "a mean": ("size N\ninput x[N]\ns = mean{j} x[j]", [(2_000_000,)], 1),
}  # fmt: skip


def without_blas(backend):
    return {"backend": backend} | ({"blas": False} if backend == "native" else {})


def worst(found, expected):
    """The greatest relative error."""
    return np.max(np.abs(np.asarray(found, float) / np.asarray(expected, float) - 1))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FORMULAS)
def test_equal_terms_are_off_by_less_than_a_millionth(name, backend):
    text, shapes, count = FORMULAS[name]
    f = tadc.compile(text, **without_blas(backend))

    y = f(*(np.full(shape, TENTH) for shape in shapes))

    assert y.dtype == np.float32
    assert worst(y, count * float(TENTH) ** len(shapes)) < ERROR


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_that_sum_over_long_rows_are_as_exact(backend):
    f = tadc.compile("size N\ninput w, x[N]\ny[i] = w*x[i]", backend=backend)
    n = 1_000_001
    dw, _ = f.adjoint()(TENTH, np.full(n, TENTH), np.ones(n, np.float32))
    if backend == "native":  # numpy's is a product of BLAS
        assert worst(dw, n * float(TENTH)) < ERROR

    text = "size B, N\ninput x[B,N], w[3], b\ny[n,i: N-2] = b + sum{k} x[n,i+k]*w[k]"
    f = tadc.compile(text, backend=backend)
    x, w = np.full((300, 1002), TENTH), np.full(3, TENTH)
    _, dw, db = f.adjoint()(x, w, TENTH, np.full((300, 1000), TENTH))
    assert worst(db, 300_000 * float(TENTH)) < ERROR
    if backend == "native":
        assert worst(dw, 300_000 * float(TENTH) ** 2) < ERROR


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 1023, 1025, 65_537, 300_001])
def test_sums_of_any_terms_and_length_are_those_of_fsum(n, backend):
    f = tadc.compile("size N\ninput x[N], y[N]\ns = sum{j} x[j]\nt = sum{j} x[j]*y[j]", **without_blas(backend))  # fmt: skip
    random = np.random.default_rng(n)
    x = (random.normal(size=n) * 10.0 ** random.integers(-4, 5, n)).astype(np.float32)
    y = random.normal(size=n).astype(np.float32)

    s, t = f(x, y)

    exact = [float(a) * float(b) for a, b in zip(x, y, strict=True)]
    assert abs(s - fsum(map(float, x))) <= 2 * ERROR * fsum(map(abs, map(float, x)))
    if backend == "native":  # numpy's is a product of BLAS
        assert abs(t - fsum(exact)) <= 2 * ERROR * fsum(map(abs, exact))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("special", "total"),
    [([np.inf], np.inf), ([-np.inf], -np.inf), ([np.inf, -np.inf], np.nan), ([np.nan], np.nan), ([3e38, 3e38], np.inf)],
)  # fmt: skip
def test_an_infinite_sum_stays_what_it_is(special, total, backend):
    f = tadc.compile("size N, M\ninput x[N,M]\ns[j] = sum{i} x[i,j]", backend=backend)
    x = np.ones((5000, 9), np.float32)
    x[1000 : 1000 + len(special), 4] = special

    y = f(x)

    np.testing.assert_array_equal(y[4], np.float32(total))
    np.testing.assert_array_equal(np.delete(y, 4), 5000)


@pytest.mark.compiler
def test_running_sums_do_not_lose_digits_with_their_length():
    f = tadc.compile("size N\ninput x[N]\nc[i: N] = sum{j=0..i} x[j]", backend="native")
    n = 1_000_000

    y = f(np.full(n, TENTH))

    assert worst(y, np.arange(1, n + 1) * float(TENTH)) < ERROR


# ---------------------------------------------------------------------- on a GPU

POINTS = "size N, M\ninput x[N,M]\ns[j] = sum{i} x[i,j]"


def hosted(text, sizes, tiles=None):
    """The program's CUDA text on the host, for these sizes or for any."""
    program = front(Source(text, "<test>"), "idx", "p", {}).program
    (mode,) = modules_of({"primal": program})
    made = GpuModule.of(mode, sizes, tiles=tiles or {})
    emitted = cuda_text([made], "", "float32")
    return HostProgram(emitted.text, emitted.manifest), [k.team for k in made.kernels]


@pytest.mark.plain(known=1)
@pytest.mark.compiler
@pytest.mark.parametrize(
    ("text", "shape", "teams"),
    [
        ("size N\ninput x[N]\ns = sum{j} x[j]", (2_000_003,), None),
        ("size N, M\ninput x[N,M]\ns[i] = sum{j} x[i,j]", (2, 300_001), None),
        (POINTS, (100_003, 8), None),
        (POINTS, (20_000, 65), None),
        ("size N\ninput x[N]\nc[i: N] = sum{j=0..i} x[j]", (200_000,), None),
    ],
    ids=["parts", "rows", "few columns", "columns", "running"],
)
@pytest.mark.parametrize("known", [True, False], ids=["sizes", "any sizes"])
def test_teams_of_threads_and_parts_are_as_exact(text, shape, teams, known):
    sizes = dict(zip("NM", shape, strict=False))
    program, _ = hosted(text, sizes if known else None)

    (y,) = program.run("primal", {"x": np.full(shape, TENTH)}, sizes).values()

    if "c[i" in text:
        expected = np.arange(1, shape[0] + 1) * float(TENTH)
    else:
        expected = (shape[1] if "s[i]" in text else shape[0]) * float(TENTH)
    assert worst(y, expected) < ERROR


@pytest.mark.compiler
@pytest.mark.parametrize("threads", [{}, {"i": 16, "j": 16}], ids=["of a thread", "of a block"])
def test_tiles_are_as_exact_and_have_the_bits_of_a_thread_an_element(threads, monkeypatch):
    monkeypatch.setattr("tadc.schedule.gpu.kernels.SHORT", 2**40)
    monkeypatch.setattr("tadc.schedule.gpu.split.WORTH", 2**60)
    text = "size N, K\ninput a[N,K], b[K,N]\nc[i,j] = sum{k} a[i,k]*b[k,j]"
    sizes = {"N": 20, "K": 30_001}
    shape = Shape({"i": 2, "j": 4}, threads)
    random = np.random.default_rng(0)
    arrays = {
        "a": np.full((20, 30_001), TENTH),
        "b": np.full((30_001, 20), TENTH),
    }
    arrays["a"][:3] = random.random((3, 30_001), dtype=np.float32)
    found = []
    for tile in (shape, Shape({})):
        program, _ = hosted(text, sizes, {"p_primal_0": tile})
        found.append(program.run("primal", arrays, sizes)["c"])

    tiled, plain = found
    np.testing.assert_array_equal(tiled, plain)
    assert worst(tiled[3:], 30_001 * float(TENTH) ** 2) < ERROR


# ---------------------------------------------------------------------- the promise, at full length


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_hundred_million_equal_terms(backend):
    f = tadc.compile("size N\ninput x[N]\ns = sum{j} x[j]", backend=backend)
    assert worst(f(np.full(10**8, TENTH)), 10**8 * float(TENTH)) < ERROR
    f = tadc.compile("size N, M\ninput x[N,M]\ns[i] = sum{j} x[i,j]", backend=backend)
    assert worst(f(np.full((2, 5_000_000), TENTH)), 5e6 * float(TENTH)) < ERROR
    f = tadc.compile(POINTS, backend=backend)
    assert worst(f(np.full((1_000_000, 8), TENTH)), 1e6 * float(TENTH)) < ERROR


@pytest.mark.slow
@pytest.mark.compiler
def test_ten_million_equal_terms_on_a_gpu():
    for shape in ((10**7,), (2, 10**7 // 2)):
        sizes = dict(zip("NM", shape, strict=False))
        text = "size N\ninput x[N]\ns = sum{j} x[j]" if len(shape) == 1 else FORMULAS["rows"][0]
        program, _ = hosted(text, sizes)
        (y,) = program.run("primal", {"x": np.full(shape, TENTH)}, sizes).values()
        assert worst(y, shape[-1] * float(TENTH)) < ERROR
