"""The form with atomic additions, through data: a thread for each position, which adds where data say, lists nowhere."""

from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from host_run import HostBatch

import tadc
from tadc import cli
from tadc.compiler import atomic_module
from tadc.emit.c.file import emit_c
from tadc.emit.cuda.file import cuda_text
from tadc.runtime.cpu.c_compiler import loaded
from tadc.schedule.lowered import CpuModule, GpuModule
from tests.data.examples import EXAMPLES
from tests.data.test_files import DEFINED, arrays_of, run_c, sizes_of

PASSING = "size N\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]"
SUMS = [n for n in EXAMPLES if n not in (*DEFINED, "maximum of groups")]


def module_of(f, *, points):
    return atomic_module(f.program, f.real_inputs, points=points)


def as_cuda(name, number, *, points):
    f = tadc.compile(EXAMPLES[name][0], dtype="float64", name=f"p{number}")
    made = cuda_text([GpuModule.plain(module_of(f, points=points))], "", "float64")
    return f, (made.text, made.manifest)


@cache
def batch():
    made = [as_cuda(name, n, points=bool(n % 2)) for n, name in enumerate(SUMS)]
    return [f for f, _ in made], HostBatch([text for _, text in made], sanitize=True)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("name", SUMS)
def test_gradients_of_examples_in_cuda_are_theirs_and_stay_inside(name):
    functions, programs = batch()
    f = functions[SUMS.index(name)]
    arrays = arrays_of(EXAMPLES[name])
    arrays[f"d{f.outputs[0]}"] = arrays["dy"]
    narrow = {n: a.astype(np.int32) if a.dtype.kind == "i" else a for n, a in arrays.items()}

    found = programs.run(SUMS.index(name), "adjoint_atomic", narrow, sizes_of(f, arrays))

    for x, expected in EXAMPLES[name][4].items():
        np.testing.assert_allclose(found[f"d{x}"], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.compiler
@pytest.mark.parametrize("points", [False, True])
def test_native_code_has_the_gradients_of_the_gathering_form(points):
    f = tadc.compile(PASSING, dtype="float64")
    module = module_of(f, points=points)
    cpu = CpuModule.of(module, "float64")
    text = emit_c([cpu], "float64", "int64")
    made = cuda_text([GpuModule.plain(module)], "", "float64")
    rng = np.random.default_rng(0)
    src, dst = rng.integers(0, 30, 900), rng.integers(-2, 12, 900)  # some belong to no sum
    arrays = {"src": src, "dst": dst, "w": rng.random(900), "x": rng.random((30, 3)), "N": 10}
    _, pullback = f.vjp(**arrays)
    dy = rng.random((10, 3))
    sizes = {"N": 10, "E": 900, "x_0": 30, "C": 3}
    expected = pullback(dy)

    given = {n: arrays[n] for n in f.inputs} | {"dy": dy}
    found = run_c(loaded(text), made.manifest, "adjoint_atomic", given, sizes)

    assert text.count("#pragma omp atomic") == 2
    for x, value in expected.items():
        np.testing.assert_allclose(found[f"d{x}"], value, rtol=1e-12)


def test_a_sum_over_a_list_that_a_derivative_needs_is_added_up_by_positions_too():
    f = tadc.compile(EXAMPLES["softmax of groups"][0])
    kernels = module_of(f, points=True).kernels

    assert [k.is_atomic for k in kernels].count(True) > 2
    assert not any("ptr" in name for k in kernels for name in k.reads)
    text = f.adjoint().source("cuda-atomic")
    assert "atomicAdd(&z[" in text
    assert "_check_adjoint" in text and "_list_" not in text


def test_what_is_no_sum_of_sums_is_refused():
    f = tadc.compile(EXAMPLES["maximum of groups"][0])
    with pytest.raises(tadc.BackendError, match="`y` runs over lists of positions, and is no"):
        f.adjoint().source("cuda-atomic")
    g = tadc.compile("c[p] = floor(u[p]); y[p] = x[c[p]]")
    with pytest.raises(tadc.BackendError, match="`c` is computed, and read as an index"):
        g.adjoint().source("cuda-atomic")


def test_the_command_line_writes_it_beside_the_gathering_form(tmp_path):
    path = tmp_path / "graph.idx"
    path.write_text(PASSING)
    arguments = [
        "compile",
        str(path),
        "--baseline",
        "atomic",
        "--target",
        "cuda",
        "-o",
        str(tmp_path),
    ]
    result = CliRunner().invoke(cli.commands, arguments)
    assert result.exit_code == 0, result.output
    assert "graph_adjoint_atomic" in (tmp_path / "graph.cu").read_text()
