"""Index tensors and sparse operands on the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import sparse

from tadc import cli

GRAPH = "size N\ny[i: N] = sum{e | dst[e] = i} w[e]*x[src[e]]\n"
PRODUCT = "input A[N, M]: csr\ny[i] = sum{j} A[i,j]*x[j]\n"
MATRIX = sparse.csr_array(np.array([[0.0, 2, 0], [3, 0, 4]]))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TADC_BACKEND", "interpreter")
    arrays = {
        "src": [0, 2, 1, 2],
        "dst": [1, 0, 1, 1],
        "bad": [0, 2, 1, 9],
        "w": [1.0, 2, 3, 4],
        "x": [1.0, 10, 100],
        "dy": [1.0, 1],
    }
    for name, values in arrays.items():
        np.save(f"{name}.npy", np.array(values))
    (tmp_path / "src.csv").write_text("0\n2\n1\n2\n")
    sparse.save_npz("A.npz", MATRIX)
    (tmp_path / "graph.idx").write_text(GRAPH)
    (tmp_path / "product.idx").write_text(PRODUCT)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli.commands, ["run", *arguments], prog_name="tadc")


ARRAYS = ("dst=dst.npy", "w=w.npy", "x=x.npy", "--size", "N=3")


@pytest.mark.parametrize("src", ["src.npy", "src.csv"])
def test_index_tensors_are_read_from_files(files, src):
    result = run("graph.idx", f"src={src}", *ARRAYS)
    assert result.exit_code == 0, result.output
    assert result.output == "array([200., 431.,   0.])\n"


def test_elements_outside_are_an_error_or_nan(files):
    result = run("graph.idx", "src=bad.npy", *ARRAYS)
    assert result.exit_code == 1
    assert "src[3] is 9" in result.output
    result = run("graph.idx", "src=bad.npy", *ARRAYS, "--bounds", "nan")
    assert result.output == "array([nan, nan, nan])\n"


def test_sparse_arrays_are_read_and_written(files):
    result = run("product.idx", "A=A.npz", "x=x.npy")
    assert result.output == "array([ 20., 403.])\n"
    adjoint = ("product.idx", "A=A.npz", "x=x.npy", "dy=dy.npy", "--mode", "adjoint")
    result = run(*adjoint, "-o", "out")
    assert result.exit_code == 0, result.output
    gradient = sparse.load_npz("out/dA.npz")
    assert gradient.toarray().tolist() == [[0, 10, 0], [1, 0, 100]]
    assert np.load("out/dx.npy").tolist() == [3, 2, 4]
    assert run(*adjoint, "--wrt", "A", "-o", "dA.npz").exit_code == 0
    assert "file of its own" in run(*adjoint, "-o", "both.npz").output
    assert "file of its own" in run(*adjoint, "--wrt", "A", "-o", "dA.csv").output


def test_files_without_a_sparse_array_are_errors(files):
    for name in ("x.npy", "missing.npz"):
        result = run("product.idx", f"A={name}", "x=x.npy")
        assert result.exit_code == 1
        assert "bug" not in result.output


@pytest.mark.parametrize("mode", ["primal", "adjoint"])
def test_show_prints_the_declaration(files, mode):
    arguments = ["show", "product.idx", "--mode", mode]
    result = CliRunner().invoke(cli.commands, arguments, prog_name="tadc")
    assert "input A[N, M]: csr" in result.output
    graph = CliRunner().invoke(cli.commands, ["show", "graph.idx"], prog_name="tadc")
    assert "sum{e=0..E - 1 | dst[e] = i}" in graph.output


@pytest.mark.parametrize("file", ["graph.idx", "product.idx"])
def test_programs_with_data_are_checked(files, file):
    result = CliRunner().invoke(cli.commands, ["check", file])
    assert result.exit_code == 0, result.output
    assert "central differences" in result.output


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("file", "kernels"),
    [
        ("graph.idx", {"graph_primal_0", "graph_forward_0", "graph_backward_0"}),
        ("product.idx", {"product_primal_0", "product_forward_0", "product_backward_0"}),
    ],
)
def test_programs_with_data_are_timed_kernel_by_kernel(files, monkeypatch, file, kernels):
    monkeypatch.delenv("TADC_BACKEND")
    arguments = ["bench", file, "--repetitions", "1", "--size", "N=50", "--json"]
    result = CliRunner().invoke(cli.commands, [*arguments, "--backend", "native"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert {r["task"] for r in found["rows"]} >= {"value", "value and gradients"}
    assert kernels <= {k["kernel"] for k in found["kernels"]}
    assert all(k["seconds"] > 0 and k["ratio"] > 0 for k in found["kernels"])


@pytest.mark.parametrize("arguments", [(), ("--model", "h200")])
def test_computed_indices_are_not_timed_on_random_input(files, arguments):
    (files / "deposit.idx").write_text(
        "size G\noutput r\ncell[p]: index = floor(u[p])\nr[g: G] = sum{p | cell[p] = g} q[p]\n"
    )
    result = CliRunner().invoke(cli.commands, ["bench", "deposit.idx", *arguments])
    assert result.exit_code == 1
    assert "`bench` does not know indices that are computed" in result.output


def test_the_model_of_a_gpu_knows_no_lists(files):
    result = CliRunner().invoke(cli.commands, ["bench", "graph.idx", "--model", "h200"])
    assert result.exit_code == 1
    assert "the model of a GPU does not know index tensors" in result.output
