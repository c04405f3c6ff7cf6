"""The benchmark for GPUs: what it counts without one, and its whole path on the test double of CuPy."""

from __future__ import annotations

import json
from pathlib import Path

import fake_cupy
import numpy as np
import pytest

import tadc
from tadc.compiler import gpu_decisions
from tadc.options import Options
from tadc.runtime.cuda import arrays as runtime
from tadc.runtime.cuda.nvrtc import Compiled, find_nvrtc

FOLDER = Path(__file__).parents[2] / "benchmarks"


PRODUCT = "size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]"


def test_each_point_of_a_product_is_counted_once_a_form(benchmark_module):
    code, sizes = benchmark_module("gpu_code"), {"I": 128, "J": 128, "K": 128}
    points, f = 128**3, tadc.compile(PRODUCT)
    forms = code.forms(f, sizes)
    tiled = code.counted(forms["gather"], sizes)
    forms["gather"] = [code.GpuModule.plain(g.module) for g in forms["gather"]]

    found = {form: code.counted(modes, sizes) for form, modes in forms.items()}

    # c, da and db: two loads, a product and a sum each; the results are stored.
    gather = found["gather"]
    assert (gather["loads"], gather["atomics"]) == (3 * 2 * points, 0)
    assert gather["stores"] == 3 * 128**2
    assert tiled["loads"] < gather["loads"]
    # With what blocks of a sum carry, those of tiles that are larger than the results, and the trees of teams.
    for found_operations, most in ((gather["operations"], 1.25), (tiled["operations"], 6)):
        assert 1 <= found_operations / (3 * 2 * points) < most
    for form in code.FORMS[1:]:
        assert found[form]["atomics"] == 2 * points  # an element of da and one of db, at each point


@pytest.mark.parametrize("formula", ["a wave step, 7 points", "elementwise", "a sum of Gaussians"])
def test_operations_of_threads_that_work_alone_are_those_of_the_cost(benchmark_module, formula):
    code, words = benchmark_module("gpu_code"), benchmark_module("gpu_formulas")
    f = tadc.compile(next(c.text for c in words.formulas() if c.name == formula))
    sizes = dict.fromkeys(f.program.sizes, 12)
    programs = {"primal": f.program, "adjoint": f.adjoint().program}
    modes = [code.GpuModule.plain(m) for m in code.modules_of(programs)]

    found = code.counted(modes, sizes)["operations"]

    expected = f.cost(mode="primal", **sizes).operations + f.adjoint().cost(**sizes).operations
    assert (
        1 <= found / expected <= (1.25 if "sum" in formula else 1)
    )  # with what blocks of a sum carry


def test_steps_are_counted_where_their_loops_and_conditions_let_them_be(benchmark_module):
    code = benchmark_module("gpu_code")
    f = tadc.compile("size N\ninput x[N]\ny[i: N] = sum{j | j <= i} exp(x[j]*x[pad(i - 1)])")
    n = 9

    counts = code.counted(code.forms(f, {"N": n})["scatter, a thread an element"][:1], {"N": n})

    assert counts["stores"] == n
    assert n * (n + 1) // 2 <= counts["loads"] <= n * (n + 1)


def test_a_team_counts_what_each_of_its_threads_does(benchmark_module):
    code = benchmark_module("gpu_code")
    f = tadc.compile("size N, M\ninput x[N,M], w[N]\ny[i] = w[i]*(sum{j} x[i,j]**2)")
    sizes = {"N": 8, "M": 10**5}
    (value, _) = code.forms(f, sizes)["gather"]
    assert max(k.team for k in value.kernels) > 1

    counts = code.counted([value], sizes)

    assert 1 <= counts["loads"] / (8 * 10**5) < 1.2
    assert (
        2 <= counts["operations"] / (8 * 10**5) < 6
    )  # with the trees in which threads add up, and blocks of sums


