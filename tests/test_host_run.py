"""The host run computes what a GPU would, and notices what would be wrong there."""

from __future__ import annotations

import numpy as np
import pytest
from host_run import HostBatch, HostError, HostProgram, size_value, size_values

pytestmark = pytest.mark.compiler

STENCIL = """
extern "C" __global__ void NAME_primal_0(const float* __restrict__ x, float* __restrict__ y, int P) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < P; i += gridDim.x * blockDim.x)
    y[WRITE] = x[i] + x[READ];
}
extern "C" int NAME_primal(const float* x, float* y, void* workspace, int N, cudaStream_t stream) {
  int P = N - 1;
  void* args[] = {&x, &y, &P};
  return cudaLaunchKernel(NAME_primal_0, dim3((P + 127) / 128), dim3(128), args, 0, stream);
}
"""

SUM = """
extern "C" __global__ void sum_primal_0(const float* x, float* y, int n) {
  __shared__ float part[4];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 128) s += x[i];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  BARRIER
  if (threadIdx.x == 0) y[0] = part[0] + part[1] + part[2] + part[3];
}
extern "C" int sum_primal(const float* x, float* y, void* workspace, int N, cudaStream_t stream) {
  void* args[] = {&x, &y, &N};
  return cudaLaunchKernel(sum_primal_0, dim3(1), dim3(128), args, 0, stream);
}
"""


def manifest(program, output):
    return {
        "program": program,
        "sizes": ["N"],
        "derived_sizes": {"P": "N - 1"},
        "index_type": "int32",
        "tensors": {
            "x": {"shape": ["N"], "dtype": "float32"},
            "y": {"shape": output, "dtype": "float32"},
        },
        "modes": {
            "primal": {
                "launcher": f"{program}_primal",
                "inputs": ["x"],
                "outputs": ["y"],
                "workspace_bytes": "4*N",
            }
        },
    }


def stencil(name="stencil", read="i + 1", write="i"):
    text = STENCIL.replace("NAME", name).replace("READ", read).replace("WRITE", write)
    return text, manifest(name, ["P"])


def summed(barrier, order):
    program = HostProgram(SUM.replace("BARRIER", barrier), manifest("sum", []))
    return program.run("primal", {"x": np.arange(200)}, {"N": 200}, order)["y"]


x = np.arange(300.0)


@pytest.mark.parametrize("order", ["forward", "backward"])
@pytest.mark.parametrize("sanitize", [False, True])
def test_a_launcher_computes_its_outputs(sanitize, order):
    program = HostProgram(*stencil(), sanitize=sanitize)

    found = program.run("primal", {"x": x}, {"N": 300}, order)
    np.testing.assert_array_equal(found["y"], x[1:] + x[:-1])


def test_programs_of_a_batch_are_compiled_as_one():
    batch = HostBatch([stencil(f"s{k}", read=f"i + {k} % 2") for k in range(20)])

    for k in range(20):
        found = batch.run(k, "primal", {"x": x}, {"N": 300})["y"]
        np.testing.assert_array_equal(found, x[:-1] + x[k % 2 :][:299])


def test_a_write_outside_an_output_is_noticed():
    with pytest.raises(HostError, match="writes outside y"):
        HostProgram(*stencil(write="i + 1")).run("primal", {"x": x}, {"N": 300})


def test_an_element_that_no_thread_writes_is_nan():
    found = HostProgram(*stencil(write="i / 2 * 2")).run("primal", {"x": x}, {"N": 300})["y"]

    assert np.isnan(found[1])


def test_a_read_outside_an_input_is_nan():
    found = HostProgram(*stencil(read="i + 2")).run("primal", {"x": x}, {"N": 300})["y"]

    assert np.isnan(found[-1]) and np.isfinite(found[:-1]).all()


@pytest.mark.parametrize(
    ("fault", "report"),
    [
        ({"read": "i + 2"}, "heap-buffer-overflow[^$]*stencil.cu:4"),
        ({"read": "((i + 2147483647) & 1)"}, "signed integer overflow"),
    ],
)
def test_the_sanitizers_name_the_line_of_a_fault(fault, report):
    with pytest.raises(HostError, match=report):
        HostProgram(*stencil(**fault), sanitize=True).run("primal", {"x": x}, {"N": 300})


@pytest.mark.parametrize("order", ["forward", "backward"])
def test_blocks_with_barriers_and_shuffles_add_up(order):
    assert summed("__syncthreads();", order) == 19900


def test_a_missing_barrier_shows_in_one_of_the_orders():
    assert np.isnan(summed("", "forward")) or np.isnan(summed("", "backward"))


@pytest.mark.parametrize(
    ("barrier", "report"),
    [
        ("if (threadIdx.x < 5) __syncthreads();", "not reached by every thread"),
        ("if (threadIdx.x > 100) return; __syncthreads();", "not reached by every thread"),
        ("if (threadIdx.x < 5) __syncthreads();\nelse __syncthreads();", "at different barriers"),
        ("if (threadIdx.x < 5) __syncwarp(); else __syncthreads();", "that others do not reach"),
    ],
)
def test_a_barrier_that_not_all_threads_reach_fails_the_launch(barrier, report):
    with pytest.raises(HostError, match=report):
        summed(barrier, "forward")


def test_a_text_that_does_not_compile_is_an_error_with_the_compilers_words():
    with pytest.raises(HostError, match=r".wrong. was not declared"):
        HostProgram(*stencil(read="wrong")).run("primal", {"x": x}, {"N": 300})


def test_an_input_of_another_shape_is_refused():
    with pytest.raises(HostError, match="the manifest says"):
        HostProgram(*stencil()).run("primal", {"x": x[:7]}, {"N": 300})


def test_size_expressions_round_down():
    assert size_value("(N - 3) // 2 + min(N % 4, 2)", {"N": -2}) == -1
    assert size_values({"sizes": ["N"], "derived_sizes": {"P": "N-1", "Q": "P//2"}}, {"N": 8}) == {
        "N": 8,
        "P": 7,
        "Q": 3,
    }
