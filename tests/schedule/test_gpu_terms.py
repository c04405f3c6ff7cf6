"""Sums of long sums on a GPU: their terms are stored, rows of a few elements are locals, and every thread has its share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from host_run import HostBatch

import tadc
from tadc import compiler
from tadc.emit.cuda.file import cuda_text
from tadc.ir.affine import symbol
from tadc.options import Options
from tadc.printing.idx import statement_text
from tadc.runtime.interpreter import interpret
from tadc.runtime.run import Runners
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.loop_nest import Store, TeamLoop, steps_of
from tadc.schedule.rewrite.program import QUOTIENTS

pytestmark = pytest.mark.xdist_group("test_gpu_terms.py")  # tests share what is scheduled

# Of the busiest thread: a triangle in tiles of blocks is computed sooner than with a thread for each element, which has less than 4.
SHARES = dict.fromkeys(("a triangle of sums", "products of rows along diagonals", "values that few rows share", "powers of a distance", "a filter"), 5)  # fmt: skip
EXAMPLES = Path(__file__).parents[2] / "examples"
# Text, sizes for which schedules are chosen, and those of a run.
SUMS = {
    "rbf": ("size N, M, D\ninput x[N, D], c[M, D], w[M], gamma[]\nf[i] = sum{j} w[j]*exp(-gamma*sum{d} (x[i, d] - c[j, d])**2)",
            {"N": 10**5, "M": 10**5, "D": 3}, {"N": 20, "M": 33, "D": 3}),
    "rows of forty elements": ("size N, M\ninput x[N, 40], c[M, 40], w[M], gamma[]\nf[i] = sum{j} w[j]*exp(-gamma*sum{d} (x[i, d] - c[j, d])**2)",
                             {"N": 10**5, "M": 10**5}, {"N": 5, "M": 9}),
    "paper": ("size N, M, K\ninput a[N, K], b[M, K], c[N, N], d[N + K - 1]\nf[i, j] = exp(-sum{k} ((a[i, k] + b[j, k])**2*c[i, i]/K + d[i + k]**3/K))",
              {"N": 1024, "M": 1024, "K": 512}, {"N": 9, "M": 11, "K": 40}),
    "rows and columns": ("size N\ninput a[N, N]\ny = sum{i, j} (a[i, j] - a[j, i])**2*exp(a[j, i])", {"N": 8192}, {"N": 70}),
    "rows and columns of matrices": ("size N, M\ninput t[N, M, M], e[N]\ny = sum{n, i, j} t[n, i, j]*(2*t[n, i, j] - t[n, j, i])/(e[n] + 9)", {"N": 500, "M": 200}, {"N": 3, "M": 70}),
    "mttkrp": ("size I, J, K, R\ninput x[I, J, K], b[J, R], c[K, R]\na[i, r] = sum{j, k} x[i, j, k]*b[j, r]*c[k, r]",
               {"I": 256, "J": 256, "K": 256, "R": 32}, {"I": 6, "J": 7, "K": 40, "R": 32}),
    "sums in choices": ("size N\ninput x[N], y[N]\nf[i: 4] = if i = 1 then sum{j} x[j]*y[j] else if i >= 2 then sum{j: N | j >= i} x[j - i]**2 else 0",
                        {"N": 10**7}, {"N": 41}),
    "a sum that is needed in several places": ("size N\ninput x[N]\nf[i: 3] = (if i = 1 then sum{j} x[j]**2 else 2) + (if i = 2 then sum{j} x[j]**2 else 3*(sum{j} exp(x[j])))",
                        {"N": 10**7}, {"N": 41}),
    "sums of sums in choices": ("size N\ninput x[N]\nf[i: 3] = if i = 1 then 2*(sum{w: 3} w*(sum{j, k} abs(x[j] - w*x[k]))) else 0",
                        {"N": 5000}, {"N": 21}),
    "a scalar of sums that begin late": ("size N, M\ninput x[N], y[M + 2]\nf = sum{i} exp(-sum{j=2..M + 1} abs(x[i] - y[j]))",
                                         {"N": 5000, "M": 5000}, {"N": 40, "M": 33}),
    "a maximum of sums": ("size N, M\ninput x[N], y[M]\nf = max{i} sum{j} abs(x[i] - y[j])",
                          {"N": 5000, "M": 5000}, {"N": 40, "M": 33}),
    "values that all results share": ("size N, M, K\ninput x[N, M], y[N, K]\nf[i: M] = sum{j: N} (x[j, i] - log(1 + y[j, 0]**2))",
                                      {"N": 10**5, "M": 100, "K": 100}, {"N": 70, "M": 6, "K": 2}),
    "values that few rows share": ("size N, M\ninput x[N, M], y[3, M]\nf[i: N, k: 3] = sum{j} x[i, j]*exp(y[k, j])",
                                   {"N": 10**4, "M": 1000}, {"N": 6, "M": 41}),
    "sums that only the first results have": ("size N, M\ninput x[N, M]\nf[i: N] = sum{j: M | i <= j} exp(x[i, j])",
                                              {"N": 30000, "M": 372}, {"N": 40, "M": 37}),
    "a long sum in a sum of a quotient": ("size J\ninput x[J, 20], w[100]\nf = sum{i: 100} w[i]*exp(sum{j} x[j, i // 5]/J)",
                                          {"J": 10**5}, {"J": 40}),
    "few rows whose sums end with them": ("size J, K, L\ninput x[10, K], y[10, 3*K - 2, L], z[4, K]\nf[l: L, j: J, k: K] = sum{i: 4} tanh(x[j % 10, k])*y[i % 10, 3*k, l]*z[i, k]",
                                          {"J": 2, "K": 3, "L": 500_000}, {"J": 2, "K": 3, "L": 37}),
    "short loops around each other": ("size L\ninput x[2, L]\nf[l: L] = sum{m: 36, k: 12, i: 35} abs(x[i % 2, l])",
                                      {"L": 86}, {"L": 5}),
    "columns of rows that lie apart": ("size J\ninput x[J, 12], y[12]\nf[k: 12] = sum{j} y[k]*sqrt(x[j, k]**2 + 1)",
                                       {"J": 10**6}, {"J": 70}),
    "elements without a term": ("size K\ninput x[10], y[K]\nf[j: 16, k: K] = sum{i: 2} (if j <= 15 then x[i % 10] else 0)*y[k]",
                                {"K": 10**5}, {"K": 41}),
    "a maximum whose quotients are apart": ("size I, J\ninput x[10, I], w[I]\nf = max{i: I, j: J} (if i + j < 1406 then x[j % 10, i]*w[i] else 0)",
                                            {"I": 1406, "J": 3807}, {"I": 33, "J": 47}),
    "exponentials of quotients": ("size N, M\ninput x[M, N], w[16*N]\ny[i] = sum{k: 16*N} exp(x[i, k//16])*w[k]",
                                  {"N": 1000, "M": 1000}, {"N": 5, "M": 5}),
    "a filter": ("size N, M\ninput u[N + 2, M + 2], w[3, 3]\nv[i: N, j: M] = sum{a: 3, b: 3} w[a, b]*u[i + a, j + b]",
                 {"N": 3000, "M": 3000}, {"N": 40, "M": 37}),
    "powers of a distance": ("size N, M\ninput a[], x[N, M]\nf[i: N, m] = sum{k | k <= i} a**(i - k)*x[k, m]",
                             {"N": 2048, "M": 512}, {"N": 40, "M": 33}),
    "differences of few rows": ("size N, D\ninput d[N, N], x[N, D]\nf[j, k] = sum{i} d[i, j]*(x[i, k] - x[j, k])",
                                {"N": 400, "D": 32}, {"N": 70, "D": 32}),
    "products of rows along diagonals": ("size N, M, B\ninput t[N+M-1], x[B,M]\ny[b,i: N] = sum{j} t[i-j+M-1]*x[b,j]",
      {"N": 2048, "M": 2048, "B": 64}, {"N": 40, "M": 37, "B": 64}),
    "filters of groups": ("size N, G, C, H\ninput x[N,G,C,H+2,H+2], w[G,C,C,3,3]\ny[n,g,o,i: H,j: H] = sum{c, r: 3, s: 3} x[n,g,c,i+r,j+s]*w[g,o,c,r,s]",
      {"N": 100, "G": 8, "C": 66, "H": 66}, {"N": 2, "G": 3, "C": 5, "H": 9}),
    "a triangle of sums": ("size N, M\ninput x[N], y[M]\nf = sum{i} x[i]*sum{j | j <= i and j < M} y[j]*x[i - j]",
                           {"N": 5000, "M": 4000}, {"N": 40, "M": 33}),
    "a bilinear form": ("size B, I, J, O\ninput x[B, I], w[O, I, J], y[B, J]\nz[b, o] = sum{i, j} x[b, i]*w[o, i, j]*y[b, j]",
                        {"B": 1024, "I": 128, "J": 128, "O": 128}, {"B": 5, "I": 33, "J": 18, "O": 7}),
    "pairs in eight dimensions": ("size N, M\ninput x[N, 8], z[M, 8], w[8], v[M]\nf[i] = sum{j} v[j]*exp(-sum{d} ((x[i, d] - z[j, d])*w[d])**2)",
                                  {"N": 20000, "M": 20000}, {"N": 41, "M": 37}),
    "sums beside rows of three": ("size N, M\ninput x[N, 3], c[M, 3], w[M]\nf[i] = sum{j} w[j]*tanh(sum{d} abs(x[i, d] - c[j, d]))",
                                  {"N": 50000, "M": 50000}, {"N": 71, "M": 37}),
    "factors of a product": ("size N, I, K\ninput a[N, I], n[N], x[N, K]\nf[i, k] = sum{j: N} (a[j, i]/n[j] - n[j])*x[j, k]",
                             {"N": 2000, "I": 1000, "K": 1000}, {"N": 41, "I": 7, "K": 5}),
    "a product by a band": ("size N, M\ninput a[N, 17], x[N, M]\ny[i, m] = sum{r: 17} a[i, r]*x[pad(i + r - 8), m]",
                            {"N": 10**5, "M": 64}, {"N": 70, "M": 64}),
    "a causal filter of many taps": ("size C, N\ninput x[C, N], w[31]\ny[c, i: N] = sum{k: 31} x[c, pad(i - k)]*w[k]",
                                     {"C": 5000, "N": 4096}, {"C": 3, "N": 70}),
    "sums of products for each quotient": ("size I, K\ninput a[16], b[K, 46], c[I, (K + 2)//3]\nf[j: 16, i: I] = sum{k: K} a[j]*b[pad(k - 1), 3*j]*c[i, k//3]",
                                           {"I": 91, "K": 3529}, {"I": 5, "K": 40}),
    "a part for each value of an index": ("size J\ninput a[6], b[31, J, 16]\nf[m: 31, j: J, k: 16] = b[m, j, k]*a[k//3]",
                                          {"J": 2482}, {"J": 37}),
    "a few terms in a triangle": ("size I\ninput a[91], b[], c[I, 31]\nf[j: 31, i: I] = c[I - 1 - i, j] + (if j + i < 31 then a[3*j]*b else 0)",
                                  {"I": 10**6}, {"I": 41}),
    "neighbours of a size and few others": ("size I, K\ninput a[K, 60]\nf[j: I] = sum{k: K, l: 60} a[k, l]*a[K - 1 - k, l]",
                                            {"I": 1000, "K": 76}, {"I": 5, "K": 9}),
    "a block for some of few long sums": ("size L\ninput a[6], b[6, L]\nf[l: L] = min{i: 6, j: 3} (j + 2)*a[i]*exp(b[i, l])",
                                          {"L": 2793}, {"L": 70}),
    "long sums for each remainder": ("size I\ninput x[8, I], w[3]\nf[j: 8] = sum{i} x[j, i]*w[j % 3]",
                                     {"I": 10**6}, {"I": 37}),
    "long sums with what each remainder has": ("size I\ninput x[8, I], y[3]\nf[j: 3] = sum{q: 3 | 3*q <= 7 - j} exp(sum{i} abs(x[j + 3*q, i] - y[j])/I)",
                                               {"I": 10**6}, {"I": 37}),
}  # fmt: skip


def programs(name):
    text, number = SUMS[name][0], list(SUMS).index(name)
    adjoint = tadc.compile(text, name=f"p{number}_of").adjoint()
    return {"primal": tadc.compile(text, name=f"p{number}").program, "adjoint": adjoint.program}


@cache
def scheduled(name):
    large = SUMS[name][1]
    modules = []
    for mode, program in programs(name).items():
        values = program.size_values(large)
        decided = compiler.gpu_decisions(program, values, "float64", Options(blas=False))
        modules += modules_of({mode: program}, {mode: decided})
    return [GpuModule.of(m, m.program.size_values(large), "float64") for m in modules]


@cache
def library(name):
    # A text each: a size that is a number in one of them may be none in another.
    texts = [cuda_text([m], "", "float64") for m in scheduled(name)]
    return HostBatch([(t.text, t.manifest) for t in texts])


def arrays_of(program, sizes):
    random = np.random.default_rng(3)
    shapes = {t.name: tuple(n.at(sizes) for n in t.shape) for t in program.inputs}
    return {name: random.uniform(0.1, 0.5, shape) for name, shape in shapes.items()}


def test_sums_over_quotients_are_nested_where_the_model_says_that_this_is_faster():
    """What neighbours read is far apart in the one, and is computed sixteen times as often if nothing is nested in the other."""
    chosen = []
    for name in ("a maximum whose quotients are apart", "exponentials of quotients"):
        program, sizes = programs(name)["primal"], SUMS[name][1]
        chosen.append(
            compiler.gpu_decisions(program, sizes, "float32", Options(blas=False)).choices
        )

    assert chosen == [Choices(((QUOTIENTS, 1),)), BY_MODEL]


def test_sums_of_sums_of_products_have_parts_of_single_terms():
    """The inner sums have what blocks stage: no neighbours of the outer index are kept together for it."""
    primal, _ = scheduled("a bilinear form")

    parts, _ = primal.kernels

    assert "_parts" in parts.kernel.writes[0] and parts.tile and parts.team > 1
    assert "[i_1: 16, b: B, o: O] = sum{i_2=0.." in statement_text(*parts.kernel.statements)


def test_elements_for_few_values_of_an_index_have_parts_for_threads_that_have_all_of_them():
    """With a thread an element there would be threads enough, and each of eight would read the same."""
    _, adjoint = scheduled("pairs in eight dimensions")

    (parts,) = (k for k in adjoint.kernels if k.kernel.writes[0] == "dw_terms_parts")

    assert parts.tile and {n.constant for n in parts.kernel.extents if n.is_constant} == {8}


def test_sums_beside_rows_of_a_few_values_have_as_many_parts_and_come_from_one_pass():
    _, adjoint = scheduled("sums beside rows of three")

    together = [k.kernel.writes for k in adjoint.kernels if len(k.kernel.writes) > 1]
    assert [[t.partition("_")[0] for t in targets] for targets in together] == [["dc", "dw"]]


def test_factors_that_tiles_would_compute_again_and_again_are_stored():
    primal, _ = scheduled("factors of a product")

    assert [k.kernel.writes for k in primal.kernels] == [("f_factor",), ("f",)]


def test_a_factor_is_not_stored_where_few_elements_need_it():
    text = SUMS["factors of a product"][0]
    f = tadc.compile(text)

    (module,) = modules_of({"primal": f.program})
    gpu = GpuModule.of(module, {"N": 10**6, "I": 1000, "K": 8}, "float64")

    assert not any("_factor" in k.kernel.writes[0] for k in gpu.kernels)


@pytest.mark.compiler
@pytest.mark.plain(name=1, order=1)
@pytest.mark.parametrize("order", ["forward", "backward"])
@pytest.mark.parametrize("name", SUMS)
def test_values_and_gradients_are_those_of_the_interpreter(name, order):
    sizes = SUMS[name][2]
    for number, (mode, program) in enumerate(programs(name).items()):
        arrays = arrays_of(program, program.size_values(sizes))
        expected = Runners(program).run("interpreter", "float64", arrays, sizes)

        found = library(name).run(number, mode, arrays, sizes, order)

        for (output, value), other in zip(expected.items(), found.values(), strict=True):
            np.testing.assert_allclose(other, value, rtol=1e-10, atol=1e-13, err_msg=output)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("name", SUMS)
def test_they_are_so_on_a_device_of_opencl(name):
    opencl_run = pytest.importorskip("opencl_run")
    sizes = SUMS[name][2]
    for gpu, program in zip(scheduled(name), programs(name).values(), strict=True):
        arrays = arrays_of(program, program.size_values(sizes))
        expected = Runners(program).run("interpreter", "float64", arrays, sizes)

        found = opencl_run.run_on_opencl(gpu, arrays, sizes)

        for (output, value), other in zip(expected.items(), found.values(), strict=True):
            np.testing.assert_allclose(other, value, rtol=1e-10, atol=1e-13, err_msg=output)


@pytest.mark.parametrize("name", SUMS)
def test_no_thread_has_more_than_its_share(name):
    for gpu in scheduled(name):
        for kernel, model in zip(
            gpu.module.kernels, gpu.models(SUMS[name][1], "float32"), strict=True
        ):
            # Rows of 40 results have no tile; sums that several kinds of elements need, or none of those before, have no parts.
            few = "forty" in name or "places" in name or "choices" in name
            most = SHARES.get(name, 4) * model.mean_thread
            assert not model.is_uneven or few or model.longest_thread <= most, kernel.name


def test_terms_are_stored_where_a_scalar_sums_long_sums():
    _, adjoint = scheduled("rbf")

    assert [t.name for t in adjoint.module.temporaries] == ["dgamma_terms", "dgamma_parts"]
    # What dc, dw and the terms need of the exponential is computed once, in one kernel.
    (together,) = (k for k in adjoint.module.kernels if "dgamma_terms" in k.writes)
    assert set(together.writes) == {"dc", "dw", "dgamma_terms"}


def test_values_that_all_results_or_few_rows_share_are_stored():
    for name in ("values that all results share", "values that few rows share"):
        primal, _ = scheduled(name)

        assert "f_values" in {t.name for t in primal.module.temporaries}, name


def test_terms_and_values_in_a_triangle_are_stored_too():
    """Powers that all columns share, and what the gradient by their base needs: sums of products of rows."""
    primal, adjoint = scheduled("powers of a distance")

    assert [t.name for t in primal.module.temporaries] == ["f_values"]
    assert "da_terms" in {t.name for t in adjoint.module.temporaries}


def test_sums_that_could_have_tiles_have_single_elements_where_more_threads_are_faster():
    primal, _ = scheduled("differences of few rows")

    (parts,) = primal.module.temporaries
    number, rows, columns = (n.at(SUMS["differences of few rows"][1]) for n in parts.shape)
    assert parts.name == "f_parts" and (rows, columns) == (400, 32) and number > 4


def test_a_warp_shares_loops_that_run_at_the_first_elements_alone():
    primal, _ = scheduled("sums that only the first results have")

    assert primal.kernels[-1].team == HOPPER.warp


def test_a_long_sum_of_a_quotient_is_computed_once_for_each_value_of_it():
    primal, _ = scheduled("a long sum in a sum of a quotient")

    assert {t.shape[-1].constant for t in primal.module.temporaries} == {20}


def test_a_kernel_without_elements_takes_a_launch():
    gpu = scheduled("rbf")[0]

    (model, *_) = gpu.models({"N": 0, "M": 5, "D": 3}, "float32")

    assert model.seconds == model.ideal == HOPPER.rates.launch and not model.is_uneven


def test_rows_of_a_few_elements_stay_in_registers():
    _, adjoint = scheduled("rbf")

    stores = [s for k in adjoint.kernels for s in steps_of(k.kernel.body) if isinstance(s, Store)]
    assert not any(s.op for s in stores)


@pytest.mark.slow
def test_products_are_stored_for_a_library_where_that_is_faster():
    text = """size H, N, D
