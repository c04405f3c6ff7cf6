"""Tiles of points a thread: the bits of a thread a point, whatever the extents."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest
from host_run import HostBatch, for_architecture
from programs import normal

from tadc.bounded_cache import BoundedCache
from tadc.compiler import adjoint_program
from tadc.emit.cuda.file import cuda_text
from tadc.ir.affine import symbol
from tadc.ir.domain import EVERYWHERE, Domain, at_least_zero
from tadc.ir.expr import Read
from tadc.ir.walk import postorder
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.gpu.staging import staged
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.loop_nest import Branch, bodies, buffers_of, values_of

# name: text, sizes for which the schedule is chosen, the tiles of the value's kernels for them
PROGRAMS = {
    "a matrix product": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]", {"I": 1000, "J": 1000, "K": 1000}, ["64x64"]),
    "a batch of them": ("size B, I, K\ninput a[B,I,K], b[B,K,5]\nc[n,i,j] = sum{k} a[n,i,k]*b[n,k,j]", {"B": 1000, "I": 100, "K": 1000}, ["4"]),
    "an outer maximum": ("size I, J, K\ninput a[I,K], b[J,K]\nc[i,j] = max{k} (a[i,k] + b[j,k])", {"I": 500, "J": 999, "K": 500}, ["32x32"]),
    "two sums": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = (sum{k} a[i,k]*b[k,j])/(1 + sum{k} a[i,k])", {"I": 1000, "J": 1000, "K": 1000}, ["", "64x64"]),
    "Gaussians": ("size N, M\ninput x[N,3], y[M,3], b[M]\nf[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*b[j]", {"N": 10**6, "M": 1000}, ["1536"]),
    "a filter": ("size N, M\ninput x[N+2,M+2], w[3,3]\ny[i,j] = sum{p,q} x[i+p,j+q]*w[p,q]", {"N": 3000, "M": 3000}, ["4x2"]),
    "channels": ("size C, O, N\ninput x[C,N+2,N+2], w[O,C,3,3]\ny[o,i,j] = sum{c,p,q} x[c,i+p,j+q]*w[o,c,p,q]", {"C": 96, "O": 96, "N": 100}, ["48x112"]),
    "shifts": ("size C, N\ninput a[C,N], b[C,N+8]\ny[p: 9,i] = sum{c} a[c,i]*b[c,i+p]", {"C": 96, "N": 10**6}, ["16x256"]),
    "a number of rows that fits": ("size K, J\ninput a[8,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]", {"K": 100, "J": 10**6}, ["8x256"]),
    "an index inside a condition": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = if i > j then sum{k} a[i,k] else sum{k} a[i,k]*b[k,j]", {"I": 1000, "J": 1000, "K": 1000}, [""]),
    "sums up to a diagonal": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k | k <= i} a[i,k]*b[k,j]", {"I": 1000, "J": 1000, "K": 1000}, ["32x128"]),
    "sums between two diagonals": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = (max{k | k <= i and j <= 2*k + 3} a[i,k]*b[k,j]) + sum{k | i + j <= k} a[i,k]*b[k,j]", {"I": 1000, "J": 1000, "K": 1000}, ["8"]),
    "elements up to a diagonal": ("size I, J, K\ninput a[I,K], b[J,K]\nc[i,j] = if j <= i then sum{k} a[i,k]*b[j,k] else 7", {"I": 1000, "J": 1000, "K": 1000}, ["128x128", ""]),
    "a band of elements": ("size I, R, K\ninput a[I,K], b[I,K]\nc[i,r: R] = if 0 <= i + r - 32 and i + r - 32 < I then sum{k} a[i,k]*b[i+r-32,k] else -1000", {"I": 8000, "R": 65, "K": 100}, ["32x80"]),
    "sums of sums up to a diagonal": ("size I, J, D\ninput x[I,D], y[J,D]\nf[i] = sum{j | j <= i} exp(-sum{d} (x[i,d] - y[j,d])**2)", {"I": 5000, "J": 5000, "D": 80}, ["96x96", ""]),
    "sums of pairs": ("size I, J, D\ninput x[I,D], y[J,D], v[J]\nf[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*v[j]", {"I": 10**5, "J": 10**5, "D": 80}, ["96x64", "4"]),
    "many taps": ("size C, N\ninput x[C,N], w[31]\ny[c,i: N] = sum{k: 31 | k <= i} x[c,i-k]*w[k]", {"C": 5000, "N": 4096}, ["16x256"]),
    "a product along diagonals": ("size I, J\ninput a[I], x[I,J]\nc[i: I,j] = sum{k: I | k <= i} a[i-k]*x[k,j]", {"I": 2000, "J": 100}, ["224x16", ""]),
    "a quotient of an index": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i: 2*I,j] = sum{k} a[i//2,k]*b[k,j]*(k + i%2)", {"I": 1000, "J": 1000, "K": 1000}, ["256x64"]),
    "a number made of indices": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]*(i + 2*j - k)", {"I": 1000, "J": 1000, "K": 1000}, ["64x64"]),
    "a border of zeros": ("size C, O, N\ninput x[C,N,N], w[O,C,3,3]\ny[o,i: N,j: N] = sum{c,p,q} (if 1 <= i + p and i + p <= N and 1 <= j + q and j + q <= N then x[c,i+p-1,j+q-1] else 0)*w[o,c,p,q]", {"C": 96, "O": 96, "N": 100}, ["96x56"]),
    "a border of ones": ("size C, O, N\ninput x[C,N], w[O,C,3]\ny[o,i: N] = sum{c,p} (if 1 <= i + p and i + p <= N then x[c,i+p-1] else 1)*w[o,c,p]", {"C": 96, "O": 96, "N": 10000}, ["48x80"]),
    "a long filter": ("size N, K\ninput x[N+K-1], w[K]\ny[i: N] = sum{k} x[i+k]*w[k]", {"N": 10**6, "K": 1000}, ["1792"]),
    "few taps of many filters": ("size O, C, N\ninput x[C,N+2], g[O,N]\nw[o,c,s: 3] = sum{i} g[o,i]*x[c,i+s]", {"O": 1024, "C": 1024, "N": 1000}, ["128x96"]),
    "taps of two dimensions": ("size G, N\ninput x[G,20,N+2,N+4], g[G,20,N,N]\nw[q,o,c,r: 3,s: 5] = sum{i,j} g[q,o,i,j]*x[q,c,i+r,j+s]", {"G": 1000, "N": 50}, ["4x24x24x5"]),
    "correlations along rows": ("size B, N, K\ninput x[B,N], y[B,N+K]\nr[b,k: K] = sum{i: N} x[b,i]*y[b,i+k]", {"B": 20000, "N": 5000, "K": 256}, ["16x256"]),
    "products of rows that overlap in part": ("size B, N, M\ninput x[B,N], y[B,M]\nr[b,k: N+M-1] = sum{i: N | i + k >= N - 1 and i + k <= N + M - 2} x[b,i]*y[b,i+k-N+1]", {"B": 4000, "N": 2000, "M": 2000}, ["32x112"]),
    "backwards": ("size I, J, K\ninput a[I,K], b[J,K]\nc[i,j] = sum{k} a[i,K-1-k]*b[J-1-j,k]", {"I": 1000, "J": 1000, "K": 1000}, ["64x64"]),
    "every second": ("size C, O, N\ninput x[C,2*N+1], w[O,C,3]\ny[o,i] = sum{c,p} x[c,2*i+p]*w[o,c,2-p]", {"C": 96, "O": 96, "N": 10000}, ["48x80"]),
    "a product over part of a loop": ("size I, J, K\ninput a[I,K+3], b[K,J]\nc[i,j] = max{k=2..K-1} a[i,k+3]*b[k,j]", {"I": 500, "J": 500, "K": 500}, ["16x32"]),
    "a diagonal": ("size I, J, K\ninput a[I,J], b[K,K,J], x[I,K]\nc[i,j] = sum{k} a[i,j]*b[k,k,j]*x[i,k]", {"I": 1000, "J": 1000, "K": 1000}, ["128x32"]),
    "loops of one name": ("size I, J, K\ninput a[I,K+8], b[K,J], d[K,J]\nc[i,j] = sum{k} (max{p=0..2} a[i,k+p]*b[k,j])*(max{p=1..4} a[i,k+p]*d[k,j])", {"I": 1000, "J": 1000, "K": 1000}, [""]),
    "one after the other": ("size I, J, K\ninput a[I,K+8], b[K,J], d[K,J]\nc[i,j] = (max{k} max{p=0..2} a[i,k+p]*b[k,j])*(sum{k=1..K-1} max{p=1..4} a[i,k+p]*d[k,j])", {"I": 1000, "J": 1000, "K": 1000}, ["32x128"]),
    "one without the other's loop": ("size I, J, K\ninput a[I,K+8], b[K,J], d[K,J]\nc[i,j] = (max{k} max{p=0..2} a[i,k+p]*b[k,j])*(sum{k=1..K-1} a[i,k]*d[k,j])", {"I": 1000, "J": 1000, "K": 1000}, ["32x128"]),
    "a size named as a buffer": ("size I, b_tile, K\ninput a[I,K], b[K,b_tile]\nc[i,j] = sum{k} a[i,k]*b[k,j]", {"I": 1000, "b_tile": 1000, "K": 1000}, ["64x64"]),
    "a transpose": ("size I, J\ninput a[I,J], b[J,I]\nc[j,i] = 2*a[i,j] + b[j,i]", {"I": 5000, "J": 5000}, ["64x32"]),
    "axes in another order": ("size I, J, K\ninput a[I,J,K]\nc[k,i,j: J+2] = if 1 <= j and j <= J then a[i,j-1,k] else 0", {"I": 300, "J": 300, "K": 300}, ["64x32"]),
    "a shear": ("size I, J\ninput a[2*J+3*I,I], b[2*J+3*I,I]\nc[i,j] = a[2*j+3*i,i] + b[2*j+3*i,i]", {"I": 5000, "J": 5000}, ["32x32"]),
    "small matrices": ("size N\ninput x[N,6], a[N,6,6]\ny[n] = exp(sum{i,j} x[n,i]*a[n,i,j]*x[n,j])", {"N": 10**6}, ["256"]),
    "short rows": ("size N\ninput x[N+1,20], y[N+20]\nd[n: N] = sum{k: 20} (if 1 <= k then x[n+1,20-k] else 2)*y[n+k]", {"N": 10**6}, ["256"]),
    "rows and columns": ("size N\ninput a[N,N]\nd[j] = sum{i: N | i != j} (a[i,j] - a[j,i])**2", {"N": 100000}, ["256"]),
    "rows of two kinds": ("size N, M\ninput a[N,M,12], b[M,N,12]\nd[i,j] = max{k} (a[i,j,k] - b[j,i,11-k])", {"N": 999, "M": 999}, ["8x32"]),
    "windows that move": ("size T\ninput e[T,40], q[T,24]\nk[r: T+39,d] = sum{t: T | t <= r and r - t < 40} e[t,r-t]*q[t,d]", {"T": 60000}, ["128x24"]),
    "a border around a loop": ("size J, K, N\ninput g[N,K], w[3,K,J]\nc[i: N+2,j] = sum{p: 3} (if 0 <= i-p and i-p < N then (max{k} g[i-p,k]*w[p,k,j]) else 0)", {"J": 1000, "K": 1000, "N": 1000}, ["64x64"]),
}  # fmt: skip
EXTENTS = (1, 2, 7, 9, 31, 32, 33, 64, 65, 128, 257)
CALLS, MOST_POINTS = 40, 3000


def both(name):
    """The value and the gradients, scheduled for large sizes, and with a thread a point."""
    text, sizes, _ = PROGRAMS[name]
    program = normal(text)
    adjoint = adjoint_program(program, tuple(t.name for t in program.inputs))
    modes = modules_of({"primal": program, "adjoint": adjoint})
    return [
        ([GpuModule.of(m, m.program.size_values(sizes)) for m in modes], "tiles"),
        ([GpuModule.plain(m) for m in modes], "plain"),
    ]


def without_teams(patched):
    """No teams and no parts of sums from now on: their terms have another order."""
    patched.setattr("tadc.schedule.gpu.kernels.SHORT", 2**40)
    patched.setattr("tadc.schedule.gpu.kernels.LONG", 2**40)
    patched.setattr("tadc.schedule.gpu.split.WORTH", 2**60)
    patched.setattr("tadc.schedule.gpu.kernels.row_lengths", lambda *_: {})
    patched.setattr("tadc.schedule.gpu.kernels._made", BoundedCache(512))


@cache
def library(name):
    """The program with tiles, and with a thread a point."""
    with pytest.MonkeyPatch.context() as patched:
        without_teams(patched)
        emitted = [
            cuda_text([named(g, kind) for g in gpu], "", "float64") for gpu, kind in both(name)
        ]
    return HostBatch([(e.text, e.manifest) for e in emitted])


@cache
def library_ahead(name):
    """With buffers that are filled ahead: by copies of any GPU, and by those of sm_80; and with a thread a point."""
    with pytest.MonkeyPatch.context() as patched:
        without_teams(patched)
        patched.setattr("tadc.schedule.gpu.tile.staged", lambda *a, **k: staged(*a, **k | {"ahead": True}))  # fmt: skip
        (gpu, _), (plain, _) = both(name)
        emitted = [cuda_text([named(g, k) for g in gpu], "", "float64") for k in ("old", "new")]
        emitted.append(cuda_text([named(g, "plain") for g in plain], "", "float64"))
    texts = [e.text for e in emitted]
    assert any("copy_ahead" in t for t in texts)
    texts[1] = for_architecture(texts[1], 800)
    return HostBatch([(t, e.manifest) for t, e in zip(texts, emitted, strict=True)])


def named(gpu, name):
    """With names that no other text of the library has."""
    module = replace(gpu.module, program=replace(gpu.module.program, name=name))
    own = (replace(k.kernel, name=f"{name}_{k.kernel.name}") for k in gpu.kernels)
    scheduled = (replace(k, kernel=kernel) for k, kernel in zip(gpu.kernels, own, strict=True))
    return replace(gpu, module=module, kernels=tuple(scheduled))


def calls(program):
    """Some sizes at the edges of warps and tiles."""
    box = program.tensors[program.outputs[0]].shape
    found = [
        dict(zip(program.sizes, each, strict=True))
        for each in product(EXTENTS, repeat=len(program.sizes))
    ]
    few = [sizes for sizes in found if prod(e.at(sizes) for e in box) <= MOST_POINTS]
    return Random(0).sample(few, min(CALLS, len(few)))


# Sums in parts, which a thread a point does not have, and what it adds to elements in memory, term by term.
IN_ANOTHER_ORDER = {
    ("sums of pairs", "primal"),
    ("sums of pairs", "adjoint"),
    ("a border around a loop", "adjoint"),
}

# What takes the host many seconds.
LONG = (
    *("channels", "a border of zeros", "a border of ones", "a border around a loop"),
    *("every second", "loops of one name", "one after the other", "sums between two diagonals"),
    *("a band of elements", "sums of sums up to a diagonal"),
)
AHEAD = (
    *(
        "a matrix product",
        "one after the other",
        "a batch of them",
        "an outer maximum",
        "sums up to a diagonal",
    ),
    *("a quotient of an index", "a border of ones", "backwards", "every second", "a diagonal"),
    *("a product over part of a loop", "a border around a loop", "a size named as a buffer"),
)


@pytest.mark.plain(mode=1, name=4)
@pytest.mark.compiler
@pytest.mark.parametrize("mode", ["adjoint", "primal"])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in PROGRAMS]
)
def test_a_tile_has_the_bits_of_its_points(name, mode):
    check_bits(name, mode, library(name).run, (0, 1))


@pytest.mark.plain(mode=1, name=2)
@pytest.mark.compiler
@pytest.mark.parametrize("mode", ["primal", "adjoint"])
@pytest.mark.parametrize("name", AHEAD)
def test_a_tile_whose_buffers_are_filled_ahead_has_the_bits_of_its_points(name, mode):
    check_bits(name, mode, library_ahead(name).run, (0, 1, 2))


@cache
def library_of_float32():
    with pytest.MonkeyPatch.context() as patched:
        without_teams(patched)
        emitted = [cuda_text([named(g, kind) for g in gpu], "", "float32") for gpu, kind in both("a matrix product")]  # fmt: skip
    assert "(float4*)&c[i * J + j] = float4{s[lane], s[lane + 1]" in emitted[0].text
    return HostBatch([(e.text, e.manifest) for e in emitted])


@pytest.mark.compiler
@pytest.mark.parametrize("columns", [4, 61, 62, 64, 132])
def test_neighbours_that_are_stored_at_once_have_the_bits_of_points(columns):
    random, sizes = np.random.default_rng(columns), {"I": 35, "J": columns, "K": 33}
    arrays = {"a": random.normal(size=(35, 33)), "b": random.normal(size=(33, columns))}
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}

    tiled, plain = (library_of_float32().run(k, "primal", arrays, sizes)["c"] for k in (0, 1))

    assert np.array_equal(tiled, plain)
    np.testing.assert_allclose(tiled, arrays["a"] @ arrays["b"], rtol=1e-4, atol=1e-4)


def check_bits(name, mode, run, kinds):
    """That all kinds of the program give the bits of the last."""
    program = normal(PROGRAMS[name][0])
    shapes = [t.shape for t in program.inputs]
    for n, sizes in enumerate(calls(program)):
        random = np.random.default_rng(n)
        arrays = {t.name: random.normal(size=[e.at(sizes) for e in shape]) for t, shape in zip(program.inputs, shapes, strict=True)}  # fmt: skip
        if mode == "adjoint":
            out = program.tensors[program.outputs[0]]
            arrays[f"d{out.name}"] = random.normal(size=[e.at(sizes) for e in out.shape])
        order = "backward" if n % 2 else "forward"
        *tiled, plain = (run(k, mode, arrays, sizes, order) for k in kinds)
        relative = 1e-13 if (name, mode) in IN_ANOTHER_ORDER else 0
        for output, each in ((o, each) for o in plain for each in tiled):
            absolute = relative * np.abs(plain[output]).max(initial=0)
            np.testing.assert_allclose(each[output], plain[output], relative, absolute, err_msg=f"{output}, {sizes}")  # fmt: skip


@pytest.mark.compiler
def test_four_neighbours_that_are_copied_at_once_are_those_that_are_copied_one_by_one():
    text, sizes, _ = PROGRAMS["a matrix product"]
    (mode,) = modules_of({"primal": normal(text)})
    gpu, plain = GpuModule.of(mode, sizes), GpuModule.plain(mode)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tadc.schedule.gpu.kernels._made", BoundedCache(512))
        patched.setattr("tadc.schedule.gpu.tile.staged", lambda *a, **k: staged(*a, **k | {"ahead": True}))  # fmt: skip
        ahead = GpuModule.of(mode, sizes)
    kinds = ((gpu, "tiles"), (ahead, "old"), (ahead, "new"), (plain, "plain"))
    texts = [cuda_text([named(g, n)], "", "float32") for g, n in kinds]
    assert "const float4" in texts[0].text and "copy_four_ahead" in texts[1].text
    given = [(t.text, t.manifest) for t in texts]
    given[2] = for_architecture(given[2][0], 800), given[2][1]
    host = HostBatch(given)
    random = np.random.default_rng(0)

    for values in ({"I": 130, "J": 132, "K": 20}, {"I": 129, "J": 130, "K": 33}, {"I": 4, "J": 260, "K": 18}):  # fmt: skip
        shapes = {"a": (values["I"], values["K"]), "b": (values["K"], values["J"])}
        arrays = {name: random.normal(size=shape).astype("float32") for name, shape in shapes.items()}  # fmt: skip
        *at_once, one_by_one = (host.run(n, "primal", arrays, values, "backward")["c"] for n in range(4))  # fmt: skip
        for each in at_once:
            np.testing.assert_array_equal(each, one_by_one)


@pytest.mark.compiler
def test_rows_of_many_elements_are_kept_by_their_thread():
    text = "size N, M, D\ninput x[N, D], c[M, D]\nf[i] = sum{j} exp(-sum{d} (x[i, d] - c[j, d])**2)"
    program = adjoint_program(normal(text), ("x",))
    (mode,) = modules_of({"adjoint": program})
    gpu = GpuModule.of(mode, mode.program.size_values({"N": 10**5, "M": 10**5, "D": 20}), "float64")
    emitted = cuda_text([gpu], "", "float64")
    assert gpu.kernels[-1].team == 256 and "c_tile_1[" not in emitted.text
    random = np.random.default_rng(0)
    x, c, df = random.normal(size=(41, 20)), random.normal(size=(70, 20)), random.normal(size=41)

    dx = HostBatch([(emitted.text, emitted.manifest)]).run(0, "adjoint", {"x": x, "c": c, "df": df}, {"N": 41, "M": 70}, "backward")["dx"]  # fmt: skip

    apart = x[:, None] - c
    each = df[:, None] * np.exp(-(apart**2).sum(2))
    np.testing.assert_allclose(dx, -2 * (each[:, :, None] * apart).sum(1), rtol=1e-13, atol=1e-18)


@pytest.mark.compiler
@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_a_tile_copies_of_what_is_read_apart_as_much_as_shared_memory_holds(step):
    """Of 32 rows and 32 columns of `step*j + 3*i` there are 63 to 249 values: of both tensors, of one or of none there is room."""
    text = f"size I, J\ninput a[{step}*J+3*I,I], b[{step}*J+3*I,I]\nc[i,j] = a[{step}*j+3*i,i]*b[{step}*j+3*i,i]"
    (mode,) = modules_of({"primal": normal(text)})
    turned = Shape({"i": 4, "j": 1}, {"i": 8, "j": 32})
    tiled = GpuModule.of(
        mode, {"I": 5000, "J": 5000}, "float64", tiles={k.name: turned for k in mode.kernels}
    )

    buffers = buffers_of(tiled.kernels[0].kernel.body)
    sizes = {"I": 41, "J": 67}
    shape = (step * sizes["J"] + 3 * sizes["I"], sizes["I"])
    random = np.random.default_rng(0)
    arrays = {name: random.normal(size=shape) for name in "ab"}
    plain = GpuModule.plain(mode)
    emitted = [cuda_text([named(g, n)], "", "float64") for g, n in ((tiled, "tiled"), (plain, "plain"))]  # fmt: skip
    host = HostBatch([(e.text, e.manifest) for e in emitted])
    found, expected = (host.run(n, "primal", arrays, sizes, "backward")["c"] for n in (0, 1))

    assert {b.tensor for b in buffers} == {1: {"a"}, 2: {"a"}, 3: {"a", "b"}, 5: set()}[step]
    assert sum(b.size for b in buffers) * 8 <= HOPPER.shared_bytes
    np.testing.assert_array_equal(found, expected)


def test_values_that_decide_about_loops_are_read_under_the_conditions_around_them():
    """There are fewer of them than elements of the tile's index."""
    text = "size I, J, K, L\ninput s[L], a[I,K], b[K,J]\nc[i: I,j] = if i < L then (if s[i] > 0 then sum{k} a[i,k]*b[k,j] else 0) else 0"
    (mode,) = modules_of({"primal": normal(text)})
    sizes = dict.fromkeys("IJL", 1000) | {"K": 40}  # a short sum has no parts

    gpu = GpuModule.of(mode, sizes, tiles={k.name: Shape({"i": 4}) for k in mode.kernels})

    (kernel,) = gpu.kernels
    assert kernel.tile_text == "4"
    inside = at_least_zero(symbol("L") - 1 - symbol("i"))
    places = list(conditions_around("s", kernel.kernel.body, EVERYWHERE))
    assert places and all(inside in where.conditions for where in places)


