"""CUDA text of awkward programs, run on the host: names, index types, launchers, workspace and manifest."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from keyword import iskeyword
from pathlib import Path

import numpy as np
import pytest
from emitted import cuda_file
from host_run import HostBatch, compiled, size_value, size_values
from programs import normal, run

import tadc
from tadc.compiler import adjoint_program, front, gradient_program, tangent_program
from tadc.emit.clike.index_width import numbers
from tadc.errors import Source
from tadc.runtime.binding import bind_sizes
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.gpu.split import split
from tadc.schedule.rewrite.program import scheduled

# Words of C, of CUDA, of the headers, of the text around a kernel; and what identifiers cannot hold.
WORDS = """
    int float double char long short struct template class this new delete union auto register inline asm typename
    threadIdx blockIdx blockDim gridDim warpSize dim3 half float2 gridSize cudaSuccess cudaStream_t cudaLaunchKernel
    thread arguments status blocks free workspace stream workspace_ thread_ size_t NULL main
    s t v s_ s__ exp_ exp expf max min maximum gate square floor_div abs log sum_ s_1 t_1 n
    errno assert EOF INT_MAX RAND_MAX M_PI HUGE_VAL isnan signbit stdin
    α ξ é u3b1 x1 I J0 j0 y1 gamma
"""

# A word as an input, an index, a size, a temporary, an index of a sum.
PLACES = {
    "input": "size N\ninput {w}[N]\nf[i] = exp({w}[i]) + exp({w}[i])**2",
    "index": "size N\ninput x[N]\nf[{w}: N] = x[{w}] + exp(x[{w}])*{w}",
    "size": "size {w}\ninput x[{w}]\nf[i] = x[i]*{w}",
    "temporary": "size N\ninput x[N]\n{w}[i] = exp(x[i])\nf = sum{{i}} {w}[i]",
    "summed": "size N\ninput x[N]\nf[i: N] = sum{{{w}: N}} exp(x[{w}])*x[i]",
}

# name: program, arrays, sizes of the call
X = np.linspace(0.5, 2, 6)
# fmt: off
PROGRAMS = {
    "a scalar of scalars":          ("input x[]\nf = x*x + 1", {"x": 3.0}, {}),
    "a constant":                   ("f = 2.5", {}, {}),
    "extents of 1":                 ("size N, M\ninput x[N, M]\nf[i] = sum{j} x[i, j]", {"x": [[3.0]]}, {}),
    "an output that is an input":   ("input x[6]\noutput x, f\nf[i] = 2*x[i]", {"x": X}, {}),
    "an unused size":               ("size N, M\ninput x[N]\nf[i] = x[i]", {"x": X}, {"M": 7}),
    "an unused input":              ("size N, M\ninput x[N], y[M]\nf[i] = x[i]", {"x": X, "y": [1.0]}, {}),
    "an output read again":         ("input x[6]\noutput f, g\nf[i] = x[i]**2\ng = sum{i} f[i]", {"x": X}, {}),
    "floor below zero":             ("input x[6]\nf[i: 6] = x[(i - 5) // 2 + 3] + (i - 5) // 2 + (i - 4) % 3", {"x": X}, {}),
    "a derived size":               ("size N\ninput x[N]\nf[i: (N - 1) // 2] = x[2*i + 1]", {"x": X}, {}),
    "temporaries of odd sizes":     ("size N\ninput x[N]\nt = sum{i} x[i]\nu[i] = x[i]*t\nv[i: N - 1] = u[i] - u[i+1]\nf[j: N] = sum{i} v[i]*x[j]", {"x": X}, {}),
    "a broadcast":                  ("size N\ninput x[N], c[]\nf[i, j: N, k: 2] = x[i]*c + x[j]*k", {"x": X, "c": 2.0}, {}),
    "nothing in the loop":          ("size N\ninput x[N]\nf[i: N] = sum{k: N | k > i} x[k]", {"x": X}, {}),
    "tests in the loop":            ("input x[6]\nf[i: 6] = sum{k | (i + 2*k) % 3 = 1 and k != i} x[k]", {"x": X}, {}),
    "products and maxima":          ("input x[6]\nf[i: 3] = prod{k | k <= i} x[k] + max{k: 5 | k <= i} min{j: 2} x[k+j]*i", {"x": X}, {}),
    "a sum in a branch":            ("input x[6]\nf[i] = if x[i] > 1 then sum{k | k <= i} exp(x[k]) else exp(x[i])", {"x": X}, {}),
    "shared by both branches":      ("input x[6]\nf[i] = (if x[i] > 1 then exp(x[i])*x[0] else exp(x[i])) + exp(x[i])", {"x": X}, {}),
    "infinities":                   ("input x[6]\nf[i] = max{k: 6 | k < i} x[k] + min(inf, x[i])", {"x": X}, {}),
    "two types":                    ("input x[6], c[6]: float32\nf[i] = x[i] + c[i]\ng[i]: float32 = c[i]*3", {"x": X, "c": np.arange(6.0)}, {}),
    "values beyond 32 bits":        ("input x[6]\nf[i] = x[i]*(1000000000*i)", {"x": X}, {}),
    "sizes times a million":        ("size N\ninput x[N]\nf[i] = x[i]*(1000000*i - 700000000*N)", {"x": X}, {}),
    "conditions beyond 32 bits":    ("input x[6]\nf[i: 6] = sum{k=0..5 | 1000000000*k <= 999999999*i} x[k]", {"x": X}, {}),
    "bounds beyond 32 bits":        ("input x[6]\nf[i: 6] = sum{k=0..3 | 1000000000*k <= 999999999*i - 4000000000} 1.0 + x[i]", {"x": X}, {}),
    "remainders beyond 32 bits":    ("input x[6]\nf[i: 6] = x[(1000000007*i) % 5] + (1000000007*i) // 1000", {"x": X}, {}),
}
# fmt: on


def name_of(number):
    return f"p{number}"


@cache
def words(line):
    """The texts of every word of a line in every place, and one library of them."""
    cases = {
        (w, place): text.format(w=w)
        for w in WORDS.strip().splitlines()[line].split()
        for place, text in PLACES.items()
        if not (place == "size" and iskeyword(w))  # Python evaluates the manifest's sizes
    }
    programs = {case: normal(text) for case, text in cases.items()}
    emitted = [
        cuda_file({"primal": renamed(p, n)}, "", "float64") for n, p in enumerate(programs.values())
    ]
    return programs, HostBatch([(e.text, e.manifest) for e in emitted])


def renamed(program, number):
    return replace(program, name=name_of(number))


@pytest.mark.plain(line=1, place=2)
@pytest.mark.compiler
@pytest.mark.parametrize("line", range(len(WORDS.strip().splitlines())))
@pytest.mark.parametrize("place", PLACES)
def test_anything_may_be_called_like_a_word_of_the_target(place, line):
    programs, batch = words(line)
    for number, ((_, where), program) in enumerate(programs.items()):
        if where != place:
            continue
        arrays = {program.inputs[0].name: np.array([0.1, 0.2, 0.7])}
        sizes = bind_sizes(program, {n: a.shape for n, a in arrays.items()}, {})
        found = batch.run(number, "primal", arrays, sizes)
        (expected,) = run(program, arrays).values()
        np.testing.assert_allclose(next(iter(found.values())), expected, rtol=1e-12)


@cache
def awkward():
    """The programs with their tangents and adjoints, and one library of them."""
    found = []
    for number, (text, _, _) in enumerate(PROGRAMS.values()):
        program = renamed(normal(text), number)
        wrt = [t.name for t in program.inputs]
        modes = {"primal": program}
        if wrt:
            modes |= {
                "adjoint": adjoint_program(program, wrt),
                "tangent": tangent_program(program, wrt),
            }
        found.append((modes, cuda_file(modes, text, "float64")))
    return found, HostBatch([(e.text, e.manifest) for _, e in found])


@pytest.mark.plain(name=4)
@pytest.mark.compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_kernels_compute_what_the_interpreter_does(name):
    _, arrays, given = PROGRAMS[name]
    number = list(PROGRAMS).index(name)
    found, batch = awkward()
    modes, _ = found[number]
    arrays = {n: np.asarray(a, np.float64) for n, a in arrays.items()}
    sizes = bind_sizes(modes["primal"], {n: a.shape for n, a in arrays.items()}, given)
    for mode, program in modes.items():
        inputs = dict(arrays)
        for t in program.inputs:
            shape = [n.at(sizes) for n in t.shape]
            inputs.setdefault(
                t.name, np.random.default_rng(0).uniform(1, 2, shape).astype(t.dtype or "f8")
            )
        expected = run(program, inputs, given)
        for order in ("forward", "backward"):
            outputs = batch.run(number, mode, inputs, sizes, order)
            for value, wanted in zip(outputs.values(), expected.values(), strict=True):
                np.testing.assert_allclose(value, wanted, rtol=1e-6 if "types" in name else 1e-12)


@pytest.mark.plain(name=2)
@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*PROGRAMS, "words"])
def test_nvrtc_accepts_the_text_without_warnings(name, dtype):
    if name == "words":
        texts = [PLACES[p].format(w=w) for w in ("α", "thread", "int", "min") for p in PLACES]
        modes = {f"m{k}": normal(text) for k, text in enumerate(texts)}
    else:
        modes = awkward_modes(name)
    assert not compile_cuda(cuda_file(modes, "", dtype).text, "sm_90").warnings


def awkward_modes(name):
    program = normal(PROGRAMS[name][0])
    wrt = [t.name for t in program.inputs]
    return {"primal": program} | ({"adjoint": adjoint_program(program, wrt)} if wrt else {})


# ---- Index types


def emitted(text, dtype="float32", **sizes):
    return cuda_file({"primal": normal(text, **sizes)}, text, dtype)


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n.endswith("32 bits") or "million" in n])
def test_numbers_beyond_32_bits_take_64(name):
    assert emitted(PROGRAMS[name][0]).manifest["index_type"] == "int64"


@pytest.mark.parametrize(
    ("text", "index_type"),
    [
        ("input x[3, 3]\nf[i] = x[i, 2 - i]", "int32"),
        ("input x[2000, 1000000]\nf[i: 3] = x[i, i]", "int32"),
        ("input x[3000, 1000000]\nf[i: 3] = x[i, i]", "int64"),
        ("input x[2147483647]\nf = x[0]", "int64"),  # the grid steps past it
        ("input x[3]\nf[i] = x[i]*2147483648", "int32"),  # a number, and no index
        ("input x[3]\nf[i] = x[i]*(i + 2147483647)", "int64"),
        ("input x[3]\nf[i] = x[i]*(i - 2147483640)", "int64"),
    ],
)
def test_the_index_type_is_the_narrowest_that_holds_every_number(text, index_type):
    assert emitted(text).manifest["index_type"] == index_type


def test_bounds_of_numbers_are_met():
    """By enumeration: no index expression of the random programs is larger than what is promised."""
    program = normal(
        "size N, M\ninput x[N]\nf[i: M] = sum{k=-2*M..i} (3*k - 2*i + N)*x[0] + (i // 3)"
    )
    bounds = numbers(program).bounds

    for n, m in ((1, 1), (4, 7), (9, 2)):
        highest = max(form.at({"N": n, "M": m}) / divisor for form, divisor in bounds)
        met = [abs(3 * k - 2 * i + n) for i in range(m) for k in range(-2 * m, i + 1)]
        assert highest >= max(met)


# ---- Launchers and manifests


@cache
def facts():
    text = "size N, M, K\ninput x[2*N + 1, M]\nf[i: N] = (sum{j} x[2*i, j])*K"
    unequal = "size N\ninput x[N]\nf[i: N - 2] = x[i + 2]"
    texts = [
        cuda_file({"primal": renamed(normal(t), n)}, "", "float32")
        for n, t in enumerate((text, unequal))
    ]
    return HostBatch([(e.text, e.manifest) for e in texts])


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("number", "sizes"),
    [
        (0, {"N": 0, "M": 1, "K": 1}),
        (0, {"N": -1, "M": 1, "K": 1}),
        (0, {"N": 1, "M": 0, "K": 1}),
        (0, {"N": 1, "M": 1, "K": 0}),  # no extent, but kernels suppose it too
        (0, {"N": 1, "M": 1, "K": -3}),
        (0, {"N": 2**31 - 1, "M": 1, "K": 1}),  # 2*N + 1 overflows
        (0, {"N": 3 * 2**29, "M": 1, "K": 1}),
        (0, {"N": 2**15, "M": 2**15, "K": 1}),  # every extent fits, their product does not
        (1, {"N": 2}),
        (1, {"N": 2**31 - 1}),
    ],
)
def test_a_launcher_refuses_sizes_that_its_kernels_do_not_know(number, sizes):
    assert status(number, sizes) == 1


def status(number, sizes):
    """What the launcher returns for null pointers: it must not touch them."""
    batch = facts()
    _, manifest = batch._programs[number]
    library = ctypes.CDLL(str(compiled(batch._unit)))
    mode = manifest["modes"]["primal"]
    pointers = [ctypes.c_void_p(None)] * (len(mode["inputs"]) + len(mode["outputs"]) + 1)
    numbers_ = [ctypes.c_int(sizes[s]) for s in manifest["sizes"]]
    library.cuda_host_prepare(0, 0)
    return getattr(library, mode["launcher"])(*pointers, *numbers_, ctypes.c_void_p(None))


def test_temporaries_begin_at_multiples_of_256_bytes_and_fit_into_the_workspace():
    name = "temporaries of odd sizes"
    text = PROGRAMS[name][0]
    modes = awkward_modes(name)
    made = cuda_file(modes, text, "float64")
    for n in (3, 5, 32, 33):
        sizes = size_values(made.manifest, {"N": n})
        for mode, program in modes.items():
            temporaries = [
                s.target
                for s in split(scheduled(program), None, HOPPER).statements
                if s.target.name not in program.outputs
            ]
            bytes_ = sum(
                -(-8 * int(np.prod([e.at(sizes) for e in t.shape])) // 256) * 256
                for t in temporaries
            )
            assert size_value(made.manifest["modes"][mode]["workspace_bytes"], sizes) == bytes_


def test_the_manifest_names_what_the_text_has():
    text, _, _ = PROGRAMS["temporaries of odd sizes"]
    modes = awkward_modes("temporaries of odd sizes")
    made = cuda_file(modes, text, "float32")

    assert made.manifest["source"] == text
    for mode, entry in made.manifest["modes"].items():
        assert f'extern "C" int {entry["launcher"]}(' in made.text
        for kernel in entry["kernels"]:
            signature = re.search(rf"\n{kernel['name']}\((.*)\) {{", made.text)
            given = [p.split()[-1] for p in signature[1].split(", ")]
            assert given == kernel["arguments"]
            blocks = size_value(kernel["grid"][0], {"N": 1000})
            assert blocks in ((1, 4) if "thread" in kernel["schedule"] else range(1, 32769))
        assert entry["inputs"] == [t.name for t in modes[mode].inputs]


def test_the_same_program_gives_the_same_text():
    for text, _, _ in PROGRAMS.values():
        assert emitted(text).text == emitted(text).text


def test_a_program_called_like_its_tensor_and_like_a_kernel():
    program = front(Source("input p_primal_0[3]\nf[i] = p_primal_0[i]"), "idx", "p", {}).program
    text = cuda_file({"primal": program}, "", "float32").text

    assert "cudaLaunchKernel(p_primal_0," in text
    assert "const float* p_primal_0_," in text


def test_the_gradient_of_a_mean_has_no_atomics():
    program = normal("size N\ninput x[N]\nf = mean{i} x[i]**2")

    text = cuda_file({"gradient": gradient_program(program, ["x"])}, "", "float32").text

    assert "atomic" not in text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_the_example_of_the_guide_is_compiled_by_nvcc(tmp_path):
    root = Path(__file__).parents[2]
    guide = (root / "docs" / "gpu.md").read_text("utf-8")
    (main,) = re.findall(r"```c\+\+\n(.*?)```", guide, re.DOTALL)
    f = tadc.load(root / "examples" / "hankel.idx")
    modes = {"primal": f.program, "adjoint": f.adjoint().program}
    (tmp_path / "hankel.cu").write_text(cuda_file(modes, "", "float32").text, "utf-8")
    (tmp_path / "main.cu").write_text(main, "utf-8")

    command = ["nvcc", "main.cu", "hankel.cu", "-o", "main"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert made.returncode == 0, made.stderr
    if shutil.which("nvidia-smi"):
        ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
        assert ran.stdout == "0: 3 6 9 12\n"


def test_the_examples_that_are_explained_are_the_text_of_today():
    root = Path(__file__).parents[2]
    guide = (root / "docs" / "kernels.md").read_text("utf-8")
    functions = [tadc.load(root / f"examples/{name}.idx") for name in ("hankel", "conv2d")]
    functions += map(tadc.compile, re.findall(r"```text\n(.*?)```", guide, re.DOTALL))
    texts = "".join(g.source("cuda") for f in functions for g in (f, f.adjoint()))

    blocks = re.findall(r"```cuda\n(.*?)```", guide, re.DOTALL)

    assert len(blocks) == 8
    for block in blocks:
        assert block in texts