input q[H, N, D], k[H, N, D], v[H, N, D]
output o
s[h, i, j] = sum{d} q[h, i, d]*k[h, j, d]
m[h, i] = max{j} s[h, i, j]
e[h, i, j] = exp(s[h, i, j] - m[h, i])
o[h, i, d] = (sum{j} e[h, i, j]*v[h, j, d])/sum{j} e[h, i, j]"""
    f = tadc.compile(text, backend="cuda", dtype="float32")
    sizes = {"H": 32, "N": 2048, "D": 64}

    forward, *_, backward = f._vjp.parts(f.inputs, sizes, "float32")

    assert "s" in forward.outputs or "e" in forward.outputs  # kept for the pullback
    assert str(f.plan(mode="vjp", **sizes)).count("cuBLAS") >= 4
    assert not compiler.gpu_decisions(backward._program, sizes, "float32", f._options).recomputed


def test_a_limit_of_memory_holds_whatever_is_faster():
    text = "size N\ninput a[N, 64], b[N, 64]\ng[i, j] = exp(-sum{k} (a[i, k] - b[j, k])**2)\noutput y\ny[i, k] = sum{j} g[i, j]*b[j, k]\n"
    program = tadc.compile(text).program
    sizes = {"N": 5000}

    free, limited = (
        compiler.gpu_decisions(program, sizes, "float32", Options(memory_limit=limit), HOPPER)
        for limit in (None, 10**6)
    )

    assert not free.recomputed
    assert limited.recomputed


def test_terms_of_a_quotient_are_stored_for_as_many_as_there_are():
    _, adjoint = scheduled("sums of products for each quotient")

    program = adjoint.module.program
    _, count = program.tensors["da_terms"].shape
    values = [program.size_values({"I": 91, "K": k}) for k in (1, 3, 4, 3529)]
    assert [count.at(v) for v in values] == [1, 1, 2, 1177]


def test_parts_of_one_value_each_are_as_many_as_there_are_values():
    _, adjoint = scheduled("a part for each value of an index")

    program = adjoint.module.program
    parts = [t for name, t in program.tensors.items() if name.startswith("da_parts")]
    assert any(n == symbol("J") for t in parts for n in t.shape)


def test_few_terms_in_a_triangle_are_shared_by_a_block_as_one_loop():
    _, adjoint = scheduled("a few terms in a triangle")

    (of_b,) = (k for k in adjoint.kernels if k.kernel.writes == ("db",))
    (loop,) = (s for s in steps_of(of_b.kernel.body) if isinstance(s, TeamLoop))
    assert (of_b.team, loop.range.trips) == (256, 31 * 31)


def test_long_sums_of_remainders_are_stored_for_each_row_that_they_read():
    _, adjoint = scheduled("long sums for each remainder")

    program = adjoint.module.program
    assert [n.constant for n in program.tensors["dw_terms"].shape] == [8]
    assert "dw_terms_parts" in program.tensors


def test_terms_are_stored_where_their_range_moves_with_the_element():
    primal, _ = scheduled("long sums with what each remainder has")

    program = primal.module.program
    assert [n.constant for n in program.tensors["f_terms"].shape] == [3, 3]
    assert "f_terms_parts" in program.tensors


def test_terms_of_a_band_are_not_stored_for_all_pairs():
    """Five terms of each element, where the box of both indices has 64."""
    text = "size I\ninput x[64, I]\nf[j: 64] = sum{q: 64 | q <= j + 2 and q >= j - 2} exp(sum{i} tanh(x[q, i]*x[j, i])/I)"
    (module,) = modules_of({"primal": tadc.compile(text).program})

    lowered = GpuModule.of(module, {"I": 1000})

    assert not [t for t in lowered.module.program.tensors if "_terms" in t]


def test_terms_need_room():
    (module,) = modules_of({"primal": programs("a scalar of sums that begin late")["primal"]})
    sizes = module.program.size_values(SUMS["a scalar of sums that begin late"][1])

    names = [
        [t.name for t in GpuModule.of(module, sizes, room=room).module.temporaries]
        for room in (None, 100)
    ]

    assert "f_terms" in names[0] and "f_terms" not in names[1]


def test_terms_that_there_may_be_none_of_are_not_stored():
    text = "size N\ninput x[N]\nf = sum{i: N - 3} exp(-sum{j} abs(x[i] - x[j]))"
    (module,) = modules_of({"primal": tadc.compile(text, backend="numpy")._program})

    lowered = GpuModule.of(module, {"N": 2**12})

    assert not [t for t in lowered.module.program.tensors if "_terms" in t]


def test_each_of_two_sums_of_an_element_has_the_parts_that_it_has_alone():
    """What the other one takes while it has none hides no gain."""
    by_rows, by_columns = (
        "sum{i: H, j: W} a[i, j]*x[i + k, j]",
        "sum{i: H, j: W} b[i, j]*y[i, j + k]",
    )
    of_rows, of_columns = "a[H, W], x[H + 30, W]", "b[H, W], y[H, W + 30]"
    sizes = {"H": 4096, "W": 4096}

    def parts(inputs, body):
        f = tadc.compile(
            f"size H, W\ninput {inputs}\ng[k: 31] = {body}", backend="cuda", dtype="float32"
        )
        decided = compiler.gpu_decisions(f.program, sizes, "float32", Options())
        made = compiler.lowered_for_gpu(
            f.program, "run", decided, sizes, "float32", HOPPER, blas=True, tiles={}
        )
        return [s.target.shape for s in made.module.program.statements[:-1]]

    together = parts(f"{of_rows}, {of_columns}", f"({by_rows}) + {by_columns}")

    assert together == parts(of_rows, by_rows) + parts(of_columns, by_columns)


@pytest.mark.parametrize("name", ["rows and columns", "rows and columns of matrices"])
def test_parts_of_neighbours_have_runs_of_the_rows_that_are_read_across(name):
    """A block copies of each of its threads' rows; a warp would read a line for each of its threads."""
    primal, _ = scheduled(name)

    first = primal.kernels[0]
    (buffer,) = first.buffers
    assert buffer.counts[-2:] in {(256, 16), (32, 16)}  # of runs of 32, in two turns
    assert first.team == 256
    assert not any(isinstance(s, TeamLoop) for s in steps_of(first.kernel.body))


