"""Files for programs that read through data: launchers of C and CUDA with the lists that their own builders make, and numpy."""

import ctypes
import json

import numpy as np
import pytest
from click.testing import CliRunner
from host_run import HostProgram, size_value

import tadc
from tadc import cli
from tadc.function.targets import Unit
from tadc.runtime.cpu.c_compiler import loaded
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc
from tests.data.examples import EXAMPLES
from tests.data.launchers import checked, run_without_lists, with_lists
from tests.data.test_examples import OUTSIDE
from tests.data.test_traps import TRAPS

DEFINED = (
    "interpolation",
    "rounded in a subscript",
    "rounded in a bound",
    "the greatest",
    "of defined indices others",
)
PLAIN = ("two keys",)
LONG = "y[i: 7, c] = sum{e | k[e] = i} w[e]*x[e, c]"


def unit_of(f, target):
    return Unit({"primal": f, "adjoint": f.adjoint()}, (target,))


def arrays_of(example):
    _, given, _, cotangent, _ = example
    return {n: np.array(a) for n, a in given.items()} | {"dy": np.array(cotangent)}


def sizes_of(f, arrays):
    return f.calls.bound([arrays[n] for n in f.inputs], {}).sizes


def run_c(library, manifest, mode, arrays, sizes):
    described = manifest["modes"][mode]
    arrays, sizes = with_lists(library, manifest, mode, arrays, sizes)
    given = [np.ascontiguousarray(arrays[n]) for n in described["inputs"]]
    outputs = [
        np.zeros([size_value(e, sizes) for e in manifest["tensors"][n]["shape"]])
        for n in described["outputs"]
    ]
    workspace = np.zeros(size_value(described["workspace_bytes"], sizes) + 1, np.uint8)
    numbers = [ctypes.c_longlong(sizes[s]) for s in described.get("sizes", manifest["sizes"])]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*given, *outputs, workspace)]
    assert library[described["launcher"]](*pointers, *numbers, ctypes.c_int(2)) == 0
    return dict(zip(described["outputs"], outputs, strict=True))


def called_from_a_file(f, arrays):
    """The value of a program with one output, by its file of C."""
    unit = unit_of(f, "c")
    library = loaded("".join(unit.texts()))
    (found,) = run_c(library, unit.manifest, "primal", arrays, sizes_of(f, arrays)).values()
    return found


def chosen(names):
    return [
        n if n in PLAIN else pytest.param(n, marks=pytest.mark.slow)
        for n in names
        if n not in DEFINED
    ]


@pytest.mark.compiler
@pytest.mark.parametrize("name", chosen(EXAMPLES))
def test_files_of_c_have_the_examples_with_lists_by_their_own_functions(name):
    f = tadc.compile(EXAMPLES[name][0], dtype="float64")
    arrays = arrays_of(EXAMPLES[name])
    unit = unit_of(f, "c")
    library = loaded("".join(unit.texts()))
    sizes = sizes_of(f, arrays)
    arrays[f"d{f.outputs[0]}"] = arrays["dy"]
    (found,) = run_c(library, unit.manifest, "primal", arrays, sizes).values()
    np.testing.assert_allclose(found, EXAMPLES[name][2], rtol=1e-12)
    gradients = run_c(library, unit.manifest, "adjoint", arrays, sizes)
    for x, expected in EXAMPLES[name][4].items():
        np.testing.assert_allclose(gradients[f"d{x}"], expected, rtol=1e-12, atol=1e-14)
    for mode, results in (("primal", {f.outputs[0]: found}), ("adjoint", gradients)):
        if "lists" in unit.manifest["modes"][mode] and unit.manifest["modes"][mode]["lists"]:
            threads = ctypes.c_int(2)
            same = run_without_lists(library, unit.manifest, mode, arrays, sizes, threads)
            for n, result in results.items():
                np.testing.assert_array_equal(same[n], result)


