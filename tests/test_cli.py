"""The command line, mostly in this process; streams, signals and `python -m tadc` in one of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import tadc
from tadc import cli, function
from tadc.runtime.cpu.c_compiler import compiler

PAPER = Path(__file__).parent.parent / "examples" / "paper.tex"
CONV = "y[n,o,p] = sum{c, r} x[n,c,p+r] * w[o,c,r]\n"
MATMUL = "size N\ninput a[N, 2], b[2, 3]\nc[i, j] = sum{k} a[i,k] * b[k,j]\n"
BROKEN = "y[i] = x[i] +\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TADC_TRACEBACK", raising=False)
    (tmp_path / "conv.idx").write_text(CONV)
    (tmp_path / "matmul.idx").write_text(MATMUL)
    (tmp_path / "broken.idx").write_text(BROKEN)
    return tmp_path


def tadc_(*arguments):
    """The result of `tadc arguments`, for a bug of the command line with its traceback."""
    result = CliRunner().invoke(cli.commands, arguments, prog_name="tadc")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def process(*arguments, **options):
    root = Path(tadc.__file__).parent.parent
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-m", "tadc", *arguments],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        **options,
    )


def files(folder=Path()):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def manifest(path):
    return json.loads(Path(path).read_text())


GIVEN = ["broken.idx", "conv.idx", "matmul.idx"]


# ---------------------------------------------------------------------- compile


def test_compile_writes_all_modes_in_one_file_and_a_manifest_beside_it():
    result = tadc_("compile", "conv.idx", "-o", "build")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"conv.idx -> {Path('build/conv.cu')}, {Path('build/conv.json')}\n"
    assert files(Path("build")) == ["conv.cu", "conv.json"]
    text = Path("build/conv.cu").read_text()
    assert "conv_primal_0" in text and "conv_adjoint_0" in text
    described = manifest("build/conv.json")
    assert (described["program"], described["source"]) == ("conv", CONV)
    assert list(described["modes"]) == ["primal", "adjoint"]
    assert described["modes"]["adjoint"]["kernels"]


def test_text_of_any_sizes_says_how_many_bytes_it_needs():
    text = "size N, M\ninput x[N, M]\noutput y\ns[i] = sum{j} exp(x[i, j])\ny[i, j] = exp(x[i, j])/s[i]\n"
    Path("norm.idx").write_text(text)

    def bytes_of(*options, **sizes):
        assert tadc_("compile", "norm.idx", "-o", "build", *options).exit_code == 0
        modes = manifest("build/norm.json")["modes"]
        return {n: eval(mode["workspace_bytes"], {}, sizes) for n, mode in modes.items()}

    stored = bytes_of(N=1000, M=1000)
    assert stored == {"primal": 4096, "adjoint": 4 * 10**6 + 2 * 4096}
    assert bytes_of("--memory", "recompute", N=1000, M=1000)["adjoint"] < stored["adjoint"]


def test_text_for_tensor_cores_has_instructions_for_matrices_where_sizes_are_given():
    Path("product.idx").write_text(
        "size I, J, K\ninput a[I, K], b[K, J]\nc[i, j] = sum{k} a[i, k]*b[k, j]\n"
    )
    sizes = [f"--size={s}=1024" for s in "IJK"]

    def multiplies(*options):
        result = tadc_("compile", "product.idx", "-o", "build", "--mode", "primal", *options)
        assert result.exit_code == 0, result.stderr
        return "add_products_tf32" in Path("build/product.cu").read_text()

    assert multiplies("--tensor-cores", *sizes)
    assert not multiplies("--tensor-cores") and not multiplies(*sizes)
    refused = tadc_("compile", "product.idx", "--target", "c", "--tensor-cores")
    assert refused.exit_code == 2 and "--target cuda" in refused.stderr


PAIRS = """size N, M, D
input x[N, D], c[M, D], w[M], gamma[]
f[i] = sum{j} w[j]*exp(-gamma*sum{d} (x[i, d] - c[j, d])**2)
"""


def workspaces(*options):
    """The bytes of each mode of `PAIRS`, as a function of the sizes."""
    Path("pairs.idx").write_text(PAIRS)
    assert tadc_("compile", "pairs.idx", "-o", "build", *options).exit_code == 0
    modes = manifest("build/pairs.json")["modes"]
    return {n: partial(eval, mode["workspace_bytes"], {}) for n, mode in modes.items()}


@pytest.mark.parametrize("count", [30, 100_000])
def test_text_of_given_sizes_stores_what_a_call_of_these_sizes_would(count):
    sizes = {"N": count, "M": count, "D": 3}

    found = workspaces(*(f"--size={s}={n}" for s, n in sizes.items()))

    f = tadc.compile(PAIRS, backend="cuda", dtype="float32")
    pairs = 4 * count**2
    for name, mode in (("primal", f), ("adjoint", f.adjoint())):
        stored = mode.plan(**sizes).stored
        assert (
            sum(stored.values()) <= found[name]({}) < sum(stored.values()) + 256 * (len(stored) + 1)
        )
        assert count < 1000 or found[name]({}) < pairs / 50  # parts of sums
    given = [f"--size={s}={n}" for s, n in sizes.items()]
    everything = workspaces("--memory", "materialize", *given)
    assert count < 1000 or everything["adjoint"]({}) >= pairs


def test_text_of_any_sizes_needs_no_more_than_a_call_of_a_thousand_would():
    sizes = {"N": 1000, "M": 1000, "D": 1000}
    inputs_and_outputs = 4 * (2 * 10**6 + 2 * 10**3)

    found = {name: bytes_(sizes) for name, bytes_ in workspaces().items()}

    assert found["primal"] <= max(4 * inputs_and_outputs, 2**31)
    assert found["adjoint"] <= max(4 * 2 * inputs_and_outputs, 2**31)


def test_compile_writes_to_the_current_folder_without_a_place():
    assert tadc_("compile", "conv.idx").exit_code == 0
    assert files() == sorted([*GIVEN, "conv.cu", "conv.json"])


def test_targets_other_than_cuda_have_one_file_a_mode():
    targets = ("--target", "idx", "--target", "numpy", "--target", "idx")
    result = tadc_("compile", "conv.idx", *targets, "--mode", "primal", "--mode", "tangent")

    assert result.exit_code == 0
    names = ["conv.primal.idx", "conv.tangent.idx", "conv.primal.py", "conv.tangent.py"]
    assert files() == sorted([*GIVEN, "conv.json", *names])
    assert "dx" in Path("conv.tangent.idx").read_text()
    compile(Path("conv.tangent.py").read_text(), "conv.tangent.py", "exec")


def test_what_compile_writes_as_idx_is_the_same_program():
    tadc_("compile", "conv.idx", "--target", "idx")

    f = tadc.load("conv.idx")
    assert str(tadc.load("conv.primal.idx")) == str(f)
    assert str(tadc.load("conv.adjoint.idx")) == str(f.adjoint())


def test_the_manifest_of_numpy_text_names_its_functions_and_no_kernels():
    tadc_("compile", "conv.idx", "--target", "numpy")

    mode = manifest("conv.json")["modes"]["adjoint"]
    assert (mode["launcher"], mode["kernels"]) == ("conv_adjoint", [])
    assert "def conv_adjoint(" in Path("conv.adjoint.py").read_text()


def test_the_manifest_of_idx_text_has_no_launcher():
    tadc_("compile", "conv.idx", "--target", "idx")

    mode = manifest("conv.json")["modes"]["primal"]
    assert (mode["launcher"], mode["inputs"], mode["outputs"]) == (None, ["x", "w"], ["y"])


def test_a_latex_document_is_compiled_too():
    assert tadc_("compile", str(PAPER), "-o", "build").exit_code == 0
    assert manifest("build/paper.json")["modes"]["adjoint"]["outputs"] == ["da", "db", "dc", "dd"]


def test_text_is_generated_for_float32_unless_the_command_says_otherwise():
    tadc_("compile", "conv.idx", "-o", "single")
    tadc_("compile", "conv.idx", "-o", "double", "--dtype", "float64")

    assert "const double*" not in Path("single/conv.cu").read_text()
    assert "const double*" in Path("double/conv.cu").read_text()
    assert manifest("double/conv.json")["tensors"]["x"]["dtype"] == "float64"


def test_elements_of_16_bits_are_for_cuda_and_have_no_atomic_additions():
    assert tadc_("compile", "conv.idx", "--target", "cuda", "--dtype", "bfloat16").exit_code == 0
    refused = tadc_("compile", "conv.idx", "--dtype", "float16", "--baseline", "atomic")

    assert "const bfloat16* __restrict__ x" in Path("conv.cu").read_text()
    assert manifest("conv.json")["tensors"]["dx"]["dtype"] == "bfloat16"
    assert refused.exit_code == 1 and "no atomic additions" in refused.stderr


def test_a_size_of_the_command_line_is_a_number_in_the_text():
    tadc_("compile", "matmul.idx", "--size", "N=64")

    described = manifest("matmul.json")
    assert described["sizes"] == []
    assert described["tensors"]["a"]["shape"] == ["64", "2"]


def test_a_number_for_a_size_that_only_calls_bind_is_refused():
    Path("sum.idx").write_text("s = sum{i} x[i]\n")
    size = tadc.load("sum.idx").program.sizes[0]

    result = tadc_("compile", "sum.idx", "--size", f"{size}=64")

    if result.exit_code == 0:  # numbers for such sizes are understood
        assert manifest("sum.json")["sizes"] == []
    else:
        assert result.exit_code == 1
        assert f"`{size}` is not declared" in result.stderr


def test_derivatives_are_by_the_inputs_that_are_named():
    tadc_("compile", "conv.idx", "--wrt", "w, x", "--mode", "adjoint")
    assert manifest("conv.json")["modes"]["adjoint"]["outputs"] == ["dw", "dx"]

    tadc_("compile", "conv.idx", "--wrt", "w", "--mode", "adjoint", "--mode", "jacobian")
    modes = manifest("conv.json")["modes"]
    assert (modes["adjoint"]["outputs"], modes["jacobian"]["outputs"]) == (["dw"], ["dy_dw"])


def test_an_index_base_of_the_command_line_counts_from_one():
    Path("shifted.idx").write_text("input x[8]\ny[i: 7] = x[i+1]\n")
    tadc_("compile", "shifted.idx", "--index-base", "1", "--target", "idx", "--mode", "primal")

    assert "x[i + 1]" in Path("shifted.primal.idx").read_text()
    assert tadc_("show", "shifted.idx", "--index-base", "2").exit_code == 2


@pytest.mark.parametrize("stem", ["my conv-2", "2d", "int", "αβ", "a.b", "__", "main"])
def test_the_name_of_the_program_is_an_identifier_whatever_the_file_is_called(stem):
    Path(f"{stem}.idx").write_text(CONV)

    assert tadc_("compile", f"{stem}.idx").exit_code == 0
    name = manifest(f"{stem}.json")["program"]
    assert name.isidentifier() and name.isascii()


# ---------------------------------------------------------------------- several files, whole or not at all


def test_good_files_are_written_when_others_are_bad_and_all_errors_are_shown():
    Path("broken2.idx").write_text("z[i] = q[i]**\n")
    result = tadc_("compile", "broken.idx", "conv.idx", "missing.idx", "broken2.idx", "-o", "out")

    assert result.exit_code == 1
    assert files(Path("out")) == ["conv.cu", "conv.json"]
    assert result.stdout.startswith("conv.idx -> ")
    for place in ("broken.idx:1:", "missing.idx: ", "broken2.idx:1:"):
        assert place in result.stderr
    assert "\n    y[i] = x[i] +\n" in result.stderr and "^" in result.stderr


def test_an_error_without_a_place_names_its_file():
    Path("unused.idx").write_text("f = a + b\n")
    result = tadc_("compile", "conv.idx", "unused.idx", "--wrt", "x")

    assert result.exit_code == 1
    assert result.stderr.startswith("unused.idx: `x` is no input\n")
    assert "conv.cu" in files() and "unused.cu" not in files()


def test_files_written_before_stay_when_the_new_text_has_an_error():
    tadc_("compile", "conv.idx")
    before = Path("conv.cu").read_bytes()
    Path("conv.idx").write_text(BROKEN)

    assert tadc_("compile", "conv.idx").exit_code == 1
    assert Path("conv.cu").read_bytes() == before


def test_nothing_is_written_when_one_output_cannot_be():
    Path("out/conv.json").mkdir(parents=True)
    result = tadc_("compile", "conv.idx", "matmul.idx", "-o", "out")

    assert result.exit_code == 1
    assert files(Path("out")) == ["matmul.cu", "matmul.json"]
    assert "conv.json exists and is not a file" in result.stderr


def test_a_full_disk_leaves_nothing_behind(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tadc.runtime.files.os.replace", full)
    result = tadc_("compile", "conv.idx", "-o", "out")

    assert result.exit_code == 1
    assert "No space left on device" in result.stderr
    assert files(Path("out")) == []


def test_a_write_protected_output_is_not_replaced():
    Path("conv.cu").write_text("mine")
    Path("conv.cu").chmod(0o444)
    if os.access("conv.cu", os.W_OK):
        pytest.skip("this user may write everywhere")

    assert tadc_("compile", "conv.idx").exit_code == 1
    assert Path("conv.cu").read_text() == "mine"
    assert "conv.json" not in files()


def test_two_inputs_with_one_stem_are_an_error_before_anything_is_written():
    Path("other").mkdir()
    Path("other/conv.tex").write_text("$$ f_i = x_i $$")
    result = tadc_("compile", "matmul.idx", "conv.idx", "other/conv.tex", "-o", "out")

    assert result.exit_code == 1
    assert "conv.idx" in result.stderr and "conv.tex" in result.stderr
    assert not Path("out").exists()


def test_an_output_over_an_input_is_an_error_before_anything_is_written():
    Path("conv.primal.idx").write_text(CONV)
    given = files()
    result = tadc_("compile", "matmul.idx", "conv.idx", "conv.primal.idx", "--target", "idx")

    assert result.exit_code == 1
    assert "would overwrite the input conv.primal.idx" in result.stderr
    assert files() == given
    assert Path("conv.primal.idx").read_text() == CONV


def test_an_output_over_its_own_input_is_an_error_also_through_a_link():
    Path("conv.cu").symlink_to("conv.idx")

    assert tadc_("compile", "conv.idx").exit_code == 1
    assert Path("conv.idx").read_text() == CONV


def test_the_folder_of_the_outputs_cannot_be_a_file():
    result = tadc_("compile", "conv.idx", "-o", "matmul.idx")

    assert result.exit_code == 1
    assert Path("matmul.idx").read_text() == MATMUL


# ---------------------------------------------------------------------- statuses


USAGE = {
    "no command": [],
    "an unknown command": ["frobnicate"],
    "no file": ["compile"],
    "an unknown option": ["compile", "conv.idx", "--fast"],
    "an unknown target": ["compile", "conv.idx", "--target", "fortran"],
    "an unknown mode": ["compile", "conv.idx", "--mode", "backward"],
    "an unknown dtype": ["compile", "conv.idx", "--dtype", "int8"],
    "a dtype of GPUs for a target of the CPU": [
        "compile",
        "conv.idx",
        "--target",
        "c",
        "--dtype",
        "float16",
    ],
    "an unknown baseline": ["compile", "conv.idx", "--baseline", "fast"],
    "an unknown format": ["show", "conv.idx", "--format", "html"],
    "an unknown backend": ["run", "conv.idx", "--backend", "tpu"],
    "a size without a number": ["show", "conv.idx", "--size", "N"],
    "a size with a word": ["show", "conv.idx", "--size", "N=four"],
    "a negative size": ["show", "conv.idx", "--size", "N=-4"],
    "a size of a real number": ["show", "conv.idx", "--size", "N=4.0"],
    "a size of thousands of digits": ["show", "conv.idx", "--size", "N=" + "9" * 5000],
    "two numbers for a size": ["show", "conv.idx", "--size", "N=4", "--size", "N=5"],
    "an empty name in wrt": ["show", "conv.idx", "--wrt", "x,"],
    "an argument without a name": ["run", "conv.idx", "=x.npy"],
    "an argument without a value": ["run", "conv.idx", "x="],
    "an argument without either": ["run", "conv.idx", "x.npy"],
    "an argument that is given twice": ["run", "conv.idx", "x=a.npy", "x=b.npy"],
    "a negative seed": ["check", "conv.idx", "--seed", "-1"],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE.keys())
def test_a_wrong_command_line_has_status_2(arguments):
    result = tadc_(*arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage: tadc" in result.stderr
    assert files() == GIVEN


INPUT = {
    "a missing file": (["show", "missing.idx"], "missing.idx: No such file or directory"),
    "a folder": (["show", "."], ".: Is a directory"),
    "an error in the text": (["show", "broken.idx"], "broken.idx:1:"),
    "an unknown name in wrt": (["show", "conv.idx", "--wrt", "q"], "`q` is no input"),
    "a name twice in wrt": (["show", "conv.idx", "--mode", "adjoint", "--wrt", "x,x"], "twice"),
    "a jacobian by two inputs": (["show", "conv.idx", "--mode", "jacobian"], "by one input"),
    "a missing array": (["run", "conv.idx"], "the input `x` is missing"),
    "a missing .npy file": (["run", "conv.idx", "x=no.npy"], "no.npy: No such file"),
    "an unknown argument": (["run", "conv.idx", "q=1"], "no input or size `q`"),
    "what is no .npy file": (["run", "conv.idx", "x=conv.idx"], "not a .npy file"),
    "a folder of arrays": (["run", "conv.idx", "x=."], ".: Is a directory"),
    "a number for a tensor": (["run", "conv.idx", "x=3.5", "w=1"], "dimensions"),
    "an inverse without sizes": (
        ["compile", "conv.idx", "--mode", "inverse-adjoint"],
        "are missing",
    ),
}


@pytest.mark.parametrize(("arguments", "said"), INPUT.values(), ids=INPUT.keys())
def test_an_error_in_the_input_has_status_1(arguments, said):
    result = tadc_(*arguments)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert said in result.stderr
    assert files() == GIVEN


def test_inverse_modes_are_run():
    Path("coupling.idx").write_text("state a, b\nb <- b*(1 + a**2) + a\n")
    point = ("a=2.0", "b=3.0")

    solved = tadc_("run", "coupling.idx", *point, "da=1.0", "db=18.0", "--mode", "inverse-tangent")
    logdet = tadc_("run", "coupling.idx", *point, "--mode", "logdet")

    assert solved.stdout == "da = array(1.)\ndb = array(1.)\n", solved.stderr
    assert float(logdet.stdout.strip()[6:-1]) == pytest.approx(np.log(5))


def test_derivatives_of_long_loops_are_run_and_have_no_text():
    Path("decay.idx").write_text("size T\nstate x\ninput r\nrepeat T { x <- x*r }\n")
    call = ("decay.idx", "x=2.0", "r=0.999", "--size", "T=1000", "--mode")

    adjoint = tadc_("run", *call, "adjoint", "dx_=1.0")
    text = tadc_("show", "decay.idx", "--size", "T=1000", "--mode", "adjoint")
    steps = tadc_("show", "decay.idx", "--size", "T=1000", "--mode", "logdet", "--plan")

    found = dict(line.split(" = ") for line in adjoint.stdout.splitlines())
    assert float(found["dr"][6:-1]) == pytest.approx(2000 * 0.999**999)
    assert "loops are too long" in text.stderr
    assert steps.stdout.startswith("step 0: x_ (line 4): l = 1, k = 0, diagonal")


def test_inverse_modes_with_diagonal_steps_are_texts():
    Path("parts.idx").write_text("size N\nstate u[N]\nu[i | i >= 1] <- u[i]*(2 + u[0])\n")
    size = ("--size", "N=4")

    shown = tadc_("show", "parts.idx", "--mode", "inverse-tangent", *size)
    steps = tadc_("show", "parts.idx", "--mode", "inverse-tangent", "--plan", *size)
    written = tadc_("compile", "parts.idx", "--mode", "logdet", "--mode", "inverse-adjoint", *size)
    without = tadc_("compile", "parts.idx", "--mode", "logdet")

    assert shown.stdout.startswith("input u[4], du_[4]\noutput du\n")
    assert steps.stdout.startswith(
        "step 0: u_ (line 3): l = 4, k = 0, diagonal: each element is of"
    )
    assert "parts_inverse_adjoint(" in Path("parts.cu").read_text(), written.stderr
    assert "--size N=8" in without.stderr


def test_a_thousand_rounds_are_run():
    Path("loop.idx").write_text("size T\nstate x\nrepeat T { x <- x + 1 }\n")

    result = tadc_("run", "loop.idx", "x=0.0", "--size", "T=1000")

    assert result.stdout == "array(1000.)\n", result.stderr
    assert "too long" in tadc_("show", "loop.idx", "--size", "T=1000").stderr


@pytest.mark.parametrize("command", ["compile", "show", "run", "check", "bench"])
def test_a_number_for_a_size_that_the_program_does_not_have_has_status_1(command):
    Path("grid.idx").write_text("size N\nt[i: N] = i\n")
    result = tadc_(command, "grid.idx", "--size", "N=2", "--size", "Q=3")

    assert result.exit_code == 1
    assert "`Q`" in result.stderr


def test_a_file_that_may_not_be_read_has_status_1():
    Path("conv.idx").chmod(0)
    if os.access("conv.idx", os.R_OK):
        pytest.skip("this user may read everything")

    result = tadc_("show", "conv.idx")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "conv.idx: Permission denied" in result.stderr


def test_a_bug_is_one_sentence_with_a_request_to_report_it(monkeypatch):
    def bug(*_, **__):
        raise AssertionError("an invariant")

    monkeypatch.setattr(function, "load", bug)
    result = tadc_("show", "conv.idx")

    assert result.exit_code == 70
    assert "AssertionError: an invariant\nplease report it" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_bug_in_one_file_does_not_keep_others_from_being_compiled(monkeypatch):
    load = function.load

    def bug(file, **options):
        if file == "conv.idx":
            raise AssertionError("an invariant")
        return load(file, **options)

    monkeypatch.setattr(function, "load", bug)
    result = tadc_("compile", "broken.idx", "conv.idx", "matmul.idx")

    assert result.exit_code == 70
    assert "conv.idx: this is a bug" in result.stderr
    assert "matmul.cu" in files()


def test_a_bug_shows_its_traceback_to_whom_asks_for_it(monkeypatch):
    def bug(*_, **__):
        raise AssertionError("an invariant")

    monkeypatch.setattr(function, "load", bug)
    monkeypatch.setenv("TADC_TRACEBACK", "1")

    with pytest.raises(AssertionError, match="an invariant"):
        tadc_("show", "conv.idx")


def test_ctrl_c_has_status_130_and_leaves_nothing_behind(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("tadc.runtime.files.os.replace", interrupted)
    result = tadc_("compile", "conv.idx", "-o", "out")

    assert (result.exit_code, result.stderr) == (130, "")
    assert files(Path("out")) == []


def test_too_little_memory_is_an_error_of_the_input(monkeypatch):
    def large(*_, **__):
        raise MemoryError

    monkeypatch.setattr(function, "load", large)
    result = tadc_("show", "conv.idx")

    assert result.exit_code == 1
    assert "not enough memory" in result.stderr


# ---------------------------------------------------------------------- show


def test_show_prints_the_program_with_its_ranges():
    result = tadc_("show", "conv.idx")

    assert result.exit_code == 0
    assert result.stdout == str(tadc.load("conv.idx"))


@pytest.mark.parametrize("format_", ["text", "idx"])
def test_show_prints_a_derivative_with_its_bounds(format_):
    result = tadc_("show", "conv.idx", "--mode", "adjoint", "--wrt", "w", "--format", format_)

    assert result.stdout == str(tadc.load("conv.idx").adjoint("w"))


def test_show_puts_numbers_for_sizes():
    assert "input a[7, 2], b[2, 3]\n" in tadc_("show", "matmul.idx", "--size", "N=7").stdout


def test_the_table_of_ranges_has_each_index_with_the_rule_and_place_that_gave_it():
    Path("sums.idx").write_text("y[p] = sum{r} x[p+r] * w[r]\nz[i: 3] = sum{k=0..i} w[k]\n")
    result = tadc_("show", "sums.idx", "--ranges")

    assert result.exit_code == 0
    head, *rows = (line.split() for line in result.stdout.splitlines())
    assert head == ["index", "statement", "range", "rule", "place"]
    by_index = {row[0]: row for row in rows}
    assert set(by_index) == {"p", "r", "i", "k"}
    assert by_index["r"][-2:] == ["sums.idx:1:26", "`r`"]
    assert by_index["p"][-2:] == ["sums.idx:1:17", "`p+r`"]
    assert "2," in by_index["r"] and "3," in by_index["p"]
    assert "1," in by_index["i"] and "1," in by_index["k"]
    assert "0..2" in by_index["i"]


def test_a_program_without_indices_has_an_empty_table_of_ranges():
    Path("scalar.idx").write_text("f = a * b\n")

    assert tadc_("show", "scalar.idx", "--ranges").stdout.split() == [
        *("index", "statement", "range", "rule", "place")
    ]


# ---------------------------------------------------------------------- run


@pytest.fixture
def arrays():
    random = np.random.default_rng(0)
    values = {"a": random.random((4, 2)), "b": random.random((2, 3)), "dc": random.random((4, 3))}
    for name, value in values.items():
        np.save(f"{name}.npy", value)
    return values


def test_run_prints_the_output(arrays):
    result = tadc_("run", "matmul.idx", "a=a.npy", "b=b.npy")

    assert result.exit_code == 0
    printed = eval(result.stdout, {"array": np.array})
    np.testing.assert_allclose(printed, arrays["a"] @ arrays["b"], rtol=1e-6)


def test_run_prints_several_outputs_with_their_names(arrays):
    result = tadc_("run", "matmul.idx", "--mode", "adjoint", *(f"{n}={n}.npy" for n in arrays))

    printed = {"array": np.array}
    exec(result.stdout, printed)
    np.testing.assert_allclose(printed["da"], arrays["dc"] @ arrays["b"].T, rtol=1e-6)
    np.testing.assert_allclose(printed["db"], arrays["a"].T @ arrays["dc"], rtol=1e-6)


def test_run_saves_one_output_as_a_file(arrays):
    result = tadc_("run", "matmul.idx", "a=a.npy", "b=b.npy", "-o", "out/c.npy")

    assert result.exit_code == 0
    np.testing.assert_allclose(np.load("out/c.npy"), arrays["a"] @ arrays["b"])


def test_run_saves_several_outputs_in_a_folder(arrays):
    given = [f"{n}={n}.npy" for n in arrays]
    assert tadc_("run", "matmul.idx", "--mode", "adjoint", *given, "-o", "out").exit_code == 0

    assert files(Path("out")) == ["da.npy", "db.npy"]
    np.testing.assert_allclose(np.load("out/da.npy"), arrays["dc"] @ arrays["b"].T)


def test_run_takes_a_folder_for_one_output_too(arrays):
    tadc_("run", "matmul.idx", "a=a.npy", "b=b.npy", "-o", "out")

    assert files(Path("out")) == ["c.npy"]


def test_several_outputs_do_not_go_to_one_file(arrays):
    given = [f"{n}={n}.npy" for n in arrays]
    result = tadc_("run", "matmul.idx", "--mode", "adjoint", *given, "-o", "out.npy")

    assert result.exit_code == 1
    assert "2 outputs: da, db" in result.stderr


def test_run_differentiates_by_the_inputs_that_are_named(arrays):
    given = [f"{n}={n}.npy" for n in arrays]
    tadc_("run", "matmul.idx", "--mode", "adjoint", "--wrt", "b", *given, "-o", "db.npy")

    np.testing.assert_allclose(np.load("db.npy"), arrays["a"].T @ arrays["dc"])


def test_an_output_of_run_is_not_written_over_an_input(arrays):
    before = files()
    result = tadc_("run", "matmul.idx", "a=a.npy", "b=b.npy", "-o", "./a.npy")

    assert result.exit_code == 1
    assert "would overwrite the input a.npy" in result.stderr
    assert files() == before
    np.testing.assert_array_equal(np.load("a.npy"), arrays["a"])


def test_an_output_is_not_written_over_a_device(arrays):
    result = tadc_("run", "matmul.idx", "a=a.npy", "b=b.npy", "-o", "out.npy")
    assert result.exit_code == 0
    Path("null.npy").symlink_to(os.devnull)
    result = tadc_("run", "matmul.idx", "a=a.npy", "b=b.npy", "-o", "null.npy")

    assert result.exit_code == 1
    assert not Path(os.devnull).is_file()


def test_scalars_are_numbers_on_the_command_line():
    Path("scaled.idx").write_text("input s[], x[3]\ny[i] = s * x[i]\n")
    np.save("x.npy", np.arange(3.0))

    assert tadc_("run", "scaled.idx", "s=-2.5", "x=x.npy").stdout.strip() == repr(
        np.array([-0.0, -2.5, -5.0])
    )


def test_a_file_that_is_called_like_a_number_is_a_file():
    Path("scaled.idx").write_text("input s[]\ny = 2 * s\n")
    np.save("3.npy", np.float64(4.0))
    Path("3.npy").rename("3")

    assert "8." in tadc_("run", "scaled.idx", "s=3").stdout


def test_sizes_that_no_shape_gives_come_from_the_command_line():
    Path("grid.idx").write_text("size N\nt[i: N] = i\n")

    assert tadc_("run", "grid.idx", "--size", "N=3").stdout == "array([0., 1., 2.])\n"
    assert tadc_("run", "grid.idx", "N=3").stdout == "array([0., 1., 2.])\n"
    assert tadc_("run", "grid.idx").exit_code == 1


def test_inputs_that_are_called_like_keywords_of_a_call_are_passed_too():
    Path("names.idx").write_text("f = self * out + accumulate * wrt\n")
    given = ("self=2", "out=3", "accumulate=5", "wrt=7")

    assert "41." in tadc_("run", "names.idx", *given).stdout


def test_arrays_of_objects_are_refused_unread():
    np.save("x.npy", np.array([{}, {}]), allow_pickle=True)
    Path("id.idx").write_text("y[i] = x[i]\n")
    result = tadc_("run", "id.idx", "x=x.npy")

    assert result.exit_code == 1
    assert "x.npy is not a .npy file of numbers" in result.stderr


@pytest.mark.parametrize("length", [0, 5, 60, 130])
def test_a_damaged_array_file_is_an_error_of_the_input(length):
    np.save("x.npy", np.arange(10.0))
    Path("x.npy").write_bytes(Path("x.npy").read_bytes()[:length])
    Path("id.idx").write_text("y[i] = x[i]\n")

    assert tadc_("run", "id.idx", "x=x.npy").exit_code == 1


@pytest.mark.parametrize("backend", ["auto", "numpy", "interpreter"])
def test_run_computes_the_same_on_every_backend(arrays, backend):
    tadc_("run", "matmul.idx", "a=a.npy", "b=b.npy", "-o", "c.npy", "--backend", backend)

    np.testing.assert_allclose(np.load("c.npy"), arrays["a"] @ arrays["b"])


@pytest.mark.parametrize("suffix", [".npy", ".csv", ".npz"])
def test_run_reads_and_writes_every_kind_of_file(arrays, suffix):
    for name in ("a", "b"):
        if suffix == ".csv":
            np.savetxt(f"{name}.csv", arrays[name], delimiter=",")
        elif suffix == ".npz":
            np.savez(f"{name}.npz", other=arrays["dc"], **{name: arrays[name]})
    given = [f"{name}={name}{suffix}" for name in ("a", "b")]
    assert tadc_("run", "matmul.idx", *given, "-o", f"c{suffix}").exit_code == 0

    found = {
        ".npy": np.load,
        ".csv": lambda path: np.loadtxt(path, delimiter=","),
        ".npz": lambda path: np.load(path)["c"],
    }[suffix](f"c{suffix}")
    np.testing.assert_array_equal(found, arrays["a"] @ arrays["b"])


def test_several_outputs_go_to_one_npz_file(arrays):
    given = [f"{n}={n}.npy" for n in arrays]
    tadc_("run", "matmul.idx", "--mode", "adjoint", *given, "-o", "out.npz")

    assert sorted(np.load("out.npz")) == ["da", "db"]
    assert tadc_("run", "matmul.idx", "--mode", "adjoint", *given, "-o", "d.csv").exit_code == 1
    assert tadc_("run", "matmul.idx", "--mode", "adjoint", *given, "-o", "-").exit_code == 1


def test_run_writes_numbers_alone_to_standard_output():
    Path("double.idx").write_text("y[i] = 2*x[i]\n")
    Path("x.csv").write_text("1, 2.5\n\n")
    Path("column.csv").write_text("1\n2.5\n")

    for given in ("x=x.csv", "x=column.csv"):
        assert tadc_("run", "double.idx", given, "-o", "-").stdout == "2.0\n5.0\n"
    assert "float32" in tadc_("run", "double.idx", "x=x.csv", "--dtype", "float32").stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2\n3\n", "x.csv:2: 1 number, and line 1 has 2"),
        ("1,2\n3,b\n", "x.csv:2: `b` is no number"),
        ("a,b\n1,2\n", "x.csv:1: `a` is no number"),
        ("1,,2\n", "x.csv:1: `` is no number"),
        ("", "x.csv has no numbers"),
        ("1,2\n3,4\n", "x.csv has 2 x 2 numbers, and `x` has 1 dimension"),
    ],
    ids=["ragged", "text", "heading", "a gap", "empty", "a table for a vector"],
)
def test_a_wrong_csv_file_is_an_error_with_its_line(text, said):
    Path("double.idx").write_text("y[i] = 2*x[i]\n")
    Path("x.csv").write_text(text)
    result = tadc_("run", "double.idx", "x=x.csv")

    assert result.exit_code == 1
    assert said in result.stderr


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"text"])
def test_a_wrong_npz_file_is_an_error_of_the_input(content):
    Path("double.idx").write_text("y[i] = 2*x[i]\n")
    Path("x.npz").write_bytes(content)
    result = tadc_("run", "double.idx", "x=x.npz")

    assert result.exit_code == 1
    assert "x.npz is not a .npz file" in result.stderr
    np.savez("x.npz", a=np.ones(2), b=np.ones(2))
    assert "no array `x`, but a, b" in tadc_("run", "double.idx", "x=x.npz").stderr


@pytest.mark.parametrize(
    ("mode", "given", "expected"),
    [
        ("gradient", [], "array([2., 4.])"),
        ("hessian", [], "array([[2., 0.],\n       [0., 2.]])"),
        ("hvp", ["dx=x.csv"], "array([2., 4.])"),
        ("vjp", ["dy=3"], "y  = array(5.)\ndx = array([ 6., 12.])"),
    ],
)
def test_run_and_show_and_compile_have_the_modes_of_scalars(mode, given, expected):
    Path("square.idx").write_text("size N\ninput x[N]\ny = sum{i} x[i]**2\n")
    Path("x.csv").write_text("1\n2\n")

    result = tadc_("run", "square.idx", "x=x.csv", *given, "--mode", mode)
    assert result.stdout.strip().replace("y = ", "y  = ") == expected
    assert "size N" in tadc_("show", "square.idx", "--mode", mode).stdout
    assert tadc_("compile", "square.idx", "--mode", mode).exit_code == 0
    assert list(manifest("square.json")["modes"]) == [mode]
    assert tadc_("show", "matmul.idx", "--mode", "hvp").exit_code == 1


# ---------------------------------------------------------------------- sizes without numbers


def test_a_program_whose_sizes_need_numbers_is_shown_and_run_and_checked():
    Path("blocks.idx").write_text("size M, N\ninput x[N], w[M]\ny[i, j: M] = x[M*i + j] * w[j]\n")
    Path("x.csv").write_text("1,2,3,4\n")
    Path("w.csv").write_text("1,10\n")

    assert "x[M*i + j]" in tadc_("show", "blocks.idx").stdout
    assert "x_{M i + j}" in tadc_("show", "blocks.idx", "--format", "latex").stdout
    assert "x[3*i + j]" in tadc_("show", "blocks.idx", "--size", "M=3").stdout
    refused = tadc_("show", "blocks.idx", "--cost")
    assert refused.exit_code == 1 and "--size M=8" in refused.stderr
    assert "operations" in tadc_("show", "blocks.idx", "--cost", "--size", "M=2").stdout
    result = tadc_("run", "blocks.idx", "x=x.csv", "w=w.csv", "-o", "-")
    assert result.stdout == "1.0,20.0\n3.0,40.0\n"


# ---------------------------------------------------------------------- JSON


def test_show_prints_data_for_programs():
    data = json.loads(tadc_("show", "matmul.idx", "--json", "--cost", "--plan", "--ranges").stdout)

    assert (data["program"], data["inputs"], data["outputs"]) == ("matmul", ["a", "b"], ["c"])
    assert data["text"].startswith("size N\n")
    assert (data["cost"]["operations"], data["cost"]["formula"]) == (None, "12*N")
    assert data["plan"]["kernels"][0]["name"] == "matmul_primal_0"
    assert {r["index"] for r in data["ranges"]} == {"i", "j", "k"}
    numbers = json.loads(tadc_("show", "matmul.idx", "--json", "--cost", "--size", "N=5").stdout)
    assert numbers["cost"]["operations"] == 60


def test_check_and_doctor_print_data_for_programs():
    Path("square.idx").write_text("input x[2]\ny = sum{i} x[i]**2\n")
    data = json.loads(tadc_("check", "square.idx", "--json").stdout)

    assert data["agrees"] is True and all(row["agrees"] for row in data["rows"])
    findings = {f["what"]: f for f in json.loads(tadc_("doctor", "--json").stdout)}
    assert findings["tadc"]["found"].startswith(tadc.__version__)


def test_bench_prints_data_for_programs():
    Path("square.idx").write_text("size N\ninput x[N]\ny = sum{i} x[i]**2\n")
    result = tadc_("bench", "square.idx", "--size", "N=100", "--repetitions", "1", "--json")

    data = json.loads(result.stdout)
    assert data["sizes"] == {"N": 100}
    assert data["rows"][0]["task"] == "value"
    assert data["kernels"] == [] or {"kernel", "limit", "seconds", "model", "ratio"} <= {*data["kernels"][0]}  # fmt: skip


# ---------------------------------------------------------------------- check


def test_check_prints_its_sizes_and_comparisons():
    result = tadc_("check", "conv.idx")

    assert result.exit_code == 0
    assert result.stdout.startswith("sizes: ")
    assert "complex step" in result.stdout


def test_check_takes_numbers_for_sizes_declared_or_not():
    size = tadc.load("conv.idx").program.sizes[0]

    assert tadc_("check", "matmul.idx", "--size", "N=2", "--seed", "3").exit_code == 0
    assert tadc_("check", "conv.idx", "--size", f"{size}=2").exit_code == 0


def test_a_check_that_finds_a_difference_has_status_1(monkeypatch):
    row = tadc.check.Row("value", "numpy float64", 0.5, 1e-10)
    report = tadc.check.Report({}, (row,))
    monkeypatch.setattr("tadc.function.inverse_check.check", lambda *_: report)
    result = tadc_("check", "conv.idx")

    assert result.exit_code == 1
    assert "DIFFERS" in result.stdout


def test_the_baseline_is_one_more_mode():
    assert (
        tadc_(
            "compile", "conv.idx", "--baseline", "atomic", "--target", "cuda", "--target", "c"
        ).exit_code
        == 0
    )

    assert "adjoint_atomic" in manifest("conv.json")["modes"]
    assert "atomicAdd(&dx[" in Path("conv.cu").read_text()
    assert "#pragma omp atomic" in Path("conv.c").read_text()


# ---------------------------------------------------------------------- bench


def test_bench_times_the_value_and_its_gradients():
    result = tadc_("bench", "matmul.idx", "--size", "N=9", "--repetitions", "2")

    assert result.stdout.startswith("sizes: N = 9\n") and "Gflop/s" in result.stdout
    for row in ("value", "value and gradients", "copying memory"):
        numbers = rf"^{row} +\d+\.\d+ +\d+\.\d+"
        assert re.search(numbers, result.stdout, re.MULTILINE), result.stdout


@pytest.mark.compiler
def test_bench_says_what_limits_each_kernel():
    if compiler() is None:
        pytest.skip("there is no C compiler")
    run = partial(tadc_, "bench", "matmul.idx", "--size", "N=9", "--repetitions", "1", "--backend")
    table = run("native").stdout

    for name in (k.name for k in tadc.load("matmul.idx").plan(mode="vjp", N=9).kernels):
        assert re.search(rf"^{name} +(memory|arithmetic) +\d+\.\d+", table, re.MULTILINE), table
    assert re.search(r"this machine: [\d.]+ GB/s", table)
    assert "this machine" not in run("numpy").stdout


@pytest.mark.slow
def test_bench_chooses_sizes():
    table = tadc_("bench", "matmul.idx", "--repetitions", "1", "--backend", "numpy").stdout

    assert int(re.match(r"sizes: N = (\d+)", table)[1]) > 1000


def test_bench_says_what_size_is_missing(folder):
    (folder / "open.idx").write_text("size S, N\ninput x[S*N]\ny[i: N] = x[S*i]")

    failed = tadc_("bench", "open.idx")

    assert failed.exit_code == 1
    assert "`S*N`" in failed.stderr and "^" in failed.stderr


# ---------------------------------------------------------------------- the program as a process


def test_the_version_is_that_of_the_package():
    assert tadc_("--version").stdout == f"tadc {tadc.__version__}\n"


@pytest.mark.parametrize("command", ["compile", "show", "run", "check", "bench", "doctor"])
def test_every_command_has_help_and_is_listed(command):
    assert tadc_(command, "--help").stdout.startswith(f"Usage: tadc {command}")
    assert f"\n  {command} " in tadc_("--help").stdout


def test_python_m_tadc_is_the_same_program():
    program = process("compile", "conv.idx", "nix.idx", stdout=subprocess.PIPE)
    out, err = program.communicate()

    assert program.returncode == 1
    assert out.decode().startswith("conv.idx -> ")
    assert err.decode().startswith("nix.idx: ")
    assert "conv.cu" in files()


@pytest.mark.parametrize("arguments", [("show", "conv.idx"), ("--help",)])
def test_a_closed_pipe_is_no_traceback(arguments):
    read, write = os.pipe()
    os.close(read)
    program = process(*arguments, stdout=write)
    os.close(write)

    assert program.communicate()[1] == b""
    assert program.returncode != 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_cannot_be_printed_is_an_error():
    with open("/dev/full", "wb") as full:
        program = process("show", "conv.idx", stdout=full)
        err = program.communicate()[1].decode()

    assert program.returncode == 1
    assert err.startswith("the output: ") and "Traceback" not in err


def test_a_terminal_without_greek_letters_shows_escapes(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    Path("greek.idx").write_text("y[i] = α[i]\n", "utf-8")
    program = process("show", "greek.idx", stdout=subprocess.PIPE)
    out, err = program.communicate()

    assert (program.returncode, err) == (0, b"")
    assert b"\\u03b1" in out


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupted_process_has_status_130():
    os.mkfifo("slow.idx")
    # What started the tests may ignore the signal, which its children inherit.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    program = process("show", "slow.idx", stdout=subprocess.PIPE, preexec_fn=heed)
    writer = os.open("slow.idx", os.O_WRONLY)  # waits for the reader, which then waits for text
    program.send_signal(signal.SIGINT)

    assert program.communicate()[1] == b""
    assert program.returncode == 130
    os.close(writer)


def test_doctor_says_what_is_found():
    result = tadc_("doctor")

    assert result.exit_code == 0
    assert tadc.__version__ in result.output
    for what in ("C compiler", "OpenMP", "BLAS", "NVRTC", "cache"):
        assert what in result.output


def test_verbose_lists_what_a_document_has_besides():
    Path("paper.tex").write_text(
        "We know that\n\\[ E = m c^2 + 1 \\]\n\\[ y_{i} = \\sum_k A_{ik} x_k \\]\n"
    )

    result = tadc_("show", "paper.tex", "--verbose")

    assert "paper.tex:2:4 `E = m c^2 + 1`" in result.stderr
    program = [line for line in result.stdout.splitlines() if not line.startswith("#")]
    assert "E" not in " ".join(program).split()


@pytest.mark.parametrize(
    "arguments", [("show", "paper.tex"), ("check", "paper.tex"), ("compile", "paper.tex")]
)
def test_skipped_formulas_are_said_in_one_line(arguments):
    Path("paper.tex").write_text(
        "We know that\n\\[ E = m c^2 + 1 \\]\n\\[ a + b \\ge 2 \\]\n\\[ y_{i} = \\sum_k A_{ik} x_k \\]\n"
    )

    lines = [x for x in tadc_(*arguments).stderr.splitlines() if "skipped" in x]

    assert lines == [
        "paper.tex: 2 formulas are skipped, since no tensor is defined there: paper.tex:2:4 `E = m c^2 + 1`, .."
    ]


def test_a_size_of_the_command_line_that_the_arrays_contradict_is_named():
    np.save("x.npy", np.zeros(5))
    Path("k.idx").write_text("size K\ninput x[K]\ny[i] = x[i]\n")

    result = tadc_("run", "k.idx", "x=x.npy", "--size", "K=4")

    assert result.exit_code == 1
    assert "k.idx:2:9: the extent of dimension 0 of x is 5, and must be 4: K is 4" in result.stderr
    assert "give K the number 5" in result.stderr


def test_show_prints_costs_and_plans():
    result = tadc_("show", "matmul.idx", "--cost", "--plan", "--size", "N=10", "--mode", "adjoint")

    assert result.exit_code == 0
    assert "value and gradients: 3.00 times the value" in result.output
    assert "matmul_adjoint_1" in result.output and "threads share" in result.output
    formulas = tadc_("show", "matmul.idx", "--cost")
    assert formulas.exit_code == 0 and "operations" in formulas.output


def test_c_text_has_every_mode_and_a_manifest():
    assert (
        tadc_("compile", "matmul.idx", "--target", "c", "--target", "cuda", "-o", "build").exit_code
        == 0
    )

    text, found = Path("build/matmul.c").read_text(), manifest("build/matmul.json")
    assert found["modes"]["adjoint"]["launcher"] == "matmul_adjoint"
    for mode in ("primal", "adjoint"):
        assert f"int matmul_{mode}(const float* a" in text
    assert files(Path("build")) == ["matmul.c", "matmul.cu", "matmul.json"]


# ---------------------------------------------------------------------- blocks


def test_show_tells_the_footprints_of_a_block():
    Path("stencil.idx").write_text("size N\ninput x[N]\ny[i: N] = x[pad(i-1)] + x[wrap(i+1)]\n")

    shown = tadc_("show", "stencil.idx", "--footprints", "y[0:4]", "--size", "N=12")
    adjoint = tadc_(
        *("show", "stencil.idx", "--footprints", "dx[0:4]", "--mode", "adjoint"),
        *("--size", "N=12", "--json"),
    )

    assert shown.stdout == "x[0:5] in 2 boxes: 5 elements, 40 bytes\n"
    data = json.loads(adjoint.stdout)
    assert data["box"] == [[0, 4]]
    assert data["reads"]["dy"]["boxes"] == [[[1, 5]], [[0, 3]], [[11, 12]]]


def test_extents_without_a_declaration_have_numbers_for_footprints():
    result = tadc_(
        *("show", "conv.idx", "--footprints", "y[0:1, :, 4:8]"),
        *(f"--size={s}" for s in ("x_0=2", "x_1=3", "x_2=12", "w_0=4", "w_2=3")),
    )

    assert "x[0:1, 0:3, 4:10]: 18 elements" in result.stdout


def test_footprints_are_drawn(folder):
    Path("wave.idx").write_text(
        "size X, Y\ninput u[X,Y], c[]\nv[x: X, y: Y] = c*u[pad(x-1),y] + u[x,pad(y+1)]\n"
    )

    tadc_(
        *("show", "wave.idx", "--footprints", "v[4:8, 2:4]", "--svg", "halo.svg"),
        *("--size", "X=12", "--size", "Y=6"),
    )

    root = ElementTree.parse("halo.svg").getroot()
    fills = [r.get("fill") for r in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert (
        fills.count("url(#halo)") == 5
    )  # the legend, the block itself, two reads of `u`, one of `c`
    assert fills.count("#6090d0") == 5
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:2] == ["read at the place of the block", "read around it"]
    assert texts[2:4] == ["v[4:8, 2:4]", "u[3:8, 2:5]"]


def test_show_prints_the_program_of_a_block():
    shown = tadc_("show", "matmul.idx", "--block", "c", "--split", "k")
    adjoint = tadc_("show", "matmul.idx", "--mode", "adjoint", "--block", "da", "--json")

    assert shown.stdout.endswith("c[i: n_0, j: n_1] = sum{k=0..rn_0 - 1} a[i, k]*b[k, j]\n")
    assert json.loads(adjoint.stdout)["outputs"] == ["da"]


def test_show_tells_which_inputs_of_a_block_are_parts_of_one_tensor():
    Path("periodic.idx").write_text("size N; input x[N]\ny[i: N] = x[i] - x[wrap(i-1)]\n", "utf-8")
    shown = tadc_("show", "periodic.idx", "--block", "y")
    data = tadc_("show", "periodic.idx", "--block", "y", "--json")

    assert shown.stdout.startswith("# x_1 is a part of x\nsize N, o_0 >= 0")
    assert tadc.compile(shown.stdout).inputs == ("x", "x_1")
    assert json.loads(data.stdout)["parts"] == {"x_1": "x"}


@pytest.mark.parametrize("box", ["y[", "y[0:4:2]", "y[a:b]", "[1:2]"])
def test_boxes_that_cannot_be_read_are_errors(box):
    result = tadc_("show", "matmul.idx", "--footprints", box, "--size", "N=4")

    assert result.exit_code == 1
    assert "names no box" in result.stderr


def test_the_tensor_of_a_box_is_looked_at_before_the_sizes():
    result = tadc_("show", "matmul.idx", "--footprints", "foo")

    assert result.exit_code == 1
    assert "`foo` is no tensor that is computed" in result.stderr


def test_a_picture_is_of_a_block():
    result = tadc_("show", "matmul.idx", "--svg", "a.svg")

    assert result.exit_code == 1
    assert "--footprints" in result.stderr


SCHEDULES = (
    "one thread|a warp|a block an element|(one thread|a block) a tile of [0-9]+(x[0-9]+)* elements"
    "|atomic additions"
)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("y[i] = 2*x[i]", [], "one thread"),
        ("y[i] = sum{j} exp(a[i, j])", ["--size=I=2000", "--size=J=200"], "a warp"),
        ("l = sum{i} x[i]**2", ["--size=I=1048576"], "a block an element"),
        ("c[i, j] = sum{k} a[i, k]*b[k, j]", ["--size=I=2000", "--size=J=2000", "--size=K=2000"], "a block a tile of 128x128 elements"),
        ("c[i] = sum{k} a[i + k]*b[k]", ["--mode=adjoint", "--baseline=atomic"], "atomic additions"),
    ],
)  # fmt: skip
def test_schedules_have_the_words_that_the_manifest_promises(text, options, said):
    Path("f.idx").write_text(text)
    mode = [] if "--mode=adjoint" in options else ["--mode=primal"]
    assert tadc_("compile", "f.idx", *options, *mode).exit_code == 0

    modes = json.loads(Path("f.json").read_text())["modes"].values()
    words = {k["schedule"] for mode in modes for k in mode["kernels"]}
    assert said in words
    assert all(re.fullmatch(SCHEDULES, w) for w in words)