def test_gradients_by_few_filters_have_parts_for_large_tiles_along_two_indices():
    text = "size N, C, O, L\ninput x[N, C, L + 8], dy[N, O, L]\ndw[o, c, k: 3] = sum{n, l: L} dy[n, o, l]*x[n, c, l + 4*k]"
    sizes = {"N": 16, "C": 64, "O": 64, "L": 8192}
    f = tadc.compile(text, backend="cuda", dtype="float32")
    decided = compiler.gpu_decisions(f.program, sizes, "float32", Options())

    made = compiler.lowered_for_gpu(
        f.program, "run", decided, sizes, "float32", HOPPER, blas=True, tiles={}
    )

    first = made.kernels[0]
    assert [n.constant for n in first.kernel.extents][:2] == [64, 16]
    assert first.points_of_thread >= 48


def test_long_windows_that_move_with_an_element_begin_at_0_where_that_is_faster():
    text = "size T\ninput e[T, 40], q[T, 24]\nk[r: T + 39, d] = sum{t: T | t <= r and r - t < 40} e[t, r - t]*q[t, d]"
    f = tadc.compile(text, backend="cuda", dtype="float32")
    sizes = {"T": 60000}
    decided = compiler.gpu_decisions(f.program, sizes, "float32", Options())

    made = compiler.lowered_for_gpu(
        f.program, "run", decided, sizes, "float32", HOPPER, blas=True, tiles={}
    )

    (statement,) = made.module.program.statements
    assert statement_text(statement).endswith("e[r + t - 39, 39 - t]*q[r + t - 39, d]")


def test_terms_are_counted_where_their_sums_end_at_indices_of_the_sums_around():
    f = tadc.compile(
        "size N, M\ninput a[N, M], b[N, M]\n"
        "f[i: N, j: M] = logsumexp{q=min(N - 1, max(0, 4*(i//4)))..min(N - 1, i)} a[q, j]*b[i, j]"
    )
    large, small = {"N": 1000, "M": 100}, {"N": 9, "M": 2}
    for program in (f.program, f.adjoint().program):
        decided = compiler.gpu_decisions(program, large, "float64", Options(blas=False))
        (module,) = modules_of({"primal": program}, {"primal": decided})
        gpu = GpuModule.of(module, module.program.size_values(large), "float64")
        arrays = arrays_of(program, small)
        expected = interpret(program, arrays, small)

        found = interpret(gpu.module.program, arrays, small)

        for output, value in expected.items():
            np.testing.assert_allclose(found[output], value, rtol=1e-12, err_msg=output)