@pytest.mark.compiler
@pytest.mark.parametrize("name", chosen(EXAMPLES))
def test_files_of_cuda_have_the_examples_and_stay_inside(name):
    f = tadc.compile(EXAMPLES[name][0], dtype="float64")
    arrays = arrays_of(EXAMPLES[name])
    unit = unit_of(f, "cuda")
    (text,) = unit.texts()
    host = HostProgram(text, unit.manifest)
    library = ctypes.CDLL(str(host._batch._library))
    arrays[f"d{f.outputs[0]}"] = arrays["dy"]
    for mode in ("primal", "adjoint"):
        given, sizes = with_lists(library, unit.manifest, mode, arrays, sizes_of(f, arrays))
        found = host.run(mode, given, sizes, "backward")
        expected = {f.outputs[0]: EXAMPLES[name][2]} if mode == "primal" else {
            f"d{x}": g for x, g in EXAMPLES[name][4].items()
        }  # fmt: skip
        for output, value in expected.items():
            np.testing.assert_allclose(found[output], value, rtol=1e-12, atol=1e-14)
        if unit.manifest["modes"][mode].get("lists"):  # made by the launcher, where they are null
            host_sizes = sizes_of(f, arrays)
            same = run_without_lists(library, unit.manifest, mode, arrays, host_sizes, None)
            for output, value in found.items():
                np.testing.assert_array_equal(same[output], value)


@pytest.mark.slow
@pytest.mark.compiler
def test_a_file_has_the_bits_of_a_call():
    rng = np.random.default_rng(0)
    k = rng.permutation(np.repeat(np.arange(-1, 9), [3, 0, 1, 511, 512, 513, 3000, 5, 5, 2]))
    arrays = {"k": k, "w": rng.standard_normal(len(k)), "x": rng.standard_normal((len(k), 5))}
    found = called_from_a_file(tadc.compile(LONG, dtype="float64"), arrays)

    np.testing.assert_array_equal(found, tadc.compile(LONG, backend="native")(**arrays))


@pytest.mark.parametrize("name", chosen(EXAMPLES))
def test_modules_of_numpy_make_their_lists(name):
    f = tadc.compile(EXAMPLES[name][0], dtype="float64")
    arrays = arrays_of(EXAMPLES[name])
    arrays[f"d{f.outputs[0]}"] = arrays["dy"]
    expected = {f.outputs[0]: EXAMPLES[name][2]} | {
        f"d{x}": g for x, g in EXAMPLES[name][4].items()
    }
    sizes = sizes_of(f, arrays)
    for g in (f, f.adjoint()):
        module = {}
        exec(g.source("numpy"), module)
        function = module[f"program_{g._mode}"]
        found = function(
            *(arrays[n] for n in g.inputs), **{s: n for s, n in sizes.items() if s in g.sizes}
        )
        for output, value in zip(g.outputs, found, strict=True):
            if output in expected:
                np.testing.assert_allclose(value, expected[output], rtol=1e-12, atol=1e-14)


def test_the_command_line_writes_such_files(tmp_path):
    path = tmp_path / "graph.idx"
    path.write_text("size N\ny[i: N] = sum{e | dst[e] = i} w[e]*x[src[e]]")
    arguments = ["compile", str(path), "--target", "cuda", "--target", "c", "-o", str(tmp_path)]
    assert CliRunner().invoke(cli.commands, arguments).exit_code == 0
    manifest = json.loads((tmp_path / "graph.json").read_text())

    assert manifest["sizes"] == ["N", "E", "x_0"]
    (entry,) = manifest["modes"]["primal"]["lists"]
    assert (entry["of"], entry["keys"]) == (["dst"], ["0..N - 1"])
    assert "graph_primal_list_dst" in (tmp_path / "graph.c").read_text()
    assert 'extern "C" long long graph_primal_list_dst' in (tmp_path / "graph.cu").read_text()


