"""The model of a GPU: what it counts, by hand; what it says is slow; and the instructions of machine code."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from programs import normal

import tadc
from tadc.bounded_cache import BoundedCache
from tadc.emit.cuda.file import cuda_text
from tadc.function.runs import modelled
from tadc.runtime.cuda.nvrtc import find_nvrtc
from tadc.schedule.gpu import kernels as schedules
from tadc.schedule.gpu.executed import executed
from tadc.schedule.gpu.ideal import Ideal
from tadc.schedule.gpu.machine import ADA, AMPERE, HOPPER, MACHINES
from tadc.schedule.gpu.model import ideal_seconds, kernel_model
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.team_tile import with_team_tile
from tadc.schedule.gpu.teams import TeamBody
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.lowered import GpuModule, modules_of

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
EXAMPLES = Path(__file__).parents[2] / "examples"


def model(text, machine=HOPPER, *, plain=False, **sizes):
    """The model of a formula's only kernel."""
    (module,) = modules_of({"primal": tadc.compile(text).program})
    gpu = (
        GpuModule.plain(module, machine) if plain else GpuModule.of(module, sizes, machine=machine)
    )
    (found,) = gpu.models(sizes, "float32")
    return found


COPY = "size N, M\ninput x[N, M]\ny[i, j] = 2*x[i, j]"
TURNED = "size N, M\ninput x[N, M]\ny[i, j] = 2*x[j, i]"


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_a_copy_takes_the_time_of_its_bytes(machine):
    found = model(COPY, machine, N=4096, M=4096)

    bytes_ = 2 * 4 * 4096**2
    assert found.ideal == pytest.approx(bytes_ / machine.rates.bandwidth + machine.rates.launch)
    assert found.limit in {"memory", "L2"}
    assert found.ideal <= found.seconds < 2 * found.ideal


def test_what_lies_apart_costs_more():
    near, apart = model(COPY, N=4096, M=4096), model(TURNED, plain=True, N=4096, M=4096)

    assert apart.seconds_by["L2"] > 3 * near.seconds_by["L2"]
    assert apart.seconds_by["loads and stores"] > 3 * near.seconds_by["loads and stores"]


def test_a_thread_that_has_all_of_a_sum_is_seen():
    text = "size N\ninput x[N]\nf = sum{i} x[i]"
    alone = model(text, plain=True, N=10**7)
    many = model("size N, M\ninput x[N, M]\nf[i] = sum{j} x[i, j]", N=10**5, M=100)

    assert alone.is_uneven and alone.limit == "the longest thread"
    assert alone.threads == 1
    assert alone.longest_thread == pytest.approx(alone.mean_thread * alone.resident, rel=0.01)
    assert not many.is_uneven


def test_a_thread_at_the_end_of_a_triangle_is_the_longest():
    found = model("size N\ninput x[N, N]\nf[i: N] = sum{j | j <= i} x[j, i]**2", plain=True, N=2000)

    mean = found.mean_thread * found.resident / found.threads
    assert found.longest_thread / mean == pytest.approx(2, rel=0.1)


def test_rows_beside_one_another_are_read_for_themselves_whether_or_not_sizes_are_numbers():
    body = "y[i: {0} - 2, j: {0}, k: {0}] = x[i, j, k] + x[i + 1, j, k] + x[i + 2, j, k]"
    sizes = "size N\ninput x[N, N, N]\n", "input x[256, 256, 256]\n"

    named = model(sizes[0] + body.format("N"), plain=True, N=256)
    numbers = model(sizes[1] + body.format("256"), plain=True)

    assert numbers.seconds_by["L2"] == pytest.approx(named.seconds_by["L2"])
    assert numbers.seconds_by["instructions"] < named.seconds_by["instructions"]


def test_neighbours_that_are_stored_at_once_take_their_bytes_once():
    text = "size I, J, K, R\ninput a[I, R], b[J, R], c[K, R]\nx[i, j, k] = sum{r} a[i, r]*b[j, r]*c[k, r]"
    whole, others = (model(text, I=256, J=256, K=n, R=32) for n in (512, 514))

    assert whole.seconds_by["L2"] < 0.7 * others.seconds_by["L2"]


