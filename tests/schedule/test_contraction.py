"""Sums of products of two tensors as products of matrices: which indices are a side of one, and that BLAS has the right places."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.runtime.cpu import c_compiler
from tadc.schedule.cpu.contraction import contraction

# Of einsum: what stands where, with the sides of matrices, and the indices of loops, whose products are added up in the last.
GROUPS = {
    "ik,kj->ij": ("i", "j", "k", "", ""),
    "ki,jk->ij": ("i", "j", "k", "", ""),
    "bik,bkj->bij": ("i", "j", "k", "b", ""),
    "bihd,bjhd->bhij": ("i", "j", "d", "bh", ""),
    "bhij,bjhd->bihd": ("i", "d", "j", "bh", ""),
    "bnc,dc->bnd": ("bn", "d", "c", "", ""),
    "bcij,oc->boij": ("o", "ij", "c", "b", ""),
    "noij,ncij->oc": ("o", "c", "ij", "", "n"),
    "ijk,jr->irk": ("r", "k", "j", "i", ""),
    "abcd,dcef->aebf": ("a", "f", "d", "eb", "c"),
    "ab,cb->ca": ("c", "a", "b", "", ""),
}
NONE = {
    "ik,k->i": "no matrix",
    "ib,jb->ijb": "nothing is summed",
    "kib,kjb->ijb": "neighbours are in no matrix",
    "iik,kj->ij": "a diagonal",
    "ij,jk->i": "a sum of one tensor alone",
}


def text(einsum: str) -> str:
    (left, right), result = einsum.split("->")[0].split(","), einsum.split("->")[1]
    inner = sorted({*left, *right} - {*result})
    shapes = [f"{t}[{', '.join(i.upper() + '1' for i in s)}]" for t, s in (("x", left), ("w", right))]  # fmt: skip
    summed = f"sum{{{', '.join(inner)}}} " if inner else ""
    return f"input {', '.join(shapes)}\ny[{', '.join(result)}] = {summed}x[{', '.join(left)}]*w[{', '.join(right)}]"


@pytest.mark.parametrize("einsum", [*GROUPS, *NONE])
def test_sides_of_matrices_are_indices_side_by_side(einsum):
    program = tadc.compile(text(einsum)).program
    sizes = dict.fromkeys(program.sizes, 40)

    found = contraction(program.statements[0], program, sizes)

    names = found and ("".join(s) for s in (found.rows, found.columns, found.inner, found.outer, found.added))  # fmt: skip
    assert (names and tuple(names)) == GROUPS.get(einsum)


def test_small_matrices_are_none():
    program = tadc.compile(text("bik,bkj->bij")).program

    assert contraction(program.statements[0], program, dict.fromkeys(program.sizes, 31)) is None


def test_extents_that_differ_are_none():
    program = tadc.compile("size N\ninput x[N, N], w[N+1, N]\ny[i, j] = sum{k=0..N-1} x[i, k]*w[k, j]").program  # fmt: skip

    assert contraction(program.statements[0], program, {"N": 40}) is None


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("einsum", [*GROUPS, *NONE])
def test_blas_computes_what_einsum_does_and_its_gradients(einsum, dtype):
    f = tadc.compile(text(einsum), backend="native", dtype=dtype)
    random = np.random.default_rng(0)
    extents = dict(zip(sorted({*einsum} - {*",->"}), (37, 41, 50, 43, 39, 38), strict=False))  # fmt: skip
    (left, right), result = einsum.split("->")[0].split(","), einsum.split("->")[1]
    small = set(einsum) & {"b", "h", "n"} if len(extents) > 3 else set()
    extents = {i: 3 if i in small else n for i, n in extents.items()}
    x, w, dy = (random.normal(size=[extents[i] for i in s]).astype(dtype) for s in (left, right, result))  # fmt: skip

    y, gradients = f.value_and_gradients(x, w, cotangent=dy)

    rtol = 2e-5 if dtype == "float32" else 1e-12
    exact = np.einsum(einsum, x.astype("float64"), w.astype("float64"))
    np.testing.assert_allclose(y, exact, rtol=rtol, atol=rtol * np.abs(exact).max())
    if len({*left}) == len(left) and einsum != "ij,jk->i":
        dx = np.einsum(f"{result},{right}->{left}", dy.astype("float64"), w)
        np.testing.assert_allclose(gradients["x"], dx, rtol=rtol, atol=rtol * np.abs(dx).max())
