"""CUDA text becomes machine code without a driver or a toolkit."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from emitted import cuda_file

import tadc
from tadc.errors import BackendError
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cuda import nvrtc
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc, nvrtc_version, supported_architectures

needs_nvrtc = pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")

SCALE = """extern "C" __global__ void scale(float* x, float a) {
  x[threadIdx.x] = x[threadIdx.x] * a + 1.0f;
}
"""
SPILL = """extern "C" __global__ void spill(float* x, int n) {
  float many[512];
  for (int i = 0; i < 512; i++) many[i] = x[i * n];
  for (int i = 0; i < n; i++) x[i] += many[(i * 7919 + n) % 512];
}
"""


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_a_kernel_becomes_machine_code_for_an_architecture(arch):
    compiled = compile_cuda(SCALE, arch)

    assert compiled.cubin.startswith(b"\x7fELF")
    assert compiled.warnings == ()


@needs_nvrtc
def test_the_architectures_of_the_project_are_supported():
    assert {75, 80, 90} <= set(supported_architectures())
    assert nvrtc_version() >= (12, 0)


@needs_nvrtc
def test_the_log_tells_registers_stack_and_spills_of_every_kernel():
    usage = compile_cuda(SCALE + SPILL, "sm_90").usage

    assert usage.keys() == {"scale", "spill"}
    assert usage["scale"].stack_bytes == usage["scale"].spill_bytes == 0
    assert 0 < usage["scale"].registers < 32
    assert usage["spill"].stack_bytes >= 2048


@needs_nvrtc
def test_multiplication_and_addition_are_not_contracted():
    ordinary, contracted = (
        compile_cuda(SCALE, "sm_90", options).cubin for options in ([], ["--fmad=true"])
    )

    assert ordinary != contracted
    assert ordinary == compile_cuda(SCALE, "sm_90", ["--fmad=false"]).cubin


@needs_nvrtc
def test_warnings_are_found_in_the_log():
    unused = SCALE.replace("{\n", "{\n  int unused;\n", 1)

    (warning,) = compile_cuda(unused, "sm_90").warnings
    assert '"unused" was declared but never referenced' in warning


@needs_nvrtc
def test_a_text_that_is_not_cuda_is_an_error_with_the_compilers_words():
    with pytest.raises(BackendError, match='identifier "y" is undefined'):
        compile_cuda(SCALE.replace("* a", "* y"), "sm_90")


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_20", "sm_x", "90", ""])
def test_an_unknown_architecture_is_an_error_that_lists_the_known_ones(arch):
    with pytest.raises(BackendError, match=r"not compile for .*, but for .*sm_90"):
        compile_cuda(SCALE, arch)


def test_without_nvrtc_the_error_says_what_to_install(monkeypatch):
    nvrtc._nvrtc.cache_clear()
    monkeypatch.setattr(nvrtc, "find_nvrtc", lambda: None)

    with pytest.raises(BackendError, match="pip install nvidia-cuda-nvrtc"):
        compile_cuda(SCALE, "sm_90")


def test_a_library_that_cannot_be_loaded_is_not_found(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)

    assert find_nvrtc() is None


ATOMIC = re.compile(r"^\s*(@\S+\s+)?(atom|red)\.", re.MULTILINE)  # instructions of PTX
EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/*.idx"))


@pytest.mark.plain(path=3)
@needs_nvrtc
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_no_kernel_has_atomics_or_spills_many_registers(path):
    f = tadc.load(path)
    modes = {"primal": f.program, "adjoint": f.adjoint().program}

    compiled = compile_cuda(cuda_file(modes, "", "float32").text, "sm_90")

    assert not ATOMIC.search(compiled.ptx) and ".entry" in compiled.ptx
    for kernel, usage in compiled.usage.items():
        assert usage.spill_bytes <= 1024, kernel  # sums of groups may stand in memory
        assert usage.registers <= 192, kernel  # of a tile, with what its sums have lost


@needs_nvrtc
def test_the_adjoint_in_scatter_form_has_atomics():
    f = tadc.compile("size N\ninput x[N], w[5]\ny[i: N - 4] = sum{k: 5} x[i + k]*w[k]")

    assert ATOMIC.search(compile_cuda(f.adjoint().source("cuda-atomic"), "sm_90").ptx)


@pytest.mark.parametrize(("major", "folder"), [(12, "cuda_nvrtc"), (13, "cu13"), (None, "cu13")])
def test_the_driver_says_whose_nvrtc_it_is(monkeypatch, tmp_path, major, folder):
    for name in ("cuda_nvrtc", "cu13"):
        (tmp_path / name / "lib").mkdir(parents=True)
        (tmp_path / name / "lib" / "libnvrtc.so.1").touch()
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(nvrtc, "find_spec", lambda _: spec)
    monkeypatch.setattr(nvrtc, "_loads", lambda _: True)
    monkeypatch.setattr(nvrtc, "_driver_major", lambda: major)

    found = find_nvrtc()

    assert found is not None and f"/{folder}/" in found


@pytest.mark.compiler
@pytest.mark.skipif(
    c_compiler.compiler() is None or sys.platform != "linux", reason="needs a C compiler, and Linux"
)
def test_what_the_library_opens_by_name_is_loaded_from_beside_it(monkeypatch, tmp_path):
    """As wheels of CUDA 13.0 have it, whose library does not look in its own folder."""
    builtins, library = tmp_path / "libnvrtc-builtins.so.13.0", tmp_path / "libnvrtc.so.13"
    (tmp_path / "builtins.c").write_text("int there = 1;")
    (tmp_path / "nvrtc.c").write_text(
        "#include <dlfcn.h>\n#include <stddef.h>\n"
        "const char* nvrtcGetErrorString(int n) { return NULL; }\n"
        f'int opens(void) {{ return dlopen("{builtins.name}", RTLD_LAZY) != NULL; }}\n'
    )
    command = [*c_compiler.compiler(), "-shared", "-fPIC"]
    subprocess.run([*command, str(tmp_path / "builtins.c"), f"-Wl,-soname,{builtins.name}", "-o", str(builtins)], check=True)  # fmt: skip
    subprocess.run([*command, str(tmp_path / "nvrtc.c"), "-o", str(library), "-ldl"], check=True)
    monkeypatch.setattr(nvrtc, "find_nvrtc", lambda: str(library))

    assert nvrtc._nvrtc.__wrapped__().opens() == 1
