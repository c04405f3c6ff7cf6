"""Text for given sizes: it has the kernels of a call of these sizes, with the sizes as numbers."""

from __future__ import annotations

import numpy as np
import pytest
from host_run import HostProgram
from oracle import EXAMPLES, SIZES, by_name, random_arrays, relative

import tadc
from tadc.function.targets import Unit
from tadc.runtime.cuda.launch import MACHINE, CudaRunner

MODES = ("primal", "adjoint")
LARGER = 12  # times the sizes of the examples
COUNT = 2  # random formulas of a plain run


def in_mode(f, mode):
    return f if mode == "primal" else f.adjoint()


def of_text(text, sizes, mode):
    """The module of a text for these sizes."""
    f = tadc.compile(text, dtype="float32", backend="cuda", sizes=sizes)
    (module,) = Unit({mode: in_mode(f, mode)}, ("cuda",))._on_gpu(MACHINE)
    return module


def of_call(text, sizes, mode):
    """The module of a call of these sizes, which has no library for products either."""
    f = in_mode(tadc.compile(text, dtype="float32", backend="cuda", blas=False), mode)
    f, numbers = f._with_numbers({s: sizes[s] for s in f.sizes})
    return CudaRunner(f._program, "float32", f._options).lowered(f._program.size_values(numbers))


def schedules(module):
    """What each kernel computes, by which team, in which tiles."""
    return [(k.kernel.writes, k.team, [(t.index, t.count, t.threads) for t in k.tile]) for k in module.kernels]  # fmt: skip


@pytest.mark.plain(path=3)
@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.suffix == ".idx" and SIZES[p.stem]], ids=lambda p: p.stem)  # fmt: skip
@pytest.mark.parametrize("mode", MODES)
def test_an_example_has_the_kernels_of_a_call(path, mode):
    text = path.read_text("utf-8")
    sizes = {s: n * LARGER for s, n in SIZES[path.stem].items()}
    if path.stem in {"hankel", "locally_connected"}:
        sizes["L"] = sizes["P" if path.stem == "locally_connected" else "N"] * 2

    assert schedules(of_text(text, sizes, mode)) == schedules(of_call(text, sizes, mode))


@pytest.mark.plain(seed=COUNT)
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("mode", MODES)
def test_a_random_formula_has_the_kernels_of_a_call(seed, mode, benchmark_module):
    made = benchmark_module("random_formulas").random_formula(seed)

    found, called = (of(made.text, made.sizes, mode) for of in (of_text, of_call))

    assert schedules(found) == schedules(called)
    assert not found.module.program.sizes


FORMULAS = {
    "a product": ("c[i, j] = sum{k} a[i, k]*b[k, j]", {"I": 34, "J": 66, "K": 20}),
    "equal sizes": ("c[i, j] = sum{k} a[i, k]*b[k, j]", {"I": 20, "J": 20, "K": 20}),
    "a softmax": ("y[i, j] = exp(x[i, j] - (max{k} x[i, k])) / sum{k} exp(x[i, k])", {"I": 8, "J": 100}),
    "a distance": ("f[i] = sum{j} exp(-sum{d} (x[i, d] - y[j, d])**2)", {"I": 40, "J": 50, "D": 5}),
    "a scalar": ("f = sum{i} x[i]**2", {"I": 5000}),
    "a correlation": ("y[i] = sum{r: R} x[i + r]*w[r]", {"N": 300, "R": 7}),
}  # fmt: skip
INPUTS = {
    "a product": "a[I, K], b[K, J]",
    "equal sizes": "a[I, K], b[K, J]",
    "a softmax": "x[I, J]",
    "a distance": "x[I, D], y[J, D]",
    "a scalar": "x[I]",
    "a correlation": "x[N], w[R]",
}


@pytest.mark.compiler
@pytest.mark.parametrize("name", FORMULAS)
def test_text_with_numbers_computes_what_the_interpreter_does(name):
    formula, sizes = FORMULAS[name]
    text = f"size {', '.join(sizes)}\ninput {INPUTS[name]}\n{formula}"
    f = tadc.compile(text, sizes=sizes, dtype="float32")
    unit = Unit({mode: in_mode(f, mode) for mode in MODES}, ("cuda",))
    program = HostProgram(unit.cuda.text, unit.manifest)

    assert unit.manifest["sizes"] == []
    for mode in MODES:
        witness = in_mode(tadc.compile(text, sizes=sizes, backend="interpreter"), mode)
        arrays = {n: a.astype("float32") for n, a in random_arrays(witness, {}).items()}
        expected = by_name(witness, witness(**{n: a.astype("float64") for n, a in arrays.items()}))
        found = program.run(mode, arrays, {})
        for output in witness.outputs:
            assert relative(found[output], expected[output]) <= 2e-5, (mode, output)


def test_text_for_sizes_has_none_of_them_as_arguments():
    text = "size N\ninput x[N]\ny[i] = x[i]**2"

    with_number = tadc.compile(text, sizes={"N": 1000}).source("cuda")

    assert "int N" not in with_number and "i < N" not in with_number
    assert "int N" in tadc.compile(text).source("cuda")


def test_an_extent_of_zero_has_text():
    text = "size N, M\ninput x[N, M]\ny[i] = sum{j} x[i, j]"

    assert "program_primal" in tadc.compile(text, sizes={"N": 4, "M": 0}).source("cuda")


def test_a_size_that_divides_an_index_has_the_kernels_of_a_call():
    text = "size N, M\ninput x[N]\ny[i: N] = x[i // M * M]"
    sizes = {"N": 1000, "M": 8}

    assert schedules(of_text(text, sizes, "primal")) == schedules(of_call(text, sizes, "primal"))
    f = tadc.compile(text, sizes=sizes, dtype="float32")
    unit = Unit({"primal": f}, ("cuda",))
    x = np.arange(1000, dtype="float32")
    found = HostProgram(unit.cuda.text, unit.manifest).run("primal", {"x": x}, {})
    assert np.array_equal(found["y"], np.repeat(x[::8], 8))
