"""Groups of kernels that run for a few rows at a time compute what the interpreter does, with the same bits for all threads."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

import tadc
from tadc.runtime.cpu import c_compiler, native
from tadc.schedule.cpu.machine import AVX512
from tadc.schedule.lowered import CpuModule, modules_of

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]

# text, shapes, and the tensors of which a thread has a few rows
PROGRAMS = {
    "softmax of rows": (
        "size N, M\ninput x[N,M]\nt[i] = max{j} x[i,j]\ne[i,j] = exp(x[i,j] - t[i])\ny[i,j] = e[i,j]/sum{k} e[i,k]",
        [(131, 40)],
        {"t", "e", "y_sum"},
    ),
    "rows with two indices": (
        "size H, N, R, D\ninput q[H,N,D], k[H,N+R-1,D]\ns[h,i,r: R] = sum{d} q[h,i,d]*k[h,i+r,d]\n"
        "m[h,i] = max{r} s[h,i,r]\ne[h,i,r] = exp(s[h,i,r] - m[h,i])\no[h,i] = sum{r} e[h,i,r]*r",
        [(5, 67, 4), (5, 106, 4)],
        {"s"},
    ),
    "a row that another kernel reads": (
        "size N, M\ninput x[N,M]\nm[i] = mean{j} x[i,j]**2\nh[i,j] = x[i,j]*sqrt(m[i])\nt[i] = max{j} h[i,j]\n"
        "g[i,j] = sin(h[i,j] - t[i])\nu[i] = sum{j} g[i,j]*h[i,j]\nc[j] = sum{i} sin(h[i,j] + u[i])",
        [(140, 33)],
        {"m"},
    ),
    "sums of blocks of rows": (
        "size N, M\ninput x[N,M]\nh[i,j] = tanh(x[i,j])\nu[i] = sum{j} h[i,j]*exp(-h[i,j])\nc[j] = sum{i} h[i,j]*u[i]",
        [(4099, 70)],
        {"h", "u"},
    ),
    "a sum that stands between": (
        "size N, M\ninput x[N,M], c[N]\nt[i] = max{j} x[i,j]\nv = sum{i} c[i]**2\n"
        "e[i,j] = exp(x[i,j]/v - t[i])\nz[i] = sum{k} e[i,k]\ny[i,j] = e[i,j]/z[i]",
        [(131, 40), (131,)],
        {"t", "e", "z"},
    ),
    "values that all elements of a row share": (
        "size N, M, D\ninput x[N,D], y[M,D]\ng[i,e: D] = sum{j} exp(-0.1*sum{d} (x[i,d] - y[j,d])**2)*(y[j,e] - x[i,e])**2",
        [(262, 34), (180, 34)],
        {"g_row"},
    ),
}  # fmt: skip


def groups(text, shapes):
    """The groups for sizes of this order."""
    f = tadc.compile(text, backend="numpy", dtype="float32")
    (module,) = modules_of({"primal": f._program})
    extents = (
        pair
        for t, shape in zip(f.program.inputs, shapes, strict=True)
        for pair in zip(t.shape, shape, strict=True)
    )
    sizes = {n.as_symbol(): size for n, size in extents if n.as_symbol()}
    usual = {s: sizes.get(s, 40) for s in f._program.sizes}
    return CpuModule.of(module, "float32", usual, machine=AVX512).groups.values()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_thread_has_a_few_rows_of_what_no_other_kernel_reads(name):
    text, shapes, own = PROGRAMS[name]

    (group,) = groups(text, shapes)

    assert group.own == own
    assert 1 <= group.rows < shapes[0][-2]


@pytest.mark.parametrize("text", [
    "size N, M\ninput x[N,M]\nt[i] = max{j} x[i,j]\ny[i,j] = exp(x[i,j] - t[N - 1 - i])",  # other rows
    "size N, M\ninput x[N,M]\nt[j] = max{i} x[i,j]\ny[i,j] = exp(x[i,j] - t[j])",  # columns
])  # fmt: skip
def test_kernels_that_read_other_rows_are_in_no_group(text):
    assert not groups(text, [(140, 33)])


def test_a_sum_of_what_a_group_hands_on_runs_behind_it():
    text = (
        "size N, M\noutput y, s\ninput x[N,M]\nt[i] = max{j} x[i,j]\ns = sum{i} t[i]\n"
        "e[i,j] = exp(x[i,j] - t[i])\ny[i,j] = e[i,j]/sum{k} e[i,k]"
    )

    (group,) = groups(text, [(131, 40)])

    assert [k.kernel.writes for k in group.kernels] == [("t",), ("e",), ("y_sum",), ("y",)]


def test_few_rows_are_shared_by_all_threads_in_every_kernel():
    text, _, _ = PROGRAMS["softmax of rows"]

    assert not groups(text, [(12, 5000)])


def test_a_group_has_whole_blocks_whose_rows_are_added_up():
    text, shapes, _ = PROGRAMS["sums of blocks of rows"]

    (group,) = groups(text, shapes)

    assert group.rows % 8 == 0
    assert [k.each for k in group.kernels] == [1, 1, 8]


@pytest.mark.parametrize("columns", [40, 700, 3000, 6000, 12000])
def test_no_kernel_of_a_group_computes_a_row_twice(columns):
    text = (
        "size N, M\ninput x[N,M], g[M]\nm[i] = mean{j} x[i,j]\nv[i] = mean{j} (x[i,j] - m[i])**2\n"
        "h[i,j] = exp((x[i,j] - m[i])/sqrt(v[i] + 1)*g[j])\nu[i] = sum{j} h[i,j]*g[j]\ny[i,j] = h[i,j]/u[i]"
    )

    (group,) = groups(text, [(4096, columns), (columns,)])

    for kernel in group.kernels:
        (row, _), *_ = group.outer
        assert group.rows % prod(len(side.names) for side in kernel.sides if side.index == row) == 0


def test_a_tile_ends_with_the_rows_of_its_group(monkeypatch):
    monkeypatch.setattr(native, "LITTLE", 0)
    text = (
        "size N, M\ninput x[N,M], w[M]\noutput u, c\n"
        "h[i,j] = tanh(x[i,j])\nu[i] = sum{j} h[i,j]*w[j]\nc[j] = sum{i} h[i,j]*u[i]"
    )
    random = np.random.default_rng(0)
    arrays = random.uniform(-1, 1, (4096, 128)), random.uniform(-1, 1, 128)
    h = np.tanh(arrays[0])
    for threads in (1, 2, 3):
        u, c = tadc.compile(text, backend="native", threads=threads)(*arrays)
        np.testing.assert_allclose(u, h @ arrays[1], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(c, h.T @ u, rtol=1e-12, atol=1e-12)


@pytest.mark.plain(name=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_the_same_with_any_number_of_threads(name, monkeypatch):
    monkeypatch.setattr(native, "LITTLE", 0)
    text, shapes, _ = PROGRAMS[name]
    random = np.random.default_rng(0)
    arrays = [random.uniform(-1, 1, shape) for shape in shapes]
    expected = results(tadc.compile(text, backend="numpy")(*arrays))
    first = None
    for threads in (1, 2, 3, 7):
        found = results(tadc.compile(text, backend="native", threads=threads)(*arrays))
        first = first or found
        for each, alone, right in zip(found, first, expected, strict=True):
            np.testing.assert_array_equal(each, alone)
            np.testing.assert_allclose(each, right, rtol=1e-12)


def results(found):
    return found if isinstance(found, tuple) else (found,)


def test_plans_name_groups():
    text, _, _ = PROGRAMS["softmax of rows"]
    f = tadc.compile(text, backend="native")

    plan = str(f.plan(N=131, M=40))

    assert (
        "4 kernels run for 4 values of i at a time, with these rows of e, t, y_sum in a cache"
        in plan
    )
