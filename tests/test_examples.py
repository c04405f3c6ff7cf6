"""Every file of `examples/`, from its text to the results of its kernels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from host_run import HostBatch
from oracle import (
    EXAMPLES,
    SIZES,
    by_name,
    cuda,
    example_name,
    random_arrays,
    relative,
    sizes_of,
)

import tadc
from tadc.printing.idx import program_text
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc

PATHS = pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
PLAIN = 2  # examples of a plain run, and of a library
GOLDEN = ("paper", "conv2d", "hankel")
LIMITS = {"float64": 1e-12, "float32": 2e-5}


@cache
def loaded(path, backend="auto"):
    return tadc.load(path, name=example_name(path), backend=backend)


def sizes(path):
    return SIZES[path.stem]


def test_the_examples_are_those_with_sizes():
    assert {path.stem for path in EXAMPLES} == set(SIZES)


@pytest.mark.plain(path=PLAIN)
@PATHS
def test_an_example_passes_its_check(path):
    report = loaded(path).check(**sizes(path))

    assert report, f"\n{report}"


@pytest.mark.plain(path=PLAIN)
@PATHS
def test_an_example_passes_its_check_at_sizes_that_are_chosen(path):
    report = loaded(path).check()

    assert report, f"\n{report}"


ORDERS = pytest.mark.parametrize("order", [0, 1, 2], ids=["primal", "adjoint", "adjoint twice"])


def derived(path, order):
    f = loaded(path)
    for _ in range(order):
        f = f.adjoint()
    return f


@pytest.mark.plain(path=PLAIN)
@PATHS
@ORDERS
def test_what_is_printed_is_the_same_program(path, order):
    program = derived(path, order).program
    again = tadc.compile(program_text(program), name=program.name).program

    assert program_text(again) == program_text(program)
    assert replace(again, statements=program.statements) == program


@pytest.mark.plain(path=PLAIN, arch=1, dtype=1)
@PATHS
@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nvrtc_accepts_the_kernels_without_a_warning(path, arch, dtype):
    text, _ = cuda(loaded(path), dtype)

    assert compile_cuda(text, arch).warnings == ()


@cache
def batch(block):
    """A block of examples in both types as one library, and the number of each in it."""
    paths = EXAMPLES[block * PLAIN : (block + 1) * PLAIN]
    keys = [(path, dtype) for path in paths for dtype in LIMITS]
    texts = [
        cuda(tadc.load(path, name=f"{example_name(path)}_{dtype}"), dtype) for path, dtype in keys
    ]
    return HostBatch(texts), {key: k for k, key in enumerate(keys)}


@pytest.mark.plain(path=PLAIN, order=1, dtype=1)
@PATHS
@pytest.mark.compiler
@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("order", ["forward", "backward"])
def test_the_kernels_agree_with_the_interpreter(path, dtype, order):
    f = loaded(path, "interpreter")
    programs, numbers = batch(EXAMPLES.index(path) // PLAIN)
    for mode, g in (("primal", f), ("adjoint", f.adjoint())):
        arrays = {n: a.astype(dtype) for n, a in random_arrays(g, sizes(path)).items()}
        expected = by_name(g, g(**{n: a.astype("float64") for n, a in arrays.items()}))

        found = programs.run(
            numbers[path, dtype], mode, arrays, sizes_of(g, sizes(path)), order=order
        )

        for name in g.outputs:
            assert relative(found[name], expected[name]) <= LIMITS[dtype], (mode, name)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_printed_adjoint_is_the_golden_one(name, golden):
    golden(f"{name}.adjoint.idx", str(tadc.load(f"{EXAMPLES[0].parent}/{name}.idx").adjoint()))


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("mode", ["primal", "adjoint"])
def test_the_cuda_text_is_the_golden_one(name, mode, golden):
    f = tadc.load(f"{EXAMPLES[0].parent}/{name}.idx")
    text = (f if mode == "primal" else f.adjoint()).source("cuda")

    golden(f"{name}.{mode}.cu", text)
