"""Rows that teams of threads hold in registers: each element is read once, and nothing is another thread's."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from host_run import HostBatch, HostProgram
from programs import normal

import tadc
from tadc.compiler import adjoint_program
from tadc.emit.cuda.file import cuda_text
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc
from tadc.runtime.run import Runners
from tadc.schedule.gpu.borders import box_interior
from tadc.schedule.lowered import GpuModule, modules_of

MANY = 10**5  # rows for which schedules are chosen
ROWS = 3  # and those of a call

NORM = """input x[B, M], g[M]
output y
u[i] = mean{j} x[i, j]
v[i] = mean{j} (x[i, j] - u[i])**2
y[i, j] = g[j]*(x[i, j] - u[i])*rsqrt(v[i] + 0.001)"""
SOFTMAX = """input x[B, M]
output y
m[i] = max{j} x[i, j]
e[i, j] = exp(x[i, j] - m[i])
y[i, j] = e[i, j]/sum{k} e[i, k]"""
TURNED = """input x[B, M]
output y, e
m[i] = max{j} x[i, j]
e[i, j] = exp(x[i, j] - m[i])
y[i, j] = e[i, M - 1 - j]*e[i, j]/sum{k} e[i, k]"""
TYPED = """input x[B, M]
output y, e
m[i]: float32 = max{j} x[i, j]
e[i, j]: float32 = exp(x[i, j] - m[i])
y[i, j] = e[i, j]/sum{k} e[i, k]"""
PROGRAMS = {"norm": NORM, "softmax": SOFTMAX, "turned": TURNED}


def both(text):
    program = normal(f"size B, M\n{text}")
    return {"primal": program, "adjoint": adjoint_program(program, ("x",))}


def scheduled(programs, length, dtype="float64"):
    parts = modules_of(programs)
    return [GpuModule.of(m, {"B": MANY, "M": length}, dtype) for m in parts]


def kernels(text, length=1000, mode="primal", dtype="float32"):
    (gpu,) = (g for g in scheduled(both(text), length, dtype) if g.module.name == mode)
    return gpu


@pytest.mark.compiler
@pytest.mark.plain(length=2)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("length", [130, 256, 1000, 1024, 2049, 4096])
def test_values_and_gradients_are_numpys(name, length):
    random = np.random.default_rng(length)
    for order, (mode, p) in zip(("forward", "backward"), both(PROGRAMS[name]).items(), strict=True):
        (gpu,) = scheduled({mode: p}, length)
        emitted = cuda_text([gpu], "", "float64")
        sizes = {"B": ROWS, "M": length}
        arrays = {t.name: random.normal(size=[e.at(sizes) for e in t.shape]) for t in p.inputs}
        found = HostProgram(emitted.text, emitted.manifest).run(mode, arrays, sizes, order)
        expected = Runners(p).run("numpy", "float64", arrays, sizes)
        assert any(k.row for k in gpu.kernels) or length > 512
        for (output, value), other in zip(expected.items(), found.values(), strict=True):
            np.testing.assert_allclose(other, value, rtol=1e-9, atol=1e-11, err_msg=output)


@pytest.mark.parametrize("name", ["norm", "softmax"])
def test_a_row_is_read_once_and_nothing_but_results_is_stored(name):
    gpu = kernels(PROGRAMS[name])

    (kernel,) = gpu.kernels
    text = cuda_text([gpu], "", "float32").text
    head = text.index(kernel.kernel.name)
    body = text[head : text.index("#ifndef __CUDACC_RTC__", head)]
    assert kernel.kernel.writes == ("y",)
    assert gpu.module.temporaries == ()
    assert len(re.findall(r"\bx\[", body)) == len(re.findall(r"\by\[", body)) == 1
    assert "__sync" not in body


@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("name", ["norm", "softmax"])
@pytest.mark.parametrize("mode", ["primal", "adjoint"])
@pytest.mark.parametrize("length", [512, 1024, 8192])
def test_blocks_have_the_registers_that_the_model_gives_their_rows(name, mode, length):
    """What all rows read, such as `g[j]`, is in no registers: these would be as many as those of the row."""
    gpu = kernels(PROGRAMS[name], length, mode)
    made = compile_cuda(cuda_text([gpu], "", "float32").text, "sm_90")

    rows = [k for k in gpu.kernels if k.row]
    for k in rows:
        usage = made.usage[k.kernel.name]
        assert k.blocks(1) * 256 * usage.registers <= 65536
        assert usage.spill_bytes <= 64
    assert rows or length > 1024


@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("index_type", ["int32", "int64"])
def test_rows_with_indices_of_either_width_compile(index_type, dtype):
    text = cuda_text([kernels(NORM, 256, dtype=dtype)], "", dtype, index_type).text

    assert "anew(rank)" in text
    assert not compile_cuda(text, "sm_90").warnings


def test_what_all_rows_read_is_read_anew_in_each():
    def body(name):
        text = cuda_text([kernels(PROGRAMS[name])], "", "float32").text
        return text[text.index('extern "C" __global__') :]

    assert "mine = anew(rank)" in body("norm")
    assert re.search(r"j\w* = mine \+ turn \* 32;\n[^}]*\bg\[", body("norm"))
    assert "anew" not in body("softmax")


def test_what_other_threads_read_stays_in_memory_behind_a_barrier():
    gpu = kernels(TURNED)

    (kernel,) = gpu.kernels
    text = cuda_text([gpu], "", "float32").text
    assert kernel.kernel.writes == ("e", "y")
    assert re.search(r"\be\[[^]]*\] = e_held\[turn\];", text)
    assert re.search(r"\be\[[^]]*- j[^]]*\] \* e_held\[turn\]|e_held\[turn\] \* e\[", text)
    assert re.search(r"__sync(warp|threads)\(\);", text)


def test_rows_that_no_team_can_hold_are_passed_over_in_memory():
    assert not any(k.row for k in kernels(SOFTMAX, length=20_000).kernels)
    assert any(k.row for k in kernels(SOFTMAX, length=16_384).kernels)


def test_values_of_another_type_are_rounded_to_it():
    """They are not held: registers would not round them."""
    (kernel,) = (k for k in kernels(TYPED, dtype="float64").kernels if "e" in k.kernel.writes)

    assert not kernel.row or not {"m_held", "e_held"} & kernel.kernel.locals


def test_a_processor_of_opencl_has_the_memory_of_rows_that_it_does_not_hold():
    gpu = kernels(SOFTMAX).combining_at_most(0)

    assert [k.team for k in gpu.kernels] == [1]
    assert {t.name for t in gpu.module.temporaries} >= {"e"}


def test_the_plan_and_the_model_tell_of_rows_in_registers():
    f = tadc.compile(f"size B, M\n{SOFTMAX}", backend="cuda", dtype="float32")

    (kernel,) = f.plan(B=MANY, M=1000).kernels

    assert kernel.schedule.endswith("and hold the row in registers")


# How every row that may be held is, whether it pays or not.
EAGER = {"row_kernels.LEAST": 1/32, "row_kernels.ENOUGH": 2**40, "kernels.SHORT": 1/32, "kernels.BETTER": 1e-9, "kernels.LITTLE": -1e9}  # fmt: skip


def random_rows(seed):
    """A program of values of rows and values for rows, each of some of those before it."""
    random = np.random.default_rng(seed)
    rows, values = ["x[i, j]", "w[j]"], ["b[i]"]
    lines = ["input x[B, M], w[M], b[B]"]
    for n in range(random.integers(4, 9)):
        one, other = (random.choice(rows + values * (k > 0)) for k in range(2))
        turned = one.replace("j]", "M - 1 - j]")
        shifted = f"(if j >= 2 then {one.replace('j]', 'j - 2]')} else 0)"
        one = random.choice([one, one, one, turned, shifted])
        term = random.choice([f"sin({one} - {other})", f"{one}*{other}", f"{one}**2 + {other}"])
        if random.random() < 0.5:
            op = random.choice(["sum", "mean", "max"])
            lines.append(f"s{n}[i: B] = ({op}{{j: M}} ({term}))/M")
            values.append(f"s{n}[i]")
        else:
            lines.append(f"r{n}[i: B, j: M] = {term}")
            rows.append(f"r{n}[i, j]")
    last = [rows[-1], values[-1], *random.choice(rows, 2)]
    lines += ["output y", f"y[i: B, j: M] = {' + '.join(last)}"]
    return "\n".join(lines)


@pytest.mark.compiler
@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (5, 10))])
def test_random_programs_with_rows_in_registers_agree_with_numpy(first, monkeypatch):
    box_interior.cache_clear()
    for name, value in EAGER.items():
        monkeypatch.setattr(f"tadc.schedule.gpu.{name}", value)
    cases, held = [], 0
    for seed in range(first, first + 5):
        length = int(np.random.default_rng(seed).choice([3, 31, 64, 130, 257]))
        for mode, p in both(random_rows(seed)).items():
            (gpu,) = scheduled({mode: replace(p, name=f"p{seed}_{mode}")}, length)
            held += sum(k.row is not None for k in gpu.kernels)
            cases.append((mode, p, length, cuda_text([gpu], "", "float64")))
    box_interior.cache_clear()
    batch = HostBatch([(emitted.text, emitted.manifest) for *_, emitted in cases])

    for number, (mode, p, length, _) in enumerate(cases):
        sizes = {"B": ROWS, "M": length}
        random = np.random.default_rng(number)
        arrays = {t.name: random.normal(size=[e.at(sizes) for e in t.shape]) for t in p.inputs}
        found = batch.run(number, mode, arrays, sizes)
        expected = Runners(p).run("numpy", "float64", arrays, sizes)
        for (output, value), other in zip(expected.items(), found.values(), strict=True):
            np.testing.assert_allclose(other, value, rtol=1e-8, atol=1e-10, err_msg=output)
    assert held > 5


@pytest.mark.compiler
def test_opencl_computes_what_the_host_computes():
    opencl = pytest.importorskip("opencl_run")
    gpu = kernels(SOFTMAX, length=300, dtype="float64")
    x = np.random.default_rng(0).normal(size=(ROWS, 300))
    emitted = cuda_text([gpu], "", "float64")

    found = opencl.run_on_opencl(gpu, {"x": x}, {"B": ROWS}, combined=10)
    expected = HostProgram(emitted.text, emitted.manifest).run("primal", {"x": x}, {"B": ROWS})

    assert gpu.kernels[0].row
    np.testing.assert_allclose(found["y"], expected["y"], rtol=1e-14)