def test_files_say_that_they_compute_no_indices():
    f = tadc.compile("c[p] = floor(u[p]); y[p] = x[c[p]]")
    with pytest.raises(tadc.BackendError, match="`c` is computed, and read as an index"):
        f.source("c")


@pytest.mark.slow
@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("name", [*(n for n in EXAMPLES if n not in DEFINED), *TRAPS])
def test_files_of_cuda_compile_without_a_warning(name):
    f = tadc.compile((EXAMPLES | TRAPS)[name][0])
    (text,) = unit_of(f, "cuda").texts()
    assert not compile_cuda(text, "sm_90").warnings


CHECKED = [o for o in OUTSIDE if "floor" not in o[0]]


@pytest.mark.compiler
@pytest.mark.plain(text=3)
@pytest.mark.parametrize(("text", "given", "tensor", "index"), [o[:4] for o in CHECKED], ids=[o[0] for o in CHECKED])  # fmt: skip
def test_files_have_functions_that_find_the_first_element_outside(text, given, tensor, index):
    f = tadc.compile(text, dtype="float64")
    arrays = {n: np.array(a) for n, a in given.items()}
    unit = unit_of(f, "c")
    library = loaded("".join(unit.texts()))
    sizes = sizes_of(f, arrays)
    status, (number, position) = checked(library, unit.manifest, arrays, sizes)
    assert status == 2
    assert unit.manifest["modes"]["primal"]["check"]["checks"][number]["tensor"] == tensor
    assert np.unravel_index(position, arrays[tensor].shape) == index
    first = 1 if "base 1" in text else 0  # inside of all that are here
    arrays = {n: np.full_like(a, first) for n, a in arrays.items()}
    assert checked(library, unit.manifest, arrays, sizes)[0] == 0


@pytest.mark.compiler
def test_checks_of_files_are_those_of_calls():
    text = "size N\ninput dst[E]: 0..N-1\ny[i: N] = sum{e | dst[e] = i} w[e]*x[2*src[e] - 1, k[src[e]]]"
    f = tadc.compile(text, dtype="float64")
    unit = unit_of(f, "c")
    library = loaded("".join(unit.texts()))
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(200):
        arrays = {"dst": rng.integers(-1, 4, 5) if rng.random() < 0.3 else rng.integers(0, 3, 5),
                  "src": rng.integers(0, 5, 5) if rng.random() < 0.4 else rng.integers(1, 3, 5),
                  "k": rng.integers(-1, 4, 4) if rng.random() < 0.4 else rng.integers(0, 3, 4)}  # fmt: skip
        given = {**arrays, "w": np.ones(5), "x": np.ones((6, 3)), "N": 3}
        sizes = f.calls.bound([given[n] for n in f.inputs], {"N": 3}).sizes
        status, (number, position) = checked(library, unit.manifest, arrays, sizes)
        try:
            f(**given)
        except tadc.DataError as error:
            entry = unit.manifest["modes"]["primal"]["check"]["checks"][number]
            assert (status, entry["tensor"], position) == (2, error.tensor, *error.index), given
            found.add(error.tensor)
        else:
            assert status == 0
    assert found == {"dst", "src", "k"}


@pytest.mark.compiler
@pytest.mark.parametrize("name", ["at_least_one", "made", "status", "sorted_list", "along"])
def test_tensors_and_sizes_may_be_called_like_what_makes_lists(name):
    tensor, size = (name, "N") if name != "along" else ("k", name)
    text = f"size {size}\ny[i: {size}] = sum{{e | {tensor}[e] = i}} w[e]"
    arrays = {tensor: np.array([1, 0, 1]), "w": np.array([1.0, 2, 4])}
    f = tadc.compile(text, dtype="float64")
    unit = unit_of(f, "c")
    library = loaded("".join(unit.texts()))
    (y,) = run_c(library, unit.manifest, "primal", arrays, {size: 2, "E": 3}).values()
    assert y.tolist() == [2, 5]
