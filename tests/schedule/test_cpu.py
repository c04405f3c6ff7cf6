"""Schedules of a CPU: tiles, phases, copies and lanes compute what the interpreter does, with the same bits on all processors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from programs import normal

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler, native
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.cpu.kernels import cpu_kernel
from tadc.schedule.cpu.machine import AVX2, AVX512, NEON, SSE
from tadc.schedule.lowered import CpuModule, modules_of
from tadc.schedule.nest.loop_nest import Interior, Loop, Strips, steps_of
from tadc.schedule.nest.lower import kernels
from tadc.schedule.nest.surroundings import usual_size

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]

PROCESSORS = [AVX512, AVX2, SSE, NEON]


@dataclass(frozen=True)
class Formula:
    """A text, shapes of its inputs, and the sizes that these do not tell."""

    text: str
    shapes: list[list[tuple[int, ...]]]
    sizes: dict[str, int] | None = None


FORMULAS = {
    "many channels": Formula(
        "size N, C, O, L, R\ninput x[N,C,L], w[O,C,R]\ny[n,o,p: L-R+1] = sum{c, r} x[n,c,p+r]*w[o,c,r]",
        [[(2, 11, 77), (13, 11, 5)], [(1, 40, 140), (25, 40, 3)], [(3, 1, 9), (1, 1, 9)], [(2, 3, 300), (20, 3, 12)]],
    ),
    "stride and dilation": Formula(
        "size N, C, O, H, W\ninput x[N,C,H,W], w[O,C,3,3]\n"
        "y[n,o,p: (H-3)//2+1, q: W-4] = sum{c, r, s} x[n,c,2*p+r,q+2*s]*w[o,c,r,s]",
        [[(2, 3, 9, 21), (5, 3, 3, 3)], [(1, 9, 5, 70), (14, 9, 3, 3)], [(1, 1, 3, 5), (1, 1, 3, 3)]],
    ),
    "a transposed one": Formula(
        "size N, C, O, H, W\ninput x[N,C,H,W], w[C,O,3,3]\n"
        "y[n,o,i: 2*H+1, j: 2*W+1] = sum{c, p, q | i-2*p >= 0 and i-2*p < 3 and j-2*q >= 0 and j-2*q < 3}"
        " x[n,c,p,q]*w[c,o,i-2*p,j-2*q]",
        [[(2, 9, 5, 70), (9, 3, 3, 3)], [(1, 17, 4, 33), (17, 13, 3, 3)], [(1, 1, 1, 1), (1, 1, 3, 3)]],
    ),
    "a stride of three": Formula(
        "size N, M\ninput x[N], w[M]\ny[i: 3*N] = sum{k | k <= i and (i-k) % 3 = 0 and i-k < 3*N} x[(i-k)//3]*w[k]",
        [[(50,), (7,)], [(41,), (11,)], [(1,), (1,)]],
    ),
    "up-sampling": Formula(
        "size N, H, W\ninput x[N,H,W]\n"
        "y[n,i: 2*H-2, j: 2*W-2] = (0.75*x[n,i//2,j//2] + 0.25*x[n,(i+1)//2,j//2])*0.5 + 0.5*x[n,i//2,(j+1)//2]",
        [[(2, 5, 70)], [(1, 2, 2)], [(1, 7, 33)]],
    ),
    "pooling": Formula(
        "size N, H, W\ninput x[N,H,W]\ny[n,p: (H-3)//2+1,q: (W-3)//2+1] = max{r: 3, s: 3} x[n,2*p+r,2*q+s]",
        [[(3, 9, 137)], [(1, 3, 3)], [(2, 12, 70)]],
    ),
    "a banded product": Formula(
        "size N\ninput a[N,N], x[N]\ny[i] = sum{j = max(0, i-8)..min(N-1, i+8)} a[i,j]*x[j]",
        [[(75, 75), (75,)], [(3, 3), (3,)], [(130, 130), (130,)]],
    ),
    "a Hankel product": Formula(
        "size N\ninput x[2*N-1], v[N]\ny[i: N] = sum{j} x[i+j]*v[j]", [[(399,), (200,)], [(1,), (1,)], [(79,), (40,)]]
    ),
    "a diagonal and a part": Formula(
        "size N, M, K\ninput a[N,K], b[M,K], c[N,N], d[N+K-1]\n"
        "f[i: N, j: M] = exp(-sum{k} ((a[i,k] + b[j,k])**2*c[i,i] + d[i+k]**3))",
        [[(37, 10), (70, 10), (37, 37), (46,)], [(1, 1), (1, 1), (1, 1), (1,)], [(70, 33), (129, 33), (70, 70), (102,)]],
    ),
    "rows of three": Formula(
        "size N, M, D\ninput x[N,D], y[M,D], w[M]\nf[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]",
        [[(70, 3), (41, 3), (41,)], [(33, 9), (66, 9), (66,)], [(1, 1), (1, 1), (1,)]],
    ),
    "pairs": Formula(
        "size N\ninput x[N,3], q[N]\ne = sum{i, j | i < j} q[i]*q[j]/sqrt(sum{d} (x[i,d] - x[j,d])**2 + 0.01)",
        [[(70, 3), (70,)], [(2, 3), (2,)]],
    ),
    "pairs of different points": Formula(
        "size N\ninput x[N,3], q[N]\nf[i] = q[i]*sum{j | j != i} q[j]/sqrt(sum{d} (x[i,d] - x[j,d])**2)",
        [[(70, 3), (70,)], [(2, 3), (2,)], [(133, 3), (133,)]],
    ),
    "distances in many dimensions": Formula(
        "size N, D\ninput x[N,D]\ne = sum{i, j | j != i + 1} exp(-sqrt(sum{d} (x[i,d] - x[j,d])**2 + 0.1))",
        [[(70, 5)], [(40, 11)], [(1, 3)]],
    ),
    "values that rows share": Formula(
        "size N, M, D\ninput x[N,D], y[M,D], w[M]\n"
        "f[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]*(if x[i,0] < y[j,0] then 2 else 1)",
        [[(70, 16), (131, 16), (131,)], [(99, 40), (64, 40), (64,)], [(64, 9), (7, 9), (7,)]],
    ),
    "a point outside": Formula(
        "size N\ninput x[N], y[N-1]\nf[i: N, j: N] = (if i = j then 0 else x[i]*x[j]) + (if i = N - 1 then 0 else y[i])",
        [[(70,), (69,)], [(2,), (1,)]],
    ),
    "attention in a window": Formula(
        "size H, N, R, D\ninput q[H,N,D], k[H,N+R-1,D], v[H,N+R-1,D]\n"
        "s[h,i,r: R] = sum{d} q[h,i,d]*k[h,i+r,d]\nm[h,i] = max{r} s[h,i,r]\ne[h,i,r] = exp(s[h,i,r] - m[h,i])\n"
        "o[h,i,d] = sum{r} e[h,i,r]*v[h,i+r,d]/sum{r} e[h,i,r]",
        [[(2, 65, 34), (2, 104, 34), (2, 104, 34)], [(1, 1, 1), (1, 40, 1), (1, 40, 1)]],
        {"R": 40},
    ),
    "three matrices": Formula(
        "size I, J, K, L\ninput B[I,K,L], C[K,J], D[L,J]\nA[i,j] = sum{k, l} B[i,k,l]*C[k,j]*D[l,j]",
        [[(21, 34, 33), (34, 70), (33, 70)], [(1, 1, 1), (1, 1), (1, 1)]],
    ),
    "columns": Formula(
        "size N, M\ninput x[N,M], g[M]\nr[i] = mean{j} x[i,j]**2\ny[i,j] = x[i,j]/sqrt(r[i] + 1e-5)*g[j]",
        [[(20, 1030), (1030,)], [(3, 2100), (2100,)], [(1, 2), (2,)]],
    ),
    "rows that are handed on": Formula(
        "size N, M\ninput x[N,M], g[M]\nm[i] = mean{j} x[i,j]\nh[i,j] = (x[i,j] - m[i])*g[j]\nt[i] = max{j} h[i,j]\n"
        "e[i,j] = exp(h[i,j] - t[i])\ny[i,j] = e[i,j]/sum{k} e[i,k]",
        [[(131, 70), (70,)], [(200, 3), (3,)], [(67, 1100), (1100,)]],
    ),
    "a choice by values": Formula(
        "size N, M\ninput x[N,M]\nm[i] = max{j} x[i,j]\ny[i,j] = exp(x[i,j] - m[i])*m[i]", [[(9, 70)], [(40, 33)]]
    ),
    "filters of a place": Formula(
        "size B, C, O, Y, X\ninput x[B,C,Y,X], w[O,C,3,5,Y-2,X-4]\n"
        "y[b,o,i,j] = sum{c, p, q} x[b,c,i+p,j+q]*w[o,c,p,q,i,j]",
        [[(3, 2, 4, 32), (4, 2, 3, 5, 2, 28)], [(4, 2, 3, 23), (3, 2, 3, 5, 1, 19)], [(2, 3, 3, 12), (2, 3, 3, 5, 1, 8)]],
    ),
    "every third, fourth and second": Formula(
        "size N, M\ninput x[N,M]\ny[n,i: (M-5)//4+1] = x[n,4*i] + max{r: 3} x[n,3*i+r] * x[n,2*i+1]",
        [[(2, 90)], [(1, 5)], [(3, 261)]],
    ),
    "points in a row": Formula(
        "size K\ninput p[K,3], v[K,4]\n"
        "f[k: K-1] = sum{d} p[k,d]*p[k+1,d] + (if v[k,1] > 0 then v[k,3] else v[k+1,2])",
        [[(40, 3), (40, 4)], [(9, 3), (9, 4)], [(150, 3), (150, 4)]],
    ),
    "quotients of a sum": Formula(
        "size N, K\ninput x[N,(K+6)//7], v[K], w[7]\ny[i] = sum{k} x[i,k//7]*w[k%7]*v[k] + sum{k: K} x[i,k//7]**2",
        [[(9, 12), (79,), (7,)], [(33, 3), (15,), (7,)], [(1, 1), (1,), (7,)]],
    ),
    "scores of rotated rows": Formula(
        "size N, D\ninput q[N,2,D], k[N,2,D]\ny[i,j] = sum{d} (q[i,0,d]*k[j,1,d] + q[i,1,d]*k[j,0,d])",
        [[(75, 2, 33), (75, 2, 33)], [(3, 2, 1), (3, 2, 1)]],
    ),
    "a mirrored border": Formula(
        "size N\ninput x[N,40,38], w[5,5]\ny[n,i: 40,j: 38] = sum{r, s} x[n,reflect(i+r-2),wrap(j+s-2)]*w[r,s]",
        [[(3, 40, 38), (5, 5)]],
    ),
    "maxima of the first in rows": Formula(
        "size N, M\ninput x[N,M]\ny[i,j: M] = max{k=0..j} max(0, x[i,k])", [[(70, 65)], [(3, 200)], [(1, 1)]]
    ),
    "a stride with short sums": Formula(
        "size N, C, O, L\ninput x[N,C,2*L+1], w[O,C,2]\ny[n,o,p: L] = sum{c, r} x[n,c,2*p+r]*w[o,c,r]",
        [[(2, 5, 141), (37, 5, 2)], [(1, 1, 3), (1, 1, 2)]],
    ),
    "cosines": Formula(
        "size N, D\ninput a[N,D], b[N,D]\np[i] = sqrt(sum{d} a[i,d]**2)\nq[i] = sqrt(sum{d} b[i,d]**2)\n"
        "s[i,j] = 4*sum{d} a[i,d]*b[j,d]/(p[i]*q[j])\nl = mean{i} (logsumexp{j} s[i,j] - s[i,i])",
        [[(70, 33), (70, 33)]],
    ),
    "windows with a border": Formula(
        "size K, N\ninput a[K,N,N], b[K,N,N]\nv[u: 3, w: 9, i: N, j: N] = mean{k} a[k,i,j]*b[k,pad(i+u-1),pad(j+w-4)]",
        [[(5, 38, 38), (5, 38, 38)], [(1, 2, 2), (1, 2, 2)]],
    ),
}  # fmt: skip


def results(text, arrays, cotangent, dtype, backend, sizes, threads):
    """The value and the gradients. BLAS, whose order is its own, is left aside."""
    native_only = {"threads": threads, "blas": False} if threads else {}
    f = tadc.compile(text, dtype=dtype, backend=backend, sizes=sizes, **native_only)
    given = [a.astype(dtype) for a in arrays]
    value, pullback = f.vjp(*given)
    return [value, *pullback(np.asarray(cotangent(value), dtype)).values()]


@pytest.mark.parametrize(("size", "lanes"), [(12, 8), (20, 16), (32, 16), (63, None), (64, None)])
def test_rows_have_strips_that_the_shortest_of_them_fills(size, lanes):
    program = normal("size N, M; input x[N,M], w[5]; y[i,j: M-4] = sum{r} x[i,j+r]*w[r]")
    (kernel,) = kernels(program, "value")
    scheduled = cpu_kernel(kernel, program, {"N": 48, "M": usual_size(size)})

    assert {s.lanes for s in steps_of(scheduled.body) if isinstance(s, Strips)} == {lanes}


@pytest.mark.plain(number=1, name=1, dtype=1)
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_processor_and_number_of_threads_has_the_same_bits(monkeypatch, name, number, dtype):
    formula = FORMULAS[name]
    if number >= (len(formula.shapes) if dtype == "float32" else 1):
        return
    random = np.random.default_rng(number)
    arrays = [random.uniform(-1, 1, shape) for shape in formula.shapes[number]]

    def cotangent(value):
        return np.cos(np.arange(value.size)).reshape(value.shape)

    expected = results(formula.text, arrays, cotangent, "float64", "numpy", formula.sizes, None)
    first = None
    for processor in PROCESSORS if number == 0 else (AVX512, SSE):
        monkeypatch.setattr(native, "processor", lambda processor=processor: processor)
        for threads in (1, 2, 3, 7) if processor is AVX512 else (2,):
            found = results(
                formula.text, arrays, cotangent, dtype, "native", formula.sizes, threads
            )
            first = first or found
            for a, b, c in zip(found, first, expected, strict=True):
                np.testing.assert_array_equal(a, b)
                scale = max(1e-9, np.abs(c).max())
                assert np.abs(a - c).max() <= (1e-12 if dtype == "float64" else 3e-5) * scale


def test_no_points_are_written_out_where_another_extent_is_huge():
    f = tadc.compile(
        "size N, M\ninput x[N, M], w[M]\ny[i] = sum{j} x[i,j]*w[j]", sizes={"N": 0, "M": 2**32}
    )

    assert "dx" in f.adjoint().source("c")  # a list of all columns takes more than any memory


def test_a_phase_of_a_gradient_in_which_nothing_is_left_to_test_compiles():
    f = tadc.compile("input x[538]\ny[j: 2, i: 180] = x[3*i]", backend="native")

    _, pullback = f.vjp(np.ones(538))

    expected = np.where(np.arange(538) % 3 == 0, 2.0, 0.0)
    np.testing.assert_array_equal(pullback(np.ones((2, 180)))["x"], expected)


@pytest.mark.parametrize("extent", ["M", "112"])
def test_loops_of_phases_have_a_constant_length_whether_extents_are_numbers_or_not(extent):
    f = tadc.compile(
        f"size M, N\ninput x[N,{extent}]\ny[n,j: ({extent}-3)//2] = max{{v: 3}} x[n,2*j+v]"
    )
    (module,) = modules_of({"adjoint": f.adjoint().program})
    lowered = CpuModule.of(
        module, "float32", {s: {"N": 64}.get(s, 112) for s in module.program.sizes}
    )
    (kernel,) = (k for k in lowered.kernels if k.kernel.writes == ("dx",))

    inner = [s for s in steps_of(kernel.body) if isinstance(s, Interior)]
    loops = [s for i in inner for s in steps_of(i.interior) if isinstance(s, Loop)]

    assert inner and {s.range.trips for s in loops} <= {1, 2}


@pytest.mark.compiler
@pytest.mark.parametrize("first, taps", [(0, 2), (1, 2), (2, 2), (3, 1), (1, 3)])
def test_phases_with_and_without_loops_keep_to_their_own_sums(first, taps):
    """Of four phases some have terms: these are the first ones, the last ones, or those in the middle."""
    last = first + taps
    f, g = (
        tadc.compile(
            f"size C, O, W\ninput x[C,W], w[C,O,{taps}]\n"
            f"y[o,j: 4*W+{last}] = sum{{c, q | j-4*q >= {first} and j-4*q < {last}}} x[c,q]*w[c,o,j-4*q-{first}]",
            backend=backend,
        )
        for backend in ("native", "numpy")
    )
    random = np.random.default_rng(0)
    x, w = random.standard_normal((3, 40)), random.standard_normal((3, 5, taps))

    y, pullback = f.vjp(x, w)

    expected, expected_pullback = g.vjp(x, w)
    np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-14)
    right = expected_pullback(expected)
    for name, gradient in pullback(y).items():
        np.testing.assert_allclose(gradient, right[name], rtol=1e-12, atol=1e-13)


@pytest.mark.compiler
def test_a_quotient_and_an_index_of_another_sum_may_have_one_name():
    """Both are `q` in the gradient by `x`; each phase has quotients of its own, and the index stays."""
    text = "size N\ninput x[N], m[N, N]\ny[i: N, j: N] = m[j,N-1-j]*x[(i+j)//2]*x[(i*2+j)%3]"
    random = np.random.default_rng(0)
    x, m, dy = random.uniform(-1, 1, 13), *random.uniform(-1, 1, (2, 13, 13))

    found, wanted = (
        tadc.compile(text, backend=backend).vjp(x, m)[1](dy)
        for backend in ("native", "interpreter")
    )
    for name, gradient in wanted.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-12, atol=1e-14)


def test_lanes_of_a_sum_may_all_add_a_value_that_is_computed_once_for_them():
    """The sum inside does not depend on `k`, whose strips have lanes."""
    text = "size o >= 0; input A[40]\nh[i: 3] = sum{j: 3, k=0..j*9-i} exp(-sum{m=i..2*i+o} A[m])"
    a = np.random.default_rng(0).normal(size=40)

    found = tadc.compile(text, backend="native")(a, o=2)

    np.testing.assert_allclose(found, tadc.compile(text, backend="interpreter")(a, o=2), rtol=1e-13)


@pytest.mark.compiler
def test_lanes_of_a_sum_may_add_before_and_after_a_sum_inside():
    """Terms of a sum are added one by one, and only the second needs what stands in the loop over `k`."""
    text = "input w[K,C], v[J,C], x[J,K], u[J,C]\ny[j] = sum{c} (u[j,c]*v[j,c] + v[j,c]*tanh(sum{k} w[k,c]*x[j,k]))"
    random = np.random.default_rng(0)
    for j, k, c in ((40, 40, 40), (3, 2, 17), (33, 7, 71)):
        w, v, x, u = map(random.standard_normal, ((k, c), (j, c), (j, k), (j, c)))

        found = tadc.compile(text, backend="native")(w, v, x, u)

        np.testing.assert_allclose(
            found, (u * v + v * np.tanh(x @ w)).sum(1), rtol=1e-12, atol=1e-12
        )


@pytest.mark.compiler
@pytest.mark.parametrize(
    "text",
    [
        "y[i,j] = exp(x[i,j]) + (if j = t[i] then -s else 0)",
        "y[i,j] = exp(x[i,j]) + (if x[i,j] > 0.5 then w[i] else v[i])",
    ],
)
def test_lanes_that_choose_read_what_is_the_same_for_all_before(monkeypatch, text):
    """Compilers make no vectors of a choice with a read of one element in a branch."""
    monkeypatch.setattr(native, "processor", lambda: AVX512)
    rng = np.random.default_rng(0)
    given = {"x": rng.random((5, 70)), "t": rng.integers(0, 70, 5), "s": 2.0}
    given |= {"w": rng.random(5), "v": rng.random(5)}
    f, expected = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    arrays = {n: given[n] for n in f.inputs}
    np.testing.assert_allclose(f(**arrays), expected(**arrays), rtol=1e-14)

    of_lanes, *_ = (line for line in f.source("c").splitlines() if "expf(" in line and "?" in line)
    assert not any(element in of_lanes for element in ("s[0]", "w[i]", "v[i]"))


def test_sizes_that_are_numbers_give_the_schedules_and_bits_of_a_call_with_them():
    text = "size N, M, D\ninput x[N,D], y[M,D], w[M]\nf[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]"
    sizes = {"N": 100, "M": 120, "D": 16}
    random = np.random.default_rng(0)
    arrays = [random.normal(size=s).astype("float32") for s in [(100, 16), (120, 16), (120,)]]
    f = tadc.compile(text, backend="native")
    fixed = f.fix(**sizes)

    plans = f.plan(**sizes).kernels, fixed.plan().kernels

    assert [k.schedule for k in plans[0]] == [k.schedule for k in plans[1]]
    assert len(plans[0]) == 2  # a copy, and the sums
    np.testing.assert_array_equal(f(*arrays), fixed(*arrays))


@pytest.mark.parametrize(
    "line", ["y[i: N] = a + exp(b)", "y[i: N] = b", "y[i: N, j: 4] = tanh(x[j,i])*b"]
)
def test_elements_without_sums_have_lanes(line):
    f = tadc.compile(f"size N\ninput x[4,N], a, b\n{line}", backend="native")

    (kernel,) = f.plan(N=10_000).kernels

    assert "lanes are neighbours in i" in kernel.schedule


@pytest.mark.compiler
def test_a_copy_stands_behind_what_it_copies():
    """`exp(w[i])` is in one kernel with the gradient by `w`, and stands before the logarithms that this reads transposed."""
    value = "if w[j] > 0 then exp(w[i]) else w[j]*(x[j,e] - x[i,e])"
    logarithm = "log(1 + sum{d: 3} (x[i,d] - x[j,d])**2*s[d])"
    text = f"size N; input x[N,3], w[N], s[3]\nf[i: N, e: 3] = sum{{j: N}} {logarithm}*{value}"
    random = np.random.default_rng(0)
    arrays = random.normal(size=(40, 3)), random.normal(size=40), random.uniform(0.1, 1, 3)
    cotangent = random.normal(size=(40, 3))

    _, found = tadc.compile(text, backend="native").value_and_gradients(
        *arrays, cotangent=cotangent
    )

    _, expected = tadc.compile(text, backend="numpy").value_and_gradients(
        *arrays, cotangent=cotangent
    )
    for name, gradient in expected.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-10)


def test_a_border_that_few_points_are_at_keeps_no_tile_away():
    text = "size C, H, W\ninput a[C,H,W], b[C,H,W]\nv[w: 16, i: H, j: W] = sum{c} a[c,i,j]*b[c,i,pad(j+w-8)]"
    program = normal(text)
    (kernel,) = kernels(program, "value")
    scheduled = cpu_kernel(kernel, program, {"C": 12, "H": 48, "W": 384})

    assert [side.index for side in scheduled.sides] == ["w"]


def test_lanes_are_neighbours_in_memory_where_sums_are_short():
    text = "size N, C, O, L\ninput x[N,C,2*L+1], w[O,C,2]\ny[n,o,p: L] = sum{c, r} x[n,c,2*p+r]*w[o,c,r]"
    f = tadc.compile(text, backend="native")
    values = f.program.size_values({"N": 12, "C": 7, "O": 98, "L": 663})
    module = NativeRunner(f.program, "float32", Options.of(backend="native")).lowered(values)

    assert [k.strip and k.strip[0] for k in module.kernels] == ["p"]


@pytest.mark.compiler
def test_quotients_in_a_loop_that_is_written_out_have_a_name_in_each_of_its_values():
    text = "y = sum{i: 31} (max{r: 2} (x[i % 7, (i + r) // 2]))"
    x = np.random.default_rng(0).normal(size=(7, 16))

    found = tadc.compile(text, backend="native")(x)

    i = np.arange(31)
    np.testing.assert_allclose(found, np.maximum(x[i % 7, i // 2], x[i % 7, (i + 1) // 2]).sum())