def test_rows_that_a_team_holds_are_loaded_once(benchmark_module):
    code = benchmark_module("gpu_code")
    f = tadc.compile(
        "size N, M\ninput x[N,M]\nm[i] = max{j} x[i,j]\noutput y\ny[i,j] = exp(x[i,j] - m[i])/sum{k} exp(x[i,k] - m[i])"
    )
    sizes = {"N": 10**4, "M": 1024}
    (value, _) = code.forms(f, sizes)["gather"]
    assert any(k.row for k in value.kernels)

    counts = code.counted([value], sizes)

    assert 1 <= counts["loads"] / (sizes["N"] * sizes["M"]) < 1.01
    assert counts["stores"] == sizes["N"] * sizes["M"]


def test_what_blocks_compute_once_is_counted_once_for_all_that_share_it(benchmark_module):
    code, sizes = benchmark_module("gpu_code"), {"I": 20000, "J": 20000}
    text = "size I, J\ninput x[I,64], y[J,64]\nf[i,d] = sum{j} exp(-sum{e} (x[i,e] - y[j,e])**2)*(x[i,d] - y[j,d])"
    program = tadc.compile(text).program
    options = Options.of(backend="cuda", memory="recompute")
    decided = gpu_decisions(program, sizes, "float32", options)
    (mode,) = code.modules_of({"run": program}, {"run": decided})
    value = code.GpuModule.of(mode, sizes)
    assert any(k.computed for k in value.kernels)

    each = code.counted([value], sizes)["operations"] / (sizes["I"] * sizes["J"])

    assert 2 * 64 * 3 < each < 1.1 * 2 * 64 * 3  # differences, products and sums; with a function


@pytest.mark.skipif(not find_nvrtc(), reason="no NVRTC")
def test_rows_say_what_has_become_more(benchmark_module):
    code, words = benchmark_module("gpu_code"), benchmark_module("gpu_formulas")
    formula = words.Formula("a product", PRODUCT, [(20, 5), (5, 10)])

    rows = [code.row(formula, form, 1000) for form in code.FORMS]

    assert all(
        r[name] > 0 for r in rows for name in ("loads", "bytes", "registers", "instructions")
    )
    assert [r["atomics"] > 0 for r in rows] == [False, True, True]
    assert not list(code.worse(rows, rows))
    (line,) = code.worse([{**rows[1], "atomics": 9.0}], rows)
    assert line.startswith("a product, scatter, a thread an element: atomics 2")
    assert code.table(rows).count("| a product |") == 3


def few_points(monkeypatch, gpu, plain):
    """The limits of a GPU from short runs of the double, with the kernels that were written by hand."""
    monkeypatch.setattr(plain, "compile_cuda", lambda text, *_: Compiled(text.encode(), ""))
    for name, value in (("COPIED", 1000), ("ELEMENTS", 1000), ("COLLISIONS", [10]), ("PEAK_BLOCKS", 1), ("PEAK_TIMES", 2)):  # fmt: skip
        monkeypatch.setattr(gpu, name, value)


@pytest.mark.slow
@pytest.mark.compiler
def test_all_of_the_benchmark_runs(benchmark_module, monkeypatch, tmp_path):
    fake_cupy.install(monkeypatch)
    gpu, plain = benchmark_module("gpu"), benchmark_module("gpu_plain")
    words = benchmark_module("gpu_formulas")
    few_points(monkeypatch, gpu, plain)
    monkeypatch.setattr(gpu, "code", lambda *_: None)
    chosen = [f for f in words.formulas() if f.name == "3x3 filter with a border"]
    monkeypatch.setattr(gpu, "formulas", lambda: chosen)
    try:
        gpu.main(["--points", "1e3", "--repetitions", "2", "--output", str(tmp_path)])
    finally:
        runtime.cupy.cache_clear()

    data = json.loads((tmp_path / "gpu.json").read_text())
    assert len(data["rows"]) == 2 and len(data["collisions"]) == 2
    for r in (*data["rows"], *data["collisions"]):
        assert r["ms"]["tadc"] > 0 and r["floor"] > 0
        assert not {"CUDA by hand", "atomics, a thread a point"} & r["left_out"].keys()
    assert (
        "CUDA by hand" in data["rows"][1]["ms"]
        and "atomics, a thread a point" in data["rows"][1]["ms"]
    )
    assert "| 3x3 filter with a border | value |" in (tmp_path / "gpu.md").read_text()


