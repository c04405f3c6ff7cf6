"""Instructions for matrices in kernels of tadc, on request: emulated on the host as the ISA of PTX has their layout, compiled by NVRTC."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from host_run import HostProgram
from programs import normal

import tadc
from tadc.emit.cuda.file import cuda_text
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc
from tadc.schedule.gpu.machine import ADA, HOPPER
from tadc.schedule.lowered import GpuModule, modules_of

CORES = replace(HOPPER, tensor_cores=True)
# Text, the sizes for which the schedule is chosen, and those that are run: whole tiles and parts, and neither.
PROGRAMS = {
    "a product": ("size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]", {"I": 1000, "J": 1000, "K": 1000}, [{"I": 130, "J": 70, "K": 45}, {"I": 256, "J": 128, "K": 32}, {"I": 3, "J": 5, "K": 7}]),
    "a product with both turned": ("size I, J, K\ninput a[K,I], b[J,K]\nc[i,j] = sum{k} a[k,i]*b[j,k]", {"I": 2048, "J": 2048, "K": 1000}, [{"I": 260, "J": 70, "K": 41}]),
    "a batch": ("size B, I, J, K\ninput a[B,I,K], b[B,K,J]\nc[n,i,j] = 1 + sum{k} a[n,i,k]*b[n,k,j]", {"B": 8, "I": 1000, "J": 1000, "K": 1000}, [{"B": 2, "I": 130, "J": 70, "K": 45}]),
    "two loops": ("size I, J, K, R\ninput x[I,J,K], b[J,R], c[K,R]\na[i,r] = sum{j,k} x[i,j,k]*b[j,r]*c[k,r]", {"I": 512, "J": 512, "K": 512, "R": 64}, [{"I": 40, "J": 30, "K": 41, "R": 20}]),
    "a filter": ("size C, O, N\ninput x[C,N], w[O,C,3]\ny[o,i: N] = sum{c,p} x[c,pad(i+p-1)]*w[o,c,p]", {"C": 128, "O": 128, "N": 10**5}, [{"C": 37, "O": 128, "N": 260}, {"C": 16, "O": 129, "N": 75}]),
}  # fmt: skip


@cache
def texts(name, dtype="float32"):
    text, sizes, _ = PROGRAMS[name]
    (mode,) = modules_of({"primal": normal(text)})
    gpu = GpuModule.of(mode, mode.program.size_values(sizes), dtype, machine=CORES)
    return cuda_text([gpu], "", dtype)


@cache
def programs(name):
    made = texts(name)
    return [HostProgram(made.text, made.manifest, arch=arch) for arch in (None, 800)]


@pytest.mark.compiler
@pytest.mark.plain(name=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_factors_of_ten_bits_give_the_bits_of_the_usual_loop(name):
    inputs = normal(PROGRAMS[name][0]).inputs
    for n, sizes in enumerate(PROGRAMS[name][2]):
        random = np.random.default_rng(n)
        arrays = {t.name: random.integers(-3, 4, [e.at(sizes) for e in t.shape]) for t in inputs}
        usual, *others = (
            next(iter(program.run("primal", arrays, sizes, order).values()))
            for program in programs(name)
            for order in ("forward", "backward")
        )
        for other in others:  # sums of small integers are exact
            np.testing.assert_array_equal(other, usual)


@pytest.mark.compiler
@pytest.mark.plain(name=1)
@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "a filter"])
def test_factors_are_rounded_to_ten_bits_and_sums_are_not(name):
    text, _, (sizes, *_) = PROGRAMS[name]
    random = np.random.default_rng(0)
    shapes = {t.name: [e.at(sizes) for e in t.shape] for t in normal(text).inputs}
    arrays = {n: random.uniform(0.5, 1, shape).astype(np.float32) for n, shape in shapes.items()}
    expected = tadc.compile(text, backend="numpy")(**{n: a.astype(float) for n, a in arrays.items()})  # fmt: skip

    usual, by_matrices = (
        next(iter(p.run("primal", arrays, sizes).values())) for p in programs(name)
    )

    assert np.max(np.abs(usual / expected - 1)) < 1e-6
    assert 1e-6 < np.max(np.abs(by_matrices / expected - 1)) < 2**-10


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_architecture_compiles_them(name):
    if find_nvrtc() is None:
        pytest.skip("no NVRTC")
    text = texts(name).text
    assert "add_products_tf32(" in text
    for arch in ("sm_75", "sm_80", "sm_120"):
        assert "warning" not in compile_cuda(text, arch).log


def test_kernels_have_them_on_request_alone():
    text, sizes, _ = PROGRAMS["a product"]
    (mode,) = modules_of({"primal": normal(text)})
    for machine, dtype in ((HOPPER, "float32"), (CORES, "float64")):
        gpu = GpuModule.of(mode, sizes, dtype, machine=machine)
        assert "tf32" not in cuda_text([gpu], "", dtype).text
    assert (
        "tf32" in texts("a product", "float16").text
    )  # exact, since they have ten bits themselves

    options = {"backend": "cuda", "dtype": "float32", "blas": False}
    usual, quick = (tadc.compile(text, tensor_cores=t, **options).plan(**sizes) for t in (False, True))  # fmt: skip
    assert "multiplies matrices" in str(quick) and "multiplies matrices" not in str(usual)


def test_a_gpu_whose_instructions_for_matrices_are_no_faster_has_none():
    text, sizes, _ = PROGRAMS["a product"]
    (mode,) = modules_of({"primal": normal(text)})
    none = replace(ADA, tensor_cores=True, rates=replace(ADA.rates, matrix=1))

    assert "tf32" not in cuda_text([GpuModule.of(mode, sizes, machine=none)], "", "float32").text
