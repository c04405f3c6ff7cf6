"""The example of the method's paper: Urban & van der Smagt 2017, section 6."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from host_run import HostBatch
from oracle import ROOT, bound, by_name, cuda, random_arrays, relative

import tadc

SYMBOLIC = """
size I, J, K, L
input a[I, K], b[J, K], c[I, I], d[L]
f[i, j] = exp(-sum{k} ((a[i,k] + b[j,k])**2 * c[i,i] + d[i+k]**3))
"""

# As the paper prints them; `dc`, whose indices stand in no read, with their extents.
PRINTED = {
    "f": "f[i; j] = exp (-sum{k}_0^4 (((a[i; k] + b[j; k]) ** 2 * c[i; i] + d[i + k] ** 3)))",
    "da": "da[da_0; da_1] = sum{da_z0}_0^3 (((-(df[da_0; da_z0] * exp (-sum{k}_0^4 (((a[da_0; k] + b[da_z0; k]) ** 2 * c[da_0; da_0] + d[da_0 + k] ** 3))))) * c[da_0; da_0] * 2 * (a[da_0; da_1] + b[da_z0; da_1]) ** (2 - 1)))",
    "db": "db[db_0; db_1] = sum{db_z0}_0^2 (((-(df[db_z0; db_0] * exp (-sum{k}_0^4 (((a[db_z0; k] + b[db_0; k]) ** 2 * c[db_z0; db_z0] + d[db_z0 + k] ** 3))))) * c[db_z0; db_z0] * 2 * (a[db_z0; db_1] + b[db_0; db_1]) ** (2 - 1)))",
    "dc": "dc[dc_0: 3; dc_1: 3] = if {dc_0 + -dc_1 = 0} then (sum{dc_z1}_0^4 (sum{dc_z0}_0^3 (((a[dc_1; dc_z1] + b[dc_z0; dc_z1]) ** 2 * (-(df[dc_1; dc_z0] * exp (-sum{k}_0^4 (((a[dc_1; k] + b[dc_z0; k]) ** 2 * c[dc_1; dc_1] + d[dc_1 + k] ** 3))))))))) else (0)",
    "dd": "dd[dd_0] = sum{dd_z1}_(max [0; -2 + dd_0])^(min [4; dd_0]) (sum{dd_z0}_0^3 (((-(df[dd_0 + -dd_z1; dd_z0] * exp (-sum{k}_0^4 (((a[dd_0 + -dd_z1; k] + b[dd_z0; k]) ** 2 * c[dd_0 + -dd_z1; dd_0 + -dd_z1] + d[dd_0 + -dd_z1 + k] ** 3))))) * 3 * d[dd_0] ** (3 - 1))))",
}


@cache
def paper(backend="auto", suffix="idx"):
    return tadc.load(ROOT / f"examples/paper.{suffix}", backend=backend)


@cache
def adjoint_arrays():
    return random_arrays(paper().adjoint(), {})


@cache
def expected():
    adjoint = paper("interpreter").adjoint()
    return by_name(adjoint, adjoint(**adjoint_arrays()))


@cache
def host():
    """The host-run kernels: float64, float32, and the one with symbolic sizes."""
    texts = [cuda(tadc.load(ROOT / "examples/paper.idx", name=t), t) for t in HOST]
    return HostBatch([*texts, cuda(symbolic(), "float64")])


HOST = {"float64": 1e-12, "float32": 1e-5}


@cache
def symbolic(backend="auto"):
    return tadc.compile(SYMBOLIC, name="symbolic", backend=backend)


def test_both_spellings_are_the_same_program():
    assert paper(suffix="tex").program == paper().program
    assert paper(suffix="tex").adjoint().program == paper().adjoint().program


@pytest.mark.parametrize(
    ("derivative", "extents", "guard", "loops"),
    [
        ("da", "3 5", None, {("0", "3")}),
        ("db", "4 5", None, {("0", "2")}),
        ("dc", "3 3", "i = j", {("0", "4"), ("0", "3")}),
        ("dd", "8", None, {("max(0, i - 2)", "min(4, i)"), ("0", "3")}),
    ],
)
def test_a_derivative_has_the_loop_ranges_and_guards_of_the_printed_one(
    derivative, extents, guard, loops
):
    (line,) = re.findall(rf"^{derivative}\[.*", str(paper().adjoint()), re.MULTILINE)
    left, right = line.split(" = ", 1)

    assert " ".join(re.findall(r": (\d+)", left)) == extents
    assert re.findall(r"if (.*?) then", right) == ([guard] if guard else [])
    assert set(re.findall(r"\w+=(.*?)\.\.(.*?)(?:, (?=\w+=)|})", right)) == loops


def test_the_outer_range_of_dd_visits_the_points_of_the_diagonal():
    """`d[i]` is read where `i = i' + k`; with one cotangent, its gradient counts the points."""
    counts = tadc.compile("input d[8]\nf[i: 3, j: 4] = sum{k=0..4} d[i+k]").adjoint()

    found = counts(np.ones(8), np.ones((3, 4)))

    assert found.tolist() == [4 * n for n in (1, 2, 3, 3, 3, 2, 1, 0)]


def test_numpy_agrees_with_the_interpreter():
    adjoint = paper().adjoint()

    found = by_name(adjoint, adjoint(**adjoint_arrays()))

    for name, value in expected().items():
        assert relative(found[name], value) <= 1e-12


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", HOST)
def test_the_kernels_agree_with_the_interpreter(dtype):
    found = host().run(list(HOST).index(dtype), "adjoint", adjoint_arrays(), {})

    for name, value in expected().items():
        assert relative(found[name], value) <= HOST[dtype]


@pytest.mark.parametrize("name", PRINTED)
def test_a_printed_derivative_means_what_ours_means(name):
    f = tadc.compile(PRINTED[name], backend="interpreter")
    shapes = {n: a for n, a in adjoint_arrays().items() if n in f.inputs}

    found = f(**shapes)

    ours = {**expected(), "f": paper("interpreter")(*[adjoint_arrays()[n] for n in "abcd"])}
    assert relative(found, ours[name]) <= 1e-12


def test_a_printed_derivative_can_be_derived_again():
    f = tadc.compile(f"input df[3, 4], a[3, 5], b[4, 5], c[3, 3], d[8]\n{PRINTED['dd']}")

    report = f.check()

    assert report, f"\n{report}"


@pytest.mark.compiler
@pytest.mark.parametrize("shape", [(3, 4, 5, 8), (1, 1, 1, 1), (2, 6, 1, 5), (5, 2, 7, 11)])
def test_one_kernel_serves_several_shapes(shape):
    sizes = dict(zip("IJKL", shape, strict=True))
    adjoint = symbolic("interpreter").adjoint()
    arrays = random_arrays(adjoint, sizes)
    expected = by_name(adjoint, adjoint(**arrays))

    found = {
        "host": host().run(len(HOST), "adjoint", arrays, bound(adjoint, arrays)),
        "numpy": by_name(adjoint, symbolic().adjoint()(**arrays)),
    }

    for results in found.values():
        for name, value in expected.items():
            assert relative(results[name], value) <= 1e-12


def test_symbolic_sizes_give_the_numbers_of_the_paper():
    arrays = adjoint_arrays()
    adjoint = symbolic().adjoint()

    found = by_name(adjoint, adjoint(**arrays))

    for name, value in expected().items():
        assert relative(found[name], value) <= 1e-12