def test_a_short_loop_of_a_team_inside_another_waits_for_memory():
    text = "size C, N, M\ninput x[C, N, M]\nf[c] = sum{n, j=1..M-2} x[c, n, j]*exp(x[c, n, j]*j)"
    (module,) = modules_of({"primal": normal(text)})
    (kernel,) = module.kernels

    def latency(n):
        sizes = {"C": 40000, "N": n, "M": 2000 // n}
        values = sizes | {"c": 1, "n": n // 2, "j": 1000 // n}
        body = TeamBody.of(kernel.body, values, HOPPER.warp, HOPPER.costs).steps
        scheduled = GpuKernel(replace(kernel, body=body), HOPPER.warp)
        found = kernel_model(scheduled, module.program, sizes, HOPPER, "float32")
        return found.seconds_by["latency"]

    assert latency(40) > 2 * latency(2)


def test_reads_behind_tests_in_short_loops_are_all_counted():
    text = "size N\ninput x[N, 4], y[100, N, 4]\nf[t: 100] = sum{m: N, k: 4 | t + 100*m < N} x[t + 100*m, k]*y[t, m, k]"
    program, sizes = normal(text), {"N": 10**5}
    (kernel,) = modules_of({"primal": program})[0].kernels
    tile = with_team_tile(kernel, {"t": 4}, {**sizes, "t": 50}, HOPPER.warp, HOPPER.costs)

    done = executed(tile, program, sizes, HOPPER, "float32", 25 * HOPPER.warp)

    assert done.total.reads >= 2 * 4 * 10**5
    assert min(done.moved["x"], done.moved["y"]) >= 4 * 4 * 10**5


LOSS = "size N, M\ninput x[N, M], y[N, M]\nf = sum{i, j} (x[i, j] - y[i, j])**2"


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 8, 12, 31, 64, 1000])
def test_a_sum_over_rows_of_any_length_takes_the_time_of_its_bytes(columns):
    f = tadc.compile(LOSS, backend="cuda", dtype="float32")

    found = modelled(f, ["primal"], {"N": 2 * 10**7 // columns, "M": columns}, HOPPER)

    assert all(k.milliseconds < 2.1 * k.ideal_milliseconds for k in found.kernels)


def test_parts_of_a_long_sum_are_so_few_that_a_block_adds_them_up_at_once():
    f = tadc.compile("size N\ninput x[N]\nf = sum{i} x[i]**2", backend="cuda", dtype="float32")

    parts, whole = modelled(f, ["primal"], {"N": 10**8}, HOPPER).kernels

    assert parts.threads <= HOPPER.resident_threads
    assert whole.milliseconds < 1.5 * whole.ideal_milliseconds


def test_special_functions_have_a_pipe_of_their_own():
    found = model("size N\ninput x[N]\nf[i: N] = sum{k: 50} exp2(x[i] + k)", N=10**6)

    special = 50 * 10**6 / (16 * 132 * HOPPER.rates.clock)
    assert found.seconds_by["special functions"] == pytest.approx(special, rel=0.1)


def test_the_least_time_counts_a_value_once_whatever_the_nests_are():
    # The inner sum needs i alone: N*K additions, and not N*M*K.
    text = "size N, M, K\ninput d[N, K], b[M]\nf[i, j] = b[j]*sum{k} d[i, k]"
    program = tadc.compile(text).program
    sizes = {"N": 100, "M": 200, "K": 300}

    least = Ideal.of(program.statements, program, {"d", "b", "f"}, sizes, "float32", "float32")

    assert least.instructions == 100 * 300 + 100 * 200
    assert least.bytes == 4 * (100 * 300 + 200 + 100 * 200)
    assert ideal_seconds(program, sizes, HOPPER, "float32") > HOPPER.rates.launch


def test_the_least_time_counts_a_value_that_several_statements_need_once():
    # The indices of the sums have names of their own.
    text = "size N, M\ninput a[N, M], b[M, 3]\nf[i] = sum{j} exp2(a[i, j])\ng[i, k] = sum{l} exp2(a[i, l])*b[l, k]"
    program = tadc.compile(text).program
    sizes = {"N": 10, "M": 20}

    least = Ideal.of(program.statements, program, {"a", "b", "f", "g"}, sizes, "float32", "float32")

    assert least.special == 10 * 20
    assert least.instructions == (4 + 1 + 3) * 10 * 20
    assert least.bytes == 4 * (10 * 20 + 20 * 3 + 10 + 10 * 3)


def test_a_loop_around_loops_that_are_written_out_counts_as_one_loop():
    nested = model(
        "size N, M\ninput x[N, 3], y[M, 3]\nf[i] = sum{j} abs(sum{d: 3} x[i, d]*y[j, d])",
        plain=True,
        N=10**4,
        M=10**4,
    )
    flat = model("size N, M\ninput x[N, 3], y[M, 3]\nf[i] = sum{j} abs(x[i, 0]*y[j, 0] + x[i, 1]*y[j, 1] + x[i, 2]*y[j, 2])", plain=True, N=10**4, M=10**4)  # fmt: skip

    assert nested.inner_loops["j"][0] == pytest.approx(flat.inner_loops["j"][0], abs=3)


def test_the_least_time_counts_products_and_functions_by_hand():
    text = "size N, M\ninput a[N, M], x[M]\nf[i] = sum{j | j <= i} a[i, j]*exp2(x[j])"
    program = tadc.compile(text).program
    sizes = {"N": 10, "M": 20}

    least = Ideal.of(program.statements, program, {"f"}, sizes, "float32", "float32")

    # 55 additions of products, and exp2 of the ten x[j] that any i needs, at most of all twenty.
    assert 10 <= least.special <= 20
    assert least.instructions == 55 + 4 * least.special


@pytest.mark.parametrize(("dtype", "faster"), [("float32", 5.0), ("float64", 1.0)])
def test_a_librarys_product_is_quicker_by_instructions_for_matrices(dtype, faster):
    text = "size N\ninput a[N, N], b[N, N]\nc[i, j] = sum{k} a[i, k]*b[k, j]"

    def found(tensor_cores):
        f = tadc.compile(text, backend="cuda", dtype=dtype, tensor_cores=tensor_cores)
        (kernel,) = modelled(f, ("primal",), {"N": 4096}, HOPPER).kernels
        assert kernel.limit == "a library's product"
        return kernel

    usual, quick = found(tensor_cores=False), found(tensor_cores=True)
    assert usual.milliseconds == pytest.approx(faster * quick.milliseconds, rel=0.01)
    assert usual.ideal_milliseconds == quick.ideal_milliseconds


def test_a_program_on_three_machines():
    f = tadc.compile(COPY, backend="cuda", dtype="float32")
    sizes = {"N": 4096, "M": 4096}
    seconds = [
        modelled(f, ("primal",), sizes, m).modes[0].milliseconds for m in (HOPPER, AMPERE, ADA)
    ]

    assert seconds == sorted(seconds)


def test_a_plan_says_how_long_and_why():
    f = tadc.compile(COPY, backend="cuda", dtype="float32")

    text = str(f.plan(N=4096, M=4096))

    assert "ms by the model of an NVIDIA H200, limited by" in text and "at least 0.03" in text
    assert "by the model" not in str(f.plan())
    assert "how long" in f.plan(N=8, M=8)._repr_html_()
    assert "how long" not in f.plan()._repr_html_()


def test_the_command_writes_the_model_as_json(tmp_path):
    path = tmp_path / "copy.idx"
    path.write_text(COPY)
    run = [
        sys.executable,
        "-m",
        "tadc",
        "bench",
        str(path),
        "--model",
        "h200",
        "--size",
        "N=512",
        "--size",
        "M=512",
    ]
    done = subprocess.run([*run, "--json"], capture_output=True, text=True, check=True)

    found = json.loads(done.stdout)

    assert found["machine"] == "NVIDIA H200"
    assert [m["mode"] for m in found["modes"]] == ["primal", "vjp"]
    keys = "mode name milliseconds ideal_milliseconds limit threads longest_thread mean_thread"
    assert all(set(keys.split()) <= set(k) for k in found["kernels"])
    assert found["sizes"] == {"N": 512, "M": 512}


@pytest.mark.plain(file=3)
@pytest.mark.parametrize("mode", ["primal", "adjoint"])
@pytest.mark.parametrize("file", sorted(p.name for p in EXAMPLES.glob("*.idx")))
def test_kernels_of_examples_have_a_model(file, mode):
    f = tadc.load(EXAMPLES / file)
    program = (f if mode == "primal" else f.adjoint()).program
    sizes = {s: 16 + 4 * k for k, s in enumerate(reversed(program.sizes))}
    (module,) = modules_of({mode: program})

    for gpu in (GpuModule.of(module, program.size_values(sizes)), GpuModule.plain(module)):
        for found in gpu.models(sizes, "float32"):
            assert found.ideal > 0 and found.seconds < 1
            assert found.longest_thread > 0 or not found.threads


@pytest.mark.slow
@pytest.mark.skipif(not find_nvrtc(), reason="no NVRTC")
def test_inner_loops_are_those_of_the_machine_code(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    sass = import_module("gpu_sass")
    if not sass.disassembler():
        pytest.skip("no nvdisasm")

    for row in sass.rows():
        assert 0.8 < row.counted / row.written < 1.2, row


PAIRS = "size I, J, D\ninput x[I,D], y[J,D]\nf[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)"


def test_buffers_are_filled_ahead_where_that_takes_less_time():
    sizes = {"I": 10**5, "J": 10**5, "D": 64}
    (module,) = modules_of({"primal": tadc.compile(PAIRS).program})
    parts, _ = GpuModule.of(module, sizes).kernels

    assert {b.halves for b in parts.buffers} == {2}
    f = tadc.compile(PAIRS, backend="cuda", dtype="float32")
    assert "a part ahead" in str(f.plan(**sizes))


def test_blocks_whose_buffers_fill_the_shared_memory_are_few():
    sizes = {"I": 1000, "J": 1000, "K": 1000}
    text = "size I, J, K\ninput a[I,K], b[J,K]\nc[i,j] = sum{k} a[i,k]*b[j,k]"
    small = replace(HOPPER, rates=replace(HOPPER.rates, shared_bytes=18 * 1024))
    (module,) = modules_of({"primal": tadc.compile(text).program})
    gpu = GpuModule.of(module, sizes)
    (usual,), (few,) = (replace(gpu, machine=m).models(sizes, "float32") for m in (HOPPER, small))

    assert few.resident == HOPPER.rates.multiprocessors * HOPPER.block < usual.resident


def test_a_kernel_that_programs_share_is_scheduled_once_and_alike(monkeypatch):
    first = (
        "size N, M\ninput x[N, M]\noutput m, y\nm[i] = max{j} x[i, j]\ny[i] = sum{j} exp(x[i, j])"
    )
    second = first.replace("output m, y", "output y, z") + "\nz[j: M] = sum{i} x[i, j]*m[i]"
    sizes, texts, calls = {"N": 4096, "M": 70_000}, {}, []
    schedule = schedules.gpu_kernel
    monkeypatch.setattr(schedules, "gpu_kernel", lambda k, *a: (calls.append(k), schedule(k, *a))[1])  # fmt: skip
    for order in ((first, second), (second, first)):
        monkeypatch.setattr(schedules, "_made", BoundedCache(512))
        calls.clear()
        count = []
        for text in order:
            (module,) = modules_of({"primal": tadc.compile(text).program})
            made = cuda_text([GpuModule.of(module, sizes)], "", "float32").text
            assert texts.setdefault(text, made) == made
            count.append(len(calls))
        assert count[1] < 2 * count[0]
    assert len(texts) == 2


def test_a_block_waits_for_the_first_part_of_a_run_that_it_copies_ahead():
    text = "input a[N, 4096], b[4096, N]\nc[i, j] = sum{k: 4096} a[i, k]*b[k, j]"
    counted = []
    for runs in (text, text.replace("4096", "64")):
        (mode,) = modules_of({"primal": normal(f"size N\n{runs}")})
        shape = Shape({"i": 4, "j": 4}, {"i": 16, "j": 16}, ahead=True)
        tiles = {k.name: shape for k in mode.kernels}
        gpu = GpuModule.of(mode, {"N": 4096}, tiles=tiles)
        done = executed(gpu.kernels[0], gpu.module.program, {"N": 4096}, HOPPER, "float32", 2**17)
        counted.append((done.parts, done.parts_ahead))

    (long, long_ahead), (short, short_ahead) = counted
    assert long == short == 64 * 64  # blocks
    assert long_ahead > 32 * long
    assert short_ahead < 8 * short