def conditions_around(tensor, steps, where):
    """Those around each read of a tensor."""
    for step in steps:
        read = {e.tensor for e in postorder(values_of(step)) if isinstance(e, Read)}
        if tensor in read:
            yield where
        then, *others = bodies(step) or ((),)
        condition = step.condition if isinstance(step, Branch) else EVERYWHERE
        inside = where & condition if isinstance(condition, Domain) else where
        yield from conditions_around(tensor, then, inside)
        for other in others:
            yield from conditions_around(tensor, other, where)


@pytest.mark.parametrize("name", PROGRAMS)
def test_tiles_follow_from_sizes(name):
    text, sizes, tiles = PROGRAMS[name]
    (mode,) = modules_of({"primal": normal(text)})

    assert [k.tile_text for k in GpuModule.of(mode, sizes).kernels] == tiles
    few = GpuModule.of(mode, dict.fromkeys(sizes, 2)).kernels
    assert not any(k.tile and k.team > 1 and not k.shares_loops for k in few)


def test_borders_of_long_extents_take_no_longer():
    text = "size N = 1000000000000\ninput x[N], w[3]\ny[i: N] = sum{p: 3} (if 1 <= i + p and i + p <= N then x[i+p-1] else 0)*w[p]"
    (mode,) = modules_of({"primal": normal(text)})

    (kernel,) = GpuModule.of(mode, {}).kernels

    assert kernel.tile_text == "4" and kernel.kernel.body[0].interior