@pytest.mark.slow
@pytest.mark.compiler
def test_the_check_of_a_gpu_fails_where_a_result_is_wrong(benchmark_module, monkeypatch, capsys):
    fake_cupy.install(monkeypatch)
    check = benchmark_module("check_gpu")
    arguments = ["--divide", "100", "--only", "hankel"]
    try:
        right = check.main(arguments)
        monkeypatch.setattr(check, "TOLERANCE", 1e-12)
        wrong = check.main(arguments)
    finally:
        runtime.cupy.cache_clear()

    assert (right, wrong) == (0, 1)
    assert "all right" in capsys.readouterr().out


def test_the_model_of_the_large_formulas_is_a_table(benchmark_module):
    model, large = benchmark_module("gpu_model"), benchmark_module("gpu_large")
    chosen = [f for f in large.large_formulas() if f.name in ("bias", "transpose")]

    rows = list(model.rows(chosen))

    text = model.table(rows)
    assert "| bias | vjp | backward_1 |" in text and "**transpose**" in text
    assert not list(model.changed(rows, rows))
    slower = [{**r, "milliseconds": 2 * r["milliseconds"]} for r in rows]
    assert len(list(model.changed(slower, rows))) == 4


def test_a_sweep_goes_on_where_it_ended_and_names_kernels_with_a_busy_thread(
    benchmark_module, tmp_path
):
    sweep, rows = benchmark_module("gpu_sweep"), tmp_path / "rows.jsonl"
    copy = sweep.Case("examples", "copy", "size N\ninput x[N]\ny[i] = 2*x[i]", {"N": 10**6})
    broken = sweep.Case("examples", "broken", "size N\ninput x[N]\ny[i] = z[i]", {"N": 10})

    sweep.add(rows, [copy])
    sweep.add(rows, [copy, broken])

    first, second = sweep.read(rows)
    assert [k["is_uneven"] for k in first["kernels"]] == [False, False, False]
    assert "examples, broken: " in sweep.table([first, second])
    assert "| examples | 1 | 3 | 0 | 0 | 0 | 0 |" in sweep.table([first, second])
    k = first["kernels"][0]
    mean = k["mean_thread"] * k["resident"] / min(k["threads"], k["resident"])
    for further in ({"is_uneven": True}, {"longest_thread": 5 * mean}):
        assert "| examples, copy | primal |" in sweep.table([{**first, "kernels": [{**k, **further}]}])  # fmt: skip
    random = [{**first, "kind": "random formulas", "name": f"{seed}"} for seed in (250, 251)]
    assert "with `--seeds 250 252`" in sweep.table(random)
    assert "with `--others --seeds 250 252`" in sweep.table([first, *random])
    assert "| examples | 1 | 1 | 1 | 0 | 0 | 0 |" in sweep.table([{**first, "kernels": [{**k, "longest_thread": 5 * mean}]}])  # fmt: skip


@pytest.mark.slow
@pytest.mark.compiler
def test_kernels_are_timed_beside_their_model(benchmark_module, monkeypatch, tmp_path):
    cupy = fake_cupy.install(monkeypatch)
    measured, large = benchmark_module("gpu_measured"), benchmark_module("gpu_large")
    few_points(monkeypatch, benchmark_module("gpu"), benchmark_module("gpu_plain"))
    monkeypatch.setattr(measured.launching, "MACHINE", measured.HOPPER)
    chosen = next(f for f in large.large_formulas() if f.name == "bias")
    small = large.Large("bias", chosen.text, {"N": 30, "M": 40}, {})
    monkeypatch.setattr(measured, "large_formulas", lambda: [small])
    inputs = [cupy.asarray(np.ones(shape, np.float32)) for shape in ((30, 40), (40,))]
    monkeypatch.setattr(measured, "arrays_of", lambda f, sizes: inputs)
    try:
        measured.main(["--repetitions", "2", "--without-torch", "--output", str(tmp_path)])
    finally:
        runtime.cupy.cache_clear()

    rows = json.loads((tmp_path / "gpu_measured.json").read_text())["rows"]
    assert [r["mode"] for r in rows if not r["name"]] == ["primal", "vjp"]
    assert all(r["milliseconds"] > 0 and r["modelled"] > 0 for r in rows)
    assert "| bias | vjp | backward_1 |" in (tmp_path / "gpu_measured.md").read_text()
